//! Exact line search: the root of φ'(α) on α > 0, φ(α) = cost(v + α Δv).
//!
//! φ is convex and once differentiable with φ'(0) < 0, so φ' grows and its root is the minimum. The
//! full Newton step α = 1 is tried first. If φ'(1) is not small, the root is bracketed (doubling α
//! while φ' < 0) and found by Newton's method on φ', which takes few steps since φ is piecewise smooth;
//! steps that leave the bracket, and every third that has not halved it, are replaced by bisection.

/// The outcome of a line search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) alpha: f64,
    pub(crate) evaluations: usize,
}

const MAX_DOUBLINGS: usize = 30;
const MAX_EVALUATIONS: usize = 100;

/// Finds α with |φ'(α)| ≤ `small`, or as near as floating-point numbers allow. `slope` returns φ'(α), and its last call is the one at the α that is returned; `curvature` returns φ''(α)
/// at the α of the last call of `slope`.
pub(crate) fn search<S>(
    state: &mut S,
    small: f64,
    slope: impl Fn(&mut S, f64) -> f64,
    curvature: impl Fn(&S, f64) -> f64,
) -> Step {
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut alpha = 1.0;
    let mut last = slope(state, alpha);
    let mut evaluations = 1;
    // Widths of the bracket one and two evaluations ago.
    let mut widths = [f64::INFINITY; 2];
    // Not `>`: a NaN slope means overflow, and the search goes back from it.
    #[allow(clippy::neg_cmp_op_on_partial_ord)]
    while !(last.abs() <= small) && evaluations < MAX_EVALUATIONS {
        if last < 0.0 {
            low = alpha;
        } else {
            high = alpha;
        }
        if high == f64::INFINITY && evaluations > MAX_DOUBLINGS {
            break;
        }
        let newton = alpha - last / curvature(state, alpha);
        let width = high - low;
        let shrinks = width <= 0.5 * widths[1] || width == f64::INFINITY;
        widths = [width, widths[0]];
        let limit = if high == f64::INFINITY { 4.0 * low } else { high };
        let next = if newton > low && newton < limit && shrinks {
            newton
        } else if high == f64::INFINITY {
            2.0 * low
        } else {
            low + 0.5 * width
        };
        if next <= low || next >= high {
            // No floating-point number lies between the ends: take the lower end, unless it is zero.
            alpha = if low > 0.0 { low } else { high };
            slope(state, alpha);
            evaluations += 1;
            break;
        }
        alpha = next;
        last = slope(state, alpha);
        evaluations += 1;
    }
    Step { alpha, evaluations }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches with the curvature by finite differences.
    fn search_function(slope_at_zero: f64, tolerance: f64, slope: impl Fn(f64) -> f64) -> Step {
        let h = 1e-7;
        let curvature = |a: f64| (slope(a * (1.0 + h)) - slope(a)) / (a * h);
        search(&mut (), tolerance * slope_at_zero.abs(), |(), a| slope(a), |(), a| curvature(a))
    }

    #[test]
    fn a_full_newton_step_costs_one_evaluation() {
        let step = search_function(-2.0, 1e-8, |a| 2.0 * (a - 1.0));
        assert_eq!(step, Step { alpha: 1.0, evaluations: 1 });
    }

    #[test]
    fn kinks_and_far_roots_are_found() {
        for root in [1e-6, 0.03, 0.7, 1.3, 50.0, 1e4] {
            for ratio in [1e-4, 1.0, 1e4] {
                // Piecewise linear with a kink at the root.
                let slope = |a: f64| if a < root { (a - root) / root } else { ratio * (a - root) / root };
                let step = search_function(-1.0, 1e-8, slope);
                assert!((step.alpha / root - 1.0).abs() < 1e-3, "{root} {ratio}: {step:?}");
                assert!(step.evaluations < 40, "{root} {ratio}: {step:?}");
            }
        }
    }

    #[test]
    fn a_function_flat_in_parts_is_searched() {
        // Flat, then a wall: Newton from the wall overshoots, from the flat part leaves the bracket.
        let slope = |a: f64| if a < 0.4 { -1.0 } else { -1.0 + 1e6 * (a - 0.4) };
        let step = search_function(-1.0, 1e-6, slope);
        assert!((step.alpha - 0.400_001).abs() < 1e-9, "{step:?}");
    }

    #[test]
    fn the_last_call_is_the_one_returned() {
        let mut last = 0.0;
        let function = |last: &mut f64, a: f64| {
            *last = a;
            (a - 0.3).powi(3) + 0.027 * (a / 0.3 - 1.0)
        };
        let step = search(&mut last, 1e-11, function, |_, a| 3.0 * (a - 0.3).powi(2) + 0.09);
        assert_eq!(step.alpha, last);
        assert!((last - 0.3).abs() < 1e-9);
    }

    #[test]
    fn overflow_beyond_the_root_is_survived() {
        let step = search_function(-1.0, 1e-8, |a| if a > 0.5 { f64::INFINITY } else { 4.0 * a - 1.0 });
        assert!((step.alpha - 0.25).abs() < 1e-6, "{step:?}");
        // The search also ends on a function without a minimum.
        assert!(search_function(-1.0, 1e-8, |_| -1.0).evaluations <= MAX_EVALUATIONS);
        assert!(search_function(-1.0, 1e-8, |_| f64::NAN).evaluations <= MAX_EVALUATIONS);
    }
}
