//! Balances that every run keeps: energy, momentum, the virial; and rest.

use super::sample::{rod_sample, tree_sample};
use super::{Finding, RunRecord, Sample};
use glam::DVec3;
use ropewalk_body::energy;
use ropewalk_sim::measure::energies;
use ropewalk_sim::{End, Energies, Hold};

/// Energy never rises above its start by more than the work done: the greatest of
/// E(t) − E(0) − W(t) over the run, relative to the energies that changed hands.
///
/// With backward Euler the step minimises the incremental potential, so what is not conserved is lost.
pub(super) fn energy_within_work(run: &RunRecord<'_>) -> Finding {
    let start = energies(run.model, run.start);
    let (mut greatest, mut scale) = (0.0f64, elastic(&start).max(f64::MIN_POSITIVE));
    for s in run.samples {
        scale = scale.max(size(&start, s));
        greatest = greatest.max(excess(&start, s));
    }
    Finding::zero(greatest / scale)
}

fn elastic(e: &Energies) -> f64 {
    e.kinetic + e.stretch + e.bend + e.twist + e.joints
}

/// E(t) − E(0) − W(t) in J, plastic work counted in E. Parts are compared one by one, so that a high place does not cost digits.
pub(super) fn excess(start: &Energies, s: &Sample) -> f64 {
    let e = &s.energies;
    (elastic(e) - elastic(start)) + (e.gravity - start.gravity) + (e.plastic - start.plastic) - s.work
}

/// The greatest of the energies that have changed hands, J.
pub(super) fn size(start: &Energies, s: &Sample) -> f64 {
    let e = &s.energies;
    elastic(e).max((e.gravity - start.gravity).abs()).max(s.work.abs())
}

/// The impulse of a rod's clamps, attachments and contacts: Σ F δt = P(T) − P(0) − m g T + α Σ P δt, the last from mass-proportional
/// damping. Newton's second law for the rod as a whole.
pub(super) fn clamp_impulse(run: &RunRecord<'_>, rod: usize) -> Finding {
    let start = rod_sample(run.model, run.start, rod);
    let mut reference = -start.momentum;
    let mut measured = DVec3::ZERO;
    let mut scale = 0.0f64;
    let weight = run.model.gravity * run.model.rods[rod].total_mass();
    let mut time = run.start.time;
    for s in run.samples {
        let dt = s.time - time;
        time = s.time;
        let momentum = s.rods[rod].momentum;
        reference += (momentum * run.model.rods[rod].mass_damping - weight) * dt;
        for (clamp, wrench) in run.model.clamps.iter().zip(&s.wrenches) {
            if clamp.rod == rod {
                measured += wrench.force * dt;
                scale += wrench.force.length() * dt;
            }
        }
        let held = |end: &End| matches!(end, End::Rod { rod: r, .. } if *r == rod);
        let (impulse, size) = attachment_impulse(run, s, dt, held);
        let pushed = s.rods[rod].contact * dt;
        measured += impulse + pushed;
        scale += size + pushed.length();
    }
    if let Some(last) = run.samples.last() {
        reference += last.rods[rod].momentum;
    }
    let along = reference.normalize_or_zero();
    let scale = scale.max(reference.length()).max(f64::MIN_POSITIVE);
    Finding {
        reference: reference.length(),
        measured: measured.dot(along),
        error: (measured - reference).length() / scale,
    }
}

/// Impulse of one step of `dt` (s) on the ends for which `held` says so, and the sum of the sizes of its parts.
fn attachment_impulse(run: &RunRecord<'_>, s: &Sample, dt: f64, held: impl Fn(&End) -> bool) -> (DVec3, f64) {
    let (mut impulse, mut size) = (DVec3::ZERO, 0.0);
    for (attachment, wrench) in run.model.attachments.iter().zip(&s.attachments) {
        for (end, sign) in attachment.ends.iter().zip([1.0, -1.0]) {
            if held(end) {
                impulse += sign * dt * wrench.force;
                size += dt * wrench.force.length();
            }
        }
    }
    (impulse, size)
}

/// The impulse on a tree of its base and its attachments: Σ F δt = P(T) − P(0) − m g T.
pub(super) fn tree_impulse(run: &RunRecord<'_>, t: usize) -> Finding {
    let model = &run.model.trees[t];
    let mass = energy::total_mass(&model.tree);
    let weight = if model.heavy { run.model.gravity * mass } else { DVec3::ZERO };
    let (mut measured, mut scale, mut time) = (DVec3::ZERO, 0.0f64, run.start.time);
    let mut reference = -tree_sample(run.model, run.start, t).momentum;
    for s in run.samples {
        let dt = s.time - time;
        time = s.time;
        reference -= weight * dt;
        let held = |end: &End| matches!(end, End::Link { tree, .. } if *tree == t);
        let (impulse, size) = attachment_impulse(run, s, dt, held);
        let base = s.trees[t].base.force * dt;
        let pushed = s.trees[t].contacts.iter().map(|w| w.force).sum::<DVec3>() * dt;
        measured += impulse + base + pushed;
        scale += size + base.length() + pushed.length();
    }
    if let Some(last) = run.samples.last() {
        reference += last.trees[t].momentum;
    }
    let along = reference.normalize_or_zero();
    let scale = scale.max(reference.length()).max(f64::MIN_POSITIVE);
    Finding {
        reference: reference.length(),
        measured: measured.dot(along),
        error: (measured - reference).length() / scale,
    }
}

/// The tension of a rod that hangs from one fixed node x₀, mean over the rod and the run.
///
/// Clausius's virial theorem: with G = Σ m (x − x₀)·v,
/// dG/dt = 2K + Σ m g·(x − x₀) − Σ T l − α G. The force at x₀ has no arm, and bending and twist do no
/// work when the rod is scaled. So ⟨Σ T l⟩ = ⟨2K + Σ m g·(x − x₀) − αG⟩ − (G(T) − G(0))/T, while each T is
/// EA times the strain: the rod stretches as EA says.
pub(super) fn mean_tension(run: &RunRecord<'_>, rod: usize) -> Finding {
    let (model, start) = (run.model, rod_sample(run.model, run.start, rod));
    let anchor = model
        .clamps
        .iter()
        .filter(|c| c.rod == rod)
        .find_map(|c| match c.hold {
            Hold::Node(_) => Some(c.start.point),
            _ => None,
        })
        .unwrap_or_default();
    let mass = model.rods[rod].total_mass();
    let virial = |s: &super::RodSample| s.position_momentum - anchor.dot(s.momentum);
    let (mut reference, mut measured) = (0.0, 0.0);
    let (mut time, mut before) = (run.start.time, start);
    for s in run.samples {
        let now = &s.rods[rod];
        let dt = s.time - time;
        time = s.time;
        reference += dt
            * (before.kinetic + now.kinetic + model.gravity.dot(now.mass_moment - anchor * mass)
                - model.rods[rod].mass_damping * virial(now));
        measured += dt * now.tension_length;
        before = *now;
    }
    reference -= virial(&before) - virial(&start);
    let scale = ((time - run.start.time) * model.rods[rod].total_rest_length()).max(f64::MIN_POSITIVE);
    Finding::relative(reference / scale, measured / scale, 0.0)
}

/// The greatest speed of a node at the end in m/s.
pub(super) fn at_rest(run: &RunRecord<'_>, rod: usize) -> Finding {
    let all = super::contact::chain(&run.model.rod_names, rod);
    let speeds = all.iter().flat_map(|&r| {
        (0..run.model.rods[r].node_count()).map(move |i| run.end.rods[r].velocity(i).length())
    });
    Finding::zero(speeds.fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{RunRecord, Sample};

    #[test]
    fn energy_from_nowhere_is_found() {
        let scene = crate::load_named("cantilever", &[]).unwrap();
        let at = |kinetic: f64, gravity: f64, work: f64| Sample {
            energies: Energies { kinetic, gravity, ..Energies::default() },
            work,
            ..Sample::default()
        };
        let found = |samples: &[Sample]| {
            let (model, start) = (&scene.model, &scene.state);
            energy_within_work(&RunRecord { model, start, end: start, wrenches: &[], samples, measured: &[] })
                .measured
        };
        // The beam starts level at z = 0: no energy at all.
        assert_eq!(found(&[at(0.5, -1.0, 0.0), at(1.0, -1.0, 0.0)]), 0.0);
        assert!((found(&[at(1.001, -1.0, 0.0), at(0.5, -1.0, 0.0)]) - 1e-3 / 1.001).abs() < 1e-12);
        assert_eq!(found(&[at(2.0, -1.0, 1.0)]), 0.0);
        assert!(found(&[at(2.0, -1.0, 0.9)]) > 0.04);
    }
}
