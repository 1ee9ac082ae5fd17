//! Equilibrium: the shape that a world takes when it is left alone.
//!
//! Backward Euler from rest, again and again, with the velocities set to zero each time and the step growing: each
//! step minimizes E + ½ |q − q₀|²_M/δt², so energy falls until, at long steps, Newton's method on E itself is left.
//! Clamps, loads and drives stay as they are at the time of the state. Motion is not simulated; of several equilibria
//! one is found that can be reached downhill.

use crate::model::{Model, Scheme, State};
use crate::step::{SubStep, substep};
use crate::workspace::Workspace;

/// How the search for an equilibrium ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equilibrium {
    /// Whether the last long step moved nothing by more than the tolerance.
    pub converged: bool,
    /// Steps taken.
    pub steps: u32,
    /// Greatest displacement of a node in the last step, relative to the length of its rod.
    pub last_move: f64,
}

/// Least relative displacement in a long step that counts as motion.
const STILL: f64 = 1e-10;

/// Brings `state` to an equilibrium of `model` at the present time.
pub fn equilibrate(model: &Model, state: &mut State, workspace: &mut Workspace) -> Equilibrium {
    let mut model = model.clone();
    model.settings.scheme = Scheme::BACKWARD_EULER;
    model.settings.tolerance = 1e-9;
    model.settings.max_iterations = 60;
    let model = &model;
    let longest = 1e3 * slowest_time(model);
    let mut dt = 1e-5 * longest;
    let mut found = Equilibrium { converged: false, steps: 0, last_move: f64::INFINITY };
    state.complete(model);
    let time = state.time;
    let mut before = state.clone();
    while found.steps < 2000 {
        found.steps += 1;
        for rod in &mut state.rods {
            rod.v.fill([0.0; 4]);
        }
        before.clone_from(state);
        let outcome = substep(model, state, workspace, SubStep::new(model, dt, time));
        if !outcome.converged {
            state.clone_from(&before);
            dt *= 0.25;
            if dt < 1e-12 * longest {
                break;
            }
            continue;
        }
        found.last_move = greatest_move(model, &before, state);
        if dt >= longest && found.last_move <= STILL {
            found.converged = true;
            break;
        }
        dt = (dt * 4.0).min(longest);
    }
    for rod in &mut state.rods {
        rod.v.fill([0.0; 4]);
    }
    found
}

/// The slowest time scale of bending among the rods, L² √(ρA/EI), in s.
fn slowest_time(model: &Model) -> f64 {
    let time = |rod: &ropewalk_rod::Rod| {
        let length = rod.total_rest_length();
        let stencils = rod.stencils();
        let weakest = stencils
            .map(|j| rod.bend_stiffness(0)[j].min(rod.bend_stiffness(1)[j]) * rod.voronoi_lengths()[j]);
        let weakest = weakest.fold(f64::INFINITY, f64::min);
        if weakest.is_finite() {
            length * length * (rod.total_mass() / (length * weakest)).sqrt()
        } else {
            1.0
        }
    };
    model.rods.iter().map(time).fold(1e-6, f64::max)
}

fn greatest_move(model: &Model, before: &State, after: &State) -> f64 {
    let mut greatest = 0.0f64;
    for (rod, (a, b)) in model.rods.iter().zip(before.rods.iter().zip(&after.rods)) {
        let length = rod.total_rest_length();
        for i in 0..rod.node_count() {
            greatest = greatest.max((b.position(i) - a.position(i)).length() / length);
        }
    }
    greatest
}
