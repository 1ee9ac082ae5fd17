//! One step of free motion of one rod, solved to round-off.
//!
//! The θ-method of [`ropewalk_rod::momentum_balance`]: v solves m(v) = 0, A = ∂m/∂v is its tangent there, q = q₀ + δt (θ_vq v +
//! (1 − θ_vq) v₀). The frames at the start are the given ones carried to q₀.

use super::input::{Parts, check_entries, check_length, check_nodes};
use super::{InspectError, RodInput, dense, flat};
use crate::model::Settings;
use crate::step::Outcome;
use crate::step::advance::advance_rod;
use crate::step::solve::newton::solve_free_rod;
use crate::workspace::RodWork;
use ropewalk_rod::RodState;
use ropewalk_rod::kernel::RodKernel;
use ropewalk_rod::momentum_balance::StepWeights;

/// A step has converged when the momentum residual is below this fraction of the impulses at work, or is round-off.
const TOLERANCE: f64 = 1e-10;
/// Newton iterations before the step is given up. Steps are not halved here.
const MAX_ITERATIONS: usize = 200;
/// After that, as many iterations more towards this fraction: a badly conditioned rod does not reach it, but
/// wanders about in its round-off.
const POLISH_ITERATIONS: usize = 10;
const POLISH_TOLERANCE: f64 = 1e-13;

/// What a step needs beside the rod. Arrays are in the order of the degrees of freedom.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// Diagonal of the mass matrix: kg for positions, kg·m² for angles; above zero.
    pub mass_diag: &'a [f64],
    /// δt in s.
    pub dt: f64,
    /// θ, from 0 to 1.
    pub theta: f64,
    /// θ_vq, from 0 to 1.
    pub theta_vq: f64,
    /// Mass-proportional Rayleigh damping in 1/s.
    pub alpha: f64,
    /// Stiffness-proportional Rayleigh damping in s; its stiffness is the Hessian at q₀ without the negative
    /// eigenvalues of each stencil.
    pub beta: f64,
    /// Gravity in m/s².
    pub gravity: [f64; 3],
    /// Indices of degrees of freedom that keep their velocity; in any order.
    pub fixed_dofs: &'a [usize],
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectStatus {
    /// m(v) = 0 to round-off.
    Converged,
    /// No direction makes progress and the residual is not small.
    Stalled,
    /// Too many iterations.
    MaxIterations,
    /// A number is not finite.
    NotFinite,
}

impl InspectStatus {
    /// The status as one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Stalled => "stalled",
            Self::MaxIterations => "max_iterations",
            Self::NotFinite => "not_finite",
        }
    }
}

/// What [`rod_step`] found. Unless `status` says converged, the state is the one at the start of the step and the
/// tangent is the one there.
#[derive(Clone, Debug, PartialEq)]
pub struct RodStep {
    /// Velocities at the end of the step: m/s and rad/s.
    pub v: Vec<f64>,
    /// The exact tangent A at `v`, row by row, rows of fixed degrees of freedom included; kg and so on.
    pub tangent: Vec<f64>,
    /// Positions (m) and angles (rad) at the end of the step.
    pub q: Vec<f64>,
    /// Reference directors of the edges at the end of the step.
    pub d1: Vec<[f64; 3]>,
    /// Reference twist of the stencils at the end of the step, in rad.
    pub beta: Vec<f64>,
    /// Newton iterations.
    pub iterations: u32,
    /// How the step ended.
    pub status: InspectStatus,
}

/// One step from positions `q` and velocities `v`. What can go wrong with the numbers is a status; an error is
/// an argument that makes no sense.
pub fn rod_step(q: &[f64], v: &[f64], rod: &RodInput, step: &StepInput) -> Result<RodStep, InspectError> {
    let (parts, start) = begin(q, v, rod, step)?;
    let rod = &parts.rod;
    let weights = StepWeights { dt: step.dt, theta: step.theta, theta_vq: step.theta_vq };
    let mut work = RodWork::new(rod);
    work.motion.v.copy_from_slice(&start.v);
    for &dof in step.fixed_dofs {
        work.motion.held[dof / 4][dof % 4] = true;
    }
    for (force, mass) in work.motion.force.iter_mut().zip(rod.masses()) {
        for k in 0..3 {
            force[k] = mass[k] * step.gravity[k];
        }
    }
    work.motion.begin(rod, &start, weights);
    work.outcome = Outcome { finite: true, ..Outcome::default() };
    let mut settings =
        Settings { tolerance: TOLERANCE, max_iterations: MAX_ITERATIONS, ..Settings::default() };
    solve_free_rod(rod, &start, weights, &settings, &mut work);
    let mut status = if !work.outcome.finite {
        InspectStatus::NotFinite
    } else if work.outcome.converged {
        InspectStatus::Converged
    } else if work.outcome.iterations as usize >= MAX_ITERATIONS {
        InspectStatus::MaxIterations
    } else {
        InspectStatus::Stalled
    };
    if status == InspectStatus::Converged {
        settings.tolerance = POLISH_TOLERANCE;
        settings.max_iterations = work.outcome.iterations as usize + POLISH_ITERATIONS;
        solve_free_rod(rod, &start, weights, &settings, &mut work);
    }
    // The tangent as it is, without the rows of the identity that the solve puts in for what is held.
    work.motion.held.fill([false; 4]);
    work.motion.linearize(rod, &start, weights);
    let dofs = rod.dof_count();
    let mut tangent = dense(&work.motion.tangent, dofs);
    let mut end = start.clone();
    if status == InspectStatus::Converged {
        advance_rod(rod, &mut end, weights, &mut work.motion);
        if !(end.is_finite() && tangent.iter().all(|a| a.is_finite())) {
            status = InspectStatus::NotFinite;
        }
    }
    if status != InspectStatus::Converged {
        tangent = tangent_at_start(&start, &parts, weights, &mut work);
        end = start;
        if !tangent.iter().all(|a| a.is_finite()) {
            return Err(InspectError::Overflow);
        }
    }
    Ok(RodStep {
        v: flat(&end.v, dofs),
        tangent,
        q: flat(&end.q, dofs),
        d1: end.d1,
        beta: end.beta[rod.stencils()].to_vec(),
        iterations: work.outcome.iterations,
        status,
    })
}

/// Checks the arguments; gives the rod and its state with the frames carried to `q`.
fn begin(q: &[f64], v: &[f64], rod: &RodInput, step: &StepInput) -> Result<(Parts, RodState), InspectError> {
    let edges = rod.rest_edge_lengths.len();
    let (nodes, dofs) = if rod.closed { (edges, 4 * edges) } else { (edges + 1, 4 * edges + 3) };
    check_nodes("rest_edge_lengths", nodes, rod.closed)?;
    let kind = if rod.closed { "4n for a closed rod" } else { "4n - 1 for an open rod" };
    let layout = format!("{kind}, n = {nodes} by rest_edge_lengths");
    for (argument, array) in [("q", q), ("v", v), ("mass_diag", step.mass_diag)] {
        check_length(argument, array.len(), dofs, &layout)?;
        check_entries(argument, array, 1, "a finite number", |_| true)?;
    }
    check_entries("mass_diag", step.mass_diag, 1, "a finite mass above zero", |m| m > 0.0)?;
    check_entries("gravity", &step.gravity, 1, "a finite number", |_| true)?;
    let value = |argument, value: f64, expected, holds: bool| {
        let fine = value.is_finite() && holds;
        if fine { Ok(()) } else { Err(InspectError::Value { argument, value, expected }) }
    };
    value("dt", step.dt, "a finite time above zero", step.dt > 0.0)?;
    let unit = 0.0..=1.0;
    value("theta", step.theta, "a weight from 0 to 1", unit.contains(&step.theta))?;
    value("theta_vq", step.theta_vq, "a weight from 0 to 1", unit.contains(&step.theta_vq))?;
    value("alpha", step.alpha, "a finite damping of at least zero", step.alpha >= 0.0)?;
    value("beta", step.beta, "a finite damping of at least zero", step.beta >= 0.0)?;
    if let Some(index) = step.fixed_dofs.iter().position(|&dof| dof >= dofs) {
        let value = step.fixed_dofs[index];
        return Err(InspectError::Index { argument: "fixed_dofs", index, value, last: dofs - 1 });
    }
    let mut parts = rod.build(nodes, &blocks(step.mass_diag, nodes))?;
    parts.rod.mass_damping = step.alpha;
    parts.rod.stiffness_damping = step.beta;
    let mut start = parts.state(blocks(q, nodes), blocks(v, nodes));
    parts.check_shape("q", &start)?;
    let mut kernel = RodKernel::new(&parts.rod);
    kernel.start_from_frames(&parts.tangents, &parts.directors, &parts.beta);
    kernel.carry_frames(&parts.rod, &mut start);
    Ok((parts, start))
}

/// The tangent for a rod that does not move from where it is at the start.
fn tangent_at_start(start: &RodState, parts: &Parts, weights: StepWeights, work: &mut RodWork) -> Vec<f64> {
    let rest = RodState { v: vec![[0.0; 4]; start.v.len()], ..start.clone() };
    work.motion.v.copy_from_slice(&rest.v);
    work.motion.begin(&parts.rod, &rest, weights);
    work.motion.held.fill([false; 4]);
    work.motion.linearize(&parts.rod, &rest, weights);
    dense(&work.motion.tangent, parts.rod.dof_count())
}

/// Degrees of freedom as node blocks; the last angle of an open rod is zero.
fn blocks(flat: &[f64], nodes: usize) -> Vec<[f64; 4]> {
    (0..nodes).map(|i| core::array::from_fn(|k| flat.get(4 * i + k).copied().unwrap_or(0.0))).collect()
}
