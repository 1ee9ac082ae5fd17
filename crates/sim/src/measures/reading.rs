//! Readings: one number that can be read off a world after a step.

use super::derived::Derived;
use crate::model::{Model, State};
use crate::quantity::{Quantity, Values};
use crate::workspace::Workspace;

/// A step that has just been done.
#[derive(Clone, Copy, Debug)]
pub struct StepView<'a> {
    /// The model.
    pub model: &'a Model,
    /// The state before the step.
    pub before: &'a State,
    /// The state after it.
    pub state: &'a State,
    /// What the step has left.
    pub workspace: &'a Workspace,
}

/// What is taken of each row of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// Nothing: rows are single numbers.
    Whole,
    /// Nothing, without sign.
    Magnitude,
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

/// Where the numbers of a reading come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// A quantity of the rod or tree with this index; the index is not read for quantities of the world.
    Quantity(Quantity, usize),
    /// What is computed from several quantities.
    Derived(Derived),
}

/// A number that can be read off a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Where the numbers come from.
    pub source: Source,
    /// What is taken of each row.
    pub component: Component,
    /// What rows come to together.
    pub across: Across,
}

impl Reading {
    /// The number now; `None` if there is nothing to read.
    pub fn read(&self, step: &StepView<'_>) -> Option<f64> {
        let values = match &self.source {
            Source::Quantity(quantity, index) => {
                quantity.read_parts(step.model, step.state, step.workspace, *index)
            }
            Source::Derived(derived) => derived.read(step),
        };
        self.of(&values)
    }

    pub(super) fn of(&self, values: &Values) -> Option<f64> {
        // A list is one row if something is taken of it, else a row for each entry.
        let width = match (values.shape.as_slice(), self.component) {
            ([], _) | ([_], Component::Whole | Component::Magnitude) => 1,
            ([n], _) => *n,
            ([_, rest @ ..], _) => rest.iter().product(),
        };
        if width == 0 {
            return None;
        }
        let of_row = |row: &[f64]| match self.component {
            Component::Whole => row.first().copied(),
            Component::Magnitude => row.first().map(|x| x.abs()),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(component: Component, across: Across) -> Reading {
        Reading { source: Source::Quantity(Quantity::Positions, 0), component, across }
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
        assert_eq!(reading(Component::Magnitude, Across::Row(1)).of(&list), Some(2.0));
        assert_eq!(reading(Component::Norm(0, 3), Across::Row(0)).of(&list), Some(3.0));
        let number = Values { shape: vec![], data: vec![7.0] };
        assert_eq!(reading(Component::Whole, Across::Row(0)).of(&number), Some(7.0));
    }
}
