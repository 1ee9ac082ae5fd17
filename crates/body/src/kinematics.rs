//! Positions and velocities of the links of a tree.
//!
//! Link i is connected to its parent p by a joint whose frame F is fixed to p. With the unit motions (l_k, a_k) of
//! the joint's degrees of freedom, velocity of the link's origin and angular velocity for v_k = 1,
//!
//! ω_i = ω_p + Σ a_k v_k, ẋ_i = ẋ_p + ω_p × r + Σ l_k v_k with r = x_i − x_p,
//!
//! and with v̇ = 0 (the bias accelerations J̇ v)
//!
//! ω̇_i = ω̇_p + Σ ȧ_k v_k, ẍ_i = ẍ_p + ω̇_p × r + ω_p × (ω_p × r) + 2 ω_p × Σ l_k v_k.
//!
//! Axes are fixed to F, so ȧ_k = ω_p × a_k; only the second axis of a universal joint turns with the first.
//!
//! | symbol | name | meaning |
//! |---|---|---|
//! | x_i, R_i | `poses` | world pose of a link |
//! | ẋ_i, ω_i | `linear`, `angular` | velocity of its origin in m/s, angular velocity in rad/s |
//! | c_i | `com` | center of mass |
//! | I_i | `inertia` | rotational inertia about c_i, kg·m² |
//! | l_k, a_k | `axis_linear`, `axis_angular` | unit motion of a degree of freedom, at the origin of its link |
//! | ẍ_i, ω̇_i | `bias_linear`, `bias_angular` | accelerations for v̇ = 0 |
//!
//! All in world axes. Source: Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 4 and 5, here in world
//! axes and with plain three-vectors.

use crate::base::Base;
use crate::joint::{JointKind, plane_axes};
use crate::tree::Tree;
use glam::{DMat3, DQuat, DVec3};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::exp_rotation;

/// Poses, velocities and axes of all links of a tree, in world axes.
#[derive(Clone, Debug)]
pub struct Kinematics {
    /// World pose of each link.
    pub poses: Vec<Pose>,
    /// Velocity of each link's origin in m/s.
    pub linear: Vec<DVec3>,
    /// Angular velocity of each link in rad/s.
    pub angular: Vec<DVec3>,
    /// Center of mass of each link in m.
    pub com: Vec<DVec3>,
    /// Rotational inertia of each link about its center of mass in kg·m².
    pub inertia: Vec<DMat3>,
    /// Acceleration of each link's origin in m/s² if all joint velocities stay as they are.
    pub bias_linear: Vec<DVec3>,
    /// Angular acceleration of each link in rad/s² if all joint velocities stay as they are.
    pub bias_angular: Vec<DVec3>,
    /// Position of the base, m.
    pub base_position: DVec3,
    axes: Vec<Axis>,
}

/// Unit motion of a degree of freedom, and the point to which `linear` refers.
#[derive(Clone, Copy, Debug)]
struct Axis {
    origin: DVec3,
    linear: DVec3,
    angular: DVec3,
}

impl Axis {
    const ZERO: Self = Self { origin: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO };
}

impl Kinematics {
    /// Room for `tree`; call [`Self::update`] before reading from it.
    pub fn new(tree: &Tree) -> Self {
        let n = tree.links().len();
        let vectors = || vec![DVec3::ZERO; n];
        Self {
            poses: vec![Pose::IDENTITY; n],
            linear: vectors(),
            angular: vectors(),
            com: vectors(),
            inertia: vec![DMat3::ZERO; n],
            bias_linear: vectors(),
            bias_angular: vectors(),
            base_position: DVec3::ZERO,
            axes: vec![Axis::ZERO; tree.velocity_count()],
        }
    }

    /// Computes everything at joint positions `q` and velocities `v` on the base `base`, whose acceleration is taken
    /// as zero.
    pub fn update(&mut self, tree: &Tree, base: &Base, q: &[f64], v: &[f64]) {
        self.place(tree, &base.pose, q);
        self.turn_inertia(tree);
        self.set_velocities(tree, base, v);
        self.set_bias_accelerations(tree, base, v);
    }

    /// Poses, centers of mass and axes only.
    pub(crate) fn place(&mut self, tree: &Tree, base: &Pose, q: &[f64]) {
        self.base_position = base.position;
        for (i, link) in tree.links().iter().enumerate() {
            let outer = link.parent.map_or(*base, |p| self.poses[p]);
            let frame = outer * link.joint.pose;
            let q = &q[tree.q_range(i)];
            let axes = &mut self.axes[tree.v_range(i)];
            let pose = place_joint(&link.joint.kind, &frame, q, axes);
            self.poses[i] = pose;
            self.com[i] = pose.point(link.inertia.com);
        }
    }

    /// Inertias at the present poses.
    pub(crate) fn turn_inertia(&mut self, tree: &Tree) {
        for ((inertia, pose), link) in self.inertia.iter_mut().zip(&self.poses).zip(tree.links()) {
            let r = pose.matrix();
            *inertia = r * link.inertia.about_com * r.transpose();
        }
    }

    /// Velocities at the present poses.
    pub(crate) fn set_velocities(&mut self, tree: &Tree, base: &Base, v: &[f64]) {
        for (i, link) in tree.links().iter().enumerate() {
            let (x, mut linear, mut angular) = match link.parent {
                Some(p) => (self.poses[p].position, self.linear[p], self.angular[p]),
                None => (base.pose.position, base.linear, base.angular),
            };
            linear += angular.cross(self.poses[i].position - x);
            for k in tree.v_range(i) {
                linear += self.axes[k].linear * v[k];
                angular += self.axes[k].angular * v[k];
            }
            self.linear[i] = linear;
            self.angular[i] = angular;
        }
    }

    fn set_bias_accelerations(&mut self, tree: &Tree, base: &Base, v: &[f64]) {
        for (i, link) in tree.links().iter().enumerate() {
            let (x, omega, acceleration, alpha) = match link.parent {
                Some(p) => {
                    (self.poses[p].position, self.angular[p], self.bias_linear[p], self.bias_angular[p])
                }
                None => (base.pose.position, base.angular, DVec3::ZERO, DVec3::ZERO),
            };
            let r = self.poses[i].position - x;
            let (mut sliding, mut turning) = (DVec3::ZERO, DVec3::ZERO);
            for k in tree.v_range(i) {
                sliding += self.axes[k].linear * v[k];
                turning += self.axes[k].angular * v[k];
            }
            // 2 ω × (l v) joins ω × (ω × r): ω × (ω × r + 2 l v).
            self.bias_linear[i] = acceleration + alpha.cross(r) + omega.cross(omega.cross(r) + 2.0 * sliding);
            self.bias_angular[i] = alpha + omega.cross(turning);
            if let JointKind::Universal { .. } = link.joint.kind {
                let k = tree.v_range(i).start;
                let (first, second) = (self.axes[k].angular * v[k], self.axes[k + 1].angular * v[k + 1]);
                self.bias_angular[i] += first.cross(second);
            }
        }
    }

    /// Velocity of a world point fixed to the link of `dof`, and angular velocity of that link, for a unit velocity of
    /// `dof` alone: a column of the Jacobian of any link that [`Tree::chain`] says `dof` moves.
    #[inline]
    pub fn jacobian_column(&self, dof: usize, point: DVec3) -> (DVec3, DVec3) {
        let axis = &self.axes[dof];
        (axis.linear + axis.angular.cross(point - axis.origin), axis.angular)
    }

    /// Angular velocity for a unit velocity of `dof`.
    #[inline]
    pub fn axis_angular(&self, dof: usize) -> DVec3 {
        self.axes[dof].angular
    }

    /// Effort along `dof` of a force and moment (about the world point `point`) on its link: the transpose of
    /// [`Self::jacobian_column`].
    #[inline]
    pub fn effort(&self, dof: usize, point: DVec3, force: DVec3, moment: DVec3) -> f64 {
        let axis = &self.axes[dof];
        axis.linear.dot(force) + axis.angular.dot(moment + (point - axis.origin).cross(force))
    }

    /// Velocity in m/s of the world point `point` as fixed to `link`.
    pub fn point_velocity(&self, link: usize, point: DVec3) -> DVec3 {
        self.linear[link] + self.angular[link].cross(point - self.poses[link].position)
    }

    /// Velocity of the center of mass of `link` in m/s.
    #[inline]
    pub fn com_velocity(&self, link: usize) -> DVec3 {
        self.point_velocity(link, self.com[link])
    }

    /// J̇ v: acceleration in m/s² of the world point `point` as fixed to `link` if joint velocities stay as they are.
    pub fn point_bias_acceleration(&self, link: usize, point: DVec3) -> DVec3 {
        let r = point - self.poses[link].position;
        let omega = self.angular[link];
        self.bias_linear[link] + self.bias_angular[link].cross(r) + omega.cross(omega.cross(r))
    }

    /// The Jacobian of the world point `point` as fixed to `link`: velocity (`linear`) and angular velocity (`angular`)
    /// of three rows each, 3×n by rows, n velocities.
    pub fn point_jacobian(
        &self,
        tree: &Tree,
        link: usize,
        point: DVec3,
        linear: &mut [f64],
        angular: &mut [f64],
    ) {
        let n = tree.velocity_count();
        linear.fill(0.0);
        angular.fill(0.0);
        for dof in tree.chain(link) {
            let (l, a) = self.jacobian_column(dof, point);
            for row in 0..3 {
                linear[row * n + dof] = l[row];
                angular[row * n + dof] = a[row];
            }
        }
    }
}

/// The quaternion in the last four of `q`.
fn quaternion(q: &[f64]) -> DQuat {
    DQuat::from_xyzw(q[0], q[1], q[2], q[3])
}

fn turn(axis: DVec3, angle: f64) -> DQuat {
    let (s, c) = (0.5 * angle).sin_cos();
    DQuat::from_xyzw(s * axis.x, s * axis.y, s * axis.z, c)
}

/// Pose of a link whose joint frame is at `frame` in the world, and its axes.
fn place_joint(kind: &JointKind, frame: &Pose, q: &[f64], axes: &mut [Axis]) -> Pose {
    let moved =
        |position: DVec3, rotation: DQuat| Pose::new(frame.point(position), frame.rotation * rotation);
    let turned = |rotation: DQuat| Pose::new(frame.position, frame.rotation * rotation);
    let turning = |axis: DVec3, pose: &Pose| Axis {
        origin: pose.position,
        linear: DVec3::ZERO,
        angular: frame.vector(axis),
    };
    let sliding = |axis: DVec3, pose: &Pose| Axis {
        origin: pose.position,
        linear: frame.vector(axis),
        angular: DVec3::ZERO,
    };
    match *kind {
        JointKind::Fixed => *frame,
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
            let pose = turned(turn(axis, q[0]));
            axes[0] = turning(axis, &pose);
            pose
        }
        JointKind::Prismatic { axis } => {
            let pose = moved(axis * q[0], DQuat::IDENTITY);
            axes[0] = sliding(axis, &pose);
            pose
        }
        JointKind::Ball => {
            let pose = turned(quaternion(q));
            for (slot, axis) in axes.iter_mut().zip(DVec3::AXES) {
                *slot = turning(axis, &pose);
            }
            pose
        }
        JointKind::Universal { axes: [first, second] } => {
            let outer = turn(first, q[0]);
            let pose = turned(outer * turn(second, q[1]));
            axes[0] = turning(first, &pose);
            axes[1] = turning(outer * second, &pose);
            pose
        }
        JointKind::Planar { normal } => {
            let [x, y] = plane_axes(normal);
            let pose = moved(x * q[0] + y * q[1], turn(normal, q[2]));
            axes[0] = sliding(x, &pose);
            axes[1] = sliding(y, &pose);
            axes[2] = turning(normal, &pose);
            pose
        }
        JointKind::Free => {
            let pose = moved(DVec3::new(q[0], q[1], q[2]), quaternion(&q[3..]));
            for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                axes[k] = sliding(axis, &pose);
                axes[k + 3] = turning(axis, &pose);
            }
            pose
        }
    }
}

impl Tree {
    /// `out` = q ⊕ dt v: the positions of joints that move from `q` at constant `v` for `dt` (s). Rotations stay on
    /// their manifold: a quaternion is multiplied by exp(dt ω) and normalized.
    pub fn add_displacement(&self, q: &[f64], v: &[f64], dt: f64, out: &mut [f64]) {
        for (i, link) in self.links().iter().enumerate() {
            let (q_range, v_range) = (self.q_range(i), self.v_range(i));
            let (q, v, out) = (&q[q_range.clone()], &v[v_range], &mut out[q_range]);
            // Number of coordinates before the quaternion, if there is one.
            let plain = match link.joint.kind {
                JointKind::Ball => 0,
                JointKind::Free => 3,
                _ => q.len(),
            };
            for k in 0..plain {
                out[k] = q[k] + dt * v[k];
            }
            if plain < q.len() {
                let spin = dt * DVec3::new(v[plain], v[plain + 1], v[plain + 2]);
                let rotation = (exp_rotation(spin) * quaternion(&q[plain..])).normalize();
                out[plain..].copy_from_slice(&rotation.to_array());
            }
        }
    }
}
