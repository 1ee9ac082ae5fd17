//! Measures: one number of a run, gathered step by step in constant memory.
//!
//! A [`Reading`] is a number that can be read off a world after each step: an entry of a [`Quantity`](crate::Quantity) or of a
//! [`Derived`] quantity, or what its entries come to together. A [`Measure`] is what a reading comes to over a window of time; a
//! [`Gauge`] gathers it.
//!
//! | over the window | value | of a reading x at steps of length δt |
//! |---|---|---|
//! | [`Over::Mean`] | ∑ x δt / ∑ δt | mean over time |
//! | [`Over::Greatest`], [`Over::Least`] | max x, min x | |
//! | [`Over::Range`] | max x − min x | |
//! | [`Over::Last`] | x | at the last step |
//! | [`Over::Drift`] | x_last − x_first | |
//! | [`Over::Jump`] | max over steps of the change of x in a step | |
//! | [`Over::Fall`] | max over times of what x has been at most before, less x | |
//! | [`Over::Rise`] | max over times of x, less what it has been at least before | |
//! | [`Over::Integral`] | ∑ x δt | |
//! | [`Over::Period`] | twice the mean time between zeros of x | needs five of them |

mod derived;
mod passing;
mod reading;
mod rod_on_body;
mod topology;

pub use derived::{Derived, Owned};
pub use passing::nearest_pass;
pub use reading::{Across, Component, Reading, Source, StepView};
pub use rod_on_body::RodOnBody;
pub use topology::Parts;

use crate::model::{Model, State};
use crate::workspace::Workspace;

/// What readings come to over a window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Their mean over time.
    Mean,
    /// The greatest.
    Greatest,
    /// The least.
    Least,
    /// The greatest less the least.
    Range,
    /// That of the last step.
    Last,
    /// The last less the first.
    Drift,
    /// The greatest change from one step to the next.
    Jump,
    /// The greatest fall below what it has been before.
    Fall,
    /// The greatest rise above what it has been before.
    Rise,
    /// Their integral over time.
    Integral,
    /// The mean period of an oscillation about zero.
    Period,
}

impl Over {
    /// All of them, with their names.
    pub const NAMES: &[(&'static str, Self)] = &[
        ("mean", Self::Mean),
        ("greatest", Self::Greatest),
        ("least", Self::Least),
        ("range", Self::Range),
        ("last", Self::Last),
        ("drift", Self::Drift),
        ("jump", Self::Jump),
        ("fall", Self::Fall),
        ("rise", Self::Rise),
        ("integral", Self::Integral),
        ("period", Self::Period),
    ];
}

/// A number of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// What is read.
    pub reading: Reading,
    /// What readings come to.
    pub over: Over,
    /// The window begins after this time in s.
    pub from: f64,
    /// The window ends with this time in s.
    pub until: f64,
}

impl Measure {
    /// Whether only the last reading counts and it can be had from the state alone: knots and links, which cost much.
    fn is_read_at_the_end(&self) -> bool {
        let costly = matches!(self.reading.source, Source::Derived(derived) if derived.is_costly());
        costly && self.over == Over::Last && self.until == f64::INFINITY
    }
}

/// How many numbers a gauge has.
pub const GAUGE_NUMBERS: usize = 14;

/// Gathers a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge {
    measure: Measure,
    gathered: Gathered,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Gathered {
    /// Time at the end of the last step that was seen, in s.
    time: f64,
    /// Steps in the window so far.
    count: f64,
    seconds: f64,
    integral: f64,
    greatest: f64,
    least: f64,
    first: f64,
    last: f64,
    jump: f64,
    fall: f64,
    rise: f64,
    /// Times of the first and the last zero in s, and how many there were.
    zeros: [f64; 3],
}

impl Gauge {
    /// Gathers `measure` from `time` (s) on.
    pub fn new(measure: Measure, time: f64) -> Self {
        let mut numbers = [0.0; GAUGE_NUMBERS];
        numbers[0] = time;
        Self::from_numbers(measure, numbers)
    }

    /// What is gathered.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    /// Takes in a step that has just been done.
    pub fn see(&mut self, step: &StepView<'_>) {
        let g = &mut self.gathered;
        let (before, time) = (g.time, step.state.time);
        g.time = time;
        // Times are sums of steps: a thousandth of a step is room for their round-off.
        let room = 1e-3 * step.model.settings.dt;
        if time <= self.measure.from + room || time > self.measure.until + room {
            return;
        }
        if self.measure.is_read_at_the_end() {
            g.count += 1.0;
            return;
        }
        let Some(x) = self.measure.reading.read(step) else { return };
        if x.is_nan() {
            // From here on there is no value: `max` and `min` would pass over it.
            g.count = f64::NAN;
        }
        if g.count == 0.0 {
            (g.first, g.greatest, g.least, g.last) = (x, x, x, x);
        }
        if g.last * x < 0.0 || (g.last == 0.0 && x != 0.0 && g.count > 0.0) {
            let zero = before + (time - before) * g.last / (g.last - x);
            let [first, _, count] = g.zeros;
            g.zeros = [if count == 0.0 { zero } else { first }, zero, count + 1.0];
        }
        g.count += 1.0;
        g.jump = g.jump.max((x - g.last).abs());
        g.last = x;
        g.greatest = g.greatest.max(x);
        g.least = g.least.min(x);
        g.fall = g.fall.max(g.greatest - x);
        g.rise = g.rise.max(x - g.least);
        g.seconds += time - before;
        g.integral += x * (time - before);
    }

    /// The measure of what was seen; `None` before the window, or if a reading in it was NaN. `now` is the world after the last step that was seen.
    pub fn value(&self, now: &StepView<'_>) -> Option<f64> {
        let g = &self.gathered;
        let value = match self.measure.over {
            Over::Mean => g.integral / g.seconds,
            Over::Greatest => g.greatest,
            Over::Least => g.least,
            Over::Range => g.greatest - g.least,
            Over::Last if self.measure.is_read_at_the_end() => self.measure.reading.read(now)?,
            Over::Last => g.last,
            Over::Drift => g.last - g.first,
            Over::Jump => g.jump,
            Over::Fall => g.fall,
            Over::Rise => g.rise,
            Over::Integral => g.integral,
            Over::Period if g.zeros[2] < 5.0 => return None,
            Over::Period => 2.0 * (g.zeros[1] - g.zeros[0]) / (g.zeros[2] - 1.0),
        };
        (g.count > 0.0 && value.is_finite()).then_some(value)
    }

    /// What it has gathered, to be kept in a file.
    pub fn numbers(&self) -> [f64; GAUGE_NUMBERS] {
        let Gathered {
            time,
            count,
            seconds,
            integral,
            greatest,
            least,
            first,
            last,
            jump,
            fall,
            rise,
            zeros,
        } = self.gathered;
        let [a, b, c] = zeros;
        [time, count, seconds, integral, greatest, least, first, last, jump, fall, rise, a, b, c]
    }

    /// Goes on from numbers that were kept.
    pub fn from_numbers(measure: Measure, numbers: [f64; GAUGE_NUMBERS]) -> Self {
        let [time, count, seconds, integral, greatest, least, first, last, jump, fall, rise, a, b, c] =
            numbers;
        let zeros = [a, b, c];
        let gathered = Gathered {
            time,
            count,
            seconds,
            integral,
            greatest,
            least,
            first,
            last,
            jump,
            fall,
            rise,
            zeros,
        };
        Self { measure, gathered }
    }
}

/// The measures of one run.
#[derive(Clone, Debug, Default)]
pub struct Gauges {
    all: Vec<Gauge>,
    /// The state before the step under way, where one of them asks for it.
    before: State,
}

impl Gauges {
    /// Gathers `measure` from `time` (s) on; its number.
    pub fn add(&mut self, measure: Measure, time: f64) -> usize {
        self.push(Gauge::new(measure, time))
    }

    /// Goes on with a gauge; its number.
    pub fn push(&mut self, gauge: Gauge) -> usize {
        self.all.push(gauge);
        self.all.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Gauge> {
        self.all.iter()
    }

    /// Before a step from `state`.
    pub fn begin(&mut self, state: &State) {
        let asks =
            |gauge: &Gauge| matches!(gauge.measure.reading.source, Source::Derived(d) if d.asks_before());
        if self.all.iter().any(asks) {
            self.before.clone_from(state);
        }
    }

    /// After that step, if it was done.
    pub fn see(&mut self, model: &Model, state: &State, workspace: &Workspace) {
        let step = StepView { model, before: &self.before, state, workspace };
        self.all.iter_mut().for_each(|gauge| gauge.see(&step));
    }

    /// What number `k` has come to; `None` before its window.
    pub fn value(&self, k: usize, model: &Model, state: &State, workspace: &Workspace) -> Option<f64> {
        self.all.get(k)?.value(&StepView { model, before: &self.before, state, workspace })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Quantity;

    /// The time itself, of which every measure is known: over a window of four steps, then after going on from numbers.
    #[test]
    fn every_measure_of_time_is_known() {
        let mut model = Model::default();
        model.settings.dt = 0.25;
        let workspace = Workspace::new(&model);
        let clock = Reading {
            source: Source::Quantity(Quantity::Time, 0),
            component: Component::Whole,
            across: Across::Row(0),
        };
        for (over, expected) in [
            (Over::Mean, Some(0.875)),
            (Over::Greatest, Some(1.25)),
            (Over::Least, Some(0.5)),
            (Over::Range, Some(0.75)),
            (Over::Last, Some(1.25)),
            (Over::Drift, Some(0.75)),
            (Over::Jump, Some(0.25)),
            (Over::Fall, Some(0.0)),
            (Over::Rise, Some(0.75)),
            (Over::Integral, Some(0.875)),
            (Over::Period, None),
        ] {
            let measure = Measure { reading: clock, over, from: 0.25, until: 1.25 };
            let mut gauge = Gauge::new(measure, 0.0);
            let mut state = State::default();
            for step in 1..=8 {
                state.time = 0.25 * f64::from(step);
                let now = StepView { model: &model, before: &state, state: &state, workspace: &workspace };
                assert_eq!(gauge.value(&now).is_some(), step > 2 && over != Over::Period, "{over:?}");
                gauge.see(&now);
                gauge = Gauge::from_numbers(measure, gauge.numbers());
            }
            let now = StepView { model: &model, before: &state, state: &state, workspace: &workspace };
            assert_eq!(gauge.value(&now), expected, "{over:?}");
        }
    }

    /// `max` and `min` pass over NaN; a measure does not.
    #[test]
    fn a_reading_of_nan_leaves_no_value() {
        let mut model = Model::default();
        let workspace = Workspace::new(&model);
        let reading = Reading {
            source: Source::Quantity(Quantity::Gravity, 0),
            component: Component::Entry(2),
            across: Across::Row(0),
        };
        for &(name, over) in Over::NAMES.iter().filter(|(_, over)| *over != Over::Period) {
            let mut gauges = Gauges::default();
            gauges.add(Measure { reading, over, from: f64::NEG_INFINITY, until: f64::INFINITY }, 0.0);
            let mut state = State::default();
            for (step, z) in [1.0, f64::NAN, 2.0].into_iter().enumerate() {
                state.time = 0.01 * (step + 1) as f64;
                model.gravity.z = z;
                gauges.see(&model, &state, &workspace);
                assert_eq!(gauges.value(0, &model, &state, &workspace).is_some(), step == 0, "{name}");
            }
        }
    }

    /// A damped oscillation: its period, and how far it falls.
    #[test]
    fn a_period_is_read_off_zeros() {
        let mut model = Model::default();
        model.settings.dt = 0.01;
        model.gravity = glam::DVec3::ZERO;
        let workspace = Workspace::new(&model);
        let reading = Reading {
            source: Source::Quantity(Quantity::Gravity, 0),
            component: Component::Entry(2),
            across: Across::Row(0),
        };
        let mut gauges = Gauges::default();
        for over in [Over::Period, Over::Fall] {
            let measure = Measure { reading, over, from: f64::NEG_INFINITY, until: f64::INFINITY };
            gauges.add(measure, 0.0);
        }
        let mut state = State::default();
        for step in 1..1000 {
            state.time = 0.01 * f64::from(step);
            model.gravity.z = (3.0 * state.time + 0.2).cos() * (-0.1 * state.time).exp();
            gauges.see(&model, &state, &workspace);
            if step == 300 {
                assert_eq!(gauges.value(0, &model, &state, &workspace), None);
            }
        }
        let value = |k: usize| gauges.value(k, &model, &state, &workspace).unwrap();
        assert!((value(0) - core::f64::consts::TAU / 3.0).abs() < 1e-4, "{}", value(0));
        // From the first reading to the first trough.
        assert!(value(1) > 1.8 && value(1) < 1.95, "{}", value(1));
    }
}
