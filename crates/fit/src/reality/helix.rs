//! A rod clamped so that it is a helix of curvature κ, torsion c₁κ and twist c₂κ; at which κ does it leave that shape, and how?
//!
//! The archive holds, for each case, κL, τL and ωL of every frame (`kappa_tau_omega`, loading first), the measured `kappa_critical` (κL) and
//! whether the rod jumps (`subcritical`), and the midpoint of a rod that the authors computed (`peer_midpoint`, m). One end is held at the origin along
//! z, the helix bends toward y. No gravity.
//!
//! *The helix as an equilibrium.* With body strains (−κ, 0, τ) of its Frenet frame and the twist ω of its material, Kirchhoff's equations of
//! an isotropic rod hold with the constant tension
//!
//! T = τ (GJ ω − EI τ),
//!
//! so a discrete rod whose nodes lie on the helix and whose edges are stretched by T/EA is in equilibrium up to the square of the edge length.
//!
//! *Loss of stability*: the Hessian of the energy there, ends held, ceases to be positive definite; found by bisection in κ.
//! *Kind*: pushed along its mode past that point, the rod takes another shape. If that shape persists at a smaller κ than the critical
//! one, there are two stable shapes for the same clamps, and the rod jumps (subcritical); if it goes back to the helix, it does not.

use crate::error::FitError;
use crate::npy::Archive;
use crate::statics::{Grip, Properties, StaticRod};
use glam::DVec3;
use rayon::prelude::*;

/// Length of the rod between the clamps, m.
const LENGTH: f64 = 0.51;
/// EA over EI/L²: stretch is far below what is compared.
const STRETCH: f64 = 1e5;
/// Edges; the middles of the first and the last are the clamps.
const EDGES: usize = 61;
/// Step in κL with which the first loss of stability is looked for.
const SCAN: f64 = 0.05;
/// Midpoints are compared in one of so many frames.
const MIDPOINTS: usize = 16;
/// Midpoints are compared up to this fraction of the critical κ: next to it the rod of the authors has begun to move.
const BEFORE: f64 = 0.97;
/// The rod is pushed by this fraction of its length.
const PUSH: f64 = 3e-3;
/// How still the rod has to be for its kind to be told, as a fraction of its length: next to the loss of stability it is soft.
const KIND_STILL: f64 = 1e-6;
/// A rod that is farther from its helix than this fraction of its length has left it.
const LEFT: f64 = 4e-3;
/// How far above the critical κ the rod is pushed, and how far below its new shape has to persist, relative.
const ABOVE: f64 = 6e-3;
const BELOW: f64 = 4e-3;

/// One measured case.
#[derive(Clone, Debug)]
pub struct Case {
    /// κL measured at loss of stability.
    pub critical: f64,
    /// Whether the rod was seen to jump.
    pub jumps: bool,
    /// τ/κ and ω/κ.
    ratios: [f64; 2],
    /// κL of each loading frame.
    kappa: Vec<f64>,
    /// The authors' midpoint in these frames, m.
    peer: Vec<DVec3>,
}

/// What was found for a case.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Greatest distance from the authors' midpoint before the loss of stability, as a fraction of the length.
    pub midpoint: f64,
    /// κL at loss of stability.
    pub critical: f64,
    /// Whether the rod jumps; `None` if no other shape was found.
    pub jumps: Option<bool>,
}

/// The cases of an archive.
pub fn read(archive: &Archive) -> Result<Vec<Case>, FitError> {
    let (shape, path) = archive.numbers("kappa_tau_omega")?;
    let &[cases, frames, 3] = shape else {
        return Err(archive
            .wrong(format!("'kappa_tau_omega' has the shape {shape:?}"), "it should be (cases, frames, 3)"));
    };
    let of_size = |name: &str, per_case: usize| -> Result<&[f64], FitError> {
        let (shape, numbers) = archive.numbers(name)?;
        if numbers.len() == cases * per_case {
            Ok(numbers)
        } else {
            Err(archive.wrong(
                format!("'{name}' has the shape {shape:?}, for {cases} cases of {frames} frames"),
                "take the archive as it was published",
            ))
        }
    };
    let peer = of_size("peer_midpoint", 3 * frames)?;
    let unloading = of_size("unloading", frames)?;
    let [c1, c2] = [of_size("c1", 1)?, of_size("c2", 1)?];
    let critical = of_size("kappa_critical", 1)?;
    let jumps = of_size("subcritical", 1)?;
    let case = |c: usize| {
        let loading: Vec<usize> = (c * frames..(c + 1) * frames).filter(|&f| unloading[f] == 0.0).collect();
        Case {
            critical: critical[c],
            jumps: jumps[c] != 0.0,
            ratios: [c1[c], c2[c]],
            kappa: loading.iter().map(|&f| path[3 * f]).collect(),
            peer: loading.iter().map(|&f| DVec3::from_slice(&peer[3 * f..3 * f + 3])).collect(),
        }
    };
    Ok((0..cases).map(case).collect())
}

/// κL at loss of stability in each case, for a rod with this GJ/EI; NaN where none is found.
pub fn critical(cases: &[Case], twist_ratio: f64) -> Vec<f64> {
    cases.par_iter().map(|case| critical_of(case, twist_ratio).unwrap_or(f64::NAN)).collect()
}

/// Midpoints before and the kind of the loss of stability at κL = `critical`, case by case.
pub fn examine(cases: &[Case], critical: &[f64], twist_ratio: f64) -> Vec<Found> {
    let one = |(case, &critical): (&Case, &f64)| Found {
        midpoint: midpoint(case, critical, twist_ratio),
        critical,
        jumps: persists_below(case, critical, twist_ratio),
    };
    cases.par_iter().zip(critical).map(one).collect()
}

/// The rod as a helix of curvature κ (κL = `kappa`), and its grips.
fn helix(case: &Case, kappa: f64, twist_ratio: f64) -> Option<(StaticRod, [Grip; 2])> {
    let k = kappa / LENGTH;
    let [tau, omega] = case.ratios.map(|c| c * k);
    let strain = DVec3::new(-k, 0.0, tau);
    let h = LENGTH / (EDGES - 1) as f64;
    let place = |s: f64| helix_point(strain, s);
    let nodes: Vec<DVec3> = (0..=EDGES).map(|i| place(h * (i as f64 - 0.5))).collect();
    let stretch = STRETCH / (LENGTH * LENGTH);
    let tension = tau * (twist_ratio * omega - tau);
    let properties = Properties { bend: [1.0; 2], twist: twist_ratio, stretch, line_density: 1.0 };
    let director = DVec3::X;
    let strained = Some(1.0 + tension / stretch);
    let mut rod = StaticRod::new(nodes, properties, director, DVec3::ZERO, strained).ok()?;
    for (e, q) in rod.state.q.iter_mut().enumerate().take(EDGES) {
        q[3] = omega * h * e as f64;
    }
    let grips = [0, EDGES - 1].map(|edge| rod.grip(edge));
    Some((rod, grips))
}

/// ∫ exp(s \[u\]×) e_z ds: rotation about u at the rate |u|, with the part along u carried on.
fn helix_point(u: DVec3, s: f64) -> DVec3 {
    let rate = u.length();
    if rate < 1e-9 {
        return DVec3::Z * s;
    }
    let axis = u / rate;
    let along = axis * axis.dot(DVec3::Z);
    let across = DVec3::Z - along;
    let angle = rate * s;
    along * s + (across * angle.sin() + axis.cross(across) * (1.0 - angle.cos())) / rate
}

fn critical_of(case: &Case, twist_ratio: f64) -> Option<f64> {
    let stable = |kappa: f64| helix(case, kappa, twist_ratio).map(|(mut rod, grips)| rod.is_stable(&grips));
    let last = 1.3 * case.kappa.iter().copied().fold(0.0, f64::max);
    let mut high = 10.0 * SCAN;
    while stable(high)? {
        high += SCAN;
        if high > last {
            return None;
        }
    }
    let mut low = high - SCAN;
    while high - low > 1e-4 {
        let middle = 0.5 * (low + high);
        if stable(middle)? { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

/// Greatest distance from the authors' midpoint well before the loss of stability, as a fraction of the length.
fn midpoint(case: &Case, critical: f64, twist_ratio: f64) -> f64 {
    let last = BEFORE * critical.min(case.critical);
    let before = case.kappa.iter().zip(&case.peer).filter(|(kappa, _)| **kappa < last);
    let apart = before.step_by(MIDPOINTS).map(|(&kappa, peer)| {
        let (mut rod, grips) = helix(case, kappa, twist_ratio)?;
        rod.settle(&grips).then(|| rod.position_at(0.5).distance(*peer) / LENGTH)
    });
    // A shape that is not found counts as far off.
    apart.fold(0.0, |worst, d| worst.max(d.unwrap_or(f64::INFINITY)))
}

/// Whether the shape that the rod takes past the loss of stability persists below it.
fn persists_below(case: &Case, critical: f64, twist_ratio: f64) -> Option<bool> {
    if !critical.is_finite() {
        return None;
    }
    let (above, below) = (critical * (1.0 + ABOVE), critical * (1.0 - BELOW));
    let (mut start, grips) = helix(case, above, twist_ratio)?;
    let mode = start.lowest_mode(&grips)?;
    let (reference, _) = helix(case, below, twist_ratio)?;
    let mut found = None;
    for sign in [1.0, -1.0] {
        let mut rod = start.clone();
        rod.still = KIND_STILL;
        if !(rod.push(&mode, sign * PUSH * LENGTH) && rod.settle(&grips)) {
            continue;
        }
        // Back in small steps, so that the shape can follow if it exists.
        let steps = 6;
        let followed = (1..=steps).all(|k| {
            let kappa = above + (below - above) * f64::from(k) / f64::from(steps);
            helix(case, kappa, twist_ratio).is_some_and(|(_, grips)| rod.settle(&grips))
        });
        if followed {
            let nodes = 0..rod.rod.node_count();
            let apart = nodes.map(|i| rod.state.position(i).distance(reference.state.position(i)));
            let left = apart.fold(0.0, f64::max) > LEFT * LENGTH;
            found = Some(found.unwrap_or(false) || left);
        }
    }
    found
}
