//! The determinant of the knot in a rope's centerline, with its ends joined at infinity.
//!
//! In a projection of the knot, arcs run from one undercrossing to the next. Each crossing gives an equation 2·(arc
//! over) = (arc before) + (arc after). The determinant of these equations, without one of them and one arc, does not
//! depend on the projection and changes only if the rope passes through itself. It is 1 for the unknot and 2n + 1 for
//! an overhand knot of order n, which joined at infinity is the torus knot T(2, 2n + 1). Source: Livingston, Knot
//! Theory, 1993, chapter 3.

use glam::DVec3;

/// Determinant of the open polygon `points`, whose ends are extended along the line between them to infinity. NaN if
/// crossings coincide in every projection.
pub fn determinant(points: &[DVec3]) -> f64 {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return f64::NAN };
    (last - first).try_normalize().map_or(f64::NAN, |along| joined_far_away(points, along, [-1.0, 1.0]))
}

/// The same with both ends extended along `direction`. Where ends barely stick out of a knot, the line between them
/// may intersect it; a free direction does not, for example upwards for a rope on a table.
pub fn determinant_with_ends(points: &[DVec3], direction: DVec3) -> f64 {
    direction.try_normalize().map_or(f64::NAN, |along| joined_far_away(points, along, [1.0, 1.0]))
}

/// Extends the first and the last point along the unit vector `along`, or against it, by their signs.
fn joined_far_away(points: &[DVec3], along: DVec3, signs: [f64; 2]) -> f64 {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return f64::NAN };
    // Far outside the rope.
    let size = points.iter().map(|p| (*p - first).length()).fold(0.0, f64::max);
    let mut line = vec![first + along * (signs[0] * 10.0 * size)];
    line.extend(points);
    line.push(last + along * (signs[1] * 10.0 * size));
    // Directions of projection unrelated to the axes, perpendicular to the line of the ends so that these do not
    // cross at infinity. Determinants of knots are odd: an even one means that crossings coincide, and the next
    // direction is tried.
    let from = |side: DVec3| {
        let aside = along.cross(side).normalize_or_zero();
        let view = along.cross(aside);
        let flat: Vec<[f64; 3]> =
            line.iter().map(|p| [along, aside, view].map(|axis| axis.dot(*p - first))).collect();
        arcs_determinant(&crossings(&flat))
    };
    SIDES.map(DVec3::from_array).into_iter().map(from).find(|d| d % 2.0 == 1.0).unwrap_or(f64::NAN)
}

/// Number of directions of projection to try.
const SIDES: [[f64; 3]; 4] =
    [[0.351, 0.884, 0.308], [-0.613, 0.271, 0.742], [0.177, -0.536, 0.825], [0.902, 0.114, -0.416]];

/// Overcrossing and undercrossing: edge number plus parameter on the edge.
fn crossings(points: &[[f64; 3]]) -> Vec<(f64, f64)> {
    let mut found = Vec::new();
    let edges = points.len() - 1;
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    for i in 0..edges {
        for j in i + 2..edges {
            let d1 = [points[i + 1][0] - points[i][0], points[i + 1][1] - points[i][1]];
            let d2 = [points[j + 1][0] - points[j][0], points[j + 1][1] - points[j][1]];
            let r = [points[j][0] - points[i][0], points[j][1] - points[i][1]];
            let across = cross(d1, d2);
            let (s, t) = (cross(r, d2) / across, cross(r, d1) / across);
            if !((0.0..1.0).contains(&s) && (0.0..1.0).contains(&t)) {
                continue;
            }
            let height = |k: usize, u: f64| points[k][2] + u * (points[k + 1][2] - points[k][2]);
            let (one, other) = (i as f64 + s, j as f64 + t);
            found.push(if height(i, s) > height(j, t) { (one, other) } else { (other, one) });
        }
    }
    found
}

fn arcs_determinant(crossings: &[(f64, f64)]) -> f64 {
    let count = crossings.len();
    if count < 2 {
        return 1.0;
    }
    let mut unders: Vec<f64> = crossings.iter().map(|c| c.1).collect();
    unders.sort_by(f64::total_cmp);
    // The last arc and the first are the same, joined at infinity.
    let arc = |place: f64| unders.partition_point(|u| *u < place) % count;
    let mut matrix = vec![vec![0.0; count]; count];
    for (row, &(over, under)) in matrix.iter_mut().zip(crossings) {
        let before = arc(under);
        row[arc(over)] += 2.0;
        row[before] -= 1.0;
        row[(before + 1) % count] -= 1.0;
    }
    matrix.pop();
    minor_determinant(matrix, count - 1).abs().round()
}

/// Determinant of the first `size` columns, by elimination with row pivots.
fn minor_determinant(mut matrix: Vec<Vec<f64>>, size: usize) -> f64 {
    let mut product = 1.0;
    for k in 0..size {
        let pivot = (k..size).max_by(|&a, &b| matrix[a][k].abs().total_cmp(&matrix[b][k].abs()));
        let Some(pivot) = pivot.filter(|&p| matrix[p][k].abs() > 1e-9) else { return 0.0 };
        if pivot != k {
            matrix.swap(pivot, k);
            product = -product;
        }
        product *= matrix[k][k];
        let top = matrix[k].clone();
        for row in matrix.iter_mut().skip(k + 1) {
            let factor = row[k] / top[k];
            for (value, above) in row.iter_mut().zip(&top).skip(k) {
                *value -= factor * above;
            }
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long straight line with the trefoil (sin t + 2 sin 2t, cos t − 2 cos 2t, −sin 3t) cut open in its middle.
    fn trefoil(mirror: f64) -> Vec<DVec3> {
        let knot = |t: f64| {
            DVec3::new(
                t.sin() + 2.0 * (2.0 * t).sin(),
                t.cos() - 2.0 * (2.0 * t).cos(),
                -mirror * (3.0 * t).sin(),
            )
        };
        // It starts and ends at its outermost point, so that its ends extend without another crossing.
        (1..200).map(|i| knot(core::f64::consts::PI * (1.0 + f64::from(i) / 100.0))).collect()
    }

    #[test]
    fn a_trefoil_and_its_mirror_image_are_told_from_a_straight_line() {
        assert_eq!(determinant(&trefoil(1.0)), 3.0);
        assert_eq!(determinant(&trefoil(-1.0)), 3.0);
        let straight: Vec<DVec3> =
            (0..9).map(|i| DVec3::new(f64::from(i), 0.1 * f64::from(i % 2), 0.0)).collect();
        assert_eq!(determinant(&straight), 1.0);
        assert!(determinant(&[]).is_nan());
        assert!(determinant_with_ends(&[], DVec3::Z).is_nan());
        assert!(determinant_with_ends(&straight, DVec3::ZERO).is_nan());
    }

    #[test]
    fn crossings_that_are_seen_as_one_are_looked_at_from_another_side() {
        // A loop that lies in the plane of the first view: it projects to a line.
        let along = DVec3::X;
        let aside = along.cross(DVec3::from_array(SIDES[0])).normalize();
        let view = along.cross(aside);
        let places = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.5], [1.5, 1.0], [1.0, 0.5], [2.0, 0.0], [3.0, 0.0]];
        let points: Vec<DVec3> = places.iter().map(|[x, z]| x * along + *z * view).collect();
        let found = determinant(&points);
        assert!(found == 1.0 || found.is_nan(), "{found}");
    }

    #[test]
    fn ends_are_drawn_out_on_a_side_where_nothing_is_in_their_way() {
        for side in [DVec3::Z, DVec3::new(0.1, -0.2, -1.0), DVec3::NEG_Y] {
            assert_eq!(determinant_with_ends(&trefoil(1.0), side), 3.0, "{side}");
            assert_eq!(determinant_with_ends(&trefoil(1.0)[20..], DVec3::NEG_Y), 3.0);
        }
        // Ends that are bent back over the knot: the line between them intersects it; the direction upwards is free.
        let mut bent = trefoil(1.0);
        let (first, last) = (bent[0], bent[bent.len() - 1]);
        bent.insert(0, DVec3::new(first.x - 0.2, first.y, 2.0));
        bent.insert(0, DVec3::new(-0.3, 0.4, 2.0));
        bent.push(DVec3::new(last.x + 0.2, last.y, 2.2));
        bent.push(DVec3::new(0.3, 0.5, 1.9));
        assert_eq!(determinant_with_ends(&bent, DVec3::Z), 3.0);
    }
}
