//! Exact penetration depth of two convex cores.
//!
//! The signed distance is max over unit n of gap(n) ([`gap_along`]). Where the cores overlap, the best n is the
//! normal of a smooth point of the boundary of B ⊕ (−A), since a ball inside a convex set touches it only where it is
//! smooth. For polyhedra those are the faces of A and of B and the parallelograms spanned by one edge of each. A
//! cylinder with the axis a adds
//!
//! | part of the boundary | normal |
//! |---|---|
//! | cap | ±a |
//! | side and corner v of the other | perpendicular to a, from v to the axis |
//! | side and edge e | ±a × e |
//! | rim and edge e | perpendicular to e; seen along e the rim is an ellipse: [`crate::ellipse`] |
//! | rim and rim of another cylinder | found by Newton's method from many starts |
//!
//! Each candidate gives a lower bound of the signed distance, so redundant ones are harmless. All but the last row
//! are closed (the ellipse to round-off); the last is a local search, which the tests compare with a dense search
//! over directions.

use crate::convex::{Core, Placed, any_perpendicular, gap_along};
use crate::ellipse::nearest_normals;
use crate::hull::ConvexHull;
use crate::mesh::unit_normal;
use glam::DVec3;

/// The best direction found.
struct Search<'a> {
    a: &'a Placed<'a>,
    b: &'a Placed<'a>,
    /// Directions must not oppose these triangles' normals (from B to A).
    front: [Option<DVec3>; 2],
    gap: f64,
    normal: DVec3,
}

impl Search<'_> {
    fn offer(&mut self, n: DVec3) {
        let Some(n) = n.try_normalize() else { return };
        if self.front.iter().flatten().any(|f| f.dot(n) < -1e-12) {
            return;
        }
        let gap = gap_along(self.a, self.b, n);
        if gap > self.gap {
            (self.gap, self.normal) = (gap, n);
        }
    }

    fn offer_both(&mut self, n: DVec3) {
        self.offer(n);
        self.offer(-n);
    }

    /// Offers ±n, the common normal of an edge of A and one of B, unless it cannot be best: an edge of a hull counts
    /// only for directions between the normals of its faces, and the gap is at most the distance along n of any point
    /// of A from any point of B.
    fn offer_edges(&mut self, n: DVec3, of_a: Option<&PolytopeEdge>, of_b: Option<&PolytopeEdge>) {
        let Some(n) = n.try_normalize() else { return };
        for n in [n, -n] {
            if of_a.is_some_and(|e| !e.faces(-n)) || of_b.is_some_and(|e| !e.faces(n)) {
                continue;
            }
            let pa = of_a.map_or_else(|| self.a.support(-n), |e| e.corner);
            let pb = of_b.map_or_else(|| self.b.support(n), |e| e.corner);
            if n.dot(pa - pb) > self.gap {
                self.offer(n);
            }
        }
    }
}

/// Greatest gap over the directions that can be best for overlapping cores, and its direction (unit, from B to A).
pub(crate) fn deepest(a: &Placed, b: &Placed) -> (f64, DVec3) {
    let front = |p: &Placed, sign: f64| match p.core {
        Core::Triangle(t) => unit_normal(t).map(|n| sign * (p.r * n)),
        _ => None,
    };
    let mut search =
        Search { a, b, front: [front(a, -1.0), front(b, 1.0)], gap: f64::NEG_INFINITY, normal: DVec3::Z };
    match (a.core, b.core) {
        (Core::Cylinder { radius: ra, half: ha }, Core::Cylinder { radius: rb, half: hb }) => {
            two_cylinders(&mut search, (*ra, *ha), (*rb, *hb));
        }
        (Core::Cylinder { radius, half }, _) => cylinder_polytope(&mut search, a, b, (*radius, *half), 1.0),
        (_, Core::Cylinder { radius, half }) => cylinder_polytope(&mut search, b, a, (*radius, *half), -1.0),
        (Core::Hull(ha), Core::Hull(_)) => two_hulls(&mut search, ha),
        _ => two_polytopes(&mut search),
    }
    (search.gap, search.normal)
}

/// Calls `visit` with the normals of faces in the outer frame.
fn each_normal(p: &Placed, mut visit: impl FnMut(DVec3)) {
    match p.core {
        Core::Box { .. } => [p.r.x_axis, p.r.y_axis, p.r.z_axis].into_iter().for_each(|n| {
            visit(n);
            visit(-n);
        }),
        Core::Triangle(t) => {
            if let Some(n) = unit_normal(t) {
                visit(p.r * n);
                visit(-(p.r * n));
            }
        }
        Core::Hull(hull) => hull.normals.iter().for_each(|&n| visit(p.r * n)),
        Core::Point | Core::Segment { .. } | Core::Cylinder { .. } => {}
    }
}

/// An edge of a polyhedron in the outer frame: a corner, the direction, and the normals of the faces that meet in it.
struct PolytopeEdge {
    corner: DVec3,
    direction: DVec3,
    faces: Option<[DVec3; 2]>,
}

impl PolytopeEdge {
    /// Whether the unit vector `n`, perpendicular to the edge, lies between the normals of its faces.
    fn faces(&self, n: DVec3) -> bool {
        // Nearer to their middle f + g than they are: n·(f + g) ≥ f·(f + g).
        self.faces.is_none_or(|[f, g]| n.dot(f + g) >= 1.0 + f.dot(g) - 1e-9)
    }
}

fn each_edge(p: &Placed, mut visit: impl FnMut(PolytopeEdge)) {
    match p.core {
        Core::Segment { .. } => {
            visit(PolytopeEdge { corner: p.ends()[0], direction: p.r.z_axis, faces: None });
        }
        Core::Box { half } => {
            for axis in 0..3 {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                for [s, t] in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
                    let mut x = DVec3::ZERO;
                    (x[u], x[v]) = (s * half[u], t * half[v]);
                    let faces = Some([s * p.r.col(u), t * p.r.col(v)]);
                    visit(PolytopeEdge { corner: p.point(x), direction: p.r.col(axis), faces });
                }
            }
        }
        Core::Triangle(t) => (0..3).for_each(|k| {
            let direction = (p.r * (t[(k + 1) % 3] - t[k])).normalize_or_zero();
            visit(PolytopeEdge { corner: p.point(t[k]), direction, faces: None });
        }),
        Core::Hull(hull) => hull.edges.iter().for_each(|e| {
            let corner = p.point(hull.vertices[e.ends[0] as usize]);
            let faces = Some(e.faces.map(|f| p.r * hull.normals[f as usize]));
            visit(PolytopeEdge { corner, direction: p.r * e.direction, faces });
        }),
        Core::Point | Core::Cylinder { .. } => {}
    }
}

/// Directions of edges; of a hull with the edge, of a box each once, since its support point is at hand.
fn each_direction(p: &Placed, mut visit: impl FnMut(DVec3, Option<&PolytopeEdge>)) {
    match p.core {
        Core::Box { .. } => [p.r.x_axis, p.r.y_axis, p.r.z_axis].into_iter().for_each(|e| visit(e, None)),
        Core::Hull(_) => each_edge(p, |e| visit(e.direction, Some(&e))),
        _ => each_edge(p, |e| visit(e.direction, None)),
    }
}

fn each_corner(p: &Placed, mut visit: impl FnMut(DVec3)) {
    match p.core {
        Core::Point | Core::Cylinder { .. } => visit(p.p),
        Core::Segment { .. } => p.ends().into_iter().for_each(visit),
        Core::Box { half } => (0..8).for_each(|k| {
            let sign = DVec3::from_array([0, 1, 2].map(|i| if k >> i & 1 == 1 { 1.0 } else { -1.0 }));
            visit(p.point(sign * *half));
        }),
        Core::Triangle(t) => t.iter().for_each(|&v| visit(p.point(v))),
        Core::Hull(hull) => hull.vertices.iter().for_each(|&v| visit(p.point(v))),
    }
}

fn two_polytopes(search: &mut Search) {
    let (a, b) = (search.a, search.b);
    each_normal(b, |n| search.offer(n));
    each_normal(a, |n| search.offer(-n));
    each_direction(a, |e, on_a| each_direction(b, |f, on_b| search.offer_edges(e.cross(f), on_a, on_b)));
    // Segments that cross in a plane, or a point on a segment: any perpendicular direction will do.
    if matches!(a.core, Core::Point | Core::Segment { .. })
        && matches!(b.core, Core::Point | Core::Segment { .. })
    {
        each_direction(a, |e, _| search.offer(any_perpendicular(e)));
        each_direction(b, |e, _| search.offer(any_perpendicular(e)));
        search.offer(DVec3::Z);
    }
}

/// Two hulls: of the pairs of edges only those whose arcs of normals cross span a face (Gregorius 2013).
fn two_hulls(search: &mut Search, ha: &ConvexHull) {
    let (a, b) = (search.a, search.b);
    each_normal(b, |n| search.offer(n));
    each_normal(a, |n| search.offer(-n));
    // In A's frame: B's edges with reversed normals, since n from B to A is outward on B and inward on A.
    let middle = a.point(a.core.middle());
    each_edge(b, |edge_b| {
        // Along any normal between those of the edge's faces the gap is at most that of A's middle.
        let above = |f: DVec3| f.dot(middle - edge_b.corner);
        if edge_b.faces.is_some_and(|[f, g]| above(f).max(above(g)) <= search.gap.min(0.0)) {
            return;
        }
        let [c, d] = edge_b.faces.map_or([DVec3::ZERO; 2], |f| f.map(|n| -(a.local_vector(n))));
        let along = a.local_vector(edge_b.direction);
        for e in &ha.edges {
            // The arcs c–d and m–n cross if each separates the ends of the other, on the same half of the sphere.
            if e.direction.dot(c) * e.direction.dot(d) > 0.0 {
                continue;
            }
            let [m, n] = e.faces.map(|i| ha.normals[i as usize]);
            if along.dot(m) * along.dot(n) > 0.0 {
                continue;
            }
            let cross = e.direction.cross(along);
            if (m + n).dot(cross) * (c + d).dot(cross) >= 0.0 {
                let edge_a = PolytopeEdge {
                    corner: a.point(ha.vertices[e.ends[0] as usize]),
                    direction: a.r * e.direction,
                    faces: Some([a.r * m, a.r * n]),
                };
                search.offer_edges(a.r * cross, Some(&edge_a), Some(&edge_b));
            }
        }
    });
}

/// A cylinder (C) with a polytope (P); `sign` is 1 if C is A, −1 if it is B.
fn cylinder_polytope(search: &mut Search, c: &Placed, p: &Placed, (radius, half): (f64, f64), sign: f64) {
    let axis = c.r.z_axis;
    search.offer_both(axis);
    search.offer_both(c.r.x_axis);
    each_normal(p, |n| search.offer(sign * n));
    each_corner(p, |v| {
        let across = c.p - v;
        search.offer(sign * (across - axis * axis.dot(across)));
    });
    each_direction(p, |e, on_p| match sign > 0.0 {
        true => search.offer_edges(axis.cross(e), None, on_p),
        false => search.offer_edges(axis.cross(e), on_p, None),
    });
    each_edge(p, |e| {
        // The normal is αf + βg of the edge's faces with α + β ≥ 1. Where both heights of the cylinder's center over
        // them are negative, so is that along the normal, by at least the lesser; and the ball inside adds to it.
        let highest = e.faces.map_or(0.0, |f| f[0].dot(c.p - e.corner).max(f[1].dot(c.p - e.corner)));
        if highest >= 0.0 || highest - radius.min(half) > search.gap {
            rim_and_line(search, (c.p, axis, radius, half), e.corner, e.direction, sign);
        }
    });
}

/// Candidates across the direction `e` for the rims of a cylinder against a line through `v`.
fn rim_and_line(
    search: &mut Search,
    (center, axis, radius, half): (DVec3, DVec3, f64, f64),
    v: DVec3,
    e: DVec3,
    sign: f64,
) {
    let e1 = axis.cross(e).try_normalize().unwrap_or_else(|| any_perpendicular(e));
    let e2 = e.cross(e1);
    // Seen along e the rim has the half axes R along e1 and R |a·e| along e2.
    let minor = radius * axis.dot(e).abs().min(1.0);
    for end in [-half, half] {
        let q = center + end * axis - v;
        for [x, y] in nearest_normals(radius, minor, [q.dot(e1), q.dot(e2)]).into_iter().flatten() {
            search.offer(sign * (x * e1 + y * e2));
        }
    }
}

fn two_cylinders(search: &mut Search, (ra, ha): (f64, f64), (rb, hb): (f64, f64)) {
    let (a, b) = (search.a, search.b);
    let (za, zb) = (a.r.z_axis, b.r.z_axis);
    let between = a.p - b.p;
    search.offer_both(za);
    search.offer_both(zb);
    search.offer_both(za.cross(zb));
    search.offer(between - za * za.dot(between));
    search.offer(between - zb * zb.dot(between));
    search.offer_both(any_perpendicular(za));
    search.offer_both(any_perpendicular(zb));
    // The rim of one against the side of the other, which is a line with a radius.
    rim_and_line(search, (a.p, za, ra, ha), b.p, zb, 1.0);
    rim_and_line(search, (b.p, zb, rb, hb), a.p, za, -1.0);
    // Rim against rim.
    for (sa, sb) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let rims = Rims { axes: [za, zb], radii: [ra, rb], q: between + sa * ha * za - sb * hb * zb };
        let (ends_a, ends_b) = (-sa * za, sb * zb);
        rims.search(search, ends_a, ends_b);
    }
}

/// The direction near `n` (from B to A) of the greatest gap between the rims of two cylinders that face one another.
pub(crate) fn rim_and_rim(
    a: &Placed,
    b: &Placed,
    (ra, ha): (f64, f64),
    (rb, hb): (f64, f64),
    n: DVec3,
) -> DVec3 {
    let (za, zb) = (a.r.z_axis, b.r.z_axis);
    let q = a.p - b.p - za * ha.copysign(za.dot(n)) - zb * hb.copysign(zb.dot(n));
    Rims { axes: [za, zb], radii: [ra, rb], q }.descend(n)
}

/// The rims of two cylinders: f(n) = r |n − (n·a) a| + s |n − (n·b) b| − n·q, the negative gap while n is nearest to
/// the ends that q joins.
struct Rims {
    axes: [DVec3; 2],
    radii: [f64; 2],
    /// From B's rim's center to A's.
    q: DVec3,
}

impl Rims {
    fn search(&self, search: &mut Search, end_a: DVec3, end_b: DVec3) {
        // Starting directions between the two axes, spaced in proportion to the angle between them: for nearly
        // parallel cylinders all minima are there.
        let across = end_a.cross(end_b).try_normalize().unwrap_or_else(|| any_perpendicular(end_a));
        let (middle, apart) = (0.5 * (end_a + end_b), 0.5 * (end_a - end_b));
        let spread = apart.length().max(1e-9);
        let mut starts = [(f64::INFINITY, DVec3::Z); 44];
        let mut count = 0;
        let mut add = |n: DVec3| {
            if let Some(n) = n.try_normalize() {
                let in_reach = n.dot(end_a) > -1e-9 && n.dot(end_b) > -1e-9;
                starts[count] = (if in_reach { self.value(n) } else { f64::INFINITY }, n);
                count += 1;
            }
        };
        for x in [-1.3, -0.6, 0.0, 0.6, 1.3] {
            for y in [0.15, 0.6, 1.5, 4.0] {
                add(middle + x * apart + y * spread * across);
                add(middle + x * apart - y * spread * across);
            }
        }
        // And towards the contact itself, for cylinders at any angle.
        add(self.q);
        add(-self.q);
        add(middle + across);
        add(middle - across);
        starts[..count].sort_by(|x, y| x.0.total_cmp(&y.0));
        for &(_, n) in starts[..count.min(5)].iter().filter(|s| s.0.is_finite()) {
            search.offer(self.descend(n));
        }
    }

    fn value(&self, n: DVec3) -> f64 {
        let reach: f64 = (0..2).map(|k| self.radii[k] * n.cross(self.axes[k]).length()).sum();
        reach - n.dot(self.q)
    }

    /// Newton's step at a direction with the value f, in the plane across it; along the gradient where the Hessian is
    /// not positive. Returns also whether it is Newton's.
    fn step(&self, n: DVec3, value: f64) -> Option<(DVec3, bool)> {
        let (mut x, e1) = (-self.q, any_perpendicular(n));
        let e2 = n.cross(e1);
        // Hessian across n: Σ r/|n_⟂| m mᵀ − f 1 with m = a × n/|a × n|.
        let (mut h11, mut h12, mut h22) = (-value, 0.0, -value);
        for (axis, radius) in self.axes.iter().zip(self.radii) {
            let m = axis.cross(n);
            let length = m.length();
            if length < 1e-14 {
                return None;
            }
            let m = m / length;
            x += radius * m.cross(*axis);
            let (u, v, k) = (m.dot(e1), m.dot(e2), radius / length);
            h11 += k * u * u;
            h12 += k * u * v;
            h22 += k * v * v;
        }
        let (g1, g2) = (x.dot(e1), x.dot(e2));
        let determinant = h11 * h22 - h12 * h12;
        let newton = determinant > 0.0 && h11 > 0.0;
        let (s1, s2) = match newton {
            true => ((h12 * g2 - h22 * g1) / determinant, (h12 * g1 - h11 * g2) / determinant),
            false => {
                let scale = 0.3 / g1.hypot(g2);
                (-g1 * scale, -g2 * scale)
            }
        };
        (s1.is_finite() && s2.is_finite()).then(|| (s1 * e1 + s2 * e2, newton))
    }

    /// A local minimum of f near `n`: descent steps, then pure Newton steps, since f is flat to round-off where the
    /// direction has only half of its digits.
    fn descend(&self, mut n: DVec3) -> DVec3 {
        let mut value = self.value(n);
        for _ in 0..20 {
            let Some((step, _)) = self.step(n, value) else { return n };
            let mut fraction = (0.5 / step.length()).min(1.0);
            let mut moved = false;
            for _ in 0..10 {
                let trial = (n + fraction * step).normalize();
                let next = self.value(trial);
                if next < value {
                    moved = (trial - n).length_squared() > 1e-16;
                    (n, value) = (trial, next);
                    break;
                }
                fraction *= 0.5;
            }
            if !moved {
                break;
            }
        }
        for _ in 0..2 {
            match self.step(n, self.value(n)) {
                Some((step, true)) if step.length_squared() < 1e-8 => n = (n + step).normalize(),
                _ => break,
            }
        }
        n
    }
}
