//! Checks impulse and Hessian of a law against hyper-dual numbers.

use super::{ConstraintLaw, Rows, Scalar};
use num_dual::HyperDual64;

impl Scalar for HyperDual64 {
    fn value(self) -> f64 {
        self.re
    }
}

/// Excess velocities of all signs over many decades, rows of equal and of very different size.
pub(crate) fn decades() -> Vec<Rows> {
    let mut out = Vec::new();
    let directions = [
        [1.0, 0.3, -0.5],
        [-0.2, 0.9, -1.0],
        [0.4, -0.6, 1.0],
        [1e-4, 2e-4, -1.0],
        [-1.0, 1.0, -1e-5],
        [0.3, 0.1, 1e-6],
        [1e-9, -3e-9, -1.0],
        [-1.0, 1e-8, 0.5],
    ];
    for exponent in (-12..=6).step_by(2) {
        for d in directions {
            out.push(d.map(|e: f64| e * 10_f64.powi(exponent)));
        }
    }
    out
}

/// λ = −∂ℓ/∂u and G = ∂²ℓ/∂u² to round-off, G symmetric and positive semi-definite.
pub(crate) fn check<L: ConstraintLaw>(law: &L, u: Rows) {
    let impulse = law.impulse(u);
    let hessian = law.hessian(u);
    let cost = law.cost(u);
    assert!(cost >= 0.0 && cost.is_finite(), "cost {cost} at {u:?}");
    let rows = law.row_count();
    let size = hessian.iter().flatten().fold(0.0, |m: f64, g| m.max(g.abs()));
    let force = impulse.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
    for i in 0..rows {
        for j in 0..rows {
            let mut x = u.map(HyperDual64::from_re);
            x[i].eps1 = 1.0;
            x[j].eps2 = 1.0;
            let exact = law.cost(x);
            assert!((exact.eps1 + impulse[i]).abs() <= 1e-11 * force, "impulse {i} at {u:?}");
            let error = (exact.eps1eps2 - hessian[i][j]).abs();
            assert!(
                error <= 1e-9 * size,
                "Hessian {i} {j} at {u:?}: {} against {}",
                hessian[i][j],
                exact.eps1eps2
            );
            assert_eq!(hessian[i][j], hessian[j][i], "symmetry at {u:?}");
        }
    }
    assert!(least_eigenvalue(&hessian) >= -1e-12 * size, "indefinite at {u:?}: {hessian:?}");
}

/// By Jacobi rotations.
fn least_eigenvalue(g: &[[f64; 3]; 3]) -> f64 {
    let mut a = *g;
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
            let (s, c) = theta.sin_cos();
            for k in 0..3 {
                let (x, y) = (a[k][p], a[k][q]);
                (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
            }
            for k in 0..3 {
                let (x, y) = (a[p][k], a[q][k]);
                (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
            }
        }
    }
    a[0][0].min(a[1][1]).min(a[2][2])
}
