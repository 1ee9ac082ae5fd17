//! Belts: where they run, what they carry, and what stops that.
//!
//! **A body on a belt that slides under it, held by a stop.** It is at rest under its weight W, the force −F of the stop,
//! F being what the stop feels, and the belt's force B = F − W. Its base, which lies on the belt, has the normal n, the z axis of
//! the body; the belt pushes with N = B·n across it and slides along it, so the rest of B has the size μN.

use super::kept::Number;
use super::{Finding, RunRecord, Sample, Tally};
use core::f64::consts::PI;
use glam::{DQuat, DVec3};
use ropewalk_body::energy;
use ropewalk_sim::Model;

/// A body on a belt, and what stops it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnBelt {
    pub(super) rod: usize,
    /// Tree of the body.
    pub(super) tree: usize,
    /// Tree and link of the stop.
    pub(super) stop: (usize, usize),
}

fn later<'a>(run: &RunRecord<'a>, from: f64) -> impl Iterator<Item = &'a Sample> {
    run.samples.iter().filter(move |s| s.time >= from)
}

/// Greatest distance of a rod's centre of mass from a plane through the origin, from a time on, m.
pub(super) fn tracks(run: &RunRecord<'_>, rod: usize, normal: DVec3, from: f64) -> Option<Finding> {
    let mass = run.model.rods[rod].total_mass();
    let distance = |s: &Sample| s.rods[rod].mass_moment.dot(normal).abs() / mass;
    later(run, from).map(distance).reduce(f64::max).map(Finding::zero)
}

/// What [`tracks`] reads.
pub(super) fn tracks_needs(rod: usize, normal: DVec3, from: f64) -> Vec<Number> {
    vec![Number::from_time(from, move |_, s| s.rods[rod].mass_moment.dot(normal).abs())]
}

/// By how much a rod's centre of mass comes nearer to a plane through the origin, m. More than `distance` is no error.
pub(super) fn approaches(run: &RunRecord<'_>, rod: usize, normal: DVec3, distance: f64) -> Option<Finding> {
    let mass = run.model.rods[rod].total_mass();
    let start = super::sample::rod_sample(run.model, run.start, rod).mass_moment;
    let end = run.samples.last()?.rods[rod].mass_moment;
    let measured = (start.dot(normal).abs() - end.dot(normal).abs()) / mass;
    Some(Finding { reference: distance, measured, error: (1.0 - measured / distance).max(0.0) })
}

/// Greatest way of a tree's centre of mass from where it was at a time, m.
pub(super) fn stays(run: &RunRecord<'_>, tree: usize, from: f64) -> Option<Finding> {
    let first = later(run, from).next()?.trees[tree].com;
    let way = later(run, from).map(|s| (s.trees[tree].com - first).length());
    way.reduce(f64::max).map(Finding::zero)
}

/// What [`stays`] reads.
pub(super) fn stays_needs(tree: usize, from: f64) -> Vec<Number> {
    let way = move |kept: &[Sample], s: &Sample| {
        let first = kept.iter().find(|s| s.time >= from);
        first.map_or(0.0, |first| (s.trees[tree].com - first.trees[tree].com).length())
    };
    vec![Number::first(from), Number::from_time(from, way)]
}

/// The z axis of a free body.
fn z_axis(s: &Sample, tree: usize) -> Option<DVec3> {
    // Position, then the quaternion (x, y, z, w).
    let q = s.trees[tree].q.get(3..7)?;
    Some(DQuat::from_slice(q).normalize() * DVec3::Z)
}

/// Greatest angle between the z axis of a free body and the upright, from a time on, rad.
pub(super) fn upright(run: &RunRecord<'_>, tree: usize, from: f64) -> Option<Finding> {
    let up = up(run.model);
    let mut greatest = 0.0f64;
    for s in later(run, from) {
        greatest = greatest.max(lean(s, tree, up)?);
    }
    Some(Finding::zero(greatest))
}

fn up(model: &Model) -> DVec3 {
    -model.gravity.try_normalize().unwrap_or(DVec3::NEG_Z)
}

/// Angle of a body's z axis from the upright, rad. One that cannot be told counts as upside down.
fn lean(s: &Sample, tree: usize, up: DVec3) -> Option<f64> {
    let axis = z_axis(s, tree)?;
    let angle = axis.cross(up).length().atan2(axis.dot(up));
    Some(if angle.is_finite() { angle } else { PI })
}

/// What [`upright`] reads.
pub(super) fn upright_needs(model: &Model, tree: usize, from: f64) -> Vec<Number> {
    let up = up(model);
    vec![Number::from_time(from, move |_, s| lean(s, tree, up).unwrap_or(PI))]
}

/// Places in a tally of a stop: N, the force along the base, what the stop feels, steps, and those that could not be told.
const ACROSS: usize = 0;
const ALONG: usize = 1;
const FELT: usize = 4;
const STEPS: usize = 5;
const UNTOLD: usize = 6;

pub(super) fn see_stop_force(model: &Model, on_belt: OnBelt, from: f64, tally: &mut Tally, s: &Sample) {
    let OnBelt { tree, stop: (stop, link), .. } = on_belt;
    if s.time < from {
        return;
    }
    let (Some(felt), Some(normal)) = (s.trees[stop].contacts.get(link), z_axis(s, tree)) else {
        tally.add(UNTOLD, 1.0);
        return;
    };
    let belt = felt.force - model.gravity * energy::total_mass(&model.trees[tree].tree);
    tally.add(ACROSS, belt.dot(normal));
    tally.add_vector(ALONG, belt - belt.dot(normal) * normal);
    tally.add(FELT, felt.force.length());
    tally.add(STEPS, 1.0);
}

/// Mean friction of the belt on a body that a stop holds, from a time on, by what the stop feels: μN.
pub(super) fn stop_force(run: &RunRecord<'_>, on_belt: OnBelt, tally: &Tally) -> Option<Finding> {
    if tally.get(UNTOLD) > 0.0 {
        return None;
    }
    let count = tally.get(STEPS);
    let shape = run.model.trees[on_belt.tree].shapes.first()?;
    let friction = run.model.rod_surface(on_belt.rod).pair(&shape.surface).friction;
    // Without a force on the stop the body does not lie against it.
    let measured = if tally.get(FELT) > 0.0 { tally.vector(ALONG).length() / count } else { 0.0 };
    Some(Finding::relative(friction * tally.get(ACROSS) / count, measured, 0.0))
}
