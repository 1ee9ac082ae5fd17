//! Binary frames: they hold the state in single precision, the last one to the bit, and are small.
#![allow(clippy::unwrap_used, reason = "tests")]

mod recorded;

use core::ops::ControlFlow;
use glam::DVec3;
use recorded::record;
use ropewalk_scene::recording::binary_frame::{FrameMessage, edge_basis, edge_direction};
use ropewalk_scene::recording::message::Message;
use ropewalk_scene::recording::{Info, Rates, export_npz};
use ropewalk_scene::{Recording, Scene, load_named};
use ropewalk_sim::{State, Workspace, measure, step};
use std::path::Path;

fn messages(path: &Path) -> Vec<Message> {
    let mut all = Vec::new();
    let read = Recording::open(path).unwrap().read(|message| {
        all.push(message);
        Ok(ControlFlow::Continue(()))
    });
    read.unwrap();
    all
}

fn frames(all: &[Message]) -> Vec<&FrameMessage> {
    all.iter().filter_map(|m| if let Message::Frame(f) = m { Some(f) } else { None }).collect()
}

/// Compares a frame with the state that it is of.
fn assert_frame_is_of(scene: &Scene, frame: &FrameMessage, state: &State) {
    let model = &scene.model;
    assert_eq!(frame.time, state.time);
    let mut nodes = frame.nodes.iter();
    for (r, (rod, of_rod)) in model.rods.iter().zip(&state.rods).enumerate() {
        let here: Vec<&[f32; 5]> = nodes.by_ref().take(rod.node_count()).collect();
        let tension = measure::tension(model, state, r);
        for (node, q) in here.iter().zip(&of_rod.q) {
            assert!((0..3).all(|k| node[k] == q[k] as f32));
        }
        for e in 0..rod.edge_count() {
            let t = edge_direction(here[e], here[(e + 1) % here.len()]);
            let [b1, b2] = edge_basis(t);
            let (sin, cos) = f64::from(here[e][3]).sin_cos();
            let (sin_q, cos_q) = of_rod.q[e][3].sin_cos();
            let d1 = of_rod.director(e);
            let m1 = d1 * cos_q + of_rod.tangent(rod, e).cross(d1) * sin_q;
            // Rounded positions turn an edge by a few 1e-7 of their size over its length.
            let size = DVec3::from_slice(&of_rod.q[e][..3]).length() + 1.0;
            let allowed = 1e-6 + 4e-7 * size / of_rod.edge(rod, e).length();
            assert!((b1 * cos + b2 * sin - m1).length() < allowed, "rod {r}, edge {e}");
            assert_eq!(here[e][4], tension[e] as f32);
        }
        if !rod.closed() {
            let last = here.len() - 1;
            assert_eq!((here[last][3], here[last][4]), (here[last - 1][3], 0.0));
        }
    }
    let poses = (0..model.trees.len()).flat_map(|t| measure::tree_kinematics(model, state, t).poses);
    let poses: Vec<_> = poses.collect();
    assert_eq!(frame.links.len(), poses.len());
    for (link, pose) in frame.links.iter().zip(poses) {
        let numbers = pose.position.to_array().into_iter().chain(pose.rotation.to_array());
        assert!(link.iter().zip(numbers).all(|(a, b)| *a == b as f32));
    }
}

#[test]
fn frames_are_the_states_in_single_precision_and_the_last_is_exact() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    for name in ["arm_rope", "twisted_ring", "suture"] {
        let scene = load_named(name, &[]).unwrap();
        let ran = record(&scene, 25, Rates { frames: 1e9, states: 1.0, foxglove: 0.0 }, &path);
        let all = messages(&path);
        let found = frames(&all);
        assert_eq!(found.len(), 26, "{name}");
        for (frame, state) in found.iter().zip(&ran) {
            assert_frame_is_of(&scene, frame, state);
        }
        let exact: Vec<_> =
            all.iter().filter_map(|m| if let Message::State(s) = m { Some(s) } else { None }).collect();
        assert_eq!(exact.len(), 2, "{name}: the first and the last");
        let last = &ran[25];
        assert!(exact[1].time == last.time && exact[1].rods.iter().zip(&last.rods).all(|(a, b)| a.q == b.q));
        // Exports have all frames, and the exact numbers where there are some.
        let recording = Recording::open(&path).unwrap();
        let npz = dir.path().join("run.npz");
        export_npz(&recording, &npz).unwrap();
        let npz = ropewalk_scene::npz::read_npz(std::fs::File::open(&npz).unwrap()).unwrap();
        let q = &npz.arrays[&format!("{}/q", recording.scene.rods[0].name)];
        let nodes = recording.scene.rods[0].node_count;
        assert_eq!((q.shape[0], npz.arrays["states/time"].data.len()), (26, 2));
        assert_eq!(q.data[4 * nodes * 25..], *last.rods[0].q.as_flattened());
        let info = Info::of(&recording).unwrap();
        assert_eq!((info.frames, info.end, info.not_finite), (26, last.time, 0));
    }
}

#[test]
fn contacts_and_polygons_of_frames_are_those_of_the_messages() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    for name in ["capstan", "soft_finger"] {
        let scene = load_named(name, &[]).unwrap();
        record(&scene, 12, Rates { frames: 1e9, states: 1e9, foxglove: 0.0 }, &path);
        let all = messages(&path);
        let frame = *frames(&all).last().unwrap();
        let contacts =
            all.iter().rev().find_map(|m| if let Message::Contacts(c) = m { Some(c) } else { None });
        let contacts = &contacts.unwrap().contacts;
        assert!(!contacts.is_empty() && frame.contacts.len() == contacts.len(), "{name}");
        for (single, exact) in frame.contacts.iter().zip(contacts) {
            assert_eq!(single.point, exact.point.map(|x| x as f32));
            assert_eq!(single.force, exact.force.map(|x| x as f32));
            assert_eq!(single.gap, exact.gap as f32);
            use ropewalk_scene::recording::message::ContactSideInfo as Side;
            let thing = exact.sides.map(|side| match side {
                Side::Rod { rod, .. } => rod,
                Side::Link { tree, .. } => scene.model.rods.len() + tree,
            });
            assert_eq!(single.sides.map(usize::from), thing);
        }
        let patches = all.iter().rev().find_map(|m| if let Message::Patches(p) = m { Some(p) } else { None });
        let polygons: Vec<_> = patches.iter().flat_map(|p| &p.patches).flat_map(|p| &p.polygons).collect();
        assert_eq!(frame.polygons.len(), polygons.len());
        assert_eq!(name == "soft_finger", !polygons.is_empty());
        let corners: Vec<[f32; 3]> =
            polygons.iter().flat_map(|p| &p.corners).map(|c| c.map(|x| x as f32)).collect();
        assert_eq!(frame.corners, corners);
        assert!(frame.polygons.iter().zip(polygons).all(|(a, b)| a.pressure == b.pressure as f32));
    }
}

/// A chain of 100 rings of 20 segments, as it hangs: about 50 kB, where a state with its contacts takes half a megabyte.
#[test]
fn a_hundred_rings_take_about_fifty_kilobytes_a_frame() {
    let overrides = ["rod.ring.copies.count=100", "rod.ring.copies.step=[0.0, 0.0, -0.0175]"];
    let scene = load_named("rings", &overrides.map(str::to_owned)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    record(&scene, 40, Rates { frames: 1e9, states: 1.0, foxglove: 0.0 }, &path);
    let all = messages(&path);
    let frame = *frames(&all).last().unwrap();
    assert_eq!(frame.nodes.len(), 2000);
    assert!(frame.contacts.len() >= 99, "{}", frame.contacts.len());
    let bytes = frame.encode().len();
    assert!((40_000..60_000).contains(&bytes), "{bytes} bytes, {} contacts", frame.contacts.len());
}

/// Files of version 1 have a state for each frame, and no frames.
#[test]
fn files_of_version_1_are_read() {
    use ropewalk_scene::recording::{describe::describe, frame, log_writer::LogWriter};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    let scene = load_named("arm_rope", &[]).unwrap();
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    let mut log = LogWriter::create(&path).unwrap();
    let mut description = describe(&scene, scene.model.settings.dt);
    description.format = 1;
    log.write(0.0, &Message::Scene(Box::new(description))).unwrap();
    let mut ran = Vec::new();
    for _ in 0..5 {
        log.write(state.time, &Message::State(frame::state(&scene.model, &state))).unwrap();
        ran.push(state.clone());
        step(&scene.model, &mut state, &mut workspace);
    }
    log.finish().unwrap();
    let recording = Recording::open(&path).unwrap();
    let info = Info::of(&recording).unwrap();
    assert_eq!((info.format, info.frames, info.end), (1, 5, ran[4].time));
    let npz = dir.path().join("run.npz");
    export_npz(&recording, &npz).unwrap();
    let npz = ropewalk_scene::npz::read_npz(std::fs::File::open(&npz).unwrap()).unwrap();
    let name = &recording.scene.rods[0].name;
    for (key, of) in [("q", &ran[4].rods[0].q), ("v", &ran[4].rods[0].v)] {
        let array = &npz.arrays[&format!("{name}/{key}")];
        assert_eq!(array.shape[0], 5);
        assert_eq!(array.data[array.data.len() * 4 / 5..], *of.as_flattened(), "{key}");
    }
    ropewalk_scene::recording::export_gltf(&recording, &dir.path().join("run.glb")).unwrap();
}
