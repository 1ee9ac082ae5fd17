//! Many worlds, stepped on a pool of threads without the lock. `python/ropewalk/batch.py` gives names to the indices.

use crate::arrays::{array_of, quantity};
use crate::error::{scene_error, step_error};
use crate::report::StepReport;
use crate::scene::Scene;
use crate::state::State;
use crate::world::{Columns, SIGNAL_INTERVAL, World, contact_columns, reached, set_target};
use numpy::{PyArrayDyn, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ropewalk_sim::report::StepReport as Report;
use ropewalk_sim::world::Progress;
use std::time::Instant;

/// Worlds side by side.
#[pyclass(module = "ropewalk._core")]
#[derive(Debug)]
pub(crate) struct Batch(ropewalk_sim::Batch);

impl Batch {
    /// The worlds.
    pub(crate) fn worlds(&self) -> &[ropewalk_sim::World] {
        self.0.worlds()
    }

    /// The worlds, to be commanded.
    pub(crate) fn worlds_mut(&mut self) -> &mut [ropewalk_sim::World] {
        self.0.worlds_mut()
    }
}

#[pymethods]
impl Batch {
    /// `overrides` has one list for each world, which come after those of the scene. Worlds without any share the model.
    #[new]
    fn new(py: Python<'_>, scene: &Scene, overrides: Vec<Vec<String>>, threads: usize) -> PyResult<Self> {
        let empty = ropewalk_sim::Batch::new(Vec::new(), threads).map_err(|e| {
            PyValueError::new_err(format!("cannot start the threads: {e}\nhint: ask for fewer"))
        })?;
        let worlds = py.detach(|| empty.spread(overrides, |own| scene.varied(own)));
        let worlds = worlds.into_iter().collect::<Result<_, _>>().map_err(scene_error)?;
        Ok(Self(empty.with_worlds(worlds)))
    }

    /// Makes worlds anew: those whose entry is given, with these overrides.
    fn rebuild(
        &mut self,
        py: Python<'_>,
        scene: &Scene,
        overrides: Vec<(usize, Vec<String>)>,
    ) -> PyResult<()> {
        let make = |(world, own): (usize, Vec<String>)| scene.varied(own).map(|made| (world, made));
        let made = py.detach(|| self.0.spread(overrides, make));
        for made in made {
            let (world, made) = made.map_err(scene_error)?;
            self.0.worlds_mut()[world] = made;
        }
        Ok(())
    }

    /// Puts worlds back to their start.
    fn reset(&mut self, worlds: Vec<usize>) {
        for world in worlds {
            self.0.worlds_mut()[world].reset();
        }
    }

    #[getter]
    fn threads(&self) -> usize {
        self.0.thread_count()
    }

    /// Takes `count` steps with each of `chosen`, or with every world; a failure is an exception if `check`.
    #[pyo3(signature = (count, check, chosen=None))]
    fn step(
        &mut self,
        py: Python<'_>,
        count: u64,
        check: bool,
        chosen: Option<Vec<usize>>,
    ) -> PyResult<Vec<StepReport>> {
        let mut wanted = vec![if chosen.is_some() { 0 } else { count }; self.0.worlds().len()];
        for world in chosen.into_iter().flatten() {
            wanted[world] = count;
        }
        let nothing =
            |w: &ropewalk_sim::World| Progress { steps: 0, report: Report::nothing(), time: w.state().time };
        let mut done: Vec<Progress> = self.0.worlds().iter().map(nothing).collect();
        loop {
            let left =
                |(p, wanted): (&Progress, &u64)| if p.failure().is_some() { 0 } else { wanted - p.steps };
            let counts: Vec<u64> = done.iter().zip(&wanted).map(left).collect();
            let most = counts.iter().copied().max().unwrap_or(0);
            if most == 0 {
                break;
            }
            let until = (most > 1).then(|| Instant::now() + SIGNAL_INTERVAL);
            let progress = py.detach(|| self.0.step(&counts, until));
            for ((sum, later), &count) in done.iter_mut().zip(&progress).zip(&counts) {
                if count > 0 {
                    sum.append(later);
                }
            }
            py.check_signals()?;
        }
        let failed = done.iter().enumerate().find_map(|(i, p)| p.failure().map(|words| (i, p, words)));
        if let (true, Some((i, progress, words))) = (check, failed) {
            let message = format!(
                "world {i}: {words}\nhint: that world is as it was before this step; step with check=False and reset \
                 the worlds whose report says so, or set a smaller time.dt"
            );
            return Err(step_error(py, message, progress, i));
        }
        Ok(done.into_iter().map(StepReport).collect())
    }

    /// The quantity called `name` of rod or tree number `index` of all worlds; the first axis counts worlds.
    fn read<'py>(&self, py: Python<'py>, name: &str, index: usize) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let first = self.0.worlds().first().ok_or_else(|| PyValueError::new_err("the batch is empty"))?;
        let quantity = quantity(name, index, first)?;
        let values = self.0.read(quantity, index).map_err(|e| {
            PyValueError::new_err(format!(
                "{name}: {e}\nhint: worlds of one batch have as many nodes and joints"
            ))
        })?;
        array_of(py, values.data, &values.shape)
    }

    /// Contacts of one world, as those of a single one.
    fn contacts<'py>(&self, py: Python<'py>, world: usize) -> PyResult<Columns<'py>> {
        contact_columns(py, &self.0.worlds()[world])
    }

    /// How near an end effector's joint targets bring it to where it should be, in each world: distance, angle, joints at
    /// a limit, whether joints had to slow down; none before the first step.
    fn end_effector_reached(&self, end_effector: usize) -> Vec<Option<(f64, f64, usize, bool)>> {
        self.0.worlds().iter().map(|world| reached(world, end_effector)).collect()
    }

    /// A target for one actuator in every world.
    fn set_targets(
        &mut self,
        actuator: usize,
        targets: PyReadonlyArray1<'_, f64>,
        velocities: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<()> {
        let both = targets.as_slice()?.iter().zip(velocities.as_slice()?);
        for (world, (&target, &velocity)) in self.0.worlds_mut().iter_mut().zip(both) {
            set_target(world, actuator, Some(target), velocity)?;
        }
        Ok(())
    }

    /// A copy of one world.
    fn world(&self, index: usize) -> World {
        World::of(self.0.worlds()[index].clone())
    }

    fn state(&self, index: usize) -> State {
        State::of(&self.0.worlds()[index])
    }

    fn set_state(&mut self, index: usize, state: &State) -> PyResult<()> {
        state.put(&mut self.0.worlds_mut()[index])
    }
}
