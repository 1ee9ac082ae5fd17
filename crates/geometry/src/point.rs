//! Signed distance from a point to a core, in closed form.
//!
//! Outside: to the nearest point. Inside: the negative of the least translation that takes the point out, to the
//! nearest face. Where the nearest point is not unique the normal is one of the possible ones: x in the core's frame
//! for a point on the axis of a segment or a cylinder, z for a point on a point, the first of equal faces of a box.

use crate::convex::Core;
use crate::mesh::unit_normal;
use glam::DVec3;

/// Signed distance, unit normal (from the core to the point) and the nearest point of the core's surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointGap {
    pub(crate) distance: f64,
    pub(crate) normal: DVec3,
    pub(crate) foot: DVec3,
}

impl PointGap {
    #[inline]
    pub(crate) fn from_foot(p: DVec3, foot: DVec3, fallback: impl FnOnce() -> DVec3) -> Self {
        let v = p - foot;
        let distance = v.length();
        let normal = if distance > f64::MIN_POSITIVE { v / distance } else { fallback() };
        Self { distance, normal, foot }
    }
}

pub(crate) fn point_core(core: &Core, p: DVec3) -> PointGap {
    match core {
        Core::Point => PointGap::from_foot(p, DVec3::ZERO, || DVec3::Z),
        Core::Segment { half } => {
            let foot = DVec3::new(0.0, 0.0, p.z.clamp(-half, *half));
            PointGap::from_foot(p, foot, || DVec3::X)
        }
        Core::Box { half } => point_box(*half, p),
        Core::Cylinder { radius, half } => point_cylinder(*radius, *half, p),
        Core::Triangle(corners) => {
            let (foot, _) = closest_on_triangle(corners, p);
            PointGap::from_foot(p, foot, || unit_normal(corners).unwrap_or(DVec3::Z))
        }
        Core::Hull(hull) => {
            let mut best = (f64::NEG_INFINITY, DVec3::Z);
            for (n, offset) in hull.normals.iter().zip(&hull.offsets) {
                let height = n.dot(p) - offset;
                if height > best.0 {
                    best = (height, *n);
                }
            }
            if best.0 <= 0.0 {
                return PointGap { distance: best.0, normal: best.1, foot: p - best.0 * best.1 };
            }
            let mut near = (f64::INFINITY, p);
            for t in &hull.triangles {
                let (foot, _) = closest_on_triangle(&t.map(|v| hull.vertices[v as usize]), p);
                let d = foot.distance_squared(p);
                if d < near.0 {
                    near = (d, foot);
                }
            }
            PointGap::from_foot(p, near.1, || best.1)
        }
    }
}

#[inline]
pub(crate) fn point_box(half: DVec3, p: DVec3) -> PointGap {
    let foot = p.clamp(-half, half);
    let v = p - foot;
    let squared = v.length_squared();
    if squared > 0.0 {
        let distance = squared.sqrt();
        return PointGap { distance, normal: v / distance, foot };
    }
    // Inside: |p_i| − h_i ≤ 0, the greatest is the nearest face.
    let e = p.abs() - half;
    let axis = if e.x >= e.y && e.x >= e.z {
        0
    } else if e.y >= e.z {
        1
    } else {
        2
    };
    let mut normal = DVec3::ZERO;
    normal[axis] = 1f64.copysign(p[axis]);
    let mut foot = p;
    foot[axis] = half[axis].copysign(p[axis]);
    PointGap { distance: e[axis], normal, foot }
}

#[inline]
pub(crate) fn point_cylinder(radius: f64, half: f64, p: DVec3) -> PointGap {
    let rho = (p.x * p.x + p.y * p.y).sqrt();
    let u = if rho > 0.0 { DVec3::new(p.x / rho, p.y / rho, 0.0) } else { DVec3::X };
    let (across, along) = (rho - radius, p.z.abs() - half);
    let up = DVec3::new(0.0, 0.0, 1f64.copysign(p.z));
    if across > 0.0 && along > 0.0 {
        let distance = across.hypot(along);
        let normal = (across * u + along * up) / distance;
        return PointGap { distance, normal, foot: p - across * u - along * up };
    }
    if across >= along {
        PointGap { distance: across, normal: u, foot: p - across * u }
    } else {
        PointGap { distance: along, normal: up, foot: p - along * up }
    }
}

/// The point of a triangle nearest to `p`, and its barycentric coordinates, exactly 0 and 1 on sides and corners.
/// By the regions of corners, sides and face (Ericson, Real-Time Collision Detection, section 5.1.5).
#[inline]
pub(crate) fn closest_on_triangle([a, b, c]: &[DVec3; 3], p: DVec3) -> (DVec3, [f64; 3]) {
    let (ab, ac, ap) = (*b - *a, *c - *a, p - *a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (*a, [1.0, 0.0, 0.0]);
    }
    let bp = p - *b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (*b, [0.0, 1.0, 0.0]);
    }
    let cp = p - *c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (*c, [0.0, 0.0, 1.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return (*a + v * ab, [1.0 - v, v, 0.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return (*a + w * ac, [1.0 - w, 0.0, w]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (*b + w * (*c - *b), [0.0, 1.0 - w, w]);
    }
    let sum = va + vb + vc;
    let (v, w) = (vb / sum, vc / sum);
    if !(v.is_finite() && w.is_finite()) {
        // A triangle without area that no side has claimed: its corner.
        return (*a, [1.0, 0.0, 0.0]);
    }
    // Across the plane exactly: p − (n·ap) n is better conditioned than a + v ab + w ac.
    let n = ab.cross(ac);
    let foot = p - n * (n.dot(ap) / n.length_squared());
    (foot, [1.0 - v - w, v, w])
}
