//! Marker tracks: positions of markers on a cable over time, in several runs.
//!
//! An archive holds `markers` (runs, frames, n, 3) in m, `rate_hz` and, if runs have names, `names` (runs). The first
//! two and the last two markers of a run are held by grippers; they are input, the others are predicted.
//!
//! If the grippers measure forces, `wrenches` (runs, frames, 2, 6) are those on the cable at its first and at its
//! last end: force in N and moment in N·m about the outer marker, in world axes, without the gripper's own weight;
//! NaN where missing. `wrench_scale` (2) in N and N·m is the amount that counts like one millimeter of a marker.
//!
//! Static measurements may be in the same archive, or alone: [`crate::shape`], [`crate::torque`].

use crate::error::FitError;
use crate::npy::{Archive, Content};
use crate::predict::Wrenches;
use crate::shape::Shape;
use crate::surroundings::Surroundings;
use crate::torque::TorqueTwist;
use glam::DVec3;
use std::path::Path;

/// Two markers at each end, and at least one between them.
pub const LEAST_MARKERS: usize = 5;
/// Neighboring markers farther apart than this (m) indicate data in millimeters.
const LONGEST_SPACING: f64 = 5.0;
/// Force in N and moment in N·m that count like a millimeter by default: the accuracy of a small force sensor.
pub const WRENCH_SCALE: [f64; 2] = [0.05, 0.005];

/// One run: frames of marker positions in m.
#[derive(Clone, Debug)]
pub struct Run {
    /// Name of the run.
    pub name: String,
    /// Positions by frame and marker, m. A missing marker is NaN.
    pub frames: Vec<Vec<DVec3>>,
    /// Wrenches by frame; empty if none were measured.
    pub wrenches: Vec<Wrenches>,
}

impl Run {
    /// Whether the first two frames are complete.
    pub fn starts_complete(&self) -> bool {
        self.frames.iter().take(2).flatten().all(|x| x.is_finite())
    }
}

/// All runs of a file.
#[derive(Clone, Debug)]
pub struct Tracks {
    /// Frames per second.
    pub rate: f64,
    /// The runs; none for static measurements alone.
    pub runs: Vec<Run>,
    /// Force in N and moment in N·m that count like a millimeter of a marker.
    pub wrench_scale: [f64; 2],
    /// Shapes at rest.
    pub shapes: Vec<Shape>,
    /// Torque over twist.
    pub torque: Option<TorqueTwist>,
    /// What the cable touches; `None` if nothing.
    pub surroundings: Option<Surroundings>,
}

impl Default for Tracks {
    fn default() -> Self {
        Self {
            rate: 1.0,
            runs: Vec::new(),
            wrench_scale: WRENCH_SCALE,
            shapes: Vec::new(),
            torque: None,
            surroundings: None,
        }
    }
}

impl Tracks {
    /// Reads `markers`, `rate_hz` and `names` from the archive at `path`.
    pub fn read(path: &Path) -> Result<Self, FitError> {
        Self::from_archive(&Archive::read(path)?)
    }

    /// The tracks and static measurements of `archive`.
    pub fn from_archive(archive: &Archive) -> Result<Self, FitError> {
        let rest = Self {
            shapes: Shape::from_archive(archive)?,
            torque: TorqueTwist::from_archive(archive)?,
            ..Self::default()
        };
        let at_rest = !rest.shapes.is_empty() || rest.torque.is_some();
        if at_rest && !archive.arrays.contains_key("markers") {
            return Ok(rest);
        }
        let moving = Self::moving(archive)?;
        Ok(Self { shapes: rest.shapes, torque: rest.torque, ..moving })
    }

    fn moving(archive: &Archive) -> Result<Self, FitError> {
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
        let wrenches = wrenches(archive, runs, frames)?;
        let run = |((k, name), data): ((usize, String), &[f64])| Run {
            name,
            wrenches: wrenches.get(k * frames..(k + 1) * frames).unwrap_or_default().to_vec(),
            frames: data
                .chunks(per_frame)
                .map(|frame| frame.as_chunks().0.iter().map(|&x: &[f64; 3]| x.into()).collect())
                .collect(),
        };
        let tracks = Self {
            rate,
            runs: names.into_iter().enumerate().zip(numbers.chunks(frames * per_frame)).map(run).collect(),
            wrench_scale: wrench_scale(archive)?,
            ..Self::default()
        };
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

/// Wrenches of all runs, one after the other; none if there is no such array.
fn wrenches(archive: &Archive, runs: usize, frames: usize) -> Result<Vec<Wrenches>, FitError> {
    if !archive.arrays.contains_key("wrenches") {
        return Ok(Vec::new());
    }
    let (shape, numbers) = archive.numbers("wrenches")?;
    if shape != [runs, frames, 2, 6] {
        return Err(archive.wrong(
            format!("'wrenches' has the shape {shape:?}"),
            format!(
                "it should be ({runs}, {frames}, 2, 6): force and moment of both grippers in every frame"
            ),
        ));
    }
    if numbers.iter().any(|x| x.is_infinite()) {
        return Err(archive.wrong("'wrenches' is infinite somewhere", "give NaN where nothing was measured"));
    }
    Ok(numbers.as_chunks::<6>().0.as_chunks::<2>().0.to_vec())
}

fn wrench_scale(archive: &Archive) -> Result<[f64; 2], FitError> {
    if !archive.arrays.contains_key("wrench_scale") {
        return Ok(WRENCH_SCALE);
    }
    match archive.numbers("wrench_scale")?.1 {
        &[force, moment] if force > 0.0 && moment > 0.0 && force.is_finite() && moment.is_finite() => {
            Ok([force, moment])
        }
        other => Err(archive.wrong(
            format!("'wrench_scale' is {other:?}"),
            "give two positive numbers: N and N·m that count like a millimeter of a marker",
        )),
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
