//! Momenta of links, and the balance of angular momentum of links that rotate about several axes.
//!
//! J_i(q_m)ᵀ(h₁ − h₀) has the arm c_m in (c_m − x) × (p₁ − p₀), so the moment of momentum about a fixed point x changes by
//!
//! o_i = c₁ × p₁ − c₀ × p₀ − c_m × (p₁ − p₀) = (c₁ − c_m) × p₁ + (c_m − c₀) × p₀
//!
//! in addition to the balance. For rotation about one axis this has no component along the axis (p₁ and p₀ are tilted
//! by the same angle to either side of the chord). For a body that precesses about a ball joint it has one: at 50
//! rad/s and 1 ms the body would gain a seventh of its angular momentum in a second. So the rows of joints with
//! several axes of rotation add a_k·Σ o_i over all links beyond them, which makes them S(q_m)ᵀ Σ(ĥ₁ − ĥ₀ − δt ŵ) with
//! spatial momenta ĥ about a common point: without moment about a fixed ball joint, the angular momentum is conserved
//! to round-off. Rows of other joints do not contain o, which would only make the derivative of the balance less
//! symmetric.
//!
//! Positions and velocities are relative to a point that moves with the velocity V, p' = p − m V, so that a
//! superposed uniform motion changes nothing. It is the center of mass of the tree if that is free to move (a free or
//! planar joint at the root), else the base. Where a ball joint itself moves, the error is of the order of the
//! scheme.
//!
//! Source: Featherstone, Rigid Body Dynamics Algorithms (2008), § 2.11, for spatial momenta.

use crate::base::Base;
use crate::joint::JointKind;
use crate::kinematics::Kinematics;
use crate::newton_euler::SpatialForce;
use crate::tree::Tree;
use glam::DVec3;
use ropewalk_linalg::Pose;

/// Linear momentum of each link (kg·m/s), and angular momentum about its own center of mass (kg·m²/s).
pub(crate) fn momenta(tree: &Tree, kinematics: &Kinematics, out: &mut [SpatialForce]) {
    for (i, link) in tree.links().iter().enumerate() {
        out[i] = SpatialForce {
            force: link.inertia.mass * kinematics.com_velocity(i),
            moment: kinematics.inertia[i] * kinematics.angular[i],
        };
    }
}

/// Additional terms in the rows of joints with several axes of rotation.
#[derive(Clone, Debug)]
pub(crate) struct OrbitalMoments {
    /// Σ o over a link and all beyond it, kg·m²/s.
    sums: Vec<DVec3>,
    start: Reference,
}

/// The reference point of positions, and its velocity.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reference {
    /// World position in m.
    pub(crate) point: DVec3,
    /// m/s.
    pub(crate) velocity: DVec3,
}

impl OrbitalMoments {
    /// `None` if no joint of `tree` has rows that need it. (o is zero for a single free body.)
    pub(crate) fn new(tree: &Tree) -> Option<Self> {
        let links = tree.links();
        let several = |i: usize| turns_about_several_axes(&links[i].joint.kind);
        let needed =
            (0..links.len()).any(several) && (links.len() > 1 || links[0].joint.kind != JointKind::Free);
        needed.then(|| Self { sums: vec![DVec3::ZERO; links.len()], start: Reference::default() })
    }

    /// Begins a step at `kinematics`.
    pub(crate) fn begin(
        &mut self,
        tree: &Tree,
        kinematics: &Kinematics,
        base: &Base,
        momenta: &[SpatialForce],
    ) {
        self.start = Reference::of(tree, kinematics, base, momenta);
    }

    /// Adds to `out`, the rows of all degrees of freedom. `ends` are kinematics and momenta of the links at the start and
    /// the end of the step, `bases` the base half way and at the end. Returns Σ o over all links.
    pub(crate) fn add(
        &mut self,
        tree: &Tree,
        ends: [(&Kinematics, &[SpatialForce]); 2],
        middle: &Kinematics,
        (middle_base, end_base): (&Pose, &Base),
        out: &mut [f64],
    ) -> DVec3 {
        let [(at_start, from), (at_end, to)] = ends;
        let (start, end) = (self.start, Reference::of(tree, at_end, end_base, to));
        let half = center_if_free(tree, middle).map_or(middle_base.position, |(point, _)| point);
        for (i, link) in tree.links().iter().enumerate() {
            let mass = link.inertia.mass;
            let c_m = middle.com[i] - half;
            let (c_0, c_1) = (at_start.com[i] - start.point, at_end.com[i] - end.point);
            let (p_0, p_1) = (from[i].force - mass * start.velocity, to[i].force - mass * end.velocity);
            self.sums[i] = (c_1 - c_m).cross(p_1) + (c_m - c_0).cross(p_0);
        }
        for (i, link) in tree.links().iter().enumerate().rev() {
            let sum = self.sums[i];
            if turns_about_several_axes(&link.joint.kind) {
                for k in tree.v_range(i) {
                    out[k] += middle.axis_angular(k).dot(sum);
                }
            }
            if let Some(p) = link.parent {
                self.sums[p] += sum;
            }
        }
        self.sums[0]
    }
}

fn turns_about_several_axes(kind: &JointKind) -> bool {
    matches!(kind, JointKind::Ball | JointKind::Universal { .. } | JointKind::Free)
}

impl Reference {
    pub(crate) fn of(tree: &Tree, kinematics: &Kinematics, base: &Base, momenta: &[SpatialForce]) -> Self {
        match center_if_free(tree, kinematics) {
            Some((point, mass)) => {
                Self { point, velocity: momenta.iter().map(|m| m.force).sum::<DVec3>() / mass }
            }
            None => Self { point: base.pose.position, velocity: base.linear },
        }
    }
}

/// Momenta `momenta` of the links, with angular momenta about the reference point and relative to it: L + (c − O) ×
/// (p − m V).
pub(crate) fn about_reference(
    tree: &Tree,
    kinematics: &Kinematics,
    reference: &Reference,
    momenta: &[SpatialForce],
    out: &mut [SpatialForce],
) {
    for (i, link) in tree.links().iter().enumerate() {
        let SpatialForce { force, moment } = momenta[i];
        let relative = force - link.inertia.mass * reference.velocity;
        let arm = kinematics.com[i] - reference.point;
        out[i] = SpatialForce { force, moment: moment + arm.cross(relative) };
    }
}

/// Center of mass and mass of a tree whose root is free to move.
fn center_if_free(tree: &Tree, kinematics: &Kinematics) -> Option<(DVec3, f64)> {
    let root = tree.links().first()?;
    let free = matches!(root.joint.kind, JointKind::Free | JointKind::Planar { .. });
    let mass: f64 = tree.links().iter().map(|link| link.inertia.mass).sum();
    if !free || mass == 0.0 {
        return None;
    }
    let links = tree.links().iter().zip(&kinematics.com);
    Some((links.map(|(link, com)| link.inertia.mass * *com).sum::<DVec3>() / mass, mass))
}
