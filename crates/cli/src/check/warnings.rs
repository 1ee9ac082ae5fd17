//! Warnings about a scene, each with its remedy.

use super::rod_facts::RodFacts;
use super::scheme_loss;
use super::time_step::TimeStepAdvice;
use crate::number::{short, with_prefix};
use ropewalk_scene::Scene;

/// Rods shorter than this many thicknesses are not thin: shear matters.
const SLENDER: f64 = 10.0;
/// Strain under the rod's own weight above which linear elasticity is doubtful.
const LARGE_STRAIN: f64 = 0.05;

/// All warnings: those of the scene itself, and those that follow from its numbers.
pub(crate) fn all(scene: &Scene, rods: &[RodFacts], advice: &TimeStepAdvice) -> Vec<String> {
    let mut warnings = scene.warnings.clone();
    for (r, facts) in rods.iter().enumerate() {
        warnings.extend(sharp_natural_shape(scene, r, facts));
        warnings.extend(thickness(scene, r, facts));
        warnings.extend(own_weight(scene, facts));
        let missing = facts.frequencies_missing.iter();
        warnings.extend(missing.map(|reason| format!("rod '{}': {reason}", facts.name)));
    }
    // Of a net or a bundle one stands for all.
    let mut losses = rods.iter().enumerate().filter_map(|(r, facts)| scheme_loss::warning(scene, r, facts));
    if let Some(first) = losses.next() {
        let others = losses.count();
        warnings.push(if others == 0 { first } else { format!("{first}; likewise {others} more rods") });
    }
    let dt = scene.model.settings.dt;
    if let Some(recommended) = advice.value.filter(|recommended| dt > 2.0 * recommended) {
        warnings.push(format!(
            "time.dt is {}, recommended {}: {}; rest shapes do not suffer, motion does",
            with_prefix(dt, 3, "s"),
            with_prefix(recommended, 3, "s"),
            advice.reason
        ));
    }
    warnings
}

/// A segment longer than the radius of the natural curvature. (The scene itself warns of the shape at
/// the start.)
fn sharp_natural_shape(scene: &Scene, r: usize, facts: &RodFacts) -> Option<String> {
    let (rod, natural) = (&scene.model.rods[r], &scene.state.rods[r].natural);
    let curvature = |j: usize| natural.kappa1[j].hypot(natural.kappa2[j]) / rod.voronoi_lengths()[j];
    let greatest = rod.stencils().map(curvature).fold(0.0, f64::max);
    (greatest * facts.segment[1] > 1.0).then(|| {
        format!(
            "rod '{}': a segment ({}) is longer than the radius of the natural curvature ({}); use more segments",
            facts.name,
            with_prefix(facts.segment[1], 3, "m"),
            with_prefix(1.0 / greatest, 3, "m"),
        )
    })
}

/// A rod that is not slender. (Contact in a knot needs segments shorter than the thickness; the scene itself warns of
/// far shorter ones.)
fn thickness(scene: &Scene, r: usize, facts: &RodFacts) -> Vec<String> {
    let extents = scene.model.rods[r].half_extents();
    let thickness = 2.0 * extents.iter().flatten().copied().fold(0.0, f64::max);
    let mut warnings = Vec::new();
    if facts.length < SLENDER * thickness {
        warnings.push(format!(
            "rod '{}': its length ({}) is below {SLENDER} times its thickness ({}); thin-rod theory leaves \
             out the shear that matters here",
            facts.name,
            with_prefix(facts.length, 3, "m"),
            with_prefix(thickness, 3, "m"),
        ));
    }
    warnings
}

/// A rod that stretches much under its own weight.
fn own_weight(scene: &Scene, facts: &RodFacts) -> Option<String> {
    let strain = facts.mass * scene.model.gravity.length() / facts.stretch_stiffness[0];
    (strain > LARGE_STRAIN).then(|| {
        format!(
            "rod '{}': its weight stretches it by up to {} %; stretching is linear in the strain here",
            facts.name,
            short(100.0 * strain),
        )
    })
}
