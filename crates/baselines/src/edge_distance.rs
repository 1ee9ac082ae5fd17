//! The least distance of two edges, with its derivatives.
//!
//! r = J(s, t) x points from the second edge to the first, x the four nodes and J = [(1−s) I, s I, −(1−t) I, −t I]. With s and t
//! at the minimum of φ = ½|r|², bounded to 0…1, and F those of them that are not at a bound,
//!
//! ∇φ = Jᵀr,    ∇²φ = JᵀJ − φ_xF φ_FF⁻¹ φ_Fx.
//!
//! Pitfall: the distance has a kink where edges are parallel. Tilted one way or the other by however little, two such edges are nearest at
//! one pair of ends or at the other, and the gradient jumps between them. Strands that press on one another side by side are at rest in
//! that kink, where no gradient vanishes.

use glam::DVec3;

/// Twelve numbers: the nodes of the first edge, then those of the second.
pub type Twelve = [f64; 12];

/// Two nearly parallel edges have no one nearest place: below this sine² of their angle t is taken as given.
const PARALLEL: f64 = 1e-8;

/// The least distance of two edges.
#[derive(Clone, Copy, Debug)]
pub struct EdgeDistance {
    /// Distance, m.
    pub distance: f64,
    /// Unit vector from the second edge to the first.
    pub normal: DVec3,
    /// Places on the edges, 0 to 1.
    pub place: [f64; 2],
    edges: [DVec3; 2],
    free: [bool; 2],
}

impl EdgeDistance {
    /// Of the edges from `nodes[0]` to `nodes[1]` and from `nodes[2]` to `nodes[3]`; `None` if they cross.
    pub fn of(nodes: &[DVec3; 4]) -> Option<Self> {
        let [p, q] = [nodes[1] - nodes[0], nodes[3] - nodes[2]];
        let w = nodes[0] - nodes[2];
        let (a, b, c, d, e) = (p.dot(p), p.dot(q), q.dot(q), p.dot(w), q.dot(w));
        let det = a * c - b * b;
        let parallel = det <= PARALLEL * a * c;
        let inside = |x: f64| x > 0.0 && x < 1.0;
        let unbounded = if parallel { 0.5 } else { (b * e - c * d) / det };
        let mut s = unbounded.clamp(0.0, 1.0);
        let wanted = (b * s + e) / c;
        let t = wanted.clamp(0.0, 1.0);
        let mut free = [!parallel && inside(unbounded), inside(wanted)];
        if t != wanted {
            let again = (b * t - d) / a;
            s = again.clamp(0.0, 1.0);
            free[0] = inside(again);
        }
        let r = w + s * p - t * q;
        let distance = r.length();
        let normal = r.try_normalize()?;
        Some(Self { distance, normal, place: [s, t], edges: [p, q], free })
    }

    /// Shares of the nodes in r: J = [w₀ I, w₁ I, w₂ I, w₃ I].
    pub fn shares(&self) -> [f64; 4] {
        let [s, t] = self.place;
        [1.0 - s, s, t - 1.0, -t]
    }

    /// Gradient of the distance.
    pub fn gradient(&self) -> Twelve {
        let shares = self.shares();
        core::array::from_fn(|k| shares[k / 3] * self.normal[k % 3])
    }

    /// Adds `first` ∇²d + `second` ∇d ∇dᵀ of the distance d to `out`.
    pub fn add_hessian(&self, first: f64, second: f64, out: &mut [Twelve; 12]) {
        // ∇²d = (∇²φ − ∇d ∇dᵀ)/d, φ = ½d².
        let (shares, gradient) = (self.shares(), self.gradient());
        let scale = first / self.distance;
        let outer = second - scale;
        for i in 0..12 {
            for j in 0..12 {
                let same_axis = if i % 3 == j % 3 { shares[i / 3] * shares[j / 3] } else { 0.0 };
                out[i][j] += scale * same_axis + outer * gradient[i] * gradient[j];
            }
        }
        let columns = [self.mixed(0), self.mixed(1)];
        let [p, q] = self.edges;
        let (a, b, c) = (p.dot(p), -p.dot(q), q.dot(q));
        let inverse = match self.free {
            [true, true] => {
                let det = a * c - b * b;
                [[c / det, -b / det], [-b / det, a / det]]
            }
            [true, false] => [[1.0 / a, 0.0], [0.0, 0.0]],
            [false, true] => [[0.0, 0.0], [0.0, 1.0 / c]],
            [false, false] => return,
        };
        for i in 0..12 {
            for j in 0..12 {
                let mut sum = 0.0;
                for k in 0..2 {
                    for l in 0..2 {
                        sum += columns[k][i] * inverse[k][l] * columns[l][j];
                    }
                }
                out[i][j] -= scale * sum;
            }
        }
    }

    /// ∂²φ/∂x∂s (k = 0) or ∂²φ/∂x∂t (k = 1).
    fn mixed(&self, k: usize) -> Twelve {
        let shares = self.shares();
        let r = self.distance * self.normal;
        // φ_s = r·p and φ_t = −r·q; p = x₁ − x₀, q = x₃ − x₂.
        let (edge, rates) = if k == 0 {
            (self.edges[0], [-1.0, 1.0, 0.0, 0.0])
        } else {
            (-self.edges[1], [0.0, 0.0, 1.0, -1.0])
        };
        core::array::from_fn(|i| shares[i / 3] * edge[i % 3] + rates[i / 3] * r[i % 3])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn nodes(x: &Twelve) -> [DVec3; 4] {
        core::array::from_fn(|k| DVec3::new(x[3 * k], x[3 * k + 1], x[3 * k + 2]))
    }

    /// Crossing edges, an end against an edge, two ends.
    const CASES: [Twelve; 3] = [
        [-1.0, 0.1, 0.0, 1.0, -0.1, 0.05, 0.2, -0.9, 0.4, -0.1, 1.1, 0.5],
        [-1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.3, 0.2, 0.4, 0.5, 1.2, 0.6],
        [-1.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.4, 0.2, 0.3, 1.5, 0.6, 0.4],
    ];

    #[test]
    fn derivatives_agree_with_differences() {
        for x in CASES {
            let found = EdgeDistance::of(&nodes(&x)).unwrap();
            let mut hessian = [[0.0; 12]; 12];
            found.add_hessian(1.0, 0.0, &mut hessian);
            for k in 0..12 {
                let at = |h: f64| {
                    let mut moved = x;
                    moved[k] += h;
                    EdgeDistance::of(&nodes(&moved)).unwrap()
                };
                let (more, less) = (at(1e-5), at(-1e-5));
                let slope = (more.distance - less.distance) / 2e-5;
                assert!((slope - found.gradient()[k]).abs() < 1e-8, "{slope} {:?}", found.gradient()[k]);
                for i in 0..12 {
                    let bend = (more.gradient()[i] - less.gradient()[i]) / 2e-5;
                    assert!((bend - hessian[i][k]).abs() < 1e-7, "{i} {k}: {bend} {}", hessian[i][k]);
                }
            }
        }
    }

    #[test]
    fn the_gradient_of_parallel_edges_jumps() {
        for tilt in [1e-2, 1e-3] {
            let at = |tilt: f64| {
                let edges = [0.0, 0.0, 1.0, 1.0, 0.0, 1.0 + tilt, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
                EdgeDistance::of(&nodes(&edges)).unwrap().gradient()
            };
            // The height of the first edge's start counts in full, or not at all.
            assert!((at(tilt)[2] - 1.0).abs() < 0.02 && at(-tilt)[2].abs() < 0.02, "{tilt}");
        }
    }

    #[test]
    fn edges_that_cross_have_no_normal() {
        let [o, x, y] = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert!(EdgeDistance::of(&[o - x, o + x, o - y, o + y]).is_none());
    }
}
