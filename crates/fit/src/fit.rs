//! A fit: from an initial cable and measured runs to parameters, confidence intervals, and the error on held-out
//! runs.
//!
//! 1. *Starts.* The search begins at the cable given and at points spread about it (Halton's sequence, factors
//!    e^±spread), each for a few iterations on short windows of a few runs. Long open-loop losses have many minima,
//!    short windows few. The best one continues.
//! 2. *Stages.* Levenberg and Marquardt's method on windows of growing length, the last one that of the fit.
//! 3. *Curl.* If requested, natural curvature is added one by one at the markers and in the directions that lower the
//!    loss most, according to the linearized problem of some runs, and the last stage is repeated with it.
//! 4. *Unobservable parameters.* A parameter whose standard error is above [`UNSEEN`] in its search coordinate is
//!    fixed at its initial value, and the last stage is repeated without it.
//! 5. *Cross-validation.* For each fold, its runs are predicted with a cable fitted to the used runs of the other
//!    folds; curl is selected again. Every run of the data is predicted once, including those that the fit does not
//!    use.

use crate::cable::{Cable, Fitted};
use crate::cross_validation::HeldOut;
use crate::error::FitError;
use crate::levenberg::{Found, Search, search};
use crate::normal::{Problem, cable_at};
use crate::parameter::Parameter;
use crate::predict::check;
use crate::robust::Loss;
use crate::task::{Cut, Task, tasks};
use crate::tracks::Tracks;
use crate::uncertainty::{Uncertainty, uncertainty};
use rayon::prelude::*;
use serde::Serialize;

/// A coordinate with a standard error above this, a factor of e, is unobservable.
pub const UNSEEN: f64 = 1.0;
/// Runs and iterations for the comparison of starts.
const STARTS_RUNS: usize = 6;
const STARTS_ITERATIONS: usize = 4;

/// Options of a fit.
#[derive(Clone, Debug)]
pub struct FitOptions {
    /// The parameters to fit.
    pub parameters: Vec<Parameter>,
    /// Number of curls to add.
    pub curls: usize,
    /// Frames in a window, stage by stage; 0 for whole runs.
    pub stages: Vec<usize>,
    /// Whether the starts of windows are unknowns; see [`crate::normal`].
    pub free_starts: bool,
    /// Runs used, by index; all if empty.
    pub runs: Vec<usize>,
    /// Points from which the search starts.
    pub starts: usize,
    /// Half the range of the starting points in logarithmic coordinates.
    pub spread: f64,
    /// Folds of the cross-validation; 0 for none.
    pub folds: usize,
    /// Scale of the loss.
    pub loss: Loss,
    /// Stopping criteria of a stage.
    pub search: Search,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            parameters: Vec::new(),
            curls: 0,
            stages: vec![50, 0],
            free_starts: false,
            runs: Vec::new(),
            starts: 1,
            spread: 1.0,
            folds: 0,
            loss: Loss { scale: 5e-3 },
            search: Search::default(),
        }
    }
}

/// A fitted parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Its key in a cable file.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// The fitted or fixed value.
    pub value: f64,
    /// 95 % interval; `None` if it was fixed.
    pub interval: Option<[f64; 2]>,
    /// Why it was fixed, or that it ended at a bound.
    pub remark: Option<String>,
}

/// Result of a fit.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The cable with its fitted parameters.
    pub cable: Cable,
    /// Every requested parameter.
    pub estimates: Vec<Estimate>,
    /// Root mean square of the residuals, m, including weights of the robust loss.
    pub residual: f64,
    /// Correlation time of the residuals, frames.
    pub correlation_time: f64,
    /// Linearizations of the last stage.
    pub iterations: usize,
    /// Whether the last stage converged.
    pub converged: bool,
    /// Windows that could not be predicted at the start of the last stage, and were left out.
    pub failed_windows: usize,
    /// Cross-validation, if requested.
    pub held_out: Option<HeldOut>,
}

/// Fits `options.parameters` of `cable` to `tracks`; `say` receives progress messages.
pub fn fit(
    cable: &Cable,
    tracks: &Tracks,
    options: &FitOptions,
    say: &mut dyn FnMut(&str),
) -> Result<Fit, FitError> {
    check(cable, tracks)?;
    check_parameters(cable, &options.parameters)?;
    check_options(tracks, options)?;
    check_surroundings(tracks, options)?;
    let cable = &with_friction(cable, tracks, options);
    let runs: Vec<usize> =
        if options.runs.is_empty() { (0..tracks.runs.len()).collect() } else { options.runs.clone() };
    let mut task = Fitting { cable, tracks, options, parameters: options.parameters.clone() };
    let x = task.best_start(&runs, say)?;
    let mut found = task.stages(&runs, &x, &options.stages, say)?;
    found = task.add_curls(&runs, found, say)?;
    let mut sure = task.uncertainty(&found)?;
    let mut unseen = Vec::new();
    while let Some(worst) = task.worst_unseen(&sure) {
        let held = task.parameters.remove(worst);
        say(&format!("{} cannot be seen in this data: held at its start", held.name()));
        unseen.push(held);
        let mut x = found.x.clone();
        x.remove(worst);
        found = task.stages(&runs, &x, &options.stages[options.stages.len() - 1..], say)?;
        sure = task.uncertainty(&found)?;
    }
    let mut fitted = cable_at(cable, &task.parameters, &found.x);
    let held_out = if options.folds > 1 { Some(task.cross_validate(&runs, &x, say)?) } else { None };
    fitted.fitted = held_out.as_ref().map(|h| Fitted {
        folds: h.folds,
        cross_validation: h.score,
        cross_validation_without_flawed: h.score_without_flawed,
    });
    let freedom = found.total.count.saturating_sub(task.parameters.len()).max(1);
    Ok(Fit {
        estimates: task.estimates(&fitted, &found, &sure, &unseen),
        cable: fitted,
        residual: (found.total.squares / freedom as f64).sqrt(),
        correlation_time: sure.correlation_time,
        iterations: found.iterations,
        converged: found.converged,
        failed_windows: found.failed_windows,
        held_out,
    })
}

fn check_parameters(cable: &Cable, parameters: &[Parameter]) -> Result<(), FitError> {
    if parameters.is_empty() {
        return Err(FitError::mismatch("there is no parameter to fit", "name at least one"));
    }
    for (k, parameter) in parameters.iter().enumerate() {
        if parameters[..k].contains(parameter) {
            return Err(FitError::mismatch(
                format!("the parameter '{}' is named twice", parameter.name()),
                "name each parameter once",
            ));
        }
        let last = cable.marker_count() - 2;
        if let Parameter::Curl { marker, .. } = *parameter
            && !(1..=last).contains(&marker)
        {
            return Err(FitError::mismatch(
                format!("the parameter '{}' is at a marker that the cable does not have", parameter.name()),
                format!("give an inner marker: 1 to {last}, counted from 0 at the first held one"),
            ));
        }
    }
    Ok(())
}

fn check_options(tracks: &Tracks, options: &FitOptions) -> Result<(), FitError> {
    if let Some(run) = options.runs.iter().find(|&&r| r >= tracks.runs.len()) {
        return Err(FitError::mismatch(
            format!("run {run} is asked for, the data has {} runs", tracks.runs.len()),
            "runs count from 0",
        ));
    }
    let used = if options.runs.is_empty() { tracks.runs.len() } else { options.runs.len() };
    if options.folds > used || options.folds == 1 {
        return Err(FitError::mismatch(
            format!("{} folds of {used} runs", options.folds),
            "give 2 folds or more, at most as many as there are runs; 0 for no cross-validation",
        ));
    }
    if options.stages.is_empty() || options.starts == 0 {
        return Err(FitError::mismatch("no stage or no start", "at least one of each is needed"));
    }
    if !(options.loss.scale.is_finite() && options.loss.scale > 0.0) {
        return Err(FitError::mismatch(
            format!("the scale of the loss is {}", options.loss.scale),
            "give a positive number, in m",
        ));
    }
    Ok(())
}

/// What a fit in a scene, or without one, cannot do.
fn check_surroundings(tracks: &Tracks, options: &FitOptions) -> Result<(), FitError> {
    let Some(surroundings) = &tracks.surroundings else {
        if options.parameters.contains(&Parameter::Friction) {
            return Err(FitError::mismatch(
                "friction is to be fitted, and the cable touches nothing",
                "give the scene in which it was measured: `ropewalk fit SCENE …`, or scene=… in Python",
            ));
        }
        return Ok(());
    };
    if options.parameters.contains(&Parameter::Friction) && !surroundings.feels_friction() {
        return Err(FitError::mismatch(
            "friction is to be fitted, and nothing in the scene has friction from the surface of the cable",
            "turn contact on in the scene, and leave the friction of pairs with the cable out of it",
        ));
    }
    if surroundings.has_free_bodies() && options.stages.iter().any(|&frames| frames != 0) {
        return Err(FitError::mismatch(
            "the scene has bodies that move freely, and windows start within runs, where nothing says where these are",
            "fit whole runs: `--windows 0`, or windows=[0] in Python",
        ));
    }
    Ok(())
}

/// The cable with the friction that the scene gives it, if that is to be fitted and the cable has none.
fn with_friction(cable: &Cable, tracks: &Tracks, options: &FitOptions) -> Cable {
    let mut cable = cable.clone();
    if let (Some(surroundings), true) =
        (&tracks.surroundings, options.parameters.contains(&Parameter::Friction))
    {
        cable.parameters.friction.get_or_insert(surroundings.friction());
    }
    cable
}

/// A fit on its way.
pub(crate) struct Fitting<'a> {
    pub(crate) cable: &'a Cable,
    pub(crate) tracks: &'a Tracks,
    pub(crate) options: &'a FitOptions,
    /// Parameters that are not fixed.
    pub(crate) parameters: Vec<Parameter>,
}

impl<'a> Fitting<'a> {
    pub(crate) fn problem(&self) -> Problem<'_> {
        Problem {
            cable: self.cable,
            parameters: &self.parameters,
            frame_time: self.tracks.frame_time(),
            loss: self.options.loss,
        }
    }

    fn cut(&self, frames: usize) -> Cut {
        Cut { frames, free_starts: self.options.free_starts }
    }

    /// The initial point, or the best of several.
    fn best_start(&self, runs: &[usize], say: &mut dyn FnMut(&str)) -> Result<Vec<f64>, FitError> {
        let first: Vec<f64> = self.parameters.iter().map(|p| p.start(&self.cable.parameters)).collect();
        if self.options.starts == 1 {
            return Ok(first);
        }
        let some: Vec<usize> = runs.iter().copied().step_by(runs.len().div_ceil(STARTS_RUNS)).collect();
        let filter = self.cable.numerics.held_filter;
        let search_options = Search { iterations: STARTS_ITERATIONS, ..self.options.search };
        let mut best: Option<(f64, Vec<f64>)> = None;
        let mut failure = None;
        for start in 0..self.options.starts {
            let x = self.spread(&first, start);
            let windows =
                tasks(self.tracks, &some, Cut { frames: self.options.stages[0], free_starts: false }, filter);
            let count = windows.len();
            match search(self.problem(), &x, windows, search_options, &mut |_, _, _| {}) {
                // A start from which some windows cannot be predicted is compared by the remaining ones.
                Ok(found) => {
                    let loss = found.total.loss / (count - found.failed_windows) as f64;
                    say(&format!("start {start}: loss {loss:.4e} per window"));
                    if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                        best = Some((loss, found.x));
                    }
                }
                Err(error) if error.is_numerical() => failure = Some(error),
                Err(error) => return Err(error),
            }
        }
        match (best, failure) {
            (Some((_, x)), _) => Ok(x),
            (None, Some(error)) => Err(error),
            (None, None) => Ok(first),
        }
    }

    /// Point `index` of Halton's sequence about `first`; the first point is `first` itself.
    fn spread(&self, first: &[f64], index: usize) -> Vec<f64> {
        const PRIMES: [usize; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];
        let place = |(k, (x, p)): (usize, (&f64, &Parameter))| {
            if index == 0 {
                return *x;
            }
            let by = 2.0 * halton(index, PRIMES[k % PRIMES.len()]) - 1.0;
            let [low, high] = p.bounds().map(|b| p.coordinate(b));
            // The length is well known; a factor of e would overstretch the cable.
            let reach = match p {
                Parameter::LengthFactor => 0.01,
                p if p.is_logarithmic() => self.options.spread,
                _ => 0.1 * (high - low),
            };
            (x + by * reach).clamp(low, high)
        };
        first.iter().zip(&self.parameters).enumerate().map(place).collect()
    }

    pub(crate) fn stages(
        &self,
        runs: &[usize],
        x: &[f64],
        stages: &[usize],
        say: &mut dyn FnMut(&str),
    ) -> Result<Found<'a>, FitError> {
        let mut x = x.to_vec();
        let mut last = None;
        for &frames in stages {
            let windows = tasks(self.tracks, runs, self.cut(frames), self.cable.numerics.held_filter);
            let mut report = |k: usize, loss: f64, x: &[f64]| {
                let values = self.parameters.iter().zip(x);
                let values: Vec<_> =
                    values.map(|(p, x)| format!("{} {:.4e}", p.name(), p.from_coordinate(*x))).collect();
                say(&format!("iteration {k}: loss {loss:.5e} | {}", values.join(", ")));
            };
            let found = search(self.problem(), &x, windows, self.options.search, &mut report)?;
            x.clone_from(&found.x);
            last = Some(found);
        }
        last.ok_or_else(|| FitError::mismatch("no stage", "at least one is needed"))
    }

    fn uncertainty(&self, found: &Found<'_>) -> Result<Uncertainty, FitError> {
        let cable = cable_at(self.cable, &self.parameters, &found.x);
        let residuals = |task: &Task<'_>| task.position_residuals(&cable, self.tracks.frame_time());
        let residuals: Result<Vec<_>, _> = found.tasks.par_iter().map(residuals).collect();
        Ok(uncertainty(found, &residuals?))
    }

    /// The least observable parameter, if it is unobservable.
    fn worst_unseen(&self, sure: &Uncertainty) -> Option<usize> {
        let relative = |k: usize| {
            let p = self.parameters[k];
            let scale = if p.is_logarithmic() { 1.0 } else { 0.5 * (p.bounds()[1] - p.bounds()[0]) };
            sure.standard_error[k] / scale
        };
        let worst = (0..self.parameters.len()).max_by(|&a, &b| relative(a).total_cmp(&relative(b)))?;
        (self.parameters.len() > 1 && relative(worst) > UNSEEN).then_some(worst)
    }

    fn estimates(
        &self,
        fitted: &Cable,
        found: &Found<'_>,
        sure: &Uncertainty,
        unseen: &[Parameter],
    ) -> Vec<Estimate> {
        let one = |p: &Parameter| {
            let value = p.value(&fitted.parameters);
            let place = self.parameters.iter().position(|q| q == p);
            let interval = place.map(|k| {
                let half = sure.quantile * sure.standard_error[k];
                [-half, half].map(|d| p.from_coordinate(found.x[k] + d))
            });
            let at_bound = place.is_some() && p.bounds().iter().any(|b| (value - b).abs() <= 1e-9 * b.abs());
            let remark = if unseen.contains(p) {
                Some("cannot be seen in this data; held at its start".to_owned())
            } else {
                at_bound.then(|| "at the bound of its range".to_owned())
            };
            Estimate { name: p.name().into_owned(), unit: p.unit(), value, interval, remark }
        };
        let curls = self.parameters.iter().filter(|p| !self.options.parameters.contains(p));
        self.options.parameters.iter().chain(curls).map(one).collect()
    }
}

/// Element `index` of Halton's sequence in base `base`, in (0, 1).
fn halton(index: usize, base: usize) -> f64 {
    let (mut i, mut fraction, mut out) = (index, 1.0, 0.0);
    while i > 0 {
        fraction /= base as f64;
        out += fraction * (i % base) as f64;
        i /= base;
    }
    out
}
