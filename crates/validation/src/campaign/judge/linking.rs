//! Linking: linked rods stay linked, and others do not become linked.
//!
//! The linking number of two closed rods is an integer and must not change. Gauss's integral of other pairs, and the
//! writhe of a rod, change continuously with motion, but jump by ±1 (pairs) or ±2 (writhe) where one strand passes
//! through another. So a jump of that size in one step means tunnelling. It can be distinguished from motion only
//! while displacements are small relative to the length of the rods; faster steps are left to [`super::passage`].

use super::{Criterion, Findings, View};
use glam::DVec3;
use ropewalk_geometry::Aabb;
use ropewalk_rod::writhe;
use ropewalk_sim::{End, Model};

/// Change of a linking number of closed rods.
const CLOSED: f64 = 0.5;
/// Jump of Gauss's integral in a step.
const JUMP: f64 = 0.75;
/// Jump of the writhe in a step.
const WRITHE_JUMP: f64 = 1.5;
/// Displacement of a node in a step, relative to the shorter rod, up to which a jump can be distinguished from
/// motion.
const SLOW: f64 = 0.05;

/// State of the criterion.
#[derive(Debug)]
pub struct Linking {
    /// Pairs of rods that may touch; for closed ones with the initial linking number.
    pairs: Vec<(usize, usize, Option<f64>)>,
    /// Rods that may touch themselves.
    selves: Vec<usize>,
    nodes: Vec<Vec<DVec3>>,
}

/// Whether an attachment may hold a point of one rod at a point of another: Gauss's integral of curves that meet is not
/// defined, and takes either sign by round-off.
fn share_a_point(model: &Model, a: usize, b: usize) -> bool {
    model.attachments.iter().any(|attachment| match attachment.ends {
        [End::Rod { rod: x, .. }, End::Rod { rod: y, .. }] => [x, y] == [a, b] || [x, y] == [b, a],
        _ => false,
    })
}

impl Linking {
    /// At the start of a run.
    pub fn new(view: &View<'_>) -> Self {
        let (model, count) = (view.model, view.model.rods.len());
        let mut out = Self { pairs: Vec::new(), selves: Vec::new(), nodes: view.nodes.clone() };
        if model.contact.is_none() {
            return out;
        }
        for a in 0..count {
            for b in (a + 1..count).filter(|&b| model.rods_may_touch(a, b) && !share_a_point(model, a, b)) {
                let both = model.rods[a].closed() && model.rods[b].closed();
                out.pairs.push((a, b, both.then(|| gauss(view, &view.nodes, a, b).round())));
            }
            if model.rods_may_touch(a, a) && model.rods[a].edge_count() > 3 {
                out.selves.push(a);
            }
        }
        out
    }

    /// Judges a step.
    pub fn see(&mut self, view: &View<'_>, substeps: u32, out: &mut Findings) {
        let (model, time) = (view.model, view.state.time);
        let swept: Vec<Aabb> = self
            .nodes
            .iter()
            .zip(&view.nodes)
            .map(|(before, now)| Aabb::of_points(before).joined(&Aabb::of_points(now)))
            .collect();
        // In a single sub-step nodes move along straight lines: the exact test of `passage` covers it.
        let is_slow = |r: usize| substeps > 1 && self.is_slow(view, r);
        let slow: Vec<bool> = (0..model.rods.len()).map(is_slow).collect();
        for &(a, b, linked) in &self.pairs {
            if let Some(linked) = linked {
                let now = gauss(view, &view.nodes, a, b);
                out.note(Criterion::Linking, ((now - linked).abs(), CLOSED), time, || {
                    let names = [a, b].map(|r| view.rod_name(r)).join(" and ");
                    format!("{names}: linking number {linked} is now {now:.3}")
                });
            } else if slow[a] && slow[b] && swept[a].meets(&swept[b]) {
                let jump = (gauss(view, &view.nodes, a, b) - gauss(view, &self.nodes, a, b)).abs();
                out.note(Criterion::Linking, (jump, JUMP), time, || {
                    format!("{} and {}: Gauss's integral jumps", view.rod_name(a), view.rod_name(b))
                });
            }
        }
        for &r in self.selves.iter().filter(|&&r| slow[r]) {
            let writhe = |nodes: &[Vec<DVec3>]| writhe::writhe(&nodes[r], model.rods[r].closed());
            let jump = (writhe(&view.nodes) - writhe(&self.nodes)).abs();
            out.note(Criterion::Linking, (jump, WRITHE_JUMP), time, || {
                format!("{}: its writhe jumps", view.rod_name(r))
            });
        }
        self.nodes.clone_from(&view.nodes);
    }

    fn is_slow(&self, view: &View<'_>, r: usize) -> bool {
        let length = view.model.rods[r].total_rest_length();
        let moved = self.nodes[r].iter().zip(&view.nodes[r]).map(|(a, b)| (*a - *b).length());
        moved.fold(0.0, f64::max) < SLOW * length
    }
}

/// Gauss's integral of two rods; zero for closed ones whose boxes are apart.
fn gauss(view: &View<'_>, nodes: &[Vec<DVec3>], a: usize, b: usize) -> f64 {
    let (p, q) = (&view.model.rods[a], &view.model.rods[b]);
    let apart = !Aabb::of_points(&nodes[a]).meets(&Aabb::of_points(&nodes[b]));
    if p.closed() && q.closed() && apart {
        return 0.0;
    }
    writhe::gauss_integral(&nodes[a], p.closed(), &nodes[b], q.closed())
}
