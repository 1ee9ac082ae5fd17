//! The result: velocities, impulses, and a report of the iterations.

use crate::law::Rows;

/// Status of a solve. Ordered from best to worst.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Status {
    /// The momentum residual is below the tolerance.
    #[default]
    Converged,
    /// No step lowers the cost any more, though the residual is above the tolerance: round-off of an
    /// ill-conditioned problem. The reached relative residual is in the report.
    RoundOff,
    /// The iteration limit was reached. The velocities are the best so far: each iteration lowers the cost.
    IterationLimit,
    /// A, or the Hessian, has no Cholesky factor: A is not positive definite to working precision.
    NotPositiveDefinite {
        /// The tile whose pivot failed.
        tile: usize,
        /// The DoF within the tile.
        dof: usize,
    },
    /// Finite input led to overflow or NaN: the scales of the problem are too far apart.
    Overflow,
}

impl Status {
    /// True if the velocities are an optimum, to the tolerance.
    pub fn is_converged(self) -> bool {
        self == Self::Converged
    }

    /// True if velocities and impulses were found, if only to a looser tolerance.
    pub fn has_solution(self) -> bool {
        matches!(self, Self::Converged | Self::RoundOff | Self::IterationLimit)
    }

    fn rank(self) -> u8 {
        match self {
            Self::Converged => 0,
            Self::RoundOff => 1,
            Self::IterationLimit => 2,
            Self::NotPositiveDefinite { .. } => 3,
            Self::Overflow => 4,
        }
    }

    /// The worse of the two.
    pub fn worse(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }
}

impl core::fmt::Display for Status {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Converged => write!(f, "converged"),
            Self::RoundOff => write!(f, "stopped by round-off above the tolerance"),
            Self::IterationLimit => write!(f, "iteration limit reached"),
            Self::NotPositiveDefinite { tile, dof } => {
                write!(f, "A is not positive definite at DoF {dof} of tile {tile}")
            }
            Self::Overflow => write!(f, "overflow: the scales of the problem are too far apart"),
        }
    }
}

/// Report of one island.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IslandReport {
    /// Status.
    pub status: Status,
    /// Newton iterations.
    pub iterations: usize,
    /// Evaluations of the line searches.
    pub line_search_evaluations: usize,
    /// Relative momentum residual at the end, see [`crate::solver::newton`].
    pub relative_residual: f64,
    /// Tiles of unknowns.
    pub tile_count: usize,
    /// Tiles that constraints touch.
    pub participating_count: usize,
    /// Constraints.
    pub constraint_count: usize,
    /// Cost at the start and after each iteration.
    pub cost_history: Vec<f64>,
}

impl IslandReport {
    /// A copy that reuses the memory of the history.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let Self { cost_history, .. } = other;
        self.cost_history.clear();
        self.cost_history.reserve(cost_history.capacity());
        self.cost_history.extend_from_slice(cost_history);
        self.status = other.status;
        self.iterations = other.iterations;
        self.line_search_evaluations = other.line_search_evaluations;
        self.relative_residual = other.relative_residual;
        self.tile_count = other.tile_count;
        self.participating_count = other.participating_count;
        self.constraint_count = other.constraint_count;
    }
}

/// The result of a solve. Its memory is reused by the next solve.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// v, four entries a tile. v* where the status has no solution.
    pub v: Vec<f64>,
    /// λ of each constraint, N·s or N·m·s.
    pub impulses: Vec<Rows>,
    /// u = J v − v̂ of each constraint, to more digits than v has: for stiff constraints it is a small difference.
    pub excess: Vec<Rows>,
    /// The worst status of all islands.
    pub status: Status,
    /// Most iterations of an island.
    pub iterations: usize,
    /// ½|v − v*|²_A + mᵀ(v − v*) + Σ ℓ_i, J.
    pub objective: f64,
    /// Cost after each iteration, summed over islands; an island that has ended counts with its last cost.
    pub cost_history: Vec<f64>,
    /// The islands that were solved.
    pub islands: Vec<IslandReport>,
}

impl Solution {
    /// An empty result.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sums up the islands.
    pub(crate) fn summarise(&mut self) {
        self.status = Status::Converged;
        self.iterations = 0;
        for island in &self.islands {
            self.status = self.status.worse(island.status);
            self.iterations = self.iterations.max(island.iterations);
        }
        self.cost_history.clear();
        for iteration in 0..=self.iterations {
            let at = |history: &[f64]| history.get(iteration).or(history.last()).copied().unwrap_or(0.0);
            self.cost_history.push(self.islands.iter().map(|i| at(&i.cost_history)).sum());
        }
        self.objective = self.cost_history.last().copied().unwrap_or(0.0);
    }
}
