//! Many worlds, stepped side by side.

use crate::{Error, World};
use ropewalk_sim::StepStatus;

/// Worlds that are stepped on all cores. What comes out does not depend on how many there are.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let worlds = ["0.1", "0.2"].map(|mu| World::load("capstan", &[&format!("rod.rope.friction={mu}")]));
/// let mut batch = Batch::new(worlds.into_iter().collect::<Result<_, _>>()?)?;
/// batch.step_by(5)?;
/// assert_eq!(batch.worlds().len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Batch {
    worlds: Vec<World>,
    threads: ropewalk_sim::Batch,
}

impl Batch {
    /// Steps `worlds` on one thread for each core.
    pub fn new(worlds: Vec<World>) -> Result<Self, Error> {
        Self::with_threads(worlds, 0)
    }

    /// Steps `worlds` on this many threads; one for each core if it is 0.
    pub fn with_threads(worlds: Vec<World>, threads: usize) -> Result<Self, Error> {
        let threads =
            ropewalk_sim::Batch::new(Vec::new(), threads).map_err(|e| Error::Threads(e.to_string()))?;
        Ok(Self { worlds, threads })
    }

    /// The worlds.
    pub fn worlds(&self) -> &[World] {
        &self.worlds
    }

    /// The worlds, to be told something between steps.
    pub fn worlds_mut(&mut self) -> &mut [World] {
        &mut self.worlds
    }

    /// Takes `count` steps with each world. A world that fails does not hold up the others; the error is that of the first
    /// of them.
    pub fn step_by(&mut self, count: u64) -> Result<(), Error> {
        let worlds: Vec<&mut World> = self.worlds.iter_mut().collect();
        let done = self.threads.spread(worlds, |world| world.advance(count));
        match done.iter().find(|p| p.report.status != StepStatus::Converged) {
            Some(failed) => Err(Error::Step {
                time: failed.time,
                status: failed.report.status,
                failure: failed.report.failure.clone(),
            }),
            None => Ok(()),
        }
    }
}
