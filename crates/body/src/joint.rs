//! Joints: how a link moves relative to its parent.
//!
//! The joint frame F is fixed to the parent, the link's own frame M moves in it. Coordinates by kind:
//!
//! | kind | q | v |
//! |---|---|---|
//! | fixed | – | – |
//! | revolute, continuous | angle (rad) | rate |
//! | prismatic | displacement (m) | rate |
//! | ball | quat_xyzw of M in F | angular velocity of M in F, axes of F |
//! | universal | angles about `axes[0]` (fixed to F), then about `axes[1]` (turned by the first) | rates |
//! | planar | x and y in the plane (m), angle about its normal (rad) | rates |
//! | free | position of M in F (m), quat_xyzw | velocity of M's origin, angular velocity, both in the axes of F |
//!
//! The axes of the plane are those that [`plane_axes`] derives from the normal.

use glam::DVec3;
use ropewalk_linalg::Pose;

/// The kind of a joint, with its axes in the joint frame; unit vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Welded.
    Fixed,
    /// Rotates about an axis; has limits.
    Revolute {
        /// Axis.
        axis: DVec3,
    },
    /// Rotates about an axis without limits.
    Continuous {
        /// Axis.
        axis: DVec3,
    },
    /// Slides along an axis.
    Prismatic {
        /// Axis.
        axis: DVec3,
    },
    /// Rotates freely about a point.
    Ball,
    /// Rotates about two successive axes.
    Universal {
        /// The axis fixed to the parent, then the one fixed to the link.
        axes: [DVec3; 2],
    },
    /// Slides in a plane and rotates about its normal.
    Planar {
        /// Normal of the plane.
        normal: DVec3,
    },
    /// Six degrees of freedom.
    Free,
}

impl JointKind {
    /// Length of its part of q.
    pub fn position_count(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Continuous { .. } | Self::Prismatic { .. } => 1,
            Self::Universal { .. } => 2,
            Self::Planar { .. } => 3,
            Self::Ball => 4,
            Self::Free => 7,
        }
    }

    /// Length of its part of v.
    pub fn velocity_count(&self) -> usize {
        match self {
            Self::Ball => 3,
            Self::Free => 6,
            _ => self.position_count(),
        }
    }

    /// Name, as users write it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute { .. } => "revolute",
            Self::Continuous { .. } => "continuous",
            Self::Prismatic { .. } => "prismatic",
            Self::Ball => "ball",
            Self::Universal { .. } => "universal",
            Self::Planar { .. } => "planar",
            Self::Free => "free",
        }
    }
}

/// The x and y axes of the plane with unit normal `n`: x is the world axis least along n, made
/// perpendicular to it (of equals the first), and y = n × x. For n = z they are x and y.
pub fn plane_axes(n: DVec3) -> [DVec3; 2] {
    let a = n.abs();
    let seed = if a.x <= a.y && a.x <= a.z {
        DVec3::X
    } else if a.y <= a.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let x = (seed - n * n.dot(seed)).normalize();
    [x, n.cross(x)]
}

/// A joint that follows another of the same tree: q = multiplier · q_leader + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// The link whose joint leads.
    pub leader: usize,
    /// Ratio.
    pub multiplier: f64,
    /// Offset in rad or m.
    pub offset: f64,
}

/// The joint between a link and its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The joint frame F in the parent link (in the world for a root).
    pub pose: Pose,
    /// Least and greatest position (rad or m) of a joint with one degree of freedom; may be infinite.
    pub limits: [f64; 2],
    /// Greatest effort of its actuator, N or N·m; may be infinite.
    pub effort_limit: f64,
    /// Greatest speed that a planner should ask for, rad/s or m/s; may be infinite. Not enforced by the
    /// dynamics.
    pub velocity_limit: f64,
    /// Viscous damping per degree of freedom, N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Dry friction per degree of freedom, N·m or N.
    pub dry_friction: f64,
    /// Rotor inertia seen at the joint, per degree of freedom, kg·m² or kg.
    pub armature: f64,
    /// Spring of a joint with one degree of freedom, N·m/rad or N/m.
    pub spring_stiffness: f64,
    /// Position at which the spring has no force, rad or m.
    pub spring_rest: f64,
    /// The leading joint, if any; only between joints with one degree of freedom.
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// A joint without limits, damping or the like.
    pub fn new(name: impl Into<String>, kind: JointKind, pose: Pose) -> Self {
        Self {
            name: name.into(),
            kind,
            pose,
            limits: [f64::NEG_INFINITY, f64::INFINITY],
            effort_limit: f64::INFINITY,
            velocity_limit: f64::INFINITY,
            damping: 0.0,
            dry_friction: 0.0,
            armature: 0.0,
            spring_stiffness: 0.0,
            spring_rest: 0.0,
            mimic: None,
        }
    }
}
