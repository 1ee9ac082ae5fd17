//! Refinement of the normal between a cylinder and another core that do not overlap.
//!
//! On curved surfaces the simplices of [`crate::gjk`] shrink until round-off stops them, with the distance good to
//! 1e-11 and the normal to 1e-5 only. But then the nearest features are known, and for each pair there is a more
//! accurate method: corner against cylinder in closed form, edge against cylinder by a root in one variable, faces
//! and caps by their normals, rim against rim by Newton's method. Every direction gives a lower bound of the distance
//! ([`gap_along`]); the greatest is the distance.

use crate::contact_feature::{support_figure, witnesses};
use crate::convex::{Core, CoreGap, Placed, gap_along};
use crate::penetration::rim_and_rim;
use crate::point::point_cylinder;
use crate::segment::{at, closest_to_cylinder};
use glam::DVec3;

/// Refined normal and distance if at least one core is a cylinder; others are returned unchanged.
pub(crate) fn polished(a: &Placed, b: &Placed, found: CoreGap) -> CoreGap {
    if !matches!(a.core, Core::Cylinder { .. }) && !matches!(b.core, Core::Cylinder { .. }) {
        return found;
    }
    // The gap is flat at its maximum: a normal with an error of 1e-8 has the same gap to all digits. So the normal of
    // the features is preferred unless that of the simplices is clearly better.
    let handicap = 1e-13 * (a.core.reach() + b.core.reach() + found.distance);
    let mut best = (gap_along(a, b, found.normal) - handicap, found.normal);
    let mut offer = |n: DVec3| {
        let gap = gap_along(a, b, n);
        if gap > best.0 {
            best = (gap, n);
        }
    };
    for (c, other, sign) in [(a, b, 1.0), (b, a, -1.0)] {
        let Core::Cylinder { radius, half } = c.core else { continue };
        // From the other core to the cylinder.
        let n = sign * found.normal;
        let axis = c.r.z_axis;
        offer(sign * axis * 1f64.copysign(axis.dot(n)));
        let local = |p: DVec3| c.local_vector(p - c.p);
        match other.core {
            Core::Cylinder { radius: rb, half: hb } => {
                // The side of the other cylinder: its axis with a radius.
                let [p, q] = [-hb, *hb].map(|z| local(other.p + z * other.r.z_axis));
                let x = at(p, q, closest_to_cylinder(p, q, *radius, *half));
                offer(-sign * (c.r * point_cylinder(*radius, *half, x).normal));
                if sign > 0.0 {
                    offer(rim_and_rim(a, b, (*radius, *half), (*rb, *hb), n));
                }
            }
            _ => {
                // The feature of the polyhedron that faces the cylinder, with a tolerance above the error of the
                // normal.
                let figure = support_figure(other, n, 1e-4);
                let corners = figure.points();
                for k in 0..corners.len() {
                    let (p, q) = (local(corners[k]), local(corners[(k + 1) % corners.len()]));
                    let x = at(p, q, closest_to_cylinder(p, q, *radius, *half));
                    offer(-sign * (c.r * point_cylinder(*radius, *half, x).normal));
                }
                if corners.len() > 2
                    && let Some(face) = crate::mesh::unit_normal(&[corners[0], corners[1], corners[2]])
                {
                    offer(sign * face * 1f64.copysign(face.dot(n)));
                }
            }
        }
    }
    let normal = best.1;
    let distance = gap_along(a, b, normal);
    let (a, b) = witnesses(a, b, normal, distance);
    CoreGap { distance, normal, a, b }
}
