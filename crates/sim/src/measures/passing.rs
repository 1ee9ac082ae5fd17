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

use super::reading::StepView;
use crate::model::{Model, State};
use crate::report::ContactSide;
use glam::DVec3;
use ropewalk_geometry::Aabb;
use ropewalk_geometry::segment::closest_parameters;
use ropewalk_rod::{Rod, RodState};

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

/// The greatest ratio of the module's formula in a step from `before` to `after`, of pairs of edges of which one moves
/// by half its thickness or more and which could meet; zero if there are none. Slower ones pass only where they already overlap
/// by half a thickness.
pub fn nearest_pass(model: &Model, before: &State, after: &State) -> f64 {
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
            let bounds = Aabb::of_points(&start).grown(displacement(rod, before, after, e));
            edges.push(Moved { rod: r, edge: e, before: start, after: end, bounds });
        }
    }
    let of_pair = |a: &Moved, b: &Moved| if may_pass(model, a, b) { ratio(a, b) } else { 0.0 };
    let of_edge = |a: &Moved| edges.iter().map(|b| of_pair(a, b)).fold(0.0, f64::max);
    fast.iter().map(|&a| of_edge(&edges[a])).fold(0.0, f64::max)
}

/// How near a step comes to one in which two rods change sides: the greatest of [`nearest_pass`] and, for pairs that were not looked
/// at, of displacement over what is left of the least thickness where rods overlap. Such edges move by half of their thickness at most, so
/// it is 1 where they overlap by half of it.
pub(super) fn passing_ratio(step: &StepView<'_>) -> f64 {
    let rods = || step.model.rods.iter().zip(step.before.rods.iter().zip(&step.state.rods));
    let edges = || rods().flat_map(|(rod, states)| (0..rod.edge_count()).map(move |e| (rod, states, e)));
    let farthest = edges().map(|(rod, (a, b), e)| displacement(rod, a, b, e)).fold(0.0, f64::max);
    let Some(thickness) = edges().map(|(rod, _, e)| thickness(rod, e)).reduce(f64::min) else { return 0.0 };
    let slow = farthest.min(FAST * thickness);
    let left = thickness * (1.0 - deepest_overlap(step)).max(0.0);
    let slow = if slow == 0.0 { 0.0 } else { (slow / left).min(f64::MAX) };
    nearest_pass(step.model, step.before, step.state).max(slow)
}

/// Deepest overlap of two rods as a share of the thickness of the thinner one.
fn deepest_overlap(step: &StepView<'_>) -> f64 {
    let share = |contact: crate::ContactReport| match contact.sides {
        [ContactSide::Rod { rod: a, edge: e, .. }, ContactSide::Rod { rod: b, edge: f, .. }] => {
            let rods = &step.model.rods;
            -contact.gap / thickness(&rods[a], e).min(thickness(&rods[b], f))
        }
        _ => 0.0,
    };
    step.workspace.contacts().map(share).fold(0.0, f64::max)
}

/// The farthest that a node of an edge moves in m.
fn displacement(rod: &Rod, before: &RodState, after: &RodState, e: usize) -> f64 {
    let moved = |i: usize| (after.position(i) - before.position(i)).length();
    moved(e).max(moved(rod.edge_end(e)))
}

fn is_fast(rod: &Rod, before: &RodState, after: &RodState, e: usize) -> bool {
    displacement(rod, before, after, e) > FAST * thickness(rod, e)
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

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_rod::{Material, RodBuilder, Section};

    /// The ratio of a step in which the second of two crossed rods of 4 mm, 10 mm above the first, moves.
    fn after_moving(by: DVec3) -> f64 {
        let rod = |from: DVec3, to: DVec3| {
            let nodes = (0..=10).map(|i| from.lerp(to, 0.1 * f64::from(i))).collect();
            let section = Section::Circle { radius: 2e-3 };
            RodBuilder::new(nodes, section, Material::from_poisson(1e6, 0.4, 1e3)).build().unwrap()
        };
        let (a, x) = rod(DVec3::X * -0.1, DVec3::X * 0.1);
        let (b, y) = rod(DVec3::new(0.0, -0.1, 0.01), DVec3::new(0.0, 0.1, 0.01));
        let model = Model { rods: vec![a, b], ..Model::default() };
        let before = State { rods: vec![x, y], ..State::default() };
        let mut after = before.clone();
        for i in 0..model.rods[1].node_count() {
            let at = after.rods[1].position(i) + by;
            after.rods[1].q[i][..3].copy_from_slice(&at.to_array());
        }
        nearest_pass(&model, &before, &after)
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

    /// Without overlap all of the thickness is left.
    #[test]
    fn displacements_count_against_what_overlap_leaves() {
        let rod = |z: f64| {
            let nodes = (0..=10).map(|i| DVec3::new(0.02 * f64::from(i), 0.0, z)).collect();
            let section = Section::Circle { radius: 2e-3 };
            RodBuilder::new(nodes, section, Material::from_poisson(1e6, 0.4, 1e3)).build().unwrap()
        };
        let (rod, before) = rod(0.0);
        let model = Model { rods: vec![rod], ..Model::default() };
        let before = State { rods: vec![before], ..State::default() };
        let workspace = crate::Workspace::new(&model);
        let moved = |by: f64| {
            let mut state = before.clone();
            for q in &mut state.rods[0].q {
                q[2] += by;
            }
            passing_ratio(&StepView { model: &model, before: &before, state: &state, workspace: &workspace })
        };
        assert_eq!(moved(0.0), 0.0);
        assert!((moved(1e-3) - 0.25).abs() < 1e-12);
        // Faster ones are looked at by themselves.
        assert!((moved(0.1) - 0.5).abs() < 1e-12);
    }
}
