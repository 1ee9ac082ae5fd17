//! Rods at rest: their tangent serves from step to step.
//!
//! A rod that hardly moves goes by the tangent of a shape that it had some steps ago, the *kept* one, as long as it stays
//! near that. Its residual is found anew all the same, and where the kept tangent does not do, the rod is linearized anew
//! within the step, so that momentum balances no worse.
//!
//! The kept shape is part of the state ([`SolverMemory`](crate::model::SolverMemory)); what is here is its tangent, which is
//! made again where it is not at hand.

use crate::model::{CachedTangent, Settings};
use crate::workspace::RodWork;
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{Rod, RodState};

/// The tangent of a kept shape.
#[derive(Clone, Debug)]
pub(crate) struct TangentCache {
    /// The shape, as the state has it after this step.
    kept: CachedTangent,
    /// Whether the tangent in the rod's motion is that of the kept shape.
    is_made: bool,
    /// Whether it is in the matrix of the island.
    in_matrix: bool,
    /// Whether this solve goes by it, though it was made for an earlier one.
    serves: bool,
    /// Length of the shortest edge, m.
    shortest: f64,
}

impl TangentCache {
    pub(crate) fn new(rod: &Rod) -> Self {
        let shortest = rod.rest_lengths().iter().copied().fold(f64::INFINITY, f64::min);
        let kept = CachedTangent::default();
        Self { kept, is_made: false, in_matrix: false, serves: false, shortest }
    }

    /// Begins a step with the shape that the state has.
    pub(in crate::step) fn begin(&mut self, kept: Option<&CachedTangent>) {
        match kept {
            Some(kept) if *kept == self.kept => {}
            Some(kept) => {
                self.forget();
                self.kept.clone_from(kept);
            }
            None => self.forget(),
        }
    }

    /// How far nodes may be from the kept shape, m, and how far edges may be turned, rad.
    fn near(&self, settings: &Settings) -> [f64; 2] {
        let near = settings.tuning.cached_tangent_near;
        [near * self.shortest, near]
    }

    /// The shape for the next step.
    pub(in crate::step) fn kept(&self) -> &CachedTangent {
        &self.kept
    }

    /// No shape is kept any longer.
    pub(in crate::step) fn forget(&mut self) {
        (self.kept.in_use, self.is_made, self.in_matrix, self.serves) = (false, false, false, false);
    }

    /// Keeps the shape of which the tangent has just been made, if the rod is slow.
    fn keep(&mut self, state: &RodState, motion: &RodMotion, settings: &Settings) {
        let steps = settings.tuning.cached_tangent_serves;
        let ways = self.near(settings).map(|way| way / (steps * settings.dt));
        self.forget();
        if motion.v.iter().any(|v| exceeds(v, ways)) {
            return;
        }
        let CachedTangent { in_use, shape, held } = &mut self.kept;
        shape.clone_from(state);
        shape.v.copy_from_slice(&motion.v);
        held.clone_from(&motion.held);
        (*in_use, self.is_made) = (true, true);
    }

    /// Whether the rod is as good as in the kept shape.
    fn is_near(&self, state: &RodState, motion: &RodMotion, settings: &Settings) -> bool {
        let CachedTangent { shape, held, .. } = &self.kept;
        let ways = self.near(settings);
        let apart = |a: &[f64; 4], b: &[f64; 4]| [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]];
        let mut nodes = state.q.iter().zip(&shape.q);
        *held == motion.held
            && state.natural == shape.natural
            && !nodes.any(|(now, kept)| exceeds(&apart(now, kept), ways))
    }
}

/// Whether positions exceed the first, or the angle the second limit; what is no number does.
fn exceeds(x: &[f64; 4], [along, about]: [f64; 2]) -> bool {
    let most = x[0].abs().max(x[1].abs()).max(x[2].abs());
    !(most <= along && x[3].abs() <= about && (x[0] + x[1] + x[2]).is_finite())
}

impl RodWork {
    /// The first linearization of a solve with constraints. True if its tangent is the one in the matrix of the island.
    pub(in crate::step) fn linearize_with_cache(
        &mut self,
        rod: &Rod,
        state: &RodState,
        weights: StepWeights,
        settings: &Settings,
    ) -> bool {
        let Self { motion, tangent_cache: cache, .. } = self;
        // Of other steps there are few, and nothing is kept for them.
        let keeps = weights.dt == settings.dt && weights.theta_vq == 1.0 && motion.has_no_drag();
        cache.serves = keeps && cache.kept.in_use && cache.is_near(state, motion, settings);
        let merit = if cache.serves {
            if !cache.is_made {
                motion.tangent_of(rod, &cache.kept.shape, weights, state);
                cache.is_made = true;
            }
            motion.evaluate(rod, state, weights)
        } else {
            let merit = motion.linearize(rod, state, weights);
            cache.forget();
            if keeps {
                cache.keep(state, motion, settings);
            }
            merit
        };
        self.iterate.merit = merit;
        core::mem::replace(&mut cache.in_matrix, cache.kept.in_use)
    }

    /// Whether the kept tangent has left more of the residual than `settled` allows, in squares.
    pub(in crate::step) fn needs_tangent(&self, settled: f64) -> bool {
        self.tangent_cache.serves && self.iterate.left > settled
    }
}
