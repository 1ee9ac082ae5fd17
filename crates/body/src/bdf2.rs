//! The balance of momenta of a tree by BDF2.
//!
//! With b, c, g of [`ropewalk_linalg::bdf2`] and the mean joint velocities u of the step as the unknown, joints move
//! to q₁ = q₀ ⊕ δt u with the velocities v₁ = c (u − g u₀), where all terms are evaluated:
//!
//! m_j(u) = S_j(q₁)ᵀ Σ_{i beyond j} [c (ĥ_i(q₁, v₁) − ĥ_i(q₀, v₀) − b (ĥ_i(q₀, v₀) − ĥ_i(q₋₁, v₋₁))) − δt ŵ_i(q₁)]
//!          + a c (v₁ − v₀ − b (v₀ − v₋₁)) + δt (d v₁ + k (q₁ − q̄) − τ)
//!
//! with spatial momenta ĥ about the reference point of [`crate::momentum`]. A rotation vector of the mean velocity on
//! SO(3) differs from the integral of ω by a commutator of third order in δt, so the order is two there as well.
//! Without moments about a fixed axis or point the angular momentum about it is conserved to round-off.

use crate::base::Base;
use crate::history::TreeHistory;
use crate::kinematics::Kinematics;
use crate::momentum::{Reference, about_reference};
use crate::newton_euler::SpatialForce;
use crate::tree::{Tree, TreeState};
use glam::DVec3;
use ropewalk_linalg::bdf2::Bdf2;

/// The previous step, and both ends of the present one.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrder {
    pub(crate) coefficients: Bdf2,
    history: TreeHistory,
    start: Vec<SpatialForce>,
    start_reference: Reference,
    end: Vec<SpatialForce>,
    end_reference: Reference,
    /// The base at the end of the step, with its velocity then.
    pub(crate) end_base: Base,
    /// v₁ at the last evaluation.
    pub(crate) end_velocity: Vec<f64>,
    /// v₀ + b (v₀ − v₋₁).
    pub(crate) extrapolated: Vec<f64>,
}

impl SecondOrder {
    pub(crate) fn new(tree: &Tree) -> Self {
        let wrenches = || vec![SpatialForce::default(); tree.links().len()];
        Self {
            coefficients: Bdf2::FIRST,
            history: TreeHistory::none(tree),
            start: wrenches(),
            start_reference: Reference::default(),
            end: wrenches(),
            end_reference: Reference::default(),
            end_base: Base::default(),
            end_velocity: vec![0.0; tree.velocity_count()],
            extrapolated: vec![0.0; tree.velocity_count()],
        }
    }

    /// The base at the start of a step from `state`, with its velocity then.
    pub(crate) fn start_base(state: &TreeState, history: &TreeHistory) -> Base {
        if history.step_to(state) > 0.0 {
            let [linear, angular] = history.base_end;
            Base { pose: state.base.pose, linear, angular }
        } else {
            state.base
        }
    }

    /// Begins a step of `dt` at `start`; `next_base` has its mean velocity.
    pub(crate) fn begin(
        &mut self,
        tree: &Tree,
        state: &TreeState,
        (start, start_base, momenta): (&Kinematics, &Base, &[SpatialForce]),
        next_base: &Base,
        dt: f64,
        history: &TreeHistory,
    ) {
        self.history.clone_from(history);
        self.coefficients = Bdf2::new(dt, history.step_to(state));
        let Bdf2 { carry, lead, lag } = self.coefficients;
        self.start_reference = Reference::of(tree, start, start_base, momenta);
        about_reference(tree, start, &self.start_reference, momenta, &mut self.start);
        let [linear, angular] = self.history.base_mean.map(|v| if lag > 0.0 { v } else { DVec3::ZERO });
        self.end_base = Base {
            pose: next_base.pose,
            linear: lead * (next_base.linear - lag * linear),
            angular: lead * (next_base.angular - lag * angular),
        };
        for (k, v) in state.v.iter().enumerate() {
            let before = if carry > 0.0 { self.history.before[k] } else { *v };
            self.extrapolated[k] = v + carry * (v - before);
        }
    }

    /// v₁ for the mean velocities `u`.
    pub(crate) fn set_end_velocity(&mut self, u: &[f64]) {
        let Bdf2 { carry, lead, lag } = self.coefficients;
        for (k, v) in self.end_velocity.iter_mut().enumerate() {
            let before = if carry > 0.0 { self.history.mean[k] } else { 0.0 };
            *v = lead * (u[k] - lag * before);
        }
    }

    /// The imbalance of each link, about its center of mass at the end, and the size of the terms. `momenta` are
    /// those of the links about their own centers.
    pub(crate) fn unbalanced(
        &mut self,
        tree: &Tree,
        end: &Kinematics,
        momenta: &[SpatialForce],
        (dt, gravity): (f64, DVec3),
        wrenches: &mut [SpatialForce],
        sizes: &mut [[f64; 2]],
    ) {
        let Bdf2 { carry, lead, .. } = self.coefficients;
        self.end_reference = Reference::of(tree, end, &self.end_base, momenta);
        about_reference(tree, end, &self.end_reference, momenta, &mut self.end);
        let carried = if carry > 0.0 { carry * self.history.reference_change } else { DVec3::ZERO };
        let accelerated = self.end_reference.velocity - self.start_reference.velocity - carried;
        for (i, link) in tree.links().iter().enumerate() {
            let (from, to) = (self.start[i], self.end[i]);
            let before = if carry > 0.0 { self.history.momentum_change[i] } else { SpatialForce::default() };
            let (mass, arm) = (link.inertia.mass, end.com[i] - self.end_reference.point);
            let weight = dt * mass * gravity;
            let force = to.force - from.force - carry * before.force;
            let moment = to.moment - from.moment - carry * before.moment;
            // About the center: subtract the moment of the change of momentum relative to the reference point.
            let about_center = moment - arm.cross(force - mass * accelerated);
            wrenches[i] = SpatialForce { force: lead * force - weight, moment: lead * about_center };
            sizes[i] = [
                lead * (from.force.length() + to.force.length()) + weight.length(),
                lead * (from.moment.length() + to.moment.length()),
            ];
        }
    }

    /// Records the step in `history`; `state` is still that of the start.
    pub(crate) fn record(
        &self,
        state: &TreeState,
        u: &[f64],
        next_base: &Base,
        dt: f64,
        history: &mut TreeHistory,
    ) {
        history.dt = dt;
        history.mean.clear();
        history.mean.extend_from_slice(u);
        history.before.clear();
        history.before.extend_from_slice(&state.v);
        history.momentum_change.clear();
        history.momentum_change.extend(self.start.iter().zip(&self.end).map(|(from, to)| SpatialForce {
            force: to.force - from.force,
            moment: to.moment - from.moment,
        }));
        history.reference_change = self.end_reference.velocity - self.start_reference.velocity;
        history.base_mean = [next_base.linear, next_base.angular];
        history.base_end = [self.end_base.linear, self.end_base.angular];
    }
}
