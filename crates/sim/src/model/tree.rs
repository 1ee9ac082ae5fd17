//! Rigid bodies: single ones and robots, each a tree of links.

use super::clamp::Motion;
use super::contact::Surface;
use ropewalk_body::{Base, Trajectory, Tree};
use ropewalk_geometry::Collider;
use ropewalk_linalg::Pose;

/// A tree of links with what its base does. A single body is a tree of one link.
#[derive(Clone, Debug)]
pub struct TreeModel {
    /// Name.
    pub name: String,
    /// Links and joints.
    pub tree: Tree,
    /// Where the base is.
    pub base: BaseMotion,
    /// Whether gravity acts on the links; false for a robot whose controller balances its own weight.
    pub heavy: bool,
    /// Shapes of the links; a link may have none or several.
    pub shapes: Vec<BodyShape>,
}

/// A shape that a link carries.
#[derive(Clone, Debug)]
pub struct BodyShape {
    /// Index of the link.
    pub link: usize,
    /// The shape's frame in the link.
    pub pose: Pose,
    /// The shape, made ready for contact.
    pub collider: Collider,
    /// Its surface.
    pub surface: Surface,
    /// Name, if it has one.
    pub name: Option<String>,
}

impl BodyShape {
    /// Half of the least extent along its own axes, m; infinite for a half-space.
    pub fn half_thickness(&self) -> f64 {
        let bounds = self.collider.shape().world_bounds(&Pose::IDENTITY);
        bounds.map_or(f64::INFINITY, |bounds| bounds.half().min_element())
    }
}

/// Motion of the frame in which the root's joint is placed.
#[derive(Clone, Debug)]
pub enum BaseMotion {
    /// At rest.
    Fixed(Pose),
    /// Poses at key frames.
    KeyFrames(Trajectory),
    /// A rigid motion from where it starts; rotations about the frame's origin, of any number of turns.
    Driven {
        /// Pose at the start.
        start: Pose,
        /// Translation and rotation since then, world axes.
        motion: Motion,
    },
}

impl BaseMotion {
    /// The pose at time `t` (s).
    pub fn pose(&self, t: f64) -> Pose {
        match self {
            Self::Fixed(pose) => *pose,
            Self::KeyFrames(path) => path.pose(t),
            Self::Driven { start, motion } => {
                let (shift, turn) = motion.at(t);
                Pose::new(start.position + shift, (turn * start.rotation).normalize())
            }
        }
    }

    /// The base at time `end`, with the velocity that brought it there from `from` in the time `dt`.
    pub fn after(&self, from: &Pose, end: f64, dt: f64) -> Base {
        let pose = self.pose(end);
        if let Self::Fixed(_) = self {
            return Base { pose, ..Base::default() };
        }
        Base::moved(from, &pose, dt)
    }
}
