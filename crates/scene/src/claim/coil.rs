//! Rods that wind round an axis: how often, in which layer, how close turn beside turn.
//!
//! **Winding.** The angle that an open curve sweeps about a line is the difference of the angles of its two ends, up to whole
//! turns. While it moves, it changes as those of the ends do, followed in time without jumps; a curve that passes
//! through the line leaves the two apart by a whole turn. So the claim needs the ends at each step and the shape at the end.

use super::work::round_radius;
use super::{Finding, RunRecord, Sample, Tally};
use core::f64::consts::{PI, TAU};
use glam::{DQuat, DVec3};
use ropewalk_linalg::Pose;
use ropewalk_sim::{Model, State, measure};

/// Pose of the first shape of a link in the world; its z is the axis.
fn axis_pose(model: &Model, state: &State, (tree, link): (usize, usize)) -> Option<Pose> {
    let shape = model.trees[tree].shapes.iter().find(|s| s.link == link)?;
    Some(measure::tree_kinematics(model, state, tree).poses[link] * shape.pose)
}

/// `angle` moved by whole turns to within half a turn of `near`.
fn unwrapped(angle: f64, near: f64) -> f64 {
    near + (angle - near + PI).rem_euclid(TAU) - PI
}

/// Angle about the z axis of `frame`, any turn of it.
fn angle_about(frame: &Pose, p: DVec3) -> f64 {
    let local = frame.local_point(p);
    local.y.atan2(local.x)
}

/// Angle that a polygon sweeps about the z axis of `frame`, rad.
fn swept(frame: &Pose, points: &[DVec3]) -> f64 {
    let Some(first) = points.first() else { return 0.0 };
    let start = angle_about(frame, *first);
    points.iter().fold(start, |at, p| unwrapped(angle_about(frame, *p), at)) - start
}

/// Places in a tally of turns: the frame (position, quaternion), angles of the two ends, the angle swept; whether there is a frame.
const POSITION: usize = 0;
const ROTATION: usize = 3;
const ANGLES: usize = 7;
const SWEPT: usize = 9;
const FRAMED: usize = 10;

fn frame(tally: &Tally) -> Pose {
    let rotation = core::array::from_fn(|k| tally.get(ROTATION + k));
    Pose { position: tally.vector(POSITION), rotation: DQuat::from_array(rotation) }
}

pub(super) fn begin_winding(model: &Model, start: &State, rod: usize, body: (usize, usize)) -> Tally {
    let mut tally = Tally::default();
    let points = measure::positions(start, rod);
    let (Some(frame), [first, .., last]) = (axis_pose(model, start, body), points.as_slice()) else {
        return tally;
    };
    tally.set_vector(POSITION, frame.position);
    for (k, x) in frame.rotation.to_array().into_iter().enumerate() {
        tally.set(ROTATION + k, x);
    }
    for (k, end) in [first, last].into_iter().enumerate() {
        tally.set(ANGLES + k, angle_about(&frame, *end));
    }
    tally.set(SWEPT, swept(&frame, &points));
    tally.set(FRAMED, 1.0);
    tally
}

pub(super) fn see_winding(rod: usize, tally: &mut Tally, s: &Sample) {
    let frame = frame(tally);
    for (k, sign) in [(0, -1.0), (1, 1.0)] {
        let before = tally.get(ANGLES + k);
        let now = unwrapped(angle_about(&frame, s.rods[rod].ends[k]), before);
        tally.add(SWEPT, sign * (now - before));
        tally.set(ANGLES + k, now);
    }
}

/// Turns of a rod about the axis of a body at the end, against those that its ends have made. A frame at rest stands
/// for a body that turns, so that turns of the body are not counted.
pub(super) fn winding(run: &RunRecord<'_>, rod: usize, tally: &Tally) -> Option<Finding> {
    if tally.get(FRAMED) == 0.0 {
        return None;
    }
    let measured = swept(&frame(tally), &measure::positions(run.end, rod)) / TAU;
    let reference = tally.get(SWEPT) / TAU;
    Some(Finding { reference, measured, error: (measured - reference).abs() })
}

/// The part of a rod from the first to the last place where it touches a body at the end: its nodes in the frame of the
/// body's axis.
fn wound_part(run: &RunRecord<'_>, rod: usize, body: (usize, usize)) -> Option<Vec<DVec3>> {
    let touch = run.samples.last()?.touches.iter().find(|t| (t.rod, (t.tree, t.link)) == (rod, body))?;
    let frame = axis_pose(run.model, run.end, body)?;
    let points = measure::positions(run.end, rod);
    Some(points[touch.edges[0]..=touch.edges[1]].iter().map(|p| frame.local_point(*p)).collect())
}

/// The wound part lies on the drum in one layer: greatest distance of its centreline from R + r, in diameters, in the
/// middles of its edges, where a polygon touches.
pub(super) fn coil_layer(run: &RunRecord<'_>, rod: usize, body: (usize, usize)) -> Option<Finding> {
    let radius = run.model.rods[rod].half_extents()[0][0];
    let reference = round_radius(run, body)? + radius;
    let part = wound_part(run, rod, body)?;
    let distances = part.windows(2).map(|w| 0.5 * (w[0] + w[1])).map(|p| p.x.hypot(p.y));
    let worst = distances.max_by(|a, b| (a - reference).abs().total_cmp(&(b - reference).abs()))?;
    Some(Finding { reference, measured: worst, error: (worst - reference).abs() / (2.0 * radius) })
}

/// Turns lie side by side: the least distance of a turn from the next, along the axis, is not below a diameter.
pub(super) fn coil_pitch(run: &RunRecord<'_>, rod: usize, body: (usize, usize)) -> Option<Finding> {
    let diameter = 2.0 * run.model.rods[rod].half_extents()[0][0];
    let part = wound_part(run, rod, body)?;
    let mut angle = part.first().map(|p| p.y.atan2(p.x))?;
    // Angle without jumps, and place along the axis.
    let places: Vec<(f64, f64)> = part
        .iter()
        .map(|p| {
            angle = unwrapped(p.y.atan2(p.x), angle);
            (angle, p.z)
        })
        .collect();
    let way = (places.last()?.0 - places.first()?.0).signum();
    let height = |angle: f64| {
        let pair = places.windows(2).find(|w| (w[0].0 - angle) * (w[1].0 - angle) <= 0.0)?;
        let span = pair[1].0 - pair[0].0;
        let share = if span == 0.0 { 0.0 } else { (angle - pair[0].0) / span };
        Some(pair[0].1 + share * (pair[1].1 - pair[0].1))
    };
    let pitches = places.iter().filter_map(|(a, z)| Some((height(a + way * TAU)? - z).abs()));
    let least = pitches.reduce(f64::min)?;
    Some(Finding { reference: diameter, measured: least, error: (1.0 - least / diameter).max(0.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_sweep_their_turns() {
        let helix: Vec<DVec3> = (0..=50)
            .map(|i| {
                let a = TAU * 2.5 * f64::from(i) / 50.0;
                DVec3::new(1.0 + a.cos(), a.sin(), 0.1 * a)
            })
            .collect();
        let frame = Pose::at(DVec3::X);
        assert!((swept(&frame, &helix) / TAU - 2.5).abs() < 1e-12);
        // Beside it, the same curve sweeps nothing whole.
        assert!((swept(&Pose::at(DVec3::X * 5.0), &helix) / TAU).abs() < 0.5);
    }
}
