//! A rod clamped so that it is a helix of curvature κ, torsion c₁κ and twist c₂κ; the κ at which it leaves that
//! shape, and how.
//!
//! The archive holds, for each case, κL, τL and ωL of every frame (`kappa_tau_omega`, loading first), the directions
//! of the driven clamp (`end_rotation`), the measured `kappa_critical` (κL) whether the rod jumps (`subcritical`),
//! and the midpoint of a rod computed by the authors (`peer_midpoint`, m). One end is clamped at the origin along z,
//! the helix bends toward y. No gravity.
//!
//! *What ω is.* The authors give the twisting moment, EI ω, not the twist: their rod is twisted by ω EI/GJ, so that
//! its moments along and normal to the tangent are EI ω and EI κ.
//!
//! *Loss of stability of the perfect helix*: the Hessian of the energy there, with clamped ends, is no longer
//! positive definite; found by bisection in κ. It does not depend on GJ/EI.
//!
//! *The measurement* differs. The clamps are not those of a perfect helix ([`super::helix_rod`]), and the measured κ
//! and kind are determined from the path by a rule ([`super::helix_path`]). Both are reproduced here.

use super::helix_path::{Branches, follow};
use super::helix_rod::{Clamps, LENGTH, helix};
use crate::error::FitError;
use crate::npy::Archive;
use glam::DVec3;
use rayon::prelude::*;

/// Step in κL of the search for the first loss of stability.
const SCAN: f64 = 0.05;
/// Midpoints are compared in one of this number of frames.
const MIDPOINTS: usize = 16;
/// Midpoints are compared up to this fraction of the critical κ: beyond, the rod of the authors jumps.
const BEFORE: f64 = 0.97;
/// Largest deviation of clamp directions from those of the published path.
const DIRECTION: f64 = 3e-3;

/// A frame of a path, with its clamps.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// κL.
    kappa: f64,
    /// The authors' midpoint, m.
    peer: DVec3,
    /// Its distance from the middle of the helix, in radii of the helix.
    deviation: f64,
    unloading: bool,
}

/// One measured case.
#[derive(Clone, Debug)]
pub struct Case {
    /// κL measured at loss of stability.
    pub critical: f64,
    /// Whether the measured rod jumps.
    pub jumps: bool,
    /// τ/κ and ω/κ.
    ratios: [f64; 2],
    path: Vec<Frame>,
}

/// Result of a case.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Greatest distance from the authors' midpoint before the loss of stability, as a fraction of the length.
    pub midpoint: f64,
    /// κL at which a perfect helix loses its stability.
    pub critical: f64,
    /// κL at which the rod leaves its helix on the measured path; `None` if the path could not be followed.
    pub leaves: Option<f64>,
    /// Whether it jumps there.
    pub jumps: Option<bool>,
    /// Whether the authors' rod does, by the same rule.
    pub peer_jumps: Option<bool>,
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
    let deviation = of_size("peer_deviation", frames)?;
    let unloading = of_size("unloading", frames)?;
    let [c1, c2] = [of_size("c1", 1)?, of_size("c2", 1)?];
    let rotation = of_size("end_rotation", 9 * frames)?;
    let critical = of_size("kappa_critical", 1)?;
    let jumps = of_size("subcritical", 1)?;
    let frame = |f: usize| Frame {
        kappa: path[3 * f],
        peer: DVec3::from_slice(&peer[3 * f..3 * f + 3]),
        deviation: deviation[f],
        unloading: unloading[f] != 0.0,
    };
    // The third row is the axis of the gripper, which points into the rod.
    let off = |f: usize| {
        let direction = Clamps::ROBOT.end_direction(path[3 * f], c1[f / frames]);
        (direction + DVec3::from_slice(&rotation[9 * f + 6..9 * f + 9])).length() > DIRECTION
    };
    if let Some(f) = (0..cases * frames).find(|&f| off(f)) {
        return Err(archive.wrong(
            format!("'end_rotation' of case {}, frame {} is not that of the path", f / frames, f % frames),
            "take the archive as it was published",
        ));
    }
    let case = |c: usize| Case {
        critical: critical[c],
        jumps: jumps[c] != 0.0,
        ratios: [c1[c], c2[c]],
        path: (c * frames..(c + 1) * frames).map(frame).collect(),
    };
    Ok((0..cases).map(case).collect())
}

/// Results for a rod with this GJ/EI, case by case.
pub fn examine(cases: &[Case], twist_ratio: f64) -> Vec<Found> {
    cases.par_iter().map(|case| examine_one(case, twist_ratio)).collect()
}

fn examine_one(case: &Case, twist_ratio: f64) -> Found {
    let critical = critical_of(case, twist_ratio).unwrap_or(f64::NAN);
    let followed = follow(case.ratios, case.greatest_kappa(), twist_ratio);
    let judged = followed.and_then(|branches| branches.judge());
    Found {
        midpoint: midpoint(case, critical, twist_ratio),
        critical,
        leaves: judged.map(|j| j.leaves),
        jumps: judged.map(|j| j.jumps),
        peer_jumps: case.peer_path().judge().map(|j| j.jumps),
    }
}

impl Case {
    /// The path of the authors' rod; its first frame of unloading is the end of loading, after a jump if there is one.
    fn peer_path(&self) -> Branches {
        let turn = self.path.iter().position(|f| f.unloading).unwrap_or(self.path.len());
        let [up, down] = [&self.path[..self.path.len().min(turn + 1)], &self.path[turn..]]
            .map(|part| part.iter().map(|f| [f.kappa, f.deviation]).collect::<Vec<_>>());
        Branches::new(up, down)
    }

    /// Greatest κL of the path.
    pub(super) fn greatest_kappa(&self) -> f64 {
        self.path.iter().map(|f| f.kappa).fold(0.0, f64::max)
    }
}

fn critical_of(case: &Case, twist_ratio: f64) -> Option<f64> {
    let stable = |kappa: f64| {
        helix(case.ratios, kappa, twist_ratio, Clamps::HELIX).map(|(mut rod, grips)| rod.is_stable(&grips))
    };
    let last = 1.3 * case.greatest_kappa();
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
    let before = case.path.iter().filter(|f| !f.unloading && f.kappa < last);
    let apart = before.step_by(MIDPOINTS).map(|frame| {
        let (mut rod, grips) = helix(case.ratios, frame.kappa, twist_ratio, Clamps::CHAIN)?;
        rod.settle(&grips).then(|| rod.position_at(0.5).distance(frame.peer) / LENGTH)
    });
    // A shape that is not found counts as a large error.
    apart.fold(0.0, |worst, d| worst.max(d.unwrap_or(f64::INFINITY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// κL at the first conjugate point of Kirchhoff's rod, computed independently (matrix exponential of the linearized equations in the Frenet
    /// frame); the same for every GJ/EI.
    const CONJUGATE: [([f64; 2], f64); 2] = [([0.6, 0.2], 6.9270), ([0.9, -0.4], 5.1238)];

    #[test]
    fn loss_of_stability_is_that_of_kirchhoffs_rod_and_does_not_depend_on_torsion() {
        for (ratios, expected) in CONJUGATE {
            let frame = Frame { kappa: 1.1 * expected, peer: DVec3::ZERO, deviation: 0.0, unloading: false };
            let case = Case { critical: expected, jumps: true, ratios, path: vec![frame] };
            for twist_ratio in [4.0 / 3.0, 2.0 / 3.0] {
                let found = critical_of(&case, twist_ratio).unwrap();
                assert!(
                    (found / expected - 1.0).abs() < 3e-3,
                    "{ratios:?}, {twist_ratio}: {found} of {expected}"
                );
            }
        }
    }
}
