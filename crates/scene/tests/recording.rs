//! Recordings can be read back, also from a truncated file.
#![allow(clippy::unwrap_used, reason = "tests")]

mod recorded;

use core::ops::ControlFlow;
use ropewalk_scene::recording::message::{
    EventKind, Message, PatchSideInfo, PolygonInfo, SceneMessage, StateMessage,
};
use ropewalk_scene::recording::reader::Ending;
use ropewalk_scene::recording::{Info, Rates, TOPICS, export_csv, export_gltf, export_npz};
use ropewalk_scene::{Recording, load_named};
use ropewalk_sim::State;
use std::path::Path;

/// Records `steps` steps; returns the states at the ends of all steps.
fn record(name: &str, overrides: &[&str], steps: usize, rate: f64, path: &Path) -> Vec<State> {
    record_at(name, overrides, steps, Rates { frames: rate, states: rate, ..Rates::DEFAULT }, path)
}

fn record_at(name: &str, overrides: &[&str], steps: usize, rates: Rates, path: &Path) -> Vec<State> {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    let scene = load_named(name, &overrides).unwrap();
    recorded::record(&scene, steps, rates, path)
}

fn messages(path: &Path) -> (Vec<Message>, Ending) {
    let mut all = Vec::new();
    let ending = Recording::open(path).unwrap().read(|message| {
        all.push(message);
        Ok(ControlFlow::Continue(()))
    });
    (all, ending.unwrap())
}

fn states(all: &[Message]) -> Vec<&StateMessage> {
    all.iter().filter_map(|m| if let Message::State(s) = m { Some(s) } else { None }).collect()
}

#[test]
fn states_come_back_to_the_bit_at_the_rate_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    // 103 steps of 1 ms at 100 frames a second: 0, 10, …, 100, and the end.
    let ran = record("two_arms", &["time.dt=1e-3"], 103, 100.0, &path);
    let (all, ending) = messages(&path);
    assert_eq!(ending, Ending::Complete);
    let frames = states(&all);
    let steps: Vec<usize> = (0..=100).step_by(10).chain([103]).collect();
    assert_eq!(frames.len(), steps.len());
    for (frame, &i) in frames.iter().zip(&steps) {
        assert_eq!(frame.time, ran[i].time);
        for (a, b) in frame.rods.iter().zip(&ran[i].rods) {
            assert!(a.q == b.q && a.v == b.v && a.d1 == b.d1);
        }
        for (a, b) in frame.trees.iter().zip(&ran[i].trees) {
            assert!(a.q == b.q && a.v == b.v);
        }
    }
    let info = Info::of(&Recording::open(&path).unwrap()).unwrap();
    assert!(info.complete);
    assert_eq!((info.frames, info.steps, info.end), (12, 103, ran[103].time));
    let kinds: Vec<EventKind> = info.events.iter().map(|e| e.kind).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), (EventKind::Start, EventKind::End));
}

#[test]
fn attachments_that_begin_and_end_are_events() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    let changes = ["attach.knot.until=0.01"];
    record("suspended_load", &changes, 30, 1e3, &path);
    let info = Info::of(&Recording::open(&path).unwrap()).unwrap();
    let of_knot: Vec<(EventKind, f64)> =
        info.events.iter().filter(|e| e.name == "knot").map(|e| (e.kind, e.time)).collect();
    let [(EventKind::Attach, begins), (EventKind::Release, ends)] = of_knot[..] else {
        panic!("{:?}", info.events)
    };
    assert!(begins < 0.01 && ends > 0.01 && ends < 0.02, "{begins} {ends}");
}

#[test]
fn a_file_cut_anywhere_is_read_up_to_the_cut() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    record("rings", &[], 60, 1e4, &path);
    let whole = std::fs::read(&path).unwrap();
    let cut = dir.path().join("cut.mcap");
    let mut counts = Vec::new();
    for part in 1..=40 {
        std::fs::write(&cut, &whole[..whole.len() * part / 40]).unwrap();
        let Ok(recording) = Recording::open(&cut) else { continue };
        let mut count = 0;
        let ending = recording
            .read(|m| {
                count += usize::from(matches!(m, Message::State(_)));
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        assert_eq!(ending == Ending::Complete, part == 40, "{part}");
        counts.push(count);
    }
    assert!(counts.is_sorted() && counts.last() == Some(&61), "{counts:?}");
    // Whatever is no recording is refused with its name.
    std::fs::write(&cut, b"not a recording, but longer than its first bytes").unwrap();
    let error = Recording::open(&cut).unwrap_err().to_string();
    assert!(error.contains("cut.mcap: "), "{error}");
}

#[test]
fn contacts_name_sides_that_are_in_the_scene() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    record("capstan", &[], 60, 1e4, &path);
    let (all, _) = messages(&path);
    let Some(Message::Scene(scene)) = all.first() else { panic!("the scene is not first") };
    let scene: &SceneMessage = scene;
    let mut seen = 0;
    for message in &all {
        let Message::Contacts(contacts) = message else { continue };
        for contact in &contacts.contacts {
            seen += 1;
            use ropewalk_scene::recording::message::ContactSideInfo as Side;
            for side in contact.sides {
                match side {
                    Side::Rod { rod, edge, .. } => assert!(edge < scene.rods[rod].edge_count),
                    Side::Link { tree, link, shape } => {
                        assert!(shape < scene.trees[tree].links[link].shapes.len());
                    }
                }
            }
        }
    }
    assert!(seen > 0);
}

/// What a patch says of its polygons is their sum, and what of its pair is that of the world's forces.
#[test]
fn patches_sum_up_their_polygons_and_name_sides_that_are_in_the_scene() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    record("soft_finger", &[], 12, 1e4, &path);
    let (all, _) = messages(&path);
    let Some(Message::Scene(scene)) = all.first() else { panic!("the scene is not first") };
    let frames: Vec<_> =
        all.iter().filter_map(|m| if let Message::Patches(p) = m { Some(p) } else { None }).collect();
    assert_eq!(frames.len(), 12);
    let table = scene.trees.iter().position(|tree| tree.name == "table").unwrap();
    let last = frames[11];
    let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-9 * scale;
    let [patch] = &last.patches[..] else { panic!("{:?}", last.patches) };
    let link = PatchSideInfo::Link { tree: table, link: 0, shape: 0 };
    assert!(patch.sides == [PatchSideInfo::Rod { rod: 0 }, link], "{:?}", patch.sides);
    assert!(patch.polygons.len() > 10 && patch.normal_force > 0.0, "{patch:?}");
    let sum = |of: fn(&PolygonInfo) -> f64| patch.polygons.iter().map(of).sum::<f64>();
    assert!(close(sum(|p| p.area), patch.area, patch.area));
    assert!(close(sum(|p| p.area * p.pressure), patch.normal_force, patch.normal_force));
    for k in 0..3 {
        let force: f64 = patch.polygons.iter().map(|p| p.force[k]).sum();
        assert!(close(force, patch.force[k], patch.normal_force));
    }
    assert!(close(patch.mean_pressure * patch.area, patch.normal_force, patch.normal_force));
    let peak = patch.polygons.iter().map(|p| p.pressure).fold(0.0, f64::max);
    assert!(peak == patch.peak_pressure && peak > patch.mean_pressure);
    // On the table, under the cable, in its middle; the polygons there are where their corners are.
    let [x, y, z] = patch.center_of_pressure;
    assert!(x.abs() < 1e-3 && y.abs() < 1e-4 && z.abs() < 1e-4, "{:?}", patch.center_of_pressure);
    for polygon in &patch.polygons {
        assert!(polygon.corners.len() >= 3 && polygon.pressure >= 0.0);
        assert!(polygon.edges[0].is_some_and(|e| e < scene.rods[0].edge_count) && polygon.edges[1].is_none());
        assert!(
            polygon.corners.iter().all(|[x, y, z]| x.abs() < 0.061 && y.abs() < 2.1e-3 && z.abs() < 1e-3)
        );
        assert!(area_of(&polygon.corners) >= 0.999 * polygon.area, "{polygon:?}");
    }
    // Polygons are contacts, and tell them from points.
    let contacts = all.iter().rev().find_map(|m| if let Message::Contacts(c) = m { Some(c) } else { None });
    let pushing = patch.polygons.iter().filter(|p| p.pressure > 0.0).count();
    assert_eq!(contacts.unwrap().contacts.iter().filter(|c| c.area > 0.0).count(), pushing);

    let recording = Recording::open(&path).unwrap();
    let info = Info::of(&recording).unwrap();
    let polygons = frames.iter().map(|f| f.patches.iter().map(|p| p.polygons.len()).sum::<usize>());
    assert_eq!((info.most_patches, info.most_polygons), (1, polygons.clone().max().unwrap()));
    assert!(info.peak_pressure >= peak && info.messages["/patches"] == 12);

    let file = dir.path().join("run.npz");
    export_npz(&recording, &file).unwrap();
    let npz = ropewalk_scene::npz::read_npz(std::fs::File::open(&file).unwrap()).unwrap();
    let rows: usize = frames.iter().map(|f| f.patches.len()).sum();
    let (count, corners) = (polygons.sum::<usize>(), &npz.arrays["polygons/corners"]);
    assert_eq!(npz.arrays["patches/center_of_pressure"].shape, [rows, 3]);
    assert_eq!(npz.arrays["patches/peak_pressure"].data.last(), Some(&peak));
    assert_eq!(
        npz.arrays["patches/sides"].data[6 * (rows - 1)..],
        [0.0, 0.0, 0.0, -1.0 - table as f64, 0.0, 0.0]
    );
    assert_eq!(npz.arrays["polygons/pressure"].shape, [count]);
    assert_eq!(npz.arrays["polygons/patch"].data.last(), Some(&(rows as f64 - 1.0)));
    assert_eq!(npz.arrays["polygons/corner_count"].data.iter().sum::<f64>(), corners.shape[0] as f64);
    assert_eq!(
        corners.data[corners.data.len() - 3..],
        *patch.polygons.last().unwrap().corners.last().unwrap()
    );

    let csv = dir.path().join("run.csv");
    export_csv(&recording, &csv).unwrap();
    let text = std::fs::read_to_string(&csv).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|n| *n == name).unwrap();
    assert!(rows[1][column("patches")].is_empty());
    let end = rows.last().unwrap();
    assert_eq!((end[column("patches")], end[column("peak_pressure_Pa")]), ("1", &*peak.to_string()));
    assert_eq!(end[column("patch_force_N")], patch.normal_force.to_string());
}

/// Area of a plane polygon.
fn area_of(corners: &[[f64; 3]]) -> f64 {
    let at = |i: usize| glam::DVec3::from(corners[i % corners.len()]) - glam::DVec3::from(corners[0]);
    0.5 * (0..corners.len()).map(|i| at(i).cross(at(i + 1))).sum::<glam::DVec3>().length()
}

#[test]
fn every_field_of_every_message_is_on_the_page() {
    const PAGE: &str = include_str!("../../../docs/recordings.md");
    fn words(schema: &serde_json::Value, out: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(|p| p.as_object()) {
            out.extend(properties.keys().cloned());
        }
        for key in ["const", "enum"] {
            let values = schema.get(key).map(|v| v.as_array().cloned().unwrap_or_else(|| vec![v.clone()]));
            out.extend(values.into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)));
        }
        match schema {
            serde_json::Value::Object(map) => map.values().for_each(|value| words(value, out)),
            serde_json::Value::Array(list) => list.iter().for_each(|value| words(value, out)),
            _ => {}
        }
    }
    for (topic, name) in TOPICS {
        let Some(schema) = topic.schema() else {
            // The page says the layout of frames in its own words.
            assert!(PAGE.contains(topic.message_encoding()) && PAGE.contains(topic.schema_name()));
            continue;
        };
        assert!(!schema.to_string().contains("$ref"), "{name}");
        let mut found = Vec::new();
        words(&schema, &mut found);
        assert!(found.len() > 2, "{name}: {schema}");
        for word in found {
            let named = PAGE.contains(&format!("`{word}`")) || PAGE.contains(&format!("\"{word}\""));
            assert!(named, "`{word}` of {name} is not in docs/recordings.md");
        }
        assert!(PAGE.contains(&format!("`{name}`")) && PAGE.contains(topic.schema_name()));
    }
}

#[test]
fn exports_hold_what_was_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    let ran = record("arm_rope", &[], 40, 1e4, &path);
    let recording = Recording::open(&path).unwrap();

    let npz = dir.path().join("run.npz");
    export_npz(&recording, &npz).unwrap();
    let npz = ropewalk_scene::npz::read_npz(std::fs::File::open(&npz).unwrap()).unwrap();
    let times: Vec<f64> = ran.iter().map(|s| s.time).collect();
    assert_eq!(npz.arrays["time"].data, times);
    let rod = &recording.scene.rods[0];
    let q = &npz.arrays[&format!("{}/q", rod.name)];
    assert_eq!(q.shape, [41, rod.node_count, 4]);
    assert_eq!(q.data[q.data.len() - 4 * rod.node_count..], *ran[40].rods[0].q.as_flattened());
    let forces = &npz.arrays["forces/time"];
    assert_eq!(forces.shape, [40]);
    assert_eq!(npz.arrays["effort"].shape, [40, recording.scene.actuators.len()]);

    let csv = dir.path().join("run.csv");
    export_csv(&recording, &csv).unwrap();
    let text = std::fs::read_to_string(&csv).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 41);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let column = rows[0].iter().position(|name| *name == "attach.grip.force_z_N").unwrap();
    assert!(rows[1][column].is_empty());
    assert!(rows[2..].iter().all(|row| row[column].parse::<f64>().unwrap().is_finite()));

    let glb = dir.path().join("run.glb");
    export_gltf(&recording, &glb).unwrap();
    let bytes = std::fs::read(&glb).unwrap();
    assert_eq!(&bytes[..4], b"glTF");
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    assert_eq!(json["skins"][0]["joints"].as_array().unwrap().len(), rod.node_count);
    let animation = &json["animations"][0];
    assert!(animation["channels"].as_array().unwrap().len() >= 2 * rod.node_count - 4);
    let times = &json["accessors"][animation["samplers"][0]["input"].as_u64().unwrap() as usize];
    assert_eq!(times["count"], 41);
}
