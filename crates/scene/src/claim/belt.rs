//! Belts: where they run, what they carry, and what stops that.
//!
//! **A body on a belt that slides under it, held by a stop.** It is at rest under its weight W, the force −F of the stop,
//! F being what the stop feels, and the belt's force B = F − W. Its base, which lies on the belt, has the normal n, the z axis of
//! the body; the belt pushes with N = B·n across it and slides along it, so the rest of B has the size μN.

use super::{Finding, RunRecord, Sample};
use core::f64::consts::PI;
use glam::{DQuat, DVec3};
use ropewalk_body::energy;

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
    let distance = |s: &Sample| (s.rods[rod].mass_moment.dot(normal) / mass).abs();
    later(run, from).map(distance).reduce(f64::max).map(Finding::zero)
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

/// The z axis of a free body.
fn z_axis(s: &Sample, tree: usize) -> Option<DVec3> {
    // Position, then the quaternion (x, y, z, w).
    let q = s.trees[tree].q.get(3..7)?;
    Some(DQuat::from_slice(q).normalize() * DVec3::Z)
}

/// Greatest angle between the z axis of a free body and the upright, from a time on, rad.
pub(super) fn upright(run: &RunRecord<'_>, tree: usize, from: f64) -> Option<Finding> {
    let up = -run.model.gravity.try_normalize().unwrap_or(DVec3::NEG_Z);
    let mut greatest = 0.0f64;
    for s in later(run, from) {
        let axis = z_axis(s, tree)?;
        // An angle that cannot be told counts as upside down.
        let angle = axis.cross(up).length().atan2(axis.dot(up));
        greatest = greatest.max(if angle.is_finite() { angle } else { PI });
    }
    Some(Finding::zero(greatest))
}

/// Mean friction of the belt on a body that a stop holds, from a time on, by what the stop feels: μN.
pub(super) fn stop_force(run: &RunRecord<'_>, on_belt: OnBelt, from: f64) -> Option<Finding> {
    let OnBelt { rod, tree, stop: (stop, link) } = on_belt;
    let weight = run.model.gravity * energy::total_mass(&run.model.trees[tree].tree);
    let (mut across, mut along, mut felt, mut count) = (0.0, DVec3::ZERO, 0.0, 0.0);
    for s in later(run, from) {
        let force = s.trees[stop].contacts.get(link)?.force;
        let (belt, normal) = (force - weight, z_axis(s, tree)?);
        across += belt.dot(normal);
        along += belt - belt.dot(normal) * normal;
        felt += force.length();
        count += 1.0;
    }
    let shape = run.model.trees[tree].shapes.first()?;
    let friction = run.model.rod_surface(rod).pair(&shape.surface).friction;
    // Without a force on the stop the body does not lie against it.
    let measured = if felt > 0.0 { along.length() / count } else { 0.0 };
    Some(Finding::relative(friction * across / count, measured, 0.0))
}
