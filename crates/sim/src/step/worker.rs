//! Company: a second thread that stays awake during a step.

use crate::model::Model;
use core::sync::atomic::{AtomicBool, Ordering};

/// Rods with so many nodes in all are worth a second thread that stays awake.
const AWAKE_NODES: usize = 500;

/// Does `work` while one other thread of the pool, if it has nothing else to do, stays awake to share in it. A step has
/// dozens of short stretches for several threads; to wake one for each would take longer than it saves.
pub(in crate::step) fn keep_awake<T: Send>(model: &Model, work: impl FnOnce() -> T + Send) -> T {
    let node_count: usize = model.rods.iter().map(|rod| rod.node_count()).sum();
    if model.is_rods_alone() || node_count < AWAKE_NODES || rayon::current_num_threads() == 1 {
        return work();
    }
    let done = AtomicBool::new(false);
    let first = || {
        let _sets_done = SetOnDrop(&done);
        work()
    };
    let helper = || {
        while !done.load(Ordering::Acquire) {
            share_or_spin();
        }
    };
    rayon::join(first, helper).0
}

/// Does `first` and `second`, at the same time if another thread of the pool is free for it. Whoever is done with `first` stays
/// awake and shares in what is left of `second`: what both do next is short, too.
pub(in crate::step) fn join_awake<T: Send>(
    first: impl FnOnce() -> T + Send,
    second: impl FnOnce() + Send,
) -> T {
    let (begun, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let first = || {
        let out = first();
        while begun.load(Ordering::Acquire) && !done.load(Ordering::Acquire) {
            share_or_spin();
        }
        out
    };
    let second = || {
        let _sets_done = SetOnDrop(&done);
        begun.store(true, Ordering::Release);
        second();
    };
    rayon::join(first, second).0
}

/// Does a piece of work that waits for a thread of the pool, if there is one.
fn share_or_spin() {
    if rayon::yield_now() != Some(rayon::Yield::Executed) {
        core::hint::spin_loop();
    }
}

/// Sets a flag however its scope is left, so that nobody waits for ever.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
