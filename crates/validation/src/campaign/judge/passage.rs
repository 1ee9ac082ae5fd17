//! Tunnelling within a step: centerlines through one another, or through the core of a body.
//!
//! In a step that was not split, backward Euler moves every node along a straight line. Two edges pass through one
//! another if they meet while all four nodes move along these lines: their four nodes are coplanar at the roots of a
//! cubic, and at one of them the edges intersect. After split steps the lines are not known; [`super::linking`]
//! covers those.
//!
//! A node passes through a body if both ends of its line, in the body's frame, are outside and the line comes nearer
//! to the middle than [`CORE`] of the greatest ball inside. Near the rim of a thin plate, within the displacement of
//! the node, a node may have moved around it: such steps are not judged.

use super::strand::{Strand, segment_distance};
use super::{Criterion, Findings, View, pairs};
use glam::DVec3;
use ropewalk_geometry::Aabb;
use ropewalk_linalg::Pose;

/// A line deeper in a body than this fraction of its greatest inscribed ball passes through.
const CORE: f64 = 0.7;
/// A box is a plate if it is thinner than this fraction of its other sides.
const PLATE: f64 = 0.25;
/// Number of points on a line at which its depth is evaluated.
const SAMPLES: usize = 32;

/// The world before the step.
#[derive(Debug)]
pub struct Passage {
    nodes: Vec<Vec<DVec3>>,
    poses: Vec<Pose>,
}

impl Passage {
    /// At the start of a run.
    pub fn new(view: &View<'_>) -> Self {
        Self { nodes: view.nodes.clone(), poses: view.poses.clone() }
    }

    /// Judges a step of `substeps` sub-steps.
    pub fn see(&mut self, view: &View<'_>, substeps: u32, out: &mut Findings) {
        let time = view.state.time;
        out.note(Criterion::Passage, (0.0, 0.0), time, String::new);
        if view.model.contact.is_some() {
            self.through_bodies(view, substeps == 1, out);
            if substeps == 1 {
                self.through_rods(view, out);
            }
        }
        self.nodes.clone_from(&view.nodes);
        self.poses.clone_from(&view.poses);
    }

    /// Nodes through bodies. After split steps the crossing of a thin plate can still be detected, but a node may
    /// have moved around a peg.
    fn through_bodies(&self, view: &View<'_>, is_whole: bool, out: &mut Findings) {
        for (k, solid) in view.solids.iter().enumerate() {
            let Some(inner) = solid.inner_radius() else { continue };
            for (r, (before, now)) in self.nodes.iter().zip(&view.nodes).enumerate() {
                if !view.model.rod_may_touch(r, solid.tree, solid.link) {
                    continue;
                }
                // Nodes attached to the body may be inside.
                let is_held = |n: usize| {
                    let at_node =
                        |s: &&Strand| s.rod == r && (s.edge == n || view.model.rods[r].edge_end(s.edge) == n);
                    let may_touch = |s: &Strand| pairs::may_touch_solid(view.model, view.state, s, solid);
                    !view.strands.iter().filter(at_node).all(may_touch)
                };
                for (n, (p, q)) in before.iter().zip(now).enumerate() {
                    let (p, q) = (self.poses[k].local_point(*p), view.poses[k].local_point(*q));
                    let (dp, dq) = (solid.least_distance(p), solid.least_distance(q));
                    // Lines that end outside and are shorter than both distances together do not enter.
                    if dp < 0.0 || dq < 0.0 || dp + dq > (q - p).length() {
                        continue;
                    }
                    let on_line = |i: usize| p + (q - p) * (i as f64 / SAMPLES as f64);
                    let deepest = (0..=SAMPLES)
                        .map(on_line)
                        .min_by(|a, b| solid.least_distance(*a).total_cmp(&solid.least_distance(*b)));
                    let Some(deepest) = deepest else { continue };
                    let crosses_plate = solid.half_sizes().and_then(|half| plate_crossing(p, q, half));
                    let depth = -solid.least_distance(deepest) / inner;
                    if crosses_plate.unwrap_or(is_whole && depth > CORE) && !is_held(n) {
                        out.note(Criterion::Passage, (1.0, 0.0), view.state.time, || {
                            format!("{} node {n} through {}", view.rod_name(r), view.solid_name(k))
                        });
                    }
                }
            }
        }
    }

    fn through_rods(&self, view: &View<'_>, out: &mut Findings) {
        let moving: Vec<[[DVec3; 2]; 2]> = view
            .strands
            .iter()
            .map(|strand| {
                let before = &self.nodes[strand.rod];
                let end = view.model.rods[strand.rod].edge_end(strand.edge);
                [[before[strand.edge], before[end]], [strand.a, strand.b]]
            })
            .collect();
        let boxes: Vec<Aabb> = moving.iter().map(|m| Aabb::of_points(m.as_flattened())).collect();
        for i in 0..moving.len() {
            for j in i + 1..moving.len() {
                if !boxes[i].meets(&boxes[j]) {
                    continue;
                }
                let (a, b) = (&view.strands[i], &view.strands[j]);
                if pairs::may_touch(view.model, view.state, a, b) && edges_meet(&moving[i], &moving[j]) {
                    out.note(Criterion::Passage, (1.0, 0.0), view.state.time, || {
                        format!("{} through {}", view.edge_name(i), view.edge_name(j))
                    });
                }
            }
        }
    }
}

/// Whether the line from `p` to `q` goes through a thin plate from one large face to the other, away from its rim; none if the
/// box is no plate.
fn plate_crossing(p: DVec3, q: DVec3, half: DVec3) -> Option<bool> {
    let thin = (0..3).min_by(|&i, &j| half[i].total_cmp(&half[j]))?;
    let others = [(thin + 1) % 3, (thin + 2) % 3];
    if others.iter().any(|&i| half[thin] > PLATE * half[i]) {
        return None;
    }
    let (a, b) = (p[thin], q[thin]);
    if a.abs() < half[thin] || b.abs() < half[thin] || a * b > 0.0 {
        return Some(false);
    }
    let at = p + (q - p) * (a / (a - b));
    let margin = (q - p).length();
    Some(others.iter().all(|&i| at[i].abs() < half[i] - margin))
}

/// Whether two edges meet while their nodes move from the first to the second place along straight lines.
fn edges_meet(a: &[[DVec3; 2]; 2], b: &[[DVec3; 2]; 2]) -> bool {
    let at = |m: &[[DVec3; 2]; 2], t: f64| [0, 1].map(|i| m[0][i] + (m[1][i] - m[0][i]) * t);
    let volume = |t: f64| {
        let ([p, q], [u, v]) = (at(a, t), at(b, t));
        (q - p).cross(u - p).dot(v - p)
    };
    let size = (a[0][1] - a[0][0]).length() + (b[0][1] - b[0][0]).length();
    roots(volume).into_iter().any(|t| {
        let ([p, q], [u, v]) = (at(a, t), at(b, t));
        segment_distance(p, q, u, v) < 1e-7 * size
    })
}

/// Roots of a cubic in (0, 1), by bisection between its extrema. A double root, where edges graze, is none.
fn roots(f: impl Fn(f64) -> f64) -> Vec<f64> {
    // Coefficients from four values.
    let [f0, f1, f2, f3] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(&f);
    let c1 = 0.5 * (-11.0 * f0 + 18.0 * f1 - 9.0 * f2 + 2.0 * f3);
    let c2 = 4.5 * (2.0 * f0 - 5.0 * f1 + 4.0 * f2 - f3);
    let c3 = 4.5 * (-f0 + 3.0 * f1 - 3.0 * f2 + f3);
    let mut knots = vec![0.0];
    let discriminant = c2 * c2 - 3.0 * c1 * c3;
    if discriminant > 0.0 {
        // The two roots of 3 c3 t² + 2 c2 t + c1, without cancellation.
        let w = -(c2 + c2.signum() * discriminant.sqrt());
        let mut extrema = [w / (3.0 * c3), c1 / w];
        extrema.sort_by(f64::total_cmp);
        knots.extend(extrema.into_iter().filter(|t| (0.0..1.0).contains(t)));
    }
    knots.push(1.0);
    let mut out = Vec::new();
    for pair in knots.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        let sign = f(low);
        if sign * f(high) >= 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if sign * f(middle) > 0.0 { low = middle } else { high = middle }
        }
        out.push(0.5 * (low + high));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_a_cubic() {
        let found = roots(|t| (t - 0.2) * (t - 0.5) * (t - 0.9));
        assert!(found.len() == 3, "{found:?}");
        assert!(found.iter().zip([0.2, 0.5, 0.9]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(roots(|t| 2.0 * t - 0.5).iter().all(|t| (t - 0.25).abs() < 1e-12));
        assert!(roots(|t| t * t + 1.0).is_empty());
    }

    #[test]
    fn edges_that_pass_meet_and_others_do_not() {
        let bar = [[-DVec3::Y, DVec3::Y]; 2];
        let moving =
            |from: DVec3, to: DVec3| [[from - DVec3::X, from + DVec3::X], [to - DVec3::X, to + DVec3::X]];
        assert!(edges_meet(&bar, &moving(DVec3::Z, -DVec3::Z)));
        assert!(!edges_meet(&bar, &moving(DVec3::Z, DVec3::Z * 0.1)));
        assert!(!edges_meet(&bar, &moving(DVec3::new(0.0, 3.0, 1.0), DVec3::new(0.0, 3.0, -1.0))));
    }

    #[test]
    fn a_plate_is_crossed_away_from_its_rim_only() {
        let half = DVec3::new(1.0, 1.0, 1e-3);
        let (up, down) = (DVec3::new(0.2, 0.0, 0.1), DVec3::new(0.2, 0.0, -0.1));
        assert_eq!(plate_crossing(up, down, half), Some(true));
        assert_eq!(plate_crossing(up, DVec3::new(0.9, 0.0, -0.1), half), Some(false));
        assert_eq!(plate_crossing(up + DVec3::X * 0.75, down + DVec3::X * 0.75, half), Some(false));
        assert_eq!(plate_crossing(up, down, DVec3::ONE), None);
    }
}
