//! The momentum balance of one rod over one step.
//!
//! θ-method: q^θ = q₀ + θ δt v^{θvq} with v^{θvq} = θ_vq v + (1 − θ_vq) v₀ and v^θ = θ v + (1 − θ) v₀. The residual
//!
//! m(v) = M (v − v₀) + δt [∂E(q^θ) + Bᵀ(q^θ) β k ṡ + (α M + C) v^θ − C u − F]
//!
//! is, apart from the transport of frames and with ṡ at q^θ, the gradient of the incremental potential
//!
//! Φ(v) = ½ |v − v₀|²_M + E(q^θ)/(θ θ_vq) + δt/(2θ_vq) |ṡ|²_{βk} − δt F·v + δt/(2θ) |v^θ|²_{αM + C} − δt C u·v,
//!
//! and its tangent is A = (1 + α θ δt) M + θ δt C + θ_vq δt Bᵀ β k B + θ θ_vq δt² K(q^θ).
//!
//! | symbol | name | meaning |
//! |---|---|---|
//! | M | `rod.masses()` | lumped inertia |
//! | F | `force` | forces that do not depend on v, N and N·m |
//! | C, u | `drag`, in F | drag per velocity at the nodes, N·s/m; velocity of the fluid (C u is part of F) |
//! | β k ṡ | in the kernel | damping of strain rates, see [`crate::strain_rate`]; K has its geometric part too |
//!
//! **BDF2** ([`RodMotion::begin_bdf2`]) has the same form with the mean velocity u of the step in place of v, so that
//! q = q₀ + δt u: with v = c (u − g u₀), u* = g u₀ + (v₀ + b (v₀ − v₋₁))/c and θ = θ_vq = 1
//!
//! m(u) = c² M (u − u*) + δt [∂E(q) + Bᵀ(q) β k ṡ + (α M + C) v − C u_fluid − F], A = (c² + α c δt) M + c δt C + … ,
//!
//! where b, c, g are those of [`ropewalk_linalg::bdf2`] and u₀, v₋₁ are in [`RodHistory`]. Code that takes
//! [`RodMotion::v`] as the velocity of the displacement, and residuals as impulses of the step, holds for BDF2, too;
//! the velocity at the end of the step is [`RodMotion::end_velocity`].
//!
//! For a rod that yields, E contains the incremental potential of [`crate::plasticity`] instead of the bending
//! energy; this requires θ = 1.
//!
//! ∂E is the `std` derivative (see [`crate::energy`]) with frames transported from the start of the step to q^θ; it
//! is not exactly the gradient of one function of v, so progress is judged by Φ and m together.

use crate::history::RodHistory;
use crate::kernel::{Evaluated, RodKernel, Scales};
use crate::psd_projection::add_positive_hessian;
use crate::residual_kernel::{Balance, Sums, balance};
use crate::rod::Rod;
use crate::state::RodState;
use glam::DVec3;
use ropewalk_linalg::bdf2::Bdf2;
use ropewalk_linalg::block_pentadiagonal::{BlockPenta, NotPositive, PentaFactor};
pub use ropewalk_linalg::merit::Merit;

/// Length of the step and weights of the θ-method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepWeights {
    /// δt in s.
    pub dt: f64,
    /// θ.
    pub theta: f64,
    /// θ_vq.
    pub theta_vq: f64,
}

/// A follower force, which rotates with an edge.
#[derive(Clone, Copy, Debug)]
pub struct Follower {
    /// Node on which it acts.
    pub node: usize,
    /// Edge with which it rotates.
    pub edge: usize,
    /// Force in N along m₁, m₂ and t of that edge.
    pub force: DVec3,
}

/// An iterate is rejected if neighboring tangents, or a tangent before and after the step, are so nearly opposed that
/// 1 + t·t' is below this, or an edge is shorter than this fraction of its rest length.
pub const LEAST_SHAPE: f64 = 1e-3;

/// The same bound where a rod must pass through such a shape. If two material frames differ by half a turn, bending
/// by their mean costs no energy, so a violent motion can fold a rod; and an edge of zero length has finite energy.
/// Derivatives still have a few correct digits here.
pub const LEAST_SHAPE_IN_PASSING: f64 = 1e-11;

/// Residual, tangent and scratch of one rod for one step.
#[derive(Clone, Debug)]
pub struct RodMotion {
    /// Energies and frames.
    pub kernel: RodKernel,
    /// The tangent A, as last assembled.
    pub tangent: BlockPenta,
    factor: PentaFactor,
    /// The iterate v; with BDF2 the mean velocity u.
    pub v: Vec<[f64; 4]>,
    /// Elastic energy at the last evaluation, J.
    pub elastic_energy: f64,
    /// m(v) at the last evaluation. At held degrees of freedom it is the reaction impulse.
    pub residual: Vec<[f64; 4]>,
    /// Newton's direction.
    pub direction: Vec<[f64; 4]>,
    /// Forces (N) and torques about the tangent (N·m) from outside that do not depend on the motion.
    pub force: Vec<[f64; 4]>,
    /// Degrees of freedom whose velocity is prescribed.
    pub held: Vec<[bool; 4]>,
    any_held: bool,
    /// Follower forces.
    pub followers: Vec<Follower>,
    /// Drag C at each node, (xx, yx, zx, yy, zy, zz) in N·s/m; empty without drag.
    pub drag: Vec<[f64; 6]>,
    follower_force: Vec<[f64; 4]>,
    q_theta: Vec<[f64; 4]>,
    q_end: Vec<[f64; 4]>,
    v_theta: Vec<[f64; 4]>,
    trial: Vec<[f64; 4]>,
    inverse_diagonal: Vec<[f64; 4]>,
    /// BDF2: coefficients, u* and c g u₀; `None` for the θ-method.
    bdf2: Option<Bdf2>,
    departure: Vec<[f64; 4]>,
    lagging: Vec<[f64; 4]>,
    round_off: f64,
    /// Bound by which iterates are rejected: [`LEAST_SHAPE`] by default.
    pub least_shape: f64,
}

impl RodMotion {
    /// Scratch for `rod`.
    pub fn new(rod: &Rod) -> Self {
        let n = rod.node_count();
        let blocks = || vec![[0.0; 4]; n];
        Self {
            kernel: RodKernel::new(rod),
            tangent: BlockPenta::zero(n, rod.closed()),
            factor: PentaFactor::new(n, rod.closed()),
            v: blocks(),
            elastic_energy: 0.0,
            residual: blocks(),
            direction: blocks(),
            force: blocks(),
            held: vec![[false; 4]; n],
            any_held: false,
            followers: Vec::new(),
            drag: Vec::new(),
            follower_force: blocks(),
            q_theta: blocks(),
            q_end: if rod.stiffness_damping > 0.0 { blocks() } else { Vec::new() },
            v_theta: blocks(),
            trial: blocks(),
            inverse_diagonal: blocks(),
            bdf2: None,
            departure: Vec::new(),
            lagging: Vec::new(),
            round_off: 0.0,
            least_shape: LEAST_SHAPE,
        }
    }

    /// Begins a step from `state`: frames, strains, the estimate of round-off. `force`, `held`,
    /// `followers`, `drag` and the first guess `v` (with prescribed velocities in it) have been set.
    pub fn begin(&mut self, rod: &Rod, state: &RodState, weights: StepWeights) {
        self.bdf2 = None;
        if !rod.closed() {
            // The last angle of an open rod is unused.
            let last = rod.node_count() - 1;
            self.held[last][3] = true;
            self.v[last][3] = 0.0;
        }
        self.any_held = self.held.iter().flatten().any(|&h| h);
        self.kernel.start_from(rod, state);
        self.kernel.begin_rates(rod, &state.natural, &state.q, weights.dt, weights.theta);
        // Coordinates are rounded to ε|x|, so tensions to ε|x| EA/l̄, and their damping to β/δt times that.
        let reach = state.q.iter().flat_map(|q| &q[..3]).fold(0.0f64, |m, x| m.max(x.abs()));
        let lengths = rod.rest_lengths().iter().enumerate();
        let stiffest = lengths.fold(0.0f64, |m, (e, l)| m.max(rod.greatest_stretch_stiffness(e) / l));
        let stiffest = stiffest * (1.0 + rod.stiffness_damping / weights.dt);
        self.round_off = 2.0 * f64::EPSILON * reach * stiffest * weights.dt;
    }

    /// Begins a step of BDF2 of length `weights.dt`, θ = θ_vq = 1, after the one in `history`; as [`RodMotion::begin`]
    /// otherwise. `v` is the mean velocity of the step, prescribed velocities included.
    pub fn begin_bdf2(&mut self, rod: &Rod, state: &RodState, weights: StepWeights, history: &RodHistory) {
        debug_assert!(
            weights.theta == 1.0 && weights.theta_vq == 1.0,
            "BDF2 is a method of the end of the step"
        );
        self.begin(rod, state, weights);
        let bdf2 = Bdf2::new(weights.dt, history.step_to(state));
        let n = rod.node_count();
        self.departure.resize(n, [0.0; 4]);
        self.lagging.resize(n, [0.0; 4]);
        for i in 0..n {
            for k in 0..4 {
                let v = state.v[i][k];
                let known = bdf2.carry > 0.0;
                let (u, change) =
                    if known { (history.mean[i][k], v - history.before[i][k]) } else { (0.0, 0.0) };
                self.departure[i][k] = bdf2.lag * u + (v + bdf2.carry * change) / bdf2.lead;
                self.lagging[i][k] = bdf2.lead * bdf2.lag * u;
            }
        }
        if self.kernel.is_damped() && bdf2.carry > 0.0 {
            for (i, before) in self.q_end.iter_mut().enumerate() {
                for k in 0..4 {
                    before[k] = state.q[i][k] - history.dt * history.mean[i][k];
                }
            }
            self.kernel.add_rate_history(rod, &state.natural, &self.q_end, &bdf2);
        }
        self.bdf2 = Some(bdf2);
    }

    /// Whether the step uses the previous one (BDF2).
    pub fn reaches_back(&self) -> bool {
        self.bdf2.is_some_and(|bdf2| bdf2.carry > 0.0)
    }

    /// Velocities at the end of the step, at the iterate.
    pub fn end_velocity(&self, node: usize) -> [f64; 4] {
        let v = self.v[node];
        match self.bdf2 {
            Some(bdf2) => core::array::from_fn(|k| bdf2.lead * v[k] - self.lagging[node][k]),
            None => v,
        }
    }

    /// Ends a step: writes positions, frames and velocities at its end to `state`, and records it in `history`.
    pub fn advance(
        &mut self,
        rod: &Rod,
        state: &mut RodState,
        weights: StepWeights,
        history: &mut RodHistory,
    ) {
        let StepWeights { dt, theta_vq, .. } = weights;
        history.dt = dt;
        history.mean.resize(rod.node_count(), [0.0; 4]);
        history.before.resize(rod.node_count(), [0.0; 4]);
        for i in 0..rod.node_count() {
            let end = self.end_velocity(i);
            for k in 0..4 {
                let mean = theta_vq * self.v[i][k] + (1.0 - theta_vq) * state.v[i][k];
                state.q[i][k] += dt * mean;
                history.mean[i][k] = mean;
            }
            history.before[i] = core::mem::replace(&mut state.v[i], end);
        }
        self.kernel.carry_frames(rod, state);
        state.flow(rod);
        history.set_led_to(state);
    }

    /// Residual and tangent at `v`.
    pub fn linearize(&mut self, rod: &Rod, state: &RodState, weights: StepWeights) -> Merit {
        self.place(rod, state, weights, false);
        let found = self.make_tangent(rod, state, weights);
        self.update_followers();
        self.finish(rod, state, weights, &found, false)
    }

    /// The tangent that [`RodMotion::linearize`] finds in a step from `state` at the iterate `state.v`; θ_vq must be
    /// 1. Afterwards everything is as after [`RodMotion::begin`] for a step from `now`.
    pub fn tangent_of(&mut self, rod: &Rod, state: &RodState, weights: StepWeights, now: &RodState) {
        self.kernel.start_from(rod, state);
        core::mem::swap(&mut self.v, &mut self.trial);
        self.v.copy_from_slice(&state.v);
        self.place(rod, state, weights, false);
        self.make_tangent(rod, state, weights);
        core::mem::swap(&mut self.v, &mut self.trial);
        self.kernel.start_from(rod, now);
    }

    /// Residual at `v`, with the tangent and followers of the last linearization.
    pub fn evaluate(&mut self, rod: &Rod, state: &RodState, weights: StepWeights) -> Merit {
        self.place(rod, state, weights, false);
        let scales = Scales { gradient: weights.dt, hessian: 1.0 };
        let found = self.kernel.evaluate(rod, &state.natural, &self.q_theta, scales, None);
        self.finish(rod, state, weights, &found, false)
    }

    /// Gradient of E and the tangent at q^θ.
    fn make_tangent(&mut self, rod: &Rod, state: &RodState, weights: StepWeights) -> Evaluated {
        let StepWeights { dt, theta, theta_vq } = weights;
        let n = rod.node_count();
        let lead = self.lead();
        let mass_factor = lead * lead + rod.mass_damping * theta * dt * lead;
        let hessian = theta * theta_vq * dt * dt;
        let found = if hessian > 0.0 {
            let scales = Scales { gradient: dt, hessian };
            self.kernel.evaluate(rod, &state.natural, &self.q_theta, scales, Some(&mut self.tangent))
        } else {
            self.tangent.set_zero();
            let scale = rod.stiffness_damping * theta_vq * dt;
            if scale > 0.0 {
                // Elastic forces are those at q₀; strain rates are implicit nevertheless.
                self.kernel.outer_products(rod, &state.natural, &self.q_theta, scale, &mut self.tangent);
            }
            let scales = Scales { gradient: dt, hessian: 1.0 };
            self.kernel.evaluate(rod, &state.natural, &self.q_theta, scales, None)
        };
        self.add_mass(rod, mass_factor);
        self.add_drag_tangent(theta * dt * lead);
        if self.any_held {
            for i in 0..n {
                for k in 0..4 {
                    if self.held[i][k] {
                        self.tangent.fix(i, k);
                    }
                }
            }
        }
        let diagonal = self.tangent.diagonal.iter().zip(&self.held);
        for (inverse, (block, held)) in self.inverse_diagonal.iter_mut().zip(diagonal) {
            for k in 0..4 {
                // A compressed edge can make an entry of the exact tangent negative.
                let size = block[k][k].abs().max(f64::MIN_POSITIVE);
                inverse[k] = if held[k] { 0.0 } else { 1.0 / size };
            }
        }
        found
    }

    /// Replaces the tangent by a positive definite one, by clamping negative eigenvalues of each stencil to zero.
    pub fn make_positive(&mut self, rod: &Rod, state: &RodState, weights: StepWeights) {
        let StepWeights { dt, theta, theta_vq } = weights;
        self.tangent.set_zero();
        let lead = self.lead();
        self.add_mass(rod, lead * lead + rod.mass_damping * theta * dt * lead);
        let scale = theta * theta_vq * dt * dt;
        add_positive_hessian(&self.kernel, rod, &state.natural, scale, &mut self.tangent);
        self.add_drag_tangent(theta * dt * lead);
        for i in 0..rod.node_count() {
            for k in 0..4 {
                if self.held[i][k] {
                    self.tangent.fix(i, k);
                }
            }
        }
    }

    /// Factors the tangent.
    pub fn factor(&mut self) -> Result<(), NotPositive> {
        self.factor.factor(&self.tangent)
    }

    /// Newton's direction −A⁻¹ m from the present residual and factors. Returns its slope m·direction.
    pub fn solve_direction(&mut self) -> f64 {
        for ((d, r), held) in self.direction.iter_mut().zip(&self.residual).zip(&self.held) {
            for k in 0..4 {
                d[k] = if held[k] { 0.0 } else { -r[k] };
            }
        }
        self.factor.solve(&mut self.direction);
        let mut slope = 0.0;
        for ((d, r), held) in self.direction.iter().zip(&self.residual).zip(&self.held) {
            for k in 0..4 {
                slope += if held[k] { 0.0 } else { d[k] * r[k] };
            }
        }
        slope
    }

    /// Residual and potential at v + `fraction` · direction, which becomes the trial.
    pub fn try_fraction(
        &mut self,
        rod: &Rod,
        state: &RodState,
        weights: StepWeights,
        fraction: f64,
    ) -> Merit {
        for ((trial, v), d) in self.trial.iter_mut().zip(&self.v).zip(&self.direction) {
            for k in 0..4 {
                trial[k] = v[k] + fraction * d[k];
            }
        }
        self.place(rod, state, weights, true);
        let scales = Scales { gradient: weights.dt, hessian: 1.0 };
        let found = self.kernel.evaluate(rod, &state.natural, &self.q_theta, scales, None);
        self.finish(rod, state, weights, &found, true)
    }

    /// Takes the trial as the iterate.
    pub fn accept(&mut self) {
        core::mem::swap(&mut self.v, &mut self.trial);
    }

    /// Inverse of the diagonal of the tangent, as last linearized, 0 at held degrees of freedom: the norm of
    /// [`Merit`].
    pub fn inverse_diagonal(&self) -> &[[f64; 4]] {
        &self.inverse_diagonal
    }

    /// Whether the tangent depends on energy and masses alone, without drag, yield or follower forces.
    pub fn has_no_drag(&self) -> bool {
        let plain = self.drag.is_empty() && !self.kernel.is_damped() && !self.kernel.yields();
        let plain = plain && self.bdf2.is_none();
        plain && self.followers.is_empty()
    }

    /// Whether the trial and its residual are finite.
    pub fn is_finite(&self) -> bool {
        self.residual.iter().flatten().all(|x| x.is_finite())
    }

    /// q^θ and v^θ at the iterate or the trial, and strain rates where q^θ is not the end of the step.
    fn place(&mut self, rod: &Rod, state: &RodState, weights: StepWeights, trial: bool) {
        let StepWeights { dt, theta, theta_vq } = weights;
        let v = if trial { &self.trial } else { &self.v };
        let nodes = v.iter().zip(&state.v).zip(&state.q);
        for (((now, before), q), (q_theta, v_theta)) in
            nodes.zip(self.q_theta.iter_mut().zip(&mut self.v_theta))
        {
            for k in 0..4 {
                let moving = theta_vq * now[k] + (1.0 - theta_vq) * before[k];
                q_theta[k] = q[k] + theta * dt * moving;
                v_theta[k] = theta * now[k] + (1.0 - theta) * before[k];
            }
        }
        if let Some(bdf2) = &self.bdf2 {
            for ((v_theta, mean), lagging) in self.v_theta.iter_mut().zip(v).zip(&self.lagging) {
                for k in 0..4 {
                    v_theta[k] = bdf2.lead * mean[k] - lagging[k];
                }
            }
        }
        if self.kernel.is_damped() && theta != 1.0 {
            for (i, end) in self.q_end.iter_mut().enumerate() {
                for k in 0..4 {
                    let moving = theta_vq * v[i][k] + (1.0 - theta_vq) * state.v[i][k];
                    end[k] = state.q[i][k] + dt * moving;
                }
            }
            self.kernel.set_end(rod, &state.natural, &self.q_end);
        }
    }

    /// c of BDF2, 1 for the θ-method.
    fn lead(&self) -> f64 {
        self.bdf2.map_or(1.0, |bdf2| bdf2.lead)
    }

    fn add_mass(&mut self, rod: &Rod, factor: f64) {
        for (block, mass) in self.tangent.diagonal.iter_mut().zip(&rod.mass) {
            for k in 0..4 {
                block[k][k] += factor * mass[k];
            }
        }
    }

    fn add_drag_tangent(&mut self, factor: f64) {
        for (block, c) in self.tangent.diagonal.iter_mut().zip(&self.drag) {
            for (place, (col, row)) in
                [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate()
            {
                block[col][row] += factor * c[place];
            }
        }
    }

    /// Rotates the follower forces with the edges of the last evaluation.
    fn update_followers(&mut self) {
        if self.followers.is_empty() {
            return;
        }
        self.follower_force.fill([0.0; 4]);
        for f in &self.followers {
            let [m1, m2, t] = self.kernel.material_frame(f.edge);
            let world = m1 * f.force.x + m2 * f.force.y + t * f.force.z;
            for k in 0..3 {
                self.follower_force[f.node][k] += world[k];
            }
        }
    }

    /// Forces of followers in the last step, N.
    pub fn follower_forces(&self) -> &[[f64; 4]] {
        &self.follower_force
    }

    /// Completes the residual, and computes its norms.
    fn finish(
        &mut self,
        rod: &Rod,
        state: &RodState,
        weights: StepWeights,
        found: &Evaluated,
        trial: bool,
    ) -> Merit {
        let StepWeights { dt, theta, theta_vq } = weights;
        let lead = self.lead();
        let half_over_theta = if theta > 0.0 { 0.5 * dt / (theta * lead) } else { 0.0 };
        let of = Balance {
            mass: &rod.mass,
            inertia: lead * lead,
            before: if self.bdf2.is_some() { &self.departure } else { &state.v },
            v: if trial { &self.trial } else { &self.v },
            v_theta: &self.v_theta,
            force: &self.force,
            follower_force: if self.followers.is_empty() { &[] } else { &self.follower_force },
            gradient: &self.kernel.gradient,
            inverse_diagonal: &self.inverse_diagonal,
            mass_damping: rod.mass_damping,
            dt,
            half_over_theta,
        };
        let Sums { mut potential, mut residual, momentum, external, internal, rounding } =
            balance(&of, &mut self.residual);
        if !self.drag.is_empty() {
            let (more_potential, more_residual) = self.finish_drag(dt, half_over_theta);
            potential += more_potential;
            residual = more_residual;
        }
        if theta_vq > 0.0 {
            potential += 0.5 * found.dissipation / theta_vq;
        }
        // Without either weight the forces do not depend on v: E is a constant and is dropped from the potential.
        self.elastic_energy = found.energies.total();
        if theta * theta_vq > 0.0 {
            potential += self.elastic_energy / (theta * theta_vq);
        }
        Merit {
            potential,
            residual: residual.sqrt(),
            impulse: f64::max(momentum, f64::max(external, internal)).sqrt(),
            round_off: rounding.sqrt() * self.round_off,
            admissible: found.least_chi >= self.least_shape && found.least_stretch >= self.least_shape,
        }
    }

    /// Drag: adds to the residual; returns its part of Φ and the new |m|².
    fn finish_drag(&mut self, dt: f64, half_over_theta: f64) -> (f64, f64) {
        let mut potential = 0.0;
        for (i, c) in self.drag.iter().enumerate() {
            let v = &self.v_theta[i];
            let force = [
                c[0] * v[0] + c[1] * v[1] + c[2] * v[2],
                c[1] * v[0] + c[3] * v[1] + c[4] * v[2],
                c[2] * v[0] + c[4] * v[1] + c[5] * v[2],
            ];
            for k in 0..3 {
                self.residual[i][k] += dt * force[k];
                potential += half_over_theta * force[k] * v[k];
            }
        }
        let mut residual = 0.0;
        for (r, inverse) in self.residual.iter().zip(&self.inverse_diagonal) {
            for k in 0..4 {
                residual += inverse[k] * r[k] * r[k];
            }
        }
        (potential, residual)
    }
}
