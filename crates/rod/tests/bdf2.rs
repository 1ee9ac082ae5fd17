//! BDF2 on a free rod: derivatives, order, numerical damping of vibration and rotation, and steps of changing length.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Random, greatest};
use glam::DVec3;
use ropewalk_linalg::bdf2::Bdf2;
use ropewalk_rod::kernel::{RodKernel, Scales};
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{Material, RestShape, Rod, RodBuilder, RodHistory, RodState, Section};

fn weights(dt: f64) -> StepWeights {
    StepWeights { dt, theta: 1.0, theta_vq: 1.0 }
}

/// A rod that moves without constraints: its state, and the scheme's scratch.
struct World {
    rod: Rod,
    state: RodState,
    history: RodHistory,
    motion: RodMotion,
    bdf2: bool,
}

impl World {
    fn new(builder: &RodBuilder, bdf2: bool) -> Self {
        let (rod, state) = builder.build().unwrap();
        let (history, motion) = (RodHistory::none(&rod), RodMotion::new(&rod));
        Self { rod, state, history, motion, bdf2 }
    }

    fn step(&mut self, dt: f64) {
        let Self { rod, state, history, motion, bdf2 } = self;
        motion.v.copy_from_slice(&state.v);
        if !*bdf2 {
            history.clear();
        }
        motion.begin_bdf2(rod, state, weights(dt), history);
        let mut merit = motion.linearize(rod, state, weights(dt));
        for _ in 0..30 {
            if motion.factor().is_err() {
                motion.make_positive(rod, state, weights(dt));
                motion.factor().unwrap();
            }
            motion.solve_direction();
            motion.try_fraction(rod, state, weights(dt), 1.0);
            motion.accept();
            merit = motion.linearize(rod, state, weights(dt));
            if merit.residual <= f64::max(1e-13 * merit.impulse, merit.round_off) {
                break;
            }
        }
        assert!(merit.residual < f64::max(1e-9 * merit.impulse, 10.0 * merit.round_off), "{merit:?}");
        motion.advance(rod, state, weights(dt), history);
    }

    fn energy(&self) -> f64 {
        let mut kernel = RodKernel::new(&self.rod);
        kernel.start_from(&self.rod, &self.state);
        let scales = Scales { gradient: 1.0, hessian: 1.0 };
        let found = kernel.evaluate(&self.rod, &self.state.natural, &self.state.q, scales, None);
        let blocks = self.rod.masses().iter().zip(&self.state.v);
        let kinetic: f64 = blocks.flat_map(|(m, v)| (0..4).map(move |k| 0.5 * m[k] * v[k] * v[k])).sum();
        found.energies.total() + kinetic
    }

    fn angular_momentum(&self) -> DVec3 {
        let nodes = 0..self.rod.node_count();
        nodes.map(|i| self.rod.masses()[i][0] * self.state.position(i).cross(self.state.velocity(i))).sum()
    }

    fn spin(&mut self, omega: f64) {
        for i in 0..self.rod.node_count() {
            let v = (DVec3::Z * omega).cross(self.state.position(i));
            self.state.v[i][..3].copy_from_slice(&v.to_array());
        }
    }
}

/// 20 cm of rubber, 1 cm thick.
fn bar(nodes: usize) -> RodBuilder {
    let nodes = (0..nodes).map(|i| DVec3::X * (0.2 * i as f64 / (nodes - 1) as f64 - 0.1)).collect();
    let rubber = Material::from_poisson(1e6, 0.4, 1000.0);
    RodBuilder::new(nodes, Section::Circle { radius: 0.005 }, rubber)
}

/// A bar that tumbles, bends and twists, with all kinds of damping if asked for.
fn tumbling(bdf2: bool, damped: bool) -> World {
    let mut builder = bar(9);
    if damped {
        builder.stiffness_damping = 2e-3;
        builder.mass_damping = 0.4;
    }
    let mut world = World::new(&builder, bdf2);
    world.spin(4.0);
    for i in 0..9 {
        let x = world.state.position(i).x;
        world.state.v[i][2] += 0.3 * (40.0 * x).cos() + x;
        world.state.v[i][3] = 3.0 * (20.0 * x).sin();
    }
    world.state.v[8][3] = 0.0;
    world
}

/// Without moments the `std` Hessian is exactly the derivative of the forces.
#[test]
fn the_tangent_is_the_derivative_of_the_balance() {
    let mut random = Random(8);
    let mut builder = bar(7);
    for (i, node) in builder.nodes.iter_mut().enumerate() {
        *node += DVec3::new(0.0, 1e-2 * (i as f64).sin(), 2e-2 * (2.0 * i as f64).cos());
    }
    builder.rest = RestShape::AsGiven;
    builder.stiffness_damping = 3e-3;
    builder.mass_damping = 40.0;
    let (rod, state) = builder.build().unwrap();
    let (n, dt) = (rod.node_count(), 1e-3);
    let mut history = RodHistory::none(&rod);
    history.dt = 0.7e-3;
    history.set_led_to(&state);
    for x in history.mean.iter_mut().chain(&mut history.before).flatten() {
        *x = 1e-5 * random.signed();
    }
    let mut motion = RodMotion::new(&rod);
    motion.drag = vec![[0.3, 0.1, 0.0, 0.4, -0.1, 0.2]; n];
    motion.begin_bdf2(&rod, &state, weights(dt), &history);
    motion.v.copy_from_slice(&history.mean);
    motion.linearize(&rod, &state, weights(dt));
    let (tangent, residual, v) = (motion.tangent.to_dense(), motion.residual.clone(), motion.v.clone());
    let scale = greatest(tangent.iter().flatten());
    let size = 4 * n - 1;
    for d in 0..size {
        let h = 1e-5;
        let mut at = |step: f64| {
            motion.v.copy_from_slice(&v);
            motion.v[d / 4][d % 4] += step;
            let merit = motion.evaluate(&rod, &state, weights(dt));
            (motion.residual.clone(), merit.potential)
        };
        let ((plus, high), (minus, low)) = (at(h), at(-h));
        for i in 0..size {
            let slope = (plus[i / 4][i % 4] - minus[i / 4][i % 4]) / (2.0 * h);
            assert!((slope - tangent[i][d]).abs() < 1e-6 * scale, "{i} {d}: {slope} {}", tangent[i][d]);
        }
        let (slope, wanted) = ((high - low) / (2.0 * h), residual[d / 4][d % 4]);
        assert!((slope - wanted).abs() < 1e-5 * greatest(residual.iter().flatten()), "{slope} {wanted}");
    }
}

#[test]
fn the_order_is_two_with_rotation_and_damping() {
    let gap = |a: &[[f64; 4]], b: &[[f64; 4]]| {
        a.iter().flatten().zip(b.iter().flatten()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
    };
    for damped in [false, true] {
        let end = |bdf2: bool, steps: usize| {
            let mut world = tumbling(bdf2, damped);
            for _ in 0..steps {
                world.step(0.1 / steps as f64);
            }
            world.state.q
        };
        let shapes: Vec<_> = (0..4).map(|h| end(true, 200 << h)).collect();
        let gaps: Vec<f64> = shapes.windows(2).map(|w| gap(&w[0], &w[1])).collect();
        let found = (gaps[1] / gaps[2]).log2();
        assert!((found - 2.0).abs() < 0.25, "damped {damped}: {gaps:?}, order {found}");
        // Backward Euler converges to the same end with larger errors.
        let euler = gap(&end(false, 1600), &shapes[3]);
        assert!(euler > 3.0 * gaps[2] && euler < 0.02, "damped {damped}: {euler} beside {gaps:?}");
    }
}

#[test]
fn rotation_is_kept_where_backward_euler_loses_most_of_it() {
    let kept = |bdf2: bool| {
        let mut builder = bar(9);
        builder.stiffness_damping = 1e-4;
        let mut world = World::new(&builder, bdf2);
        world.spin(50.0);
        let start = world.angular_momentum().length();
        for _ in 0..1000 {
            world.step(1e-3);
        }
        world.angular_momentum().length() / start
    };
    let (second, first) = (kept(true), kept(false));
    assert!(second > 0.99 && second < 1.0 + 1e-9, "{second}");
    assert!(first < 0.5, "{first}");
}

/// An oscillation loses (ωh)⁴/4 of its amplitude in a step.
#[test]
fn a_stretching_mode_loses_what_theory_says() {
    let mut world = World::new(&bar(2), true);
    // Two nodes on a spring: half the mass each, ω² = 2 EA/(l m).
    let (k, m) = (world.rod.stretch_stiffness()[0] / world.rod.rest_lengths()[0], world.rod.masses()[0][0]);
    let omega = (2.0 * k / m).sqrt();
    let h = 0.1 / omega;
    world.state.v[0][0] = -1e-6;
    world.state.v[1][0] = 1e-6;
    // The first step has no history: it is a backward Euler step, which loses (ωh)²/2.
    world.step(h);
    let start = world.energy();
    let steps = 2000;
    for _ in 0..steps {
        world.step(h);
    }
    let rate = -0.5 * (world.energy() / start).ln() / f64::from(steps);
    let theory = 0.1f64.powi(4) / 4.0;
    assert!((rate / theory - 1.0).abs() < 0.05, "{rate} {theory}");
}

#[test]
fn steps_of_changing_length_stay_of_second_order() {
    // Steps in the ratio 1 : 2 : 1 : ½ …, as after halving and doubling.
    let end = |scale: f64| {
        let mut world = tumbling(true, true);
        let (mut time, mut i) = (0.0, 0);
        while time < 0.1 - 1e-12 {
            let h = scale * [1.0, 2.0, 1.0, 0.5, 0.5, 1.0, 2.0][i % 7];
            let h = h.min(0.1 - time);
            world.step(h);
            time += h;
            i += 1;
        }
        world.state.q
    };
    let shapes: Vec<_> = [4e-4, 2e-4, 1e-4, 5e-5].into_iter().map(end).collect();
    let gap = |w: &[Vec<[f64; 4]>]| {
        w[0].iter().flatten().zip(w[1].iter().flatten()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
    };
    let gaps: Vec<f64> = shapes.windows(2).map(gap).collect();
    let found = (gaps[1] / gaps[2]).log2();
    assert!((found - 2.0).abs() < 0.3, "{gaps:?}, order {found}");
    assert_eq!(Bdf2::new(1e-3, 1e-4), Bdf2::FIRST);
}

#[test]
fn a_state_that_has_been_set_forgets_the_step_before() {
    let mut world = tumbling(true, false);
    world.step(1e-4);
    world.step(1e-4);
    let kept = world.history.clone();
    assert_eq!(kept.step_to(&world.state), 1e-4);
    let numbers = kept.numbers();
    let mut read = RodHistory::none(&world.rod);
    assert!(read.set_numbers(&numbers, &world.state) && read == kept);
    assert!(!read.set_numbers(&numbers[1..], &world.state));
    world.state.v[3][1] += 0.1;
    assert_eq!(kept.step_to(&world.state), 0.0);
}
