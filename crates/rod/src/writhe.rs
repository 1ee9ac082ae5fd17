//! Writhe of a polygon and linking number of two, by Gauss's integral.
//!
//! Lk(a, b) = 1/4π ∮∮ (x_a − x_b)·(dx_a × dx_b)/|x_a − x_b|³, and the writhe is the same integral of a curve with
//! itself. For two straight segments the integrand is the solid angle of the parallelogram that x_b − x_a sweeps, so
//! the sum over pairs of segments is exact. Segments that share a node lie in a plane and add nothing.
//!
//! A closed rod has link = twist + writhe (turns), where twist is Σ τ/2π: it changes only when the rod passes through
//! itself. Right-handed helices and right-handed twist count positive.
//!
//! Sources: Klenin and Langowski, Computation of writhe in modeling of supercoiled DNA, 2000; Van Oosterom and
//! Strackee, The solid angle of a plane triangle, 1983.

use core::f64::consts::PI;
use glam::DVec3;

/// Signed solid angle of the triangle (a, b, c) seen from the origin.
fn triangle(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let sine = a.dot(b.cross(c));
    let cosine = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * sine.atan2(cosine)
}

/// Solid angle of all the directions from the segment (a0, a1) to (b0, b1), with the sign of Gauss's integral.
fn segments(a0: DVec3, a1: DVec3, b0: DVec3, b1: DVec3) -> f64 {
    let (r00, r01, r10, r11) = (b0 - a0, b1 - a0, b0 - a1, b1 - a1);
    // The parallelogram's corners in order; a flat one, seen from within its plane, has no solid angle.
    triangle(r00, r10, r11) + triangle(r00, r11, r01)
}

/// The segment that leaves point `i`.
fn segment(points: &[DVec3], i: usize) -> (DVec3, DVec3) {
    (points[i], points[(i + 1) % points.len()])
}

/// Writhe in turns of the polygon through `points`; a closed one does not repeat its first point.
pub fn writhe(points: &[DVec3], closed: bool) -> f64 {
    let count = if closed { points.len() } else { points.len().saturating_sub(1) };
    let mut sum = 0.0;
    for i in 0..count {
        let (a0, a1) = segment(points, i);
        for j in i + 2..count {
            if closed && i == 0 && j + 1 == count {
                continue;
            }
            let (b0, b1) = segment(points, j);
            sum += segments(a0, a1, b0, b1);
        }
    }
    // Every pair counts twice in the double integral.
    sum / (2.0 * PI)
}

/// Gauss's integral of two polygons, in turns: the linking number if both are closed and do not touch.
pub fn gauss_integral(a: &[DVec3], a_closed: bool, b: &[DVec3], b_closed: bool) -> f64 {
    let count = |points: &[DVec3], closed: bool| {
        if closed { points.len() } else { points.len().saturating_sub(1) }
    };
    let mut sum = 0.0;
    for i in 0..count(a, a_closed) {
        let (a0, a1) = segment(a, i);
        for j in 0..count(b, b_closed) {
            let (b0, b1) = segment(b, j);
            sum += segments(a0, a1, b0, b1);
        }
    }
    sum / (4.0 * PI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::TAU;

    fn circle(n: usize, at: DVec3, x: DVec3, y: DVec3) -> Vec<DVec3> {
        (0..n)
            .map(|i| {
                let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
                at + x * c + y * s
            })
            .collect()
    }

    #[test]
    fn rings_link_once() {
        let a = circle(7, DVec3::ZERO, DVec3::X, DVec3::Y);
        // Passes upwards through the first ring, which turns right-handed about z.
        let b = circle(9, DVec3::X, DVec3::X, DVec3::Z);
        let lk = gauss_integral(&a, true, &b, true);
        assert!((lk.abs() - 1.0).abs() < 1e-14, "{lk}");
        let mirrored: Vec<DVec3> = b.iter().rev().copied().collect();
        assert!((gauss_integral(&a, true, &mirrored, true) + lk).abs() < 1e-14);
        assert!((gauss_integral(&b, true, &a, true) - lk).abs() < 1e-14);
        let far = circle(9, DVec3::X * 5.0, DVec3::X, DVec3::Z);
        assert!(gauss_integral(&a, true, &far, true).abs() < 1e-14);
    }

    #[test]
    fn linking_is_the_signed_count_of_crossings() {
        // b rises through the disc of a (counter-clockwise seen from above) at the origin: right-handed, +1.
        let a = circle(8, DVec3::ZERO, DVec3::X, DVec3::Y);
        let b = [(0.0, -3.0), (0.0, 3.0), (5.0, 3.0), (5.0, -3.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
        assert!((gauss_integral(&a, true, &b, true) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn flat_and_mirrored_curves() {
        let flat: Vec<DVec3> = [(0.0, 0.0), (3.0, 0.1), (2.5, 2.0), (1.0, 0.7), (-1.0, 2.0)]
            .map(|(x, y)| DVec3::new(x, y, 0.3))
            .into();
        assert!(writhe(&flat, true).abs() < 1e-14);
        let trefoil = |sign: f64| -> Vec<DVec3> {
            (0..60)
                .map(|i| {
                    let t = TAU * f64::from(i) / 60.0;
                    DVec3::new(
                        t.sin() + 2.0 * (2.0 * t).sin(),
                        t.cos() - 2.0 * (2.0 * t).cos(),
                        -sign * (3.0 * t).sin(),
                    )
                })
                .collect()
        };
        let (one, other) = (writhe(&trefoil(1.0), true), writhe(&trefoil(-1.0), true));
        assert!((one + other).abs() < 1e-13);
        // Flat trefoils have a writhe near ±3, the number of their crossings; this one is not quite flat.
        assert!(one.abs() > 3.0 && one.abs() < 3.6, "{one}");
    }

    #[test]
    fn a_helix_approaches_its_closed_form() {
        // A long right-handed helix of m turns: writhe → m (1 − sin p) with p the pitch angle.
        let (turns, per_turn, radius, pitch) = (60, 40, 1.0, 3.0);
        let points: Vec<DVec3> = (0..=turns * per_turn)
            .map(|i| {
                let t = TAU * f64::from(i) / f64::from(per_turn);
                DVec3::new(radius * t.cos(), radius * t.sin(), pitch * t / TAU)
            })
            .collect();
        let sine = pitch / pitch.hypot(TAU * radius);
        let per_turn_of_helix = writhe(&points, false) / f64::from(turns);
        assert!((per_turn_of_helix - (1.0 - sine)).abs() < 0.02, "{per_turn_of_helix} {}", 1.0 - sine);
    }
}
