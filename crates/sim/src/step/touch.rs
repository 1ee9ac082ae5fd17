//! Contacts as constraints: rows (t₁, t₂, n) of the relative velocity of the two surfaces, and what they demand.

use super::anchor::{self, Held, Taken};
use super::collide::{Contact, Side};
use super::demand::Demand;
use super::lots::{MANY_CONSTRAINTS, at_once};
use super::rows::{RowSet, Scene, Source};
use crate::model::{ContactLaw, ContactSettings, Model, State};
use crate::workspace::TreeWork;
use glam::DVec3;
use ropewalk_contact::law::hunt_crossley::CompliantParameters;
use ropewalk_contact::law::sap::SapParameters;
use ropewalk_contact::law::spring::Spring;

/// A sliding contact is lifted by μ |v_t| δt under the cone law; up to this many times that height it counts as touching.
const LIFT: f64 = 1.5;

/// σ of a contact with a friction anchor, which does not creep whatever σ is. A surface gives way along itself about as
/// much as across (Mindlin 1949), and R_n of a hard contact is w/4π². A thousandth of w, as without anchors, takes twice
/// the iterations in a tangle of filaments.
const ANCHORED_SIGMA: f64 = 0.25 / (core::f64::consts::PI * core::f64::consts::PI);

/// Adds the rows of all contacts, and what they demand in a sub-step of `dt` in a step of `whole_dt` (s).
pub(super) fn add_rows(
    contacts: &[Contact],
    model: &Model,
    scene: &Scene<'_>,
    steps: (f64, f64),
    settings: &ContactSettings,
    taken: &mut Taken,
    rows: &mut RowSet,
    demands: &mut Vec<Demand>,
) {
    at_once(
        contacts.len() >= MANY_CONSTRAINTS,
        || add_directions(contacts, scene, rows),
        || add_demands(contacts, model, scene, steps, settings, taken, demands),
    );
}

fn add_directions(contacts: &[Contact], scene: &Scene<'_>, rows: &mut RowSet) {
    for (c, contact) in contacts.iter().enumerate() {
        let directions = directions(contact.normal);
        for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
            match *side {
                Side::Edge { rod, edge, fraction } => {
                    let (rod, edge) = (rod as usize, edge as usize);
                    let (shape, state) = (&scene.rods[rod], &scene.state.rods[rod]);
                    let place = state.position(edge) + fraction * state.edge(shape, edge);
                    rows.add_rod_point(
                        scene,
                        (rod, edge, fraction),
                        contact.point - place,
                        &directions,
                        sign,
                    );
                }
                Side::Link { tree, link, .. } => {
                    let (tree, link) = (tree as usize, link as usize);
                    rows.add_link_point(scene, (tree, link), contact.point, &directions, sign);
                }
            }
        }
        rows.finish(scene, Source::Contact(c));
    }
}

fn add_demands(
    contacts: &[Contact],
    model: &Model,
    scene: &Scene<'_>,
    (dt, whole_dt): (f64, f64),
    settings: &ContactSettings,
    taken: &mut Taken,
    demands: &mut Vec<Demand>,
) {
    let law = settings.law;
    taken.begin(scene.state.anchors.len());
    let mut patch = anchor::Patch::default();
    for (c, contact) in contacts.iter().enumerate() {
        let slip = slip(contact, model, scene.state, scene.tree_work);
        // Until they touch, surfaces feel neither friction nor damping: both would act across the gap.
        let touching = contact.gap <= lift(contact, slip, dt);
        let surface = &contact.surface;
        if law != ContactLaw::Sap {
            demands.push(Demand::Press {
                parameters: CompliantParameters {
                    friction: if touching { surface.friction } else { 0.0 },
                    gap: contact.gap + contact.foreseen,
                    stiffness: surface.stiffness,
                    dissipation: if touching { surface.dissipation } else { 0.0 },
                    ..CompliantParameters::default()
                },
                normal_velocity: contact.normal.dot(slip),
                similar: law == ContactLaw::Similar,
            });
            continue;
        }
        // A hard contact undoes its overlap in one step; in a sub-step only its share of that, or the shorter it is, the
        // more violently.
        let share = if contact.gap < 0.0 && surface.stiffness.is_none() { dt / whole_dt } else { 1.0 };
        let gap = share * contact.gap + contact.foreseen;
        let anchored = touching && settings.anchor;
        let held = if anchored {
            anchor::held(&contacts[c..], scene, taken, &mut patch)
        } else {
            Held::fresh(contact)
        };
        let friction = dt * held.friction;
        let directions = directions(contact.normal);
        let parameters = SapParameters {
            friction: if touching { surface.friction } else { 0.0 },
            gap,
            spring: Spring {
                stiffness: surface.stiffness,
                dissipation_time: if touching { surface.dissipation_time } else { 0.0 },
                near_rigid_beta: 1.0,
            },
            held_impulse: [friction.dot(directions[0]), friction.dot(directions[1])],
            sigma: if anchored { ANCHORED_SIGMA } else { SapParameters::default().sigma },
        };
        demands.push(if contact.polygon.is_some() {
            Demand::Lie { parameters, expected: dt * held.normal, holds: held.holds }
        } else {
            Demand::Touch(parameters)
        });
    }
}

/// Velocity of the first side against the second at the start of the step, m/s.
pub(super) fn slip(contact: &Contact, model: &Model, state: &State, trees: &[TreeWork]) -> DVec3 {
    let mut slip = DVec3::ZERO;
    for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
        match *side {
            Side::Edge { rod, edge, fraction } => {
                let (rod, edge) = (rod as usize, edge as usize);
                let (shape, state) = (&model.rods[rod], &state.rods[rod]);
                let (v, w) = (state.velocity(edge), state.velocity(shape.edge_end(edge)));
                slip += sign * (v + fraction * (w - v));
            }
            Side::Link { tree, link, .. } => {
                let kinematics = &trees[tree as usize].motion.start;
                let arm = contact.point - kinematics.poses[link as usize].position;
                slip +=
                    sign * (kinematics.linear[link as usize] + kinematics.angular[link as usize].cross(arm));
            }
        }
    }
    slip
}

/// Whether a contact touches at the start of a step of `dt`.
pub(super) fn touches(contact: &Contact, model: &Model, state: &State, trees: &[TreeWork], dt: f64) -> bool {
    contact.gap <= lift(contact, slip(contact, model, state, trees), dt)
}

/// Up to this gap, m, surfaces that slide at `slip` (m/s) count as touching in a step of `dt`.
pub(super) fn lift(contact: &Contact, slip: DVec3, dt: f64) -> f64 {
    let along = contact.normal * contact.normal.dot(slip);
    LIFT * contact.surface.friction * (slip - along).length() * dt
}

/// (t₁, t₂, n), right-handed.
pub(crate) fn directions(normal: DVec3) -> [DVec3; 3] {
    let (t1, t2) = normal.any_orthonormal_pair();
    [t1, t2, normal]
}
