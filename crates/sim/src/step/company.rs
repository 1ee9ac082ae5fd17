//! Company: a second thread that stays awake during a step.

use crate::model::Model;
use core::sync::atomic::{AtomicBool, Ordering};

/// Rods with so many nodes in all are worth a second thread that stays awake.
const AWAKE_NODES: usize = 500;

/// Does `work` while one other thread of the pool, if it has nothing else to do, stays awake to share in it. A step has
/// dozens of short stretches for several threads; to wake one for each would take longer than it saves.
pub(super) fn with_company<T: Send>(model: &Model, work: impl FnOnce() -> T + Send) -> T {
    let node_count: usize = model.rods.iter().map(|rod| rod.node_count()).sum();
    if model.is_rods_alone() || node_count < AWAKE_NODES || rayon::current_num_threads() == 1 {
        return work();
    }
    let done = AtomicBool::new(false);
    let first = || {
        let _sets_done = SetOnDrop(&done);
        work()
    };
    let company = || {
        while !done.load(Ordering::Acquire) {
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                core::hint::spin_loop();
            }
        }
    };
    rayon::join(first, company).0
}

/// Sets a flag however its scope is left, so that nobody waits for ever.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
