//! Joint velocities that move a frame of a link towards a target pose.
//!
//! With e the pose error (displacement, and rotation vector times a length L so that both are in m) and J the
//! Jacobian of the frame, scaled alike, the joint displacements u minimize |J u − e|² + λ² |u|²:
//!
//! u = Jᵀ (J Jᵀ + λ² 1)⁻¹ e.
//!
//! λ keeps u bounded where the arm is stretched or folded; it is a fraction `damping` of the mean size of J. A joint
//! that would exceed a limit is fixed at the limit, and the others are solved again for the remaining e. If a joint
//! would exceed its greatest speed, all joints slow down by the same factor, so that the frame keeps its direction.
//! Mimic joints contribute to the column of their leader.
//!
//! Sources: Wampler (1986) and Nakamura and Hanafusa (1986), damped least squares; Chiaverini, Oriolo and Walker,
//! Springer Handbook of Robotics (2008), chapter 11.

use crate::damped_least_squares::DampedLeastSquares;
use crate::tree::Tree;
use ropewalk_linalg::Pose;
use thiserror::Error;

/// Greatest displacement of a joint in one iteration of [`InverseKinematics::reach`], rad or m.
const STRIDE: f64 = 0.5;
/// Iterations of [`InverseKinematics::reach`] from one start.
const ITERATIONS: usize = 200;
/// Starts of [`InverseKinematics::reach`], the first from the present joint positions.
const STARTS: usize = 8;
/// Consecutive iterations that gain less than a thousandth before a start is abandoned.
const PATIENCE: usize = 8;

/// Why the problem is invalid.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum InverseKinematicsError {
    /// No such link.
    #[error("there is no link {index}; the tree has {count}")]
    Link {
        /// The number given.
        index: usize,
        /// Links of the tree.
        count: usize,
    },
    /// A chosen joint cannot be used.
    #[error("joint \"{joint}\": {message}")]
    Joint {
        /// Its name.
        joint: String,
        /// Why not, and the remedy.
        message: String,
    },
    /// No joint moves the link.
    #[error("no joint that may be used moves link \"{link}\"; choose joints between it and the root")]
    Immobile {
        /// The link.
        link: String,
    },
}

/// The remaining error of the frame, and how it was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Remaining distance in m.
    pub position_error: f64,
    /// Remaining angle in rad.
    pub rotation_error: f64,
    /// Number of coordinates at a limit.
    pub at_limit: usize,
    /// Whether joints were slowed down to their speed limits.
    pub slowed: bool,
    /// Iterations.
    pub iterations: usize,
}

/// Moves one frame of one tree. Nothing is allocated after [`InverseKinematics::new`].
#[derive(Clone, Debug)]
pub struct InverseKinematics {
    /// Fraction of the mean size of J by which it is damped.
    pub damping: f64,
    /// L: the length in m that converts angles to displacements.
    pub rotation_length: f64,
    linear: DampedLeastSquares,
    v: Vec<f64>,
    q: Vec<f64>,
    q_trial: Vec<f64>,
    q_best: Vec<f64>,
}

impl InverseKinematics {
    /// For the frame `offset` of `link`. `joints` are the links whose joints may be used; all that move the link if
    /// `None`. Joints that follow another cannot be chosen: their leader moves them.
    pub fn new(
        tree: &Tree,
        link: usize,
        offset: Pose,
        joints: Option<&[usize]>,
    ) -> Result<Self, InverseKinematicsError> {
        let count = tree.links().len();
        let chosen = joints.unwrap_or(&[]);
        if let Some(&index) = chosen.iter().chain([&link]).find(|i| **i >= count) {
            return Err(InverseKinematicsError::Link { index, count });
        }
        for &i in chosen {
            let joint = &tree.links()[i].joint;
            let message = if joint.kind.velocity_count() == 0 {
                "it is fixed and cannot be used; leave it out"
            } else if joint.mimic.is_some() {
                "it follows another joint; choose the one that leads"
            } else {
                continue;
            };
            return Err(InverseKinematicsError::Joint { joint: joint.name.clone(), message: message.into() });
        }
        let linear = DampedLeastSquares::new(tree, link, offset, |i| joints.is_none() || chosen.contains(&i));
        if linear.coordinates.is_empty() {
            return Err(InverseKinematicsError::Immobile { link: tree.links()[link].name.clone() });
        }
        let positions = || vec![0.0; tree.position_count()];
        Ok(Self {
            damping: 0.01,
            rotation_length: 0.3,
            linear,
            v: vec![0.0; tree.velocity_count()],
            q: positions(),
            q_trial: positions(),
            q_best: positions(),
        })
    }

    /// World pose of the frame at `q` on a base at `base`.
    pub fn pose(&mut self, tree: &Tree, base: &Pose, q: &[f64]) -> Pose {
        self.linear.frame(tree, base, q)
    }

    /// Joint velocities `v` (of all joints; zero for those not used) that bring the frame from `q` towards `wanted`
    /// within `dt` (s), in world coordinates with the base at `base`. Errors are those that remain at q ⊕ dt v.
    pub fn velocities(
        &mut self,
        tree: &Tree,
        base: &Pose,
        q: &[f64],
        wanted: &Pose,
        dt: f64,
        v: &mut [f64],
    ) -> Reached {
        let linear = &mut self.linear;
        let pose_error = linear.pose_error(tree, base, q, wanted, self.rotation_length);
        linear.linearize(tree, self.rotation_length);
        linear.bound(q);
        // A joint with zero speed is fixed, since otherwise it would stop all others.
        for (c, bounds) in linear.coordinates.iter().zip(&mut linear.bounds) {
            if linear.movers[c.movers.clone()].iter().any(|m| m.ratio != 0.0 && m.velocity_limit == 0.0) {
                *bounds = [0.0; 2];
            }
        }
        let at_limit = linear.solve(pose_error, self.damping);
        let mut scale = 1.0f64;
        for (c, u) in linear.coordinates.iter().zip(&linear.u) {
            for m in &linear.movers[c.movers.clone()] {
                let speed = (m.ratio * u / dt).abs();
                if speed > m.velocity_limit {
                    scale = scale.min(m.velocity_limit / speed);
                }
            }
        }
        linear.spread(scale / dt, v);
        tree.add_displacement(q, v, dt, &mut self.q_trial);
        let pose_error = linear.pose_error(tree, base, &self.q_trial, wanted, self.rotation_length);
        self.reached(&pose_error, at_limit, scale < 1.0, 1)
    }

    /// Moves the joints in `q` until the frame is at `wanted` within `tolerance` (m; angles times the length L), or
    /// as near as possible. Joints start within their limits, and followers at the positions that their leaders
    /// imply; if the iteration stalls, a few other starts nearby are tried. Speed limits are ignored.
    pub fn reach(
        &mut self,
        tree: &Tree,
        base: &Pose,
        q: &mut [f64],
        wanted: &Pose,
        tolerance: f64,
    ) -> Reached {
        let mut best = ([f64::INFINITY; 6], 0);
        let mut iterations = 0;
        for start in 0..STARTS {
            self.start_from(q, start);
            let (pose_error, at_limit, more) = self.descend(tree, base, wanted, tolerance);
            iterations += more;
            // Not `<`, so that the first start always counts.
            if start == 0 || size(&pose_error) < size(&best.0) {
                best = (pose_error, at_limit);
                self.q_best.copy_from_slice(&self.q);
            }
            if size(&pose_error) <= tolerance {
                break;
            }
        }
        q.copy_from_slice(&self.q_best);
        self.reached(&best.0, best.1, false, iterations)
    }

    /// Moves from `self.q` towards `wanted` by repeated linear steps. Returns the remaining error, the number of
    /// coordinates at a limit, and the iterations.
    fn descend(
        &mut self,
        tree: &Tree,
        base: &Pose,
        wanted: &Pose,
        tolerance: f64,
    ) -> ([f64; 6], usize, usize) {
        let length = self.rotation_length;
        let linear = &mut self.linear;
        let (mut damping, mut stuck, mut at_limit, mut iterations) = (self.damping, 0, 0, 0);
        let mut pose_error = linear.pose_error(tree, base, &self.q, wanted, length);
        linear.linearize(tree, length);
        while size(&pose_error) > tolerance && stuck < PATIENCE && iterations < ITERATIONS {
            iterations += 1;
            linear.bound(&self.q);
            let limited = linear.solve(pose_error, damping);
            let longest = linear.u.iter().fold(STRIDE, |m, u| m.max(u.abs()));
            linear.spread(STRIDE / longest, &mut self.v);
            tree.add_displacement(&self.q, &self.v, 1.0, &mut self.q_trial);
            let next = linear.pose_error(tree, base, &self.q_trial, wanted, length);
            let gain = size(&next) / size(&pose_error);
            stuck = if gain < 0.999 { 0 } else { stuck + 1 };
            if gain < 1.0 {
                (pose_error, at_limit) = (next, limited);
                self.q.copy_from_slice(&self.q_trial);
                linear.linearize(tree, length);
                damping = (0.3 * damping).max(1e-3 * self.damping);
            } else {
                // The columns are still those at q.
                damping = (10.0 * damping).max(1e-3);
            }
        }
        (pose_error, at_limit, iterations)
    }

    /// Sets `self.q` to the start of number `start` near `q`: coordinates within limits, followers with their
    /// leaders.
    fn start_from(&mut self, q: &[f64], start: usize) {
        self.q.copy_from_slice(q);
        for (k, c) in self.linear.coordinates.iter().enumerate() {
            let Some(at) = c.q else { continue };
            // Multiples of the golden ratio spread evenly over an interval.
            let spread = 2.0 * (0.618_033_988_749_895 * (11 * start + k + 1) as f64).fract() - 1.0;
            let leader = (q[at] + 0.3 * start as f64 * spread).clamp(c.limits[0], c.limits[1]);
            for m in &self.linear.movers[c.movers.clone()] {
                if let Some(at) = m.q {
                    self.q[at] = m.ratio * leader + m.offset;
                }
            }
        }
    }

    fn reached(&self, pose_error: &[f64; 6], at_limit: usize, slowed: bool, iterations: usize) -> Reached {
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        Reached {
            position_error: length(&pose_error[..3]),
            rotation_error: length(&pose_error[3..]) / self.rotation_length,
            at_limit,
            slowed,
            iterations,
        }
    }
}

fn size(pose_error: &[f64; 6]) -> f64 {
    pose_error.iter().map(|x| x * x).sum::<f64>().sqrt()
}
