//! Cross-validation: the error on held-out runs.

use crate::error::FitError;
use crate::evaluation::{RunScore, mean, mean_without, score_runs};
use crate::fit::Fitting;
use crate::flaws::flaws;
use crate::normal::cable_at;
use serde::Serialize;

/// Cross-validation: the error on held-out runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldOut {
    /// Number of folds.
    pub folds: usize,
    /// Mean over all runs, each predicted by the cable of its fold, m.
    pub score: f64,
    /// Mean over the runs without flaws, see [`crate::flaws`].
    pub score_without_flawed: Option<f64>,
    /// Each run.
    pub runs: Vec<RunScore>,
}

impl Fitting<'_> {
    /// Predicts each run of the data with a cable fitted to the used runs of the other folds. The k-th used run is in
    /// fold k modulo the number of folds, with the runs after it that are not used. Every fold starts at `x`, as the
    /// fit itself.
    pub(crate) fn cross_validate(
        &self,
        runs: &[usize],
        x: &[f64],
        say: &mut dyn FnMut(&str),
    ) -> Result<HeldOut, FitError> {
        let folds = self.options.folds;
        let fold_of = |run: usize| runs.partition_point(|&r| r <= run).saturating_sub(1) % folds;
        let mut scores: Vec<(usize, RunScore)> = Vec::new();
        for fold in 0..folds {
            say(&format!("fold {} of {folds}", fold + 1));
            let used: Vec<usize> = runs.iter().copied().filter(|&r| fold_of(r) != fold).collect();
            let all = 0..self.tracks.runs.len();
            let left_out: Vec<usize> =
                all.filter(|&r| fold_of(r) == fold && self.tracks.runs[r].starts_complete()).collect();
            let mut fitting = Fitting { parameters: self.options.parameters.clone(), ..*self };
            let mut found = fitting.stages(&used, x, &self.options.stages, &mut |_| {})?;
            found = fitting.add_curls(&used, found, &mut |_| {})?;
            let cable = cable_at(self.cable, &fitting.parameters, &found.x);
            scores.extend(left_out.iter().copied().zip(score_runs(&cable, self.tracks, &left_out)?));
        }
        scores.sort_by_key(|(run, _)| *run);
        let runs: Vec<RunScore> = scores.into_iter().map(|(_, score)| score).collect();
        let score = mean(&runs).unwrap_or(f64::NAN);
        Ok(HeldOut { folds, score, score_without_flawed: mean_without(&runs, &flaws(self.tracks)), runs })
    }
}
