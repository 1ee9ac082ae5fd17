//! Slices of tetrahedra, clipped by others.
//!
//! A plane cuts a tetrahedron in a triangle or a quadrilateral: on each edge whose ends lie on different sides, at
//! the zero of the linear function. Each face of the other cell cuts the polygon again (Sutherland and Hodgman 1974);
//! the heights above its faces are computed once at the corners of the slice and carried along linearly. Two cells of
//! six faces start from a square. So there are at most 4 + 12 corners, in an array on the stack.

use super::tet::{Cell, Tet};
use glam::DVec3;

/// Greatest number of corners of a square clipped by two cells of six faces.
pub const MOST_CORNERS: usize = 16;

/// Capacity for the faces of a clipping solid: at most six, and eight numbers fill a vector register.
pub const FACES: usize = 8;

/// A convex polygon in space, with scratch for clipping; meant to be reused.
#[derive(Clone, Debug)]
pub struct Loop {
    points: [DVec3; MOST_CORNERS],
    count: usize,
    rings: [Ring; 2],
}

impl Default for Loop {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Loop {
    /// No corners.
    pub const EMPTY: Self =
        Self { points: [DVec3::ZERO; MOST_CORNERS], count: 0, rings: [Ring::EMPTY, Ring::EMPTY] };

    /// Sets the corners, at most [`MOST_CORNERS`]; further ones are dropped.
    #[inline]
    pub fn set(&mut self, corners: &[DVec3]) {
        self.count = 0;
        for (p, c) in self.points.iter_mut().zip(corners) {
            *p = *c;
            self.count += 1;
        }
    }

    /// Sets a square in the plane through `center` with the unit normal `n` that holds all points of the plane within
    /// `reach`.
    #[inline]
    pub fn set_square(&mut self, center: DVec3, n: DVec3, reach: f64) {
        let x = n.any_orthonormal_vector() * reach;
        let y = n.cross(x);
        self.points[..4].copy_from_slice(&[center - x - y, center + x - y, center + x + y, center - x + y]);
        self.count = 4;
    }

    /// Its corners, in order.
    #[inline]
    pub fn points(&self) -> &[DVec3] {
        &self.points[..self.count]
    }

    #[inline(always)]
    fn push(&mut self, p: DVec3) {
        self.points[self.count] = p;
        self.count += 1;
    }

    /// Area in the plane with the unit normal `n`, and centroid.
    #[inline]
    pub fn area_and_centroid(&self, n: DVec3) -> (f64, DVec3) {
        let Some((&first, rest)) = self.points().split_first() else { return (0.0, DVec3::ZERO) };
        let (mut sum, mut moment) = (0.0, DVec3::ZERO);
        for pair in rest.windows(2) {
            let (u, v) = (pair[0] - first, pair[1] - first);
            let twice = u.cross(v).dot(n);
            sum += twice;
            moment += twice * (u + v);
        }
        if sum == 0.0 {
            return (0.0, first);
        }
        (0.5 * sum.abs(), first + moment / (3.0 * sum))
    }
}

impl Loop {
    /// The center of a linear pressure on the polygon; none if there is no pressure. Over a triangle with the corners
    /// x_i, ∫ p x dA = area/12 · (Σ p_i Σ x_i + Σ p_i x_i).
    #[inline]
    pub fn center_of_pressure(&self, n: DVec3, pressure: impl Fn(DVec3) -> f64) -> Option<DVec3> {
        let (&first, rest) = self.points().split_first()?;
        // Negative pressures are round-off: without them the center is a convex combination of corners, and so
        // inside.
        let at = |x: DVec3| pressure(x).max(0.0);
        let p0 = at(first);
        let (mut force, mut moment) = (0.0, DVec3::ZERO);
        let (mut u, mut pu) = (*rest.first()? - first, at(*rest.first()?));
        for &corner in &rest[1..] {
            let (v, pv) = (corner - first, at(corner));
            let twice = u.cross(v).dot(n).abs();
            let sum = p0 + pu + pv;
            force += twice * sum;
            moment += twice * (sum * (u + v) + pu * u + pv * v);
            (u, pu) = (v, pv);
        }
        (force > 0.0).then(|| first + moment / (4.0 * force))
    }
}

/// The polygon in which the zero set of a linear function, given by its values at the corners, cuts a tetrahedron.
/// False if there is none.
#[inline(always)]
pub fn slice(corners: &[DVec3; 4], values: &[f64; 4], out: &mut Loop) -> bool {
    /// By the signs (bit k: corner k is above): the edges that are cut, in order around the polygon.
    const CUTS: [&[(u8, u8)]; 16] = [
        &[],
        &[(0, 1), (0, 2), (0, 3)],
        &[(1, 0), (1, 2), (1, 3)],
        &[(0, 2), (0, 3), (1, 3), (1, 2)],
        &[(2, 0), (2, 1), (2, 3)],
        &[(0, 1), (0, 3), (2, 3), (2, 1)],
        &[(1, 0), (1, 3), (2, 3), (2, 0)],
        &[(3, 0), (3, 1), (3, 2)],
        &[(3, 0), (3, 1), (3, 2)],
        &[(0, 1), (0, 2), (3, 2), (3, 1)],
        &[(1, 0), (1, 2), (3, 2), (3, 0)],
        &[(2, 0), (2, 1), (2, 3)],
        &[(2, 0), (2, 1), (3, 1), (3, 0)],
        &[(1, 0), (1, 2), (1, 3)],
        &[(0, 1), (0, 2), (0, 3)],
        &[],
    ];
    let above = |k: usize| usize::from(values[k] >= 0.0) << k;
    let cuts = CUTS[above(0) | above(1) | above(2) | above(3)];
    out.count = 0;
    for &(i, j) in cuts {
        let (i, j) = (i as usize, j as usize);
        let t = values[i] / (values[i] - values[j]);
        out.push(corners[i] + t * (corners[j] - corners[i]));
    }
    out.count != 0
}

/// A convex solid as the points where K linear functions are not negative.
pub trait HalfSpaces<const K: usize> {
    /// The functions at a point.
    fn heights(&self, x: DVec3) -> [f64; K];
}

impl HalfSpaces<4> for Tet {
    #[inline(always)]
    fn heights(&self, x: DVec3) -> [f64; 4] {
        self.coordinates(x)
    }
}

/// Corners with their heights above the faces of a solid.
#[derive(Clone, Debug)]
struct Ring {
    points: [DVec3; MOST_CORNERS],
    heights: [[f64; FACES]; MOST_CORNERS],
    count: usize,
}

impl Ring {
    const EMPTY: Self =
        Self { points: [DVec3::ZERO; MOST_CORNERS], heights: [[0.0; FACES]; MOST_CORNERS], count: 0 };

    #[inline(always)]
    fn push<const K: usize>(&mut self, point: DVec3, heights: [f64; K]) {
        self.points[self.count] = point;
        self.heights[self.count][..K].copy_from_slice(&heights);
        self.count += 1;
    }

    /// Sets the part of `from` above a face. False if it is empty.
    #[inline(always)]
    fn cut<const K: usize>(&mut self, from: &Self, face: usize) -> bool {
        self.count = 0;
        let mut last = from.count - 1;
        for i in 0..from.count {
            let (l, m) = (from.heights[last][face], from.heights[i][face]);
            // A convex polygon crosses a face at most twice; with round-off, too, it must not exceed the array.
            if (l < 0.0) != (m < 0.0) && self.count < MOST_CORNERS {
                let t = l / (l - m);
                let mut heights = [0.0; K];
                for k in 0..K {
                    heights[k] = from.heights[last][k] + t * (from.heights[i][k] - from.heights[last][k]);
                }
                self.push(from.points[last] + t * (from.points[i] - from.points[last]), heights);
            }
            if m >= 0.0 && self.count < MOST_CORNERS {
                self.points[self.count] = from.points[i];
                self.heights[self.count] = from.heights[i];
                self.count += 1;
            }
            last = i;
        }
        self.count > 2
    }
}

/// Whether all points lie outside one face of a convex solid: then the intersection is empty. Most candidates end
/// here, before anything is copied.
#[inline(always)]
pub fn is_beyond<const K: usize>(points: &[DVec3], by: &impl HalfSpaces<K>) -> bool {
    let mut highest = [f64::NEG_INFINITY; K];
    for p in points {
        let h = by.heights(*p);
        for k in 0..K {
            highest[k] = if h[k] > highest[k] { h[k] } else { highest[k] };
        }
    }
    let mut beyond = false;
    for h in highest {
        beyond |= h < 0.0;
    }
    beyond
}

/// Clips a convex polygon by a convex solid. False if nothing is left.
#[inline(always)]
pub fn clip<const K: usize>(polygon: &mut Loop, by: &impl HalfSpaces<K>) -> bool {
    const { assert!(K <= FACES) };
    let Loop { points, count, rings: [here, there] } = polygon;
    let (mut now, mut next) = (here, there);
    now.count = 0;
    let mut outside = [0u32; K];
    for p in &points[..*count] {
        let h = by.heights(*p);
        for k in 0..K {
            outside[k] += u32::from(h[k] < 0.0);
        }
        now.push(*p, h);
    }
    if outside.contains(&(*count as u32)) {
        return false;
    }
    if outside == [0; K] {
        return true;
    }
    for k in 0..K {
        if outside[k] != 0 {
            if !next.cut::<K>(now, k) {
                return false;
            }
            std::mem::swap(&mut now, &mut next);
        }
    }
    *count = now.count;
    points[..now.count].copy_from_slice(&now.points[..now.count]);
    true
}

/// The polygon in which two fields are equal, within both cells. False if there is none.
#[inline(always)]
pub fn equal_pressure(a: &Cell, b: &Tet, out: &mut Loop) -> bool {
    // p_A − p_B at the corners of A, then at those of B: without a change of sign in both there is no common point.
    let mut values = [0.0; 4];
    for k in 0..4 {
        values[k] = a.pressures[k] - b.cell.pressure(a.corners[k]);
    }
    if one_sided(&values) {
        return false;
    }
    let mut there = [0.0; 4];
    for k in 0..4 {
        there[k] = a.pressure(b.cell.corners[k]) - b.cell.pressures[k];
    }
    !one_sided(&there) && slice(&a.corners, &values, out) && clip(out, b)
}

#[inline(always)]
pub(crate) fn one_sided<const N: usize>(values: &[f64; N]) -> bool {
    let (mut above, mut below) = (true, true);
    for v in values {
        above &= *v > 0.0;
        below &= *v < 0.0;
    }
    above | below
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: [DVec3; 4] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];

    #[test]
    fn slices_have_the_area_and_centroid_of_closed_forms() {
        let mut polygon = Loop::EMPTY;
        // z = 1/4 cuts a triangle with legs of 3/4.
        assert!(slice(&UNIT, &[-0.25, -0.25, -0.25, 0.75], &mut polygon));
        let (area, centroid) = polygon.area_and_centroid(DVec3::Z);
        assert!((area - 0.5 * 0.75 * 0.75).abs() < 1e-15);
        assert!((centroid - DVec3::new(0.25, 0.25, 0.25)).length() < 1e-15);
        // x + y = 1/2 cuts a rectangle of √½ × ½.
        assert!(slice(&UNIT, &[-0.5, 0.5, 0.5, -0.5], &mut polygon));
        assert_eq!(polygon.points().len(), 4);
        let n = DVec3::new(1.0, 1.0, 0.0).normalize();
        let (area, _) = polygon.area_and_centroid(n);
        assert!((area - 0.5 * 0.5f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn the_center_of_pressure_of_a_linear_load() {
        // On 0 ≤ x, y ≤ 1 with p = x: ∫ x² = 1/3 over ∫ x = 1/2.
        let mut square = Loop::EMPTY;
        square.set_square(DVec3::new(0.5, 0.5, 0.0), DVec3::Z, 0.5);
        let center = square.center_of_pressure(DVec3::Z, |x| x.x).unwrap();
        assert!((center - DVec3::new(2.0 / 3.0, 0.5, 0.0)).length() < 1e-14, "{center}");
        assert!(square.center_of_pressure(DVec3::Z, |_| 0.0).is_none());
    }

    #[test]
    fn every_pattern_of_signs_gives_a_convex_polygon() {
        for signs in 0..16u32 {
            let values = [0, 1, 2, 3].map(|k| if signs >> k & 1 == 1 { 0.3 + 0.1 * k as f64 } else { -0.7 });
            let mut polygon = Loop::EMPTY;
            let cut = slice(&UNIT, &values, &mut polygon);
            assert_eq!(cut, signs != 0 && signs != 15);
            if !cut {
                continue;
            }
            let n =
                DVec3::new(values[1] - values[0], values[2] - values[0], values[3] - values[0]).normalize();
            let p = polygon.points();
            let turn = |i: usize| {
                let (a, b, c) = (p[i], p[(i + 1) % p.len()], p[(i + 2) % p.len()]);
                (b - a).cross(c - b).dot(n)
            };
            assert!((0..p.len()).all(|i| turn(i) * turn(0) > 0.0), "{signs:04b}");
        }
    }

    #[test]
    fn a_triangle_is_cut_to_what_lies_inside() {
        let tet = Tet::new(UNIT, [1.0, 0.0, 0.0, 0.0]).unwrap();
        let far = 5.0;
        let z = 0.2;
        let mut polygon = Loop::EMPTY;
        polygon.set(&[DVec3::new(-far, -far, z), DVec3::new(far, -far, z), DVec3::new(0.0, far, z)]);
        assert!(clip(&mut polygon, &tet));
        let (area, _) = polygon.area_and_centroid(DVec3::Z);
        assert!((area - 0.5 * 0.8 * 0.8).abs() < 1e-14, "{area}");
        polygon.set(&[DVec3::splat(2.0), DVec3::new(3.0, 2.0, 2.0), DVec3::new(2.0, 3.0, 2.0)]);
        assert!(!clip(&mut polygon, &tet));
    }
}
