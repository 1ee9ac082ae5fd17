//! A moment of a run as messages.

use super::message::{
    ContactInfo, ContactSideInfo, ContactsMessage, EnergiesInfo, MeasuresMessage, PatchInfo, PatchSideInfo,
    PatchesMessage, PolygonInfo, RodFrame, StateMessage, TreeFrame, WrenchInfo,
};
use crate::Sample;
use ropewalk_sim::{
    ContactReport, ContactSide, Energies, Model, PatchReport, State, Workspace, Wrench, measure,
};

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
                ContactSideInfo::Link { tree, link, shape: model.shape_of_link(tree, shape) }
            }
        }),
        point: contact.point.to_array(),
        normal: contact.normal.to_array(),
        gap: contact.gap,
        friction: contact.friction,
        force: contact.force.to_array(),
        velocity: contact.velocity.to_array(),
        area: contact.area,
    }
}

/// The patches of the last sub-step.
pub fn patches(model: &Model, time: f64, workspace: &Workspace) -> PatchesMessage {
    let reports = workspace.patches();
    let mut patches: Vec<PatchInfo> = reports.iter().map(|report| patch(model, report)).collect();
    for contact in workspace.contacts() {
        let Some(at) = reports.iter().position(|report| report.contains(&contact)) else { continue };
        patches[at].polygons.push(PolygonInfo {
            edges: contact.sides.map(|side| match side {
                ContactSide::Rod { edge, .. } => Some(edge),
                ContactSide::Link { .. } => None,
            }),
            corners: workspace.corners_of(&contact).iter().map(|x| x.to_array()).collect(),
            normal: contact.normal.to_array(),
            area: contact.area,
            pressure: contact.pressure(),
            force: contact.force.to_array(),
        });
    }
    PatchesMessage { time, patches }
}

/// A patch, still without its polygons.
fn patch(model: &Model, report: &PatchReport) -> PatchInfo {
    PatchInfo {
        sides: report.sides.map(|side| match side {
            ContactSide::Rod { rod, .. } => PatchSideInfo::Rod { rod },
            ContactSide::Link { tree, link, shape } => {
                PatchSideInfo::Link { tree, link, shape: model.shape_of_link(tree, shape) }
            }
        }),
        area: report.area,
        force: report.force.to_array(),
        normal_force: report.normal_force,
        centre_of_pressure: report.centre_of_pressure.to_array(),
        mean_pressure: report.mean_pressure(),
        peak_pressure: report.peak_pressure,
        polygons: Vec::with_capacity(report.polygons),
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
