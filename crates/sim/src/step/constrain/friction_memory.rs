//! Friction memory: a contact that sticks remembers the force that it holds.
//!
//! The cone law regularizes friction: λ_t = −u_t/R_t inside the cone, so a contact that holds the force F_t for good
//! creeps at R_t F_t δt, which is unacceptable for a grasp. A lasting contact therefore starts the next step from the
//! impulse that it ended the last one with:
//!
//! ```text
//!   λ_t = P_C(δt F_t − v_t/R_t),    that is  v̂_t = R_t δt F_t
//! ```
//!
//! At rest v_t = 0 and F_t stays as it is; a contact that slips has its force brought back to the cone by the projection,
//! one that opens forgets it. This is a spring of stiffness 1/(R_t δt²), a thousand times what a step of free motion
//! feels, in incremental form, so that neither a change of R_t nor of δt changes the force. It holds some energy,
//! ½ R_t δt² F_t², which it gives back when the load does.
//!
//! Contacts of two steps are the same if they join the same edges and shapes; of several between one pair, the nearest
//! by place. The polygons of a patch come and go, so a pair keeps the sum F of their forces and its first moments, along
//! the first side's edge and across it if that is flat, and shares them out as pressure is: with the place ξ = (s, u) on the
//! edge, s the fraction of its length and u the distance across over half of its width,
//!
//! ```text
//!   f_i = w_i F + w_i (G − F ξ̄ᵀ) C⁻¹ (ξ_i − ξ̄),   C = Σ w_j (ξ_j − ξ̄)(ξ_j − ξ̄)ᵀ     so that Σ f_i = F, Σ f_i ξ_iᵀ = G
//! ```
//!
//! What acts across holds a belt against turning in the plane of its contact. Two edges that press into one another have polygons
//! with different normals: what they hold is kept as a force and a moment (`anchor_share.rs`). While the sum is
//! within what friction can hold, each polygon may go on to hold its share, be it more than its own pressure allows: if it slipped, it
//! would again in each step, and the patch would creep. How much
//! the normal force differs from what the pressure at the start of the step gives is kept, too: of polygons that slide round a
//! bend it does for good, and it says how much friction to expect (`disk` in `ropewalk_contact::law`).

use crate::model::StickForce;
use crate::step::collide::{Contact, Feature, Side};
use crate::step::constrain::Linearization;
use crate::step::constrain::jacobian::StartKinematics;
use crate::step::constrain::patch_friction::share_out;
use glam::DVec3;
use ropewalk_contact::law::Rows;

/// Share of its friction up to which a patch surely holds: one that slides is at 1, up to the error of the prediction.
const HOLDS: f64 = 0.95;

/// At most so many times what the pressure gives is expected of a patch: one that is hit gives more, once.
const MOST_RATIO: f64 = 2.0;

/// Scratch: which stick forces the contacts of a step have taken up.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryMatches {
    /// Which stick forces have been taken up.
    stick_forces: Vec<bool>,
    /// Friction of the polygons of the patch at hand, if it is one of two edges, N.
    shares: Vec<DVec3>,
}

impl MemoryMatches {
    /// Begins a step with this number of stick forces.
    pub(in crate::step) fn begin(&mut self, stick_forces: usize) {
        self.stick_forces.clear();
        self.stick_forces.resize(stick_forces, false);
    }
}

/// What a contact held in the last step, in the world, and what may be expected of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Remembered {
    /// By friction, N; zero for a new contact.
    pub(in crate::step) friction: DVec3,
    /// Normal force to be expected, N.
    pub(in crate::step) normal: f64,
    /// Of a polygon: whether its patch can hold what it held.
    pub(in crate::step) holds: bool,
}

impl Remembered {
    /// Of a contact that has not been there.
    pub(in crate::step) fn fresh(contact: &Contact) -> Self {
        let normal = if contact.polygon.is_some() { pressure_force(contact) } else { 0.0 };
        Self { friction: DVec3::ZERO, normal, holds: false }
    }
}

/// Memory of the patch whose polygons are gone through.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::step) struct Patch {
    between: Option<[u64; 2]>,
    anchor: Option<StickForce>,
    /// Whether friction can hold what it held.
    holds: bool,
    /// How many of its polygons have been gone through.
    gone: usize,
}

/// What the first of `contacts` held in the last step; the other polygons of its patch follow it.
pub(in crate::step) fn held(
    contacts: &[Contact],
    scene: &StartKinematics<'_>,
    taken: &mut MemoryMatches,
    patch: &mut Patch,
) -> Remembered {
    let contact = &contacts[0];
    let stick_forces = &scene.state.stick_forces;
    let between = contact.sides.map(side_number);
    if contact.polygon.is_some() {
        if patch.between != Some(between) {
            let first = stick_forces.partition_point(|a| a.between < between);
            let anchor = stick_forces.get(first).filter(|a| a.between == between).copied();
            let holds = anchor.is_some_and(|anchor| holds(&anchor, contacts));
            *patch = Patch { between: Some(between), anchor, holds, gone: 0 };
            taken.shares.clear();
            if let (Some(anchor), Some(origin)) = (&anchor, origin(contact, scene)) {
                let count = polygons_between(between, contacts).count();
                let limit = HOLDS * limit(anchor, contacts);
                share_out(anchor, (origin, limit), &contacts[..count], &mut taken.shares);
            }
        }
        let Some(anchor) = patch.anchor else { return Remembered::fresh(contact) };
        let friction = taken.shares.get(patch.gone).copied().unwrap_or_else(|| share(&anchor, contact));
        patch.gone += 1;
        return Remembered { friction, normal: expected(&anchor, contact), holds: patch.holds };
    }
    let between = contact.sides.map(point_name);
    let place = place(contact, &contact.sides, contact.point, scene);
    let reach = memory_reach(&contact.sides);
    let first = stick_forces.partition_point(|a| (a.between, a.place.x) < (between, place.x - reach));
    let mut nearest: Option<(f64, usize)> = None;
    let near = |a: &StickForce| a.between == between && a.place.x <= place.x + reach;
    for (i, anchor) in stick_forces.iter().enumerate().skip(first).take_while(|(_, a)| near(a)) {
        let distance = anchor.place.distance_squared(place);
        if !taken.stick_forces[i]
            && distance <= reach * reach
            && nearest.is_none_or(|(least, _)| distance < least)
        {
            nearest = Some((distance, i));
        }
    }
    let Some((_, i)) = nearest else { return Remembered::fresh(contact) };
    taken.stick_forces[i] = true;
    let StickForce { force, normal_forces: [normal, _], .. } = stick_forces[i];
    Remembered { friction: force, normal, ..Remembered::fresh(contact) }
}

/// The polygons at the beginning of `contacts` that belong to one pair.
fn polygons_between(between: [u64; 2], contacts: &[Contact]) -> impl Iterator<Item = &Contact> {
    contacts.iter().take_while(move |c| c.polygon.is_some() && c.sides.map(side_number) == between)
}

/// First node of the first of two edges, m, about which moments count; none if a side is no edge.
fn origin(contact: &Contact, scene: &StartKinematics<'_>) -> Option<DVec3> {
    let [Side::Edge { rod, edge, .. }, Side::Edge { .. }] = contact.sides else { return None };
    Some(scene.state.rods[rod as usize].position(edge as usize))
}

/// Share of a polygon in the friction of its patch, N.
fn share(anchor: &StickForce, contact: &Contact) -> DVec3 {
    let Some(polygon) = &contact.polygon else { return DVec3::ZERO };
    polygon.share * anchor.force
        + polygon.lean.x * (anchor.far_force - polygon.middle.x * anchor.force)
        + polygon.lean.y * (anchor.side_force - polygon.middle.y * anchor.force)
}

/// The normal force to be expected of a polygon, N.
fn expected(anchor: &StickForce, contact: &Contact) -> f64 {
    let [found, at_start] = anchor.normal_forces;
    let ratio = if at_start > 0.0 { (found / at_start).min(MOST_RATIO) } else { 1.0 };
    ratio * pressure_force(contact)
}

/// Whether the polygons of the patch that begins with the first of `contacts` can together hold what it held.
fn holds(anchor: &StickForce, contacts: &[Contact]) -> bool {
    anchor.force.length() < HOLDS * limit(anchor, contacts)
}

/// Friction that may be expected of those polygons, N.
fn limit(anchor: &StickForce, contacts: &[Contact]) -> f64 {
    let now: f64 = polygons_between(anchor.between, contacts).map(|c| expected(anchor, c)).sum();
    // One that slides is at the limit of the step before, however much it grows.
    contacts[0].surface.friction * now.min(anchor.normal_forces[0])
}

/// Notes what the contacts hold at the end of a step of `dt` (s): friction, and of hard contact the normal force, with
/// which the next step starts.
pub(in crate::step) fn keep(
    (contacts, linearized): (&[Contact], &[Linearization]),
    impulses: &[Rows],
    scene: &StartKinematics<'_>,
    dt: f64,
    stick_forces: &mut Vec<StickForce>,
) {
    stick_forces.clear();
    for ((contact, now), lambda) in contacts.iter().zip(linearized).zip(impulses) {
        if lambda[2] > 0.0 {
            let directions = crate::step::constrain::contact::directions(now.normal);
            let force = (lambda[0] * directions[0] + lambda[1] * directions[1]) / dt;
            let between = now.sides.map(side_number);
            if let Some(polygon) = &contact.polygon {
                // The polygons of a pair follow one another.
                let [far_force, side_force] = [polygon.place.x * force, polygon.place.y * force];
                let moment =
                    origin(contact, scene).map_or(DVec3::ZERO, |at| (contact.point - at).cross(force));
                let normal_forces = [lambda[2] / dt, pressure_force(contact)];
                match stick_forces.last_mut().filter(|last| last.between == between) {
                    Some(last) => {
                        last.force += force;
                        last.far_force += far_force;
                        last.side_force += side_force;
                        last.moment += moment;
                        for (sum, force) in last.normal_forces.iter_mut().zip(normal_forces) {
                            *sum += force;
                        }
                    }
                    None => stick_forces.push(StickForce {
                        between,
                        place: DVec3::ZERO,
                        force,
                        far_force,
                        side_force,
                        moment,
                        normal_forces,
                    }),
                }
            } else {
                let normal_forces = [lambda[2] / dt, 0.0];
                let place = place(contact, &now.sides, now.point, &now.kinematics(scene, dt));
                stick_forces.push(StickForce {
                    between: now.sides.map(point_name),
                    place,
                    force,
                    normal_forces,
                    ..StickForce::default()
                });
            }
        }
    }
    // Contacts in one place keep their order, so that equally near ones do not change places.
    stick_forces.sort_by(|a, b| a.between.cmp(&b.between).then(a.place.x.total_cmp(&b.place.x)));
}

/// What the pressure of a polygon gives at the start of the step, N.
fn pressure_force(contact: &Contact) -> f64 {
    contact.surface.stiffness.unwrap_or(0.0) * (-contact.gap).max(0.0)
}

/// A number for the edge or shape on one side.
pub(in crate::step) fn side_number(side: Side) -> u64 {
    match side {
        Side::Edge { rod, edge, .. } => u64::from(rod) << 32 | u64::from(edge),
        Side::Link { tree, shape, .. } => 1 << 63 | u64::from(tree) << 32 | u64::from(shape),
    }
}

/// A number for the rod or shape on one side of a contact at a point, which slides from edge to edge.
fn point_name(side: Side) -> u64 {
    match side {
        Side::Edge { rod, .. } => u64::from(rod) << 32 | u64::from(u32::MAX),
        link => side_number(link),
    }
}

/// Where on the pair a contact at a point is: places along the rods in edges, and on which feature; on the first link, m, if
/// there is no rod.
fn place(contact: &Contact, sides: &[Side; 2], point: DVec3, scene: &StartKinematics<'_>) -> DVec3 {
    let along = |side: &Side| match *side {
        Side::Edge { edge, fraction, .. } => Some(f64::from(edge) + fraction),
        Side::Link { .. } => None,
    };
    match (sides[0], along(&sides[0]), along(&sides[1])) {
        (Side::Link { tree, link, .. }, _, None) => {
            scene.tree(tree as usize).0.poses[link as usize].local_point(point)
        }
        (_, first, second) => {
            let feature = match contact.feature {
                Feature::Axis => 0.0,
                Feature::Corner(corner) => 1.0 + f64::from(corner),
                Feature::Face => -1.0,
                Feature::Across(_) => -2.0,
                Feature::Rim(rim) => -3.0 - f64::from(rim),
            };
            let other = 2.0 * SAME_PLACE * feature;
            DVec3::new(first.or(second).unwrap_or(0.0), second.unwrap_or(0.0), other)
        }
    }
}

/// Up to which distance, in terms of [`place`], a contact of a rod is the one that was there: the length of an edge. Of
/// bodies, the nearest one is.
const SAME_PLACE: f64 = 1.0;

fn memory_reach(sides: &[Side; 2]) -> f64 {
    let has_rod = sides.iter().any(|side| matches!(side, Side::Edge { .. }));
    if has_rod { SAME_PLACE } else { f64::INFINITY }
}
