//! Mirror images: a rod whose two ends are treated alike ends as its own image, and feels images of forces.
//!
//! With n the unit normal of the mirror, vectors become v − 2 n (n·v), and torques, which are axial, the opposite.

use super::{Finding, RunRecord};
use glam::DVec3;
use ropewalk_sim::measure;

fn image(v: DVec3, normal: DVec3) -> DVec3 {
    v - 2.0 * normal * v.dot(normal)
}

/// Greatest distance of a node from the image of its partner at the end, as a share of the length.
pub(super) fn shape(run: &RunRecord<'_>, rod: usize, normal: DVec3) -> Option<Finding> {
    let points = measure::positions(run.end, rod);
    let middle = 0.5 * (*points.first()? + *points.last()?);
    let pairs = points.iter().zip(points.iter().rev());
    let apart = pairs.map(|(a, b)| (image(*a - middle, normal) - (*b - middle)).length());
    Some(Finding::zero(apart.fold(0.0, f64::max) / run.model.rods[rod].total_rest_length()))
}

/// Greatest difference over the run of the wrench of one attachment from the image of the other's, as a share of the
/// greatest force and torque.
pub(super) fn force(run: &RunRecord<'_>, [a, b]: [usize; 2], normal: DVec3) -> Finding {
    let (mut force, mut torque) = ([0.0f64; 2], [0.0f64; 2]);
    for s in run.samples {
        let (one, two) = (s.attachments[a], s.attachments[b]);
        let note = |into: &mut [f64; 2], image: DVec3, other: DVec3| {
            *into = [into[0].max((image - other).length()), into[1].max(other.length())];
        };
        note(&mut force, image(one.force, normal), two.force);
        note(&mut torque, -image(one.torque, normal), two.torque);
    }
    let share = |[difference, size]: [f64; 2]| difference / size.max(f64::MIN_POSITIVE);
    Finding::zero(share(force).max(share(torque)))
}
