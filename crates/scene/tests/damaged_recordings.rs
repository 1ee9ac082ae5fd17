//! Damaged or hostile recordings give an error with its place, or the intact part, without panics and without much
//! memory.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod damage;
mod recorded;

use damage::{CountingAllocator, Random, damage, peak_bytes};
use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions};
use ropewalk_scene::recording::message::Message;
use ropewalk_scene::recording::{Info, Rates, TOPICS, Topic, export_csv, export_gltf, export_npz};
use ropewalk_scene::{FileError, Recording, load_text};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// One seed for every file here: a failure comes back.
const SEED: u64 = 0x05ee_d0f2;
const MOST_BYTES: usize = 400_000_000;
/// Damaged files of each of three kinds.
const TURNS: usize = 2000;

const SCENE: &str = r#"
title = "a rope falls on a table"
[time]
dt = 1e-3
duration = 1.0
[material.soft]
youngs_modulus = 1e7
poisson_ratio = 0.4
density = 500.0
[rod.rope]
material = "soft"
section = { circle = { radius = 2e-3 } }
segments = 4
curve = { line = { from = [0.0, 0.0, 0.0019], to = [0.1, 0.0, 0.0019] } }
[body.table]
motion = "fixed"
shape = { mesh = { vertices = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], triangles = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] } }
[body.ball]
density = 100.0
position = [0.0, 0.0, 0.1]
shape = { sphere = { radius = 0.01 } }
motion = "free"
"#;

fn record(path: &Path) {
    let scene = load_text("scene.toml", SCENE, None, &[]).unwrap_or_else(|e| panic!("{e}"));
    recorded::record(&scene, 4, Rates { frames: 1e3, states: 500.0, foxglove: 10.0 }, path);
}

fn messages(path: &Path) -> Vec<Message> {
    let mut all = Vec::new();
    let read = Recording::open(path).unwrap().read(|message| {
        all.push(message);
        Ok(core::ops::ControlFlow::Continue(()))
    });
    read.unwrap();
    all
}

/// The same messages in a file without compression and without checksums, so that damage reaches what is in them.
fn bare(messages: &[(Topic, Vec<u8>)]) -> Vec<u8> {
    let options = WriteOptions::new()
        .compression(None::<Compression>)
        .calculate_chunk_crcs(false)
        .calculate_data_section_crc(false)
        .calculate_summary_section_crc(false);
    let mut writer = options.create(Cursor::new(Vec::new())).unwrap();
    let mut channels = BTreeMap::new();
    for (topic, name) in TOPICS {
        let schema = writer.add_schema(topic.schema_name(), topic.schema_encoding(), b"{}").unwrap();
        let channel = writer.add_channel(schema, name, topic.message_encoding(), &BTreeMap::new()).unwrap();
        channels.insert(name, channel);
    }
    for (topic, bytes) in messages {
        let header =
            MessageHeader { channel_id: channels[topic.name()], sequence: 0, log_time: 0, publish_time: 0 };
        writer.write_to_known_channel(&header, bytes).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

/// Everything that reads a recording, one after the other; exports go to `out`.
fn read_all(recording: &Recording, out: Option<&Path>) -> Result<(), FileError> {
    Info::of(recording)?;
    recording.read(|_| Ok(core::ops::ControlFlow::Continue(())))?;
    let Some(out) = out else { return Ok(()) };
    export_npz(recording, &out.join("a.npz"))?;
    export_csv(recording, &out.join("a.csv"))?;
    export_gltf(recording, &out.join("a.glb"))
}

fn judge(found: Result<(), FileError>) -> bool {
    let Err(error) = found else { return true };
    let words = error.to_string();
    assert!(words.contains("damaged.mcap: ") && !words.contains("os error"), "{words}");
    false
}

/// Whether bytes in memory are read; every fortieth is exported as well.
fn check_bytes(bytes: Vec<u8>, turn: usize, dir: &Path) -> bool {
    let out = turn.is_multiple_of(40).then_some(dir);
    let recording = Recording::from_bytes(Path::new("damaged.mcap"), bytes.into());
    judge(recording.and_then(|recording| read_all(&recording, out)))
}

/// The same from a file.
fn check(bytes: &[u8], dir: &Path) -> bool {
    let path = dir.join("damaged.mcap");
    std::fs::write(&path, bytes).unwrap();
    judge(Recording::open(&path).and_then(|recording| read_all(&recording, Some(dir))))
}

#[test]
fn damaged_recordings_are_read_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.mcap");
    record(&path);
    let whole = std::fs::read(&path).unwrap();
    let all: Vec<(Topic, Vec<u8>)> =
        messages(&path).iter().map(|m| (m.topic(), m.to_bytes().unwrap())).collect();
    let plain = bare(&all);
    assert!(check(&whole, dir.path()) && check(&plain, dir.path()));
    let mut dice = Random(SEED);
    let mut read = [0; 3];
    for turn in 0..TURNS {
        // Whole files: records, chunks, checksums.
        read[0] += usize::from(check_bytes(damage(&whole, &mut dice), turn, dir.path()));
        // Without checksums: records and messages.
        read[1] += usize::from(check_bytes(damage(&plain, &mut dice), turn, dir.path()));
        // Messages, each in a file that is whole otherwise.
        let mut changed = all.clone();
        let which = dice.below(changed.len());
        changed[which].1 = damage(&changed[which].1, &mut dice);
        read[2] += usize::from(check_bytes(bare(&changed), turn, dir.path()));
    }
    // Some damage does not matter, most does.
    println!("of {TURNS} each {read:?} are read");
    assert!(read.iter().all(|&n| n > 2 && n < TURNS - 10), "{read:?}");
    assert!(peak_bytes() < MOST_BYTES, "{} bytes", peak_bytes());
}

/// A record that claims 2⁶⁴ − 1 bytes, and one of 2⁴⁸: they ended the process by a panic and by an abort.
#[test]
fn records_that_claim_more_than_the_file_has_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for length in [u64::MAX, u64::MAX - 8, 1 << 48, 1 << 40, (1 << 26) + 1, 1 << 25] {
        for opcode in [0x01_u8, 0x05, 0x06, 0x0f, 0x02, 0x77] {
            let mut bytes = b"\x89MCAP0\r\n".to_vec();
            bytes.push(opcode);
            bytes.extend(length.to_le_bytes());
            bytes.extend([b'x'; 20]);
            assert!(!check(&bytes, dir.path()), "{opcode} {length}");
        }
    }
    assert!(peak_bytes() < MOST_BYTES, "{} bytes", peak_bytes());
}

/// Chunks that say they are larger than they are, or smaller: 131 kB made 3 GB.
#[test]
fn chunks_that_expand_beyond_bounds_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let options = || WriteOptions::new().compression(Some(Compression::Zstd)).chunk_size(Some(1 << 30));
    let with = |count: usize| {
        let mut writer = options().create(Cursor::new(Vec::new())).unwrap();
        let schema = writer.add_schema("ropewalk.Scene", "jsonschema", b"{}").unwrap();
        let channel = writer.add_channel(schema, "/scene", "json", &BTreeMap::new()).unwrap();
        let header = MessageHeader { channel_id: channel, sequence: 0, log_time: 0, publish_time: 0 };
        for _ in 0..count {
            writer.write_to_known_channel(&header, &vec![b' '; 1 << 22]).unwrap();
        }
        writer.finish().unwrap();
        writer.into_inner().into_inner()
    };
    // 72 MB in one chunk.
    let large = with(18);
    assert!(large.len() < 200_000);
    assert!(!check(&large, dir.path()));
    // A chunk of 4 MB that says 1000 bytes, or 3 GB. The size stands after opcode, length and two times.
    let small = with(1);
    let chunk = small
        .windows(9)
        .position(|w| w[0] == 0x06 && u64::from_le_bytes(w[1..].try_into().unwrap()) < 1 << 20);
    let at = chunk.unwrap() + 9 + 16;
    assert_eq!(u64::from_le_bytes(small[at..at + 8].try_into().unwrap()) >> 22, 1);
    for claimed in [1000_u64, 3_000_000_000, u64::MAX] {
        let mut forged = small.clone();
        forged[at..at + 8].copy_from_slice(&claimed.to_le_bytes());
        assert!(!check(&forged, dir.path()), "{claimed}");
    }
    assert!(peak_bytes() < MOST_BYTES, "{} bytes", peak_bytes());
}

/// What is no regular file is refused at once; a FIFO would keep the reader waiting.
#[cfg(unix)]
#[test]
fn devices_pipes_and_folders_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for path in [Path::new("/dev/zero"), dir.path(), &fifo] {
        let error = Recording::open(path).unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
    }
}
