//! One contact where a rod touches once: the rule along a rod.
//!
//! Every edge is measured by itself, so where an obstacle is nearest to a node both edges there report it, and force
//! and stiffness would double as a contact slides past. Only local minima of the distance along the rod count:
//!
//! - A nearest point at an end node is dropped if the neighbour's is elsewhere (then it is nearer), and kept once if
//!   the neighbour's is the same node.
//! - On the inner side of a bend two neighbouring edges may both have their nearest points between their ends, near
//!   the node. With ξ₁, ξ₂ the lengths from the two points to the node (the nearer contact has the longer) and
//!   p = ξ₁³/(ξ₁³ + ξ₂³), the weights are
//!   min(1, (1 + 3S) p) and min(1, (1 + 3S)(1 − p)): each starts at 0 as its point leaves the node. S = sin⁴ of the
//!   angle between the normals rises from 0 where they agree (one contact, weights sum to 1) to 1 where they are at
//!   right angles (two contacts of a corner). The nearer one gives up weight only as far as the other is about as near
//!   (within [`SHARING`] of the edge's length).
//! - All this concerns the share 1 − λ of a contact that is a point. The share λ that is spread over the edge (see
//!   [`crate::edge`]) stays: along a line neighbouring edges share the load as they share the length.
//!
//! For two rods the rule holds on both sides, and the factors multiply.

use crate::edge::EdgeContacts;

/// Contacts of neighbouring edges share one weight if their gaps differ by less than this part of the edges' length.
/// Candidates must be looked for at least that far beyond contact, or weights would change as one comes into reach.
pub const SHARING: f64 = 0.05;

/// The contacts of one edge of a rod with one obstacle, or with one edge of a rod.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Edge of the rod.
    pub edge: u32,
    /// Edge of the other rod, or any number that tells obstacles apart.
    pub other: u32,
    /// Where they touch.
    pub contacts: EdgeContacts,
}

/// How the edges of a rod are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RodEdges {
    /// Number of edges.
    pub count: u32,
    /// Whether the last is joined to the first.
    pub closed: bool,
}

impl RodEdges {
    fn next(&self, edge: u32) -> Option<u32> {
        if edge + 1 < self.count { Some(edge + 1) } else { (self.closed && self.count > 2).then_some(0) }
    }

    fn previous(&self, edge: u32) -> Option<u32> {
        if edge > 0 { Some(edge - 1) } else { (self.closed && self.count > 2).then(|| self.count - 1) }
    }
}

/// One side of a candidate: where on its own edge the nearest point is.
struct Side {
    s: f64,
    length: f64,
}

fn side(c: &Candidate, first: bool) -> Side {
    let k = &c.contacts;
    match first {
        true => Side { s: k.closest.s, length: k.span.length() },
        false => Side { s: k.closest.t, length: k.other_span.length() },
    }
}

/// Scales the weights of candidates by the rule of this module. Candidates are sorted by (edge, other) and belong to
/// one rod against obstacles (`others` is none) or against the edges of a rod, which may be the same.
pub fn weigh_along_rod(candidates: &mut [Candidate], edges: RodEdges, others: Option<RodEdges>) {
    let find = |list: &[Candidate], edge: u32, other: u32| {
        list.binary_search_by_key(&(edge, other), |c| (c.edge, c.other)).ok()
    };
    for k in 0..candidates.len() {
        let c = &candidates[k];
        let mut keep = 1.0;
        for forward in [true, false] {
            let neighbour = if forward { edges.next(c.edge) } else { edges.previous(c.edge) };
            if let Some(i) = neighbour.and_then(|edge| find(candidates, edge, c.other)) {
                keep *= factor(c, &candidates[i], true, forward);
            }
            let Some(others) = others else { continue };
            let neighbour = if forward { others.next(c.other) } else { others.previous(c.other) };
            if let Some(i) = neighbour.and_then(|other| find(candidates, c.edge, other)) {
                keep *= factor(c, &candidates[i], false, forward);
            }
        }
        // Only weights are written, which no neighbour reads.
        let spread = c.contacts.spread;
        let weight = spread + (1.0 - spread) * keep;
        candidates[k].contacts.points_mut().iter_mut().for_each(|p| p.weight *= weight);
    }
}

/// What a candidate keeps beside its neighbour across the node at the end (`forward`) or start of its edge.
fn factor(c: &Candidate, neighbour: &Candidate, first: bool, forward: bool) -> f64 {
    let (here, there) = (side(c, first), side(neighbour, first));
    // Lengths from the node that the two edges share.
    let (from_node, across) = if forward { (1.0 - here.s, there.s) } else { (here.s, 1.0 - there.s) };
    if from_node == 0.0 {
        return match across == 0.0 {
            true => shared(c, neighbour, first, forward),
            false => 0.0,
        };
    }
    let (xi, eta) = (from_node * here.length, across * there.length);
    if across == 0.0 || from_node == 1.0 || across == 1.0 {
        return 1.0;
    }
    let cosine = c.contacts.closest.normal.dot(neighbour.contacts.closest.normal).clamp(0.0, 1.0);
    let corner = (1.0 - cosine * cosine).powi(2);
    let (mine, its) = (xi.powi(3), eta.powi(3));
    let weight = ((1.0 + 3.0 * corner) * mine / (mine + its)).min(1.0);
    // Points that go on to the far ends of their edges are no longer two of one contact: the next edges take over.
    // And what is clearly farther takes nothing away.
    let farther = neighbour.contacts.gap() - c.contacts.gap();
    let equal = 1.0 - (farther / (SHARING * here.length.min(there.length))).clamp(0.0, 1.0);
    1.0 - (1.0 - weight) * nearness(from_node) * nearness(across) * equal
}

/// 1 in the half of an edge next to the node, and smoothly to 0 at its far end.
fn nearness(from_node: f64) -> f64 {
    let x = (2.0 * from_node - 1.0).clamp(0.0, 1.0);
    1.0 - x * x * (3.0 - 2.0 * x)
}

/// Both are nearest at the same node: the one with the lower number keeps what passes from one to the other as the
/// obstacle goes round the node.
fn shared(c: &Candidate, neighbour: &Candidate, first: bool, forward: bool) -> f64 {
    let lower = if first { c.edge < neighbour.edge } else { c.other < neighbour.other };
    if !lower {
        return 0.0;
    }
    let (mine, its) = (1.0 - c.contacts.spread, 1.0 - neighbour.contacts.spread);
    if mine <= 0.0 || mine == its {
        return 1.0;
    }
    // How far round: the obstacle's direction past the end of each edge.
    let n = c.contacts.closest.normal;
    let outward = if first { -n } else { n };
    let span = |k: &Candidate| if first { k.contacts.span } else { k.contacts.other_span };
    let along = |k: &Candidate| span(k).normalize_or_zero();
    let sign = if forward { 1.0 } else { -1.0 };
    let past_mine = (sign * outward.dot(along(c))).max(0.0);
    let past_its = (-sign * outward.dot(along(neighbour))).max(0.0);
    let part = if past_mine + past_its > 0.0 { past_its / (past_mine + past_its) } else { 0.5 };
    ((part * mine + (1.0 - part) * its) / mine).min(1.0 / mine)
}
