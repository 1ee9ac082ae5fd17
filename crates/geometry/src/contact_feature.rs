//! Contact features of convex cores (faces, edges and corners), and their intersection.

use crate::convex::{Core, Placed};
use glam::DVec3;
use std::f64::consts::TAU;

/// Corners of a flat figure: a point, a segment or a convex polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    points: [DVec3; Self::CAPACITY],
    count: usize,
}

impl Figure {
    pub(crate) const CAPACITY: usize = 48;

    pub(crate) const EMPTY: Self = Self { points: [DVec3::ZERO; Self::CAPACITY], count: 0 };

    pub(crate) fn push(&mut self, p: DVec3) {
        if self.count < Self::CAPACITY {
            self.points[self.count] = p;
            self.count += 1;
        }
    }

    pub(crate) fn points(&self) -> &[DVec3] {
        &self.points[..self.count]
    }

    pub(crate) fn mean(&self) -> DVec3 {
        self.points().iter().sum::<DVec3>() / self.count as f64
    }

    /// A vector perpendicular to a polygon (Newell's sum over its sides); none for points and segments.
    pub(crate) fn normal(&self) -> Option<DVec3> {
        let (points, middle) = (self.points(), self.mean());
        if points.len() < 3 {
            return None;
        }
        let sides =
            (0..points.len()).map(|k| (points[k] - middle).cross(points[(k + 1) % points.len()] - middle));
        sides.sum::<DVec3>().try_normalize()
    }

    /// A point of the rim near `p`, for intersections smaller than the polygon of a circle resolves.
    fn nearest(&self, p: DVec3) -> DVec3 {
        let points = self.points();
        let on_side = |k: usize| {
            let (a, b) = (points[k], points[(k + 1) % points.len()]);
            crate::segment::at(a, b, crate::segment::closest_parameter(a, b, p))
        };
        let mut best = points[0];
        for k in 0..points.len() {
            let x = on_side(k);
            if x.distance_squared(p) < best.distance_squared(p) {
                best = x;
            }
        }
        best
    }

    /// The part with n·x ≤ offset.
    fn clipped(&self, n: DVec3, offset: f64) -> Self {
        let mut out = Self::EMPTY;
        let points = self.points();
        if points.len() == 1 {
            if n.dot(points[0]) <= offset {
                out.push(points[0]);
            }
            return out;
        }
        let sides = if points.len() == 2 { 1 } else { points.len() };
        for k in 0..sides {
            let (p, q) = (points[k], points[(k + 1) % points.len()]);
            let (hp, hq) = (n.dot(p) - offset, n.dot(q) - offset);
            if hp <= 0.0 {
                out.push(p);
            }
            if hp * hq < 0.0 {
                out.push(p + (q - p) * (hp / (hp - hq)));
            }
            if sides == 1 && hq <= 0.0 {
                out.push(q);
            }
        }
        out
    }
}

/// Number of corners of the polygon that replaces the circle of a cap.
const CAP_CORNERS: usize = 12;

/// The feature of a core that is farthest along the unit vector `n`, as corners in the outer frame; faces and edges
/// count if they are perpendicular to n within the angle `tolerance` (rad, small).
pub(crate) fn support_figure(core: &Placed, n: DVec3, tolerance: f64) -> Figure {
    let d = core.local_vector(n);
    let mut out = Figure::EMPTY;
    match core.core {
        Core::Point => out.push(core.p),
        Core::Segment { half } => {
            if d.z.abs() <= tolerance {
                core.ends().into_iter().for_each(|p| out.push(p));
            } else {
                out.push(core.point(DVec3::new(0.0, 0.0, half.copysign(d.z))));
            }
        }
        Core::Box { half } => box_figure(core, *half, d, tolerance, &mut out),
        Core::Cylinder { radius, half } => {
            let across = d.x.hypot(d.y);
            let up = half.copysign(d.z);
            if across <= tolerance {
                // The first corner is the lowest.
                let start = d.y.atan2(d.x);
                for k in 0..CAP_CORNERS {
                    let angle = start + TAU * k as f64 / CAP_CORNERS as f64;
                    out.push(core.point(DVec3::new(radius * angle.cos(), radius * angle.sin(), up)));
                }
            } else {
                let rim = DVec3::new(radius * d.x / across, radius * d.y / across, up);
                out.push(core.point(rim));
                if d.z.abs() <= tolerance {
                    out.push(core.point(DVec3::new(rim.x, rim.y, -up)));
                }
            }
        }
        Core::Triangle(t) => polygon_figure(core, t, d, tolerance, &mut out),
        Core::Hull(hull) => {
            // Only features with the farthest corner.
            let top = hull.support(d);
            let slack = 1e-9 * core.core.reach();
            let on_top = |f: &usize| (hull.normals[*f].dot(top) - hull.offsets[*f]).abs() <= slack;
            let face = (0..hull.normals.len())
                .filter(on_top)
                .max_by(|&f, &g| hull.normals[f].dot(d).total_cmp(&hull.normals[g].dot(d)))
                .filter(|&f| hull.normals[f].cross(d).length() <= tolerance && hull.normals[f].dot(d) > 0.0);
            if let Some(f) = face {
                hull_face(core, hull, f, &mut out);
                return out;
            }
            let edge = hull.edges.iter().map(|e| e.ends.map(|i| hull.vertices[i as usize])).find(|[u, v]| {
                (*u == top || *v == top) && (*v - *u).normalize_or_zero().dot(d).abs() <= tolerance
            });
            match edge {
                Some(ends) => ends.into_iter().for_each(|p| out.push(core.point(p))),
                None => out.push(core.point(top)),
            }
        }
    }
    out
}

fn box_figure(core: &Placed, half: DVec3, d: DVec3, tolerance: f64, out: &mut Figure) {
    let sign = |k: usize| half[k].copysign(d[k]);
    let free: [bool; 3] = [0, 1, 2].map(|k| d[k].abs() <= tolerance);
    let corner = DVec3::new(sign(0), sign(1), sign(2));
    let with = |changes: &[(usize, f64)]| {
        let mut p = corner;
        for &(k, s) in changes {
            p[k] = s * half[k];
        }
        core.point(p)
    };
    let axes: [usize; 3] = match free {
        [true, true, _] => [2, 0, 1],
        [true, _, true] => [1, 0, 2],
        [_, true, true] => [0, 1, 2],
        _ => [3, 3, 3],
    };
    if axes[0] < 3 {
        for (s, t) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
            out.push(with(&[(axes[1], s), (axes[2], t)]));
        }
    } else if let Some(k) = free.iter().position(|&f| f) {
        out.push(with(&[(k, 1.0)]));
        out.push(with(&[(k, -1.0)]));
    } else {
        out.push(with(&[]));
    }
}

fn polygon_figure(core: &Placed, t: &[DVec3; 3], d: DVec3, tolerance: f64, out: &mut Figure) {
    let normal = crate::mesh::unit_normal(t).unwrap_or(DVec3::Z);
    if normal.cross(d).length() <= tolerance {
        t.iter().for_each(|&v| out.push(core.point(v)));
        return;
    }
    let top = Core::Triangle(*t).support(d);
    for k in 0..3 {
        let (u, v) = (t[k], t[(k + 1) % 3]);
        if (u == top || v == top) && (v - u).normalize_or_zero().dot(d).abs() <= tolerance {
            out.push(core.point(u));
            out.push(core.point(v));
            return;
        }
    }
    out.push(core.point(top));
}

fn hull_face(core: &Placed, hull: &crate::hull::ConvexHull, face: usize, out: &mut Figure) {
    let n = hull.normals[face];
    // Corners are those of the edges that bound the face, put in order round their mean.
    let mut corners = Figure::EMPTY;
    for e in hull.edges.iter().filter(|e| e.faces.contains(&(face as u32))) {
        for end in e.ends {
            let p = hull.vertices[end as usize];
            if !corners.points().contains(&p) {
                corners.push(p);
            }
        }
    }
    let mean = corners.mean();
    let e1 = crate::convex::any_perpendicular(n);
    let e2 = n.cross(e1);
    let angle = |p: &DVec3| (*p - mean).dot(e2).atan2((*p - mean).dot(e1));
    let count = corners.count;
    corners.points[..count].sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    // A face with very many corners is thinned: every k-th still spans it.
    let step = count.div_ceil(16).max(1);
    corners.points[..count].iter().step_by(step).for_each(|&p| out.push(core.point(p)));
}

/// The part of `figure` that lies over `base` seen along `n`; n is perpendicular to base.
pub(crate) fn overlap(figure: &Figure, base: &Figure, n: DVec3) -> Figure {
    let points = base.points();
    let mut out = *figure;
    match points.len() {
        0 | 1 => {}
        2 => {
            let u = points[1] - points[0];
            let along = u - n * n.dot(u);
            out = out.clipped(along, along.dot(points[1]));
            out = out.clipped(-along, -along.dot(points[0]));
        }
        _ => {
            let mean = base.mean();
            for k in 0..points.len() {
                let (p, q) = (points[k], points[(k + 1) % points.len()]);
                let side = (q - p).cross(n);
                let outward = if side.dot(mean - p) > 0.0 { -side } else { side };
                out = out.clipped(outward, outward.dot(p));
            }
        }
    }
    out
}

/// Witness points of a contact with the normal `n` (from B to A) and the given gap, in the middle of the intersection
/// of both features; a − b = gap · n.
pub(crate) fn witnesses(a: &Placed, b: &Placed, n: DVec3, gap: f64) -> (DVec3, DVec3) {
    const SQUARE: f64 = 1e-9;
    let (fa, fb) = (support_figure(a, -n, SQUARE), support_figure(b, n, SQUARE));
    if fa.points().len() == 2 && fb.points().len() == 2 {
        let (p, q) = (fa.points(), fb.points());
        let (s, t) = crate::segment::closest_parameters(p[0], p[1], q[0] + gap * n, q[1] + gap * n);
        let (x, y) = (crate::segment::at(p[0], p[1], s), crate::segment::at(q[0], q[1], t));
        let middle = 0.5 * (x + y + gap * n);
        return (middle, middle - gap * n);
    }
    if fa.points().len() <= fb.points().len() {
        let common = overlap(&fa, &fb, n);
        let x = if common.points().is_empty() { fa.nearest(fb.mean()) } else { common.mean() };
        (x, x - gap * n)
    } else {
        let common = overlap(&fb, &fa, n);
        let y = if common.points().is_empty() { fb.nearest(fa.mean()) } else { common.mean() };
        (y + gap * n, y)
    }
}
