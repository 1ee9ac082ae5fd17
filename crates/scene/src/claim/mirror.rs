//! Mirror images: a rod whose two ends are treated alike ends as its own image, and feels images of forces.
//!
//! With n the unit normal of the mirror, vectors become v − 2 n (n·v), and torques, which are axial, the opposite.

use super::kept::Number;
use super::{Finding, RunRecord, Sample};
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
    let mut greatest = [0.0f64; 4];
    for s in run.samples {
        let sizes = sizes(s, [a, b], normal);
        greatest = core::array::from_fn(|k| greatest[k].max(sizes[k]));
    }
    let share = |difference: f64, size: f64| difference / size.max(f64::MIN_POSITIVE);
    let [force, force_size, torque, torque_size] = greatest;
    Finding::zero(share(force, force_size).max(share(torque, torque_size)))
}

/// Difference and size of the forces, N, and of the torques, N·m.
fn sizes(s: &Sample, [a, b]: [usize; 2], normal: DVec3) -> [f64; 4] {
    let (one, two) = (s.attachments[a], s.attachments[b]);
    let (force, torque) = (image(one.force, normal) - two.force, -image(one.torque, normal) - two.torque);
    [force.length(), two.force.length(), torque.length(), two.torque.length()]
}

/// What [`force`] reads.
pub(super) fn force_needs(attachments: [usize; 2], normal: DVec3) -> Vec<Number> {
    (0..4).map(|k| Number::new(move |_, s| sizes(s, attachments, normal)[k])).collect()
}
