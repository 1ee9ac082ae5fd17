//! Contact manifold of two bodies: up to eight points.
//!
//! The distance gives the normal n. The solid with the larger feature perpendicular to n (a face, then a straight
//! side) is the base; the features of the other that face n within 0.3 rad are projected onto it and clipped to its
//! outline. Each remaining corner is a contact point with its own gap along n. A circular cap is replaced by twelve
//! points of its rim. Two straight sides touch in two points if they are parallel within 0.1 rad. Where no feature is
//! perpendicular to n there is one point, the nearest. If there are more than eight points, the deepest is selected
//! first, and then repeatedly the one farthest from those selected, which preserves the area that they span.
//!
//! Against surfaces of triangles this is done for every triangle within reach, and coincident points are merged.

use crate::aabb::Aabb;
use crate::collider::{Collider, Kind};
use crate::contact_feature::{overlap, support_figure};
use crate::convex::{Core, CoreGap, Placed};
use crate::distance::{DistanceError, core_distance, distance};
use crate::surface::Surface;
use glam::DVec3;
use ropewalk_linalg::Pose;

/// A point of contact of two bodies, in world axes and m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ManifoldPoint {
    /// Midway between the two skins.
    pub point: DVec3,
    /// Unit normal from B to A.
    pub normal: DVec3,
    /// Signed distance of the skins there.
    pub gap: f64,
}

/// The points of contact of two bodies.
#[derive(Clone, Copy, Debug)]
pub struct ManifoldPoints {
    points: [ManifoldPoint; Self::SCRATCH],
    count: usize,
}

impl Default for ManifoldPoints {
    fn default() -> Self {
        let none = ManifoldPoint { point: DVec3::ZERO, normal: DVec3::Z, gap: f64::INFINITY };
        Self { points: [none; Self::SCRATCH], count: 0 }
    }
}

impl ManifoldPoints {
    /// Greatest number of points.
    pub const CAPACITY: usize = 8;
    const SCRATCH: usize = 64;

    /// The points, deepest first.
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count]
    }

    /// The points, to change their gaps.
    pub fn points_mut(&mut self) -> &mut [ManifoldPoint] {
        &mut self.points[..self.count]
    }

    /// Removes all points.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    fn offer(&mut self, p: ManifoldPoint) {
        if self.count == Self::SCRATCH {
            self.reduce();
        }
        self.points[self.count] = p;
        self.count += 1;
    }

    /// Adds a point unless it is there already.
    fn offer_new(&mut self, p: ManifoldPoint, size: f64) {
        let same =
            |q: &ManifoldPoint| q.point.distance(p.point) < 1e-6 * size && q.normal.dot(p.normal) > 0.999;
        if !self.points().iter().any(same) {
            self.offer(p);
        }
    }

    /// Keeps at most [`Self::CAPACITY`] points.
    fn reduce(&mut self) {
        let count = self.count;
        self.points[..count].sort_by(|p, q| p.gap.total_cmp(&q.gap));
        let keep = count.min(Self::CAPACITY);
        if count <= Self::CAPACITY {
            return;
        }
        for k in 1..keep {
            let spread = |p: &ManifoldPoint| {
                self.points[..k]
                    .iter()
                    .map(|q| q.point.distance_squared(p.point))
                    .fold(f64::INFINITY, f64::min)
            };
            let far = (k..count).fold(k, |best, i| {
                if spread(&self.points[i]) > spread(&self.points[best]) { i } else { best }
            });
            self.points.swap(k, far);
        }
        self.count = keep;
        self.points[..keep].sort_by(|p, q| p.gap.total_cmp(&q.gap));
    }
}

/// Angle (rad) within which a feature of the upper solid counts.
const FACING: f64 = 0.3;
/// Angle within which a feature of the base counts as perpendicular to the normal.
const SQUARE: f64 = 1e-6;

/// The points in which A and B touch or are less than `reach` apart; written to `out`, whose old points are removed.
pub fn manifold(
    a: &Collider,
    pose_a: &Pose,
    b: &Collider,
    pose_b: &Pose,
    reach: f64,
    out: &mut ManifoldPoints,
) -> Result<(), DistanceError> {
    out.clear();
    match (&a.kind, &b.kind) {
        (Kind::Convex { core: ca, radius: ra }, Kind::Convex { core: cb, radius: rb }) => {
            let relative = pose_b.inverse() * *pose_a;
            let placed = Placed::new(ca, &relative);
            let found = core_distance(&placed, cb);
            if found.distance - ra - rb < reach {
                convex_points(&placed, cb, &found, [*ra, *rb], reach, |p| out.offer(carried(p, pose_b)));
            }
        }
        (Kind::Convex { core, radius }, Kind::HalfSpace) => {
            on_plane(core, *radius, &(pose_b.inverse() * *pose_a), reach, |p| out.offer(carried(p, pose_b)));
        }
        (Kind::Surface(surface), Kind::HalfSpace) => {
            let relative = pose_b.inverse() * *pose_a;
            for p in surface.mesh.vertices.iter().map(|&v| relative.point(v)).filter(|p| p.z < reach) {
                let point = DVec3::new(p.x, p.y, 0.5 * p.z);
                out.offer(carried(ManifoldPoint { point, normal: DVec3::Z, gap: p.z }, pose_b));
            }
        }
        (Kind::Convex { core, radius }, Kind::Surface(surface)) => {
            on_surface(core, *radius, &(pose_b.inverse() * *pose_a), surface, reach, |p, size| {
                out.offer_new(carried(p, pose_b), size);
            });
            if out.points().is_empty() {
                one_point(a, pose_a, b, pose_b, reach, out)?;
            }
        }
        (Kind::HalfSpace, Kind::Convex { .. } | Kind::Surface(_))
        | (Kind::Surface(_), Kind::Convex { .. }) => {
            manifold(b, pose_b, a, pose_a, reach, out)?;
            let count = out.count;
            out.points[..count].iter_mut().for_each(|p| p.normal = -p.normal);
        }
        // No distance, and so no contact: returns the reason.
        (Kind::HalfSpace, Kind::HalfSpace) | (Kind::Surface(_), Kind::Surface(_)) => {
            one_point(a, pose_a, b, pose_b, reach, out)?;
        }
    }
    out.reduce();
    Ok(())
}

fn one_point(
    a: &Collider,
    pose_a: &Pose,
    b: &Collider,
    pose_b: &Pose,
    reach: f64,
    out: &mut ManifoldPoints,
) -> Result<(), DistanceError> {
    let found = distance(a, pose_a, b, pose_b)?;
    if found.distance < reach {
        let point = 0.5 * (found.point_a + found.point_b);
        out.offer(ManifoldPoint { point, normal: found.normal_ba, gap: found.distance });
    }
    Ok(())
}

fn carried(p: ManifoldPoint, frame: &Pose) -> ManifoldPoint {
    ManifoldPoint { point: frame.point(p.point), normal: frame.vector(p.normal), gap: p.gap }
}

/// A point of A's core that is `gap` above B's core, as a contact of the skins.
fn skin_point(on_a: DVec3, n: DVec3, gap: f64, [ra, rb]: [f64; 2]) -> ManifoldPoint {
    let gap_of_skins = gap - ra - rb;
    ManifoldPoint { point: on_a - (ra + 0.5 * gap_of_skins) * n, normal: n, gap: gap_of_skins }
}

fn convex_points(
    a: &Placed,
    b: &Core,
    found: &CoreGap,
    radii: [f64; 2],
    reach: f64,
    mut visit: impl FnMut(ManifoldPoint),
) {
    let (n, home) = (found.normal, Placed::home(b));
    let (square_a, square_b) = (support_figure(a, -n, SQUARE), support_figure(&home, n, SQUARE));
    let (count_a, count_b) = (square_a.points().len(), square_b.points().len());
    let faces = |base_is_b: bool| match base_is_b {
        true => support_figure(a, -n, FACING),
        false => support_figure(&home, n, FACING),
    };
    let mut base_is_b = count_b >= count_a;
    // Of two lines, the one on which a face of the other solid lies.
    if count_a == 2 && count_b == 2 && faces(true).points().len() == 2 {
        base_is_b = faces(false).points().len() == 2;
    }
    let base = if base_is_b { &square_b } else { &square_a };
    let mut least = f64::INFINITY;
    if base.points().len() > 1 {
        let facing = faces(base_is_b);
        // A line on which a face lies, or nearly: its part over the face, with the heights of the face.
        if let (2, Some(across)) = (base.points().len(), facing.normal()) {
            for &p in overlap(base, &facing, n).points() {
                let rise = across.dot(facing.points()[0] - p) / across.dot(n);
                let (gap, on_a) = if base_is_b { (rise, p + rise * n) } else { (-rise, p) };
                least = least.min(gap);
                if gap - radii[0] - radii[1] < reach {
                    visit(skin_point(on_a, n, gap, radii));
                }
            }
        }
        let lying = base.points().len() > 2 || are_parallel(base.points(), facing.points());
        for &p in overlap(&facing, base, n).points().iter().filter(|_| lying) {
            // Heights are along n over the plane of the base.
            let rise = n.dot(p - base.points()[0]);
            let (gap, on_a) = if base_is_b { (rise, p) } else { (-rise, p - rise * n) };
            least = least.min(gap);
            if gap - radii[0] - radii[1] < reach {
                visit(skin_point(on_a, n, gap, radii));
            }
        }
    }
    // The nearest point itself, where it is not among the corners.
    if least > found.distance + 1e-9 * (a.core.reach() + b.reach()) {
        visit(skin_point(found.a, n, found.distance, radii));
    }
}

/// Whether two figures are segments in nearly the same direction.
fn are_parallel(p: &[DVec3], q: &[DVec3]) -> bool {
    const SINE: f64 = 0.1;
    let (&[a, b], &[c, d]) = (p, q) else { return false };
    let (u, v) = (b - a, d - c);
    u.cross(v).length_squared() < SINE * SINE * u.length_squared() * v.length_squared()
}

fn on_plane(core: &Core, radius: f64, pose: &Pose, reach: f64, mut visit: impl FnMut(ManifoldPoint)) {
    let facing = support_figure(&Placed::new(core, pose), DVec3::NEG_Z, FACING);
    for p in facing.points().iter().filter(|p| p.z - radius < reach) {
        visit(skin_point(*p, DVec3::Z, p.z, [radius, 0.0]));
    }
}

fn on_surface(
    core: &Core,
    radius: f64,
    pose: &Pose,
    surface: &Surface,
    reach: f64,
    mut visit: impl FnMut(ManifoldPoint, f64),
) {
    let placed = Placed::new(core, pose);
    let mut region = Aabb::EMPTY;
    for d in [DVec3::X, DVec3::Y, DVec3::Z] {
        region.add(placed.support(d));
        region.add(placed.support(-d));
    }
    // Corners of the box are combinations of the extremes along each axis.
    let region = region.grown(radius + reach.max(0.0));
    let size = region.half().length();
    surface.triangles_in(&region, |t| {
        let triangle = Core::Triangle(surface.mesh.corners(t));
        let found = core_distance(&placed, &triangle);
        let behind = found.distance > 0.0 && surface.is_inside(t, found.b, found.a);
        if found.distance - radius < reach && !behind {
            convex_points(&placed, &triangle, &found, [radius, 0.0], reach, |p| visit(p, size));
        }
    });
}
