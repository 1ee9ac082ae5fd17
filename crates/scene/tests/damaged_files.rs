//! Damaged scenes, robots, meshes and snapshots are read, or rejected with a reason, without panics and without much
//! memory.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod damage;

use damage::{CountingAllocator, Random, damage, peak_bytes};
use ropewalk_scene::mesh_file::{parse_obj, parse_stl};
use ropewalk_scene::npz::{Npz, NpzWriter, read_npz};
use ropewalk_scene::{
    Driver, SavedRun, SceneError, UrdfOptions, embedded_scenes, load_text, read_mjcf, read_urdf,
};
use std::io::Cursor;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const SEED: u64 = 0x05ee_d0f1;
const MOST_BYTES: usize = 400_000_000;

const SCENE: &str = r#"
title = "a rope with a ball on a table"
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
shape = "half_space"
[body.ball]
density = 100.0
position = [0.0, 0.0, 0.1]
shape = { sphere = { radius = 0.01 } }
[claim.still]
measure = { quantity = "velocities", of = "rope", component = "norm", across = "greatest", over = "last" }
equals = 0.0
tolerance = 1e-1
"#;

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn damaged_scenes_are_refused_with_a_reason() {
    let mut dice = Random(SEED);
    let mut texts: Vec<String> = embedded_scenes()
        .iter()
        .filter(|s| s.text.len() < 2500)
        .map(|s| s.text.lines().filter(|l| !l.starts_with('#')).collect::<Vec<_>>().join("\n"))
        .collect();
    texts.push(include_str!("everything.toml").to_owned());
    assert!(texts.len() > 5);
    for _ in 0..2000 {
        let text = text_of(&damage(dice.pick(&texts).as_bytes(), &mut dice));
        match load_text("damaged.toml", &text, None, &[]) {
            Ok(scene) => assert!(scene.state.is_finite(), "{text}"),
            Err(error) => assert!(error.to_string().contains("damaged.toml"), "{error}"),
        }
    }
    assert!(peak_bytes() < MOST_BYTES, "{} bytes", peak_bytes());
}

#[test]
fn damaged_points_are_refused_with_a_reason() {
    let mut dice = Random(SEED);
    let dir = tempfile::tempdir().unwrap();
    let text = "# x y z\n0 0 0\n1e-2, 2e-3, 0.0\n0.02;4e-3;0.001 # bent\n0.03\t6e-3 0.0\n";
    let scene = SCENE.replace("segments = 4\n", "");
    let line = "{ line = { from = [0.0, 0.0, 0.0019], to = [0.1, 0.0, 0.0019] } }";
    assert!(scene.contains(line));
    let scene = scene.replace(line, "{ points = \"points.txt\" }");
    let mut read = 0;
    for _ in 0..500 {
        std::fs::write(dir.path().join("points.txt"), damage(text.as_bytes(), &mut dice)).unwrap();
        match load_text("points.toml", &scene, Some(dir.path()), &[]) {
            Ok(scene) => {
                read += 1;
                assert!(scene.state.is_finite());
            }
            Err(error) => assert!(error.to_string().contains("points.toml"), "{error}"),
        }
    }
    assert!(read > 20, "{read}");
    assert!(peak_bytes() < MOST_BYTES, "{} bytes", peak_bytes());
}

#[test]
fn damaged_robots_are_refused_with_a_reason() {
    let mut dice = Random(SEED);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let (urdf, mjcf) = (include_str!("urdf/everything.urdf"), include_str!("mjcf/everything.xml"));
    let mut read = [0; 2];
    let mut count = |kind: usize, found: Result<f64, SceneError>| match found {
        Ok(mass) => read[kind] += usize::from(mass.is_finite()),
        Err(error) => assert!(error.to_string().contains("damaged."), "{error}"),
    };
    for turn in 0..4500 {
        let options = UrdfOptions::default();
        if turn % 3 == 2 {
            let text = text_of(&damage(mjcf.as_bytes(), &mut dice));
            let robot = read_mjcf("damaged.xml", &text, Some(&folder.join("mjcf")), &options);
            count(1, robot.map(|robot| robot.total_mass()));
        } else {
            let text = text_of(&damage(urdf.as_bytes(), &mut dice));
            let robot = read_urdf("damaged.urdf", &text, Some(&folder.join("urdf")), &options);
            count(0, robot.map(|robot| robot.total_mass()));
        }
    }
    assert!(read.iter().all(|&n| n > 100), "{read:?}");
    assert!(peak_bytes() < MOST_BYTES, "{} bytes", peak_bytes());
}

#[test]
fn damaged_meshes_are_refused_with_a_reason() {
    let mut dice = Random(SEED);
    let mut binary = vec![0; 80];
    binary.extend(4_u32.to_le_bytes());
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f32]];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut ascii = "solid a\n".to_owned();
    let mut obj = "o a\n".to_owned();
    for [x, y, z] in corners {
        obj += &format!("v {x} {y} {z}\n");
    }
    for face in faces {
        binary.extend([0; 12]);
        ascii += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in face.map(|i: usize| corners[i]) {
            binary.extend([x, y, z].iter().flat_map(|v| v.to_le_bytes()));
            ascii += &format!("vertex {x} {y} {z}\n");
        }
        binary.extend([0; 2]);
        ascii += "endloop\nendfacet\n";
        obj += &format!("f {} {}/1/1 {}\n", face[0] + 1, face[1] + 1, -4 + face[2] as i32);
    }
    ascii += "endsolid a\n";
    let mut read = [0; 3];
    for _ in 0..1500 {
        let files = [binary.as_slice(), ascii.as_bytes(), obj.as_bytes()];
        for (k, file) in files.into_iter().enumerate() {
            let bytes = damage(file, &mut dice);
            let parsed = if k == 2 { parse_obj(&bytes) } else { parse_stl(&bytes) };
            match parsed {
                Ok(mesh) => {
                    read[k] += 1;
                    assert!(
                        mesh.triangles.as_flattened().iter().all(|&i| (i as usize) < mesh.vertices.len())
                    );
                    assert!(mesh.vertices.iter().all(|v| v.is_finite()));
                }
                Err(reason) => assert!(!reason.is_empty()),
            }
        }
    }
    assert!(read.iter().all(|&n| n > 100), "{read:?}");
    assert!(peak_bytes() < MOST_BYTES, "{} bytes", peak_bytes());
}

fn snapshot(path: &Path) {
    let scene = load_text("scene.toml", SCENE, None, &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut driver = Driver::new(&scene);
    for _ in 0..20 {
        driver.step().unwrap();
    }
    driver.save(vec![0.0; 8]).write(path, &scene).unwrap();
}

/// An archive with the same entries, but for one array that has other numbers or another shape, or is not there.
fn with_one_array_changed(whole: &Npz, dice: &mut Random) -> Vec<u8> {
    const NUMBERS: [f64; 9] =
        [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e308, 1e15, 4_294_967_296.0, 0.5, f64::MIN_POSITIVE];
    let mut npz = NpzWriter::new(Cursor::new(Vec::new()));
    let changed = dice.below(whole.arrays.len());
    for (i, (name, array)) in whole.arrays.iter().enumerate() {
        let (mut shape, mut data) = (array.shape.clone(), array.data.clone());
        if i == changed {
            match dice.below(4) {
                0 => continue,
                1 => {
                    data.truncate(dice.below(data.len() + 1));
                    shape = vec![data.len()];
                }
                2 => {
                    data.extend([0.0; 3]);
                    shape = vec![data.len()];
                }
                _ if data.is_empty() => {}
                _ => {
                    for _ in 0..=dice.below(3) {
                        let at = dice.below(data.len());
                        data[at] = *dice.pick(&NUMBERS);
                    }
                }
            }
        }
        npz.array(name, &shape, &data).unwrap();
    }
    for (name, text) in &whole.texts {
        npz.text(name, text).unwrap();
    }
    npz.finish().unwrap().into_inner()
}

#[test]
fn damaged_snapshots_are_refused_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("snapshot.npz");
    snapshot(&path);
    let bytes = std::fs::read(&path).unwrap();
    let whole = read_npz(Cursor::new(&bytes)).unwrap();
    assert!(SavedRun::read(&path).is_ok());
    let damaged = dir.path().join("damaged.npz");
    let mut dice = Random(SEED);
    let mut read = 0;
    for turn in 0..2500 {
        let bytes =
            if turn % 2 == 0 { damage(&bytes, &mut dice) } else { with_one_array_changed(&whole, &mut dice) };
        std::fs::write(&damaged, &bytes).unwrap();
        match SavedRun::read(&damaged) {
            Ok((_, run)) => {
                read += 1;
                assert!(run.state.is_finite(), "turn {turn}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(read > 5, "{read}");
    assert!(peak_bytes() < MOST_BYTES, "{} bytes", peak_bytes());
}
