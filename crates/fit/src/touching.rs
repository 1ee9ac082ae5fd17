//! The cable in its surroundings: a world of the engine, whose rod is driven by its held ends.
//!
//! Positions of the four held nodes at every step are tables of their clamps. The scheme and the time step are those of the scene, the step shortened so that
//! a whole number of them makes a frame.

use crate::cable::{Cable, Roll};
use crate::error::FitError;
use crate::mesh::Mesh;
use crate::predict::{Driven, Window};
use crate::rollout::{HeldMotion, build};
use crate::start::Start;
use crate::surroundings::Surroundings;
use glam::DVec3;
use ropewalk_rod::RodState;
use ropewalk_sim::{
    Clamp, ClampPose, Hold, Interpolation, Load, LoadKind, Model, Motion, State, Surface, TimeFunction, World,
};
use std::sync::Arc;

/// The cable, and where it starts.
pub(crate) struct Place<'a> {
    pub(crate) cable: &'a Cable,
    pub(crate) mesh: &'a Mesh,
    pub(crate) start: &'a Start,
    /// Name of the run, for messages.
    pub(crate) run: &'a str,
}

/// A cable among what it touches.
pub(crate) struct Touching {
    world: World,
    rod: usize,
    steps_per_frame: u64,
    frame_time: f64,
}

impl Touching {
    /// The world at the second frame of `window`.
    pub(crate) fn new(
        surroundings: &Surroundings,
        place: &Place<'_>,
        driven: &Driven<'_>,
        window: Window,
    ) -> Result<Self, FitError> {
        let (cable, r, frame_time) = (place.cable, surroundings.rod, driven.frame_time);
        let (mut rod, mut rod_state) = build(cable, place.mesh, place.start, 1.0, surroundings.radius)
            .map_err(|e| {
                FitError::mismatch(format!("run '{}': {e}", place.run), "check the cable and the markers")
            })?;
        rod.stiffness_damping = cable.parameters.stiffness_damping;
        place.start.set_velocities(&mut rod_state, frame_time);
        let mut model = surroundings.model.clone();
        let steps_per_frame = (frame_time / model.settings.dt - 1e-9).ceil().max(1.0);
        model.settings.dt = frame_time / steps_per_frame;
        model.rods[r] = rod;
        set_surface(&mut model, r, cable);
        set_drag(&mut model, r, cable.parameters.drag_across);
        let time = (window.first + 1) as f64 * frame_time;
        let frames = window.end - window.first - 2;
        let steps = frames * steps_per_frame as usize;
        model.clamps.extend(clamps(&model, (place, r), driven, (time, steps), &rod_state));
        let state = start_of(&model, surroundings, time, (r, rod_state));
        let world = World::new(Arc::new(model), state);
        Ok(Self { world, rod: r, steps_per_frame: steps_per_frame as u64, frame_time })
    }

    /// Goes on to `frame` of the run.
    pub(crate) fn run_to_next_frame(&mut self, frame: usize, run: &str) -> Result<(), FitError> {
        let progress = self.world.step(self.steps_per_frame, None);
        if progress.steps == self.steps_per_frame {
            return Ok(());
        }
        let part = progress.steps as f64 / self.steps_per_frame as f64;
        Err(FitError::World {
            run: run.to_owned(),
            time: (frame as f64 - 1.0 + part) * self.frame_time,
            what: progress.report.failure,
        })
    }

    /// The cable now.
    pub(crate) fn state(&self) -> &RodState {
        &self.world.state().rods[self.rod]
    }
}

fn set_surface(model: &mut Model, r: usize, cable: &Cable) {
    if let Some(friction) = cable.parameters.friction {
        model.rod_surfaces.resize(model.rods.len(), Surface::default());
        model.rod_surfaces[r].friction = friction;
    }
}

/// Drag across the cable, in the place of that of the scene if there is one.
fn set_drag(model: &mut Model, r: usize, across: f64) {
    let mut loads = model.loads.iter_mut().filter(|load| load.rod == r);
    let own = loads.find_map(|load| match &mut load.kind {
        LoadKind::Drag { quadratic, .. } => Some(quadratic),
        _ => None,
    });
    match own {
        Some(quadratic) => *quadratic = across,
        None if across > 0.0 => model.loads.push(Load {
            name: "drag".to_owned(),
            rod: r,
            kind: LoadKind::Drag { normal: 0.0, tangential: 0.0, quadratic: across, flow: DVec3::ZERO },
            scale: TimeFunction::Constant(1.0),
        }),
        None => {}
    }
}

/// Clamps of the four held nodes, and of the roll of the ends if it is held, for `steps` steps from `time` on.
fn clamps(
    model: &Model,
    (place, r): (&Place<'_>, usize),
    driven: &Driven<'_>,
    (time, steps): (f64, usize),
    state: &RodState,
) -> Vec<Clamp> {
    let dt = model.settings.dt;
    let since: Vec<f64> = (0..=steps).map(|k| k as f64 * dt).collect();
    let path: Vec<[DVec3; 4]> = since.iter().map(|t| driven.at(*t)).collect();
    let times: Vec<f64> = since.iter().map(|t| time + t).collect();
    let clamp = |name: String, hold: Hold, motion: Motion| Clamp {
        name,
        rod: r,
        hold,
        motion,
        start: ClampPose::of(hold, &model.rods[r], state),
        release_time: f64::INFINITY,
    };
    let held = place.mesh.held_nodes().into_iter().enumerate().map(|(place, node)| {
        let from = state.position(node);
        let translation = core::array::from_fn(|k| TimeFunction::Table {
            times: times.clone(),
            values: path.iter().map(|held| held[place][k] - from[k]).collect(),
            interpolation: Interpolation::Linear,
        });
        clamp(format!("held {place}"), Hold::Node(node), Motion { translation, ..Motion::default() })
    });
    let ends = match place.cable.numerics.roll {
        Roll::Free => Vec::new(),
        Roll::Held => vec![0, model.rods[r].edge_count() - 1],
    };
    let rolls = ends.into_iter().map(|e| clamp(format!("roll {e}"), Hold::Spin(e), Motion::default()));
    held.chain(rolls).collect()
}

/// The start of the scene at `time`, with the cable in its place.
fn start_of(model: &Model, surroundings: &Surroundings, time: f64, (r, rod): (usize, RodState)) -> State {
    let mut state = State {
        time,
        rods: surroundings.state.rods.clone(),
        trees: surroundings.state.trees.clone(),
        ..State::default()
    };
    state.rods[r] = rod;
    for (tree, of) in state.trees.iter_mut().zip(&model.trees) {
        tree.base.pose = of.base.pose(time);
    }
    state
}
