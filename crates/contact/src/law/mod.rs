//! Constraint laws: cost, impulse and Hessian of a constraint.
//!
//! A constraint has up to three rows. With the relative velocity v_c = J v and the law's bias v̂ its
//! excess velocity is u = v_c − v̂, and the law is a convex function ℓ of u:
//!
//! ```text
//!   impulse  λ(u) = −∂ℓ/∂u          Hessian  G(u) = ∂²ℓ/∂u² ⪰ 0
//! ```
//!
//! Laws are written in u rather than in v_c, since a stiff constraint has |u| ≪ |v_c| and the digits
//! of u are the digits of its impulse.
//!
//! | symbol | name | unit | meaning |
//! |---|---|---|---|
//! | v̂ | `bias` | m/s or rad/s | velocity at which the impulse is zero |
//! | u | `excess` | m/s or rad/s | v_c − v̂ |
//! | λ | `impulse` | N·s or N·m·s | acts on the rows: Jᵀλ on the unknowns |
//! | w | `weight` | 1/kg or 1/(kg·m²) | diagonal of the Delassus operator (inverse effective mass), see [`crate::problem::effective_mass`] |
//! | R | `regularization` | as w | compliance: λ = −u/R where the law is linear |
//! | δt | `time_step` | s | |
//!
//! Each law is one file. Laws with one row use the first of the three and leave the others zero.

pub mod actuator;
pub mod attachment;
pub mod coupler;
pub mod distance;
pub mod dry_friction;
pub mod hunt_crossley;
pub mod joint_limit;
pub mod lagged;
pub mod lagged_disk;
pub mod sap;
pub mod similar;
pub mod spring;

#[cfg(test)]
mod derivative_check;

use ropewalk_linalg::Real;
use thiserror::Error;

pub use actuator::Actuator;
pub use attachment::Attachment;
pub use coupler::Coupler;
pub use distance::Distance;
pub use dry_friction::DryFriction;
pub use joint_limit::JointLimit;
pub use lagged::LaggedContact;
pub use lagged_disk::DiskContact;
pub use sap::SapContact;
pub use similar::SimilarContact;

/// Three numbers, one per row of a constraint: (t1, t2, n) for contacts.
pub type Rows = [f64; 3];

/// A symmetric 3×3 matrix on the rows of a constraint.
pub type Hessian = [[f64; 3]; 3];

/// A [`Real`] that can be compared with a boundary between regions.
pub trait Scalar: Real {
    /// The value without its derivatives.
    fn value(self) -> f64;
}

impl Scalar for f64 {
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
}

/// A parameter outside its range.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{name} = {value}: must be {expected}")]
pub struct ParameterError {
    /// The parameter's name.
    pub name: &'static str,
    /// The given value.
    pub value: f64,
    /// The allowed range.
    pub expected: &'static str,
}

/// Refuses a parameter unless `allowed`.
pub(crate) fn require(
    allowed: bool,
    name: &'static str,
    value: f64,
    expected: &'static str,
) -> Result<(), ParameterError> {
    if allowed { Ok(()) } else { Err(ParameterError { name, value, expected }) }
}

/// The interface of a law.
pub trait ConstraintLaw {
    /// v̂, the velocity at which the impulse is zero.
    fn bias(&self) -> Rows;
    /// ℓ(u).
    fn cost<R: Scalar>(&self, excess: [R; 3]) -> R;
    /// λ = −∂ℓ/∂u.
    fn impulse(&self, excess: Rows) -> Rows;
    /// G = ∂²ℓ/∂u², positive semi-definite. On the boundary of two regions: that of one of them.
    fn hessian(&self, excess: Rows) -> Hessian;
    /// The greatest slope of an impulse, kg or kg·m²: 1/R where the law is linear.
    fn stiffness(&self) -> f64;
    /// The same law, softer by `factor` ≥ 1: R is multiplied by it. With 1 the law is unchanged.
    fn softened(&self, factor: f64) -> Self;
    /// Number of rows in use: 1 or 3.
    fn row_count(&self) -> usize;
    /// False if a number in the law is not finite.
    fn is_finite(&self) -> bool;
}

/// A law of any kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Frictional contact, regularized cone.
    Sap(SapContact),
    /// Frictional contact, friction from a predicted normal impulse.
    Disk(DiskContact),
    /// Frictional contact, Hunt–Crossley, friction from the lagged normal impulse.
    Lagged(LaggedContact),
    /// Frictional contact, Hunt–Crossley, friction from the current normal impulse.
    Similar(SimilarContact),
    /// Point to point, orientation, or twist about an axis.
    Attachment(Attachment),
    /// Range of a joint.
    JointLimit(JointLimit),
    /// Rope or bar between two points.
    Distance(Distance),
    /// Position and velocity control with an effort limit.
    Actuator(Actuator),
    /// One joint follows another.
    Coupler(Coupler),
    /// Coulomb friction in a joint.
    DryFriction(DryFriction),
}

macro_rules! each_law {
    ($self:expr, $law:ident => $body:expr) => {
        match $self {
            Law::Sap($law) => $body,
            Law::Disk($law) => $body,
            Law::Lagged($law) => $body,
            Law::Similar($law) => $body,
            Law::Attachment($law) => $body,
            Law::JointLimit($law) => $body,
            Law::Distance($law) => $body,
            Law::Actuator($law) => $body,
            Law::Coupler($law) => $body,
            Law::DryFriction($law) => $body,
        }
    };
}

impl ConstraintLaw for Law {
    #[inline]
    fn bias(&self) -> Rows {
        each_law!(self, law => law.bias())
    }
    #[inline]
    fn cost<R: Scalar>(&self, excess: [R; 3]) -> R {
        each_law!(self, law => law.cost(excess))
    }
    #[inline(always)]
    fn impulse(&self, excess: Rows) -> Rows {
        each_law!(self, law => law.impulse(excess))
    }
    #[inline(always)]
    fn hessian(&self, excess: Rows) -> Hessian {
        each_law!(self, law => law.hessian(excess))
    }
    fn stiffness(&self) -> f64 {
        each_law!(self, law => law.stiffness())
    }
    fn softened(&self, factor: f64) -> Self {
        match self {
            Self::Sap(law) => Self::Sap(law.softened(factor)),
            Self::Disk(law) => Self::Disk(law.softened(factor)),
            Self::Lagged(law) => Self::Lagged(law.softened(factor)),
            Self::Similar(law) => Self::Similar(law.softened(factor)),
            Self::Attachment(law) => Self::Attachment(law.softened(factor)),
            Self::JointLimit(law) => Self::JointLimit(law.softened(factor)),
            Self::Distance(law) => Self::Distance(law.softened(factor)),
            Self::Actuator(law) => Self::Actuator(law.softened(factor)),
            Self::Coupler(law) => Self::Coupler(law.softened(factor)),
            Self::DryFriction(law) => Self::DryFriction(law.softened(factor)),
        }
    }
    fn row_count(&self) -> usize {
        each_law!(self, law => law.row_count())
    }
    fn is_finite(&self) -> bool {
        each_law!(self, law => law.is_finite())
    }
}

/// A Hessian with one entry, for laws of one row.
#[inline(always)]
pub(crate) fn scalar_hessian(g: f64) -> Hessian {
    [[g, 0.0, 0.0], [0.0; 3], [0.0; 3]]
}
