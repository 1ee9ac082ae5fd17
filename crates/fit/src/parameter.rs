//! The parameters that a fit may change: names, bounds, and the coordinate in which they are searched.
//!
//! Positive ones are searched by their logarithm, so that a step is a relative change and no bound at zero is needed.

use crate::cable::Parameters;

/// One of [`Parameters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parameter {
    /// EI, N·m².
    BendingStiffness,
    /// GJ, N·m².
    TorsionalStiffness,
    /// EA, N.
    AxialStiffness,
    /// κ̄, 1/m.
    NaturalCurvature,
    /// α, 1/s.
    MassDamping,
    /// β, s.
    StiffnessDamping,
    /// Quadratic drag across, N·s²/m³.
    DragAcross,
    /// Quadratic drag along, N·s²/m³.
    DragAlong,
    /// Factor on the marker spacing.
    LengthFactor,
    /// Share of a run's own spacing.
    SpacingShare,
    /// Bending stiffness at the grippers, relative.
    GripStiffness,
}

impl Parameter {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::BendingStiffness,
        Self::TorsionalStiffness,
        Self::AxialStiffness,
        Self::NaturalCurvature,
        Self::MassDamping,
        Self::StiffnessDamping,
        Self::DragAcross,
        Self::DragAlong,
        Self::LengthFactor,
        Self::SpacingShare,
        Self::GripStiffness,
    ];

    /// The key in a cable file.
    pub fn name(self) -> &'static str {
        match self {
            Self::BendingStiffness => "bending_stiffness",
            Self::TorsionalStiffness => "torsional_stiffness",
            Self::AxialStiffness => "axial_stiffness",
            Self::NaturalCurvature => "natural_curvature",
            Self::MassDamping => "mass_damping",
            Self::StiffnessDamping => "stiffness_damping",
            Self::DragAcross => "drag_across",
            Self::DragAlong => "drag_along",
            Self::LengthFactor => "length_factor",
            Self::SpacingShare => "spacing_share",
            Self::GripStiffness => "grip_stiffness",
        }
    }

    /// The unit, for tables.
    pub fn unit(self) -> &'static str {
        match self {
            Self::BendingStiffness | Self::TorsionalStiffness => "N·m²",
            Self::AxialStiffness => "N",
            Self::NaturalCurvature => "1/m",
            Self::MassDamping => "1/s",
            Self::StiffnessDamping => "s",
            Self::DragAcross | Self::DragAlong => "N·s²/m³",
            Self::LengthFactor | Self::SpacingShare | Self::GripStiffness => "1",
        }
    }

    /// The parameter called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Smallest and greatest value that a fit tries.
    pub fn bounds(self) -> [f64; 2] {
        match self {
            Self::BendingStiffness | Self::TorsionalStiffness => [1e-7, 10.0],
            Self::AxialStiffness => [1.0, 1e5],
            Self::NaturalCurvature => [-30.0, 30.0],
            Self::MassDamping => [1e-4, 20.0],
            Self::StiffnessDamping => [1e-5, 2.0],
            Self::DragAcross | Self::DragAlong => [1e-6, 1.0],
            Self::LengthFactor => [0.9, 1.1],
            Self::SpacingShare => [0.0, 1.0],
            Self::GripStiffness => [1e-2, 1e2],
        }
    }

    /// Whether the search goes by the logarithm.
    pub fn is_logarithmic(self) -> bool {
        !matches!(self, Self::NaturalCurvature | Self::SpacingShare)
    }

    /// Change of the coordinate by which derivatives are taken.
    pub fn difference(self) -> f64 {
        match self {
            Self::LengthFactor => 1e-4,
            Self::NaturalCurvature => 1e-2,
            _ => 1e-3,
        }
    }

    /// Its place in `parameters`.
    pub fn place(self, parameters: &mut Parameters) -> &mut f64 {
        match self {
            Self::BendingStiffness => &mut parameters.bending_stiffness,
            Self::TorsionalStiffness => &mut parameters.torsional_stiffness,
            Self::AxialStiffness => &mut parameters.axial_stiffness,
            Self::NaturalCurvature => &mut parameters.natural_curvature,
            Self::MassDamping => &mut parameters.mass_damping,
            Self::StiffnessDamping => &mut parameters.stiffness_damping,
            Self::DragAcross => &mut parameters.drag_across,
            Self::DragAlong => &mut parameters.drag_along,
            Self::LengthFactor => &mut parameters.length_factor,
            Self::SpacingShare => &mut parameters.spacing_share,
            Self::GripStiffness => &mut parameters.grip_stiffness,
        }
    }

    /// The value in `parameters`.
    pub fn value(self, parameters: &Parameters) -> f64 {
        *self.place(&mut parameters.clone())
    }

    /// The search coordinate of a value, which is brought within the bounds.
    pub fn coordinate(self, value: f64) -> f64 {
        let [low, high] = self.bounds();
        let value = value.clamp(low, high);
        if self.is_logarithmic() { value.ln() } else { value }
    }

    /// The value at a search coordinate, within the bounds.
    pub fn from_coordinate(self, coordinate: f64) -> f64 {
        let [low, high] = self.bounds();
        let value = if self.is_logarithmic() { coordinate.exp() } else { coordinate };
        value.clamp(low, high)
    }
}
