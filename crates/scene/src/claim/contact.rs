//! Claims on contact: overlap, chains of rings, a rope round a post.

use super::{Finding, RunRecord, Sample, Tally};
use ropewalk_geometry::Shape;
use ropewalk_sim::{LoadKind, Model, measure};
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
    clamp: usize,
    (tree, link): (usize, usize),
    angle: f64,
    tally: &Tally,
) -> Option<Finding> {
    let rod = run.model.clamps[clamp].rod;
    let shape = run.model.trees[tree].shapes.iter().find(|s| s.link == link)?;
    let Shape::Cylinder { radius: post, .. } = *shape.collider.shape() else { return None };
    let radius = run.model.rods[rod].half_extents()[0][0];
    let friction = run.model.rod_surface(rod).pair(&shape.surface).friction;
    let a = capstan_exponent(friction, radius, post);
    let [mean, untold, ..] = tally.second_half()?;
    (untold == 0.0).then(|| Finding::relative(a * angle, mean, 0.0))
}

/// The logarithm of the ratio of the pulls on both sides, of the blocks of the run.
pub(super) fn see_capstan(model: &Model, (clamp, load): (usize, usize), tally: &mut Tally, s: &Sample) {
    let LoadKind::Point { force, .. } = model.loads[load].kind else { return };
    let pull = force.length() * model.loads[load].scale.value(s.time);
    let log = (s.wrenches[clamp].force.length() / pull).ln();
    // Without any pull there is no ratio.
    let told = if log.is_finite() { [log, 0.0] } else { [0.0, 1.0] };
    tally.add_to_block([told[0], told[1], 0.0, 0.0, 0.0, 0.0]);
}
