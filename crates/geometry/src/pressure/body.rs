//! Soft and rigid bodies for patch contact.

use super::field::PressureField;
use super::rigid::RigidSurface;

/// What a body is to a pressure field. In the frame of the body.
#[derive(Clone, Debug)]
pub enum PatchBody {
    /// A mesh with pressures.
    Soft(PressureField),
    /// All points with z ≤ 0, with the pressure −z · gradient (Pa/m), which goes on growing without end.
    SoftHalfSpace {
        /// Growth of the pressure with depth in Pa/m.
        gradient: f64,
    },
    /// A surface.
    Rigid(RigidSurface),
    /// All points with z ≤ 0.
    RigidHalfSpace,
}

impl PatchBody {
    /// Whether it has no pressure field.
    pub fn is_rigid(&self) -> bool {
        matches!(self, Self::Rigid(_) | Self::RigidHalfSpace)
    }
}
