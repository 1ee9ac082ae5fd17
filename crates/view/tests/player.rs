//! A page holds the run that was recorded: what is read from it, as its layout says, is what was written, to within half a
//! step of each number.

#![allow(clippy::unwrap_used)]

use flate2::read::GzDecoder;
use glam::DVec3;
use ropewalk_scene::recording::binary_frame::{FrameMessage, edge_basis, edge_direction};
use ropewalk_scene::recording::{Message, Rates};
use ropewalk_scene::{Recorder, Recording, Scene};
use ropewalk_sim::{Workspace, step};
use ropewalk_view::{Player, write_player};
use serde_json::Value;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

fn record(scene: &Scene, path: &Path, steps: usize) -> Recording {
    let rates = Rates { frames: 1.0 / (5.0 * scene.model.settings.dt), states: 1.0 };
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    let mut recorder = Recorder::create(path, scene, rates, &state, 0).unwrap();
    recorder.begin(&scene.model, &state, None).unwrap();
    let mut work = 0.0;
    let mut last = None;
    for _ in 0..steps {
        let report = step(&scene.model, &mut state, &mut workspace);
        work += report.work;
        let sample = ropewalk_scene::sample(&scene.model, &state, &workspace, work);
        recorder.step(&scene.model, (&state, &workspace), &report, &sample).unwrap();
        last = Some(sample);
    }
    recorder.finish(&scene.model, (&state, Some(&workspace)), last.as_ref(), "completed").unwrap();
    Recording::open(path).unwrap()
}

fn frames_of(recording: &Recording) -> Vec<FrameMessage> {
    let mut frames = Vec::new();
    let read = recording.read(|message| {
        if let Message::Frame(frame) = message {
            frames.push(frame);
        }
        Ok(ControlFlow::Continue(()))
    });
    read.unwrap();
    frames
}

/// Reads a payload by the words of its documentation.
struct Reader {
    bytes: Vec<u8>,
    at: usize,
}

impl Reader {
    fn take(&mut self, count: usize) -> &[u8] {
        self.at += count;
        &self.bytes[self.at - count..self.at]
    }

    fn unsigned(&mut self) -> i64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.take(1)[0];
            value |= i64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    }

    fn signed(&mut self) -> i64 {
        let folded = self.unsigned();
        if folded % 2 == 0 { folded / 2 } else { -(folded + 1) / 2 }
    }

    /// Columns of `count` rows; `history` holds the frames before.
    fn columns<const N: usize>(
        &mut self,
        count: usize,
        wraps: Option<usize>,
        history: &mut Vec<Vec<[i64; N]>>,
    ) -> Vec<[i64; N]> {
        let mut rows = vec![[0; N]; count];
        for c in 0..N {
            for i in 0..count {
                let predicted = match history.as_slice() {
                    [] if i == 0 => 0,
                    [] => rows[i - 1][c],
                    [.., last] if history.len() == 1 || wraps == Some(c) => last[i][c],
                    [.., before, last] => 2 * last[i][c] - before[i][c],
                    [_] => unreachable!(),
                };
                let value = predicted + self.signed();
                rows[i][c] = if wraps == Some(c) { value.rem_euclid(65536) } else { value };
            }
        }
        history.push(rows.clone());
        rows
    }
}

#[test]
fn a_page_holds_the_frames_of_the_recording() {
    let dir = tempfile::tempdir().unwrap();
    // Flat on the ground, round a drum, with an arm: edges about the horizontal, contacts, links.
    for name in ["resting_cable", "capstan", "arm_rope"] {
        let scene = ropewalk_scene::load_named(name, &[]).unwrap();
        let recording = record(&scene, &dir.path().join("run.mcap"), 23);
        let frames = frames_of(&recording);
        let player = Player::of(&recording).unwrap();
        assert_eq!((player.frames, player.recorded), (frames.len(), 6), "{name}");

        let mut bytes = Vec::new();
        GzDecoder::new(player.payload.as_slice()).read_to_end(&mut bytes).unwrap();
        let mut reader = Reader { bytes, at: 0 };
        assert_eq!(reader.take(4), b"RWP1");
        let length = u32::from_le_bytes(reader.take(4).try_into().unwrap());
        let header: Value = serde_json::from_slice(reader.take(length as usize)).unwrap();
        assert_eq!(header["scene"]["name"], name);
        assert_eq!(header["frame_count"], frames.len());
        let unit = |key: &str| header["steps"][key].as_f64().unwrap();
        for frame in &frames {
            assert_eq!(f64::from_le_bytes(reader.take(8).try_into().unwrap()), frame.time);
        }
        let columns = header["series"].as_array().unwrap().len();
        reader.take(4 * columns * frames.len());
        let (mut nodes, mut links) = (Vec::new(), Vec::new());
        for frame in &frames {
            let rows: Vec<[i64; 5]> = reader.columns(frame.nodes.len(), Some(3), &mut nodes);
            check_nodes(&recording, frame, &rows, &unit);
            let rows: Vec<[i64; 7]> = reader.columns(frame.links.len(), None, &mut links);
            for (row, link) in rows.iter().zip(&frame.links) {
                for c in 0..7 {
                    let step = if c < 3 { unit("length") } else { 1.0 / 32767.0 };
                    assert!((row[c] as f64 * step - f64::from(link[c])).abs() <= 0.5001 * step);
                }
            }
            assert_eq!(reader.unsigned(), frame.contacts.len() as i64);
            let mut point = [0; 3];
            for contact in &frame.contacts {
                for c in 0..3 {
                    point[c] += reader.signed();
                    let error = point[c] as f64 * unit("length") - f64::from(contact.point[c]);
                    assert!(error.abs() <= 0.5001 * unit("length"));
                }
                for c in 0..3 {
                    let error = reader.signed() as f64 * unit("force") - f64::from(contact.force[c]);
                    assert!(error.abs() <= 0.5001 * unit("force"));
                }
                reader.signed();
                assert_eq!([reader.unsigned(), reader.unsigned()], contact.sides.map(i64::from));
            }
            assert_eq!(reader.unsigned(), 0, "polygons");
            for &holds in &frame.attached {
                assert_eq!(reader.unsigned(), i64::from(holds));
            }
        }
        assert_eq!(reader.at, reader.bytes.len());
    }
}

fn check_nodes(recording: &Recording, frame: &FrameMessage, rows: &[[i64; 5]], unit: &dyn Fn(&str) -> f64) {
    let step = unit("length");
    for (row, node) in rows.iter().zip(&frame.nodes) {
        for c in 0..3 {
            assert!((row[c] as f64 * step - f64::from(node[c])).abs() <= 0.5001 * step);
        }
        assert!((row[4] as f64 * unit("tension") - f64::from(node[4])).abs() <= 0.5001 * unit("tension"));
    }
    // Directors: in the basis of the rounded positions the angle gives the same vector, up to the turn of the edge.
    let place = |row: &[i64; 5]| [0, 1, 2].map(|c| (row[c] as f64 * step) as f32);
    let mut first = 0;
    for rod in &recording.scene.rods {
        for e in 0..rod.edge_count {
            let (a, b) = (first + e, first + (e + 1) % rod.node_count);
            let director = |t: DVec3, angle: f64| {
                let [b1, b2] = edge_basis(t);
                b1 * angle.cos() + b2 * angle.sin()
            };
            let true_edge = edge_direction(&frame.nodes[a], &frame.nodes[b]);
            let [[x0, y0, z0], [x1, y1, z1]] = [place(&rows[a]), place(&rows[b])];
            let edge = edge_direction(&[x0, y0, z0, 0.0, 0.0], &[x1, y1, z1, 0.0, 0.0]);
            let wanted = director(true_edge, frame.nodes[a][3].into());
            let got = director(edge, rows[a][3] as f64 * unit("angle"));
            let turn = (edge - true_edge).length();
            assert!(
                (got - wanted).length() <= 2.0 * turn + unit("angle"),
                "{} {}",
                (got - wanted).length(),
                turn
            );
        }
        first += rod.node_count;
    }
}

#[test]
fn a_recording_without_frames_is_refused_and_a_page_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
    let path = dir.path().join("run.mcap");
    let recording = record(&scene, &path, 5);
    let page = dir.path().join("run.html");
    write_player(&recording, &page).unwrap();
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("id=\"run\">H4sI"), "a gzip stream in base64");
    assert!(write_player(&recording, dir.path()).is_err());

    let empty = dir.path().join("empty.mcap");
    let recorder =
        Recorder::create(&empty, &scene, Rates { frames: 10.0, states: 1.0 }, &scene.state, 0).unwrap();
    drop(recorder);
    let error = match Recording::open(&empty) {
        Ok(recording) => Player::of(&recording).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(error.contains("empty.mcap"), "{error}");
}
