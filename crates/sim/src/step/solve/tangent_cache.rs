//! Rods at rest: their tangent serves from step to step.
//!
//! A rod that hardly moves goes by the tangent of a shape that it had some steps ago, the *kept* one, as long as it stays
//! near that. Its residual is found anew all the same, and where the kept tangent does not do, the rod is linearised anew
//! within the step, so that momentum balances no worse.
//!
//! The tangent is that of the kept shape to the last bit: a run that goes on from a snapshot, which has the shape, makes it
//! again.

use crate::model::Settings;
use crate::workspace::RodWork;
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{NaturalShape, Rod, RodState};

/// How far nodes may be from the kept shape, as a fraction of the shortest edge; edges may be turned by as many radians.
const NEAR: f64 = 1e-4;

/// For how many steps a shape has to serve, at the present velocities, to be kept.
const SERVES: f64 = 16.0;

/// A shape whose tangent serves for later steps.
#[derive(Clone, Debug, PartialEq)]
pub struct CachedTangent {
    /// The shape at the start of the step in which the tangent was made; the velocities are those of the iterate.
    pub shape: RodState,
    /// What was held then.
    pub held: Vec<[bool; 4]>,
}

/// What a rod keeps.
#[derive(Clone, Debug)]
pub(crate) struct TangentCache {
    kept: CachedTangent,
    is_kept: bool,
    /// Whether the tangent in the rod's motion is that of the kept shape.
    is_made: bool,
    /// Whether it is in the matrix of the problem.
    in_problem: bool,
    /// Whether this solve goes by it, though it was made for an earlier one.
    serves: bool,
    /// How far nodes may be from the kept shape, m.
    near: f64,
}

impl TangentCache {
    pub(crate) fn new(rod: &Rod) -> Self {
        let n = rod.node_count();
        let shape = RodState {
            q: vec![[0.0; 4]; n],
            v: vec![[0.0; 4]; n],
            d1: vec![[0.0; 3]; rod.edge_count()],
            beta: vec![0.0; n],
            natural: NaturalShape::straight(n),
        };
        let shortest = rod.rest_lengths().iter().copied().fold(f64::INFINITY, f64::min);
        Self {
            kept: CachedTangent { shape, held: vec![[false; 4]; n] },
            is_kept: false,
            is_made: false,
            in_problem: false,
            serves: false,
            near: NEAR * shortest,
        }
    }

    /// The kept shape.
    pub(crate) fn kept(&self) -> Option<&CachedTangent> {
        self.is_kept.then_some(&self.kept)
    }

    /// Keeps `shape`, or none.
    pub(crate) fn restore(&mut self, shape: Option<&CachedTangent>) {
        self.forget();
        if let Some(shape) = shape {
            self.kept.clone_from(shape);
            self.is_kept = true;
        }
    }

    /// No shape is kept any longer.
    pub(in crate::step) fn forget(&mut self) {
        (self.is_kept, self.is_made, self.in_problem, self.serves) = (false, false, false, false);
    }

    /// Keeps the shape of which the tangent has just been made, if the rod is slow.
    fn keep(&mut self, state: &RodState, motion: &RodMotion, dt: f64) {
        let ways = [self.near, NEAR].map(|way| way / (SERVES * dt));
        self.forget();
        if motion.v.iter().any(|v| exceeds(v, ways)) {
            return;
        }
        let CachedTangent { shape, held } = &mut self.kept;
        shape.clone_from(state);
        shape.v.copy_from_slice(&motion.v);
        held.copy_from_slice(&motion.held);
        (self.is_kept, self.is_made) = (true, true);
    }

    /// Whether the rod is as good as in the kept shape.
    fn is_near(&self, state: &RodState, motion: &RodMotion) -> bool {
        let CachedTangent { shape, held } = &self.kept;
        let ways = [self.near, NEAR];
        let apart = |a: &[f64; 4], b: &[f64; 4]| [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]];
        let mut nodes = state.q.iter().zip(&shape.q);
        *held == motion.held
            && state.natural == shape.natural
            && !nodes.any(|(now, kept)| exceeds(&apart(now, kept), ways))
    }
}

/// Whether positions exceed the first, or the angle the second limit; what is no number does.
fn exceeds(x: &[f64; 4], [along, about]: [f64; 2]) -> bool {
    let most = x[0].abs().max(x[1].abs()).max(x[2].abs());
    !(most <= along && x[3].abs() <= about && (x[0] + x[1] + x[2]).is_finite())
}

impl RodWork {
    /// The first linearisation of a coupled solve. True if its tangent is the one in the matrix of the problem.
    pub(in crate::step) fn linearise_first(
        &mut self,
        rod: &Rod,
        state: &RodState,
        weights: StepWeights,
        settings: &Settings,
    ) -> bool {
        let Self { motion, rest, .. } = self;
        // Of other steps there are few, and nothing is kept for them.
        let keeps = weights.dt == settings.dt && weights.theta_vq == 1.0 && motion.has_no_drag();
        rest.serves = keeps && rest.is_kept && rest.is_near(state, motion);
        let merit = if rest.serves {
            if !rest.is_made {
                motion.tangent_of(rod, &rest.kept.shape, weights, state);
                rest.is_made = true;
            }
            motion.evaluate(rod, state, weights)
        } else {
            let merit = motion.linearise(rod, state, weights);
            rest.forget();
            if keeps {
                rest.keep(state, motion, weights.dt);
            }
            merit
        };
        self.merit = Some(merit);
        core::mem::replace(&mut self.rest.in_problem, self.rest.is_kept)
    }

    /// Linearises at the present iterate, whatever was kept.
    pub(in crate::step) fn linearise_anew(&mut self, rod: &Rod, state: &RodState, weights: StepWeights) {
        self.rest.forget();
        self.merit = Some(self.motion.linearise(rod, state, weights));
    }

    /// Whether the kept tangent has left more of the residual than `settled` allows, in squares.
    pub(in crate::step) fn needs_tangent(&self, settled: f64) -> bool {
        self.rest.serves && self.left > settled
    }
}
