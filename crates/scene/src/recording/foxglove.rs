//! Messages for the 3D panel of Foxglove: `foxglove.SceneUpdate` and `foxglove.FrameTransforms` as JSON, with the names and
//! fields of its schemas (<https://docs.foxglove.dev/docs/visualization/message-schemas>).
//!
//! | topic | schema | content |
//! |---|---|---|
//! | `/tf` | `foxglove.FrameTransforms` | the frame of each link, `TREE/LINK`, in `world` |
//! | `/scene_update` | `foxglove.SceneUpdate` | first, in the frames of the links: their shapes; then in `world`: each rod as a line, contact forces as arrows |
//!
//! They are for other tools; our own reader ignores them.

use super::binary_frame::FrameMessage;
use super::drawing::{self, CONTACT_COLOR, Solid, WORLD};
use super::message::SceneMessage;
use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

/// Topics for Foxglove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoxgloveTopic {
    /// Poses of links.
    Transforms,
    /// Drawings.
    Scene,
}

/// All of them.
pub const FOXGLOVE_TOPICS: [FoxgloveTopic; 2] = [FoxgloveTopic::Transforms, FoxgloveTopic::Scene];

impl FoxgloveTopic {
    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transforms => "/tf",
            Self::Scene => "/scene_update",
        }
    }

    /// Name of its schema.
    pub fn schema_name(self) -> &'static str {
        match self {
            Self::Transforms => "foxglove.FrameTransforms",
            Self::Scene => "foxglove.SceneUpdate",
        }
    }

    /// The JSON schema of its messages.
    pub fn schema_text(self) -> String {
        let generator = SchemaSettings::default().with(|s| s.inline_subschemas = true).into_generator();
        let mut schema = match self {
            Self::Transforms => generator.into_root_schema_for::<FrameTransforms>(),
            Self::Scene => generator.into_root_schema_for::<SceneUpdate>(),
        };
        schema.insert("title".to_owned(), self.schema_name().into());
        schema.to_value().to_string()
    }
}

/// A time, or a duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Time {
    sec: u32,
    nsec: u32,
}

impl Time {
    /// From `time` in s.
    pub fn of(time: f64) -> Self {
        let nanoseconds = super::log_writer::nanoseconds(time);
        let sec = u32::try_from(nanoseconds / 1_000_000_000).unwrap_or(u32::MAX);
        Self { sec, nsec: (nanoseconds % 1_000_000_000) as u32 }
    }

    /// Seconds and nanoseconds.
    pub(super) fn parts(self) -> (u32, u32) {
        (self.sec, self.nsec)
    }
}

/// A vector or point, in m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Vector3 {
    x: f32,
    y: f32,
    z: f32,
}

impl From<DVec3> for Vector3 {
    fn from(v: DVec3) -> Self {
        let [x, y, z] = v.to_array().map(|x| x as f32);
        Self { x, y, z }
    }
}

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Quaternion {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

impl From<[f32; 4]> for Quaternion {
    fn from([x, y, z, w]: [f32; 4]) -> Self {
        Self { x, y, z, w }
    }
}

/// A pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Pose {
    position: Vector3,
    orientation: Quaternion,
}

impl Pose {
    fn of(position: DVec3, rotation: DQuat) -> Self {
        Self { position: position.into(), orientation: rotation.to_array().map(|x| x as f32).into() }
    }
}

/// A color, each part from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Color {
    r: f32,
    g: f32,
    b: f32,
    a: f32,
}

impl From<[f32; 4]> for Color {
    fn from([r, g, b, a]: [f32; 4]) -> Self {
        Self { r, g, b, a }
    }
}

/// Poses of frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct FrameTransforms {
    transforms: Vec<FrameTransform>,
}

/// Pose of a frame in another.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FrameTransform {
    timestamp: Time,
    parent_frame_id: String,
    child_frame_id: String,
    translation: Vector3,
    rotation: Quaternion,
}

/// Entities that are new or replace those with the same id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SceneUpdate {
    deletions: Vec<SceneEntityDeletion>,
    entities: Vec<SceneEntity>,
}

/// An entity to be removed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SceneEntityDeletion {
    timestamp: Time,
    /// 0: that of `id`; 1: all.
    r#type: u8,
    id: String,
}

/// Drawings in one frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SceneEntity {
    timestamp: Time,
    frame_id: String,
    id: String,
    /// Zero: until it is replaced.
    lifetime: Time,
    /// Whether it moves with its frame.
    frame_locked: bool,
    metadata: Vec<KeyValuePair>,
    arrows: Vec<ArrowPrimitive>,
    cubes: Vec<SizedPrimitive>,
    spheres: Vec<SizedPrimitive>,
    cylinders: Vec<CylinderPrimitive>,
    lines: Vec<LinePrimitive>,
    triangles: Vec<TriangleListPrimitive>,
    /// Not used.
    texts: [(); 0],
    /// Not used.
    models: [(); 0],
}

/// More about an entity.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct KeyValuePair {
    key: String,
    value: String,
}

/// An arrow from the position of its pose along the x axis.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ArrowPrimitive {
    pose: Pose,
    shaft_length: f32,
    shaft_diameter: f32,
    head_length: f32,
    head_diameter: f32,
    color: Color,
}

/// A cube or sphere, possibly stretched.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SizedPrimitive {
    pose: Pose,
    size: Vector3,
    color: Color,
}

/// A cylinder about the z axis.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CylinderPrimitive {
    pose: Pose,
    size: Vector3,
    bottom_scale: f32,
    top_scale: f32,
    color: Color,
}

/// A polyline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LinePrimitive {
    /// 0: open, 1: closed.
    r#type: u8,
    pose: Pose,
    thickness: f32,
    scale_invariant: bool,
    points: Vec<Vector3>,
    color: Color,
    colors: [Color; 0],
    indices: [u32; 0],
}

/// Triangles.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TriangleListPrimitive {
    pose: Pose,
    points: Vec<Vector3>,
    color: Color,
    colors: [Color; 0],
    indices: Vec<u32>,
}

/// Poses of the links.
pub fn transforms(scene: &SceneMessage, frame: &FrameMessage) -> FrameTransforms {
    let links = scene.trees.iter().flat_map(|tree| tree.links.iter().map(move |link| (tree, link)));
    let transform = |((tree, link), pose): ((_, _), &[f32; 7])| {
        let [x, y, z, q @ ..] = *pose;
        FrameTransform {
            timestamp: Time::of(frame.time),
            parent_frame_id: WORLD.to_owned(),
            child_frame_id: drawing::frame_name(tree, link),
            translation: Vector3 { x, y, z },
            rotation: q.into(),
        }
    };
    FrameTransforms { transforms: links.zip(&frame.links).map(transform).collect() }
}

/// The shapes of all links, each in the frame of its link, with which it moves.
pub fn shapes(scene: &SceneMessage, time: f64) -> SceneUpdate {
    let mut update = SceneUpdate::default();
    for tree in &scene.trees {
        for link in tree.links.iter().filter(|link| !link.shapes.is_empty()) {
            let frame_id = drawing::frame_name(tree, link);
            let mut entity = SceneEntity {
                timestamp: Time::of(time),
                id: format!("link/{frame_id}"),
                frame_id,
                frame_locked: true,
                ..SceneEntity::default()
            };
            let solids = link.shapes.iter().flat_map(|shape| drawing::solids(link, shape));
            solids.for_each(|placed| add_solid(&mut entity, &placed));
            update.entities.push(entity);
        }
    }
    update
}

fn add_solid(entity: &mut SceneEntity, placed: &drawing::Placed<'_>) {
    let pose = Pose::of(placed.position, placed.rotation);
    let color = placed.color.into();
    let sized = |size: [f64; 3]| SizedPrimitive { pose, size: DVec3::from(size).into(), color };
    match placed.solid {
        Solid::Box(size) => entity.cubes.push(sized(size)),
        Solid::Ball { diameter } => entity.spheres.push(sized([diameter; 3])),
        Solid::Cylinder { diameter, length } => entity.cylinders.push(CylinderPrimitive {
            pose,
            size: DVec3::new(diameter, diameter, length).into(),
            bottom_scale: 1.0,
            top_scale: 1.0,
            color,
        }),
        Solid::Triangles { vertices, triangles } => entity.triangles.push(TriangleListPrimitive {
            pose,
            points: vertices.iter().map(|v| DVec3::from(*v).into()).collect(),
            color,
            colors: [],
            indices: triangles.as_flattened().to_vec(),
        }),
    }
}

/// Rods and contact forces of a moment.
pub fn moment(scene: &SceneMessage, frame: &FrameMessage) -> SceneUpdate {
    let timestamp = Time::of(frame.time);
    let entity =
        |id: String| SceneEntity { timestamp, frame_id: WORLD.to_owned(), id, ..SceneEntity::default() };
    let mut update = SceneUpdate::default();
    for line in drawing::lines(scene, frame) {
        let mut rod = entity(format!("rod/{}", line.name));
        rod.lines.push(LinePrimitive {
            r#type: u8::from(line.closed),
            pose: Pose::of(DVec3::ZERO, DQuat::IDENTITY),
            thickness: line.thickness as f32,
            scale_invariant: false,
            points: line.points.iter().map(|&[x, y, z, ..]| Vector3 { x, y, z }).collect(),
            color: line.color.into(),
            colors: [],
            indices: [],
        });
        update.entities.push(rod);
    }
    // Also if empty, to remove those of the previous moment.
    let mut contacts = entity("contacts".to_owned());
    let (arrows, scale) = drawing::arrows(scene, frame);
    contacts.metadata.push(KeyValuePair { key: "m_per_N".to_owned(), value: scale.to_string() });
    contacts.arrows.extend(arrows.iter().map(|arrow| {
        let length = arrow.along.length();
        let head = (0.3 * length).min(3.0 * arrow.thickness);
        let rotation = DQuat::from_rotation_arc(DVec3::X, arrow.along.normalize_or(DVec3::X));
        ArrowPrimitive {
            pose: Pose::of(arrow.from, rotation),
            shaft_length: (length - head) as f32,
            shaft_diameter: arrow.thickness as f32,
            head_length: head as f32,
            head_diameter: (2.0 * arrow.thickness) as f32,
            color: CONTACT_COLOR.into(),
        }
    }));
    update.entities.push(contacts);
    update
}
