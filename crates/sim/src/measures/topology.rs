//! How rods lie about bodies, about one another and about themselves.
//!
//! | reading | rows | unit |
//! |---|---|---|
//! | `turns`: angle that a rod sweeps about the axis of a body, in turns; it jumps by a turn if the rod passes through the axis | a number | 1 |
//! | `wound_radii`: distance of the axis of a body from the middles of the edges between the first and the last that touch it | a list | m |
//! | `linking_numbers`: of all pairs of closed rods, without sign | a list | 1 |
//! | `knot_determinant`: 1 for no knot, 3 for an overhand knot, products for knots in a row | a number | 1 |
//! | `wraps`: half of the signed crossings of two parts of a rod, mean over all sides from which they are seen | a number | 1 |
//! | `slack`: length of a part of a rod less the distance of its ends | a number | m |
//!
//! The axis of a body is the z axis of its first shape.

use super::reading::StepView;
use crate::measure;
use crate::report::ContactSide;
use core::f64::consts::{PI, TAU};
use glam::DVec3;
use ropewalk_linalg::Pose;
use ropewalk_rod::knot_determinant::{determinant, determinant_with_ends};
use ropewalk_rod::writhe::gauss_integral;

/// A rod and a link that it winds about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RodOnBody {
    /// Index of the rod.
    pub rod: usize,
    /// Index of the tree.
    pub tree: usize,
    /// Index of the link.
    pub link: usize,
}

impl RodOnBody {
    /// Pose of the first shape of the link; its z is the axis.
    fn frame(self, step: &StepView<'_>) -> Option<Pose> {
        let shape = step.model.trees[self.tree].shapes.iter().find(|s| s.link == self.link)?;
        Some(measure::tree_kinematics(step.model, step.state, self.tree).poses[self.link] * shape.pose)
    }

    /// Turns of the rod about the axis. The body's own turning does not count: the angle swept is the same in all frames.
    pub(super) fn turns(self, step: &StepView<'_>) -> Option<f64> {
        Some(swept(&self.frame(step)?, &measure::positions(step.state, self.rod)) / TAU)
    }

    /// Distances from the axis of the middles of the edges of the wound part.
    pub(super) fn wound_radii(self, step: &StepView<'_>) -> Option<Vec<f64>> {
        let frame = self.frame(step)?;
        let touching = step.workspace.contacts().filter(|c| c.normal_force() > 0.0).filter_map(|contact| {
            let on = |side: &ContactSide| matches!(*side, ContactSide::Link { tree, link, .. } if (tree, link) == (self.tree, self.link));
            let edge = contact.sides.iter().find_map(|side| match *side {
                ContactSide::Rod { rod, edge, .. } if rod == self.rod => Some(edge),
                _ => None,
            });
            edge.filter(|_| contact.sides.iter().any(on))
        });
        let (first, last) = touching.fold(None, |range: Option<(usize, usize)>, e| {
            Some(range.map_or((e, e), |(a, b)| (a.min(e), b.max(e))))
        })?;
        let points = measure::positions(step.state, self.rod);
        let part = points.get(first..=last)?.windows(2);
        Some(part.map(|w| frame.local_point(0.5 * (w[0] + w[1]))).map(|p| p.x.hypot(p.y)).collect())
    }
}

/// Angle that a polygon sweeps about the z axis of `frame`, rad.
fn swept(frame: &Pose, points: &[DVec3]) -> f64 {
    let angle = |p: &DVec3| {
        let local = frame.local_point(*p);
        local.y.atan2(local.x)
    };
    // Moved by whole turns to within half a turn of the one before.
    let unwrapped = |angle: f64, near: f64| near + (angle - near + PI).rem_euclid(TAU) - PI;
    let Some(first) = points.first().map(angle) else { return 0.0 };
    points.iter().fold(first, |at, p| unwrapped(angle(p), at)) - first
}

/// Linking numbers of all pairs of closed rods, without sign.
pub(super) fn linking_numbers(step: &StepView<'_>) -> Vec<f64> {
    let rods = &step.model.rods;
    let closed: Vec<usize> = (0..rods.len()).filter(|&r| rods[r].closed()).collect();
    let pairs = closed.iter().enumerate().flat_map(|(k, &a)| closed[k + 1..].iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| measure::linking_number(step.model, step.state, a, b).abs()).collect()
}

/// One or two parts of a rod, each by its first and last node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Index of the rod.
    pub rod: usize,
    /// The part.
    pub part: [usize; 2],
    /// The other part, where two are compared.
    pub other: Option<[usize; 2]>,
}

impl Parts {
    fn nodes(self, step: &StepView<'_>, [first, last]: [usize; 2]) -> Vec<DVec3> {
        let rod = &step.state.rods[self.rod];
        (first..=last.min(rod.q.len() - 1)).map(|i| rod.position(i)).collect()
    }

    /// Which knot the part is. Of a bow the loops undo the second throw, so that the whole lace is no more than the first;
    /// between the tips of the loops both are there, and count as the sum of two knots, whose determinant is the product.
    pub(super) fn determinant(self, step: &StepView<'_>, ends: Option<DVec3>) -> f64 {
        let nodes = self.nodes(step, self.part);
        ends.map_or_else(|| determinant(&nodes), |ends| determinant_with_ends(&nodes, ends))
    }

    /// Tells a reef knot from a granny knot: the two throws count one another out, or add up.
    pub(super) fn wraps(self, step: &StepView<'_>) -> Option<f64> {
        let (a, b) = (self.nodes(step, self.part), self.nodes(step, self.other?));
        Some(gauss_integral(&a, false, &b, false))
    }

    pub(super) fn slack(self, step: &StepView<'_>) -> f64 {
        let nodes = self.nodes(step, self.part);
        let length: f64 = nodes.windows(2).map(|p| (p[1] - p[0]).length()).sum();
        nodes.first().zip(nodes.last()).map_or(0.0, |(a, b)| length - (*b - *a).length())
    }
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
