//! Numbers that depend on time: drives, ramps, tables.

use core::f64::consts::TAU;

/// How a table goes from one key to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Straight lines.
    #[default]
    Linear,
    /// Smoothstep 3u² − 2u³ between keys: at rest at every key.
    Smooth,
    /// Each value holds until the next key.
    Hold,
}

/// A function of time (s). Before the first and after the last key, ramps and tables keep their end
/// values.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeFunction {
    /// The same value always.
    Constant(f64),
    /// From one value to another over a span of time.
    Ramp {
        /// Start and end of the ramp in s.
        times: [f64; 2],
        /// Values at its start and end.
        values: [f64; 2],
        /// The way between.
        interpolation: Interpolation,
    },
    /// offset + amplitude · sin(2π · frequency · t + phase).
    Sine {
        /// Amplitude.
        amplitude: f64,
        /// Frequency in Hz.
        frequency: f64,
        /// Phase in rad.
        phase: f64,
        /// Mean value.
        offset: f64,
    },
    /// Values at keys, times increasing.
    Table {
        /// Times of the keys in s.
        times: Vec<f64>,
        /// Values at the keys.
        values: Vec<f64>,
        /// The way between.
        interpolation: Interpolation,
    },
}

impl Default for TimeFunction {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

impl TimeFunction {
    /// The value at time `t` (s).
    pub fn value(&self, t: f64) -> f64 {
        match self {
            Self::Constant(c) => *c,
            Self::Ramp { times, values, interpolation } => between(times, values, *interpolation, t),
            Self::Sine { amplitude, frequency, phase, offset } => {
                offset + amplitude * (TAU * frequency * t + phase).sin()
            }
            Self::Table { times, values, interpolation } => between(times, values, *interpolation, t),
        }
    }

    /// Mean rate of change from time `from` to `to` (s). A function that jumps from key to key has none: its jumps are
    /// not motions.
    pub fn mean_rate(&self, from: f64, to: f64) -> f64 {
        match self {
            Self::Constant(_)
            | Self::Ramp { interpolation: Interpolation::Hold, .. }
            | Self::Table { interpolation: Interpolation::Hold, .. } => 0.0,
            _ => (self.value(to) - self.value(from)) / (to - from),
        }
    }

    /// Whether the function keeps one value for all time.
    pub fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }
}

fn between(times: &[f64], values: &[f64], interpolation: Interpolation, t: f64) -> f64 {
    // The first key after t.
    let next = times.partition_point(|&key| key <= t);
    if next == 0 {
        return values[0];
    }
    if next == times.len() {
        return values[next - 1];
    }
    let u = (t - times[next - 1]) / (times[next] - times[next - 1]);
    let (a, b) = (values[next - 1], values[next]);
    match interpolation {
        Interpolation::Linear => a + (b - a) * u,
        Interpolation::Smooth => a + (b - a) * u * u * (3.0 - 2.0 * u),
        Interpolation::Hold => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_their_ends_and_pass_their_keys() {
        let table = |interpolation| TimeFunction::Table {
            times: vec![1.0, 2.0, 4.0],
            values: vec![0.0, 3.0, -1.0],
            interpolation,
        };
        for i in [Interpolation::Linear, Interpolation::Smooth, Interpolation::Hold] {
            let f = table(i);
            assert_eq!([f.value(0.0), f.value(1.0), f.value(2.0), f.value(9.0)], [0.0, 0.0, 3.0, -1.0]);
        }
        assert_eq!(table(Interpolation::Linear).value(3.0), 1.0);
        assert_eq!(table(Interpolation::Smooth).value(3.0), 1.0);
        assert_eq!(table(Interpolation::Hold).value(3.0), 3.0);
    }
}
