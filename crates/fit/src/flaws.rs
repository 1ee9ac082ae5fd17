//! Runs with flawed measurements: markers that jump, and held pairs with exchanged labels.
//!
//! A marker jumps if it is farther than [`JUMP`] from the mean of its positions one frame before and one frame after.
//! At 100 Hz this means an acceleration of 400 m/s².

use crate::held::exchanged;
use crate::tracks::{Run, Tracks};
use serde::Serialize;

/// Distance from the middle of the neighbors in time, m.
pub const JUMP: f64 = 0.02;

/// A run with a flaw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flaw {
    /// Name of the run.
    pub run: String,
    /// The flaw.
    pub what: String,
}

/// The worst flaw of each run that has one.
pub fn flaws(tracks: &Tracks) -> Vec<Flaw> {
    let flaw = |run: &Run| Some(Flaw { run: run.name.clone(), what: exchange(run).or_else(|| jump(run))? });
    tracks.runs.iter().filter_map(flaw).collect()
}

fn exchange(run: &Run) -> Option<String> {
    match exchanged(run) {
        [false, false] => None,
        [true, false] => Some("the first two markers have changed places".to_owned()),
        [false, true] => Some("the last two markers have changed places".to_owned()),
        [true, true] => Some("the markers of both held pairs have changed places".to_owned()),
    }
}

fn jump(run: &Run) -> Option<String> {
    let mut worst = (JUMP, None);
    for (f, frames) in run.frames.windows(3).enumerate() {
        for (m, ((a, b), c)) in frames[0].iter().zip(&frames[1]).zip(&frames[2]).enumerate() {
            let distance = b.distance(a.midpoint(*c));
            // NaN, of a missing marker, is not a jump.
            if distance > worst.0 {
                worst = (distance, Some((f + 1, m)));
            }
        }
    }
    let (frame, marker) = worst.1?;
    Some(format!("marker {marker} jumps by {:.0} mm in frame {frame}", 1e3 * worst.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn run(change: impl Fn(&mut Vec<Vec<DVec3>>)) -> Tracks {
        let x = [0.0, 0.03, 0.13, 0.23, 0.33, 0.36];
        let frame: Vec<DVec3> = x.iter().map(|&x| DVec3::X * x).collect();
        let mut frames = vec![frame; 10];
        change(&mut frames);
        let run = Run { name: "a".to_owned(), frames, wrenches: Vec::new() };
        Tracks { rate: 100.0, runs: vec![run], ..Tracks::default() }
    }

    #[test]
    fn jumps_and_exchanged_labels_are_named() {
        assert_eq!(flaws(&run(|_| {})), []);
        let found = flaws(&run(|frames| frames[4][3].z += 0.05));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "marker 3 jumps by 50 mm in frame 4");
        let found = flaws(&run(|frames| frames.iter_mut().for_each(|f| f.swap(0, 1))));
        assert!(found[0].what.contains("first two"), "{found:?}");
        // A gap is not a flaw.
        assert_eq!(flaws(&run(|frames| frames[4][3] = DVec3::NAN)), []);
    }
}
