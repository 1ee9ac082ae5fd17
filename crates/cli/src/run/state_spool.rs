//! `states.npz`: the states of a run, sampled.
//!
//! | array | shape | meaning |
//! |---|---|---|
//! | `time` | (k,) | time in s |
//! | `NAME/q` | (k, n, 4) | x, y, z (m) of each node and twist angle (rad) of the edge that leaves it |
//! | `NAME/v` | (k, n, 4) | their velocities: m/s and rad/s |
//! | `NAME/d1` | (k, e, 3) | reference director of each edge |
//!
//! k samples; n nodes and e edges of the rod NAME. In Python: `numpy.load("states.npz")["rope/q"]`.
//!
//! An array of the archive holds all samples of one quantity, but samples come one by one. They are
//! kept in a file, `states.partial`, one record after the other, and sorted into arrays at the end:
//! memory does not grow with the run.

use crate::npz::{NpzWriter, from_little_endian, little_endian};
use ropewalk_sim::{Model, State};
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
}

impl StateSpool {
    /// Starts a spool for the states of `model` in the directory `dir`.
    pub(crate) fn create(dir: &Path, model: &Model) -> io::Result<Self> {
        let path = dir.join("states.partial");
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        let mut arrays = vec![SpoolArray { name: "time".to_owned(), shape: vec![], start: 0, len: 1 }];
        let mut record_len = 1;
        for (name, rod) in model.rod_names.iter().zip(&model.rods) {
            let nodes = vec![rod.node_count(), 4];
            for (quantity, shape) in [("q", nodes.clone()), ("v", nodes), ("d1", vec![rod.edge_count(), 3])] {
                let len = shape.iter().product();
                arrays.push(SpoolArray { name: format!("{name}/{quantity}"), shape, start: record_len, len });
                record_len += len;
            }
        }
        Ok(Self { path, file: BufWriter::new(file), arrays, record_len, count: 0 })
    }

    /// Adds a state.
    pub(crate) fn push(&mut self, state: &State) -> io::Result<()> {
        self.file.write_all(&state.time.to_le_bytes())?;
        for rod in &state.rods {
            for block in rod.q.iter().chain(&rod.v) {
                self.file.write_all(&little_endian(block))?;
            }
            for director in &rod.d1 {
                self.file.write_all(&little_endian(director))?;
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Number of states so far.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Time (s) and node positions (m) of each rod in sample `index`.
    pub(crate) fn positions(&mut self, index: usize) -> io::Result<(f64, Vec<Vec<glam::DVec3>>)> {
        self.file.flush()?;
        let mut record = vec![0; 8 * self.record_len];
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(8 * (index * self.record_len) as u64))?;
        file.read_exact(&mut record)?;
        file.seek(SeekFrom::End(0))?;
        let numbers = from_little_endian(&record);
        let rods = self.arrays.iter().filter(|array| array.name.ends_with("/q"));
        let positions = rods.map(|array| {
            let blocks = numbers[array.start..array.start + array.len].chunks_exact(4);
            blocks.map(|q| glam::DVec3::new(q[0], q[1], q[2])).collect()
        });
        Ok((numbers[0], positions.collect()))
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
