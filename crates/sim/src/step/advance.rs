//! From velocities to the state at the end of the step.

use super::SubStep;
use super::constrain::actuator;
use super::parallel::for_each_rod;
use super::solve::part::Part;
use super::timer::Timer;
use crate::model::{Model, State};
use crate::report::stage;
use crate::workspace::{RodWork, TreeWork, Workspace};
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{Rod, RodState};

/// Moves the state to the end of the step; integrals of controllers are brought up to date.
pub(in crate::step) fn advance(model: &Model, state: &mut State, workspace: &mut Workspace, step: SubStep) {
    let Workspace { rods, trees, coupling, seconds, .. } = workspace;
    let _timer = Timer::start(&mut seconds[stage::ADVANCE]);
    if step.bdf2 {
        advance_bdf2(model, state, (rods, trees), step.weights);
    } else {
        for_each_rod(rods, &mut state.rods, |r, work, rod_state| {
            work.advance(&model.rods[r], rod_state, step);
        });
        for (t, work) in trees.iter_mut().enumerate() {
            work.advance(&model.trees[t].tree, &mut state.trees[t], step);
        }
    }
    let memory = &mut state.memory;
    for (tangent, work) in memory.tangents.iter_mut().zip(rods) {
        if tangent != work.tangent_cache.kept() {
            tangent.clone_from(work.tangent_cache.kept());
        }
    }
    coupling.islands.keep_orders(&mut memory.orders);
    let times = (step.weights.dt, step.end);
    actuator::finish_actuators(model, times, &coupling.efforts, &state.trees, &mut state.actuators);
    state.time = step.end;
}

/// The same by BDF2: what has not been hit remembers the step.
fn advance_bdf2(
    model: &Model,
    state: &mut State,
    (rods, trees): (&mut [RodWork], &mut [TreeWork]),
    weights: StepWeights,
) {
    let State { rods: rod_states, trees: tree_states, history, .. } = state;
    let parts = model.rods.iter().zip(rods).zip(rod_states).zip(&mut history.rods);
    for (((rod, work), rod_state), history) in parts {
        work.motion.advance(rod, rod_state, weights, history);
        if work.restart.hit {
            history.clear();
        }
    }
    let parts = model.trees.iter().zip(trees).zip(tree_states).zip(&mut history.trees);
    for (((tree, work), tree_state), history) in parts {
        work.motion.advance_bdf2(&tree.tree, tree_state, history);
        if work.restart.hit {
            history.clear();
        }
    }
}

/// q = q₀ + δt (θ_vq v + (1 − θ_vq) v₀); directors carried along without spin,
/// plastic curvature where it has yielded.
pub(crate) fn advance_rod(rod: &Rod, state: &mut RodState, weights: StepWeights, motion: &mut RodMotion) {
    let StepWeights { dt, theta_vq, .. } = weights;
    for ((q, v), now) in state.q.iter_mut().zip(&mut state.v).zip(&motion.v) {
        for k in 0..4 {
            q[k] += dt * (theta_vq * now[k] + (1.0 - theta_vq) * v[k]);
        }
        *v = *now;
    }
    motion.kernel.carry_frames(rod, state);
    state.flow(rod);
}
