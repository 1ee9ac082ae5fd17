//! Surfaces of rigid solids, with a bounding-volume hierarchy of their facets.
//!
//! Two triangles in one plane that make a convex quadrilateral are one facet: the pressure on it is linear, so the
//! force is the same, with half as many polygons.

use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::mesh::{TriangleMesh, unit_normal};
use crate::shape::ShapeError;
use glam::DVec3;
use std::collections::BTreeMap;

/// Greatest distance from the plane of a triangle at which its neighbor's corner lies in it, as a share of its size.
const FLAT: f64 = 1e-9;

/// The surface of a rigid solid in the frame of its body.
#[derive(Clone, Debug)]
pub struct RigidSurface {
    facets: Vec<Facet>,
    tree: Bvh,
}

/// A triangle or convex quadrilateral with its outward unit normal.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    corners: [DVec3; 4],
    count: usize,
    /// Unit normal.
    pub normal: DVec3,
}

impl Facet {
    /// Corners in m, counter-clockwise seen from outside.
    #[inline]
    pub fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    /// Its triangles.
    pub fn triangles(&self) -> impl Iterator<Item = [DVec3; 3]> {
        let [a, b, c, d] = self.corners;
        std::iter::once([a, b, c]).chain((self.count == 4).then_some([a, c, d]))
    }
}

impl RigidSurface {
    /// The surface of a mesh; triangles without area are left out.
    pub fn new(mesh: &TriangleMesh) -> Result<Self, ShapeError> {
        mesh.validate()?;
        let facets = facets(mesh);
        let boxes: Vec<Aabb> = facets.iter().map(|f| Aabb::of_points(f.corners())).collect();
        Ok(Self { tree: Bvh::spatial(&boxes), facets })
    }

    /// Its facets.
    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }

    /// The bounding-volume hierarchy of its facets.
    pub fn tree(&self) -> &Bvh {
        &self.tree
    }
}

/// The triangles of a mesh, merged in pairs where possible.
fn facets(mesh: &TriangleMesh) -> Vec<Facet> {
    // The shared edge, as its corners in the order of the triangle.
    let mut across = BTreeMap::new();
    for (t, [a, b, c]) in mesh.triangles.iter().enumerate() {
        across.extend([((*a, *b), t), ((*b, *c), t), ((*c, *a), t)]);
    }
    let mut taken = vec![false; mesh.triangles.len()];
    let mut found = Vec::new();
    for t in 0..mesh.triangles.len() {
        let corners = mesh.corners(t);
        let Some(normal) = unit_normal(&corners) else { continue };
        if std::mem::replace(&mut taken[t], true) {
            continue;
        }
        let [a, b, c] = corners;
        let mut facet = Facet { corners: [a, b, c, c], count: 3, normal };
        for k in 0..3 {
            let [p, q, r] = [0, 1, 2].map(|i| mesh.triangles[t][(k + i) % 3]);
            let Some(&other) = across.get(&(q, p)).filter(|&&o| !taken[o]) else { continue };
            let Some(s) = mesh.triangles[other].into_iter().find(|v| ![p, q].contains(v)) else { continue };
            let quad = [p, s, q, r].map(|v| mesh.vertices[v as usize]);
            if unit_normal(&mesh.corners(other)).is_some() && is_flat_and_convex(&quad, normal) {
                taken[other] = true;
                facet = Facet { corners: quad, count: 4, normal };
                break;
            }
        }
        found.push(facet);
    }
    found
}

fn is_flat_and_convex(quad: &[DVec3; 4], normal: DVec3) -> bool {
    let edge = |k: usize| quad[(k + 1) % 4] - quad[k];
    let size = (0..4).map(|k| edge(k).length()).fold(0.0, f64::max);
    let flat = normal.dot(quad[1] - quad[0]).abs() <= FLAT * size;
    flat && (0..4).all(|k| edge(k).cross(edge((k + 1) % 4)).dot(normal) > FLAT * size * size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull::convex_hull;

    #[test]
    fn faces_of_a_box_are_whole_and_those_of_a_tetrahedron_stay() {
        let corners: Vec<DVec3> =
            (0..8).map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect();
        let surface = RigidSurface::new(&convex_hull(&corners).unwrap().mesh()).unwrap();
        assert_eq!(surface.facets().len(), 6);
        for f in surface.facets() {
            let around = f.triangles().map(|t| (t[1] - t[0]).cross(t[2] - t[0])).sum::<DVec3>();
            assert!((0.5 * around - f.normal).length() < 1e-14, "{f:?}");
            assert!(f.normal.dot(f.corners()[0] - DVec3::splat(0.5)) > 0.0);
        }
        let surface = RigidSurface::new(&convex_hull(&corners[..5]).unwrap().mesh()).unwrap();
        // A pyramid on a square.
        assert_eq!(surface.facets().len(), 5);
    }
}
