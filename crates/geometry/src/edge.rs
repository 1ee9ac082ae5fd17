//! Contact of rod edges of round section: a segment with a radius against other shapes.
//!
//! # One point or two
//! The nearest point s* of an edge that crosses an obstacle moves smoothly with their poses. Where edge and obstacle
//! are nearly parallel (along another edge, along a cylinder, on a plane, a face or a side of a box) s* jumps from
//! end to end as the angle passes through zero. There the edge touches at two points instead: with σ the sine of the
//! angle to the flat direction of the obstacle, [s₀, s₁] the part of the edge that lies over it and
//!
//!   λ = 1 for σ < σ₁/2, (1 − x)² with x = (4σ²/σ₁² − 1)/3 up to σ₁, 0 above,
//!
//! the points are s* + λ (s₀ − s*) and s* + λ (s₁ − s*), each with its own gap and normal and half of the weight. At
//! λ = 0 they coincide; at λ = 1, for small angles, they are the ends of the overlap for any s*, which runs from end
//! to end there. So force and moment are continuous. Several flat directions (faces and sides of a box) each propose
//! an interval; the two points take the widest. Along a rod, nodes have contacts of their own ([`crate::coverage`]).
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | s | `s` | parameter on the edge, 0 to 1 |
//! | t | `t` | parameter on the other edge |
//! | λ | `spread` | – |
//! | σ₁ | `SPREAD_SINE` | – |
//!
//! Errors: closed forms to round-off for edge, sphere, capsule, half-space, box and triangle; a zero in one variable,
//! to round-off, for the cylinder; distance of convex sets (1e-12 of the sizes) for hulls.

use crate::segment::{at, closest_parameter, closest_parameters, segment_normal};
use glam::DVec3;

/// Sine of the angle above which an edge touches in one point (0.15: about 9°).
pub const SPREAD_SINE: f64 = 0.15;

/// An edge of a rod of round section: all points within `radius` of a segment. Lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// First node.
    pub a: DVec3,
    /// Second node.
    pub b: DVec3,
    /// Radius of the section.
    pub radius: f64,
}

/// A point of contact of an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeContact {
    /// Parameter on the edge, 0 at its first node and 1 at its second.
    pub s: f64,
    /// Parameter on the other edge; 0 if the other is not an edge.
    pub t: f64,
    /// Midway between the two skins, in m.
    pub point: DVec3,
    /// Unit normal from the other to this edge.
    pub normal: DVec3,
    /// Signed distance of the skins in m.
    pub gap: f64,
    /// Share in the stiffness of one contact; the shares of an edge and an obstacle sum to 1, less where a
    /// neighboring edge takes over.
    pub weight: f64,
}

/// All points in which an edge touches one convex obstacle: one or two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeContacts {
    /// The nearest point.
    pub closest: EdgeContact,
    /// Spread of the contact over the overlap: 0 one point, 1 its two ends.
    pub spread: f64,
    /// From the first node of the edge to the second, in m.
    pub span: DVec3,
    /// The same for the other edge; zero if the other is not an edge.
    pub other_span: DVec3,
    /// The two points, where there are two.
    ends: Option<[EdgeContact; 2]>,
}

impl EdgeContacts {
    /// The points of contact.
    pub fn points(&self) -> &[EdgeContact] {
        match &self.ends {
            Some(ends) => ends,
            None => std::slice::from_ref(&self.closest),
        }
    }

    /// The points of contact, to change their weights.
    pub fn points_mut(&mut self) -> &mut [EdgeContact] {
        match &mut self.ends {
            Some(ends) => ends,
            None => std::slice::from_mut(&mut self.closest),
        }
    }

    /// The least gap of all points.
    pub fn gap(&self) -> f64 {
        self.closest.gap
    }

    /// The same contacts seen from the other edge.
    pub fn swapped(&self) -> Self {
        let turn = |c: &EdgeContact| EdgeContact { s: c.t, t: c.s, normal: -c.normal, ..*c };
        Self {
            closest: turn(&self.closest),
            ends: self.ends.map(|[p, q]| [turn(&p), turn(&q)]),
            span: self.other_span,
            other_span: self.span,
            ..*self
        }
    }
}

/// The part of an edge that lies over a flat direction of the obstacle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flat {
    /// Square of the sine of the angle to it.
    pub(crate) sine2: f64,
    /// From where.
    pub(crate) low: f64,
    /// To where.
    pub(crate) high: f64,
}

impl Flat {
    #[inline]
    pub(crate) fn lambda(sine2: f64) -> f64 {
        let rest = (4.0 / 3.0) * (1.0 - sine2 * (1.0 / (SPREAD_SINE * SPREAD_SINE)));
        if rest > 0.0 { (rest * rest).min(1.0) } else { 0.0 }
    }
}

/// A point of the edge against the other: distance from the centerline to the other's skin, normal, t.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub(crate) distance: f64,
    pub(crate) normal: DVec3,
    pub(crate) t: f64,
}

impl Edge {
    #[inline]
    pub(crate) fn at(&self, s: f64) -> DVec3 {
        at(self.a, self.b, s)
    }

    #[inline]
    fn contact(&self, s: f64, probe: Probe, weight: f64) -> EdgeContact {
        let gap = probe.distance - self.radius;
        let point = self.at(s) - (self.radius + 0.5 * gap) * probe.normal;
        EdgeContact { s, t: probe.t, point, normal: probe.normal, gap, weight }
    }

    /// One point or two, by the rule of this module. `probe` evaluates the edge at a parameter.
    #[inline]
    pub(crate) fn spread_out(
        &self,
        s: f64,
        closest: Probe,
        flats: &[Flat],
        probe: impl Fn(f64) -> Probe,
    ) -> EdgeContacts {
        let (mut low, mut high, mut spread) = (s, s, 0.0);
        for flat in flats {
            let lambda = Flat::lambda(flat.sine2);
            if lambda > 0.0 && flat.low <= flat.high {
                low = f64::min(low, s + lambda * (flat.low - s));
                high = f64::max(high, s + lambda * (flat.high - s));
                spread = f64::max(spread, lambda);
            }
        }
        let two = spread > 0.0 && high - low > 1e-6;
        EdgeContacts {
            closest: self.contact(s, closest, 1.0),
            spread,
            span: self.b - self.a,
            other_span: DVec3::ZERO,
            ends: two.then(|| [self.contact(low, probe(low), 0.5), self.contact(high, probe(high), 0.5)]),
        }
    }
}

/// Two edges; none if their skins are `reach` apart or more.
#[inline]
pub fn edge_edge(e: &Edge, f: &Edge, reach: f64) -> Option<EdgeContacts> {
    let (s, t) = closest_parameters(e.a, e.b, f.a, f.b);
    let (x, y) = (e.at(s), f.at(t));
    let v = x - y;
    let limit = e.radius + f.radius + reach;
    if limit <= 0.0 || v.length_squared() >= limit * limit {
        return None;
    }
    let (distance, normal) = segment_normal([e.a, e.b], [f.a, f.b], [s, t], v);
    let closest = Probe { distance: distance - f.radius, normal, t };
    let (u, w) = (e.b - e.a, f.b - f.a);
    let (uu, ww) = (u.length_squared(), w.length_squared());
    let area = u.cross(w).length_squared();
    let mut out = if area < SPREAD_SINE * SPREAD_SINE * uu * ww {
        // Over the part of the edge onto which the ends of the other project.
        let (s0, s1) = ((f.a - e.a).dot(u) / uu, (f.b - e.a).dot(u) / uu);
        let (low, high) = (s0.min(s1).clamp(0.0, 1.0), s0.max(s1).clamp(0.0, 1.0));
        let probe = |s: f64| {
            let x = e.at(s);
            let t = closest_parameter(f.a, f.b, x);
            let v = x - f.at(t);
            let (distance, side) = segment_normal([e.a, e.b], [f.a, f.b], [s, t], v);
            // Where the centerlines meet, the normal is that at the nearest point.
            let normal = if distance > 1e-9 * limit { side } else { normal };
            Probe { distance: distance - f.radius, normal, t }
        };
        e.spread_out(s, closest, &[Flat { sine2: area / (uu * ww), low, high }], probe)
    } else {
        e.spread_out(s, closest, &[], |_| closest)
    };
    out.other_span = w;
    Some(out)
}

/// An edge and a ball.
#[inline]
pub fn edge_sphere(e: &Edge, center: DVec3, radius: f64, reach: f64) -> Option<EdgeContacts> {
    let s = closest_parameter(e.a, e.b, center);
    let v = e.at(s) - center;
    let limit = e.radius + radius + reach;
    if limit <= 0.0 || v.length_squared() >= limit * limit {
        return None;
    }
    // A center on the centerline: any perpendicular direction.
    let (distance, normal) = segment_normal([e.a, e.b], [center, center], [s, 0.0], v);
    let closest = Probe { distance: distance - radius, normal, t: 0.0 };
    Some(e.spread_out(s, closest, &[], |_| closest))
}

/// An edge and the half-space below the plane through `origin` with the unit normal `n`.
#[inline]
pub fn edge_half_space(e: &Edge, origin: DVec3, n: DVec3, reach: f64) -> Option<EdgeContacts> {
    let (ha, hb) = (n.dot(e.a - origin), n.dot(e.b - origin));
    if ha.min(hb) - e.radius >= reach {
        return None;
    }
    let probe =
        |s: f64| Probe { distance: if s == 1.0 { hb } else { ha + s * (hb - ha) }, normal: n, t: 0.0 };
    let s = if ha <= hb { 0.0 } else { 1.0 };
    let sine = (hb - ha) / e.a.distance(e.b);
    let sine2 = if sine.is_finite() { sine * sine } else { 1.0 };
    Some(e.spread_out(s, probe(s), &[Flat { sine2, low: 0.0, high: 1.0 }], probe))
}
