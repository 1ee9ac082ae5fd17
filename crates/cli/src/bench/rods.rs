//! The worlds whose steps are timed.

use glam::DVec3;
use ropewalk_rod::{Material, RodBuilder, RodError, Section};
use ropewalk_sim::{Clamp, ClampPose, Hold, Model, Motion, State};

/// A world under gravity, empty at first.
pub(super) struct World {
    pub(super) model: Model,
    pub(super) state: State,
}

impl World {
    pub(super) fn new() -> Self {
        let model = Model { gravity: DVec3::new(0.0, 0.0, -9.81), ..Model::default() };
        Self { model, state: State::default() }
    }

    /// Adds a round rod of rubber-like stiffness (E = 1e7 Pa, ρ = 1000 kg/m³) through `nodes`, held at its start.
    pub(super) fn add(&mut self, nodes: Vec<DVec3>, radius: f64, hold: Hold) -> Result<&mut Self, RodError> {
        let material = Material::from_poisson(1e7, 0.5, 1000.0);
        let (rod, state) = RodBuilder::new(nodes, Section::Circle { radius }, material).build()?;
        let index = self.model.rods.len();
        self.model.clamps.push(Clamp {
            name: format!("clamp {index}"),
            rod: index,
            hold,
            motion: Motion { axis: DVec3::Z, ..Motion::default() },
            start: ClampPose::of(hold, &rod, &state),
            release_time: f64::INFINITY,
        });
        self.model.rod_names.push(format!("rod {index}"));
        self.model.rods.push(rod);
        self.state.rods.push(state);
        Ok(self)
    }
}

/// `count` nodes from `from`, `spacing` apart along `direction`.
pub(super) fn line(count: usize, from: DVec3, direction: DVec3, spacing: f64) -> Vec<DVec3> {
    (0..count).map(|i| from + direction * (spacing * i as f64)).collect()
}

/// The rope that [`super::hanging_rope`], [`super::factor`] and [`super::stencil`] measure: 1 m long, 5 mm thick, pinned at
/// its upper end, at 45°, in `nodes` nodes.
pub(super) fn rope(nodes: usize) -> Result<World, RodError> {
    let slope = DVec3::new(1.0, 0.0, -1.0).normalize();
    let mut world = World::new();
    world.add(line(nodes, DVec3::ZERO, slope, 1.0 / (nodes - 1) as f64), 2.5e-3, Hold::Node(0))?;
    Ok(world)
}
