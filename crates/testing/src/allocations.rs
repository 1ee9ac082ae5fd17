//! A counting allocator, for tests of memory use.
//!
//! ```ignore
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//! ```
//!
//! [`count`] is that of the calling thread, since the test harness allocates on its own thread. [`total_count`] and
//! [`peak_bytes`] are those of the whole process.

// Only a global allocator can observe allocations; it forwards every call to the system's.
#![allow(unsafe_code)]

use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::{GlobalAlloc, Layout, System};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}
static TOTAL: AtomicUsize = AtomicUsize::new(0);
static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Counts, and forwards every call to the system's allocator.
#[derive(Debug)]
pub struct CountingAllocator;

fn taken(bytes: usize) {
    // A thread that is ending has no counter any more.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    TOTAL.fetch_add(1, Ordering::Relaxed);
    let now = IN_USE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(now, Ordering::Relaxed);
}

fn given_back(bytes: usize) {
    IN_USE.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call goes to `System` unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        given_back(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given_back(layout.size());
        taken(size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Allocations of this thread so far.
pub fn count() -> usize {
    COUNT.with(Cell::get)
}

/// Allocations of this thread while `work` runs.
pub fn count_in(work: impl FnOnce()) -> usize {
    let before = count();
    work();
    count() - before
}

/// Allocations of all threads so far.
pub fn total_count() -> usize {
    TOTAL.load(Ordering::Relaxed)
}

/// Allocations of all threads while `work` runs.
pub fn total_count_in(work: impl FnOnce()) -> usize {
    let before = total_count();
    work();
    total_count() - before
}

/// Bytes in use now.
pub fn bytes_in_use() -> usize {
    IN_USE.load(Ordering::Relaxed)
}

/// The most bytes that were in use at once.
pub fn peak_bytes() -> usize {
    PEAK.load(Ordering::Relaxed)
}

/// Resets the peak to the bytes in use.
pub fn reset_peak() {
    PEAK.store(bytes_in_use(), Ordering::Relaxed);
}
