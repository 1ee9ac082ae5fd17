//! Work on the groups of an island at the same time.
//!
//! What a group works on is a tuple of its shares: of the factor, of vectors by position, of lists by constraint. A
//! tuple that holds the shares of all groups is split until each has those of one.

use ropewalk_linalg::sparse::{Analysis, Both, Part, TopPart, Window};

/// Does two things, at the same time if `parallel`.
pub(crate) fn at_once<A: Send, B: Send>(
    parallel: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if parallel { rayon::join(a, b) } else { (a(), b()) }
}

/// How two things are done at the same time, if they are to be and there are threads for it.
pub(crate) fn both(parallel: bool) -> Option<Both<'static>> {
    let both: Both<'static> = &|a, b| {
        rayon::join(a, b);
    };
    (parallel && rayon::current_num_threads() > 1).then_some(both)
}

/// Where the shares of a group begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    group: usize,
    eliminated: usize,
    kept: usize,
    constraint: usize,
}

/// Something of which each group has its share.
pub(crate) trait Share: Sized + Send {
    /// What groups before the cut have, and what the others have.
    fn split(self, at: &Cut) -> (Self, Self);
}

impl Share for Part<'_> {
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

/// Calls `work` with each group and its shares of `all`, at the same time if `parallel`. `constraint_start` is the first
/// constraint of each group. The error is that of the first group that has one.
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

/// Calls `work` with parts of the top columns, at the same time if `parallel`. The error is that of the first part that has
/// one.
pub(crate) fn for_each_top<E: Send>(
    all: TopPart<'_>,
    parallel: bool,
    work: &(impl Fn(TopPart<'_>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    match all.halves() {
        Err(part) => work(part),
        Ok((left, right)) => {
            let first = || for_each_top(left, parallel, work);
            let (first, second) = at_once(parallel, first, || for_each_top(right, parallel, work));
            first.and(second)
        }
    }
}
