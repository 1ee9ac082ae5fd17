//! An initial cable from marker tracks and known masses.
//!
//! Lengths between markers: the 95th percentile of their distance over all runs and frames, which is close to the
//! length of a straight piece and robust against single jumps. For a cable measured only at rest, the points of its
//! first shape serve as markers. Stiffness and damping: typical of light cables, to be fitted.

use crate::cable::{Cable, Known, Numerics, Parameters, Roll};
use crate::error::FitError;
use crate::tracks::Tracks;

/// Quantile of the distances between neighboring markers used as the length of cable between them.
pub const SPACING_QUANTILE: f64 = 0.95;

/// A cable with markers as in `tracks`, mass per length in kg/m and mass of a marker in kg.
pub fn guess(title: &str, tracks: &Tracks, line_density: f64, marker_mass: f64) -> Result<Cable, FitError> {
    let moving = !tracks.runs.is_empty();
    let n = tracks.marker_count();
    let spacing = |m: usize| -> Result<f64, FitError> {
        let frames = tracks.runs.iter().flat_map(|run| &run.frames);
        let mut seen: Vec<f64> =
            frames.map(|x| (x[m + 1] - x[m]).length()).filter(|l| l.is_finite()).collect();
        seen.sort_by(f64::total_cmp);
        let place = (SPACING_QUANTILE * seen.len().saturating_sub(1) as f64) as usize;
        seen.get(place).copied().filter(|l| *l > 0.0).ok_or_else(|| {
            FitError::mismatch(
                format!("markers {m} and {} are never seen together, or coincide", m + 1),
                "give tracks in which neighbors are seen in the same frames",
            )
        })
    };
    // Markers are measured to a tenth of a millimeter at best.
    let rounded = |l: f64| format!("{l:.5}").parse().unwrap_or(l);
    let marker_spacing = match tracks.shapes.first() {
        _ if moving => (0..n - 1).map(|m| spacing(m).map(rounded)).collect::<Result<Vec<_>, _>>()?,
        Some(shape) => {
            let pieces = shape.points.len() - 1;
            vec![shape.length / pieces as f64; pieces]
        }
        None => {
            return Err(FitError::mismatch(
                "torque over twist says nothing of the rest of a cable",
                "give a cable to start from, or marker tracks or shapes as well",
            ));
        }
    };
    let cable = Cable {
        title: title.to_owned(),
        known: Known { line_density, marker_mass, marker_spacing },
        parameters: Parameters {
            bending_stiffness: 1e-3,
            bending_stiffness_2: None,
            torsional_stiffness: None,
            axial_stiffness: 300.0,
            density_factor: 1.0,
            natural_curvature: 0.0,
            mass_damping: 0.0,
            stiffness_damping: 0.05,
            drag_across: 0.0,
            drag_along: 0.0,
            length_factor: if moving { 0.99 } else { 1.0 },
            spacing_share: if moving { 0.15 } else { 0.0 },
            grip_stiffness: 1.0,
            friction: None,
            time_offset: 0.0,
            curl: Vec::new(),
        },
        numerics: Numerics { steps_per_frame: 1, theta: 0.55, roll: Roll::Held, ..Numerics::default() },
        fitted: None,
    };
    cable.check().map_err(|what| FitError::mismatch(what, "check what was weighed and measured"))?;
    Ok(cable)
}
