//! A rod clamped at both ends as a helix, with the clamps of the measurement and of the authors' chain.
//!
//! *The helix as an equilibrium.* With body strains (−κ, 0, τ) of its Frenet frame and a twisting moment EI ω, Kirchhoff's equations of
//! an isotropic rod hold with the constant tension
//!
//! T = EI τ (ω − τ),
//!
//! so a discrete rod whose nodes lie on the helix and whose edges are stretched by T/EA is in equilibrium up to the square of the edge length.
//!
//! *Clamps.* The authors' chain has a hundred edges; both its outer edges are clamped. The first lies along z, the
//! last on the helix. So where the chain starts to bend, half an edge from the origin, it still points along z. Their
//! robot clamps the rod's end where the helix ends, but with the direction of that last edge, which is the helix's
//! direction half an edge earlier. Either is an imperfection of 2° at κL = 7: the rod leaves its helix gradually
//! before it would lose stability ([`Clamps::CHAIN`], [`Clamps::ROBOT`]).

use crate::statics::{Grip, Properties, StaticRod};
use glam::{DQuat, DVec3};

/// Length of the rod between the clamps, m.
pub(super) const LENGTH: f64 = 0.51;
/// EA over EI/L²: stretch is negligible in all comparisons.
const STRETCH: f64 = 1e5;
/// Edges; the middles of the first and the last are the clamps.
const EDGES: usize = 121;

/// Clamps of the rod, as fractions of its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clamps {
    /// Length clamped along z at the origin.
    straight: f64,
    /// Arclength of the helix at which the end is clamped.
    end: f64,
    /// Arclength of the helix whose direction the end has.
    direction: f64,
}

impl Clamps {
    /// Those of a perfect helix.
    pub(super) const HELIX: Self = Self { straight: 0.0, end: 1.0, direction: 1.0 };
    /// Those of the measurement.
    pub(super) const ROBOT: Self = Self { straight: 0.0, end: 1.0, direction: 0.995 };
    /// Those of the authors' chain.
    pub(super) const CHAIN: Self = Self { straight: 0.005, end: 0.995, direction: 0.995 };

    /// Direction of the end of a helix with κL = `kappa` and this τ/κ.
    pub(super) fn end_direction(self, kappa: f64, ratio: f64) -> DVec3 {
        turned(strain(kappa, ratio), self.direction * LENGTH) * DVec3::Z
    }
}

/// Body strains of the Frenet frame, 1/m.
fn strain(kappa: f64, ratio: f64) -> DVec3 {
    DVec3::new(-1.0, 0.0, ratio) * (kappa / LENGTH)
}

/// The rod on the helix with κL = `kappa` and these τ/κ and ω/κ, and its grips.
pub(super) fn helix(
    ratios: [f64; 2],
    kappa: f64,
    twist_ratio: f64,
    clamps: Clamps,
) -> Option<(StaticRod, [Grip; 2])> {
    let strain = strain(kappa, ratios[0]);
    let [tau, omega] = ratios.map(|c| c * kappa / LENGTH);
    let [first, last] = [clamps.straight, clamps.end].map(|s| s * LENGTH);
    let h = (last - first) / (EDGES - 1) as f64;
    let nodes: Vec<DVec3> = (0..=EDGES).map(|i| helix_point(strain, first + h * (i as f64 - 0.5))).collect();
    let stretch = STRETCH / (LENGTH * LENGTH);
    let tension = tau * (omega - tau);
    let properties = Properties { bend: [1.0; 2], twist: twist_ratio, stretch, line_density: 1.0 };
    let strained = Some(1.0 + tension / stretch);
    let mut rod = StaticRod::new(nodes, properties, DVec3::X, DVec3::ZERO, strained).ok()?;
    let spin = omega / twist_ratio * LENGTH;
    for (e, q) in rod.state.q.iter_mut().enumerate().take(EDGES) {
        q[3] = spin * e as f64 / (EDGES - 1) as f64;
    }
    // The Frenet frame rotates by τ per length about the tangent, a twist-free frame does not.
    let at = clamps.direction * LENGTH;
    let frame = turned(strain, at);
    let tangent = frame * DVec3::Z;
    let director = DQuat::from_axis_angle(tangent, spin - tau * at) * (frame * DVec3::X);
    let grips = [
        Grip { edge: 0, middle: DVec3::Z * first, tangent: DVec3::Z, director: DVec3::X },
        Grip { edge: EDGES - 1, middle: helix_point(strain, last), tangent, director },
    ];
    Some((rod, grips))
}

/// Point of the helix in the middle of its length, m.
pub(super) fn middle(ratios: [f64; 2], kappa: f64) -> DVec3 {
    helix_point(strain(kappa, ratios[0]), 0.5 * LENGTH)
}

/// exp(s \[u\]×).
fn turned(u: DVec3, s: f64) -> DQuat {
    DQuat::from_scaled_axis(u * s)
}

/// ∫ exp(s \[u\]×) e_z ds: rotation about u at the rate |u|, with the component along u integrated.
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
