//! Patches of edges of rods with bodies and with one another.
//!
//! Edges must have been prepared ([`RodField::prepare_edge`]); which pairs of edges may touch is for the caller to
//! find, by [`RodField::edge_bounds`]. Elements of a rod's polygons are cells of its edge.

use super::body::PatchBody;
use super::clip::{Loop, equal_pressure};
use super::pair::{body_bounds, cell_body, placed};
use super::patch::{Frame, Patch};
use super::polygon::between_fields;
use super::rod::RodField;
use ropewalk_linalg::Pose;

/// Adds the patch of an edge (A) with a body (B).
pub fn edge_body(rod: &RodField, edge: usize, body: &PatchBody, pose: &Pose, out: &mut Patch) {
    if !pose.is_finite() {
        return;
    }
    let frame = Frame::of(pose);
    let to_body = frame.inverse();
    let bounds = body_bounds(body);
    if !placed(rod.edge_bounds(edge), &to_body).meets(&bounds) {
        return;
    }
    for (k, tet) in rod.edge_tets(edge).iter().enumerate() {
        let cell = tet.cell.moved(&to_body.rotation, to_body.position);
        if cell.bounds().meets(&bounds) {
            cell_body(&cell, k as u32, || tet.moved(&to_body.rotation, &cell), body, &frame, false, out);
        }
    }
}

/// Adds the patch of two edges, A and B, of two rods or of one.
pub fn edge_edge_patch(a: &RodField, edge_a: usize, b: &RodField, edge_b: usize, out: &mut Patch) {
    let (box_a, box_b) = (a.edge_bounds(edge_a), b.edge_bounds(edge_b));
    if !box_a.meets(box_b) {
        return;
    }
    let (tets_b, bounds_b) = (b.edge_tets(edge_b), b.edge_tet_bounds(edge_b));
    let mut near = std::mem::take(&mut out.scratch);
    near.clear();
    near.extend((0..tets_b.len() as u32).filter(|&k| bounds_b[k as usize].meets(box_a)));
    let mut polygon = Loop::EMPTY;
    for (i, (tet, bounds)) in a.edge_tets(edge_a).iter().zip(a.edge_tet_bounds(edge_a)).enumerate() {
        if !bounds.meets(box_b) {
            continue;
        }
        for &k in &near {
            if !bounds.meets(&bounds_b[k as usize]) {
                continue;
            }
            let other = &tets_b[k as usize];
            out.candidates += 1;
            if equal_pressure(&tet.cell, other, &mut polygon) {
                let (ga, gb) = (tet.cell.gradient, other.cell.gradient);
                let found = between_fields(&polygon, ga, gb, out.fade, |x| tet.cell.pressure(x));
                out.add(found, &polygon, [i as u32, k], &Frame::WORLD, false);
            }
        }
    }
    out.scratch = near;
}
