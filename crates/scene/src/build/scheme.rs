//! Rejects time-integration schemes that are unsound for a scene.
//!
//! The midpoint rule does not support constraints: positions move by the mean of the velocities at both ends of the
//! step, while contacts, attachments and limits act on the end velocity, and Jacobians at the start of the step add
//! energy (for a body on a ball attachment at 50 rad/s it grows 28-fold in a second). For a rod whose axial waves the
//! step does not resolve, the energy grows without any constraint, see docs/schemes.md.

use super::Builder;
use crate::error::SceneError;
use crate::number::{short, significant, with_prefix};
use crate::spec::{LinearizeSpec, SchemeSpec};
use ropewalk_rod::Rod;
use ropewalk_sim::{ActuatorKind, Model};

/// ω δt of the fastest stretching mode up to which the midpoint rule is used: a quarter of its period.
const RESOLVED: f64 = 2.0;

impl Builder<'_> {
    /// An error if the scheme is not sound for `model`.
    pub(super) fn check_scheme(&self, model: &Model) -> Result<(), SceneError> {
        if matches!(self.spec.time.scheme, SchemeSpec::Midpoint | SchemeSpec::SymplecticEuler)
            && let Some(r) = model.rods.iter().position(Rod::yields)
        {
            let message = format!("rod '{}' yields, for which this scheme has no rule", model.rod_names[r]);
            let error = self.error(&["time", "scheme"], &message);
            return Err(error.expected("\"backward_euler\" or \"bdf2\""));
        }
        match self.spec.time.scheme {
            SchemeSpec::Midpoint => {}
            SchemeSpec::Bdf2 if matches!(self.spec.solver.linearize, LinearizeSpec::Once) => {
                let message = "bdf2 needs constraints that are linearized where the motion leads";
                let expected = "solver.linearize = \"until_converged\", or \"backward_euler\"";
                return Err(self.error(&["time", "scheme"], message).expected(expected));
            }
            _ => return Ok(()),
        }
        if let Some(constraint) = first_constraint(model) {
            let message = format!("the midpoint rule makes energy with {constraint}");
            let error = self.error(&["time", "scheme"], &message).expected("\"bdf2\" or \"backward_euler\"");
            let hint = "bdf2 is the low-loss scheme; where nothing touches, [contact] enabled = false";
            return Err(if model.contact.is_some() { error.hint(hint) } else { error });
        }
        let dt = model.settings.dt;
        let rods = model.rods.iter().zip(&model.rod_names);
        if let Some((omega, name)) =
            rods.map(|(rod, name)| (stretching_frequency(rod), name)).find(|(omega, _)| omega * dt > RESOLVED)
        {
            let message = format!(
                "the midpoint rule makes energy on rod '{name}': a step of {} does not resolve its stretching, at \
                 {} rad/s",
                with_prefix(dt, 3, "s"),
                short(omega)
            );
            return Err(self
                .error(&["time", "scheme"], &message)
                .expected(format!("\"bdf2\", or time.dt up to {} s", significant(RESOLVED / omega, 2))));
        }
        Ok(())
    }
}

/// The kind of constraint that a model has, if any.
fn first_constraint(model: &Model) -> Option<&'static str> {
    let joints = || model.trees.iter().flat_map(|t| t.tree.links()).map(|link| &link.joint);
    if model.contact.is_some() {
        Some("contact")
    } else if !model.attachments.is_empty() {
        Some("attachments")
    } else if joints().any(|joint| joint.limits.iter().any(|limit| limit.is_finite())) {
        Some("limits of joints")
    } else if joints().any(|joint| joint.dry_friction > 0.0) {
        Some("dry friction in joints")
    } else if joints().any(|joint| joint.mimic.is_some()) {
        Some("joints that follow others")
    } else if model.actuators.iter().any(|a| !matches!(a.kind, ActuatorKind::Force { .. })) {
        Some("actuators other than forces")
    } else {
        None
    }
}

/// Angular frequency of the fastest stretching mode, rad/s: neighboring nodes against one another.
fn stretching_frequency(rod: &Rod) -> f64 {
    let edges = rod.rest_lengths().iter().enumerate();
    edges.fold(0.0, |most: f64, (e, length)| {
        let stiffness = rod.greatest_stretch_stiffness(e);
        let mass = |node: usize| rod.masses()[node][0];
        let inverse = 1.0 / mass(e) + 1.0 / mass(rod.edge_end(e));
        most.max((2.0 * stiffness / length * inverse).sqrt())
    })
}
