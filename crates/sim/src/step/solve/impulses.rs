//! What the impulses of a solve mean: reports of contacts, and what is left at held degrees of freedom.

use crate::report::{ContactReport, ContactSide};
use crate::step::constrain::contact::directions;
use crate::step::solve::coupled::CoupledSolve;
use crate::workspace::RodWork;
use glam::DVec3;
use ropewalk_contact::law::Rows;

impl CoupledSolve {
    /// Contacts that push.
    pub(crate) fn touching(&self) -> usize {
        // Rows of contacts come first.
        let contacts = self.impulses.iter().take(self.collision.contacts.len());
        contacts.filter(|impulse| impulse[2] > 0.0).count()
    }

    /// Velocity of the rows of a constraint at the solution, with that of what drives them.
    pub(crate) fn row_velocity(&self, constraint: usize) -> Rows {
        self.row_velocities[constraint]
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

    /// Takes what constraints push at held degrees of freedom from the residuals there, which leaves the impulses of
    /// the clamps.
    pub(crate) fn take_from_held(&self, rods: &mut [RodWork]) {
        for (constraint, part) in &self.rows.held {
            let Some(r) = self.dof_map.rod_of(part.tile) else { continue };
            let residual = &mut rods[r].motion.residual[part.tile - self.dof_map.rod_tile[r]];
            for (row, lambda) in part.rows.iter().zip(self.impulses[*constraint]) {
                for k in 0..4 {
                    residual[k] -= row[k] * lambda;
                }
            }
        }
    }
}
