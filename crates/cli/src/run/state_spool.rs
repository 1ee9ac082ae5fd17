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

use ropewalk_render::from_recording::pose_of;
use ropewalk_render::stage::{Frame, RodFrame};
use ropewalk_scene::npz::{NpzWriter, from_little_endian, little_endian};
use ropewalk_scene::output_file::{WholeFile, create_new};
use ropewalk_sim::{Model, State, TreeModel, measure};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Name of the file for states during the run.
pub(crate) const SPOOL: &str = "states.partial";

/// Collects the states of a run in a file.
#[derive(Debug)]
pub(crate) struct StateSpool {
    path: PathBuf,
    file: BufWriter<File>,
    arrays: Vec<SpoolArray>,
    record_len: usize,
    count: usize,
}

/// Position of an array in each record.
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

/// Contents of an array.
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

impl StateSpool {
    /// Starts a spool for the states of `model` in the directory `dir`.
    pub(crate) fn create(dir: &Path, model: &Model) -> io::Result<Self> {
        let path = dir.join(SPOOL);
        let file = create_new(&path)?;
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

    /// Positions in sample `index`; without tensions.
    pub(crate) fn frame(&mut self, index: usize) -> io::Result<Frame> {
        self.file.flush()?;
        let mut record = vec![0; 8 * self.record_len];
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(8 * (index * self.record_len) as u64))?;
        file.read_exact(&mut record)?;
        file.seek(SeekFrom::End(0))?;
        let numbers = from_little_endian(&record);
        let mut frame = Frame { time: numbers[0], ..Frame::default() };
        let mut nodes: &[[f64; 4]] = &[];
        for array in &self.arrays {
            let data = &numbers[array.start..array.start + array.len];
            match array.kind {
                Kind::Nodes => nodes = data.as_chunks().0,
                // The nodes of the same rod lie just before.
                Kind::Directors => frame.rods.push(RodFrame::of_arrays(nodes, data.as_chunks().0, &[])),
                Kind::Poses => frame.trees.push(data.as_chunks().0.iter().copied().map(pose_of).collect()),
                Kind::Other => {}
            }
        }
        Ok(frame)
    }

    /// Writes the archive to `path` and removes the spool.
    pub(crate) fn finish(mut self, path: &Path) -> io::Result<()> {
        self.file.flush()?;
        let source = self.file.get_mut();
        let mut npz = NpzWriter::new(WholeFile::create(path)?);
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
        npz.finish()?.commit()
    }
}

/// A spool is useful only to its run; removing it frees space on a full disk.
impl Drop for StateSpool {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
