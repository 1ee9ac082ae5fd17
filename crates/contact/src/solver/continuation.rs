//! Continuation for very stiff constraints.
//!
//! With R ≪ w a sliding contact makes the cost a steep, curved valley: Newton's steps are exact but short, since the
//! direction of slip turns along each. Where Newton has not converged after some iterations, the problem is softened,
//! R → f R, and f returns to 1 in stages, each started from the solution of the last. The optimum depends on R at
//! first order, so each stage starts close to its solution. Problems with R of the order of w or above, the default,
//! never need this.

/// Newton iterations after which the continuation starts: rods in hard contact take up to 40 from a cold start.
const PATIENCE: usize = 40;

/// Most iterations of a stage.
const STAGE: usize = 12;

/// stiffness·w for which Newton's method converges without continuation.
const EASY: f64 = 1e3;

/// State of the continuation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Softening {
    factor: f64,
    /// Factor by which f falls from stage to stage.
    ratio: f64,
    iterations: usize,
    tried: bool,
}

impl Default for Softening {
    fn default() -> Self {
        Self { factor: 1.0, ratio: 4.0, iterations: 0, tried: false }
    }
}

impl Softening {
    /// Whether the present problem is softened.
    pub(crate) fn is_active(&self) -> bool {
        self.factor > 1.0
    }

    /// Whether a continuation has been started.
    pub(crate) fn was_tried(&self) -> bool {
        self.tried
    }

    /// Counts an iteration.
    pub(crate) fn count(&mut self) {
        self.iterations += 1;
    }

    /// Whether the iterations of the present stage are used up.
    pub(crate) fn is_due(&self) -> bool {
        self.iterations >= if self.is_active() { STAGE } else { PATIENCE }
    }

    /// The f of the next stage. A new continuation starts soft enough for the given
    /// `greatest_stiffness`·w, and in smaller stages than the one before.
    pub(crate) fn advance(&mut self, greatest_stiffness: impl FnOnce() -> f64) -> f64 {
        self.iterations = 0;
        self.tried = true;
        if self.is_active() {
            self.factor = (self.factor / self.ratio).max(1.0);
            if !self.is_active() {
                self.ratio = self.ratio.sqrt();
            }
        } else {
            self.factor = (greatest_stiffness() / EASY).clamp(self.ratio * self.ratio, 1e12);
        }
        self.factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_lead_back_to_the_given_problem() {
        let mut softening = Softening::default();
        for _ in 0..PATIENCE {
            assert!(!softening.is_due());
            softening.count();
        }
        assert!(softening.is_due());
        let factors: Vec<f64> = (0..6).map(|_| softening.advance(|| 2.56e5)).collect();
        assert_eq!(factors[..5], [256.0, 64.0, 16.0, 4.0, 1.0]);
        // The next round has finer stages.
        assert_eq!(factors[5], 256.0);
        assert_eq!(softening.advance(|| f64::NAN), 128.0);
    }
}
