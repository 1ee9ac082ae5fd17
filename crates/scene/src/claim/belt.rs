//! Belts: where they run, what they carry, and what stops that.
//!
//! **A body on a level belt that slides under it, held by a stop.** It is at rest under its weight W, the belt's normal
//! force N and friction μN, and the force −F of the stop on it, F being what the stop feels. So F along the belt is μN, and
//! N = W − F·d with d downwards.

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

/// Greatest angle between the z axis of a free body and the upright, from a time on, rad.
pub(super) fn upright(run: &RunRecord<'_>, tree: usize, from: f64) -> Option<Finding> {
    let up = -run.model.gravity.try_normalize().unwrap_or(DVec3::NEG_Z);
    let mut greatest = 0.0f64;
    for s in later(run, from) {
        // Position, then the quaternion (x, y, z, w).
        let q = s.trees[tree].q.get(3..7)?;
        let axis = DQuat::from_slice(q).normalize() * DVec3::Z;
        // An angle that cannot be told counts as upside down.
        let angle = axis.cross(up).length().atan2(axis.dot(up));
        greatest = greatest.max(if angle.is_finite() { angle } else { PI });
    }
    Some(Finding::zero(greatest))
}

/// Mean force across gravity on the stop, from a time on: μN.
pub(super) fn stop_force(run: &RunRecord<'_>, on_belt: OnBelt, from: f64) -> Option<Finding> {
    let OnBelt { rod, tree, stop: (stop, link) } = on_belt;
    let down = run.model.gravity.try_normalize()?;
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for s in later(run, from) {
        sum += s.trees[stop].contacts.get(link)?.force;
        count += 1.0;
    }
    let force = sum / count;
    let weight = energy::total_mass(&run.model.trees[tree].tree) * run.model.gravity.length();
    let shape = run.model.trees[tree].shapes.first()?;
    let friction = run.model.rod_surface(rod).pair(&shape.surface).friction;
    // What the stop is pushed down with it does not hold up.
    let reference = friction * (weight - force.dot(down));
    Some(Finding::relative(reference, force.reject_from_normalized(down).length(), 0.0))
}
