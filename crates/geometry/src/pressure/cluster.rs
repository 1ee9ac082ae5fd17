//! Clusters: a few contacts that replace many polygons, with the same force, moment and stiffness.
//!
//! Polygons of one patch whose normals are within an angle of one another become at most four contacts. With their
//! forces f_i n_i at x_i, F = Σ f_i n_i, n = F/|F|, the stiffnesses k_i = A_i g_i (n_i·n)², K = Σ k_i, and in the
//! plane perpendicular to n the center and the spread of the stiffness,
//!
//!   c = Σ k_i x_i/K,   Σ k_i (x_i − c)(x_i − c)ᵀ/K = s₁² e₁e₁ᵀ + s₂² e₂e₂ᵀ,
//!
//! four contacts of K/4 at c ± √2 s₁ e₁ and c ± √2 s₂ e₂ resist translation along n and both tilts as the polygons do. Their
//! forces have the sum |F| and the moment M about c,
//!
//!   f = |F|/4 (1 ± √2 a_r/s_r) at ±√2 s_r e_r,   a_r = e_r·(n × M)/|F|,
//!
//! and the remaining moment M·n of a curved patch comes from tilting the first two normals: ±δ e₂ at ±√2 s₁ e₁ with δ
//! = M·n/(2√2 s₁). If s₂ vanishes, two contacts of K/2 at c ± s₁ e₁ suffice. Force and moment always equal those of
//! the polygons; the stiffness does if they lie in one plane. Where a contact would have to pull, or where the
//! polygons are no more than the contacts, the polygons stay.

use super::polygon::PatchPolygon;
use glam::{DMat2, DVec2, DVec3};

/// Ratio s₂/s₁ below which polygons count as collinear.
const LINE: f64 = 1e-6;
/// Greatest fraction of its mean force that a contact loses to the moment: no contact comes close to pulling.
const MOST_LEAN: f64 = 0.95;
/// Greatest tangent of the tilt of normals.
const MOST_TILT: f64 = 0.1;

/// Replaces polygons whose normals are within `angle` (rad) of one another. Corners are dropped; `scratch` is reused
/// memory.
pub fn cluster(polygons: &mut Vec<PatchPolygon>, angle: f64, scratch: &mut Vec<PatchPolygon>) {
    if polygons.len() < 3 {
        return;
    }
    let least = angle.min(core::f64::consts::PI).cos();
    scratch.clear();
    let mut rest = polygons.as_mut_slice();
    while let Some(first) = rest.first().copied() {
        // Polygons with normals near the first come first.
        let mut count = 0;
        for i in 0..rest.len() {
            if rest[i].normal.dot(first.normal) >= least {
                rest.swap(i, count);
                count += 1;
            }
        }
        let (group, others) = rest.split_at_mut(count.max(1));
        match equivalent(group) {
            Some((contacts, n)) if n < group.len() => scratch.extend_from_slice(&contacts[..n]),
            _ => scratch.extend_from_slice(group),
        }
        rest = others;
    }
    polygons.clear();
    polygons.extend_from_slice(scratch);
}

/// Four contacts, or two, with the force, moment and stiffness of the polygons.
fn equivalent(group: &[PatchPolygon]) -> Option<([PatchPolygon; 4], usize)> {
    let force: DVec3 = group.iter().map(PatchPolygon::force).sum();
    let size = force.length();
    let n = force.try_normalize()?;
    let (e, f) = n.any_orthonormal_pair();
    let stiffness = |p: &PatchPolygon| p.stiffness() * p.normal.dot(n).powi(2);
    let total: f64 = group.iter().map(stiffness).sum();
    let center = group.iter().map(|p| stiffness(p) * p.point).sum::<DVec3>() / total;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in group {
        let (k, d) = (stiffness(p) / total, p.point - center);
        let (x, y) = (d.dot(e), d.dot(f));
        (xx, xy, yy) = (xx + k * x * x, xy + k * x * y, yy + k * y * y);
    }
    let ([along, across], axis) = principal(xx, xy, yy);
    let (e1, e2) = (axis.x * e + axis.y * f, axis.x * f - axis.y * e);
    let moment: DVec3 = group.iter().map(|p| (p.point - center).cross(p.force())).sum();
    // The center of force, relative to the center.
    let shift = n.cross(moment) / size;
    let count = if across > LINE * along { 4 } else { 2 };
    let reach = if count == 4 { core::f64::consts::SQRT_2 } else { 1.0 };
    let mean = size / count as f64;
    let lean = |spread: f64, e: DVec3| reach * shift.dot(e) / spread;
    let leans = [lean(along, e1), if count == 4 { lean(across, e2) } else { 0.0 }];
    let tilt = moment.dot(n) / (2.0 * reach * along);
    let weakest = mean * (1.0 - leans[0].abs());
    // Comparisons with NaN are false: polygons without spread stay as they are.
    let can = leans.iter().all(|l| l.abs() <= MOST_LEAN) && tilt.abs() <= MOST_TILT * weakest;
    // Collinear contacts cannot carry a moment about their line.
    let held = count == 4 || shift.dot(e2).abs() <= LINE * along;
    if !(can && held) {
        return None;
    }
    let area = group.iter().map(|p| p.area).sum::<f64>() / count as f64;
    let depth = group.iter().map(|p| p.depth).fold(0.0, f64::max);
    let stiff = total / count as f64;
    let mut contacts = [group[0]; 4];
    for (k, contact) in contacts[..count].iter_mut().enumerate() {
        let (sign, first) = (if k % 2 == 0 { 1.0 } else { -1.0 }, k < 2);
        let (e, spread) = if first { (e1, along) } else { (e2, across) };
        let pressed = mean * (1.0 + sign * leans[k / 2]);
        let vector = pressed * n + if first { sign * tilt * e2 } else { DVec3::ZERO };
        let place = center + sign * reach * spread * e;
        let gradient = stiff / area;
        *contact = PatchPolygon {
            area,
            centroid: place,
            point: place,
            normal: vector.normalize(),
            pressure: vector.length() / area,
            gradient_a: gradient,
            gradient_b: f64::INFINITY,
            gradient,
            depth,
            vertex_count: 0,
            ..*contact
        };
    }
    Some((contacts, count))
}

/// Roots of the eigenvalues of a matrix of mean squares, the greater first, and the direction of the first.
fn principal(xx: f64, xy: f64, yy: f64) -> ([f64; 2], DVec2) {
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let radius = half.hypot(xy);
    let axis = DVec2::from_angle(0.5 * xy.atan2(half));
    // The lesser as determinant over the greater, to avoid cancellation.
    let great = mean + radius;
    let little = DMat2::from_cols_array(&[xx, xy, xy, yy]).determinant().max(0.0) / great;
    ([great.sqrt(), little.sqrt()], axis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(point: DVec3, normal: DVec3, force: f64, stiffness: f64) -> PatchPolygon {
        PatchPolygon {
            area: 2.0,
            centroid: point,
            point,
            normal,
            pressure: force / 2.0,
            gradient_a: stiffness / 2.0,
            gradient_b: f64::INFINITY,
            gradient: stiffness / 2.0,
            depth: force / stiffness,
            element_a: 0,
            element_b: 0,
            first_vertex: 0,
            vertex_count: 0,
        }
    }

    /// Force, moment about the origin, and the change of both with motions along z and about x and y, by linear springs.
    fn response(polygons: &[PatchPolygon]) -> ([DVec3; 2], [[f64; 3]; 3]) {
        let force = polygons.iter().map(PatchPolygon::force).sum();
        let moment = polygons.iter().map(|p| p.point.cross(p.force())).sum();
        let mut stiffness = [[0.0; 3]; 3];
        for p in polygons {
            let arm = [p.normal.z, p.point.cross(p.normal).x, p.point.cross(p.normal).y];
            for i in 0..3 {
                for k in 0..3 {
                    stiffness[i][k] += p.stiffness() * arm[i] * arm[k];
                }
            }
        }
        ([force, moment], stiffness)
    }

    fn plane_patch() -> Vec<PatchPolygon> {
        let at = |k: i32| {
            let (x, y) = (f64::from(k % 5), f64::from(k / 5) * 0.7);
            let point = DVec3::new(3.0 + x + 0.1 * y, y, 0.5);
            polygon(point, DVec3::Z, 1.0 + 0.3 * x + 0.1 * y, 20.0 + x * y)
        };
        (0..20).map(at).collect()
    }

    #[test]
    fn a_plane_patch_keeps_force_moment_and_stiffness() {
        let all = plane_patch();
        let mut few = all.clone();
        cluster(&mut few, 0.01, &mut Vec::new());
        assert_eq!(few.len(), 4);
        let (([f, m], k), ([g, o], l)) = (response(&all), response(&few));
        assert!((f - g).length() < 1e-13 * f.length(), "{f} {g}");
        assert!((m - o).length() < 1e-13 * m.length(), "{m} {o}");
        for i in 0..3 {
            for j in 0..3 {
                assert!((k[i][j] - l[i][j]).abs() < 1e-12 * k[1][1].abs().max(k[2][2]), "{k:?} {l:?}");
            }
        }
        assert!(few.iter().all(|p| p.pressure > 0.0));
        let area = |list: &[PatchPolygon]| list.iter().map(|p| p.area).sum::<f64>();
        assert!((area(&all) - area(&few)).abs() < 1e-12);
    }

    #[test]
    fn a_line_of_polygons_becomes_two() {
        let at = |k: i32| polygon(DVec3::new(f64::from(k), 0.0, 0.0), DVec3::Z, 1.0, 10.0);
        let all: Vec<_> = (0..9).map(at).collect();
        let mut few = all.clone();
        cluster(&mut few, 0.01, &mut Vec::new());
        assert_eq!(few.len(), 2);
        let ((a, k), (b, l)) = (response(&all), response(&few));
        assert!((a[0] - b[0]).length() + (a[1] - b[1]).length() < 1e-12, "{a:?} {b:?}");
        assert!((k[2][2] - l[2][2]).abs() < 1e-10 && (k[0][0] - l[0][0]).abs() < 1e-12);
    }

    #[test]
    fn a_curved_patch_keeps_force_and_moment() {
        let at = |k: i32| {
            let (angle, y) = (0.04 * f64::from(k % 6) - 0.1, f64::from(k / 6) * 0.4);
            let normal = DVec3::new(angle.sin(), 0.02 * y, angle.cos()).normalize();
            let force = 1.0 + 0.2 * y + f64::from(k % 3) * 0.1;
            polygon(3.0 * normal + DVec3::Y * y, normal, force, 30.0)
        };
        let all: Vec<_> = (0..24).map(at).collect();
        let mut few = all.clone();
        cluster(&mut few, 0.5, &mut Vec::new());
        assert_eq!(few.len(), 4);
        let (([f, m], k), ([g, o], l)) = (response(&all), response(&few));
        assert!((f - g).length() < 1e-13 * f.length(), "{f} {g}");
        assert!((m - o).length() < 1e-12 * m.length(), "{m} {o}");
        assert!((k[0][0] / l[0][0] - 1.0).abs() < 0.01, "{k:?} {l:?}");
    }

    #[test]
    fn what_would_have_to_pull_stays_and_normals_far_apart_stay_apart() {
        // All force at one end.
        let mut few: Vec<_> = (0..9)
            .map(|k| {
                let force = if k == 0 { 1.0 } else { 1e-6 };
                polygon(DVec3::new(f64::from(k), f64::from(k % 3), 0.0), DVec3::Z, force, 10.0)
            })
            .collect();
        cluster(&mut few, 0.01, &mut Vec::new());
        assert_eq!(few.len(), 9);
        let mut two = plane_patch();
        two.extend(plane_patch().iter().map(|p| PatchPolygon { normal: DVec3::X, ..*p }));
        cluster(&mut two, 0.5, &mut Vec::new());
        assert!(two.len() > 4 && two.len() < 40, "{}", two.len());
        // No polygons, and coincident ones.
        cluster(&mut Vec::new(), 0.5, &mut Vec::new());
        let mut same = vec![polygon(DVec3::ONE, DVec3::Z, 1.0, 10.0); 7];
        cluster(&mut same, 0.5, &mut Vec::new());
        assert_eq!(same.len(), 7);
    }
}
