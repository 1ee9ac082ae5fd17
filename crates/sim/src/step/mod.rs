//! One time step: the stages, in order.
//!
//! 1. kinematics: clamps ([`prescribe`]), drives, loads ([`load`]) and bases at the end of the step; poses at its start
//! 2. collide, [`mod@screen`] out what stays open; constrain: [`attach`]ments, [`joints`] and [`hand`]s → [`rows`] of velocities and what is [`demand`]ed of them
//! 3. linearise and solve, again and again, until momentum balances: what no constraint touches on its own
//!    ([`solve`]), in parallel; what constraints hold together as one convex problem ([`couple`])
//! 4. [`advance`]: q from v, frames carried along
//! 5. [`observe`]: forces of clamps, attachments and joints, work
//!
//! If anything does not converge the whole world takes half the step instead. The result does not depend on the number
//! of threads.

pub(crate) mod advance;
pub(crate) mod anchor;
mod anchor_share;
mod attach;
mod candidates;
pub(crate) mod collide;
mod collide_flat;
pub(crate) mod collide_patch;
mod collide_shapes;
mod company;
pub(crate) mod couple;
mod demand;
mod guard;
pub(crate) mod hand;
mod impulses;
mod joints;
mod layout;
mod load;
mod lots;
mod merit;
mod observe;
mod prescribe;
mod reach;
mod refresh;
pub(crate) mod rest;
pub(crate) mod rows;
mod screen;
pub(crate) mod solve;
pub(crate) mod touch;
mod weight;

use crate::model::{Linearise, Model, State};
use crate::report::{StepReport, StepStatus, stage};
use crate::workspace::{Outcome, RodWork, Workspace};
use company::with_company;
use lots::for_each_rod;
use ropewalk_rod::RodState;
use ropewalk_rod::motion::{LEAST_SHAPE, LEAST_SHAPE_IN_PASSING, StepWeights};
use rows::Scene;
use std::time::Instant;

/// Takes `state` one step of `model.settings.dt` further. On failure the state is as it was.
pub fn step(model: &Model, state: &mut State, workspace: &mut Workspace) -> StepReport {
    with_company(model, || whole_step(model, state, workspace))
}

fn whole_step(model: &Model, state: &mut State, workspace: &mut Workspace) -> StepReport {
    let mut report = StepReport::nothing();
    state.complete(model);
    workspace.backup.clone_from(state);
    workspace.sensed.clear();
    // The step is 2^max_halvings units long; a sub-step is a power of two of them.
    let whole = 1u64 << model.settings.max_halvings.min(40);
    let unit = model.settings.dt / whole as f64;
    let start = state.time;
    let (mut done, mut size) = (0u64, whole);
    let mut passing = false;
    while done < whole {
        let end = start + (done + size) as f64 * unit;
        let least_shape = if passing { LEAST_SHAPE_IN_PASSING } else { LEAST_SHAPE };
        let outcome = substep(model, state, workspace, size as f64 * unit, end, least_shape);
        report.add(&outcome);
        if outcome.converged {
            done += size;
            report.degenerate_substeps += u32::from(passing);
            passing = false;
            // Try the longer step again once it fits.
            if size < whole && done % (2 * size) == 0 && done < whole {
                size *= 2;
            }
        } else if outcome.blocked && size <= whole >> MOST_GUARD_HALVINGS.min(model.settings.max_halvings) {
            report.status = StepStatus::PassesThrough;
            state.clone_from(&workspace.backup);
            return report;
        } else if !passing
            && outcome.finite
            && !outcome.blocked
            && (size <= whole >> HALVINGS_BEFORE_PASSING || folded(model, state))
        {
            // Shorter steps do not avoid a shape that the motion leads to.
            passing = true;
        } else if size > 1 {
            passing = false;
            size /= 2;
        } else {
            report.status = if outcome.finite { StepStatus::NotConverged } else { StepStatus::NotFinite };
            state.clone_from(&workspace.backup);
            return report;
        }
    }
    state.time = start + model.settings.dt;
    workspace.sensed.divide(model.settings.dt);
    report.contacts = workspace.coupling.touching() as u32;
    report.constraints = workspace.coupling.rows.len() as u32;
    report
}

/// A step is halved this often to keep things from passing through one another.
const MOST_GUARD_HALVINGS: u32 = 10;

/// Halvings before a sub-step may pass through shapes that are refused otherwise.
const HALVINGS_BEFORE_PASSING: u32 = 4;

/// Whether a rod is in such a shape already.
fn folded(model: &Model, state: &State) -> bool {
    model.rods.iter().zip(&state.rods).any(|(rod, s)| s.least_shape(rod) < LEAST_SHAPE)
}

/// One sub-step of length `dt` that ends at time `end`. Rods and trees change only if all converge.
pub(crate) fn substep(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    dt: f64,
    end: f64,
    least_shape: f64,
) -> Outcome {
    let scheme = model.settings.scheme;
    let weights = StepWeights { dt, theta: scheme.theta, theta_vq: scheme.theta_vq };
    if model.is_rods_alone() {
        // One pass over each rod, while it is in the caches.
        for_each_rod(&mut workspace.rods, &mut state.rods, |r, work, rod_state| {
            begin_rod(model, r, work, rod_state, (weights, end, least_shape));
            solve::solve(&model.rods[r], rod_state, weights, &model.settings, work);
        });
        workspace.coupling.rows.clear();
        let (outcome, nothing) = (Outcome::of_all(workspace), Outcome::none());
        return end_substep(model, state, workspace, outcome, nothing, (weights, end));
    }
    begin(model, state, workspace, weights, end, least_shape);
    let clock = Instant::now();
    grip(model, state, workspace, end);
    collide(model, state, workspace, dt);
    let collide_seconds = clock.elapsed().as_secs_f64();
    let once = model.settings.linearise == Linearise::Once;
    screen(model, state, workspace, weights, !once);
    let clock = Instant::now();
    let Workspace { hands, .. } = workspace;
    hand::set_targets(model, hands, (dt, end), &mut state.hands, &mut state.actuators);
    constrain(model, state, workspace, dt, end);
    let constrain_seconds = clock.elapsed().as_secs_f64();
    let (takes_part, alone) = (&workspace.coupling.rod_takes_part, &workspace.coupling.screen.alone);
    for_each_rod(&mut workspace.rods, &mut state.rods, |r, work, rod_state| {
        if alone[r] {
            // Solved already.
        } else if !takes_part[r] || once {
            solve::solve(&model.rods[r], rod_state, weights, &model.settings, work);
        } else {
            work.outcome.converged = true;
        }
    });
    for (t, work) in workspace.trees.iter_mut().enumerate() {
        if workspace.coupling.tree_takes_part[t] && !once {
            work.outcome.converged = true;
        } else {
            solve::solve_tree(&model.trees[t].tree, &state.trees[t], &model.settings, work);
        }
    }
    let mut coupled = solve_coupled(model, state, workspace, weights);
    while coupled.converged && join_touched(model, workspace, dt) {
        constrain(model, state, workspace, dt, end);
        let before = coupled;
        coupled = solve_coupled(model, state, workspace, weights);
        coupled.add(&before);
    }
    coupled.seconds[stage::COLLIDE] += collide_seconds;
    coupled.seconds[stage::CONSTRAIN] += constrain_seconds;
    let mut outcome = Outcome::of_all(workspace);
    outcome.merge(&coupled);
    if outcome.converged && model.contact.is_some_and(|c| c.guard) {
        let clock = Instant::now();
        outcome.blocked = blocked(model, state, workspace, weights);
        outcome.converged &= !outcome.blocked;
        coupled.seconds[stage::GUARD] += clock.elapsed().as_secs_f64();
    }
    end_substep(model, state, workspace, outcome, coupled, (weights, end))
}

/// What constraints hold together, until its contacts have the normals of the end of the step.
fn solve_coupled(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    weights: StepWeights,
) -> Outcome {
    let Workspace { coupling, rods, trees, .. } = workspace;
    if coupling.rows.len() == 0 {
        return Outcome::none();
    }
    let clock = Instant::now();
    let once = model.settings.linearise == Linearise::Once;
    if !once {
        coupling.foresee(&guard::Accepted { model, state, rods, trees, weights });
    }
    let seconds = clock.elapsed().as_secs_f64();
    let mut coupled = coupling.solve(model, state, weights, rods, trees);
    coupled.seconds[stage::CONSTRAIN] += seconds;
    for _ in 0..refresh::MOST_REFRESHES {
        if once || !coupled.converged {
            break;
        }
        let clock = Instant::now();
        let turned = coupling.refresh(&guard::Accepted { model, state, rods, trees, weights });
        coupled.seconds[stage::CONSTRAIN] += clock.elapsed().as_secs_f64();
        if !turned {
            break;
        }
        let before = coupled;
        coupled = coupling.solve(model, state, weights, rods, trees);
        coupled.add(&before);
    }
    coupled
}

/// Solves on their own the rods that may touch something but do not, and sets the contacts aside that stay open.
pub(crate) fn screen(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    weights: StepWeights,
    wanted: bool,
) {
    let Workspace { rods, trees, coupling, .. } = workspace;
    let couple::Coupling { layout, collider, screen, .. } = coupling;
    screen.clear(model);
    if !wanted || collider.contacts.is_empty() {
        return;
    }
    screen.choose(&collider.contacts, &scene(model, state, layout, rods, trees), model, weights.dt);
    let alone = &screen.alone;
    for_each_rod(rods, &mut state.rods, |r, work, rod_state| {
        if alone[r] {
            solve::solve(&model.rods[r], rod_state, weights, &model.settings, work);
        }
    });
    screen.set_aside(&mut collider.contacts, rods, model, weights.dt);
}

/// Whether rods that were solved on their own are touched by what was solved together, and take part from now on.
fn join_touched(model: &Model, workspace: &mut Workspace, dt: f64) -> bool {
    let Workspace { rods, coupling, .. } = workspace;
    let couple::Coupling { collider, screen, .. } = coupling;
    screen.give_back(&mut collider.contacts, rods, model, dt)
}

/// Takes the step if everything has converged, else puts back what has changed already.
fn end_substep(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    mut outcome: Outcome,
    coupled: Outcome,
    (weights, end): (StepWeights, f64),
) -> Outcome {
    if outcome.converged {
        finish(model, state, workspace, weights, end);
        outcome = Outcome::of_all(workspace);
        outcome.merge(&coupled);
    } else {
        // The next, shorter attempt counts the work of the drives from here again.
        for drive in &model.shape_drives {
            state.rods[drive.rod].natural.clone_from(&workspace.rods[drive.rod].natural_before);
        }
        for (work, hand) in workspace.hands.iter().zip(&mut state.hands) {
            hand.q.copy_from_slice(&work.q_before);
        }
    }
    outcome
}

/// Whether the step must be shorter, since something would pass through something else, or a contact moves too far.
fn blocked(model: &Model, state: &State, workspace: &mut Workspace, weights: StepWeights) -> bool {
    let Workspace { rods, trees, coupling, .. } = workspace;
    let step = guard::Accepted { model, state, rods, trees, weights };
    let first = coupling.first_contact_row();
    let far = guard::strides_too_far(
        &step,
        &coupling.collider.contacts,
        |c| first.map(|first| coupling.impulses[first + c]),
        |c| first.map_or([0.0; 3], |first| coupling.row_velocity(first + c)),
    );
    far || coupling.collider.passes_through(&step, &coupling.reaches)
}

/// What is prescribed, drives and loads of one rod at the end of the step.
fn begin_rod(
    model: &Model,
    r: usize,
    work: &mut RodWork,
    state: &mut RodState,
    (weights, end, least_shape): (StepWeights, f64, f64),
) {
    work.outcome = Outcome { finite: true, ..Outcome::default() };
    let clock = Instant::now();
    let shape_work = prescribe::set_natural_shape(model, r, state, &mut work.natural_before, end);
    prescribe::set_prescribed(model, r, state, weights, end, &mut work.motion);
    load::set_forces(model, r, state, end, work);
    work.motion.least_shape = least_shape;
    work.motion.begin(&model.rods[r], state, weights);
    work.outcome.seconds[stage::KINEMATICS] += clock.elapsed().as_secs_f64();
    work.outcome.work += shape_work;
}

/// What is prescribed, drives, loads and bases at the end of the step; kinematics at its start.
pub(crate) fn begin(
    model: &Model,
    state: &mut State,
    workspace: &mut Workspace,
    weights: StepWeights,
    end: f64,
    least_shape: f64,
) {
    for_each_rod(&mut workspace.rods, &mut state.rods, |r, work, rod_state| {
        begin_rod(model, r, work, rod_state, (weights, end, least_shape));
    });
    let Workspace { trees, coupling, .. } = workspace;
    coupling.efforts.clear();
    coupling.efforts.resize(model.actuators.len(), 0.0);
    for (t, work) in trees.iter_mut().enumerate() {
        let clock = Instant::now();
        let tree = &model.trees[t];
        work.outcome = Outcome { finite: true, ..Outcome::default() };
        work.next_base = tree.base.after(&state.trees[t].base.pose, end, weights.dt);
        work.motion.force.fill(0.0);
        let efforts = &mut coupling.efforts;
        joints::add_efforts(model, t, &state.actuators, end, &mut work.motion.force, efforts);
        let gravity = if tree.heavy { model.gravity } else { glam::DVec3::ZERO };
        let StepWeights { dt, theta_vq, .. } = weights;
        work.motion.begin(&tree.tree, &state.trees[t], &work.next_base, gravity, dt, theta_vq);
        work.outcome.seconds[stage::KINEMATICS] += clock.elapsed().as_secs_f64();
    }
}

/// Attachments that begin or end with this step.
pub(crate) fn grip(model: &Model, state: &mut State, workspace: &Workspace, end: f64) {
    let Workspace { rods, trees, coupling, .. } = workspace;
    let mut attachments = core::mem::take(&mut state.attachments);
    attach::update_grips(model, &scene(model, state, &coupling.layout, rods, trees), end, &mut attachments);
    state.attachments = attachments;
}

/// Contacts of rods and shapes.
pub(crate) fn collide(model: &Model, state: &State, workspace: &mut Workspace, dt: f64) {
    let Some(contact) = &model.contact else { return };
    let Workspace { rods, trees, coupling, .. } = workspace;
    let couple::Coupling { collider, reaches, .. } = coupling;
    reaches.update(model, state, rods, dt, contact.look_ahead);
    collider.find(model, state, reaches);
    collider.find_shapes(model, state, trees, reaches, (dt, contact.look_ahead));
    collider.find_bodies(model);
}

/// The rows of all constraints, and which rods and trees they hold.
pub(crate) fn constrain(model: &Model, state: &State, workspace: &mut Workspace, dt: f64, end: f64) {
    let Workspace { rods, trees, coupling, .. } = workspace;
    coupling.rows.clear();
    coupling.demands.clear();
    let couple::Coupling { layout, rows, demands, collider, anchors_taken, .. } = coupling;
    let scene = scene(model, state, layout, rods, trees);
    if let Some(contact) = &model.contact {
        let steps = (dt, model.settings.dt);
        touch::add_rows(&collider.contacts, model, &scene, steps, contact, anchors_taken, rows, demands);
    }
    attach::add_rows(model, &scene, rows, demands);
    joints::add_rows(model, &scene, rows, demands);
    joints::add_actuators(model, &scene, (dt, end), rows, demands);
    coupling.mark_parts();
}

fn scene<'a>(
    model: &'a Model,
    state: &'a State,
    layout: &'a layout::Layout,
    rod_work: &'a [RodWork],
    tree_work: &'a [crate::workspace::TreeWork],
) -> Scene<'a> {
    Scene { layout, rods: &model.rods, trees: &model.trees, state, rod_work, tree_work }
}

/// Forces and work are read off, then all moves to the end of the step.
fn finish(model: &Model, state: &mut State, workspace: &mut Workspace, weights: StepWeights, end: f64) {
    let clock = Instant::now();
    let StepWeights { dt, theta_vq, .. } = weights;
    let Workspace { rods, trees, coupling, sensed, .. } = workspace;
    coupling.take_from_held(rods);
    observe::clamp_impulses(model, state, rods, &mut sensed.clamps);
    let mut anchors = core::mem::take(&mut state.anchors);
    let seen = scene(model, state, &coupling.layout, rods, trees);
    let (rows, impulses) = (&coupling.rows, &coupling.impulses);
    let impulses = if rows.len() > 0 { &impulses[..] } else { &[] };
    let contacts = &coupling.collider.contacts;
    let mut work =
        observe::constraint_impulses(model, &seen, rows, contacts, impulses, (dt, theta_vq), sensed);
    if let (true, Some(first)) = (model.contact.is_some_and(|c| c.anchor), coupling.first_contact_row()) {
        anchor::keep(contacts, &impulses[first..], &seen, dt, &mut anchors);
    } else {
        anchors.clear();
    }
    state.anchors = anchors;
    for (impulse, effort) in sensed.actuators.iter_mut().zip(&coupling.efforts) {
        *impulse += dt * effort;
    }
    for (source, lambda) in rows.sources.iter().zip(impulses) {
        if let rows::Source::Actuator(a) = *source {
            coupling.efforts[a] = lambda[0] / dt;
        }
    }
    if let Some(first) = trees.first_mut() {
        first.outcome.seconds[stage::OBSERVE] += clock.elapsed().as_secs_f64();
        first.outcome.work += core::mem::take(&mut work);
    }
    for_each_rod(rods, &mut state.rods, |r, rod_work, rod_state| {
        let clock = Instant::now();
        let work_done = observe::work(&model.rods[r], rod_state, weights, rod_work);
        rod_work.outcome.seconds[stage::OBSERVE] += clock.elapsed().as_secs_f64();
        rod_work.outcome.work += work_done;
        let clock = Instant::now();
        advance::advance(&model.rods[r], rod_state, weights, &mut rod_work.motion);
        rod_work.outcome.seconds[stage::ADVANCE] += clock.elapsed().as_secs_f64();
    });
    for (t, tree_work) in trees.iter_mut().enumerate() {
        let clock = Instant::now();
        tree_work.motion.advance(&model.trees[t].tree, &mut state.trees[t]);
        tree_work.outcome.seconds[stage::ADVANCE] += clock.elapsed().as_secs_f64();
    }
    joints::finish_actuators(model, (dt, end), &coupling.efforts, &state.trees, &mut state.actuators);
    state.time = end;
}

impl Outcome {
    /// Of nothing at all: all is well.
    fn none() -> Self {
        Self { converged: true, finite: true, ..Self::default() }
    }

    /// The outcomes of all rods and trees together.
    fn of_all(workspace: &Workspace) -> Self {
        let mut outcome = Self::none();
        for work in &workspace.rods {
            outcome.merge(&work.outcome);
        }
        for work in &workspace.trees {
            outcome.merge(&work.outcome);
        }
        outcome
    }

    /// Adds what was done before, to no avail.
    fn add(&mut self, before: &Self) {
        self.iterations += before.iterations;
        self.inner_iterations += before.inner_iterations;
        self.altered_tangents += before.altered_tangents;
        for (mine, theirs) in self.seconds.iter_mut().zip(&before.seconds) {
            *mine += theirs;
        }
    }

    /// Sums and maxima, in order.
    fn merge(&mut self, other: &Self) {
        self.converged &= other.converged;
        self.finite &= other.finite;
        self.iterations = self.iterations.max(other.iterations);
        self.inner_iterations += other.inner_iterations;
        self.blocked |= other.blocked;
        self.residual = self.residual.max(other.residual);
        self.altered_tangents += other.altered_tangents;
        self.work += other.work;
        for (mine, theirs) in self.seconds.iter_mut().zip(&other.seconds) {
            *mine += theirs;
        }
    }
}

impl StepReport {
    fn add(&mut self, outcome: &Outcome) {
        self.iterations += outcome.iterations;
        self.inner_iterations += outcome.inner_iterations;
        self.blocked += u32::from(outcome.blocked);
        self.altered_tangents += outcome.altered_tangents;
        for (mine, theirs) in self.stage_seconds.iter_mut().zip(&outcome.seconds) {
            *mine += theirs;
        }
        if outcome.converged {
            self.substeps += 1;
            self.residual = self.residual.max(outcome.residual);
            self.work += outcome.work;
        }
    }
}
