//! The parameters of a fit: names, bounds, and search coordinates.
//!
//! Positive ones are searched in their logarithm, so that a step is a relative change and no bound at zero is needed.

use crate::cable::{Cable, Curl, Parameters};
use crate::error::FitError;
use ropewalk_sim::Surface;
use std::borrow::Cow;

/// One of [`Parameters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parameter {
    /// EI, N·m².
    BendingStiffness,
    /// EI toward m₂, N·m².
    BendingStiffness2,
    /// GJ, N·m².
    TorsionalStiffness,
    /// EA, N.
    AxialStiffness,
    /// Factor on the line density.
    DensityFactor,
    /// κ̄, 1/m.
    NaturalCurvature,
    /// α, 1/s.
    MassDamping,
    /// β, s.
    StiffnessDamping,
    /// Normal quadratic drag, N·s²/m³.
    DragAcross,
    /// Tangential quadratic drag, N·s²/m³.
    DragAlong,
    /// Factor on the marker spacing.
    LengthFactor,
    /// Weight of a run's own spacing.
    SpacingShare,
    /// Bending stiffness at the grippers, relative.
    GripStiffness,
    /// Coefficient of friction of the surface.
    Friction,
    /// Clock of the held markers, s.
    TimeOffset,
    /// Natural curvature at a marker toward a director, 1/m.
    Curl {
        /// The marker.
        marker: usize,
        /// 1 or 2.
        director: u8,
    },
}

impl Parameter {
    /// Those that every cable has.
    pub const ALL: [Self; 15] = [
        Self::BendingStiffness,
        Self::BendingStiffness2,
        Self::TorsionalStiffness,
        Self::AxialStiffness,
        Self::DensityFactor,
        Self::NaturalCurvature,
        Self::MassDamping,
        Self::StiffnessDamping,
        Self::DragAcross,
        Self::DragAlong,
        Self::LengthFactor,
        Self::SpacingShare,
        Self::GripStiffness,
        Self::Friction,
        Self::TimeOffset,
    ];

    /// Those that every cable has, and the curls of `cable`; GJ, a second EI and friction only if they are given.
    pub fn all_of(cable: &Cable) -> Vec<Self> {
        let given = |p: &Self| match p {
            Self::TorsionalStiffness => cable.parameters.torsional_stiffness.is_some(),
            Self::BendingStiffness2 => cable.parameters.bending_stiffness_2.is_some(),
            Self::Friction => cable.parameters.friction.is_some(),
            _ => true,
        };
        let curls =
            cable.parameters.curl.iter().map(|c| Self::Curl { marker: c.marker, director: c.director });
        Self::ALL.into_iter().filter(given).chain(curls).collect()
    }

    /// The key in a cable file; a curl is called `curl2@5` by director and marker.
    pub fn name(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Curl { marker, director } => return Cow::Owned(format!("curl{director}@{marker}")),
            Self::BendingStiffness => "bending_stiffness",
            Self::BendingStiffness2 => "bending_stiffness_2",
            Self::DensityFactor => "density_factor",
            Self::TimeOffset => "time_offset",
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
            Self::Friction => "friction",
        })
    }

    /// The unit, for tables.
    pub fn unit(self) -> &'static str {
        match self {
            Self::BendingStiffness | Self::BendingStiffness2 | Self::TorsionalStiffness => "N·m²",
            Self::AxialStiffness => "N",
            Self::NaturalCurvature | Self::Curl { .. } => "1/m",
            Self::MassDamping => "1/s",
            Self::StiffnessDamping | Self::TimeOffset => "s",
            Self::DragAcross | Self::DragAlong => "N·s²/m³",
            Self::DensityFactor
            | Self::LengthFactor
            | Self::SpacingShare
            | Self::GripStiffness
            | Self::Friction => "1",
        }
    }

    /// The parameter called `name`.
    pub fn named(name: &str) -> Option<Self> {
        if let Some((director, marker)) = name.strip_prefix("curl").and_then(|rest| rest.split_once('@')) {
            let (director, marker) = (director.parse().ok()?, marker.parse().ok()?);
            return matches!(director, 1 | 2).then_some(Self::Curl { marker, director });
        }
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// The parameter called `name`, or an error that lists them.
    pub fn from_name(name: &str) -> Result<Self, FitError> {
        Self::named(name.trim()).ok_or_else(|| {
            let all: Vec<_> = Self::ALL.iter().map(|p| p.name().into_owned()).collect();
            FitError::mismatch(
                format!("there is no parameter '{}'", name.trim()),
                format!("a fit may change: {}, and curl1@m or curl2@m at marker m", all.join(", ")),
            )
        })
    }

    /// Bounds.
    pub fn bounds(self) -> [f64; 2] {
        match self {
            Self::BendingStiffness | Self::BendingStiffness2 | Self::TorsionalStiffness => [1e-7, 10.0],
            Self::DensityFactor => [0.1, 10.0],
            Self::TimeOffset => [-0.1, 0.1],
            Self::AxialStiffness => [1.0, 1e5],
            Self::NaturalCurvature | Self::Curl { .. } => [-30.0, 30.0],
            Self::MassDamping => [1e-4, 20.0],
            Self::StiffnessDamping => [1e-5, 2.0],
            Self::DragAcross | Self::DragAlong => [1e-6, 1.0],
            Self::LengthFactor => [0.9, 1.1],
            Self::SpacingShare => [0.0, 1.0],
            Self::GripStiffness => [1e-2, 1e2],
            Self::Friction => [1e-3, 5.0],
        }
    }

    /// Whether the search coordinate is the logarithm.
    pub fn is_logarithmic(self) -> bool {
        !matches!(self, Self::NaturalCurvature | Self::SpacingShare | Self::TimeOffset | Self::Curl { .. })
    }

    /// Finite difference of the coordinate for derivatives.
    pub fn difference(self) -> f64 {
        match self {
            Self::LengthFactor | Self::TimeOffset => 1e-4,
            // Between sticking and sliding a response has kinks.
            Self::NaturalCurvature | Self::Curl { .. } | Self::Friction => 1e-2,
            _ => 1e-3,
        }
    }

    /// Sets the value in `parameters`.
    pub fn set(self, parameters: &mut Parameters, value: f64) {
        *match self {
            Self::BendingStiffness => &mut parameters.bending_stiffness,
            Self::BendingStiffness2 => parameters.bending_stiffness_2.get_or_insert(value),
            Self::DensityFactor => &mut parameters.density_factor,
            Self::TimeOffset => &mut parameters.time_offset,
            Self::TorsionalStiffness => parameters.torsional_stiffness.get_or_insert(value),
            Self::AxialStiffness => &mut parameters.axial_stiffness,
            Self::NaturalCurvature => &mut parameters.natural_curvature,
            Self::MassDamping => &mut parameters.mass_damping,
            Self::StiffnessDamping => &mut parameters.stiffness_damping,
            Self::DragAcross => &mut parameters.drag_across,
            Self::DragAlong => &mut parameters.drag_along,
            Self::LengthFactor => &mut parameters.length_factor,
            Self::SpacingShare => &mut parameters.spacing_share,
            Self::GripStiffness => &mut parameters.grip_stiffness,
            Self::Friction => parameters.friction.get_or_insert(value),
            Self::Curl { marker, director } => {
                let curls = &mut parameters.curl;
                let found = curls.iter().position(|c| c.marker == marker && c.director == director);
                let place = found.unwrap_or_else(|| {
                    curls.push(Curl { marker, director, curvature: value });
                    curls.len() - 1
                });
                &mut curls[place].curvature
            }
        } = value;
    }

    /// The value in `parameters`; a curl that is not there is 0.
    pub fn value(self, parameters: &Parameters) -> f64 {
        match self {
            Self::BendingStiffness => parameters.bending_stiffness,
            Self::BendingStiffness2 => parameters.bending()[1],
            Self::DensityFactor => parameters.density_factor,
            Self::TimeOffset => parameters.time_offset,
            Self::TorsionalStiffness => parameters.torsion(),
            Self::AxialStiffness => parameters.axial_stiffness,
            Self::NaturalCurvature => parameters.natural_curvature,
            Self::MassDamping => parameters.mass_damping,
            Self::StiffnessDamping => parameters.stiffness_damping,
            Self::DragAcross => parameters.drag_across,
            Self::DragAlong => parameters.drag_along,
            Self::LengthFactor => parameters.length_factor,
            Self::SpacingShare => parameters.spacing_share,
            Self::GripStiffness => parameters.grip_stiffness,
            Self::Friction => parameters.friction.unwrap_or(Surface::default().friction),
            Self::Curl { marker, director } => {
                let found = parameters.curl.iter().find(|c| c.marker == marker && c.director == director);
                found.map_or(0.0, |c| c.curvature)
            }
        }
    }

    /// The search coordinate of a value, clamped to the bounds.
    pub fn coordinate(self, value: f64) -> f64 {
        let [low, high] = self.bounds();
        let value = value.clamp(low, high);
        if self.is_logarithmic() { value.ln() } else { value }
    }

    /// The search coordinate to begin at: that of the value in `parameters`. What is left out there, and searched by its logarithm, begins at a typical
    /// value: at its least one the logarithm would have no effect, and data would seem not to show it.
    pub fn start(self, parameters: &Parameters) -> f64 {
        let value = self.value(parameters);
        let left_out = self.is_logarithmic() && value <= 0.0;
        self.coordinate(if left_out { self.typical() } else { value })
    }

    /// What light cables have of an effect that may be left out.
    fn typical(self) -> f64 {
        match self {
            Self::MassDamping => 0.1,
            Self::StiffnessDamping => 0.02,
            // Air across a cylinder of 5 mm has ½ ρ c d = 4e-3.
            Self::DragAcross => 5e-3,
            Self::DragAlong => 5e-4,
            _ => 1.0,
        }
    }

    /// The value at a search coordinate, within the bounds.
    pub fn from_coordinate(self, coordinate: f64) -> f64 {
        let [low, high] = self.bounds();
        let value = if self.is_logarithmic() { coordinate.exp() } else { coordinate };
        value.clamp(low, high)
    }
}
