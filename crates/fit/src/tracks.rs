//! Marker tracks: positions of markers on a cable over time, in several runs.
//!
//! An archive holds `markers` (runs, frames, n, 3) in m, `rate_hz` and, if runs have names, `names` (runs). The first two and the
//! last two markers of a run are those that grippers hold; they are input, the others are to be predicted.

use crate::error::FitError;
use crate::npy::{Archive, Content};
use glam::DVec3;
use std::path::Path;

/// Two markers at each end, and at least one between them.
pub const LEAST_MARKERS: usize = 5;
/// Neighboring markers farther apart than this (m) are taken for millimeters.
const LONGEST_SPACING: f64 = 5.0;

/// One run: frames of marker positions in m.
#[derive(Clone, Debug)]
pub struct Run {
    /// Name of the run.
    pub name: String,
    /// Positions by frame and marker, m. A marker that was not seen is NaN.
    pub frames: Vec<Vec<DVec3>>,
}

impl Run {
    /// Whether every marker was seen in the first two frames.
    pub fn starts_complete(&self) -> bool {
        self.frames.iter().take(2).flatten().all(|x| x.is_finite())
    }
}

/// All runs of a file.
#[derive(Clone, Debug)]
pub struct Tracks {
    /// Frames per second.
    pub rate: f64,
    /// The runs.
    pub runs: Vec<Run>,
}

impl Tracks {
    /// Reads `markers`, `rate_hz` and `names` from the archive at `path`.
    pub fn read(path: &Path) -> Result<Self, FitError> {
        Self::from_archive(&Archive::read(path)?)
    }

    /// The tracks of `archive`.
    pub fn from_archive(archive: &Archive) -> Result<Self, FitError> {
        let (shape, numbers) = archive.numbers("markers")?;
        let &[runs, frames, markers, 3] = shape else {
            return Err(archive.wrong(
                format!("'markers' has the shape {shape:?}"),
                "it should be (runs, frames, markers, 3), in m",
            ));
        };
        if runs == 0 || frames < 3 || markers < LEAST_MARKERS {
            return Err(archive.wrong(
                format!("'markers' has {runs} runs of {frames} frames with {markers} markers"),
                "at least 1 run, 3 frames and 5 markers are needed: two held ones at each end and one between",
            ));
        }
        let (_, rate) = archive.numbers("rate_hz")?;
        let &[rate] = rate else {
            return Err(archive.wrong("'rate_hz' is not a single number", "give the frames per second"));
        };
        if !(rate.is_finite() && rate > 0.0) {
            return Err(archive
                .wrong(format!("'rate_hz' is {rate}"), "give the frames per second, a positive number"));
        }
        let names = names(archive, runs)?;
        let per_frame = 3 * markers;
        let run = |(name, data): (String, &[f64])| Run {
            name,
            frames: data
                .chunks(per_frame)
                .map(|frame| frame.as_chunks().0.iter().map(|&x: &[f64; 3]| x.into()).collect())
                .collect(),
        };
        let tracks =
            Self { rate, runs: names.into_iter().zip(numbers.chunks(frames * per_frame)).map(run).collect() };
        tracks.check_scale(archive)?;
        Ok(tracks)
    }

    /// Number of markers.
    pub fn marker_count(&self) -> usize {
        self.runs.first().map_or(0, |run| run.frames[0].len())
    }

    /// Time between frames in s.
    pub fn frame_time(&self) -> f64 {
        1.0 / self.rate
    }

    /// Marker tracks in millimeters are a common mistake, infinities another.
    fn check_scale(&self, archive: &Archive) -> Result<(), FitError> {
        let place = |run: &Run, frame: usize, marker: usize| {
            format!("run '{}', frame {frame}, marker {marker}", run.name)
        };
        for run in &self.runs {
            for (f, frame) in run.frames.iter().enumerate() {
                for (m, x) in frame.iter().enumerate() {
                    if x.to_array().iter().any(|c| c.is_infinite()) {
                        return Err(archive.wrong(
                            format!("{}: a coordinate is infinite", place(run, f, m)),
                            "give finite positions in m, NaN where a marker was not seen",
                        ));
                    }
                    let spacing = if m > 0 { (*x - frame[m - 1]).length() } else { 0.0 };
                    if spacing > LONGEST_SPACING {
                        return Err(archive.wrong(
                            format!(
                                "{}: {spacing:.1} from its neighbor, which looks like millimeters",
                                place(run, f, m)
                            ),
                            "positions are in m; divide by 1000",
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

fn names(archive: &Archive, runs: usize) -> Result<Vec<String>, FitError> {
    let Some(array) = archive.arrays.get("names") else {
        return Ok((0..runs).map(|i| i.to_string()).collect());
    };
    let names: Vec<_> = match &array.content {
        Content::Texts(texts) => texts.clone(),
        Content::Numbers(numbers) => numbers.iter().map(|n| n.to_string()).collect(),
    };
    if names.len() == runs {
        Ok(names)
    } else {
        Err(archive.wrong(
            format!("'names' has {} entries for {runs} runs", names.len()),
            "give one name for each run, or leave 'names' out",
        ))
    }
}
