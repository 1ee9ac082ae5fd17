//! The penalty that keeps edges apart, and friction that lags.
//!
//! With d the distance of two edges and lengths in units of the rod's radius r, the energy of a pair is k r e(d), its force k e′(d),
//!
//! ```text
//!   e = (2 − d)²                            d ≤ 2 − δ
//!   e = [log(1 + exp(K (2 − d)))/K]²        2 − δ < d < 2 + δ,   K = 15/δ
//!   e = 0                                   else.
//! ```
//!
//! Friction is −μ f γ(v) of the sliding velocity v of the two places, γ = 2/(1 + exp(−15 |v|/ν)) − 1 along v. Its normal
//! force f and its plane are those of the end of the step before.
//!
//! Sources: A. Choi, D. Tong, M. K. Jawed, J. Joo, *Implicit contact model for discrete elastic rods in knot tying*, J. Appl.
//! Mech. 88 (2021); D. Tong, A. Choi, J. Joo, M. K. Jawed, *A fully implicit method for robust frictional contact handling in
//! elastic rods*, Extreme Mech. Lett. 58 (2023).

use glam::DVec3;

/// e and its first two derivatives with respect to d; lengths are in radii, `delta` is δ.
pub fn penalty(d: f64, delta: f64) -> [f64; 3] {
    let depth = 2.0 - d;
    if depth >= delta {
        return [depth * depth, -2.0 * depth, 2.0];
    }
    if depth <= -delta {
        return [0.0; 3];
    }
    let k = 15.0 / delta;
    // softplus(k·depth)/k, and its slope.
    let x = k * depth;
    let soft = if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() } / k;
    let slope = 1.0 / (1.0 + (-x).exp());
    [soft * soft, -2.0 * soft * slope, 2.0 * (slope * slope + soft * k * slope * (1.0 - slope))]
}

/// Friction on the first place, over μ f: the force −γ v/|v| and its derivative −D with respect to v, for the sliding velocity
/// `v` (m/s); `nu` is ν, m/s.
pub fn friction(v: DVec3, nu: f64) -> (DVec3, [[f64; 3]; 3]) {
    let speed = v.length();
    let rate = 15.0 / nu;
    let mut d = [[0.0; 3]; 3];
    if rate * speed < 1e-9 {
        // γ → ½ rate |v|.
        for k in 0..3 {
            d[k][k] = 0.5 * rate;
        }
        return (-0.5 * rate * v, d);
    }
    let along = v / speed;
    let exp = (-rate * speed).exp();
    let gamma = 2.0 / (1.0 + exp) - 1.0;
    let slope = 2.0 * rate * exp / ((1.0 + exp) * (1.0 + exp));
    for i in 0..3 {
        for j in 0..3 {
            let same = if i == j { 1.0 } else { 0.0 };
            d[i][j] = gamma / speed * (same - along[i] * along[j]) + slope * along[i] * along[j];
        }
    }
    (-gamma * along, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        for delta in [0.01, 0.1] {
            for d in [1.5f64, 1.95, 1.995, 2.0, 2.003, 2.05, 2.2] {
                // Where two formulas meet they differ by exp(−15).
                if (2.0 - d).abs() > 0.98 * delta && (2.0 - d).abs() < 1.02 * delta {
                    continue;
                }
                let h = 1e-6;
                let (more, at, less) = (penalty(d + h, delta), penalty(d, delta), penalty(d - h, delta));
                for k in 0..2 {
                    let slope = (more[k] - less[k]) / (2.0 * h);
                    assert!((slope - at[k + 1]).abs() < 1e-5, "{d} {delta} {k}: {slope} {}", at[k + 1]);
                }
            }
        }
    }

    #[test]
    fn the_formulas_meet() {
        for sign in [-1.0, 1.0] {
            let (a, b) = (penalty(2.0 + sign * (0.1 - 1e-12), 0.1), penalty(2.0 + sign * (0.1 + 1e-12), 0.1));
            for k in 0..2 {
                assert!((a[k] - b[k]).abs() < 1e-6, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn friction_is_bounded_and_its_derivative_right() {
        for v in [DVec3::new(1e-5, 2e-5, 0.0), DVec3::new(3e-3, -1e-3, 2e-3)] {
            let (force, d) = friction(v, 1e-3);
            assert!(force.length() <= 1.0 && force.dot(v) < 0.0);
            for k in 0..3 {
                let h = 1e-9;
                let mut step = DVec3::ZERO;
                step[k] = h;
                let slope = (friction(v + step, 1e-3).0 - friction(v - step, 1e-3).0) / (2.0 * h);
                for i in 0..3 {
                    assert!(
                        (slope[i] + d[i][k]).abs() < 1e-3 * (1.0 + d[i][k].abs()),
                        "{} {}",
                        slope[i],
                        d[i][k]
                    );
                }
            }
        }
    }
}
