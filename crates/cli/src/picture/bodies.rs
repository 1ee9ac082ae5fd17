//! Bodies as outlines: what their shapes cover on the paper.
//!
//! A shape is drawn as the convex hull of points on its surface, a surface of triangles triangle by triangle. Half-spaces
//! are left out; a robot without shapes is drawn as lines from link to link.

use super::camera::Camera;
use super::canvas::{Canvas, Fill, Stroke};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_geometry::{Shape, TriangleMesh};
use ropewalk_linalg::Pose;
use ropewalk_scene::Scene;

/// Points on a circle.
const CIRCLE: usize = 24;
/// Vertices of a mesh that are looked at, at most.
const MOST_VERTICES: usize = 2000;
const SKIN: &str = "#c9d1dc";
const EDGE: &str = "#6b7686";

/// Points that bound the bodies at one time, for the camera.
pub(super) fn points(scene: &Scene, poses: &[Vec<Pose>]) -> Vec<DVec3> {
    let mut out = Vec::new();
    for (tree, poses) in scene.model.trees.iter().zip(poses) {
        out.extend(tree.shapes.iter().flat_map(|s| outline(s.collider.shape(), &(poses[s.link] * s.pose))));
        if tree.shapes.is_empty() {
            out.extend(poses.iter().map(|p| p.position));
        }
    }
    out
}

/// Draws the bodies of one time, far ones first.
pub(super) fn draw(canvas: &mut Canvas, scene: &Scene, poses: &[Vec<Pose>], camera: &Camera, opacity: f64) {
    let mut pieces: Vec<(f64, Vec<(f64, f64)>)> = Vec::new();
    for (tree, poses) in scene.model.trees.iter().zip(poses) {
        for s in &tree.shapes {
            let pose = poses[s.link] * s.pose;
            if let Some(mesh) = surface(s.collider.shape()) {
                pieces.extend((0..mesh.triangles.len()).map(|t| {
                    let corners = mesh.corners(t).map(|p| pose.point(p));
                    let depth = corners.iter().map(|p| camera.depth(*p)).sum::<f64>() / 3.0;
                    (depth, corners.iter().map(|p| camera.project(*p)).collect())
                }));
                continue;
            }
            let cloud = outline(s.collider.shape(), &pose);
            if cloud.is_empty() {
                continue;
            }
            let depth = cloud.iter().map(|p| camera.depth(*p)).sum::<f64>() / cloud.len() as f64;
            pieces.push((depth, hull(cloud.iter().map(|p| camera.project(*p)).collect())));
        }
        if tree.shapes.is_empty() {
            for (link, pose) in tree.tree.links().iter().zip(poses) {
                if let Some(parent) = link.parent {
                    let line = [poses[parent].position, pose.position].map(|p| camera.project(p));
                    canvas.polyline(&line, false, &Stroke { colour: EDGE, width: 4.0, opacity });
                }
            }
        }
    }
    pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, polygon) in &pieces {
        canvas.polygon(polygon, &Fill { colour: SKIN, edge: EDGE, width: 1.2, opacity });
    }
}

/// The triangles of a surface that is drawn by them; `None` for solids and for surfaces of very many.
fn surface(shape: &Shape) -> Option<TriangleMesh> {
    let mesh = match shape {
        Shape::Mesh(mesh) => TriangleMesh::clone(mesh),
        Shape::Heightfield(field) => field.triangles(),
        _ => return None,
    };
    (mesh.triangles.len() <= MOST_VERTICES).then_some(mesh)
}

/// Points of the surface of a shape in the world whose hull is its outline; none if it has no end.
fn outline(shape: &Shape, pose: &Pose) -> Vec<DVec3> {
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
    let local: Vec<DVec3> = match shape {
        Shape::Sphere { radius } => ball(*radius, 0.0).collect(),
        Shape::Box { size } => (0..8)
            .map(|i| 0.5 * *size * DVec3::from([1, 2, 4].map(|bit| if i & bit == 0 { -1.0 } else { 1.0 })))
            .collect(),
        Shape::Cylinder { radius, length } => {
            circle(*radius, -0.5 * length).chain(circle(*radius, 0.5 * length)).collect()
        }
        Shape::Capsule { radius, length } => {
            ball(*radius, -0.5 * length).chain(ball(*radius, 0.5 * length)).collect()
        }
        Shape::Convex(mesh) | Shape::Mesh(mesh) => {
            let every = mesh.vertices.len().div_ceil(MOST_VERTICES).max(1);
            mesh.vertices.iter().copied().step_by(every).collect()
        }
        Shape::Heightfield(field) => field.triangles().vertices,
        Shape::HalfSpace => Vec::new(),
    };
    local.into_iter().map(|p| pose.point(p)).collect()
}

/// The convex hull of points in the plane, counter-clockwise: Andrew's monotone chain.
fn hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let turn =
        |o: (f64, f64), a: (f64, f64), b: (f64, f64)| (a.0 - o.0) * (b.1 - o.1) - (a.1 - o.1) * (b.0 - o.0);
    let chain = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut out: Vec<(f64, f64)> = Vec::new();
        for p in points {
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
    let mut low = chain(&mut points.iter().copied());
    low.extend(chain(&mut points.iter().rev().copied()));
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_its_own_hull() {
        let points = vec![(0.0, 0.0), (1.0, 0.0), (0.5, 0.5), (1.0, 1.0), (0.0, 1.0), (0.5, 0.0)];
        assert_eq!(hull(points), [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]);
    }

    #[test]
    fn outlines_lie_on_their_shapes() {
        let pose = Pose::at(DVec3::new(1.0, 2.0, 3.0));
        let capsule = outline(&Shape::Capsule { radius: 0.1, length: 0.4 }, &pose);
        let reach = capsule.iter().map(|p| (p.z - 3.0).abs()).fold(0.0, f64::max);
        assert!((reach - 0.3).abs() < 1e-12);
        assert!(outline(&Shape::HalfSpace, &pose).is_empty());
    }
}
