//! What each constraint asks for, and the law that it gives once its weight is known.

use ropewalk_contact::Law;
use ropewalk_contact::law::actuator::ActuatorParameters;
use ropewalk_contact::law::hunt_crossley::CompliantParameters;
use ropewalk_contact::law::sap::{SapContact, SapParameters};
use ropewalk_contact::law::spring::Spring;
use ropewalk_contact::law::{Actuator, Attachment, Coupler, DryFriction, JointLimit, ParameterError, Rows};
use ropewalk_contact::law::{DiskContact, LaggedContact, SimilarContact};

/// What a constraint asks for at the start of the step. Lengths in m, angles in rad, efforts in N or N·m.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LawSpec {
    /// Three rows brought to zero gap and held there.
    Hold { gap: Rows },
    /// A joint kept in its range.
    Limit { position: f64, range: [f64; 2] },
    /// A joint driven.
    Drive { parameters: ActuatorParameters, position: f64 },
    /// A joint that follows another.
    Follow { follower: f64, leader: f64, ratio: f64, offset: f64 },
    /// Dry friction in a joint.
    Friction { effort: f64 },
    /// Surfaces that touch at a point, with the cone law.
    Touch(SapParameters),
    /// Surfaces that touch in a patch, of which this is a polygon, the normal impulse that it is expected to give, N·s, and
    /// whether the patch can hold by friction what it held.
    Lie { parameters: SapParameters, expected: f64, holds: bool },
    /// Surfaces that touch, with one of Hunt and Crossley's laws, and how fast they part at the start of the step.
    Press { parameters: CompliantParameters, normal_velocity: f64, similar: bool },
}

impl LawSpec {
    /// How many rows it has.
    pub(crate) fn row_count(&self) -> usize {
        if let Self::Hold { .. } | Self::Touch(_) | Self::Lie { .. } | Self::Press { .. } = self {
            3
        } else {
            1
        }
    }

    /// The law of a constraint of weight `weight` in a step of length `dt`. Springs are as stiff as the near-rigid bound
    /// allows: some thousand times as stiff as what they hold.
    pub(crate) fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
        let spring = Spring::default();
        Ok(match *self {
            Self::Press { mut parameters, normal_velocity, similar } => {
                let stiffness = parameters.effective_stiffness(weight, dt)?;
                let damping = (1.0 - parameters.dissipation * normal_velocity).max(0.0);
                parameters.lagged_impulse = dt * stiffness * (-parameters.gap).max(0.0) * damping;
                if similar {
                    SimilarContact::new(&parameters, weight, dt)?.into()
                } else {
                    LaggedContact::new(&parameters, weight, dt)?.into()
                }
            }
            Self::Touch(parameters) => SapContact::new(&parameters, weight, dt)?.into(),
            Self::Lie { parameters, expected, holds } => {
                DiskContact::new(&parameters, (expected, holds), weight, dt)?.into()
            }
            Self::Hold { gap } => Attachment::vector(gap, &spring, weight, dt)?.into(),
            Self::Limit { position, range: [lower, upper] } => {
                JointLimit::new(position, lower, upper, &spring, weight, dt)?.into()
            }
            Self::Drive { parameters, position } => Actuator::new(&parameters, position, dt)?.into(),
            Self::Follow { follower, leader, ratio, offset } => {
                Coupler::new(follower, leader, ratio, offset, &spring, weight, dt)?.into()
            }
            Self::Friction { effort } => {
                DryFriction::new(effort, DryFriction::DEFAULT_SIGMA, weight, dt)?.into()
            }
        })
    }
}
