//! `states.npz`: the states of a run, sampled.
//!
//! | array | shape | meaning |
//! |---|---|---|
//! | `time` | (k,) | time in s |
//! | `NAME/q` | (k, n, 4) | x, y, z (m) of each node and twist angle (rad) of the edge that leaves it |
//! | `NAME/v` | (k, n, 4) | their velocities: m/s and rad/s |
//! | `NAME/d1` | (k, e, 3) | reference director of each edge |
//! | `tree/NAME/q`, `tree/NAME/v` | (k, …) | joint positions and velocities of the robot or body NAME |
//! | `tree/NAME/poses` | (k, l, 7) | position (m) and quat_xyzw of each of its l links |
//!
//! k samples; n nodes and e edges of the rod NAME. In Python: `numpy.load("states.npz")["rope/q"]`.
//!
//! An array of the archive holds all samples of one quantity, but samples come one by one. They are
//! kept in a file, `states.partial`, one record after the other, and sorted into arrays at the end:
//! memory does not grow with the run.

use glam::{DQuat, DVec3};
use ropewalk_linalg::Pose;
use ropewalk_rod::{Rod, RodState};
use ropewalk_scene::npz::{NpzWriter, from_little_endian, little_endian};
use ropewalk_sim::{Model, State, TreeModel, measure};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Collects the states of a run in a file.
#[derive(Debug)]
pub(crate) struct StateSpool {
    path: PathBuf,
    file: BufWriter<File>,
    arrays: Vec<SpoolArray>,
    record_len: usize,
    count: usize,
}

/// Where an array lies in each record.
#[derive(Debug)]
struct SpoolArray {
    name: String,
    /// Shape of one sample.
    shape: Vec<usize>,
    /// First number in the record.
    start: usize,
    /// Numbers.
    len: usize,
    kind: Kind,
}

/// What an array holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nodes of a rod.
    Nodes,
    /// Reference directors of a rod.
    Directors,
    /// Poses of the links of a tree.
    Poses,
    /// Anything else.
    Other,
}

/// Where rods and bodies are at one time.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Time in s.
    pub(crate) time: f64,
    /// Positions in m, by rod and node.
    pub(crate) rods: Vec<Vec<DVec3>>,
    /// Material director m1, by rod and edge.
    pub(crate) directors: Vec<Vec<DVec3>>,
    /// Poses, by tree and link.
    pub(crate) trees: Vec<Vec<Pose>>,
}

impl Places {
    /// Those of `state`.
    pub(crate) fn of(model: &Model, state: &State) -> Self {
        let m1 = |(rod, s): (&Rod, &RodState)| {
            (0..rod.edge_count()).map(|e| turned(s.director(e), s.tangent(rod, e), s.q[e][3])).collect()
        };
        Self {
            time: state.time,
            rods: (0..model.rods.len()).map(|r| measure::positions(state, r)).collect(),
            directors: model.rods.iter().zip(&state.rods).map(m1).collect(),
            trees: (0..model.trees.len()).map(|t| measure::tree_kinematics(model, state, t).poses).collect(),
        }
    }
}

/// A reference director turned by the twist angle about the tangent: m1.
fn turned(director: DVec3, tangent: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = angle.sin_cos();
    director * cos + tangent.cross(director) * sin
}

impl StateSpool {
    /// Starts a spool for the states of `model` in the directory `dir`.
    pub(crate) fn create(dir: &Path, model: &Model) -> io::Result<Self> {
        let path = dir.join("states.partial");
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        let mut arrays: Vec<SpoolArray> = Vec::new();
        let mut record_len = 0;
        let mut add = |name: String, shape: Vec<usize>, kind: Kind| {
            let len = shape.iter().product();
            arrays.push(SpoolArray { name, shape, start: record_len, len, kind });
            record_len += len;
        };
        add("time".to_owned(), vec![], Kind::Other);
        for (name, rod) in model.rod_names.iter().zip(&model.rods) {
            add(format!("{name}/q"), vec![rod.node_count(), 4], Kind::Nodes);
            add(format!("{name}/v"), vec![rod.node_count(), 4], Kind::Other);
            add(format!("{name}/d1"), vec![rod.edge_count(), 3], Kind::Directors);
        }
        for TreeModel { name, tree, .. } in &model.trees {
            add(format!("tree/{name}/q"), vec![tree.position_count()], Kind::Other);
            add(format!("tree/{name}/v"), vec![tree.velocity_count()], Kind::Other);
            add(format!("tree/{name}/poses"), vec![tree.links().len(), 7], Kind::Poses);
        }
        Ok(Self { path, file: BufWriter::new(file), arrays, record_len, count: 0 })
    }

    /// Adds a state.
    pub(crate) fn push(&mut self, model: &Model, state: &State) -> io::Result<()> {
        self.file.write_all(&state.time.to_le_bytes())?;
        for rod in &state.rods {
            for block in rod.q.iter().chain(&rod.v) {
                self.file.write_all(&little_endian(block))?;
            }
            for director in &rod.d1 {
                self.file.write_all(&little_endian(director))?;
            }
        }
        for (t, tree) in state.trees.iter().enumerate() {
            self.file.write_all(&little_endian(&tree.q))?;
            self.file.write_all(&little_endian(&tree.v))?;
            for pose in measure::tree_kinematics(model, state, t).poses {
                self.file.write_all(&little_endian(&pose.position.to_array()))?;
                self.file.write_all(&little_endian(&pose.rotation.to_array()))?;
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Number of states so far.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Time, node positions of each rod and link poses of each tree in sample `index`.
    pub(crate) fn places(&mut self, index: usize) -> io::Result<Places> {
        self.file.flush()?;
        let mut record = vec![0; 8 * self.record_len];
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(8 * (index * self.record_len) as u64))?;
        file.read_exact(&mut record)?;
        file.seek(SeekFrom::End(0))?;
        let numbers = from_little_endian(&record);
        let mut places =
            Places { time: numbers[0], rods: Vec::new(), directors: Vec::new(), trees: Vec::new() };
        let mut angles: Vec<f64> = Vec::new();
        for array in &self.arrays {
            let data = &numbers[array.start..array.start + array.len];
            match array.kind {
                Kind::Nodes => {
                    let nodes = data.chunks_exact(4).map(|q| DVec3::new(q[0], q[1], q[2]));
                    places.rods.push(nodes.collect());
                    angles = data.chunks_exact(4).map(|q| q[3]).collect();
                }
                Kind::Directors => {
                    // The nodes of the same rod lie just before.
                    let nodes = places.rods.last().map_or(&[][..], Vec::as_slice);
                    let tangent = |e: usize| {
                        let (a, b) = (nodes[e], nodes[(e + 1) % nodes.len()]);
                        (b - a).normalize_or_zero()
                    };
                    let all = data.chunks_exact(3).enumerate();
                    let m1 = all.map(|(e, d)| turned(DVec3::from_slice(d), tangent(e), angles[e]));
                    places.directors.push(m1.collect());
                }
                Kind::Poses => {
                    let pose = |p: &[f64]| Pose::new(DVec3::from_slice(&p[..3]), DQuat::from_slice(&p[3..7]));
                    places.trees.push(data.chunks_exact(7).map(pose).collect());
                }
                Kind::Other => {}
            }
        }
        Ok(places)
    }

    /// Writes the archive to `path` and removes the spool.
    pub(crate) fn finish(mut self, path: &Path) -> io::Result<()> {
        self.file.flush()?;
        let source = self.file.get_mut();
        let mut npz = NpzWriter::new(BufWriter::new(File::create(path)?));
        let mut sample = Vec::new();
        for array in &self.arrays {
            let shape: Vec<usize> = core::iter::once(self.count).chain(array.shape.iter().copied()).collect();
            npz.array_with(&array.name, &shape, |out| {
                for index in 0..self.count {
                    let start = 8 * (index * self.record_len + array.start);
                    sample.resize(8 * array.len, 0);
                    source.seek(SeekFrom::Start(start as u64))?;
                    source.read_exact(&mut sample)?;
                    out.write_all(&sample)?;
                }
                Ok(())
            })?;
        }
        npz.finish()?.flush()?;
        std::fs::remove_file(&self.path)
    }
}
