//! Pendulums: two bars that hang from one another, and a load on a rope.
//!
//! **Two equal bars** of length l and width w (across the axis), with θ₁, θ₂ from the vertical, both small:
//!
//! ```text
//!   M θ″ + K θ = 0,   M = m [[I + l²/4 + l², l²/2], [l²/2, I + l²/4]],   K = m g l diag(3/2, 1/2),   I = (l² + w²)/12.
//! ```
//!
//! Source: Landau and Lifshitz, *Mechanics*, § 5 and § 23.
//!
//! **A load M on a rope** of mass m and length L, hung from a fixed point: at the height y above the load the tension is
//! T(y) = g (M + m y/L), and a small swing u(y) cos ωt obeys
//!
//! ```text
//!   (T u′)′ + (m/L) ω² u = 0,   T u′ = −M ω² u at y = 0,   u = 0 at y = L.
//! ```
//!
//! (For M = 0: Bernoulli's hanging chain, ω = 1.2024 √(g/L).) Swings by an angle of amplitude α last longer by
//! 1/agm(1, cos α/2). Released at rest at α, the straight rope passes the lowest point with
//! v²/L = 2g (1 − cos α) (M + m/2)/(M + m/3), and pulls at the load with M (g + v²/L).

use core::f64::consts::TAU;

/// Periods in s of small swings of two equal bars that hang from one another, each of `length` and `width` (m) across the axis: both to the
/// same side, then against one another.
pub fn two_bars_periods(length: f64, width: f64, gravity: f64) -> [f64; 2] {
    let own = (length * length + width * width) / 12.0 + 0.25 * length * length;
    let (m11, m12, m22) = (own + length * length, 0.5 * length * length, own);
    let (k1, k2) = (1.5 * gravity * length, 0.5 * gravity * length);
    // det(K − ω² M) = 0: a ω⁴ − b ω² + c = 0.
    let (a, b, c) = (m11 * m22 - m12 * m12, k1 * m22 + k2 * m11, k1 * k2);
    let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
    [2.0 * c / (b + root), (b + root) / (2.0 * a)].map(|square| TAU / square.sqrt())
}

/// Period in s of a `load` (kg) that swings by `angle` (rad) on a rope of `length` (m) and mass `rope` (kg).
pub fn loaded_rope_period(gravity: f64, length: f64, rope: f64, load: f64, angle: f64) -> f64 {
    small_swing_period(gravity, length, rope, load) / agm(1.0, (0.5 * angle).cos())
}

/// Greatest pull in N of the rope at a `load` (kg) that is let go at `angle` (rad); `rope` is its mass (kg).
pub fn swing_pull(gravity: f64, rope: f64, load: f64, angle: f64) -> f64 {
    let centripetal = 2.0 * gravity * (1.0 - angle.cos()) * (load + 0.5 * rope) / (load + rope / 3.0);
    load * (gravity + centripetal)
}

fn small_swing_period(g: f64, length: f64, rope: f64, load: f64) -> f64 {
    // u(L) for u(0) = 1, by Runge–Kutta; its first zero in ω lies between those of a bare load and of a bare rope.
    let top = |omega: f64| {
        let rate = |y: f64, u: f64, s: f64| {
            (s / (g * (load + rope * y / length)), -rope / length * omega * omega * u)
        };
        let steps = 2000;
        let h = length / f64::from(steps);
        let (mut u, mut s) = (1.0, -load * omega * omega);
        for i in 0..steps {
            let y = f64::from(i) * h;
            let a = rate(y, u, s);
            let b = rate(y + 0.5 * h, u + 0.5 * h * a.0, s + 0.5 * h * a.1);
            let c = rate(y + 0.5 * h, u + 0.5 * h * b.0, s + 0.5 * h * b.1);
            let d = rate(y + h, u + h * c.0, s + h * c.1);
            u += h / 6.0 * (a.0 + 2.0 * (b.0 + c.0) + d.0);
            s += h / 6.0 * (a.1 + 2.0 * (b.1 + c.1) + d.1);
        }
        u
    };
    let simple = (g / length).sqrt();
    let (mut low, mut high) = (0.9 * simple, 1.3 * simple);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if top(middle) > 0.0 { low = middle } else { high = middle }
    }
    TAU / low
}

/// The arithmetic–geometric mean.
fn agm(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).max(0.0).sqrt());
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slender_bars_have_their_known_periods() {
        // ω² = (3 ± 6/√7) g/l.
        let known = [-1.0, 1.0].map(|sign| TAU / ((3.0 + sign * 6.0 / 7f64.sqrt()) * 9.81 / 0.5).sqrt());
        for (found, known) in two_bars_periods(0.5, 0.0, 9.81).into_iter().zip(known) {
            assert!((found / known - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_bare_load_and_a_nearly_bare_rope_have_their_known_periods() {
        let simple = TAU * (2.0_f64 / 9.81).sqrt();
        assert!((loaded_rope_period(9.81, 2.0, 1e-9, 3.0, 0.0) / simple - 1.0).abs() < 1e-8);
        // Bernoulli's chain, J₀(2ω√(L/g)) = 0 at 2.404826; a load of a thousandth of it changes little.
        let chain = loaded_rope_period(9.81, 2.0, 1.0, 1e-3, 0.0);
        assert!((chain / (simple / (0.5 * 2.404_826)) - 1.0).abs() < 3e-3, "{chain}");
        // To first order in m/M: ω² = g/L (M + m/2)/(M + m/3).
        let heavy = loaded_rope_period(9.81, 2.0, 0.002, 1.0, 0.0);
        assert!((heavy / simple - ((1.0 + 0.002 / 3.0) / 1.001_f64).sqrt()).abs() < 1e-6);
        // A simple pendulum at an amplitude of 90°, and how hard it pulls from there.
        let wide = loaded_rope_period(9.81, 2.0, 1e-9, 3.0, 0.25 * TAU);
        assert!((wide / simple - 1.180_340_6).abs() < 1e-7);
        assert!((swing_pull(9.81, 0.0, 3.0, 0.25 * TAU) - 3.0 * 3.0 * 9.81).abs() < 1e-9);
    }
}
