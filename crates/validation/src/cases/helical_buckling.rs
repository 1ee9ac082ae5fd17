//! A twisted rod with slack coils up locally: localized helical buckling.
//!
//! A long rod (L = 100, B = 1.345, C = 0.789) is turned by 27 turns between its clamps, which are then brought together by
//! D = 3. In an infinite rod the angle φ between tangent and axis follows cos φ = 1 − 2a² sech²(s/s*), that is
//! (cos φ − cos φ₀)/(1 − cos φ₀) = tanh²(s/s*) with s* = 4.5961 and φ₀ = 47.65° for this slack and turn.
//!
//! `helical_buckling/angle` shows φ₀ in degrees, `/envelope` s* fitted to the curve, `/shape` the greatest departure from
//! tanh² within 5 s*. Source: Coyne, IEEE J. Oceanic Eng. 15, 1990; van der Heijden and Thompson, Nonlinear Dynamics 21,
//! 2000.

use super::ValidationRow;
use super::specimen::{section, specimen};
use crate::worlds::World;
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_sim::{Hold, Motion, TimeFunction};

const ANGLE: f64 = 47.651_507_315_558_83;
const WIDTH: f64 = 4.596_127_045_975_825;
const LENGTH: f64 = 100.0;
const TURNS: f64 = 27.0;
const SLACK: f64 = 3.0;
/// The coil is sensitive: the twist between neighboring edges must be small.
const SEGMENTS: usize = 1200;
const TURN_STEPS: u32 = 120;
const SLACK_STEPS: u32 = 60;

pub(crate) fn run() -> Vec<ValidationRow> {
    let [angle, width, shape] = measure(SEGMENTS).unwrap_or([f64::NAN; 3]);
    let [coarse, ..] = measure(SEGMENTS / 2).unwrap_or([f64::NAN; 3]);
    let off = |angle: f64| (angle / ANGLE - 1.0).abs();
    vec![
        ValidationRow::new("helical_buckling/angle", ANGLE, angle, off(angle), 0.02).with_order(
            (off(coarse) / off(angle)).log2(),
            2.0,
            0.2,
        ),
        ValidationRow::new("helical_buckling/envelope", WIDTH, width, (width / WIDTH - 1.0).abs(), 0.02),
        ValidationRow::new("helical_buckling/shape", 0.0, shape, shape, 0.02),
    ]
}

fn measure(segments: usize) -> Option<[f64; 3]> {
    let shape = buckle(segments)?;
    let rod = shape.rod();
    let h = rod.rest_lengths()[0];
    let cosines: Vec<f64> = (0..segments).map(|e| shape.shape().tangent(rod, e).x).collect();
    let lowest = (1..segments - 1).min_by(|&a, &b| cosines[a].total_cmp(&cosines[b]))?;
    // The lowest point of the parabola through three edges.
    let [a, b, c] = [cosines[lowest - 1], cosines[lowest], cosines[lowest + 1]];
    let offset = 0.5 * (a - c) / (a - 2.0 * b + c);
    let least = b - 0.25 * (a - c) * offset;
    let center = lowest as f64 + offset;
    let envelope = |e: usize| (cosines[e] - least) / (1.0 - least);
    let near: Vec<usize> = (0..segments).filter(|&e| ((e as f64 - center) * h).abs() < 5.0 * WIDTH).collect();
    // Least squares in the width, by golden section.
    let off = |width: f64| -> f64 {
        near.iter().map(|&e| (envelope(e) - ((e as f64 - center) * h / width).tanh().powi(2)).powi(2)).sum()
    };
    let (mut low, mut high) = (0.5 * WIDTH, 2.0 * WIDTH);
    while high - low > 1e-9 {
        let (p, q) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
        if off(p) < off(q) { high = q } else { low = p }
    }
    let departure = near
        .iter()
        .map(|&e| (envelope(e) - ((e as f64 - center) * h / WIDTH).tanh().powi(2)).abs())
        .fold(0.0, f64::max);
    Some([least.acos().to_degrees(), 0.5 * (low + high), departure])
}

/// Turns, then slackens, from one equilibrium to the next.
fn buckle(segments: usize) -> Option<World> {
    // The length is that between the middles of the clamped edges.
    let h = LENGTH / (segments - 1) as f64;
    let nodes = (0..=segments).map(|i| DVec3::X * (h * i as f64)).collect();
    let section = section(1e5, [1.345; 2], 0.789);
    let mut rod = specimen(nodes, false, section, RestShape::Straight, DVec3::Z)?;
    let ramp = |times: [f64; 2], end: f64| TimeFunction::Ramp {
        times,
        values: [0.0, end],
        interpolation: Default::default(),
    };
    let motion = Motion {
        axis: DVec3::X,
        angle: ramp([0.0, 1.0], TURNS * TAU),
        translation: [ramp([1.0, 2.0], -SLACK), TimeFunction::default(), TimeFunction::default()],
    };
    rod.hold(Hold::Edge(0)).clamp(0, Hold::Edge(segments - 1), motion);
    // A small load in the middle selects the place of buckling; it is removed at the end.
    rod.load(segments / 2, DVec3::new(0.0, 0.0, 1e-3));
    for k in 1..=TURN_STEPS {
        rod.state.time = f64::from(k) / f64::from(TURN_STEPS);
        rod.equilibrate()?;
    }
    for k in 1..=SLACK_STEPS {
        rod.state.time = 1.0 + f64::from(k) / f64::from(SLACK_STEPS);
        rod.equilibrate()?;
    }
    rod.model.loads.clear();
    rod.equilibrate()?;
    Some(rod)
}
