//! Edges of rods, and their gaps to one another and to shapes.
//!
//! A round edge is a capsule. A flat one is a box; against a shape it is five lines across its width, each as thick
//! as the box along its thin axis: gap = distance − half thickness · |normal · thin axis|. The distance of a point of
//! a line to anything convex is a convex function along the line, so that a ternary search finds the least.

use super::solid::{SignedDistance, Solid, box_distance};
use glam::{DMat3, DVec3};
use ropewalk_linalg::Pose;
use ropewalk_sim::{Model, State};

/// Lines across the width of a flat edge, as fractions of half of it.
const ACROSS: [f64; 5] = [0.0, -1.0, -0.5, 0.5, 1.0];
/// Number of points on a line at which the search begins.
const PLACES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Steps of the ternary search.
const THIRDS: usize = 24;

/// An edge of a rod, placed.
#[derive(Clone, Copy, Debug)]
pub struct Strand {
    /// Index of the rod.
    pub rod: usize,
    /// Edge.
    pub edge: usize,
    /// Its first node, m.
    pub a: DVec3,
    /// Its second node, m.
    pub b: DVec3,
    /// Least thickness of its section, m.
    pub thickness: f64,
    /// Greatest distance of the section from the axis, m.
    pub outer_radius: f64,
    flat: Option<Flat>,
}

#[derive(Clone, Copy, Debug)]
struct Flat {
    wide: DVec3,
    thin: DVec3,
    half_wide: f64,
    half_thin: f64,
}

impl Flat {
    /// Its axes (wide, thin, along) as columns.
    fn axes(&self) -> DMat3 {
        DMat3::from_cols(self.wide, self.thin, self.wide.cross(self.thin))
    }
}

/// Gap between surfaces, and distance of the axis to a surface, in m.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// Of the surfaces, negative in overlap.
    pub surface: f64,
    /// Of the axis of the edge, negative inside.
    pub axis: f64,
}

/// All edges of all rods.
pub fn strands(model: &Model, state: &State) -> Vec<Strand> {
    let mut out = Vec::new();
    for (r, (rod, s)) in model.rods.iter().zip(&state.rods).enumerate() {
        for e in 0..rod.edge_count() {
            let [first, second] = rod.half_extents()[e];
            let flat = ((first - second).abs() > 1e-9 * first.max(second)).then(|| {
                let [m1, m2, _] = s.material_frame(rod, e);
                match first > second {
                    true => Flat { wide: m1, thin: m2, half_wide: first, half_thin: second },
                    false => Flat { wide: m2, thin: m1, half_wide: second, half_thin: first },
                }
            });
            out.push(Strand {
                rod: r,
                edge: e,
                a: s.position(e),
                b: s.position(rod.edge_end(e)),
                thickness: 2.0 * first.min(second),
                outer_radius: if flat.is_some() { first.hypot(second) } else { first },
                flat,
            });
        }
    }
    out
}

impl Strand {
    /// A round edge on its own.
    pub fn round(a: DVec3, b: DVec3, radius: f64) -> Self {
        Self { rod: 0, edge: 0, a, b, thickness: 2.0 * radius, outer_radius: radius, flat: None }
    }

    /// Middle of the axis and half of its length.
    fn ball(&self) -> (DVec3, f64) {
        (0.5 * (self.a + self.b), 0.5 * (self.b - self.a).length())
    }

    /// Whether its section is flat.
    pub fn is_flat(&self) -> bool {
        self.flat.is_some()
    }

    /// Gap to a shape at `pose`; none if it is above `reach` (m).
    pub fn gap_to_solid(&self, solid: &Solid, pose: &Pose, reach: f64) -> Option<Gap> {
        let (middle, half) = self.ball();
        if solid.least_distance(pose.local_point(middle)) - half - self.outer_radius > reach {
            return None;
        }
        let distance = |p: DVec3| solid.at(pose.local_point(p));
        let axis = least_along(self.a, self.b, |p| distance(p).distance);
        let Some(flat) = self.flat else {
            return Some(Gap { surface: axis - self.outer_radius, axis });
        };
        let surface = ACROSS.iter().map(|&u| {
            let aside = flat.wide * (u * flat.half_wide);
            least_along(self.a + aside, self.b + aside, |p| {
                self.gap_beside(&flat, p, |x| {
                    let d = distance(x);
                    (d.distance, pose.vector(d.normal))
                })
            })
        });
        Some(Gap { surface: surface.fold(f64::INFINITY, f64::min), axis })
    }

    /// Gap of the surfaces of two edges in m; none if it is above `reach` (m).
    pub fn gap_to(&self, other: &Self, reach: f64) -> Option<f64> {
        let ((p, half_p), (q, half_q)) = (self.ball(), other.ball());
        let near = half_p + half_q + self.outer_radius + other.outer_radius + reach;
        if (p - q).length_squared() > near * near {
            return None;
        }
        Some(match (self.flat, other.flat) {
            (None, None) => {
                segment_distance(self.a, self.b, other.a, other.b) - self.outer_radius - other.outer_radius
            }
            (Some(flat), None) => self.gap_of_box(&flat, other),
            (None, Some(flat)) => other.gap_of_box(&flat, self),
            // Lines of one against the box of the other, both ways: a corner between the lines of one is on a line of the other.
            (Some(mine), Some(theirs)) => self.gap_of_box(&mine, other).min(other.gap_of_box(&theirs, self)),
        })
    }

    /// Gap of this edge, a box, to an obstacle with known `distance` and normal at the point `p` on one of its lines:
    /// the distance of the obstacle's nearest point from the box, or its depth in the box, or the depth in the
    /// obstacle of the section at the line.
    fn gap_beside(&self, flat: &Flat, p: DVec3, distance: impl Fn(DVec3) -> (f64, DVec3)) -> f64 {
        let (middle, normal) = distance(p);
        let across = [1.0, -1.0].map(|side| distance(p + flat.thin * (side * flat.half_thin)).0);
        let nearest = match middle > 0.0 {
            true => self.box_distance(flat, p - normal * middle).distance,
            false => middle,
        };
        nearest.min(across[0]).min(across[1])
    }

    /// Distance of a point to this edge as a box; its normal has the axes (wide, thin, along).
    fn box_distance(&self, flat: &Flat, p: DVec3) -> SignedDistance {
        let (middle, half) = self.ball();
        let half_sizes = DVec3::new(flat.half_wide, flat.half_thin, half);
        box_distance(flat.axes().transpose() * (p - middle), half_sizes)
    }

    /// Gap of this edge as a box to the lines of another.
    fn gap_of_box(&self, flat: &Flat, other: &Self) -> f64 {
        let axes = flat.axes();
        let distance = |p: DVec3| self.box_distance(flat, p);
        match other.flat {
            None => least_along(other.a, other.b, |p| distance(p).distance) - other.outer_radius,
            Some(theirs) => {
                let lines = ACROSS.iter().map(|&u| {
                    let aside = theirs.wide * (u * theirs.half_wide);
                    least_along(other.a + aside, other.b + aside, |p| {
                        other.gap_beside(&theirs, p, |x| {
                            let d = distance(x);
                            (d.distance, axes * d.normal)
                        })
                    })
                });
                lines.fold(f64::INFINITY, f64::min)
            }
        }
    }
}

/// The least of `f` on the line from `a` to `b`.
fn least_along(a: DVec3, b: DVec3, f: impl Fn(DVec3) -> f64) -> f64 {
    let at = |u: f64| f(a + (b - a) * u);
    let values = PLACES.map(at);
    let best = (1..PLACES.len()).fold(0, |best, i| if values[i] < values[best] { i } else { best });
    let (mut low, mut high) = (PLACES[best.saturating_sub(1)], PLACES[(best + 1).min(PLACES.len() - 1)]);
    let mut least = values[best];
    for _ in 0..THIRDS {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let (fl, fr) = (at(left), at(right));
        least = least.min(fl).min(fr);
        if fl < fr { high = right } else { low = left }
    }
    least
}

/// Distance of two segments: at the feet of the common perpendicular if both are inside, else at an end of one of them.
pub fn segment_distance(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let to_segment = |p: DVec3, q: DVec3, direction: DVec3, squared: f64| {
        let t = if squared > 0.0 { ((p - q).dot(direction) / squared).clamp(0.0, 1.0) } else { 0.0 };
        (p - q - direction * t).length_squared()
    };
    let mut least = to_segment(a, c, v, vv)
        .min(to_segment(b, c, v, vv))
        .min(to_segment(c, a, u, uu))
        .min(to_segment(d, a, u, uu));
    let det = uu * vv - uv * uv;
    if det > 1e-14 * uu * vv {
        let (s, t) = ((uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            least = least.min((w + u * s - v * t).length_squared());
        }
    }
    least.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_beside_an_edge_is_clear_of_it_and_one_on_it_is_not() {
        // The other strip is a box of 2 by 2 by 2 about the origin; this one is 1 wide and 0.4 thick.
        let strand =
            |middle: DVec3, (wide, half_wide): (DVec3, f64), (thin, half_thin): (DVec3, f64)| Strand {
                rod: 0,
                edge: 0,
                a: middle - DVec3::Y,
                b: middle + DVec3::Y,
                thickness: 2.0 * half_thin,
                outer_radius: half_wide.hypot(half_thin),
                flat: Some(Flat { wide, thin, half_wide, half_thin }),
            };
        let block = strand(DVec3::ZERO, (DVec3::X, 1.0), (-DVec3::Z, 1.0));
        let at = |x: f64, z: f64| {
            let strip = strand(DVec3::new(x, 0.0, z), (DVec3::X, 0.5), (-DVec3::Z, 0.2));
            strip.gap_to(&block, 1.0).unwrap()
        };
        // Above, beside and above at the rim, beside.
        assert!((at(0.0, 1.3) - 0.1).abs() < 1e-6 && (at(0.0, 1.1) + 0.1).abs() < 1e-6);
        assert!((at(1.6, 1.1) - 0.1).abs() < 1e-6, "{}", at(1.6, 1.1));
        assert!((at(1.8, 1.6) - 0.3f64.hypot(0.4)).abs() < 1e-6);
    }

    #[test]
    fn segments_are_as_far_apart_as_their_nearest_samples() {
        let mut random = crate::campaign::random::Random::stream(3, "segments", 0, 0);
        for _ in 0..100 {
            let [a, b, c, d] = [0; 4].map(|_| random.direction() * random.between(0.1, 2.0));
            let found = segment_distance(a, b, c, d);
            let sampled = (0..=200).map(|i| a + (b - a) * (f64::from(i) / 200.0));
            let sampled =
                sampled.map(|p| least_along(c, d, |q| (p - q).length())).fold(f64::INFINITY, f64::min);
            assert!(found <= sampled + 1e-6 && sampled < found + 0.02, "{found} {sampled}");
        }
    }
}
