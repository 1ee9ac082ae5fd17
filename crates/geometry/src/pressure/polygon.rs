//! What a polygon means as a contact, and which polygons count.
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
//! [`Fade::Smooth`], the default, has c₁ = 0: full as long as the pressure of both grows into their own solids.
//! [`Fade::Sharp`] has c₁ = c₀, a threshold, as other codes do; the force then jumps as bodies turn. The same S takes
//! out planes without a normal: from q = 1e-6 down to 1e-9, q = |∇p_A − ∇p_B|/(|∇p_A| + |∇p_B|), the two fields are
//! the same up to round-off. The weight multiplies the area, so force and stiffness fade together. There is no other
//! rule: slivers count, whatever their size.
//!
//! # Stiffness
//! Where the pressure grows across the normal, at the narrow sides and the ends of a flat rod for instance, ∇p_A·n is
//! small or negative, and φ = −p/g many times the depth p/|∇p_A| below the skin, or without meaning: within a step such a
//! polygon would push with all its force over all that way, and throw light things up. So g_A is taken to be at least
//! 0.7 |∇p_A| (and g_B likewise): k is that of the field up to 45° from the normal, φ at most 1.43 times the depth, and
//! −k φ = A p exactly.

use super::clip::Loop;
use glam::DVec3;

/// c₀ = cos(5π/8).
pub const NO_COSINE: f64 = -0.382_683_432_365_089_8;
const FULL_DIFFERENCE: f64 = 1e-6;
const NO_DIFFERENCE: f64 = 1e-9;
/// Least cosine for the stiffness.
const LEAST_COSINE: f64 = 0.7;

/// How polygons on which the pressure falls towards its own solid cease to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fade {
    /// Gradually, between right angles and 5π/8: no jumps.
    #[default]
    Smooth,
    /// At 5π/8, in full up to there.
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
    /// Area that counts (the geometric area times its weight) in m².
    pub area: f64,
    /// Centroid in m.
    pub centroid: DVec3,
    /// Where the force acts in m: the centre of pressure, so that force and moment are exact integrals.
    pub point: DVec3,
    /// Unit normal from B to A.
    pub normal: DVec3,
    /// Pressure at the centroid in Pa; above 0.
    pub pressure: f64,
    /// How fast the pressure of A grows along the normal, Pa/m; above 0, infinite if A is rigid.
    pub gradient_a: f64,
    /// How fast the pressure of B grows against the normal, Pa/m; above 0, infinite if B is rigid.
    pub gradient_b: f64,
    /// g = 1/(1/g_A + 1/g_B) in Pa/m.
    pub gradient: f64,
    /// Cell of A, or triangle if A is rigid.
    pub element_a: u32,
    /// Cell of B, or triangle if B is rigid.
    pub element_b: u32,
    /// Where its corners are in the list of vertices of the patch, if they are kept.
    pub first_vertex: u32,
    /// How many corners are kept; 0 if none are.
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

/// Weight and g = max(c, 0.7) |∇p| of one side, for `along` = ±∇p·n.
#[inline]
fn side(along: f64, size: f64, fade: Fade) -> (f64, f64) {
    // Nearly all polygons have the weight 1, without a division.
    let weight = if along >= 0.0 { 1.0 } else { fade.weight(along / size) };
    (weight, along.max(LEAST_COSINE * size))
}

/// The contact of a polygon of equal pressure; none if nothing of it counts. `pressure` is that of A.
#[inline]
pub(crate) fn between_fields(
    polygon: &Loop,
    gradient_a: DVec3,
    gradient_b: DVec3,
    fade: Fade,
    pressure: impl Fn(DVec3) -> f64,
) -> Option<PatchPolygon> {
    let difference = gradient_a - gradient_b;
    let squared = difference.length_squared();
    let (size_a, size_b) = (gradient_a.length(), gradient_b.length());
    let length = squared.sqrt();
    let normal = difference * (1.0 / length);
    let (weight_a, g_a) = side(gradient_a.dot(normal), size_a, fade);
    let (weight_b, g_b) = side(-gradient_b.dot(normal), size_b, fade);
    let mut weight = weight_a.min(weight_b);
    let all = size_a + size_b;
    if length < FULL_DIFFERENCE * all {
        weight *= smooth_step(NO_DIFFERENCE, FULL_DIFFERENCE, length / all);
    }
    finish(polygon, normal, weight, [g_a, g_b], g_a * g_b / (g_a + g_b), pressure)
}

/// The contact of a piece of the surface of a rigid B, with the outward unit normal `normal`, in the field of A.
#[inline]
pub(crate) fn on_rigid(
    polygon: &Loop,
    normal: DVec3,
    gradient_a: DVec3,
    fade: Fade,
    pressure: impl Fn(DVec3) -> f64,
) -> Option<PatchPolygon> {
    let (weight, g_a) = side(gradient_a.dot(normal), gradient_a.length(), fade);
    finish(polygon, normal, weight, [g_a, f64::INFINITY], g_a, pressure)
}

#[inline]
fn finish(
    polygon: &Loop,
    normal: DVec3,
    weight: f64,
    [gradient_a, gradient_b]: [f64; 2],
    gradient: f64,
    pressure: impl Fn(DVec3) -> f64,
) -> Option<PatchPolygon> {
    let (area, centroid) = polygon.area_and_centroid(normal);
    let (area, p) = (area * weight, pressure(centroid));
    // Comparisons with NaN are false: a plane without a normal ends here.
    let counts = area > 0.0 && p > 0.0 && gradient > 0.0 && gradient.is_finite();
    counts.then(|| PatchPolygon {
        area,
        centroid,
        point: polygon.centre_of_pressure(normal, pressure).unwrap_or(centroid),
        normal,
        pressure: p,
        gradient_a,
        gradient_b,
        gradient,
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

    #[test]
    fn two_springs_in_series() {
        let found =
            between_fields(&square(), 3.0 * DVec3::Z, -6.0 * DVec3::Z, Fade::Smooth, |_| 0.5).unwrap();
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
            let area = on_rigid(&square(), DVec3::Z, gradient, Fade::Smooth, |_| 1.0).map_or(0.0, |p| p.area);
            if let Some(last) = last {
                assert!((area - last).abs() < 0.01 * 0.245, "{k}: {last} {area}");
            }
            last = Some(area);
        }
        assert_eq!(last, Some(0.0));
    }

    #[test]
    fn equal_gradients_have_no_patch() {
        assert!(between_fields(&square(), DVec3::Z, DVec3::Z, Fade::Smooth, |_| 1.0).is_none());
        assert!(between_fields(&square(), DVec3::ZERO, DVec3::ZERO, Fade::Sharp, |_| 1.0).is_none());
    }
}
