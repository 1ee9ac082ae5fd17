//! Distance of two convex sets that do not overlap (Gilbert, Johnson, Keerthi 1988).
//!
//! Searches the point v of A − B nearest to the origin in simplices of support points. Every v gives |v| ≥ distance,
//! every support point w along −v gives v·w/|v| ≤ distance: the two bound the error. The nearest point of a simplex
//! is taken over all its features (corners, edges, faces) that contain a candidate, so no case distinction depends on
//! a rounded sign.

use crate::convex::{CoreGap, Placed};
use glam::DVec3;

/// One point of A − B.
#[derive(Clone, Copy)]
struct Vertex {
    w: DVec3,
    /// The point of A in it.
    a: DVec3,
}

/// Nearest point of a simplex: its corners with weights.
#[derive(Clone, Copy)]
struct Nearest {
    v: DVec3,
    squared: f64,
    corners: [usize; 3],
    weights: [f64; 3],
    count: usize,
}

/// Distance, normal and witnesses; none if the sets overlap or come nearer than `touching`. `start` is a guess of the
/// direction from B to A. For sets farther apart than `far`, the returned distance is only a lower bound above `far`.
pub(crate) fn separated(a: &Placed, b: &Placed, start: DVec3, [touching, far]: [f64; 2]) -> Option<CoreGap> {
    let vertex = |d: DVec3| {
        let (pa, pb) = (a.support(-d), b.support(d));
        Vertex { w: pa - pb, a: pa }
    };
    let mut simplex = [vertex(start); 4];
    let mut count = 1;
    let mut best = nearest(&simplex, 1)?;
    for _ in 0..200 {
        if best.squared <= touching * touching {
            return None;
        }
        let next = vertex(best.v);
        let bound = best.v.dot(next.w);
        if bound > 0.0 && bound * bound > far * far * best.squared {
            break;
        }
        // |v|² − v·w bounds the error of the distance, times |v|.
        if best.squared - bound <= 4e-16 * best.squared || simplex[..count].iter().any(|s| s.w == next.w) {
            break;
        }
        let mut larger = simplex;
        larger[count] = next;
        let found = nearest(&larger, count + 1)?;
        if found.squared >= best.squared {
            break;
        }
        for k in 0..found.count {
            simplex[k] = larger[found.corners[k]];
        }
        count = found.count;
        best = Nearest { corners: [0, 1, 2], ..found };
    }
    let distance = best.squared.sqrt();
    let normal = best.v / distance;
    let mut pa = DVec3::ZERO;
    for k in 0..best.count {
        pa += best.weights[k] * simplex[best.corners[k]].a;
    }
    Some(CoreGap { distance, normal, a: pa, b: pa - best.v })
}

/// The point nearest to the origin over all parts of a simplex; none if the origin is inside a tetrahedron.
fn nearest(simplex: &[Vertex; 4], count: usize) -> Option<Nearest> {
    let mut best =
        Nearest { v: DVec3::ZERO, squared: f64::INFINITY, corners: [0; 3], weights: [0.0; 3], count: 0 };
    let mut offer = |v: DVec3, corners: [usize; 3], weights: [f64; 3], count: usize| {
        let squared = v.length_squared();
        if squared < best.squared {
            best = Nearest { v, squared, corners, weights, count };
        }
    };
    let w = |k: usize| simplex[k].w;
    for i in 0..count {
        offer(w(i), [i, 0, 0], [1.0, 0.0, 0.0], 1);
    }
    for i in 0..count {
        for j in i + 1..count {
            let e = w(j) - w(i);
            let t = -w(i).dot(e) / e.length_squared();
            if t > 0.0 && t < 1.0 {
                // From the nearer end: less cancellation.
                let v = if t < 0.5 { w(i) + t * e } else { w(j) - (1.0 - t) * e };
                offer(v, [i, j, 0], [1.0 - t, t, 0.0], 2);
            }
        }
    }
    const FACES: [[usize; 3]; 4] = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
    let faces = if count == 3 { &FACES[..1] } else { &FACES[..] };
    if count >= 3 {
        for &[i, j, k] in faces {
            let n = (w(j) - w(i)).cross(w(k) - w(i));
            let squared = n.length_squared();
            let weights = [w(j).cross(w(k)).dot(n), w(k).cross(w(i)).dot(n), w(i).cross(w(j)).dot(n)];
            if squared > 0.0 && weights.iter().all(|&x| x > 0.0) {
                let sum: f64 = weights.iter().sum();
                // The mean of the corners' heights over the plane through the origin.
                let height = (w(i) + w(j) + w(k)).dot(n) / 3.0;
                offer(n * (height / squared), [i, j, k], weights.map(|x| x / sum), 3);
            }
        }
    }
    if count == 4 && contains_origin([w(0), w(1), w(2), w(3)]) {
        return None;
    }
    Some(best)
}

fn contains_origin([a, b, c, d]: [DVec3; 4]) -> bool {
    let volume = (b - a).cross(c - a).dot(d - a);
    let parts = [b.cross(c).dot(d), -a.cross(c).dot(d), a.cross(b).dot(d), -a.cross(b).dot(c)];
    volume != 0.0 && parts.iter().all(|&p| p * volume > 0.0)
}
