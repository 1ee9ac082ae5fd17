//! Contacts as constraints: rows (t₁, t₂, n) of the relative velocity of the two surfaces, and what they spec.

use crate::model::{ContactLaw, ContactSettings, Linearize, Model, State};
use crate::step::collide::{Contact, Side};
use crate::step::constrain::AnyConstraint;
use crate::step::constrain::Linearization;
use crate::step::constrain::contact_law::Contact as ContactConstraint;
use crate::step::constrain::contact_update::half_thickness;
use crate::step::constrain::friction_memory::{self, MemoryMatches, Remembered};
use crate::step::constrain::jacobian::{ConstraintJacobian, StartKinematics};
use crate::step::constrain::kind::Assembly;
use crate::step::parallel::{MANY_CONSTRAINTS, at_once};
use crate::workspace::TreeWork;
use glam::{DQuat, DVec3};
use ropewalk_contact::law::hunt_crossley::CompliantParameters;
use ropewalk_contact::law::sap::SapParameters;
use ropewalk_contact::law::spring::Spring;
use ropewalk_rod::Rod;

/// Contacts, and what their rows stand for.
type Contacts<'a> = (&'a [Contact], &'a [Linearization]);

/// The contacts that were found, what their rows stand for, and scratch to match them with what was remembered.
pub(crate) struct Found<'a> {
    pub(in crate::step) contacts: &'a [Contact],
    pub(in crate::step) linearized: &'a [Linearization],
    pub(in crate::step) matches: &'a mut MemoryMatches,
}

/// Adds the rows of all contacts and their laws.
pub(super) fn add_rows(assembly: &mut Assembly<'_>) {
    let Assembly { model, start, step, rows, constraints, contacts } = assembly;
    let Some(settings) = &model.contact else { return };
    let Found { contacts, linearized, matches } = contacts;
    let (contacts, dt) = ((*contacts, *linearized), step.weights.dt);
    at_once(
        contacts.0.len() >= MANY_CONSTRAINTS,
        || add_directions(contacts.1, start, dt, rows),
        || add_laws(contacts, model, start, dt, settings, matches, constraints),
    );
}

fn add_directions(
    linearized: &[Linearization],
    start: &StartKinematics<'_>,
    dt: f64,
    rows: &mut ConstraintJacobian,
) {
    for contact in linearized {
        let start = &contact.kinematics(start, dt);
        let directions = directions(contact.normal);
        for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
            match *side {
                Side::Edge { rod, edge, fraction } => {
                    let (rod, edge) = (rod as usize, edge as usize);
                    let [node, along] = start.edge(rod, edge);
                    let arm = contact.point - (node + fraction * along);
                    if is_round(start.rods, rod, edge) {
                        rows.add_rolling_point(start, (rod, edge, fraction), arm, &directions, sign);
                    } else {
                        rows.add_rod_point(start, (rod, edge, fraction), arm, &directions, sign);
                    }
                }
                Side::Link { tree, link, .. } => {
                    let (tree, link) = (tree as usize, link as usize);
                    rows.add_link_point(start, (tree, link), contact.point, &directions, sign);
                }
            }
        }
        rows.finish(start);
    }
}

/// Whether the section of an edge is round.
pub(super) fn is_round(rods: &[Rod], rod: usize, edge: usize) -> bool {
    let [a, b] = rods[rod].half_extents()[edge];
    (a - b).abs() <= 1e-9 * a.max(b)
}

fn add_laws(
    (contacts, linearized): Contacts<'_>,
    model: &Model,
    start: &StartKinematics<'_>,
    dt: f64,
    settings: &ContactSettings,
    matches: &mut MemoryMatches,
    laws: &mut Vec<AnyConstraint>,
) {
    let law = settings.law;
    matches.begin(start.state.stick_forces.len());
    let mut patch = friction_memory::Patch::default();
    for (c, (contact, now)) in contacts.iter().zip(linearized).enumerate() {
        let slip = slip(contact, model, start.state, start.tree_work);
        let begun = Start::of(contact, slip, dt, model);
        let surface = &contact.surface;
        if law != ContactLaw::Sap {
            laws.push(AnyConstraint::Contact(ContactConstraint::Press {
                parameters: CompliantParameters {
                    friction: if begun.touches { surface.friction } else { 0.0 },
                    gap: now.gap,
                    stiffness: surface.stiffness,
                    dissipation: if begun.is_damped { surface.dissipation } else { 0.0 },
                    ..CompliantParameters::default()
                },
                normal_velocity: contact.normal.dot(slip),
                similar: law == ContactLaw::Similar,
            }));
            continue;
        }
        let hard = surface.stiffness.is_none();
        let once = model.settings.linearize == Linearize::Once;
        let remembered = if begun.touches {
            friction_memory::held(&contacts[c..], start, matches, &mut patch)
        } else {
            Remembered::fresh(contact)
        };
        let anchored = begun.touches && settings.anchor;
        let held = if anchored { dt * remembered.friction } else { DVec3::ZERO };
        let turned = DQuat::from_rotation_arc(contact.normal, now.normal) * held;
        let directions = directions(now.normal);
        let expected = if hard { dt * remembered.normal } else { 0.0 };
        // Friction acts once a gap has closed, within the step, too. In the step of the paper it does from the next one on:
        // the cone would lift what slides before it touches.
        // (What comes down on a pressure field has none before it has sunk in: the friction there is the field's.)
        let closes = !once && contact.sunk == 0.0;
        let friction = if begun.touches || closes { surface.friction } else { 0.0 };
        let sliding = now.sliding.map_or_else(|| tangential(contact, slip).length(), |now| now.expected);
        let parameters = SapParameters {
            friction,
            lift: if once || contact.polygon.is_some() { 0.0 } else { friction * sliding },
            gap: if hard {
                now.gap - now.wanted_gap(half_thickness(&contact.sides, model), dt, model)
            } else {
                now.gap
            },
            spring: Spring {
                stiffness: surface.stiffness,
                dissipation_time: if begun.is_damped { surface.dissipation_time } else { 0.0 },
                near_rigid_beta: (model.settings.tuning.regularization * now.hardening).sqrt(),
            },
            held_impulse: [turned.dot(directions[0]), turned.dot(directions[1])],
            normal_multiplier: if hard { now.multiplier.unwrap_or(expected) } else { 0.0 },
            sigma: if anchored {
                model.settings.tuning.anchored_sigma
            } else {
                SapParameters::default().sigma
            },
        };
        laws.push(AnyConstraint::Contact(if contact.polygon.is_some() {
            let (expected, holds) = (dt * remembered.normal, remembered.holds && settings.anchor);
            ContactConstraint::Lie { parameters, expected, holds }
        } else {
            ContactConstraint::Touch(parameters)
        }));
    }
}

/// What a contact is at the start of a step. Until they touch, surfaces feel neither friction nor damping: both would
/// act across the gap.
pub(in crate::step) struct Start {
    /// Whether it has friction, and remembers what it held.
    pub(in crate::step) touches: bool,
    /// Whether a spring is damped.
    pub(in crate::step) is_damped: bool,
}

impl Start {
    /// Of a contact that slides at `slip` (m/s) in a step of `dt`.
    pub(in crate::step) fn of(contact: &Contact, slip: DVec3, dt: f64, model: &Model) -> Self {
        let once = model.settings.linearize == Linearize::Once;
        let lift = if once {
            model.settings.tuning.lift * contact.surface.friction * tangential(contact, slip).length() * dt
        } else {
            0.0
        };
        let near = model.settings.tuning.contact_tolerance * half_thickness(&contact.sides, model);
        Self { touches: contact.gap <= lift.max(near), is_damped: contact.gap <= lift }
    }
}

/// Velocity of the first side against the second at the start of the step, m/s.
pub(in crate::step) fn slip(contact: &Contact, model: &Model, state: &State, trees: &[TreeWork]) -> DVec3 {
    let mut slip = DVec3::ZERO;
    for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
        match *side {
            Side::Edge { rod, edge, fraction } => {
                let (rod, edge) = (rod as usize, edge as usize);
                let (shape, state) = (&model.rods[rod], &state.rods[rod]);
                let end = shape.edge_end(edge);
                let (v, w) = (state.velocity(edge), state.velocity(end));
                let (start, along) = (state.position(edge), state.position(end) - state.position(edge));
                let tangent = along.normalize_or_zero();
                let tilt = tangent.cross(w - v) / along.length().max(f64::MIN_POSITIVE);
                let arm = contact.point - (start + fraction * along);
                slip += sign * (v.lerp(w, fraction) + (tilt + tangent * state.v[edge][3]).cross(arm));
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
pub(in crate::step) fn touches(
    contact: &Contact,
    model: &Model,
    state: &State,
    trees: &[TreeWork],
    dt: f64,
) -> bool {
    Start::of(contact, slip(contact, model, state, trees), dt, model).touches
}

/// What of a velocity is along the surfaces, m/s.
pub(super) fn tangential(contact: &Contact, velocity: DVec3) -> DVec3 {
    velocity - contact.normal * contact.normal.dot(velocity)
}

/// (t₁, t₂, n), right-handed.
pub(crate) fn directions(normal: DVec3) -> [DVec3; 3] {
    let (t1, t2) = normal.any_orthonormal_pair();
    [t1, t2, normal]
}
