//! Ground given by heights on a regular grid.

use crate::aabb::Aabb;
use crate::mesh::TriangleMesh;
use crate::shape::ShapeError;
use glam::DVec3;

/// Heights over a rectangle about the origin of the x-y plane. Each cell is two triangles that share the diagonal
/// from its corner of least x and y to that of greatest x and y; all below is solid, with upright walls at the borders of the
/// rectangle, which go down as far as the rectangle is long and wide together.
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

    /// The least box about the surface and the walls.
    pub fn bounds(&self) -> Aabb {
        let high = self.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (x, y) = (0.5 * self.size_x, 0.5 * self.size_y);
        Aabb { min: DVec3::new(-x, -y, self.bottom()), max: DVec3::new(x, y, high) }
    }

    /// Height of the lower end of the walls, m.
    fn bottom(&self) -> f64 {
        self.heights.iter().copied().fold(f64::INFINITY, f64::min) - self.size_x - self.size_y
    }

    /// The surface and the walls as triangles, counter-clockwise seen from outside. The field must be valid.
    pub fn solid_triangles(&self) -> TriangleMesh {
        let mut mesh = self.triangles();
        let (rows, columns, bottom) = (self.rows, self.columns, self.bottom());
        let right = (0..rows).map(|row| row * columns + columns - 1);
        let left = (0..rows).rev().map(|row| row * columns);
        // The border, counter-clockwise seen from above; it ends where it begins.
        let front = (0..columns).chain(right.skip(1));
        let back = (0..columns - 1).rev().map(|column| (rows - 1) * columns + column);
        let border: Vec<u32> = front.chain(back).chain(left.skip(1)).map(|v| v as u32).collect();
        let first = mesh.vertices.len() as u32;
        let count = border.len() as u32 - 1;
        for &top in &border[..count as usize] {
            mesh.vertices.push(mesh.vertices[top as usize].with_z(bottom));
        }
        for (k, pair) in border.windows(2).enumerate() {
            let (a, b) = (first + k as u32, first + (k as u32 + 1) % count);
            mesh.triangles.push([a, b, pair[1]]);
            mesh.triangles.push([a, pair[1], pair[0]]);
        }
        mesh
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
        let solid = field.solid_triangles();
        assert_eq!(solid.triangles.len(), 4 + 2 * 6);
        for t in 4..solid.triangles.len() {
            let corners = solid.corners(t);
            let normal = crate::mesh::unit_normal(&corners).unwrap();
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            // Upright, and outwards.
            assert!(normal.z.abs() < 1e-15 && normal.dot(middle) > 0.49);
        }
        // Open at the bottom alone: one edge for each piece of the wall.
        assert_eq!(solid.open_edges(), 6);
        let bad = Heightfield { rows: 3, ..field };
        assert!(matches!(bad.validate(), Err(ShapeError::Grid { rows: 3, columns: 3, count: 6 })));
    }
}
