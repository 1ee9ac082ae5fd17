//! One world: steps without the lock, arrays out, commands in. `python/ropewalk/world.py` gives names to the indices.

use crate::arrays::{array_of, quantity};
use crate::error::step_error;
use crate::recording::{Tape, file_error};
use crate::report::StepReport;
use crate::scene::Scene;
use crate::state::State;
use glam::DVec3;
use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ropewalk_scene::recording::Rates;
use ropewalk_scene::{FileError, MeasureRequest};
use ropewalk_sim::world::Progress;
use ropewalk_sim::{ContactSide, Gauges, Model, report::StepReport as Report};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long steps go on before Python may look for signals, such as Ctrl-C.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Whole numbers and real numbers, a row for each contact.
pub(crate) type Columns<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>);

/// Squares of angular frequencies, and displacements.
type Modes<'py> = (Bound<'py, PyArrayDyn<f64>>, Bound<'py, PyArrayDyn<f64>>);

/// The body about which a rod is wound, one and the other part of a rod, and where the ends of a knot go on.
type MeasurePlace = (Option<String>, Option<[f64; 2]>, Option<[f64; 2]>, Option<[f64; 3]>);

/// A world, and the recording that it writes.
#[pyclass(module = "ropewalk._core")]
#[derive(Debug)]
pub(crate) struct World {
    world: ropewalk_sim::World,
    tape: Option<Tape>,
    gauges: Gauges,
}

impl World {
    pub(crate) fn of(world: ropewalk_sim::World) -> Self {
        Self { world, tape: None, gauges: Gauges::default() }
    }

    /// The world, to be commanded.
    pub(crate) fn inner_mut(&mut self) -> &mut ropewalk_sim::World {
        &mut self.world
    }

    /// The world itself.
    pub(crate) fn inner(&self) -> &ropewalk_sim::World {
        &self.world
    }

    /// Takes `count` steps, or as many as begin before `until`, and writes down what is recorded.
    fn advance(&mut self, count: u64, until: Option<Instant>) -> Result<Progress, FileError> {
        let Self { world, tape, gauges } = self;
        if tape.is_none() && gauges.is_empty() {
            return Ok(world.step(count, until));
        }
        let mut done = Progress { steps: 0, report: Report::nothing(), time: world.state().time };
        while done.steps < count && done.failure().is_none() {
            gauges.begin(world.state());
            let progress = match tape {
                Some(tape) => tape.step(world)?,
                None => world.step(1, None),
            };
            if progress.failure().is_none() {
                gauges.see(world.model(), world.state(), world.workspace());
            }
            done.append(&progress);
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
        }
        Ok(done)
    }
}

#[pymethods]
impl World {
    #[new]
    fn new(scene: &Scene) -> Self {
        Self::of(scene.world())
    }

    /// Takes `count` steps.
    fn step(&mut self, py: Python<'_>, count: u64) -> PyResult<StepReport> {
        let time = self.world.state().time;
        let mut done = Progress { steps: 0, report: Report::nothing(), time };
        while done.steps < count {
            let left = count - done.steps;
            let until = (left > 1).then(|| Instant::now() + SIGNAL_INTERVAL);
            let progress = py.detach(|| self.advance(left, until)).map_err(file_error)?;
            done.append(&progress);
            if let Some(failure) = progress.failure() {
                let hint = "hint: the world is as it was before this step; set a smaller time.dt";
                return Err(step_error(py, format!("{failure}\n{hint}"), &done, 0));
            }
            if done.steps < count {
                py.check_signals()?;
            }
        }
        Ok(StepReport(done))
    }

    fn reset(&mut self) {
        self.world.reset();
    }

    /// Goes to an equilibrium: whether it was found, steps, the last relative displacement.
    fn equilibrate(&mut self, py: Python<'_>) -> (bool, u32, f64) {
        let found = py.detach(|| self.world.equilibrate());
        (found.converged, found.steps, found.last_move)
    }

    /// The lowest modes of a rod: ω² (m,), and displacements (m, n, 4).
    fn modes<'py>(&self, py: Python<'py>, rod: usize, count: usize) -> PyResult<Modes<'py>> {
        let modes = py.detach(|| self.world.modes(rod, count));
        let modes = modes.map_err(|e| PyValueError::new_err(e.to_string()))?;
        let nodes = self.world.model().rods[rod].node_count();
        let shapes = modes.iter().flat_map(|m| m.shape.iter().copied().flatten()).collect();
        Ok((
            array_of(py, modes.iter().map(|m| m.omega_squared).collect(), &[modes.len()])?,
            array_of(py, shapes, &[modes.len(), nodes, 4])?,
        ))
    }

    fn copy(&self) -> Self {
        Self::of(self.world.clone())
    }

    #[getter]
    fn time(&self) -> f64 {
        self.world.state().time
    }

    /// Writes what it does from now on to `path`, with `rate` frames, `state_rate` states and `foxglove_rate` frames for
    /// Foxglove per simulated second.
    fn record(
        &mut self,
        path: PathBuf,
        scene: &Scene,
        rate: f64,
        state_rate: f64,
        foxglove_rate: f64,
    ) -> PyResult<()> {
        if self.tape.is_some() {
            return Err(PyValueError::new_err("this world is recorded already: close that recording first"));
        }
        if !(rate.is_finite() && rate > 0.0) {
            return Err(PyValueError::new_err(format!("rate is {rate}, expected a number above 0")));
        }
        for (name, value) in [("state_rate", state_rate), ("foxglove_rate", foxglove_rate)] {
            if !(value.is_finite() && value >= 0.0) {
                let message = format!("{name} is {value}, expected a number of 0 or more");
                return Err(PyValueError::new_err(message));
            }
        }
        let rates = Rates { frames: rate, states: state_rate, foxglove: foxglove_rate };
        self.tape = Some(Tape::begin(&path, scene, &self.world, rates).map_err(file_error)?);
        Ok(())
    }

    /// Completes the recording.
    fn stop_recording(&mut self, py: Python<'_>, status: &str) -> PyResult<()> {
        let Some(tape) = self.tape.take() else { return Ok(()) };
        py.detach(|| tape.end(&self.world, status)).map_err(file_error)
    }

    fn state(&self) -> State {
        State::of(&self.world)
    }

    fn set_state(&mut self, state: &State) -> PyResult<()> {
        state.put(&mut self.world)
    }

    /// The quantity called `name` of rod or tree number `index`.
    fn read<'py>(&self, py: Python<'py>, name: &str, index: usize) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let values = quantity(name, index, &self.world)?.read(&self.world, index);
        array_of(py, values.data, &values.shape)
    }

    /// Gathers a measure from now on; its number. `place` has the keys that few quantities have: about, between, and_between, ends.
    #[pyo3(signature = (scene, quantity, over, of, component, at, across, from_, until, place))]
    fn measure(
        &mut self,
        scene: &Scene,
        quantity: String,
        over: String,
        of: Option<String>,
        component: Option<String>,
        at: Option<usize>,
        across: Option<String>,
        from_: Option<f64>,
        until: Option<f64>,
        place: MeasurePlace,
    ) -> PyResult<usize> {
        let (from, until) = (from_.unwrap_or(f64::NEG_INFINITY), until.unwrap_or(f64::INFINITY));
        let (about, between, and_between, ends) = place;
        let request = MeasureRequest {
            quantity,
            of,
            about,
            between,
            and_between,
            ends,
            component,
            at,
            across,
            over,
            from,
            until,
        };
        let measure = request
            .resolve(self.world.model(), scene.bodies_list())
            .map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(self.gauges.add(measure, self.world.state().time))
    }

    /// What a measure has come to.
    fn measured(&self, index: usize) -> Option<f64> {
        self.gauges.value(index, self.world.model(), self.world.state(), self.world.workspace())
    }

    /// Contacts: see `contact_columns`.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        contact_columns(py, &self.world)
    }

    /// Patches: rod, tree, link, shape of either side (-1 where there is none), number of polygons; and center of
    /// pressure, area, force, normal force, mean and peak pressure.
    fn patches<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        let (mut indices, mut numbers, mut count) = (Vec::new(), Vec::new(), 0);
        for patch in self.world.workspace().patches() {
            let sides = patch.sides.each_ref().map(|side| side_numbers(self.world.model(), side));
            push_columns(&sides, [0, 2, 3, 4], &mut indices);
            indices.push(patch.polygons as i64);
            numbers.extend(patch.center_of_pressure.to_array());
            numbers.push(patch.area);
            numbers.extend(patch.force.to_array());
            numbers.extend([patch.normal_force, patch.mean_pressure(), patch.peak_pressure]);
            count += 1;
        }
        Ok((
            PyArray1::from_vec(py, indices).reshape([count, 9])?,
            PyArray1::from_vec(py, numbers).reshape([count, 10])?,
        ))
    }

    /// Polygons of the patches: patch, edge of either side (-1 where there is none), first corner, number of corners;
    /// and area, pressure, normal, force.
    fn polygons<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        let (mut indices, mut numbers, mut count) = (Vec::new(), Vec::new(), 0);
        let workspace = self.world.workspace();
        let patches = workspace.patches();
        for contact in workspace.contacts() {
            let Some(patch) = patches.iter().position(|patch| patch.contains(&contact)) else { continue };
            let sides = contact.sides.each_ref().map(|side| side_numbers(self.world.model(), side));
            indices.push(patch as i64);
            push_columns(&sides, [1], &mut indices);
            indices.extend(contact.corners.map(i64::from));
            numbers.extend([contact.area, contact.pressure()]);
            numbers.extend(contact.normal.to_array());
            numbers.extend(contact.force.to_array());
            count += 1;
        }
        Ok((
            PyArray1::from_vec(py, indices).reshape([count, 5])?,
            PyArray1::from_vec(py, numbers).reshape([count, 8])?,
        ))
    }

    /// Corners of the polygons.
    fn patch_corners<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let corners = self.world.workspace().patch_corners();
        array_of(py, corners.iter().flat_map(|x| x.to_array()).collect(), &[corners.len(), 3])
    }

    fn set_positions(&mut self, rod: usize, positions: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let positions: Vec<DVec3> =
            positions.as_slice()?.as_chunks::<3>().0.iter().copied().map(DVec3::from).collect();
        self.world
            .set_positions(rod, &positions)
            .map_err(|e| PyValueError::new_err(format!("positions of the nodes: {e}")))
    }

    fn set_velocities(&mut self, rod: usize, velocities: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let rows = velocities.as_slice()?.as_chunks::<3>().0;
        check(rows.as_flattened(), 3 * self.world.state().rods[rod].v.len(), "velocities")?;
        for (v, row) in self.world.state_mut().rods[rod].v.iter_mut().zip(rows) {
            v[..3].copy_from_slice(row);
        }
        Ok(())
    }

    fn set_joints(
        &mut self,
        tree: usize,
        q: PyReadonlyArray1<'_, f64>,
        v: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<()> {
        let (q, v) = (q.as_slice()?, v.as_slice()?);
        let joints = &mut self.world.state_mut().trees[tree];
        check(q, joints.q.len(), "positions of the joints")?;
        check(v, joints.v.len(), "velocities of the joints")?;
        joints.q.copy_from_slice(q);
        joints.v.copy_from_slice(v);
        Ok(())
    }

    /// A target in place of the scene's; that of the scene again if `target` is not given.
    #[pyo3(signature = (actuator, target, velocity))]
    fn set_target(&mut self, actuator: usize, target: Option<f64>, velocity: f64) -> PyResult<()> {
        set_target(&mut self.world, actuator, target, velocity)
    }

    /// How near the end effector's joint targets bring it to where it should be: distance, angle, joints at a limit, whether
    /// joints had to slow down; none before the first step.
    fn end_effector_reached(&self, end_effector: usize) -> Option<(f64, f64, usize, bool)> {
        reached(&self.world, end_effector)
    }
}

/// How near an end effector's joint targets bring it to where it should be; none before the first step.
pub(crate) fn reached(world: &ropewalk_sim::World, end_effector: usize) -> Option<(f64, f64, usize, bool)> {
    let reached = world.workspace().hand_reached(end_effector)?;
    Some((reached.position_error, reached.rotation_error, reached.at_limit, reached.slowed))
}

/// Contacts of a world: rod, edge, tree, link, shape of either side (-1 where there is none); and places on edges of
/// either side, point, normal, gap, friction, force, velocity, slip, area.
pub(crate) fn contact_columns<'py>(py: Python<'py>, world: &ropewalk_sim::World) -> PyResult<Columns<'py>> {
    let (mut indices, mut numbers, mut count) = (Vec::new(), Vec::new(), 0);
    for contact in world.workspace().contacts() {
        let sides = contact.sides.each_ref().map(|side| side_numbers(world.model(), side));
        push_columns(&sides, [0, 1, 2, 3, 4], &mut indices);
        numbers.extend(sides.map(|(_, fraction)| fraction));
        numbers.extend(contact.point.to_array());
        numbers.extend(contact.normal.to_array());
        numbers.extend([contact.gap, contact.friction]);
        numbers.extend(contact.force.to_array());
        numbers.extend(contact.velocity.to_array());
        numbers.extend(contact.slip().to_array());
        numbers.push(contact.area);
        count += 1;
    }
    Ok((
        PyArray1::from_vec(py, indices).reshape([count, 10])?,
        PyArray1::from_vec(py, numbers).reshape([count, 20])?,
    ))
}

/// Sets or clears the target of an actuator.
pub(crate) fn set_target(
    world: &mut ropewalk_sim::World,
    actuator: usize,
    target: Option<f64>,
    velocity: f64,
) -> PyResult<()> {
    world.set_actuator(actuator, target, velocity).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Whether there are `expected` numbers and all are finite.
fn check(numbers: &[f64], expected: usize, what: &str) -> PyResult<()> {
    if numbers.len() != expected {
        let found = numbers.len();
        return Err(PyValueError::new_err(format!("{what}: there are {found} numbers, expected {expected}")));
    }
    if !numbers.iter().all(|x| x.is_finite()) {
        return Err(PyValueError::new_err(format!("{what}: a number is not finite")));
    }
    Ok(())
}

/// Those of the numbers of either side: the first of either side, then the next.
fn push_columns<const N: usize>(sides: &[([i64; 5], f64); 2], columns: [usize; N], indices: &mut Vec<i64>) {
    for k in columns {
        indices.extend(sides.map(|(i, _)| i[k]));
    }
}

/// Rod, edge, tree, link, shape among those of the link; and place on the edge.
fn side_numbers(model: &Model, side: &ContactSide) -> ([i64; 5], f64) {
    match *side {
        ContactSide::Rod { rod, edge, fraction } => ([rod as i64, edge as i64, -1, -1, -1], fraction),
        ContactSide::Link { tree, link, shape } => {
            let shape = model.shape_of_link(tree, shape);
            ([-1, -1, tree as i64, link as i64, shape as i64], 0.0)
        }
    }
}
