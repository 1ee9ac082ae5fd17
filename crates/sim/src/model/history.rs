//! What the scheme has to know of the step before.

use super::Model;
use ropewalk_body::TreeHistory;
use ropewalk_rod::RodHistory;

/// The step before, for BDF2; empty with schemes of one step. It counts only from the state that the step led to: what
/// has been set from outside goes on by backward Euler.
#[derive(Debug, Default, PartialEq)]
pub struct History {
    /// In the order of [`Model::rods`].
    pub rods: Vec<RodHistory>,
    /// In the order of [`Model::trees`].
    pub trees: Vec<TreeHistory>,
}

// By hand for the sake of `clone_from`, which keeps what `self` has allocated.
impl Clone for History {
    fn clone(&self) -> Self {
        Self { rods: self.rods.clone(), trees: self.trees.clone() }
    }
    fn clone_from(&mut self, source: &Self) {
        self.rods.clone_from(&source.rods);
        self.trees.clone_from(&source.trees);
    }
}

impl History {
    /// Makes room for the parts of `model`, or forgets all if its scheme has no use for it.
    pub(super) fn complete(&mut self, model: &Model) {
        if !model.settings.scheme.bdf2 {
            self.rods.clear();
            self.trees.clear();
            return;
        }
        self.rods.extend(model.rods.iter().skip(self.rods.len()).map(RodHistory::none));
        self.trees.extend(model.trees.iter().skip(self.trees.len()).map(|t| TreeHistory::none(&t.tree)));
    }
}
