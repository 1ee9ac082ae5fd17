//! A single state as a file, to go on from: all that [`State`] holds.
//!
//! | array | shape | meaning |
//! |---|---|---|
//! | `time` | () | time in s |
//! | `NAME/q`, `NAME/v`, `NAME/d1` | (n, 4), (n, 4), (e, 3) | as in `states.npz` |
//! | `NAME/beta` | (n,) | reference twist in rad |
//! | `NAME/kappa1`, `NAME/kappa2`, `NAME/tau` | (n,) | natural curvature and twist per stencil in rad |
//! | `tree/NAME/q`, `tree/NAME/v` | (…,) | joints of a robot or body |
//! | `tree/NAME/base` | (13,) | its base: position, quat_xyzw, velocity, angular velocity |
//! | `attachments` | (a, 13) | whether it holds, what was asked from outside (0 nothing, 1 hold, 2 release), held point in either end's frame, quat_xyzw between them, edges without contact on either side |
//! | `actuators` | (m, 4) | whether its target comes from outside, that target, its rate, integral of the error |
//! | `hand/NAME/q`, `hand/NAME/target` | (…,), (8,) | joints asked for; whether its pose comes from outside, position, quat_xyzw |

use crate::exit::CommandError;
use crate::npz::{Array, NpzWriter, read_npz};
use glam::{DQuat, DVec3};
use ropewalk_body::Base;
use ropewalk_linalg::Pose;
use ropewalk_sim::{AttachmentState, Command, Grip, Model, State};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

/// Writes `state` to `path`.
pub(crate) fn write(path: &Path, model: &Model, state: &State) -> io::Result<()> {
    let mut npz = NpzWriter::new(BufWriter::new(File::create(path)?));
    npz.array("time", &[], &[state.time])?;
    for (name, rod) in model.rod_names.iter().zip(&state.rods) {
        let n = rod.q.len();
        npz.array(&format!("{name}/q"), &[n, 4], rod.q.as_flattened())?;
        npz.array(&format!("{name}/v"), &[n, 4], rod.v.as_flattened())?;
        npz.array(&format!("{name}/d1"), &[rod.d1.len(), 3], rod.d1.as_flattened())?;
        npz.array(&format!("{name}/beta"), &[n], &rod.beta[..n])?;
        let natural = &rod.natural;
        for (key, data) in [("kappa1", &natural.kappa1), ("kappa2", &natural.kappa2), ("tau", &natural.tau)] {
            npz.array(&format!("{name}/{key}"), &[n], &data[..n])?;
        }
    }
    write_bodies(&mut npz, model, state)?;
    npz.finish()?.flush()
}

fn write_bodies<W: Write + io::Seek>(npz: &mut NpzWriter<W>, model: &Model, state: &State) -> io::Result<()> {
    for (tree, s) in model.trees.iter().zip(&state.trees) {
        let name = &tree.name;
        npz.array(&format!("tree/{name}/q"), &[s.q.len()], &s.q)?;
        npz.array(&format!("tree/{name}/v"), &[s.v.len()], &s.v)?;
        let base = [&pose_numbers(&s.base.pose)[..], &s.base.linear.to_array(), &s.base.angular.to_array()];
        npz.array(&format!("tree/{name}/base"), &[13], &base.concat())?;
    }
    let attachments: Vec<f64> = state.attachments.iter().flat_map(attachment_numbers).collect();
    if !state.attachments.is_empty() {
        npz.array("attachments", &[state.attachments.len(), 13], &attachments)?;
    }
    let number = |given: Option<f64>| [f64::from(u8::from(given.is_some())), given.unwrap_or(0.0)];
    let actuators: Vec<f64> = state
        .actuators
        .iter()
        .flat_map(|a| {
            let [given, target] = number(a.target);
            [given, target, a.target_velocity, a.integral]
        })
        .collect();
    if !state.actuators.is_empty() {
        npz.array("actuators", &[state.actuators.len(), 4], &actuators)?;
    }
    for (hand, s) in model.hands.iter().zip(&state.hands) {
        npz.array(&format!("hand/{}/q", hand.name), &[s.q.len()], &s.q)?;
        let given = f64::from(u8::from(s.target.is_some()));
        let target = [&[given][..], &pose_numbers(&s.target.unwrap_or_default())].concat();
        npz.array(&format!("hand/{}/target", hand.name), &[8], &target)?;
    }
    Ok(())
}

fn pose_numbers(pose: &Pose) -> [f64; 7] {
    let ([x, y, z], [a, b, c, d]) = (pose.position.to_array(), pose.rotation.to_array());
    [x, y, z, a, b, c, d]
}

fn pose_from(numbers: &[f64]) -> Pose {
    Pose::new(DVec3::from_slice(&numbers[..3]), DQuat::from_slice(&numbers[3..7]))
}

fn attachment_numbers(state: &AttachmentState) -> [f64; 13] {
    let mut out = [0.0; 13];
    out[1] = match state.command {
        Command::Scheduled => 0.0,
        Command::Hold => 1.0,
        Command::Release => 2.0,
    };
    if let Some(grip) = state.grip {
        out[0] = 1.0;
        out[2..5].copy_from_slice(&grip.points[0].to_array());
        out[5..8].copy_from_slice(&grip.points[1].to_array());
        out[8..12].copy_from_slice(&grip.rotation.to_array());
        out[12] = grip.covered as f64;
    }
    out
}

fn read_bodies(source: &Source<'_>, model: &Model, state: &mut State) -> Result<(), CommandError> {
    for (tree, s) in model.trees.iter().zip(&mut state.trees) {
        let name = &tree.name;
        let (q, v) = (s.q.len(), s.v.len());
        s.q.copy_from_slice(source.array(&format!("tree/{name}/q"), &[q])?);
        s.v.copy_from_slice(source.array(&format!("tree/{name}/v"), &[v])?);
        let base = source.array(&format!("tree/{name}/base"), &[13])?;
        s.base = Base {
            pose: pose_from(base),
            linear: DVec3::from_slice(&base[7..]),
            angular: DVec3::from_slice(&base[10..]),
        };
    }
    if !state.attachments.is_empty() {
        let numbers = source.array("attachments", &[state.attachments.len(), 13])?;
        for (s, x) in state.attachments.iter_mut().zip(numbers.chunks_exact(13)) {
            s.command = match x[1] {
                1.0 => Command::Hold,
                2.0 => Command::Release,
                _ => Command::Scheduled,
            };
            s.grip = (x[0] != 0.0).then(|| Grip {
                points: [DVec3::from_slice(&x[2..]), DVec3::from_slice(&x[5..])],
                rotation: DQuat::from_slice(&x[8..]),
                covered: x[12] as usize,
            });
        }
    }
    if !state.actuators.is_empty() {
        let numbers = source.array("actuators", &[state.actuators.len(), 4])?;
        for (s, x) in state.actuators.iter_mut().zip(numbers.chunks_exact(4)) {
            s.target = (x[0] != 0.0).then_some(x[1]);
            (s.target_velocity, s.integral) = (x[2], x[3]);
        }
    }
    for (hand, s) in model.hands.iter().zip(&mut state.hands) {
        let q = s.q.len();
        s.q.copy_from_slice(source.array(&format!("hand/{}/q", hand.name), &[q])?);
        let target = source.array(&format!("hand/{}/target", hand.name), &[8])?;
        s.target = (target[0] != 0.0).then(|| pose_from(&target[1..]));
    }
    Ok(())
}

/// Reads a state of `model` from `path`; `start` is the state at the start of the scene.
pub(crate) fn read(path: &Path, model: &Model, start: &State) -> Result<State, CommandError> {
    let file = File::open(path).map_err(CommandError::file(path))?;
    let arrays = read_npz(BufReader::new(file)).map_err(CommandError::file(path))?;
    let source = Source { path, arrays };
    let mut state = start.clone();
    state.time = source.array("time", &[])?[0];
    for (name, rod) in model.rod_names.iter().zip(&mut state.rods) {
        let (n, edges) = (rod.q.len(), rod.d1.len());
        rod.q.as_flattened_mut().copy_from_slice(source.array(&format!("{name}/q"), &[n, 4])?);
        rod.v.as_flattened_mut().copy_from_slice(source.array(&format!("{name}/v"), &[n, 4])?);
        rod.d1.as_flattened_mut().copy_from_slice(source.array(&format!("{name}/d1"), &[edges, 3])?);
        rod.beta[..n].copy_from_slice(source.array(&format!("{name}/beta"), &[n])?);
        let natural = &mut rod.natural;
        for (key, data) in
            [("kappa1", &mut natural.kappa1), ("kappa2", &mut natural.kappa2), ("tau", &mut natural.tau)]
        {
            data[..n].copy_from_slice(source.array(&format!("{name}/{key}"), &[n])?);
        }
    }
    read_bodies(&source, model, &mut state)?;
    Ok(state)
}

/// The arrays of a file, and the file for messages.
struct Source<'a> {
    path: &'a Path,
    arrays: BTreeMap<String, Array>,
}

impl Source<'_> {
    fn array(&self, name: &str, shape: &[usize]) -> Result<&[f64], CommandError> {
        let what = match self.arrays.get(name) {
            None => format!("{}: there is no array '{name}'", self.path.display()),
            Some(array) if array.shape != shape => format!(
                "{}: array '{name}' has the shape {:?}, expected {shape:?}",
                self.path.display(),
                array.shape
            ),
            Some(array) => match array.data.iter().find(|x| !x.is_finite()) {
                Some(number) => {
                    format!("{}: array '{name}' holds {number}", self.path.display())
                }
                None => return Ok(&array.data),
            },
        };
        Err(CommandError::input(what, "give a state that this scene has written (last_good_state.npz)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_to_the_bit() {
        let scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        let mut state = scene.state.clone();
        state.time = 0.125;
        for (i, x) in state.rods[0].q.as_flattened_mut().iter_mut().enumerate() {
            *x += 1e-3 * (i as f64).sin();
        }
        state.rods[0].natural.kappa2[3] = 0.3;
        state.rods[0].beta[2] = 7.0;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.npz");
        write(&path, &scene.model, &state).unwrap();
        let back = read(&path, &scene.model, &scene.state).unwrap();
        assert_eq!(back, state);
    }

    #[test]
    fn robots_bodies_and_what_holds_them_come_back_to_the_bit() {
        for name in ["two_arms", "suspended_load"] {
            let scene = ropewalk_scene::load_named(name, &[]).unwrap();
            let mut state = scene.state.clone();
            let mut workspace = ropewalk_sim::Workspace::new(&scene.model);
            for _ in 0..5 {
                ropewalk_sim::step(&scene.model, &mut state, &mut workspace);
            }
            state.attachments[0].command = Command::Hold;
            if let Some(hand) = state.hands.first_mut() {
                hand.target = Some(Pose::at(DVec3::new(0.1, 0.2, 0.3)));
            }
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("state.npz");
            write(&path, &scene.model, &state).unwrap();
            assert_eq!(read(&path, &scene.model, &scene.state).unwrap(), state, "{name}");
        }
    }

    #[test]
    fn a_state_of_another_scene_is_refused_by_name_and_shape() {
        let scene = ropewalk_scene::load_named("cantilever", &[]).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.npz");
        let mut npz = NpzWriter::new(File::create(&path).unwrap());
        npz.array("time", &[2], &[0.0, 1.0]).unwrap();
        npz.finish().unwrap();
        let error = read(&path, &scene.model, &scene.state).unwrap_err().to_string();
        assert!(error.contains("'time' has the shape [2], expected []"), "{error}");
    }
}
