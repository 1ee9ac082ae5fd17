//! Worlds for timing.

use glam::DVec3;
use ropewalk_rod::{Material, RodBuilder, Section};
use ropewalk_sim::{Hold, Model, Motion, State};
use ropewalk_validation::worlds::World;

/// A world under gravity, without contact, empty at first.
pub(super) fn world() -> World {
    let model = Model { gravity: DVec3::new(0.0, 0.0, -9.81), ..Model::default() };
    World::of(model, State::default())
}

/// Adds a round rod of rubber-like stiffness (E = 1e7 Pa, ρ = 1000 kg/m³) through `nodes`, pinned at its start.
pub(super) fn add_rod(world: &mut World, nodes: Vec<DVec3>, radius: f64, hold: Hold) -> Option<()> {
    let material = Material::from_poisson(1e7, 0.5, 1000.0);
    let rod = world.add_rod(RodBuilder::new(nodes, Section::Circle { radius }, material), 0.0)?;
    world.clamp(rod, hold, Motion { axis: DVec3::Z, ..Motion::default() });
    Some(())
}

/// `count` nodes from `from`, `spacing` apart along `direction`.
pub(super) fn line(count: usize, from: DVec3, direction: DVec3, spacing: f64) -> Vec<DVec3> {
    (0..count).map(|i| from + direction * (spacing * i as f64)).collect()
}

/// The rope that [`super::hanging_rope`], [`super::factor`] and [`super::stencil`] measure: 1 m long, 5 mm thick, pinned at
/// its upper end, at 45°, in `nodes` nodes.
pub(super) fn rope(nodes: usize) -> Option<World> {
    let slope = DVec3::new(1.0, 0.0, -1.0).normalize();
    let mut world = world();
    add_rod(&mut world, line(nodes, DVec3::ZERO, slope, 1.0 / (nodes - 1) as f64), 2.5e-3, Hold::Node(0))?;
    Some(world)
}
