//! Winding: the turns of a rod about a fixed peg change only with its ends.
//!
//! The turns of a polygon about an axis are the sum of the angles of its edges about the axis. Those of an open rod
//! change by the rotation of its ends about the axis, followed from step to step; any other change means that the rod
//! passed through the axis. The count restarts where a rod is beyond the ends of the peg, where an end crosses the
//! peg in one step, and where in a split step an end moves farther than its distance from the axis, since its path is
//! then unknown.

use super::{Criterion, Findings, View};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_sim::BaseMotion;

/// Change in turns.
const BOUND: f64 = 0.5;

/// Turns of all rods about all pegs.
#[derive(Debug)]
pub struct Winding {
    accounts: Vec<Account>,
}

#[derive(Debug)]
struct Account {
    rod: usize,
    solid: usize,
    radius: f64,
    half_length: f64,
    /// Turns less those of the ends, and the ends in the peg's frame; none while the rod is beyond the peg's ends.
    kept: Option<(f64, [DVec3; 2])>,
}

impl Winding {
    /// At the start of a run.
    pub fn new(view: &View<'_>) -> Self {
        let mut accounts = Vec::new();
        for (k, solid) in view.solids.iter().enumerate() {
            let Some((radius, half_length)) = solid.peg() else { continue };
            let tree = &view.model.trees[solid.tree];
            if tree.tree.velocity_count() > 0 || !matches!(tree.base, BaseMotion::Fixed(_)) {
                continue;
            }
            for rod in (0..view.nodes.len()).filter(|&r| view.model.rod_may_touch(r, solid.tree, solid.link))
            {
                let mut account = Account { rod, solid: k, radius, half_length, kept: None };
                account.update(view, false);
                accounts.push(account);
            }
        }
        Self { accounts }
    }

    /// Judges a step of `substeps` sub-steps.
    pub fn see(&mut self, view: &View<'_>, substeps: u32, out: &mut Findings) {
        for account in &mut self.accounts {
            let change = account.update(view, substeps > 1);
            out.note(Criterion::Winding, (change, BOUND), view.state.time, || {
                format!("{} about {}", view.rod_name(account.rod), view.solid_name(account.solid))
            });
        }
    }
}

impl Account {
    /// Updates to the present state. Returns the change in turns, 0 if the count restarts.
    fn update(&mut self, view: &View<'_>, is_split: bool) -> f64 {
        let pose = &view.poses[self.solid];
        let nodes: Vec<DVec3> = view.nodes[self.rod].iter().map(|p| pose.local_point(*p)).collect();
        let (Some(&first), Some(&last)) = (nodes.first(), nodes.last()) else { return 0.0 };
        if view.model.contact.is_none() || nodes.iter().any(|p| p.z.abs() > self.half_length) {
            self.kept = None;
            return 0.0;
        }
        let closed = view.model.rods[self.rod].closed();
        let mut turns: f64 = nodes.windows(2).map(|pair| angle(pair[0], pair[1])).sum();
        turns += if closed { angle(last, first) } else { 0.0 };
        turns /= TAU;
        let Some((kept, ends)) = self.kept else {
            self.kept = Some((turns, [first, last]));
            return 0.0;
        };
        let crosses = |a: DVec3, b: DVec3| {
            let may_go_round = is_split && a.distance(b) > a.truncate().length().min(b.truncate().length());
            may_go_round || distance_from_axis(a, b) < self.radius
        };
        if !closed && (crosses(ends[0], first) || crosses(ends[1], last)) {
            self.kept = Some((turns, [first, last]));
            return 0.0;
        }
        let by_ends = if closed { 0.0 } else { (angle(ends[1], last) - angle(ends[0], first)) / TAU };
        let change = (turns - kept - by_ends).abs();
        // A lost turn is reported once.
        self.kept = Some((turns, [first, last]));
        change
    }
}

/// The angle from `a` to `b` about the z axis, along the straight line between them.
fn angle(a: DVec3, b: DVec3) -> f64 {
    (a.x * b.y - a.y * b.x).atan2(a.x * b.x + a.y * b.y)
}

/// Least distance of the straight line from `a` to `b` from the z axis.
fn distance_from_axis(a: DVec3, b: DVec3) -> f64 {
    let (p, d) = (a.truncate(), (b - a).truncate());
    let length = d.length_squared();
    let t = if length > 0.0 { (-p.dot(d) / length).clamp(0.0, 1.0) } else { 0.0 };
    (p + d * t).length()
}
