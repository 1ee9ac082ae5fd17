//! Arcs, circles and helices: one formula.
//!
//! x(φ) = base + R (cos φ e₁ + sin φ e₂) + c φ a, with s = φ √(R² + c²), φ from 0 to the angle.

use super::Curve;
use crate::spec::{ArcSpec, CircleSpec, HelixSpec};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_linalg::frame::any_perpendicular;

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
