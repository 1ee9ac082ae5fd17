//! A tree of links as a part.

use super::{Iterate, Part};
use crate::model::Settings;
use crate::step::SubStep;
use crate::step::solve::dof_map::{NodeSlots, copy_tree};
use crate::workspace::TreeWork;
use ropewalk_body::{Tree, TreeState};
use ropewalk_linalg::merit::Merit;
use ropewalk_linalg::sparse::Tile;

impl Part for TreeWork {
    type Body = Tree;
    type State = TreeState;

    fn begin(&mut self, tree: &Tree, state: &TreeState, step: SubStep) {
        self.iterate.moved_freely = false;
        let (dt, theta_vq) = (step.weights.dt, step.weights.theta_vq);
        self.motion.begin(tree, state, &self.next_base, self.gravity, dt, theta_vq);
        if tree.velocity_count() > 0 {
            // Where the first guess leads, for contacts that are linearized there.
            self.motion.linearize(tree, state);
        }
    }

    fn linearize(&mut self, tree: &Tree, state: &TreeState, _step: SubStep) -> Merit {
        self.motion.linearize(tree, state)
    }

    fn trial(&mut self, tree: &Tree, state: &TreeState, _step: SubStep, fraction: f64) -> Merit {
        self.motion.try_fraction(tree, state, fraction)
    }

    fn accept(&mut self) {
        self.motion.accept();
    }

    fn alter_tangent(&mut self, _tree: &Tree, _state: &TreeState, _step: SubStep) -> bool {
        // It is a mass matrix, and positive definite if it is one at all.
        false
    }

    fn factor(&mut self) -> bool {
        self.motion.factor().is_ok()
    }

    fn direct(&mut self, push: &[[f64; 4]]) -> f64 {
        for (residual, push) in self.motion.residual.iter_mut().zip(push.as_flattened()) {
            *residual -= push;
        }
        self.motion.solve_direction()
    }

    fn direct_to(&mut self, from: &[[f64; 4]], to: &[[f64; 4]]) -> f64 {
        let motion = &mut self.motion;
        let dofs = to.as_flattened().iter().zip(from.as_flattened()).zip(&motion.residual);
        let mut slope = 0.0;
        for (direction, ((to, from), residual)) in motion.direction.iter_mut().zip(dofs) {
            *direction = to - from;
            slope += residual * *direction;
        }
        slope
    }

    fn copy_tangent(&self, _slots: &[NodeSlots], tiles: &mut [Tile]) {
        copy_tree(&self.motion.tangent, self.motion.v.len(), tiles);
    }

    fn copy_iterate(&self, v: &mut [[f64; 4]], residual: &mut [[f64; 4]]) {
        let n = self.motion.v.len();
        v.as_flattened_mut()[..n].copy_from_slice(&self.motion.v);
        residual.as_flattened_mut()[..n].copy_from_slice(&self.motion.residual);
    }

    fn unbalanced(&self, push: &[[f64; 4]]) -> [f64; 2] {
        let (n, mut sums) = (self.motion.v.len(), [0.0; 2]);
        for (i, (residual, push)) in self.motion.residual.iter().zip(push.as_flattened()).enumerate() {
            let (inverse, left) = (1.0 / self.motion.tangent[i * n + i], residual - push);
            sums[0] += inverse * left * left;
            sums[1] += inverse * push * push;
        }
        sums
    }

    fn shift(&mut self, _tree: &Tree, _step: SubStep, _push: &[[f64; 4]]) -> bool {
        false
    }

    fn tolerances(&self, settings: &Settings) -> [f64; 2] {
        let tuning = &settings.tuning;
        [tuning.tree_tolerance, settings.tolerance.min(tuning.stalled_tree_tolerance)]
    }

    fn has_followers(&self) -> bool {
        false
    }

    fn advance(&mut self, tree: &Tree, state: &mut TreeState, _step: SubStep) {
        self.motion.advance(tree, state);
    }

    fn iterate(&mut self) -> &mut Iterate {
        &mut self.iterate
    }
}
