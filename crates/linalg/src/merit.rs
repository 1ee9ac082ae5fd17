//! Merit of an iterate of Newton's method on a momentum balance.

/// Potential, residual norm and scales at an iterate.
#[derive(Clone, Copy, Debug)]
pub struct Merit {
    /// Incremental potential Φ in J.
    pub potential: f64,
    /// |m| in the norm of the inverse diagonal of A, in √J.
    pub residual: f64,
    /// The greatest impulse in the balance, in the same norm.
    pub impulse: f64,
    /// Round-off of m, in the same norm.
    pub round_off: f64,
    /// Whether derivatives can be taken there.
    pub admissible: bool,
}

impl Merit {
    /// The merit of an empty system, to which those of parts are added.
    pub const NONE: Self =
        Self { potential: 0.0, residual: 0.0, impulse: 0.0, round_off: 0.0, admissible: true };

    /// Whether residual and potential are finite.
    pub fn is_finite(&self) -> bool {
        self.residual.is_finite() && self.potential.is_finite()
    }
}
