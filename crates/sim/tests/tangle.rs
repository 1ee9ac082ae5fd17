//! Hard starts: tangles stretched tenfold, and a stiff suture shaken at its end.

mod common;

use common::{Random, World, line, rubber};
use glam::DVec3;
use ropewalk_rod::{Material, RodBuilder, Section};
use ropewalk_sim::{Hold, Motion, Scheme, StepStatus, TimeFunction, measure, step};

/// Nodes of a random tangle with edges of up to ten times `rest`.
fn tangle(random: &mut Random, n: usize, rest: f64, closed: bool) -> Vec<DVec3> {
    loop {
        let mut nodes = vec![DVec3::ZERO];
        while nodes.len() < n {
            let direction = random.vector(1.0);
            if direction.length() > 1.0 || direction.length() < 0.1 {
                continue;
            }
            // Lengths from half to ten times, drawn back towards the middle.
            let length = rest * (0.5 + 9.5 * random.signed().abs());
            let last = nodes[nodes.len() - 1];
            let next = last * 0.8 + direction.normalize() * length;
            let edge = next - last;
            let folds = nodes.len() > 1
                && 1.0 + edge.normalize().dot((last - nodes[nodes.len() - 2]).normalize()) < 2e-3;
            if edge.length() <= 10.0 * rest && edge.length() > 0.3 * rest && !folds {
                nodes.push(next);
            }
        }
        let mut builder = RodBuilder::new(nodes.clone(), Section::Circle { radius: 1e-3 }, rubber());
        builder.closed = closed;
        let last = (nodes[0] - nodes[n - 1]).length();
        if builder.build().is_ok() && (!closed || last <= 10.0 * rest) {
            return nodes;
        }
    }
}

/// Known defects of such starts, counted so that the last assertions fail the day they are mended. One leads into a fold out
/// of which no step converges. A ring that one leaves spinning at one turn a step turns inside out for ever: its shape repeats, so
/// the step sees no motion that it could damp.
#[test]
fn a_tangle_stretched_tenfold_comes_to_rest() {
    let (mut everting, mut stuck) = (0, 0);
    for seed in 1..=8 {
        for closed in [false, true] {
            let mut random = Random(seed);
            let (n, rest) = (24, 0.01);
            let section = if seed % 2 == 0 {
                Section::Circle { radius: 0.003 }
            } else {
                Section::Rectangle { width: 0.006, height: 0.003 }
            };
            let mut builder = RodBuilder::new(tangle(&mut random, n, rest, closed), section, rubber());
            builder.closed = closed;
            builder.rest_lengths = Some(vec![rest]);
            builder.mass_damping = 20.0;
            let mut world = World::new(&builder).with(1e-2, Scheme::BACKWARD_EULER, 1e-6);
            let stretched = measure::energies(&world.model, &world.state).total();
            let mut status = StepStatus::Converged;
            for _ in 0..1500 {
                status = step(&world.model, &mut world.state, &mut world.workspace).status;
                assert!(world.state.is_finite());
                if status != StepStatus::Converged || world.speed() < 1e-6 {
                    break;
                }
            }
            if status != StepStatus::Converged {
                stuck += 1;
                continue;
            }
            if closed && (1e-2 * world.speed() - core::f64::consts::TAU).abs() < 0.1 {
                everting += 1;
                continue;
            }
            assert!(world.speed() < 1e-6, "seed {seed}, closed {closed}: still moves at {}", world.speed());
            let rod = &world.model.rods[0];
            for e in 0..rod.edge_count() {
                let length = world.state.rods[0].edge(rod, e).length();
                // A ring, or a knot of twist, keeps a little strain.
                assert!(
                    (length / rest - 1.0).abs() < 0.05,
                    "seed {seed}, closed {closed}: edge {e}: {length}"
                );
            }
            let end = measure::energies(&world.model, &world.state);
            assert!(end.total() < 0.1 * stretched, "{end:?} of {stretched}");
            if !closed {
                assert!(end.total() < 1e-9 * stretched, "seed {seed}: an open rod straightens: {end:?}");
            }
        }
    }
    assert_eq!((everting, stuck), (1, 1));
}

#[test]
fn a_stiff_tangle_stretched_tenfold_comes_to_rest() {
    // Stored energy that throws thin, stiff edges at kilometres a second: steps are halved many times, and nodes pass
    // through folds. Now and then one comes to lie exactly in a fold, where bending has no derivative, and no step is short enough:
    // one to three seeds of forty, others whenever a sum is rounded in another way. Then the step says so and leaves the state.
    let (mut halved, mut folded, mut stuck) = (0, 0, 0);
    for seed in 1..=12 {
        let (n, rest) = (40, 0.003);
        let material = Material::from_poisson(750e6, 0.4, 1150.0);
        let nodes = tangle(&mut Random(seed), n, rest, false);
        let mut builder = RodBuilder::new(nodes, Section::Circle { radius: 0.2e-3 }, material);
        builder.rest_lengths = Some(vec![rest]);
        builder.mass_damping = 40.0;
        let mut world = World::new(&builder).with(1e-2, Scheme::BACKWARD_EULER, 1e-6);
        let mut in_fold = false;
        for _ in 0..400 {
            let report = step(&world.model, &mut world.state, &mut world.workspace);
            halved += report.substeps - 1;
            folded += report.degenerate_substeps;
            in_fold = report.status == StepStatus::NotConverged;
            if world.speed() < 1e-6 || in_fold {
                break;
            }
            assert_eq!(report.status, StepStatus::Converged);
        }
        assert!(world.state.is_finite());
        stuck += usize::from(in_fold);
        if !in_fold {
            assert!(world.speed() < 1e-6, "seed {seed}: still moves at {}", world.speed());
            assert!((measure::length(&world.model, &world.state, 0) / (39.0 * rest) - 1.0).abs() < 1e-3);
        }
    }
    // (Two, when a solve without progress was judged by the greatest impulse on its path and called converged.)
    assert!(stuck <= 3, "{stuck} of 12 tangles are stuck in a fold");
    assert!(halved > 0, "the test must go through halved steps");
    assert!(folded > 0, "the test must go through folds");
}

#[test]
fn a_stiff_suture_is_shaken_for_two_seconds() {
    let material = Material::from_poisson(750e6, 0.4, 1150.0);
    let builder = RodBuilder::new(line(101, 0.0, 0.3), Section::Circle { radius: 0.2e-3 }, material);
    let mut world = World::new(&builder).with(1e-3, Scheme::BACKWARD_EULER, 1e-6);
    world.model.gravity = DVec3::new(0.0, 0.0, -9.81);
    let shake = TimeFunction::Sine { amplitude: 0.02, frequency: 2.0, phase: 0.0, offset: 0.0 };
    let translation = [TimeFunction::default(), TimeFunction::default(), shake];
    world.clamp(Hold::Edge(0), Motion { translation, ..Motion::default() });
    let start = measure::energies(&world.model, &world.state).total();
    let (mut work, mut given, mut most) = (0.0, 0.0, 0);
    for _ in 0..2000 {
        let report = world.step();
        work += report.work;
        given += report.work.abs();
        most = most.max(report.iterations);
        let now = measure::energies(&world.model, &world.state).total();
        assert!(now <= start + work + 1e-6 * given, "{now} above {start} + {work} at {} s", world.state.time);
    }
    assert!(world.state.is_finite());
    assert!((world.state.time - 2.0).abs() < 1e-9);
    assert!((measure::length(&world.model, &world.state, 0) / 0.3 - 1.0).abs() < 1e-3);
    assert!(given > 1e-4, "the clamp has done work: {given}");
    assert!(most <= 30, "{most} iterations");
}
