//! That nothing can have passed through anything: how near a step comes to one in which two rods change sides.
//!
//! Nodes move straight in a step. Two points, one on each of two edges, that meet on the way were d₀ apart before and are
//! d₁ apart after it, so that one has moved by d₀ + d₁ against the other; and no two points of the edges move by more
//! against one another than two of their nodes. A pair of edges whose nodes all move by less than the least distances
//! of the edges before and after it has not passed:
//!
//! ```text
//!   ratio = max |Δa − Δb| / (d₀ + d₁) < 1.
//! ```

use super::kept::Number;
use super::{Claim, ClaimKind, Finding, RunRecord, Sample};
use glam::DVec3;
use ropewalk_geometry::Aabb;
use ropewalk_geometry::segment::closest_parameters;
use ropewalk_rod::{Rod, RodState};
use ropewalk_sim::{Model, State};

/// Share of its thickness by which an edge moves at least in a step to be looked at by itself.
const FAST: f64 = 0.5;
/// Edges of a rod are not looked at where less than so many thicknesses of it are between them: they hang together.
const ALONG: f64 = 2.0;

/// An edge before and after a step.
struct Moved {
    rod: usize,
    edge: usize,
    before: [DVec3; 2],
    after: [DVec3; 2],
    /// Where it can be in the step.
    bounds: Aabb,
}

/// What [`Sample::nearest_pass`] is after a step from `before` to `after`: none if no claim reads it.
pub fn nearest_pass(claims: &[Claim], model: &Model, before: &State, after: &State) -> Option<f64> {
    let read = claims.iter().any(|claim| matches!(claim.kind, ClaimKind::CannotPass));
    read.then(|| greatest_ratio(model, before, after))
}

/// The greatest ratio of the module's formula in a step from `before` to `after`, of pairs of edges of which one moves
/// by half its thickness or more and which could meet; zero if there are none. Others are a matter of thickness.
fn greatest_ratio(model: &Model, before: &State, after: &State) -> f64 {
    let states = || model.rods.iter().zip(before.rods.iter().zip(&after.rods));
    if !states().any(|(rod, (before, after))| (0..rod.edge_count()).any(|e| is_fast(rod, before, after, e))) {
        return 0.0;
    }
    let mut edges = Vec::new();
    let mut fast = Vec::new();
    for (r, (rod, (before, after))) in states().enumerate() {
        for e in 0..rod.edge_count() {
            if is_fast(rod, before, after, e) {
                fast.push(edges.len());
            }
            let nodes = [e, rod.edge_end(e)];
            let (start, end) = (nodes.map(|i| before.position(i)), nodes.map(|i| after.position(i)));
            let way = way(rod, before, after, e);
            let bounds = Aabb::of_points(&start).grown(way);
            edges.push(Moved { rod: r, edge: e, before: start, after: end, bounds });
        }
    }
    let of_pair = |a: &Moved, b: &Moved| if may_pass(model, a, b) { ratio(a, b) } else { 0.0 };
    let of_edge = |a: &Moved| edges.iter().map(|b| of_pair(a, b)).fold(0.0, f64::max);
    fast.iter().map(|&a| of_edge(&edges[a])).fold(0.0, f64::max)
}

/// The farthest that a node of an edge moves in m.
fn way(rod: &Rod, before: &RodState, after: &RodState, e: usize) -> f64 {
    let moved = |i: usize| (after.position(i) - before.position(i)).length();
    moved(e).max(moved(rod.edge_end(e)))
}

fn is_fast(rod: &Rod, before: &RodState, after: &RodState, e: usize) -> bool {
    way(rod, before, after, e) > FAST * thickness(rod, e)
}

fn thickness(rod: &Rod, e: usize) -> f64 {
    let [a, b] = rod.half_extents()[e];
    2.0 * a.min(b)
}

/// Whether two edges may touch at all and could meet in the step.
fn may_pass(model: &Model, a: &Moved, b: &Moved) -> bool {
    a.bounds.meets(&b.bounds) && model.rods_may_touch(a.rod, b.rod) && {
        let rod = &model.rods[a.rod];
        a.rod != b.rod || between(rod, a.edge, b.edge) > ALONG * thickness(rod, a.edge)
    }
}

/// Length of the rod between two of its edges in m.
fn between(rod: &Rod, a: usize, b: usize) -> f64 {
    let (first, last) = (a.min(b), a.max(b));
    let length = |edges: &[f64]| edges.iter().sum::<f64>();
    let lengths = rod.rest_lengths();
    let there = length(&lengths[(first + 1).min(last)..last]);
    if rod.closed() { there.min(length(&lengths[last + 1..]) + length(&lengths[..first])) } else { there }
}

fn ratio(a: &Moved, b: &Moved) -> f64 {
    let moved = |m: &Moved| [0, 1].map(|i| m.after[i] - m.before[i]);
    let (of_a, of_b) = (moved(a), moved(b));
    let against = of_a.iter().flat_map(|a| of_b.iter().map(move |b| (*a - *b).length())).fold(0.0, f64::max);
    let apart = distance(a.before, b.before) + distance(a.after, b.after);
    // Those that meet at both ends of the step may be anywhere.
    if against == 0.0 { 0.0 } else { (against / apart).min(f64::MAX) }
}

/// Distance of two segments in m.
fn distance(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    let (s, t) = closest_parameters(a[0], a[1], b[0], b[1]);
    (a[0].lerp(a[1], s) - b[0].lerp(b[1], t)).length()
}

/// How near any step comes to one in which two rods could change sides: the greatest ratio of pairs that were looked at.
/// For the others the distances are at least the thickness less the deepest overlap of two rods, and the way of a node half of the
/// thickness at most; where no pairs were looked at, it is that of all nodes.
pub(super) fn cannot_pass(run: &RunRecord<'_>) -> Option<Finding> {
    let extents = run.model.rods.iter().flat_map(|rod| rod.half_extents().iter().flatten());
    let thickness = 2.0 * extents.copied().reduce(f64::min)?;
    let overlap = run.samples.iter().map(|s| s.deepest_rod_overlap).fold(0.0, f64::max);
    let left = thickness * (1.0 - overlap).max(0.0);
    let of_step = |s: &Sample| {
        let way = run.model.settings.dt * greatest_speed(s);
        match s.nearest_pass {
            Some(ratio) => ratio.max(way.min(FAST * thickness) / left),
            None => way / left,
        }
    };
    Some(Finding::zero(run.samples.iter().map(of_step).fold(0.0, f64::max)))
}

/// Greatest speed of a node of a rod, m/s.
fn greatest_speed(s: &Sample) -> f64 {
    s.rods.iter().map(|r| r.greatest_speed).fold(0.0, f64::max)
}

/// What [`cannot_pass`] reads: the greatest of all that the ratio of a step grows with.
pub(super) fn cannot_pass_needs() -> Vec<Number> {
    let looked_at =
        |s: &Sample, yes: bool| if s.nearest_pass.is_some() == yes { greatest_speed(s) } else { 0.0 };
    vec![
        Number::new(|_, s| s.deepest_rod_overlap),
        Number::new(|_, s| s.nearest_pass.unwrap_or(0.0)),
        Number::new(move |_, s| looked_at(s, true)),
        Number::new(move |_, s| looked_at(s, false)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RodSample;

    const SCENE: &str = r#"title = "t"
[time]
dt = 1e-3
duration = 1.0
[material.lace]
youngs_modulus = 1e6
poisson_ratio = 0.4
density = 1000.0
[rod.a_stays]
material = "lace"
section = { circle = { radius = 2e-3 } }
curve = { line = { from = [-0.1, 0.0, 0.0], to = [0.1, 0.0, 0.0] } }
segments = 10
[rod.b_moves]
material = "lace"
section = { circle = { radius = 2e-3 } }
curve = { line = { from = [0.0, -0.1, 0.01], to = [0.0, 0.1, 0.01] } }
segments = 10
"#;

    /// The ratio of a step in which the second rod moves.
    fn after_moving(by: DVec3) -> f64 {
        let scene = crate::load_text("t", SCENE, None, &[]).unwrap();
        let mut after = scene.state.clone();
        for i in 0..scene.model.rods[1].node_count() {
            let at = after.rods[1].position(i) + by;
            after.rods[1].q[i][..3].copy_from_slice(&at.to_array());
        }
        greatest_ratio(&scene.model, &scene.state, &after)
    }

    #[test]
    fn what_passes_has_a_ratio_of_one() {
        // 10 mm above the other, then as far below.
        assert!((after_moving(DVec3::new(0.0, 0.0, -0.02)) - 1.0).abs() < 1e-12);
        // Along it, as far above.
        assert!((after_moving(DVec3::new(0.012, 0.0, 0.0)) - 12.0 / 20.0).abs() < 1e-12);
    }

    #[test]
    fn only_what_is_fast_and_near_counts() {
        assert_eq!(after_moving(DVec3::new(0.0, 0.0, -0.0019)), 0.0);
        assert!((after_moving(DVec3::new(0.0, 0.0, 0.5)) - 0.5 / 0.52).abs() < 1e-12);
        assert_eq!(after_moving(DVec3::new(0.0, 0.0, 0.009)), 0.0);
    }

    #[test]
    fn ways_of_all_nodes_count_where_pairs_were_not_looked_at() {
        let scene = crate::load_text("t", SCENE, None, &[]).unwrap();
        let of = |nearest_pass: Option<f64>| {
            // 3 mm in a step, half of 4 mm left.
            let samples = [Sample {
                rods: vec![RodSample { greatest_speed: 3.0, ..RodSample::default() }],
                deepest_rod_overlap: 0.5,
                nearest_pass,
                ..Sample::default()
            }];
            let (model, state) = (&scene.model, &scene.state);
            let run = RunRecord {
                model,
                start: state,
                end: state,
                wrenches: &[],
                samples: &samples,
                measured: &[],
                tallies: &[],
            };
            cannot_pass(&run).unwrap().measured
        };
        assert!((of(None) - 1.5).abs() < 1e-12);
        assert!((of(Some(0.2)) - 1.0).abs() < 1e-12);
        assert!((of(Some(1.2)) - 1.2).abs() < 1e-12);
    }
}
