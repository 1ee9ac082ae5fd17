//! An overhand knot of order n in a rope of 1 m, its ends pulled apart.
//!
//! Rope: 301 nodes, 3 mm thick, E = 18 MPa, G = 6 MPa, ρ = 1000 kg/m³, α = 1/s, straight when undeformed, without
//! friction or gravity, as published for this experiment; hardness and damping of contact are our defaults. The
//! shape at the start is that of the scene files' knot generator, strands 3.2 mm apart. The position of each end node is
//! prescribed, which is the limit of the published stiff controller (1e6 N/m: 10 µm off at 10 N).

use super::World;
use glam::DVec3;
use ropewalk_sim::{ContactSettings, Hold, Surface};
use std::path::Path;

/// Diameter of the rope, m.
pub const DIAMETER: f64 = 3e-3;
/// Speed of each end, m/s.
pub const SPEED: f64 = 0.4;
/// Distance of the ends at the start, m.
pub const END_DISTANCE: f64 = 0.3;

/// A rope with an overhand knot.
#[derive(Clone, Copy, Debug)]
pub struct KnottedRope {
    /// Order n of the knot.
    pub order: u32,
    /// Radius of the rope, m.
    pub radius: f64,
    /// Distance of the strands where they cross, m.
    pub gap: f64,
    /// Distance of the ends, m.
    pub end_distance: f64,
    /// Edges.
    pub segments: u32,
    /// Mass-proportional damping α, 1/s.
    pub mass_damping: f64,
    /// E, Pa; G is E/3.
    pub youngs_modulus: f64,
    /// ρ, kg/m³.
    pub density: f64,
}

impl KnottedRope {
    /// The published rope.
    pub fn published(order: u32) -> Self {
        Self {
            order,
            radius: 0.5 * DIAMETER,
            gap: 3.2e-3,
            end_distance: END_DISTANCE,
            segments: 300,
            mass_damping: 1.0,
            youngs_modulus: 1.8e7,
            density: 1000.0,
        }
    }

    /// A world with this rope along x, its ends driven apart at `speed` (m/s) each; `None` if it cannot be built.
    pub fn world(&self, speed: f64, dt: f64) -> Option<World> {
        let Self { order, gap, end_distance, segments, .. } = self;
        let curve = format!(
            "{{ overhand = {{ order = {order}, length = 1.0, gap = {gap:e}, end_distance = {end_distance:e} }} }}\n\
             segments = {segments}"
        );
        self.along(&curve, None, speed, dt)
    }

    /// The same rope through the nodes of a file; `None` if it cannot be built.
    pub fn world_through(&self, file: &Path, speed: f64, dt: f64) -> Option<World> {
        let curve = format!("{{ points = {:?} }}", file.file_name()?.to_str()?);
        self.along(&curve, file.parent(), speed, dt)
    }

    fn along(&self, curve: &str, base: Option<&Path>, speed: f64, dt: f64) -> Option<World> {
        let Self { radius, mass_damping, youngs_modulus, density, .. } = self;
        let shear_modulus = youngs_modulus / 3.0;
        let text = format!(
            "title = \"knot\"\ngravity = [0.0, 0.0, 0.0]\ntime = {{ dt = {dt:e}, duration = 1.0 }}\n\
             [material.rubber]\nyoungs_modulus = {youngs_modulus:e}\nshear_modulus = {shear_modulus:e}\ndensity = {density:e}\n\
             [rod.rope]\nmaterial = \"rubber\"\nsection = {{ circle = {{ radius = {radius:e} }} }}\n\
             curve = {curve}\nrest = \"straight\"\nmass_damping = {mass_damping:e}\n"
        );
        let scene = ropewalk_scene::load_text("knot", &text, base, &[]).ok()?;
        let mut world = World::of(scene.model, scene.state);
        world.model.contact = Some(ContactSettings::default());
        world.model.rod_surfaces = vec![Surface { friction: 0.0, ..Surface::default() }];
        let last = world.model.rods[0].node_count() - 1;
        let along = (world.state.rods[0].position(last) - world.state.rods[0].position(0)).normalize();
        world.drive(0, Hold::Node(0), -along * speed);
        world.drive(0, Hold::Node(last), along * speed);
        Some(world)
    }
}

impl World {
    /// Distance of the ends of rod 0, m.
    pub fn end_distance(&self) -> f64 {
        let rod = &self.state.rods[0];
        (rod.position(rod.q.len() - 1) - rod.position(0)).length()
    }

    /// Force with which the two drives of a rope's ends pull it, N.
    pub fn pull(&self) -> f64 {
        let wrenches = self.sensed().clamp_wrenches();
        let rod = &self.state.rods[0];
        let along = (rod.position(rod.q.len() - 1) - rod.position(0)).normalize_or(DVec3::X);
        0.5 * (wrenches[1].force - wrenches[0].force).dot(along)
    }
}
