//! Small vibrations. Source: Rayleigh, *The Theory of Sound*; Love, *Mathematical Theory of Elasticity*, § 293.

use core::f64::consts::TAU;

/// β L of the bending modes of a cantilever: ω = (β L)² √(EI/ρA L⁴).
pub const CANTILEVER_MODES: [f64; 3] =
    [1.875_104_068_711_961_1, 4.694_091_132_974_175, 7.854_757_438_237_613];

/// β L of the bending modes of a free rod.
pub const FREE_MODES: [f64; 2] = [4.730_040_744_862_704, 7.853_204_624_095_838];

/// Zeros of the Bessel function J₀: a hanging chain has ω = (j/2) √(g/L).
pub const CHAIN_MODES: [f64; 3] = [2.404_825_557_695_773, 5.520_078_110_286_311, 8.653_727_912_911_013];

/// Frequency in Hz of the first bending mode of a cantilever of stiffness `bend` (N·m²), mass per length `line_density` (kg/m).
pub fn cantilever_frequency(bend: f64, line_density: f64, length: f64) -> f64 {
    CANTILEVER_MODES[0].powi(2) * (bend / (line_density * length.powi(4))).sqrt() / TAU
}

/// √(n²(n²−1)²/(n²+1)): ω of the n-th mode of a free ring in its plane, in units of √(EI/ρA R⁴).
pub fn ring_mode(n: u32) -> f64 {
    let square = f64::from(n).powi(2);
    (square * (square - 1.0).powi(2) / (square + 1.0)).sqrt()
}

/// Period in s of small swings of a point on a string of `length` (m) under gravity `gravity` (m/s²).
pub fn pendulum_period(length: f64, gravity: f64) -> f64 {
    TAU * (length / gravity).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_solve_their_equations() {
        for b in CANTILEVER_MODES {
            assert!((b.cos() * b.cosh() + 1.0).abs() < 1e-9 * b.cosh());
        }
        for b in FREE_MODES {
            assert!((b.cos() * b.cosh() - 1.0).abs() < 1e-9 * b.cosh());
        }
        assert!((ring_mode(2) - 2.683_281_572_999_747_7).abs() < 1e-12);
        assert!((ring_mode(3) - 7.589_466_384_404_11).abs() < 1e-12);
        assert!((pendulum_period(1.0, TAU * TAU) - 1.0).abs() < 1e-15);
    }
}
