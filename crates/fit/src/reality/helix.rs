//! A rod clamped so that it is a helix of curvature κ, torsion c₁κ and twist c₂κ; at which κ does it leave that shape, and how?
//!
//! The archive holds, for each case, κL, τL and ωL of every frame (`kappa_tau_omega`, loading first), the measured `kappa_critical` (κL) and
//! whether the rod jumps (`subcritical`), and the midpoint of a rod that the authors computed (`peer_midpoint`, m). One end is held at the origin along
//! z, the helix bends toward y. No gravity.
//!
//! *What ω is.* The authors give the twisting moment, EI ω, not the twist: their rod is turned by ω EI/GJ, so that its moments along and across
//! are EI ω and EI κ.
//!
//! *The helix as an equilibrium.* With body strains (−κ, 0, τ) of its Frenet frame and a twisting moment EI ω, Kirchhoff's equations of
//! an isotropic rod hold with the constant tension
//!
//! T = EI τ (ω − τ),
//!
//! so a discrete rod whose nodes lie on the helix and whose edges are stretched by T/EA is in equilibrium up to the square of the edge length.
//!
//! *Loss of stability*: the Hessian of the energy there, ends held, ceases to be positive definite; found by bisection in κ.
//!
//! *Kind*, as the authors tell it. The clamps follow the measured path to its greatest κ and back. The deviation e of the midpoint from that of the helix, in
//! radii of the helix, crosses the level between its mean and its greatest value at a κ on the way up, and at another on the way down. If
//! these differ by more than [`HYSTERESIS`], the rod jumps (subcritical). A path that ends below the loss of stability shows no jump.

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
/// The way down is followed to this fraction of the greatest κ; the authors look at the same part.
const WINDOW: f64 = 0.7;
/// The way up begins at this fraction of the critical κ, and is taken in so many steps.
const WAY_UP: f64 = 0.97;
const WAY_UP_STEPS: usize = 20;
/// An unstable rod is pushed by this fraction of its length.
const PUSH: f64 = 3e-3;
/// How still the rod has to be on the path, as a fraction of its length: next to the loss of stability it is soft.
const PATH_STILL: f64 = 1e-6;
/// A hysteresis above this fraction of the κ at which the rod left its helix is a jump.
pub const HYSTERESIS: f64 = 0.05;

/// A frame of a path: where the clamps are.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// κL.
    kappa: f64,
    /// The authors' midpoint, m.
    peer: DVec3,
    unloading: bool,
}

/// One measured case.
#[derive(Clone, Debug)]
pub struct Case {
    /// κL measured at loss of stability.
    pub critical: f64,
    /// Whether the rod was seen to jump.
    pub jumps: bool,
    /// τ/κ and ω/κ.
    ratios: [f64; 2],
    path: Vec<Frame>,
}

/// What was found for a case.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Greatest distance from the authors' midpoint before the loss of stability, as a fraction of the length.
    pub midpoint: f64,
    /// κL at which the helix loses its stability.
    pub critical: f64,
    /// κL at which the deviation crosses the level on the way up, and on the way down.
    pub crossings: Option<[f64; 2]>,
    /// Whether the rod jumps; `None` if the path could not be followed.
    pub jumps: Option<bool>,
    /// Mean distance from the authors' midpoint on the way down, as a fraction of the length.
    pub way_down: f64,
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
    let frame = |f: usize| Frame {
        kappa: path[3 * f],
        peer: DVec3::from_slice(&peer[3 * f..3 * f + 3]),
        unloading: unloading[f] != 0.0,
    };
    let case = |c: usize| Case {
        critical: critical[c],
        jumps: jumps[c] != 0.0,
        ratios: [c1[c], c2[c]],
        path: (c * frames..(c + 1) * frames).map(frame).collect(),
    };
    Ok((0..cases).map(case).collect())
}

/// What a rod with this GJ/EI does, case by case.
pub fn examine(cases: &[Case], twist_ratio: f64) -> Vec<Found> {
    cases.par_iter().map(|case| examine_one(case, twist_ratio)).collect()
}

fn examine_one(case: &Case, twist_ratio: f64) -> Found {
    let critical = critical_of(case, twist_ratio).unwrap_or(f64::NAN);
    let reached = critical <= case.greatest_kappa();
    let followed = if reached { follow(case, critical, twist_ratio) } else { None };
    let crossings = followed.as_ref().and_then(Followed::crossings);
    let hysteresis = crossings.map(|[up, down]| (up - down).abs() > HYSTERESIS * up);
    Found {
        midpoint: midpoint(case, critical, twist_ratio),
        critical,
        crossings,
        jumps: if critical.is_finite() && !reached { Some(false) } else { hysteresis },
        way_down: followed.map_or(f64::NAN, |f| f.from_peer),
    }
}

impl Case {
    fn greatest_kappa(&self) -> f64 {
        self.path.iter().map(|f| f.kappa).fold(0.0, f64::max)
    }
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
    let tension = tau * (omega - tau);
    let properties = Properties { bend: [1.0; 2], twist: twist_ratio, stretch, line_density: 1.0 };
    let director = DVec3::X;
    let strained = Some(1.0 + tension / stretch);
    let mut rod = StaticRod::new(nodes, properties, director, DVec3::ZERO, strained).ok()?;
    for (e, q) in rod.state.q.iter_mut().enumerate().take(EDGES) {
        q[3] = omega / twist_ratio * h * e as f64;
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
        let (mut rod, grips) = helix(case, frame.kappa, twist_ratio)?;
        rod.settle(&grips).then(|| rod.position_at(0.5).distance(frame.peer) / LENGTH)
    });
    // A shape that is not found counts as far off.
    apart.fold(0.0, |worst, d| worst.max(d.unwrap_or(f64::INFINITY)))
}

/// κL and deviation in radii of the helix on the way up and on the way down, and how far the authors' midpoint was on the latter.
struct Followed {
    up: Vec<[f64; 2]>,
    down: Vec<[f64; 2]>,
    from_peer: f64,
}

/// The rod past its loss of stability and back, in equilibrium at each step; `None` where none is found.
fn follow(case: &Case, critical: f64, twist_ratio: f64) -> Option<Followed> {
    let first = WAY_UP * critical;
    let greatest = case.greatest_kappa();
    let (mut rod, _) = helix(case, first, twist_ratio)?;
    rod.still = PATH_STILL;
    let mut out = Followed { up: Vec::new(), down: Vec::new(), from_peer: 0.0 };
    for step in 0..=WAY_UP_STEPS {
        let kappa = first + (greatest - first) * step as f64 / WAY_UP_STEPS as f64;
        out.up.push([kappa, deviation(case, kappa, twist_ratio, &mut rod)?]);
    }
    for frame in case.path.iter().filter(|f| f.unloading && (WINDOW * greatest..greatest).contains(&f.kappa))
    {
        out.down.push([frame.kappa, deviation(case, frame.kappa, twist_ratio, &mut rod)?]);
        out.from_peer += rod.position_at(0.5).distance(frame.peer) / LENGTH;
    }
    out.from_peer /= out.down.len().max(1) as f64;
    Some(out)
}

/// Takes the clamps of `rod` to κL = `kappa`; how far the midpoint is from that of the helix there, in radii of the helix.
fn deviation(case: &Case, kappa: f64, twist_ratio: f64, rod: &mut StaticRod) -> Option<f64> {
    let (reference, grips) = helix(case, kappa, twist_ratio)?;
    rod.settle(&grips).then_some(())?;
    if !rod.is_stable(&grips) {
        let mode = rod.lowest_mode(&grips)?;
        (rod.push(&mode, PUSH * LENGTH) && rod.settle(&grips)).then_some(())?;
    }
    let radius = LENGTH / (kappa * (1.0 + case.ratios[0] * case.ratios[0]));
    Some(rod.position_at(0.5).distance(reference.position_at(0.5)) / radius)
}

impl Followed {
    /// κL at which the deviation crosses the level halfway between its mean and its greatest value: last on the way up, first on the way down.
    fn crossings(&self) -> Option<[f64; 2]> {
        let greatest = |branch: &[[f64; 2]]| branch.iter().map(|x| x[1]).fold(0.0, f64::max);
        let all = self.up.iter().chain(&self.down);
        let mean = all.map(|x| x[1]).sum::<f64>() / (self.up.len() + self.down.len()) as f64;
        let level = 0.5 * (greatest(&self.up).min(greatest(&self.down)) + mean);
        let crossing = |branch: &[[f64; 2]]| {
            let place = branch.windows(2).position(|w| w[0][1] <= level && w[1][1] > level)?;
            let [[k0, e0], [k1, e1]] = [branch[place], branch[place + 1]];
            Some(k0 + (k1 - k0) * (level - e0) / (e1 - e0))
        };
        let falling: Vec<_> = self.down.iter().rev().copied().collect();
        // A rod that is still far from its helix at the end of the way down has jumped.
        let down = crossing(&falling).or(falling.first().filter(|x| x[1] > level).map(|x| x[0]))?;
        Some([crossing(&self.up)?, down])
    }
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
            let frame = Frame { kappa: 1.1 * expected, peer: DVec3::ZERO, unloading: false };
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
