//! Refresh: contacts that turn within the step.
//!
//! Rows are taken at the start of the step. A rope that slides round a bend of radius R_c by v_t δt turns the normal by
//! v_t δt/R_c, and a normal that stays behind acts like friction of that size: 13 % at 0.4 m/s and 1 ms on a strand of
//! 3 mm. So where normals turn by more than a hundredth, the step is solved again with those at its end, and with the
//! gap that it would end with: at the solution v_k
//!
//! ```text
//!   φ(v) ≈ φ(v_k) + δt n'·(v − v_k)
//! ```
//!
//! with n' and φ(v_k) measured where the two would be. Points and arms stay, so impulses still cancel in force and moment.

use super::collide::{Collider, Side, is_flat};
use super::couple::Coupling;
use super::demand::Demand;
use super::guard::Accepted;
use super::touch::directions;
use glam::DVec3;
use ropewalk_contact::law::Rows;
use ropewalk_geometry::segment::{closest_parameters, segment_normal};
use ropewalk_geometry::{Edge, edge_collider};

/// How far a normal may turn, rad, before it is refreshed.
const TURN: f64 = 0.01;
/// A contact whose normal turns by more than this (cosine) is another contact.
const SAME: f64 = 0.5;
/// How often rows are refreshed in a step.
pub(super) const MOST_REFRESHES: usize = 2;

impl Coupling {
    /// Turns the rows of contacts that need it to the end of the step. False if none does.
    pub(super) fn refresh(&mut self, step: &Accepted<'_>) -> bool {
        let Some(first) = self.first_contact_row() else { return false };
        let dt = step.weights.dt;
        let mut turned = false;
        for c in 0..self.collider.contacts.len() {
            let (row, contact) = (first + c, self.collider.contacts[c]);
            let velocity = self.row_velocity(row);
            let moved = dt * velocity[0].hypot(velocity[1]);
            // Patches are soft: their normals matter less, and their polygons are not followed.
            if contact.polygon.is_some()
                || self.impulses[row][2] <= 0.0
                || moved <= TURN * least_radius(step, &contact.sides)
            {
                continue;
            }
            let Some((normal, end_gap)) = self.collider.at_end(step, c) else { continue };
            let cosine = normal.dot(contact.normal);
            if cosine < SAME || (normal - contact.normal).length() < TURN {
                continue;
            }
            let (before, after) = (directions(contact.normal), directions(normal));
            let world: DVec3 = (0..3).map(|i| before[i] * velocity[i]).sum();
            // What the straight motion along the old normal has not foreseen, and what the new normal sees differently.
            let unforeseen = end_gap - (contact.gap + dt * velocity[2]);
            let shift = unforeseen + dt * (contact.normal - normal).dot(world);
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
            turned = true;
        }
        turned
    }
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
                        let away = (point.s - fraction).abs();
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
