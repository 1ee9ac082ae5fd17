//! Claims on contact: overlap, chains of rings, a rope round a post.

use super::{Finding, RunRecord};
use ropewalk_geometry::Shape;
use ropewalk_sim::{LoadKind, measure};
use ropewalk_theory::cable::capstan_exponent;

/// The deepest overlap of the run as a share of the thickness of what overlaps.
pub(super) fn overlap(run: &RunRecord<'_>) -> Finding {
    Finding::zero(run.samples.iter().map(|s| s.deepest_overlap).fold(0.0, f64::max))
}

/// The rod and its copies, in their order.
pub(super) fn chain(names: &[String], rod: usize) -> Vec<usize> {
    let first = &names[rod];
    let copy = |k: usize| names.iter().position(|n| *n == format!("{first}_{k}"));
    core::iter::once(rod).chain((1..).map_while(copy)).collect()
}

/// Each ring of a chain is linked with the next as often as at the start: the greatest change.
pub(super) fn chain_linked(run: &RunRecord<'_>, rod: usize) -> Finding {
    let chain = chain(&run.model.rod_names, rod);
    let link = |state, pair: &[usize]| measure::linking_number(run.model, state, pair[0], pair[1]);
    let change = chain.windows(2).map(|pair| (link(run.end, pair) - link(run.start, pair)).abs());
    Finding::zero(change.fold(0.0, f64::max))
}

/// What holds a chain at the end carries the weight of all its rings.
pub(super) fn chain_weight(run: &RunRecord<'_>, rod: usize) -> Finding {
    let chain = chain(&run.model.rod_names, rod);
    let mass: f64 = chain.iter().map(|&r| run.model.rods[r].total_mass()).sum();
    let held = run.model.clamps.iter().zip(run.wrenches).filter(|(c, _)| chain.contains(&c.rod));
    let force: glam::DVec3 = held.map(|(_, w)| w.force).sum();
    let weight = mass * run.model.gravity.length();
    let measured = -force.dot(run.model.gravity.normalize_or_zero());
    Finding::relative(weight, measured, 0.0)
}

/// A rope that slides round a post: mean of log(T₂/T₁) over the second half of the run against a φ.
pub(super) fn capstan(
    run: &RunRecord<'_>,
    (clamp, load): (usize, usize),
    (tree, link): (usize, usize),
    angle: f64,
) -> Option<Finding> {
    let rod = run.model.clamps[clamp].rod;
    let shape = run.model.trees[tree].shapes.iter().find(|s| s.link == link)?;
    let Shape::Cylinder { radius: post, .. } = *shape.collider.shape() else { return None };
    let LoadKind::Point { force, .. } = run.model.loads[load].kind else { return None };
    let radius = run.model.rods[rod].half_extents()[0][0];
    let friction = run.model.rod_surface(rod).pair(&shape.surface).friction;
    let a = capstan_exponent(friction, radius, post);
    let half = &run.samples[run.samples.len() / 2..];
    let logs = half.iter().map(|s| {
        let pull = force.length() * run.model.loads[load].scale.value(s.time);
        (s.wrenches[clamp].force.length() / pull).ln()
    });
    let mean = logs.sum::<f64>() / half.len().max(1) as f64;
    Some(Finding::relative(a * angle, mean, 0.0))
}
