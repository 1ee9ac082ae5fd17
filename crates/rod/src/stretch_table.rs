//! Tabulated stretch: measured tension, linear between the points.
//!
//! E_s = l̄ ∫₀^ε T(ε') dε', ε = l/l̄ − 1. Beyond the last point, and in compression, the curve continues with the
//! slope there.

use crate::error::RodError;

/// Tension over strain, increasing from (0, 0).
#[derive(Clone, Debug, PartialEq)]
pub struct StretchTable {
    /// ε and T (N) of the points.
    points: Vec<[f64; 2]>,
    /// ∫ T dε up to each point, N.
    energies: Vec<f64>,
}

/// Values of a table at a strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretched {
    /// Energy per rest length, N.
    pub energy: f64,
    /// Tension, N.
    pub tension: f64,
    /// dT/dε, N.
    pub slope: f64,
}

impl StretchTable {
    /// From points (strain, tension in N): the first is (0, 0), both columns increase.
    pub fn new(points: &[[f64; 2]]) -> Result<Self, RodError> {
        let wrong = |value: f64, expected: &'static str| {
            Err(RodError::Value { what: "stretch table", value, expected })
        };
        match points {
            [first, _, ..] if *first == [0.0; 2] => {}
            [first, _, ..] => return wrong(first[1], "(0, 0) as its first point"),
            _ => return wrong(points.len() as f64, "at least two points"),
        }
        let mut energies = vec![0.0];
        for pair in points.windows(2) {
            let step = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
            if !(step[0] > 0.0 && step[1] > 0.0 && pair[1][0].is_finite() && pair[1][1].is_finite()) {
                return wrong(pair[1][1], "strain and tension that rise from point to point");
            }
            energies.push(energies[energies.len() - 1] + 0.5 * step[0] * (pair[0][1] + pair[1][1]));
        }
        Ok(Self { points: points.to_vec(), energies })
    }

    /// The same with all tensions multiplied by `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            points: self.points.iter().map(|[e, t]| [*e, factor * t]).collect(),
            energies: self.energies.iter().map(|e| factor * e).collect(),
        }
    }

    /// Energy, tension and slope at `strain`.
    pub fn at(&self, strain: f64) -> Stretched {
        let after = self.points[1..self.points.len() - 1].partition_point(|p| p[0] <= strain);
        let [from, to] = [self.points[after], self.points[after + 1]];
        let slope = (to[1] - from[1]) / (to[0] - from[0]);
        let beyond = strain - from[0];
        let tension = slope.mul_add(beyond, from[1]);
        Stretched { energy: self.energies[after] + 0.5 * beyond * (from[1] + tension), tension, slope }
    }

    /// EA at zero strain, N.
    pub fn first_slope(&self) -> f64 {
        self.points[1][1] / self.points[1][0]
    }

    /// The greatest slope, N.
    pub fn greatest_slope(&self) -> f64 {
        let slopes = self.points.windows(2).map(|p| (p[1][1] - p[0][1]) / (p[1][0] - p[0][0]));
        slopes.fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tension_is_the_derivative_of_the_energy_and_meets_the_points() {
        let points = [[0.0, 0.0], [0.08, 785.0], [0.2, 3000.0], [0.35, 8800.0]];
        let table = StretchTable::new(&points).unwrap();
        for [strain, tension] in points {
            assert!((table.at(strain).tension - tension).abs() < 1e-9);
        }
        for i in -10..80 {
            let (strain, h) = (0.0071 * f64::from(i), 1e-6);
            let rise = (table.at(strain + h).energy - table.at(strain - h).energy) / (2.0 * h);
            assert!((rise - table.at(strain).tension).abs() < 1e-3, "{strain}");
        }
        assert!((table.at(0.45).tension - (8800.0 + 0.1 * 5800.0 / 0.15)).abs() < 1e-9);
        assert!((table.scaled(2.0).at(0.3).tension / table.at(0.3).tension - 2.0).abs() < 1e-14);
    }

    #[test]
    fn tables_that_are_none_are_refused() {
        let tables: [&[[f64; 2]]; 4] = [
            &[[0.0, 0.0]],
            &[[0.0, 1.0], [0.1, 2.0]],
            &[[0.0, 0.0], [0.1, 0.0]],
            &[[0.0, 0.0], [f64::NAN, 1.0]],
        ];
        for points in tables {
            assert!(StretchTable::new(points).is_err(), "{points:?}");
        }
    }
}
