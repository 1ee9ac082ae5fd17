//! Seeded damage to bytes and texts, and a measure of the memory that reading them takes.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) use ropewalk_testing::Random;
pub(crate) use ropewalk_testing::allocations::{CountingAllocator, peak_bytes};

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
pub(crate) fn damage(bytes: &[u8], dice: &mut Random) -> Vec<u8> {
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
                let number = dice.pick(&HOSTILE).to_le_bytes();
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
            6 => out[at] = (dice.bits() & 0xff) as u8,
            _ => {
                let start = out[at..].iter().position(|b| b.is_ascii_digit()).map_or(at, |i| at + i);
                let number = out[start..].iter().take_while(|b| b"0123456789.e-+".contains(b)).count();
                let word = dice.pick(&WORDS).bytes();
                out.splice(start..start + number, word);
            }
        }
    }
    out
}
