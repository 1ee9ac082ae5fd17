//! The held markers as input: filter and interpolation.
//!
//! Labels first: motion capture can exchange the two markers of a pair. Where the outer one is nearer to the first inner marker of the cable than the
//! inner one, in the first frame in which all three are seen, the two are exchanged for the whole run. Gaps (NaN) are bridged by straight lines.
//!
//! Held markers are known for the whole run, so the filter looks ahead: it is symmetric in time. Jumps are removed: a
//! frame whose position is farther than [`JUMP`] from the median of the five frames about it (coordinate by
//! coordinate) takes that median. Then each coordinate is replaced by the value at the middle of the parabola fitted
//! to 2h + 1 frames (Savitzky and Golay, Analytical Chemistry 36, 1964), h = `numerics.held_filter`; near the ends of
//! a run the window is shortened symmetrically. h = 0 or 1 leaves positions unchanged. Between frames, positions
//! follow cubic Hermite segments with central differences as slopes. The same is done in a fit and in an evaluation.

use crate::tracks::Run;
use glam::DVec3;

/// A held marker that is farther than this from the median of its neighbors in time has jumped, m.
pub const JUMP: f64 = 0.01;

/// Filtered positions of the held markers: the first two and the last two.
#[derive(Clone, Debug)]
pub struct HeldTracks {
    frames: Vec<[DVec3; 4]>,
}

impl HeldTracks {
    /// The held markers of `run`, with a filter of half width `half`.
    pub fn new(run: &Run, half: usize) -> Self {
        let swapped = exchanged(run);
        let mut raw: Vec<[DVec3; 4]> = run
            .frames
            .iter()
            .map(|frame| {
                let n = frame.len();
                let mut held = [frame[0], frame[1], frame[n - 2], frame[n - 1]];
                if swapped[0] {
                    held.swap(0, 1);
                }
                if swapped[1] {
                    held.swap(2, 3);
                }
                held
            })
            .collect();
        bridge_gaps(&mut raw);
        let clean: Vec<_> = (0..raw.len()).map(|f| without_jumps(&raw, f)).collect();
        let frames = (0..clean.len()).map(|f| smoothed(&clean, f, half)).collect();
        Self { frames }
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Positions at a time counted in frames, m; before the first frame and after the last one those of that frame.
    pub fn at(&self, frames: f64) -> [DVec3; 4] {
        // A time within round-off of a frame counts as that frame.
        let nearest = frames.round();
        let frames = if (frames - nearest).abs() < 1e-9 { nearest } else { frames };
        let frames = frames.clamp(0.0, (self.frames.len() - 1) as f64);
        let whole = frames.floor();
        self.between(whole as usize, frames - whole)
    }

    /// Positions at a fraction (0 to 1) of the time from `frame` to the next one, m.
    fn between(&self, frame: usize, fraction: f64) -> [DVec3; 4] {
        let last = self.frames.len() - 1;
        let (b, c) = (frame.min(last), (frame + 1).min(last));
        let (a, d) = (b.saturating_sub(1), (c + 1).min(last));
        let s = fraction;
        let (s2, s3) = (s * s, s * s * s);
        core::array::from_fn(|k| {
            let [pa, pb, pc, pd] = [a, b, c, d].map(|f| self.frames[f][k]);
            let slope_b = if a < b { 0.5 * (pc - pa) } else { pc - pb };
            let slope_c = if d > c { 0.5 * (pd - pb) } else { pc - pb };
            pb * (2.0 * s3 - 3.0 * s2 + 1.0)
                + slope_b * (s3 - 2.0 * s2 + s)
                + pc * (3.0 * s2 - 2.0 * s3)
                + slope_c * (s3 - s2)
        })
    }
}

/// Whether the markers of the first and of the last pair are exchanged.
pub(crate) fn exchanged(run: &Run) -> [bool; 2] {
    let nearer = |pick: &dyn Fn(&[DVec3]) -> [DVec3; 3]| {
        let seen = run.frames.iter().map(|f| pick(f)).find(|x| x.iter().all(|x| x.is_finite()));
        seen.is_some_and(|[outer, inner, next]| outer.distance(next) < inner.distance(next))
    };
    [nearer(&|f| [f[0], f[1], f[2]]), nearer(&|f| [f[f.len() - 1], f[f.len() - 2], f[f.len() - 3]])]
}

/// Interpolates missing held markers linearly; before the first and after the last position, the position is
/// constant.
fn bridge_gaps(frames: &mut [[DVec3; 4]]) {
    for k in 0..4 {
        let seen: Vec<usize> = (0..frames.len()).filter(|&f| frames[f][k].is_finite()).collect();
        let (Some(&first), Some(&last)) = (seen.first(), seen.last()) else { continue };
        for f in 0..frames.len() {
            if frames[f][k].is_finite() {
                continue;
            }
            let after = seen.partition_point(|&s| s < f);
            frames[f][k] = if f < first {
                frames[first][k]
            } else if f > last {
                frames[last][k]
            } else {
                let (a, b) = (seen[after - 1], seen[after]);
                frames[a][k].lerp(frames[b][k], (f - a) as f64 / (b - a) as f64)
            };
        }
    }
}

fn without_jumps(raw: &[[DVec3; 4]], frame: usize) -> [DVec3; 4] {
    let reach = 2.min(frame).min(raw.len() - 1 - frame);
    if reach == 0 {
        return raw[frame];
    }
    core::array::from_fn(|k| {
        let median = |c: usize| {
            let mut values: Vec<f64> = (frame - reach..=frame + reach).map(|f| raw[f][k][c]).collect();
            values.sort_by(f64::total_cmp);
            values[reach]
        };
        let middle = DVec3::new(median(0), median(1), median(2));
        if (raw[frame][k] - middle).length() > JUMP { middle } else { raw[frame][k] }
    })
}

fn smoothed(clean: &[[DVec3; 4]], frame: usize, half: usize) -> [DVec3; 4] {
    let h = half.min(frame).min(clean.len() - 1 - frame);
    if h < 2 {
        return clean[frame];
    }
    // Weights of the middle of a parabola through 2h + 1 equally spaced points.
    let m = h as f64;
    let norm = (2.0 * m + 1.0) * (4.0 * m * m + 4.0 * m - 3.0) / 3.0;
    let weight = |i: f64| (3.0 * m * m + 3.0 * m - 1.0 - 5.0 * i * i) / norm;
    core::array::from_fn(|k| (0..=2 * h).map(|j| clean[frame + j - h][k] * weight(j as f64 - m)).sum())
}
