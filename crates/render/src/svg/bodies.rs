//! Bodies as outlines of their shapes.
//!
//! A solid is drawn as the convex hull of points on its surface, a surface of triangles triangle by triangle. Half-spaces
//! are left out; a robot without shapes is drawn as lines from link to link.

use super::item::{Item, Look};
use crate::camera::Lens;
use crate::color::Color;
use crate::geometry::Round;
use crate::stage::{Frame, Solid, Stage};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_linalg::Pose;

/// Points on a circle.
const CIRCLE: usize = 24;
/// Most triangles of a mesh that are drawn one by one; larger meshes are drawn as their hull.
const MOST_TRIANGLES: usize = 2000;
/// Links of a robot without shapes.
const BONE: Color = Color::rgb8(107, 118, 134);

/// The shapes of all bodies.
pub(super) fn items(stage: &Stage, frame: &Frame, lens: &Lens, out: &mut Vec<Item>) {
    for (tree, poses) in stage.trees.iter().zip(&frame.trees) {
        for (link, pose) in tree.links.iter().zip(poses) {
            for shape in &link.shapes {
                shape_items(&shape.solid, &(*pose * shape.pose), shape.color, lens, out);
            }
            if let Some(parent) = link.parent
                && tree.links.iter().all(|link| link.shapes.is_empty())
            {
                let ends = [poses[parent].position, pose.position].map(|p| lens.point(p));
                push(ends.to_vec(), Look::Bone { color: BONE }, lens, out);
            }
        }
    }
}

fn shape_items(solid: &Solid, pose: &Pose, color: Color, lens: &Lens, out: &mut Vec<Item>) {
    if let Solid::Mesh(mesh) = solid
        && mesh.triangles.len() <= MOST_TRIANGLES
    {
        for t in &mesh.triangles {
            let corners = t.map(|v| lens.point(pose.point(mesh.points[v as usize])));
            push(corners.to_vec(), Look::Facet { color }, lens, out);
        }
        return;
    }
    let points: Vec<DVec3> = outline(solid).into_iter().map(|p| lens.point(pose.point(p))).collect();
    if points.is_empty() {
        return;
    }
    let round = |length: f64, radius: f64, flat: bool| Round {
        ends: [-0.5, 0.5].map(|s| lens.point(pose.point(DVec3::Z * s * length))),
        radius,
        flat,
        mark: DVec3::ZERO,
        surface: 0,
    };
    let front = match solid {
        Solid::Sphere { radius } => Some(round(0.0, *radius, false)),
        Solid::Capsule { radius, length } => Some(round(*length, *radius, false)),
        Solid::Cylinder { radius, length } => Some(round(*length, *radius, true)),
        _ => None,
    };
    push(points, Look::Outline { color, front }, lens, out);
}

fn push(points: Vec<DVec3>, look: Look, lens: &Lens, out: &mut Vec<Item>) {
    if points.iter().all(|p| p.z > lens.near) {
        let depth = points.iter().map(|p| p.z).sum::<f64>() / points.len() as f64;
        out.push(Item { points, depth, look });
    }
}

/// Points of the surface of a solid whose hull is its outline; none if it is unbounded.
fn outline(solid: &Solid) -> Vec<DVec3> {
    let circle = |radius: f64, z: f64| {
        (0..CIRCLE).map(move |i| {
            let (sin, cos) = (TAU * i as f64 / CIRCLE as f64).sin_cos();
            DVec3::new(radius * cos, radius * sin, z)
        })
    };
    let ball = |radius: f64, z: f64| {
        (0..=8).flat_map(move |k| {
            let (sin, cos) = (0.125 * 0.5 * TAU * f64::from(k)).sin_cos();
            circle(radius * sin, z + radius * cos)
        })
    };
    match solid {
        Solid::Sphere { radius } => ball(*radius, 0.0).collect(),
        Solid::Cylinder { radius, length } => {
            circle(*radius, -0.5 * length).chain(circle(*radius, 0.5 * length)).collect()
        }
        Solid::Capsule { radius, length } => {
            ball(*radius, -0.5 * length).chain(ball(*radius, 0.5 * length)).collect()
        }
        Solid::Mesh(mesh) => mesh.points.clone(),
        Solid::Box { .. } | Solid::HalfSpace => solid.hull_points(),
    }
}

/// The convex hull of points in the plane, counter-clockwise: Andrew's monotone chain. Indices of `points`.
pub(super) fn hull(points: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| {
        let (a, b) = (points[i], points[j]);
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(i.cmp(&j))
    });
    let turn = |i: usize, j: usize, k: usize| {
        let (o, a, b) = (points[i], points[j], points[k]);
        (a.0 - o.0) * (b.1 - o.1) - (a.1 - o.1) * (b.0 - o.0)
    };
    let chain = |indices: &mut dyn Iterator<Item = usize>| {
        let mut out: Vec<usize> = Vec::new();
        for p in indices {
            while let [.., a, b] = out.as_slice()
                && turn(*a, *b, p) <= 0.0
            {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut low = chain(&mut order.iter().copied());
    low.extend(chain(&mut order.iter().rev().copied()));
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_its_own_hull() {
        let points = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.5), (1.0, 1.0), (0.0, 1.0), (0.5, 0.0)];
        assert_eq!(hull(&points), [0, 1, 3, 4]);
    }

    #[test]
    fn outlines_lie_on_their_shapes() {
        let capsule = outline(&Solid::Capsule { radius: 0.1, length: 0.4 });
        let reach = capsule.iter().map(|p| p.z.abs()).fold(0.0, f64::max);
        assert!((reach - 0.3).abs() < 1e-12);
        assert!(outline(&Solid::HalfSpace).is_empty());
    }
}
