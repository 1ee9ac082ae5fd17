//! Parallel work on the groups of an island.
//!
//! The data of a group are a tuple of its parts of the factor, of vectors by position and of lists by constraint. The
//! tuple of all groups is split until each part belongs to one group.

use ropewalk_linalg::sparse::{Analysis, Both, SeparatorColumns, SubtreeFactor, Window};

/// Runs two closures, in parallel if `parallel`.
pub(crate) fn at_once<A: Send, B: Send>(
    parallel: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if parallel { rayon::join(a, b) } else { (a(), b()) }
}

/// Runs two closures in parallel; none if that is not wanted or there is only one thread.
pub(crate) fn both(parallel: bool) -> Option<Both<'static>> {
    let both: Both<'static> = &|a, b| {
        rayon::join(a, b);
    };
    (parallel && rayon::current_num_threads() > 1).then_some(both)
}

/// Where the data of a group begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    group: usize,
    eliminated: usize,
    kept: usize,
    constraint: usize,
}

/// Data that can be split between groups.
pub(crate) trait Share: Sized + Send {
    /// The data of the groups before the cut, and of the others.
    fn split(self, at: &Cut) -> (Self, Self);
}

impl Share for SubtreeFactor<'_> {
    fn split(self, at: &Cut) -> (Self, Self) {
        self.split_at(at.group)
    }
}

/// Items by group.
pub(crate) struct ByGroup<'a, T>(pub(crate) Window<'a, T>);
/// Items by position, eliminated ones.
pub(crate) struct ByEliminated<'a, T>(pub(crate) Window<'a, T>);
/// Items by position, kept ones.
pub(crate) struct ByKept<'a, T>(pub(crate) Window<'a, T>);
/// Items by constraint.
pub(crate) struct ByConstraint<'a, T>(pub(crate) Window<'a, T>);

macro_rules! share_of_window {
    ($name:ident, $at:ident) => {
        impl<T: Send> Share for $name<'_, T> {
            fn split(self, at: &Cut) -> (Self, Self) {
                let (left, right) = self.0.split_at(at.$at);
                (Self(left), Self(right))
            }
        }
    };
}
share_of_window!(ByGroup, group);
share_of_window!(ByEliminated, eliminated);
share_of_window!(ByKept, kept);
share_of_window!(ByConstraint, constraint);

macro_rules! share_of_tuple {
    ($($name:ident),*) => {
        impl<$($name: Share),*> Share for ($($name,)*) {
            #[allow(non_snake_case)]
            fn split(self, at: &Cut) -> (Self, Self) {
                let ($($name,)*) = self;
                $(let $name = $name.split(at);)*
                (($($name.0,)*), ($($name.1,)*))
            }
        }
    };
}
share_of_tuple!(A, B);
share_of_tuple!(A, B, C);
share_of_tuple!(A, B, C, D);
share_of_tuple!(A, B, C, D, E);

/// Calls `work` with each group and its part of `all`, in parallel if `parallel`. `constraint_start` is the first
/// constraint of each group. Returns the error of the first group that fails.
pub(crate) fn for_each_group<S: Share, E: Send>(
    (analysis, constraint_start): (&Analysis, &[u32]),
    parallel: bool,
    all: S,
    work: &(impl Fn(usize, S) -> Result<(), E> + Sync),
) -> Result<(), E> {
    split_and_work((analysis, constraint_start), 0..analysis.groups().len(), parallel, all, work)
}

fn split_and_work<S: Share, E: Send>(
    of: (&Analysis, &[u32]),
    groups: core::ops::Range<usize>,
    parallel: bool,
    all: S,
    work: &(impl Fn(usize, S) -> Result<(), E> + Sync),
) -> Result<(), E> {
    if groups.len() <= 1 {
        return work(groups.start, all);
    }
    let middle = groups.start + groups.len() / 2;
    let group = &of.0.groups()[middle];
    let (left, right) = all.split(&Cut {
        group: middle,
        eliminated: group.eliminated.start,
        kept: group.kept.start,
        constraint: of.1[middle] as usize,
    });
    let first = || split_and_work(of, groups.start..middle, parallel, left, work);
    let second = || split_and_work(of, middle..groups.end, parallel, right, work);
    let (first, second) = at_once(parallel, first, second);
    first.and(second)
}

/// Calls `work` with parts of the separator columns, in parallel if `parallel`. Returns the error of the first part
/// that fails.
pub(crate) fn for_each_separator_part<E: Send>(
    all: SeparatorColumns<'_>,
    parallel: bool,
    work: &(impl Fn(SeparatorColumns<'_>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    match all.halves() {
        Err(part) => work(part),
        Ok((left, right)) => {
            let first = || for_each_separator_part(left, parallel, work);
            let (first, second) = at_once(parallel, first, || for_each_separator_part(right, parallel, work));
            first.and(second)
        }
    }
}
