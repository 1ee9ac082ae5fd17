//! A kind of constraint for tests alone: the last node of a rod whose name begins with "tethered" is held at the height
//! where it is by a spring.
//!
//! It shows what a new kind takes: this file, and its line in the list of kinds.

use super::kind::{Assembly, Constraint, Observation, Observed};
use glam::DVec3;
use ropewalk_contact::Law;
use ropewalk_contact::law::spring::Spring;
use ropewalk_contact::law::{Attachment, ParameterError, Rows};

/// A node of a rod held by a vertical spring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tether {
    rod: usize,
    height: f64,
}

/// N/m.
const STIFFNESS: f64 = 40.0;

impl Constraint for Tether {
    const ROWS: usize = 1;

    fn add(assembly: &mut Assembly<'_>) {
        let names = assembly.model.rod_names.iter().enumerate();
        for (rod, _) in names.filter(|(_, name)| name.starts_with("tethered")) {
            let state = &assembly.start.state.rods[rod];
            let edge = assembly.model.rods[rod].edge_count() - 1;
            let directions = [DVec3::Z, DVec3::ZERO, DVec3::ZERO];
            assembly.rows.add_rod_point(&assembly.start, (rod, edge, 1.0), DVec3::ZERO, &directions, 1.0);
            assembly.finish(Tether { rod, height: state.position(edge + 1).z });
        }
    }

    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
        let spring = Spring { stiffness: Some(STIFFNESS), ..Spring::default() };
        Ok(Attachment::scalar(self.height, &spring, weight, dt)?.into())
    }

    fn observe(&self, impulse: Rows, _at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        out.sensed.rod_contacts[self.rod] += DVec3::Z * impulse[0];
        0.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::STIFFNESS;
    use crate::model::{Model, State};
    use crate::report::StepStatus;
    use crate::step::step;
    use crate::workspace::Workspace;
    use glam::DVec3;
    use ropewalk_rod::{Material, RodBuilder, Section};

    #[test]
    fn a_new_kind_takes_part_in_the_step_and_is_observed() {
        let nodes = vec![DVec3::ZERO, DVec3::X * 0.1, DVec3::X * 0.2];
        let material = Material::from_moduli(1e6, 4e5, 1000.0);
        let builder = RodBuilder::new(nodes, Section::Circle { radius: 0.01 }, material);
        let (mut rod, rod_state) = builder.build().unwrap();
        rod.mass_damping = 10.0;
        let weight = 9.81 * rod.total_mass();
        let mut model =
            Model { rods: vec![rod], rod_names: vec!["tethered rope".into()], ..Model::default() };
        model.gravity = DVec3::NEG_Z * 9.81;
        let mut state = State { rods: vec![rod_state], ..State::default() };
        let mut workspace = Workspace::new(&model);
        for _ in 0..4000 {
            assert_eq!(step(&model, &mut state, &mut workspace).status, StepStatus::Converged);
        }
        let (force, height) = (workspace.rod_contact_forces()[0], state.rods[0].position(2).z);
        assert!((force.z / weight - 1.0).abs() < 1e-3, "{force} for a weight of {weight}");
        assert!((height + weight / STIFFNESS).abs() < 1e-3 * weight / STIFFNESS, "{height}");
    }
}
