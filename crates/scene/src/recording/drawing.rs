//! Drawings of a moment for 3D panels of other tools: polylines, solids, arrows. [`super::foxglove`] and
//! [`super::ros2`] encode them.

use super::binary_frame::FrameMessage;
use super::message::{Geometry, LinkInfo, SceneMessage, ShapeInfo, TreeInfo};
use glam::{DQuat, DVec3};

/// Frame in which rods and contacts are given.
pub(super) const WORLD: &str = "world";
/// Default colors of rods, in turn; and of bodies, ground and contacts. Red, green, blue and opacity (sRGB).
const ROD_COLORS: [[f32; 4]; 6] = [
    [0.91, 0.58, 0.24, 1.0],
    [0.24, 0.54, 0.80, 1.0],
    [0.35, 0.70, 0.42, 1.0],
    [0.80, 0.31, 0.54, 1.0],
    [0.77, 0.68, 0.22, 1.0],
    [0.54, 0.43, 0.77, 1.0],
];
const BODY_COLOR: [f32; 4] = [0.70, 0.72, 0.75, 1.0];
const GROUND_COLOR: [f32; 4] = [0.55, 0.57, 0.60, 0.35];
/// Color of contacts.
pub(super) const CONTACT_COLOR: [f32; 4] = [0.90, 0.10, 0.10, 1.0];
/// Side and thickness in m of the drawn part of a half-space.
const GROUND: [f64; 3] = [10.0, 10.0, 1e-3];
/// Length of the arrow of the greatest contact force of a moment, in thicknesses of the thickest rod.
const FORCE_THICKNESSES: f64 = 10.0;
/// Thickness in m used if there is no rod.
const DEFAULT_THICKNESS: f64 = 0.01;

/// A solid about the origin of its frame, lengths in m.
pub(super) enum Solid<'a> {
    Box([f64; 3]),
    Ball { diameter: f64 },
    Cylinder { diameter: f64, length: f64 },
    Triangles { vertices: &'a [[f64; 3]], triangles: &'a [[u32; 3]] },
}

/// A solid in the frame of its link.
pub(super) struct Placed<'a> {
    pub(super) position: DVec3,
    pub(super) rotation: DQuat,
    pub(super) solid: Solid<'a>,
    pub(super) color: [f32; 4],
}

/// The solids that represent a shape of `link`.
pub(super) fn solids<'a>(link: &LinkInfo, shape: &'a ShapeInfo) -> Vec<Placed<'a>> {
    let (position, rotation) = (DVec3::from(shape.position), DQuat::from_array(shape.quat_xyzw));
    let color = link.color.map_or(BODY_COLOR, |c| c.map(|x| x as f32));
    let at =
        |z: f64, solid| Placed { position: position + rotation * (z * DVec3::Z), rotation, solid, color };
    match &shape.geometry {
        Geometry::Sphere { radius } => vec![at(0.0, Solid::Ball { diameter: 2.0 * radius })],
        Geometry::Box { size } => vec![at(0.0, Solid::Box(*size))],
        Geometry::Cylinder { radius, length } => {
            vec![at(0.0, Solid::Cylinder { diameter: 2.0 * radius, length: *length })]
        }
        Geometry::Capsule { radius, length } => {
            let diameter = 2.0 * radius;
            let ball = |z| at(z, Solid::Ball { diameter });
            let middle = at(0.0, Solid::Cylinder { diameter, length: *length });
            vec![middle, ball(0.5 * length), ball(-0.5 * length)]
        }
        Geometry::HalfSpace => {
            vec![Placed { color: GROUND_COLOR, ..at(-0.5 * GROUND[2], Solid::Box(GROUND)) }]
        }
        Geometry::Mesh { vertices, triangles } => vec![at(0.0, Solid::Triangles { vertices, triangles })],
    }
}

/// The frame of a link.
pub(super) fn frame_name(tree: &TreeInfo, link: &LinkInfo) -> String {
    format!("{}/{}", tree.name, link.name)
}

/// A rod as a polyline.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) closed: bool,
    /// m
    pub(super) thickness: f64,
    pub(super) points: &'a [[f32; 5]],
    pub(super) color: [f32; 4],
}

/// The rods of a moment. The frame fits the scene.
pub(super) fn lines<'a>(scene: &'a SceneMessage, frame: &'a FrameMessage) -> impl Iterator<Item = Line<'a>> {
    let mut rest = frame.nodes.as_slice();
    scene.rods.iter().enumerate().map(move |(r, rod)| {
        let (points, after) = rest.split_at(rod.node_count.min(rest.len()));
        rest = after;
        let color = rod.color.map_or(ROD_COLORS[r % ROD_COLORS.len()], |c| c.map(|x| x as f32));
        Line { name: &rod.name, closed: rod.closed, thickness: thickness(&rod.half_extents), points, color }
    })
}

fn thickness(half_extents: &[[f64; 2]]) -> f64 {
    2.0 * half_extents.iter().flatten().copied().fold(0.0, f64::max)
}

/// A contact force as an arrow.
pub(super) struct Arrow {
    pub(super) from: DVec3,
    /// From its tail to its head, m.
    pub(super) along: DVec3,
    /// m
    pub(super) thickness: f64,
}

/// The contact forces of a moment, on the first side of each contact, and the scale in m/N.
pub(super) fn arrows(scene: &SceneMessage, frame: &FrameMessage) -> (Vec<Arrow>, f64) {
    let thickest = scene.rods.iter().map(|rod| thickness(&rod.half_extents)).fold(0.0, f64::max);
    let thickest = if thickest > 0.0 { thickest } else { DEFAULT_THICKNESS };
    let vector = |x: [f32; 3]| DVec3::new(x[0].into(), x[1].into(), x[2].into());
    let greatest = frame.contacts.iter().map(|c| vector(c.force).length()).fold(0.0, f64::max);
    let scale = if greatest > 0.0 { FORCE_THICKNESSES * thickest / greatest } else { 0.0 };
    let arrow = |c: &super::binary_frame::FrameContact| Arrow {
        from: vector(c.point),
        along: scale * vector(c.force),
        thickness: 0.25 * thickest,
    };
    (frame.contacts.iter().map(arrow).collect(), scale)
}
