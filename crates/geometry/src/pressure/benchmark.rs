//! Timings of patches, one thread: pairs of cells as scenes give them, and whole scenes.

use super::body::PatchBody;
use super::body_body::body_body;
use super::clip::{Loop, equal_pressure};
use super::convex::{ConvexCell, equal_in_cells, equal_in_tet};
use super::field::{FieldError, PressureField};
use super::patch::{Frame, Patch};
use super::polygon::{Fade, between_fields};
use super::rod::RodField;
use super::rod_pair::{edge_body, edge_edge_patch};
use super::rod_section::RodSection;
use super::tet::{Cell, Tet};
use crate::shape::Shape;
use glam::{DQuat, DVec3};
use ropewalk_linalg::Pose;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What a scene took.
#[derive(Clone, Debug)]
pub struct PatchTimes {
    /// The scene.
    pub name: &'static str,
    /// Polygons of the patch.
    pub polygons: usize,
    /// Pairs of cells that were cut to find them.
    pub candidates: usize,
    /// Nanoseconds for one pair of cells: slice, clip and, where there is one, the polygon.
    pub pair_ns: f64,
    /// Nanoseconds for the whole patch (field of the rod, trees, pairs), by polygon.
    pub polygon_ns: f64,
    /// Of that, nanoseconds for the field of the rod, by edge; 0 without a rod.
    pub edge_ns: f64,
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
pub fn measure(time: Duration) -> Result<Vec<PatchTimes>, FieldError> {
    let (rope, belt) = (RodSection::circle(1e-3, None)?, RodSection::rectangle(0.02, 2e-3, None)?);
    Ok(vec![
        ball_on_block(time)?,
        around_post("rope_on_post", rope, 0.9e-3, time)?,
        around_post("belt_on_pulley", belt, 0.9e-3, time)?,
        crossed_ropes(time)?,
    ])
}

/// Two fields of tetrahedra.
fn ball_on_block(time: Duration) -> Result<PatchTimes, FieldError> {
    let field = |shape: &Shape, h| -> Result<PressureField, FieldError> {
        match PatchBody::soft(shape, 1e6, Some(h))? {
            PatchBody::Soft(field) => Ok(field),
            _ => Err(FieldError::Empty),
        }
    };
    let ball = field(&Shape::Sphere { radius: 0.02 }, 0.004)?;
    let block = field(&Shape::Box { size: DVec3::new(0.1, 0.1, 0.04) }, 0.02)?;
    let pose = Pose::new(DVec3::new(0.004, 0.007, 0.036), DQuat::from_rotation_x(0.3));
    let frame = Frame::of(&pose);
    let mut pairs: Vec<(Cell, Tet)> = Vec::new();
    for tet in ball.tets() {
        let cell = tet.cell.moved(&frame.rotation, frame.position);
        block.tree().query(&cell.bounds(), |k| pairs.push((cell, block.tets()[k as usize])));
    }
    let pair_ns = least(time, || {
        let mut polygon = Loop::EMPTY;
        for (a, b) in &pairs {
            if equal_pressure(black_box(a), b, &mut polygon) {
                let (ga, gb) = (a.gradient, b.cell.gradient);
                black_box(&between_fields(
                    &polygon,
                    [ga, gb],
                    Fade::Smooth,
                    |x| a.pressure(x),
                    |_, _| 0.0,
                    |_, _| 0.0,
                ));
            }
        }
    }) / pairs.len() as f64;
    let (ball, block) = (PatchBody::Soft(ball), PatchBody::Soft(block));
    let mut patch = Patch::default();
    let whole = least(time, || {
        patch.clear();
        body_body(&ball, &pose, &block, &Pose::IDENTITY, &mut patch);
    });
    Ok(row("ball_on_block", &patch, pair_ns, whole, 0.0))
}

fn row(name: &'static str, patch: &Patch, pair_ns: f64, whole: f64, edge_ns: f64) -> PatchTimes {
    let polygons = patch.polygons.len();
    let polygon_ns = whole / polygons.max(1) as f64;
    PatchTimes { name, polygons, candidates: patch.candidates, pair_ns, polygon_ns, edge_ns }
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
    let mut pairs: Vec<(ConvexCell, Cell)> = Vec::new();
    let to_body = Frame::of(&pose).inverse();
    if let PatchBody::Soft(field) = &post {
        for cell in (0..edges).flat_map(|e| rod.edge_cells(e)) {
            let cell = cell.moved(&to_body.rotation, to_body.position);
            field.tree().query(&cell.bounds(), |k| pairs.push((cell, field.tets()[k as usize].cell)));
        }
    }
    let pair_ns = least(time, || {
        let mut polygon = Loop::EMPTY;
        for (a, b) in &pairs {
            if equal_in_tet(black_box(a), b, &mut polygon) {
                let (ga, gb) = (a.gradient, b.gradient);
                black_box(&between_fields(
                    &polygon,
                    [ga, gb],
                    Fade::Smooth,
                    |x| a.pressure(x),
                    |_, _| 0.0,
                    |_, _| 0.0,
                ));
            }
        }
    }) / pairs.len().max(1) as f64;
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
    Ok(row(name, &patch, pair_ns, whole, edge_ns))
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
    let mut pairs: Vec<(ConvexCell, ConvexCell)> = Vec::new();
    for cell in (0..edges).flat_map(|e| a.edge_cells(e)) {
        let others = (0..edges).flat_map(|e| b.edge_cells(e));
        pairs.extend(others.filter(|c| c.bounds().meets(&cell.bounds())).map(|c| (*cell, *c)));
    }
    let pair_ns = least(time, || {
        let mut polygon = Loop::EMPTY;
        for (a, b) in &pairs {
            if equal_in_cells(black_box(a), b, &mut polygon) {
                let (ga, gb) = (a.gradient, b.gradient);
                black_box(&between_fields(
                    &polygon,
                    [ga, gb],
                    Fade::Smooth,
                    |x| a.pressure(x),
                    |_, _| 0.0,
                    |_, _| 0.0,
                ));
            }
        }
    }) / pairs.len().max(1) as f64;
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
    Ok(row("crossed_ropes", &patch, pair_ns, whole, edge_ns))
}

/// Places a rod with all its cells, and gives the time by edge.
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
