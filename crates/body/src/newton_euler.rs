//! Efforts from wrenches on links: recursive Newton–Euler.
//!
//! The acceleration of link i requires the force m c̈ and the moment I ω̇ + ω × I ω about its center. Summed from the
//! leaves to the root, the wrench at a joint is that of all links beyond it, and the effort along a degree of freedom
//! is l_k·F + a_k·N, N taken about the link's origin.
//!
//! Source: Luh, Walker and Paul (1980); Featherstone, Rigid Body Dynamics Algorithms (2008), § 5.3.

use crate::kinematics::Kinematics;
use crate::tree::Tree;
use glam::DVec3;

/// Force (N) and moment (N·m), or their impulses, about a point given by the context.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpatialForce {
    /// Force in N (impulse: N·s).
    pub force: DVec3,
    /// Moment in N·m (impulse: N·m·s).
    pub moment: DVec3,
}

/// Projects `wrenches`, given for each link about its center of mass, on the degrees of freedom: `out` = Σ Jᵀ w.
/// Afterwards `wrenches` holds those of each link and all beyond it, about the link's origin.
pub(crate) fn gather(tree: &Tree, kinematics: &Kinematics, wrenches: &mut [SpatialForce], out: &mut [f64]) {
    for (i, wrench) in wrenches.iter_mut().enumerate() {
        wrench.moment += (kinematics.com[i] - kinematics.poses[i].position).cross(wrench.force);
    }
    for (i, link) in tree.links().iter().enumerate().rev() {
        let (x, w) = (kinematics.poses[i].position, wrenches[i]);
        for k in tree.v_range(i) {
            out[k] = kinematics.effort(k, x, w.force, w.moment);
        }
        if let Some(p) = link.parent {
            let arm = x - kinematics.poses[p].position;
            wrenches[p].force += w.force;
            wrenches[p].moment += w.moment + arm.cross(w.force);
        }
    }
}

/// Efforts that keep all joint velocities constant: Coriolis and centrifugal terms, without gravity.
pub(crate) fn bias_into(
    tree: &Tree,
    kinematics: &Kinematics,
    wrenches: &mut [SpatialForce],
    out: &mut [f64],
) {
    for (i, link) in tree.links().iter().enumerate() {
        let omega = kinematics.angular[i];
        let inertia = &kinematics.inertia[i];
        wrenches[i] = SpatialForce {
            force: link.inertia.mass * kinematics.point_bias_acceleration(i, kinematics.com[i]),
            moment: *inertia * kinematics.bias_angular[i] + omega.cross(*inertia * omega),
        };
    }
    gather(tree, kinematics, wrenches, out);
}

/// Efforts of gravity `gravity` (m/s²).
pub(crate) fn gravity_into(
    tree: &Tree,
    kinematics: &Kinematics,
    gravity: DVec3,
    wrenches: &mut [SpatialForce],
    out: &mut [f64],
) {
    for (wrench, link) in wrenches.iter_mut().zip(tree.links()) {
        *wrench = SpatialForce { force: link.inertia.mass * gravity, moment: DVec3::ZERO };
    }
    gather(tree, kinematics, wrenches, out);
}
