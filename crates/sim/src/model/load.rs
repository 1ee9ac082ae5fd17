//! Forces from outside, and natural shapes that change in time.

use crate::time_function::TimeFunction;
use glam::DVec3;

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
