//! Arcs, circles and helices: one formula.
//!
//! x(φ) = base + R (cos φ e₁ + sin φ e₂) + c φ a, with s = φ √(R² + c²), φ from 0 to the angle.

use super::Curve;
use crate::spec::{ArcSpec, CircleSpec, HelixSpec, StadiumSpec};
use core::f64::consts::{PI, TAU};
use glam::DVec3;
use ropewalk_linalg::parallel_transport::any_perpendicular;

/// A helix; with no advance, an arc or a circle.
pub(crate) struct Helix {
    base: DVec3,
    e1: DVec3,
    e2: DVec3,
    axis: DVec3,
    radius: f64,
    advance: f64,
    angle: f64,
}

impl Helix {
    /// An arc, or which direction is missing.
    pub(crate) fn arc(spec: &ArcSpec) -> Result<Self, &'static str> {
        let tangent = unit(spec.tangent).ok_or("tangent")?;
        let toward = perpendicular(spec.toward, tangent).ok_or("toward")?;
        Ok(Self {
            base: DVec3::from(spec.start) + toward * spec.radius,
            e1: -toward,
            e2: tangent,
            axis: tangent.cross(toward),
            radius: spec.radius,
            advance: 0.0,
            angle: spec.angle,
        })
    }
    /// A circle, or which direction is missing.
    pub(crate) fn circle(spec: &CircleSpec) -> Result<Self, &'static str> {
        let axis = unit(spec.normal).ok_or("normal")?;
        // About z the circle starts on the x axis.
        let e1 = perpendicular([1.0, 0.0, 0.0], axis).unwrap_or_else(|| any_perpendicular(axis));
        Ok(Self {
            base: spec.center.into(),
            e1,
            e2: axis.cross(e1),
            axis,
            radius: spec.radius,
            advance: 0.0,
            angle: TAU,
        })
    }
    /// A helix, or which direction is missing.
    pub(crate) fn winding(spec: &HelixSpec) -> Result<Self, &'static str> {
        let axis = unit(spec.axis).ok_or("axis")?;
        let e1 = perpendicular(spec.start, axis).ok_or("start")?;
        let side = if spec.left_handed { -1.0 } else { 1.0 };
        Ok(Self {
            base: spec.base.into(),
            e1,
            e2: axis.cross(e1) * side,
            axis,
            radius: spec.radius,
            advance: spec.pitch / TAU,
            angle: spec.turns * TAU,
        })
    }
    fn rate(&self) -> f64 {
        self.radius.hypot(self.advance)
    }
}

impl Curve for Helix {
    fn length(&self) -> f64 {
        self.angle * self.rate()
    }
    fn point(&self, s: f64) -> DVec3 {
        let phi = s / self.rate();
        let (sin, cos) = phi.sin_cos();
        self.base + (self.e1 * cos + self.e2 * sin) * self.radius + self.axis * (self.advance * phi)
    }
    fn tangent(&self, s: f64) -> DVec3 {
        let (sin, cos) = (s / self.rate()).sin_cos();
        ((self.e2 * cos - self.e1 * sin) * self.radius + self.axis * self.advance) / self.rate()
    }
}

/// A curve with straight parts before and after it.
pub(crate) struct Tailed {
    pub(crate) curve: Helix,
    pub(crate) tails: [f64; 2],
}

impl Curve for Tailed {
    fn length(&self) -> f64 {
        self.curve.length() + self.tails[0] + self.tails[1]
    }
    fn point(&self, s: f64) -> DVec3 {
        let (s, end) = (s - self.tails[0], self.curve.length());
        let on = s.clamp(0.0, end);
        self.curve.point(on) + self.curve.tangent(on) * (s - on)
    }
    fn tangent(&self, s: f64) -> DVec3 {
        self.curve.tangent((s - self.tails[0]).clamp(0.0, self.curve.length()))
    }
}

/// Two half circles of radius R about c₁ and c₂ and the straight lines between them. It starts below c₁ and runs to
/// c₂.
pub(crate) struct Stadium {
    centers: [DVec3; 2],
    /// From the first center to the second, and to the left of it.
    along: DVec3,
    left: DVec3,
    radius: f64,
}

impl Stadium {
    /// A stadium, or which direction is missing.
    pub(crate) fn new(spec: &StadiumSpec) -> Result<Self, &'static str> {
        let centers = spec.centers.map(DVec3::from);
        let along = unit((centers[1] - centers[0]).to_array()).ok_or("centers")?;
        let normal = perpendicular(spec.normal, along).ok_or("normal")?;
        Ok(Self { centers, along, left: normal.cross(along), radius: spec.radius })
    }
    fn straight(&self) -> f64 {
        (self.centers[1] - self.centers[0]).length()
    }
    /// The half that contains s (0 from the first center, 1 back), and the arclength within it.
    fn half(&self, s: f64) -> (usize, f64, f64) {
        let length = self.straight() + PI * self.radius;
        let half = usize::from(s >= length);
        (half, if half == 0 { 1.0 } else { -1.0 }, s - length * half as f64)
    }
}

impl Curve for Stadium {
    fn length(&self) -> f64 {
        2.0 * (self.straight() + PI * self.radius)
    }
    fn point(&self, s: f64) -> DVec3 {
        let (half, sign, s) = self.half(s);
        let straight = self.straight();
        if s < straight {
            return self.centers[half] + sign * (self.along * s - self.left * self.radius);
        }
        let (sin, cos) = ((s - straight) / self.radius).sin_cos();
        self.centers[1 - half] + sign * self.radius * (self.along * sin - self.left * cos)
    }
    fn tangent(&self, s: f64) -> DVec3 {
        let (_, sign, s) = self.half(s);
        let (sin, cos) = ((s - self.straight()).max(0.0) / self.radius).sin_cos();
        sign * (self.along * cos + self.left * sin)
    }
}

/// `v` as a unit vector, unless it is zero.
pub(crate) fn unit(v: [f64; 3]) -> Option<DVec3> {
    let v = DVec3::from(v);
    // Scaled first, so that huge and tiny components neither overflow nor vanish when squared.
    let scale = v.abs().max_element();
    (scale.is_finite() && scale > 0.0).then(|| (v / scale).normalize())
}

/// The part of `v` perpendicular to the unit vector `t` as a unit vector, unless there is none.
pub(crate) fn perpendicular(v: [f64; 3], t: DVec3) -> Option<DVec3> {
    let v = unit(v)?;
    let part = v - t * v.dot(t);
    (part.length() > 1e-9).then(|| part.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_start_where_they_should_and_bend_the_right_way() {
        let arc = Helix::arc(&ArcSpec {
            start: [1.0, 2.0, 3.0],
            tangent: [2.0, 0.0, 0.0],
            toward: [0.3, 0.0, 1.0],
            radius: 0.5,
            angle: core::f64::consts::PI,
            tails: [0.0; 2],
        })
        .unwrap();
        assert!((arc.point(0.0) - DVec3::new(1.0, 2.0, 3.0)).length() < 1e-15);
        assert!((arc.tangent(0.0) - DVec3::X).length() < 1e-15);
        // Half a turn later it is one diameter further towards z, heading back.
        assert!((arc.point(arc.length()) - DVec3::new(1.0, 2.0, 4.0)).length() < 1e-15);
        assert!((arc.tangent(arc.length()) + DVec3::X).length() < 1e-15);
    }

    #[test]
    fn stadiums_are_closed_and_have_unit_speed() {
        let spec = StadiumSpec {
            centers: [[0.1, 0.0, 0.2], [0.4, 0.1, 0.2]],
            normal: [0.0, 0.0, 3.0],
            radius: 0.05,
        };
        let curve = Stadium::new(&spec).unwrap();
        let length = curve.length();
        assert!((curve.point(0.0) - curve.point(length - 1e-12)).length() < 1e-11);
        let h = 1e-7;
        for i in 1..200 {
            let s = length * f64::from(i) / 200.0;
            let speed = (curve.point(s + h) - curve.point(s - h)) / (2.0 * h);
            assert!((speed - curve.tangent(s)).length() < 1e-5, "{s}");
            let near = spec.centers.map(|c| (curve.point(s) - DVec3::from(c)).length());
            assert!(near[0].min(near[1]) > 0.05 - 1e-12, "{s}");
        }
        // Counter-clockwise about the normal: the area is positive.
        let points: Vec<DVec3> = (0..100).map(|i| curve.point(length * f64::from(i) / 100.0)).collect();
        let area: f64 = points.windows(2).map(|w| w[0].cross(w[1]).z).sum();
        assert!(area > 0.0);
    }

    #[test]
    fn helices_have_unit_speed_and_the_given_pitch() {
        let spec = HelixSpec {
            base: [0.0; 3],
            axis: [0.0, 0.0, -2.0],
            start: [0.0, 1.0, 0.0],
            radius: 0.02,
            pitch: 0.01,
            turns: 3.0,
            left_handed: false,
        };
        let helix = Helix::winding(&spec).unwrap();
        let end = helix.point(helix.length());
        assert!((end - DVec3::new(0.0, 0.02, -0.03)).length() < 1e-15);
        let h = 1e-6;
        let speed = (helix.point(0.1 + h) - helix.point(0.1 - h)) / (2.0 * h);
        assert!((speed - helix.tangent(0.1)).length() < 1e-8);
    }
}
