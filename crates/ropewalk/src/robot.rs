//! Robots from URDF and MJCF files.

use crate::Rotation;
use crate::table::{IntoValue, keys, table};
use glam::DVec3;
use toml::{Table, Value};

/// A robot from a URDF file, to be added to a [`WorldBuilder`](crate::WorldBuilder).
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let arm = Robot::new("robot:arm7_gripper").joint("elbow", 1.2).gravity_compensation(true);
/// let world = World::builder().robot("arm", arm).build()?;
/// assert!((world.robot("arm")?.joint_position("elbow")? - 1.2).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Robot(pub(crate) Table);

impl Robot {
    /// The robot of a URDF file, or one that comes with the library: `robot:arm7_gripper`, `robot:arm7_flange`,
    /// `robot:planar_arm`.
    pub fn new(urdf: &str) -> Self {
        Self(table([("urdf", urdf.into_value())]))
    }

    /// The robot of an MJCF file, the format of MuJoCo.
    pub fn mjcf(file: &str) -> Self {
        Self(table([("mjcf", file.into_value())]))
    }

    /// Position of a joint at the start, in rad or m.
    #[must_use]
    pub fn joint(mut self, name: &str, position: f64) -> Self {
        let joints = self.0.entry("joints").or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(joints) = joints {
            joints.insert(name.to_owned(), position.into_value());
        }
        self
    }

    /// Free to move, instead of welded to the world.
    #[must_use]
    pub fn free(self) -> Self {
        self.set("base", "free")
    }
}

keys!(Robot {
    /// The key frame of an MJCF in which it starts.
    key_frame: &str,
    /// Whether the actuators of an MJCF drive it; true by default.
    actuators: bool,
    /// Whether the nearest possible inertia stands for any that no rigid body has.
    repair_inertia: bool,
    /// Where its root is at the start in m.
    position: DVec3,
    /// How its root is turned at the start.
    rotation: Rotation,
    /// Whether gravity does not act on its links, since its controller balances it.
    gravity_compensation: bool,
    /// Coefficient of friction of its links; 0.5 by default.
    friction: f64,
});
