//! Patches of edges of rods with bodies and with one another.
//!
//! Edges that meet edges must have been prepared ([`RodField::prepare_edge`]); the caller finds candidate pairs by
//! [`RodField::edge_bounds`]. Elements of a rod's polygons are cells of its edge.

use super::body::PatchBody;
use super::body_body::{body_bounds, half_space_exit, placed};
use super::clip::{Loop, clip, is_beyond};
use super::convex::{ConvexCell, cut, equal_in_cells, equal_in_tet};
use super::patch::{Frame, Patch};
use super::polygon::{between_fields, on_rigid};
use super::rod::RodField;
use crate::aabb::{Aabb, Bounds, Limits};
use crate::bvh::Bvh;
use glam::DVec3;
use ropewalk_linalg::{Pose, for_vector_unit};
use std::mem::take;

for_vector_unit! {
    /// Adds the patch of an edge (A) with a body (B). The edge need not have been prepared.
    pub fn edge_body(rod: &RodField, edge: usize, body: &PatchBody, pose: &Pose, out: &mut Patch) = edge_body_on;
}

#[inline(always)]
fn edge_body_on<const N: usize, const FUSED: bool>(
    rod: &RodField,
    edge: usize,
    body: &PatchBody,
    pose: &Pose,
    out: &mut Patch,
) {
    if !pose.is_finite() {
        return;
    }
    let frame = Frame::of(pose);
    let to_body = frame.inverse();
    let bounds = body_bounds(body);
    let there = placed(rod.edge_bounds(edge), &to_body);
    if !there.meets(&bounds) {
        return;
    }
    // One query for the whole edge; its cells are then tested against a short list.
    let (mut near, mut points, mut all) = (take(&mut out.near), take(&mut out.points), bounds);
    near.clear();
    if let Some(tree) = body_bvh(body) {
        all = Aabb::EMPTY;
        tree.query_boxes(
            |b| b.meets(&there),
            |k, b| {
                if placed(b, &frame).meets(rod.edge_bounds(edge)) {
                    all = all.joined(b);
                    near.push((Bounds::of(b), k));
                }
            },
        );
    }
    rod.gather(edge, |p| to_body.point(p), &mut points);
    let mut polygon = Loop::EMPTY;
    rod.visit_cells(
        edge,
        &points,
        |around| around.meets(&all),
        |k, cell, around| {
            let exit_distance =
                |x: DVec3, along: DVec3| rod.exit_distance(edge, frame.point(x), frame.rotation * along);
            let limits = Limits::of(around);
            let near = near.iter().filter(|n| n.0.is_within(&limits)).map(|n| n.1);
            cell_body((cell, k), near, (body, &frame), exit_distance, &mut polygon, out);
        },
    );
    (out.near, out.points) = (near, points);
}

/// The bounding-volume hierarchy of the cells or facets of a body, if it has any.
fn body_bvh(body: &PatchBody) -> Option<&Bvh> {
    match body {
        PatchBody::Soft(field) => Some(field.tree()),
        PatchBody::Rigid(surface) => Some(surface.tree()),
        PatchBody::SoftHalfSpace { .. } | PatchBody::RigidHalfSpace => None,
    }
}

/// The patch of one cell, given in the frame of the body, with the cells or facets `near` it.
#[inline]
fn cell_body(
    (cell, element): (&ConvexCell, u32),
    near: impl Iterator<Item = u32>,
    (body, frame): (&PatchBody, &Frame),
    exit_distance: impl Fn(DVec3, DVec3) -> f64,
    polygon: &mut Loop,
    out: &mut Patch,
) {
    let pressure = |x: DVec3| cell.pressure(x);
    match body {
        PatchBody::Soft(field) => near.for_each(|k| {
            let other = &field.tets()[k as usize].cell;
            out.candidates += 1;
            if equal_in_tet(cell, other, polygon) {
                let there = |x, along| field.exit_distance(x, along);
                let gradients = [cell.gradient, other.gradient];
                let found = between_fields(polygon, gradients, out.fade, pressure, &exit_distance, there);
                out.add(found, polygon, [element, k], frame, false);
            }
        }),
        PatchBody::Rigid(surface) => near.for_each(|k| {
            let facet = &surface.facets()[k as usize];
            out.candidates += 1;
            if is_beyond(facet.corners(), cell) {
                return;
            }
            polygon.set(facet.corners());
            if clip(polygon, cell) {
                let found =
                    on_rigid(polygon, facet.normal, cell.gradient, out.fade, pressure, &exit_distance);
                out.add(found, polygon, [element, k], frame, false);
            }
        }),
        PatchBody::SoftHalfSpace { gradient } => {
            out.candidates += 1;
            let down = DVec3::new(0.0, 0.0, -gradient);
            let value = cell.pressures[0] - down.z * cell.corners[0].z;
            if cut(cell, cell.gradient - down, value, polygon) {
                let gradients = [cell.gradient, down];
                let found =
                    between_fields(polygon, gradients, out.fade, pressure, exit_distance, half_space_exit);
                out.add(found, polygon, [element, 0], frame, false);
            }
        }
        PatchBody::RigidHalfSpace => {
            out.candidates += 1;
            if cut(cell, DVec3::Z, cell.corners[0].z, polygon) {
                let found = on_rigid(polygon, DVec3::Z, cell.gradient, out.fade, pressure, exit_distance);
                out.add(found, polygon, [element, 0], frame, false);
            }
        }
    }
}

for_vector_unit! {
    /// Adds the patch of two edges, A and B, of two rods or of one.
    pub fn edge_edge_patch(a: &RodField, edge_a: usize, b: &RodField, edge_b: usize, out: &mut Patch) = edge_edge_on;
}

#[inline(always)]
fn edge_edge_on<const N: usize, const FUSED: bool>(
    a: &RodField,
    edge_a: usize,
    b: &RodField,
    edge_b: usize,
    out: &mut Patch,
) {
    let (box_a, box_b) = (a.edge_bounds(edge_a), b.edge_bounds(edge_b));
    if !box_a.meets(box_b) {
        return;
    }
    let (cells_b, bounds_b) = (b.edge_cells(edge_b), b.edge_cell_bounds(edge_b));
    let mut polygon = Loop::EMPTY;
    for (i, (cell, bounds)) in a.edge_cells(edge_a).iter().zip(a.edge_cell_bounds(edge_a)).enumerate() {
        if !bounds.meets(box_b) {
            continue;
        }
        for (k, (other, there)) in cells_b.iter().zip(bounds_b).enumerate() {
            if !bounds.meets(there) {
                continue;
            }
            out.candidates += 1;
            if equal_in_cells(cell, other, &mut polygon) {
                let found = between_fields(
                    &polygon,
                    [cell.gradient, other.gradient],
                    out.fade,
                    |x| cell.pressure(x),
                    |x, along| a.exit_distance(edge_a, x, along),
                    |x, along| b.exit_distance(edge_b, x, along),
                );
                out.add(found, &polygon, [i as u32, k as u32], &Frame::WORLD, false);
            }
        }
    }
}
