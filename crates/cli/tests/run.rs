//! A run and its outputs.
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, arrays, files_in, scene};
use serde_json::Value;

#[test]
fn the_summary_reads_well() {
    let ran = Place::new().run(&["run", "cantilever", "--threads", "2"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_layout!("summary", ran.stdout);
    // The last line is the command that shows it.
    let (start, end) = ("See it in the browser: ", " run cantilever --view\n");
    assert!(ran.stderr.starts_with(start) && ran.stderr.ends_with(end), "{}", ran.stderr);
}

#[test]
fn the_summary_as_json_has_the_documented_keys() {
    let ran = Place::new().run(&["run", "cantilever", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary["scene"], "cantilever");
    assert_eq!(summary["status"], "completed");
    let number = |path: &str| {
        summary.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}: {summary}"))
    };
    let (steps, dt, duration) = (number("/steps"), number("/dt"), number("/duration"));
    assert!((steps * dt - duration).abs() < 1e-9);
    assert!(number("/wall_s") > 0.0 && number("/real_time_rate") > 0.0);
    assert!(number("/newton/mean") >= 1.0 && number("/newton/max") >= number("/newton/mean"));
    for stage in ropewalk_sim::report::STAGES {
        assert!(number(&format!("/stages/{stage}")) >= 0.0);
    }
    for part in ["kinetic", "stretch", "bend", "twist", "gravity", "total"] {
        number(&format!("/energies/start/{part}"));
        number(&format!("/energies/end/{part}"));
    }
    number("/energies/work");
    let results = summary["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert_eq!(result["pass"], true, "{result}");
        for key in ["reference", "measured", "error", "tolerance"] {
            assert!(result[key].is_number(), "{result}");
        }
        assert!(result["name"].is_string());
    }
}

#[test]
fn a_claim_that_fails_is_exit_code_1() {
    // Stopped long before it has come to rest.
    let ran = Place::new().run(&["run", "cantilever", "--duration", "0.05"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("FAIL"), "{}", ran.stdout);
}

#[test]
fn quiet_says_nothing() {
    let ran = Place::new().run(&["run", &scene("three_rods.toml"), "--quiet"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}

#[test]
fn outputs_are_complete_and_agree() {
    let place = Place::new();
    let ran = place.run(&["run", &scene("three_rods.toml"), "--out", "new/out", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let out = place.path("new/out");
    assert_eq!(files_in(&out), ["metrics.csv", "picture.svg", "run.mcap", "states.npz", "summary.json"]);

    let summary = std::fs::read_to_string(out.join("summary.json")).unwrap();
    assert_eq!(summary, ran.stdout);
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["steps"], 100);

    // 0.1 s at 1 ms: rows every 10 ms, states every 25 ms.
    let metrics = std::fs::read_to_string(out.join("metrics.csv")).unwrap();
    let rows: Vec<Vec<&str>> = metrics.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 11);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    assert_eq!(rows[0][..3], ["time_s", "kinetic_J", "stretch_J"]);
    let column = |name: &str| rows[0].iter().position(|n| *n == name).unwrap();
    // A rod of one edge has no curvature.
    let empty = column("rod.stone.curvature_max_per_m");
    let number = |(i, cell): (usize, &&str)| if i == empty { Ok(0.0) } else { cell.parse::<f64>() };
    let last: Vec<f64> = rows[11].iter().enumerate().map(|cell| number(cell).unwrap()).collect();
    assert!(rows[11][empty].is_empty() && last.iter().all(|x| x.is_finite()));
    assert!((last[0] - 0.1).abs() < 1e-9);
    let end = &summary["energies"]["end"];
    assert_eq!(last[1], end["kinetic"].as_f64().unwrap());
    // The clamp carries the rod: at t = 0 there was no step, and so no force.
    let force = column("clamp.wall.force_z_N");
    assert_eq!(rows[1][force], "");
    assert_ne!(last[force], 0.0);

    assert_eq!(
        arrays(&out.join("states.npz")),
        [
            "time (5,)",
            "beam/q (5, 21, 4)",
            "beam/v (5, 21, 4)",
            "beam/d1 (5, 20, 3)",
            "ring/q (5, 24, 4)",
            "ring/v (5, 24, 4)",
            "ring/d1 (5, 24, 3)",
            "stone/q (5, 2, 4)",
            "stone/v (5, 2, 4)",
            "stone/d1 (5, 1, 3)",
        ]
    );

    let picture = std::fs::read_to_string(out.join("picture.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
}

#[test]
fn bodies_robots_and_attachments_are_in_the_outputs() {
    let place = Place::new();
    let run = |scene: &str| {
        let ran = place.run(&["run", scene, "--duration", "0.06", "--out", scene, "--json"]);
        // Claims are about the whole run.
        assert!(ran.code <= 1, "{}", ran.stderr);
        let text = std::fs::read_to_string(place.path(scene).join("metrics.csv")).unwrap();
        let rows: Vec<Vec<String>> =
            text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
        (serde_json::from_str::<Value>(&ran.stdout).unwrap(), rows)
    };
    let cell = |rows: &[Vec<String>], name: &str| -> f64 {
        let column = rows[0].iter().position(|n| n == name).unwrap_or_else(|| panic!("{name}"));
        rows.last().unwrap()[column].parse().unwrap()
    };

    let same = |a: f64, b: &Value| assert!((a - b.as_f64().unwrap()).abs() < 1e-12, "{a} {b}");

    let (summary, rows) = run("suspended_load");
    let position = summary["bodies"][0]["position"].clone();
    assert_eq!(summary["bodies"][0]["name"], "load");
    same(cell(&rows, "body.load.position_z_m"), &position[2]);
    same(cell(&rows, "body.load.quat_w"), &summary["bodies"][0]["quat_xyzw"][3]);
    // The rope hangs on the load: it is pulled down and away.
    assert!(cell(&rows, "attach.knot.force_z_N") < -30.0);
    assert_eq!(cell(&rows, "attach.knot.torque_x_Nm"), 0.0);
    let found = arrays(&place.path("suspended_load").join("states.npz"));
    for array in ["tree/load/q (3, 7)", "tree/load/v (3, 6)", "tree/load/poses (3, 1, 7)"] {
        assert!(found.iter().any(|a| a == array), "{array}: {found:?}");
    }

    let (summary, rows) = run("arm_rope");
    let joints = summary["joints"].as_array().unwrap();
    let grip = joints.iter().find(|j| j["joint"] == "grip").unwrap();
    assert_eq!((grip["tree"].as_str(), grip["slides"].as_bool()), (Some("arm"), Some(true)));
    same(cell(&rows, "joint.arm.grip.position_m"), &grip["position"]);
    assert_ne!(cell(&rows, "joint.arm.shoulder_yaw.velocity_rad_per_s"), 0.0);
    assert_ne!(cell(&rows, "joint.arm.shoulder_yaw.effort_Nm"), 0.0);
    assert_eq!(summary["attachments"][0]["name"], "grip");
    let picture = std::fs::read_to_string(place.path("arm_rope").join("picture.svg")).unwrap();
    // One outline for each of the arm's eleven shapes in each of its states.
    assert_eq!(picture.matches("<polygon ").count() % 11, 0);
    assert!(picture.contains("<polygon ") && !picture.contains("NaN"));
}

#[test]
fn a_scene_without_rods_runs_and_is_drawn() {
    let place = Place::new();
    let ran = place.run(&["run", "double_pendulum", "--duration", "0.1", "--out", "out", "--quiet"]);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let picture = std::fs::read_to_string(place.path("out/picture.svg")).unwrap();
    assert!(picture.contains("<polygon ") && !picture.contains("NaN"), "{picture}");
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let place = Place::new();
    let scene = scene("three_rods.toml");
    for threads in ["1", "2", "3"] {
        let ran = place.run(&["run", &scene, "--threads", threads, "--out", threads, "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    for file in ["states.npz", "metrics.csv", "picture.svg"] {
        let read = |threads: &str| std::fs::read(place.path(threads).join(file)).unwrap();
        assert!(read("1") == read("2") && read("1") == read("3"), "{file}");
    }
}
