//! Every kind of joint, in random trees on a moving base: kinematics and dynamics by their definitions.

#![allow(clippy::unwrap_used)]

mod common;

use common::{all_kinds, link, odd_inertia};
use glam::DVec3;
use proptest::prelude::*;
use ropewalk_body::{Base, JointKind, Kinematics, Tree, dynamics, energy};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::exp_rotation;

/// A tree and a moment of its motion.
#[derive(Debug)]
struct Moment {
    tree: Tree,
    q: Vec<f64>,
    v: Vec<f64>,
    base: Base,
}

/// `count` links with joints of the given kinds (numbers in [`all_kinds`]; 7 is fixed), all else from `numbers`.
fn moment(kinds: &[usize], parents: &[usize], numbers: &[f64]) -> Moment {
    let mut at = 0;
    let mut next = || {
        at += 1;
        numbers[at % numbers.len()]
    };
    let mut vector = move || DVec3::new(next(), next(), next());
    let mut links = Vec::new();
    for (i, kind) in kinds.iter().enumerate() {
        let kind = all_kinds().get(*kind).copied().unwrap_or(JointKind::Fixed);
        let (a, b) = (vector(), vector());
        let parent = (i > 0).then(|| parents[i] % i.max(1));
        let pose = Pose::new(0.3 * vector(), exp_rotation(vector()));
        let mut link = link(i, parent, kind, pose, odd_inertia([a.x, a.y, a.z, b.x, b.y, b.z]));
        link.joint.armature = 0.01 * a.x.abs();
        links.push(link);
    }
    let tree = Tree::new(links).unwrap();
    let mut v: Vec<f64> = (0..tree.velocity_count()).map(|_| vector().x).collect();
    let mut q = tree.zero_state().q;
    let from = q.clone();
    tree.add_displacement(&from, &v, 1.3, &mut q);
    for v in &mut v {
        *v = 2.0 * vector().y;
    }
    let base =
        Base { pose: Pose::new(vector(), exp_rotation(vector())), linear: vector(), angular: vector() };
    Moment { tree, q, v, base }
}

impl Moment {
    /// Kinematics after the time `t` at constant joint velocities and constant motion of the base.
    fn after(&self, t: f64) -> Kinematics {
        let mut q = self.q.clone();
        self.tree.add_displacement(&self.q, &self.v, t, &mut q);
        let rotation = exp_rotation(t * self.base.angular) * self.base.pose.rotation;
        let pose = Pose::new(self.base.pose.position + t * self.base.linear, rotation);
        let mut kinematics = Kinematics::new(&self.tree);
        kinematics.update(&self.tree, &Base { pose, ..self.base }, &q, &self.v);
        kinematics
    }

    /// The rate of change of `f` by differences of fourth order.
    fn rate(&self, f: impl Fn(&Kinematics) -> DVec3) -> DVec3 {
        let h = 1e-3;
        let at = |t: f64| f(&self.after(t));
        (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    }

    fn check(&self) {
        let (tree, now) = (&self.tree, self.after(0.0));
        let n = tree.velocity_count();
        let mut mass = vec![0.0; n * n];
        dynamics::mass_matrix(tree, &now, &mut mass);
        let mut by_definition = vec![0.0; n * n];
        let mut bias = vec![0.0; n];
        let mut gravity = vec![0.0; n];
        dynamics::bias(tree, &now, &mut bias);
        dynamics::gravity_force(tree, &now, DVec3::new(1.0, 2.0, -9.0), &mut gravity);
        for (i, link) in tree.links().iter().enumerate() {
            let point = link.inertia.com + DVec3::new(0.1, -0.2, 0.3);
            // Poses move as the velocities say, velocities as the bias accelerations say.
            let world = now.poses[i].point(point);
            let moved = self.rate(|k| k.poses[i].point(point)) - now.point_velocity(i, world);
            assert!(moved.length() < 1e-8, "velocity of link {i}: {moved}");
            let gained = self.rate(|k| k.point_velocity(i, k.poses[i].point(point)))
                - now.point_bias_acceleration(i, world);
            assert!(gained.length() < 1e-7, "acceleration of link {i}: {gained}");
            // J v, with the base, is the velocity.
            let base_part = self.base.linear + self.base.angular.cross(world - self.base.pose.position);
            let (mut linear, mut angular) = (base_part, self.base.angular);
            for dof in tree.chain(i) {
                let (l, a) = now.jacobian_column(dof, world);
                linear += l * self.v[dof];
                angular += a * self.v[dof];
            }
            assert!((linear - now.point_velocity(i, world)).length() < 1e-13);
            assert!((angular - now.angular[i]).length() < 1e-13);
            // M = Σ Jᵀ I J, C = Σ Jᵀ ḣ, G = Σ Jᵀ m g.
            let force = self.rate(|k| link.inertia.mass * k.com_velocity(i));
            let torque = self.rate(|k| k.inertia[i] * k.angular[i]);
            for j in tree.chain(i) {
                let (lj, aj) = now.jacobian_column(j, now.com[i]);
                for k in tree.chain(i) {
                    let (lk, ak) = now.jacobian_column(k, now.com[i]);
                    by_definition[j * n + k] += link.inertia.mass * lj.dot(lk) + aj.dot(now.inertia[i] * ak);
                }
                bias[j] -= lj.dot(force) + aj.dot(torque);
                gravity[j] -= link.inertia.mass * lj.dot(DVec3::new(1.0, 2.0, -9.0));
            }
            for k in tree.v_range(i) {
                by_definition[k * n + k] += link.joint.armature;
            }
        }
        for (a, b) in mass.iter().zip(&by_definition) {
            assert!((a - b).abs() < 1e-12, "M: {a} instead of {b}");
        }
        for c in &bias {
            assert!(c.abs() < 1e-7, "bias is off by {c}");
        }
        for g in &gravity {
            assert!(g.abs() < 1e-12, "gravity is off by {g}");
        }
    }
}

#[test]
fn each_kind_alone_and_on_itself() {
    let numbers: Vec<f64> = (0..97).map(|i| (1.3 * f64::from(i * i)).sin()).collect();
    for kind in 0..7 {
        moment(&[kind], &[0], &numbers).check();
        moment(&[7, kind, kind], &[0, 0, 1], &numbers).check();
    }
}

#[test]
fn power_balances() {
    // On a resting base v·C is the rate of kinetic energy that the change of M alone accounts for: v̇ = 0.
    let numbers: Vec<f64> = (0..97).map(|i| (1.3 * f64::from(i * i)).sin()).collect();
    let mut moment = moment(&[6, 3, 4, 5, 0, 2, 1], &[0, 0, 1, 1, 3, 3, 5], &numbers);
    moment.base = Base::at(moment.base.pose);
    let mut bias = vec![0.0; moment.v.len()];
    dynamics::bias(&moment.tree, &moment.after(0.0), &mut bias);
    let power: f64 = bias.iter().zip(&moment.v).map(|(c, v)| c * v).sum();
    let gained = moment.rate(|k| DVec3::X * energy::kinetic_energy(&moment.tree, k, &moment.v)).x;
    assert!(power.abs() > 1.0 && (power - gained).abs() < 1e-7 * power.abs(), "{power} and {gained}");
    // Kinetic energy is ½ vᵀ M v.
    let n = moment.v.len();
    let mut mass = vec![0.0; n * n];
    let now = moment.after(0.0);
    dynamics::mass_matrix(&moment.tree, &now, &mut mass);
    let mut twice = 0.0;
    for i in 0..n {
        for j in 0..n {
            twice += moment.v[i] * mass[i * n + j] * moment.v[j];
        }
    }
    assert!((0.5 * twice - energy::kinetic_energy(&moment.tree, &now, &moment.v)).abs() < 1e-12 * twice);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_trees(
        kinds in prop::collection::vec(0usize..8, 1..7),
        parents in prop::collection::vec(0usize..100, 7),
        numbers in prop::collection::vec(-1.0f64..1.0, 67),
    ) {
        moment(&kinds, &parents, &numbers).check();
    }
}
