//! Commands between steps, for one world or for those of a batch: arrays have a row for each world.
//! `python/ropewalk/commands.py` gives names to the indices.

use crate::arrays::array_of;
use crate::batch::Batch;
use crate::world::World;
use glam::{DQuat, DVec3};
use numpy::{PyArrayDyn, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ropewalk_sim::{
    AttachmentKind, CommandError, End, Guided, Interpolation, Motion, PoseTarget, TimeFunction,
};

/// A world, or the worlds of a batch.
#[derive(FromPyObject)]
pub(crate) enum Worlds<'py> {
    /// One.
    One(PyRefMut<'py, World>),
    /// Many.
    Many(PyRefMut<'py, Batch>),
}

impl Worlds<'_> {
    fn all(&mut self) -> &mut [ropewalk_sim::World] {
        match self {
            Self::One(world) => std::slice::from_mut(world.inner_mut()),
            Self::Many(batch) => batch.worlds_mut(),
        }
    }

    /// Does `act` with each of `chosen`, or with all.
    fn each(
        &mut self,
        chosen: Option<&[usize]>,
        mut act: impl FnMut(usize, &mut ropewalk_sim::World) -> Result<(), CommandError>,
    ) -> PyResult<()> {
        let many = matches!(self, Self::Many(_));
        for (i, world) in self.all().iter_mut().enumerate() {
            if chosen.is_some_and(|chosen| !chosen.contains(&i)) {
                continue;
            }
            act(i, world).map_err(|e| {
                PyValueError::new_err(if many { format!("world {i}: {e}") } else { e.to_string() })
            })?;
        }
        Ok(())
    }
}

/// What is led: "clamp", "link", "base" or "end_effector", and its numbers.
type Thing = (String, usize, usize);

fn guided((kind, a, b): &Thing) -> PyResult<Guided> {
    match kind.as_str() {
        "clamp" => Ok(Guided::Clamp(*a)),
        "link" => Ok(Guided::Link { tree: *a, link: *b }),
        "base" => Ok(Guided::Base(*a)),
        "end_effector" => Ok(Guided::Hand(*a)),
        _ => Err(PyValueError::new_err("expected \"clamp\", \"link\", \"base\" or \"end_effector\"")),
    }
}

/// Rows of three numbers.
fn vectors(rows: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<DVec3>> {
    Ok(rows.as_slice()?.as_chunks::<3>().0.iter().copied().map(DVec3::from).collect())
}

fn optional(rows: Option<PyReadonlyArray2<'_, f64>>) -> PyResult<Option<Vec<DVec3>>> {
    rows.map(|rows| vectors(&rows)).transpose()
}

/// Leads things to poses: positions, velocities and angular velocities (N, 3), rotations (N, 4).
#[pyfunction]
#[pyo3(signature = (worlds, chosen, thing, positions, quats, over, velocities, angular))]
#[expect(clippy::too_many_arguments, reason = "the Python side gives them names")]
pub(crate) fn command_target(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    thing: Thing,
    positions: Option<PyReadonlyArray2<'_, f64>>,
    quats: Option<PyReadonlyArray2<'_, f64>>,
    over: Option<f64>,
    velocities: Option<PyReadonlyArray2<'_, f64>>,
    angular: Option<PyReadonlyArray2<'_, f64>>,
) -> PyResult<()> {
    let thing = guided(&thing)?;
    let (positions, velocities, angular) = (optional(positions)?, optional(velocities)?, optional(angular)?);
    let rotation = |rows: PyReadonlyArray2<'_, f64>| -> PyResult<Vec<DQuat>> {
        Ok(rows.as_slice()?.as_chunks::<4>().0.iter().map(|q| DQuat::from_slice(q)).collect())
    };
    let quats = quats.map(rotation).transpose()?;
    worlds.each(chosen.as_deref(), |i, world| {
        let row = |rows: &Option<Vec<DVec3>>| rows.as_ref().map(|rows| rows[i]);
        let target = PoseTarget {
            position: row(&positions),
            rotation: quats.as_ref().map(|rows| rows[i]),
            velocity: row(&velocities),
            angular_velocity: row(&angular),
        };
        world.set_target(thing, &target, over)
    })
}

/// Moves things on with velocities and angular velocities (N, 3).
#[pyfunction]
pub(crate) fn command_velocity(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    thing: Thing,
    linear: PyReadonlyArray2<'_, f64>,
    angular: PyReadonlyArray2<'_, f64>,
) -> PyResult<()> {
    let (thing, linear, angular) = (guided(&thing)?, vectors(&linear)?, vectors(&angular)?);
    worlds.each(chosen.as_deref(), |i, world| world.set_velocity(thing, linear[i], angular[i]))
}

/// Gives things motions by tables: times (k), translations (N, k, 3), angles (N, k) about axes (N, 3).
#[pyfunction]
#[pyo3(signature = (worlds, chosen, thing, times, translations, angles, axes, interpolation))]
#[expect(clippy::too_many_arguments, reason = "the Python side gives them names")]
pub(crate) fn command_motion(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    thing: Thing,
    times: PyReadonlyArray1<'_, f64>,
    translations: PyReadonlyArray3<'_, f64>,
    angles: PyReadonlyArray2<'_, f64>,
    axes: PyReadonlyArray2<'_, f64>,
    interpolation: &str,
) -> PyResult<()> {
    let thing = guided(&thing)?;
    let interpolation = match interpolation {
        "linear" => Interpolation::Linear,
        "smooth" => Interpolation::Smooth,
        "hold" => Interpolation::Hold,
        _ => return Err(PyValueError::new_err("expected \"linear\", \"smooth\" or \"hold\"")),
    };
    let times = times.as_slice()?;
    let (translations, angles, axes) = (translations.as_array(), angles.as_array(), vectors(&axes)?);
    worlds.each(chosen.as_deref(), |i, world| {
        let table = |values: Vec<f64>| TimeFunction::Table { times: times.to_vec(), values, interpolation };
        let along = |k: usize| {
            table(translations.outer_iter().nth(i).map_or_else(Vec::new, |t| t.column(k).to_vec()))
        };
        let motion = Motion {
            translation: [along(0), along(1), along(2)],
            axis: axes[i],
            angle: table(angles.row(i).to_vec()),
        };
        world.set_motion(thing, &motion)
    })
}

/// Gives a thing back to the scene, or everything if none is given.
#[pyfunction]
pub(crate) fn command_clear(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    thing: Option<Thing>,
    over: Option<f64>,
) -> PyResult<()> {
    let thing = thing.map(|thing| guided(&thing)).transpose()?;
    worlds.each(chosen.as_deref(), |_, world| match thing {
        Some(thing) => world.clear_target(thing, over),
        None => world.clear_command(over),
    })
}

/// Where a thing is led: positions (N, 3) and rotations (N, 4) in one array (N, 7).
#[pyfunction]
pub(crate) fn command_pose<'py>(
    py: Python<'py>,
    mut worlds: Worlds<'py>,
    thing: Thing,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let thing = guided(&thing)?;
    let poses = worlds.all().iter().map(|world| world.pose_of(thing));
    let numbers = poses.flat_map(|p| p.position.to_array().into_iter().chain(p.rotation.to_array()));
    let numbers: Vec<f64> = numbers.collect();
    let count = numbers.len() / 7;
    array_of(py, numbers, &[count, 7])
}

/// Lets clamps go, or holds again what they have let go of.
#[pyfunction]
pub(crate) fn command_clamp(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    clamp: usize,
    hold: bool,
) -> PyResult<()> {
    worlds.each(chosen.as_deref(), |_, world| {
        if hold {
            world.hold_clamp(clamp);
        } else {
            world.release_clamp(clamp);
        }
        Ok(())
    })
}

/// Sets gravity (N, 3), or gives it back.
#[pyfunction]
pub(crate) fn command_gravity(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    gravity: Option<PyReadonlyArray2<'_, f64>>,
) -> PyResult<()> {
    let gravity = optional(gravity)?;
    worlds.each(chosen.as_deref(), |i, world| world.set_gravity(gravity.as_ref().map(|rows| rows[i])))
}

/// Sets forces on "node" or "edge", or torques ("torque") on edges, of a rod: at one place (N, 3), or at all (N, places, 3).
#[pyfunction]
pub(crate) fn command_rod_load(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    rod: usize,
    kind: &str,
    place: Option<usize>,
    loads: PyReadonlyArray3<'_, f64>,
) -> PyResult<()> {
    let loads: Vec<DVec3> = loads.as_slice()?.as_chunks::<3>().0.iter().copied().map(DVec3::from).collect();
    let count = worlds.all().len().max(1);
    let width = loads.len() / count;
    worlds.each(chosen.as_deref(), |i, world| {
        let own = &loads[i * width..(i + 1) * width];
        match (kind, place) {
            ("node", Some(node)) => world.set_node_force(rod, node, own[0]),
            ("edge", Some(edge)) => world.set_edge_force(rod, edge, own[0]),
            (_, Some(edge)) => world.set_edge_torque(rod, edge, own[0]),
            ("node", None) => world.set_node_forces(rod, own),
            ("edge", None) => world.set_edge_forces(rod, own),
            (_, None) => world.set_edge_torques(rod, own),
        }
    })
}

/// Sets forces and torques on a link (N, 3), at a point of its frame.
#[pyfunction]
pub(crate) fn command_link_load(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    link: (usize, usize),
    forces: PyReadonlyArray2<'_, f64>,
    torques: PyReadonlyArray2<'_, f64>,
    points: Option<PyReadonlyArray2<'_, f64>>,
) -> PyResult<()> {
    let (forces, torques, points) = (vectors(&forces)?, vectors(&torques)?, optional(points)?);
    worlds.each(chosen.as_deref(), |i, world| {
        world.set_link_load(link, forces[i], torques[i], points.as_ref().map(|rows| rows[i]))
    })
}

/// Sets the natural shape of a rod: curvatures and twist (N, 1) or (N, s) each; gives it back if none are given.
#[pyfunction]
pub(crate) fn command_natural(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    rod: usize,
    shape: Option<[PyReadonlyArray2<'_, f64>; 3]>,
) -> PyResult<()> {
    let Some([first, second, twist]) = shape else {
        return worlds.each(chosen.as_deref(), |_, world| {
            world.clear_natural_shape(rod);
            Ok(())
        });
    };
    let lists = [first.as_slice()?, second.as_slice()?, twist.as_slice()?];
    let count = worlds.all().len().max(1);
    worlds.each(chosen.as_deref(), |i, world| {
        let [a, b, c] = lists.map(|list| {
            let width = list.len() / count;
            &list[i * width..(i + 1) * width]
        });
        world.set_natural_shape(rod, a, b, c)
    })
}

/// Positions ("qpos") or velocities ("qvel") of all joints, or targets of all actuators ("ctrl"), shape (N, …).
#[pyfunction]
pub(crate) fn command_read<'py>(
    py: Python<'py>,
    mut worlds: Worlds<'py>,
    what: &str,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let worlds = worlds.all();
    let numbers: Vec<f64> = { worlds.iter() }
        .flat_map(|world| match what {
            "qpos" => world.qpos(),
            "qvel" => world.qvel(),
            _ => world.ctrl(),
        })
        .collect();
    let count = worlds.len();
    let width = numbers.len() / count.max(1);
    array_of(py, numbers, &[count, width])
}

/// Sets them.
#[pyfunction]
pub(crate) fn command_write(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    what: &str,
    numbers: PyReadonlyArray2<'_, f64>,
) -> PyResult<()> {
    let width = numbers.as_array().ncols();
    let numbers = numbers.as_slice()?;
    worlds.each(chosen.as_deref(), |i, world| {
        let own = &numbers[i * width..(i + 1) * width];
        match what {
            "qpos" => world.set_qpos(own),
            "qvel" => world.set_qvel(own),
            _ => world.set_ctrl(own),
        }
    })
}

/// Names of the entries of "qpos" or "qvel".
#[pyfunction]
pub(crate) fn command_names(mut worlds: Worlds<'_>, what: &str) -> Vec<String> {
    let Some(world) = worlds.all().first() else { return Vec::new() };
    if what == "qpos" { world.model().qpos_names() } else { world.model().qvel_names() }
}

/// An end: "world", "link" or "rod"; tree or rod, link or edge; the point, or the place on the edge.
type EndNumbers = (String, usize, usize, Option<[f64; 3]>);

fn end((kind, thing, part, point): EndNumbers) -> End {
    let at = point.map(DVec3::from);
    match kind.as_str() {
        "world" => End::World { point: at },
        "link" => End::Link { tree: thing, link: part, point: at },
        _ => End::Rod { rod: thing, edge: part, fraction: at.unwrap_or_default().x },
    }
}

/// Makes an attachment of "point" or "clamp" between two ends.
#[pyfunction]
pub(crate) fn command_attach(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    name: &str,
    kind: &str,
    ends: [EndNumbers; 2],
) -> PyResult<()> {
    let ends = ends.map(end);
    let kind = if kind == "clamp" { AttachmentKind::Clamp } else { AttachmentKind::Point };
    worlds.each(chosen.as_deref(), |_, world| world.attach(name, ends, kind).map(|_| ()))
}

/// Holds an attachment ("hold"), lets it go ("release") or does as the scene says ("scheduled").
#[pyfunction]
pub(crate) fn command_attachment(
    mut worlds: Worlds<'_>,
    chosen: Option<Vec<usize>>,
    attachment: usize,
    command: &str,
) -> PyResult<()> {
    worlds.each(chosen.as_deref(), |_, world| {
        let state = world.state_mut();
        if let Some(state) = state.attachments.get_mut(attachment) {
            state.command = match command {
                "hold" => ropewalk_sim::Command::Hold,
                "release" => ropewalk_sim::Command::Release,
                _ => ropewalk_sim::Command::Scheduled,
            };
        }
        Ok(())
    })
}

/// Names of all attachments, those made during the run included.
#[pyfunction]
pub(crate) fn attachment_names(mut worlds: Worlds<'_>) -> Vec<String> {
    let first = worlds.all().first();
    first.map_or_else(Vec::new, |w| w.model().attachments.iter().map(|a| a.name.clone()).collect())
}
