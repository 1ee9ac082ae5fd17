//! The loss of a residual: quadratic where it is small, linear where it is large.
//!
//! ρ(r) = δ² (√(1 + (r/δ)²) − 1), so ρ' = w r with w = 1/√(1 + (r/δ)²) (pseudo-Huber). The influence of a marker that
//! jumps is bounded.

/// The loss with its scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// δ in m: residuals well below it count by their square.
    pub scale: f64,
}

impl Loss {
    /// ρ in m².
    pub fn value(&self, r: f64) -> f64 {
        let s = r / self.scale;
        // √(1 + s²) − 1 without the difference of equal numbers.
        self.scale * self.scale * s * s / ((1.0 + s * s).sqrt() + 1.0)
    }
    /// w.
    pub fn weight(&self, r: f64) -> f64 {
        let s = r / self.scale;
        1.0 / (1.0 + s * s).sqrt()
    }
}
