//! A soft box presses a round rod.
//!
//! The box has a plane face, behind which its pressure grows with the depth as g_b s. The rod, of radius R, has the
//! pressure E(1 − ρ/R) at the distance ρ from its axis, which lies R − d before the face. They meet where both are
//! equal, at the depth s(x) for each place x across the rod:
//!
//! ```text
//!   g_b s = E(1 − √(x² + (s + R − d)²)/R),      F/L = ∫ g_b s(x) dx      width = ∫ √(1 + s′²) dx
//! ```
//!
//! With a rod much harder than the box this is the weight of what the rod displaces: F/L = g_b times a segment of its
//! section.

use super::{Finding, RunRecord};
use glam::DVec3;
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::PatchBody;
use ropewalk_sim::{Model, State, measure};

/// Strips of the integral over one half of the patch.
const STRIPS: usize = 400;

/// A box with a pressure field that presses a round rod with one; see the claim `soft_press`.
#[derive(Clone, Copy, Debug)]
pub struct SoftPress {
    rod: usize,
    body: (usize, usize),
    /// g_b, Pa/m.
    gradient: f64,
    /// E, Pa.
    modulus: f64,
    /// R, m.
    radius: f64,
    /// Full lengths of the box, m.
    size: DVec3,
}

impl SoftPress {
    /// The box `body` (tree and link), which presses with its lower face; what it would need otherwise.
    pub fn of(model: &Model, rod: usize, body: (usize, usize)) -> Result<Self, &'static str> {
        let tree = &model.trees[body.0];
        let needs = "a soft body whose shape is a box";
        let shape = tree.shapes.iter().position(|s| s.link == body.1).ok_or(needs)?;
        let Shape::Box { size } = *tree.shapes[shape].collider.shape() else { return Err(needs) };
        let mut fields = model.patches.shapes.iter();
        let field = fields.find(|(at, _)| *at == (body.0, shape)).map(|(_, field)| field.as_ref());
        let Some(PatchBody::Soft(field)) = field else { return Err(needs) };
        // Linear from the face to half of the least thickness.
        let depth = 0.1 * size.min_element();
        let gradient = field.pressure(DVec3::NEG_Z * (0.5 * size.z - depth)) / depth;
        let field = model.patches.rods.get(rod).and_then(Option::as_ref);
        let field = field.filter(|f| f.section().is_round()).ok_or("a round rod that touches in patches")?;
        let radius = model.rods[rod].half_extents()[0][0];
        Ok(Self { rod, body, gradient, modulus: field.modulus(), radius, size })
    }

    /// s(x) at the depth d of the rod in the box; zero where they do not touch.
    fn depth_at(&self, x: f64, d: f64) -> f64 {
        let excess = |s: f64| {
            let rho = x.hypot(s + self.radius - d);
            self.modulus * (1.0 - rho / self.radius) - self.gradient * s
        };
        let (mut low, mut high) = (0.0, d);
        if excess(low) <= 0.0 {
            return 0.0;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if excess(middle) > 0.0 { low = middle } else { high = middle }
        }
        low
    }

    /// Force per length (N/m) and width of the patch (m) at the depth `d` (m).
    pub fn per_length(&self, d: f64) -> (f64, f64) {
        if d <= 0.0 {
            return (0.0, 0.0);
        }
        let half = (2.0 * self.radius * d - d * d).max(0.0).sqrt();
        // x = half · sin u: the depth falls like a root at the rim.
        let at = |i: usize| half * (core::f64::consts::FRAC_PI_2 * i as f64 / STRIPS as f64).sin();
        let (mut force, mut width) = (0.0, 0.0);
        for i in 0..STRIPS {
            let (a, b) = (at(i), at(i + 1));
            let (s, t) = (self.depth_at(a, d), self.depth_at(b, d));
            force += self.gradient * 0.5 * (s + t) * (b - a);
            width += (b - a).hypot(t - s);
        }
        (2.0 * force, 2.0 * width)
    }

    /// Length of the box along the rod, m.
    pub fn length(&self) -> f64 {
        self.size.x
    }

    /// How deep the rod is in the box, m: at its middle node, from the box's lower face.
    pub fn depth(&self, model: &Model, state: &State) -> f64 {
        let pose = measure::tree_kinematics(model, state, self.body.0).poses[self.body.1];
        let middle = state.rods[self.rod].position(model.rods[self.rod].node_count() / 2);
        let local = pose.rotation.inverse() * (middle - pose.position);
        self.radius + local.z + 0.5 * self.size.z
    }
}

/// The force on the box at the end against what its depth gives over the length of the box along x.
pub(super) fn soft_press(run: &RunRecord<'_>, press: &SoftPress) -> Option<Finding> {
    let (force, _) = press.per_length(press.depth(run.model, run.end));
    let pose = measure::tree_kinematics(run.model, run.end, press.body.0).poses[press.body.1];
    let pushed = run.samples.last()?.trees[press.body.0].contacts[press.body.1].force;
    let measured = pushed.dot(pose.rotation * DVec3::Z);
    Some(Finding::relative(force * press.size.x, measured, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(modulus: f64) -> SoftPress {
        SoftPress { rod: 0, body: (0, 0), gradient: 2e7, modulus, radius: 2e-3, size: DVec3::ONE }
    }

    #[test]
    fn a_hard_rod_displaces_a_segment() {
        let (r, d): (f64, f64) = (2e-3, 0.8e-3);
        let half = (2.0 * r * d - d * d).sqrt();
        let segment = r * r * (1.0 - d / r).acos() - (r - d) * half;
        let (force, width) = press(1e12).per_length(d);
        assert!((force / (2e7 * segment) - 1.0).abs() < 1e-4, "{force}");
        assert!((width / (2.0 * r * (1.0 - d / r).acos()) - 1.0).abs() < 1e-4, "{width}");
    }

    #[test]
    fn a_soft_rod_is_flattened() {
        // A rod much softer than the box: pressed against a wall, E(2a − (aR + h² asinh(a/h))/R), h = R − d, a² = R² − h².
        let (r, h, e): (f64, f64, f64) = (2e-3, 1.5e-3, 1e-3);
        let a = (r * r - h * h).sqrt();
        let wall = e * (2.0 * a - (a * r + h * h * (a / h).asinh()) / r);
        let (force, width) = press(e).per_length(r - h);
        assert!((force / wall - 1.0).abs() < 1e-4, "{force} {wall}");
        assert!((width / (2.0 * a) - 1.0).abs() < 1e-4, "{width}");
    }
}
