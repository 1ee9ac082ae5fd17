//! Stages and frames from scenes and their states.

use crate::color::{self, Color};
use crate::mesh::Mesh;
use crate::stage::{
    ClampLook, ClampedPart, ContactMark, Frame, LinkLook, RodFrame, RodLook, ShapeLook, Solid, Stage,
    TreeLook,
};
use glam::DVec3;
use ropewalk_geometry::{Shape, hull::convex_hull};
use ropewalk_linalg::Pose;
use ropewalk_rod::{Rod, RodState};
use ropewalk_sim::{Hold, Model, State, Workspace, measure};
use std::sync::Arc;

impl Stage {
    /// The stage of a scene.
    pub fn of_scene(scene: &ropewalk_scene::Scene) -> Self {
        let (model, bodies, colors) = (&scene.model, &scene.bodies, &scene.colors);
        let rods = model.rod_names.iter().zip(&model.rods).enumerate().map(|(r, (name, rod))| RodLook {
            name: name.clone(),
            closed: rod.closed(),
            half_extents: rod.half_extents().to_vec(),
            rest_lengths: rod.rest_lengths().to_vec(),
            color: colors.rods.get(r).copied().flatten().map_or(color::rod(r), Color::rgba),
        });
        let trees = model.trees.iter().enumerate().map(|(t, tree)| {
            let visuals = scene.visuals(t);
            let look = |pose: Pose, shape: &Shape| ShapeLook {
                pose,
                solid: solid(shape),
                color: Color::rgb8(0, 0, 0),
            };
            let links = tree.tree.links().iter().enumerate().map(|(l, link)| {
                // Visual shapes of the file, otherwise collision shapes.
                let seen: Vec<ShapeLook> =
                    visuals.iter().filter(|v| v.link == l).map(|v| look(v.pose, &v.shape)).collect();
                let touching = || tree.shapes.iter().filter(|s| s.link == l);
                let shapes = if seen.is_empty() {
                    touching().map(|s| look(s.pose, s.collider.shape())).collect()
                } else {
                    seen
                };
                LinkLook { name: link.name.clone(), parent: link.parent, shapes }
            });
            let robot = !bodies.iter().any(|body| body.tree == t);
            TreeLook { name: tree.name.clone(), robot, links: links.collect() }
        });
        let clamps = model.clamps.iter().filter_map(|clamp| {
            let hold = match clamp.hold {
                Hold::Node(node) => ClampedPart::Node(node),
                Hold::Edge(edge) | Hold::EdgeFreeSpin(edge) => ClampedPart::Edge(edge),
                // Clamps of the twist alone are not visible.
                Hold::Spin(_) => return None,
            };
            Some(ClampLook { rod: clamp.rod, hold, release_time: clamp.release_time })
        });
        let mut stage = Self {
            name: scene.name.clone(),
            title: scene.title.clone(),
            rods: rods.collect(),
            trees: trees.collect(),
            clamps: clamps.collect(),
        };
        stage.paint_trees(|t, l| colors.links.get(t)?.get(l).copied().flatten());
        stage
    }
}

fn solid(shape: &Shape) -> Solid {
    match shape {
        Shape::Sphere { radius } => Solid::Sphere { radius: *radius },
        Shape::Box { size } => Solid::Box { size: *size },
        Shape::Cylinder { radius, length } => Solid::Cylinder { radius: *radius, length: *length },
        Shape::Capsule { radius, length } => Solid::Capsule { radius: *radius, length: *length },
        Shape::HalfSpace => Solid::HalfSpace,
        // A collider that was made has a hull; without one its own triangles would be all there is to draw.
        Shape::Convex(points) => Solid::Mesh(Arc::new(match convex_hull(&points.vertices) {
            Ok(hull) => Mesh::new(&hull.mesh()),
            Err(_) => Mesh::new(points),
        })),
        Shape::Mesh(triangles) => Solid::Mesh(Arc::new(Mesh::new(triangles))),
        Shape::Heightfield(field) => Solid::Mesh(Arc::new(Mesh::new(&field.triangles()))),
    }
}

impl Frame {
    /// The frame of a state.
    pub fn of_state(model: &Model, state: &State) -> Self {
        let rod_frame = |(r, (rod, s)): (usize, (&Rod, &RodState))| {
            let m1 = |e: usize| turned(s.director(e), s.tangent(rod, e), s.q[e][3]);
            RodFrame {
                nodes: measure::positions(state, r),
                directors: (0..rod.edge_count()).map(m1).collect(),
                tension: measure::tension(model, state, r),
            }
        };
        Self {
            time: state.time,
            rods: model.rods.iter().zip(&state.rods).enumerate().map(rod_frame).collect(),
            trees: (0..model.trees.len()).map(|t| measure::tree_kinematics(model, state, t).poses).collect(),
            contacts: Vec::new(),
        }
    }

    /// Adds the contacts of the last step that push.
    #[must_use]
    pub fn with_contacts(mut self, workspace: &Workspace) -> Self {
        let pushing = workspace.contacts().filter(|c| c.normal_force() > 0.0);
        self.contacts = pushing.map(|c| ContactMark { point: c.point, force: c.force }).collect();
        self
    }
}

/// The material director m1: a reference director rotated by the twist angle about the tangent.
pub(crate) fn turned(director: DVec3, tangent: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = angle.sin_cos();
    director * cos + tangent.cross(director) * sin
}
