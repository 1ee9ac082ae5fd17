//! Levenberg and Marquardt's method on the robust loss.
//!
//! (H + λ diag H) Δ = −g with H and g of [`crate::normal`]; λ decreases after a step that lowers the loss and
//! increases after one that does not. If the prediction of a window fails at a trial, the trial fails; a window that
//! fails at the start is left out, and counted.

use crate::dense::{inverse, multiply};
use crate::error::FitError;
use crate::normal::{Problem, Sums};
use crate::parameter::Parameter;
use crate::task::Task;

/// Stopping criteria and bounds on steps.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Linearizations at most.
    pub iterations: usize,
    /// Stop when a step changes every coordinate by less than this.
    pub tolerance: f64,
    /// Or when it lowers the loss by less than this fraction.
    pub least_gain: f64,
    /// A step changes a logarithmic coordinate by this at most: a factor of e for 1.
    pub longest_step: f64,
}

impl Default for Search {
    fn default() -> Self {
        Self { iterations: 20, tolerance: 1e-3, least_gain: 3e-4, longest_step: 0.7 }
    }
}

/// Result of a search.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// Search coordinates.
    pub x: Vec<f64>,
    /// The windows that were fitted, with their starts.
    pub tasks: Vec<Task<'a>>,
    /// Sums of each window at the result, with derivatives.
    pub windows: Vec<Sums>,
    /// All of them together.
    pub total: Sums,
    /// Linearizations taken.
    pub iterations: usize,
    /// Whether the last step was below the tolerance, in length or in gain.
    pub converged: bool,
    /// Windows left out since their prediction failed at the start.
    pub failed_windows: usize,
}

/// Searches from `x` on; `report` is told the iteration, the loss and the coordinates.
pub fn search<'a>(
    problem: Problem<'_>,
    x: &[f64],
    tasks: Vec<Task<'a>>,
    options: Search,
    report: &mut dyn FnMut(usize, f64, &[f64]),
) -> Result<Found<'a>, FitError> {
    let mut at = begin(problem, x, tasks)?;
    let mut damping = 1e-3;
    at.converged = problem.parameters.is_empty() && at.tasks.iter().all(|t| t.start.is_empty());
    while !at.converged && at.iterations < options.iterations {
        at.iterations += 1;
        report(at.iterations, at.total.loss, &at.x);
        let Some((x, tasks, last)) = trial(problem, &mut at, options, &mut damping) else { break };
        let sums: Result<Vec<_>, _> = problem.evaluate(&x, &tasks, true).into_iter().collect();
        // A neighbor of the trial may fail where the trial does not: stay, with more damping.
        match sums {
            Ok(windows) => {
                at.total = total(&windows, problem.parameters.len());
                at.windows = windows;
                at.x = x;
                at.tasks = tasks;
                at.converged = last;
            }
            Err(error) if error.is_numerical() => damping *= 100.0,
            Err(error) => return Err(error),
        }
    }
    Ok(at)
}

/// The windows that can be predicted at the start and next to it.
fn begin<'a>(problem: Problem<'_>, x: &[f64], tasks: Vec<Task<'a>>) -> Result<Found<'a>, FitError> {
    let all = tasks.len();
    let mut kept = Vec::with_capacity(all);
    let mut windows = Vec::with_capacity(all);
    let mut failure = None;
    let sums = problem.evaluate(x, &tasks, true);
    for (task, sums) in tasks.into_iter().zip(sums) {
        match sums {
            Ok(sums) => {
                kept.push(task);
                windows.push(sums);
            }
            Err(error) if error.is_numerical() => failure = Some(error),
            Err(error) => return Err(error),
        }
    }
    if kept.is_empty() {
        return Err(failure.unwrap_or_else(|| {
            FitError::mismatch(
                "there is no window to fit",
                "give runs with two successive frames in which all markers are seen",
            )
        }));
    }
    Ok(Found {
        x: x.to_vec(),
        failed_windows: all - kept.len(),
        tasks: kept,
        total: total(&windows, problem.parameters.len()),
        windows,
        iterations: 0,
        converged: false,
    })
}

fn total(windows: &[Sums], n: usize) -> Sums {
    let mut sums = Sums::nothing(n);
    windows.iter().for_each(|w| sums.add(w));
    sums
}

type Trial<'a> = (Vec<f64>, Vec<Task<'a>>, bool);

/// The first step, with growing damping, that lowers the loss, and whether it is the last one. `None` if there is none; `at.converged`
/// says whether steps became short.
fn trial<'a>(
    problem: Problem<'_>,
    at: &mut Found<'a>,
    options: Search,
    damping: &mut f64,
) -> Option<Trial<'a>> {
    for _ in 0..8 {
        let step = step(&at.total, *damping, problem.parameters, &at.x, options.longest_step);
        let x: Vec<f64> = at.x.iter().zip(&step).map(|(x, d)| x + d).collect();
        let mut tasks = at.tasks.clone();
        for (task, sums) in tasks.iter_mut().zip(&at.windows) {
            // With heavy damping, starts move as little as parameters.
            let share = 1.0 / (1.0 + *damping);
            for (z, d) in task.start.iter_mut().zip(sums.start_step(&step)) {
                *z += share * d;
            }
        }
        let small = step.iter().all(|d| d.abs() < options.tolerance);
        let sums = problem.evaluate(&x, &tasks, false);
        let loss: Option<f64> = sums.iter().map(|s| s.as_ref().ok().map(|s| s.loss)).sum();
        if let Some(loss) = loss.filter(|&l| l <= at.total.loss) {
            *damping = f64::max(0.2 * *damping, 1e-9);
            let gain = at.total.loss - loss;
            return Some((x, tasks, small || gain < options.least_gain * at.total.loss));
        }
        if small {
            at.converged = true;
            return None;
        }
        *damping = f64::max(8.0 * *damping, 1e-3);
    }
    None
}

fn step(now: &Sums, damping: f64, parameters: &[Parameter], x: &[f64], longest: f64) -> Vec<f64> {
    let n = x.len();
    let mut h = now.matrix.clone();
    let greatest = (0..n).map(|i| h[i][i]).fold(0.0, f64::max);
    for (i, row) in h.iter_mut().enumerate() {
        row[i] += damping * row[i] + 1e-12 * greatest + f64::MIN_POSITIVE;
    }
    let Some(inverse) = inverse(&h) else { return vec![0.0; n] };
    let mut step: Vec<f64> = multiply(&inverse, &now.gradient).iter().map(|d| -d).collect();
    for ((d, p), x) in step.iter_mut().zip(parameters).zip(x) {
        let longest = if p.is_logarithmic() { longest } else { 0.1 * (p.bounds()[1] - p.bounds()[0]) };
        let [low, high] = p.bounds().map(|b| p.coordinate(b));
        *d = (x + d.clamp(-longest, longest)).clamp(low, high) - x;
    }
    step
}
