//! The data of a run in a page: numbers rounded to invisible steps, encoded by differences, compressed with gzip.
//!
//! Inside the gzip stream, little-endian:
//!
//! ```text
//! u32 magic "RWP1" │ u32 length │ JSON header │ f64 times │ f32 series, one after the other │ frames
//! ```
//!
//! A frame is a row of integers, seven bits a byte, least first; signed ones are folded (0, −1, 1, −2, … are 0, 1, 2, 3, …):
//!
//! | block | integers |
//! |---|---|
//! | nodes | five columns (x, y, z, angle, tension), each over all nodes: the difference from the prediction |
//! | links | seven columns (position, quat_xyzw), likewise |
//! | contacts | count; for each: point (difference from the point before), force, gap, two sides |
//! | polygons | count; for each: pressure, corners, patch, then its corners (differences from the corner before) |
//! | attachments | 1 where it holds |
//!
//! A column is predicted by the line through the two frames before; an angle, which counts modulo 65536, by the last
//! frame; in the first frame, each value by the previous one in the same column. The page repeats this in integers,
//! so no errors accumulate.
//!
//! | number | step |
//! |---|---|
//! | length | 1/256 of the thinnest half extent of a rod, at least 2⁻³⁰ of the greatest coordinate |
//! | angle | 2π/65536, in the basis of the rounded positions |
//! | quaternion | 1/32767 |
//! | tension, force | 1/32767 of the greatest of the run |
//! | pressure | 1/65535 of the greatest of the run |

mod integers;
mod quantize;
pub mod series;

use flate2::Compression;
use flate2::write::GzEncoder;
pub use quantize::{Extremes, Steps};
use quantize::{FrameEncoder, Rounder};
use ropewalk_scene::recording::binary_frame::FrameMessage;
use ropewalk_scene::recording::message::{EventMessage, SceneMessage};
use serde::Serialize;
pub use series::SeriesInfo;
use std::io::{self, Write};

/// First four bytes, "RWP1".
pub const MAGIC: u32 = 0x3150_5752;

/// The data before the frames.
#[derive(Clone, Debug)]
pub struct Opening<'a> {
    /// The scene.
    pub scene: &'a SceneMessage,
    /// Its events.
    pub events: &'a [EventMessage],
    /// Measured series.
    pub series: &'a [SeriesInfo],
    /// (series, frames): the values; NaN where there is none.
    pub values: &'a [Vec<f32>],
    /// Time of each frame in s.
    pub times: &'a [f64],
    /// Greatest numbers of the run.
    pub extremes: Extremes,
}

#[derive(Serialize)]
struct Header<'a> {
    scene: &'a SceneMessage,
    events: &'a [EventMessage],
    series: &'a [SeriesInfo],
    frame_count: usize,
    steps: Steps,
}

/// Writes a payload frame by frame.
pub struct PayloadWriter {
    gzip: GzEncoder<Vec<u8>>,
    encoder: FrameEncoder,
    bytes: Vec<u8>,
}

impl PayloadWriter {
    /// Starts a payload.
    pub fn new(opening: &Opening<'_>) -> io::Result<Self> {
        let steps = opening.extremes.steps(opening.scene);
        let header = Header {
            scene: opening.scene,
            events: opening.events,
            series: opening.series,
            frame_count: opening.times.len(),
            steps,
        };
        let header = serde_json::to_vec(&header)?;
        let length =
            u32::try_from(header.len()).map_err(|_| io::Error::other("the scene is larger than 4 GB"))?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&MAGIC.to_le_bytes())?;
        gzip.write_all(&length.to_le_bytes())?;
        gzip.write_all(&header)?;
        for time in opening.times {
            gzip.write_all(&time.to_le_bytes())?;
        }
        for value in opening.values.iter().flatten() {
            gzip.write_all(&value.to_le_bytes())?;
        }
        let encoder = FrameEncoder::new(opening.scene, Rounder::new(steps));
        Ok(Self { gzip, encoder, bytes: Vec::new() })
    }

    /// Adds a frame; there must be as many as times.
    pub fn frame(&mut self, frame: &FrameMessage) -> io::Result<()> {
        self.bytes.clear();
        self.encoder.encode(frame, &mut self.bytes);
        self.gzip.write_all(&self.bytes)
    }

    /// The payload.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        self.gzip.finish()
    }
}
