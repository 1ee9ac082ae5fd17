//! Contacts as constraints: rows (t₁, t₂, n) of the relative velocity of the two surfaces, and what they spec.

use crate::model::{ContactLaw, ContactSettings, Linearise, Model, State};
use crate::step::collide::{Contact, Side};
use crate::step::constrain::Linearization;
use crate::step::constrain::contact_update::{self, half_thickness};
use crate::step::constrain::friction_memory::{self, MemoryMatches, Remembered};
use crate::step::constrain::jacobian::{ConstraintJacobian, Source, StartKinematics};
use crate::step::constrain::law::LawSpec;
use crate::step::parallel::{MANY_CONSTRAINTS, at_once};
use crate::workspace::TreeWork;
use glam::{DQuat, DVec3};
use ropewalk_contact::law::hunt_crossley::CompliantParameters;
use ropewalk_contact::law::sap::SapParameters;
use ropewalk_contact::law::spring::Spring;

/// In the step of the paper a sliding contact is lifted by μ |v_t| δt; up to this many times that height it counts as
/// touching.
const LIFT: f64 = 1.5;

/// σ of a contact with a friction anchor, which does not creep whatever σ is. A surface gives way along itself about as
/// much as across (Mindlin 1949), and R_n of a hard contact is w/4π². A thousandth of w, as without stick_forces, takes twice
/// the iterations in a tangle of filaments.
const ANCHORED_SIGMA: f64 = 0.25 / (core::f64::consts::PI * core::f64::consts::PI);

/// A gap up to this, over half of the thickness of the thinner side, counts as touching: hard contact at rest has a gap
/// of zero, give or take what an update of contacts leaves.
const TOUCHING: f64 = contact_update::TOLERANCE;

/// Share of an overlap that hard contact undoes in a whole step: ten steps carry over a hundredth of the energy of one.
const RECOVERY: f64 = 0.1;

/// Contacts, and what their rows stand for.
type Contacts<'a> = (&'a [Contact], &'a [Linearization]);

/// Adds the rows of all contacts and their laws in a sub-step of `dt` in a step of `whole_dt` (s).
pub(in crate::step) fn add_rows(
    contacts: Contacts<'_>,
    model: &Model,
    start: &StartKinematics<'_>,
    steps: (f64, f64),
    settings: &ContactSettings,
    matches: &mut MemoryMatches,
    rows: &mut ConstraintJacobian,
    laws: &mut Vec<LawSpec>,
) {
    at_once(
        contacts.0.len() >= MANY_CONSTRAINTS,
        || add_directions(contacts.1, start, rows),
        || add_laws(contacts, model, start, steps, settings, matches, laws),
    );
}

fn add_directions(linearized: &[Linearization], start: &StartKinematics<'_>, rows: &mut ConstraintJacobian) {
    for (c, contact) in linearized.iter().enumerate() {
        let directions = directions(contact.normal);
        for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
            match *side {
                Side::Edge { rod, edge, fraction } => {
                    let (rod, edge) = (rod as usize, edge as usize);
                    let (shape, state) = (&start.rods[rod], &start.state.rods[rod]);
                    let place = state.position(edge) + fraction * state.edge(shape, edge);
                    let arm = contact.point - place;
                    rows.add_rod_point(start, (rod, edge, fraction), arm, &directions, sign);
                }
                Side::Link { tree, link, .. } => {
                    let (tree, link) = (tree as usize, link as usize);
                    rows.add_link_point(start, (tree, link), contact.point, &directions, sign);
                }
            }
        }
        rows.finish(start, Source::Contact(c));
    }
}

fn add_laws(
    (contacts, linearized): Contacts<'_>,
    model: &Model,
    start: &StartKinematics<'_>,
    (dt, whole_dt): (f64, f64),
    settings: &ContactSettings,
    matches: &mut MemoryMatches,
    laws: &mut Vec<LawSpec>,
) {
    let law = settings.law;
    matches.begin(start.state.stick_forces.len());
    let mut patch = friction_memory::Patch::default();
    for (c, (contact, now)) in contacts.iter().zip(linearized).enumerate() {
        let slip = slip(contact, model, start.state, start.tree_work);
        let begun = Start::of(contact, slip, dt, model);
        let surface = &contact.surface;
        if law != ContactLaw::Sap {
            laws.push(LawSpec::Press {
                parameters: CompliantParameters {
                    friction: if begun.touches { surface.friction } else { 0.0 },
                    gap: now.gap,
                    stiffness: surface.stiffness,
                    dissipation: if begun.is_damped { surface.dissipation } else { 0.0 },
                    ..CompliantParameters::default()
                },
                normal_velocity: contact.normal.dot(slip),
                similar: law == ContactLaw::Similar,
            });
            continue;
        }
        let hard = surface.stiffness.is_none();
        let once = model.settings.linearise == Linearise::Once;
        let undone = if now.updated || contact.gap >= 0.0 || !hard { 1.0 } else { recovery(dt, whole_dt) };
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
        let friction = if begun.touches || !once { surface.friction } else { 0.0 };
        let sliding = now.sliding.unwrap_or_else(|| tangential(contact, slip).length());
        let parameters = SapParameters {
            friction,
            lift: if once || contact.polygon.is_some() { 0.0 } else { friction * sliding },
            gap: undone * now.gap,
            spring: Spring {
                stiffness: surface.stiffness,
                dissipation_time: if begun.is_damped { surface.dissipation_time } else { 0.0 },
                near_rigid_beta: now.hardening.sqrt(),
            },
            held_impulse: [turned.dot(directions[0]), turned.dot(directions[1])],
            normal_multiplier: if hard { now.multiplier.unwrap_or(expected) } else { 0.0 },
            sigma: if anchored { ANCHORED_SIGMA } else { SapParameters::default().sigma },
        };
        laws.push(if contact.polygon.is_some() {
            let (expected, holds) = (dt * remembered.normal, remembered.holds && settings.anchor);
            LawSpec::Lie { parameters, expected, holds }
        } else {
            LawSpec::Touch(parameters)
        });
    }
}

/// Share of its overlap that a hard contact undoes in a sub-step of `dt` in a step of `whole_dt` (s). All of it at once
/// would leave with the velocity gap/δt, which is energy from nothing.
pub(in crate::step) fn recovery(dt: f64, whole_dt: f64) -> f64 {
    RECOVERY * dt / whole_dt
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
        let once = model.settings.linearise == Linearise::Once;
        let lift = if once {
            LIFT * contact.surface.friction * tangential(contact, slip).length() * dt
        } else {
            0.0
        };
        let near = TOUCHING * half_thickness(contact, model);
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
fn tangential(contact: &Contact, velocity: DVec3) -> DVec3 {
    velocity - contact.normal * contact.normal.dot(velocity)
}

/// (t₁, t₂, n), right-handed.
pub(crate) fn directions(normal: DVec3) -> [DVec3; 3] {
    let (t1, t2) = normal.any_orthonormal_pair();
    [t1, t2, normal]
}
