//! Kinematics: what is prescribed, loads and targets at the end of the step; poses and grips at its start.

pub(in crate::step) mod clamps;
pub(crate) mod end_effectors;
pub(crate) mod impacts;
pub(in crate::step) mod loads;

use super::constrain::{StartKinematics, actuator, attachment};
use super::parallel::for_each_rod;
use super::solve::part::Part;
use super::timer::lap;
use super::{Outcome, SubStep};
use crate::command::Commands;
use crate::model::{Model, State};
use crate::report::stage;
use crate::workspace::{RodWork, TreeWork, Workspace};
use glam::DVec3;
use ropewalk_body::{Base, TreeHistory};
use ropewalk_rod::{RodHistory, RodState};
use std::time::Instant;

/// Sets all of it in `workspace`; natural shapes, grips and references of end effectors in `state`.
pub(crate) fn begin(model: &Model, state: &mut State, workspace: &mut Workspace, step: SubStep) {
    workspace.seconds.fill(0.0);
    let gravity = state.gravity(model);
    let commands = &state.commands;
    let (tangents, histories) = (&state.memory.tangents, &state.history.rods);
    for_each_rod(&mut workspace.rods, &mut state.rods, |r, work, rod_state| {
        work.tangent_cache.begin(tangents.get(r));
        let history = histories.get(r).filter(|_| step.bdf2);
        begin_rod(model, r, work, rod_state, (commands, gravity), history, step);
    });
    let efforts = &mut workspace.coupling.efforts;
    efforts.clear();
    efforts.resize(model.actuators.len(), 0.0);
    for (t, work) in workspace.trees.iter_mut().enumerate() {
        begin_tree(model, t, work, state, step, efforts);
    }
    update_grips(model, state, workspace, step);
    let targets = (step.weights.dt, step.end);
    end_effectors::set_targets(model, &mut workspace.hands, targets, state);
}

/// What is prescribed, drives and loads of one rod.
fn begin_rod(
    model: &Model,
    r: usize,
    work: &mut RodWork,
    state: &mut RodState,
    (commands, gravity): (&Commands, DVec3),
    history: Option<&RodHistory>,
    step: SubStep,
) {
    work.outcome = Outcome::pending();
    let mut clock = Instant::now();
    let shape_work =
        clamps::set_natural_shape(model, (r, &commands.rods[r]), state, &mut work.natural_before, step.end);
    clamps::set_prescribed(model, (r, &commands.clamps), state, step.weights, step.end, &mut work.motion);
    let from_outside = (&commands.rods[r], gravity);
    loads::set_forces(model, r, state, step.end, from_outside, &mut work.load, &mut work.motion);
    work.begin(&model.rods[r], state, step);
    if let Some(history) = history.filter(|_| !work.restart.now) {
        work.motion.begin_bdf2(&model.rods[r], state, step.weights, history);
    }
    work.outcome.seconds[stage::KINEMATICS] += lap(&mut clock);
    work.outcome.work += shape_work;
}

/// The base of a tree at the end of the step, and the forces on its joints.
fn begin_tree(
    model: &Model,
    t: usize,
    work: &mut TreeWork,
    state: &State,
    step: SubStep,
    efforts: &mut [f64],
) {
    let tree = &model.trees[t];
    work.outcome = Outcome::pending();
    let mut clock = Instant::now();
    let now = &state.trees[t].base.pose;
    work.next_base = match state.commands.bases[t] {
        Some(_) => Base::moved(now, &state.base_pose(model, t, step.end), step.weights.dt),
        None => tree.base.after(now, step.end, step.weights.dt),
    };
    work.motion.force.fill(0.0);
    actuator::add_efforts(model, t, &state.actuators, step.end, &mut work.motion.force, efforts);
    work.gravity = if tree.heavy { state.gravity(model) } else { DVec3::ZERO };
    if let Some(history) = state.history.trees.get(t).filter(|_| step.bdf2) {
        let none = TreeHistory::default();
        impacts::begin_tree(
            &tree.tree,
            work,
            &state.trees[t],
            if work.restart.now { &none } else { history },
            step,
        );
    } else {
        work.begin(&tree.tree, &state.trees[t], step);
    }
    for load in state.commands.links.iter().filter(|load| load.tree == t) {
        let at = work.motion.start.poses[load.link].point(load.point);
        for dof in tree.tree.chain(load.link) {
            work.motion.force[dof] += work.motion.start.effort(dof, at, load.force, load.torque);
        }
    }
    work.outcome.seconds[stage::KINEMATICS] += lap(&mut clock);
}

/// Attachments that begin or end with this step.
fn update_grips(model: &Model, state: &mut State, workspace: &mut Workspace, step: SubStep) {
    let mut attachments = core::mem::take(&mut state.attachments);
    let mut made = core::mem::take(&mut workspace.grips_made);
    made.clear();
    let start = StartKinematics::new(model, state, workspace);
    attachment::update_grips(model, &start, step.end, &mut attachments, &mut made);
    state.attachments = attachments;
    workspace.grips_made = made;
}

/// Puts back what [`begin`] has changed in `state` for a step that is not taken: the next, shorter attempt counts the
/// work of drives from there again.
pub(in crate::step) fn undo(model: &Model, state: &mut State, workspace: &Workspace) {
    for (r, rod) in state.rods.iter_mut().enumerate() {
        if clamps::changes_natural_shape(model, r, &state.commands.rods[r]) {
            rod.natural.clone_from(&workspace.rods[r].natural_before);
        }
    }
    for &a in &workspace.grips_made {
        state.attachments[a].grip = None;
    }
    for (work, hand) in workspace.hands.iter().zip(&mut state.hands) {
        hand.q.copy_from_slice(&work.q_before);
    }
}
