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
//!
//! In a step of backward Euler the rows are those of its start. A body that turns about an attachment then has its
//! impulse with the arm of the start, an error of first order; in a step of BDF2 rows are therefore taken where the
//! iterate leads, φ(v) ≈ φ̄ + δt J(q₁) v, and anew until that is where it does lead.

use crate::model::{Attachment, AttachmentKind, AttachmentState, End, Grip, Model};
use crate::step::constrain::AnyConstraint;
use crate::step::constrain::jacobian::{ConstraintJacobian, StartKinematics, WORLD_AXES, When};
use crate::step::constrain::kind::{Assembly, Constraint, Observation, Observed};
use glam::{DMat3, DQuat, DVec3};
use ropewalk_contact::Law;
use ropewalk_contact::law::spring::Spring;
use ropewalk_contact::law::{self, ParameterError, Rows};
use ropewalk_geometry::{Edge, edge_collider};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::log_rotation;

/// What matters of the difference between an attachment at the end of the step and what its rows say of it, in rad, or
/// over the arm of the held point.
const TOLERANCE: f64 = 1e-7;

/// Makes and drops grips for a step that ends at `end` (s); those that are made are added to `made`.
pub(in crate::step) fn update_grips(
    model: &Model,
    scene: &StartKinematics<'_>,
    end: f64,
    states: &mut [AttachmentState],
    made: &mut Vec<usize>,
) {
    for (a, (attachment, state)) in model.attachments.iter().zip(states).enumerate() {
        if !attachment.is_active(state.command, scene.state.time, end) {
            state.grip = None;
        } else if state.grip.is_none() {
            state.grip = Some(grasp(attachment, scene));
            made.push(a);
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
    let now = (frames[1].rotation.conjugate() * frames[0].rotation).normalize();
    let rotation = match attachment.kind {
        AttachmentKind::Bushing(bushing) => bushing.rest.unwrap_or(now),
        AttachmentKind::Point | AttachmentKind::Clamp => now,
    };
    Grip { points, rotation, covered }
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
        End::Link { tree, link, .. } => scene.tree(tree).0.poses[link],
        End::Rod { rod, edge, fraction } => {
            let [m1, m2, t] = scene.state.rods[rod].material_frame(&scene.rods[rod], edge);
            let [start, along] = scene.edge(rod, edge);
            let rotation = DQuat::from_mat3(&DMat3::from_cols(m1, m2, t));
            Pose::new(start + fraction * along, turned(scene, (rod, edge), t) * rotation)
        }
    }
}

/// How an edge with the tangent `tangent` at the start of the step is turned where `scene` is: carried along, and about
/// itself.
fn turned(scene: &StartKinematics<'_>, (rod, edge): (usize, usize), tangent: DVec3) -> DQuat {
    let When::End(dt) = scene.when else { return DQuat::IDENTITY };
    let now = scene.edge(rod, edge)[1].try_normalize().unwrap_or(tangent);
    let spin = dt * scene.rod_work[rod].motion.v[edge][3];
    DQuat::from_axis_angle(now, spin) * DQuat::from_rotation_arc(tangent, now)
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

/// The points of an attachment, held together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldPoint {
    pub(crate) attachment: usize,
    gap: Rows,
}

/// The orientations of an attachment, held together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldRotation {
    pub(crate) attachment: usize,
    gap: Rows,
}

impl Constraint for HeldPoint {
    const ROWS: usize = 3;

    fn add(assembly: &mut Assembly<'_>) {
        for (a, attachment) in assembly.model.attachments.iter().enumerate() {
            if matches!(attachment.kind, AttachmentKind::Bushing(_)) {
                continue;
            }
            let place = assembly.place_of_attachments();
            let scene = &place;
            let Some(grip) = scene.state.attachments[a].grip else { continue };
            let frames = attachment.ends.map(|end| frame(&end, scene));
            add_point_rows(assembly.rows, scene, attachment, held_point(attachment, &grip, scene));
            let gap = point_gap(&frames, &grip) - assembly.rows.open_displacement(scene);
            assembly.finish(HeldPoint { attachment: a, gap: gap.into() });
            if attachment.kind == AttachmentKind::Point {
                continue;
            }
            add_rotation_rows(assembly.rows, scene, attachment, &WORLD_AXES);
            let gap = rotation_gap(&frames, &grip) - assembly.rows.open_displacement(scene);
            assembly.finish(HeldRotation { attachment: a, gap: gap.into() });
        }
    }

    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
        Ok(law::Attachment::vector(self.gap, &Spring::default(), weight, dt)?.into())
    }

    fn observe(&self, impulse: Rows, at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        observe_force(self.attachment, impulse.into(), at, out);
        0.0
    }
}

impl Constraint for HeldRotation {
    const ROWS: usize = 3;

    fn add(_assembly: &mut Assembly<'_>) {
        // With the points.
    }

    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
        Ok(law::Attachment::vector(self.gap, &Spring::default(), weight, dt)?.into())
    }

    fn observe(&self, impulse: Rows, at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        observe_torque(self.attachment, impulse.into(), at, out);
        0.0
    }
}

/// The rows of the relative velocity of both ends at the common point `common`.
pub(super) fn add_point_rows(
    rows: &mut ConstraintJacobian,
    scene: &StartKinematics<'_>,
    attachment: &Attachment,
    common: DVec3,
) {
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
}

/// The rows of the relative angular velocity of both ends along `axes`.
pub(super) fn add_rotation_rows(
    rows: &mut ConstraintJacobian,
    scene: &StartKinematics<'_>,
    attachment: &Attachment,
    axes: &[DVec3; 3],
) {
    for (end, sign) in attachment.ends.iter().zip([1.0, -1.0]) {
        match *end {
            End::World { .. } => {}
            End::Link { tree, link, .. } => rows.add_link_rotation(scene, (tree, link), axes, sign),
            End::Rod { rod, edge, .. } => rows.add_rod_rotation(scene, (rod, edge), axes, sign),
        }
    }
}

/// What is observed of the impulse (N·s) of attachment `a` on its first end, at its held point.
pub(super) fn observe_force(a: usize, impulse: DVec3, at: &Observation<'_>, out: &mut Observed<'_>) {
    let attachment = &at.model.attachments[a];
    let Some(grip) = at.start.state.attachments[a].grip else { return };
    let place = at.place_of_attachments();
    let point = held_point(attachment, &grip, &place);
    out.sensed.attachments[a].force += impulse;
    for (end, sign) in attachment.ends.iter().zip([1.0, -1.0]) {
        let End::Link { tree, link, .. } = *end else { continue };
        let origin = place.tree(tree).0.poses[link].position;
        let outside = &mut out.sensed.outside[tree][link];
        outside.force += sign * impulse;
        outside.torque += sign * (point - origin).cross(impulse);
        // What an attachment pushes, the base need not.
        let base = &mut out.sensed.bases[tree];
        let arm = point - place.tree(tree).1;
        base.force -= sign * impulse;
        base.torque -= sign * arm.cross(impulse);
    }
}

/// What is observed of the angular impulse (N·m·s) of attachment `a` on its first end.
pub(super) fn observe_torque(a: usize, impulse: DVec3, at: &Observation<'_>, out: &mut Observed<'_>) {
    out.sensed.attachments[a].torque += impulse;
    for (end, sign) in at.model.attachments[a].ends.iter().zip([1.0, -1.0]) {
        if let End::Link { tree, link, .. } = *end {
            out.sensed.outside[tree][link].torque += sign * impulse;
            out.sensed.bases[tree].torque -= sign * impulse;
        }
    }
}

/// φ_x, m.
pub(super) fn point_gap(frames: &[Pose; 2], grip: &Grip) -> DVec3 {
    frames[0].point(grip.points[0]) - frames[1].point(grip.points[1])
}

/// φ_R, rad.
pub(super) fn rotation_gap(frames: &[Pose; 2], grip: &Grip) -> DVec3 {
    let wanted = frames[1].rotation * grip.rotation;
    log_rotation(frames[0].rotation * wanted.conjugate())
}

/// Whether attachments are off, at the end of the motion found, from what their rows say of them, so that they have to be
/// linearized anew.
pub(in crate::step) fn are_off(
    model: &Model,
    end: &StartKinematics<'_>,
    (rows, constraints): (&ConstraintJacobian, &[AnyConstraint]),
    dt: f64,
) -> bool {
    constraints.iter().enumerate().any(|(c, constraint)| {
        let (a, gap, is_point) = match *constraint {
            AnyConstraint::HeldPoint(held) => (held.attachment, held.gap, true),
            AnyConstraint::HeldRotation(held) => (held.attachment, held.gap, false),
            AnyConstraint::BushingForce(held) => (held.attachment, held.gap, true),
            AnyConstraint::BushingTorque(held) => (held.attachment, held.gap, false),
            _ => return false,
        };
        let axes = match constraint {
            AnyConstraint::BushingTorque(held) => held.axes,
            _ => DMat3::IDENTITY,
        };
        let (attachment, Some(grip)) = (&model.attachments[a], end.state.attachments[a].grip) else {
            return false;
        };
        let frames = attachment.ends.map(|at| frame(&at, end));
        let said = DVec3::from(gap) + dt * DVec3::from(rows.velocity(c, end));
        let arm = |i: usize| match attachment.ends[i] {
            End::World { .. } => 0.0,
            End::Link { .. } => grip.points[i].length(),
            End::Rod { rod, edge, .. } => end.rods[rod].rest_lengths()[edge],
        };
        let (found, size) = if is_point {
            (point_gap(&frames, &grip), f64::max(arm(0), arm(1)))
        } else {
            (rotation_gap(&frames, &grip), 1.0)
        };
        (axes.transpose() * found - said).length() > TOLERANCE * size
    })
}
