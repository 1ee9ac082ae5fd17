//! What time-stepping takes from motions that should lose nothing: the tables of docs/schemes.md.
//!
//! `cargo run -p ropewalk-rod --example scheme_losses`

// An example may print, and stops where a step fails.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use glam::DVec3;
use ropewalk_rod::kernel::{RodKernel, Scales};
use ropewalk_rod::motion::{Merit, RodMotion, StepWeights};
use ropewalk_rod::{Material, Rod, RodBuilder, RodHistory, RodState, Section};

const GRAVITY: f64 = 9.81;

#[derive(Clone, Copy, PartialEq)]
enum Scheme {
    BackwardEuler,
    Midpoint,
    Bdf2,
}

impl Scheme {
    const ALL: [(Self, &'static str); 3] =
        [(Self::BackwardEuler, "backward Euler"), (Self::Midpoint, "midpoint"), (Self::Bdf2, "BDF2")];
}

/// One rod, perhaps with its first node held, under gravity or not.
struct World {
    rod: Rod,
    state: RodState,
    history: RodHistory,
    motion: RodMotion,
    scheme: Scheme,
    gravity: f64,
    held: bool,
}

impl World {
    fn new(builder: &RodBuilder, scheme: Scheme, gravity: f64, held: bool) -> Self {
        let (rod, state) = builder.build().expect("the rod is sound");
        let (history, motion) = (RodHistory::none(&rod), RodMotion::new(&rod));
        Self { rod, state, history, motion, scheme, gravity, held }
    }

    /// Whether the step was solved.
    fn step(&mut self, dt: f64) -> bool {
        let Self { rod, state, history, motion, .. } = self;
        let theta = if self.scheme == Scheme::Midpoint { 0.5 } else { 1.0 };
        let weights = StepWeights { dt, theta, theta_vq: theta };
        for (i, force) in motion.force.iter_mut().enumerate() {
            force[2] = -self.gravity * rod.masses()[i][0];
        }
        motion.v.copy_from_slice(&state.v);
        if self.held {
            motion.held[0][..3].fill(true);
            motion.v[0][..3].fill(0.0);
        }
        match self.scheme {
            Scheme::Bdf2 => motion.begin_bdf2(rod, state, weights, history),
            _ => motion.begin(rod, state, weights),
        }
        let mut merit = motion.linearise(rod, state, weights);
        for _ in 0..100 {
            if merit.residual <= f64::max(1e-9 * merit.impulse, merit.round_off) {
                motion.advance(rod, state, weights, history);
                return true;
            }
            if motion.factor().is_err() {
                motion.make_positive(rod, state, weights);
                if motion.factor().is_err() {
                    return false;
                }
            }
            let slope = motion.solve_direction();
            let better = |trial: &Merit, fraction: f64| {
                let falls = trial.potential <= merit.potential + 1e-4 * fraction * slope;
                trial.admissible && (falls || trial.residual <= 0.7 * merit.residual)
            };
            let mut fraction = 1.0;
            while !better(&motion.try_fraction(rod, state, weights, fraction), fraction) {
                fraction *= 0.5;
                if fraction < 1e-9 {
                    return false;
                }
            }
            motion.accept();
            merit = motion.linearise(rod, state, weights);
        }
        false
    }

    fn energy(&self) -> f64 {
        let Self { rod, state, .. } = self;
        let mut kernel = RodKernel::new(rod);
        kernel.start_from(rod, state);
        let scales = Scales { gradient: 1.0, hessian: 1.0 };
        let elastic = kernel.evaluate(rod, &state.natural, &state.q, scales, None).energies.total();
        let nodes = rod.masses().iter().enumerate().map(|(i, m)| {
            let kinetic: f64 = (0..4).map(|k| 0.5 * m[k] * state.v[i][k] * state.v[i][k]).sum();
            kinetic + m[0] * self.gravity * state.position(i).z
        });
        elastic + nodes.sum::<f64>()
    }

    fn angular_momentum(&self) -> f64 {
        let nodes = 0..self.rod.node_count();
        let momentum: DVec3 = nodes
            .map(|i| self.rod.masses()[i][0] * self.state.position(i).cross(self.state.velocity(i)))
            .sum();
        momentum.length()
    }

    fn run(&mut self, dt: f64, seconds: f64) -> bool {
        (0..(seconds / dt).round() as usize).all(|_| self.step(dt))
    }
}

fn rope(nodes: Vec<DVec3>, radius: f64, youngs_modulus: f64) -> RodBuilder {
    RodBuilder::new(nodes, Section::Circle { radius }, Material::from_poisson(youngs_modulus, 0.4, 1000.0))
}

fn line(from: f64, to: f64, segments: usize) -> Vec<DVec3> {
    (0..=segments).map(|i| DVec3::X * (from + (to - from) * i as f64 / segments as f64)).collect()
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// A rope of 1 m, 1 cm thick, held at one end and let go level: energy lost within 10 s, of what the swing has.
fn swinging(scheme: Scheme, dt: f64) -> String {
    let mut world = World::new(&rope(line(0.0, 1.0, 40), 5e-3, 1e7), scheme, GRAVITY, true);
    let start = world.energy();
    let swing = 0.5 * world.rod.total_mass() * GRAVITY;
    if world.run(dt, 10.0) { percent((start - world.energy()) / swing) } else { "fails".into() }
}

/// A rod of 30 cm that turns at 50 rad/s: angular momentum kept after 1 s.
fn turning(scheme: Scheme, dt: f64) -> String {
    let mut world = World::new(&rope(line(-0.15, 0.15, 12), 4e-3, 1e8), scheme, 0.0, false);
    for i in 0..world.rod.node_count() {
        let v = (DVec3::Z * 50.0).cross(world.state.position(i));
        world.state.v[i][..3].copy_from_slice(&v.to_array());
    }
    let start = world.angular_momentum();
    if world.run(dt, 1.0) { percent(world.angular_momentum() / start) } else { "fails".into() }
}

/// A rope of 1 m that hangs folded from both ends, one of which is let go: how long that end takes to fall by 0.9 m, of the
/// time of free fall. (An ideal chain that keeps its energy is faster than free fall.)
fn folded(scheme: Scheme, dt: f64) -> String {
    let (gap, segments) = (0.03, 80);
    let bend = core::f64::consts::PI * gap;
    let leg = 0.5 * (1.0 - bend);
    let nodes: Vec<DVec3> = (0..=segments)
        .map(|i| {
            let s = i as f64 / f64::from(segments);
            if s < leg {
                DVec3::new(0.0, 0.0, -s)
            } else if s < leg + bend {
                let (sin, cos) = ((s - leg) / gap).sin_cos();
                DVec3::new(gap - gap * cos, 0.0, -leg - gap * sin)
            } else {
                DVec3::new(2.0 * gap, 0.0, s - 1.0)
            }
        })
        .collect();
    let mut world = World::new(&rope(nodes, 2e-3, 1e7), scheme, GRAVITY, true);
    let (last, way) = (world.rod.node_count() - 1, 0.9);
    let top = world.state.position(last).z;
    let (mut time, mut before) = (0.0, 0.0);
    loop {
        let fallen = top - world.state.position(last).z;
        if fallen >= way {
            // Linear between the last two steps.
            let speed = (fallen - before) / dt;
            let arrival = time - (fallen - way) / speed;
            return format!("{:.4}", arrival / (2.0 * way / GRAVITY).sqrt());
        }
        before = fallen;
        if time > 1.0 || !world.step(dt) {
            return "fails".into();
        }
        time += dt;
    }
}

fn main() {
    type Case = (&'static str, fn(Scheme, f64) -> String);
    let cases: [Case; 3] = [
        ("swinging rope: energy lost in 10 s", swinging),
        ("rod turning at 50 rad/s: angular momentum kept after 1 s", turning),
        ("folded rope: time of fall over that of free fall", folded),
    ];
    for (what, measure) in cases {
        println!("| {what} | 4 ms | 2 ms | 1 ms | 0.5 ms |");
        println!("|---|---|---|---|---|");
        for (scheme, name) in Scheme::ALL {
            let cells: Vec<String> =
                [4e-3, 2e-3, 1e-3, 5e-4].into_iter().map(|dt| measure(scheme, dt)).collect();
            println!("| {name} | {} |", cells.join(" | "));
        }
        println!();
    }
}
