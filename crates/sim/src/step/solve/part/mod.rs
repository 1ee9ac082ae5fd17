//! Parts: what has momentum. A rod is one, and a tree of links.
//!
//! [`Part`] is all that Newton's method knows of either: residual m(v) and tangent A of its momentum balance, trials
//! along a direction, its own factor for the case that nothing else acts on it, and its place in the matrix of an
//! island. Vectors have four entries a tile: one tile for each node of a rod, and as many as it takes for a tree.

mod rod;
mod tree;

use super::dof_map::{DofMap, NodeSlots};
use crate::model::{Model, Settings, State};
use crate::step::SubStep;
use crate::workspace::{RodWork, TreeWork};
use ropewalk_linalg::merit::Merit;
use ropewalk_linalg::sparse::Tile;
use ropewalk_rod::{Rod, RodState};

/// What has momentum.
pub(crate) trait Part: Send {
    /// What it is made of.
    type Body: Sync;
    /// Its state.
    type State: Sync;

    /// Begins a step: what is prescribed, loads and the first guess have been set.
    fn begin(&mut self, body: &Self::Body, state: &Self::State, step: SubStep);
    /// Residual and tangent at the iterate.
    fn linearize(&mut self, body: &Self::Body, state: &Self::State, step: SubStep) -> Merit;
    /// The first time in an island with constraints; a tangent of an earlier step may do. True if that is still in the
    /// matrix of the island.
    fn linearize_first(
        &mut self,
        body: &Self::Body,
        state: &Self::State,
        step: SubStep,
        _settings: &Settings,
    ) -> bool {
        self.iterate().merit = self.linearize(body, state, step);
        false
    }
    /// Residual and potential at a fraction of the direction, which becomes the trial.
    fn trial(&mut self, body: &Self::Body, state: &Self::State, step: SubStep, fraction: f64) -> Merit;
    /// Takes the trial as the iterate.
    fn accept(&mut self);
    /// Replaces the tangent by one that is positive definite; false if that is beyond it.
    fn alter_tangent(&mut self, body: &Self::Body, state: &Self::State, step: SubStep) -> bool;
    /// Factors the tangent by itself. False if it is not positive definite.
    fn factor(&mut self) -> bool;
    /// The direction −A⁻¹ (m − `push`) by that factor; an empty `push` is none. Returns its slope.
    fn direct(&mut self, push: &[[f64; 4]]) -> f64;
    /// The direction from one velocity to another. Returns its slope.
    fn direct_to(&mut self, from: &[[f64; 4]], to: &[[f64; 4]]) -> f64;
    /// Copies the tangent into its tiles of the matrix, which begin with the first of the diagonal; `slots` are their
    /// places ([`NodeSlots`]).
    fn copy_tangent(&self, slots: &[NodeSlots], tiles: &mut [Tile]);
    /// Copies velocities, and the residual where nothing is held.
    fn copy_iterate(&self, v: &mut [[f64; 4]], residual: &mut [[f64; 4]]);
    /// |m − `push`|² and |`push`|² in the norm of [`Merit`].
    fn unbalanced(&self, push: &[[f64; 4]]) -> [f64; 2];
    /// With the impulses `push` given, shifts it as a whole such that its momentum balances to round-off, if nothing
    /// holds it. False if that takes more iterations.
    fn shift(&mut self, body: &Self::Body, step: SubStep, push: &[[f64; 4]]) -> bool;
    /// To what fraction of the impulses at work it is solved alone, and what passes where no more progress is made.
    fn tolerances(&self, settings: &Settings) -> [f64; 2];
    /// Whether forces on it turn with it, but not within a line search.
    fn has_followers(&self) -> bool;
    /// Moves `state` to where the iterate leads.
    fn advance(&mut self, body: &Self::Body, state: &mut Self::State, step: SubStep);
    /// Where Newton's method stands.
    fn iterate(&mut self) -> &mut Iterate;
}

/// Where Newton's method stands with a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Iterate {
    /// At the last evaluation.
    pub(crate) merit: Merit,
    /// Of the same: the slope along the direction, and in squares what is left of the residual and what is pushed.
    pub(crate) slope: f64,
    pub(crate) left: f64,
    pub(crate) pushed: f64,
    /// Whether its tangent is that of the linearization before.
    pub(crate) kept_tangent: bool,
    /// Whether the tangent of this linearization has been altered already.
    pub(crate) altered: bool,
    /// Whether its tiles of the matrix are those of the last solve.
    pub(crate) in_matrix: bool,
    /// Whether it has been moved by itself in this step.
    pub(crate) moved_freely: bool,
}

impl Default for Iterate {
    fn default() -> Self {
        Self {
            merit: Merit::NONE,
            slope: 0.0,
            left: 0.0,
            pushed: 0.0,
            kept_tangent: false,
            altered: false,
            in_matrix: false,
            moved_freely: false,
        }
    }
}

/// A part with what it is made of and where it starts from.
pub(in crate::step) struct Placed<'a, P: Part> {
    body: &'a P::Body,
    state: &'a P::State,
    pub(in crate::step) work: &'a mut P,
}

/// A part of an island.
pub(in crate::step) struct IslandPart<'a> {
    /// Its number: rods first, then trees.
    pub(in crate::step) id: usize,
    /// Its island.
    pub(in crate::step) island: usize,
    /// Its number of tiles.
    pub(in crate::step) tiles: usize,
    pub(in crate::step) of: Kind<'a>,
}

/// The kinds of parts.
pub(in crate::step) enum Kind<'a> {
    Rod(Placed<'a, RodWork>),
    Tree(Placed<'a, TreeWork>),
}

/// Does the same with either kind.
macro_rules! with {
    ($part:expr, $p:ident => $do:expr) => {
        match &mut $part.of {
            Kind::Rod($p) => $do,
            Kind::Tree($p) => $do,
        }
    };
}

impl IslandPart<'_> {
    /// All parts of `model`, by their numbers, with the islands that `island_of` gives them.
    pub(in crate::step) fn all<'a>(
        (model, state): (&'a Model, &'a State),
        (rods, trees): (&'a mut [RodWork], &'a mut [TreeWork]),
        dof_map: &'a DofMap,
        island_of: &'a [usize],
    ) -> impl Iterator<Item = IslandPart<'a>> {
        let part = |id: usize, of: Kind<'a>| {
            let tiles = dof_map.tiles(id).len();
            IslandPart { id, island: island_of[id], tiles, of }
        };
        let rod_count = rods.len();
        let bodies = model.rods.iter().zip(&state.rods).zip(rods).enumerate();
        let rods =
            bodies.map(move |(r, ((body, state), work))| part(r, Kind::Rod(Placed { body, state, work })));
        let bodies = model.trees.iter().zip(&state.trees).zip(trees).enumerate();
        let trees = bodies.map(move |(t, ((tree, state), work))| {
            part(rod_count + t, Kind::Tree(Placed { body: &tree.tree, state, work }))
        });
        rods.chain(trees)
    }

    /// A rod by itself.
    pub(in crate::step) fn of_rod<'a>(
        body: &'a Rod,
        state: &'a RodState,
        work: &'a mut RodWork,
    ) -> IslandPart<'a> {
        IslandPart { id: 0, island: 0, tiles: state.q.len(), of: Kind::Rod(Placed { body, state, work }) }
    }

    pub(in crate::step) fn iterate(&mut self) -> &mut Iterate {
        with!(self, p => p.work.iterate())
    }
    pub(in crate::step) fn moved_freely(&self) -> bool {
        match &self.of {
            Kind::Rod(p) => p.work.iterate.moved_freely,
            Kind::Tree(p) => p.work.iterate.moved_freely,
        }
    }
    pub(in crate::step) fn outcome(&mut self) -> &mut crate::step::Outcome {
        with!(self, p => &mut p.work.outcome)
    }
    pub(in crate::step) fn linearize(&mut self, step: SubStep) -> Merit {
        with!(self, p => p.work.linearize(p.body, p.state, step))
    }
    pub(in crate::step) fn linearize_first(&mut self, step: SubStep, settings: &Settings) -> bool {
        with!(self, p => p.work.linearize_first(p.body, p.state, step, settings))
    }
    pub(in crate::step) fn trial(&mut self, step: SubStep, fraction: f64) -> Merit {
        with!(self, p => p.work.trial(p.body, p.state, step, fraction))
    }
    pub(in crate::step) fn accept(&mut self) {
        with!(self, p => p.work.accept());
    }
    pub(in crate::step) fn alter_tangent(&mut self, step: SubStep) -> bool {
        with!(self, p => p.work.alter_tangent(p.body, p.state, step))
    }
    pub(in crate::step) fn factor(&mut self) -> bool {
        with!(self, p => p.work.factor())
    }
    pub(in crate::step) fn direct(&mut self, push: &[[f64; 4]]) -> f64 {
        with!(self, p => p.work.direct(push))
    }
    pub(in crate::step) fn direct_to(&mut self, from: &[[f64; 4]], to: &[[f64; 4]]) {
        self.iterate().slope = with!(self, p => p.work.direct_to(from, to));
    }
    pub(in crate::step) fn copy_tangent(&mut self, slots: &[NodeSlots], tiles: &mut [Tile]) {
        with!(self, p => p.work.copy_tangent(slots, tiles));
    }
    pub(in crate::step) fn copy_iterate(&mut self, v: &mut [[f64; 4]], residual: &mut [[f64; 4]]) {
        with!(self, p => p.work.copy_iterate(v, residual));
    }
    pub(in crate::step) fn weigh(&mut self, push: &[[f64; 4]]) {
        let [left, pushed] = with!(self, p => p.work.unbalanced(push));
        (self.iterate().left, self.iterate().pushed) = (left, pushed);
    }
    pub(in crate::step) fn shift(&mut self, step: SubStep, push: &[[f64; 4]]) -> bool {
        with!(self, p => p.work.shift(p.body, step, push))
    }
    pub(in crate::step) fn tolerances(&mut self, settings: &Settings) -> [f64; 2] {
        with!(self, p => p.work.tolerances(settings))
    }
    pub(in crate::step) fn has_followers(&mut self) -> bool {
        with!(self, p => p.work.has_followers())
    }
    /// The tree, if it is one.
    pub(in crate::step) fn tree(&self) -> Option<&TreeWork> {
        match &self.of {
            Kind::Tree(p) => Some(p.work),
            Kind::Rod(_) => None,
        }
    }
    /// The rod, if it is one.
    pub(in crate::step) fn rod(&self) -> Option<&RodWork> {
        match &self.of {
            Kind::Rod(p) => Some(p.work),
            Kind::Tree(_) => None,
        }
    }
}
