//! The last digits of the normal between a cylinder and another core that are apart.
//!
//! On curved surfaces the simplices of [`crate::gjk`] shrink until round-off stops them, with the distance good to
//! 1e-11 and the normal to 1e-5 only. But the features that face one another are known by then, and for each there is
//! a better way: corner against cylinder in closed form, edge against cylinder by a zero in one variable, faces and
//! caps by their normals, rim against rim by Newton's method. Every direction gives a lower bound of the distance
//! ([`gap_along`]); the greatest is the distance.

use crate::contact_feature::{support_figure, witnesses};
use crate::convex::{Core, CoreGap, Placed, gap_along};
use crate::penetration::rim_and_rim;
use crate::point::point_cylinder;
use crate::segment::{at, closest_to_cylinder};
use glam::DVec3;

/// Better normal and distance for cores of which at least one is a cylinder; others are returned as they are.
pub(crate) fn polished(a: &Placed, b: &Placed, found: CoreGap) -> CoreGap {
    if !matches!(a.core, Core::Cylinder { .. }) && !matches!(b.core, Core::Cylinder { .. }) {
        return found;
    }
    // The gap is flat at its maximum: a normal with an error of 1e-8 has the same gap to all digits. So what comes
    // from the features is preferred to what comes from the simplices unless that is clearly better.
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
                // The side of the other: its axis with a radius.
                let [p, q] = [-hb, *hb].map(|z| local(other.p + z * other.r.z_axis));
                let x = at(p, q, closest_to_cylinder(p, q, *radius, *half));
                offer(-sign * (c.r * point_cylinder(*radius, *half, x).normal));
                if sign > 0.0 {
                    offer(rim_and_rim(a, b, (*radius, *half), (*rb, *hb), n));
                }
            }
            _ => {
                // What of the polyhedron faces the cylinder, with a tolerance above the error of the normal.
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
