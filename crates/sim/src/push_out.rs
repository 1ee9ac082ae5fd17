//! Push-out: takes the overlap at the start away before the run begins.
//!
//! Hard contact undoes an overlap by a motion, and a motion has a velocity. Here it has none: steps are taken from rest, a
//! part of the overlap is undone in each, and the velocity is dropped. Each of them is the mass-weighted projection of the
//! positions on what contact allows. Time stands still: clamps and driven bodies stay where they are, gravity, loads and
//! drives do not act, and the present shape of a rod counts as its natural one, so that a bent rod does not relax meanwhile.

use crate::model::{Model, Scheme, State, Tuning};
use crate::overlap::{Overlap, find_overlaps, overlaps_above};
use crate::report::StepStatus;
use crate::step::step;
use crate::workspace::Workspace;
use crate::{Linearize, Settings};
use glam::DVec3;
use ropewalk_rod::PlasticState;

/// Share of an overlap that one of the steps undoes. They carry no velocity over, so it may be large; not so large that
/// a pair is pushed into its neighbors.
const SHARE: f64 = 0.3;

/// Steps after which it is given up: after thirty of them a ten thousandth of an overlap is left.
const MOST_STEPS: u32 = 200;

/// What has been pushed out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PushOut {
    /// Pairs that overlapped at the start, each at its deepest place, the deepest first.
    pub overlaps: Vec<Overlap>,
    /// Steps taken; no time passes in them.
    pub steps: u32,
}

/// Moves what overlaps in `state` apart, as [`find_overlaps`] judges it; velocities, natural shapes and time stay as they are.
///
/// # Errors
/// The deepest overlap that is left, where things cannot be pushed apart; `state` is then as it was.
pub fn push_out(model: &Model, state: &mut State) -> Result<PushOut, Overlap> {
    let still = without_motion(model);
    let mut moved = State { time: state.time, rods: state.rods.clone(), ..State::default() };
    moved.trees.clone_from(&state.trees);
    for (rod, s) in still.rods.iter().zip(&mut moved.rods) {
        s.plastic = PlasticState::none(rod);
        s.take_natural_shape(rod);
    }
    let mut out = PushOut { overlaps: find_overlaps(&still, &moved), steps: 0 };
    let mut left = out.overlaps.first().copied();
    // What may stay, as a share of the whole thickness: contact leaves that alone in the run.
    let Tuning { resting_overlap, contact_tolerance, .. } = model.settings.tuning;
    let stays = 0.5 * resting_overlap * contact_tolerance;
    let mut workspace = Workspace::new(&still);
    while let Some(deepest) = left {
        stop(&mut moved);
        // Prescribed motion is where it is at the end of the step, which is now.
        moved.time = state.time - still.settings.dt;
        let report = step(&still, &mut moved, &mut workspace);
        out.steps += 1;
        if report.status != StepStatus::Converged || out.steps == MOST_STEPS {
            return Err(deepest);
        }
        left = overlaps_above(stays, &still, &moved).first().copied();
    }
    if out.steps > 0 {
        for (s, moved) in state.rods.iter_mut().zip(moved.rods) {
            (s.q, s.d1, s.beta) = (moved.q, moved.d1, moved.beta);
        }
        for (s, moved) in state.trees.iter_mut().zip(moved.trees) {
            s.q = moved.q;
        }
    }
    Ok(out)
}

/// The model with nothing that moves anything but contact.
fn without_motion(model: &Model) -> Model {
    let mut still = Model {
        gravity: DVec3::ZERO,
        loads: Vec::new(),
        shape_drives: Vec::new(),
        actuators: Vec::new(),
        hands: Vec::new(),
        settings: Settings {
            scheme: Scheme::BACKWARD_EULER,
            linearize: Linearize::UntilConverged,
            ..model.settings.clone()
        },
        ..model.clone()
    };
    (still.settings.tuning.recovery, still.settings.tuning.resting_overlap) = (SHARE, 1.0);
    still
}

fn stop(state: &mut State) {
    state.rods.iter_mut().for_each(|rod| rod.v.fill([0.0; 4]));
    for tree in &mut state.trees {
        tree.v.fill(0.0);
        (tree.base.linear, tree.base.angular) = (DVec3::ZERO, DVec3::ZERO);
    }
    state.stick_forces.clear();
}
