//! The contents of a picture: the stage, which is constant, and a frame with all positions.
//!
//! Both are plain data. They are filled from a scene and its states ([`crate::from_scene`]) and from recordings
//! ([`crate::from_recording`]) alike.

use crate::color::{self, Color};
use crate::mesh::Mesh;
use glam::DVec3;
use ropewalk_linalg::Pose;
use std::sync::Arc;

/// Everything in the picture, with its shape and color.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Name of the scene, for captions.
    pub name: String,
    /// What it shows, in one line.
    pub title: String,
    /// Rods.
    pub rods: Vec<RodLook>,
    /// Bodies and robots, each a tree of links.
    pub trees: Vec<TreeLook>,
    /// Clamps of rods.
    pub clamps: Vec<ClampLook>,
}

/// A rod.
#[derive(Clone, Debug)]
pub struct RodLook {
    /// Name.
    pub name: String,
    /// Whether the last node is joined to the first.
    pub closed: bool,
    /// Half the thickness of the section of each edge along the directors m1 and m2 in m; equal for a round section.
    pub half_extents: Vec<[f64; 2]>,
    /// Length of each edge at rest in m.
    pub rest_lengths: Vec<f64>,
    /// Its color.
    pub color: Color,
}

impl RodLook {
    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.half_extents.len()
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.edge_count() + usize::from(!self.closed)
    }

    /// The node at the end of edge `e`.
    pub fn edge_end(&self, e: usize) -> usize {
        if self.closed && e + 1 == self.edge_count() { 0 } else { e + 1 }
    }
}

/// A body or a robot.
#[derive(Clone, Debug)]
pub struct TreeLook {
    /// Name.
    pub name: String,
    /// Whether it is a robot; else it is a body.
    pub robot: bool,
    /// Links; parents come before their children.
    pub links: Vec<LinkLook>,
}

/// A link.
#[derive(Clone, Debug)]
pub struct LinkLook {
    /// Name.
    pub name: String,
    /// Index of the parent; `None` for the root.
    pub parent: Option<usize>,
    /// Its shapes.
    pub shapes: Vec<ShapeLook>,
}

/// A shape of a link.
#[derive(Clone, Debug)]
pub struct ShapeLook {
    /// The shape's frame in the link.
    pub pose: Pose,
    /// What it is.
    pub solid: Solid,
    /// Its color.
    pub color: Color,
}

/// A solid in its own frame. Lengths in m.
#[derive(Clone, Debug)]
pub enum Solid {
    /// Ball about the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Box about the origin.
    Box {
        /// Full lengths along x, y and z.
        size: DVec3,
    },
    /// Cylinder about the z axis, centered.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full length.
        length: f64,
    },
    /// Capsule about the z axis, centered.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length between the centers of its caps.
        length: f64,
    },
    /// All points with z ≤ 0.
    HalfSpace,
    /// A surface of triangles.
    Mesh(Arc<Mesh>),
}

impl Solid {
    /// Points in its own frame whose convex hull contains it; none for a half-space.
    pub fn hull_points(&self) -> Vec<DVec3> {
        let corners = |half: DVec3| {
            (0..8)
                .map(|i| half * DVec3::from([1, 2, 4].map(|bit| if i & bit == 0 { -1.0 } else { 1.0 })))
                .collect()
        };
        match self {
            Self::Sphere { radius } => corners(DVec3::splat(*radius)),
            Self::Box { size } => corners(0.5 * *size),
            Self::Cylinder { radius, length } => corners(DVec3::new(*radius, *radius, 0.5 * length)),
            Self::Capsule { radius, length } => corners(DVec3::new(*radius, *radius, 0.5 * length + radius)),
            Self::HalfSpace => Vec::new(),
            Self::Mesh(mesh) => mesh.corners_of_bounds(),
        }
    }
}

/// A clamp on a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClampLook {
    /// Index of the rod.
    pub rod: usize,
    /// The clamped node or edge.
    pub hold: ClampedPart,
    /// Time of release in s; infinite for never.
    pub release_time: f64,
}

/// The clamped part of a rod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClampedPart {
    /// A node.
    Node(usize),
    /// An edge.
    Edge(usize),
}

/// All positions at one time.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Time in s.
    pub time: f64,
    /// Rods, in the order of [`Stage::rods`].
    pub rods: Vec<RodFrame>,
    /// Poses of the links, in the order of [`Stage::trees`].
    pub trees: Vec<Vec<Pose>>,
    /// Contacts that push.
    pub contacts: Vec<ContactMark>,
}

/// A rod at one time: n nodes, e edges.
#[derive(Clone, Debug, Default)]
pub struct RodFrame {
    /// Positions of the n nodes in m.
    pub nodes: Vec<DVec3>,
    /// Material director m1 of each of the e edges.
    pub directors: Vec<DVec3>,
    /// Tension of each of the e edges in N, positive in pull.
    pub tension: Vec<f64>,
}

/// A contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMark {
    /// Its position in m.
    pub point: DVec3,
    /// Force on its first side in N.
    pub force: DVec3,
}

/// A thing with its own number in a mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// `rod`, `body` or `robot`.
    pub kind: &'static str,
    /// Name of the rod, body or robot.
    pub name: String,
    /// Name of the link; empty for a rod.
    pub link: String,
}

impl Stage {
    /// Meaning of the numbers of a mask: number k is entry k − 1, and 0 is the background. Rods come first, then the
    /// links of each tree.
    pub fn instances(&self) -> Vec<Instance> {
        let rods =
            self.rods.iter().map(|rod| Instance { kind: "rod", name: rod.name.clone(), link: String::new() });
        let links = self.trees.iter().flat_map(|tree| {
            tree.links.iter().map(|link| Instance {
                kind: if tree.robot { "robot" } else { "body" },
                name: tree.name.clone(),
                link: link.name.clone(),
            })
        });
        rods.chain(links).collect()
    }

    /// Sets the color of every shape of the trees: that in `given` by tree and link, otherwise a default color, with
    /// bodies and robots in turn.
    pub(crate) fn paint_trees(&mut self, given: impl Fn(usize, usize) -> Option<[f64; 4]>) {
        let (mut bodies, mut robots) = (0, 0);
        for (t, tree) in self.trees.iter_mut().enumerate() {
            let count = tree.links.iter().filter(|link| !link.shapes.is_empty()).count();
            let mut place = 0;
            for (l, link) in tree.links.iter_mut().enumerate() {
                let told = given(t, l).map(Color::rgba);
                let own = match tree.robot {
                    true => color::robot(robots, place, count),
                    false => color::body(bodies + place),
                };
                place += usize::from(!link.shapes.is_empty());
                for shape in &mut link.shapes {
                    let ground = matches!(shape.solid, Solid::HalfSpace);
                    shape.color = told.unwrap_or(if ground { color::GROUND } else { own });
                }
            }
            let ground =
                tree.links.iter().flat_map(|l| &l.shapes).all(|s| matches!(s.solid, Solid::HalfSpace));
            match tree.robot {
                true => robots += 1,
                false if !ground => bodies += 1,
                false => {}
            }
        }
    }

    /// Points whose convex hull contains everything that is bounded at the time of `frame`, for cameras and shadows.
    pub fn points(&self, frame: &Frame) -> Vec<DVec3> {
        let mut out: Vec<DVec3> = frame.rods.iter().flat_map(|rod| rod.nodes.iter().copied()).collect();
        for (tree, poses) in self.trees.iter().zip(&frame.trees) {
            for (link, pose) in tree.links.iter().zip(poses) {
                for shape in &link.shapes {
                    let pose = *pose * shape.pose;
                    out.extend(shape.solid.hull_points().into_iter().map(|p| pose.point(p)));
                }
            }
            if tree.links.iter().all(|link| link.shapes.is_empty()) {
                out.extend(poses.iter().map(|pose| pose.position));
            }
        }
        out.retain(|p| p.is_finite());
        out
    }
}
