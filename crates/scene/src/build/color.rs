//! Colors of rods, bodies and robots from the scene file.

use super::{Builder, LinkPlace};
use crate::Colors;
use ropewalk_sim::Model;

impl Builder<'_> {
    /// The colors of all rods, with their copies, and of the links of all trees.
    pub(super) fn colors(&self, model: &Model) -> Colors {
        let mut rods = vec![None; model.rods.len()];
        for (r, spec) in self.spec.rod.values().enumerate() {
            for index in core::iter::once(r).chain(self.copies_of(r)) {
                rods[index] = spec.color;
            }
        }
        let mut links: Vec<Vec<_>> = model.trees.iter().map(|t| vec![None; t.tree.links().len()]).collect();
        for (name, &LinkPlace { tree, link }) in &self.bodies {
            links[tree][link] = self.spec.body[name].color;
        }
        for (name, &tree) in &self.robots {
            links[tree].fill(self.spec.robot[name].color);
        }
        Colors { rods, links }
    }
}
