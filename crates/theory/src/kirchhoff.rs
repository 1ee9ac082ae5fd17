//! The free end of a uniform rod that is clamped at the other end and bears its weight: an extensible Kirchhoff rod at rest.
//!
//! s runs from the clamp to the free end. N and M are the force and moment that the part beyond s exerts:
//!
//! ```text
//!   dr/ds = (1 + N·t/EA) t          dN/ds = −w,        N = 0 at the free end
//!   dM/ds = −dr/ds × N              M = 0 at the free end
//!   dm/ds = u × m for each director, u = κ₁ m₂ − κ₂ m₁ + τ t
//!   EI (κ₁ − κ̄) = M·m₂,   EI κ₂ = −M·m₁,   GJ (τ − τ̄) = M·t
//! ```
//!
//! N follows from the weight beyond. M at the clamp is found by shooting: Newton's method on M = 0 at the free end, with the
//! weight raised in steps. The equations are integrated with the classical Runge–Kutta method. Source: Antman, *Nonlinear
//! Problems of Elasticity*, ch. VIII; for the planar case Timoshenko and Gere, *Theory of Elastic Stability*, ch. 2.
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | r, m₁, t | `r`, `m1`, `t` | m, 1, 1 |
//! | w | `weight` | N/m |
//! | EA, EI, GJ | `stretch`, `bend`, `twist` | N, N·m², N·m² |
//! | κ̄, τ̄ | `curvature`, `torsion` | 1/m, rad/m |

use core::f64::consts::TAU;
use glam::{DMat3, DVec3};

/// Runge–Kutta steps over the rod.
const STEPS: u32 = 1000;
/// Part of the weight by which it is raised at first, and the smallest that is tried.
const FIRST_RAISE: f64 = 0.02;
const LEAST_RAISE: f64 = 1e-4;

/// A uniform rod of circular symmetry, clamped at its start.
#[derive(Clone, Copy, Debug)]
pub struct ClampedRod {
    /// Length from the clamp to the free end, m.
    pub length: f64,
    /// EA in N.
    pub stretch: f64,
    /// EI in N·m².
    pub bend: f64,
    /// GJ in N·m².
    pub twist: f64,
    /// Natural curvature towards m₁, 1/m.
    pub curvature: f64,
    /// Natural twist, rad/m.
    pub torsion: f64,
    /// Weight per length, N/m.
    pub weight: DVec3,
    /// Tangent at the clamp.
    pub tangent: DVec3,
    /// m₁ at the clamp.
    pub director: DVec3,
}

#[derive(Clone, Copy)]
struct Section {
    r: DVec3,
    m1: DVec3,
    t: DVec3,
    moment: DVec3,
}

impl ClampedRod {
    /// The free end in m, seen from the clamp; `None` if no equilibrium was found. Heavy rods have other equilibria, curled up;
    /// this one is followed from the unloaded rod, by steps so small that Newton's method goes straight to it from the line
    /// through the last two.
    pub fn tip(&self) -> Option<DVec3> {
        let (mut share, mut raise) = (0.0f64, FIRST_RAISE);
        let (mut moment, mut slope) = (self.shoot(0.0, DVec3::ZERO)?, DVec3::ZERO);
        while share < 1.0 {
            let next = if share + 1.5 * raise > 1.0 { 1.0 } else { share + raise };
            match self.shoot(next, moment + slope * (next - share)) {
                Some(found) => {
                    slope = (found - moment) / (next - share);
                    (share, moment, raise) = (next, found, 1.3 * raise);
                }
                None if raise > LEAST_RAISE => raise *= 0.5,
                None => return None,
            }
        }
        Some(self.integrate(1.0, moment).r)
    }

    /// The moment at the clamp for which none is left at the free end, if Newton's method goes there from `guess` without
    /// detour.
    fn shoot(&self, share: f64, guess: DVec3) -> Option<DVec3> {
        let scale = (self.weight.length() * self.length * self.length).max(1e-6 * self.bend / self.length);
        let mut moment = guess;
        let mut rest = self.integrate(share, moment).moment;
        for _ in 0..8 {
            if rest.length() < 1e-11 * scale {
                return Some(moment);
            }
            let d = 1e-6 * scale;
            let column = |axis: DVec3| {
                let (a, b) =
                    (self.integrate(share, moment + axis * d), self.integrate(share, moment - axis * d));
                (a.moment - b.moment) / (2.0 * d)
            };
            let jacobian = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
            let trial = moment - jacobian.inverse() * rest;
            let left = self.integrate(share, trial).moment;
            if !left.is_finite() || left.length() > 0.5 * rest.length() {
                // Either the guess was too far off, or no better can be had for round-off.
                return (rest.length() < 1e-9 * scale).then_some(moment);
            }
            (moment, rest) = (trial, left);
        }
        None
    }

    fn integrate(&self, share: f64, moment: DVec3) -> Section {
        let h = self.length / f64::from(STEPS);
        let weight = self.weight * share;
        let mut at = Section { r: DVec3::ZERO, m1: self.director, t: self.tangent, moment };
        for i in 0..STEPS {
            let beyond = |x: f64| weight * (self.length - (f64::from(i) * h + x));
            let k1 = self.slope(&at, beyond(0.0));
            let k2 = self.slope(&at.plus(&k1, 0.5 * h), beyond(0.5 * h));
            let k3 = self.slope(&at.plus(&k2, 0.5 * h), beyond(0.5 * h));
            let k4 = self.slope(&at.plus(&k3, h), beyond(h));
            for (k, w) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
                at = at.plus(&k, w * h / 6.0);
            }
            at.t = at.t.normalize();
            at.m1 = (at.m1 - at.t * at.m1.dot(at.t)).normalize();
        }
        at
    }

    fn slope(&self, s: &Section, force: DVec3) -> Section {
        let m2 = s.t.cross(s.m1);
        let kappa1 = self.curvature + s.moment.dot(m2) / self.bend;
        let kappa2 = -s.moment.dot(s.m1) / self.bend;
        let tau = self.torsion + s.moment.dot(s.t) / self.twist;
        let u = m2 * kappa1 - s.m1 * kappa2 + s.t * tau;
        let r = s.t * (1.0 + force.dot(s.t) / self.stretch);
        Section { r, m1: u.cross(s.m1), t: u.cross(s.t), moment: -r.cross(force) }
    }
}

impl Section {
    fn plus(&self, slope: &Self, h: f64) -> Self {
        Self {
            r: self.r + slope.r * h,
            m1: self.m1 + slope.m1 * h,
            t: self.t + slope.t * h,
            moment: self.moment + slope.moment * h,
        }
    }
}

/// Reach and height in m of the tip of a straight, level cantilever that bends under its own weight (N/m, downwards). The height is
/// negative.
pub fn cantilever_tip(bend: f64, stretch: f64, weight: f64, length: f64) -> Option<[f64; 2]> {
    let rod = ClampedRod {
        length,
        stretch,
        bend,
        twist: bend,
        curvature: 0.0,
        torsion: 0.0,
        weight: DVec3::NEG_Z * weight,
        tangent: DVec3::X,
        director: DVec3::Z,
    };
    rod.tip().map(|tip| [tip.x, tip.z])
}

/// A helical spring that hangs by one end.
#[derive(Clone, Copy, Debug)]
pub struct HangingHelix {
    /// Radius of the helix, m.
    pub radius: f64,
    /// Rise of a turn, m.
    pub pitch: f64,
    /// Number of turns.
    pub turns: f64,
    /// EA in N.
    pub stretch: f64,
    /// EI in N·m².
    pub bend: f64,
    /// GJ in N·m².
    pub twist: f64,
    /// Weight per length, N/m.
    pub weight: f64,
}

impl HangingHelix {
    /// Height in m of its free end below the clamp: negative.
    pub fn tip_height(&self) -> Option<f64> {
        // A helix of radius R and rise c for each radian has the curvature R/(R² + c²) and the torsion c/(R² + c²).
        let c = self.pitch / TAU;
        let square = self.radius * self.radius + c * c;
        let slope = square.sqrt();
        let rod = ClampedRod {
            length: TAU * self.turns * slope,
            stretch: self.stretch,
            bend: self.bend,
            twist: self.twist,
            curvature: self.radius / square,
            torsion: c / square,
            weight: DVec3::NEG_Z * self.weight,
            // At (R, 0), down along −z, right-handed about it: y is −sin.
            tangent: DVec3::new(0.0, -self.radius, -c) / slope,
            director: DVec3::NEG_X,
        };
        rod.tip().map(|tip| tip.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_cantilevers_match_the_known_ratio_of_drop_to_reach() {
        // Γ = w L³/EI.
        for (gamma, ratio) in [(1.0, 0.124_561_77), (10.0, 1.066_802_32), (100.0, 5.888_10)] {
            let [reach, height] = cantilever_tip(1.0, 1e9, gamma, 1.0).unwrap();
            assert!((-height / reach / ratio - 1.0).abs() < 2e-6, "{gamma}: {}", -height / reach);
        }
    }

    #[test]
    fn natural_curvature_without_load_gives_an_arc_and_hanging_rods_stretch() {
        let straight = ClampedRod {
            length: 1.0,
            stretch: 200.0,
            bend: 1.0,
            twist: 0.7,
            curvature: 0.0,
            torsion: 0.0,
            weight: DVec3::X * 3.0,
            tangent: DVec3::X,
            director: DVec3::Z,
        };
        // Pulled along itself by its weight: the free end sinks by w L²/2EA.
        assert!((straight.tip().unwrap() - DVec3::X * (1.0 + 3.0 / 400.0)).length() < 1e-10);
        let arc = ClampedRod { curvature: 2.0, weight: DVec3::ZERO, ..straight };
        let (s, c) = 2.0f64.sin_cos();
        assert!((arc.tip().unwrap() - DVec3::new(0.5 * s, 0.0, 0.5 * (1.0 - c))).length() < 1e-10);
    }

    #[test]
    fn a_weightless_helix_keeps_its_shape_and_a_soft_one_lengthens_as_a_spring() {
        let helix = HangingHelix {
            radius: 0.03,
            pitch: 0.01,
            turns: 5.0,
            stretch: 1e9,
            bend: 1.0,
            twist: 1.0,
            weight: 0.0,
        };
        assert!((helix.tip_height().unwrap() + 0.05).abs() < 1e-9);
        // A close-coiled spring hung by its end lengthens by about F n 2πR³/GJ, F half of its weight.
        let (weight, twist) = (0.034, 0.0016);
        let heavy = HangingHelix { pitch: 1e-4, weight, twist, bend: 0.0022, ..helix };
        let length = TAU * 5.0 * 0.03;
        let sink = -heavy.tip_height().unwrap() - 5.0 * 1e-4;
        let known = 0.5 * weight * length * 5.0 * TAU * 0.03f64.powi(3) / twist;
        assert!((sink / known - 1.0).abs() < 0.1, "{sink} {known}");
    }
}
