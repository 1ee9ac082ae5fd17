//! Convex cells of up to six faces with a linear field, of which rods are made.
//!
//! A sector of a round rod between two nodes is a wedge of five faces, a strip of a flat one a block of six; the
//! field is linear in it unless the rod is twisted. One such cell replaces three (six) tetrahedra and gives one
//! polygon instead of several pieces. With o its first corner: p(x) = p_o + ∇p·(x − o), heights n_k·(x − o) + d_k ≥ 0
//! inside.

use super::clip::{FACES, HalfSpaces, Loop, clip, one_sided, slice};
use super::tet::{Cell, Tet};
use crate::aabb::Aabb;
use glam::{DMat3, DVec3};

/// Greatest number of corners of a convex cell.
const MOST_POINTS: usize = 8;

/// A convex cell with a linear field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexCell {
    /// Corners in m; if there are fewer than eight, the last is repeated.
    pub corners: [DVec3; MOST_POINTS],
    /// Pressures at the corners in Pa.
    pub pressures: [f64; MOST_POINTS],
    /// Gradient of the pressure in Pa/m.
    pub gradient: DVec3,
    /// By axis, then by face: inward normals.
    slopes: [[f64; FACES]; 3],
    /// Heights of the first corner.
    offsets: [f64; FACES],
}

impl HalfSpaces<FACES> for ConvexCell {
    #[inline(always)]
    fn heights(&self, x: DVec3) -> [f64; FACES] {
        let d = x - self.corners[0];
        let [sx, sy, sz] = &self.slopes;
        let mut all = self.offsets;
        for k in 0..FACES {
            all[k] += sx[k] * d.x + sy[k] * d.y + sz[k] * d.z;
        }
        all
    }
}

impl ConvexCell {
    #[inline(always)]
    fn blank(corners: [DVec3; MOST_POINTS], pressures: [f64; MOST_POINTS], gradient: DVec3) -> Self {
        // Unused faces contain all points.
        Self { corners, pressures, gradient, slopes: [[0.0; FACES]; 3], offsets: [1.0; FACES] }
    }

    #[inline(always)]
    fn set_face(&mut self, k: usize, normal: DVec3, offset: f64) {
        for axis in 0..3 {
            self.slopes[axis][k] = normal[axis];
        }
        self.offsets[k] = offset;
    }

    /// A tetrahedron.
    #[inline]
    pub fn of_tet(tet: &Tet) -> Self {
        let [a, b, c, d] = tet.cell.corners;
        let [p, q, r, s] = tet.cell.pressures;
        let mut cell = Self::blank([a, b, c, d, d, d, d, d], [p, q, r, s, s, s, s, s], tet.cell.gradient);
        for (all, four) in cell.slopes.iter_mut().zip(tet.slopes_by_axis()) {
            all[..4].copy_from_slice(four);
        }
        cell.offsets[1..4].fill(0.0);
        cell
    }

    /// The prism between two plane polygons of N corners each, whose sides from `a` to `b` are all parallel to
    /// `along`; the pressure is `modulus` at all corners but the last two of both, where it is zero.
    #[inline]
    pub(crate) fn along<const N: usize>(a: [DVec3; N], b: [DVec3; N], along: DVec3, modulus: f64) -> Self {
        let mut corners = [b[N - 1]; MOST_POINTS];
        corners[..N].copy_from_slice(&a);
        corners[N..2 * N].copy_from_slice(&b);
        let mut pressures = [0.0; MOST_POINTS];
        (0..N - 2).for_each(|k| (pressures[k], pressures[N + k]) = (modulus, modulus));
        let mut cell = Self::blank(corners, pressures, DVec3::ZERO);
        // Only the signs of heights matter: normals need no unit length, but must point inwards.
        let mut add = |k: usize, normal: DVec3, on: DVec3, inside: DVec3| {
            let normal = if normal.dot(inside - on) < 0.0 { -normal } else { normal };
            cell.set_face(k, normal, normal.dot(a[0] - on));
        };
        for k in 0..N {
            add(k, (a[(k + 1) % N] - a[k]).cross(along), a[k], a[(k + 2) % N]);
        }
        add(N, (a[1] - a[0]).cross(a[2] - a[0]), a[0], b[0]);
        add(N + 1, (b[1] - b[0]).cross(b[2] - b[0]), b[0], a[0]);
        // p = E height/height of the medial corners above the skin, which is the face of the last two corners.
        let skin = DVec3::from_array([0, 1, 2].map(|axis| cell.slopes[axis][N - 2]));
        cell.gradient = skin * (modulus / cell.offsets[N - 2]);
        cell
    }

    /// The pressure at a point, continued linearly outside.
    #[inline(always)]
    pub fn pressure(&self, x: DVec3) -> f64 {
        self.pressures[0] + self.gradient.dot(x - self.corners[0])
    }

    /// Its bounding box.
    #[inline]
    pub fn bounds(&self) -> Aabb {
        let (mut min, mut max) = (self.corners[0], self.corners[0]);
        for c in &self.corners[1..] {
            (min, max) = (min.min(*c), max.max(*c));
        }
        Aabb { min, max }
    }

    /// The same cell, its points taken through x ↦ R x + t.
    #[inline]
    pub fn moved(&self, rotation: &DMat3, translation: DVec3) -> Self {
        let mut slopes = [[0.0; FACES]; 3];
        let [sx, sy, sz] = &self.slopes;
        let r = rotation.to_cols_array_2d();
        for axis in 0..3 {
            for k in 0..FACES {
                slopes[axis][k] = r[0][axis] * sx[k] + r[1][axis] * sy[k] + r[2][axis] * sz[k];
            }
        }
        Self {
            corners: self.corners.map(|c| *rotation * c + translation),
            gradient: *rotation * self.gradient,
            slopes,
            ..*self
        }
    }

    /// Whether a point lies inside or on the border.
    pub fn holds(&self, x: DVec3) -> bool {
        self.heights(x).iter().all(|h| *h >= 0.0)
    }

    /// Its volume in m³, as a sum of tetrahedra from its middle. For checks.
    pub fn volume(&self) -> f64 {
        let middle = self.corners.iter().sum::<DVec3>() / MOST_POINTS as f64;
        let reach = 2.0 * self.bounds().half().length();
        let heights = self.heights(middle);
        let mut sum = 0.0;
        for k in 0..FACES {
            let normal = DVec3::new(self.slopes[0][k], self.slopes[1][k], self.slopes[2][k]);
            let length = normal.length();
            if length == 0.0 {
                continue;
            }
            let (normal, height) = (normal / length, heights[k] / length);
            let mut face = Loop::EMPTY;
            face.set_square(middle - height * normal, normal, reach);
            // On its own face heights are round-off: moved inwards by a little.
            let mut inside = *self;
            inside.offsets[k] += 1e-9 * length * reach;
            if clip(&mut face, &inside) {
                sum += face.area_and_centroid(normal).0 * height / 3.0;
            }
        }
        sum
    }
}

/// The polygon in which the fields of a convex cell and a tetrahedron are equal. False if there is none.
#[inline]
pub(crate) fn equal_in_tet(a: &ConvexCell, b: &Cell, out: &mut Loop) -> bool {
    let mut here = [0.0; MOST_POINTS];
    for k in 0..MOST_POINTS {
        here[k] = a.pressures[k] - b.pressure(a.corners[k]);
    }
    if one_sided(&here) {
        return false;
    }
    let mut values = [0.0; 4];
    for k in 0..4 {
        values[k] = a.pressure(b.corners[k]) - b.pressures[k];
    }
    !one_sided(&values) && slice(&b.corners, &values, out) && clip(out, a)
}

/// The polygon in which the fields of two convex cells are equal. False if there is none.
#[inline]
pub(crate) fn equal_in_cells(a: &ConvexCell, b: &ConvexCell, out: &mut Loop) -> bool {
    let mut here = [0.0; MOST_POINTS];
    for k in 0..MOST_POINTS {
        here[k] = a.pressures[k] - b.pressure(a.corners[k]);
    }
    if one_sided(&here) {
        return false;
    }
    let mut there = [0.0; MOST_POINTS];
    for k in 0..MOST_POINTS {
        there[k] = a.pressure(b.corners[k]) - b.pressures[k];
    }
    !one_sided(&there) && cut(a, a.gradient - b.gradient, here[0], out) && clip(out, b)
}

/// The polygon in which a cell is cut by the zeros of a linear function, given by its gradient and its value at the
/// first corner.
#[inline]
pub(crate) fn cut(cell: &ConvexCell, gradient: DVec3, value: f64, out: &mut Loop) -> bool {
    let squared = gradient.length_squared();
    let n = gradient * (1.0 / squared.sqrt());
    let bounds = cell.bounds();
    let center = bounds.center();
    // From the middle of the cell down to the plane.
    let height = (value + gradient.dot(center - cell.corners[0])) / squared;
    if !n.is_finite() || !height.is_finite() {
        return false;
    }
    out.set_square(center - height * gradient, n, bounds.half().length());
    clip(out, cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_of_a_tetrahedron_and_of_prisms() {
        let corners =
            [DVec3::new(0.1, 0.0, 0.0), DVec3::X, DVec3::new(0.0, 2.0, 0.1), DVec3::new(0.3, 0.0, 1.0)];
        let tet = Tet::new(corners, [1.0, 0.0, 0.0, 0.0]).unwrap();
        let [a, b, c, d] = corners;
        let exact = (b - a).dot((c - a).cross(d - a)).abs() / 6.0;
        let found = ConvexCell::of_tet(&tet).volume();
        assert!((found / exact - 1.0).abs() < 1e-7, "{found} {exact}");
        let base = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let top = [DVec3::Z, DVec3::X + 3.0 * DVec3::Z, DVec3::Y + 2.0 * DVec3::Z];
        let wedge = ConvexCell::along(base, top, DVec3::Z, 5.0);
        assert!((wedge.volume() - 0.5 * 2.0).abs() < 1e-7, "{}", wedge.volume());
        let base = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let block = ConvexCell::along(base, base.map(|x| x + 2.0 * DVec3::Z), DVec3::Z, 5.0);
        assert!((block.volume() - 2.0).abs() < 1e-7, "{}", block.volume());
        // 5 on the side y = 0, 0 on the side y = 1.
        assert!((block.pressure(DVec3::new(0.3, 0.25, 1.7)) - 3.75).abs() < 1e-14);
        assert!(block.holds(DVec3::new(0.3, 0.25, 1.7)) && !block.holds(DVec3::new(0.3, 1.25, 1.7)));
        let turn = DMat3::from_rotation_x(0.7);
        let moved = block.moved(&turn, DVec3::ONE);
        assert!(moved.holds(turn * DVec3::new(0.3, 0.25, 1.7) + DVec3::ONE));
        assert!((moved.pressure(turn * DVec3::new(0.3, 0.25, 1.7) + DVec3::ONE) - 3.75).abs() < 1e-13);
    }

    #[test]
    fn the_cut_of_a_block_is_its_cross_section() {
        let base = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let block = ConvexCell::along(base, base.map(|x| x + 2.0 * DVec3::Z), DVec3::Z, 5.0);
        let mut polygon = Loop::EMPTY;
        assert!(cut(&block, 3.0 * DVec3::Z, -1.5, &mut polygon));
        let (area, centroid) = polygon.area_and_centroid(DVec3::Z);
        assert!((area - 1.0).abs() < 1e-14 && (centroid - DVec3::new(0.5, 0.5, 0.5)).length() < 1e-14);
        assert!(!cut(&block, DVec3::Z, 1.0, &mut polygon));
        assert!(!cut(&block, DVec3::ZERO, 1.0, &mut polygon));
    }
}
