//! A soft plane face presses a round rod; both have pressure fields.
//!
//! Behind the face the pressure grows with the depth as g_b s. The rod, of radius R, has the pressure E(1 − ρ/R) at the distance
//! ρ from its axis, which lies R − d before the face. They meet where both are equal, at the depth s(x) for each place x
//! across the rod:
//!
//! ```text
//!   g_b s = E(1 − √(x² + (s + R − d)²)/R),      F/L = ∫ g_b s(x) dx      width = ∫ √(1 + s′²) dx
//! ```
//!
//! With a rod much harder than the face this is the weight of what the rod displaces: F/L = g_b times a segment of its section.

/// Strips of the integral over one half of the patch.
const STRIPS: usize = 400;

/// A soft face and a round rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftPress {
    /// g_b, Pa/m.
    pub gradient: f64,
    /// E, Pa.
    pub modulus: f64,
    /// R, m.
    pub radius: f64,
}

impl SoftPress {
    /// s(x) at the depth d of the rod in the face; zero where they do not touch.
    fn depth_at(&self, x: f64, d: f64) -> f64 {
        let excess = |s: f64| {
            let rho = x.hypot(s + self.radius - d);
            self.modulus * (1.0 - rho / self.radius) - self.gradient * s
        };
        let (mut low, mut high) = (0.0, d);
        if excess(low) <= 0.0 {
            return 0.0;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if excess(middle) > 0.0 { low = middle } else { high = middle }
        }
        low
    }

    /// Force per length (N/m) and width of the patch (m) at the depth `d` (m).
    pub fn per_length(&self, d: f64) -> (f64, f64) {
        if d <= 0.0 {
            return (0.0, 0.0);
        }
        let half = (2.0 * self.radius * d - d * d).max(0.0).sqrt();
        // x = half · sin u: the depth falls like a root at the rim.
        let at = |i: usize| half * (core::f64::consts::FRAC_PI_2 * i as f64 / STRIPS as f64).sin();
        let (mut force, mut width) = (0.0, 0.0);
        for i in 0..STRIPS {
            let (a, b) = (at(i), at(i + 1));
            let (s, t) = (self.depth_at(a, d), self.depth_at(b, d));
            force += self.gradient * 0.5 * (s + t) * (b - a);
            width += (b - a).hypot(t - s);
        }
        (2.0 * force, 2.0 * width)
    }
}

/// Force per length (N/m) of a rod of radius R and modulus E (Pa) that is pressed flat by `d` (m) against a rigid wall:
/// E(2a − (aR + h² asinh(a/h))/R), h = R − d, a² = R² − h².
pub fn against_a_wall(modulus: f64, radius: f64, d: f64) -> f64 {
    let h = radius - d;
    let a = (radius * radius - h * h).max(0.0).sqrt();
    modulus * (2.0 * a - (a * radius + h * h * (a / h).asinh()) / radius)
}

impl SoftPress {
    /// Force per length (N/m) of the rod between the face and a rigid wall, which leave its diameter less `squeeze` (m): face and wall
    /// push alike.
    pub fn squeezed(&self, squeeze: f64) -> f64 {
        let (mut low, mut high) = (0.0, squeeze.clamp(0.0, self.radius));
        for _ in 0..60 {
            let d = 0.5 * (low + high);
            let wall = against_a_wall(self.modulus, self.radius, squeeze - d);
            if self.per_length(d).0 < wall { low = d } else { high = d }
        }
        self.per_length(low).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(modulus: f64) -> SoftPress {
        SoftPress { gradient: 2e7, modulus, radius: 2e-3 }
    }

    #[test]
    fn a_hard_rod_displaces_a_segment() {
        let (r, d): (f64, f64) = (2e-3, 0.8e-3);
        let half = (2.0 * r * d - d * d).sqrt();
        let segment = r * r * (1.0 - d / r).acos() - (r - d) * half;
        let (force, width) = press(1e12).per_length(d);
        assert!((force / (2e7 * segment) - 1.0).abs() < 1e-4, "{force}");
        assert!((width / (2.0 * r * (1.0 - d / r).acos()) - 1.0).abs() < 1e-4, "{width}");
    }

    #[test]
    fn a_soft_rod_is_flattened() {
        // A rod much softer than the face is pressed against a wall.
        let (r, h, e): (f64, f64, f64) = (2e-3, 1.5e-3, 1e-3);
        let a = (r * r - h * h).sqrt();
        let wall = against_a_wall(e, r, r - h);
        let (force, width) = press(e).per_length(r - h);
        assert!((force / wall - 1.0).abs() < 1e-4, "{force} {wall}");
        assert!((width / (2.0 * a) - 1.0).abs() < 1e-4, "{width}");
    }

    #[test]
    fn a_squeezed_rod_is_pushed_alike_from_both_sides() {
        // Against a face as hard as a wall, each takes half of it; against a soft one the face takes nearly all.
        let hard = SoftPress { gradient: 1e15, ..press(2e6) };
        assert!((hard.squeezed(1e-3) / against_a_wall(2e6, 2e-3, 0.5e-3) - 1.0).abs() < 1e-3);
        let soft = press(1e12);
        assert!((soft.squeezed(0.8e-3) / soft.per_length(0.8e-3).0 - 1.0).abs() < 1e-3);
    }
}
