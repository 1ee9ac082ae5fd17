//! Joints: kind, frame, limits, damping and friction, mimic.
//!
//! | `type` | becomes | reads |
//! |---|---|---|
//! | `fixed` | welded | – |
//! | `revolute`, `prismatic` | one degree of freedom with limits | `axis`, `limit` (required), `dynamics`, `mimic` |
//! | `continuous` | a turn without limits | `axis`, `limit` (effort, velocity), `dynamics`, `mimic` |
//! | `planar` | x, y in the plane and the angle about its normal | `axis` (the normal), `limit` (effort, velocity), `dynamics` |
//! | `floating` | six degrees of freedom | `limit` (effort, velocity), `dynamics` |
//! | `ball`, `spherical` (extensions) | a turn about a point | `limit` (effort, velocity), `dynamics` |
//! | `universal` (extension) | turns about `axis`, then `axis2` | both axes, `limit` (effort, velocity), `dynamics` |
//!
//! Elements without meaning for a kind (an axis of a fixed joint) are neither read nor listed.

use super::reader::{Bound, Element, Reader};
use crate::error::SceneError;
use glam::DVec3;
use ropewalk_body::{Joint, JointKind};

const TYPES: [&str; 9] =
    ["fixed", "revolute", "continuous", "prismatic", "planar", "floating", "ball", "spherical", "universal"];

/// A `<joint>`.
pub(super) struct JointEntry<'n> {
    pub(super) node: Element<'n>,
    pub(super) parent: &'n str,
    pub(super) child: &'n str,
    /// The joint without its mimic, which names another joint.
    pub(super) joint: Joint,
    pub(super) mimic: Option<MimicEntry<'n>>,
}

/// A `<mimic>`.
pub(super) struct MimicEntry<'n> {
    pub(super) node: Element<'n>,
    pub(super) leader: &'n str,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// Reads a `<joint>`.
pub(super) fn read_joint<'n>(
    reader: &mut Reader<'_>,
    node: Element<'n>,
) -> Result<JointEntry<'n>, SceneError> {
    let name = reader.name(node, "name")?;
    let known = ["origin", "parent", "child", "axis", "axis2", "limit", "dynamics", "mimic"];
    reader.drop_unknown(node, &["name", "type"], &known);
    let kind = read_kind(reader, node)?;
    let parent = read_end(reader, node, "parent")?;
    let child = read_end(reader, node, "child")?;
    let pose = reader.origin(node)?;
    let mut joint = Joint::new(name, kind, pose);
    if kind != JointKind::Fixed {
        read_limit(reader, node, &mut joint)?;
        if let Some(dynamics) = reader.child(node, "dynamics")? {
            reader.drop_unknown(dynamics, &["damping", "friction"], &[]);
            joint.damping = reader.number_or(dynamics, "damping", Bound::NotNegative, 0.0)?;
            joint.dry_friction = reader.number_or(dynamics, "friction", Bound::NotNegative, 0.0)?;
        }
    }
    let mimic = read_mimic(reader, node, &joint)?;
    Ok(JointEntry { node, parent, child, joint, mimic })
}

fn read_kind(reader: &mut Reader<'_>, node: Element<'_>) -> Result<JointKind, SceneError> {
    let kind = reader.attribute(node, "type")?;
    let mut axis = || reader.direction(node, "axis", Some(DVec3::X));
    Ok(match kind {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis: axis()? },
        "continuous" => JointKind::Continuous { axis: axis()? },
        "prismatic" => JointKind::Prismatic { axis: axis()? },
        "planar" => JointKind::Planar { normal: axis()? },
        "floating" => JointKind::Free,
        "ball" | "spherical" => JointKind::Ball,
        "universal" => {
            let axes = [axis()?, reader.direction(node, "axis2", None)?];
            if axes[0].cross(axes[1]).length() < 1e-6 {
                return Err(reader
                    .error(node, "the two axes of a universal joint must not be parallel")
                    .hint("turn <axis2>, or use a revolute joint"));
            }
            JointKind::Universal { axes }
        }
        _ => return Err(reader.unknown_word(node, "type", "joint of type", &TYPES)),
    })
}

fn read_end<'n>(reader: &mut Reader<'_>, node: Element<'n>, end: &str) -> Result<&'n str, SceneError> {
    let element = reader.required_child(node, end, &format!("<{end} link=\"…\"/>"))?;
    reader.drop_unknown(element, &["link"], &[]);
    reader.attribute(element, "link")
}

fn read_limit(reader: &mut Reader<'_>, node: Element<'_>, joint: &mut Joint) -> Result<(), SceneError> {
    let bounded = matches!(joint.kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
    let Some(limit) = reader.child(node, "limit")? else {
        if !bounded {
            return Ok(());
        }
        let hint = match joint.kind {
            JointKind::Revolute { .. } => {
                "add <limit lower=\"…\" upper=\"…\" effort=\"…\" velocity=\"…\"/>, or make it continuous"
            }
            _ => "add <limit lower=\"…\" upper=\"…\" effort=\"…\" velocity=\"…\"/>; inf stands for none",
        };
        return Err(reader.error(node, format!("a {} joint needs a <limit>", joint.kind.name())).hint(hint));
    };
    if bounded {
        reader.drop_unknown(limit, &["lower", "upper", "effort", "velocity"], &[]);
        // Default of the format for a missing bound.
        let lower = reader.number_or(limit, "lower", Bound::FiniteOrInfinite, 0.0)?;
        let upper = reader.number_or(limit, "upper", Bound::FiniteOrInfinite, 0.0)?;
        if lower > upper || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
            return Err(reader
                .error(limit, format!("the lower limit {lower} is above the upper limit {upper}"))
                .hint(
                    "swap them; a joint without limits is continuous, or has lower=\"-inf\" upper=\"inf\"",
                ));
        }
        joint.limits = [lower, upper];
    } else {
        // Limits of position have no meaning here, and are listed.
        reader.drop_unknown(limit, &["effort", "velocity"], &[]);
    }
    let infinite = f64::INFINITY;
    joint.effort_limit = reader.number_or(limit, "effort", Bound::NotNegativeOrInfinite, infinite)?;
    joint.velocity_limit = reader.number_or(limit, "velocity", Bound::NotNegativeOrInfinite, infinite)?;
    Ok(())
}

fn read_mimic<'n>(
    reader: &mut Reader<'_>,
    node: Element<'n>,
    joint: &Joint,
) -> Result<Option<MimicEntry<'n>>, SceneError> {
    let Some(mimic) = reader.child(node, "mimic")? else {
        return Ok(None);
    };
    if joint.kind == JointKind::Fixed {
        reader.drop_at(mimic, format!("<mimic> of the fixed joint {:?}: it does not move", joint.name));
        return Ok(None);
    }
    if joint.kind.velocity_count() != 1 {
        return Err(reader
            .error(mimic, format!("a {} joint cannot follow another", joint.kind.name()))
            .expected("a joint with one degree of freedom"));
    }
    reader.drop_unknown(mimic, &["joint", "multiplier", "offset"], &[]);
    Ok(Some(MimicEntry {
        node: mimic,
        leader: reader.attribute(mimic, "joint")?,
        multiplier: reader.number_or(mimic, "multiplier", Bound::Finite, 1.0)?,
        offset: reader.number_or(mimic, "offset", Bound::Finite, 0.0)?,
    }))
}
