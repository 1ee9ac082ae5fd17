//! Predictions of runs, and their score.
//!
//! A prediction starts from frames 0 and 1 of a run and is open loop from there, with the held markers as input. Its score is the mean of
//! |Δ| over all markers (held ones are prescribed and have none), coordinates and frames 2, 3, …; the score of a file is the mean over runs.

use crate::cable::Cable;
use crate::error::FitError;
use crate::held::HeldTracks;
use crate::mesh::Mesh;
use crate::rollout::{HeldMotion, Rollout};
use crate::start::Start;
use crate::surroundings::Surroundings;
use crate::touching::{Place, Touching};
use crate::tracks::{Run, Tracks};
use glam::DVec3;
use ropewalk_rod::RodState;

/// A predicted part of a run: from frames `first` and `first + 1` to `end`, which is not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First frame.
    pub first: usize,
    /// One past the last frame.
    pub end: usize,
}

pub(crate) struct Driven<'a> {
    held: &'a HeldTracks,
    /// Frame at time 0.
    frame: f64,
    pub(crate) frame_time: f64,
}

impl HeldMotion for Driven<'_> {
    fn at(&self, time: f64) -> [DVec3; 4] {
        self.held.at(self.frame + time / self.frame_time)
    }
}

/// Force in N on the cable and moment in N·m about the outer marker, of each gripper: the mean from one frame to the next.
pub type Wrenches = [[f64; 6]; 2];

/// A cable ready to predict runs of markers taken `frame_time` apart.
#[derive(Clone, Debug)]
pub struct Predictor<'a> {
    cable: &'a Cable,
    mesh: Mesh,
    frame_time: f64,
    surroundings: Option<&'a Surroundings>,
}

impl<'a> Predictor<'a> {
    /// For runs with this time between frames, s.
    pub fn new(cable: &'a Cable, frame_time: f64) -> Self {
        Self { cable, mesh: Mesh::new(cable), frame_time, surroundings: None }
    }

    /// Where the cable touches what is in `surroundings`.
    pub fn within(self, surroundings: Option<&'a Surroundings>) -> Self {
        Self { surroundings, ..self }
    }

    /// Markers in the frames of `window` but for the first two; held ones as filtered. `shift` moves the inner
    /// markers of the two frames at the start, by frame, marker and coordinate in m; empty leaves them as measured.
    pub fn predict(
        &self,
        run: &Run,
        held: &HeldTracks,
        window: Window,
        shift: &[f64],
    ) -> Result<Vec<Vec<DVec3>>, FitError> {
        let mut out = Vec::with_capacity(window.end - window.first - 2);
        match self.surroundings {
            Some(surroundings) => {
                let (start, driven) = self.begin(run, held, window, shift)?;
                let place = Place { cable: self.cable, mesh: &self.mesh, start: &start, run: &run.name };
                let mut world = Touching::new(surroundings, &place, &driven, window)?;
                for frame in window.first + 2..window.end {
                    world.run_to_next_frame(frame, &run.name)?;
                    out.push(self.markers(world.state()));
                }
            }
            None => self.each_frame(run, held, window, shift, false, &mut |rollout| {
                out.push(self.markers(rollout.state()));
            })?,
        }
        Ok(out)
    }

    /// The same, and for each of these frames the mean wrenches since the frame before.
    pub fn predict_wrenches(
        &self,
        run: &Run,
        held: &HeldTracks,
        window: Window,
        shift: &[f64],
    ) -> Result<Vec<(Vec<DVec3>, Wrenches)>, FitError> {
        let mut out = Vec::with_capacity(window.end - window.first - 2);
        let rate = 1.0 / self.frame_time;
        self.each_frame(run, held, window, shift, true, &mut |rollout| {
            let wrenches = rollout.take_impulses().map(|impulse| {
                let ([a, b, c], [d, e, f]) =
                    ((impulse.force * rate).to_array(), (impulse.moment * rate).to_array());
                [a, b, c, d, e, f]
            });
            out.push((self.markers(rollout.state()), wrenches));
        })?;
        Ok(out)
    }

    fn markers(&self, state: &RodState) -> Vec<DVec3> {
        self.mesh.node_of_marker.iter().map(|&i| state.position(i)).collect()
    }

    /// The start of a window, and its held motion.
    fn begin<'h>(
        &self,
        run: &Run,
        held: &'h HeldTracks,
        window: Window,
        shift: &[f64],
    ) -> Result<(Start, Driven<'h>), FitError> {
        let offset = self.cable.parameters.time_offset / self.frame_time;
        let first = |frame: usize| {
            let mut markers = run.frames[frame].clone();
            let n = markers.len();
            let shift = shift.get((frame - window.first) * 3 * (n - 4)..).unwrap_or_default();
            for (x, z) in markers[2..n - 2].iter_mut().zip(shift.as_chunks::<3>().0) {
                *x += DVec3::from_array(*z);
            }
            let [a, b, c, d] = held.at(frame as f64 + offset);
            (markers[0], markers[1], markers[n - 2], markers[n - 1]) = (a, b, c, d);
            markers
        };
        let frames = [first(window.first), first(window.first + 1)];
        let start = Start::new(self.cable, &self.mesh, [&frames[0], &frames[1]], &run.name)?;
        let driven = Driven { held, frame: (window.first + 1) as f64 + offset, frame_time: self.frame_time };
        Ok((start, driven))
    }

    /// Calls `see` in every frame of `window` but for the first two.
    fn each_frame(
        &self,
        run: &Run,
        held: &HeldTracks,
        window: Window,
        shift: &[f64],
        with_wrenches: bool,
        see: &mut dyn FnMut(&mut Rollout),
    ) -> Result<(), FitError> {
        let (start, driven) = self.begin(run, held, window, shift)?;
        let mut rollout = Rollout::new(self.cable, &self.mesh, &start, self.frame_time).map_err(|e| {
            FitError::mismatch(format!("run '{}': {e}", run.name), "check the cable and the markers")
        })?;
        if with_wrenches {
            rollout.take_impulses();
        }
        for frame in window.first + 2..window.end {
            for step in 0..self.cable.numerics.steps_per_frame {
                if !rollout.step(&driven) {
                    let part = step as f64 / self.cable.numerics.steps_per_frame as f64;
                    let time = (frame as f64 - 1.0 + part) * self.frame_time;
                    return Err(FitError::Step { run: run.name.clone(), time });
                }
            }
            see(&mut rollout);
        }
        Ok(())
    }
}

/// Mean |Δ| over markers, coordinates and frames; held markers count with zero error, missing markers do not count.
pub fn score(run: &Run, window: Window, predicted: &[Vec<DVec3>]) -> f64 {
    let n = run.frames[0].len();
    let (mut sum, mut count) = (0.0, 0_u32);
    for (measured, predicted) in run.frames[window.first + 2..window.end].iter().zip(predicted) {
        count += 4;
        for m in (2..n - 2).filter(|&m| measured[m].is_finite()) {
            sum += (measured[m] - predicted[m]).abs().element_sum();
            count += 1;
        }
    }
    sum / f64::from(3 * count)
}

/// Rejects tracks that cannot belong to this cable.
pub fn check(cable: &Cable, tracks: &Tracks) -> Result<(), FitError> {
    if tracks.runs.is_empty() {
        return Ok(());
    }
    if tracks.surroundings.is_some() {
        check_touching(cable, tracks)?;
    }
    let (n, have) = (cable.marker_count(), tracks.marker_count());
    if n != have {
        return Err(FitError::mismatch(
            format!("the data has {have} markers, the cable {n}"),
            "known.marker_spacing of the cable has one entry less than there are markers",
        ));
    }
    for run in &tracks.runs {
        let length = cable.length();
        for (f, frame) in run.frames.iter().enumerate() {
            let chain: f64 = frame.windows(2).map(|w| (w[1] - w[0]).length()).sum();
            if chain > 20.0 * length {
                return Err(FitError::mismatch(
                    format!(
                        "run '{}', frame {f}: the markers span {chain:.1}, the cable is {length:.3} m long, which looks like millimeters",
                        run.name
                    ),
                    "positions are in m; divide by 1000",
                ));
            }
            let inner = length - cable.known.marker_spacing[0] - cable.known.marker_spacing[n - 2];
            let apart = (frame[1] - frame[n - 2]).length();
            if apart > 1.05 * inner {
                return Err(FitError::mismatch(
                    format!(
                        "run '{}', frame {f}: the ends are {apart:.3} m apart, the cable between them is {inner:.3} m long",
                        run.name
                    ),
                    "check that this is the cable of the data, and that its markers are in order",
                ));
            }
        }
    }
    Ok(())
}

/// What cannot be predicted where a cable touches something.
fn check_touching(cable: &Cable, tracks: &Tracks) -> Result<(), FitError> {
    if cable.parameters.drag_along > 0.0 {
        return Err(FitError::mismatch(
            "in a scene there is no quadratic drag along a cable (parameters.drag_along)",
            "set it to 0, or leave the scene out",
        ));
    }
    if tracks.runs.iter().any(|run| !run.wrenches.is_empty()) {
        return Err(FitError::mismatch(
            "wrenches of grippers are not predicted in a scene",
            "give data without the array 'wrenches', or leave the scene out",
        ));
    }
    Ok(())
}
