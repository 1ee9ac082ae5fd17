//! The scene as a message.

use super::FORMAT;
use super::message::{ActuatorInfo, Geometry, LinkInfo, RodInfo, SceneMessage, ShapeInfo, TreeInfo};
use crate::Scene;
use ropewalk_body::JointKind;
use ropewalk_geometry::hull::convex_hull;
use ropewalk_geometry::{Shape, TriangleMesh};
use ropewalk_sim::TreeModel;

/// Describes `scene`, of which a frame is recorded every `frame_interval` (s).
pub fn describe(scene: &Scene, frame_interval: f64) -> SceneMessage {
    let model = &scene.model;
    let rods = model.rod_names.iter().zip(&model.rods).enumerate().map(|(r, (name, rod))| RodInfo {
        name: name.clone(),
        closed: rod.closed(),
        node_count: rod.node_count(),
        edge_count: rod.edge_count(),
        half_extents: rod.half_extents().to_vec(),
        rest_lengths: rod.rest_lengths().to_vec(),
        mass: rod.masses().iter().map(|m| m[0]).sum(),
        color: scene.colors.rods.get(r).copied().flatten(),
    });
    let trees = model.trees.iter().enumerate().map(|(t, tree)| TreeInfo {
        name: tree.name.clone(),
        robot: !scene.bodies.iter().any(|body| body.tree == t),
        links: links(tree, scene.colors.links.get(t).map_or(&[], Vec::as_slice)),
    });
    let actuators = model.actuators.iter().map(|a| {
        let kind = &model.trees[a.tree].tree.links()[a.link].joint.kind;
        // The first two degrees of freedom of a joint in a plane slide, as do the first three of a free one.
        let slides = match kind {
            JointKind::Prismatic { .. } => true,
            JointKind::Planar { .. } => a.dof < 2,
            JointKind::Free => a.dof < 3,
            _ => false,
        };
        let unit = if slides { "N" } else { "N·m" };
        ActuatorInfo { name: a.name.clone(), tree: a.tree, link: a.link, unit: unit.to_owned() }
    });
    SceneMessage {
        format: FORMAT,
        ropewalk: env!("CARGO_PKG_VERSION").to_owned(),
        name: scene.name.clone(),
        title: scene.title.clone(),
        gravity: model.gravity.to_array(),
        dt: model.settings.dt,
        frame_interval,
        rods: rods.collect(),
        trees: trees.collect(),
        clamps: model.clamps.iter().map(|c| c.name.clone()).collect(),
        attachments: model.attachments.iter().map(|a| a.name.clone()).collect(),
        actuators: actuators.collect(),
        text: scene.origin.text.clone(),
        overrides: scene.origin.overrides.clone(),
    }
}

fn links(tree: &TreeModel, colors: &[Option<[f64; 4]>]) -> Vec<LinkInfo> {
    let links = tree.tree.links().iter().enumerate().map(|(l, link)| {
        let shapes = tree.shapes.iter().filter(|s| s.link == l).map(|s| ShapeInfo {
            name: s.name.clone(),
            position: s.pose.position.to_array(),
            quat_xyzw: s.pose.rotation.to_array(),
            geometry: geometry(s.collider.shape()),
        });
        LinkInfo {
            name: link.name.clone(),
            parent: link.parent,
            joint: link.joint.name.clone(),
            joint_kind: joint_kind(&link.joint.kind).to_owned(),
            mass: link.inertia.mass,
            shapes: shapes.collect(),
            color: colors.get(l).copied().flatten(),
        }
    });
    links.collect()
}

fn joint_kind(kind: &JointKind) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Continuous { .. } => "continuous",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Ball => "ball",
        JointKind::Universal { .. } => "universal",
        JointKind::Planar { .. } => "planar",
        JointKind::Free => "free",
    }
}

fn geometry(shape: &Shape) -> Geometry {
    match shape {
        Shape::Sphere { radius } => Geometry::Sphere { radius: *radius },
        Shape::Box { size } => Geometry::Box { size: size.to_array() },
        Shape::Cylinder { radius, length } => Geometry::Cylinder { radius: *radius, length: *length },
        Shape::Capsule { radius, length } => Geometry::Capsule { radius: *radius, length: *length },
        Shape::HalfSpace => Geometry::HalfSpace,
        // A collider that was made has a hull; without one its own triangles would be all there is to draw.
        Shape::Convex(points) => match convex_hull(&points.vertices) {
            Ok(hull) => mesh(&hull.mesh()),
            Err(_) => mesh(points),
        },
        Shape::Mesh(triangles) => mesh(triangles),
        Shape::Heightfield(field) => mesh(&field.triangles()),
    }
}

fn mesh(mesh: &TriangleMesh) -> Geometry {
    Geometry::Mesh {
        vertices: mesh.vertices.iter().map(|v| v.to_array()).collect(),
        triangles: mesh.triangles.clone(),
    }
}
