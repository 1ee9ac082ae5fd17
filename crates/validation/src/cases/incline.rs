//! A rod lying down a slope, or a box on it, sticks or slides.
//!
//! - `incline/threshold`: the angle at which it begins to slide, atan μ; the error is in degrees. It sticks while it is
//!   slower after 1 s than twice the creep that the contact law states.
//! - `incline/acceleration`: mean acceleration over 1 s at a steep angle, g(sin α − μ cos α).
//! - `incline/creep`: velocity of a rod that sticks without friction anchors, over σ g δt sin α/√3, the creep of a
//!   single free body by the cone law with σ = 1e-3. A rod, with several contacts, must not creep at more than twice
//!   that.
//! - `incline/anchored`: the same with anchors, as by default: no creep above 1 nm/s.
//! - `incline/box_…`: the same for a free box of 20 × 20 × 10 mm, whose creep must be within a factor of two of that
//!   stated.
//!
//! The rod is a short stiff bar of 2 mm radius along the slope: it slides as one body.

use super::{Form, ValidationRow};
use crate::worlds::{GRAVITY, World};
use glam::{DQuat, DVec3};
use ropewalk_body::{Inertia, JointKind};
use ropewalk_geometry::{Collider, Shape};
use ropewalk_linalg::Pose;
use ropewalk_rod::{Material, RodBuilder, Section, SectionProperties};
use ropewalk_sim::{BodyShape, ContactSettings, Surface, measure};

/// Radius of the bar, m.
pub(super) const RADIUS: f64 = 2e-3;
const DT: f64 = 1e-3;
const FRICTION: f64 = 0.5;
/// σ of the contact law.
const SIGMA: f64 = 1e-3;
/// Time over which things slide, s.
const SECONDS: f64 = 1.0;

pub(crate) fn run(_: &Form) -> Vec<ValidationRow> {
    let rod = rows("", |angle, anchor| {
        let down = DQuat::from_rotation_y(angle) * DVec3::X;
        let mut world = bar_on_slope(angle, down, FRICTION, DT)?;
        world.model.contact = Some(ContactSettings { anchor, ..ContactSettings::default() });
        slide(&mut world)?;
        Some(mean_velocity(&world).dot(down))
    });
    let body = rows("box_", |angle, anchor| {
        let down = DQuat::from_rotation_y(angle) * DVec3::X;
        let mut world = box_on_slope(angle)?;
        world.model.contact = Some(ContactSettings { anchor, ..ContactSettings::default() });
        slide(&mut world)?;
        Some(measure::tree_kinematics(&world.model, &world.state, 1).linear[0].dot(down))
    });
    rod.into_iter().chain(body).collect()
}

/// The rows of something whose speed down the slope after [`SECONDS`], from rest, `speed` gives, with anchors or without.
fn rows(prefix: &str, speed: impl Fn(f64, bool) -> Option<f64>) -> [ValidationRow; 4] {
    let case = |what: &str| format!("incline/{prefix}{what}");
    let critical = FRICTION.atan();
    let found = edge_of_sticking(critical - 1f64.to_radians(), critical + 1f64.to_radians(), |angle| {
        speed(angle, true)
    });
    let (reference, measured) = (critical.to_degrees(), found.to_degrees());
    let threshold = ValidationRow::new(case("threshold"), reference, measured, measured - reference, 0.02);
    let steep = 0.7_f64;
    let acceleration = GRAVITY * (steep.sin() - FRICTION * steep.cos());
    let measured = speed(steep, true).unwrap_or(f64::NAN) / SECONDS;
    let slides = ValidationRow::relative(case("acceleration"), acceleration, measured, 1e-6);
    let gentle = 20f64.to_radians();
    let crept = speed(gentle, false).unwrap_or(f64::NAN);
    let ratio = crept / creep(gentle);
    let creeps = match prefix {
        // The error in halvings or doublings.
        "box_" => ValidationRow::new(case("creep"), creep(gentle), crept, ratio.log2(), 1.0),
        _ => ValidationRow::new(case("creep"), creep(gentle), crept, ratio, 2.0),
    };
    let stays = speed(gentle, true).unwrap_or(f64::NAN);
    let anchored = ValidationRow::new(case("anchored"), 0.0, stays, stays, 1e-9);
    [threshold, slides, creeps, anchored]
}

fn creep(angle: f64) -> f64 {
    SIGMA * GRAVITY * DT * angle.sin() / 3f64.sqrt()
}

/// The angle between `low` and `high` (rad) above which it slides, to a tenth of the tolerance.
fn edge_of_sticking(mut low: f64, mut high: f64, speed: impl Fn(f64) -> Option<f64>) -> f64 {
    let sticks = |angle: f64| Some(speed(angle)? < 2.0 * creep(angle));
    if sticks(low) != Some(true) || sticks(high) != Some(false) {
        return f64::NAN;
    }
    while high - low > 0.01f64.to_radians() {
        let middle = 0.5 * (low + high);
        match sticks(middle) {
            Some(true) => low = middle,
            Some(false) => high = middle,
            None => return f64::NAN,
        }
    }
    0.5 * (low + high)
}

fn slide(world: &mut World) -> Option<()> {
    for _ in 0..(SECONDS / DT).round() as usize {
        world.step()?;
    }
    Some(())
}

/// A free box at rest on a slope of `angle`; the slope is body 0, the box body 1.
fn box_on_slope(angle: f64) -> Option<World> {
    let turn = DQuat::from_rotation_y(angle);
    let mut world = World::new(DT);
    world.model.gravity = DVec3::NEG_Z * GRAVITY;
    world.add_fixed(&Shape::HalfSpace, Pose::new(DVec3::ZERO, turn), FRICTION)?;
    let shape = Shape::Box { size: DVec3::new(0.02, 0.02, 0.01) };
    let surface = Surface { friction: FRICTION, ..Surface::default() };
    let pose = Pose::new(turn * DVec3::Z * 0.005, turn);
    let collider = Collider::new(&shape).ok()?;
    let carried = BodyShape { link: 0, pose: Pose::IDENTITY, collider, surface, name: None };
    let properties = shape.mass_properties(1000.0).ok()?;
    let inertia = Inertia { mass: properties.mass, com: properties.com, about_com: properties.inertia };
    world.add_body(JointKind::Free, pose, inertia, vec![carried])?;
    Some(world)
}

/// A bar of four edges along `axis` on a slope of `angle`, which goes down along x.
pub(super) fn bar_on_slope(angle: f64, axis: DVec3, friction: f64, dt: f64) -> Option<World> {
    let turn = DQuat::from_rotation_y(angle);
    let up = turn * DVec3::Z;
    let nodes = (0..5).map(|i| up * RADIUS + axis * (0.005 * f64::from(i))).collect();
    let line_density = 0.02;
    let properties = SectionProperties {
        stretch: 1e4,
        bend: [0.1; 2],
        twist: 0.1,
        line_density,
        spin_inertia: 0.5 * line_density * RADIUS * RADIUS,
    };
    let section = Section::Stiffness { properties, radius: RADIUS };
    let mut world = World::new(dt);
    world.model.gravity = DVec3::NEG_Z * GRAVITY;
    // The material is not read where the section gives its stiffness outright.
    world.add_rod(RodBuilder::new(nodes, section, Material::from_poisson(1e7, 0.5, 1e3)), friction)?;
    world.add_fixed(&Shape::HalfSpace, Pose::new(DVec3::ZERO, turn), friction)?;
    Some(world)
}

/// Mean velocity of the edges of rod 0, m/s.
pub(super) fn mean_velocity(world: &World) -> DVec3 {
    let (rod, state) = (&world.model.rods[0], &world.state.rods[0]);
    let velocity = |e: usize| 0.5 * (state.velocity(e) + state.velocity(rod.edge_end(e)));
    (0..rod.edge_count()).map(velocity).sum::<DVec3>() / rod.edge_count() as f64
}
