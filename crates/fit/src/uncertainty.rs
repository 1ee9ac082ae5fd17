//! Uncertainty of fitted parameters.
//!
//! At the minimum of Σ ρ(r), with H = Σ w ∂r ∂rᵀ (starts eliminated) and g_c = Σ w r ∂r of run c, the covariance of the search coordinates is
//!
//! | runs | covariance |
//! |---|---|
//! | ≥ [`CLUSTERS`] | C/(C − 1) · H⁻¹ (Σ g_c g_cᵀ) H⁻¹: residuals of a run may have any correlation (sandwich, clustered by run) |
//! | fewer | τ σ² H⁻¹, σ² = Σ w r²/(N − p), τ = 1 + 2 Σ ρ_k the correlation time of the residuals in frames |
//!
//! and a 95 % interval is ± t · standard error, t of Student's distribution with C − 1 degrees of freedom or of the normal one. Sources:
//! Huber, Robust Statistics, 1981, ch. 6; Cameron and Miller, J. Human Resources 50, 2015.
//!
//! Noise without correlation in time gives τ = 1. Where a model misses an effect, residuals are correlated over long
//! times, τ is large, and the interval reflects the small amount of independent data; it does not include the bias
//! due to the missing effect.

use crate::dense::{Matrix, inverse, multiply, zeros};
use crate::levenberg::Found;
use glam::DVec3;

/// From this number of runs on the scatter between them is used.
pub const CLUSTERS: usize = 10;
/// Lags are summed until the correlation falls below this.
const LEAST_CORRELATION: f64 = 0.1;

/// Standard errors of the search coordinates, and the quantile that makes 95 % intervals of them.
#[derive(Clone, Debug)]
pub struct Uncertainty {
    /// Standard error of each coordinate; infinite for an unobservable one.
    pub standard_error: Vec<f64>,
    /// Quantile t.
    pub quantile: f64,
    /// Correlation time of the residuals, frames; 1 where it was not used.
    pub correlation_time: f64,
}

/// The uncertainty of `found`; `residuals` are those of its windows by frame and marker.
pub fn uncertainty(found: &Found<'_>, residuals: &[Vec<Vec<DVec3>>]) -> Uncertainty {
    let n = found.x.len();
    let clusters = by_run(found);
    let blind = Uncertainty { standard_error: vec![f64::INFINITY; n], quantile: 1.96, correlation_time: 1.0 };
    let seen: Vec<usize> = (0..n).filter(|&i| found.total.matrix[i][i] > 0.0).collect();
    let reduced: Matrix =
        seen.iter().map(|&i| seen.iter().map(|&j| found.total.matrix[i][j]).collect()).collect();
    let Some(inverse) = inverse(&reduced) else { return blind };
    let (variance, quantile, time) = if clusters.len() >= CLUSTERS {
        let mut meat = zeros(seen.len());
        for gradient in &clusters {
            for (a, &i) in seen.iter().enumerate() {
                for (b, &j) in seen.iter().enumerate() {
                    meat[a][b] += gradient[i] * gradient[j];
                }
            }
        }
        let c = clusters.len() as f64;
        let variance = |k: usize| c / (c - 1.0) * dot(&inverse[k], &multiply(&meat, &inverse[k]));
        ((0..seen.len()).map(variance).collect::<Vec<_>>(), student(clusters.len() - 1), 1.0)
    } else {
        let tau = correlation_time(residuals);
        let freedom = (found.total.count as f64 - n as f64).max(1.0);
        let sigma2 = found.total.squares / freedom;
        ((0..seen.len()).map(|k| tau * sigma2 * inverse[k][k]).collect(), 1.96, tau)
    };
    let mut out = Uncertainty { quantile, correlation_time: time, ..blind };
    for (&i, v) in seen.iter().zip(variance) {
        out.standard_error[i] = v.max(0.0).sqrt();
    }
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The gradient of each run.
fn by_run(found: &Found<'_>) -> Vec<Vec<f64>> {
    let mut out: Vec<(&str, Vec<f64>)> = Vec::new();
    for (task, sums) in found.tasks.iter().zip(&found.windows) {
        match out.last_mut() {
            Some((name, gradient)) if *name == task.name() => {
                gradient.iter_mut().zip(&sums.gradient).for_each(|(a, b)| *a += b);
            }
            _ => out.push((task.name(), sums.gradient.clone())),
        }
    }
    out.into_iter().map(|(_, gradient)| gradient).collect()
}

/// τ = 1 + 2 Σ ρ_k over the lags before the correlation fades, at most a quarter of a window.
fn correlation_time(residuals: &[Vec<Vec<DVec3>>]) -> f64 {
    let frames = residuals.iter().map(Vec::len).max().unwrap_or(0);
    let at_lag = |k: usize| -> f64 {
        let mut sum = 0.0;
        for window in residuals {
            for (a, b) in window.iter().zip(window.iter().skip(k)) {
                let pairs = a.iter().zip(b).filter(|(a, b)| a.is_finite() && b.is_finite());
                sum += pairs.map(|(a, b)| a.dot(*b)).sum::<f64>();
            }
        }
        sum
    };
    let zero = at_lag(0);
    let mut tau = 1.0;
    for k in 1..=frames / 4 {
        let rho = at_lag(k) / zero;
        // NaN, of residuals that are all zero, ends the sum too.
        if rho.is_nan() || rho < LEAST_CORRELATION {
            break;
        }
        tau += 2.0 * rho;
    }
    tau
}

/// The two-sided 95 % quantile of Student's distribution (Hill's expansion, Communications of the ACM 13, 1970: Cornish–Fisher terms).
pub fn student(freedom: usize) -> f64 {
    let z = 1.959_963_984_540_054_f64;
    let n = freedom.max(1) as f64;
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * n)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n * n * n)
}
