//! The momentum balance of one tree over one step.
//!
//! With v̄ = θ v + (1 − θ) v₀, θ = θ_vq, joints move to q₁ = q₀ ⊕ δt v̄ and have their midpoint at q_m = q₀ ⊕ ½ δt
//! v̄. The balance is that of momenta, not of M(q) v̇:
//!
//! m(v) = Σ_i J_i(q_m)ᵀ [h_i(q₁, v) − h_i(q₀, v₀) − δt w_i] + a (v − v₀) + δt (d v̄ + k (q^θ − q̄) − τ)
//!
//! with q^θ = q₀ + θ δt v̄ for the springs, so that θ = 1 is backward Euler and θ = ½ of second order.
//!
//! | symbol | name | meaning |
//! |---|---|---|
//! | h_i | – | linear momentum of link i, and angular momentum about its own center of mass; world axes |
//! | J_i | `middle` | Jacobian of link i at its center of mass |
//! | w_i | `gravity` | weight m_i g at the center of mass, no moment |
//! | a, d, k, q̄ | properties of joints | armature, damping, spring and its rest |
//! | τ | `force` | efforts from outside, N or N·m |
//! | A | `tangent` | M(q₀) + θ δt d + θ² δt² k, constant over the step unless refreshed |
//!
//! Momenta change by impulses alone, so a free body conserves its linear momentum, and the angular momentum about its
//! own center, to round-off. With J at the middle of the step, constraint forces do no work on a rotating pendulum;
//! with J at q₀ it would gain speed and at q₁ lose it. Rotation about several axes needs more, see
//! [`crate::momentum`]: rows of ball and universal joints balance the angular momentum about a fixed point.
//!
//! A is symmetric and positive definite but omits the change of J and of inertia within the step, so iterations
//! converge linearly: by a factor of about δt |ω| for one body, and more slowly for a chain whose joints have little
//! inertia but large motion (a 7-joint arm at 4 rad/s: 0.02 at δt = 1 ms, 0.2 at 10 ms).
//!
//! [`TreeMotion::begin_bdf2`] begins a step of BDF2 instead, with mean velocities in place of v: see [`crate::bdf2`].
//!
//! m is not the gradient of a function. [`Merit::potential`] is its line integral from iterate to iterate by the
//! trapezium rule, Φ(v) = Φ(v_k) + ½ (m(v_k) + m(v))·(v − v_k), v_k the iterate that was linearized last and Φ = 0 at
//! the first: its slope agrees with m, and it is exact where m is linear.

use crate::base::{Base, middle};
use crate::bdf2::SecondOrder;
use crate::composite::mass_matrix_into;
use crate::dense::{DenseCholesky, NotPositive};
use crate::history::TreeHistory;
use crate::inertia::Inertia;
use crate::kinematics::Kinematics;
use crate::momentum::{OrbitalMoments, momenta};
use crate::newton_euler::{SpatialForce, gather};
use crate::tree::{Tree, TreeState};
use glam::DVec3;
use ropewalk_linalg::Pose;
use ropewalk_linalg::bdf2::Bdf2;
pub use ropewalk_linalg::merit::Merit;

/// Residual, tangent and scratch of one tree for one step. Nothing is allocated after [`TreeMotion::new`].
#[derive(Clone, Debug)]
pub struct TreeMotion {
    /// The iterate v; with BDF2 mean velocities u of the step.
    pub v: Vec<f64>,
    /// m(v) at the last evaluation, N·s or N·m·s.
    pub residual: Vec<f64>,
    /// Newton's direction.
    pub direction: Vec<f64>,
    /// Efforts τ from outside that do not depend on the motion, N or N·m.
    pub force: Vec<f64>,
    /// A, n×n by rows.
    pub tangent: Vec<f64>,
    /// Kinematics at the start of the step: Jacobians of constraints are taken here.
    pub start: Kinematics,
    middle: Kinematics,
    end: Kinematics,
    middle_base: Pose,
    next_base: Base,
    gravity: DVec3,
    dt: f64,
    theta: f64,
    mean: Vec<f64>,
    trial: Vec<f64>,
    q: Vec<f64>,
    start_momenta: Vec<SpatialForce>,
    end_momenta: Vec<SpatialForce>,
    orbital: Option<OrbitalMoments>,
    second: Option<SecondOrder>,
    is_bdf2: bool,
    wrenches: Vec<SpatialForce>,
    sizes: Vec<[f64; 2]>,
    composite: Vec<Inertia>,
    factor: DenseCholesky,
    inverse_diagonal: Vec<f64>,
    start_impulse: f64,
    reference: Reference,
}

/// The iterate from which the potential is counted.
#[derive(Clone, Debug)]
struct Reference {
    v: Vec<f64>,
    residual: Vec<f64>,
    potential: f64,
    set: bool,
}

impl TreeMotion {
    /// Scratch for `tree`.
    pub fn new(tree: &Tree) -> Self {
        let (n, links) = (tree.velocity_count(), tree.links().len());
        let numbers = || vec![0.0; n];
        let wrenches = || vec![SpatialForce::default(); links];
        Self {
            v: numbers(),
            residual: numbers(),
            direction: numbers(),
            force: numbers(),
            tangent: vec![0.0; n * n],
            start: Kinematics::new(tree),
            middle: Kinematics::new(tree),
            end: Kinematics::new(tree),
            middle_base: Pose::IDENTITY,
            next_base: Base::default(),
            gravity: DVec3::ZERO,
            dt: 0.0,
            theta: 1.0,
            mean: numbers(),
            trial: numbers(),
            q: vec![0.0; tree.position_count()],
            start_momenta: wrenches(),
            end_momenta: wrenches(),
            orbital: OrbitalMoments::new(tree),
            second: None,
            is_bdf2: false,
            wrenches: wrenches(),
            sizes: vec![[0.0; 2]; links],
            composite: vec![Inertia::ZERO; links],
            factor: DenseCholesky::new(n),
            inverse_diagonal: numbers(),
            start_impulse: 0.0,
            reference: Reference { v: numbers(), residual: numbers(), potential: 0.0, set: false },
        }
    }

    /// Begins a step of `dt` (s) from `state`, with v₀ as the first guess. `next_base` is the base at the end of the
    /// step, with its mean velocity over the step ([`Base::moved`]); `gravity` is in m/s². `force` may be set before
    /// or after.
    pub fn begin(
        &mut self,
        tree: &Tree,
        state: &TreeState,
        next_base: &Base,
        gravity: DVec3,
        dt: f64,
        theta_vq: f64,
    ) {
        self.is_bdf2 = false;
        self.middle_base = middle(&state.base.pose, &next_base.pose);
        self.begin_at(tree, state, &state.base, next_base, gravity, dt, theta_vq);
        if let Some(orbital) = &mut self.orbital {
            orbital.begin(tree, &self.start, &state.base, &self.start_momenta);
        }
    }

    /// Begins a step of BDF2 after the one in `history`; `v` is then the mean velocity of the step, and `next_base`
    /// has the mean velocity of the base as before. [`TreeMotion::advance_bdf2`] ends the step.
    pub fn begin_bdf2(
        &mut self,
        tree: &Tree,
        state: &TreeState,
        next_base: &Base,
        gravity: DVec3,
        dt: f64,
        history: &TreeHistory,
    ) {
        let mut second = self.second.take().unwrap_or_else(|| SecondOrder::new(tree));
        second.coefficients = Bdf2::new(dt, history.step_to(state));
        self.second = Some(second);
        self.is_bdf2 = true;
        self.middle_base = next_base.pose;
        let base = SecondOrder::start_base(state, history);
        self.begin_at(tree, state, &base, next_base, gravity, dt, 1.0);
        if let Some(second) = &mut self.second {
            second.begin(tree, state, (&self.start, &base, &self.start_momenta), next_base, dt, history);
        }
    }

    fn begin_at(
        &mut self,
        tree: &Tree,
        state: &TreeState,
        base: &Base,
        next_base: &Base,
        gravity: DVec3,
        dt: f64,
        theta_vq: f64,
    ) {
        self.next_base = *next_base;
        self.gravity = gravity;
        self.dt = dt;
        self.theta = theta_vq;
        self.v.copy_from_slice(&state.v);
        self.reference.set = false;
        self.reference.potential = 0.0;
        self.start.update(tree, base, &state.q, &state.v);
        mass_matrix_into(tree, &self.start, &mut self.composite, &mut self.tangent);
        self.finish_tangent(tree);
        let n = tree.velocity_count();
        for k in 0..n {
            self.inverse_diagonal[k] = 1.0 / self.tangent[k * n + k].max(f64::MIN_POSITIVE);
        }
        momenta(tree, &self.start, &mut self.start_momenta);
        // Momenta and weights along the degrees of freedom at the start; `residual` and `wrenches` are scratch here.
        self.wrenches.copy_from_slice(&self.start_momenta);
        gather(tree, &self.start, &mut self.wrenches, &mut self.residual);
        let momentum = self.norm(&self.residual);
        for (wrench, link) in self.wrenches.iter_mut().zip(tree.links()) {
            *wrench = SpatialForce { force: dt * link.inertia.mass * gravity, moment: DVec3::ZERO };
        }
        gather(tree, &self.start, &mut self.wrenches, &mut self.residual);
        self.start_impulse = momentum.max(self.norm(&self.residual));
    }

    /// Residual and potential at `v`, from which the potential of trials is counted.
    pub fn linearize(&mut self, tree: &Tree, state: &TreeState) -> Merit {
        // The trial serves as a copy of v; the next trial writes over it.
        self.trial.copy_from_slice(&self.v);
        let merit = self.evaluate(tree, state);
        self.reference.v.copy_from_slice(&self.v);
        self.reference.residual.copy_from_slice(&self.residual);
        self.reference.potential = merit.potential;
        self.reference.set = true;
        merit
    }

    /// Residual and potential at v + `fraction` · direction, which becomes the trial.
    pub fn try_fraction(&mut self, tree: &Tree, state: &TreeState, fraction: f64) -> Merit {
        for ((trial, v), d) in self.trial.iter_mut().zip(&self.v).zip(&self.direction) {
            *trial = v + fraction * d;
        }
        self.evaluate(tree, state)
    }

    /// Takes the trial as the iterate.
    pub fn accept(&mut self) {
        core::mem::swap(&mut self.v, &mut self.trial);
    }

    /// Recomputes M in the tangent at the end of the step of the last evaluation, instead of at q₀; the tangent has
    /// to be factored again. This is the symmetric part of the derivative of m, and the rest is skew, so that some
    /// fraction of −A⁻¹ m always reduces m·A⁻¹ m, which a tangent at q₀ does not guarantee for a long step.
    pub fn refresh_tangent(&mut self, tree: &Tree) {
        mass_matrix_into(tree, &self.end, &mut self.composite, &mut self.tangent);
        self.finish_tangent(tree);
    }

    /// √(m·A⁻¹ m) at the last evaluation, by the present factors.
    pub fn residual_energy_norm(&mut self) -> f64 {
        self.mean.copy_from_slice(&self.residual);
        self.factor.solve(&mut self.mean);
        self.mean.iter().zip(&self.residual).map(|(x, r)| x * r).sum::<f64>().max(0.0).sqrt()
    }

    /// Factors the tangent.
    pub fn factor(&mut self) -> Result<(), NotPositive> {
        self.factor.factor(&self.tangent)
    }

    /// Newton's direction −A⁻¹ m from the present residual and factors. Returns its slope m·direction.
    pub fn solve_direction(&mut self) -> f64 {
        for (d, r) in self.direction.iter_mut().zip(&self.residual) {
            *d = -r;
        }
        self.factor.solve(&mut self.direction);
        self.direction.iter().zip(&self.residual).map(|(d, r)| d * r).sum()
    }

    /// Whether the step uses the previous one (BDF2).
    pub fn reaches_back(&self) -> bool {
        self.bdf2().is_some_and(|second| second.coefficients.carry > 0.0)
    }

    /// The end of the step in the last evaluation.
    pub fn end(&self) -> &Kinematics {
        &self.end
    }

    /// Half way there, and where the base is then, m.
    pub fn middle(&self) -> (&Kinematics, DVec3) {
        (&self.middle, self.middle_base.position)
    }

    /// World pose of a link at the end of the step, for the trial that was evaluated last.
    pub fn end_pose(&self, link: usize) -> Pose {
        self.end.poses[link]
    }

    /// Replaces `x` by A⁻¹ x; the tangent has been factored.
    pub fn solve_tangent(&self, x: &mut [f64]) {
        self.factor.solve(x);
    }

    /// Ends the step: moves `state` by `v`, and to the new base.
    pub fn advance(&mut self, tree: &Tree, state: &mut TreeState) {
        mean_velocity(self.theta, &self.v, &state.v, &mut self.mean);
        tree.add_displacement(&state.q, &self.mean, self.dt, &mut self.q);
        state.q.copy_from_slice(&self.q);
        state.v.copy_from_slice(&self.v);
        state.base = self.next_base;
    }

    /// Ends a step of BDF2, and records it in `history`.
    pub fn advance_bdf2(&mut self, tree: &Tree, state: &mut TreeState, history: &mut TreeHistory) {
        // Momenta at the end are those of the last trial; take them where the iterate is.
        self.trial.copy_from_slice(&self.v);
        self.evaluate(tree, state);
        let Some(second) = &self.second else { return };
        second.record(state, &self.v, &self.next_base, self.dt, history);
        state.q.copy_from_slice(&self.q);
        state.v.copy_from_slice(&second.end_velocity);
        state.base = self.next_base;
        history.set_led_to(state);
    }

    /// The impulse (N·s) that the base has to supply in this step, and its moment (N·m·s) about the base's origin
    /// half way: change of all momenta less that by weight, at the last evaluation. The impulses of other external
    /// forces on the links (contacts, attachments, the part of `force` that is not an effort between two links) have
    /// to be subtracted.
    pub fn base_reaction(&self) -> SpatialForce {
        let Some(root) = self.wrenches.first() else { return SpatialForce::default() };
        let arm = self.middle.poses[0].position - self.middle_base.position;
        SpatialForce { force: root.force, moment: root.moment + arm.cross(root.force) }
    }

    /// The same impulse with its moment about the origin of the root link: the residual of six degrees of freedom at
    /// the root.
    pub fn root_reaction(&self) -> SpatialForce {
        self.wrenches.first().copied().unwrap_or_default()
    }

    /// The impulse that link `link` and all beyond it need in this step, with its moment about the link's origin:
    /// change of their momenta less that by weight, at the last evaluation. See [`TreeMotion::base_reaction`] for
    /// what it includes.
    pub fn link_reaction(&self, link: usize) -> SpatialForce {
        self.wrenches[link]
    }

    /// Whether the residual is finite.
    pub fn is_finite(&self) -> bool {
        self.residual.iter().all(|x| x.is_finite())
    }

    /// Completes the tangent from the mass matrix: BDF2's factor c², damping and springs.
    fn finish_tangent(&mut self, tree: &Tree) {
        let n = tree.velocity_count();
        let step = self.theta * self.dt;
        let lead = self.bdf2().map_or(1.0, |second| second.coefficients.lead);
        if lead != 1.0 {
            self.tangent.iter_mut().for_each(|a| *a *= lead * lead);
        }
        for (i, link) in tree.links().iter().enumerate() {
            let joint = &link.joint;
            for k in tree.v_range(i) {
                self.tangent[k * n + k] += step * (lead * joint.damping + step * joint.spring_stiffness);
            }
        }
    }

    /// The data of BDF2, if the step uses it.
    fn bdf2(&self) -> Option<&SecondOrder> {
        self.second.as_ref().filter(|_| self.is_bdf2)
    }

    fn norm(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.inverse_diagonal).map(|(x, w)| w * x * x).sum::<f64>().sqrt()
    }

    /// Imbalance of momenta along all degrees of freedom, at the trial.
    fn balance_momenta(&mut self, tree: &Tree, state: &TreeState) {
        let (dt, theta) = (self.dt, self.theta);
        mean_velocity(theta, &self.trial, &state.v, &mut self.mean);
        tree.add_displacement(&state.q, &self.mean, 0.5 * dt, &mut self.q);
        self.middle.place(tree, &self.middle_base, &self.q);
        tree.add_displacement(&state.q, &self.mean, dt, &mut self.q);
        self.end.place(tree, &self.next_base.pose, &self.q);
        self.end.turn_inertia(tree);
        self.end.set_velocities(tree, &self.next_base, &self.trial);
        momenta(tree, &self.end, &mut self.end_momenta);
        for (i, link) in tree.links().iter().enumerate() {
            let (from, to) = (self.start_momenta[i], self.end_momenta[i]);
            let weight = dt * link.inertia.mass * self.gravity;
            self.sizes[i] = [
                from.force.length() + to.force.length() + weight.length(),
                from.moment.length() + to.moment.length(),
            ];
            self.wrenches[i] =
                SpatialForce { force: to.force - from.force - weight, moment: to.moment - from.moment };
        }
        gather(tree, &self.middle, &mut self.wrenches, &mut self.residual);
        if let Some(orbital) = &mut self.orbital {
            let ends = [(&self.start, &self.start_momenta[..]), (&self.end, &self.end_momenta[..])];
            let bases = (&self.middle_base, &self.next_base);
            let all = orbital.add(tree, ends, &self.middle, bases, &mut self.residual);
            self.wrenches[0].moment += all;
        }
    }

    /// The same by BDF2, with the end of the step in place of its middle.
    fn balance_momenta_bdf2(&mut self, tree: &Tree, state: &TreeState) {
        let Some(second) = &mut self.second else { return };
        self.mean.copy_from_slice(&self.trial);
        tree.add_displacement(&state.q, &self.mean, self.dt, &mut self.q);
        second.set_end_velocity(&self.trial);
        self.middle.place(tree, &self.next_base.pose, &self.q);
        self.end.place(tree, &self.next_base.pose, &self.q);
        self.end.turn_inertia(tree);
        self.end.set_velocities(tree, &second.end_base, &second.end_velocity);
        momenta(tree, &self.end, &mut self.end_momenta);
        let loads = (self.dt, self.gravity);
        second.unbalanced(tree, &self.end, &self.end_momenta, loads, &mut self.wrenches, &mut self.sizes);
        gather(tree, &self.middle, &mut self.wrenches, &mut self.residual);
    }

    /// m at the trial.
    fn evaluate(&mut self, tree: &Tree, state: &TreeState) -> Merit {
        let (dt, theta) = (self.dt, self.theta);
        if self.is_bdf2 {
            self.balance_momenta_bdf2(tree, state);
        } else {
            self.balance_momenta(tree, state);
        }
        let second = self.second.as_ref().filter(|_| self.is_bdf2);
        let (mut external, mut internal, mut springs) = (0.0, 0.0, 0.0);
        for (i, link) in tree.links().iter().enumerate() {
            let joint = &link.joint;
            let q_start = tree.q_range(i).start;
            for k in tree.v_range(i) {
                let (rate, change) = match second {
                    Some(s) => {
                        let v = s.end_velocity[k];
                        (v, s.coefficients.lead * (v - s.extrapolated[k]))
                    }
                    None => (self.mean[k], self.trial[k] - state.v[k]),
                };
                let mut resistance = joint.damping * rate;
                if joint.spring_stiffness > 0.0 {
                    let q = state.q[q_start] + theta * dt * self.mean[k];
                    resistance += joint.spring_stiffness * (q - joint.spring_rest);
                    let size = dt * joint.spring_stiffness * (q.abs() + joint.spring_rest.abs());
                    springs += self.inverse_diagonal[k] * size * size;
                }
                self.residual[k] += joint.armature * change + dt * (resistance - self.force[k]);
                let inverse = self.inverse_diagonal[k] * dt * dt;
                external += inverse * self.force[k] * self.force[k];
                internal += inverse * resistance * resistance;
            }
        }
        let residual = self.norm(&self.residual);
        let impulse = self.start_impulse.max(self.momentum_norm()).max(external.sqrt()).max(internal.sqrt());
        let round_off = f64::EPSILON * (self.size_norm(tree) + springs.sqrt() + impulse);
        let potential = self.potential();
        let admissible = residual.is_finite() && potential.is_finite() && round_off.is_finite();
        Merit { potential, residual, impulse, round_off, admissible }
    }

    fn potential(&self) -> f64 {
        let from = &self.reference;
        if !from.set {
            return 0.0;
        }
        let mut work = 0.0;
        for k in 0..self.trial.len() {
            work += 0.5 * (from.residual[k] + self.residual[k]) * (self.trial[k] - from.v[k]);
        }
        from.potential + work
    }

    /// |A v| of the trial.
    fn momentum_norm(&self) -> f64 {
        let n = self.trial.len();
        let mut sum = 0.0;
        for (row, inverse) in self.tangent.chunks_exact(n.max(1)).zip(&self.inverse_diagonal) {
            let p: f64 = row.iter().zip(&self.trial).map(|(a, v)| a * v).sum();
            sum += inverse * p * p;
        }
        sum.sqrt()
    }

    /// Size of the residual without cancellation of its terms; overwrites `sizes`.
    fn size_norm(&mut self, tree: &Tree) -> f64 {
        let mut sum = 0.0;
        for (i, link) in tree.links().iter().enumerate().rev() {
            let x = self.middle.poses[i].position;
            // Positions are rounded to ε|x|, so lever arms too.
            let reach = x.length() + (self.middle.com[i] - x).length();
            let [force, mut moment] = self.sizes[i];
            moment += reach * force;
            for k in tree.v_range(i) {
                let size = if self.middle.axis_angular(k) == DVec3::ZERO { force } else { moment };
                sum += self.inverse_diagonal[k] * size * size;
            }
            if let Some(p) = link.parent {
                let arm = (x - self.middle.poses[p].position).length();
                self.sizes[p][0] += force;
                self.sizes[p][1] += moment + arm * force;
            }
        }
        sum.sqrt()
    }
}

/// v̄ = θ v + (1 − θ) v₀.
fn mean_velocity(theta: f64, v: &[f64], v0: &[f64], out: &mut [f64]) {
    for ((mean, v), v0) in out.iter_mut().zip(v).zip(v0) {
        *mean = theta * v + (1.0 - theta) * v0;
    }
}
