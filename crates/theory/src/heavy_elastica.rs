//! A heavy inextensible elastica in a vertical plane, clamped at both ends: a cable that hangs between two clamps.
//!
//! With θ(s) the angle of the tangent above x, w the weight per length and H, V the force that the part beyond s = 0 exerts there,
//!
//! EI θ″ = H sin θ − (V + w s) cos θ,   ∫ cos θ ds = X,   ∫ sin θ ds = Z,   θ(0), θ(L) given.
//!
//! Three-point differences for θ″ and the trapezoidal rule for the integrals; Newton's method on the angles and on H and V, whose matrix is tridiagonal with a
//! border of two rows and columns. Errors fall with the square of the spacing. This is another discretization than that of a discrete
//! rod (angles in place of nodes, no stretch), so it is a check on one.

/// Pieces of the arclength.
const PIECES: usize = 1500;
/// Iterations of Newton's method at most.
const MOST_ITERATIONS: usize = 30;
/// A load that is changed by less than this fraction of the whole change at a time is not found.
const LEAST_CHANGE: f64 = 1e-4;

/// An elastica with EI = 1 at rest.
#[derive(Clone, Debug)]
pub struct HeavyElastica {
    length: f64,
    angle: Vec<f64>,
    force: [f64; 2],
    weight: f64,
    end: [f64; 2],
}

impl HeavyElastica {
    /// Without weight, bent to an arc whose tangent turns from the angle `first` to `last`; its end is where it is.
    pub fn arc(length: f64, first: f64, last: f64) -> Self {
        let angle: Vec<f64> =
            (0..=PIECES).map(|i| first + (last - first) * i as f64 / PIECES as f64).collect();
        let mut out = Self { length, angle, force: [0.0; 2], weight: 0.0, end: [0.0; 2] };
        out.end = out.reach();
        out
    }

    /// Brings it to a weight per length of `weight` (over EI, 1/m³) and its end to `end` (m), gradually; `false` if no equilibrium is found.
    pub fn load(&mut self, weight: f64, end: [f64; 2]) -> bool {
        let (from_weight, from_end) = (self.weight, self.end);
        let (mut share, mut change) = (0.0, 1.0f64);
        while share < 1.0 {
            let next = f64::min(1.0, share + change);
            let mix = |a: f64, b: f64| a + (b - a) * next;
            let mut trial = self.clone();
            // A weight changes by factors, once there is one.
            trial.weight = if from_weight > 0.0 && weight > 0.0 {
                from_weight * (weight / from_weight).powf(next)
            } else {
                mix(from_weight, weight)
            };
            trial.end = [mix(from_end[0], end[0]), mix(from_end[1], end[1])];
            if trial.solve() {
                *self = trial;
                share = next;
                change *= 1.5;
            } else {
                change *= 0.5;
                if change < LEAST_CHANGE {
                    return false;
                }
            }
        }
        true
    }

    /// Points at the `count` equal arclengths from end to end, x and z in m.
    pub fn points(&self, count: usize) -> Vec<[f64; 2]> {
        let h = self.length / PIECES as f64;
        let mut nodes = vec![[0.0, 0.0]];
        for pair in self.angle.windows(2) {
            // cos and sin at both ends of the piece: the trapezoidal rule, as in the equations.
            let [x, z] = nodes[nodes.len() - 1];
            nodes.push([
                x + 0.5 * h * (pair[0].cos() + pair[1].cos()),
                z + 0.5 * h * (pair[0].sin() + pair[1].sin()),
            ]);
        }
        let at = |k: usize| {
            let place = k as f64 * PIECES as f64 / (count - 1) as f64;
            let i = (place as usize).min(PIECES - 1);
            let t = place - i as f64;
            [0, 1].map(|c| nodes[i][c] + t * (nodes[i + 1][c] - nodes[i][c]))
        };
        (0..count).map(at).collect()
    }

    fn reach(&self) -> [f64; 2] {
        self.points(2)[1]
    }

    /// Newton's method at the present load; `false` if it does not converge.
    fn solve(&mut self) -> bool {
        let inner = PIECES - 1;
        let h = self.length / PIECES as f64;
        let bend = 1.0 / (h * h);
        for _ in 0..MOST_ITERATIONS {
            let [horizontal, vertical] = self.force;
            let mut diagonal = Vec::with_capacity(inner);
            // Right-hand sides: −F, and the columns of H and V.
            let mut sides: [Vec<f64>; 3] = core::array::from_fn(|_| Vec::with_capacity(inner));
            let mut greatest = 0.0f64;
            for i in 1..PIECES {
                let (sin, cos) = self.angle[i].sin_cos();
                let lift = vertical + self.weight * h * i as f64;
                let turn = bend * (self.angle[i + 1] - 2.0 * self.angle[i] + self.angle[i - 1]);
                let rest = turn - horizontal * sin + lift * cos;
                diagonal.push(-2.0 * bend - horizontal * cos - lift * sin);
                sides[0].push(-rest);
                sides[1].push(-sin);
                sides[2].push(cos);
                greatest = greatest.max(rest.abs());
            }
            let reach = self.reach();
            let gap = [self.end[0] - reach[0], self.end[1] - reach[1]];
            if greatest < 1e-9 * bend && gap[0].abs().max(gap[1].abs()) < 1e-12 * self.length {
                return true;
            }
            if !solve_tridiagonal(&mut diagonal, bend, &mut sides) {
                return false;
            }
            // Rows of the integrals: −h sin θ and h cos θ on what each right-hand side gives.
            let row = |c: usize, side: &[f64]| -> f64 {
                let of = |i: usize| if c == 0 { -self.angle[i].sin() } else { self.angle[i].cos() };
                h * side.iter().enumerate().map(|(k, x)| of(k + 1) * x).sum::<f64>()
            };
            let known = [0, 1].map(|c| gap[c] - row(c, &sides[0]));
            let border = [0, 1].map(|c| [-row(c, &sides[1]), -row(c, &sides[2])]);
            let det = border[0][0] * border[1][1] - border[0][1] * border[1][0];
            let change = [
                (known[0] * border[1][1] - known[1] * border[0][1]) / det,
                (border[0][0] * known[1] - border[1][0] * known[0]) / det,
            ];
            let turn = |k: usize| sides[0][k] - change[0] * sides[1][k] - change[1] * sides[2][k];
            let longest = (0..inner).map(|k| turn(k).abs()).fold(0.0, f64::max);
            if !(longest.is_finite() && longest < 1.0) {
                return false;
            }
            for k in 0..inner {
                self.angle[k + 1] += turn(k);
            }
            self.force[0] += change[0];
            self.force[1] += change[1];
        }
        false
    }
}

/// Solves a symmetric tridiagonal system with equal entries beside its diagonal, in place; `false` if a pivot vanishes.
fn solve_tridiagonal(diagonal: &mut [f64], beside: f64, sides: &mut [Vec<f64>; 3]) -> bool {
    let n = diagonal.len();
    for i in 1..n {
        let factor = beside / diagonal[i - 1];
        diagonal[i] -= factor * beside;
        for side in sides.iter_mut() {
            side[i] -= factor * side[i - 1];
        }
    }
    for side in sides.iter_mut() {
        for i in (0..n).rev() {
            let above = if i + 1 < n { beside * side[i + 1] } else { 0.0 };
            side[i] = (side[i] - above) / diagonal[i];
        }
    }
    sides.iter().flatten().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::{PI, TAU};

    /// A loop of 1.5 m from two horizontal clamps 0.12 m apart; depth and width in m by a collocation method with error control (fourth order, to 1e-9).
    const LOOPS: [(f64, [f64; 2]); 2] =
        [(200.0, [0.603_785_640_6, 0.373_059_320_2]), (2000.0, [0.687_396_659_8, 0.197_561_095_6])];

    #[test]
    fn hanging_loops_agree_with_collocation() {
        let mut cable = HeavyElastica::arc(1.5, 0.0, -TAU);
        for (weight, [depth, width]) in LOOPS {
            assert!(cable.load(weight, [-0.12, 0.0]), "{weight}");
            let points = cable.points(1501);
            let greatest = |of: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(of).fold(f64::MIN, f64::max);
            let found = [greatest(&|p| -p[1]), greatest(&|p| p[0]) + greatest(&|p| -p[0])];
            assert!(
                (found[0] - depth).abs() < 2e-5 && (found[1] - width).abs() < 2e-5,
                "{weight}: {found:?} of {depth}, {width}"
            );
        }
    }

    #[test]
    fn an_arc_without_weight_keeps_its_shape() {
        let mut arc = HeavyElastica::arc(1.0, 0.5 * PI, -0.5 * PI);
        let end = arc.reach();
        assert!(arc.load(0.0, end));
        // A half circle of circumference 1.
        assert!((end[0] - 2.0 / PI).abs() < 1e-6 && end[1].abs() < 1e-9, "{end:?}");
    }
}
