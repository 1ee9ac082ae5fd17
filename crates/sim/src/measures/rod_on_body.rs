//! How a rod lies about a body, and what it exerts on it. The axis of a body is the z axis of its first shape.
//!
//! | reading | rows | unit |
//! |---|---|---|
//! | `turns`: angle that the rod sweeps about the axis, in turns; it jumps by a turn if the rod passes through the axis | a number | 1 |
//! | `wound_radii`: distance of the axis from the middles of the edges of the wound part | a list | m |
//! | `wound_pitches`: distance along the axis of each node of the wound part from the rod one turn on | a list | m |
//! | `force_on_body`: of the contacts of the rod with the body, along the axes of the body's frame | a vector | N |
//! | `tension_resultant`: tensions of the rod on both sides of the wound part, and its weight | a vector | N |
//!
//! The wound part goes from the first edge that touches the body to the last.

use super::reading::StepView;
use crate::measure;
use crate::report::ContactSide;
use core::f64::consts::{PI, TAU};
use glam::DVec3;
use ropewalk_linalg::Pose;

/// Edges beyond the wound part in which the rod has straightened, so that its pull is its tension.
const STRAIGHTENED: usize = 2;

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
        let frame = self.frame(step)?;
        let points: Vec<DVec3> =
            measure::positions(step.state, self.rod).iter().map(|p| frame.local_point(*p)).collect();
        let angles = angles(&points);
        Some((angles.last()? - angles.first()?) / TAU)
    }

    /// Edge of the rod and force on the body (N, world axes) of each contact of the two that pushes.
    fn contacts<'a>(self, step: &StepView<'a>) -> impl Iterator<Item = (usize, DVec3)> + use<'a> {
        let on_body = move |side: ContactSide| matches!(side, ContactSide::Link { tree, link, .. } if (tree, link) == (self.tree, self.link));
        let on_rod = move |side: ContactSide| match side {
            ContactSide::Rod { rod, edge, .. } if rod == self.rod => Some(edge),
            _ => None,
        };
        step.workspace.contacts().filter(|c| c.normal_force() > 0.0).filter_map(move |c| match c.sides {
            [a, b] if on_body(a) => on_rod(b).map(|edge| (edge, c.force)),
            [a, b] if on_body(b) => on_rod(a).map(|edge| (edge, -c.force)),
            _ => None,
        })
    }

    /// Force of the rod on the body in N, along the axes of the body's frame.
    pub(super) fn force_on_body(self, step: &StepView<'_>) -> DVec3 {
        let pose = measure::tree_kinematics(step.model, step.state, self.tree).poses[self.link];
        pose.local_vector(self.contacts(step).map(|(_, force)| force).sum())
    }

    /// First and last edge that touch the body.
    fn touching(self, step: &StepView<'_>) -> Option<(usize, usize)> {
        let edges = self.contacts(step).map(|(edge, _)| edge);
        edges.fold(None, |range, e| Some(range.map_or((e, e), |(a, b): (usize, usize)| (a.min(e), b.max(e)))))
    }

    /// Nodes of the wound part in the frame of the axis.
    fn wound_part(self, step: &StepView<'_>) -> Option<Vec<DVec3>> {
        let (frame, (first, last)) = (self.frame(step)?, self.touching(step)?);
        let points = measure::positions(step.state, self.rod);
        Some(points.get(first..=last)?.iter().map(|p| frame.local_point(*p)).collect())
    }

    /// Distances from the axis of the middles of the edges of the wound part: there a polygon touches.
    pub(super) fn wound_radii(self, step: &StepView<'_>) -> Option<Vec<f64>> {
        let part = self.wound_part(step)?;
        Some(part.windows(2).map(|w| 0.5 * (w[0] + w[1])).map(|p| p.x.hypot(p.y)).collect())
    }

    /// Distances along the axis from each node of the wound part to the rod one turn on.
    pub(super) fn wound_pitches(self, step: &StepView<'_>) -> Option<Vec<f64>> {
        Some(pitches(&self.wound_part(step)?))
    }

    /// T₁ t₁ − T₀ t₀ + the weight between, in N: what a flexible rod at rest exerts on the body.
    pub(super) fn tension_resultant(self, step: &StepView<'_>) -> Option<DVec3> {
        let (first, last) = self.touching(step)?;
        let (rod, s) = (&step.model.rods[self.rod], &step.state.rods[self.rod]);
        let (a, b) = (first.saturating_sub(STRAIGHTENED), (last + STRAIGHTENED).min(rod.edge_count() - 1));
        let pull = |e: usize| {
            let strain = s.edge(rod, e).length() / rod.rest_lengths()[e] - 1.0;
            s.tangent(rod, e) * rod.stretched(e, strain).tension
        };
        let gravity = step.state.gravity(step.model);
        let weight: DVec3 = (a + 1..=b).map(|i| gravity * rod.masses()[i][0]).sum();
        Some(pull(b) - pull(a) + weight)
    }
}

/// Angles about z in rad, each within half a turn of the one before.
fn angles(points: &[DVec3]) -> Vec<f64> {
    let mut at = points.first().map_or(0.0, |p| p.y.atan2(p.x));
    let unwrapped = |p: &DVec3| {
        at += (p.y.atan2(p.x) - at + PI).rem_euclid(TAU) - PI;
        at
    };
    points.iter().map(unwrapped).collect()
}

/// Distances along z from each point to the polygon one turn on about z; none where it ends before.
fn pitches(points: &[DVec3]) -> Vec<f64> {
    let angles = angles(points);
    let (Some(first), Some(last)) = (angles.first(), angles.last()) else { return Vec::new() };
    let turn = TAU * (last - first).signum();
    let height = |angle: f64| {
        let k = angles.windows(2).position(|w| (w[0] - angle) * (w[1] - angle) <= 0.0)?;
        let span = angles[k + 1] - angles[k];
        let share = if span == 0.0 { 0.0 } else { (angle - angles[k]) / span };
        Some(points[k].z + share * (points[k + 1].z - points[k].z))
    };
    angles.iter().zip(points).filter_map(|(a, p)| Some((height(a + turn)? - p.z).abs())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_sweep_their_turns_and_rise_by_their_pitch() {
        let at = |i: i32, x: f64| {
            let a = TAU * 2.5 * f64::from(i) / 50.0;
            DVec3::new(x + a.cos(), a.sin(), 0.1 * a)
        };
        let helix: Vec<DVec3> = (0..=50).map(|i| at(i, 0.0)).collect();
        assert!((angles(&helix)[50] / TAU - 2.5).abs() < 1e-12);
        let found = pitches(&helix);
        // The last of 31 is at the very end: round-off decides.
        assert!((30..=31).contains(&found.len()), "{found:?}");
        assert!(found.iter().all(|p| (p - 0.1 * TAU).abs() < 1e-12), "{found:?}");
        // About another axis the same curve sweeps nothing whole, and has no turn.
        let aside: Vec<DVec3> = (0..=50).map(|i| at(i, 5.0)).collect();
        assert!((angles(&aside)[50] / TAU).abs() < 0.5);
        assert!(pitches(&aside).is_empty());
    }
}
