//! Counter-based random numbers: the n-th number of a stream is a function of the stream's key and of n.
//!
//! The key is the hash of Fowler, Noll and Vo (FNV-1a) over seed, family, index and attempt; the bits are the finalizer of
//! SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014) of key + n·φ.

use core::f64::consts::TAU;
use glam::{DQuat, DVec3};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    key: u64,
    counter: u64,
}

impl Random {
    /// The stream of attempt `attempt` at case `index` of `family`.
    pub fn stream(seed: u64, family: &str, index: u64, attempt: u64) -> Self {
        let numbers = [seed, index, attempt].into_iter().flat_map(u64::to_le_bytes);
        let key = numbers
            .chain(family.bytes())
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self { key, counter: 0 }
    }

    fn bits(&mut self) -> u64 {
        self.counter += 1;
        let z = self.key.wrapping_add(self.counter.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly distributed in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly distributed in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Its logarithm evenly distributed in [low, high); both above zero.
    pub fn log_between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.uniform())
    }

    /// A whole number in low..=high.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.uniform() * (high - low + 1) as f64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// One of these; there must be one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.whole(0, from.len() - 1)]
    }

    /// Evenly distributed over the unit sphere.
    pub fn direction(&mut self) -> DVec3 {
        let (z, angle) = (self.between(-1.0, 1.0), TAU * self.uniform());
        let (s, c) = angle.sin_cos();
        let radius = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(radius * c, radius * s, z)
    }

    /// A rotation by any angle about any axis.
    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(0.0, TAU))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_each_part_of_their_key_and_repeat() {
        let first = |seed, family, index, attempt| Random::stream(seed, family, index, attempt).uniform();
        let all = [
            first(1, "a", 0, 0),
            first(2, "a", 0, 0),
            first(1, "b", 0, 0),
            first(1, "a", 1, 0),
            first(1, "a", 0, 1),
        ];
        for (i, x) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|y| x != y));
        }
        assert_eq!(first(1, "a", 0, 0), first(1, "a", 0, 0));
    }

    #[test]
    fn numbers_stay_within_their_bounds_and_fill_them() {
        let mut random = Random::stream(1, "bounds", 0, 0);
        let logs: Vec<f64> = (0..2000).map(|_| random.log_between(1e5, 2e11).log10()).collect();
        assert!(logs.iter().all(|x| (5.0..11.302).contains(x)));
        assert!((logs.iter().sum::<f64>() / 2000.0 - 8.15).abs() < 0.15);
        let counts = (0..3000).fold([0; 3], |mut counts, _| {
            counts[random.whole(0, 2)] += 1;
            counts
        });
        assert!(counts.iter().all(|&count| count > 850), "{counts:?}");
        assert!((0..100).all(|_| (random.direction().length() - 1.0).abs() < 1e-12));
    }
}
