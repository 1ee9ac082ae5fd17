//! Friction anchors: sticking contacts remember what they hold.
//!
//! The cone law regularises friction: λ_t = −u_t/R_t inside the cone, so a contact that holds the force F_t for good
//! creeps at R_t F_t δt, which a grasp does not forgive. A lasting contact therefore starts the next step from the
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
//! edge, s the fraction of its length and u the way across over half of its width,
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

use super::anchor_share::share_out;
use super::collide::{Contact, Side};
use super::rows::Scene;
use crate::model::Anchor;
use glam::DVec3;
use ropewalk_contact::law::Rows;

/// Share of its friction up to which a patch surely holds: one that slides is at 1, give or take what is not foreseen.
const HOLDS: f64 = 0.95;

/// At most so many times what the pressure gives is expected of a patch: one that is hit gives more, once.
const MOST_RATIO: f64 = 2.0;

/// What is noted while contacts take up the anchors in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    /// Which of the anchors have been taken up.
    anchors: Vec<bool>,
    /// Friction of the polygons of the patch at hand, if it is one of two edges, N.
    shares: Vec<DVec3>,
}

impl Taken {
    /// Begins a step with so many anchors.
    pub(super) fn begin(&mut self, anchors: usize) {
        self.anchors.clear();
        self.anchors.resize(anchors, false);
    }
}

/// What a contact held in the last step, in the world, and what may be expected of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// By friction, N; zero for a new contact.
    pub(super) friction: DVec3,
    /// Normal force to be expected of a polygon of a patch, N; zero for points.
    pub(super) normal: f64,
    /// Of a polygon: whether its patch can hold what it held.
    pub(super) holds: bool,
}

impl Held {
    /// Of a contact that has not been there.
    pub(super) fn fresh(contact: &Contact) -> Self {
        let normal = if contact.polygon.is_some() { pressure_force(contact) } else { 0.0 };
        Self { friction: DVec3::ZERO, normal, holds: false }
    }
}

/// Memory of the patch whose polygons are gone through.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patch {
    between: Option<[u64; 2]>,
    anchor: Option<Anchor>,
    /// Whether friction can hold what it held.
    holds: bool,
    /// How many of its polygons have been gone through.
    gone: usize,
}

/// What the first of `contacts` held in the last step; the other polygons of its patch follow it.
pub(super) fn held(contacts: &[Contact], scene: &Scene<'_>, taken: &mut Taken, patch: &mut Patch) -> Held {
    let contact = &contacts[0];
    let anchors = &scene.state.anchors;
    let between = contact.sides.map(name);
    if contact.polygon.is_some() {
        if patch.between != Some(between) {
            let first = anchors.partition_point(|a| a.between < between);
            let anchor = anchors.get(first).filter(|a| a.between == between).copied();
            let holds = anchor.is_some_and(|anchor| holds(&anchor, contacts));
            *patch = Patch { between: Some(between), anchor, holds, gone: 0 };
            taken.shares.clear();
            if let (Some(anchor), Some(origin)) = (&anchor, origin(contact, scene)) {
                let count = polygons_between(between, contacts).count();
                let limit = HOLDS * limit(anchor, contacts);
                share_out(anchor, (origin, limit), &contacts[..count], &mut taken.shares);
            }
        }
        let Some(anchor) = patch.anchor else { return Held::fresh(contact) };
        let friction = taken.shares.get(patch.gone).copied().unwrap_or_else(|| share(&anchor, contact));
        patch.gone += 1;
        return Held { friction, normal: expected(&anchor, contact), holds: patch.holds };
    }
    let first = anchors.partition_point(|a| a.between < between);
    let place = place(contact, scene);
    let mut nearest: Option<(f64, usize)> = None;
    for (i, anchor) in anchors.iter().enumerate().skip(first).take_while(|(_, a)| a.between == between) {
        let distance = anchor.place.distance_squared(place);
        if !taken.anchors[i] && nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, i));
        }
    }
    let Some((_, i)) = nearest else { return Held::fresh(contact) };
    taken.anchors[i] = true;
    Held { friction: anchors[i].force, ..Held::fresh(contact) }
}

/// The polygons at the beginning of `contacts` that belong to one pair.
fn polygons_between(between: [u64; 2], contacts: &[Contact]) -> impl Iterator<Item = &Contact> {
    contacts.iter().take_while(move |c| c.polygon.is_some() && c.sides.map(name) == between)
}

/// First node of the first of two edges, m, about which moments count; none if a side is no edge.
fn origin(contact: &Contact, scene: &Scene<'_>) -> Option<DVec3> {
    let [Side::Edge { rod, edge, .. }, Side::Edge { .. }] = contact.sides else { return None };
    Some(scene.state.rods[rod as usize].position(edge as usize))
}

/// Share of a polygon in the friction of its patch, N.
fn share(anchor: &Anchor, contact: &Contact) -> DVec3 {
    let Some(polygon) = &contact.polygon else { return DVec3::ZERO };
    polygon.share * anchor.force
        + polygon.lean.x * (anchor.far_force - polygon.middle.x * anchor.force)
        + polygon.lean.y * (anchor.side_force - polygon.middle.y * anchor.force)
}

/// The normal force to be expected of a polygon, N.
fn expected(anchor: &Anchor, contact: &Contact) -> f64 {
    let [found, at_start] = anchor.normal_forces;
    let ratio = if at_start > 0.0 { (found / at_start).min(MOST_RATIO) } else { 1.0 };
    ratio * pressure_force(contact)
}

/// Whether the polygons of the patch that begins with the first of `contacts` can together hold what it held.
fn holds(anchor: &Anchor, contacts: &[Contact]) -> bool {
    anchor.force.length() < HOLDS * limit(anchor, contacts)
}

/// Friction that may be expected of those polygons, N.
fn limit(anchor: &Anchor, contacts: &[Contact]) -> f64 {
    let now: f64 = polygons_between(anchor.between, contacts).map(|c| expected(anchor, c)).sum();
    // One that slides is at the limit of the step before, however much it grows.
    contacts[0].surface.friction * now.min(anchor.normal_forces[0])
}

/// Notes what the contacts hold at the end of a step of `dt` (s).
pub(super) fn keep(
    contacts: &[Contact],
    impulses: &[Rows],
    scene: &Scene<'_>,
    dt: f64,
    anchors: &mut Vec<Anchor>,
) {
    anchors.clear();
    for (contact, lambda) in contacts.iter().zip(impulses) {
        let rubs = lambda[0] != 0.0 || lambda[1] != 0.0;
        if lambda[2] > 0.0 && (rubs || contact.polygon.is_some()) {
            let directions = super::touch::directions(contact.normal);
            let force = (lambda[0] * directions[0] + lambda[1] * directions[1]) / dt;
            let between = contact.sides.map(name);
            if let Some(polygon) = &contact.polygon {
                // The polygons of a pair follow one another.
                let [far_force, side_force] = [polygon.place.x * force, polygon.place.y * force];
                let moment =
                    origin(contact, scene).map_or(DVec3::ZERO, |at| (contact.point - at).cross(force));
                let normal_forces = [lambda[2] / dt, pressure_force(contact)];
                match anchors.last_mut().filter(|last| last.between == between) {
                    Some(last) => {
                        last.force += force;
                        last.far_force += far_force;
                        last.side_force += side_force;
                        last.moment += moment;
                        for (sum, force) in last.normal_forces.iter_mut().zip(normal_forces) {
                            *sum += force;
                        }
                    }
                    None => anchors.push(Anchor {
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
                anchors.push(Anchor { between, place: place(contact, scene), force, ..Anchor::default() });
            }
        }
    }
    // Contacts of one pair keep their order, so that equally near ones do not change places.
    anchors.sort_by_key(|a| a.between);
}

/// What the pressure of a polygon gives at the start of the step, N.
fn pressure_force(contact: &Contact) -> f64 {
    contact.surface.stiffness.unwrap_or(0.0) * (-contact.gap).max(0.0)
}

/// A number for the edge or shape on one side.
fn name(side: Side) -> u64 {
    match side {
        Side::Edge { rod, edge, .. } => u64::from(rod) << 32 | u64::from(edge),
        Side::Link { tree, shape, .. } => 1 << 63 | u64::from(tree) << 32 | u64::from(shape),
    }
}

/// Where on the pair a contact is, m: along an edge if there is one, else on the first link.
fn place(contact: &Contact, scene: &Scene<'_>) -> DVec3 {
    let along_edge = contact.sides.iter().find_map(|side| match *side {
        Side::Edge { rod, edge, fraction } => {
            Some(DVec3::X * fraction * scene.rods[rod as usize].rest_lengths()[edge as usize])
        }
        Side::Link { .. } => None,
    });
    along_edge.unwrap_or_else(|| match contact.sides[0] {
        Side::Link { tree, link, .. } => {
            let pose = &scene.tree_work[tree as usize].motion.start.poses[link as usize];
            pose.local_point(contact.point)
        }
        Side::Edge { .. } => DVec3::ZERO,
    })
}
