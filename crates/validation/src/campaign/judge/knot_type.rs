//! Knot type of a rod with both ends clamped, by its determinant.
//!
//! The ends are extended along the line between them. This determines the knot only while the whole rod lies between
//! the planes through its ends; a loop that swings beyond them may slip over an end. The determinants of two
//! successive such states must agree. The motion within a split step is not known: such a step is not judged if a
//! node is closer to the plane of an end than its displacement, except for nodes next to that end.

use super::{Criterion, Findings, View};
use glam::DVec3;
use ropewalk_rod::knot_determinant;
use ropewalk_sim::{End, Hold, Model};

/// Change of the determinant.
const BOUND: f64 = 0.5;

/// Rods with both ends clamped.
#[derive(Debug)]
pub struct KnotType {
    rods: Vec<ClampedRod>,
}

#[derive(Debug)]
struct ClampedRod {
    rod: usize,
    /// Nodes after the last step, m.
    nodes: Vec<DVec3>,
    /// The determinant there, if it determines the knot.
    determinant: Option<f64>,
}

impl KnotType {
    /// At the start of a run.
    pub fn new(view: &View<'_>) -> Self {
        let held = |r: &usize| view.model.rods_may_touch(*r, *r) && both_ends_held(view.model, *r);
        let begin = |rod: usize| {
            let nodes = view.nodes[rod].clone();
            ClampedRod { rod, determinant: determinant(&nodes), nodes }
        };
        let rods = (0..view.model.rods.len()).filter(held).map(begin);
        Self { rods: if view.model.contact.is_some() { rods.collect() } else { Vec::new() } }
    }

    /// Judges a step of `substeps` sub-steps.
    pub fn see(&mut self, view: &View<'_>, substeps: u32, out: &mut Findings) {
        for held in &mut self.rods {
            let nodes = &view.nodes[held.rod];
            let now = determinant(nodes);
            let is_known = substeps == 1 || !may_have_gone_round(&held.nodes, nodes);
            if let (Some(before), Some(now), true) = (held.determinant, now, is_known) {
                out.note(Criterion::KnotType, ((now - before).abs(), BOUND), view.state.time, || {
                    format!("{}: determinant {before} is now {now}", view.rod_name(held.rod))
                });
            }
            held.determinant = now;
            held.nodes.clone_from(nodes);
        }
    }
}

/// Whether a node has moved by more than its distance to the plane through an end, and is farther along the rod from that end
/// than it has moved.
fn may_have_gone_round(before: &[DVec3], now: &[DVec3]) -> bool {
    let (Some(first), Some(last)) = (now.first(), now.last()) else { return false };
    let Some(along) = (*last - *first).try_normalize() else { return true };
    let steps = now.windows(2).map(|pair| pair[0].distance(pair[1]));
    let length: f64 = steps.clone().sum();
    let arclengths = core::iter::once(0.0).chain(steps.scan(0.0, |sum, step| {
        *sum += step;
        Some(*sum)
    }));
    before.iter().zip(now).zip(arclengths).any(|((p, q), s)| {
        let moved = p.distance(*q);
        let near = |arclength: f64, distance: f64| arclength > 2.0 * moved && distance < moved;
        near(s, (*q - *first).dot(along)) || near(length - s, (*last - *q).dot(along))
    })
}

fn both_ends_held(model: &Model, r: usize) -> bool {
    let rod = &model.rods[r];
    if rod.closed() {
        return false;
    }
    let holds = |last: bool| {
        let (edge, node) = if last { (rod.edge_count() - 1, rod.node_count() - 1) } else { (0, 0) };
        let clamped = model.clamps.iter().any(|clamp| {
            clamp.rod == r
                && match clamp.hold {
                    Hold::Node(n) => n == node,
                    Hold::Edge(e) | Hold::EdgeFreeSpin(e) => e == edge,
                    Hold::Spin(_) => false,
                }
        });
        let tied = |end: &End| matches!(end, End::Rod { rod, edge: e, .. } if *rod == r && *e == edge);
        clamped || model.attachments.iter().any(|attachment| attachment.ends.iter().any(tied))
    };
    holds(false) && holds(true)
}

/// The determinant, if the rod lies between its ends.
fn determinant(nodes: &[DVec3]) -> Option<f64> {
    let (first, last) = (*nodes.first()?, *nodes.last()?);
    let along = (last - first).try_normalize()?;
    let length = (last - first).length();
    let between = |p: &DVec3| (-1e-9 * length..=length * (1.0 + 1e-9)).contains(&(*p - first).dot(along));
    if !nodes.iter().all(between) {
        return None;
    }
    Some(knot_determinant::determinant(nodes)).filter(|d| d.is_finite())
}
