//! Refresh: contacts that turn within the step.
//!
//! Contacts are found at the start of the step. A rope that slides round a bend of radius R_c by v_t δt turns the normal
//! by v_t δt/R_c, and a normal that stays behind acts like friction of that size: 13 % at 0.4 m/s and 1 ms on a strand
//! of 3 mm; so does one on a drum that turns. So the rows have the normals at the end of the step, as the present velocities foresee it; and where those
//! found in the end turn them by more than a hundredth, the step is solved again. With the velocities v_k
//!
//! ```text
//!   φ(v) ≈ φ(v_k) + δt n'·(v − v_k)
//! ```
//!
//! with n' and φ(v_k) measured where the two would be. Points and arms stay, so impulses still cancel in force and moment.

use super::collide::{Collider, Contact, Side, is_flat};
use super::couple::Coupling;
use super::demand::Demand;
use super::guard::Accepted;
use super::touch::{self, directions};
use glam::DVec3;
use ropewalk_contact::law::Rows;
use ropewalk_geometry::segment::{closest_parameters, segment_normal};
use ropewalk_geometry::{Edge, edge_collider};

/// How far a normal may turn, rad, before the step is solved again.
const TURN: f64 = 0.01;
/// How far it must turn for the rows to foresee it: less is less than other errors of a step.
const FORESEEN_TURN: f64 = 1e-4;
/// A contact whose normal turns by more than this (cosine) is another contact.
const SAME: f64 = 0.5;
/// How often rows are refreshed in a step.
pub(super) const MOST_REFRESHES: usize = 2;

impl Coupling {
    /// Turns the rows of contacts that touch to where the present velocities lead.
    pub(super) fn foresee(&mut self, step: &Accepted<'_>) {
        let Some(first) = self.first_contact_row() else { return };
        let dt = step.weights.dt;
        for c in 0..self.collider.contacts.len() {
            let contact = &self.collider.contacts[c];
            if is_followed(contact) && touch::touches(contact, step.model, step.state, step.trees, dt) {
                let way = step.way(contact);
                let moved = (way - way.dot(contact.normal) * contact.normal).length();
                self.turn(step, (first + c, c), way / dt, moved, FORESEEN_TURN);
            }
        }
    }

    /// Turns the rows of contacts that need it to the end of the step. False if none does.
    pub(super) fn refresh(&mut self, step: &Accepted<'_>) -> bool {
        let Some(first) = self.first_contact_row() else { return false };
        let mut turned = false;
        for c in 0..self.collider.contacts.len() {
            let row = first + c;
            if self.impulses[row][2] > 0.0 && is_followed(&self.collider.contacts[c]) {
                let (v, axes) = (self.row_velocity(row), directions(self.collider.contacts[c].normal));
                let velocity: DVec3 = (0..3).map(|i| axes[i] * v[i]).sum();
                let moved = step.weights.dt * v[0].hypot(v[1]);
                turned |= self.turn(step, (row, c), velocity, moved, TURN);
            }
        }
        turned
    }

    /// Turns the rows of contact `c`, whose sides move by `velocity` against one another and by `moved` along one another
    /// in the step, if they turn by `least`.
    fn turn(
        &mut self,
        step: &Accepted<'_>,
        (row, c): (usize, usize),
        velocity: DVec3,
        moved: f64,
        least: f64,
    ) -> bool {
        let contact = self.collider.contacts[c];
        let slides = moved > least * least_radius(step, &contact.sides);
        if !(slides || step.turns(&contact) > least) {
            return false;
        }
        let Some((normal, end_gap)) = self.collider.at_end(step, c) else { return false };
        if normal.dot(contact.normal) < SAME || (normal - contact.normal).length() < least {
            return false;
        }
        let (before, after) = (directions(contact.normal), directions(normal));
        // From what the rows have said of the gap at the end to what it is.
        let said = contact.gap + contact.foreseen;
        let shift = end_gap + contact.sunk - said - step.weights.dt * normal.dot(velocity);
        self.demands[row] = match self.demands[row] {
            Demand::Touch(mut p) => {
                p.gap += shift;
                let held = p.held_impulse[0] * before[0] + p.held_impulse[1] * before[1];
                p.held_impulse = [held.dot(after[0]), held.dot(after[1])];
                Demand::Touch(p)
            }
            Demand::Press { mut parameters, normal_velocity, similar } => {
                parameters.gap += shift;
                Demand::Press { parameters, normal_velocity, similar }
            }
            other => other,
        };
        self.rows.turn(row, |rows: Rows| {
            let world: DVec3 = (0..3).map(|i| before[i] * rows[i]).sum();
            after.map(|direction| direction.dot(world))
        });
        self.collider.contacts[c].normal = normal;
        self.collider.contacts[c].foreseen += shift;
        self.collider.contacts[c].turned = true;
        true
    }
}

impl Accepted<'_> {
    /// By how much the links at a contact turn in the step, about, rad.
    fn turns(&self, contact: &Contact) -> f64 {
        contact.sides.iter().fold(0.0, |most, side| match *side {
            Side::Edge { .. } => most,
            Side::Link { tree, link, .. } => {
                let angular = self.trees[tree as usize].motion.start.angular[link as usize];
                f64::max(most, self.weights.dt * angular.length())
            }
        })
    }

    /// How far the first side of a contact moves against the second in the step, m.
    fn way(&self, contact: &Contact) -> DVec3 {
        let mut way = DVec3::ZERO;
        for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
            way += sign
                * match *side {
                    Side::Edge { rod, edge, fraction } => {
                        let moving = self.moving(rod as usize, edge as usize);
                        let moved = [0, 1].map(|k| moving.end[k] - moving.start[k]);
                        moved[0] + fraction * (moved[1] - moved[0])
                    }
                    Side::Link { tree, link, .. } => {
                        let motion = &self.trees[tree as usize].motion;
                        let place = motion.start.poses[link as usize].local_point(contact.point);
                        motion.end_pose(link as usize).point(place) - contact.point
                    }
                };
        }
        way
    }
}

/// Patches are soft: their normals matter less, and their polygons are not followed.
fn is_followed(contact: &Contact) -> bool {
    contact.polygon.is_none()
}

/// Half of the least thickness of the rods at a contact, m; none refreshes without one.
fn least_radius(step: &Accepted<'_>, sides: &[Side; 2]) -> f64 {
    sides.iter().fold(f64::INFINITY, |least, side| match *side {
        Side::Edge { rod, edge, .. } => least.min(step.radius(rod as usize, edge as usize)),
        Side::Link { .. } => least,
    })
}

impl Collider {
    /// Normal and gap of a contact where its two sides are at the end of the step; `None` if they no longer face one
    /// another, or are of a kind that is not followed (flat edges, two bodies).
    fn at_end(&self, step: &Accepted<'_>, contact: usize) -> Option<(DVec3, f64)> {
        let contact = &self.contacts[contact];
        let end = |rod: u32, edge: u32| {
            let (r, e) = (rod as usize, edge as usize);
            let moving = step.moving(r, e);
            (!is_flat(step.model, (rod, edge))).then(|| Edge {
                a: moving.end[0],
                b: moving.end[1],
                radius: step.radius(r, e),
            })
        };
        match contact.sides {
            [Side::Edge { rod: ra, edge: ea, .. }, Side::Edge { rod: rb, edge: eb, .. }] => {
                let (a, b) = (end(ra, ea)?, end(rb, eb)?);
                let (s, t) = closest_parameters(a.a, a.b, b.a, b.b);
                let apart = (a.a + s * (a.b - a.a)) - (b.a + t * (b.b - b.a));
                let (distance, normal) = segment_normal([a.a, a.b], [b.a, b.b], [s, t], apart);
                Some((normal, distance - a.radius - b.radius))
            }
            [Side::Edge { rod, edge, fraction }, Side::Link { tree, link, shape }] => {
                let body = &step.model.trees[tree as usize].shapes[shape as usize];
                let pose = step.trees[tree as usize].motion.end_pose(link as usize) * body.pose;
                let mut nearest: Option<(f64, DVec3, f64)> = None;
                let edge = end(rod, edge)?;
                edge_collider(&edge, &body.collider, &pose, edge.radius, |_, found| {
                    for point in found.points() {
                        // A mesh has a point on each triangle that is near: the same contact has nearly the same normal.
                        let away = (point.s - fraction).abs() + (point.normal - contact.normal).length();
                        if nearest.is_none_or(|(least, ..)| away < least) {
                            nearest = Some((away, point.normal, point.gap));
                        }
                    }
                });
                nearest.map(|(_, normal, gap)| (normal, gap))
            }
            _ => None,
        }
    }
}
