//! Many worlds, stepped side by side.
//!
//! Worlds do not feel one another, so each is stepped by whichever thread is free, and what comes out does not depend
//! on how many there are.

use crate::quantity::{Quantity, Values};
use crate::world::{Progress, World};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::time::Instant;

/// Worlds with threads of their own.
#[derive(Debug)]
pub struct Batch {
    worlds: Vec<World>,
    pool: ThreadPool,
}

/// Why one array for all worlds cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// Worlds differ in shape.
    #[error("world {world} has the shape {found:?} there, world 0 has {expected:?}")]
    Shape {
        /// The world that differs from the first.
        world: usize,
        /// Its shape.
        found: Vec<usize>,
        /// The shape of the first.
        expected: Vec<usize>,
    },
}

impl Batch {
    /// Steps `worlds` on as many threads as `threads` says; on one for each core if that is 0.
    pub fn new(worlds: Vec<World>, threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { worlds, pool })
    }

    /// The same threads with other worlds.
    pub fn with_worlds(self, worlds: Vec<World>) -> Self {
        Self { worlds, ..self }
    }

    /// The worlds.
    pub fn worlds(&self) -> &[World] {
        &self.worlds
    }
    /// The worlds, to be changed between steps.
    pub fn worlds_mut(&mut self) -> &mut [World] {
        &mut self.worlds
    }
    /// How many threads there are.
    pub fn thread_count(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Takes `counts[i]` steps with world i, or as many as begin before `until`. A world that fails does not hold up the
    /// others.
    pub fn step(&mut self, counts: &[u64], until: Option<Instant>) -> Vec<Progress> {
        let Self { worlds, pool } = self;
        let step = |(world, &count): (&mut World, &u64)| world.step(count, until);
        pool.install(|| worlds.par_iter_mut().zip(counts).with_max_len(1).map(step).collect())
    }

    /// Does `work` for each item, on the threads of the batch, in no order; results are in the order of the items.
    pub fn spread<T: Send, R: Send>(&self, items: Vec<T>, work: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
        self.pool.install(|| items.into_par_iter().with_max_len(1).map(work).collect())
    }

    /// A quantity of all worlds in one array, whose first axis counts worlds. `index` says of which rod, tree and so on.
    pub fn read(&self, quantity: Quantity, index: usize) -> Result<Values, BatchError> {
        let Some(first) = self.worlds.first() else {
            return Ok(Values { shape: vec![0], data: Vec::new() });
        };
        let mut out = quantity.read(first, index);
        out.data.reserve((self.worlds.len() - 1) * out.data.len());
        for (i, world) in self.worlds.iter().enumerate().skip(1) {
            let next = quantity.read(world, index);
            if next.shape != out.shape {
                return Err(BatchError::Shape { world: i, found: next.shape, expected: out.shape });
            }
            out.data.extend(next.data);
        }
        out.shape.insert(0, self.worlds.len());
        Ok(out)
    }
}
