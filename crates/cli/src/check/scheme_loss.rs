//! Numerical damping of the first mode of a rod within the run.
//!
//! For ẍ = −ω²x one step of the θ-method multiplies areas of the phase plane, and so squares of amplitudes, by
//!
//! (1 + (1 − θ)(1 − θ_vq) z²)/(1 + θ θ_vq z²), z = ω δt:
//!
//! backward Euler keeps 1/√(1 + z²) of an amplitude, the midpoint rule and symplectic Euler all of it. BDF2 keeps |ζ| of it,
//! ζ = (2 + √(1 + 2iz))/(3 − 2iz) the root of its difference equation that is near one; about 1 − z⁴/4.
//!
//! The first mode is the slower of two kinds, whichever stiffness rules: bending about the shape at the start, and the swing of what hangs
//! ([`super::swing`]).

use super::rod_facts::RodFacts;
use super::swing;
use super::time_step::round_down;
use crate::number::short;
use core::f64::consts::TAU;
use ropewalk_scene::Scene;
use ropewalk_sim::Scheme;

/// Relative loss of amplitude within the run below which there is no warning.
const TOLERABLE: f64 = 0.1;

/// A warning if the first mode of rod `r`, which has the numbers `facts`, loses more than a tenth of its amplitude.
pub(crate) fn warning(scene: &Scene, r: usize, facts: &RodFacts) -> Option<String> {
    let settings = &scene.model.settings;
    // A rod of one segment only stretches.
    let bending = facts.first_frequencies.first().filter(|_| facts.bend_stiffness_1.is_some());
    let bending = bending.map(|hertz| (TAU * hertz, "first mode"));
    let swing = swing::frequency(scene, r).map(|omega| (omega, "swing"));
    let (omega, what) = match (bending, swing) {
        (Some(a), Some(b)) => {
            if a.0 < b.0 {
                b
            } else {
                a
            }
        }
        (a, b) => a.or(b)?,
    };
    let hertz = omega / TAU;
    let lost = lost_amplitude(settings.scheme, omega, settings.dt, scene.duration);
    if lost <= TOLERABLE {
        return None;
    }
    let left = -(1.0 - TOLERABLE).ln();
    let (enough, or) = if settings.scheme.bdf2 {
        // The remaining fraction is exp(−ω⁴ δt³ T/4).
        ((4.0 * left / (omega.powi(4) * scene.duration)).cbrt(), "")
    } else {
        // Backward Euler: exp(−ω² δt T/2).
        (2.0 * left / (omega.powi(2) * scene.duration), "time.scheme = \"bdf2\", or ")
    };
    Some(format!(
        "rod '{}': with time.dt = {} s the scheme takes {} % of the amplitude of its {what} ({} Hz) within the {} s of \
         the run; where that motion matters, use {or}a step of {} s (docs/schemes.md)",
        facts.name,
        short(settings.dt),
        short(100.0 * lost),
        short(hertz),
        short(scene.duration),
        short(round_down(enough)),
    ))
}

/// Relative loss of amplitude of an oscillation of angular frequency `omega` (rad/s) in `duration` (s).
fn lost_amplitude(scheme: Scheme, omega: f64, dt: f64, duration: f64) -> f64 {
    let z2 = (omega * dt).powi(2);
    let Scheme { theta, theta_vq, bdf2 } = scheme;
    if bdf2 {
        // √(1 + 2iz) = a + ib.
        let modulus = (1.0 + 4.0 * z2).sqrt();
        let (a, b2) = ((0.5 * (modulus + 1.0)).sqrt(), 0.5 * (modulus - 1.0));
        let squared = ((2.0 + a).powi(2) + b2) / (9.0 + 4.0 * z2);
        return 1.0 - squared.powf(0.5 * duration / dt);
    }
    let squared = (1.0 + (1.0 - theta) * (1.0 - theta_vq) * z2) / (1.0 + theta * theta_vq * z2);
    1.0 - squared.powf(0.5 * duration / dt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backward_euler_loses_as_it_should_and_the_others_nothing() {
        let lost = lost_amplitude(Scheme::BACKWARD_EULER, 10.0, 1e-3, 2.0);
        assert!((lost - (1.0 - (-0.1f64).exp())).abs() < 1e-5, "{lost}");
        for scheme in [Scheme::MIDPOINT, Scheme::SYMPLECTIC_EULER] {
            assert_eq!(lost_amplitude(scheme, 10.0, 1e-3, 2.0), 0.0);
        }
        // z⁴/4 a step.
        let lost = lost_amplitude(Scheme::BDF2, 50.0, 1e-3, 2.0);
        let expected = 1.0 - (-(0.05f64.powi(4)) / 4.0 * 2000.0).exp();
        assert!((lost / expected - 1.0).abs() < 0.02, "{lost} {expected}");
    }
}
