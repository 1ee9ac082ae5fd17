//! What time-stepping takes from motions that should lose nothing: the tables of docs/schemes.md.
//!
//! `cargo run --release -p ropewalk-sim --example scheme_losses`

// An example may print, and stops where a step fails.
#![allow(clippy::print_stdout, clippy::expect_used)]

use glam::{DMat3, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link, Tree};
use ropewalk_linalg::Pose;
use ropewalk_rod::{Material, RodBuilder, Section};
use ropewalk_sim::{
    Attachment, AttachmentKind, BaseMotion, Clamp, ClampPose, End, Hold, Model, Motion, Scheme, Settings,
    State, StepStatus, TreeModel, Workspace, measure, step,
};

const GRAVITY: f64 = 9.81;

const SCHEMES: [(Scheme, &str); 3] =
    [(Scheme::BACKWARD_EULER, "backward Euler"), (Scheme::MIDPOINT, "midpoint"), (Scheme::BDF2, "BDF2")];

struct World {
    model: Model,
    state: State,
    workspace: Workspace,
}

impl World {
    fn new(
        builder: Option<RodBuilder>,
        trees: Vec<TreeModel>,
        scheme: Scheme,
        dt: f64,
        gravity: f64,
    ) -> Self {
        let mut model = Model {
            gravity: DVec3::NEG_Z * gravity,
            trees,
            settings: Settings { dt, scheme, tolerance: 1e-9, ..Settings::default() },
            ..Model::default()
        };
        let mut state = State::default();
        if let Some(builder) = builder {
            let (rod, rod_state) = builder.build().expect("the rod is sound");
            model.rod_names.push("rod".into());
            model.rods.push(rod);
            state.rods.push(rod_state);
        }
        let workspace = Workspace::new(&model);
        Self { model, state, workspace }.completed()
    }

    fn completed(mut self) -> Self {
        self.state.complete(&self.model);
        self.workspace = Workspace::new(&self.model);
        self
    }

    /// With its first node held.
    fn held(mut self) -> Self {
        let hold = Hold::Node(0);
        let start = ClampPose::of(hold, &self.model.rods[0], &self.state.rods[0]);
        let (name, motion) = ("pin".into(), Motion::default());
        self.model.clamps.push(Clamp { name, rod: 0, hold, motion, start, release_time: f64::INFINITY });
        self.completed()
    }

    /// Whether the step was solved.
    fn step(&mut self) -> bool {
        step(&self.model, &mut self.state, &mut self.workspace).status == StepStatus::Converged
    }

    fn run(&mut self, seconds: f64) -> bool {
        (0..(seconds / self.model.settings.dt).round() as usize).all(|_| self.step())
    }

    fn energy(&self) -> f64 {
        measure::energies(&self.model, &self.state).total()
    }
}

fn rope(nodes: Vec<DVec3>, radius: f64, youngs_modulus: f64) -> Option<RodBuilder> {
    let material = Material::from_poisson(youngs_modulus, 0.4, 1000.0);
    Some(RodBuilder::new(nodes, Section::Circle { radius }, material))
}

fn line(from: f64, to: f64, segments: usize) -> Vec<DVec3> {
    (0..=segments).map(|i| DVec3::X * (from + (to - from) * i as f64 / segments as f64)).collect()
}

fn percent(share: f64) -> String {
    if share.abs() < 10.0 { format!("{:.2} %", 100.0 * share) } else { format!("{share:.0e}") }
}

/// A rope of 1 m, 1 cm thick, held at one end and let go level: energy lost within 10 s, of what the swing has.
fn swinging(scheme: Scheme, dt: f64) -> String {
    let mut world = World::new(rope(line(0.0, 1.0, 40), 5e-3, 1e7), vec![], scheme, dt, GRAVITY).held();
    let start = world.energy();
    let swing = 0.5 * world.model.rods[0].total_mass() * GRAVITY;
    for _ in 0..100 {
        if !world.run(0.1) {
            return "fails".into();
        }
        if world.energy() > start + 0.1 * swing {
            return format!("makes energy from {:.1} s on", world.state.time);
        }
    }
    percent((start - world.energy()) / swing)
}

/// A rod of 30 cm that turns at 50 rad/s: angular momentum kept after 1 s.
fn turning(scheme: Scheme, dt: f64) -> String {
    let mut world = World::new(rope(line(-0.15, 0.15, 12), 4e-3, 1e8), vec![], scheme, dt, 0.0);
    for i in 0..world.model.rods[0].node_count() {
        let v = (DVec3::Z * 50.0).cross(world.state.rods[0].position(i));
        world.state.rods[0].v[i][..3].copy_from_slice(&v.to_array());
    }
    let momentum = |world: &World| measure::angular_momentum(&world.model, &world.state, 0).z;
    let start = momentum(&world);
    if world.run(1.0) { percent(momentum(&world) / start) } else { "fails".into() }
}

/// A body of 0.5 kg held by a ball attachment 10 cm off its center, at 50 rad/s: energy kept after 1 s.
fn attached(scheme: Scheme, dt: f64) -> String {
    let inertia = Inertia {
        mass: 0.5,
        com: DVec3::X * 0.1,
        about_com: DMat3::from_diagonal(DVec3::new(4e-4, 6e-4, 8e-4)),
    };
    let joint = Joint::new("joint", JointKind::Free, Pose::IDENTITY);
    let link = Link { name: "body".into(), parent: None, joint, inertia };
    let tree = TreeModel {
        name: "body".into(),
        tree: Tree::new(vec![link]).expect("the body is sound"),
        base: BaseMotion::Fixed(Pose::IDENTITY),
        heavy: true,
        shapes: vec![],
    };
    let mut world = World::new(None, vec![tree], scheme, dt, 0.0);
    let point = Some(DVec3::ZERO);
    world.model.attachments.push(Attachment {
        name: "ball".into(),
        ends: [End::Link { tree: 0, link: 0, point }, End::World { point }],
        kind: AttachmentKind::Point,
        begin_time: f64::NEG_INFINITY,
        release_time: f64::INFINITY,
    });
    let mut world = world.completed();
    let spin = 50.0 * DVec3::new(0.3, 0.2, 1.0).normalize();
    world.state.trees[0].v[3..].copy_from_slice(&spin.to_array());
    // The first velocities do not fit the attachment; those of the first step do.
    world.state.trees[0].v[..3].fill(0.0);
    let start = world.energy();
    if world.run(1.0) { percent(world.energy() / start) } else { "fails".into() }
}

/// A rope of 1 m that hangs folded from both ends, one of which is let go: how long that end takes to fall by 0.9 m, of the
/// time of free fall. (An ideal chain that keeps its energy is faster than free fall.)
fn folded(scheme: Scheme, dt: f64) -> String {
    let (gap, segments) = (0.03, 80);
    let bend = core::f64::consts::PI * gap;
    let leg = 0.5 * (1.0 - bend);
    let place = |s: f64| {
        if s < leg {
            DVec3::new(0.0, 0.0, -s)
        } else if s < leg + bend {
            let (sin, cos) = ((s - leg) / gap).sin_cos();
            DVec3::new(gap - gap * cos, 0.0, -leg - gap * sin)
        } else {
            DVec3::new(2.0 * gap, 0.0, s - 1.0)
        }
    };
    let nodes = (0..=segments).map(|i| place(f64::from(i) / f64::from(segments))).collect();
    let mut world = World::new(rope(nodes, 2e-3, 1e7), vec![], scheme, dt, GRAVITY).held();
    let (last, height) = (world.model.rods[0].node_count() - 1, 0.9);
    let top = world.state.rods[0].position(last).z;
    let mut before = 0.0;
    loop {
        let fallen = top - world.state.rods[0].position(last).z;
        if fallen >= height {
            // Linear between the last two steps.
            let arrival = world.state.time - (fallen - height) * dt / (fallen - before);
            return format!("{:.4}", arrival / (2.0 * height / GRAVITY).sqrt());
        }
        before = fallen;
        if world.state.time > 1.0 || !world.step() {
            return "fails".into();
        }
    }
}

fn main() {
    type Case = (&'static str, fn(Scheme, f64) -> String);
    let cases: [Case; 4] = [
        ("swinging rope: energy lost in 10 s", swinging),
        ("rod turning at 50 rad/s: angular momentum kept after 1 s", turning),
        ("body on a ball attachment at 50 rad/s: energy kept after 1 s", attached),
        ("folded rope: time of fall over that of free fall", folded),
    ];
    for (what, measure) in cases {
        println!("| {what} | 4 ms | 2 ms | 1 ms | 0.5 ms |");
        println!("|---|---|---|---|---|");
        for (scheme, name) in SCHEMES {
            let cells: Vec<String> =
                [4e-3, 2e-3, 1e-3, 5e-4].into_iter().map(|dt| measure(scheme, dt)).collect();
            println!("| {name} | {} |", cells.join(" | "));
        }
        println!();
    }
}
