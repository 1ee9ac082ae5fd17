//! The model: everything that stays the same during a run.

use crate::time_function::TimeFunction;
use glam::DVec3;
use ropewalk_rod::{Rod, RodState};

/// A world of rods with what holds and loads them.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Gravity in m/s².
    pub gravity: DVec3,
    /// Names of the rods.
    pub rod_names: Vec<String>,
    /// The rods, in the order of [`State::rods`].
    pub rods: Vec<Rod>,
    /// Edges and nodes held or driven.
    pub clamps: Vec<Clamp>,
    /// Forces from outside.
    pub loads: Vec<Load>,
    /// Natural curvature and twist that change in time.
    pub shape_drives: Vec<ShapeDrive>,
    /// How steps are taken.
    pub settings: Settings,
}

/// The state: all that a run must keep to go on.
#[derive(Debug, Default, PartialEq)]
pub struct State {
    /// Time in s.
    pub time: f64,
    /// Rods, in the order of [`Model::rods`].
    pub rods: Vec<RodState>,
}

// By hand for the sake of `clone_from`, which keeps what `self` has allocated.
impl Clone for State {
    fn clone(&self) -> Self {
        Self { time: self.time, rods: self.rods.clone() }
    }
    fn clone_from(&mut self, source: &Self) {
        self.time = source.time;
        self.rods.clone_from(&source.rods);
    }
}

impl State {
    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.time.is_finite() && self.rods.iter().all(RodState::is_finite)
    }
}

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

/// A force from outside on one rod, scaled by a function of time.
#[derive(Clone, Debug)]
pub struct Load {
    /// Name, for reports.
    pub name: String,
    /// Index of the rod.
    pub rod: usize,
    /// What acts.
    pub kind: LoadKind,
    /// Factor on it; not read for drag.
    pub scale: TimeFunction,
}

/// Kinds of load.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadKind {
    /// A force of fixed direction on a node.
    Point {
        /// Node.
        node: usize,
        /// Force in N, world axes.
        force: DVec3,
    },
    /// A force on a node that turns with an edge.
    FollowerPoint {
        /// Node on which it acts.
        node: usize,
        /// Edge with which it turns.
        edge: usize,
        /// Force in N along m₁, m₂ and t of that edge.
        force: DVec3,
    },
    /// A force per length of fixed direction on edges.
    Distributed {
        /// First and last edge, both included.
        edges: [usize; 2],
        /// Force in N/m, world axes, per rest length.
        force: DVec3,
    },
    /// A force per length that turns with each edge.
    FollowerDistributed {
        /// First and last edge, both included.
        edges: [usize; 2],
        /// Force in N/m along m₁, m₂ and t of each edge, per rest length.
        force: DVec3,
    },
    /// A torque about the tangent of an edge.
    SpinTorque {
        /// Edge.
        edge: usize,
        /// Torque in N·m.
        torque: f64,
    },
    /// Drag of a fluid on the whole rod: per length c_t v_t + (c_n + c_q |v_n|) v_n, against the velocity
    /// relative to the fluid; v_n is its part across the rod, |v_n| taken at the start of the step.
    Drag {
        /// c_n, across the rod, in N·s/m².
        normal: f64,
        /// c_t, along the rod, in N·s/m².
        tangential: f64,
        /// c_q, across the rod, in N·s²/m³.
        quadratic: f64,
        /// Velocity of the fluid in m/s.
        flow: DVec3,
    },
}

/// Adds to the natural curvature and twist of a rod: base + scale(t) · change.
#[derive(Clone, Debug)]
pub struct ShapeDrive {
    /// Index of the rod.
    pub rod: usize,
    /// κ̄₁ to add at each node at scale 1, integrated over the stencil, in rad; one entry per node.
    pub kappa1: Vec<f64>,
    /// κ̄₂, likewise.
    pub kappa2: Vec<f64>,
    /// τ̄, likewise.
    pub tau: Vec<f64>,
    /// Factor as a function of time.
    pub scale: TimeFunction,
    /// What is added to: the natural shape at the start of the run.
    pub base: ropewalk_rod::NaturalShape,
}

/// The θ-method: q^θ = θ q + (1−θ) q₀, v^θ likewise, q = q₀ + δt (θ_vq v + (1−θ_vq) v₀).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// θ.
    pub theta: f64,
    /// θ_vq.
    pub theta_vq: f64,
}

impl Scheme {
    /// Backward Euler, the default: first order, dissipative, stable at any step.
    pub const BACKWARD_EULER: Self = Self { theta: 1.0, theta_vq: 1.0 };
    /// The midpoint rule: second order, keeps momentum and nearly energy.
    pub const MIDPOINT: Self = Self { theta: 0.5, theta_vq: 0.5 };
    /// Symplectic Euler: first order, explicit, stable only at small steps.
    pub const SYMPLECTIC_EULER: Self = Self { theta: 0.0, theta_vq: 1.0 };
}

impl Default for Scheme {
    fn default() -> Self {
        Self::BACKWARD_EULER
    }
}

/// How steps are taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Time step δt in s.
    pub dt: f64,
    /// Time-stepping scheme.
    pub scheme: Scheme,
    /// A step has converged when the momentum residual is below this fraction of the impulses at work.
    pub tolerance: f64,
    /// Newton iterations before the step is halved.
    pub max_iterations: usize,
    /// A step may be halved this often before it is given up: at most 2^this sub-steps.
    pub max_halvings: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { dt: 1e-3, scheme: Scheme::default(), tolerance: 1e-6, max_iterations: 30, max_halvings: 20 }
    }
}
