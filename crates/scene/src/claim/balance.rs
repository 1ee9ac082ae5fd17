//! Balances that every run keeps: energy, momentum, the virial; and rest.

use super::sample::{rod_sample, tree_sample};
use super::{Finding, RodSample, RunRecord, Sample, Tally};
use glam::DVec3;
use ropewalk_body::energy;
use ropewalk_sim::measure::energies;
use ropewalk_sim::{End, Energies, Hold, Model, State};

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

/// Places in a tally of impulses: time of the last step, reference, measured, sum of sizes.
const TIME: usize = 0;
const REFERENCE: usize = 1;
const MEASURED: usize = 4;
const SIZES: usize = 7;

fn begin_impulse(start: &State, momentum: DVec3) -> Tally {
    let mut tally = Tally::default();
    tally.set(TIME, start.time);
    tally.set_vector(REFERENCE, -momentum);
    tally
}

/// Time since the last step, s.
fn time_since(tally: &mut Tally, s: &Sample) -> f64 {
    let dt = s.time - tally.get(TIME);
    tally.set(TIME, s.time);
    dt
}

fn impulse_finding(tally: &Tally, last: DVec3) -> Finding {
    let (reference, measured) = (tally.vector(REFERENCE) + last, tally.vector(MEASURED));
    let along = reference.normalize_or_zero();
    let scale = tally.get(SIZES).max(reference.length()).max(f64::MIN_POSITIVE);
    Finding {
        reference: reference.length(),
        measured: measured.dot(along),
        error: (measured - reference).length() / scale,
    }
}

pub(super) fn begin_clamp_impulse(model: &Model, start: &State, rod: usize) -> Tally {
    begin_impulse(start, rod_sample(model, start, rod).momentum)
}

pub(super) fn see_clamp_impulse(model: &Model, rod: usize, tally: &mut Tally, s: &Sample) {
    let dt = time_since(tally, s);
    let weight = model.gravity * model.rods[rod].total_mass();
    tally.add_vector(REFERENCE, (s.rods[rod].momentum * model.rods[rod].mass_damping - weight) * dt);
    for (clamp, wrench) in model.clamps.iter().zip(&s.wrenches) {
        if clamp.rod == rod {
            tally.add_vector(MEASURED, wrench.force * dt);
            tally.add(SIZES, wrench.force.length() * dt);
        }
    }
    let held = |end: &End| matches!(end, End::Rod { rod: r, .. } if *r == rod);
    let (impulse, size) = attachment_impulse(model, s, dt, held);
    let pushed = s.rods[rod].contact * dt;
    tally.add_vector(MEASURED, impulse + pushed);
    tally.add(SIZES, size + pushed.length());
}

/// The impulse of a rod's clamps, attachments and contacts: Σ F δt = P(T) − P(0) − m g T + α Σ P δt, the last from mass-proportional
/// damping. Newton's second law for the rod as a whole.
pub(super) fn clamp_impulse(run: &RunRecord<'_>, rod: usize, tally: &Tally) -> Finding {
    impulse_finding(tally, run.samples.last().map_or(DVec3::ZERO, |last| last.rods[rod].momentum))
}

/// Impulse of one step of `dt` (s) on the ends for which `held` says so, and the sum of the sizes of its parts.
fn attachment_impulse(model: &Model, s: &Sample, dt: f64, held: impl Fn(&End) -> bool) -> (DVec3, f64) {
    let (mut impulse, mut size) = (DVec3::ZERO, 0.0);
    for (attachment, wrench) in model.attachments.iter().zip(&s.attachments) {
        for (end, sign) in attachment.ends.iter().zip([1.0, -1.0]) {
            if held(end) {
                impulse += sign * dt * wrench.force;
                size += dt * wrench.force.length();
            }
        }
    }
    (impulse, size)
}

pub(super) fn begin_tree_impulse(model: &Model, start: &State, tree: usize) -> Tally {
    begin_impulse(start, tree_sample(model, start, tree).momentum)
}

pub(super) fn see_tree_impulse(model: &Model, t: usize, tally: &mut Tally, s: &Sample) {
    let dt = time_since(tally, s);
    let tree = &model.trees[t];
    let mass = energy::total_mass(&tree.tree);
    let weight = if tree.heavy { model.gravity * mass } else { DVec3::ZERO };
    tally.add_vector(REFERENCE, -weight * dt);
    let held = |end: &End| matches!(end, End::Link { tree, .. } if *tree == t);
    let (impulse, size) = attachment_impulse(model, s, dt, held);
    let base = s.trees[t].base.force * dt;
    let pushed = s.trees[t].contacts.iter().map(|w| w.force).sum::<DVec3>() * dt;
    tally.add_vector(MEASURED, impulse + base + pushed);
    tally.add(SIZES, size + base.length() + pushed.length());
}

/// The impulse on a tree of its base and its attachments: Σ F δt = P(T) − P(0) − m g T.
pub(super) fn tree_impulse(run: &RunRecord<'_>, t: usize, tally: &Tally) -> Finding {
    impulse_finding(tally, run.samples.last().map_or(DVec3::ZERO, |last| last.trees[t].momentum))
}

/// Places in a tally of tensions: time and kinetic energy of the last step, G then and at the start, both sums.
const KINETIC: usize = 1;
const VIRIAL: usize = 2;
const START_VIRIAL: usize = 3;
const EXPECTED: usize = 4;
const FOUND: usize = 5;

/// The fixed node x₀ of a rod.
fn anchor(model: &Model, rod: usize) -> DVec3 {
    let clamps = model.clamps.iter().filter(|c| c.rod == rod);
    let held = clamps.filter(|c| matches!(c.hold, Hold::Node(_))).map(|c| c.start.point).next();
    held.unwrap_or_default()
}

fn virial(model: &Model, rod: usize, s: &RodSample) -> f64 {
    s.position_momentum - anchor(model, rod).dot(s.momentum)
}

pub(super) fn begin_mean_tension(model: &Model, start: &State, rod: usize) -> Tally {
    let first = rod_sample(model, start, rod);
    let mut tally = Tally::default();
    tally.set(TIME, start.time);
    tally.set(KINETIC, first.kinetic);
    tally.set(VIRIAL, virial(model, rod, &first));
    tally.set(START_VIRIAL, tally.get(VIRIAL));
    tally
}

pub(super) fn see_mean_tension(model: &Model, rod: usize, tally: &mut Tally, s: &Sample) {
    let (dt, now) = (time_since(tally, s), &s.rods[rod]);
    let (mass, damping) = (model.rods[rod].total_mass(), model.rods[rod].mass_damping);
    let arms = now.mass_moment - anchor(model, rod) * mass;
    let g = virial(model, rod, now);
    let work = tally.get(KINETIC) + now.kinetic + model.gravity.dot(arms) - damping * g;
    tally.add(EXPECTED, dt * work);
    tally.add(FOUND, dt * now.tension_length);
    tally.set(KINETIC, now.kinetic);
    tally.set(VIRIAL, g);
}

/// The tension of a rod that hangs from one fixed node x₀, mean over the rod and the run.
///
/// Clausius's virial theorem: with G = Σ m (x − x₀)·v,
/// dG/dt = 2K + Σ m g·(x − x₀) − Σ T l − α G. The force at x₀ has no arm, and bending and twist do no
/// work when the rod is scaled. So ⟨Σ T l⟩ = ⟨2K + Σ m g·(x − x₀) − αG⟩ − (G(T) − G(0))/T, while each T is
/// EA times the strain: the rod stretches as EA says.
pub(super) fn mean_tension(run: &RunRecord<'_>, rod: usize, tally: &Tally) -> Finding {
    let reference = tally.get(EXPECTED) - (tally.get(VIRIAL) - tally.get(START_VIRIAL));
    let seconds = tally.get(TIME) - run.start.time;
    let scale = (seconds * run.model.rods[rod].total_rest_length()).max(f64::MIN_POSITIVE);
    Finding::relative(reference / scale, tally.get(FOUND) / scale, 0.0)
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
            energy_within_work(&RunRecord {
                model,
                start,
                end: start,
                wrenches: &[],
                samples,
                measured: &[],
                tallies: &[],
            })
            .measured
        };
        // The beam starts level at z = 0: no energy at all.
        assert_eq!(found(&[at(0.5, -1.0, 0.0), at(1.0, -1.0, 0.0)]), 0.0);
        assert!((found(&[at(1.001, -1.0, 0.0), at(0.5, -1.0, 0.0)]) - 1e-3 / 1.001).abs() < 1e-12);
        assert_eq!(found(&[at(2.0, -1.0, 1.0)]), 0.0);
        assert!(found(&[at(2.0, -1.0, 0.9)]) > 0.04);
    }
}
