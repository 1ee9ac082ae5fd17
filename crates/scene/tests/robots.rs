//! Robots in scenes: end effectors on paths, grippers, limits of effort.
#![allow(clippy::unwrap_used, clippy::panic)]

use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_scene::{Scene, load_text};
use ropewalk_sim::{State, StepStatus, Workspace, measure, step};

fn scene(text: &str) -> Scene {
    load_text("robots.toml", text, None, &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs `scene`, calling `look` after each step.
fn run(scene: &Scene, mut look: impl FnMut(&State, &Workspace)) {
    let mut workspace = Workspace::new(&scene.model);
    let mut state = scene.state.clone();
    for i in 0..(scene.duration / scene.model.settings.dt).round() as usize {
        let report = step(&scene.model, &mut state, &mut workspace);
        assert_eq!(report.status, StepStatus::Converged, "step {i}");
        look(&state, &workspace);
    }
}

/// A figure of eight in a plane before the arm: x = a sin s, z = b sin 2s.
fn eight(s: f64) -> DVec3 {
    DVec3::new(0.45, 0.15 * s.sin(), 0.45 + 0.08 * (2.0 * s).sin())
}

#[test]
fn the_arm_follows_a_figure_of_eight_within_a_millimetre() {
    let frames = 33;
    let (mut times, mut positions) = (Vec::new(), Vec::new());
    for i in 0..frames {
        let u = f64::from(i) / f64::from(frames - 1);
        // From rest to rest.
        let p = eight(TAU * u * u * (3.0 - 2.0 * u));
        times.push(format!("{:.6}", 4.0 * u));
        positions.push(format!("[{:.9}, {:.9}, {:.9}]", p.x, p.y, p.z));
    }
    let scene = scene(&format!(
        r#"title = "Figure of eight"
[time]
duration = 4.2
[robot.arm]
urdf = "robot:arm7_gripper"
joints = {{ shoulder_pitch = 0.4, elbow = 1.3, wrist_pitch = 1.0 }}
gravity_compensation = true
[control.arm]
robot = "arm"
position_gain = 1e4
velocity_gain = 300.0
[end_effector.tool]
robot = "arm"
link = "hand"
times = [{}]
positions = [{}]
interpolation = "spline"
"#,
        times.join(", "),
        positions.join(", ")
    ));
    let curve: Vec<DVec3> = (0..4000).map(|i| eight(TAU * f64::from(i) / 4000.0)).collect();
    let hand = scene.model.trees[0].tree.link_index("hand").unwrap();
    let first = measure::tree_kinematics(&scene.model, &scene.state, 0).poses[hand];
    let (mut off_curve, mut off_path, mut turned, mut reach) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    run(&scene, |state, _| {
        let pose = measure::tree_kinematics(&scene.model, state, 0).poses[hand];
        let nearest = curve.iter().map(|p| (*p - pose.position).length()).fold(f64::INFINITY, f64::min);
        let wanted = scene.model.hands[0].path.pose(state.time);
        off_curve = off_curve.max(nearest);
        off_path = off_path.max((pose.position - wanted.position).length());
        turned = turned.max(pose.rotation.angle_between(first.rotation));
        reach = reach.max((pose.position - first.position).length());
    });
    println!("off the curve {off_curve:.2e} m, behind the path {off_path:.2e} m, turned {turned:.2e} rad");
    assert!(off_curve < 1e-3 && off_path < 1e-3, "{off_curve} {off_path}");
    assert!(turned < 5e-3, "{turned}");
    // It did go round.
    assert!(reach > 0.15, "{reach}");
}

#[test]
fn fingers_stay_symmetric_while_they_close_with_a_limited_effort() {
    // One finger carries a weight that the other does not.
    let scene = scene(
        r#"title = "Gripper"
[time]
duration = 1.0
[robot.arm]
urdf = "robot:arm7_gripper"
joints = { grip = 0.035 }
gravity_compensation = true
[control.arm]
robot = "arm"
joints = ["shoulder_yaw", "shoulder_pitch", "arm_roll", "elbow", "forearm_roll", "wrist_pitch", "wrist_roll"]
position_gain = 1e4
velocity_gain = 300.0
[actuator.grip]
robot = "arm"
joint = "grip"
kind = "position"
position_gain = 5e3
velocity_gain = 20.0
target = { ramp = { times = [0.1, 0.3], values = [0.035, 0.0] } }
effort_limit = 1.5
[body.weight]
shape = { sphere = { radius = 0.01 } }
mass = 0.2
position = [0.0, 0.05, 1.15]
[attach.weight]
kind = "clamp"
body = "weight"
to = { robot = "arm", link = "finger_left" }
"#,
    );
    let tree = &scene.model.trees[1].tree;
    let place = |name| tree.q_range(tree.joint_index(name).unwrap()).start;
    let (left, right) = (place("grip"), place("grip_mirror"));
    let actuator = scene.model.actuators.iter().position(|a| a.name == "grip").unwrap();
    let (mut apart, mut greatest, mut last) = (0.0f64, 0.0f64, 0.0);
    run(&scene, |state, workspace| {
        let q = &state.trees[1].q;
        apart = apart.max((q[left] - q[right]).abs());
        greatest = greatest.max(workspace.actuator_efforts()[actuator].abs());
        last = q[left];
    });
    println!("apart by {apart:.2e} m, effort {greatest} N, closed to {last:.2e} m");
    assert!(apart < 1e-6, "{apart}");
    assert!(greatest <= 1.5 * (1.0 + 1e-14) && greatest > 1.49, "{greatest}");
    assert!(last.abs() < 1e-3, "{last}");
}

#[test]
fn efforts_stay_within_the_limits_of_the_joints() {
    // A planar arm that is told to jump, with the limits of its file: 60, 30 and 10 N·m.
    let scene = scene(
        r#"title = "Limits"
[time]
duration = 0.6
[robot.arm]
urdf = "planar_arm"
[control.arm]
robot = "arm"
position_gain = 1e4
velocity_gain = 100.0
targets = { shoulder = -1.0, elbow = 1.5, wrist = { sine = { amplitude = 1.0, frequency = 3.0 } } }
"#,
    );
    let mut greatest = [0.0f64; 3];
    run(&scene, |_, workspace| {
        for (most, effort) in greatest.iter_mut().zip(workspace.actuator_efforts()) {
            *most = most.max(effort.abs());
        }
    });
    println!("greatest efforts {greatest:?}");
    for (most, limit) in greatest.iter().zip([60.0, 30.0, 10.0]) {
        assert!(*most <= limit * (1.0 + 1e-14) && *most > 0.99 * limit, "{greatest:?}");
    }
}

#[test]
fn bodies_weigh_and_stand_as_they_are_described() {
    let scene = scene(
        r#"title = "Bodies"
[time]
duration = 0.1
[body.hammer]
shapes = [
  { shape = { box = { size = [0.1, 0.04, 0.04] } } },
  { shape = { cylinder = { radius = 0.01, length = 0.3 } }, position = [0.0, 0.0, -0.17] },
]
density = 1000.0
position = [1.0, 2.0, 3.0]
rotation = { rpy = [0.1, 0.2, 0.3] }
velocity = [1.0, 0.0, 0.0]
[body.half]
shape = { box = { size = [0.1, 0.2, 0.3] } }
mass = 3.0
rotation = { axis_angle = { axis = [0.0, 0.0, 2.0], angle = 0.5 } }
joint = { revolute = { axis = [0.0, 0.0, 1.0], position = 0.25 } }
"#,
    );
    let hammer = &scene.model.trees[1].tree.links()[0].inertia;
    let (head, shaft) = (1000.0 * 0.1 * 0.04 * 0.04, 1000.0 * core::f64::consts::PI * 1e-4 * 0.3);
    assert!((hammer.mass - head - shaft).abs() < 1e-12);
    assert!((hammer.com.z + 0.17 * shaft / (head + shaft)).abs() < 1e-12);
    let pose = measure::tree_kinematics(&scene.model, &scene.state, 1).poses[0];
    assert!((pose.position - DVec3::new(1.0, 2.0, 3.0)).length() < 1e-12);
    // Roll, pitch, yaw as in URDF: Rz(0.3) Ry(0.2) Rx(0.1) takes x to (cos 0.3 cos 0.2, sin 0.3 cos 0.2, −sin 0.2).
    let x = pose.vector(DVec3::X);
    let expected = DVec3::new(0.3_f64.cos() * 0.2_f64.cos(), 0.3_f64.sin() * 0.2_f64.cos(), -(0.2_f64.sin()));
    assert!((x - expected).length() < 1e-12, "{x}");
    assert_eq!(scene.state.trees[1].v[..3], [1.0, 0.0, 0.0]);
    let half = &scene.model.trees[0].tree.links()[0].inertia;
    assert!((half.mass - 3.0).abs() < 1e-12);
    assert!((half.about_com.z_axis.z - 3.0 * (0.01 + 0.04) / 12.0).abs() < 1e-12);
    // The joint turns on from where the body is put.
    let turned = measure::tree_kinematics(&scene.model, &scene.state, 0).poses[0].vector(DVec3::X);
    assert!((turned - DVec3::new(0.75_f64.cos(), 0.75_f64.sin(), 0.0)).length() < 1e-12, "{turned}");
    assert_eq!(scene.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["half", "hammer"]);
}

#[test]
fn joints_carry_what_hangs_on_them() {
    // An arm that holds still: through each joint goes the weight of all beyond it, and its moment about the joint.
    let scene = scene(
        r#"title = "Wrist"
[time]
duration = 2.0
[robot.arm]
urdf = "robot:planar_arm"
joints = { shoulder = -0.5, elbow = 0.8 }
[control.arm]
robot = "arm"
position_gain = 1e5
velocity_gain = 1e3
"#,
    );
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    for _ in 0..2000 {
        step(&scene.model, &mut state, &mut workspace);
    }
    let tree = &scene.model.trees[0].tree;
    let kinematics = measure::tree_kinematics(&scene.model, &state, 0);
    for (l, felt) in workspace.joint_wrenches(0).iter().enumerate() {
        let beyond = |mut at: usize| loop {
            match (at == l, tree.links()[at].parent) {
                (true, _) => return true,
                (false, Some(parent)) => at = parent,
                (false, None) => return false,
            }
        };
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for (i, link) in tree.links().iter().enumerate().filter(|(i, _)| beyond(*i)) {
            let weight = DVec3::Z * (9.81 * link.inertia.mass);
            force += weight;
            torque +=
                (kinematics.poses[i].point(link.inertia.com) - kinematics.poses[l].position).cross(weight);
        }
        assert!((felt.force - force).length() < 1e-6 * (1.0 + force.length()), "{l}: {} {force}", felt.force);
        assert!(
            (felt.torque - torque).length() < 1e-4 * (1.0 + torque.length()),
            "{l}: {} {torque}",
            felt.torque
        );
    }
}

#[test]
fn the_first_joint_feels_what_the_base_does() {
    // A rope hangs on the arm, which moves: contacts and attachments push from outside.
    for scheme in ["backward_euler", "bdf2"] {
        let scene = ropewalk_scene::load_named("arm_rope", &[format!("time.scheme={scheme}")]).unwrap();
        let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
        for _ in 0..100 {
            step(&scene.model, &mut state, &mut workspace);
            let (base, joint) = (workspace.base_wrenches()[0], workspace.joint_wrenches(0)[0]);
            let size = base.force.length();
            assert!((base.force - joint.force).length() < 1e-9 * size, "{base:?} {joint:?}");
            // The balance of moments of the whole has the path of the mass between the ends of the step.
            assert!(
                (base.torque - joint.torque).length() < 2e-3 * (size + base.torque.length()),
                "{base:?} {joint:?}"
            );
        }
    }
}
