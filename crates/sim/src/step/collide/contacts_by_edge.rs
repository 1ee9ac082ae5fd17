//! Contacts by the edge that touches: those that may be the same as another one are found without a look at all.

use super::Side;

/// What touches what: the rod of the first side, and the rod or the shape of a tree that is the other.
type Pair = [u32; 3];

/// No tree: the other side is a rod.
const ROD: u32 = u32::MAX;

/// Numbers of contacts, in order of what touches what and of the edge of the first side.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactsByEdge(Vec<(Pair, u32, u32)>);

impl ContactsByEdge {
    /// Takes contacts with their sides, in place of those from before. What is not on a rod is left out.
    pub(super) fn list<'a>(&mut self, contacts: impl Iterator<Item = (usize, &'a [Side; 2])>) {
        self.0.clear();
        self.0
            .extend(contacts.filter_map(|(c, sides)| key(sides).map(|(pair, edge)| (pair, edge, c as u32))));
        self.0.sort_unstable();
    }

    /// The contacts of the same two on the same edge or one next to it, by their numbers.
    pub(super) fn near(&self, sides: &[Side; 2]) -> impl Iterator<Item = usize> {
        let range = key(sides).map_or(0..0, |(pair, edge)| {
            let from = (pair, edge.saturating_sub(1));
            let to = (pair, edge.saturating_add(1));
            self.0.partition_point(|&(p, e, _)| (p, e) < from)
                ..self.0.partition_point(|&(p, e, _)| (p, e) <= to)
        });
        self.0[range].iter().map(|&(_, _, c)| c as usize)
    }
}

/// What touches what, and with which edge.
fn key(sides: &[Side; 2]) -> Option<(Pair, u32)> {
    let Side::Edge { rod, edge, .. } = sides[0] else { return None };
    let pair = match sides[1] {
        Side::Edge { rod: other, .. } => [rod, ROD, other],
        Side::Link { tree, shape, .. } => [rod, tree, shape],
    };
    Some((pair, edge))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(rod: u32, edge: u32) -> Side {
        Side::Edge { rod, edge, fraction: 0.5 }
    }

    /// Comparing each contact of a heap with all the others took most of the contact update.
    #[test]
    fn a_look_up_does_not_grow_with_the_heap() {
        let most = |turns: u32| {
            // Each turn of a coil of 50 edges on the one below it, and all of them on the wall of a box.
            let wall = Side::Link { tree: 0, link: 0, shape: 3 };
            let on_turns = (0..50 * turns).map(|e| [on(0, e + 50), on(0, e)]);
            let sides: Vec<_> = on_turns.chain((0..50 * turns).map(|e| [on(0, e), wall])).collect();
            let mut list = ContactsByEdge::default();
            list.list(sides.iter().enumerate());
            sides.iter().map(|of| list.near(of).count()).max().unwrap()
        };
        assert_eq!(most(10), 3);
        assert_eq!(most(40), 3);
    }

    #[test]
    fn those_on_the_same_or_a_next_edge_are_found_and_no_others() {
        let link = |tree, shape| Side::Link { tree, link: 0, shape };
        let sides = [
            [on(0, 4), on(1, 7)],
            [on(0, 5), on(1, 30)],
            [on(0, 6), on(1, 7)],
            [on(0, 7), on(1, 7)],
            [on(0, 5), on(0, 7)],
            [on(0, 5), link(1, 7)],
            [on(0, 0), link(0, 2)],
            [on(1, 5), on(0, 7)],
            [link(0, 1), link(2, 0)],
        ];
        let mut list = ContactsByEdge::default();
        list.list(sides.iter().enumerate());
        let near = |sides: [Side; 2]| {
            let mut found: Vec<usize> = list.near(&sides).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(near([on(0, 5), on(1, 8)]), [0, 1, 2]);
        assert_eq!(near([on(0, 5), on(0, 9)]), [4]);
        assert_eq!(near([on(0, 4), link(1, 7)]), [5]);
        assert_eq!(near([on(0, 1), link(0, 2)]), [6]);
        assert_eq!(near([on(2, 1), on(0, 2)]), []);
        assert_eq!(near([link(0, 1), link(2, 0)]), []);
    }
}
