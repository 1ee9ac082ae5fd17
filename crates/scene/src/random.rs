//! Random numbers from a scene's seed: the same on every machine and in every version.
//!
//! Bits by SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014), normal numbers
//! by Box and Muller. Every use draws from a stream of its own, so that adding one thing to a scene leaves the others
//! unchanged.

use core::f64::consts::TAU;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The stream of the `index`-th thing called `name`, by the hash of Fowler, Noll and Vo (FNV-1a) over all three.
    pub(crate) fn stream(seed: u32, name: &str, index: usize) -> Self {
        let bytes = seed.to_le_bytes().into_iter().chain((index as u64).to_le_bytes()).chain(name.bytes());
        let hash = bytes
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self { state: hash }
    }

    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly distributed in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normally distributed, mean 0 and deviation 1.
    pub(crate) fn normal(&mut self) -> f64 {
        // 1 − u is above zero, so that its logarithm is finite.
        let (radius, angle) = ((-2.0 * (1.0 - self.uniform()).ln()).sqrt(), TAU * self.uniform());
        radius * angle.cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_moments_of_their_distribution() {
        let mut random = Random::stream(1, "moments", 0);
        let n = 100_000;
        let uniform: Vec<f64> = (0..n).map(|_| random.uniform()).collect();
        let normal: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let mean = |x: &[f64], power: i32| x.iter().map(|x| x.powi(power)).sum::<f64>() / f64::from(n);
        assert!(uniform.iter().all(|x| (0.0..1.0).contains(x)));
        assert!((mean(&uniform, 1) - 0.5).abs() < 5e-3 && (mean(&uniform, 2) - 1.0 / 3.0).abs() < 5e-3);
        assert!(mean(&normal, 1).abs() < 0.015 && (mean(&normal, 2) - 1.0).abs() < 0.03);
        assert!((mean(&normal, 4) - 3.0).abs() < 0.2);
    }

    #[test]
    fn streams_differ_by_seed_name_and_index_and_repeat() {
        let first = |seed, name, index| Random::stream(seed, name, index).uniform();
        let all = [first(1, "a", 0), first(2, "a", 0), first(1, "b", 0), first(1, "a", 1)];
        for (i, x) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|y| x != y));
        }
        assert_eq!(first(1, "a", 0), first(1, "a", 0));
    }
}
