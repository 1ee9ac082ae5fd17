//! Mistakes in bodies, robots, actuators, end effectors and attachments are named with their place and a remedy.
#![allow(clippy::unwrap_used)]

mod mistakes;

use mistakes::{Mistake, assert_named};
use ropewalk_scene::load_text;

const SCENE: &str = r#"title = "t"
[time]
duration = 1.0
[rod.rope]
preset = "nylon_rope"
curve = { line = { from = [0.4, 0.0, 0.5], to = [0.7, 0.0, 0.5] } }
segments = 10
[body.post]
shape = { cylinder = { radius = 0.05, length = 0.4 } }
motion = "fixed"
[body.swing]
parent = "post"
shape = { box = { size = [0.1, 0.1, 0.1] } }
density = 500.0
joint = { revolute = { axis = [0.0, 1.0, 0.0], limits = [-1.0, 1.0] } }
[robot.arm]
urdf = "robot:arm7_gripper"
joints = { elbow = 1.0, wrist_pitch = 0.8 }
[control.arm]
robot = "arm"
position_gain = 1000.0
[actuator.motor]
body = "swing"
kind = "position"
position_gain = 10.0
target = 0.1
[end_effector.tool]
robot = "arm"
link = "hand"
times = [0.0, 1.0]
positions = [[0.4, 0.0, 0.5], [0.4, 0.1, 0.5]]
[attach.grip]
kind = "clamp"
rod = "rope"
at = "start"
to = { robot = "arm", link = "gripper" }
[claim.follow]
measure = { quantity = "tracking_errors", of = "arm", across = "greatest", over = "greatest" }
at_most = 1e-2
"#;

#[test]
fn the_scene_itself_is_right() {
    let scene = load_text("arm.toml", SCENE, None, &[]).unwrap();
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    assert_eq!((scene.model.trees.len(), scene.model.attachments.len()), (2, 1));
    assert_eq!((scene.model.actuators.len(), scene.model.hands[0].actuators.len()), (9, 7));
    assert_eq!(scene.model.trees[1].shapes.len(), 11);
    assert!(scene.model.trees[0].shapes.iter().any(|s| s.link == 1));
}

const BODIES: &[Mistake] = &[
    ("motion = \"fixed\"", "motion = \"fxied\"", 10, "body.post.motion", "unknown name", "free", "fixed"),
    ("cylinder", "cylindre", 9, "body.post.shape.cylindre", "unknown key", "one of", "cylinder"),
    ("radius = 0.05", "radius = 0.0", 9, "body.post.shape.cylinder.radius", "out of range", "above 0", ""),
    ("motion = \"fixed\"", "", 8, "body.post.density", "needs a mass", "density", ""),
    ("parent = \"post\"", "parent = \"pots\"", 12, "body.swing.parent", "no body called", "post", "post"),
    ("parent = \"post\"", "parent = \"swing\"", 12, "body.swing.parent", "circle", "without a parent", ""),
    ("density = 500.0", "density = 500.0\nmass = 1.0", 14, "body.swing.density", "weighed twice", "mass", ""),
    ("density = 500.0", "mass = 1.0\ncom = [0, 0, 0]", 15, "body.swing.com", "without inertia", "shapes", ""),
    (
        "density = 500.0",
        "mass = 1.0\ninertia = [1, 1, 9, 0, 0, 0]",
        15,
        "body.swing.inertia",
        "inertia",
        "xx",
        "",
    ),
    ("[0.0, 1.0, 0.0], lim", "[0.0, 0.0, 0.0], lim", 15, "body.swing.joint", "axis is zero", "", ""),
    (
        "limits = [-1.0, 1.0]",
        "limits = [1.0, 2.0]",
        15,
        "body.swing.joint.revolute.position",
        "outside",
        "1 to 2",
        "",
    ),
    (
        "density = 500.0",
        "density = 500.0\nvelocity = [1, 0, 0]",
        15,
        "body.swing.velocity",
        "only a free body",
        "rates",
        "",
    ),
];

const ROBOTS: &[Mistake] = &[
    (
        "robot:arm7_gripper",
        "robot:arm7_griper",
        17,
        "robot.arm.urdf",
        "no embedded robot",
        "planar_arm",
        "arm7_gripper",
    ),
    ("robot:arm7_gripper", "nowhere.urdf", 17, "robot.arm.urdf", "cannot read", "embedded", ""),
    ("elbow = 1.0", "elbwo = 1.0", 18, "robot.arm.joints.elbwo", "no joint called", "shoulder_yaw", "elbow"),
    ("elbow = 1.0", "elbow = 9.0", 18, "robot.arm.joints.elbow", "outside", "-2.4 to 2.4", ""),
    (
        "elbow = 1.0",
        "grip_mirror = 0.01",
        18,
        "robot.arm.joints.grip_mirror",
        "follows `grip`",
        "that one",
        "",
    ),
    (
        "position_gain = 10.0",
        "velocity_gain = 10.0",
        22,
        "actuator.motor.position_gain",
        "missing",
        "position_gain",
        "",
    ),
    (
        "position_gain = 10.0",
        "position_gain = 10.0\nintegral_gain = 1.0",
        26,
        "actuator.motor.integral_gain",
        "no integral_gain",
        "leave",
        "",
    ),
    ("body = \"swing\"", "robot = \"arm\"", 22, "actuator.motor", "which joint", "`robot` and `joint`", ""),
    ("body = \"swing\"", "body = \"post\"", 22, "actuator.motor.dof", "no degree of freedom", "moves", ""),
];

const END_EFFECTORS_AND_ATTACHMENTS: &[Mistake] = &[
    ("link = \"hand\"", "link = \"hadn\"", 29, "end_effector.tool.link", "no link called", "gripper", "hand"),
    ("times = [0.0, 1.0]", "times = [1.0, 0.0]", 30, "end_effector.tool.times", "sort key frames", "", ""),
    (
        "times = [0.0, 1.0]",
        "times = [0.0]",
        31,
        "end_effector.tool.positions",
        "2 positions for 1 times",
        "as many",
        "",
    ),
    (
        "[[0.4, 0.0, 0.5]",
        "[[4.0, 0.0, 0.5]",
        31,
        "end_effector.tool.positions",
        "cannot reach",
        "start = \"joints\"",
        "",
    ),
    (
        "[control.arm]\nrobot = \"arm\"\nposition_gain = 1000.0\n",
        "",
        24,
        "end_effector.tool",
        "no position actuator",
        "control",
        "",
    ),
    ("at = \"start\"\n", "", 32, "attach.grip.at", "go together", "both", ""),
    ("at = \"start\"", "at = { node = 3 }", 35, "attach.grip.at", "a node is given", "edge", ""),
    (
        "link = \"gripper\" }",
        "link = \"griper\" }",
        36,
        "attach.grip.to.link",
        "no link called",
        "gripper",
        "gripper",
    ),
    ("to = {", "until = 0.0\nto = {", 36, "attach.grip.until", "before it begins", "after 0", ""),
    (
        "kind = \"clamp\"\nrod = \"rope\"\nat = \"start\"",
        "kind = \"pin\"\nbody = \"swing\"",
        33,
        "attach.grip.kind",
        "a pin holds a node",
        "ball",
        "",
    ),
    (
        "errors\", of = \"arm\"",
        "errors\", of = \"amr\"",
        38,
        "claim.follow.measure.of",
        "no body or robot called",
        "arm",
        "",
    ),
];

#[test]
fn mistakes_in_bodies_have_a_place_a_key_and_a_remedy() {
    assert_named("arm.toml", SCENE, BODIES);
}

#[test]
fn mistakes_in_robots_and_actuators_have_a_place_a_key_and_a_remedy() {
    assert_named("arm.toml", SCENE, ROBOTS);
}

#[test]
fn mistakes_in_end_effectors_and_attachments_have_a_place_a_key_and_a_remedy() {
    assert_named("arm.toml", SCENE, END_EFFECTORS_AND_ATTACHMENTS);
}

#[test]
fn a_rod_held_from_afar_is_a_warning() {
    let far = "rod.rope.curve.line.from=[0.4, 1.0, 0.5]".to_owned();
    let scene = load_text("arm.toml", SCENE, None, &[far]).unwrap();
    assert!(scene.warnings.iter().any(|w| w.contains("`grip`") && w.contains("away from `arm`")));
}

#[test]
fn a_scene_of_nothing_is_refused() {
    let error = load_text("empty.toml", "title = \"t\"\n[time]\nduration = 1.0\n", None, &[]).unwrap_err();
    assert!(error.message.contains("at least one rod, body or robot"), "{error}");
}

#[test]
fn what_a_robot_file_says_and_the_simulation_does_not_know_is_a_warning() {
    let dir = std::env::temp_dir().join(format!("ropewalk_scene_{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let urdf = "<robot name=\"r\"><link name=\"base\"/><gazebo><plugin/></gazebo></robot>";
    std::fs::write(dir.join("r.urdf"), urdf).unwrap();
    let text = "title = \"t\"\n[time]\nduration = 1.0\n[robot.r]\nurdf = \"r.urdf\"\n";
    let scene = load_text("r.toml", text, Some(&dir), &[]).unwrap();
    std::fs::write(dir.join("r.urdf"), urdf.replace("</robot>", "<link/></robot>")).unwrap();
    let error = load_text("r.toml", text, Some(&dir), &[]).unwrap_err();
    std::fs::remove_dir_all(&dir).unwrap();
    assert!(
        scene.warnings.iter().any(|w| w.contains("robot `r`") && w.contains("gazebo")),
        "{:?}",
        scene.warnings
    );
    // What is wrong inside the file is shown there.
    assert_eq!((error.label.as_str(), error.line), ("r.urdf", 1), "{error}");
}
