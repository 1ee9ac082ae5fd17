//! Recommends a time step for a scene.
//!
//! The step has to resolve the fastest of: the first mode of each rod that can bend, its pendulum frequency √(g/L),
//! and the sines that drive it. With this ω,
//!
//! | scheme | step | reason |
//! |---|---|---|
//! | backward Euler | 0.02/ω | it damps an oscillation by ωδt/2 of critical: here 1 % |
//! | BDF2 | 0.05/ω | it slows an oscillation by (ωδt)²/3: here 0.08 % |
//! | midpoint | 0.1/ω | it slows an oscillation by (ωδt)²/12: here 0.08 % |
//! | θ < ½ (symplectic Euler) | 1/ω_max | it is stable below 2/ω_max of the stiffest mode: half of that |
//!
//! The result is rounded down to 1, 2 or 5 times a power of ten. Source: Hairer, Lubich and Wanner,
//! Geometric Numerical Integration, § I.1; the amplification factor of each scheme for ẍ = −ω²x.

use super::rod_facts::RodFacts;
use core::f64::consts::TAU;
use ropewalk_sim::{LoadKind, Model, TimeFunction};
use serde::Serialize;

/// A recommended step, with its reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TimeStepAdvice {
    /// Step in s; `None` if nothing in the scene has a time scale.
    pub(crate) value: Option<f64>,
    /// Why.
    pub(crate) reason: String,
}

impl TimeStepAdvice {
    /// The advice for `model`, whose rods have the numbers `rods`.
    pub(crate) fn of(model: &Model, rods: &[RodFacts]) -> Self {
        let scheme = model.settings.scheme;
        if scheme.theta < 0.5 {
            let fastest = rods.iter().map(|rod| rod.greatest_frequency).fold(0.0, f64::max);
            return Self::from_frequency(
                1.0,
                fastest,
                "half of the explicit scheme's limit 2/ω, ω the greatest frequency of the segments",
            );
        }
        let (omega, what) = fastest_to_follow(model, rods);
        if scheme.theta == 0.5 && scheme.theta_vq == 0.5 {
            let reason = format!("the midpoint rule slows {what} by 0.08 %");
            return Self::from_frequency(0.1, omega, &reason);
        }
        if scheme.bdf2 {
            let reason = format!("BDF2 slows {what} by 0.08 %");
            return Self::from_frequency(0.05, omega, &reason);
        }
        let reason = format!("backward Euler damps {what} by 1 % of critical (ωδt/2)");
        Self::from_frequency(0.02, omega, &reason)
    }

    fn from_frequency(angle: f64, omega: f64, reason: &str) -> Self {
        if omega > 0.0 && omega.is_finite() {
            Self { value: Some(round_down(angle / omega)), reason: reason.to_owned() }
        } else {
            Self { value: None, reason: "nothing in this scene sets a time scale".to_owned() }
        }
    }
}

/// The greatest frequency (rad/s) that the step has to resolve, and its source.
fn fastest_to_follow(model: &Model, rods: &[RodFacts]) -> (f64, String) {
    let mut fastest = (0.0, String::new());
    let mut consider = |omega: f64, what: String| {
        if omega > fastest.0 {
            fastest = (omega, what);
        }
    };
    for rod in rods {
        // A rod of one segment only stretches, which is rarely of interest.
        if let Some(hertz) = rod.first_frequencies.first().filter(|_| rod.bend_stiffness_1.is_some()) {
            consider(TAU * hertz, format!("the first mode of rod '{}' ({:.3} Hz)", rod.name, hertz));
        }
        let pendulum = (model.gravity.length() / rod.length).sqrt();
        consider(pendulum, format!("the swing of rod '{}' ({:.3} Hz)", rod.name, pendulum / TAU));
    }
    for clamp in &model.clamps {
        for function in clamp.motion.translation.iter().chain([&clamp.motion.angle]) {
            if let TimeFunction::Sine { frequency, .. } = function {
                consider(TAU * frequency, format!("the drive of clamp '{}' ({frequency} Hz)", clamp.name));
            }
        }
    }
    for load in model.loads.iter().filter(|load| !matches!(load.kind, LoadKind::Drag { .. })) {
        if let TimeFunction::Sine { frequency, .. } = load.scale {
            consider(TAU * frequency, format!("the load '{}' ({frequency} Hz)", load.name));
        }
    }
    for drive in &model.shape_drives {
        if let TimeFunction::Sine { frequency, .. } = drive.scale {
            consider(TAU * frequency, format!("the drive of the natural shape ({frequency} Hz)"));
        }
    }
    fastest
}

/// The greatest of 1, 2 and 5 times a power of ten that is not above `value`.
pub(super) fn round_down(value: f64) -> f64 {
    let exponent = value.log10().floor();
    let lead = value / 10_f64.powf(exponent);
    let lead = if lead >= 5.0 {
        "5"
    } else if lead >= 2.0 {
        "2"
    } else {
        "1"
    };
    // Through text: 1e-3 is nearer to 0.001 than 10^-3 computed.
    format!("{lead}e{exponent}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_never_longer() {
        assert_eq!(round_down(0.001_3), 0.001);
        assert_eq!(round_down(0.004_99), 0.002);
        assert_eq!(round_down(7.0e-5), 5e-5);
    }

    #[test]
    fn a_scene_without_time_scale_gets_no_number() {
        let advice = TimeStepAdvice::of(&Model::default(), &[]);
        assert_eq!(advice.value, None);
    }
}
