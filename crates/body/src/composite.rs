//! The mass matrix, by composite bodies.
//!
//! If only degree of freedom k moves, at unit velocity, all links beyond it move as one rigid body with mass m, center
//! c and inertia I about it. That body has the momenta p = m (l_k + a_k × (c − x_k)) and L = I a_k about c, and for
//! every j on the way to the root M_jk = l_j·p + a_j·(L + (c − x_j) × p). The armature adds to the diagonal.
//!
//! Source: Featherstone, Rigid Body Dynamics Algorithms (2008), § 6.2. Composites store their inertia about their own
//! center, so that no digits are lost far from the world's origin.

use crate::inertia::Inertia;
use crate::kinematics::Kinematics;
use crate::tree::Tree;

/// Writes the mass matrix to `out` (n×n by rows), and to `composite` for each link the composite body of it and all
/// links beyond it, in world axes.
pub(crate) fn mass_matrix_into(
    tree: &Tree,
    kinematics: &Kinematics,
    composite: &mut [Inertia],
    out: &mut [f64],
) {
    let n = tree.velocity_count();
    out.fill(0.0);
    for (i, link) in tree.links().iter().enumerate() {
        composite[i] =
            Inertia { mass: link.inertia.mass, com: kinematics.com[i], about_com: kinematics.inertia[i] };
    }
    for (i, link) in tree.links().iter().enumerate().rev() {
        let body = composite[i];
        if let Some(p) = link.parent {
            composite[p] = composite[p].combined(&body);
        }
        for k in tree.v_range(i) {
            let (linear, angular) = kinematics.jacobian_column(k, body.com);
            let (momentum, spin) = (body.mass * linear, body.about_com * angular);
            for j in tree.chain_from(k) {
                let entry = kinematics.effort(j, body.com, momentum, spin);
                out[j * n + k] = entry;
                out[k * n + j] = entry;
            }
            out[k * n + k] += link.joint.armature;
        }
    }
}
