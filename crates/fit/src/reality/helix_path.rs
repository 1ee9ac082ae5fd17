//! A rod whose clamps follow a path to its greatest κ and back: where it leaves its helix, and whether it returns
//! along the same branch.
//!
//! The authors' rule. Let e be the distance of the rod's middle from that of the helix, in radii of the helix, and
//! consider the part of the path above [`WINDOW`] of its greatest κ. The level is halfway between the mean of e and
//! the lesser of its greatest values up and down. The rod leaves its helix at the last κ of the rise at which e is
//! below the level. It jumps (subcritical) if it returns at a κ that differs by more than [`HYSTERESIS`] of the
//! greatest, or not at all.

use super::helix_rod::{Clamps, LENGTH, helix, middle};
use crate::statics::StaticRod;

/// The considered part of the path, from this fraction of the greatest κ on.
const WINDOW: f64 = 0.7;
/// Steps of the way up: a few to where the rod begins to leave its helix, as a fraction of the greatest κ, and more from there.
const LEAVES: f64 = 0.88;
const STEPS_BEFORE: usize = 6;
const STEPS_UP: usize = 36;
const STEPS_DOWN: usize = 40;
/// An unstable rod is pushed by this fraction of its length.
const PUSH: f64 = 3e-3;
/// Tolerance of equilibria, as a fraction of the length: the rod is soft near a jump.
const STILL: f64 = 1e-6;
/// A hysteresis above this fraction of the greatest κ is a jump.
const HYSTERESIS: f64 = 0.05;
/// Number of values of κ for means.
const SAMPLES: usize = 400;

/// κL and e along a path, κ growing.
#[derive(Clone, Debug)]
pub(super) struct Branches {
    up: Vec<[f64; 2]>,
    down: Vec<[f64; 2]>,
}

/// A path judged by the authors' rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judged {
    /// κL at which the rod leaves its helix.
    pub(super) leaves: f64,
    /// Whether it jumps.
    pub(super) jumps: bool,
}

/// The rod on its path, in equilibrium at each step; `None` where none is found.
pub(super) fn follow(ratios: [f64; 2], greatest: f64, twist_ratio: f64) -> Option<Branches> {
    let first = WINDOW * greatest;
    let (mut rod, _) = helix(ratios, first, twist_ratio, Clamps::ROBOT)?;
    rod.still = STILL;
    let mut at = |kappa: f64| Some([kappa, deviation(ratios, kappa, twist_ratio, &mut rod)?]);
    let between = |a: f64, b: f64, k: usize, n: usize| a + (b - a) * k as f64 / n as f64;
    let leaves = LEAVES * greatest;
    let (mut up, mut down) = (Vec::new(), Vec::new());
    for k in 0..STEPS_BEFORE {
        up.push(at(between(first, leaves, k, STEPS_BEFORE))?);
    }
    for k in 0..=STEPS_UP {
        up.push(at(between(leaves, greatest, k, STEPS_UP))?);
    }
    down.extend(up.last());
    for k in 1..=STEPS_DOWN {
        down.push(at(between(greatest, first, k, STEPS_DOWN))?);
    }
    Some(Branches::new(up, down))
}

/// Takes the clamps of `rod` to κL = `kappa`; e there.
fn deviation(ratios: [f64; 2], kappa: f64, twist_ratio: f64, rod: &mut StaticRod) -> Option<f64> {
    let (_, grips) = helix(ratios, kappa, twist_ratio, Clamps::ROBOT)?;
    rod.settle(&grips).then_some(())?;
    if !rod.is_stable(&grips) {
        let mode = rod.lowest_mode(&grips)?;
        (rod.push(&mode, PUSH * LENGTH) && rod.settle(&grips)).then_some(())?;
    }
    let radius = LENGTH / (kappa * (1.0 + ratios[0] * ratios[0]));
    Some(rod.position_at(0.5).distance(middle(ratios, kappa)) / radius)
}

impl Branches {
    /// Branches from frames in any order; only the considered part.
    pub(super) fn new(up: Vec<[f64; 2]>, down: Vec<[f64; 2]>) -> Self {
        let greatest = up.iter().chain(&down).map(|x| x[0]).fold(0.0, f64::max);
        let [up, down] = [up, down].map(|mut branch| {
            branch.retain(|x| x[0] >= WINDOW * greatest);
            branch.sort_by(|a, b| a[0].total_cmp(&b[0]));
            branch
        });
        Self { up, down }
    }

    pub(super) fn judge(&self) -> Option<Judged> {
        let greatest = |branch: &[[f64; 2]]| branch.iter().map(|x| x[1]).fold(0.0, f64::max);
        if self.up.len() < 2 || self.down.len() < 2 {
            return None;
        }
        let level = 0.5 * (f64::min(greatest(&self.up), greatest(&self.down)) + self.mean()?);
        let leaves = last_below(&self.up, level)?;
        // A rod that stays above the level on the whole way down returns even later.
        let back = first_above(&self.down, level)?;
        let last = self.up.last()?[0];
        Some(Judged { leaves, jumps: (leaves - back).abs() > HYSTERESIS * last })
    }

    /// Mean of e over κ, up and down.
    fn mean(&self) -> Option<f64> {
        let (first, last) = (self.up.first()?[0], self.up.last()?[0]);
        let place = |k: usize| first + (last - first) * k as f64 / (SAMPLES - 1) as f64;
        let both = |k: usize| 0.5 * (value(&self.up, place(k)) + value(&self.down, place(k)));
        Some((0..SAMPLES).map(both).sum::<f64>() / SAMPLES as f64)
    }
}

/// e at κ, between two points by a straight line.
fn value(branch: &[[f64; 2]], kappa: f64) -> f64 {
    let k = branch.partition_point(|x| x[0] < kappa).clamp(1, branch.len() - 1);
    let [[k0, e0], [k1, e1]] = [branch[k - 1], branch[k]];
    e0 + (e1 - e0) * ((kappa - k0) / (k1 - k0)).clamp(0.0, 1.0)
}

/// κ at which e crosses the level for the last time.
fn last_below(branch: &[[f64; 2]], level: f64) -> Option<f64> {
    branch.windows(2).rev().find_map(|w| crossing(w, level))
}

/// κ, coming from above, at which e first falls below the level; the least κ if it does not.
fn first_above(branch: &[[f64; 2]], level: f64) -> Option<f64> {
    last_below(branch, level).or(Some(branch.first()?[0]))
}

fn crossing(pair: &[[f64; 2]], level: f64) -> Option<f64> {
    let [[k0, e0], [k1, e1]] = [pair[0], pair[1]];
    (e0 < level && e1 >= level).then(|| k0 + (k1 - k0) * (level - e0) / (e1 - e0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(e: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
        (0..=60).map(|k| 0.7 + 0.005 * f64::from(k)).map(|kappa| [kappa, e(kappa)]).collect()
    }

    #[test]
    fn a_way_back_at_another_curvature_is_a_jump() {
        let jump = |at: f64| move |kappa: f64| if kappa < at { 0.0 } else { 4.0 };
        let judged =
            |up: f64, down: f64| Branches::new(branch(jump(up)), branch(jump(down))).judge().unwrap();
        assert!(judged(0.95, 0.85).jumps);
        assert!((judged(0.95, 0.85).leaves - 0.95).abs() < 0.005);
        assert!(!judged(0.95, 0.93).jumps);
        assert!(judged(0.95, 0.0).jumps, "a rod that does not come back has jumped");
    }
}
