//! Worlds, rods and bodies for tests of the step.
// Each test file uses its part of this; what goes wrong here is a failed test.
#![allow(dead_code, unused_imports, clippy::unwrap_used, clippy::panic)]

mod world;

use core::f64::consts::PI;
use glam::DVec3;
use ropewalk_body::{Inertia, Joint, JointKind, Link, Tree};
use ropewalk_geometry::{Collider, Shape};
use ropewalk_linalg::Pose;
use ropewalk_rod::{Material, Section, SectionProperties};
use ropewalk_sim::{BaseMotion, BodyShape, Surface, TimeFunction, TreeModel};
pub(crate) use ropewalk_testing::Random;
pub(crate) use world::World;

/// `n` nodes along x, from `from` over `length`.
pub(crate) fn line(n: usize, from: f64, length: f64) -> Vec<DVec3> {
    (0..n).map(|i| DVec3::X * (from + length * i as f64 / (n - 1) as f64)).collect()
}

/// Nodes along x with the first edge centered on the origin, so that a clamp on it holds the rod at x = 0 and the free
/// length is `length`, of `segments` and a half edges.
pub(crate) fn clamped_line(segments: usize, length: f64) -> Vec<DVec3> {
    let h = length / (segments as f64 + 0.5);
    (0..segments + 2).map(|i| DVec3::X * (h * (i as f64 - 0.5))).collect()
}

/// Stiffness given outright: EA, EI (both ways), GJ, line density and spin inertia.
pub(crate) fn stiffness(
    stretch: f64,
    bend: f64,
    twist: f64,
    line_density: f64,
    spin_inertia: f64,
) -> Section {
    let properties = SectionProperties { stretch, bend: [bend; 2], twist, line_density, spin_inertia };
    Section::Stiffness { properties, radius: 1e-3 }
}

/// Rubber: 1 MPa, ν = 0.4, 1000 kg/m³.
pub(crate) fn rubber() -> Material {
    Material::from_poisson(1e6, 0.4, 1000.0)
}

pub(crate) fn circle(n: usize, radius: f64) -> Vec<DVec3> {
    (0..n)
        .map(|i| {
            let (s, c) = (2.0 * PI * i as f64 / n as f64).sin_cos();
            DVec3::new(c, s, 0.0) * radius
        })
        .collect()
}

/// From 0 to `end` in the first `seconds`, then constant.
pub(crate) fn ramp(end: f64, seconds: f64) -> TimeFunction {
    TimeFunction::Ramp { times: [0.0, seconds], values: [0.0, end], interpolation: Default::default() }
}

/// A body of one link on a joint, in a gravity field.
pub(crate) fn body(kind: JointKind, at: Pose, inertia: Inertia, shapes: Vec<BodyShape>) -> TreeModel {
    let joint = Joint::new("joint", kind, Pose::IDENTITY);
    let link = Link { name: "body".into(), parent: None, joint, inertia };
    TreeModel {
        name: "body".into(),
        tree: Tree::new(vec![link]).unwrap(),
        base: BaseMotion::Fixed(at),
        heavy: true,
        shapes,
    }
}

/// The shape of a body's first link.
pub(crate) fn body_shape(shape: &Shape, friction: f64) -> BodyShape {
    BodyShape {
        link: 0,
        pose: Pose::IDENTITY,
        collider: Collider::new(shape).unwrap(),
        surface: Surface { friction, ..Surface::default() },
        name: None,
    }
}
