//! What the solver remembers from step to step: it is part of the state, since the bits of the next step depend on it.

use ropewalk_contact::ConstraintPattern;
use ropewalk_rod::{NaturalShape, PlasticState, RodState};

/// What the solver remembers.
#[derive(Debug, Default)]
pub struct SolverMemory {
    /// By rod: the shape whose tangent serves for as long as the rod stays near it. May be shorter than the list of
    /// rods.
    pub tangents: Vec<CachedTangent>,
    /// The orders in which unknowns are eliminated, by island. An order suits the constraints for which it was made and
    /// serves as long as those of the island find their place in it.
    pub orders: Vec<IslandOrder>,
}

/// A shape of a rod at rest, whose tangent serves for later steps.
#[derive(Debug)]
pub struct CachedTangent {
    /// Whether it serves; if not, the rest means nothing.
    pub in_use: bool,
    /// The shape at the start of the step in which the tangent was made; the velocities are those of the iterate.
    pub shape: RodState,
    /// What was held then.
    pub held: Vec<[bool; 4]>,
}

/// The order of elimination of an island.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IslandOrder {
    /// The parts of the island: rods by their numbers, then trees.
    pub parts: Vec<usize>,
    /// The tiles of the constraints for which the order was made; tiles count nodes and joints of the parts, one after
    /// the other.
    pub constraints: ConstraintPattern,
}

impl Default for CachedTangent {
    fn default() -> Self {
        let (q, d1) = (Vec::new(), Vec::new());
        let natural = NaturalShape { kappa1: Vec::new(), kappa2: Vec::new(), tau: Vec::new() };
        let plastic = PlasticState::default();
        let shape = RodState { v: q.clone(), q, d1, beta: Vec::new(), natural, plastic };
        Self { in_use: false, shape, held: Vec::new() }
    }
}

impl PartialEq for SolverMemory {
    fn eq(&self, other: &Self) -> bool {
        let (mine, theirs) = (&self.tangents, &other.tangents);
        let both = mine.len().min(theirs.len());
        let mut rest = mine[both..].iter().chain(&theirs[both..]);
        self.orders == other.orders && mine[..both] == theirs[..both] && rest.all(|tangent| !tangent.in_use)
    }
}

impl PartialEq for CachedTangent {
    fn eq(&self, other: &Self) -> bool {
        self.in_use == other.in_use && (!self.in_use || self.shape == other.shape && self.held == other.held)
    }
}

// By hand for the sake of `clone_from`, which keeps what `self` has allocated.
impl Clone for CachedTangent {
    fn clone(&self) -> Self {
        let mut out = Self::default();
        out.clone_from(self);
        out
    }
    fn clone_from(&mut self, source: &Self) {
        self.in_use = source.in_use;
        if source.in_use {
            self.shape.clone_from(&source.shape);
            self.held.clone_from(&source.held);
        }
    }
}

impl Clone for SolverMemory {
    fn clone(&self) -> Self {
        Self { tangents: self.tangents.clone(), orders: self.orders.clone() }
    }
    fn clone_from(&mut self, source: &Self) {
        self.tangents.clone_from(&source.tangents);
        if self.orders != source.orders {
            self.orders.clone_from(&source.orders);
        }
    }
}
