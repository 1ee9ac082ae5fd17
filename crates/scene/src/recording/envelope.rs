//! A message of any topic: its bytes, and the schema that describes them in the file.

use super::Topic;
use super::binary_frame::{FrameMessage, LAYOUT};
use super::contact_message::{ContactsMessage, PatchesMessage};
use super::message::{EventMessage, MeasuresMessage, SceneMessage, StateMessage, TimersMessage};
use schemars::generate::SchemaSettings;

/// A message of a recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The scene, constant during a run.
    Scene(Box<SceneMessage>),
    /// The state in double precision.
    State(StateMessage),
    /// Positions in single precision.
    Frame(FrameMessage),
    /// Contacts that push.
    Contacts(ContactsMessage),
    /// Patches of pressure fields.
    Patches(PatchesMessage),
    /// Measured values.
    Measures(MeasuresMessage),
    /// An event.
    Event(EventMessage),
    /// Timings.
    Timers(TimersMessage),
}

impl Message {
    /// Its topic.
    pub fn topic(&self) -> Topic {
        match self {
            Self::Scene(_) => Topic::Scene,
            Self::State(_) => Topic::States,
            Self::Frame(_) => Topic::Frames,
            Self::Contacts(_) => Topic::Contacts,
            Self::Patches(_) => Topic::Patches,
            Self::Measures(_) => Topic::Measures,
            Self::Event(_) => Topic::Events,
            Self::Timers(_) => Topic::Timers,
        }
    }

    /// Its bytes: a frame as blocks of numbers, all else as JSON.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        match self {
            Self::Scene(m) => serde_json::to_vec(m),
            Self::State(m) => serde_json::to_vec(m),
            Self::Frame(m) => Ok(m.encode()),
            Self::Contacts(m) => serde_json::to_vec(m),
            Self::Patches(m) => serde_json::to_vec(m),
            Self::Measures(m) => serde_json::to_vec(m),
            Self::Event(m) => serde_json::to_vec(m),
            Self::Timers(m) => serde_json::to_vec(m),
        }
    }

    /// The message in `bytes`.
    pub fn from_bytes(topic: Topic, bytes: &[u8]) -> Result<Self, String> {
        let message = match topic {
            Topic::Scene => serde_json::from_slice(bytes).map(Self::Scene),
            Topic::States => serde_json::from_slice(bytes).map(Self::State),
            Topic::Frames => return FrameMessage::decode(bytes).map(Self::Frame),
            Topic::Contacts => serde_json::from_slice(bytes).map(Self::Contacts),
            Topic::Patches => serde_json::from_slice(bytes).map(Self::Patches),
            Topic::Measures => serde_json::from_slice(bytes).map(Self::Measures),
            Topic::Events => serde_json::from_slice(bytes).map(Self::Event),
            Topic::Timers => serde_json::from_slice(bytes).map(Self::Timers),
        };
        message.map_err(|error| error.to_string())
    }
}

impl Topic {
    /// Name of its schema.
    pub fn schema_name(self) -> &'static str {
        match self {
            Self::Scene => "ropewalk.Scene",
            Self::States => "ropewalk.State",
            Self::Frames => "ropewalk.Frame",
            Self::Contacts => "ropewalk.Contacts",
            Self::Patches => "ropewalk.Patches",
            Self::Measures => "ropewalk.Measures",
            Self::Events => "ropewalk.Event",
            Self::Timers => "ropewalk.Timers",
        }
    }

    /// How its messages are encoded, as MCAP names it.
    pub fn message_encoding(self) -> &'static str {
        if self == Self::Frames { "ropewalk-frame" } else { "json" }
    }

    /// How its schema is encoded, as MCAP names it.
    pub fn schema_encoding(self) -> &'static str {
        if self == Self::Frames { "ropewalk-layout" } else { "jsonschema" }
    }

    /// What describes its messages in the file.
    pub fn schema_text(self) -> String {
        self.schema().map_or_else(|| LAYOUT.to_owned(), |schema| schema.to_string())
    }

    /// The JSON schema of its messages, without references, which not all tools follow; none for frames.
    pub fn schema(self) -> Option<serde_json::Value> {
        let generator = SchemaSettings::default().with(|s| s.inline_subschemas = true).into_generator();
        let schema = match self {
            Self::Scene => generator.into_root_schema_for::<SceneMessage>(),
            Self::States => generator.into_root_schema_for::<StateMessage>(),
            Self::Frames => return None,
            Self::Contacts => generator.into_root_schema_for::<ContactsMessage>(),
            Self::Patches => generator.into_root_schema_for::<PatchesMessage>(),
            Self::Measures => generator.into_root_schema_for::<MeasuresMessage>(),
            Self::Events => generator.into_root_schema_for::<EventMessage>(),
            Self::Timers => generator.into_root_schema_for::<TimersMessage>(),
        };
        Some(schema.to_value())
    }
}
