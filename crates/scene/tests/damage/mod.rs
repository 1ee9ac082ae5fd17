//! Seeded damage to bytes and texts, and a measure of the memory that reading them takes.
#![allow(unsafe_code, reason = "an allocator that counts")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the bytes in use, and the most there were.
pub(crate) struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to the system's allocator with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Bytes in use now.
pub(crate) fn bytes_in_use() -> usize {
    IN_USE.load(Ordering::Relaxed)
}

/// Forgets the most bytes that were in use.
pub(crate) fn restart_peak() {
    PEAK.store(bytes_in_use(), Ordering::Relaxed);
}

/// The most bytes that were in use at once in this process.
pub(crate) fn peak_bytes() -> usize {
    PEAK.load(Ordering::Relaxed)
}

/// Numbers that look random and are the same in every run: SplitMix64 (Steele et al. 2014).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `count`, which is not 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub(crate) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Lengths and numbers that break careless readers.
const HOSTILE: [u64; 10] = [
    0,
    1,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x0100_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];

/// Words that stand where others stood in a text.
const WORDS: [&str; 18] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-320",
    "99999999999999999999",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\"..\"",
    "[[]]",
    "1,",
    "é",
    "</a>",
];

/// One to four changes: bytes flipped, replaced by a hostile number, cut out, doubled, cut off; words replaced.
pub(crate) fn damage(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=dice.below(4) {
        if out.is_empty() {
            return out;
        }
        let at = dice.below(out.len());
        let length = (1 + dice.below(16)).min(out.len() - at);
        match dice.below(8) {
            0 | 1 => out[at] ^= 1 << dice.below(8),
            2 => {
                let number = dice.of(&HOSTILE).to_le_bytes();
                let width = (1_usize << dice.below(4)).min(out.len() - at);
                out[at..at + width].copy_from_slice(&number[..width]);
            }
            3 => drop(out.drain(at..at + length)),
            4 => {
                let copy = out[at..at + length].to_vec();
                let to = dice.below(out.len());
                out.splice(to..to, copy);
            }
            5 if dice.below(4) == 0 => out.truncate(at),
            6 => out[at] = (dice.next() & 0xff) as u8,
            _ => {
                let start = out[at..].iter().position(|b| b.is_ascii_digit()).map_or(at, |i| at + i);
                let number = out[start..].iter().take_while(|b| b"0123456789.e-+".contains(b)).count();
                let word = dice.of(&WORDS).bytes();
                out.splice(start..start + number, word);
            }
        }
    }
    out
}
