//! Welds triangles: equal corners become one vertex.

use glam::DVec3;
use ropewalk_geometry::TriangleMesh;
use std::collections::HashMap;

/// Builds a mesh with shared vertices.
#[derive(Default)]
pub(super) struct Welder {
    mesh: TriangleMesh,
    known: HashMap<[u64; 3], u32>,
}

impl Welder {
    /// Adds a triangle. One with two equal corners has no area and is left out.
    pub(super) fn add(&mut self, corners: [DVec3; 3]) -> Result<(), String> {
        let mut triangle = [0; 3];
        for (index, corner) in triangle.iter_mut().zip(corners) {
            // Written so that it rejects NaN too; products of larger numbers overflow.
            if !(corner.abs().max_element() <= 1e18 && corner.is_finite()) {
                return Err(format!(
                    "a corner is at ({}, {}, {}), but must be finite and at most 1e18 in size",
                    corner.x, corner.y, corner.z
                ));
            }
            // −0 and 0 are the same place.
            let corner = corner + 0.0;
            let next = u32::try_from(self.mesh.vertices.len()).map_err(|_| "too many vertices".to_owned())?;
            *index = *self.known.entry(corner.to_array().map(f64::to_bits)).or_insert_with(|| {
                self.mesh.vertices.push(corner);
                next
            });
        }
        let [a, b, c] = triangle;
        if a != b && b != c && c != a {
            self.mesh.triangles.push(triangle);
        }
        Ok(())
    }

    /// The mesh.
    pub(super) fn finish(self) -> Result<TriangleMesh, String> {
        if self.mesh.triangles.is_empty() {
            return Err("this mesh has no triangle".into());
        }
        Ok(self.mesh)
    }
}
