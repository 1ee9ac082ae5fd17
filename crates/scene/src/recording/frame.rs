//! A moment of a run as messages.

use super::message::{
    ContactInfo, ContactSideInfo, ContactsMessage, EnergiesInfo, MeasuresMessage, RodFrame, StateMessage,
    TreeFrame, WrenchInfo,
};
use crate::Sample;
use ropewalk_sim::{ContactReport, ContactSide, Energies, Model, State, Workspace, Wrench, measure};

/// Where everything is.
pub fn state(model: &Model, state: &State) -> StateMessage {
    let rods = state.rods.iter().enumerate().map(|(r, rod)| RodFrame {
        q: rod.q.clone(),
        v: rod.v.clone(),
        d1: rod.d1.clone(),
        tension: measure::tension(model, state, r),
        curvature: measure::curvature(model, state, r),
        twist_rate: measure::twist_rate(model, state, r),
    });
    let trees = state.trees.iter().enumerate().map(|(t, tree)| {
        let poses = measure::tree_kinematics(model, state, t).poses;
        let numbers = poses.iter().map(|pose| {
            let ([x, y, z], [a, b, c, d]) = (pose.position.to_array(), pose.rotation.to_array());
            [x, y, z, a, b, c, d]
        });
        TreeFrame { q: tree.q.clone(), v: tree.v.clone(), poses: numbers.collect() }
    });
    StateMessage {
        time: state.time,
        rods: rods.collect(),
        trees: trees.collect(),
        attached: state.attachments.iter().map(|a| a.grip.is_some()).collect(),
    }
}

/// The contacts of the last sub-step that push.
pub fn contacts(model: &Model, time: f64, workspace: &Workspace) -> ContactsMessage {
    let pushing = workspace.contacts().filter(|c| c.normal_force() > 0.0);
    ContactsMessage { time, contacts: pushing.map(|c| contact(model, &c)).collect() }
}

fn contact(model: &Model, contact: &ContactReport) -> ContactInfo {
    ContactInfo {
        sides: contact.sides.map(|side| match side {
            ContactSide::Rod { rod, edge, fraction } => ContactSideInfo::Rod { rod, edge, fraction },
            ContactSide::Link { tree, link, shape } => {
                let before = &model.trees[tree].shapes[..shape];
                let shape = before.iter().filter(|s| s.link == link).count();
                ContactSideInfo::Link { tree, link, shape }
            }
        }),
        point: contact.point.to_array(),
        normal: contact.normal.to_array(),
        gap: contact.gap,
        friction: contact.friction,
        force: contact.force.to_array(),
        velocity: contact.velocity.to_array(),
    }
}

/// What is measured after a step.
pub fn measures(sample: &Sample) -> MeasuresMessage {
    let wrench = |w: &Wrench| WrenchInfo { force: w.force.to_array(), torque: w.torque.to_array() };
    MeasuresMessage {
        time: sample.time,
        energies: energies(&sample.energies),
        work: sample.work,
        rod_lengths: sample.rods.iter().map(|rod| rod.length).collect(),
        clamps: sample.wrenches.iter().map(wrench).collect(),
        attachments: sample.attachments.iter().map(wrench).collect(),
        bases: sample.trees.iter().map(|tree| wrench(&tree.base)).collect(),
        efforts: sample.efforts.clone(),
        contact_count: sample.touching,
        deepest_overlap: sample.deepest_overlap,
    }
}

/// What can be measured before the first step.
pub fn measures_at_rest(model: &Model, state: &State) -> MeasuresMessage {
    MeasuresMessage {
        time: state.time,
        energies: energies(&measure::energies(model, state)),
        rod_lengths: (0..model.rods.len()).map(|r| measure::length(model, state, r)).collect(),
        ..MeasuresMessage::default()
    }
}

fn energies(e: &Energies) -> EnergiesInfo {
    EnergiesInfo {
        kinetic: e.kinetic,
        stretch: e.stretch,
        bend: e.bend,
        twist: e.twist,
        gravity: e.gravity,
        joints: e.joints,
        total: e.total(),
    }
}
