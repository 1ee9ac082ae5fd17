//! Contact of rods with one another and with bodies.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, World, body_shape, rubber, stiffness};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::{Inertia, JointKind};
use ropewalk_geometry::Shape;
use ropewalk_linalg::Pose;
use ropewalk_rod::{Rod, RodBuilder, RodState, Section};
use ropewalk_sim::inspect::contact_push;
use ropewalk_sim::{ContactSettings, Model, Settings, Surface, TreeModel, Workspace, measure};

fn world(rods: Vec<(Rod, RodState)>, trees: Vec<TreeModel>, friction: f64, dt: f64) -> World {
    let model = Model {
        rod_surfaces: vec![Surface { friction, ..Surface::default() }; rods.len()],
        trees,
        contact: Some(ContactSettings::default()),
        settings: Settings { dt, ..Settings::default() },
        ..Model::default()
    };
    World::of_rods(rods, model)
}

fn rope(nodes: Vec<DVec3>, radius: f64) -> (Rod, RodState) {
    RodBuilder::new(nodes, Section::Circle { radius }, rubber()).build().unwrap()
}

fn body(kind: JointKind, at: Pose, shape: Shape, mass: f64, friction: f64) -> TreeModel {
    let properties = shape.mass_properties(1.0);
    let inertia = match properties {
        Ok(p) => Inertia { mass, com: p.com, about_com: p.inertia * (mass / p.mass) },
        Err(_) => Inertia { mass, com: DVec3::ZERO, about_com: DMat3::IDENTITY * mass },
    };
    common::body(kind, at, inertia, vec![body_shape(&shape, friction)])
}

fn floor(pose: Pose, friction: f64) -> TreeModel {
    body(JointKind::Fixed, pose, Shape::HalfSpace, 1.0, friction)
}

/// Two ropes and a body about to meet, all spinning and bent.
fn collision(dt: f64) -> World {
    let arc = |offset: DVec3, turn: f64| -> Vec<DVec3> {
        (0..16)
            .map(|i| {
                let a = 0.12 * (i as f64 - 7.5);
                DQuat::from_rotation_z(turn) * DVec3::new(0.1 * a.sin(), 0.02 * a * a, 0.01 * a) + offset
            })
            .collect()
    };
    let shape = Shape::Box { size: DVec3::new(0.03, 0.02, 0.04) };
    let load = body(JointKind::Free, Pose::at(DVec3::new(0.0, 0.0, -0.0245)), shape, 0.02, 0.6);
    let mut world = world(
        vec![rope(arc(DVec3::ZERO, 0.0), 3e-3), rope(arc(DVec3::new(0.01, -0.01, 0.0075), 1.3), 3e-3)],
        vec![load],
        0.4,
        dt,
    );
    let mut random = Random(7);
    for rod in &mut world.state.rods {
        for v in &mut rod.v {
            v[3] = 3.0 * random.signed();
        }
    }
    for v in &mut world.state.rods[1].v {
        v[0] += 0.3;
        v[2] -= 1.0;
    }
    world.state.trees[0].v = vec![0.1, -0.05, 0.6, 1.0, 2.0, -3.0];
    world
}

#[test]
fn contact_impulses_cancel_in_force_and_moment() {
    let mut world = collision(1e-3);
    let mut seen = 0;
    for _ in 0..40 {
        let mut c = 0;
        loop {
            let force = DVec3::new(0.7, -0.4, 1.1);
            let (push, count) = contact_push(&world.model, &world.state, c, force);
            if c >= count {
                break;
            }
            let (mut sum, mut moment, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
            for (r, (rod, s)) in world.model.rods.iter().zip(&world.state.rods).enumerate() {
                for i in 0..rod.node_count() {
                    let f = DVec3::from_slice(&push.rods[r][i][..3]);
                    sum += f;
                    moment += s.position(i).cross(f);
                    size += f.length();
                    if i < rod.edge_count() {
                        moment += s.tangent(rod, i) * push.rods[r][i][3];
                    }
                }
            }
            let k = measure::tree_kinematics(&world.model, &world.state, 0);
            let f = DVec3::from_slice(&push.trees[0][..3]);
            sum += f;
            moment += DVec3::from_slice(&push.trees[0][3..]) + k.poses[0].position.cross(f);
            assert!(sum.length() < 1e-12 * size, "{sum} of {size}");
            assert!(moment.length() < 1e-12 * size, "{moment} of {size}");
            c += 1;
            seen += 1;
        }
        world.step();
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn a_collision_keeps_linear_momentum_and_friction_takes_energy() {
    for anchor in [false, true] {
        friction_takes_energy(anchor);
    }
}

/// Without anchors friction takes energy in every contact and step. With anchors a contact may give back what it has
/// stored, so all that friction has done so far is never positive.
fn friction_takes_energy(anchor: bool) {
    let mut world = collision(1e-3);
    world.model.contact = Some(ContactSettings { anchor, ..ContactSettings::default() });
    let scale = world.momentum().length();
    let (mut touched, mut work) = (0, 0.0);
    for n in 0..150 {
        let before = world.momentum();
        world.step();
        let change = (world.momentum() - before).length();
        assert!(change < 1e-10 * scale, "step {n}: {change:e} of {scale}");
        for contact in world.workspace.contacts() {
            let power = contact.friction_force().dot(contact.slip());
            assert!(anchor || power <= 1e-15, "step {n}: {contact:?}");
            work += power * 1e-3;
            assert!(contact.normal_force() >= 0.0);
            let limit = contact.friction * contact.normal_force();
            assert!(contact.friction_force().length() <= limit * (1.0 + 1e-12) + 1e-12, "{contact:?}");
            touched += usize::from(contact.normal_force() > 0.0);
        }
        assert!(work <= 1e-15, "step {n}: {work}");
    }
    assert!(touched > 20, "{touched}");
}

#[test]
fn a_collision_keeps_angular_momentum_at_first_order() {
    let drift = |dt: f64| {
        let mut world = collision(dt);
        let before = world.angular_momentum();
        for _ in 0..(0.05 / dt).round() as usize {
            world.step();
        }
        (world.angular_momentum() - before).length()
    };
    let errors = [1e-3, 5e-4, 2.5e-4, 1.25e-4].map(drift);
    // Contacts begin and end at other instants at each step length, so the order is that over all three halvings.
    let order = (errors[0] / errors[3]).log2() / 3.0;
    assert!(order > 0.7, "{errors:?} {order}");
}

/// A short, stiff, straight rod lying across or along a slope of angle `alpha`, and its velocity down the slope after
/// `seconds`.
fn slope(alpha: f64, mu: f64, along: bool, locked: bool, dt: f64, seconds: f64) -> (f64, f64, World) {
    let turn = DQuat::from_rotation_y(alpha);
    let radius = 2e-3;
    let (down, across) = (turn * DVec3::X, DVec3::Y);
    let up = turn * DVec3::Z;
    let axis = if along { down } else { across };
    let nodes = (0..5).map(|i| up * radius + axis * (0.005 * f64::from(i))).collect();
    let section = stiffness(1e4, 1e-1, 1e-1, 0.02, 0.5 * 0.02 * radius * radius);
    let section = match section {
        Section::Stiffness { properties, .. } => Section::Stiffness { properties, radius },
        other => other,
    };
    let rod = RodBuilder::new(nodes, section, rubber()).build().unwrap();
    let mut world = world(vec![rod], vec![floor(Pose::new(DVec3::ZERO, turn), mu)], mu, dt);
    world.model.gravity = DVec3::NEG_Z * 9.81;
    let _ = locked;
    for _ in 0..(seconds / dt).round() as usize {
        world.step();
    }
    let s = &world.state.rods[0];
    let v = (0..5).map(|i| s.velocity(i)).sum::<DVec3>() / 5.0;
    let spin = s.v[0][3];
    (v.dot(down), spin, world)
}

#[test]
fn a_rod_on_a_slope_sticks_or_slides() {
    let (mu, g, dt) = (0.5_f64, 9.81, 1e-3);
    let threshold = mu.atan();
    for (offset, sticks) in [(-0.1_f64, true), (0.1, false)] {
        let alpha = threshold + offset.to_radians();
        let (v, _, _) = slope(alpha, mu, true, true, dt, 1.0);
        let creep = 1e-3 * g * dt * alpha.sin() / 3f64.sqrt();
        assert_eq!(v < 2.0 * creep, sticks, "{offset}: {v:e}, creep {creep:e}");
    }
    let alpha = 0.7_f64;
    let (v, _, _) = slope(alpha, mu, true, true, dt, 1.0);
    let expected = g * (alpha.sin() - mu * alpha.cos());
    assert!((v / expected - 1.0).abs() < 1e-3, "{v} {expected}");
}

#[test]
fn a_rod_rolls_down_a_slope() {
    let (g, alpha) = (9.81, 0.3_f64);
    let (v, spin, _) = slope(alpha, 0.5, false, false, 1e-3, 0.3);
    let expected = 2.0 / 3.0 * g * alpha.sin() * 0.3;
    assert!((v / expected - 1.0).abs() < 5e-3, "{v} {expected}");
    assert!((spin.abs() * 2e-3 / v - 1.0).abs() < 5e-3, "{spin} {v}");
    // Below tan α/3 it slips.
    let mu = 0.5 * alpha.tan() / 3.0;
    let (v, spin, _) = slope(alpha, mu, false, false, 1e-3, 0.3);
    let expected = g * (alpha.sin() - mu * alpha.cos()) * 0.3;
    assert!((v / expected - 1.0).abs() < 5e-3, "{v} {expected}");
    assert!(spin.abs() * 2e-3 < 0.9 * v);
}

#[test]
fn a_sliding_rod_begins_to_roll() {
    let (mu, g, v0, dt) = (0.3, 9.81, 1.0, 2e-4);
    let nodes = (0..5).map(|i| DVec3::new(0.0, 0.005 * f64::from(i), 2e-3)).collect();
    let Section::Stiffness { properties, .. } = stiffness(1e4, 1e-1, 1e-1, 0.02, 0.5 * 0.02 * 4e-6) else {
        unreachable!()
    };
    let rod =
        RodBuilder::new(nodes, Section::Stiffness { properties, radius: 2e-3 }, rubber()).build().unwrap();
    let mut world = world(vec![rod], vec![floor(Pose::IDENTITY, mu)], mu, dt);
    world.model.gravity = DVec3::NEG_Z * g;
    for v in &mut world.state.rods[0].v {
        v[0] = v0;
    }
    let mut rolls = None;
    while world.state.time < 0.2 {
        world.step();
        let s = &world.state.rods[0];
        if rolls.is_none() && s.v[0][3].abs() * 2e-3 > 0.999 * s.velocity(0).x {
            rolls = Some(world.state.time);
        }
    }
    let v = world.state.rods[0].velocity(2).x;
    assert!((v / (2.0 / 3.0 * v0) - 1.0).abs() < 5e-3, "{v}");
    let rolls = rolls.unwrap();
    assert!((rolls / (v0 / (3.0 * mu * g)) - 1.0).abs() < 2e-2, "{rolls}");
}

/// A thin rope of 0.3 m thrown at a thin peg. True if all of it is on the side where it came from, or hangs on the peg.
fn thrown(speed: f64, guarded: bool, seed: u64) -> bool {
    let mut random = Random(seed);
    let n = 31;
    let tilt = DQuat::from_rotation_z(0.4 * random.signed()) * DQuat::from_rotation_y(0.3 * random.signed());
    let start = 0.06 + 0.02 * random.signed();
    let nodes: Vec<DVec3> = (0..n)
        .map(|i| {
            tilt * DVec3::new(0.0, 0.01 * (f64::from(i) - 15.0 + 5.0 * random.signed() * 0.0), 0.0)
                - DVec3::X * start
        })
        .collect();
    let peg_nodes: Vec<DVec3> = (0..11).map(|i| DVec3::new(0.0, 0.002, 0.02 * f64::from(i - 5))).collect();
    let thrown = rope(nodes, 1e-3);
    let peg = rope(peg_nodes, 1e-3);
    let mut world = world(vec![thrown, peg], vec![], 0.3, 2e-3);
    for node in [0, 1, 5, 9, 10] {
        world.model.clamps.push(ropewalk_sim::Clamp {
            name: "peg".into(),
            rod: 1,
            hold: ropewalk_sim::Hold::Node(node),
            motion: Default::default(),
            start: ropewalk_sim::ClampPose::of(
                ropewalk_sim::Hold::Node(node),
                &world.model.rods[1],
                &world.state.rods[1],
            ),
            release_time: f64::INFINITY,
        });
    }
    world.model.contact =
        Some(ContactSettings { look_ahead: guarded, guard: guarded, ..ContactSettings::default() });
    world.workspace = Workspace::new(&world.model);
    for v in &mut world.state.rods[0].v {
        v[0] = speed;
    }
    // The open polygons cross one another when, and only when, their Gauss integral jumps.
    let mut link = measure::linking_number(&world.model, &world.state, 0, 1);
    for _ in 0..(0.2 / speed / 2e-3).ceil() as usize {
        world.step();
        let now = measure::linking_number(&world.model, &world.state, 0, 1);
        if (now - link).abs() > 0.4 {
            return false;
        }
        link = now;
    }
    true
}

#[test]
fn thrown_ropes_do_not_pass_through() {
    assert!(thrown(5.0, true, 1));
    let mut random = Random(99);
    let mut passed_without = 0;
    for seed in 0..200 {
        let speed = 1.0 + 9.5 * (1.0 + random.signed());
        assert!(thrown(speed, true, seed), "{speed} m/s, seed {seed}");
        passed_without += usize::from(seed < 40 && !thrown(speed, false, seed));
    }
    assert!(passed_without > 5, "{passed_without}");
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = collision(1e-3);
            for _ in 0..100 {
                world.step();
            }
            world.state
        })
    };
    let (one, two, three) = (run(1), run(2), run(3));
    assert!(one == two && two == three);
}

#[test]
fn a_box_comes_to_rest_on_the_floor_and_another_on_it() {
    let cube = |z: f64| {
        let shape = Shape::Box { size: DVec3::splat(0.04) };
        body(JointKind::Free, Pose::at(DVec3::new(0.001, 0.0, z)), shape, 0.1, 0.5)
    };
    let mut world = world(vec![], vec![floor(Pose::IDENTITY, 0.5), cube(0.025), cube(0.07)], 0.5, 1e-3);
    world.model.gravity = DVec3::NEG_Z * 9.81;
    for _ in 0..1000 {
        world.step();
    }
    for (t, z) in [(1, 0.02), (2, 0.06)] {
        let state = &world.state.trees[t];
        let height = measure::tree_kinematics(&world.model, &world.state, t).poses[0].position.z;
        assert!((height - z).abs() < 1e-4, "{height} {z}");
        assert!(state.v.iter().all(|v| v.abs() < 1e-4), "{:?}", state.v);
    }
    let weight: f64 = world.workspace.contacts().filter(|c| c.point.z < 0.01).map(|c| c.force.z.abs()).sum();
    assert!((weight - 0.2 * 9.81).abs() < 1e-3, "{weight}");
    // The ground carries the floor, which weighs 1 kg here, and both boxes.
    let ground = world.workspace.base_wrenches()[0].force.z;
    assert!((ground - 1.2 * 9.81).abs() < 1e-3, "{ground}");
}

#[test]
fn a_flat_strap_lies_on_the_floor() {
    let nodes = (0..8).map(|i| DVec3::new(0.02 * f64::from(i), 0.0, 0.0011)).collect();
    let section = Section::Rectangle { width: 0.02, height: 0.002 };
    let mut builder = RodBuilder::new(nodes, section, rubber());
    builder.mass_damping = 10.0;
    builder.director = Some(DVec3::Y);
    let mut world = world(vec![builder.build().unwrap()], vec![floor(Pose::IDENTITY, 0.5)], 0.5, 1e-3);
    world.model.gravity = DVec3::NEG_Z * 9.81;
    for _ in 0..500 {
        world.step();
    }
    let s = &world.state.rods[0];
    for i in 0..8 {
        assert!((s.position(i).z - 0.001).abs() < 2e-5, "{}", s.position(i));
        assert!(s.velocity(i).length() < 1e-4);
    }
    let carried: f64 = world.workspace.contacts().map(|c| c.force.z).sum();
    let weight = world.model.rods[0].total_mass() * 9.81;
    assert!((carried / weight - 1.0).abs() < 1e-3, "{carried} {weight}");
}

#[test]
fn other_laws_hold_a_rope_on_a_slope() {
    for law in [ropewalk_sim::ContactLaw::Lagged, ropewalk_sim::ContactLaw::Similar] {
        let alpha = 0.3_f64;
        let turn = DQuat::from_rotation_y(alpha);
        let nodes = (0..6).map(|i| turn * DVec3::new(0.01 * f64::from(i), 0.0, 3e-3)).collect();
        let mut world =
            world(vec![rope(nodes, 3e-3)], vec![floor(Pose::new(DVec3::ZERO, turn), 0.5)], 0.5, 1e-3);
        world.model.gravity = DVec3::NEG_Z * 9.81;
        world.model.contact = Some(ContactSettings { law, ..ContactSettings::default() });
        for _ in 0..500 {
            world.step();
        }
        let speed = world.state.rods[0].velocity(2).length();
        assert!(speed < 1e-3, "{law:?}: {speed}");
    }
}

#[test]
fn a_compliant_contact_without_friction_makes_no_energy() {
    // λ_n v_n + Δ(½ k φ²) ≤ 0 with φ as the step predicts it.
    let nodes = (0..6).map(|i| DVec3::new(0.01 * f64::from(i), 0.0, 4e-3)).collect();
    let mut world = world(vec![rope(nodes, 3e-3)], vec![floor(Pose::IDENTITY, 0.0)], 0.0, 1e-3);
    world.model.gravity = DVec3::NEG_Z * 9.81;
    let stiffness = 50.0;
    world.model.rod_surfaces[0].stiffness = Some(stiffness);
    let mut pushed = 0;
    for _ in 0..400 {
        world.step();
        for c in world.workspace.contacts() {
            let (dt, v) = (1e-3, c.velocity.dot(c.normal));
            let next = c.gap + dt * v;
            let force = c.normal_force();
            if force > 0.0 && c.gap < 0.0 && next < 0.0 {
                // The stiffness of one of the points that share an edge.
                let k = -force / next;
                assert!(k <= stiffness * (1.0 + 1e-9), "{k}");
                let work = dt * force * v + 0.5 * k * (next * next - c.gap * c.gap);
                assert!(work <= 1e-18, "{work:e}");
                pushed += 1;
            }
        }
    }
    assert!(pushed > 100, "{pushed}");
}

#[test]
fn surfaces_may_differ_along_a_rod_and_between_pairs() {
    let surface = |friction: f64| Surface { friction, ..Surface::default() };
    let mut model = Model { rod_surfaces: vec![surface(0.2); 2], ..Model::default() };
    model.edge_surfaces = vec![(0, [2, 5], surface(0.8)), (0, [5, 6], surface(0.4))];
    let frictions = [1, 2, 4, 5, 6, 7].map(|e| model.edge_surface(0, e).friction);
    assert_eq!(frictions, [0.2, 0.8, 0.8, 0.4, 0.4, 0.2]);
    // Two sides: the harmonic mean; stiffness in series.
    let pair = surface(0.2).pair(&surface(0.6));
    assert!((pair.friction - 0.3).abs() < 1e-15);
    let hard = Surface { stiffness: Some(300.0), ..surface(0.0) };
    let soft = Surface { stiffness: Some(100.0), ..surface(0.5) };
    assert_eq!((hard.pair(&soft).stiffness, hard.pair(&soft).friction), (Some(75.0), 0.0));
    // A pair of its own: a rope on ice slides where another sticks.
    let slide = |override_pair: bool| {
        let turn = DQuat::from_rotation_y(0.2);
        let nodes = (0..6).map(|i| turn * DVec3::new(0.01 * f64::from(i), 0.0, 3e-3)).collect();
        let floor = floor(Pose::new(DVec3::ZERO, turn), 0.5);
        let mut world = world(vec![rope(nodes, 3e-3)], vec![floor], 0.5, 1e-3);
        world.model.gravity = DVec3::NEG_Z * 9.81;
        if override_pair {
            let parties = [ropewalk_sim::Party::Rod(0), ropewalk_sim::Party::Tree(0)];
            world.model.pair_surfaces.push((parties, surface(0.01)));
        }
        for _ in 0..100 {
            world.step();
        }
        world.state.rods[0].velocity(2).length()
    };
    assert!(slide(false) < 1e-4 && slide(true) > 0.1);
}

/// A rope drawn over a peg without friction at 0.4 m/s against a pull of 5 N: mean force at the drawn end over the pull,
/// with steps of `dt`.
fn drawn_over_peg(dt: f64) -> f64 {
    let (peg, radius, leg) = (5e-3, 1e-3, 0.08);
    let bend = peg + radius;
    let segment = bend * std::f64::consts::PI / 16.0;
    let straight = (leg / segment) as usize;
    let mut nodes: Vec<DVec3> = Vec::new();
    for i in 0..straight {
        nodes.push(DVec3::new(-bend, segment * (i as f64 - straight as f64), 0.0));
    }
    for i in 0..=16 {
        let angle = std::f64::consts::PI * (1.0 - f64::from(i) / 16.0);
        nodes.push(bend * DVec3::new(angle.cos(), angle.sin(), 0.0));
    }
    for i in 1..=4 {
        nodes.push(DVec3::new(bend, -segment * f64::from(i), 0.0));
    }
    let last = nodes.len() - 1;
    let line_density = 3e-3;
    let properties = ropewalk_rod::SectionProperties {
        stretch: 2e3,
        bend: [1e-7; 2],
        twist: 1e-7,
        line_density,
        spin_inertia: 0.5 * line_density * radius * radius,
    };
    let section = Section::Stiffness { properties, radius };
    let (mut rod, state) = RodBuilder::new(nodes, section, rubber()).build().unwrap();
    rod.mass_damping = 50.0;
    let post =
        body(JointKind::Fixed, Pose::IDENTITY, Shape::Cylinder { radius: peg, length: 0.05 }, 1.0, 0.0);
    let mut world = world(vec![(rod, state)], vec![post], 0.0, dt);
    world.model.loads.push(ropewalk_sim::Load {
        name: "pull".into(),
        rod: 0,
        kind: ropewalk_sim::LoadKind::Point { node: 0, force: DVec3::NEG_Y * 5.0 },
        scale: ropewalk_sim::TimeFunction::Constant(1.0),
    });
    let hold = ropewalk_sim::Hold::Node(last);
    let moves = ropewalk_sim::TimeFunction::Ramp {
        times: [0.02, 0.145],
        values: [0.0, -0.05],
        interpolation: ropewalk_sim::Interpolation::Linear,
    };
    let mut motion = ropewalk_sim::Motion::default();
    motion.translation[1] = moves;
    world.model.clamps.push(ropewalk_sim::Clamp {
        name: "hand".into(),
        rod: 0,
        hold,
        motion,
        start: ropewalk_sim::ClampPose::of(hold, &world.model.rods[0], &world.state.rods[0]),
        release_time: f64::INFINITY,
    });
    world.workspace = Workspace::new(&world.model);
    let (mut sum, mut count) = (0.0, 0.0);
    for i in 0..(0.14 / dt).round() as usize {
        world.step();
        if i as f64 * dt > 0.06 {
            sum -= world.workspace.clamp_wrenches()[0].force.y;
            count += 1.0;
        }
    }
    sum / count / 5.0
}

#[test]
fn a_rope_drawn_fast_round_a_tight_bend_feels_no_friction_of_the_step() {
    // With the normals of the start of the step alone it would be 1.054 and 1.229.
    for (dt, greatest) in [(2.5e-4, 1.015), (1e-3, 1.04)] {
        let ratio = drawn_over_peg(dt);
        assert!(ratio > 0.99 && ratio < greatest, "dt {dt}: {ratio}");
    }
}

/// Rods side by side, `gaps` apart, the first moving towards the others at `speed`.
fn row_of_rods(gaps: &[f64], speed: f64, dt: f64) -> World {
    let radius = 2e-3;
    let mut y = 0.0;
    let mut rods = Vec::new();
    for i in 0..=gaps.len() {
        let nodes = (0..6).map(|k| DVec3::new(0.01 * f64::from(k), y, 0.0)).collect();
        rods.push(rope(nodes, radius));
        y += 2.0 * radius + gaps.get(i).copied().unwrap_or(0.0);
    }
    let mut world = world(rods, Vec::new(), 0.3, dt);
    for v in &mut world.state.rods[0].v {
        v[1] = speed;
    }
    world
}

#[test]
fn a_push_is_handed_on_within_the_step_to_rods_that_would_have_stayed_free() {
    // The first overlaps the second; the others are near one another but alone until the second is pushed.
    let dt = 1e-3;
    let mut world = row_of_rods(&[-1e-6, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5], 0.3, dt);
    let before = world.momentum();
    for _ in 0..5 {
        world.step();
        for pair in world.state.rods.windows(2) {
            for k in 0..6 {
                let gap = pair[1].position(k).y - pair[0].position(k).y - 4e-3;
                assert!(gap > -1e-5, "node {k}: {gap:e}");
            }
        }
        assert!((world.momentum() - before).length() < 1e-10 * before.length());
    }
    assert!(world.state.rods.iter().all(|rod| rod.velocity(2).y > 0.0));
}

#[test]
fn rods_that_stay_apart_take_no_part_in_one_another() {
    // Within reach, since they move, but side by side.
    let mut world = row_of_rods(&[1e-4; 5], 0.0, 1e-3);
    for rod in &mut world.state.rods {
        for v in &mut rod.v {
            v[2] = -1.0;
        }
    }
    let report = world.step();
    assert_eq!((report.constraints, report.contacts), (0, 0));
    // One that comes nearer pulls in the one it meets, and no other.
    for v in &mut world.state.rods[0].v {
        v[1] = 0.15;
    }
    let report = world.step();
    assert!(report.contacts > 0 && report.constraints < 20, "{report:?}");
    assert!(world.state.rods[1].velocity(2).y > 0.01 && world.state.rods[2].velocity(2).y == 0.0);
}
