//! Triangle meshes.

use crate::shape::ShapeError;
use glam::DVec3;
use std::collections::BTreeMap;

/// Triangles over shared vertices; counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertices in m.
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle, as indices of vertices.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// Corners of a triangle.
    #[inline]
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    pub(crate) fn check_vertices(&self, shape: &'static str) -> Result<(), ShapeError> {
        match self.vertices.iter().position(|v| !v.is_finite()) {
            Some(index) => Err(ShapeError::Vertex { shape, index }),
            None => Ok(()),
        }
    }

    /// Whether vertices are finite, indices in range, and there is a triangle with an area. Triangles without area
    /// are allowed; they take no part in contact.
    pub fn validate(&self) -> Result<(), ShapeError> {
        self.check_vertices("mesh")?;
        let count = self.vertices.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= count) {
                return Err(ShapeError::Index { triangle, vertex, count });
            }
        }
        match (0..self.triangles.len()).any(|t| unit_normal(&self.corners(t)).is_some()) {
            true => Ok(()),
            false => Err(ShapeError::NoTriangles),
        }
    }

    /// Merges coincident vertices, so that a surface given triangle by triangle (as in STL files) has shared edges.
    pub fn welded(&self) -> Self {
        let mut first = BTreeMap::new();
        let mut vertices = Vec::new();
        let mut index = Vec::with_capacity(self.vertices.len());
        for v in &self.vertices {
            // + 0.0 turns −0 into +0.
            let key = (*v + DVec3::ZERO).to_array().map(f64::to_bits);
            index.push(*first.entry(key).or_insert_with(|| {
                vertices.push(*v);
                (vertices.len() - 1) as u32
            }));
        }
        let triangles = self.triangles.iter().map(|t| t.map(|v| index[v as usize]));
        Self {
            triangles: triangles.filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]).collect(),
            vertices,
        }
    }

    /// Edges that do not join exactly two triangles which run through them in opposite directions; none if the
    /// surface is closed. The mesh must be valid; vertices count as the same if their indices are.
    pub fn open_edges(&self) -> usize {
        let mut balance: BTreeMap<(u32, u32), (i32, u32)> = BTreeMap::new();
        for t in &self.triangles {
            for k in 0..3 {
                let (u, v) = (t[k], t[(k + 1) % 3]);
                let entry = balance.entry((u.min(v), u.max(v))).or_default();
                entry.0 += if u < v { 1 } else { -1 };
                entry.1 += 1;
            }
        }
        // An edge used several times is fine where surfaces touch, as long as directions cancel.
        balance.values().filter(|(sum, count)| *sum != 0 || *count < 2).count()
    }
}

/// The unit normal of a triangle; none if its area vanishes.
#[inline]
pub fn unit_normal(t: &[DVec3; 3]) -> Option<DVec3> {
    let (u, v) = (t[1] - t[0], t[2] - t[0]);
    let n = u.cross(v);
    let area = n.length();
    // Below 1e-13 of the squared edges the direction is round-off.
    (area > 1e-13 * (u.length_squared() + v.length_squared()) && area.is_finite()).then(|| n / area)
}
