//! Patches of two bodies.
//!
//! The hierarchy of one body gives the cells near the other; each is transformed to the other's frame and tested
//! against its hierarchy. Two rigid bodies have no patch, nor have two half-spaces.

use super::body::PatchBody;
use super::clip::{Loop, clip, equal_pressure, is_beyond, slice};
use super::field::PressureField;
use super::patch::{Frame, Patch};
use super::polygon::{between_fields, on_rigid};
use super::rigid::RigidSurface;
use super::tet::{Cell, Tet};
use crate::aabb::Aabb;
use glam::DVec3;
use ropewalk_linalg::Pose;

/// Adds the patch of two bodies. A pose that is not finite gives nothing.
pub fn body_body(a: &PatchBody, pose_a: &Pose, b: &PatchBody, pose_b: &Pose, out: &mut Patch) {
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return;
    }
    let (fa, fb) = (Frame::of(pose_a), Frame::of(pose_b));
    match (a, b) {
        (PatchBody::Soft(field), _) => field_body(field, &fa, b, &fb, false, out),
        (_, PatchBody::Soft(field)) => field_body(field, &fb, a, &fa, true, out),
        _ => {}
    }
}

/// The patch of a field with any body; `swap`: the field is B.
fn field_body(field: &PressureField, fa: &Frame, body: &PatchBody, fb: &Frame, swap: bool, out: &mut Patch) {
    let to_b = fb.inverse().times(fa);
    let bounds = body_bounds(body);
    let to_a = to_b.inverse();
    let exit_distance = |x: DVec3, along: DVec3| field.exit_distance(to_a.point(x), to_a.rotation * along);
    field.tree().query_with(
        |node| placed(node, &to_b).meets(&bounds),
        |k| {
            let tet = &field.tets()[k as usize];
            let cell = tet.cell.moved(&to_b.rotation, to_b.position);
            cell_body(&cell, k, || tet.moved(&to_b.rotation, &cell), exit_distance, (body, fb), swap, out);
        },
    );
}

/// The bounding box of a body in its own frame.
pub(crate) fn body_bounds(body: &PatchBody) -> Aabb {
    match body {
        PatchBody::Soft(field) => field.bounds(),
        PatchBody::Rigid(surface) => surface.tree().bounds(),
        PatchBody::SoftHalfSpace { .. } | PatchBody::RigidHalfSpace => {
            Aabb { min: DVec3::NEG_INFINITY, max: DVec3::new(f64::INFINITY, f64::INFINITY, 0.0) }
        }
    }
}

/// The bounding box of a box in another frame.
#[inline]
pub(crate) fn placed(b: &Aabb, frame: &Frame) -> Aabb {
    let (half, r) = (b.half(), &frame.rotation);
    let reach = (r.x_axis * half.x).abs() + (r.y_axis * half.y).abs() + (r.z_axis * half.z).abs();
    Aabb::about(reach).moved(frame.point(b.center()))
}

/// The patch of one cell of A, given in the frame of B, with a body B. `clipper` gives the cell with its coordinates,
/// which only surfaces need.
#[inline]
pub(crate) fn cell_body(
    cell: &Cell,
    element: u32,
    clipper: impl FnOnce() -> Tet,
    exit_distance: impl Fn(DVec3, DVec3) -> f64,
    (body, frame): (&PatchBody, &Frame),
    swap: bool,
    out: &mut Patch,
) {
    match body {
        PatchBody::Soft(other) => cell_field((cell, element), exit_distance, other, frame, swap, out),
        PatchBody::Rigid(surface) => {
            cell_surface((cell, element), clipper, exit_distance, surface, frame, swap, out)
        }
        PatchBody::SoftHalfSpace { gradient } => {
            let down = DVec3::new(0.0, 0.0, -gradient);
            cell_half_space((cell, element), exit_distance, Some(down), frame, swap, out);
        }
        PatchBody::RigidHalfSpace => cell_half_space((cell, element), exit_distance, None, frame, swap, out),
    }
}

#[inline]
fn cell_field(
    (cell, element): (&Cell, u32),
    exit_distance: impl Fn(DVec3, DVec3) -> f64,
    field: &PressureField,
    frame: &Frame,
    swap: bool,
    out: &mut Patch,
) {
    let mut polygon = Loop::EMPTY;
    field.tree().query(&cell.bounds(), |k| {
        let tet = &field.tets()[k as usize];
        out.candidates += 1;
        if equal_pressure(cell, tet, &mut polygon) {
            let found = between_fields(
                &polygon,
                [cell.gradient, tet.cell.gradient],
                out.fade,
                |x| cell.pressure(x),
                &exit_distance,
                |x, along| field.exit_distance(x, along),
            );
            out.add(found, &polygon, [element, k], frame, swap);
        }
    });
}

#[inline]
fn cell_surface(
    (cell, element): (&Cell, u32),
    clipper: impl FnOnce() -> Tet,
    exit_distance: impl Fn(DVec3, DVec3) -> f64,
    surface: &RigidSurface,
    frame: &Frame,
    swap: bool,
    out: &mut Patch,
) {
    let tet = clipper();
    let mut polygon = Loop::EMPTY;
    surface.tree().query(&cell.bounds(), |k| {
        let facet = &surface.facets()[k as usize];
        out.candidates += 1;
        if is_beyond(facet.corners(), &tet) {
            return;
        }
        polygon.set(facet.corners());
        if clip(&mut polygon, &tet) {
            let pressure = |x| cell.pressure(x);
            let found = on_rigid(&polygon, facet.normal, cell.gradient, out.fade, pressure, &exit_distance);
            out.add(found, &polygon, [element, k], frame, swap);
        }
    });
}

/// Distance from a point with z ≤ 0 to the plane z = 0 along a unit vector, m.
pub(crate) fn half_space_exit(x: DVec3, along: DVec3) -> f64 {
    if along.z > 0.0 { -x.z / along.z } else { f64::INFINITY }
}

/// Against the half-space z ≤ 0, soft with a gradient or rigid without.
#[inline]
fn cell_half_space(
    (cell, element): (&Cell, u32),
    exit_distance: impl Fn(DVec3, DVec3) -> f64,
    gradient: Option<DVec3>,
    frame: &Frame,
    swap: bool,
    out: &mut Patch,
) {
    if cell.corners.iter().all(|c| c.z > 0.0) {
        return;
    }
    out.candidates += 1;
    let mut values = [0.0; 4];
    for k in 0..4 {
        let c = cell.corners[k];
        values[k] = gradient.map_or(c.z, |g| cell.pressures[k] - g.z * c.z);
    }
    let mut polygon = Loop::EMPTY;
    if slice(&cell.corners, &values, &mut polygon) {
        let pressure = |x| cell.pressure(x);
        let found = match gradient {
            Some(g) => {
                let gradients = [cell.gradient, g];
                between_fields(&polygon, gradients, out.fade, pressure, exit_distance, half_space_exit)
            }
            None => on_rigid(&polygon, DVec3::Z, cell.gradient, out.fade, pressure, exit_distance),
        };
        out.add(found, &polygon, [element, 0], frame, swap);
    }
}
