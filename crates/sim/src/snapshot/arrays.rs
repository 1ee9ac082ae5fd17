//! A snapshot as named arrays of numbers, whatever file they are kept in.
//!
//! | array | shape | meaning |
//! |---|---|---|
//! | `time` | () | time in s |
//! | `NAME/q` | (n, 4) | x, y, z (m) of each node of the rod NAME and twist angle (rad) of the edge that leaves it |
//! | `NAME/v` | (n, 4) | their velocities: m/s and rad/s |
//! | `NAME/d1` | (e, 3) | reference director of each edge |
//! | `NAME/beta` | (n,) | reference twist in rad |
//! | `NAME/plastic` | (n·elements, 2) | plastic curvature per stencil in rad, of rods that yield |
//! | `NAME/plastic_work` | (1,) | J |
//! | `NAME/kappa1`, `NAME/kappa2`, `NAME/tau` | (n,) | natural curvature and twist per stencil in rad |
//! | `tree/NAME/q`, `tree/NAME/v` | (…,) | joints of a robot or body |
//! | `tree/NAME/base` | (13,) | its base: position, quat_xyzw, velocity, angular velocity |
//! | `attachments` | (a, 13) | whether it holds, what was asked from outside (0 nothing, 1 hold, 2 release), held point in either end's frame, quat_xyzw between them, edges without contact on either side |
//! | `actuators` | (m, 4) | whether its target comes from outside, that target, its rate, integral of the error |
//! | `hand/NAME/q`, `hand/NAME/target` | (…,), (31,) | joints asked for; whether it is led from outside, its guide ([`Guide::numbers`]) |
//! | `stick_forces` | (c, 21) | [`StickForce::between`], each as its upper and lower 32 bits, place, force, far force, side force, moment, normal forces |
//! | `history/NAME`, `history/tree/NAME` | (…,) | the step before of a rod or tree, if BDF2 reaches back to it: [`ropewalk_rod::RodHistory::numbers`], [`ropewalk_body::TreeHistory::numbers`] |
//! | `memory/NAME/q`, …, `memory/NAME/tau` | as above | [`CachedTangent::shape`] of the rod NAME, if one is in use |
//! | `memory/NAME/held` | (n, 4) | [`CachedTangent::held`]: 1 or 0 |
//! | `memory/islands` | (i,) | first part of each of [`SolverMemory::orders`](crate::model::SolverMemory::orders) |
//! | `memory/island/FIRST/parts` | (…,) | [`IslandOrder::parts`] |
//! | `memory/island/FIRST/starts`, `memory/island/FIRST/tiles` | (c,), (…,) | [`IslandOrder::constraints`] |
//! | `command/…` | | what was asked for between steps: see `command_arrays` |

use super::command_arrays;
use crate::command::{GUIDE_NUMBERS, Guide};
use crate::model::{
    AttachmentState, CachedTangent, Command, Grip, IslandOrder, Model, SolverMemory, State, StickForce,
};
use glam::{DQuat, DVec3};
use ropewalk_body::Base;
use ropewalk_contact::ConstraintPattern;
use ropewalk_linalg::Pose;
use ropewalk_rod::RodState;

/// Numbers in C order, with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArray {
    /// Name.
    pub name: String,
    /// Shape; empty for a single number.
    pub shape: Vec<usize>,
    /// The numbers.
    pub data: Vec<f64>,
}

/// Why arrays are not a snapshot of the model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// An array is not there.
    #[error("there is no array '{0}'")]
    Missing(String),
    /// An array has another shape.
    #[error("array '{name}' has the shape {found:?}, expected {expected:?}")]
    Shape {
        /// Its name.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape that the model asks for.
        expected: Vec<usize>,
    },
    /// A number is not finite.
    #[error("array '{name}' holds {number}")]
    NotFinite {
        /// Its name.
        name: String,
        /// The number.
        number: f64,
    },
    /// Numbers that cannot be what the array is for.
    #[error("array '{name}' holds {number}, expected {expected}")]
    Range {
        /// Its name.
        name: String,
        /// The number.
        number: f64,
        /// What is allowed.
        expected: &'static str,
    },
}

impl State {
    /// All of it as arrays.
    pub fn arrays(&self, model: &Model) -> Vec<NamedArray> {
        let mut out = Arrays(Vec::new());
        out.add_state(model, self);
        out.add_history(model, self);
        out.add_memory(model, &self.memory);
        out.0
    }

    /// What is commanded in `state`, as arrays: those called `command/…`, targets of actuators (whether given, target, rate),
    /// what attachments are asked for, guides of end effectors.
    pub fn command_arrays(model: &Model, state: &Self) -> Vec<NamedArray> {
        let mut out = Arrays(Vec::new());
        command_arrays::add(&mut out, model, &state.commands);
        let given = |a: usize| state.actuators[a].target.filter(|_| !model.is_led(a));
        if (0..state.actuators.len()).any(|a| given(a).is_some()) {
            let numbers = (0..state.actuators.len()).flat_map(|a| {
                let target = given(a);
                let rate = if target.is_some() { state.actuators[a].target_velocity } else { 0.0 };
                [f64::from(u8::from(target.is_some())), target.unwrap_or(0.0), rate]
            });
            out.add("actuators", &[state.actuators.len(), 3], numbers);
        }
        if state.attachments.iter().any(|a| a.command != Command::Scheduled) {
            let asked = state.attachments.iter().map(|a| attachment_numbers(a)[1]);
            out.add("attachments", &[state.attachments.len()], asked);
        }
        for (hand, s) in model.hands.iter().zip(&state.hands) {
            if let Some(guide) = s.target {
                out.add(&format!("hand/{}/target", hand.name), &[GUIDE_NUMBERS], guide.numbers());
            }
        }
        out.0
    }

    /// The state that `find` gives the arrays of. `start` is any state of the model: it says how many of everything
    /// there are.
    pub fn from_arrays<'a>(
        model: &Model,
        start: &Self,
        find: impl Fn(&str) -> Option<&'a NamedArray>,
    ) -> Result<Self, SnapshotError> {
        let source = Source { find };
        let mut state = start.clone();
        state.complete(model);
        let made = source.read_made(model)?;
        state.attachments.resize(model.attachments.len() + made.len(), AttachmentState::default());
        state.commands = source.read_commands(model, made)?;
        source.read_rods(model, &mut state)?;
        source.read_bodies(model, &mut state)?;
        source.read_history(model, &mut state)?;
        state.memory = source.read_memory(model, &state)?;
        Ok(state)
    }
}

pub(super) struct Arrays(Vec<NamedArray>);

impl Arrays {
    pub(super) fn add(&mut self, name: &str, shape: &[usize], data: impl IntoIterator<Item = f64>) {
        let data = data.into_iter().collect();
        self.0.push(NamedArray { name: name.to_owned(), shape: shape.to_vec(), data });
    }

    fn add_state(&mut self, model: &Model, state: &State) {
        self.add("time", &[], [state.time]);
        for (name, rod) in model.rod_names.iter().zip(&state.rods) {
            self.add_rod(name, rod);
        }
        for (tree, s) in model.trees.iter().zip(&state.trees) {
            let name = &tree.name;
            self.add(&format!("tree/{name}/q"), &[s.q.len()], s.q.iter().copied());
            self.add(&format!("tree/{name}/v"), &[s.v.len()], s.v.iter().copied());
            let base =
                [&pose_numbers(&s.base.pose)[..], &s.base.linear.to_array(), &s.base.angular.to_array()];
            self.add(&format!("tree/{name}/base"), &[13], base.concat());
        }
        if !state.attachments.is_empty() {
            let numbers = state.attachments.iter().flat_map(attachment_numbers);
            self.add("attachments", &[state.attachments.len(), 13], numbers);
        }
        if !state.actuators.is_empty() {
            let numbers = state.actuators.iter().flat_map(|a| {
                let given = f64::from(u8::from(a.target.is_some()));
                [given, a.target.unwrap_or(0.0), a.target_velocity, a.integral]
            });
            self.add("actuators", &[state.actuators.len(), 4], numbers);
        }
        for (hand, s) in model.hands.iter().zip(&state.hands) {
            self.add(&format!("hand/{}/q", hand.name), &[s.q.len()], s.q.iter().copied());
            let given = f64::from(u8::from(s.target.is_some()));
            let target = [&[given][..], &s.target.unwrap_or_default().numbers()].concat();
            self.add(&format!("hand/{}/target", hand.name), &[target.len()], target);
        }
        self.add(
            "stick_forces",
            &[state.stick_forces.len(), 21],
            state.stick_forces.iter().flat_map(anchor_numbers),
        );
        command_arrays::add(self, model, &state.commands);
    }

    fn add_memory(&mut self, model: &Model, memory: &SolverMemory) {
        for (name, kept) in model.rod_names.iter().zip(&memory.tangents).filter(|(_, kept)| kept.in_use) {
            let name = format!("memory/{name}");
            self.add_rod(&name, &kept.shape);
            let held = kept.held.as_flattened().iter().map(|&h| f64::from(u8::from(h)));
            self.add(&format!("{name}/held"), &[kept.held.len(), 4], held);
        }
        let firsts = memory.orders.iter().filter_map(|order| order.parts.first());
        self.add("memory/islands", &[memory.orders.len()], firsts.map(|&part| part as f64));
        for IslandOrder { parts, constraints } in &memory.orders {
            let name = format!("memory/island/{}", parts.first().unwrap_or(&0));
            self.add(&format!("{name}/parts"), &[parts.len()], parts.iter().map(|&part| part as f64));
            for (key, list) in [("starts", &constraints.starts), ("tiles", &constraints.tiles)] {
                self.add(&format!("{name}/{key}"), &[list.len()], list.iter().map(|&i| f64::from(i)));
            }
        }
    }

    /// Of parts that BDF2 would follow from the step before.
    fn add_history(&mut self, model: &Model, state: &State) {
        let rods = model.rod_names.iter().zip(&state.rods).zip(&state.history.rods);
        for ((name, _), history) in rods.filter(|((_, s), history)| history.step_to(s) > 0.0) {
            let numbers = history.numbers();
            self.add(&format!("history/{name}"), &[numbers.len()], numbers);
        }
        let trees = model.trees.iter().zip(&state.trees).zip(&state.history.trees);
        for ((tree, _), history) in trees.filter(|((_, s), history)| history.step_to(s) > 0.0) {
            let numbers = history.numbers();
            self.add(&format!("history/tree/{}", tree.name), &[numbers.len()], numbers);
        }
    }

    fn add_rod(&mut self, name: &str, rod: &RodState) {
        let n = rod.q.len();
        self.add(&format!("{name}/q"), &[n, 4], rod.q.as_flattened().iter().copied());
        self.add(&format!("{name}/v"), &[n, 4], rod.v.as_flattened().iter().copied());
        self.add(&format!("{name}/d1"), &[rod.d1.len(), 3], rod.d1.as_flattened().iter().copied());
        self.add(&format!("{name}/beta"), &[n], rod.beta[..n].iter().copied());
        let natural = &rod.natural;
        for (key, data) in [("kappa1", &natural.kappa1), ("kappa2", &natural.kappa2), ("tau", &natural.tau)] {
            self.add(&format!("{name}/{key}"), &[n], data[..n].iter().copied());
        }
        let plastic = &rod.plastic;
        if !plastic.curvature.is_empty() {
            let numbers = plastic.curvature.as_flattened().iter().copied();
            self.add(&format!("{name}/plastic"), &[plastic.curvature.len(), 2], numbers);
            self.add(&format!("{name}/plastic_work"), &[1], [plastic.work]);
        }
    }
}

fn anchor_numbers(anchor: &StickForce) -> [f64; 21] {
    let halves = |n: u64| [f64::from((n >> 32) as u32), f64::from(n as u32)];
    let ([a, b], [c, d]) = (halves(anchor.between[0]), halves(anchor.between[1]));
    let ([x, y, z], [p, q, r]) = (anchor.place.to_array(), anchor.force.to_array());
    let ([u, v, w], [k, l, m]) = (anchor.far_force.to_array(), anchor.side_force.to_array());
    let ([f, g, h], [n, s]) = (anchor.moment.to_array(), anchor.normal_forces);
    [a, b, c, d, x, y, z, p, q, r, u, v, w, k, l, m, f, g, h, n, s]
}

fn anchor_from(x: &[f64]) -> StickForce {
    let whole = |high: f64, low: f64| u64::from(high as u32) << 32 | u64::from(low as u32);
    StickForce {
        between: [whole(x[0], x[1]), whole(x[2], x[3])],
        place: DVec3::from_slice(&x[4..]),
        force: DVec3::from_slice(&x[7..]),
        far_force: DVec3::from_slice(&x[10..]),
        side_force: DVec3::from_slice(&x[13..]),
        moment: DVec3::from_slice(&x[16..]),
        normal_forces: [x[19], x[20]],
    }
}

pub(super) fn pose_numbers(pose: &Pose) -> [f64; 7] {
    let ([x, y, z], [a, b, c, d]) = (pose.position.to_array(), pose.rotation.to_array());
    [x, y, z, a, b, c, d]
}

pub(super) fn pose_from(numbers: &[f64]) -> Pose {
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

pub(super) struct Source<F> {
    pub(super) find: F,
}

impl<'a, F: Fn(&str) -> Option<&'a NamedArray>> Source<F> {
    pub(super) fn any_shape(&self, name: &str) -> Result<&'a NamedArray, SnapshotError> {
        let array = (self.find)(name).ok_or_else(|| SnapshotError::Missing(name.to_owned()))?;
        match array.data.iter().find(|x| !x.is_finite()) {
            Some(&number) => Err(SnapshotError::NotFinite { name: name.to_owned(), number }),
            None => Ok(array),
        }
    }

    pub(super) fn array(&self, name: &str, shape: &[usize]) -> Result<&'a [f64], SnapshotError> {
        let array = self.any_shape(name)?;
        if array.shape != shape {
            return Err(SnapshotError::Shape {
                name: name.to_owned(),
                found: array.shape.clone(),
                expected: shape.to_vec(),
            });
        }
        Ok(&array.data)
    }

    fn indices(&self, name: &str) -> Result<Vec<u32>, SnapshotError> {
        let index = |&number: &f64| {
            let index = number as u32;
            let expected = "whole numbers from 0";
            let bad = || SnapshotError::Range { name: name.to_owned(), number, expected };
            if f64::from(index) == number { Ok(index) } else { Err(bad()) }
        };
        self.any_shape(name)?.data.iter().map(index).collect()
    }

    /// The step before, for parts that have one.
    fn read_history(&self, model: &Model, state: &mut State) -> Result<(), SnapshotError> {
        let State { rods, trees, history, .. } = state;
        for ((name, rod), history) in model.rod_names.iter().zip(rods).zip(&mut history.rods) {
            let name = format!("history/{name}");
            history.clear();
            if (self.find)(&name).is_some() {
                let count = history.numbers().len();
                history.set_numbers(self.array(&name, &[count])?, rod);
            }
        }
        for ((tree, s), history) in model.trees.iter().zip(trees).zip(&mut history.trees) {
            let name = format!("history/tree/{}", tree.name);
            history.clear();
            if (self.find)(&name).is_some() {
                let count = history.numbers().len();
                history.set_numbers(self.array(&name, &[count])?, s);
            }
        }
        Ok(())
    }

    fn read_rods(&self, model: &Model, state: &mut State) -> Result<(), SnapshotError> {
        state.time = self.array("time", &[])?[0];
        for (name, rod) in model.rod_names.iter().zip(&mut state.rods) {
            self.read_rod(name, rod)?;
        }
        Ok(())
    }

    fn read_rod(&self, name: &str, rod: &mut RodState) -> Result<(), SnapshotError> {
        let (n, edges) = (rod.q.len(), rod.d1.len());
        rod.q.as_flattened_mut().copy_from_slice(self.array(&format!("{name}/q"), &[n, 4])?);
        rod.v.as_flattened_mut().copy_from_slice(self.array(&format!("{name}/v"), &[n, 4])?);
        rod.d1.as_flattened_mut().copy_from_slice(self.array(&format!("{name}/d1"), &[edges, 3])?);
        rod.beta[..n].copy_from_slice(self.array(&format!("{name}/beta"), &[n])?);
        let natural = &mut rod.natural;
        for (key, data) in
            [("kappa1", &mut natural.kappa1), ("kappa2", &mut natural.kappa2), ("tau", &mut natural.tau)]
        {
            data[..n].copy_from_slice(self.array(&format!("{name}/{key}"), &[n])?);
        }
        let plastic = &mut rod.plastic;
        if !plastic.curvature.is_empty() {
            let numbers = self.array(&format!("{name}/plastic"), &[plastic.curvature.len(), 2])?;
            plastic.curvature.as_flattened_mut().copy_from_slice(numbers);
            plastic.work = self.array(&format!("{name}/plastic_work"), &[1])?[0];
        }
        Ok(())
    }

    fn read_memory(&self, model: &Model, state: &State) -> Result<SolverMemory, SnapshotError> {
        let rods = model.rod_names.iter().zip(&state.rods);
        let tangents = { rods }.map(|(name, rod)| self.read_tangent(name, rod)).collect::<Result<_, _>>()?;
        let firsts = self.indices("memory/islands")?;
        let part_count = model.rods.len() + model.trees.len();
        let orders = firsts.iter().map(|first| self.read_order(*first, part_count));
        Ok(SolverMemory { tangents, orders: orders.collect::<Result<_, _>>()? })
    }

    fn read_order(&self, first: u32, part_count: usize) -> Result<IslandOrder, SnapshotError> {
        let name = format!("memory/island/{first}");
        let parts: Vec<usize> =
            self.indices(&format!("{name}/parts"))?.into_iter().map(|part| part as usize).collect();
        let refused = |name: String, number: f64, expected| SnapshotError::Range { name, number, expected };
        let is_first = parts.first() == Some(&(first as usize));
        if !(is_first && parts.is_sorted_by(|a, b| a < b) && parts.iter().all(|&part| part < part_count)) {
            let number = parts.last().map_or(f64::from(first), |&part| part as f64);
            let expected = "increasing numbers of rods and trees from its first";
            return Err(refused(format!("{name}/parts"), number, expected));
        }
        let constraints = ConstraintPattern {
            starts: self.indices(&format!("{name}/starts"))?,
            tiles: self.indices(&format!("{name}/tiles"))?,
        };
        let (tiles, sorted) = (constraints.tiles.len() as u32, constraints.starts.is_sorted());
        match constraints.starts.iter().find(|&&s| s > tiles || !sorted) {
            Some(&bad) => {
                let expected = "increasing places in its 'tiles'";
                Err(refused(format!("{name}/starts"), f64::from(bad), expected))
            }
            None => Ok(IslandOrder { parts, constraints }),
        }
    }

    /// The kept shape of the rod `name`, of which `rod` is any state.
    fn read_tangent(&self, name: &str, rod: &RodState) -> Result<CachedTangent, SnapshotError> {
        let name = format!("memory/{name}");
        if (self.find)(&format!("{name}/held")).is_none() {
            return Ok(CachedTangent::default());
        }
        let mut shape = rod.clone();
        self.read_rod(&name, &mut shape)?;
        let held = self.array(&format!("{name}/held"), &[rod.q.len(), 4])?;
        let held = held.as_chunks::<4>().0.iter().map(|h| h.map(|h| h != 0.0)).collect();
        Ok(CachedTangent { in_use: true, shape, held })
    }

    fn read_bodies(&self, model: &Model, state: &mut State) -> Result<(), SnapshotError> {
        for (tree, s) in model.trees.iter().zip(&mut state.trees) {
            let name = &tree.name;
            let (q, v) = (s.q.len(), s.v.len());
            s.q.copy_from_slice(self.array(&format!("tree/{name}/q"), &[q])?);
            s.v.copy_from_slice(self.array(&format!("tree/{name}/v"), &[v])?);
            let base = self.array(&format!("tree/{name}/base"), &[13])?;
            s.base = Base {
                pose: pose_from(base),
                linear: DVec3::from_slice(&base[7..]),
                angular: DVec3::from_slice(&base[10..]),
            };
        }
        if !state.attachments.is_empty() {
            let numbers = self.array("attachments", &[state.attachments.len(), 13])?;
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
            let numbers = self.array("actuators", &[state.actuators.len(), 4])?;
            for (s, x) in state.actuators.iter_mut().zip(numbers.chunks_exact(4)) {
                s.target = (x[0] != 0.0).then_some(x[1]);
                (s.target_velocity, s.integral) = (x[2], x[3]);
            }
        }
        for (hand, s) in model.hands.iter().zip(&mut state.hands) {
            let q = s.q.len();
            s.q.copy_from_slice(self.array(&format!("hand/{}/q", hand.name), &[q])?);
            let name = format!("hand/{}/target", hand.name);
            // Files of before guides have a pose there.
            s.target = if self.any_shape(&name)?.shape == [8] {
                let target = self.array(&name, &[8])?;
                (target[0] != 0.0).then(|| Guide::at(pose_from(&target[1..])))
            } else {
                let target = self.array(&name, &[1 + GUIDE_NUMBERS])?;
                (target[0] != 0.0).then(|| Guide::from_numbers(&target[1..]))
            };
        }
        let count = self.any_shape("stick_forces")?.data.len() / 21;
        let numbers = self.array("stick_forces", &[count, 21])?;
        state.stick_forces = numbers.chunks_exact(21).map(anchor_from).collect();
        Ok(())
    }
}
