//! Impacts, across which no difference formula reaches.
//!
//! BDF2 takes velocities and momenta of the step before to go on smoothly. Where something is hit, velocities jump: the
//! mean velocity of the step falls from u₀ to zero, and c (u − g u₀) would be a rebound at half of it. So
//!
//! - a step in which a part is hit is one of backward Euler for that part and for all that attachments and pushing
//!   contacts join to it: the jump goes through them at once;
//! - the step after has no step before it.
//!
//! Whether a contact, or the end of a joint's range, has hit shows in what it has pushed for: it stops an approach at −v_n
//! of the start of the step, and changes the velocity by about w λ. In contact that lasts, sliding or at rest, nothing
//! approaches; the first of the two is then zero. (An impact takes two steps. The first ends where the gap closes, with
//! what is left of the approach, and the second stops it.) An attachment that takes hold has hit, too.
//!
//! Contacts that close with the velocities at the start are expected to hit, which spares a second solve; the others show
//! after the solve, and it is repeated with what they hit by backward Euler.

use crate::model::{End, Model, State};
use crate::report::stage;
use crate::step::SubStep;
use crate::step::collide::Side;
use crate::step::constrain::AnyConstraint;
use crate::step::constrain::contact::slip;
use crate::step::constrain::contact_update::half_thickness;
use crate::step::solve::dof_map::DofMap;
use crate::step::timer::Timer;
use crate::workspace::{RodWork, TreeWork, Workspace};
use ropewalk_body::{Tree, TreeHistory, TreeState};
use ropewalk_contact::JacobianTile;

/// Share of the change of velocity w λ above which an approach counts as a hit. What is below rebounds by a tenth of what
/// its weight makes of a velocity in a step.
const HIT: f64 = 0.1;

/// Approach in a step, over half of the thickness of the thinner side, that is expected to end in a hit.
const EXPECTED: f64 = 1e-3;

/// What a sub-step of BDF2 does to the history of a part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Restart {
    /// Its step is one of backward Euler.
    pub(crate) now: bool,
    /// Its velocities jump, so that the next step has no history.
    pub(crate) hit: bool,
}

/// A rod or a tree.
#[derive(Clone, Copy, Debug)]
enum Part {
    Rod(usize),
    Tree(usize),
}

/// All parts of a step.
struct Parts<'a> {
    model: &'a Model,
    rods: &'a mut [RodWork],
    trees: &'a mut [TreeWork],
}

/// Begins a sub-step: nothing is hit yet.
pub(in crate::step) fn forget(workspace: &mut Workspace) {
    workspace.rods.iter_mut().for_each(|work| work.restart = Restart::default());
    workspace.trees.iter_mut().for_each(|work| work.restart = Restart::default());
}

/// Begins the step anew by backward Euler for parts that are about to be hit.
pub(in crate::step) fn foresee(model: &Model, state: &State, workspace: &mut Workspace, step: SubStep) {
    let Workspace { rods, trees, coupling, grips_made, seconds, .. } = workspace;
    let _timer = Timer::start(&mut seconds[stage::KINEMATICS]);
    let mut parts = Parts { model, rods, trees };
    let mut any = false;
    for contact in &coupling.collision.contacts {
        let parting = slip(contact, model, state, parts.trees).dot(contact.normal);
        let closes = parting < 0.0 && contact.gap + step.weights.dt * parting <= 0.0;
        if closes && -parting * step.weights.dt > EXPECTED * half_thickness(&contact.sides, model) {
            any = true;
            parts.mark(contact.sides.map(Part::of_side), Restart { now: true, hit: false });
        }
    }
    for &a in &*grips_made {
        any = true;
        parts.mark(model.attachments[a].ends.map(Part::of_end), Restart { now: true, hit: true });
    }
    if !any {
        return;
    }
    parts.spread(state, core::iter::empty());
    for (r, work) in parts.rods.iter_mut().enumerate().filter(|(_, w)| w.restart.now) {
        work.motion.begin(&model.rods[r], &state.rods[r], step.weights);
    }
    for (t, work) in parts.trees.iter_mut().enumerate().filter(|(_, w)| w.restart.now) {
        begin_tree(&model.trees[t].tree, work, &state.trees[t], &TreeHistory::default(), step);
    }
}

/// Marks what has been hit in the motion found. True if some of it reaches back to the step before, so that the
/// sub-step has to be solved again.
pub(in crate::step) fn found(model: &Model, state: &State, workspace: &mut Workspace) -> bool {
    let Workspace { rods, trees, coupling, .. } = workspace;
    let (rows, impulses, linearized) = (&coupling.rows, &coupling.impulses, &coupling.linearized);
    if rows.len() == 0 {
        return false;
    }
    let mut parts = Parts { model, rods, trees };
    let hit = Restart { now: false, hit: true };
    for (c, (constraint, lambda)) in coupling.constraints.iter().zip(impulses).enumerate() {
        // How fast what it has stopped came, m/s or rad/s, and what has pushed.
        let (approach, row, both) = match *constraint {
            AnyConstraint::Contact(_) if lambda[2] > 0.0 => {
                let contact = &coupling.collision.contacts[c];
                let parting = slip(contact, model, state, parts.trees).dot(contact.normal);
                (-parting, 2, contact.sides.map(Part::of_side))
            }
            AnyConstraint::JointLimit(limit) if lambda[0] != 0.0 => {
                let parting = state.trees[limit.tree].v[limit.dof] * lambda[0].signum();
                (-parting, 0, [Some(Part::Tree(limit.tree)), None])
            }
            _ => continue,
        };
        let weight = effective_inverse_mass(&parts, &coupling.dof_map, rows.jacobian(c), row);
        if approach > HIT * weight * lambda[row].abs() {
            parts.mark(both, hit);
        }
    }
    let pushing = linearized.iter().zip(impulses).filter(|(_, lambda)| lambda[2] > 0.0);
    let pushing = pushing.map(|(contact, _)| &contact.sides);
    parts.spread(state, pushing);
    let mut again = false;
    for work in parts.rods.iter_mut().filter(|w| w.restart.hit && w.motion.reaches_back()) {
        (work.restart.now, again) = (true, true);
    }
    for work in parts.trees.iter_mut().filter(|w| w.restart.hit && w.motion.reaches_back()) {
        (work.restart.now, again) = (true, true);
    }
    again
}

/// Begins the step of BDF2 of a tree whose forces are set.
pub(super) fn begin_tree(
    tree: &Tree,
    work: &mut TreeWork,
    state: &TreeState,
    history: &TreeHistory,
    step: SubStep,
) {
    work.iterate.moved_freely = false;
    work.motion.begin_bdf2(tree, state, &work.next_base, work.gravity, step.weights.dt, history);
    // Where the first guess leads, for rows that are linearized there.
    work.motion.linearize(tree, state);
}

/// About how easily a row of a constraint is moved, 1/kg or 1/(kg·m²): by the diagonal of the tangents.
fn effective_inverse_mass(parts: &Parts<'_>, dof_map: &DofMap, jacobian: &[JacobianTile], row: usize) -> f64 {
    let mut sum = 0.0;
    for tile in jacobian {
        let inverse: [f64; 4] = match dof_map.owner(tile.tile) {
            Ok(rod) => parts.rods[rod].motion.inverse_diagonal()[tile.tile - dof_map.rod_tile[rod]],
            Err(tree) => {
                let (motion, first) = (&parts.trees[tree].motion, 4 * (tile.tile - dof_map.tree_tile[tree]));
                let n = motion.v.len();
                core::array::from_fn(|k| motion.tangent.get((first + k) * (n + 1)).map_or(0.0, |a| 1.0 / a))
            }
        };
        sum += (0..4).map(|k| tile.rows[row][k] * tile.rows[row][k] * inverse[k]).sum::<f64>();
    }
    sum
}

impl Part {
    fn of_side(side: Side) -> Option<Self> {
        Some(match side {
            Side::Edge { rod, .. } => Self::Rod(rod as usize),
            Side::Link { tree, .. } => Self::Tree(tree as usize),
        })
    }

    fn of_end(end: End) -> Option<Self> {
        match end {
            End::World { .. } => None,
            End::Link { tree, .. } => Some(Self::Tree(tree)),
            End::Rod { rod, .. } => Some(Self::Rod(rod)),
        }
    }
}

impl Parts<'_> {
    /// What becomes of a part; none of what cannot move.
    fn restart(&mut self, part: Option<Part>) -> Option<&mut Restart> {
        match part? {
            Part::Rod(r) => Some(&mut self.rods[r].restart),
            Part::Tree(t) if self.model.trees[t].tree.velocity_count() == 0 => None,
            Part::Tree(t) => Some(&mut self.trees[t].restart),
        }
    }

    /// Adds `mark` to both parts.
    fn mark(&mut self, both: [Option<Part>; 2], mark: Restart) {
        for part in both {
            if let Some(restart) = self.restart(part) {
                restart.now |= mark.now;
                restart.hit |= mark.hit;
            }
        }
    }

    /// Marks all that attachments and the contacts between the sides `pushing` join to what is marked.
    fn spread<'s>(&mut self, state: &State, pushing: impl Iterator<Item = &'s [Side; 2]> + Clone) {
        loop {
            let mut changed = false;
            let model = self.model;
            let grips = model.attachments.iter().zip(&state.attachments).filter(|(_, s)| s.grip.is_some());
            let held = grips.map(|(attachment, _)| attachment.ends.map(Part::of_end));
            for both in held.chain(pushing.clone().map(|sides| sides.map(Part::of_side))) {
                let [a, b] = both.map(|part| self.restart(part).copied());
                if let (Some(a), Some(b)) = (a, b)
                    && (a.now, a.hit) != (b.now, b.hit)
                {
                    self.mark(both, Restart { now: a.now || b.now, hit: a.hit || b.hit });
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}
