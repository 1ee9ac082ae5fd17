//! Timings of contact patches, one thread: whole patches, by pair of cells and by polygon.

use glam::{DQuat, DVec3};
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::{
    FieldError, Patch, PatchBody, RodField, RodSection, body_body, edge_body, edge_edge_patch,
};
use ropewalk_linalg::Pose;
use std::time::{Duration, Instant};

/// Timing of a patch.
#[derive(Clone, Debug)]
pub(crate) struct PatchTimes {
    /// The scene.
    pub(crate) name: &'static str,
    /// Polygons of the patch.
    pub(crate) polygons: usize,
    /// Pairs of cells that were cut to find them.
    pub(crate) candidates: usize,
    /// Nanoseconds for the whole patch: field of the rod, bounding-volume hierarchies, pairs, polygons.
    pub(crate) whole_ns: f64,
    /// Of that, nanoseconds for the field of the rod, by edge; 0 without a rod.
    pub(crate) edge_ns: f64,
}

/// Least time of `work` in nanoseconds.
fn least(time: Duration, mut work: impl FnMut()) -> f64 {
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    while start.elapsed() < time {
        let begin = Instant::now();
        work();
        best = best.min(begin.elapsed().as_secs_f64() * 1e9);
    }
    best
}

/// Times of all scenes, about `time` for each number.
pub(crate) fn measure(time: Duration) -> Result<Vec<PatchTimes>, FieldError> {
    let (rope, belt) = (RodSection::circle(1e-3, None)?, RodSection::rectangle(0.02, 2e-3, None)?);
    Ok(vec![
        ball_on_block(time)?,
        around_post("rope_on_post", rope, 0.9e-3, time)?,
        around_post("belt_on_pulley", belt, 0.9e-3, time)?,
        crossed_ropes(time)?,
    ])
}

fn row(name: &'static str, patch: &Patch, whole_ns: f64, edge_ns: f64) -> PatchTimes {
    PatchTimes { name, polygons: patch.polygons.len(), candidates: patch.candidates, whole_ns, edge_ns }
}

/// Two fields of tetrahedra.
fn ball_on_block(time: Duration) -> Result<PatchTimes, FieldError> {
    let ball = PatchBody::soft(&Shape::Sphere { radius: 0.02 }, 1e6, Some(0.004))?;
    let block = PatchBody::soft(&Shape::Box { size: DVec3::new(0.1, 0.1, 0.04) }, 1e6, Some(0.02))?;
    let pose = Pose::new(DVec3::new(0.004, 0.007, 0.036), DQuat::from_rotation_x(0.3));
    let mut patch = Patch::default();
    let whole = least(time, || {
        patch.clear();
        body_body(&ball, &pose, &block, &Pose::IDENTITY, &mut patch);
    });
    Ok(row("ball_on_block", &patch, whole, 0.0))
}

/// A rod of 40 edges on half of the circumference of a soft post about y.
fn around_post(
    name: &'static str,
    section: RodSection,
    height: f64,
    time: Duration,
) -> Result<PatchTimes, FieldError> {
    let edges = 40;
    let post = PatchBody::soft(&Shape::Cylinder { radius: 0.03, length: 0.1 }, 1e7, Some(0.0075))?;
    let pose = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let node = |i: usize| {
        let (s, c) = (std::f64::consts::PI * i as f64 / edges as f64).sin_cos();
        (0.03 + height) * DVec3::new(c, 0.0, s)
    };
    let nodes: Vec<DVec3> = (0..=edges).map(node).collect();
    let directors = vec![DVec3::Y; edges];
    let mut rod = RodField::new(section, 1e6, edges, false)?;
    let edge_ns = follow(&mut rod, &nodes, &directors, time)?;
    let mut patch = Patch::default();
    let mut failed = Ok(());
    let whole = least(time, || {
        patch.clear();
        failed = rod.update(&nodes, &directors);
        for edge in 0..edges {
            edge_body(&rod, edge, &post, &pose, &mut patch);
        }
    });
    failed?;
    Ok(row(name, &patch, whole, edge_ns))
}

/// Two ropes of 20 edges that cross at a small angle.
fn crossed_ropes(time: Duration) -> Result<PatchTimes, FieldError> {
    let edges = 20;
    let line = |from: DVec3, to: DVec3| -> Vec<DVec3> {
        (0..=edges).map(|i| from.lerp(to, i as f64 / edges as f64)).collect()
    };
    let upper = line(DVec3::new(-0.1, 0.0, 0.009), DVec3::new(0.1, 0.004, 0.009));
    let lower = line(DVec3::new(-0.1, -0.01, 0.0), DVec3::new(0.1, 0.01, 0.0));
    let directors = vec![DVec3::Z; edges];
    let rope = || RodField::new(RodSection::circle(0.005, None)?, 1e6, edges, false);
    let (mut a, mut b) = (rope()?, rope()?);
    let edge_ns = follow(&mut a, &upper, &directors, time)?;
    follow(&mut b, &lower, &directors, Duration::ZERO)?;
    let mut patch = Patch::default();
    let mut failed = Ok(());
    let whole = least(time, || {
        patch.clear();
        failed = a.update(&upper, &directors);
        for here in 0..edges {
            for there in 0..edges {
                if a.edge_bounds(here).meets(b.edge_bounds(there)) {
                    a.prepare_edge(here);
                    edge_edge_patch(&a, here, &b, there, &mut patch);
                }
            }
        }
    });
    failed?;
    Ok(row("crossed_ropes", &patch, whole, edge_ns))
}

/// Updates the field of a rod with all its cells, and returns the time per edge.
fn follow(
    rod: &mut RodField,
    nodes: &[DVec3],
    directors: &[DVec3],
    time: Duration,
) -> Result<f64, FieldError> {
    let all = |rod: &mut RodField| {
        rod.update(nodes, directors)?;
        (0..directors.len()).for_each(|e| rod.prepare_edge(e));
        Ok(())
    };
    all(rod)?;
    let mut failed = Ok(());
    let taken = least(time, || failed = all(rod));
    failed.map(|()| taken / directors.len() as f64)
}
