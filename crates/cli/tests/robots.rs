//! `ropewalk check` on robots.
#![allow(clippy::unwrap_used)]

mod common;
use common::Place;
use serde_json::Value;

#[test]
fn a_robot_that_comes_with_the_program_is_checked() {
    let ran = Place::new().run(&["check", "robot:arm7_gripper"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    // The page on robots shows the same.
    assert!(include_str!("../../../docs/robots.md").contains(&ran.stdout), "{}", ran.stdout);
}

#[test]
fn what_is_not_carried_over_is_printed() {
    let place = Place::new();
    let text = "<robot name=\"cart\">\n<link name=\"rail\"/>\n<gazebo/>\n</robot>\n";
    std::fs::write(place.path("cart.urdf"), text).unwrap();
    let ran = place.run(&["check", "cart.urdf"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.ends_with("\nNot carried over\n  line 3: <gazebo> in robot\n"), "{}", ran.stdout);
    let ran = place.run(&["check", "cart.urdf", "--json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["links"], 1);
    assert_eq!(report["mass"], 0.0);
    assert_eq!(report["degrees_of_freedom"], 0);
    assert_eq!(report["not_carried_over"], serde_json::json!(["line 3: <gazebo> in robot"]));
}

#[test]
fn packages_are_found_by_their_paths() {
    let place = Place::new();
    let collision = "<collision><geometry><mesh filename=\"package://parts/a.obj\"/></geometry></collision>";
    let text = format!("<robot name=\"part\"><link name=\"a\">{collision}</link></robot>");
    for folder in ["here", "there", "there/parts"] {
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    std::fs::write(place.path("here/part.urdf"), text).unwrap();
    std::fs::write(place.path("there/parts/a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let ran = place.run(&["check", "here/part.urdf"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no folder \"parts\" holds \"a.obj\""), "{}", ran.stderr);
    for path in ["there", "there/parts"] {
        let ran = place.run(&["check", "here/part.urdf", "--package-path", path]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}

#[test]
fn impossible_inertias_are_repaired_on_request() {
    let place = Place::new();
    let inertia = "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"9\"/>";
    let text = format!(
        "<robot name=\"a\"><link name=\"a\"><inertial><mass value=\"1\"/>{inertia}</inertial></link></robot>"
    );
    std::fs::write(place.path("a.urdf"), text).unwrap();
    let ran = place.run(&["check", "a.urdf"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("triangle inequality") && ran.stderr.contains("repair_inertia"),
        "{}",
        ran.stderr
    );
    let ran = place.run(&["check", "a.urdf", "--repair-inertia"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("the nearest possible inertia is used"), "{}", ran.stdout);
}

#[test]
fn robots_that_are_not_there_or_overridden_are_refused() {
    let place = Place::new();
    for (arguments, message) in [
        (&["check", "robot:arm"][..], "one of arm7_gripper, arm7_flange, planar_arm"),
        (&["check", "missing.urdf"], "cannot read this file"),
        (&["check", "robot:planar_arm", "--set", "a=1"], "a robot file has no values to override"),
    ] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
}
