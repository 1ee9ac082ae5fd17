//! A moment of a run as messages.

use super::binary_frame::{FrameContact, FrameMessage, FramePolygon, Singles, edge_basis, edge_direction};
use super::message::{
    ContactInfo, ContactSideInfo, ContactsMessage, EnergiesInfo, MeasuresMessage, PatchInfo, PatchSideInfo,
    PatchTotals, PatchesMessage, PolygonInfo, RodFrame, StateMessage, TreeFrame, WrenchInfo,
};
use crate::Sample;
use ropewalk_rod::{Rod, RodState};
use ropewalk_sim::{
    ContactReport, ContactSide, Energies, Model, PatchReport, State, Workspace, Wrench, measure,
};

/// The state in double precision.
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

/// Positions in single precision, with the contacts of the last sub-step if there was one.
pub fn frame(
    model: &Model,
    state: &State,
    workspace: Option<&Workspace>,
    singles: &mut Singles,
) -> FrameMessage {
    let mut frame = FrameMessage { time: state.time, ..FrameMessage::default() };
    for (r, (rod, rod_state)) in model.rods.iter().zip(&state.rods).enumerate() {
        add_nodes(&mut frame.nodes, rod, rod_state, &measure::tension(model, state, r), singles);
    }
    for t in 0..model.trees.len() {
        for pose in measure::tree_kinematics(model, state, t).poses {
            let ([x, y, z], [a, b, c, d]) = (pose.position.to_array(), pose.rotation.to_array());
            frame.links.push(singles.array([x, y, z, a, b, c, d]));
        }
    }
    if let Some(workspace) = workspace.filter(|_| model.contact.is_some()) {
        add_contacts(&mut frame, model, workspace, singles);
    }
    frame.attached = state.attachments.iter().map(|a| a.grip.is_some()).collect();
    frame
}

fn add_nodes(nodes: &mut Vec<[f32; 5]>, rod: &Rod, state: &RodState, tension: &[f64], singles: &mut Singles) {
    let first = nodes.len();
    for [x, y, z, _] in &state.q {
        let [x, y, z] = singles.array([*x, *y, *z]);
        nodes.push([x, y, z, 0.0, 0.0]);
    }
    let count = rod.node_count();
    for e in 0..rod.edge_count() {
        let (sin, cos) = state.q[e][3].sin_cos();
        let d1 = state.director(e);
        let m1 = d1 * cos + state.tangent(rod, e).cross(d1) * sin;
        // In the basis that a reader computes from the same rounded positions.
        let [b1, b2] = edge_basis(edge_direction(&nodes[first + e], &nodes[first + (e + 1) % count]));
        nodes[first + e][3] = singles.number(m1.dot(b2).atan2(m1.dot(b1)));
        nodes[first + e][4] = singles.number(tension[e]);
    }
    if !rod.closed() && count > 1 {
        nodes[first + count - 1][3] = nodes[first + count - 2][3];
    }
}

fn add_contacts(frame: &mut FrameMessage, model: &Model, workspace: &Workspace, singles: &mut Singles) {
    let rod_count = model.rods.len();
    let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let thing = |side: &ContactSide| match side {
        ContactSide::Rod { rod, .. } => short(*rod),
        ContactSide::Link { tree, .. } => short(rod_count + tree),
    };
    let patches = workspace.patches();
    for contact in workspace.contacts() {
        if contact.normal_force() > 0.0 {
            frame.contacts.push(FrameContact {
                point: singles.array(contact.point.to_array()),
                force: singles.array(contact.force.to_array()),
                gap: singles.number(contact.gap),
                sides: [thing(&contact.sides[0]), thing(&contact.sides[1])],
            });
        }
        if let Some(patch) = patches.iter().position(|patch| patch.contains(&contact)) {
            let corners = workspace.corners_of(&contact);
            let corner_count = short(corners.len());
            frame.polygons.push(FramePolygon {
                pressure: singles.number(contact.pressure()),
                corner_count,
                patch: short(patch),
            });
            let kept = corners.iter().take(usize::from(corner_count));
            frame.corners.extend(kept.map(|x| singles.array(x.to_array())));
        }
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
        center_of_pressure: report.center_of_pressure.to_array(),
        mean_pressure: report.mean_pressure(),
        peak_pressure: report.peak_pressure,
        polygons: Vec::with_capacity(report.polygons),
    }
}

/// Measured values after a step.
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
        patches: None,
        not_finite: 0,
    }
}

/// Sums over the patches of the last sub-step; none without pressure fields.
pub fn patch_totals(model: &Model, workspace: &Workspace) -> Option<PatchTotals> {
    if !has_patches(model) {
        return None;
    }
    let mut totals = PatchTotals::default();
    for patch in workspace.patches() {
        totals.patch_count += 1;
        totals.polygon_count += patch.polygons;
        totals.area += patch.area;
        totals.normal_force += patch.normal_force;
        totals.peak_pressure = totals.peak_pressure.max(patch.peak_pressure);
    }
    Some(totals)
}

/// Whether there are pressure fields, which make patches.
pub fn has_patches(model: &Model) -> bool {
    model.contact.is_some() && !(model.patches.rods.is_empty() && model.patches.shapes.is_empty())
}

/// Measured values before the first step.
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
