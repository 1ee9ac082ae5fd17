//! Levenberg and Marquardt's method on the robust loss.
//!
//! (H + λ diag H) Δ = −g with H and g of [`crate::normal`]; λ falls after a step that lowers the loss and grows after one that does
//! not. A window whose prediction fails at a trial makes the trial fail; one that fails at the start is left out, and counted.

use crate::cable::Cable;
use crate::dense::{inverse, multiply};
use crate::error::FitError;
use crate::normal::{Sums, Task, evaluate};
use crate::parameter::Parameter;
use crate::robust::Loss;

/// When to stop, and how far a step may go.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Linearizations at most.
    pub iterations: usize,
    /// Stop when a step changes every coordinate by less than this.
    pub tolerance: f64,
    /// Or when it lowers the loss by less than this fraction.
    pub least_gain: f64,
    /// A step changes a coordinate by this at most: a factor of e for 1.
    pub longest_step: f64,
    /// Scale of the loss.
    pub loss: Loss,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            iterations: 20,
            tolerance: 1e-3,
            least_gain: 3e-4,
            longest_step: 0.7,
            loss: Loss { scale: 5e-3 },
        }
    }
}

/// Where a search ended.
#[derive(Clone, Debug)]
pub struct Found {
    /// Search coordinates.
    pub x: Vec<f64>,
    /// Sums of each window there, with derivatives.
    pub windows: Vec<Sums>,
    /// All of them together.
    pub total: Sums,
    /// Linearizations taken.
    pub iterations: usize,
    /// Whether the last step was below the tolerance, in length or in gain.
    pub converged: bool,
    /// Windows left out since no prediction could be made at the start.
    pub failed_windows: usize,
}

/// Searches from `x` on.
pub fn search(
    cable: &Cable,
    parameters: &[Parameter],
    x: &[f64],
    tasks: &[Task<'_>],
    frame_time: f64,
    options: Search,
    mut report: impl FnMut(usize, f64, &[f64]),
) -> Result<Found, FitError> {
    let n = parameters.len();
    let at = |x: &[f64], tasks: &[Task<'_>], derivatives| {
        evaluate(cable, parameters, x, tasks, frame_time, options.loss, derivatives)
    };
    let mut x = x.to_vec();
    // Windows that can be predicted at the start and next to it.
    let first = at(&x, tasks, true);
    let mut kept = Vec::new();
    let mut windows = Vec::new();
    let mut failure = None;
    for (task, sums) in tasks.iter().zip(first) {
        match sums {
            Ok(sums) => {
                kept.push(task.clone());
                windows.push(sums);
            }
            Err(error) if error.is_numerical() => failure = Some(error),
            Err(error) => return Err(error),
        }
    }
    let failed_windows = tasks.len() - kept.len();
    if kept.is_empty() {
        return Err(failure.unwrap_or_else(|| {
            FitError::mismatch(
                "there is no window to fit",
                "give runs whose first two frames have all markers",
            )
        }));
    }
    let total = |windows: &[Sums]| {
        let mut sums = Sums::nothing(n);
        windows.iter().for_each(|w| sums.add(w));
        sums
    };
    let mut now = total(&windows);
    let mut damping = 1e-3;
    let mut converged = n == 0;
    let mut iterations = 0;
    while !converged && iterations < options.iterations {
        iterations += 1;
        report(iterations, now.loss, &x);
        let mut accepted = None;
        for _ in 0..8 {
            let step = step(&now, damping, parameters, &x, options.longest_step);
            let trial: Vec<f64> = x.iter().zip(&step).map(|(x, d)| x + d).collect();
            let small = step.iter().all(|d| d.abs() < options.tolerance);
            let sums = at(&trial, &kept, false);
            let loss: Option<f64> = sums.iter().map(|s| s.as_ref().ok().map(|s| s.loss)).sum();
            if let Some(loss) = loss.filter(|&l| l <= now.loss) {
                accepted = Some((trial, small || now.loss - loss < options.least_gain * now.loss));
                damping = f64::max(0.2 * damping, 1e-9);
                break;
            }
            if small {
                converged = true;
                break;
            }
            damping = f64::max(8.0 * damping, 1e-3);
        }
        let Some((trial, last)) = accepted else { break };
        let sums: Result<Vec<_>, _> = at(&trial, &kept, true).into_iter().collect();
        // A neighbor of the trial may fail where the trial does not: stay, more carefully.
        match sums {
            Ok(sums) => {
                x = trial;
                windows = sums;
                now = total(&windows);
                converged = last;
            }
            Err(error) if error.is_numerical() => damping *= 100.0,
            Err(error) => return Err(error),
        }
    }
    Ok(Found { x, windows, total: now, iterations, converged, failed_windows })
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
