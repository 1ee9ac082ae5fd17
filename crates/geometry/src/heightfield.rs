//! Ground given by heights on a regular grid.

use crate::aabb::Aabb;
use crate::mesh::TriangleMesh;
use crate::shape::ShapeError;
use glam::DVec3;

/// Heights over a rectangle about the origin of the x-y plane. Each cell is two triangles that share the diagonal
/// from its corner of least x and y to that of greatest x and y; all below is solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    /// Full length along x in m.
    pub size_x: f64,
    /// Full length along y in m.
    pub size_y: f64,
    /// Places along y.
    pub rows: usize,
    /// Places along x.
    pub columns: usize,
    /// Heights z in m, row by row from the least y, each row from the least x.
    pub heights: Vec<f64>,
}

impl Heightfield {
    /// Whether sizes are positive, heights finite, and their number that of the places.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let shape = "heightfield";
        for (quantity, value) in [("size along x", self.size_x), ("size along y", self.size_y)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ShapeError::Size { shape, quantity, value });
            }
        }
        let (rows, columns, count) = (self.rows, self.columns, self.heights.len());
        if rows < 2 || columns < 2 || rows.checked_mul(columns) != Some(count) {
            return Err(ShapeError::Grid { rows, columns, count });
        }
        match self.heights.iter().position(|h| !h.is_finite()) {
            Some(index) => Err(ShapeError::Vertex { shape, index }),
            None => Ok(()),
        }
    }

    /// The least box about the surface.
    pub fn bounds(&self) -> Aabb {
        let (low, high) =
            self.heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &z| (l.min(z), h.max(z)));
        let (x, y) = (0.5 * self.size_x, 0.5 * self.size_y);
        Aabb { min: DVec3::new(-x, -y, low), max: DVec3::new(x, y, high) }
    }

    /// The surface as triangles, counter-clockwise seen from above. The field must be valid.
    pub fn triangles(&self) -> TriangleMesh {
        let place = |i: usize, n: usize, size: f64| size * (i as f64 / (n - 1) as f64 - 0.5);
        let mut mesh = TriangleMesh::default();
        for row in 0..self.rows {
            for column in 0..self.columns {
                mesh.vertices.push(DVec3::new(
                    place(column, self.columns, self.size_x),
                    place(row, self.rows, self.size_y),
                    self.heights[row * self.columns + column],
                ));
            }
        }
        for row in 0..self.rows - 1 {
            for column in 0..self.columns - 1 {
                let a = (row * self.columns + column) as u32;
                let (b, c) = (a + 1, a + self.columns as u32);
                mesh.triangles.push([a, b, c + 1]);
                mesh.triangles.push([a, c + 1, c]);
            }
        }
        mesh
    }

    /// The height at a place; none outside the rectangle.
    pub fn height(&self, x: f64, y: f64) -> Option<f64> {
        let cell = |p: f64, size: f64, n: usize| {
            let u = (p / size + 0.5) * (n - 1) as f64;
            (0.0..=(n - 1) as f64).contains(&u).then(|| {
                let i = (u as usize).min(n - 2);
                (i, u - i as f64)
            })
        };
        let (column, u) = cell(x, self.size_x, self.columns)?;
        let (row, v) = cell(y, self.size_y, self.rows)?;
        let at = |r: usize, c: usize| self.heights[r * self.columns + c];
        let (low, high) = (at(row, column), at(row + 1, column + 1));
        Some(match u >= v {
            // low + u (right − low) + v (high − right)
            true => low + u * (at(row, column + 1) - low) + v * (high - at(row, column + 1)),
            false => low + v * (at(row + 1, column) - low) + u * (high - at(row + 1, column)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_lie_on_the_triangles() {
        let heights = vec![0.0, 0.1, -0.2, 0.3, 0.05, 0.4];
        let field = Heightfield { size_x: 2.0, size_y: 1.0, rows: 2, columns: 3, heights };
        field.validate().unwrap();
        let mesh = field.triangles();
        assert_eq!(mesh.triangles.len(), 4);
        for t in 0..4 {
            let corners = mesh.corners(t);
            assert!(crate::mesh::unit_normal(&corners).unwrap().z > 0.0);
            let p = 0.2 * corners[0] + 0.5 * corners[1] + 0.3 * corners[2];
            assert!((field.height(p.x, p.y).unwrap() - p.z).abs() < 1e-15);
        }
        assert_eq!(field.height(1.01, 0.0), None);
        let bad = Heightfield { rows: 3, ..field };
        assert!(matches!(bad.validate(), Err(ShapeError::Grid { rows: 3, columns: 3, count: 6 })));
    }
}
