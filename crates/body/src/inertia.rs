//! Mass, center of mass and inertia of a link.

use glam::{DMat3, DVec3};
use ropewalk_linalg::Pose;

/// Mass properties of a rigid link, in the axes of the link's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass in kg.
    pub mass: f64,
    /// Center of mass in m.
    pub com: DVec3,
    /// Rotational inertia about the center of mass in kg·m².
    pub about_com: DMat3,
}

impl Inertia {
    /// No mass: a frame that carries other links.
    pub const ZERO: Self = Self { mass: 0.0, com: DVec3::ZERO, about_com: DMat3::ZERO };

    /// The same body in an outer frame in which its frame has the pose `pose`.
    pub fn placed(&self, pose: &Pose) -> Self {
        let r = pose.matrix();
        Self { mass: self.mass, com: pose.point(self.com), about_com: r * self.about_com * r.transpose() }
    }

    /// Two bodies welded together, both in the same frame.
    pub fn combined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return Self { about_com: self.about_com + other.about_com, ..Self::ZERO };
        }
        let com = (self.mass * self.com + other.mass * other.com) / mass;
        let about = |i: &Self| i.about_com + point_inertia(i.mass, i.com - com);
        Self { mass, com, about_com: about(self) + about(other) }
    }

    /// Why this cannot be a rigid body, if so: negative mass, principal moments that are negative or violate the
    /// triangle inequality by more than `tolerance` of their sum, non-finite numbers.
    pub fn defect(&self, tolerance: f64) -> Option<String> {
        if !(self.mass.is_finite() && self.com.is_finite() && self.about_com.is_finite()) {
            return Some("mass, center of mass and inertia must be finite".into());
        }
        if self.mass < 0.0 {
            return Some(format!("the mass is {} kg, but must not be negative", self.mass));
        }
        let rows = self.about_com.to_cols_array_2d().map(|row| row.to_vec()).to_vec();
        let mut moments = ropewalk_linalg::eigen::symmetric_eigen(rows).values;
        moments.sort_by(f64::total_cmp);
        let sum: f64 = moments.iter().sum();
        if moments[0] < -tolerance * sum.abs() {
            return Some(format!(
                "a principal moment of inertia is {} kg·m², but must not be negative",
                plain(moments[0])
            ));
        }
        if moments[0] + moments[1] < moments[2] - tolerance * sum {
            return Some(format!(
                "the principal moments of inertia {}, {}, {} kg·m² break the triangle inequality: no rigid body has them",
                plain(moments[0]),
                plain(moments[1]),
                plain(moments[2])
            ));
        }
        None
    }
}

/// A number in short decimal form: 0.05, 1, 3.2e-7.
fn plain(x: f64) -> String {
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) {
        return format!("{}", (x * 1e6).round() / 1e6);
    }
    format!("{x:.3e}")
}

/// Inertia of a point mass at `r` about the origin: m (r² 1 − r rᵀ).
pub fn point_inertia(mass: f64, r: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
    mass * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer)
}
