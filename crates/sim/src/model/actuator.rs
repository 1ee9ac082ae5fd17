//! Actuators of joints, and hands that move along paths.

use crate::command::Guide;
use crate::time_function::TimeFunction;
use ropewalk_body::{InverseKinematics, InverseKinematicsError, Reached, Trajectory, Tree};
use ropewalk_linalg::Pose;

/// An actuator on one degree of freedom of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Name, for reports.
    pub name: String,
    /// Index of the tree.
    pub tree: usize,
    /// Index of the link whose joint it drives.
    pub link: usize,
    /// Degree of freedom within the joint.
    pub dof: usize,
    /// What it does.
    pub kind: ActuatorKind,
    /// Greatest effort in N or N·m; may be infinite.
    pub effort_limit: f64,
}

/// Kinds of actuator. Gains in N/m, N·s/m or N·m/rad, N·m·s/rad.
#[derive(Clone, Debug, PartialEq)]
pub enum ActuatorKind {
    /// A given effort in N or N·m.
    Force {
        /// Effort.
        effort: TimeFunction,
    },
    /// k_p (target − q) + k_d (rate of the target − v), taken at the end of the step.
    Position {
        /// k_p.
        position_gain: f64,
        /// k_d.
        velocity_gain: f64,
        /// Target in m or rad.
        target: TimeFunction,
    },
    /// k_d (target − v), taken at the end of the step.
    Velocity {
        /// k_d.
        velocity_gain: f64,
        /// Target in m/s or rad/s.
        target: TimeFunction,
    },
    /// k_p e + k_i ∫e dt with e = target − q, taken at the end of the step. While the effort is at its limit the
    /// integral does not grow.
    ProportionalIntegral {
        /// k_p.
        position_gain: f64,
        /// k_i, per second.
        integral_gain: f64,
        /// Target in m or rad.
        target: TimeFunction,
    },
}

impl ActuatorKind {
    /// The effort or target as a function of time.
    pub fn target(&self) -> &TimeFunction {
        match self {
            Self::Force { effort } => effort,
            Self::Position { target, .. }
            | Self::Velocity { target, .. }
            | Self::ProportionalIntegral { target, .. } => target,
        }
    }
}

/// State of one actuator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorState {
    /// A target (or effort) set from outside, which takes the place of the function of time.
    pub target: Option<f64>,
    /// Rate of that target in m/s or rad/s, for a position actuator.
    pub target_velocity: f64,
    /// ∫e dt in m·s or rad·s.
    pub integral: f64,
}

/// A hand moved in Cartesian space: inverse kinematics turns a path of poses into targets of position actuators.
#[derive(Clone, Debug)]
pub struct Hand {
    /// Name, for reports.
    pub name: String,
    /// Index of the tree.
    pub tree: usize,
    /// Link that carries the hand.
    pub link: usize,
    /// The hand's frame in that link.
    pub offset: Pose,
    /// Poses of the hand's frame in the world.
    pub path: Trajectory,
    /// Position actuators whose targets it sets, on joints with one degree of freedom.
    pub actuators: Vec<usize>,
    pub(crate) solver: InverseKinematics,
}

impl Hand {
    /// A hand at `offset` on `link` of `tree`, the tree number `index`, that moves the joints of `actuators`; `all` are
    /// the actuators of the model.
    pub fn new(
        name: String,
        (index, tree): (usize, &Tree),
        (link, offset): (usize, Pose),
        path: Trajectory,
        actuators: Vec<usize>,
        all: &[Actuator],
    ) -> Result<Self, InverseKinematicsError> {
        let joints: Vec<usize> = actuators.iter().map(|&a| all[a].link).collect();
        let solver = InverseKinematics::new(tree, link, offset, Some(&joints))?;
        Ok(Self { name, tree: index, link, offset, path, actuators, solver })
    }

    /// Joint positions in `q` that bring the hand to `pose`, the base of its tree being at `base`; how near they get.
    pub fn reach(&self, tree: &Tree, base: &Pose, q: &mut [f64], pose: &Pose) -> Reached {
        self.solver.clone().reach(tree, base, q, pose, 1e-9)
    }
}

/// State of a hand: the joint positions that it asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandState {
    /// Positions of all joints of the tree.
    pub q: Vec<f64>,
    /// A motion asked for from outside, which takes the place of the path.
    pub target: Option<Guide>,
}
