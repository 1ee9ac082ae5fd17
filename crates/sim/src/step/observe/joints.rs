//! What goes through joints: the wrench of a parent on its link, as a sensor at a wrist feels it.
//!
//! What a link and all beyond it need for their change of momentum less their weight is known from the balance of momentum. What
//! pushes them from outside (contacts, attachments, commands) has supplied its share; the rest comes through the joint.

use crate::model::Model;
use crate::step::SubStep;
use crate::step::constrain::StartKinematics;
use crate::workspace::Sensed;

/// Adds the impulses of all joints in this sub-step, about the origins of their links.
pub(super) fn joint_impulses(model: &Model, scene: &StartKinematics<'_>, step: SubStep, sensed: &mut Sensed) {
    let place = if step.bdf2 { scene.at_end(step.weights.dt) } else { *scene };
    let Sensed { joints, outside, link_contacts, contacts_before, .. } = sensed;
    for (t, tree) in model.trees.iter().enumerate() {
        let poses = &place.tree(t).0.poses;
        let motion = &scene.tree_work[t].motion;
        // Children come after their parents.
        for (l, link) in tree.tree.links().iter().enumerate().rev() {
            let (now, before) = (link_contacts[t][l], contacts_before[t][l]);
            let mut push = outside[t][l];
            push.force += now.force - before.force;
            push.torque += now.torque - before.torque;
            let reaction = motion.link_reaction(l);
            joints[t][l].force += reaction.force - push.force;
            joints[t][l].torque += reaction.moment - push.torque;
            if let Some(parent) = link.parent {
                let arm = poses[l].position - poses[parent].position;
                outside[t][parent].force += push.force;
                outside[t][parent].torque += push.torque + arm.cross(push.force);
            }
        }
    }
}
