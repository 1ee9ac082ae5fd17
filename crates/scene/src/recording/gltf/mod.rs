//! Exports a recording as a glTF 2.0 file (`.glb`) with an animation, for viewers and tools of computer graphics.
//!
//! A rod is a tube: rings of vertices, one for each node, each moved by a joint of a skin. Joints have the position and
//! the material frame of their node, so the animation is small (seven numbers for each node and frame, where morph
//! targets would need six for each vertex) and all common viewers play it. A link is a node with the meshes of its
//! shapes. glTF has y up: a node at the root turns everything.
//!
//! | module | contents |
//! |---|---|
//! | [`buffer`] | the binary part |
//! | [`tube`] | rods |
//! | [`solid`] | shapes |
//! | [`track`] | the motion of nodes |
//!
//! Source: Khronos Group, glTF 2.0 Specification.

mod buffer;
mod solid;
mod track;
mod tube;

use super::Recording;
use super::message::{SceneMessage, StateMessage};
use super::moment::Moments;
use crate::FileError;
use crate::output_file::WholeFile;
use buffer::{Buffer, Target};
use core::f32::consts::FRAC_1_SQRT_2;
use core::ops::ControlFlow;
use glam::{DMat4, DVec3};
use ropewalk_linalg::Pose;
use serde_json::{Value, json};
use solid::Surface;
use std::path::Path;
use track::Track;

/// Colors of rods, one after the other, and of bodies: linear RGB.
const ROD_COLOURS: [[f32; 3]; 6] = [
    [0.80, 0.30, 0.05],
    [0.05, 0.25, 0.60],
    [0.10, 0.45, 0.15],
    [0.60, 0.08, 0.25],
    [0.55, 0.42, 0.04],
    [0.25, 0.15, 0.55],
];
const BODY_COLOUR: [f32; 3] = [0.45, 0.48, 0.52];
/// Size of the drawn ground relative to the extent of the scene.
const GROUND_SIZE: f64 = 3.0;

/// Writes `recording` to `path` as binary glTF.
pub fn export_gltf(recording: &Recording, path: &Path) -> Result<(), FileError> {
    let scene = &recording.scene;
    let mut frames: Vec<StateMessage> = Vec::new();
    let mut keep = |mut state: StateMessage| {
        // Velocities and measures are not drawn.
        for rod in &mut state.rods {
            (rod.v, rod.tension, rod.curvature, rod.twist_rate) = Default::default();
        }
        // Times of an animation rise.
        if frames.last().is_none_or(|last| state.time > last.time) {
            frames.push(state);
        }
    };
    let mut moments = Moments::of(scene);
    recording.read(|message| {
        moments.take(&message).into_iter().for_each(&mut keep);
        Ok(ControlFlow::Continue(()))
    })?;
    moments.finish().into_iter().for_each(keep);
    if frames.is_empty() {
        let hint = "run longer, or look at it with `ropewalk info`";
        return Err(FileError::content(recording.path(), "there are no states in it", hint));
    }
    if let Some(rod) = scene.rods.iter().find(|rod| rod.node_count > usize::from(u16::MAX)) {
        let what =
            format!("the rod '{}' has {} nodes, a skin of glTF at most 65535", rod.name, rod.node_count);
        return Err(FileError::content(recording.path(), what, "export with --npz"));
    }
    let bytes = Document::new(scene, &frames).finish();
    WholeFile::write(path, &bytes).map_err(FileError::io(path))
}

/// A glTF document under construction.
struct Document<'a> {
    scene: &'a SceneMessage,
    frames: &'a [StateMessage],
    buffer: Buffer,
    nodes: Vec<Value>,
    /// Children of the node that rotates z up to y up, and other root nodes.
    world: Vec<usize>,
    roots: Vec<usize>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
    materials: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    times: usize,
}

impl<'a> Document<'a> {
    fn new(scene: &'a SceneMessage, frames: &'a [StateMessage]) -> Self {
        let mut buffer = Buffer::default();
        let start = frames[0].time;
        let times: Vec<f32> = frames.iter().map(|f| (f.time - start) as f32).collect();
        let times = buffer.scalars(&times);
        let turn = json!({ "name": "world", "rotation": [-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2] });
        let mut document = Self {
            scene,
            frames,
            buffer,
            nodes: vec![turn],
            world: Vec::new(),
            roots: vec![0],
            meshes: Vec::new(),
            skins: Vec::new(),
            materials: Vec::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
            times,
        };
        for r in 0..scene.rods.len() {
            document.add_rod(r);
        }
        if !scene.trees.is_empty() {
            let body = document.material("body", BODY_COLOUR);
            (0..scene.trees.len()).for_each(|t| document.add_tree(t, body));
        }
        document
    }

    fn material(&mut self, name: &str, color: [f32; 3]) -> usize {
        let [r, g, b] = color;
        self.materials.push(json!({
            "name": name,
            "pbrMetallicRoughness":
                { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6 },
        }));
        self.materials.len() - 1
    }

    /// A node that moves along `track`, as a child of the world.
    fn moving_node(&mut self, name: &str, track: &Track) -> usize {
        let (position, rotation) = track.first();
        self.nodes.push(json!({ "name": name, "translation": position, "rotation": rotation }));
        let node = self.nodes.len() - 1;
        self.world.push(node);
        if track.moves() {
            let translations = self.buffer.vectors(track.translations(), false, None);
            let rotations = self.buffer.quaternions(track.rotations());
            for (path, output) in [("translation", translations), ("rotation", rotations)] {
                self.samplers.push(json!({ "input": self.times, "output": output }));
                let sampler = self.samplers.len() - 1;
                self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
            }
        }
        node
    }

    fn add_rod(&mut self, r: usize) {
        let info = &self.scene.rods[r];
        let frames: Vec<Vec<Pose>> =
            self.frames.iter().map(|frame| tube::node_frames(info, &frame.rods[r])).collect();
        let surface = tube::surface(info, &frames[0]);
        let material = self.material(&info.name, ROD_COLOURS[r % ROD_COLOURS.len()]);

        let joints: Vec<usize> = (0..info.node_count)
            .map(|i| {
                let track = Track::new(frames.iter().map(|frame| frame[i]));
                self.moving_node(&format!("{} {i}", info.name), &track)
            })
            .collect();
        let y_up = DMat4::from_rotation_x(-core::f64::consts::FRAC_PI_2);
        let inverses: Vec<[f32; 16]> = frames[0]
            .iter()
            .map(|pose| {
                let at = y_up * DMat4::from_rotation_translation(pose.rotation, pose.position);
                at.inverse().to_cols_array().map(|x| x as f32)
            })
            .collect();
        let inverses = self.buffer.matrices(&inverses);
        self.skins.push(json!({
            "name": info.name, "joints": joints, "inverseBindMatrices": inverses, "skeleton": 0,
        }));

        // Vertices are those of the first frame, y up, so that a viewer without skins shows the start.
        let surface_y_up = Surface {
            positions: surface.shape.positions.iter().map(|p| y_up.transform_point3(*p)).collect(),
            normals: surface.shape.normals.iter().map(|n| y_up.transform_vector3(*n)).collect(),
            triangles: surface.shape.triangles,
        };
        let mut primitive = self.primitive(&surface_y_up, material);
        let (joints, weights) = self.buffer.joints(&surface.joints);
        primitive["attributes"]["JOINTS_0"] = json!(joints);
        primitive["attributes"]["WEIGHTS_0"] = json!(weights);
        self.meshes.push(json!({ "name": info.name, "primitives": [primitive] }));
        let (mesh, skin) = (self.meshes.len() - 1, self.skins.len() - 1);
        self.nodes.push(json!({ "name": info.name, "mesh": mesh, "skin": skin }));
        self.roots.push(self.nodes.len() - 1);
    }

    fn primitive(&mut self, surface: &Surface, material: usize) -> Value {
        let vectors = |v: &[DVec3]| v.iter().map(|p| p.as_vec3().to_array()).collect::<Vec<_>>();
        let positions = self.buffer.vectors(vectors(&surface.positions), true, Some(Target::Vertices));
        let normals: Vec<DVec3> = surface.normals.iter().map(|n| n.normalize_or(DVec3::Z)).collect();
        let normals = self.buffer.vectors(vectors(&normals), false, Some(Target::Vertices));
        let indices = self.buffer.indices(&surface.triangles);
        json!({
            "attributes": { "POSITION": positions, "NORMAL": normals },
            "indices": indices,
            "material": material,
        })
    }

    fn add_tree(&mut self, t: usize, material: usize) {
        let info = &self.scene.trees[t];
        let ground = GROUND_SIZE * self.extent();
        for (l, link) in info.links.iter().enumerate() {
            let track = Track::new(self.frames.iter().map(|frame| track::pose(&frame.trees[t].poses[l])));
            let name = if info.name == link.name {
                link.name.clone()
            } else {
                format!("{} {}", info.name, link.name)
            };
            let node = self.moving_node(&name, &track);
            let mut children = Vec::new();
            for shape in &link.shapes {
                let surface = solid::surface(&shape.geometry, ground);
                if surface.triangles.is_empty() {
                    continue;
                }
                let primitive = self.primitive(&surface, material);
                self.meshes.push(json!({ "name": name, "primitives": [primitive] }));
                self.nodes.push(json!({
                    "name": shape.name.as_ref().unwrap_or(&name),
                    "mesh": self.meshes.len() - 1,
                    "translation": shape.position.map(|x| x as f32),
                    "rotation": track::unit(shape.quat_xyzw),
                }));
                children.push(self.nodes.len() - 1);
            }
            if !children.is_empty() {
                self.nodes[node]["children"] = json!(children);
            }
        }
    }

    /// Greatest extent of rods and links at the start in m.
    fn extent(&self) -> f64 {
        let first = &self.frames[0];
        let rods = first.rods.iter().flat_map(|rod| rod.q.iter().map(|q| DVec3::new(q[0], q[1], q[2])));
        let links = first.trees.iter().flat_map(|tree| tree.poses.iter().map(|p| DVec3::from_slice(&p[..3])));
        let mut ends: Option<[DVec3; 2]> = None;
        for p in rods.chain(links) {
            let [low, high] = ends.unwrap_or([p, p]);
            ends = Some([low.min(p), high.max(p)]);
        }
        ends.map_or(0.0, |[low, high]| (high - low).max_element()).max(0.1)
    }

    fn finish(mut self) -> Vec<u8> {
        if !self.world.is_empty() {
            self.nodes[0]["children"] = json!(self.world);
        }
        let mut json = json!({
            "asset": { "version": "2.0", "generator": concat!("ropewalk ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": self.scene.name, "nodes": self.roots }],
            "nodes": self.nodes,
            "buffers": [{ "byteLength": self.buffer.bytes.len() }],
            "bufferViews": self.buffer.views,
            "accessors": self.buffer.accessors,
        });
        // Empty arrays are not allowed.
        for (key, values) in [("meshes", self.meshes), ("skins", self.skins), ("materials", self.materials)] {
            if !values.is_empty() {
                json[key] = Value::Array(values);
            }
        }
        if !self.channels.is_empty() {
            let animation = json!({
                "name": self.scene.name, "samplers": self.samplers, "channels": self.channels,
            });
            json["animations"] = json!([animation]);
        }
        buffer::container(&json.to_string(), &self.buffer.bytes)
    }
}
