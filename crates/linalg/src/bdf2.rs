//! Coefficients of BDF2, the backward difference formula of second order, for steps of any length.
//!
//! For y' = f with a step h after one of h₀, r = h/h₀,
//!
//! y₁ − y₀ − b (y₀ − y₋₁) = (h/c) f(y₁), b = r²/(1 + 2r), c = (1 + 2r)/(1 + r).
//!
//! Without a step before, r = 0: backward Euler. The formula is of second order with one such step at the start, L-stable
//! for equal steps, and zero-stable for any lengths with r < 1 + √2; an oscillation of angular frequency ω loses about
//! (ωh)⁴/4 of its amplitude in a step, where backward Euler loses (ωh)²/2.
//!
//! A mechanical system applies it twice. With the mean velocity u = (q₁ − q₀)/h of the step as the unknown, and u₀ that of the
//! step before,
//!
//! v₁ = c (u − g u₀), g = r/(1 + 2r), and c (p₁ − p₀ − b (p₀ − p₋₁)) = h F(q₁, v₁).
//!
//! So displacements are h u and impulses h F, as in backward Euler: constraints, contacts and their work are the same
//! for both.
//!
//! Source: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I (1993), § III.5.

/// b, c and g of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bdf2 {
    /// b: factor of the change in the previous step.
    pub carry: f64,
    /// c: the end velocity of a step from rest, over its mean velocity.
    pub lead: f64,
    /// g: factor of the mean velocity of the previous step.
    pub lag: f64,
}

/// A step longer than the previous one by this factor starts afresh with backward Euler: the formula is zero-stable
/// below 1 + √2, and a step that has been halved grows again by doubling.
pub const GREATEST_RATIO: f64 = 2.2;

impl Bdf2 {
    /// Backward Euler: there is no previous step, or it is ignored.
    pub const FIRST: Self = Self { carry: 0.0, lead: 1.0, lag: 0.0 };

    /// For a step of `dt` after one of `before` (s); `before` = 0 if there was no previous step.
    pub fn new(dt: f64, before: f64) -> Self {
        let r = dt / before;
        if before > 0.0 && r <= GREATEST_RATIO {
            let sum = 1.0 + 2.0 * r;
            Self { carry: r * r / sum, lead: sum / (1.0 + r), lag: r / sum }
        } else {
            Self::FIRST
        }
    }
}

/// Fingerprint that tells whether numbers have changed in any bit: the difference formula may use the previous step
/// only if the state is still the one that this step produced, and was not set from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of `numbers`, in order.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        // Multiply and rotate: every bit of every number moves all later ones.
        let mix =
            |hash: u64, x: f64| (hash ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        Self(numbers.into_iter().fold(0x243f_6a88_85a3_08d3, mix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_or_order_changes_the_fingerprint() {
        let of = |x: [f64; 3]| Fingerprint::of(x);
        assert_eq!(of([1.0, 2.0, 3.0]), of([1.0, 2.0, 3.0]));
        for other in [[1.0, 2.0, 3.0 + 1e-15], [2.0, 1.0, 3.0], [1.0, 2.0, -3.0]] {
            assert_ne!(of([1.0, 2.0, 3.0]), of(other));
        }
    }

    #[test]
    fn quadratics_are_exact_and_the_first_step_is_backward_euler() {
        assert_eq!(Bdf2::new(0.1, 0.0), Bdf2::FIRST);
        assert_eq!(Bdf2::new(0.1, 0.01), Bdf2::FIRST);
        for (h, before) in [(0.1, 0.1), (0.05, 0.1), (0.2, 0.1), (0.01, 0.3)] {
            let Bdf2 { carry, lead, lag } = Bdf2::new(h, before);
            // y = 2t² + 3t − 1 and a straight line.
            for [square, slope] in [[2.0, 3.0], [0.0, -1.5]] {
                let y = |t: f64| square * t * t + slope * t - 1.0;
                let [y1, y0, y_1] = [0.7, 0.7 - h, 0.7 - h - before].map(y);
                let slope = 2.0 * square * 0.7 + slope;
                let difference = y1 - y0 - carry * (y0 - y_1);
                assert!((difference - h / lead * slope).abs() < 1e-14);
                let (u, u0) = ((y1 - y0) / h, (y0 - y_1) / before);
                assert!((lead * (u - lag * u0) - slope).abs() < 1e-13);
            }
        }
    }
}
