//! Recordings: a run as a log of messages in an MCAP file (<https://mcap.dev/spec>).
//!
//! MCAP is the log format of robotics: append-only, compressed in chunks, indexed at the end, read by many tools. Every
//! message is JSON but the frames, which are blocks of numbers; its schema, with the meaning and unit of each field, is in the file. `docs/recordings.md` is the
//! page for readers.
//!
//! ```text
//! Recorder ─ messages ─ LogWriter ─ run.mcap ─ Recording ─ info, export (npz, csv, glTF)
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`message`], [`contact_message`] | the messages |
//! | [`binary_frame`] | frames as blocks of `f32` |
//! | [`envelope`] | a message of any topic: bytes and schema |
//! | [`moment`] | states and frames as one series, for exports |
//! | [`describe`](mod@describe) | the scene as a message |
//! | [`frame`] | a moment of a run as messages |
//! | [`log_writer`] | the messages on their topics, and who keeps the file readable at all times |
//! | `mcap_file`, `mcap_record` | the file, chunk by chunk, and its records |
//! | [`recorder`] | what is written when |
//! | [`fit`] | whether messages fit their scene |
//! | [`reader`] | a recording, read message by message |
//! | [`info`] | summary of a recording |
//! | [`foxglove`] | frames for the 3D panel of Foxglove |
//! | [`export_npz()`], [`export_csv()`], [`gltf`], [`ros2`] | recordings in other formats |
//! | `drawing` | drawings of a moment for other tools |

pub mod binary_frame;
pub mod contact_message;
pub mod describe;
mod drawing;
pub mod envelope;
pub mod export_csv;
pub mod export_npz;
mod fit;
pub mod foxglove;
pub mod frame;
pub mod gltf;
pub mod info;
pub mod log_writer;
mod mcap_file;
mod mcap_record;
pub mod message;
pub mod moment;
pub mod reader;
pub mod recorder;
pub mod ros2;

pub use export_csv::export_csv;
pub use export_npz::export_npz;
pub use gltf::export_gltf;
pub use info::Info;
pub use message::Message;
pub use reader::Recording;
pub use recorder::{COMMANDS, Rates, Recorder};
pub use ros2::export_ros2;

/// Version of the messages. It increases when a field changes its meaning or is removed; new fields do not increase
/// it.
///
/// | version | since |
/// |---|---|
/// | 1 | every frame is a state (JSON), with its contacts and patches |
/// | 2 | every frame is a message of [`binary_frame`]; states, contacts and patches come at a lower rate |
pub const FORMAT: u32 = 2;

/// The topics of a recording.
pub const TOPICS: [(Topic, &str); 8] = [
    (Topic::Scene, "/scene"),
    (Topic::States, "/states"),
    (Topic::Frames, "/frames"),
    (Topic::Contacts, "/contacts"),
    (Topic::Patches, "/patches"),
    (Topic::Measures, "/measures"),
    (Topic::Events, "/events"),
    (Topic::Timers, "/timers"),
];

/// The topic of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The scene: once, at the start.
    Scene,
    /// States in double precision.
    States,
    /// Frames in single precision, at the rate of the recording.
    Frames,
    /// Contacts that push.
    Contacts,
    /// Patches of pressure fields.
    Patches,
    /// Energies, forces, torques, efforts.
    Measures,
    /// Events.
    Events,
    /// Timings.
    Timers,
}

impl Topic {
    /// Its name in the file.
    pub fn name(self) -> &'static str {
        TOPICS[self as usize].1
    }

    /// The topic of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        TOPICS.iter().find(|(_, n)| *n == name).map(|(topic, _)| *topic)
    }
}
