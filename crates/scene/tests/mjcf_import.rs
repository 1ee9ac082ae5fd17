//! Robots from MJCF: imported, ignored and rejected elements. Dynamics are compared with MuJoCo in Python.
#![allow(clippy::unwrap_used, reason = "tests")]

use ropewalk_body::JointKind;
use ropewalk_scene::{
    MjcfActuatorKind, RobotDescription, SceneError, UrdfOptions, load_robot, load_text, read_mjcf,
};
use std::path::Path;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mjcf"))
}

fn everything() -> RobotDescription {
    load_robot("everything.xml", Some(folder()), &UrdfOptions::default()).unwrap()
}

fn read(text: &str) -> Result<RobotDescription, SceneError> {
    read_mjcf("model.xml", text, Some(folder()), &UrdfOptions::default())
}

fn model(inside: &str) -> String {
    format!("<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n</mujoco>")
}

#[test]
fn bodies_and_joints_become_links_in_the_order_of_mujoco() {
    let robot = everything();
    let moving: Vec<&str> = robot
        .tree
        .links()
        .iter()
        .map(|l| &l.joint)
        .filter(|j| j.kind.velocity_count() > 0)
        .map(|j| j.name.as_str())
        .collect();
    assert_eq!(moving, ["turn", "pitch", "yaw", "reach", "socket", "grip", "grip_mirror", "flight"]);
    let joint = |name: &str| &robot.tree.links()[robot.tree.joint_index(name).unwrap()].joint;
    assert!((joint("turn").limits[1] - 150f64.to_radians()).abs() < 1e-12);
    assert_eq!((joint("turn").armature, joint("turn").dry_friction), (0.01, 0.1));
    assert_eq!((joint("yaw").spring_stiffness, joint("yaw").armature), (4.0, 0.01));
    assert!((joint("yaw").spring_rest - 10f64.to_radians()).abs() < 1e-12);
    assert_eq!(joint("pitch").damping, 0.3);
    assert!(matches!(joint("pitch").kind, JointKind::Continuous { .. }));
    let mimic = joint("grip_mirror").mimic.unwrap();
    assert_eq!((robot.tree.links()[mimic.leader].joint.name.as_str(), mimic.multiplier), ("grip", 1.0));
    for name in ["world", "base", "wrist", "hand", "left", "right", "ball", "flange"] {
        assert!(robot.tree.link_index(name).is_some(), "{name}");
    }
}

#[test]
fn references_key_frames_actuators_and_excludes_are_there() {
    let robot = everything();
    let state = robot.zero_state();
    let at = |name: &str| robot.tree.q_range(robot.tree.joint_index(name).unwrap());
    assert!((state.q[at("turn")][0] - 15f64.to_radians()).abs() < 1e-12);
    assert_eq!(state.q[at("flight")][..3], [0.5, 0.6, 0.7]);
    let key = &robot.drives.keys[0];
    // wxyz (0, 1, 0, 0) is xyzw (1, 0, 0, 0).
    assert_eq!((key.name.as_str(), &key.q[at("flight")][3..]), ("home", &[1.0, 0.0, 0.0, 0.0][..]));
    let [servo, torque] = &robot.drives.actuators[..] else { panic!("{:?}", robot.drives.actuators) };
    assert_eq!(servo.kind, MjcfActuatorKind::Position { position_gain: 100.0, velocity_gain: 5.0 });
    assert_eq!((servo.effort_limit, torque.effort_limit), (20.0, 3.0));
    assert_eq!(robot.drives.excludes, [["left".to_owned(), "right".to_owned()]]);
    let friction: Vec<f64> = robot.collisions.iter().filter_map(|c| c.friction).collect();
    assert!(friction.contains(&0.7) && friction.len() == robot.collisions.len());
}

#[test]
fn what_is_not_carried_over_is_listed_with_its_line() {
    let robot = everything();
    let listed = |words: &str| robot.not_carried_over.iter().filter(|l| l.contains(words)).count();
    for words in ["<option>", "<muscle>", "<sensor>", "`gear`", "ellipsoid"] {
        assert_eq!(listed(words), 1, "{words}: {:#?}", robot.not_carried_over);
    }
    assert!(robot.not_carried_over.iter().all(|l| l.starts_with("line ")), "{:#?}", robot.not_carried_over);
    assert_eq!(listed("light") + listed("material") + listed("rgba"), 0);
}

#[test]
fn mistakes_are_shown_in_their_place() {
    let cases = [
        (model("<body name=\"a\"><joint type=\"hing\"/><geom size=\"1\"/></body>"), 3, "hinge"),
        (model("<body><joint/><geom size=\"-1\"/></body>"), 3, "size"),
        (model("<body><joint axis=\"0 0 0\"/><geom size=\"1\"/></body>"), 3, "axis"),
        (
            model("<body name=\"a\"><geom size=\"1\"/></body>\n<body name=\"a\"><geom size=\"1\"/></body>"),
            4,
            "another body",
        ),
        (model("<body pos=\"1 2\"><geom size=\"1\"/></body>"), 3, "2 numbers"),
        (model("<body><geom class=\"none\" size=\"1\"/></body>"), 3, "default class"),
        (model("<body><joint limited=\"true\"/><geom size=\"1\"/></body>"), 3, "range"),
        (model("<body quat=\"0 0 0 0\"><geom size=\"1\"/></body>"), 3, "direction"),
        (model("<body><geom type=\"mesh\" mesh=\"none\"/></body>"), 3, "no mesh"),
        (model("<composite type=\"cable\"/>"), 3, "points"),
        (model("<flexcomp/>"), 3, "one dimension"),
        (model("<replicate/>"), 3, "replicate"),
        ("<mujoco>\n<include file=\"nowhere.xml\"/>\n<worldbody/></mujoco>".to_owned(), 2, "nowhere.xml"),
        ("<mujoco>\n</mujoco>".to_owned(), 1, "worldbody"),
    ];
    for (text, line, words) in cases {
        let error = read(&text).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
}

#[test]
fn a_file_that_includes_itself_is_refused() {
    let dir = std::env::temp_dir().join(format!("ropewalk-mjcf-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("loop.xml"), "<mujoco><include file=\"loop.xml\"/></mujoco>").unwrap();
    let error = load_robot("loop.xml", Some(&dir), &UrdfOptions::default()).unwrap_err();
    std::fs::remove_dir_all(&dir).unwrap();
    assert!(error.to_string().contains("includes itself"), "{error}");
}

/// Each file was read by recursion from depth 0 on, so that a hundred of them ended the process by its stack.
#[test]
fn files_that_include_one_another_are_as_deep_together_as_one() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..90 {
        let (open, close) = ("<body>".repeat(150), "</body>".repeat(150));
        let include = if i == 89 { String::new() } else { format!("<include file=\"{}.xml\"/>", i + 1) };
        let text = format!("<mujoco><worldbody>{open}{include}{close}</worldbody></mujoco>");
        std::fs::write(dir.path().join(format!("{i}.xml")), text).unwrap();
    }
    let error = load_robot("0.xml", Some(dir.path()), &UrdfOptions::default()).unwrap_err();
    assert!(error.to_string().contains("nested too deeply"), "{error}");
}

/// A small model that includes one large file a hundred times is as large as all of them.
#[test]
fn included_files_are_bounded_together() {
    let dir = tempfile::tempdir().unwrap();
    let filler = format!("<mujoco><!-- {} --></mujoco>", "x".repeat(33 << 20));
    std::fs::write(dir.path().join("filler.xml"), filler).unwrap();
    let model = |count: usize| {
        let include = "<include file=\"filler.xml\"/>".repeat(count);
        let text = format!("<mujoco>{include}<worldbody/></mujoco>");
        read_mjcf("model.xml", &text, Some(dir.path()), &UrdfOptions::default())
    };
    assert!(model(1).is_ok());
    let error = model(2).unwrap_err().to_string();
    assert!(error.contains("too large"), "{error}");
}

#[test]
fn a_scene_takes_key_frame_and_actuators() {
    let text = "title = \"t\"\n[time]\nduration = 1.0\n[contact]\nenabled = false\n[robot.r]\nmjcf = \"everything.xml\"\nkey_frame = \"home\"\n";
    let scene = load_text("scene.toml", text, Some(folder()), &[]).unwrap();
    let names: Vec<&str> = scene.model.actuators.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["r.servo", "r.torque"]);
    assert!((scene.state.trees[0].q[0] - 0.2).abs() < 1e-15);
    let none = text.replace("key_frame = \"home\"", "key_frame = \"hom\"");
    let error = load_text("scene.toml", &none, Some(folder()), &[]).err().unwrap().to_string();
    assert!(error.contains("home") && error.contains("key_frame"), "{error}");
    let both = text.replace("key_frame = \"home\"", "urdf = \"robot:planar_arm\"");
    assert!(load_text("scene.toml", &both, Some(folder()), &[]).is_err());
}

#[test]
fn a_cable_becomes_a_rod_that_hangs_on_its_body() {
    let cable = r#"<body name="post" pos="0 0 1"><geom size="0.01"/>
      <composite prefix="wire" type="cable" curve="s 0 0" count="21 1 1" size="0.5 0 0" offset="0.1 0 0" initial="none">
        <plugin plugin="mujoco.elasticity.cable"><config key="bend" value="4e6"/><config key="twist" value="1e6"/></plugin>
        <joint kind="main" damping="0.01"/>
        <geom type="capsule" size=".005" density="1500" friction="0.4"/>
      </composite></body>"#;
    let dir = std::env::temp_dir().join(format!("ropewalk-cable-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("cable.xml"), model(cable)).unwrap();
    let text = "title = \"t\"\n[time]\nduration = 1.0\n[robot.r]\nmjcf = \"cable.xml\"\n";
    let scene = load_text("scene.toml", text, Some(&dir), &[]).unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    assert_eq!(scene.model.rod_names, ["r.wire"]);
    let (rod, state) = (&scene.model.rods[0], &scene.state.rods[0]);
    assert_eq!(rod.edge_count(), 20);
    let bend = 4e6 * core::f64::consts::PI * 0.005f64.powi(4) / 4.0;
    assert!((rod.bend_stiffness(0)[1] * rod.voronoi_lengths()[1] / bend - 1.0).abs() < 1e-12);
    assert!((state.position(0) - glam::DVec3::new(0.1, 0.0, 1.0)).length() < 1e-12);
    assert!((state.position(20) - glam::DVec3::new(0.6, 0.0, 1.0)).length() < 1e-12);
    assert!(scene.warnings.iter().any(|w| w.contains("<joint>")), "{:?}", scene.warnings);
    // It is clamped: its first edge stays, its end falls.
    let (mut moved, mut workspace) = (scene.state.clone(), ropewalk_sim::Workspace::new(&scene.model));
    for _ in 0..200 {
        ropewalk_sim::step(&scene.model, &mut moved, &mut workspace);
    }
    assert!((moved.rods[0].position(0) - state.position(0)).length() < 1e-3);
    assert!(moved.rods[0].position(20).z < 0.95);
}

#[test]
fn a_flex_of_one_dimension_becomes_a_rod() {
    let flex = r#"<body name="post" pos="0 0 1"><geom size="0.01"/>
      <flexcomp name="rope" type="grid" count="6 1 1" spacing=".1 .1 .1" dim="1" radius=".01" mass=".3">
        <elasticity young="1e6" shear="4e5" damping="0.1"/><pin id="0 5"/>
      </flexcomp></body>"#;
    let robot = read(&model(flex)).unwrap();
    let [rope] = &robot.drives.cables[..] else { panic!("{:?}", robot.drives.cables) };
    assert_eq!((rope.name.as_str(), rope.nodes.len(), &rope.pins[..]), ("rope", 6, &[0, 5][..]));
    // Centered, as in MuJoCo.
    assert!((rope.nodes[0].x + 0.25).abs() < 1e-12 && (rope.nodes[5].x - 0.25).abs() < 1e-12);
    let mass = rope.density * core::f64::consts::PI * 1e-4 * 0.5;
    assert!((mass - 0.3).abs() < 1e-12 && rope.moduli == [1e6, 4e5]);
    assert!(robot.not_carried_over.iter().any(|l| l.contains("damping")), "{:?}", robot.not_carried_over);
}
