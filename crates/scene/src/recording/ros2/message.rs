//! Moments of a recording as ROS 2 messages.

use super::super::binary_frame::FrameMessage;
use super::super::drawing::{self, CONTACT_COLOR, Placed, Solid, WORLD};
use super::super::foxglove::Time;
use super::super::message::{SceneMessage, WrenchInfo};
use super::cdr::Cdr;
use glam::{DQuat, DVec3};

/// Kinds and actions of markers.
const LINE_LIST: i32 = 5;
const CUBE: i32 = 1;
const SPHERE: i32 = 2;
const CYLINDER: i32 = 3;
const LINE_STRIP: i32 = 4;
const TRIANGLE_LIST: i32 = 11;
const ADD: i32 = 0;
const DELETE: i32 = 2;

fn header(cdr: &mut Cdr, time: f64, frame: &str) {
    let (sec, nsec) = Time::of(time).parts();
    cdr.i32(i32::try_from(sec).unwrap_or(i32::MAX)).u32(nsec).string(frame);
}

/// A joint with one degree of freedom.
pub(super) struct Joint {
    pub(super) name: String,
    /// Indices of the tree and the link.
    pub(super) tree: usize,
    pub(super) link: usize,
    /// Its indices in the positions and velocities of the tree.
    pub(super) q: usize,
    pub(super) v: usize,
}

/// `sensor_msgs/msg/JointState`: position, velocity and effort of each joint.
pub(super) fn joint_state(time: f64, joints: &[Joint], numbers: &[[f64; 3]]) -> Vec<u8> {
    let mut cdr = Cdr::new();
    header(&mut cdr, time, "");
    cdr.count(joints.len());
    for joint in joints {
        cdr.string(&joint.name);
    }
    for k in 0..3 {
        cdr.count(numbers.len()).f64s(numbers.iter().map(|n| n[k]));
    }
    cdr.finish()
}

/// `tf2_msgs/msg/TFMessage`: the frame of each link in the world.
pub(super) fn transforms(scene: &SceneMessage, frame: &FrameMessage) -> Vec<u8> {
    let mut cdr = Cdr::new();
    let links = scene.trees.iter().flat_map(|tree| tree.links.iter().map(move |link| (tree, link)));
    cdr.count(frame.links.len());
    for ((tree, link), pose) in links.zip(&frame.links) {
        header(&mut cdr, frame.time, WORLD);
        cdr.string(&drawing::frame_name(tree, link)).f64s(pose.map(f64::from));
    }
    cdr.finish()
}

/// `geometry_msgs/msg/WrenchStamped` in world axes.
pub(super) fn wrench(time: f64, wrench: &WrenchInfo) -> Vec<u8> {
    let mut cdr = Cdr::new();
    header(&mut cdr, time, WORLD);
    cdr.f64s(wrench.force).f64s(wrench.torque);
    cdr.finish()
}

/// One marker.
struct Marker<'a> {
    frame: &'a str,
    namespace: &'a str,
    id: usize,
    kind: i32,
    action: i32,
    pose: (DVec3, DQuat),
    scale: [f64; 3],
    color: [f32; 4],
    locked: bool,
    points: Vec<DVec3>,
}

impl Default for Marker<'_> {
    fn default() -> Self {
        Self {
            frame: WORLD,
            namespace: "",
            id: 0,
            kind: CUBE,
            action: ADD,
            pose: (DVec3::ZERO, DQuat::IDENTITY),
            scale: [1.0; 3],
            color: [1.0; 4],
            locked: false,
            points: Vec::new(),
        }
    }
}

impl Marker<'_> {
    fn write(&self, cdr: &mut Cdr, time: f64) {
        header(cdr, time, self.frame);
        cdr.string(self.namespace).i32(i32::try_from(self.id).unwrap_or(i32::MAX));
        cdr.i32(self.kind).i32(self.action);
        cdr.f64s(self.pose.0.to_array()).f64s(self.pose.1.to_array()).f64s(self.scale);
        for part in self.color {
            cdr.f32(part);
        }
        // It stays until it is replaced.
        cdr.i32(0).u32(0).flag(self.locked).count(self.points.len());
        for point in &self.points {
            cdr.f64s(point.to_array());
        }
        // No colors of points; no texture: its name, an image (header, format, data), coordinates.
        cdr.count(0).string("");
        header(cdr, 0.0, "");
        cdr.string("").count(0).count(0);
        // No text, no file of a mesh (its address; name and data), no materials.
        cdr.string("").string("").string("").count(0).flag(false);
    }
}

/// `visualization_msgs/msg/MarkerArray`: rods and contact forces; with `shapes` those of the links too, each in the frame of its
/// link.
pub(super) fn markers(scene: &SceneMessage, frame: &FrameMessage, shapes: bool) -> Vec<u8> {
    let mut cdr = Cdr::new();
    let frames: Vec<(String, Vec<Placed<'_>>)> = if shapes { link_solids(scene) } else { Vec::new() };
    let solid_count: usize = frames.iter().map(|(_, solids)| solids.len()).sum();
    cdr.count(solid_count + scene.rods.len() + 1);
    for (name, solids) in &frames {
        for (id, placed) in solids.iter().enumerate() {
            let marker = Marker { frame: name, namespace: name, id, locked: true, ..solid(placed) };
            marker.write(&mut cdr, frame.time);
        }
    }
    for (id, line) in drawing::lines(scene, frame).enumerate() {
        let point = |p: &[f32; 5]| DVec3::new(p[0].into(), p[1].into(), p[2].into());
        let again = line.points.first().filter(|_| line.closed);
        let marker = Marker {
            namespace: "rods",
            id,
            kind: LINE_STRIP,
            scale: [line.thickness, 0.0, 0.0],
            color: line.color,
            points: line.points.iter().chain(again).map(point).collect(),
            ..Marker::default()
        };
        marker.write(&mut cdr, frame.time);
    }
    let (arrows, _) = drawing::arrows(scene, frame);
    // Viewers reject a list of lines without points.
    let marker = Marker {
        namespace: "contacts",
        kind: LINE_LIST,
        action: if arrows.is_empty() { DELETE } else { ADD },
        scale: [arrows.first().map_or(1.0, |a| a.thickness), 0.0, 0.0],
        color: CONTACT_COLOR,
        points: arrows.iter().flat_map(|a| [a.from, a.from + a.along]).collect(),
        ..Marker::default()
    };
    marker.write(&mut cdr, frame.time);
    cdr.finish()
}

fn link_solids(scene: &SceneMessage) -> Vec<(String, Vec<Placed<'_>>)> {
    let links = scene.trees.iter().flat_map(|tree| tree.links.iter().map(move |link| (tree, link)));
    let solids = links.map(|(tree, link)| {
        let solids = link.shapes.iter().flat_map(|shape| drawing::solids(link, shape));
        (drawing::frame_name(tree, link), solids.collect())
    });
    solids.collect()
}

fn solid<'a>(placed: &Placed<'_>) -> Marker<'a> {
    let marker =
        Marker { pose: (placed.position, placed.rotation), color: placed.color, ..Marker::default() };
    match placed.solid {
        Solid::Box(size) => Marker { kind: CUBE, scale: size, ..marker },
        Solid::Ball { diameter } => Marker { kind: SPHERE, scale: [diameter; 3], ..marker },
        Solid::Cylinder { diameter, length } => {
            Marker { kind: CYLINDER, scale: [diameter, diameter, length], ..marker }
        }
        Solid::Triangles { vertices, triangles } => {
            let corner = |&v: &u32| DVec3::from(vertices[v as usize]);
            let points = triangles.as_flattened().iter().map(corner).collect();
            Marker { kind: TRIANGLE_LIST, points, ..marker }
        }
    }
}
