//! Selection of local natural curvature (curls): markers and directions.

use crate::dense::{inverse, multiply};
use crate::error::FitError;
use crate::fit::Fitting;
use crate::levenberg::Found;
use crate::normal::{Problem, Sums};
use crate::parameter::Parameter;
use crate::task::{Cut, tasks};

/// Curls added per linearization.
const CURLS_AT_ONCE: usize = 2;
/// Number of runs used to select curls.
const CURL_RUNS: usize = 14;

impl<'a> Fitting<'a> {
    /// Adds the requested number of curls, [`CURLS_AT_ONCE`] at a time, and fits all parameters again after each
    /// addition.
    pub(crate) fn add_curls(
        &mut self,
        runs: &[usize],
        mut found: Found<'a>,
        say: &mut dyn FnMut(&str),
    ) -> Result<Found<'a>, FitError> {
        let last = self.options.stages[self.options.stages.len() - 1];
        let mut left = self.options.curls;
        while left > 0 {
            let chosen = self.choose_curls(runs, &found.x, left.min(CURLS_AT_ONCE))?;
            if chosen.is_empty() {
                break;
            }
            left -= chosen.len();
            let names: Vec<_> = chosen.iter().map(|p| p.name().into_owned()).collect();
            say(&format!("curl added: {}", names.join(", ")));
            let mut x = found.x;
            x.extend(chosen.iter().map(|p| p.coordinate(p.value(&self.cable.parameters))));
            self.parameters.extend(chosen);
            found = self.stages(runs, &x, &[last], say)?;
        }
        Ok(found)
    }

    /// Curls that lower the linearized loss most, one after the other: with the unknowns S selected so far, the gain
    /// is ½ gᵀ H⁻¹ g on S.
    fn choose_curls(&self, runs: &[usize], x: &[f64], count: usize) -> Result<Vec<Parameter>, FitError> {
        let markers = 1..self.cable.marker_count() - 1;
        let all = markers.flat_map(|marker| [1, 2].map(|director| Parameter::Curl { marker, director }));
        let candidates: Vec<Parameter> = all.filter(|p| !self.parameters.contains(p)).collect();
        let base = self.parameters.len();
        let parameters: Vec<Parameter> = self.parameters.iter().chain(&candidates).copied().collect();
        let mut x = x.to_vec();
        x.extend(candidates.iter().map(|p| p.coordinate(p.value(&self.cable.parameters))));
        let some: Vec<usize> = runs.iter().copied().step_by(runs.len().div_ceil(CURL_RUNS)).collect();
        let frames = self.options.stages[self.options.stages.len() - 1];
        let windows =
            tasks(self.tracks, &some, Cut { frames, free_starts: false }, self.cable.numerics.held_filter);
        let mut total = Sums::nothing(parameters.len());
        for sums in (Problem { parameters: &parameters, ..self.problem() }).evaluate(&x, &windows, true) {
            match sums {
                Ok(sums) => total.add(&sums),
                Err(error) if error.is_numerical() => {}
                Err(error) => return Err(error),
            }
        }
        let gain = |set: &[usize]| -> f64 {
            let h = set.iter().map(|&i| set.iter().map(|&j| total.matrix[i][j]).collect()).collect();
            let g: Vec<f64> = set.iter().map(|&i| total.gradient[i]).collect();
            inverse(&h).map_or(0.0, |h| multiply(&h, &g).iter().zip(&g).map(|(a, b)| a * b).sum())
        };
        let mut set: Vec<usize> = (0..base).collect();
        for _ in 0..count.min(candidates.len()) {
            let with = |k: usize| set.iter().copied().chain([k]).collect::<Vec<_>>();
            let left = (base..parameters.len()).filter(|k| !set.contains(k));
            let best = left.max_by(|&a, &b| gain(&with(a)).total_cmp(&gain(&with(b))));
            set.extend(best);
        }
        Ok(set[base..].iter().map(|&k| parameters[k]).collect())
    }
}
