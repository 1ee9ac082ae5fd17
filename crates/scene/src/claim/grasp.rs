//! Fingers that close on a rod, and what stays in them or is tied by them.
//!
//! A finger slides on a prismatic joint along the unit axis a and is pushed by an actuator with the effort Q(t). At rest
//! the contacts balance it: F·a = −Q.

use super::{Finding, RunRecord};
use glam::DVec3;
use ropewalk_body::JointKind;
use ropewalk_rod::knot_determinant::determinant;
use ropewalk_sim::{ActuatorKind, Hold, Model, measure};

/// A finger: tree and link that an actuator closes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finger {
    actuator: usize,
}

impl Finger {
    /// The finger of an actuator; none if its force or its direction is not given by the model.
    pub(super) fn of(model: &Model, actuator: usize) -> Option<Self> {
        let a = &model.actuators[actuator];
        let joint = &model.trees[a.tree].tree.links()[a.link].joint;
        let slides = matches!(joint.kind, JointKind::Prismatic { .. });
        (slides && matches!(a.kind, ActuatorKind::Force { .. })).then_some(Self { actuator })
    }

    /// Force of contacts against the closing effort at each sample, and that effort, N.
    fn forces(self, run: &RunRecord<'_>) -> Option<Vec<(f64, f64, f64)>> {
        let a = &run.model.actuators[self.actuator];
        let JointKind::Prismatic { axis } = run.model.trees[a.tree].tree.links()[a.link].joint.kind else {
            return None;
        };
        let ActuatorKind::Force { effort } = &a.kind else { return None };
        // The joint slides and does not turn, so its axis stays.
        let axis: DVec3 = measure::tree_kinematics(run.model, run.end, a.tree).poses[a.link].rotation * axis;
        let closing = -effort.value(run.end.time).signum();
        let sample = |s: &super::Sample| {
            let pushed = s.trees[a.tree].contacts[a.link].force.dot(axis);
            (s.time, closing * pushed, -closing * effort.value(s.time))
        };
        Some(run.samples.iter().map(sample).collect())
    }
}

/// The greatest difference between force and command from a time on, as a share of the command at the end.
pub(super) fn pinch_force(run: &RunRecord<'_>, finger: Finger, from: f64) -> Option<Finding> {
    let forces = finger.forces(run)?;
    let (_, _, command) = *forces.last()?;
    let closed = forces.iter().filter(|(time, ..)| *time >= from);
    let worst = closed.max_by(|x, y| (x.1 - x.2).abs().total_cmp(&(y.1 - y.2).abs()))?;
    Some(Finding { reference: worst.2, measured: worst.1, error: (worst.1 - worst.2).abs() / command })
}

/// The greatest fall of the force below what it has been before, as a share of the command at the end.
pub(super) fn pinch_rise(run: &RunRecord<'_>, finger: Finger) -> Option<Finding> {
    let forces = finger.forces(run)?;
    let (_, _, command) = *forces.last()?;
    let (mut greatest, mut fall) = (0.0f64, 0.0f64);
    for (_, force, _) in forces {
        greatest = greatest.max(force);
        fall = fall.max(greatest - force);
    }
    Some(Finding::zero(fall / command))
}

/// Where a rod is pulled: an end (0 or 1), and the direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    pub(super) rod: usize,
    pub(super) end: usize,
    pub(super) along: DVec3,
}

/// Mean speed of the pulled end along the pull from a time to the end, m/s.
pub(super) fn creep(run: &RunRecord<'_>, pull: Pull, from: f64) -> Option<Finding> {
    let (first, last) = (run.samples.iter().find(|s| s.time >= from)?, run.samples.last()?);
    let place = |s: &super::Sample| s.rods[pull.rod].ends[pull.end].dot(pull.along);
    Some(Finding::zero((place(last) - place(first)) / (last.time - first.time)))
}

/// Which knot the rod is at the end.
pub(super) fn knotted(run: &RunRecord<'_>, rod: usize, wanted: u32) -> Finding {
    let found = determinant(&measure::positions(run.end, rod));
    Finding { reference: f64::from(wanted), measured: found, error: (found - f64::from(wanted)).abs() }
}

/// How much longer than straight the rod is from each of its ends to the nearest clamp, in thicknesses; the sum of both.
pub(super) fn pulled_tight(run: &RunRecord<'_>, rod: usize) -> Option<Finding> {
    let r = &run.model.rods[rod];
    let nodes = run.model.clamps.iter().filter(|c| c.rod == rod).map(|c| match c.hold {
        Hold::Node(i) | Hold::Edge(i) | Hold::EdgeFreeSpin(i) | Hold::Spin(i) => i,
    });
    let nodes: Vec<usize> = nodes.collect();
    let (first, last) = (*nodes.iter().min()?, *nodes.iter().max()?);
    let points = measure::positions(run.end, rod);
    let slack = |part: &[DVec3]| {
        let length: f64 = part.windows(2).map(|p| (p[1] - p[0]).length()).sum();
        part.first().zip(part.last()).map(|(a, b)| length - (*b - *a).length())
    };
    let total = slack(&points[..=first])? + slack(&points[last..])?;
    Some(Finding::zero(total / (2.0 * r.half_extents()[0][0])))
}
