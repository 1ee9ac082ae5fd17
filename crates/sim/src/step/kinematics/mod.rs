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
use crate::model::{Model, State};
use crate::report::stage;
use crate::workspace::{RodWork, TreeWork, Workspace};
use glam::DVec3;
use ropewalk_body::TreeHistory;
use ropewalk_rod::{RodHistory, RodState};
use std::time::Instant;

/// Sets all of it in `workspace`; natural shapes, grips and references of end effectors in `state`.
pub(crate) fn begin(model: &Model, state: &mut State, workspace: &mut Workspace, step: SubStep) {
    workspace.seconds.fill(0.0);
    let (tangents, histories) = (&state.memory.tangents, &state.history.rods);
    for_each_rod(&mut workspace.rods, &mut state.rods, |r, work, rod_state| {
        work.tangent_cache.begin(tangents.get(r));
        begin_rod(model, r, work, rod_state, histories.get(r).filter(|_| step.bdf2), step);
    });
    let efforts = &mut workspace.coupling.efforts;
    efforts.clear();
    efforts.resize(model.actuators.len(), 0.0);
    for (t, work) in workspace.trees.iter_mut().enumerate() {
        begin_tree(model, t, work, state, step, efforts);
    }
    update_grips(model, state, workspace, step);
    let targets = (step.weights.dt, step.end);
    end_effectors::set_targets(model, &mut workspace.hands, targets, &mut state.hands, &mut state.actuators);
}

/// What is prescribed, drives and loads of one rod.
fn begin_rod(
    model: &Model,
    r: usize,
    work: &mut RodWork,
    state: &mut RodState,
    history: Option<&RodHistory>,
    step: SubStep,
) {
    work.outcome = Outcome::pending();
    let mut clock = Instant::now();
    let shape_work = clamps::set_natural_shape(model, r, state, &mut work.natural_before, step.end);
    clamps::set_prescribed(model, r, state, step.weights, step.end, &mut work.motion);
    loads::set_forces(model, r, state, step.end, &mut work.load, &mut work.motion);
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
    work.next_base = tree.base.after(&state.trees[t].base.pose, step.end, step.weights.dt);
    work.motion.force.fill(0.0);
    actuator::add_efforts(model, t, &state.actuators, step.end, &mut work.motion.force, efforts);
    work.gravity = if tree.heavy { model.gravity } else { DVec3::ZERO };
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
    for drive in &model.shape_drives {
        state.rods[drive.rod].natural.clone_from(&workspace.rods[drive.rod].natural_before);
    }
    for &a in &workspace.grips_made {
        state.attachments[a].grip = None;
    }
    for (work, hand) in workspace.hands.iter().zip(&mut state.hands) {
        hand.q.copy_from_slice(&work.q_before);
    }
}
