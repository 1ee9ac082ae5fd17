//! Self-contact of links of one robot, or of bodies of one chain: `contact.include`.
//!
//! Links on both sides of a joint overlap there, so a robot paired with itself excludes them. Welded links count as
//! one, and links without mass (the frames between two joints of one body) belong to their parent. Pairs that the
//! robot's file excludes are excluded too. A pair named link by link is always included.

use super::Builder;
use crate::error::SceneError;
use ropewalk_body::Tree;
use ropewalk_sim::{Model, Party};

impl Builder<'_> {
    /// Adds the pairs of links of one tree that may touch.
    pub(super) fn self_contacts(&self, model: &mut Model) -> Result<(), SceneError> {
        let mut pairs = Vec::new();
        for [a, b] in &self.spec.contact.include {
            let sides = [self.link_party(model, a)?, self.link_party(model, b)?];
            let trees = sides.map(|party| tree_of(&party));
            if trees[0] != trees[1] {
                let message = format!("`{a}` and `{b}` are not of one robot or chain of bodies");
                return Err(self.error(&["contact", "include"], &message).hint("they touch in any case"));
            }
            let tree = trees[0];
            match sides {
                [Party::Link { link: p, .. }, Party::Link { link: q, .. }] if p == q => {
                    let message = format!("`{a}` cannot touch itself");
                    let error = self.error(&["contact", "include"], &message);
                    return Err(error.expected("two links, or a robot and itself"));
                }
                [Party::Link { link: p, .. }, Party::Link { link: q, .. }] => {
                    pairs.push((tree, ordered(p, q)))
                }
                _ => pairs.extend(self.pairs_of(model, tree, sides)),
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        model.self_contacts = pairs;
        Ok(())
    }

    /// The body, robot or link called `name`.
    fn link_party(&self, model: &Model, name: &str) -> Result<Party, SceneError> {
        let found = self.parties(model, name, "include")?;
        found.into_iter().find(|party| !matches!(party, Party::Rod(_))).ok_or_else(|| {
            self.error(&["contact", "include"], &format!("`{name}` is a rod"))
                .expected("links of a robot, or bodies")
                .hint("rods touch everything, themselves too")
        })
    }

    /// Pairs of links with shapes between `sides`, both of tree `tree`, that are not adjacent.
    fn pairs_of(&self, model: &Model, tree: usize, sides: [Party; 2]) -> Vec<(usize, [usize; 2])> {
        let of = &model.trees[tree];
        let mut shaped: Vec<usize> = of.shapes.iter().map(|shape| shape.link).collect();
        shaped.sort_unstable();
        shaped.dedup();
        let is_wanted = |p: usize, q: usize| {
            let between = |a: &Party, b: &Party| a.has_link(tree, p) && b.has_link(tree, q);
            between(&sides[0], &sides[1]) || between(&sides[1], &sides[0])
        };
        let mut found = Vec::new();
        for (i, &p) in shaped.iter().enumerate() {
            for &q in &shaped[i + 1..] {
                let pair = (tree, ordered(p, q));
                if is_wanted(p, q) && !are_joined(&of.tree, p, q) && !self.file_excludes.contains(&pair) {
                    found.push(pair);
                }
            }
        }
        found
    }
}

fn ordered(a: usize, b: usize) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

fn tree_of(party: &Party) -> usize {
    match *party {
        Party::Tree(tree) | Party::Link { tree, .. } | Party::Rod(tree) => tree,
    }
}

/// Whether two links are adjacent: connected by a joint or by welds.
fn are_joined(tree: &Tree, a: usize, b: usize) -> bool {
    let [p, q] = [a, b].map(|link| welded_to(tree, link));
    p == q || carrier(tree, p) == Some(q) || carrier(tree, q) == Some(p)
}

/// The first link of the group welded to `link`.
fn welded_to(tree: &Tree, mut link: usize) -> usize {
    while tree.links()[link].joint.kind.velocity_count() == 0
        && let Some(parent) = tree.links()[link].parent
    {
        link = parent;
    }
    link
}

/// The nearest ancestor with mass, or the base, of the first link of a welded group.
fn carrier(tree: &Tree, link: usize) -> Option<usize> {
    let mut at = welded_to(tree, tree.links()[link].parent?);
    while tree.links()[at].inertia.mass == 0.0
        && let Some(parent) = tree.links()[at].parent
    {
        at = welded_to(tree, parent);
    }
    Some(at)
}
