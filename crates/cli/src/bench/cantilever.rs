//! A cantilever of 100 segments swinging under its weight: the cost of a step of one short rod.

use super::stopwatch::time_steps;
use super::{BenchReference, BenchRow};
use glam::DVec3;
use ropewalk_rod::{Material, RodBuilder, Section};
use ropewalk_sim::{Clamp, ClampPose, Hold, Model, Motion, State};

const SEGMENTS: u32 = 100;
const LENGTH: f64 = 0.3;
/// Steps per second of the fastest other simulator tried with this cantilever, on one thread of a
/// 2.8 GHz x86-64.
const PEER_STEPS_PER_SECOND: f64 = 2760.0;

/// Times the step on one thread.
pub(crate) fn run() -> Vec<BenchRow> {
    let measured = model().and_then(|(model, state)| time_steps(&model, state, 200, 10, 500));
    let row = measured.map(|times| BenchRow {
        name: "cantilever".to_owned(),
        time: times.time,
        threads: 1,
        stages: times.stages,
        reference: BenchReference {
            what: "MuJoCo 4.0, one-dimensional flex, on a like machine".to_owned(),
            value: 1e3 / PEER_STEPS_PER_SECOND,
        },
    });
    row.into_iter().collect()
}

/// Clamped in the middle of its first edge, horizontal at the start.
fn model() -> Option<(Model, State)> {
    let segment = LENGTH / f64::from(SEGMENTS);
    let nodes = (0..=SEGMENTS).map(|i| DVec3::X * (f64::from(i) - 0.5) * segment).collect();
    let material = Material::from_poisson(1e7, 0.5, 1000.0);
    let (rod, rod_state) = RodBuilder::new(nodes, Section::Circle { radius: 5e-3 }, material).build().ok()?;
    let hold = Hold::Edge(0);
    let clamp = Clamp {
        name: "wall".to_owned(),
        rod: 0,
        hold,
        motion: Motion { axis: DVec3::Z, ..Motion::default() },
        start: ClampPose::of(hold, &rod, &rod_state),
        release_time: f64::INFINITY,
    };
    let model = Model {
        gravity: DVec3::new(0.0, 0.0, -9.81),
        rod_names: vec!["beam".to_owned()],
        rods: vec![rod],
        clamps: vec![clamp],
        ..Model::default()
    };
    Some((model, State { time: 0.0, rods: vec![rod_state] }))
}
