//! Violation: how far contacts are from what they stand for at the end of the motion found, in gap, energy and angle.

use crate::culprit::{Culprit, Fault};
use crate::measure;
use crate::step::check::EndOfStep;
use crate::step::collide::{Contact, Placement, Side, is_flat};
use glam::DVec3;
use ropewalk_geometry::Shape;

/// How far contacts are from what they should be, over what matters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Violation {
    /// Of the gap of one of them.
    pub(crate) gap: f64,
    /// Of the energy that they make together.
    pub(crate) energy: f64,
    /// The same over all energy, elastic energy included; 0 where the one before is no matter.
    pub(crate) energy_of_all: f64,
    /// Of the angle by which a side turns.
    pub(crate) turn: f64,
    /// Whether contacts make energy by leaning.
    pub(crate) leans: bool,
    /// The contact with the greatest.
    pub(crate) culprit: Option<Culprit>,
}

impl Violation {
    /// Whether it is worth an update.
    pub(in crate::step) fn matters(&self) -> bool {
        self.gap > 1.0 || self.energy > 1.0 || self.leans
    }

    /// The greater of those that an update can mend.
    pub(in crate::step) fn greatest(&self) -> f64 {
        self.gap.max(self.energy)
    }

    /// The greater of each.
    pub(in crate::step) fn merge(&mut self, other: &Self) {
        if other.greatest().max(other.turn) > self.greatest().max(self.turn) {
            self.culprit = other.culprit;
        }
        self.gap = self.gap.max(other.gap);
        self.energy = self.energy.max(other.energy);
        self.energy_of_all = self.energy_of_all.max(other.energy_of_all);
        self.turn = self.turn.max(other.turn);
    }

    pub(super) fn note(&mut self, fault: Fault, (relative, amount): (f64, f64), contact: &Contact) {
        let place = match fault {
            Fault::Energy => &mut self.energy,
            Fault::Turn => &mut self.turn,
            _ => &mut self.gap,
        };
        *place = place.max(relative);
        if relative >= self.greatest().max(self.turn) {
            self.culprit = Some(Culprit { fault, sides: contact.sides.map(Into::into), amount });
        }
    }
}

impl EndOfStep<'_> {
    /// The kinetic energies at the start and at the end of the step, J.
    pub(super) fn kinetic_energies(&self) -> [f64; 2] {
        let of_rod = |mass: &[[f64; 4]], v: &[[f64; 4]]| {
            let nodes = mass.iter().zip(v);
            nodes.map(|(m, v)| (0..4).map(|k| 0.5 * m[k] * v[k] * v[k]).sum::<f64>()).sum::<f64>()
        };
        let (mut start, mut end) = (0.0, 0.0);
        for ((rod, state), work) in self.model.rods.iter().zip(&self.state.rods).zip(self.rods) {
            start += of_rod(rod.masses(), &state.v);
            end += of_rod(rod.masses(), &work.motion.v);
        }
        for (state, work) in self.state.trees.iter().zip(self.trees) {
            let n = state.v.len();
            start += kinetic_energy_of_tree(&work.motion.tangent, n, |dof| state.v[dof]);
            end += kinetic_energy_of_tree(&work.motion.tangent, n, |dof| work.motion.v[dof]);
        }
        [start, end]
    }

    /// Energy that the time integration takes from rods and trees in the step, J: ½Δvᵀ M Δv, and what the rods' forces at the
    /// end of the step take beyond their elastic energy.
    pub(super) fn loss_of_integration(&self) -> f64 {
        let mut loss = 0.0;
        for (r, ((rod, state), work)) in
            self.model.rods.iter().zip(&self.state.rods).zip(self.rods).enumerate()
        {
            let (mut inertia, mut forces) = (0.0, 0.0);
            let nodes = rod.masses().iter().zip(&state.v).zip(&work.motion.v);
            let impulses = work.motion.residual.iter().zip(&work.load);
            for (((mass, before), after), (residual, load)) in nodes.zip(impulses) {
                for k in 0..4 {
                    let change = after[k] - before[k];
                    inertia += 0.5 * mass[k] * change * change;
                    forces += (residual[k] + self.weights.dt * load[k] - mass[k] * change) * after[k];
                }
            }
            let before = measure::rod_energies(self.model, self.state, r);
            let change = work.motion.elastic_energy - before.stretch - before.bend - before.twist;
            loss += inertia + (forces - change).max(0.0);
        }
        for (state, work) in self.state.trees.iter().zip(self.trees) {
            let change = |dof: usize| work.motion.v[dof] - state.v[dof];
            loss += kinetic_energy_of_tree(&work.motion.tangent, state.v.len(), change);
        }
        loss
    }

    /// Elastic energy that the rods take up or give back in the step, and all that they have, J.
    pub(super) fn elastic_energies(&self) -> [f64; 2] {
        self.rods.iter().enumerate().fold([0.0; 2], |[change, all], (r, work)| {
            let before = measure::rod_energies(self.model, self.state, r);
            let (before, after) = (before.stretch + before.bend + before.twist, work.motion.elastic_energy);
            [change + (after - before).abs(), all + before.max(after)]
        })
    }

    /// By how much the surfaces at a contact turn in the step, at the most, rad. What is round turns about its axis at will.
    pub(super) fn largest_turn(&self, contact: &Contact) -> f64 {
        let of = |side: &Side| match *side {
            Side::Edge { rod, edge, .. } => {
                let (start, end) =
                    (Placement::Start { model: self.model, state: self.state }, Placement::End(self));
                let (from, to) = (start.span((rod, edge)), end.span((rod, edge)));
                let spin = if is_flat(self.model, (rod, edge)) {
                    self.spin(rod as usize, edge as usize)
                } else {
                    0.0
                };
                from.cross(to).length().atan2(from.dot(to)) + spin.abs()
            }
            Side::Link { tree, link, shape } => {
                let motion = &self.trees[tree as usize].motion;
                let (from, to) =
                    (motion.start.poses[link as usize].rotation, motion.end_pose(link as usize).rotation);
                let turn = (to * from.inverse()).to_scaled_axis();
                let body = &self.model.trees[tree as usize].shapes[shape as usize];
                match body.collider.shape() {
                    Shape::Sphere { .. } => 0.0,
                    Shape::Cylinder { .. } | Shape::Capsule { .. } => {
                        turn.reject_from(from * body.pose.vector(DVec3::Z)).length()
                    }
                    _ => turn.length(),
                }
            }
        };
        contact.sides.iter().map(of).fold(0.0, f64::max)
    }
}

/// ½vᵀMv of a tree of `n` degrees of freedom, J.
fn kinetic_energy_of_tree(mass: &[f64], n: usize, v: impl Fn(usize) -> f64) -> f64 {
    let row = |i: usize| (0..n).map(|j| 0.5 * mass[i * n + j] * v(i) * v(j)).sum::<f64>();
    (0..n).map(row).sum()
}
