//! What the impulses of a coupled solve mean: reports of contacts, what is left at held degrees of freedom, and a last
//! touch by which momentum balances to round-off.

use crate::report::{ContactReport, ContactSide};
use crate::step::constrain::contact::directions;
use crate::step::constrain::jacobian::Source;
use crate::step::parallel::for_each_part;
use crate::step::solve::coupled::{CoupledSolve, Parts};
use crate::step::solve::free::TREE_TOLERANCE;
use crate::workspace::RodWork;
use glam::DVec3;
use ropewalk_contact::Law;
use ropewalk_contact::law::{ConstraintLaw, Rows};

/// Share of all friction in patches by which it may miss μ times the normal force.
const FRICTION_ERROR: f64 = 0.05;

/// Iterations in which a tree comes to balance with given impulses.
const SETTLING_ITERATIONS: usize = 10;

impl CoupledSolve {
    /// Contacts that push.
    pub(crate) fn touching(&self) -> usize {
        let rows = self.rows.sources.iter().zip(&self.impulses);
        rows.filter(|(source, impulse)| matches!(source, Source::Contact(_)) && impulse[2] > 0.0).count()
    }

    /// Velocity of the rows of a constraint at the solution, with that of what drives them.
    pub(crate) fn row_velocity(&self, constraint: usize) -> Rows {
        let bias = self.problem.constraints.law(constraint).bias();
        let u = self.excess[constraint];
        [u[0] + bias[0], u[1] + bias[1], u[2] + bias[2]]
    }

    /// Gives the polygons of patches the normal impulses that have been found, if friction is off by more than
    /// [`FRICTION_ERROR`] with those that were expected. False if it is not.
    pub(in crate::step) fn correct_friction(&mut self) -> bool {
        let rows = 0..self.collision.contacts.len();
        let (mut error, mut total) = (0.0, 0.0);
        for row in rows.clone() {
            if let Law::Disk(law) = self.problem.constraints.law(row) {
                error += law.friction_error(self.impulses[row]);
                let [l1, l2, _] = self.impulses[row];
                total += (l1 * l1 + l2 * l2).sqrt();
            }
        }
        if error <= FRICTION_ERROR * total {
            return false;
        }
        for row in rows {
            if let Law::Disk(law) = *self.problem.constraints.law(row) {
                self.problem.constraints.set_law(row, law.expecting(self.impulses[row][2].max(0.0)));
            }
        }
        true
    }

    /// The contacts of the last solve.
    pub(crate) fn contact_reports(&self) -> impl Iterator<Item = ContactReport> + '_ {
        // Rows of contacts come first.
        let contacts = if self.rows.len() > 0 { &self.collision.contacts[..] } else { &[] };
        contacts.iter().zip(&self.linearized).enumerate().map(move |(row, (contact, now))| {
            let directions = directions(now.normal);
            let world = |rows: Rows| (0..3).map(|i| directions[i] * rows[i]).sum::<DVec3>();
            ContactReport {
                sides: contact.sides.map(ContactSide::from),
                point: contact.point,
                normal: now.normal,
                gap: contact.polygon.map_or(contact.gap, |p| -p.depth),
                friction: contact.surface.friction,
                force: world(self.impulses[row]) / self.dt,
                velocity: world(self.row_velocity(row)),
                area: contact.polygon.map_or(0.0, |p| p.area),
                corners: contact.polygon.map_or([0; 2], |p| p.corners),
            }
        })
    }

    /// With the impulses found, makes momentum balance to round-off where that is cheap: a rod that nothing holds is
    /// shifted as a whole, a tree is solved by itself. Velocities change by no more than the tolerance.
    pub(in crate::step) fn settle(&mut self, parts: &mut Parts<'_>) {
        let Parts { model, state, weights, rods, trees } = parts;
        let (push, rod_tile) = (&self.push, &self.dof_map.rod_tile);
        for_each_part(rods, &self.rod_joined, |r, work| {
            let (rod, motion) = (&model.rods[r], &mut work.motion);
            if motion.held.iter().any(|held| held[..3] != [false; 3]) || !motion.drag.is_empty() {
                return;
            }
            let push = &push[rod_tile[r]..rod_tile[r + 1]];
            let mut left = [0.0; 3];
            for (residual, push) in motion.residual.iter().zip(push) {
                for k in 0..3 {
                    left[k] += residual[k] - push[k];
                }
            }
            let mass = rod.total_mass() * (1.0 + rod.mass_damping * weights.theta * weights.dt);
            for v in &mut motion.v {
                for k in 0..3 {
                    v[k] -= left[k] / mass;
                }
            }
        });
        for (t, work) in trees.iter_mut().enumerate().filter(|(t, _)| self.tree_joined[*t]) {
            let (tree, state) = (&model.trees[t].tree, &state.trees[t]);
            let motion = &mut work.motion;
            let n = motion.v.len();
            let push = &self.push.as_flattened()[4 * self.dof_map.tree_tile[t]..][..n];
            let mut size = f64::INFINITY;
            for _ in 0..SETTLING_ITERATIONS {
                let merit = motion.linearise(tree, state);
                let mut left = 0.0;
                for i in 0..n {
                    motion.residual[i] -= push[i];
                    left += motion.residual[i] * motion.residual[i] / motion.tangent[i * n + i];
                }
                if left >= size || left.sqrt() <= TREE_TOLERANCE * merit.impulse {
                    break;
                }
                size = left;
                motion.solve_direction();
                for (v, d) in motion.v.iter_mut().zip(&motion.direction) {
                    *v += d;
                }
            }
        }
    }

    /// Takes what constraints push at held degrees of freedom from the residuals there, which leaves the impulses of
    /// the clamps.
    pub(crate) fn take_from_held(&self, rods: &mut [RodWork]) {
        for (constraint, part) in &self.rows.held {
            let Ok(r) = self.dof_map.owner(part.tile) else { continue };
            let residual = &mut rods[r].motion.residual[part.tile - self.dof_map.rod_tile[r]];
            for (row, lambda) in part.rows.iter().zip(self.impulses[*constraint]) {
                for k in 0..4 {
                    residual[k] -= row[k] * lambda;
                }
            }
        }
    }
}
