//! Bodies, joints and attachments at the end of a run.

use crate::run::metrics::single_joints;
use ropewalk_scene::{Sample, Scene};
use ropewalk_sim::{State, measure};
use serde::Serialize;

/// Bodies, joints and attachments at the end of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Ends {
    /// Bodies of the scene.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) bodies: Vec<BodyEnd>,
    /// Joints with one degree of freedom.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) joints: Vec<JointEnd>,
    /// Attachments, with their force and torque in the last step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) attachments: Vec<AttachmentEnd>,
}

/// A body at the end.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BodyEnd {
    /// Name.
    pub(crate) name: String,
    /// Position of its frame in m.
    pub(crate) position: [f64; 3],
    /// Rotation of its frame.
    pub(crate) quat_xyzw: [f64; 4],
    /// Force of all contacts on it in the last step in N; only where there is contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contact_force: Option<[f64; 3]>,
    /// Their torque about the origin of its frame in N·m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contact_torque: Option<[f64; 3]>,
}

/// A joint at the end: rad, rad/s, N·m; or m, m/s, N if it slides.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct JointEnd {
    /// Name of the robot or body.
    pub(crate) tree: String,
    /// Name of the joint.
    pub(crate) joint: String,
    /// Whether it slides.
    pub(crate) slides: bool,
    /// Position.
    pub(crate) position: f64,
    /// Velocity.
    pub(crate) velocity: f64,
    /// Effort of its actuators in the last step.
    pub(crate) effort: f64,
}

/// An attachment at the end, with its wrench on its first end in the last step.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AttachmentEnd {
    /// Name.
    pub(crate) name: String,
    /// Force in N.
    pub(crate) force: [f64; 3],
    /// Torque about the attached point in N·m.
    pub(crate) torque: [f64; 3],
}

impl Ends {
    /// Reads them from the last state and sample.
    pub(crate) fn of(scene: &Scene, state: &State, sample: Option<&Sample>) -> Self {
        let model = &scene.model;
        let bodies = scene.bodies.iter().map(|body| {
            let pose = measure::tree_kinematics(model, state, body.tree).poses[body.link];
            let contact =
                sample.filter(|_| model.contact.is_some()).map(|x| x.trees[body.tree].contacts[body.link]);
            BodyEnd {
                contact_force: contact.map(|w| w.force.to_array()),
                contact_torque: contact.map(|w| w.torque.to_array()),
                name: body.name.clone(),
                position: pose.position.to_array(),
                quat_xyzw: pose.rotation.to_array(),
            }
        });
        let joints = single_joints(model).map(|joint| {
            let (tree, s) = (&model.trees[joint.tree], &state.trees[joint.tree]);
            JointEnd {
                tree: tree.name.clone(),
                joint: joint.name(model).to_owned(),
                slides: joint.slides(model),
                position: s.q[tree.tree.q_range(joint.link).start],
                velocity: s.v[tree.tree.v_range(joint.link).start],
                effort: sample.map_or(0.0, |x| joint.effort(model, &x.efforts)),
            }
        });
        let wrenches = sample.map_or(&[][..], |x| x.attachments.as_slice());
        let attachments = model.attachments.iter().zip(wrenches).map(|(a, w)| AttachmentEnd {
            name: a.name.clone(),
            force: w.force.to_array(),
            torque: w.torque.to_array(),
        });
        Self { bodies: bodies.collect(), joints: joints.collect(), attachments: attachments.collect() }
    }
}
