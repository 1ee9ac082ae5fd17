//! Stages and frames from recordings.

use crate::color::{self, Color};
use crate::from_scene::turned;
use crate::mesh::Mesh;
use crate::stage::{ContactMark, Frame, LinkLook, RodFrame, RodLook, ShapeLook, Solid, Stage, TreeLook};
use glam::{DQuat, DVec3};
use ropewalk_geometry::TriangleMesh;
use ropewalk_linalg::Pose;
use ropewalk_scene::recording::binary_frame::FrameMessage;
use ropewalk_scene::recording::message::{ContactsMessage, Geometry, SceneMessage, ShapeInfo, StateMessage};
use std::sync::Arc;

impl Stage {
    /// The stage of a recording.
    pub fn of_recording(scene: &SceneMessage) -> Self {
        let rods = scene.rods.iter().enumerate().map(|(r, rod)| RodLook {
            name: rod.name.clone(),
            closed: rod.closed,
            half_extents: rod.half_extents.clone(),
            rest_lengths: rod.rest_lengths.clone(),
            color: rod.color.map_or(color::rod(r), Color::rgba),
        });
        let trees = scene.trees.iter().map(|tree| TreeLook {
            name: tree.name.clone(),
            robot: tree.robot,
            links: tree
                .links
                .iter()
                .map(|link| LinkLook {
                    name: link.name.clone(),
                    parent: link.parent,
                    shapes: link.shapes.iter().map(shape).collect(),
                })
                .collect(),
        });
        let mut stage = Self {
            name: scene.name.clone(),
            title: scene.title.clone(),
            rods: rods.collect(),
            trees: trees.collect(),
            clamps: Vec::new(),
        };
        stage.paint_trees(|t, l| scene.trees[t].links[l].color);
        stage
    }

    /// Checks that `frame` has as many nodes, edges and links as the stage; the error is the first mismatch.
    pub fn check_frame(&self, frame: &Frame) -> Result<(), String> {
        if frame.rods.len() != self.rods.len() || frame.trees.len() != self.trees.len() {
            return Err("the numbers of rods or bodies differ from those of the scene".to_owned());
        }
        for (look, rod) in self.rods.iter().zip(&frame.rods) {
            let edges = look.edge_count();
            if rod.nodes.len() != look.node_count()
                || rod.directors.len() != edges
                || look.rest_lengths.len() != edges
            {
                return Err(format!("rod '{}' has another number of nodes than in the scene", look.name));
            }
        }
        for (look, poses) in self.trees.iter().zip(&frame.trees) {
            if poses.len() != look.links.len() {
                return Err(format!("'{}' has another number of links than in the scene", look.name));
            }
        }
        Ok(())
    }
}

fn shape(info: &ShapeInfo) -> ShapeLook {
    let solid = match &info.geometry {
        Geometry::Sphere { radius } => Solid::Sphere { radius: *radius },
        Geometry::Box { size } => Solid::Box { size: DVec3::from(*size) },
        Geometry::Cylinder { radius, length } => Solid::Cylinder { radius: *radius, length: *length },
        Geometry::Capsule { radius, length } => Solid::Capsule { radius: *radius, length: *length },
        Geometry::HalfSpace => Solid::HalfSpace,
        Geometry::Mesh { vertices, triangles } => Solid::Mesh(Arc::new(Mesh::new(&TriangleMesh {
            vertices: vertices.iter().copied().map(DVec3::from).collect(),
            triangles: triangles.clone(),
        }))),
    };
    let pose = Pose::new(DVec3::from(info.position), DQuat::from_array(info.quat_xyzw));
    ShapeLook { pose, solid, color: Color::rgb8(0, 0, 0) }
}

impl RodFrame {
    /// From positions with twist angles (n, 4) and reference directors (e, 3), as in recordings.
    pub fn of_arrays(q: &[[f64; 4]], d1: &[[f64; 3]], tension: &[f64]) -> Self {
        let nodes: Vec<DVec3> = q.iter().map(|q| DVec3::new(q[0], q[1], q[2])).collect();
        let edges = d1.len().min(nodes.len());
        let m1 = |e: usize| {
            let tangent = (nodes[(e + 1) % nodes.len()] - nodes[e]).normalize_or_zero();
            turned(DVec3::from(d1[e]), tangent, q[e][3])
        };
        Self { directors: (0..edges).map(m1).collect(), tension: tension.to_vec(), nodes }
    }
}

/// A pose from position and quat_xyzw.
pub fn pose_of(numbers: [f64; 7]) -> Pose {
    let [x, y, z, a, b, c, d] = numbers;
    Pose::new(DVec3::new(x, y, z), DQuat::from_xyzw(a, b, c, d))
}

impl Frame {
    /// The frame of a message.
    pub fn of_message(state: &StateMessage) -> Self {
        Self {
            time: state.time,
            rods: state.rods.iter().map(|rod| RodFrame::of_arrays(&rod.q, &rod.d1, &rod.tension)).collect(),
            trees: state.trees.iter().map(|tree| tree.poses.iter().copied().map(pose_of).collect()).collect(),
            contacts: Vec::new(),
        }
    }
}

impl ContactMark {
    /// Those of a frame.
    pub fn of_frame(frame: &FrameMessage) -> Vec<Self> {
        let single = |v: [f32; 3]| DVec3::from(v.map(f64::from));
        frame.contacts.iter().map(|c| Self { point: single(c.point), force: single(c.force) }).collect()
    }

    /// Those of a state.
    pub fn of_message(message: &ContactsMessage) -> Vec<Self> {
        let marks = message.contacts.iter();
        marks.map(|c| Self { point: DVec3::from(c.point), force: DVec3::from(c.force) }).collect()
    }
}
