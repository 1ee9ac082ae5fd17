//! Self-contact of links of one robot, and of bodies of one chain, where the scene includes it.
#![allow(clippy::unwrap_used, clippy::panic)]

use ropewalk_scene::{Scene, load_text};
use ropewalk_sim::{State, StepStatus, Workspace, find_overlaps, measure, step};

fn scene(text: &str) -> Scene {
    load_text("self_contact.toml", text, None, &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs `scene`, calling `look` after each step; the state at its end.
fn run(scene: &Scene, mut look: impl FnMut(&State, &Workspace)) -> State {
    let mut workspace = Workspace::new(&scene.model);
    let mut state = scene.state.clone();
    for i in 0..(scene.duration / scene.model.settings.dt).round() as usize {
        let report = step(&scene.model, &mut state, &mut workspace);
        assert_eq!(report.status, StepStatus::Converged, "step {i}");
        look(&state, &workspace);
    }
    state
}

/// Two blocks on one rail, pushed together by `force` N each; the second comes first by name, so that both orders occur.
fn carriages(include: &str, force: f64, contact: &str) -> Scene {
    scene(&format!(
        r#"title = "Two carriages on a rail"
[time]
duration = 0.5
[contact]
{include}
[body.rail]
shape = {{ box = {{ size = [1.0, 0.01, 0.01] }} }}
motion = "fixed"
[body.west]
parent = "rail"
shape = {{ box = {{ size = [0.04, 0.04, 0.04] }} }}
mass = 0.2
{contact}
position = [-0.05, 0.0, 0.03]
joint = {{ prismatic = {{ axis = [1.0, 0.0, 0.0] }} }}
[body.east]
parent = "rail"
shape = {{ box = {{ size = [0.04, 0.04, 0.04] }} }}
mass = 0.3
position = [0.05, 0.0, 0.03]
joint = {{ prismatic = {{ axis = [1.0, 0.0, 0.0] }} }}
[actuator.push_west]
body = "west"
kind = "force"
target = {force}
[actuator.push_east]
body = "east"
kind = "force"
target = -{force}
"#
    ))
}

/// The force along x between things that touch, and the distance of the faces of the carriages at the end.
fn pressed(scene: &Scene) -> (f64, f64) {
    let mut force = 0.0;
    let end = run(scene, |_, workspace| {
        force = workspace.contacts().map(|c| (c.force.x * c.normal.x).abs()).sum::<f64>();
    });
    let tree = &scene.model.trees[0].tree;
    let at = |name: &str| end.trees[0].q[tree.q_range(tree.link_index(name).unwrap()).start];
    (force, 0.06 + at("east") - at("west"))
}

#[test]
fn bodies_of_one_chain_press_on_one_another_where_they_are_asked_to() {
    for force in [0.5, 20.0] {
        let (found, gap) = pressed(&carriages(r#"include = [["east", "west"]]"#, force, ""));
        assert!((found / force - 1.0).abs() < 1e-6, "{found} of {force} N");
        assert!(gap.abs() < 1e-5, "{gap} m apart");
        let (none, gap) = pressed(&carriages("", force, ""));
        assert!(none == 0.0 && gap < -0.01, "without being asked: {none} N, {gap} m apart");
    }
}

#[test]
fn patches_press_between_links_too() {
    let soft = "pressure_modulus = 1e6";
    let (found, gap) = pressed(&carriages(r#"include = [["west", "east"]]"#, 5.0, soft));
    assert!((found / 5.0 - 1.0).abs() < 1e-3, "{found} N");
    assert!((-1e-3..0.0).contains(&gap), "{gap} m apart");
}

#[test]
fn a_chain_that_falls_on_itself_makes_no_energy_and_does_not_pass() {
    // The first link on a spring, or at the end of its range.
    for (scheme, first) in [
        ("backward_euler", "limits = [-0.2, 0.2]"),
        ("backward_euler", "spring_stiffness = 20.0"),
        ("bdf2", "spring_stiffness = 20.0"),
    ] {
        let scene = scene(&format!(
            r#"title = "A folding rule"
[time]
duration = 1.5
scheme = "{scheme}"
[contact]
include = [["first", "third"]]
[body.first]
shapes = [{{ shape = {{ box = {{ size = [0.3, 0.03, 0.01] }} }}, position = [0.15, 0.0, 0.0] }}]
mass = 0.1
joint = {{ revolute = {{ axis = [0.0, 1.0, 0.0], {first} }} }}
[body.second]
parent = "first"
shapes = [{{ shape = {{ box = {{ size = [0.1, 0.03, 0.01] }} }}, position = [0.05, 0.0, 0.0] }}]
mass = 0.03
position = [0.3, 0.0, 0.0]
joint = {{ revolute = {{ axis = [0.0, 1.0, 0.0], position = -1.6, spring_stiffness = 5.0, spring_rest = -1.6, damping = 0.01 }} }}
[body.third]
parent = "second"
shapes = [{{ shape = {{ box = {{ size = [0.25, 0.03, 0.01] }} }}, position = [0.125, 0.0, 0.0] }}]
mass = 0.08
position = [0.1, 0.0, 0.0]
joint = {{ revolute = {{ axis = [0.0, 1.0, 0.0], position = -1.2 }} }}
"#
        ));
        let energy = |state: &State| measure::energies(&scene.model, state).total();
        let (start, mut most, mut touched, mut deepest) =
            (energy(&scene.state), f64::NEG_INFINITY, false, 0.0f64);
        run(&scene, |state, workspace| {
            most = most.max(energy(state));
            touched |= workspace.contacts().any(|c| c.force.length() > 0.0);
            deepest = workspace.contacts().fold(deepest, |d, c| d.max(-c.gap));
        });
        assert!(touched, "{scheme}: it never folded");
        assert!(most <= start + 1e-6 * 0.2, "{scheme}: {most} J after {start}");
        assert!(deepest < 1e-3, "{scheme}: {deepest} m");
    }
}

#[test]
fn the_fingers_of_a_gripper_stop_one_another() {
    // With a range in which they would pass through one another.
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/closing_gripper.urdf");
    let text = include_str!("../robots/arm7_gripper.urdf")
        .replace("lower=\"0\" upper=\"0.04\"", "lower=\"-0.01\" upper=\"0.04\"");
    std::fs::write(file, text).unwrap();
    let gripper = |include: &str| {
        scene(&format!(
            r#"title = "A gripper closes on nothing"
[time]
duration = 0.6
[contact]
{include}
[robot.arm]
urdf = "{file}"
joints = {{ grip = 0.02 }}
gravity_compensation = true
[control.arm]
robot = "arm"
joints = ["shoulder_yaw", "shoulder_pitch", "arm_roll", "elbow", "forearm_roll", "wrist_pitch", "wrist_roll"]
position_gain = 1e4
velocity_gain = 300.0
[actuator.grip]
robot = "arm"
joint = "grip"
kind = "force"
target = -4.0
"#
        ))
    };
    let fingers = gripper(r#"include = [["arm/finger_left", "arm/finger_right"]]"#);
    let mut force = 0.0;
    let end = run(&fingers, |_, workspace| {
        force = workspace.contacts().map(|c| c.force.dot(c.normal)).sum::<f64>();
    });
    let tree = &fingers.model.trees[0].tree;
    let at = end.trees[0].q[tree.q_range(tree.joint_index("grip").unwrap()).start];
    // 4 N drive both fingers, one of which follows the other: 2 N between them, where each is 0.5 mm beyond zero.
    assert!((force - 2.0).abs() < 1e-3, "{force} N");
    assert!((at + 5e-4).abs() < 1e-6, "{at} m");

    // All of the arm: fingers among it, neighbors not, and nothing overlaps at the start.
    let all = gripper(r#"include = [["arm", "arm"]]"#);
    let tree = &all.model.trees[0].tree;
    let touches = |a: &str, b: &str| {
        let [a, b] = [a, b].map(|name| (0, tree.link_index(name).unwrap()));
        all.model.links_may_touch(a, b) && all.model.links_may_touch(b, a)
    };
    assert!(
        touches("finger_left", "finger_right")
            && touches("base", "gripper")
            && touches("shoulder", "forearm_1")
    );
    assert!(
        !touches("base", "shoulder")
            && !touches("wrist", "wrist_plate")
            && !touches("gripper", "finger_left")
    );
    // The gripper is welded to the plate of the wrist.
    assert!(!touches("wrist_plate", "gripper") && !touches("wrist_plate", "finger_left"));
    assert_eq!(find_overlaps(&all.model, &all.state), []);
    run(&all, |_, _| {});
}

#[test]
fn pairs_that_make_no_sense_are_refused() {
    let refused = |include: &str| {
        let text = format!(
            r#"title = "Refused"
[time]
duration = 0.1
[contact]
include = [{include}]
[body.box]
shape = {{ sphere = {{ radius = 0.1 }} }}
mass = 1.0
position = [3.0, 0.0, 0.0]
[robot.arm]
urdf = "robot:arm7_gripper"
[rod.rope]
preset = "nylon_rope"
curve = {{ line = {{ from = [5.0, 0.0, 0.0], to = [6.0, 0.0, 0.0] }} }}
segments = 10
"#
        );
        match load_text("refused.toml", &text, None, &[]) {
            Ok(_) => panic!("{include} is accepted"),
            Err(e) => e.to_string(),
        }
    };
    let cases = [
        (r#"["box", "arm"]"#, "not of one robot"),
        (r#"["rope", "rope"]"#, "`rope` is a rod"),
        (r#"["arm/base", "arm/base"]"#, "cannot touch itself"),
        (r#"["arm/base", "arm/finger"]"#, "there is no link called \"finger\""),
        (r#"["arm", "leg"]"#, "called \"leg\""),
    ];
    for (include, words) in cases {
        let message = refused(include);
        assert!(message.contains(words), "{include}: {message}");
    }
}
