//! Surfaces of triangles: distance to convex cores, inside and outside.
//!
//! The distance is that to the nearest triangle, found in a bounding-volume hierarchy. If the surface is closed, or
//! is ground with all below it solid, the side is decided at the nearest point by the pseudo-normal: the normal of
//! the face, the sum of those of both faces on an edge, the sum weighted by angles at a vertex (Bærentzen and Aanæs
//! 2005). A core that crosses a triangle is pushed to its front by the least translation out of that triangle; of
//! several the deepest counts.

use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::convex::{Core, CoreGap, Placed};
use crate::distance::core_distance;
use crate::heightfield::Heightfield;
use crate::mesh::{TriangleMesh, unit_normal};
use crate::point::closest_on_triangle;
use crate::shape::ShapeError;
use glam::DVec3;
use ropewalk_linalg::Pose;
use std::collections::BTreeMap;

/// A mesh with a bounding-volume hierarchy and pseudo-normals.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    pub(crate) mesh: TriangleMesh,
    pub(crate) tree: Bvh,
    /// Pseudo-normals by triangle: of its face, of the edges from corner k to k + 1, of its corners.
    pseudo_normals: Vec<[DVec3; 7]>,
    /// Whether one side is solid.
    solid: bool,
}

impl Surface {
    pub(crate) fn of_mesh(mesh: &TriangleMesh) -> Result<Self, ShapeError> {
        mesh.validate()?;
        let welded = mesh.welded();
        let solid = welded.open_edges() == 0;
        Ok(Self::prepare(welded, solid))
    }

    pub(crate) fn of_heightfield(field: &Heightfield) -> Result<Self, ShapeError> {
        field.validate()?;
        Ok(Self::prepare(field.solid_triangles(), true))
    }

    fn prepare(mut mesh: TriangleMesh, solid: bool) -> Self {
        let vertices = &mesh.vertices;
        mesh.triangles.retain(|t| unit_normal(&t.map(|v| vertices[v as usize])).is_some());
        let mut at_edge: BTreeMap<(u32, u32), DVec3> = BTreeMap::new();
        let mut at_vertex = vec![DVec3::ZERO; mesh.vertices.len()];
        let mut normals = Vec::with_capacity(mesh.triangles.len());
        for (t, corners) in mesh.triangles.iter().enumerate() {
            let points = mesh.corners(t);
            let n = unit_normal(&points).unwrap_or(DVec3::Z);
            normals.push(n);
            for k in 0..3 {
                let (u, v) = (corners[k], corners[(k + 1) % 3]);
                *at_edge.entry((u.min(v), u.max(v))).or_default() += n;
                let (x, y) = (points[(k + 1) % 3] - points[k], points[(k + 2) % 3] - points[k]);
                at_vertex[u as usize] += n * x.angle_between(y);
            }
        }
        let pseudo_normals = mesh.triangles.iter().zip(&normals).map(|(c, &n)| {
            let edge = |k: usize| {
                let (u, v) = (c[k], c[(k + 1) % 3]);
                at_edge.get(&(u.min(v), u.max(v))).copied().unwrap_or(n)
            };
            let corner = |k: usize| at_vertex[c[k] as usize];
            [n, edge(0), edge(1), edge(2), corner(0), corner(1), corner(2)]
        });
        let boxes: Vec<Aabb> = (0..mesh.triangles.len()).map(|t| Aabb::of_points(&mesh.corners(t))).collect();
        Self { pseudo_normals: pseudo_normals.collect(), tree: Bvh::spatial(&boxes), mesh, solid }
    }

    pub(crate) fn support(&self, d: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for &v in &self.mesh.vertices {
            if v.dot(d) > best.0 {
                best = (v.dot(d), v);
            }
        }
        best.1
    }

    /// Whether `x`, whose nearest point on the surface is `foot` on the given triangle, is on the solid's side.
    pub(crate) fn is_inside(&self, triangle: usize, foot: DVec3, x: DVec3) -> bool {
        if !self.solid {
            return false;
        }
        let (_, weights) = closest_on_triangle(&self.mesh.corners(triangle), foot);
        // The foot is computed by other formulas: within 1e-9 of a side it counts as on it.
        let zero = weights.map(|w| w < 1e-9);
        let feature = match zero {
            [false, true, true] => 4,
            [true, false, true] => 5,
            [true, true, false] => 6,
            [_, _, true] => 1,
            [true, _, _] => 2,
            [_, true, _] => 3,
            _ => 0,
        };
        self.pseudo_normals[triangle][feature].dot(x - foot) < 0.0
    }

    /// Signed distance to the half-space z ≤ 0 of the surface at a pose.
    pub(crate) fn above_plane(&self, pose: &Pose) -> CoreGap {
        let low = pose.point(self.support(pose.local_vector(DVec3::NEG_Z)));
        CoreGap { distance: low.z, normal: DVec3::Z, a: low, b: DVec3::new(low.x, low.y, 0.0) }
    }

    /// Visits the triangles whose boxes meet `region`, in the order of the hierarchy.
    pub(crate) fn triangles_in(&self, region: &Aabb, mut visit: impl FnMut(usize)) {
        self.tree.query(region, |t| visit(t as usize));
    }
}

/// Signed distance of a core at a pose to a surface, in the surface's frame.
pub(crate) fn surface_distance(core: &Core, pose: &Pose, surface: &Surface) -> CoreGap {
    let placed = Placed::new(core, pose);
    let middle = placed.point(core.middle());
    let reach = {
        let bounds = Aabb::of_points(&[DVec3::X, DVec3::Y, DVec3::Z].map(|d| placed.support(d)));
        let lower = Aabb::of_points(&[DVec3::X, DVec3::Y, DVec3::Z].map(|d| placed.support(-d)));
        let all = bounds.joined(&lower);
        (all.max - middle).max(middle - all.min).length()
    };
    let mut best: Option<(CoreGap, usize)> = None;
    // A triangle farther than the best cannot be nearer; overlapping ones must all be looked at.
    let limit = |best: &Option<(CoreGap, usize)>| {
        best.as_ref().map_or(f64::INFINITY, |(g, _)| g.distance.max(0.0) + reach)
    };
    surface.tree.nearest(
        |b| b.distance(middle),
        |triangle| {
            let triangle = triangle as usize;
            let found = core_distance(&placed, &Core::Triangle(surface.mesh.corners(triangle)));
            if best.as_ref().is_none_or(|(g, _)| found.distance < g.distance) {
                best = Some((found, triangle));
            }
            limit(&best)
        },
    );
    let Some((found, triangle)) = best else {
        // No triangle at all: excluded when the surface is prepared.
        return CoreGap { distance: f64::MAX, normal: DVec3::Z, a: middle, b: middle };
    };
    if found.distance > 0.0 && surface.is_inside(triangle, found.b, found.a) {
        // Wholly inside: out through the nearest point of the surface.
        let n = -found.normal;
        let deepest = placed.support(-n);
        let distance = n.dot(deepest - found.b);
        return CoreGap { distance, normal: n, a: deepest, b: deepest - distance * n };
    }
    found
}
