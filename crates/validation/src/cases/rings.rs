//! A chain of rings comes to rest and stays there.
//!
//! - `rings/N/drop/settle_time`: time from which the rms velocity of all nodes is below 1e-6 m/s; fails if that takes
//!   more than 30 s.
//! - `…/force`: greatest error of the contact forces between ring k − 1 and k relative to (N − k) times the weight of a
//!   ring of 20 chords, over all k.
//! - `…/links`: links lost, by the linking numbers of neighbors.
//! - `…/height`: greatest error of the rings' mean heights relative to those of the published code for 10 rings, whose
//!   segments have flat ends, so that the two agree to about 1 %.
//! - Long form: 100 rings from both drops; `…/drift`: greatest displacement of a node, over the ring radius, in 10
//!   minutes at rest; `rings/linear`: exponent of the run time in N from N = 5 to 100, while all fall (0.2 s);
//!   `…/half_second`, without a bound: over half a second, at the end of which short chains rest and take fewer
//!   iterations than long ones.

use super::{Form, ValidationRow};
use crate::worlds::GRAVITY;
use crate::worlds::World;
use crate::worlds::rings::{DT, RING_RADIUS, SEGMENTS, chain};
use glam::DVec3;
use ropewalk_sim::{ContactSide, measure};
use std::time::Instant;

/// Mass of a ring in kg: 20 chords of a wire of 2.5 mm and 500 kg/m³.
const RING_MASS: f64 = 1.53579e-4;
/// Mean z of rings 1…9 of a chain of 10 at rest in the published code, m.
const HEIGHTS: [f64; 9] =
    [-0.017496, -0.035038, -0.052566, -0.070082, -0.087585, -0.105075, -0.122552, -0.140016, -0.157468];
const AT_REST: f64 = 1e-6;
const PATIENCE: f64 = 30.0;
/// Duration below this speed after which a chain counts as at rest, s.
const LONG: f64 = 0.25;

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let mut rows = chain_rows(10, 0.017, None);
    if form.full {
        rows.extend(chain_rows(100, 0.017, Some(600.0)));
        rows.extend(chain_rows(100, 0.0125, None));
        rows.extend(linear_in_rings());
    }
    rows
}

/// Rows of a chain that falls, settles and, if requested, rests for some time (s).
fn chain_rows(count: usize, drop: f64, rest: Option<f64>) -> Vec<ValidationRow> {
    let case = |what: &str| format!("rings/{count}/{drop}/{what}");
    let settled = settle(count, drop);
    let time = settled.as_ref().map_or(f64::NAN, |(_, since)| *since);
    let mut rows = vec![ValidationRow::at_most(case("settle_time"), time, PATIENCE)];
    let Some((mut world, _)) = settled else { return rows };
    rows.push(ValidationRow::at_most(case("force"), force_error(&world), 1e-3));
    rows.push(ValidationRow::at_most(case("links"), links_lost(&world), 0.0));
    if count == HEIGHTS.len() + 1 {
        let error = |(k, z): (usize, f64)| (height(&world, k + 1) / z - 1.0).abs();
        let worst = HEIGHTS.into_iter().enumerate().map(error).fold(0.0, f64::max);
        rows.push(ValidationRow::at_most(case("height"), worst, 0.01));
    }
    if let Some(seconds) = rest {
        let drift = drift(&mut world, seconds).unwrap_or(f64::NAN);
        rows.push(ValidationRow::at_most(case("drift"), drift / RING_RADIUS, 1e-4));
        rows.push(ValidationRow::at_most(case("links_after_rest"), links_lost(&world), 0.0));
    }
    rows
}

/// The chain at rest, and the time since which it is; `None` if a step fails or it does not come to rest.
fn settle(count: usize, drop: f64) -> Option<(World, f64)> {
    let mut world = chain(count, drop)?;
    let mut since = None;
    while world.state.time < PATIENCE {
        world.step()?;
        if world.rms_velocity() >= AT_REST {
            since = None;
            continue;
        }
        // At a turning point the chain is slow for a moment; at rest, for long.
        let since = *since.get_or_insert(world.state.time);
        if world.state.time > since + LONG {
            return Some((world, since));
        }
    }
    None
}

/// Greatest error of the upward force of ring k − 1 on ring k, relative to the weight below.
fn force_error(world: &World) -> f64 {
    let count = world.model.rods.len();
    let mut upward = vec![0.0; count];
    for contact in world.sensed().contacts() {
        let [ContactSide::Rod { rod: a, .. }, ContactSide::Rod { rod: b, .. }] = contact.sides else {
            continue;
        };
        // The force is that on the first side.
        let up = if a > b { contact.force.z } else { -contact.force.z };
        upward[a.max(b)] += up;
    }
    let error = |k: usize| (upward[k] / ((count - k) as f64 * RING_MASS * GRAVITY) - 1.0).abs();
    (1..count).map(error).fold(0.0, f64::max)
}

fn links_lost(world: &World) -> f64 {
    let link = |k: usize| measure::linking_number(&world.model, &world.state, k - 1, k).abs();
    (1..world.model.rods.len()).filter(|&k| (link(k) - 1.0).abs() > 0.1).count() as f64
}

fn height(world: &World, ring: usize) -> f64 {
    let sum: DVec3 = measure::positions(&world.state, ring).into_iter().sum();
    sum.z / f64::from(SEGMENTS)
}

/// Greatest displacement of a node within `seconds`, m.
fn drift(world: &mut World, seconds: f64) -> Option<f64> {
    let before: Vec<Vec<DVec3>> =
        (0..world.model.rods.len()).map(|r| measure::positions(&world.state, r)).collect();
    for _ in 0..(seconds / DT).round() as usize {
        world.step()?;
    }
    let way = |(r, places): (usize, &Vec<DVec3>)| {
        let now = measure::positions(&world.state, r);
        places.iter().zip(now).map(|(p, q)| (q - *p).length()).fold(0.0, f64::max)
    };
    Some(before.iter().enumerate().map(way).fold(0.0, f64::max))
}

/// Steps in which the exponent of the run time is measured: 0.2 s, and half a second.
const STEPS: [u32; 2] = [250, 625];

/// Exponent p of run time ∝ N^p for chains of 5 to 100, on one thread: a line through the logarithms. The fixed cost
/// of a step is noticeable for the smallest chains, so p may be below 1.
fn linear_in_rings() -> [ValidationRow; 2] {
    let once = |count: usize| -> Option<[f64; 2]> {
        let mut world = chain(count, 0.017)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
        let (started, mut done) = (Instant::now(), 0);
        let mut until = |steps: u32| {
            pool.install(|| (done..steps).try_for_each(|_| world.step().map(|_| ())))?;
            done = steps;
            Some(started.elapsed().as_secs_f64())
        };
        Some([until(STEPS[0])?, until(STEPS[1])?])
    };
    // The fastest of three, since other processes share the machine.
    let time = |count: usize| -> Option<[f64; 2]> {
        let (a, b, c) = (once(count)?, once(count)?, once(count)?);
        Some([0, 1].map(|k| a[k].min(b[k]).min(c[k])))
    };
    let counts = [5, 10, 20, 40, 60, 80, 100];
    let times: Option<Vec<[f64; 2]>> = counts.into_iter().map(time).collect();
    let slope = |k: usize| {
        let Some(times) = &times else { return f64::NAN };
        let points: Vec<(f64, f64)> =
            counts.iter().zip(times).map(|(count, times)| ((*count as f64).ln(), times[k].ln())).collect();
        let n = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
        let (xy, xx) = points
            .iter()
            .fold((0.0, 0.0), |(xy, xx), p| (xy + (p.0 - x) * (p.1 - y), xx + (p.0 - x).powi(2)));
        xy / xx
    };
    [
        ValidationRow::new("rings/linear", 1.0, slope(0), slope(0) - 1.0, 0.15),
        ValidationRow::reported("rings/linear/half_second", 1.0, slope(1)),
    ]
}
