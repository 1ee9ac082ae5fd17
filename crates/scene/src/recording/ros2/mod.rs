//! Exports a recording as a ROS 2 bag: a folder with `metadata.yaml` and an MCAP file with messages in CDR, as `ros2
//! bag` writes it.
//!
//! | topic | type | when | content |
//! |---|---|---|---|
//! | `/tf` | `tf2_msgs/msg/TFMessage` | each frame | the frame of each link, `TREE/LINK`, in `world` |
//! | `/markers` | `visualization_msgs/msg/MarkerArray` | each frame | rods as lines, contact forces as lines from the contact along the force; with the first the shapes of all links |
//! | `/joint_states` | `sensor_msgs/msg/JointState` | each state | joints with one degree of freedom; effort of their actuators |
//! | `/clamp/NAME`, `/attach/NAME`, `/base/NAME` | `geometry_msgs/msg/WrenchStamped` | each frame after a step | wrenches of clamps, of attachments, and of the ground on the base of a tree, in world axes |
//!
//! Characters of names that ROS does not allow in topics become `_`. Time is that of the simulation.

mod cdr;
mod message;
mod schema;

use super::message::{MeasuresMessage, SceneMessage, StateMessage, WrenchInfo};
use super::{Message, Recording};
use crate::FileError;
use crate::output_file::WholeFile;
use core::ops::ControlFlow;
use mcap::records::MessageHeader;
use mcap::{Compression, McapError, WriteOptions, Writer};
use message::Joint;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

const TRANSFORMS: &str = "tf2_msgs/msg/TFMessage";
const MARKERS: &str = "visualization_msgs/msg/MarkerArray";
const JOINTS: &str = "sensor_msgs/msg/JointState";
const WRENCH: &str = "geometry_msgs/msg/WrenchStamped";
/// Version of `metadata.yaml`.
const METADATA_VERSION: u32 = 5;

/// Writes `recording` to the folder `path`, which is made if it is not there.
pub fn export_ros2(recording: &Recording, path: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(path).map_err(FileError::io(path))?;
    let name = path.file_name().map_or("bag".into(), |name| name.to_string_lossy());
    let file_name = format!("{name}_0.mcap");
    let file = path.join(&file_name);
    let mut bag = Bag::create(&file, &recording.scene).map_err(|e| file_error(&file, e))?;
    recording.read(|message| {
        bag.add(&message).map_err(|e| file_error(&file, e))?;
        Ok(ControlFlow::Continue(()))
    })?;
    let metadata = bag.finish(&file_name).map_err(|e| file_error(&file, e))?;
    let path = path.join("metadata.yaml");
    WholeFile::write(&path, metadata.as_bytes()).map_err(FileError::io(&path))
}

/// What went wrong with the file, in its own words.
fn file_error(path: &Path, error: McapError) -> FileError {
    let source = match error {
        McapError::Io(source) => source,
        other => io::Error::other(other.to_string()),
    };
    FileError::Io { path: path.display().to_string(), source }
}

/// Where messages of a topic go.
struct Channel {
    id: u16,
    topic: String,
    kind: &'static str,
    count: u32,
}

/// A bag under construction.
struct Bag<'a> {
    scene: &'a SceneMessage,
    path: PathBuf,
    /// Taken when the bag is complete.
    writer: Writer<WholeFile>,
    channels: Vec<Channel>,
    joints: Vec<Joint>,
    /// A pending state, until the efforts of its moment are known.
    state: Option<StateMessage>,
    /// First and last time in ns.
    times: Option<[u64; 2]>,
    drawn: bool,
}

/// The first channels; wrenches follow.
const TF: usize = 0;
const MARKER_ARRAY: usize = 1;
const JOINT_STATES: usize = 2;
const FIRST_WRENCH: usize = 3;

impl<'a> Bag<'a> {
    fn create(path: &Path, scene: &'a SceneMessage) -> Result<Self, McapError> {
        let options = WriteOptions::new()
            .compression(Some(Compression::Zstd))
            .compression_threads(0)
            .profile("ros2")
            .library(concat!("ropewalk ", env!("CARGO_PKG_VERSION")));
        let mut writer = options.create(WholeFile::create(path)?)?;
        let mut channels = Vec::new();
        let mut schemas: BTreeMap<&str, u16> = BTreeMap::new();
        let metadata = BTreeMap::from([("offered_qos_profiles".to_owned(), String::new())]);
        let fixed = [("/tf", TRANSFORMS), ("/markers", MARKERS), ("/joint_states", JOINTS)];
        let topics = fixed.map(|(topic, kind)| (topic.to_owned(), kind)).into_iter();
        for (topic, kind) in topics.chain(wrench_topics(scene).into_iter().map(|topic| (topic, WRENCH))) {
            let schema = match schemas.get(kind) {
                Some(id) => *id,
                None => writer.add_schema(kind, "ros2msg", schema::definition(kind).as_bytes())?,
            };
            schemas.insert(kind, schema);
            let id = writer.add_channel(schema, &topic, "cdr", &metadata)?;
            channels.push(Channel { id, topic, kind, count: 0 });
        }
        let joints = joints(scene);
        Ok(Self {
            scene,
            path: path.to_owned(),
            writer,
            channels,
            joints,
            state: None,
            times: None,
            drawn: false,
        })
    }

    fn write(&mut self, channel: usize, time: f64, bytes: &[u8]) -> Result<(), McapError> {
        let log_time = super::log_writer::nanoseconds(time);
        let channel = &mut self.channels[channel];
        let header = MessageHeader {
            channel_id: channel.id,
            sequence: channel.count,
            log_time,
            publish_time: log_time,
        };
        channel.count += 1;
        let [first, last] = self.times.unwrap_or([log_time; 2]);
        self.times = Some([first.min(log_time), last.max(log_time)]);
        self.writer.write_to_known_channel(&header, bytes)
    }

    fn add(&mut self, message: &Message) -> Result<(), McapError> {
        match message {
            Message::Frame(frame) => {
                self.write(TF, frame.time, &message::transforms(self.scene, frame))?;
                let shapes = !core::mem::replace(&mut self.drawn, true);
                self.write(MARKER_ARRAY, frame.time, &message::markers(self.scene, frame, shapes))
            }
            // The measures of a moment come after its state.
            Message::State(state) => {
                self.add_joints(None)?;
                self.state = Some(state.clone());
                Ok(())
            }
            Message::Measures(measures) => {
                self.add_joints(Some(measures))?;
                let all = measures.clamps.iter().chain(&measures.attachments).chain(&measures.bases);
                let all: Vec<WrenchInfo> = all.copied().collect();
                all.iter().enumerate().try_for_each(|(k, wrench)| {
                    self.write(FIRST_WRENCH + k, measures.time, &message::wrench(measures.time, wrench))
                })
            }
            _ => Ok(()),
        }
    }

    /// Writes the joints of the pending state, with the efforts of `measures` if they are of the same moment.
    fn add_joints(&mut self, measures: Option<&MeasuresMessage>) -> Result<(), McapError> {
        let Some(state) = self.state.take() else { return Ok(()) };
        if self.joints.is_empty() {
            return Ok(());
        }
        let efforts = measures.filter(|m| m.time == state.time).map_or(&[][..], |m| m.efforts.as_slice());
        let numbers: Vec<[f64; 3]> =
            self.joints.iter().map(|j| joint_numbers(self.scene, &state, j, efforts)).collect();
        self.write(JOINT_STATES, state.time, &message::joint_state(state.time, &self.joints, &numbers))
    }

    /// Completes the file; the text of the metadata.
    fn finish(mut self, file_name: &str) -> Result<String, McapError> {
        self.add_joints(None)?;
        self.writer.finish()?;
        let text = self.metadata(file_name);
        let Self { writer, path, .. } = self;
        writer
            .into_inner()
            .place()
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
        Ok(text)
    }

    fn metadata(&self, file_name: &str) -> String {
        let [first, last] = self.times.unwrap_or_default();
        let total: u32 = self.channels.iter().map(|c| c.count).sum();
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let topics: String = self
            .channels
            .iter()
            .map(|c| {
                format!(
                    "    - topic_metadata:\n        name: {}\n        type: {}\n        serialization_format: cdr\n        \
                     offered_qos_profiles: \"\"\n      message_count: {}\n",
                    quoted(&c.topic),
                    c.kind,
                    c.count
                )
            })
            .collect();
        let (file, duration) = (quoted(file_name), last - first);
        format!(
            "rosbag2_bagfile_information:\n  version: {METADATA_VERSION}\n  storage_identifier: mcap\n  duration:\n    nanoseconds: \
             {duration}\n  starting_time:\n    nanoseconds_since_epoch: {first}\n  message_count: {total}\n  \
             topics_with_message_count:\n{topics}  compression_format: \"\"\n  compression_mode: \"\"\n  \
             relative_file_paths:\n    - {file}\n  files:\n    - path: {file}\n      starting_time:\n        \
             nanoseconds_since_epoch: {first}\n      duration:\n        nanoseconds: {duration}\n      message_count: {total}\n"
        )
    }
}

/// Topics of clamps, attachments and bases, in the order of the measures.
fn wrench_topics(scene: &SceneMessage) -> Vec<String> {
    let clamps = scene.clamps.iter().map(|name| format!("/clamp/{}", topic_word(name)));
    let attachments = scene.attachments.iter().map(|name| format!("/attach/{}", topic_word(name)));
    let bases = scene.trees.iter().map(|tree| format!("/base/{}", topic_word(&tree.name)));
    let mut topics: Vec<String> = Vec::new();
    for topic in clamps.chain(attachments).chain(bases) {
        // Two names may become one.
        let mut free = topic.clone();
        let mut number = 2;
        while topics.contains(&free) {
            free = format!("{topic}_{number}");
            number += 1;
        }
        topics.push(free);
    }
    topics
}

/// A word of a topic: letters, digits and underscores, not a digit first.
fn topic_word(name: &str) -> String {
    let mut word: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        word.insert(0, 'n');
    }
    word
}

/// The joints with one degree of freedom. Their names are those of the robot; if two trees share one, with the tree before it.
fn joints(scene: &SceneMessage) -> Vec<Joint> {
    let mut joints: Vec<Joint> = Vec::new();
    for (t, tree) in scene.trees.iter().enumerate() {
        let (mut q, mut v) = (0, 0);
        for (l, link) in tree.links.iter().enumerate() {
            // Lengths of its parts of q and v.
            let (in_q, in_v) = match link.joint_kind.as_str() {
                "revolute" | "continuous" | "prismatic" => (1, 1),
                "universal" => (2, 2),
                "planar" => (3, 3),
                "ball" => (4, 3),
                "free" => (7, 6),
                _ => (0, 0),
            };
            if in_q == 1 {
                joints.push(Joint { name: link.joint.clone(), tree: t, link: l, q, v });
            }
            (q, v) = (q + in_q, v + in_v);
        }
    }
    let shared: Vec<bool> =
        joints.iter().map(|j| joints.iter().filter(|other| other.name == j.name).count() > 1).collect();
    for (joint, shared) in joints.iter_mut().zip(shared) {
        if shared {
            joint.name = format!("{}/{}", scene.trees[joint.tree].name, joint.name);
        }
    }
    joints
}

/// Position, velocity and effort; 0 where a damaged file has none.
fn joint_numbers(scene: &SceneMessage, state: &StateMessage, joint: &Joint, efforts: &[f64]) -> [f64; 3] {
    let tree = state.trees.get(joint.tree);
    let of = |numbers: Option<&Vec<f64>>, at: usize| numbers.and_then(|n| n.get(at)).copied().unwrap_or(0.0);
    let its =
        scene.actuators.iter().zip(efforts).filter(|(a, _)| (a.tree, a.link) == (joint.tree, joint.link));
    [of(tree.map(|t| &t.q), joint.q), of(tree.map(|t| &t.v), joint.v), its.map(|(_, effort)| effort).sum()]
}
