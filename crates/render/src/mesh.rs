//! Surfaces of triangles with normals, built once and placed in every frame.

use glam::{DVec3, Vec3};
use ropewalk_geometry::TriangleMesh;
use std::collections::BTreeMap;

/// Cosine of the angle between two faces up to which the edge between them is smooth: 40°.
const SMOOTH: f32 = 0.766;

/// A surface of triangles. Vertices are split where faces meet at an edge that is not smooth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions in m.
    pub points: Vec<DVec3>,
    /// Unit normals of the same vertices.
    pub normals: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The surface of `mesh`, with normals that are smooth over edges below 40°. Triangles without area are left out, as
    /// are those with corners that do not exist or are not finite.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let count = mesh.vertices.len();
        let sound = mesh.triangles.iter().filter(|t| t.iter().all(|&v| (v as usize) < count));
        let sound = TriangleMesh { vertices: mesh.vertices.clone(), triangles: sound.copied().collect() };
        let mesh = sound.welded();
        // Normal of each face, as long as twice its area.
        let area = |t: usize| {
            let [a, b, c] = mesh.corners(t);
            (b - a).cross(c - a)
        };
        let faces: Vec<DVec3> = (0..mesh.triangles.len()).map(area).collect();
        let unit: Vec<Vec3> = faces.iter().map(|n| n.normalize_or_zero().as_vec3()).collect();
        let mut around = vec![Vec::new(); mesh.vertices.len()];
        for (t, corners) in mesh.triangles.iter().enumerate() {
            corners.iter().for_each(|&v| around[v as usize].push(t));
        }
        let mut out = Self::default();
        let mut known: BTreeMap<(u32, [u32; 3]), u32> = BTreeMap::new();
        for (t, corners) in mesh.triangles.iter().enumerate() {
            if unit[t] == Vec3::ZERO || !unit[t].is_finite() {
                continue;
            }
            let corner = |v: u32| {
                let near = around[v as usize].iter().filter(|&&other| unit[t].dot(unit[other]) > SMOOTH);
                let sum: DVec3 = near.map(|&other| faces[other]).sum();
                let normal = sum.normalize_or(unit[t].as_dvec3()).as_vec3();
                let key = (v, normal.to_array().map(f32::to_bits));
                *known.entry(key).or_insert_with(|| {
                    out.points.push(mesh.vertices[v as usize]);
                    out.normals.push(normal);
                    (out.points.len() - 1) as u32
                })
            };
            let triangle = corners.map(corner);
            out.triangles.push(triangle);
        }
        out
    }

    /// The corners of its bounding box.
    pub(crate) fn corners_of_bounds(&self) -> Vec<DVec3> {
        let Some(&first) = self.points.first() else { return Vec::new() };
        let (low, high) = self.points.iter().fold((first, first), |(a, b), p| (a.min(*p), b.max(*p)));
        (0..8)
            .map(|i| DVec3::from([0, 1, 2].map(|k| if i & (1 << k) == 0 { low[k] } else { high[k] })))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_a_box_stay_sharp_and_those_of_a_fine_roof_are_smooth() {
        let ridge = |rise: f64| TriangleMesh {
            vertices: vec![
                DVec3::new(0.0, 0.0, rise),
                DVec3::new(0.0, 1.0, rise),
                DVec3::new(-1.0, 0.0, 0.0),
                DVec3::new(1.0, 0.0, 0.0),
            ],
            triangles: vec![[0, 1, 2], [1, 0, 3], [0, 1, 9], [0, 0, 1]],
        };
        let steep = Mesh::new(&ridge(1.0));
        assert_eq!((steep.points.len(), steep.triangles.len()), (6, 2));
        let flat = Mesh::new(&ridge(0.1));
        assert_eq!((flat.points.len(), flat.triangles.len()), (4, 2));
        assert!((flat.normals[0] - Vec3::Z).length() < 1e-6);
    }
}
