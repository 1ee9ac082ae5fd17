//! Which knot a rod with both ends held is in, by its determinant.
//!
//! The ends are drawn out along the line between them. That says what the knot is only while all of the rod lies between
//! the planes through its ends; a loop that swings beyond them may slip over an end. The determinants of two such states in
//! a row must agree.

use super::{Criterion, Findings, View};
use glam::DVec3;
use ropewalk_rod::knot_determinant;
use ropewalk_sim::{End, Hold, Model};

/// Change of the determinant.
const BOUND: f64 = 0.5;

/// Rods with both ends held.
#[derive(Debug)]
pub struct KnotType {
    /// With the determinant after the last step, if it says what the knot is.
    rods: Vec<(usize, Option<f64>)>,
}

impl KnotType {
    /// At the start of a run.
    pub fn new(view: &View<'_>) -> Self {
        let held = |r: &usize| view.model.rods_may_touch(*r, *r) && both_ends_held(view.model, *r);
        let rods = (0..view.model.rods.len()).filter(held).map(|r| (r, determinant(&view.nodes[r])));
        Self { rods: if view.model.contact.is_some() { rods.collect() } else { Vec::new() } }
    }

    /// Judges a step.
    pub fn see(&mut self, view: &View<'_>, out: &mut Findings) {
        for (r, before) in &mut self.rods {
            let now = determinant(&view.nodes[*r]);
            if let (Some(before), Some(now)) = (*before, now) {
                out.note(Criterion::KnotType, ((now - before).abs(), BOUND), view.state.time, || {
                    format!("{}: determinant {before} is now {now}", view.rod_name(*r))
                });
            }
            *before = now;
        }
    }
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
