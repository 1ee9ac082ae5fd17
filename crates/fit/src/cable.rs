//! A cable and its file.
//!
//! | table | contents |
//! |---|---|
//! | `[known]` | known quantities: line density, mass and spacing of the markers |
//! | `[parameters]` | parameters that a fit may change, see [`Parameters`] |
//! | `[fitted]` | prediction error on held-out runs, if requested |
//! | `[numerics]` | mesh and time step of the prediction; they are part of the model, since parameters are fitted with them |

use crate::error::FitError;
use crate::regular_file;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Largest cable file in bytes.
const MOST_BYTES: u64 = 1 << 20;

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
    /// Prediction error on held-out runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted: Option<Fitted>,
}

/// Result of the cross-validation of the fit; not used in predictions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    /// Number of folds.
    pub folds: usize,
    /// Mean error over all runs, each predicted by a cable that was not fitted to it, m.
    pub cross_validation: f64,
    /// Mean over the runs in which no marker jumps, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_validation_without_flawed: Option<f64>,
}

/// Known quantities.
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

/// Parameters that a fit may change. A value of 0 disables the effect, except for stiffness and the length factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// EI in N·m², the same about both axes unless there is a second one.
    pub bending_stiffness: f64,
    /// EI toward m₂ in N·m²; `bending_stiffness` is that toward m₁ then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending_stiffness_2: Option<f64>,
    /// GJ in N·m²; equal to EI if it is left out. Not observable for a cable without natural curvature whose ends may
    /// roll.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torsional_stiffness: Option<f64>,
    /// EA in N.
    pub axial_stiffness: f64,
    /// Factor on the known line density. Positions determine only ratios to it; forces determine it.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub density_factor: f64,
    /// Uniform natural curvature toward m₁ in 1/m.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub natural_curvature: f64,
    /// Force per mass and velocity α in 1/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub mass_damping: f64,
    /// Moment EI(κ + β κ̇): β in s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stiffness_damping: f64,
    /// Quadratic drag normal to the cable, c: force per length c |v_n| v_n, in N·s²/m³.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drag_across: f64,
    /// Quadratic drag along the cable, likewise.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drag_along: f64,
    /// Factor on the spacing of inner markers.
    pub length_factor: f64,
    /// Weight of a run's own marker spacing, from its first two frames, in the rest lengths; see [`crate::start`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spacing_share: f64,
    /// Bending stiffness at the grippers, as a fraction of the cable's.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub grip_stiffness: f64,
    /// Coefficient of friction of the cable's surface; that of the scene if it is left out. Seen only where the cable touches something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// The held markers are those of this much later, s: clocks of the robot and of the motion capture that differ.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub time_offset: f64,
    /// Local natural curvature.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curl: Vec<Curl>,
}

/// Natural curvature near a marker: greatest there, decreasing linearly to zero at the neighboring markers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curl {
    /// The marker, counted from 0 at the first held one.
    pub marker: usize,
    /// Director toward which the cable bends: 1 or 2.
    pub director: u8,
    /// Curvature at the marker in 1/m.
    pub curvature: f64,
}

impl Parameters {
    /// GJ in N·m².
    pub fn torsion(&self) -> f64 {
        self.torsional_stiffness.unwrap_or(self.bending_stiffness)
    }

    /// EI toward m₁ and m₂ in N·m².
    pub fn bending(&self) -> [f64; 2] {
        [self.bending_stiffness, self.bending_stiffness_2.unwrap_or(self.bending_stiffness)]
    }
}

fn one() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_one(value: &f64) -> bool {
    *value == 1.0
}

/// Whether the ends may roll about the cable's axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Roll {
    /// They may.
    #[default]
    Free,
    /// They follow the held pair without spin, from the roll of least energy in the first frame.
    Held,
}

/// Mesh, time step and filter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Numerics {
    /// Longest edge between inner markers in m; 0.025 if it is left out. Errors fall with its square: known parameters of a cable of 0.6 m are found again to 2 %
    /// with 0.025 from finer data, EI to 3.4 % with 0.05.
    pub edge_length: f64,
    /// Steps per frame.
    pub steps_per_frame: usize,
    /// θ of the θ-method: ½ is the midpoint rule, 1 backward Euler.
    pub theta: f64,
    /// Fraction of the impulses below which a step has converged.
    pub tolerance: f64,
    /// Half width, in frames, of the filter of held markers; see [`crate::held`].
    pub held_filter: usize,
    /// Whether the ends may roll.
    pub roll: Roll,
}

impl Default for Numerics {
    fn default() -> Self {
        Self {
            edge_length: 0.025,
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
        let text = regular_file::text(path, MOST_BYTES)?;
        Self::parse(&text).map_err(|what| FitError::Cable { path: name, what })
    }

    /// A cable from the text of its file, or an error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let cable: Self = toml::from_str(text).map_err(|e| e.to_string())?;
        cable.check()?;
        Ok(cable)
    }

    /// The text of its file, below `comment`.
    pub fn to_text(&self, comment: &str) -> Result<String, FitError> {
        let mut rounded = self.clone();
        for p in crate::parameter::Parameter::all_of(self) {
            // Six digits are more than the accuracy of any fit.
            let value = p.value(&rounded.parameters);
            p.set(&mut rounded.parameters, format!("{value:.5e}").parse().unwrap_or(value));
        }
        let digits = |x: f64| format!("{x:.5e}").parse().unwrap_or(x);
        if let Some(fitted) = &mut rounded.fitted {
            fitted.cross_validation = digits(fitted.cross_validation);
            fitted.cross_validation_without_flawed = fitted.cross_validation_without_flawed.map(digits);
        }
        let text = toml::to_string(&rounded)
            .map_err(|e| FitError::Cable { path: self.title.clone(), what: e.to_string() })?;
        let comment: String = comment.lines().map(|line| format!("# {line}\n")).collect();
        Ok(format!("{comment}{text}"))
    }

    /// The cable with `value` at `key`, such as `numerics.theta`.
    pub fn with(&self, key: &str, value: &str) -> Result<Self, String> {
        let mut document = toml::Table::try_from(self).map_err(|e| e.to_string())?;
        let (table, name) = key
            .split_once('.')
            .ok_or_else(|| format!("'{key}': give a table and a key, such as numerics.theta"))?;
        let value: toml::Value = toml::from_str::<toml::Table>(&format!("x = {value}"))
            .or_else(|_| toml::from_str(&format!("x = {value:?}")))
            .map_err(|e| e.to_string())?
            .remove("x")
            .ok_or("no value")?;
        let entries = document
            .get_mut(table)
            .and_then(toml::Value::as_table_mut)
            .ok_or_else(|| format!("'{key}': there is no table '{table}' (known, parameters, numerics)"))?;
        entries.insert(name.to_owned(), value);
        let cable: Self =
            document.try_into().map_err(|e: toml::de::Error| format!("'{key}': {}", e.message()))?;
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

    /// Checks the ranges of all numbers.
    pub fn check(&self) -> Result<(), String> {
        let Self { known, parameters: p, numerics: n, .. } = self;
        if self.marker_count() < crate::tracks::LEAST_MARKERS {
            return Err("known.marker_spacing: at least 4 entries (5 markers) are needed".to_owned());
        }
        let positive = [
            ("known.line_density", known.line_density),
            ("parameters.bending_stiffness", p.bending_stiffness),
            ("parameters.bending_stiffness_2", p.bending()[1]),
            ("parameters.torsional_stiffness", p.torsion()),
            ("parameters.density_factor", p.density_factor),
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
            ("parameters.friction", p.friction.unwrap_or_default()),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("{key} = {value}: give zero or a positive number"));
            }
        }
        for (key, value) in [("natural_curvature", p.natural_curvature), ("time_offset", p.time_offset)] {
            if !value.is_finite() {
                return Err(format!("parameters.{key} = {value}: give a finite number"));
            }
        }
        for curl in &p.curl {
            if !curl.curvature.is_finite() {
                return Err("parameters.curl: give finite curvatures, in 1/m".to_owned());
            }
            if curl.marker == 0 || curl.marker + 1 >= self.marker_count() || !matches!(curl.director, 1 | 2) {
                return Err(format!(
                    "parameters.curl: marker {}, director {}: give an inner marker (1 to {}) and director 1 or 2",
                    curl.marker,
                    curl.director,
                    self.marker_count() - 2
                ));
            }
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
