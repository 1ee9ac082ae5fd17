//! Bushings: springs between the points and the orientations of two ends.
//!
//! The gaps are those of other attachments ([`super::attachment`]); force and torque are −k φ − c φ̇ at the end of the step,
//! the torque by its parts along the axes of the first end. Stiffness is as given, however stiff that is against the step.

use super::attachment::{
    add_point_rows, add_rotation_rows, frame, held_point, observe_force, observe_torque, point_gap,
    rotation_gap,
};
use super::kind::{Assembly, Constraint, Observation, Observed};
use crate::model::{AttachmentKind, Bushing};
use glam::{DMat3, DVec3};
use ropewalk_contact::Law;
use ropewalk_contact::law::spring::Spring;
use ropewalk_contact::law::{self, ParameterError, Rows};

/// The spring between the points of a bushing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BushingForce {
    pub(crate) attachment: usize,
    pub(crate) gap: Rows,
    bushing: Bushing,
}

/// The springs between its orientations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BushingTorque {
    pub(crate) attachment: usize,
    /// Along the axes.
    pub(crate) gap: Rows,
    /// The axes of the first end, as columns.
    pub(crate) axes: DMat3,
    bushing: Bushing,
}

fn spring(stiffness: f64, bushing: &Bushing) -> Spring {
    Spring { stiffness: Some(stiffness), dissipation_time: bushing.damping_time, near_rigid_beta: 0.0 }
}

impl Constraint for BushingForce {
    const ROWS: usize = 3;

    fn add(assembly: &mut Assembly<'_>) {
        for (a, attachment) in assembly.model.attachments.iter().enumerate() {
            let AttachmentKind::Bushing(bushing) = attachment.kind else { continue };
            let place = assembly.place_of_attachments();
            let scene = &place;
            let Some(grip) = scene.state.attachments[a].grip else { continue };
            let frames = attachment.ends.map(|end| frame(&end, scene));
            add_point_rows(assembly.rows, scene, attachment, held_point(attachment, &grip, scene));
            let gap = point_gap(&frames, &grip) - assembly.rows.open_displacement(scene);
            assembly.finish(BushingForce { attachment: a, gap: gap.into(), bushing });
            let axes = DMat3::from_quat(frames[0].rotation);
            let columns = [axes.x_axis, axes.y_axis, axes.z_axis];
            add_rotation_rows(assembly.rows, scene, attachment, &columns);
            let gap =
                axes.transpose() * rotation_gap(&frames, &grip) - assembly.rows.open_displacement(scene);
            assembly.finish(BushingTorque { attachment: a, gap: gap.into(), axes, bushing });
        }
    }

    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
        let spring = spring(self.bushing.translation, &self.bushing);
        Ok(law::Attachment::vector(self.gap, &spring, weight, dt)?.into())
    }

    fn observe(&self, impulse: Rows, at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        observe_force(self.attachment, impulse.into(), at, out);
        0.0
    }
}

impl Constraint for BushingTorque {
    const ROWS: usize = 3;

    fn add(_assembly: &mut Assembly<'_>) {
        // With the points.
    }

    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
        let Bushing { bend, twist, .. } = self.bushing;
        let springs = [bend, bend, twist].map(|k| spring(k, &self.bushing));
        Ok(law::Attachment::springs(self.gap, &springs, weight, dt)?.into())
    }

    fn observe(&self, impulse: Rows, at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        observe_torque(self.attachment, self.axes * DVec3::from(impulse), at, out);
        0.0
    }
}
