//! Embedded robots, written for this program.

/// Prefix of the name of an embedded robot where a URDF file is expected.
pub const EMBEDDED_PREFIX: &str = "robot:";

/// A URDF inside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedRobot {
    /// Name, without the prefix.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// The file.
    pub text: &'static str,
}

static ROBOTS: &[EmbeddedRobot] = &[
    EmbeddedRobot {
        name: "arm7_gripper",
        title: "An arm of seven joints with a reach of 0.8 m and a gripper of two fingers",
        text: include_str!("../../robots/arm7_gripper.urdf"),
    },
    EmbeddedRobot {
        name: "arm7_flange",
        title: "The same arm with a round flange in place of the gripper",
        text: include_str!("../../robots/arm7_flange.urdf"),
    },
    EmbeddedRobot {
        name: "planar_arm",
        title: "Three revolute joints in the vertical plane",
        text: include_str!("../../robots/planar_arm.urdf"),
    },
];

/// The embedded robots.
pub fn embedded_robots() -> &'static [EmbeddedRobot] {
    ROBOTS
}
