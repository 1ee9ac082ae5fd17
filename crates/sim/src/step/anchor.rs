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
//! What acts across holds a belt against turning in the plane of its contact.

use super::collide::{Contact, Side};
use super::rows::Scene;
use crate::model::Anchor;
use glam::DVec3;
use ropewalk_contact::law::Rows;

/// Which of the anchors have been taken up by a contact of this step.
pub(crate) type Taken = Vec<bool>;

/// The force that `contact` held in the last step, N, in the world; zero for a new contact.
pub(super) fn held_force(contact: &Contact, scene: &Scene<'_>, taken: &mut Taken) -> DVec3 {
    let anchors = &scene.state.anchors;
    let between = contact.sides.map(name);
    let first = anchors.partition_point(|a| a.between < between);
    if let Some(polygon) = &contact.polygon {
        let whole = anchors.get(first).filter(|a| a.between == between);
        return whole.map_or(DVec3::ZERO, |a| {
            let [along, across] = [a.far_force, a.side_force];
            polygon.share * a.force
                + polygon.lean.x * (along - polygon.middle.x * a.force)
                + polygon.lean.y * (across - polygon.middle.y * a.force)
        });
    }
    let place = place(contact, scene);
    let mut nearest: Option<(f64, usize)> = None;
    for (i, anchor) in anchors.iter().enumerate().skip(first).take_while(|(_, a)| a.between == between) {
        let distance = anchor.place.distance_squared(place);
        if !taken[i] && nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, i));
        }
    }
    let Some((_, i)) = nearest else { return DVec3::ZERO };
    taken[i] = true;
    anchors[i].force
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
        if lambda[2] > 0.0 && (lambda[0] != 0.0 || lambda[1] != 0.0) {
            let directions = super::touch::directions(contact.normal);
            let force = (lambda[0] * directions[0] + lambda[1] * directions[1]) / dt;
            let between = contact.sides.map(name);
            if let Some(polygon) = &contact.polygon {
                // The polygons of a pair follow one another.
                let [far_force, side_force] = [polygon.place.x * force, polygon.place.y * force];
                match anchors.last_mut().filter(|last| last.between == between) {
                    Some(last) => {
                        last.force += force;
                        last.far_force += far_force;
                        last.side_force += side_force;
                    }
                    None => {
                        anchors.push(Anchor { between, place: DVec3::ZERO, force, far_force, side_force })
                    }
                }
            } else {
                anchors.push(Anchor { between, place: place(contact, scene), force, ..Anchor::default() });
            }
        }
    }
    // Contacts of one pair keep their order, so that equally near ones do not change places.
    anchors.sort_by_key(|a| a.between);
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
