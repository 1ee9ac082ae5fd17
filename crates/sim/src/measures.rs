//! Measures: one number of a run, gathered step by step in constant memory.
//!
//! A [`Reading`] is a number that can be read off a world after each step: an entry of a [`Quantity`], or what its entries
//! come to together. A [`Measure`] is what a reading comes to over a window of time; a [`Gauge`] gathers it.
//!
//! | over the window | value | of a reading x at steps of length δt |
//! |---|---|---|
//! | [`Over::Mean`] | ∑ x δt / ∑ δt | mean over time |
//! | [`Over::Greatest`], [`Over::Least`] | max x, min x | |
//! | [`Over::Last`] | x | at the last step |
//! | [`Over::Drift`] | x_last − x_first | |
//! | [`Over::Integral`] | ∑ x δt | |

use crate::model::{Model, State};
use crate::quantity::{Quantity, Values};
use crate::workspace::Workspace;

/// What is taken of each row of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// Nothing: rows are single numbers.
    Whole,
    /// An entry.
    Entry(usize),
    /// The length of the vector of these entries: from the first, so many.
    Norm(usize, usize),
    /// The sum of all entries.
    Sum,
}

/// What rows come to together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// One of them; the last of fewer.
    Row(usize),
    /// The last.
    LastRow,
    /// Their mean.
    Mean,
    /// The greatest.
    Greatest,
    /// The least.
    Least,
    /// Their sum.
    Sum,
}

/// A number that can be read off a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The quantity.
    pub quantity: Quantity,
    /// Of which rod or tree; not read for quantities of the world.
    pub index: usize,
    /// What is taken of each row.
    pub component: Component,
    /// What rows come to together.
    pub across: Across,
}

impl Reading {
    /// The number now; `None` if there is nothing to read.
    pub fn read(&self, model: &Model, state: &State, workspace: &Workspace) -> Option<f64> {
        self.of(&self.quantity.read_parts(model, state, workspace, self.index))
    }

    fn of(&self, values: &Values) -> Option<f64> {
        // A list is one row if something is taken of it, else a row for each entry.
        let width = match (values.shape.as_slice(), self.component) {
            ([], _) | ([_], Component::Whole) => 1,
            ([n], _) => *n,
            ([_, rest @ ..], _) => rest.iter().product(),
        };
        if width == 0 {
            return None;
        }
        let of_row = |row: &[f64]| match self.component {
            Component::Whole => row.first().copied(),
            Component::Entry(k) => row.get(k).copied(),
            Component::Norm(from, count) => {
                row.get(from..from + count).map(|v| v.iter().map(|x| x * x).sum::<f64>().sqrt())
            }
            Component::Sum => Some(row.iter().sum()),
        };
        let rows = values.data.chunks_exact(width);
        let count = rows.len();
        let mut numbers = rows.filter_map(of_row);
        match self.across {
            Across::Row(k) => numbers.nth(k),
            Across::LastRow => numbers.next_back(),
            Across::Mean => (count > 0).then(|| numbers.sum::<f64>() / count as f64),
            Across::Greatest => numbers.reduce(f64::max),
            Across::Least => numbers.reduce(f64::min),
            Across::Sum => Some(numbers.sum()),
        }
    }
}

/// What readings come to over a window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Their mean over time.
    Mean,
    /// The greatest.
    Greatest,
    /// The least.
    Least,
    /// That of the last step.
    Last,
    /// The last less the first.
    Drift,
    /// Their integral over time.
    Integral,
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

/// How many numbers a gauge has.
pub const GAUGE_NUMBERS: usize = 8;

/// Gathers a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge {
    measure: Measure,
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
}

impl Gauge {
    /// Gathers `measure` from `time` (s) on.
    pub fn new(measure: Measure, time: f64) -> Self {
        Self::from_numbers(measure, [time, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    }

    /// What is gathered.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    /// Takes in a step that has just been done.
    pub fn see(&mut self, model: &Model, state: &State, workspace: &Workspace) {
        let dt = state.time - self.time;
        self.time = state.time;
        // Times are sums of steps: half a step of the model is room for their round-off.
        let room = 1e-3 * model.settings.dt;
        let Measure { reading, from, until, .. } = self.measure;
        if state.time <= from + room || state.time > until + room {
            return;
        }
        let Some(x) = reading.read(model, state, workspace) else { return };
        if self.count == 0.0 {
            (self.first, self.greatest, self.least) = (x, x, x);
        }
        self.count += 1.0;
        self.last = x;
        self.greatest = self.greatest.max(x);
        self.least = self.least.min(x);
        self.seconds += dt;
        self.integral += x * dt;
    }

    /// The measure of what was seen; `None` before the window.
    pub fn value(&self) -> Option<f64> {
        let value = match self.measure.over {
            Over::Mean => self.integral / self.seconds,
            Over::Greatest => self.greatest,
            Over::Least => self.least,
            Over::Last => self.last,
            Over::Drift => self.last - self.first,
            Over::Integral => self.integral,
        };
        (self.count > 0.0 && value.is_finite()).then_some(value)
    }

    /// What it has gathered, to be kept in a file.
    pub fn numbers(&self) -> [f64; GAUGE_NUMBERS] {
        [self.time, self.count, self.seconds, self.integral, self.greatest, self.least, self.first, self.last]
    }

    /// Goes on from numbers that were kept.
    pub fn from_numbers(measure: Measure, numbers: [f64; GAUGE_NUMBERS]) -> Self {
        let [time, count, seconds, integral, greatest, least, first, last] = numbers;
        Self { measure, time, count, seconds, integral, greatest, least, first, last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(component: Component, across: Across) -> Reading {
        Reading { quantity: Quantity::Positions, index: 0, component, across }
    }

    #[test]
    fn rows_and_components_are_reduced() {
        let rows = Values { shape: vec![2, 3], data: vec![3.0, 4.0, 0.0, 0.0, 1.0, 0.0] };
        let of = |component, across| reading(component, across).of(&rows);
        assert_eq!(of(Component::Norm(0, 3), Across::Greatest), Some(5.0));
        assert_eq!(of(Component::Entry(1), Across::Mean), Some(2.5));
        assert_eq!(of(Component::Entry(0), Across::LastRow), Some(0.0));
        assert_eq!(of(Component::Sum, Across::Sum), Some(8.0));
        assert_eq!(of(Component::Entry(1), Across::Row(7)), None);
        let list = Values { shape: vec![3], data: vec![1.0, -2.0, 2.0] };
        assert_eq!(reading(Component::Whole, Across::Least).of(&list), Some(-2.0));
        assert_eq!(reading(Component::Norm(0, 3), Across::Row(0)).of(&list), Some(3.0));
        let number = Values { shape: vec![], data: vec![7.0] };
        assert_eq!(reading(Component::Whole, Across::Row(0)).of(&number), Some(7.0));
    }

    /// The time itself, of which every measure is known: over a window of four steps, then after going on from numbers.
    #[test]
    fn every_measure_of_time_is_known() {
        let mut model = Model::default();
        model.settings.dt = 0.25;
        let workspace = Workspace::new(&model);
        let clock = Reading {
            quantity: Quantity::Time,
            index: 0,
            component: Component::Whole,
            across: Across::Row(0),
        };
        for (over, expected) in [
            (Over::Mean, 0.875),
            (Over::Greatest, 1.25),
            (Over::Least, 0.5),
            (Over::Last, 1.25),
            (Over::Drift, 0.75),
            (Over::Integral, 0.875),
        ] {
            let measure = Measure { reading: clock, over, from: 0.25, until: 1.25 };
            let mut gauge = Gauge::new(measure, 0.0);
            assert_eq!(gauge.value(), None);
            for step in 1..=8 {
                let state = State { time: 0.25 * f64::from(step), ..State::default() };
                gauge.see(&model, &state, &workspace);
                gauge = Gauge::from_numbers(measure, gauge.numbers());
            }
            assert_eq!(gauge.value(), Some(expected), "{over:?}");
        }
    }
}
