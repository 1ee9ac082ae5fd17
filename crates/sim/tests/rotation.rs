//! Rotation that nothing brakes, with numbers drawn at random: bodies on ball joints and on attachments, rods with
//! stiffness damping; at the tolerance that scenes have.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, World, line};
use glam::{DMat3, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link, Tree, energy};
use ropewalk_linalg::Pose;
use ropewalk_rod::{Material, RodBuilder, Section};
use ropewalk_sim::{
    Attachment, AttachmentKind, BaseMotion, End, Model, Scheme, Settings, State, StepStatus, TreeModel,
    Workspace, measure, step,
};

/// Any rigid body: moments of a cloud of points, its center anywhere.
fn any_inertia(random: &mut Random) -> Inertia {
    let mass = random.log_between(0.02, 5.0);
    let squares = [0; 3].map(|_| random.log_between(1e-4, 1e-2));
    let total: f64 = squares.iter().sum();
    let moments = DVec3::from_array(squares.map(|s| mass * (total - s)));
    let turn = DMat3::from_quat(random.rotation());
    let about_com = turn * DMat3::from_diagonal(moments) * turn.transpose();
    Inertia { mass, com: random.direction() * random.between(0.0, 0.3), about_com }
}

struct Body {
    model: Model,
    state: State,
    workspace: Workspace,
}

impl Body {
    /// On a joint at `at`, in the world's origin by default, without gravity.
    fn new(kind: JointKind, inertia: Inertia, at: DVec3, dt: f64, scheme: Scheme) -> Self {
        let joint = Joint::new("joint", kind, Pose::IDENTITY);
        let link = Link { name: "body".into(), parent: None, joint, inertia };
        let tree = TreeModel {
            name: "body".into(),
            tree: Tree::new(vec![link]).unwrap(),
            base: BaseMotion::Fixed(Pose::at(at)),
            heavy: true,
            shapes: vec![],
        };
        let model = Model {
            gravity: DVec3::ZERO,
            trees: vec![tree],
            settings: Settings { dt, scheme, ..Settings::default() },
            ..Model::default()
        };
        let mut state = State::default();
        state.complete(&model);
        let workspace = Workspace::new(&model);
        Self { model, state, workspace }
    }

    fn step(&mut self) {
        let report = step(&self.model, &mut self.state, &mut self.workspace);
        assert_eq!(report.status, StepStatus::Converged, "at {} s: {report:?}", self.state.time);
    }

    /// Angular momentum about `about` (kg·m²/s) and kinetic energy (J).
    fn measure(&self, about: DVec3) -> (DVec3, f64) {
        let kinematics = measure::tree_kinematics(&self.model, &self.state, 0);
        let tree = &self.model.trees[0].tree;
        let kinetic = energy::kinetic_energy(tree, &kinematics, &self.state.trees[0].v);
        (energy::angular_momentum(tree, &kinematics, about), kinetic)
    }
}

#[test]
fn bodies_on_ball_joints_keep_their_angular_momentum_at_any_step() {
    let mut random = Random(12);
    let mut worst = 0.0_f64;
    for n in 0..24 {
        let inertia = any_inertia(&mut random);
        let at = random.vector(0.5);
        let omega = random.direction() * random.log_between(5.0, 200.0);
        for dt in [[1e-3, 1e-2], [2e-3, 5e-3], [4e-3, 3e-4], [1e-4, 7e-3]][n % 4] {
            for scheme in [Scheme::BACKWARD_EULER, Scheme::BDF2, Scheme::MIDPOINT] {
                let mut body = Body::new(JointKind::Ball, inertia, at, dt, scheme);
                body.state.trees[0].v.copy_from_slice(&omega.to_array());
                let (momentum, start) = body.measure(at);
                let mut most = 0.0_f64;
                for _ in 0..(1.0 / dt).round() as usize {
                    body.step();
                    most = most.max(body.measure(at).1);
                }
                let drift = (body.measure(at).0 - momentum).length() / momentum.length();
                worst = worst.max(drift);
                let what = format!("{omega} rad/s, {inertia:?}, {dt} s, {scheme:?}");
                assert!(drift < 1e-6, "{what}: drift {drift:.1e}");
                if scheme == Scheme::BACKWARD_EULER {
                    assert!(most <= start * (1.0 + 1e-9), "{what}: energy {}", most / start);
                } else {
                    println!("{scheme:?} {dt} s at {:.0} rad/s: energy {}", omega.length(), most / start);
                }
            }
        }
    }
    println!("greatest drift of angular momentum in 1 s: {worst:.1e}");
}

#[test]
fn bodies_on_ball_attachments_neither_gain_nor_lose_much() {
    let mut random = Random(11);
    for (omega, dt, seconds) in [(5.0, 2e-3, 10.0), (10.0, 1e-3, 10.0), (20.0, 1e-3, 10.0), (50.0, 5e-4, 4.0)]
    {
        let inertia = any_inertia(&mut random);
        let mut body = Body::new(JointKind::Free, inertia, DVec3::ZERO, dt, Scheme::BDF2);
        let point = Some(DVec3::ZERO);
        body.model.attachments.push(Attachment {
            name: "ball".into(),
            ends: [End::Link { tree: 0, link: 0, point }, End::World { point }],
            kind: AttachmentKind::Point,
            begin_time: f64::NEG_INFINITY,
            release_time: f64::INFINITY,
        });
        body.state.complete(&body.model);
        body.workspace = Workspace::new(&body.model);
        let spin = omega * random.direction();
        body.state.trees[0].v[3..].copy_from_slice(&spin.to_array());
        let start = body.measure(DVec3::ZERO).1;
        let mut most = 0.0_f64;
        for _ in 0..(seconds / dt).round() as usize {
            body.step();
            most = most.max(body.measure(DVec3::ZERO).1);
        }
        let kept = body.measure(DVec3::ZERO).1 / start;
        println!("{omega} rad/s, {dt} s: kept {kept:.5} after {seconds} s, at most {:.7}", most / start);
        assert!(kept > 0.95 && most < 1.01 * start, "{omega} rad/s, {dt} s: {kept}, {}", most / start);
    }
}

/// Angular momentum of a free rod that turns at `omega` (rad/s) about a random axis, before and after a second.
fn turned(omega: DVec3, beta: f64, modulus: f64, dt: f64, scheme: Scheme) -> [DVec3; 2] {
    let soft = Material::from_poisson(modulus, 0.4, 1000.0);
    let mut builder = RodBuilder::new(line(12, -0.15, 0.3), Section::Circle { radius: 0.004 }, soft);
    builder.stiffness_damping = beta;
    let mut world = World::new(&builder).with(dt, scheme, 1e-10);
    for i in 0..12 {
        let v = omega.cross(world.state.rods[0].position(i));
        world.state.rods[0].v[i][..3].copy_from_slice(&v.to_array());
    }
    let momentum = |world: &World| measure::angular_momentum(&world.model, &world.state, 0);
    let start = momentum(&world);
    world.run((1.0 / dt).round() as usize);
    [start, momentum(&world)]
}

#[test]
fn damping_of_strain_rates_brakes_no_rotation() {
    let across = |omega: f64| DVec3::new(0.0, 0.6, 0.8) * omega;
    for (omega, beta, modulus, dt) in
        [(5.0, 1e-3, 1e7, 1e-4), (50.0, 1e-4, 1e7, 1e-4), (120.0, 1e-5, 1e8, 5e-5), (200.0, 1e-3, 1e8, 5e-5)]
    {
        // The midpoint rule keeps angular momentum by itself: what is lost is lost to damping.
        let [start, end] = turned(across(omega), beta, modulus, dt, Scheme::MIDPOINT);
        let lost = (end - start).length() / start.length();
        println!("midpoint, {omega} rad/s, beta {beta} s, {dt} s: {lost:.1e}");
        assert!(lost < 1e-9, "{omega} rad/s, beta {beta} s, {dt} s: {lost}");
    }
    // Backward Euler and BDF2 take momentum from any rotation; damping takes no more.
    for scheme in [Scheme::BACKWARD_EULER, Scheme::BDF2] {
        for (omega, beta, dt) in [(8.0, 1e-2, 2e-3), (30.0, 1e-4, 1e-3), (60.0, 1e-3, 5e-4)] {
            let [with, without] = [beta, 0.0].map(|beta| turned(across(omega), beta, 1e8, dt, scheme));
            let kept = [with, without].map(|[start, end]| end.dot(start) / start.length_squared());
            println!("{scheme:?}, {omega} rad/s, beta {beta} s, {dt} s: kept {kept:?}");
            assert!((kept[0] - kept[1]).abs() < 1e-3, "{scheme:?}, {omega} rad/s: {kept:?}");
        }
    }
}
