//! A rod as a part.

use super::{Iterate, Part};
use crate::model::Settings;
use crate::step::SubStep;
use crate::step::solve::dof_map::{NodeSlots, copy_rod};
use crate::workspace::RodWork;
use ropewalk_linalg::merit::Merit;
use ropewalk_linalg::sparse::Tile;
use ropewalk_rod::{Rod, RodState};

impl Part for RodWork {
    type Body = Rod;
    type State = RodState;

    fn begin(&mut self, rod: &Rod, state: &RodState, step: SubStep) {
        self.iterate.moved_freely = false;
        self.motion.least_shape = step.least_shape;
        self.motion.begin(rod, state, step.weights);
    }

    fn linearize(&mut self, rod: &Rod, state: &RodState, step: SubStep) -> Merit {
        self.tangent_cache.forget();
        self.motion.linearize(rod, state, step.weights)
    }

    fn linearize_first(&mut self, rod: &Rod, state: &RodState, step: SubStep, settings: &Settings) -> bool {
        self.linearize_with_cache(rod, state, step.weights, settings)
    }

    fn trial(&mut self, rod: &Rod, state: &RodState, step: SubStep, fraction: f64) -> Merit {
        self.motion.try_fraction(rod, state, step.weights, fraction)
    }

    fn accept(&mut self) {
        self.motion.accept();
    }

    fn alter_tangent(&mut self, rod: &Rod, state: &RodState, step: SubStep) -> bool {
        self.tangent_cache.forget();
        self.motion.make_positive(rod, state, step.weights);
        true
    }

    fn factor(&mut self) -> bool {
        self.motion.factor().is_ok()
    }

    fn direct(&mut self, push: &[[f64; 4]]) -> f64 {
        debug_assert!(push.is_empty(), "a rod with given impulses is only shifted");
        self.motion.solve_direction()
    }

    fn direct_to(&mut self, from: &[[f64; 4]], to: &[[f64; 4]]) -> f64 {
        let motion = &mut self.motion;
        let nodes = to.iter().zip(from).zip(&motion.held).zip(&motion.residual);
        let mut slope = [0.0; 4];
        for (direction, (((to, from), held), residual)) in motion.direction.iter_mut().zip(nodes) {
            for k in 0..4 {
                let d = if held[k] { 0.0 } else { to[k] - from[k] };
                direction[k] = d;
                slope[k] += residual[k] * d;
            }
        }
        slope.iter().sum()
    }

    fn copy_tangent(&self, slots: &[NodeSlots], tiles: &mut [Tile]) {
        copy_rod(&self.motion.tangent, slots, tiles);
    }

    fn copy_iterate(&self, v: &mut [[f64; 4]], residual: &mut [[f64; 4]]) {
        let motion = &self.motion;
        v.copy_from_slice(&motion.v);
        for ((to, from), held) in residual.iter_mut().zip(&motion.residual).zip(&motion.held) {
            for k in 0..4 {
                // No residual where something is held.
                to[k] = if held[k] { 0.0 } else { from[k] };
            }
        }
    }

    fn unbalanced(&self, push: &[[f64; 4]]) -> [f64; 2] {
        let motion = &self.motion;
        let mut sums = [[0.0; 4]; 2];
        // Nothing counts where something is held.
        let nodes = push.iter().zip(&motion.residual).zip(motion.inverse_diagonal());
        for ((push, residual), inverse) in nodes {
            for k in 0..4 {
                let left = residual[k] - push[k];
                sums[0][k] += inverse[k] * left * left;
                sums[1][k] += inverse[k] * push[k] * push[k];
            }
        }
        sums.map(|s| s.iter().sum())
    }

    fn shift(&mut self, rod: &Rod, step: SubStep, push: &[[f64; 4]]) -> bool {
        let motion = &mut self.motion;
        if motion.held.iter().any(|held| held[..3] != [false; 3]) || !motion.drag.is_empty() {
            return true;
        }
        let mut left = [0.0; 3];
        for (residual, push) in motion.residual.iter().zip(push) {
            for k in 0..3 {
                left[k] += residual[k] - push[k];
            }
        }
        let mass = rod.total_mass() * (1.0 + rod.mass_damping * step.weights.theta * step.weights.dt);
        for v in &mut motion.v {
            for k in 0..3 {
                v[k] -= left[k] / mass;
            }
        }
        true
    }

    fn tolerances(&self, settings: &Settings) -> [f64; 2] {
        [settings.tolerance; 2]
    }

    fn has_followers(&self) -> bool {
        !self.motion.followers.is_empty()
    }

    fn advance(&mut self, rod: &Rod, state: &mut RodState, step: SubStep) {
        crate::step::advance::advance_rod(rod, state, step.weights, &mut self.motion);
    }

    fn iterate(&mut self) -> &mut Iterate {
        &mut self.iterate
    }
}
