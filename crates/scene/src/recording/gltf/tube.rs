//! Rods as tubes: a ring of vertices about each node, in the plane of its frame.
//!
//! The frame of a node has z along the mean of the directions of its edges and x along the mean of their material
//! directors m₁. Rings of round sections are circles, those of flat ones rectangles.

use super::solid::Surface;
use crate::recording::message::{RodFrame, RodInfo};
use core::f64::consts::TAU;
use glam::{DMat3, DQuat, DVec3};
use ropewalk_linalg::Pose;

/// Vertices on a circle.
const ROUND: usize = 12;

/// A tube and the node that moves each of its vertices.
pub(super) struct Tube {
    /// The surface at the start.
    pub(super) shape: Surface,
    /// By vertex.
    pub(super) joints: Vec<u16>,
}

/// Direction and material director m₁ of an edge.
#[derive(Clone, Copy)]
struct EdgeFrame {
    t: DVec3,
    m1: DVec3,
}

/// Position and frame of each node.
pub(super) fn node_frames(info: &RodInfo, rod: &RodFrame) -> Vec<Pose> {
    let position = |i: usize| DVec3::from_slice(&rod.q[i % info.node_count][..3]);
    let edges: Vec<EdgeFrame> = (0..info.edge_count)
        .map(|e| {
            let t = (position(e + 1) - position(e)).normalize_or(DVec3::Z);
            let (sin, cos) = rod.q[e][3].sin_cos();
            let d1 = DVec3::from_array(rod.d1[e]);
            EdgeFrame { t, m1: d1 * cos + t.cross(d1) * sin }
        })
        .collect();
    (0..info.node_count)
        .map(|i| {
            let count = info.edge_count;
            let after = edges[if info.closed { i } else { i.min(count - 1) }];
            let before = edges[if info.closed { (i + count - 1) % count } else { i.saturating_sub(1) }];
            Pose::new(position(i), rotation(before, after))
        })
        .collect()
}

/// The frame between two edges; that of the second where they point against one another.
fn rotation(before: EdgeFrame, after: EdgeFrame) -> DQuat {
    let z = (before.t + after.t).normalize_or(after.t);
    let sum = before.m1 + after.m1;
    let flat = |v: DVec3| v - z * z.dot(v);
    let x = [flat(sum), flat(after.m1)].into_iter().find(|v| v.length() > 0.1);
    let x = x.unwrap_or_else(|| z.any_orthogonal_vector()).normalize();
    DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize()
}

/// Points of the section of node `i` in its frame, with their normals.
fn ring(info: &RodInfo, i: usize) -> Vec<(DVec3, DVec3)> {
    // A node between two edges of different thickness takes that of the edge that leaves it.
    let [a, b] = info.half_extents[i.min(info.edge_count - 1)];
    if (a - b).abs() <= 1e-9 * a.max(b) {
        let point = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / ROUND as f64).sin_cos();
            (DVec3::new(a * cos, a * sin, 0.0), DVec3::new(cos, sin, 0.0))
        };
        return (0..ROUND).map(point).collect();
    }
    // Each side of the rectangle has its own two vertices, so that its edges stay sharp.
    let corners = [(a, -b), (a, b), (-a, b), (-a, -b)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let sides = [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y];
    (0..4).flat_map(|k| [(corners[k], sides[k]), (corners[(k + 1) % 4], sides[k])]).collect()
}

/// The tube of a rod whose nodes are at `frames`.
pub(super) fn surface(info: &RodInfo, frames: &[Pose]) -> Tube {
    let mut tube =
        Tube { shape: Surface { positions: vec![], normals: vec![], triangles: vec![] }, joints: vec![] };
    let mut add = |i: usize, point: DVec3, normal: DVec3| {
        let pose = &frames[i];
        tube.shape.positions.push(pose.position + pose.rotation * point);
        tube.shape.normals.push(pose.rotation * normal);
        tube.joints.push(i as u16);
        tube.shape.positions.len() as u32 - 1
    };
    let mut rings: Vec<Vec<u32>> = Vec::new();
    for i in 0..info.node_count {
        rings.push(ring(info, i).into_iter().map(|(point, normal)| add(i, point, normal)).collect());
    }
    // The ends of an open rod are closed by fans.
    let mut fans: Vec<[u32; 3]> = Vec::new();
    if !info.closed {
        for (i, along) in [(0, DVec3::NEG_Z), (info.node_count - 1, DVec3::Z)] {
            let middle = add(i, DVec3::ZERO, along);
            let rim: Vec<u32> = ring(info, i).into_iter().map(|(point, _)| add(i, point, along)).collect();
            for k in 0..rim.len() {
                let (p, q) = (rim[k], rim[(k + 1) % rim.len()]);
                fans.push(if i == 0 { [middle, q, p] } else { [middle, p, q] });
            }
        }
    }
    for e in 0..info.edge_count {
        let (a, b) = (&rings[e], &rings[(e + 1) % info.node_count]);
        let width = a.len().min(b.len());
        // A rectangle has gaps between its sides: pairs of vertices are sides, and the rest are corners.
        let pairs: Vec<(usize, usize)> = if width == ROUND {
            (0..width).map(|k| (k, (k + 1) % width)).collect()
        } else {
            (0..width).step_by(2).map(|k| (k, k + 1)).collect()
        };
        for (k, l) in pairs {
            tube.shape.triangles.extend([[a[k], a[l], b[l]], [a[k], b[l], b[k]]]);
        }
    }
    tube.shape.triangles.extend(fans);
    tube
}
