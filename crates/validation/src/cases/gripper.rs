//! Filaments that curl up entangle an object, carry it away and let it go: the scene `gripper` with other seeds.
//!
//! Whether a random tangle holds is chance: the fraction of seeds that carry and release the object is reported, and
//! must be above one half. Absence of tunnelling is required of all seeds. The scene's claims define each. In
//! addition, filaments are sometimes compared with one another by brute force, without the collision detection of the
//! step.

use super::{Form, ValidationRow};
use core::f64::consts::FRAC_PI_2;
use glam::DVec3;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use ropewalk_geometry::segment::closest_parameters;
use ropewalk_scene::{Driver, load_named};
use ropewalk_sim::{Model, State, measure};

/// Seeds of the long form.
const SEEDS: u32 = 20;
/// Fraction of them that must succeed.
const LEAST_SUCCESS: f64 = 0.8;
/// The short form: filaments of longer segments descend quickly and only curl up about the object.
const QUICK: &[&str] = &[
    "time.duration=2.6",
    "rod.outer.segments=65",
    "rod.inner.segments=65",
    "end_effector.flange.times=[0, 1, 2.5, 3, 4.5, 5.5, 7]",
    "drive.outer_curl.scale.table.times=[0.8, 2.5, 4.5, 5.5]",
    "drive.inner_curl.scale.table.times=[0.8, 2.5, 4.5, 5.5]",
];
/// Steps between two comparisons by brute force.
const CHECK_INTERVAL: usize = 100;

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    if !form.full {
        return rows(&[grasp(1, QUICK)]);
    }
    // Seeds in parallel, each on one thread.
    let runs: Vec<Option<Grasp>> = (1..=SEEDS).into_par_iter().map(|seed| grasp(seed, &[])).collect();
    let mut found = Vec::new();
    let mut successes = 0.0;
    for (seed, grasp) in (1..).zip(&runs) {
        let success = grasp.as_ref().map_or(f64::NAN, |g| f64::from(u8::from(g.success)));
        found.push(ValidationRow::reported(format!("gripper/seed_{seed}"), 1.0, success));
        successes += f64::max(success, 0.0);
    }
    let rate = successes / f64::from(SEEDS);
    found.push(ValidationRow::new("gripper/success_rate", 1.0, rate, 1.0 - rate, 1.0 - LEAST_SUCCESS));
    found.extend(rows(&runs));
    found
}

/// No failed steps and no tunnelling in all runs.
fn rows(runs: &[Option<Grasp>]) -> Vec<ValidationRow> {
    let count = runs.len() as f64;
    let mut rows = Vec::new();
    let all: Vec<&Grasp> = runs.iter().flatten().collect();
    let worst = |of: fn(&Grasp) -> f64| all.iter().map(|g| of(g)).fold(0.0, f64::max);
    rows.push(ValidationRow::at_most("gripper/failed_runs", count - all.len() as f64, 0.0));
    rows.push(ValidationRow::at_most("gripper/overlap", worst(|g| g.overlap), 0.1));
    rows.push(ValidationRow::at_most("gripper/way_in_a_step", worst(|g| g.way_in_a_step), 1.0));
    rows.push(ValidationRow::at_most("gripper/overlap_by_brute_force", worst(|g| g.checked_overlap), 0.1));
    rows
}

/// Result of one run.
struct Grasp {
    /// Whether the object was carried and released.
    success: bool,
    /// Deepest overlap in a contact, relative to the filaments' thickness.
    overlap: f64,
    /// Greatest displacement of a node in a step, relative to that needed for tunnelling through another rod.
    way_in_a_step: f64,
    /// Deepest overlap found by brute force.
    checked_overlap: f64,
}

/// Runs the scene with a seed and other overrides; `None` if a step fails.
fn grasp(seed: u32, overrides: &[&str]) -> Option<Grasp> {
    let mut overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
    overrides.push(format!("seed={seed}"));
    let scene = load_named("gripper", &overrides).ok()?;
    let mut driver = Driver::new(&scene);
    let mut checked_overlap = 0.0f64;
    for i in 0.. {
        if driver.is_done() {
            break;
        }
        driver.step().ok()?;
        if i % CHECK_INTERVAL == 0 {
            checked_overlap = checked_overlap.max(overlap_of_filaments(&scene.model, driver.state()));
        }
    }
    let claims = driver.claims();
    let claim = |name: &str| claims.iter().find(|claim| claim.name == name);
    let success = ["carried", "in_the_air", "released", "stands"];
    Some(Grasp {
        // A claim whose window was not reached has another name, and is missed.
        success: success.iter().all(|name| claim(name).is_some_and(|c| c.pass)),
        overlap: claim("overlap")?.measured,
        way_in_a_step: claim("nothing_passes")?.measured,
        checked_overlap,
    })
}

/// The deepest overlap of two filaments, or of one with itself, relative to their thickness: over all pairs of edges.
fn overlap_of_filaments(model: &Model, state: &State) -> f64 {
    let rods: Vec<Vec<DVec3>> = (0..model.rods.len()).map(|r| measure::positions(state, r)).collect();
    let mut deepest = 0.0f64;
    for (a, one) in rods.iter().enumerate() {
        let thickness = 2.0 * model.rods[a].half_extents()[0][0];
        // Edges of one rod touch from π/2 diameters and a segment on.
        let segment = model.rods[a].rest_lengths()[0];
        let apart = (FRAC_PI_2 * thickness / segment).ceil() as usize + 2;
        for (b, other) in rods.iter().enumerate().skip(a) {
            for i in 0..one.len() - 1 {
                let first = if a == b { i + apart } else { 0 };
                for j in first..other.len() - 1 {
                    let (p, q, r, s) = (one[i], one[i + 1], other[j], other[j + 1]);
                    // Edges farther apart than their lengths and the thickness are skipped.
                    if (p - r).length_squared() < (3.0 * (segment + thickness)).powi(2) {
                        let (u, v) = closest_parameters(p, q, r, s);
                        let distance = (p.lerp(q, u) - r.lerp(s, v)).length();
                        deepest = deepest.max(1.0 - distance / thickness);
                    }
                }
            }
        }
    }
    deepest
}
