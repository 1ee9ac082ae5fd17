//! Stages for tests.
#![allow(dead_code, clippy::unwrap_used)]

use glam::DVec3;
use ropewalk_linalg::Pose;
use ropewalk_render::stage::{LinkLook, RodFrame, RodLook, ShapeLook, Solid, TreeLook};
use ropewalk_render::{Camera, Color, Frame, ImageSize, Projection, Stage};

/// A stage with nothing on it, and its frame.
pub(crate) fn empty() -> (Stage, Frame) {
    (Stage { name: "test".to_owned(), title: "A test".to_owned(), ..Stage::default() }, Frame::default())
}

/// Adds a body of one solid.
pub(crate) fn add_body(
    (stage, frame): &mut (Stage, Frame),
    name: &str,
    solid: Solid,
    pose: Pose,
    color: Color,
) {
    let shape = ShapeLook { pose: Pose::IDENTITY, solid, color };
    let link = LinkLook { name: name.to_owned(), parent: None, shapes: vec![shape] };
    stage.trees.push(TreeLook { name: name.to_owned(), robot: false, links: vec![link] });
    frame.trees.push(vec![pose]);
}

/// Adds a rod through nodes with the half extents of its section; its directors are as near to `director` as they can be.
pub(crate) fn add_rod(
    (stage, frame): &mut (Stage, Frame),
    name: &str,
    (nodes, closed): (Vec<DVec3>, bool),
    half_extents: [f64; 2],
    director: DVec3,
    color: Color,
) {
    let edges = if closed { nodes.len() } else { nodes.len() - 1 };
    let edge = |e: usize| nodes[(e + 1) % nodes.len()] - nodes[e];
    let m1 = |e: usize| {
        let t = edge(e).normalize();
        (director - t * director.dot(t)).normalize()
    };
    stage.rods.push(RodLook {
        name: name.to_owned(),
        closed,
        half_extents: vec![half_extents; edges],
        rest_lengths: (0..edges).map(|e| edge(e).length()).collect(),
        color,
    });
    let (directors, tension) = ((0..edges).map(m1).collect(), vec![0.0; edges]);
    frame.rods.push(RodFrame { nodes, directors, tension });
}

/// A camera of either kind at `eye` that looks at `target`.
pub(crate) fn cameras(eye: DVec3, target: DVec3) -> [Camera; 2] {
    [Projection::Perspective { field_of_view: 0.7 }, Projection::Orthographic { height: 2.0 }]
        .map(|projection| Camera { eye, target, up: DVec3::Z, projection })
}

/// A size.
pub(crate) fn size(width: u64, height: u64) -> ImageSize {
    ImageSize::new(width, height).unwrap()
}

/// Origin and direction in the world of the ray through the center of a pixel; the direction has length one along the
/// optical axis.
pub(crate) fn ray(camera: &Camera, size: ImageSize, column: usize, row: usize) -> (DVec3, DVec3) {
    let [right, down, forward] = camera.axes();
    let f = camera.focal_length(size);
    let x = (column as f64 + 0.5 - 0.5 * size.width() as f64) / f;
    let y = (row as f64 + 0.5 - 0.5 * size.height() as f64) / f;
    match camera.projection {
        Projection::Perspective { .. } => (camera.eye, forward + right * x + down * y),
        Projection::Orthographic { .. } => (camera.eye + right * x + down * y, forward),
    }
}
