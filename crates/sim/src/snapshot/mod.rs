//! Snapshots: all that a run carries from one step to the next, and so all that it takes to go on with the same bits.
//!
//! A step reads the constant model, the [`State`], and two kinds of memory in the workspace: scratch, which every step
//! writes before it reads it, and what is *carried*. [`Carried`] is the whole list of the latter. What a step is to find
//! again after a break is one field there, one line each in [`Workspace::carried`] and [`Workspace::restore`], and its
//! arrays in [`arrays`](mod@arrays).
//!
//! | carried | why bits depend on it |
//! |---|---|
//! | [`Carried::kept`] | a rod at rest goes by the tangent of a shape that it had some steps ago |
//! | [`Carried::order`] | the order in which unknowns are eliminated, and so the round-off of every coupled solve, is that of the pattern which was analysed last, not of the present one |

pub mod arrays;
mod command_arrays;

use crate::model::{Model, State};
pub use crate::step::solve::tangent_cache::CachedTangent;
use crate::workspace::Workspace;
pub use arrays::{NamedArray, SnapshotError};
use ropewalk_contact::ConstraintPattern;

/// State and memory of a run between two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The state.
    pub state: State,
    /// What the workspace carries.
    pub carried: Carried,
}

/// What a workspace carries from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// The pattern of constraints whose analysis is in use; empty before the first coupled solve.
    pub order: ConstraintPattern,
    /// By rod: the shape whose tangent serves, if it is at rest.
    pub kept: Vec<Option<CachedTangent>>,
}

impl Snapshot {
    /// The snapshot of a run that is between two steps.
    pub fn take(state: &State, workspace: &Workspace) -> Self {
        Self { state: state.clone(), carried: workspace.carried() }
    }

    /// A state and a workspace from which the run goes on as if it had never stopped.
    pub fn resume(&self, model: &Model) -> (State, Workspace) {
        let mut workspace = Workspace::new(model);
        workspace.restore(&self.carried);
        (self.state.clone(), workspace)
    }
}

impl Workspace {
    /// What the next step will find of those before it.
    pub fn carried(&self) -> Carried {
        Carried {
            order: self.coupling.order().clone(),
            kept: self.rods.iter().map(|work| work.rest.kept().cloned()).collect(),
        }
    }

    /// Puts `carried` in place of what this workspace carries.
    pub fn restore(&mut self, carried: &Carried) {
        self.coupling.set_order(&carried.order);
        for (r, work) in self.rods.iter_mut().enumerate() {
            work.rest.restore(carried.kept.get(r).and_then(Option::as_ref));
        }
    }
}
