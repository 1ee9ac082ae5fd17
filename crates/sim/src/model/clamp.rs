//! Clamps: parts of rods that are held or driven for the whole run, or until they are let go.

use crate::time_function::TimeFunction;
use glam::{DQuat, DVec3};
use ropewalk_rod::{Rod, RodState};

/// What a clamp holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The position of one node.
    Node(usize),
    /// Position, tangent and twist of an edge: both its nodes and its γ.
    Edge(usize),
    /// Position and tangent of an edge; it may spin about itself.
    EdgeFreeSpin(usize),
    /// The twist angle γ of an edge alone: its material frame keeps the given turn from the frame that
    /// is carried along without spin.
    Spin(usize),
}

/// Holds or drives part of a rod.
#[derive(Clone, Debug)]
pub struct Clamp {
    /// Name, for reports.
    pub name: String,
    /// Index of the rod.
    pub rod: usize,
    /// What is held.
    pub hold: Hold,
    /// How what is held moves, as a rigid motion from where it is at the start of the run.
    pub motion: Motion,
    /// Where what is held is at the start of the run; see [`ClampPose::of`].
    pub start: ClampPose,
    /// From this time on (s) the clamp is gone. `f64::INFINITY` for never.
    pub release_time: f64,
}

/// A rigid motion as a function of time.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// Translation along x, y and z in m.
    pub translation: [TimeFunction; 3],
    /// Axis of rotation, through the point that is held (the middle of an edge); a unit vector.
    pub axis: DVec3,
    /// Angle about that axis in rad; may be many turns.
    pub angle: TimeFunction,
}

impl Motion {
    /// Translation in m and rotation at time `t`.
    pub fn at(&self, t: f64) -> (DVec3, DQuat) {
        let [x, y, z] = &self.translation;
        let shift = DVec3::new(x.value(t), y.value(t), z.value(t));
        let angle = self.angle.value(t);
        let turn = if angle == 0.0 { DQuat::IDENTITY } else { DQuat::from_axis_angle(self.axis, angle) };
        (shift, turn)
    }
}

/// Place of what a clamp holds at the start of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClampPose {
    /// The node, or the middle of the edge, in m.
    pub point: DVec3,
    /// Half of the edge as a vector in m; zero for a node.
    pub half_edge: DVec3,
    /// Material director m₁ of the edge; zero for a node.
    pub director: DVec3,
    /// γ of the edge in rad.
    pub gamma: f64,
}

impl ClampPose {
    /// The pose of `hold` in `state`.
    pub fn of(hold: Hold, rod: &Rod, state: &RodState) -> Self {
        match hold {
            Hold::Node(node) => Self { point: state.position(node), ..Self::default() },
            Hold::Edge(e) | Hold::EdgeFreeSpin(e) | Hold::Spin(e) => {
                let half_edge = 0.5 * state.edge(rod, e);
                Self {
                    point: state.position(e) + half_edge,
                    half_edge,
                    director: state.material_frame(rod, e)[0],
                    gamma: state.q[e][3],
                }
            }
        }
    }
}
