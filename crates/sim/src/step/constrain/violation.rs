//! Violation: how far contacts are from what they stand for at the end of the motion found, in gap, energy and angle.

use crate::culprit::{Culprit, Fault};
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
    /// Of the angle by which a side turns.
    pub(crate) turn: f64,
    /// The contact with the greatest.
    pub(crate) culprit: Option<Culprit>,
}

impl Violation {
    /// Whether it is worth an update.
    pub(in crate::step) fn matters(&self) -> bool {
        self.gap > 1.0 || self.energy > 1.0
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
        let of_tree = |mass: &[f64], v: &[f64]| {
            let n = v.len();
            let row = |i: usize| (0..n).map(|j| 0.5 * mass[i * n + j] * v[i] * v[j]).sum::<f64>();
            (0..n).map(row).sum::<f64>()
        };
        let (mut start, mut end) = (0.0, 0.0);
        for ((rod, state), work) in self.model.rods.iter().zip(&self.state.rods).zip(self.rods) {
            start += of_rod(rod.masses(), &state.v);
            end += of_rod(rod.masses(), &work.motion.v);
        }
        for (state, work) in self.state.trees.iter().zip(self.trees) {
            start += of_tree(&work.motion.tangent, &state.v);
            end += of_tree(&work.motion.tangent, &work.motion.v);
        }
        [start, end]
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
