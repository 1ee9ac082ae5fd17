//! A cable: what its file holds.
//!
//! | table | what it holds |
//! |---|---|
//! | `[known]` | what was weighed or measured: line density, mass and spacing of the markers |
//! | `[parameters]` | what a fit may change, see [`Parameters`] |
//! | `[numerics]` | mesh and time step of the prediction; they are part of the model, since parameters are fitted with them |

use crate::error::FitError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A cable as its file describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cable {
    /// What the cable is.
    pub title: String,
    /// Measured, not fitted.
    pub known: Known,
    /// Fitted.
    pub parameters: Parameters,
    /// Mesh, step and filter.
    #[serde(default)]
    pub numerics: Numerics,
}

/// What was weighed or measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Mass per length in kg/m, without markers.
    pub line_density: f64,
    /// Mass of a marker in kg.
    pub marker_mass: f64,
    /// Length of cable between neighboring markers in m, n − 1 entries.
    pub marker_spacing: Vec<f64>,
}

/// What a fit may change. A value of 0 leaves the effect out, but for stiffness and the length factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// EI in N·m², the same about both axes.
    pub bending_stiffness: f64,
    /// GJ in N·m². Not seen in a cable without natural curvature whose ends may roll.
    pub torsional_stiffness: f64,
    /// EA in N.
    pub axial_stiffness: f64,
    /// Natural curvature κ̄ in 1/m.
    #[serde(default)]
    pub natural_curvature: f64,
    /// Force per mass and velocity α in 1/s.
    #[serde(default)]
    pub mass_damping: f64,
    /// Moment EI(κ + β κ̇): β in s.
    #[serde(default)]
    pub stiffness_damping: f64,
    /// Quadratic drag across the cable c: force per length c |v_n| v_n, in N·s²/m³.
    #[serde(default)]
    pub drag_across: f64,
    /// Quadratic drag along the cable, likewise.
    #[serde(default)]
    pub drag_along: f64,
    /// Factor on the spacing of inner markers.
    pub length_factor: f64,
    /// Share of a run's own marker spacing, as seen in its first two frames, in the rest lengths; see [`crate::start`].
    #[serde(default)]
    pub spacing_share: f64,
    /// Bending stiffness where the cable leaves a gripper, as a fraction of the cable's.
    #[serde(default = "one")]
    pub grip_stiffness: f64,
}

fn one() -> f64 {
    1.0
}

/// Whether the ends may turn about the cable's axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Roll {
    /// They may.
    #[default]
    Free,
    /// They turn with the held pair without spin, from the roll of least energy in the first frame.
    Held,
}

/// Mesh, time step and filter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Numerics {
    /// Longest edge between inner markers in m.
    pub edge_length: f64,
    /// Steps per frame.
    pub steps_per_frame: usize,
    /// θ of the θ-method: ½ is the midpoint rule, 1 backward Euler.
    pub theta: f64,
    /// Fraction of the impulses at work below which a step has converged.
    pub tolerance: f64,
    /// Half width, in frames, of the filter of held markers; see [`crate::held`].
    pub held_filter: usize,
    /// Whether the ends may roll.
    pub roll: Roll,
}

impl Default for Numerics {
    fn default() -> Self {
        Self {
            edge_length: 0.05,
            steps_per_frame: 2,
            theta: 0.5,
            tolerance: 1e-6,
            held_filter: 2,
            roll: Roll::Free,
        }
    }
}

impl Cable {
    /// Reads a cable file.
    pub fn read(path: &Path) -> Result<Self, FitError> {
        let name = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|source| FitError::File { path: name.clone(), source })?;
        Self::parse(&text).map_err(|what| FitError::Cable { path: name, what })
    }

    /// A cable from the text of its file, or what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let cable: Self = toml::from_str(text).map_err(|e| e.to_string())?;
        cable.check()?;
        Ok(cable)
    }

    /// Rest length between the outermost markers in m.
    pub fn length(&self) -> f64 {
        let spacing = &self.known.marker_spacing;
        let inner: f64 = spacing[1..spacing.len() - 1].iter().sum();
        spacing[0] + self.parameters.length_factor * inner + spacing[spacing.len() - 1]
    }

    /// Number of markers.
    pub fn marker_count(&self) -> usize {
        self.known.marker_spacing.len() + 1
    }

    /// Whether every number makes sense.
    pub fn check(&self) -> Result<(), String> {
        let Self { known, parameters: p, numerics: n, .. } = self;
        if self.marker_count() < crate::tracks::LEAST_MARKERS {
            return Err("known.marker_spacing: at least 4 entries (5 markers) are needed".to_owned());
        }
        let positive = [
            ("known.line_density", known.line_density),
            ("parameters.bending_stiffness", p.bending_stiffness),
            ("parameters.torsional_stiffness", p.torsional_stiffness),
            ("parameters.axial_stiffness", p.axial_stiffness),
            ("parameters.length_factor", p.length_factor),
            ("parameters.grip_stiffness", p.grip_stiffness),
            ("numerics.edge_length", n.edge_length),
            ("numerics.tolerance", n.tolerance),
        ];
        let spacing = known.marker_spacing.iter().map(|&l| ("known.marker_spacing", l));
        for (key, value) in positive.into_iter().chain(spacing) {
            if !(value.is_finite() && value > 0.0) {
                return Err(format!("{key} = {value}: give a positive number"));
            }
        }
        for (key, value) in [
            ("known.marker_mass", known.marker_mass),
            ("parameters.mass_damping", p.mass_damping),
            ("parameters.stiffness_damping", p.stiffness_damping),
            ("parameters.drag_across", p.drag_across),
            ("parameters.drag_along", p.drag_along),
            ("parameters.spacing_share", p.spacing_share),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("{key} = {value}: give zero or a positive number"));
            }
        }
        if !p.natural_curvature.is_finite() {
            return Err("parameters.natural_curvature: give a finite number".to_owned());
        }
        if !(0.5..=1.0).contains(&n.theta) {
            return Err(format!("numerics.theta = {}: give a number from 0.5 to 1", n.theta));
        }
        if !(1..=100).contains(&n.steps_per_frame) {
            return Err(format!("numerics.steps_per_frame = {}: give 1 to 100", n.steps_per_frame));
        }
        if self.length() / n.edge_length > 1e4 {
            return Err(format!("numerics.edge_length = {}: more than 10 000 edges", n.edge_length));
        }
        Ok(())
    }
}
