//! Random numbers that are the same in every run: SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom
//! number generators*, 2014).

use core::f64::consts::PI;
use glam::{DQuat, DVec3};

/// A reproducible stream of random numbers; the number is its seed.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }

    /// Uniform in [`low`, `high`).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Log-uniform between `low` and `high`, both positive.
    pub fn log_between(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// Log-uniform between 10^`low` and 10^`high`.
    pub fn decade(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(self.between(low, high))
    }

    /// Uniform in 0..`count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        ((self.uniform() * count as f64) as usize).min(count - 1)
    }

    /// One of `all`, which is not empty.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Uniform in the cube of half-width `size`.
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed()) * size
    }

    /// A unit vector, uniform on the sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            if (1e-4..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    /// A rotation, uniform among all.
    pub fn rotation(&mut self) -> DQuat {
        loop {
            let q = DQuat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed());
            if (1e-4..1.0).contains(&q.length_squared()) {
                return q.normalize();
            }
        }
    }

    /// A rotation by at most π about a random axis, small angles as likely as large ones.
    pub fn turn(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(0.0, PI))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of seed 0, as published with the generator.
    #[test]
    fn the_stream_is_splitmix64() {
        let mut random = Random(0);
        assert_eq!(random.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.bits(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn numbers_stay_in_their_range_and_fill_it() {
        let mut random = Random(1);
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for _ in 0..10_000 {
            let x = random.between(-3.0, 5.0);
            (least, greatest) = (least.min(x), greatest.max(x));
            assert!(random.below(7) < 7);
            assert!((random.direction().length() - 1.0).abs() < 1e-12);
        }
        assert!((-3.0..-2.99).contains(&least) && (4.99..5.0).contains(&greatest), "{least} {greatest}");
    }
}
