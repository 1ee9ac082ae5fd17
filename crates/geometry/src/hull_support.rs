//! Support points of a hull by hill climbing.
//!
//! On a convex polyhedron a corner that is farther than all of its neighbors is the farthest of all. From the support
//! point of a similar direction it takes a few steps; such starting points are stored for a grid of directions over
//! the six sides of a cube.

use glam::DVec3;

/// Hulls with fewer corners are searched linearly.
const LEAST_CORNERS: usize = 48;
/// Cells of the grid along each side of the cube.
const GRID: usize = 8;

/// Adjacency of the corners of a hull, and starting points.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Climb {
    /// By corner: where its neighbors begin. Empty for hulls with few corners.
    first: Vec<u32>,
    neighbors: Vec<u32>,
    /// By cell of the grid: a corner far along its direction.
    starts: Vec<u32>,
}

impl Climb {
    pub(crate) fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        if vertices.len() < LEAST_CORNERS {
            return Self::default();
        }
        // Each edge is in two triangles, once in each direction.
        let mut pairs: Vec<(u32, u32)> =
            triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
        pairs.sort_unstable();
        let mut first = vec![0u32; vertices.len() + 1];
        pairs.iter().for_each(|&(a, _)| first[a as usize + 1] += 1);
        for i in 0..vertices.len() {
            first[i + 1] += first[i];
        }
        let mut climb = Self {
            first,
            neighbors: pairs.into_iter().map(|(_, b)| b).collect(),
            starts: vec![0; 6 * GRID * GRID],
        };
        let mut last = 0;
        for cell in 0..climb.starts.len() {
            last = climb.climb_from(vertices, last, direction(cell));
            climb.starts[cell] = last;
        }
        climb
    }

    /// The corner farthest along `d`.
    #[inline]
    pub(crate) fn farthest(&self, vertices: &[DVec3], d: DVec3) -> DVec3 {
        if self.starts.is_empty() {
            let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
            for &v in vertices {
                let along = v.dot(d);
                if along > best.0 {
                    best = (along, v);
                }
            }
            return best.1;
        }
        vertices[self.climb_from(vertices, self.starts[cell(d)], d) as usize]
    }

    fn climb_from(&self, vertices: &[DVec3], start: u32, d: DVec3) -> u32 {
        let (mut here, mut along) = (start, vertices[start as usize].dot(d));
        loop {
            let before = here;
            let [low, high] = [0, 1].map(|k| self.first[before as usize + k] as usize);
            for &n in &self.neighbors[low..high] {
                let there = vertices[n as usize].dot(d);
                if there > along {
                    (here, along) = (n, there);
                }
            }
            if here == before {
                return here;
            }
        }
    }
}

/// The cell of a direction of any length; NaN falls in some cell, too.
#[inline]
fn cell(d: DVec3) -> usize {
    let a = d.abs();
    let (axis, main, u, v) = if a.x >= a.y && a.x >= a.z {
        (0, d.x, d.y, d.z)
    } else if a.y >= a.z {
        (1, d.y, d.z, d.x)
    } else {
        (2, d.z, d.x, d.y)
    };
    let place = |w: f64| ((0.5 * (w / main.abs() + 1.0) * GRID as f64) as usize).min(GRID - 1);
    let side = 2 * axis + usize::from(main < 0.0);
    (side * GRID + place(u)) * GRID + place(v)
}

/// The middle of a cell.
fn direction(cell: usize) -> DVec3 {
    let place = |k: usize| 2.0 * (k as f64 + 0.5) / GRID as f64 - 1.0;
    let (side, u, v) = (cell / (GRID * GRID), place(cell / GRID % GRID), place(cell % GRID));
    let main = if side % 2 == 0 { 1.0 } else { -1.0 };
    match side / 2 {
        0 => DVec3::new(main, u, v),
        1 => DVec3::new(v, main, u),
        _ => DVec3::new(u, v, main),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull::convex_hull;

    #[test]
    fn climbing_finds_what_looking_through_finds() {
        for c in 0..6 * GRID * GRID {
            assert_eq!(cell(3.0 * direction(c)), c);
        }
        // A roller with flat facets, many of them in one plane, and a cloud.
        let roller = (0..13).flat_map(|k| {
            let z = f64::from(k) / 6.0 - 1.0;
            (0..96).map(move |j| {
                let (s, c) = (std::f64::consts::TAU * f64::from(j) / 96.0).sin_cos();
                let r = 1.0 - 0.1 * z * z;
                DVec3::new(r * c, r * s, 1.3 * z)
            })
        });
        let cloud = (0..300).map(|k| {
            let s = |m: f64| (m * f64::from(k)).fract() - 0.5;
            DVec3::new(s(0.618), s(0.7549), s(0.5698)).normalize() + 0.1 * DVec3::ONE
        });
        for points in [roller.collect::<Vec<_>>(), cloud.collect()] {
            let hull = convex_hull(&points).unwrap();
            let climb = Climb::new(&hull.vertices, &hull.triangles);
            assert!(!climb.starts.is_empty());
            for k in 0..5000 {
                let s = |m: f64| (m * f64::from(k)).fract() - 0.5;
                let mut d = DVec3::new(s(0.7548), s(0.618), s(0.5699));
                if k % 7 == 0 {
                    d.z = 0.0;
                }
                let all = Climb::default().farthest(&hull.vertices, d);
                let found = climb.farthest(&hull.vertices, d);
                assert!((all - found).dot(d).abs() < 1e-14, "{d} {all} {found}");
            }
            assert!(climb.farthest(&hull.vertices, DVec3::NAN).is_finite());
        }
    }
}
