//! Equilibria by time steps so long that backward Euler damps every motion.

use ropewalk_sim::{Model, State, StepStatus, Workspace};

/// A state counts as at rest when no node moves by more than this fraction of the rod in a step.
const REST: f64 = 1e-12;

/// Steps `state` to rest; `None` if a step fails or rest is not reached in `max_steps`.
pub(crate) fn settle(model: &Model, mut state: State, max_steps: usize) -> Option<State> {
    let mut workspace = Workspace::new(model);
    let dt = model.settings.dt;
    for _ in 0..max_steps {
        let report = ropewalk_sim::step(model, &mut state, &mut workspace);
        if report.status != StepStatus::Converged {
            return None;
        }
        let at_rest = model.rods.iter().zip(&state.rods).all(|(rod, s)| {
            let limit = REST * rod.total_rest_length();
            (0..rod.node_count()).all(|i| dt * s.velocity(i).length() <= limit)
        });
        if at_rest {
            return Some(state);
        }
    }
    None
}
