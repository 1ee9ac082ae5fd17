//! What a patch of two edges held by friction, shared out to its polygons.
//!
//! Such a pair keeps force and moment of the friction of its polygons. Each polygon gets what it would if a small motion of one edge
//! against the other, a shift a and a turn b, loaded springs across which the polygons lie, as stiff as their shares w_i in the
//! pressure:
//!
//! ```text
//!   f_i = w_i P_i (a + b × r_i),    P_i = 1 − n_i n_iᵀ,    Σ f_i = F,    Σ r_i × f_i = M
//! ```
//!
//! The projection P_i is a part of the springs, so nothing is lost where polygons have different normals, as between two ropes
//! that press into one another. (The sum alone, projected on each polygon, loses its mean n nᵀ in each step, and a knot gives
//! by 50 µm/s.) What no friction can give, the part of the sum along a common normal, say, is left out: the equations are
//! solved with a little added to the diagonal, and improved twice.
//!
//! A patch that has become small would have to give an old moment by large forces that cancel. Where all of them together are
//! more than friction can give, the moment is let go as far as that takes: a shift alone gives the sum, and the rest is scaled down.

use crate::model::StickForce;
use crate::step::collide::Contact;
use glam::DVec3;

/// What is added to the diagonal, against one for a shift along a flat patch.
const LEAST: f64 = 1e-3;

/// Solves of the same equations, each with what the others have left: what is forgotten goes with this power of [`LEAST`].
const SOLVES: usize = 3;

/// A shift and a turn, or the force and the moment that go with them.
type Six = [f64; 6];

/// Shares out what `anchor` held, its moment about `origin` (m), to the polygons of its patch: their friction in N, in their
/// order. Their friction is at most `limit` (N) in all, unless the force alone takes more.
pub(in crate::step) fn share_out(
    anchor: &StickForce,
    (origin, limit): (DVec3, f64),
    patch: &[Contact],
    shares: &mut Vec<DVec3>,
) {
    shares.clear();
    shares.resize(patch.len(), DVec3::ZERO);
    let weight = |c: &Contact| c.polygon.map_or(0.0, |p| p.share);
    let center: DVec3 = patch.iter().map(|c| weight(c) * c.point).sum();
    let size = patch.iter().map(|c| weight(c) * (c.point - center).length_squared()).sum::<f64>().sqrt();
    // Turns count by the size of the patch, so that all motions are lengths.
    let scale = if size > 0.0 { 1.0 / size } else { 0.0 };
    let arm = |c: &Contact| scale * (c.point - center);
    let pull = |c: &Contact, x: &Six| {
        let way = DVec3::from_slice(&x[..3]) + DVec3::from_slice(&x[3..]).cross(arm(c));
        weight(c) * (way - c.normal * c.normal.dot(way))
    };
    let wrench = |c: &Contact, force: DVec3| -> Six {
        let ([x, y, z], [u, v, w]) = (force.to_array(), arm(c).cross(force).to_array());
        [x, y, z, u, v, w]
    };
    let mut matrix = [[0.0; 6]; 6];
    for c in patch {
        for k in 0..6 {
            let mut unit = [0.0; 6];
            unit[k] = 1.0;
            for (row, w) in matrix.iter_mut().zip(wrench(c, pull(c, &unit))) {
                row[k] += w;
            }
        }
    }
    for (k, row) in matrix.iter_mut().enumerate() {
        row[k] += LEAST;
    }
    let Some(factor) = cholesky(matrix) else { return };
    let moment = scale * (anchor.moment - (center - origin).cross(anchor.force));
    let ([x, y, z], [u, v, w]) = (anchor.force.to_array(), moment.to_array());
    // The motion that gives as much; without turns if there are `unknowns` for a shift alone.
    let motion = |unknowns: usize| {
        let (mut left, mut sum) = ([x, y, z, u, v, w], [0.0; 6]);
        for _ in 0..SOLVES {
            let motion = solve(&factor, left, unknowns);
            for (sum, more) in sum.iter_mut().zip(motion) {
                *sum += more;
            }
            for c in patch {
                for (left, given) in left.iter_mut().zip(wrench(c, pull(c, &motion))) {
                    *left -= given;
                }
            }
        }
        sum
    };
    let whole = motion(6);
    for (c, share) in patch.iter().zip(shares.iter_mut()) {
        *share = pull(c, &whole);
    }
    if shares.iter().map(|f| f.length()).sum::<f64>() <= limit {
        return;
    }
    let shift = motion(3);
    let (mut of_shift, mut of_rest) = (0.0, 0.0);
    for (c, share) in patch.iter().zip(shares.iter()) {
        let force = pull(c, &shift);
        of_shift += force.length();
        of_rest += (*share - force).length();
    }
    let part = if of_rest > 0.0 { ((limit - of_shift) / of_rest).clamp(0.0, 1.0) } else { 0.0 };
    for (c, share) in patch.iter().zip(shares.iter_mut()) {
        let force = pull(c, &shift);
        *share = force + part * (*share - force);
    }
}

/// The lower factor of a symmetric matrix; none if it is not positive definite.
fn cholesky(mut a: [Six; 6]) -> Option<[Six; 6]> {
    for j in 0..6 {
        for i in j..6 {
            let x = a[i][j] - (0..j).map(|k| a[i][k] * a[j][k]).sum::<f64>();
            a[i][j] = if i > j {
                x / a[j][j]
            } else if x > 0.0 {
                x.sqrt()
            } else {
                return None;
            };
        }
    }
    Some(a)
}

/// Solves for the first so many `unknowns`; the others are zero.
fn solve(factor: &[Six; 6], mut x: Six, unknowns: usize) -> Six {
    for i in 0..unknowns {
        let sum: f64 = (0..i).map(|k| factor[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    for i in (0..unknowns).rev() {
        let sum: f64 = (i + 1..unknowns).map(|k| factor[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    x[unknowns..].fill(0.0);
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Surface;
    use crate::step::collide::Side;
    use crate::step::collide::patch::Polygon;
    use glam::DVec2;

    /// Polygons of one weight on a saddle, as between two ropes that cross, with normals up to 0.5 rad off.
    fn saddle() -> Vec<Contact> {
        let mut patch = Vec::new();
        for i in -2..=2 {
            for j in -2..=2 {
                let (x, y) = (2e-4 * f64::from(i), 2e-4 * f64::from(j));
                let point = DVec3::new(x, y, 500.0 * (x * x - y * y));
                let normal = DVec3::new(-1000.0 * x, 1000.0 * y, 1.0).normalize();
                let polygon = Polygon {
                    area: 1e-8,
                    depth: 1e-4,
                    share: 1.0 / 25.0,
                    place: DVec2::ZERO,
                    middle: DVec2::ZERO,
                    lean: DVec2::ZERO,
                    corners: [0; 2],
                };
                let sides = [0, 9].map(|edge| Side::Edge { rod: 0, edge, fraction: 0.5 });
                let contact = Contact::at_point(sides, point, (normal, -1e-4), Surface::default());
                patch.push(Contact { polygon: Some(polygon), ..contact });
            }
        }
        patch
    }

    #[test]
    fn a_curved_patch_forgets_neither_force_nor_moment() {
        let (patch, origin) = (saddle(), DVec3::new(-3e-3, 1e-3, 2e-3));
        let kept = |friction: &[DVec3]| {
            let mut anchor = StickForce::default();
            for (c, f) in patch.iter().zip(friction) {
                anchor.force += *f;
                anchor.moment += (c.point - origin).cross(*f);
            }
            anchor
        };
        // Any friction along the polygons.
        let friction: Vec<DVec3> = (0u8..25)
            .map(|i| {
                let (a, n) = (f64::from(i), patch[usize::from(i)].normal);
                let v = DVec3::new(1.0 + (3.0 * a).sin(), 0.5 + (5.0 * a).cos(), (7.0 * a).sin());
                0.01 * (v - n * n.dot(v))
            })
            .collect();
        let before = kept(&friction);
        let mut shares = Vec::new();
        share_out(&before, (origin, f64::INFINITY), &patch, &mut shares);
        for (c, f) in patch.iter().zip(&shares) {
            assert!(c.normal.dot(*f).abs() < 1e-12, "not along the surface: {f}");
        }
        let (after, size) = (kept(&shares), before.force.length());
        let error = (after.force - before.force).length() / size;
        assert!(error < 1e-4, "force: {error}");
        let error = (after.moment - before.moment).length() / (size * 3e-3);
        assert!(error < 1e-4, "moment: {error}");
        // The force alone, projected on each polygon, loses a part.
        let projected = patch.iter().map(|c| before.force - c.normal * c.normal.dot(before.force));
        assert!((projected.sum::<DVec3>() / 25.0 - before.force).length() > 1e-2 * size);
    }

    #[test]
    fn what_friction_cannot_give_is_left_out() {
        let mut patch = saddle();
        for c in &mut patch {
            (c.point.z, c.normal) = (0.0, DVec3::Z);
        }
        let anchor = StickForce { force: DVec3::new(0.3, 0.0, 5.0), ..StickForce::default() };
        let mut shares = Vec::new();
        share_out(&anchor, (DVec3::ZERO, f64::INFINITY), &patch, &mut shares);
        for f in &shares {
            assert!((*f - DVec3::new(0.3 / 25.0, 0.0, 0.0)).length() < 1e-9, "{f}");
        }
    }

    #[test]
    fn a_moment_beyond_friction_is_let_go() {
        let patch = saddle();
        let force = DVec3::new(0.01, 0.0, 0.0);
        let anchor = StickForce { force, moment: DVec3::new(0.0, 0.0, 1e-3), ..StickForce::default() };
        let mut shares = Vec::new();
        let total = |shares: &[DVec3]| shares.iter().map(|f| f.length()).sum::<f64>();
        share_out(&anchor, (DVec3::ZERO, f64::INFINITY), &patch, &mut shares);
        assert!(total(&shares) > 1.0, "{}", total(&shares));
        share_out(&anchor, (DVec3::ZERO, 0.02), &patch, &mut shares);
        assert!(total(&shares) < 0.02 * (1.0 + 1e-12), "{}", total(&shares));
        assert!((shares.iter().sum::<DVec3>() - force).length() < 1e-4 * force.length());
    }
}
