//! Attachments: rows that hold points and orientations of two ends together.
//!
//! With x and R the point and the frame of an end, and Q the orientation of the first end in the frame of the second
//! when they were attached, the gaps are
//!
//! ```text
//!   φ_x = x_A − x_B,      φ_R = log(R_A (R_B Q)ᵀ)
//! ```
//!
//! (x in the frame of an end is where it was then). Two rods that are clamped together are held as they are: x is the point
//! half way between the places on them, as seen from either edge. Of other attachments a rod is held at the place itself.
//!
//! The rates of the gaps are the relative velocity at one common point and the relative angular velocity. Since both ends get
//! their rows at the same point, the impulses on the two are equal and opposite, force and moment.

use crate::model::{Attachment, AttachmentKind, AttachmentState, End, Grip, Model};
use crate::step::constrain::jacobian::{ConstraintJacobian, Source, StartKinematics, WORLD_AXES};
use crate::step::constrain::law::LawSpec;
use glam::{DMat3, DQuat, DVec3};
use ropewalk_geometry::{Edge, edge_collider};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::log_rotation;

/// Makes and drops grips for a step that ends at `end` (s).
pub(in crate::step) fn update_grips(
    model: &Model,
    scene: &StartKinematics<'_>,
    end: f64,
    states: &mut [AttachmentState],
) {
    for (attachment, state) in model.attachments.iter().zip(states) {
        if !attachment.is_active(state.command, scene.state.time, end) {
            state.grip = None;
        } else if state.grip.is_none() {
            state.grip = Some(grasp(attachment, scene));
        }
    }
}

/// The grip of two ends as they are now.
fn grasp(attachment: &Attachment, scene: &StartKinematics<'_>) -> Grip {
    let frames = attachment.ends.map(|end| frame(&end, scene));
    let given = attachment.ends.map(|end| match end {
        End::World { point } => point,
        End::Link { point, .. } => point,
        End::Rod { .. } => Some(DVec3::ZERO),
    });
    let mut points = [DVec3::ZERO; 2];
    for i in 0..2 {
        let other = 1 - i;
        points[i] = given[i].unwrap_or_else(|| {
            frames[i].local_point(frames[other].point(given[other].unwrap_or(DVec3::ZERO)))
        });
    }
    if let ([End::Rod { .. }, End::Rod { .. }], AttachmentKind::Clamp) = (attachment.ends, attachment.kind) {
        let middle = 0.5 * (frames[0].position + frames[1].position);
        points = frames.map(|frame| frame.local_point(middle));
    }
    let covered = match attachment.ends {
        [End::Rod { rod, edge, .. }, End::Link { tree, .. }]
        | [End::Link { tree, .. }, End::Rod { rod, edge, .. }] => covered(scene, rod, edge, tree),
        _ => 1,
    };
    Grip { points, rotation: (frames[1].rotation.conjugate() * frames[0].rotation).normalize(), covered }
}

/// How many edges on either side of `edge`, without a gap, touch a shape of `tree`; at least one.
fn covered(scene: &StartKinematics<'_>, rod: usize, edge: usize, tree: usize) -> usize {
    let (shape, state) = (&scene.rods[rod], &scene.state.rods[rod]);
    let poses = &scene.tree_work[tree].motion.start.poses;
    let touches = |e: usize| {
        let [a, b] = shape.half_extents()[e];
        let capsule = Edge { a: state.position(e), b: state.position(shape.edge_end(e)), radius: a.max(b) };
        scene.trees[tree].shapes.iter().any(|s| {
            let mut found = false;
            edge_collider(&capsule, &s.collider, &(poses[s.link] * s.pose), 0.0, |_, _| found = true);
            found
        })
    };
    let before = (0..edge).rev().take_while(|&e| touches(e)).count();
    let after = (edge + 1..shape.edge_count()).take_while(|&e| touches(e)).count();
    before.max(after).max(1)
}

/// The frame of an end: a link's, the world's, or the material frame (m₁, m₂, t) at a point of a rod.
pub(in crate::step) fn frame(end: &End, scene: &StartKinematics<'_>) -> Pose {
    match *end {
        End::World { .. } => Pose::IDENTITY,
        End::Link { tree, link, .. } => scene.tree_work[tree].motion.start.poses[link],
        End::Rod { rod, edge, fraction } => {
            let state = &scene.state.rods[rod];
            let [m1, m2, t] = state.material_frame(&scene.rods[rod], edge);
            let position = state.position(edge) + fraction * state.edge(&scene.rods[rod], edge);
            Pose::new(position, DQuat::from_mat3(&DMat3::from_cols(m1, m2, t)))
        }
    }
}

/// Where an attachment holds: the point of its first end that is a rod, else of its first end.
pub(in crate::step) fn held_point(
    attachment: &Attachment,
    grip: &Grip,
    scene: &StartKinematics<'_>,
) -> DVec3 {
    let at = usize::from(
        matches!(attachment.ends[1], End::Rod { .. }) && !matches!(attachment.ends[0], End::Rod { .. }),
    );
    frame(&attachment.ends[at], scene).point(grip.points[at])
}

/// Adds the rows of all attachments that hold.
pub(in crate::step) fn add_rows(
    model: &Model,
    scene: &StartKinematics<'_>,
    rows: &mut ConstraintJacobian,
    laws: &mut Vec<LawSpec>,
) {
    for (a, attachment) in model.attachments.iter().enumerate() {
        let Some(grip) = scene.state.attachments[a].grip else { continue };
        let frames = attachment.ends.map(|end| frame(&end, scene));
        let common = held_point(attachment, &grip, scene);
        for (end, sign) in attachment.ends.iter().zip([1.0, -1.0]) {
            match *end {
                End::World { .. } => {}
                End::Link { tree, link, .. } => {
                    rows.add_link_point(scene, (tree, link), common, &WORLD_AXES, sign);
                }
                End::Rod { rod, edge, fraction } => {
                    let arm = common - frame(end, scene).position;
                    rows.add_rod_point(scene, (rod, edge, fraction), arm, &WORLD_AXES, sign);
                }
            }
        }
        rows.finish(scene, Source::AttachmentPoint(a));
        let gap = frames[0].point(grip.points[0]) - frames[1].point(grip.points[1]);
        laws.push(LawSpec::Hold { gap: gap.into() });
        if attachment.kind == AttachmentKind::Point {
            continue;
        }
        for (end, sign) in attachment.ends.iter().zip([1.0, -1.0]) {
            match *end {
                End::World { .. } => {}
                End::Link { tree, link, .. } => {
                    rows.add_link_rotation(scene, (tree, link), &WORLD_AXES, sign);
                }
                End::Rod { rod, edge, .. } => rows.add_rod_rotation(scene, (rod, edge), &WORLD_AXES, sign),
            }
        }
        rows.finish(scene, Source::AttachmentRotation(a));
        let wanted = frames[1].rotation * grip.rotation;
        let gap = log_rotation(frames[0].rotation * wanted.conjugate());
        laws.push(LawSpec::Hold { gap: gap.into() });
    }
}
