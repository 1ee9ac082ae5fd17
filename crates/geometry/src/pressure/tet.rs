//! A tetrahedron with a linear field.
//!
//! With corners c_k and pressures p_k, λ_k the barycentric coordinates (1 at c_k, 0 on the opposite face):
//!
//!   p(x) = Σ p_k λ_k(x),  λ_k(x) = ∇λ_k·(x − c_0) + δ_k0,  ∇p = Σ (p_k − p_0) ∇λ_k,
//!   ∇λ_1 = (e_2 × e_3)/6V and cyclic, ∇λ_0 = −Σ ∇λ_k,  e_k = c_k − c_0,  6V = e_1·(e_2 × e_3).
//!
//! Everything is relative to corner 0, so that no digits are lost far from the origin. The orientation of the corners
//! does not matter.

use crate::aabb::Aabb;
use glam::{DMat3, DVec3};

/// Volume, relative to the cube of the longest edge from corner 0, below which the direction of the gradient is
/// round-off. Such a tetrahedron has no interior either, so it is dropped.
const FLAT: f64 = 1e-14;

/// A cell to be sliced: corners, pressures and gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Corners in m.
    pub corners: [DVec3; 4],
    /// Pressures at the corners in Pa.
    pub pressures: [f64; 4],
    /// Gradient of the pressure in Pa/m.
    pub gradient: DVec3,
}

/// A cell with its barycentric coordinates, by which slices are clipped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tet {
    /// Corners, pressures, gradient.
    pub cell: Cell,
    /// By axis, then by corner: the components of ∇λ_k in 1/m. This order lets four coordinates be computed at once.
    slopes: [[f64; 4]; 3],
}

impl Cell {
    /// The pressure at a point, continued linearly outside.
    #[inline(always)]
    pub fn pressure(&self, x: DVec3) -> f64 {
        self.pressures[0] + self.gradient.dot(x - self.corners[0])
    }

    /// The same cell, its points taken through x ↦ R x + t.
    #[inline(always)]
    pub fn moved(&self, rotation: &DMat3, translation: DVec3) -> Self {
        Self {
            corners: self.corners.map(|c| *rotation * c + translation),
            pressures: self.pressures,
            gradient: *rotation * self.gradient,
        }
    }

    /// Its bounding box.
    #[inline(always)]
    pub fn bounds(&self) -> Aabb {
        let [a, b, c, d] = self.corners;
        Aabb { min: a.min(b).min(c.min(d)), max: a.max(b).max(c.max(d)) }
    }
}

impl Tet {
    /// A tetrahedron; none if it is flat, or if its pressure is zero everywhere (then it takes no part in contact).
    #[inline]
    pub fn new(corners: [DVec3; 4], pressures: [f64; 4]) -> Option<Self> {
        let [e1, e2, e3] = [1, 2, 3].map(|k| corners[k] - corners[0]);
        let [n1, n2, n3] = [e2.cross(e3), e3.cross(e1), e1.cross(e2)];
        let six_volumes = e1.dot(n1);
        let extent = e1.length_squared().max(e2.length_squared()).max(e3.length_squared());
        let solid = six_volumes.abs() > FLAT * extent * extent.sqrt();
        let scale = 1.0 / six_volumes;
        if !solid || !scale.is_finite() || pressures == [0.0; 4] {
            return None;
        }
        let (n1, n2, n3) = (n1 * scale, n2 * scale, n3 * scale);
        let n0 = -(n1 + n2 + n3);
        let rise = |k: usize| pressures[k] - pressures[0];
        let gradient = rise(1) * n1 + rise(2) * n2 + rise(3) * n3;
        Some(Self {
            cell: Cell { corners, pressures, gradient },
            slopes: [[n0.x, n1.x, n2.x, n3.x], [n0.y, n1.y, n2.y, n3.y], [n0.z, n1.z, n2.z, n3.z]],
        })
    }

    /// This tetrahedron as the cell that its own became under a rotation.
    #[inline(always)]
    pub fn moved(&self, rotation: &DMat3, cell: &Cell) -> Self {
        let [x, y, z] = &self.slopes;
        let mut slopes = [[0.0; 4]; 3];
        for k in 0..4 {
            let v = *rotation * DVec3::new(x[k], y[k], z[k]);
            for axis in 0..3 {
                slopes[axis][k] = v[axis];
            }
        }
        Self { cell: *cell, slopes }
    }

    /// By axis, then by corner: the components of ∇λ_k in 1/m.
    #[inline(always)]
    pub fn slopes_by_axis(&self) -> &[[f64; 4]; 3] {
        &self.slopes
    }

    /// The barycentric coordinates of a point; all are at least 0 inside.
    #[inline(always)]
    pub fn coordinates(&self, x: DVec3) -> [f64; 4] {
        let d = x - self.cell.corners[0];
        let [sx, sy, sz] = &self.slopes;
        let mut all = [1.0, 0.0, 0.0, 0.0];
        for k in 0..4 {
            all[k] += sx[k] * d.x + sy[k] * d.y + sz[k] * d.z;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_and_pressure_are_linear_and_right_at_the_corners() {
        let corners = [
            DVec3::new(10.0, 0.1, 0.0),
            DVec3::new(10.01, 0.0, 0.0),
            DVec3::new(10.0, 0.3, 0.02),
            DVec3::new(10.002, 0.1, 0.5),
        ];
        let pressures = [1.0, 4.0, -2.0, 7.0];
        let tet = Tet::new(corners, pressures).unwrap();
        for k in 0..4 {
            assert!((tet.cell.pressure(corners[k]) - pressures[k]).abs() < 1e-9);
            for (j, l) in tet.coordinates(corners[k]).into_iter().enumerate() {
                assert!((l - f64::from(u8::from(j == k))).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn flat_and_empty_ones_are_left_out() {
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
        assert!(Tet::new(flat, [1.0; 4]).is_none());
        assert!(Tet::new([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], [0.0; 4]).is_none());
        assert!(Tet::new([DVec3::NAN, DVec3::X, DVec3::Y, DVec3::Z], [1.0; 4]).is_none());
    }
}
