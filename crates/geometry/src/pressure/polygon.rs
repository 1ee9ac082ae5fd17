//! A polygon as a contact, and its weight.
//!
//! # Without jumps
//! As bodies move, polygons are born and die with zero area or zero pressure, so the sum of A p n has no jumps as
//! long as every polygon counts. Not all are physical, though: deep inside, or behind an edge, the plane p_A = p_B of
//! a pair of cells can lie so that the pressure falls towards its own solid. With c_A = ∇p_A·n/|∇p_A| and
//! c_B = −∇p_B·n/|∇p_B|, the cosines between the normal and the directions of growing pressure, and
//! c = min(c_A, c_B), a polygon counts in full for c ≥ c₁, not at all for c ≤ c₀ = cos(5π/8), and between the two
//!
//!   weight = S((c − c₀)/(c₁ − c₀)),  S(x) = x²(3 − 2x).
//!
//! [`Fade::Smooth`], the default, has c₁ = 0: full weight while both pressures grow into their own solids.
//! [`Fade::Sharp`] has c₁ = c₀, a threshold, as other codes do; the force then jumps as bodies turn. The same S fades
//! out planes without a normal: from q = 1e-6 down to 1e-9, q = |∇p_A − ∇p_B|/(|∇p_A| + |∇p_B|), the two fields are
//! the same up to round-off. The weight multiplies the area, so force and stiffness fade together. There is no other
//! rule: slivers of any size count.
//!
//! # Stiffness
//! Sliding the field of A by u against a facet of B changes the force on it by −Σ A ∇p·u: what polygons gain or lose
//! at the borders of cells cancels, since p is continuous. So k = A ∇p·n, with c = ∇p·n/|∇p| as small as it is, is
//! the derivative of the whole. It holds for motions within the depth. Where the pressure gradient is nearly
//! perpendicular to the normal, at the narrow sides of a flat rod on a table for instance, φ = −p/g is many times the
//! depth, and within a step such a polygon would push with its full force over this displacement and eject light
//! bodies. But no polygon pushes farther than to its exit from the solid. With ℓ the distance from its centroid to
//! the skin against the normal,
//!
//!   g_A = max(∇p_A·n, p/ℓ)   and g_B likewise, −k φ = A p exactly.
//!
//! The side of a box that is dragged along a belt has c = 0 and ℓ = ∞: its force stays constant for any displacement
//! of the belt. With the depth below the skin in place of ℓ it would act as a spring along the belt, and brake it.
//! Where ℓ is not known (fields of meshes that are not convex), g is at least 0.7 |∇p|, which is also the upper bound
//! of p/ℓ. It is at least |∇p|/1000.

use super::clip::Loop;
use glam::DVec3;

/// c₀ = cos(5π/8).
pub const NO_COSINE: f64 = -0.382_683_432_365_089_8;
const FULL_DIFFERENCE: f64 = 1e-6;
const NO_DIFFERENCE: f64 = 1e-9;
/// Cosine from which on k is that of the field, regardless of the exit distance.
const FULL_COSINE: f64 = 0.7;
/// Least cosine for the stiffness.
const LEAST_COSINE: f64 = 1e-3;

/// How the weight of polygons fades on which a pressure falls towards its own solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fade {
    /// Gradually, between right angles and 5π/8: no jumps.
    #[default]
    Smooth,
    /// A threshold at 5π/8.
    Sharp,
}

impl Fade {
    /// The weight for a cosine c.
    #[inline]
    pub fn weight(self, c: f64) -> f64 {
        match self {
            _ if c >= 0.0 => 1.0,
            Self::Smooth => smooth_step(NO_COSINE, 0.0, c),
            Self::Sharp => f64::from(u8::from(c >= NO_COSINE)),
        }
    }
}

/// A plane piece of a patch: a contact between A and B. In world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPolygon {
    /// Effective area (geometric area times weight) in m².
    pub area: f64,
    /// Centroid in m.
    pub centroid: DVec3,
    /// Center of pressure in m, so that force and moment are exact integrals.
    pub point: DVec3,
    /// Unit normal from B to A.
    pub normal: DVec3,
    /// Pressure at the centroid in Pa; above 0.
    pub pressure: f64,
    /// Gradient of the pressure of A along the normal, Pa/m; above 0, infinite if A is rigid.
    pub gradient_a: f64,
    /// Gradient of the pressure of B against the normal, Pa/m; above 0, infinite if B is rigid.
    pub gradient_b: f64,
    /// g = 1/(1/g_A + 1/g_B) in Pa/m.
    pub gradient: f64,
    /// Sum of the depths below both skins in m: p/|∇p_A| + p/|∇p_B|. Unlike φ where g is small, it never exceeds the
    /// depths of both fields.
    pub depth: f64,
    /// Cell of A, or triangle if A is rigid.
    pub element_a: u32,
    /// Cell of B, or triangle if B is rigid.
    pub element_b: u32,
    /// Offset of its corners in the list of vertices of the patch, if they are recorded.
    pub first_vertex: u32,
    /// Number of recorded corners.
    pub vertex_count: u32,
}

impl PatchPolygon {
    /// φ = −p/g in m, below 0.
    pub fn gap(&self) -> f64 {
        -self.pressure / self.gradient
    }

    /// k = A g in N/m.
    pub fn stiffness(&self) -> f64 {
        self.area * self.gradient
    }

    /// Force on A in N: A p n.
    pub fn force(&self) -> DVec3 {
        self.area * self.pressure * self.normal
    }

    /// The same with A and B exchanged.
    pub fn swapped(&self) -> Self {
        Self {
            normal: -self.normal,
            gradient_a: self.gradient_b,
            gradient_b: self.gradient_a,
            element_a: self.element_b,
            element_b: self.element_a,
            ..*self
        }
    }
}

#[inline]
fn smooth_step(from: f64, to: f64, x: f64) -> f64 {
    let s = ((x - from) / (to - from)).clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

/// Pressure gradient of one side.
struct Growth {
    /// ±∇p·n, Pa/m.
    along: f64,
    /// |∇p|, Pa/m.
    size: f64,
}

impl Growth {
    #[inline]
    fn weight(&self, fade: Fade) -> f64 {
        // Nearly all polygons have the weight 1, without a division.
        if self.along >= 0.0 { 1.0 } else { fade.weight(self.along / self.size) }
    }

    /// g for the pressure p > 0.
    #[inline]
    fn gradient(&self, p: f64, exit_distance: impl FnOnce() -> f64) -> f64 {
        let full = FULL_COSINE * self.size;
        if self.along >= full {
            return self.along;
        }
        // Round-off may put a point of the skin outside.
        let least = p / exit_distance().max(0.0);
        self.along.max(least.clamp(LEAST_COSINE * self.size, full))
    }
}

/// The contact of a polygon of equal pressure; none if its weight is zero. `pressure` is that of A; `exit_a` and
/// `exit_b` give the distance in m from a point to the skin along a unit vector, 0 where it is unknown.
#[inline]
pub(crate) fn between_fields(
    polygon: &Loop,
    [gradient_a, gradient_b]: [DVec3; 2],
    fade: Fade,
    pressure: impl Fn(DVec3) -> f64,
    exit_a: impl Fn(DVec3, DVec3) -> f64,
    exit_b: impl Fn(DVec3, DVec3) -> f64,
) -> Option<PatchPolygon> {
    let difference = gradient_a - gradient_b;
    let length = difference.length();
    let normal = difference * (1.0 / length);
    let in_a = Growth { along: gradient_a.dot(normal), size: gradient_a.length() };
    let in_b = Growth { along: -gradient_b.dot(normal), size: gradient_b.length() };
    let mut weight = in_a.weight(fade).min(in_b.weight(fade));
    let all = in_a.size + in_b.size;
    if length < FULL_DIFFERENCE * all {
        weight *= smooth_step(NO_DIFFERENCE, FULL_DIFFERENCE, length / all);
    }
    let inverse = 1.0 / in_a.size + 1.0 / in_b.size;
    finish(polygon, normal, (weight, inverse), pressure, |x, p| {
        let g_a = in_a.gradient(p, || exit_a(x, -normal));
        let g_b = in_b.gradient(p, || exit_b(x, normal));
        [g_a, g_b, g_a * g_b / (g_a + g_b)]
    })
}

/// The contact of a piece of the surface of a rigid B, with the outward unit normal `normal`, in the field of A.
#[inline]
pub(crate) fn on_rigid(
    polygon: &Loop,
    normal: DVec3,
    gradient_a: DVec3,
    fade: Fade,
    pressure: impl Fn(DVec3) -> f64,
    exit_a: impl Fn(DVec3, DVec3) -> f64,
) -> Option<PatchPolygon> {
    let in_a = Growth { along: gradient_a.dot(normal), size: gradient_a.length() };
    finish(polygon, normal, (in_a.weight(fade), 1.0 / in_a.size), pressure, |x, p| {
        let g_a = in_a.gradient(p, || exit_a(x, -normal));
        [g_a, f64::INFINITY, g_a]
    })
}

/// `inverse` is the depth over the pressure; `gradients` gives g_A, g_B and g at a place with a pressure.
#[inline]
fn finish(
    polygon: &Loop,
    normal: DVec3,
    (weight, inverse): (f64, f64),
    pressure: impl Fn(DVec3) -> f64,
    gradients: impl FnOnce(DVec3, f64) -> [f64; 3],
) -> Option<PatchPolygon> {
    let (area, centroid) = polygon.area_and_centroid(normal);
    let (area, p) = (area * weight, pressure(centroid));
    // Comparisons with NaN are false: a plane without a normal ends here.
    if !(area > 0.0 && p > 0.0) {
        return None;
    }
    let [gradient_a, gradient_b, gradient] = gradients(centroid, p);
    (gradient > 0.0 && gradient.is_finite()).then(|| PatchPolygon {
        area,
        centroid,
        point: polygon.center_of_pressure(normal, pressure).unwrap_or(centroid),
        normal,
        pressure: p,
        gradient_a,
        gradient_b,
        gradient,
        depth: p * inverse,
        element_a: 0,
        element_b: 0,
        first_vertex: 0,
        vertex_count: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Loop {
        let mut polygon = Loop::EMPTY;
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        super::super::clip::slice(&corners, &[-0.3, -0.3, -0.3, 0.7], &mut polygon);
        polygon
    }

    fn unknown(_: DVec3, _: DVec3) -> f64 {
        0.0
    }

    #[test]
    fn a_polygon_pushes_no_farther_than_its_exit() {
        // The pressure gradient is perpendicular to the normal: 3 Pa at a depth of 1 m.
        let gap = |way: f64| {
            let found = on_rigid(&square(), DVec3::Z, 3.0 * DVec3::X, Fade::Smooth, |_| 3.0, |_, _| way);
            let found = found.unwrap();
            assert!((found.stiffness() * found.gap() + found.force().z).abs() < 1e-12);
            found.gap()
        };
        assert!((gap(5.0) + 5.0).abs() < 1e-12);
        // At least the depth, nearly; at most a thousand times the depth.
        assert!((gap(0.0) + 1.0 / 0.7).abs() < 1e-12);
        assert!((gap(f64::INFINITY) + 1000.0).abs() < 1e-9);
        let found = on_rigid(&square(), DVec3::Z, 3.0 * DVec3::X, Fade::Smooth, |_| 3.0, |_, _| 9.0).unwrap();
        assert!((found.depth - 1.0).abs() < 1e-15);
    }

    #[test]
    fn two_springs_in_series() {
        let found = between_fields(
            &square(),
            [3.0 * DVec3::Z, -6.0 * DVec3::Z],
            Fade::Smooth,
            |_| 0.5,
            unknown,
            unknown,
        )
        .unwrap();
        assert!((found.gradient - 2.0).abs() < 1e-15);
        assert!((found.gap() + 0.25).abs() < 1e-15);
        assert!((found.stiffness() * found.gap() + found.force().z).abs() < 1e-15);
        let swapped = found.swapped();
        assert_eq!(swapped.force(), -found.force());
    }

    #[test]
    fn the_weight_fades_without_a_jump() {
        let mut last: Option<f64> = None;
        for k in 0..4000 {
            let angle = std::f64::consts::PI * f64::from(k) / 4000.0;
            let gradient = DVec3::new(angle.sin(), 0.0, angle.cos());
            let area = on_rigid(&square(), DVec3::Z, gradient, Fade::Smooth, |_| 1.0, unknown)
                .map_or(0.0, |p| p.area);
            if let Some(last) = last {
                assert!((area - last).abs() < 0.01 * 0.245, "{k}: {last} {area}");
            }
            last = Some(area);
        }
        assert_eq!(last, Some(0.0));
    }

    #[test]
    fn equal_gradients_have_no_patch() {
        assert!(between_fields(&square(), [DVec3::Z; 2], Fade::Smooth, |_| 1.0, unknown, unknown).is_none());
        assert!(
            between_fields(&square(), [DVec3::ZERO; 2], Fade::Sharp, |_| 1.0, unknown, unknown).is_none()
        );
    }
}
