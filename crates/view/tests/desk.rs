//! Commands of a page take effect, cannot break a run, and can be replayed.

#![allow(clippy::unwrap_used)]

use glam::DVec3;
use ropewalk_scene::Scene;
use ropewalk_sim::{State, StepStatus, Workspace, measure, step};
use ropewalk_view::command::{Command, Thing};
use ropewalk_view::desk::Desk;

struct Run {
    scene: Scene,
    desk: Desk,
    state: State,
    workspace: Workspace,
}

impl Run {
    fn new(name: &str, overrides: &[&str]) -> Self {
        let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
        let mut scene = ropewalk_scene::load_named(name, &overrides).unwrap();
        let desk = Desk::install(&mut scene).unwrap();
        let (state, workspace) = (scene.state.clone(), Workspace::new(&scene.model));
        Self { scene, desk, state, workspace }
    }

    fn ask(&mut self, command: &Command) -> Result<(), String> {
        self.desk.apply(&mut self.scene.model, &mut self.state, command)
    }

    fn step(&mut self, count: usize) {
        for _ in 0..count {
            let report = step(&self.scene.model, &mut self.state, &mut self.workspace);
            assert_eq!(report.status, StepStatus::Converged, "t = {}", self.state.time);
        }
    }

    fn node(&self, i: usize) -> DVec3 {
        self.state.rods[0].position(i)
    }
}

#[test]
fn a_rope_follows_the_pointer_and_falls_when_it_is_let_go() {
    let mut run = Run::new("hanging_rope", &[]);
    let last = run.scene.model.rods[0].edge_count() - 1;
    run.step(5);
    let start = run.node(last);
    let thing = Thing::Rod { rod: 0, edge: last, fraction: 0.0 };
    run.ask(&Command::Grab { thing, point: start.to_array() }).unwrap();
    let target = start + DVec3::new(0.0, 0.15, 0.1);
    run.ask(&Command::Drag { point: target.to_array() }).unwrap();
    run.step(400);
    let reached = run.node(last);
    let share = (reached - target).length() / (start - target).length();
    assert!(share < 0.3, "the rope is at {reached}, the pointer at {target}");
    run.ask(&Command::LetGo).unwrap();
    run.step(200);
    assert!(run.node(last).z < reached.z - 0.02);
}

#[test]
fn the_pull_has_a_limit_and_what_does_not_fit_is_refused() {
    let mut run = Run::new("hanging_rope", &[]);
    let last = run.scene.model.rods[0].edge_count() - 1;
    let mass: f64 = run.scene.model.rods[0].masses().iter().map(|m| m[0]).sum();
    let thing = Thing::Rod { rod: 0, edge: last, fraction: 1.0 };
    run.ask(&Command::Grab { thing, point: run.node(last + 1).to_array() }).unwrap();
    // Ever so far away: an ideal spring would pull with thousands of times the weight.
    run.ask(&Command::Drag { point: [0.0, 1000.0, 0.0] }).unwrap();
    run.step(100);
    let tension = measure::tension(&run.scene.model, &run.state, 0);
    let most = tension.iter().copied().fold(0.0, f64::max);
    assert!(most < 2.0 * 3.0_f64.sqrt() * 20.0 * 9.81 * mass, "{most} N");
    for command in [
        Command::Grab { thing: Thing::Rod { rod: 7, edge: 0, fraction: 0.0 }, point: [0.0; 3] },
        Command::Grab { thing: Thing::Rod { rod: 0, edge: 100_000, fraction: 0.0 }, point: [0.0; 3] },
        Command::Grab { thing: Thing::Link { tree: 0, link: 0 }, point: [0.0; 3] },
        Command::Target { actuator: 0, value: Some(1.0) },
    ] {
        assert!(run.ask(&command).is_err(), "{command:?}");
    }
}

/// The greatest angle round the drum's axis would tell of a rope that came through; its distance from the axis does.
#[test]
fn a_rope_cannot_be_pulled_through_a_drum() {
    let mut run = Run::new("capstan", &[]);
    run.step(20);
    // The node nearest to the top of the drum is pulled straight through it.
    let nodes = run.scene.model.rods[0].node_count();
    let before: Vec<DVec3> = (0..nodes).map(|i| run.node(i)).collect();
    let middle = nodes / 2;
    let contacts: Vec<DVec3> = run.workspace.contacts().map(|c| c.point).collect();
    assert!(!contacts.is_empty());
    let center = contacts.iter().sum::<DVec3>() / contacts.len() as f64;
    let thing = Thing::Rod { rod: 0, edge: middle, fraction: 0.5 };
    run.ask(&Command::Grab { thing, point: before[middle].to_array() }).unwrap();
    let through = center + 3.0 * (center - before[middle]);
    run.ask(&Command::Drag { point: through.to_array() }).unwrap();
    run.step(300);
    let deepest = run.workspace.contacts().map(|c| -c.gap).fold(0.0, f64::max);
    let radius = run.scene.model.rods[0].half_extents()[middle][0];
    assert!(deepest < 0.2 * radius, "{deepest} m of a radius of {radius} m");
}

#[test]
fn friction_and_gravity_have_their_effect_at_once() {
    let fall = |commands: &[Command]| {
        let mut run = Run::new("hanging_rope", &[]);
        for command in commands {
            run.ask(command).unwrap();
        }
        run.step(50);
        (0..run.scene.model.rods[0].node_count()).map(|i| run.node(i).z).sum::<f64>()
    };
    let (down, up) = (fall(&[]), fall(&[Command::Gravity { gravity: [0.0, 0.0, 9.81] }]));
    assert!(up > down);

    let grip = |scale: f64| {
        let mut run = Run::new("capstan", &[]);
        run.ask(&Command::Friction { scale }).unwrap();
        run.step(200);
        let tension = measure::tension(&run.scene.model, &run.state, 0);
        let (first, last) = (tension[0], tension[tension.len() - 1]);
        (first.max(last) / first.min(last)).ln()
    };
    // The capstan equation: the logarithm of the ratio goes with the coefficient.
    let (whole, half, none) = (grip(1.0), grip(0.5), grip(0.0));
    assert!(none < 0.1 * whole && (0.4..0.6).contains(&(half / whole)), "{whole} {half} {none}");
}

#[test]
fn commands_at_the_same_steps_give_the_same_bits() {
    let go = || {
        let mut run = Run::new("capstan", &[]);
        run.step(10);
        let point = run.node(5);
        run.ask(&Command::Grab {
            thing: Thing::Rod { rod: 0, edge: 5, fraction: 0.25 },
            point: point.to_array(),
        })
        .unwrap();
        for k in 0..20 {
            let point = point + 0.001 * f64::from(k) * DVec3::new(0.3, 1.0, 0.5);
            run.ask(&Command::Drag { point: point.to_array() }).unwrap();
            run.step(2);
        }
        run.ask(&Command::Friction { scale: 0.3 }).unwrap();
        run.ask(&Command::LetGo).unwrap();
        run.step(20);
        run.state
    };
    assert_eq!(go(), go());
}
