//! A contact as a constraint: its law, and what is observed from its impulse. Its rows are in [`super::contact`].

use super::contact::directions;
use super::kind::{Assembly, Constraint, Observation, Observed};
use crate::step::collide::Side;
use glam::DVec3;
use ropewalk_contact::Law;
use ropewalk_contact::law::hunt_crossley::CompliantParameters;
use ropewalk_contact::law::sap::{SapContact, SapParameters};
use ropewalk_contact::law::{DiskContact, LaggedContact, ParameterError, Rows, SimilarContact};

/// What a contact asks for at the start of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Contact {
    /// Surfaces that touch at a point, with the cone law.
    Touch(SapParameters),
    /// Surfaces that touch in a patch, of which this is a polygon, the normal impulse that it is expected to give, N·s, and
    /// whether the patch can hold by friction what it held.
    Lie { parameters: SapParameters, expected: f64, holds: bool },
    /// Surfaces that touch, with one of Hunt and Crossley's laws, and how fast they part at the start of the step.
    Press { parameters: CompliantParameters, normal_velocity: f64, similar: bool },
}

impl Constraint for Contact {
    const ROWS: usize = 3;

    fn add(assembly: &mut Assembly<'_>) {
        super::contact::add_rows(assembly);
    }

    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
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
        })
    }

    fn observe(&self, impulse: Rows, at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        let (contact, start, sensed) = (&at.contacts[at.number], at.start, &mut *out.sensed);
        let directions = directions(contact.normal);
        let push: DVec3 = (0..3).map(|row| directions[row] * impulse[row]).sum();
        let at = contact.kinematics(start, at.step.weights.dt);
        for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
            let (tree, link) = match *side {
                Side::Link { tree, link, .. } => (tree as usize, link as usize),
                Side::Edge { rod, .. } => {
                    sensed.rod_contacts[rod as usize] += sign * push;
                    continue;
                }
            };
            let (kinematics, base) = at.tree(tree);
            let felt = &mut sensed.link_contacts[tree][link];
            felt.force += sign * push;
            felt.torque += sign * (contact.point - kinematics.poses[link].position).cross(push);
            sensed.bases[tree].force -= sign * push;
            sensed.bases[tree].torque -= sign * (contact.point - base).cross(push);
        }
        0.0
    }
}
