//! Checks of links before they become a tree.

use crate::base::Base;
use crate::composite::mass_matrix_into;
use crate::inertia::Inertia;
use crate::joint::{Joint, JointKind};
use crate::kinematics::Kinematics;
use crate::tree::{Link, Tree, TreeError};
use glam::DVec3;

/// Principal moments may violate the triangle inequality by this fraction of their sum: files have few digits.
const INERTIA_TOLERANCE: f64 = 1e-6;

/// Axes of a universal joint must be farther apart than this, as the sine of the angle between them.
const LEAST_UNIVERSAL_ANGLE: f64 = 1e-6;

/// A degree of freedom counts as massless below this fraction of the inertia that the links beyond have in any
/// direction. A wire of 1 m and 0.1 mm has 1e-8; round-off makes about 1e-16.
const LEAST_INERTIA: f64 = 1e-12;

/// Checks each link and its joint; normalizes axes and rotations.
pub(crate) fn links(links: &mut [Link]) -> Result<(), TreeError> {
    if links.is_empty() {
        return Err(TreeError::Empty);
    }
    for i in 0..links.len() {
        let (before, rest) = links.split_at_mut(i);
        let link = &mut rest[0];
        let bad = |message: String| Err(TreeError::Link { link: link.name.clone(), message });
        match link.parent {
            None if i > 0 => return bad("only the first link may be without a parent".into()),
            Some(_) if i == 0 => return bad("the first link is the root and must be without a parent".into()),
            Some(p) if p >= i => return bad("a parent must come before its children".into()),
            _ => {}
        }
        if before.iter().any(|other| other.name == link.name) {
            return bad("another link has the same name; rename one of them".into());
        }
        if let Some(defect) = link.inertia.defect(INERTIA_TOLERANCE) {
            return bad(defect);
        }
        let asymmetry = link.inertia.about_com - link.inertia.about_com.transpose();
        let size = link.inertia.about_com.to_cols_array().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if asymmetry.to_cols_array().iter().any(|x| x.abs() > 1e-12 * size) {
            return bad("the inertia matrix must be symmetric".into());
        }
        if before.iter().any(|other| other.joint.name == link.joint.name) {
            return Err(joint_error(&link.joint, "another joint has the same name; rename one of them"));
        }
        joint(&mut link.joint)?;
    }
    for link in links.iter() {
        mimic(&link.joint, links)?;
    }
    Ok(())
}

fn joint_error(joint: &Joint, message: impl Into<String>) -> TreeError {
    TreeError::Joint { joint: joint.name.clone(), message: message.into() }
}

fn joint(joint: &mut Joint) -> Result<(), TreeError> {
    let kind = joint.kind.name();
    let one_dof = joint.kind.velocity_count() == 1;
    let bad = |message: String| Err(TreeError::Joint { joint: joint.name.clone(), message });
    if !joint.pose.is_finite() {
        return bad("position and rotation of its frame must be finite".into());
    }
    if joint.pose.rotation.length_squared() < 1e-12 {
        return bad(
            "the quaternion of its frame is zero; the identity is (0, 0, 0, 1) in the order xyzw".into()
        );
    }
    for (what, value) in [
        ("damping", joint.damping),
        ("dry friction", joint.dry_friction),
        ("armature", joint.armature),
        ("spring stiffness", joint.spring_stiffness),
    ] {
        if !(value.is_finite() && value >= 0.0) {
            return bad(format!("its {what} is {value}, but must be finite and not negative"));
        }
    }
    for (what, value) in [("effort limit", joint.effort_limit), ("velocity limit", joint.velocity_limit)] {
        if value.is_nan() || value < 0.0 {
            return bad(format!("its {what} is {value}, but must not be negative (infinity for none)"));
        }
    }
    if !joint.spring_rest.is_finite() {
        return bad(format!("its spring is at rest at {}, but that must be finite", joint.spring_rest));
    }
    if joint.spring_stiffness > 0.0 && !one_dof {
        return bad(format!(
            "a {kind} joint cannot have a spring; only joints with one degree of freedom can"
        ));
    }
    let [least, greatest] = joint.limits;
    if !(least <= greatest && least < f64::INFINITY && greatest > f64::NEG_INFINITY) {
        return bad(format!("its limits are {least} to {greatest}, but must be in order"));
    }
    let limited = least.is_finite() || greatest.is_finite();
    if limited && !one_dof {
        return bad(format!("a {kind} joint cannot have limits; only joints with one degree of freedom can"));
    }
    if limited && matches!(joint.kind, JointKind::Continuous { .. }) {
        return bad("a continuous joint has no limits; make it revolute".into());
    }
    let unit = |axis: DVec3| {
        if !axis.is_finite() {
            return Err(joint_error(joint, "its axis must be finite"));
        }
        // Scaled first, so that neither tiny nor huge axes lose their direction.
        let size = axis.abs().max_element();
        if size == 0.0 {
            return Err(joint_error(joint, "its axis is zero; give it a direction"));
        }
        Ok((axis / size).normalize())
    };
    let kind = match joint.kind {
        JointKind::Revolute { axis } => JointKind::Revolute { axis: unit(axis)? },
        JointKind::Continuous { axis } => JointKind::Continuous { axis: unit(axis)? },
        JointKind::Prismatic { axis } => JointKind::Prismatic { axis: unit(axis)? },
        JointKind::Planar { normal } => JointKind::Planar { normal: unit(normal)? },
        JointKind::Universal { axes: [first, second] } => {
            let axes = [unit(first)?, unit(second)?];
            if axes[0].cross(axes[1]).length() < LEAST_UNIVERSAL_ANGLE {
                return bad("its two axes are parallel; a universal joint needs two directions".into());
            }
            JointKind::Universal { axes }
        }
        kind @ (JointKind::Fixed | JointKind::Ball | JointKind::Free) => kind,
    };
    joint.kind = kind;
    joint.pose.rotation = joint.pose.rotation.normalize();
    Ok(())
}

fn mimic(joint: &Joint, links: &[Link]) -> Result<(), TreeError> {
    let Some(mimic) = joint.mimic else { return Ok(()) };
    let bad = |message: String| Err(joint_error(joint, message));
    if joint.kind.velocity_count() != 1 {
        let kind = joint.kind.name();
        return bad(format!(
            "a {kind} joint cannot follow another; only joints with one degree of freedom can"
        ));
    }
    if !(mimic.multiplier.is_finite() && mimic.offset.is_finite()) {
        return bad("multiplier and offset of its mimic must be finite".into());
    }
    let Some(leader) = links.get(mimic.leader) else {
        return bad("the joint that it is to follow is not in the tree".into());
    };
    if leader.joint.kind.velocity_count() != 1 {
        return bad(format!(
            "it is to follow \"{}\", which is {}; only joints with one degree of freedom can be followed",
            leader.joint.name,
            leader.joint.kind.name()
        ));
    }
    let mut at = mimic.leader;
    // A chain of followers without a cycle is shorter than the tree.
    for _ in 0..links.len() {
        match links.get(at).and_then(|l| l.joint.mimic) {
            Some(next) => at = next.leader,
            None => return Ok(()),
        }
    }
    bad("joints follow one another in a circle; one of them must lead".into())
}

/// Rejects trees whose mass matrix is singular in every configuration.
///
/// The rank of M(q) is the same for almost all q, so one configuration without symmetry is enough. Pivots of the
/// elimination from the leaves to the root are the inertias that each degree of freedom feels while those beyond it
/// are free, so the first that vanishes belongs to the joint that lacks mass.
pub(crate) fn mass_matrix_is_regular(tree: &Tree) -> Result<(), TreeError> {
    let n = tree.velocity_count();
    let mut state = tree.zero_state();
    for (k, v) in state.v.iter_mut().enumerate() {
        // Multiples of an irrational number: no two angles alike, none special.
        *v = 0.3 + 0.7 * (0.754_877_666_246_693 * (k + 1) as f64).fract();
    }
    let (mut q, v) = (state.q.clone(), state.v.clone());
    tree.add_displacement(&state.q, &v, 1.0, &mut q);
    let mut kinematics = Kinematics::new(tree);
    kinematics.update(tree, &Base::default(), &q, &v);
    let mut composite = vec![Inertia::ZERO; tree.links().len()];
    let mut m = vec![0.0; n * n];
    mass_matrix_into(tree, &kinematics, &mut composite, &mut m);
    for k in (0..n).rev() {
        let link = tree.dof_link(k);
        let joint = &tree.links()[link].joint;
        let beyond = &composite[link];
        let reach = (beyond.com - kinematics.poses[link].position).length_squared();
        let turning = beyond.about_com.x_axis.x + beyond.about_com.y_axis.y + beyond.about_com.z_axis.z;
        let scale = if kinematics.axis_angular(k) == DVec3::ZERO {
            beyond.mass
        } else {
            beyond.mass * reach + turning
        };
        let pivot = m[k * n + k];
        if pivot <= LEAST_INERTIA * (scale + joint.armature) || pivot <= 0.0 {
            return Err(joint_error(
                joint,
                format!(
                    "nothing beyond it has inertia along one of its degrees of freedom, so no force could move it \
                     at a finite rate; give link \"{}\" (or those on it) mass and inertia, give the joint an \
                     armature, or make it fixed",
                    tree.links()[link].name
                ),
            ));
        }
        for i in tree.chain_from(k).skip(1) {
            let factor = m[k * n + i] / pivot;
            for j in tree.chain_from(i) {
                m[i * n + j] -= factor * m[k * n + j];
                m[j * n + i] = m[i * n + j];
            }
        }
    }
    Ok(())
}
