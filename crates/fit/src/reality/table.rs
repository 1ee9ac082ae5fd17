//! The table: one row for each comparison with measurements.

use super::loops::Mesh;
use super::{helix, loops, strip};
use crate::cable::Cable;
use crate::error::FitError;
use crate::evaluation::evaluate;
use crate::npy::Archive;
use crate::tracks::Tracks;
use glam::DVec3;
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

/// Required mean open-loop error of each cable, m.
const CABLE_BOUNDS: [f64; 5] = [1.05e-2, 0.75e-2, 0.70e-2, 0.65e-2, 0.75e-2];

/// A comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The quantity.
    pub quantity: String,
    /// The measured value, or the result of the authors of the measurement.
    pub reference: Option<f64>,
    /// Our value.
    pub found: f64,
    /// Unit of both.
    pub unit: &'static str,
    /// The error, or the quantity itself where there is no reference; relative unless the unit says otherwise.
    pub error: f64,
    /// Greatest error allowed; `None` for values that are only reported.
    pub bound: Option<f64>,
}

impl Row {
    /// Whether the error is within its bound; NaN is not.
    pub fn holds(&self) -> bool {
        self.bound.is_none_or(|bound| self.error <= bound)
    }

    fn relative(
        quantity: impl Into<String>,
        reference: f64,
        found: f64,
        unit: &'static str,
        bound: f64,
    ) -> Self {
        let error = (found / reference - 1.0).abs();
        Self { quantity: quantity.into(), reference: Some(reference), found, unit, error, bound: Some(bound) }
    }

    fn at_most(quantity: impl Into<String>, found: f64, unit: &'static str, bound: f64) -> Self {
        Self { quantity: quantity.into(), reference: None, found, unit, error: found, bound: Some(bound) }
    }

    fn reported(self) -> Self {
        Self { bound: None, ..self }
    }
}

/// All comparisons for which `data` has a file; cables `dlo1.toml` … are read from `cables`.
pub fn rows(data: &Path, cables: &Path, say: &mut dyn FnMut(&str)) -> Result<Vec<Row>, FitError> {
    let mut out = strip_rows();
    for (k, bound) in CABLE_BOUNDS.iter().enumerate() {
        let path = data.join(format!("deform_dlo{}_train.npz", k + 1));
        if path.exists() {
            say(&format!("cable {}", k + 1));
            let cable = Cable::read(&cables.join(format!("dlo{}.toml", k + 1)))?;
            let found = evaluate(&cable, &Tracks::read(&path)?)?;
            out.push(Row::at_most(
                format!("{}: open-loop error, all runs", cable.title),
                found.score,
                "m",
                *bound,
            ));
            if let (false, Some(score)) = (found.flawed.is_empty(), found.score_without_flawed) {
                let runs: Vec<_> = found.flawed.iter().map(|f| f.run.as_str()).collect();
                let name =
                    format!("{}: without runs {}, markers of which jump", cable.title, runs.join(", "));
                out.push(Row::at_most(name, score, "m", *bound));
            }
            if let Some(fitted) = &cable.fitted {
                let name = format!("{}: cross-validation in {} folds", cable.title, fitted.folds);
                out.push(Row::at_most(name, fitted.cross_validation, "m", *bound));
                if let Some(score) = fitted.cross_validation_without_flawed {
                    out.push(Row::at_most(
                        format!("{}: the same, without these", cable.title),
                        score,
                        "m",
                        *bound,
                    ));
                }
            }
            let time = found.cpu_s_per_sim_s;
            out.push(Row::at_most(format!("{}: CPU time per time simulated", cable.title), time, "1", 0.2));
        }
    }
    let path = data.join("helix_buckling.npz");
    if path.exists() {
        say("helices");
        out.extend(helix_rows(&Archive::read(&path)?)?);
    }
    let path = data.join("hanging_loops.npz");
    if path.exists() {
        say("hanging loops");
        out.extend(loop_rows(&Archive::read(&path)?)?);
    }
    Ok(out)
}

fn strip_rows() -> Vec<Row> {
    let found = strip::MEASURED.map(|(_, direction, _)| strip::frequency(direction).unwrap_or(f64::NAN));
    let middle = |k: usize| 0.5 * (strip::MEASURED[k].2[0] + strip::MEASURED[k].2[1]);
    let mut out: Vec<Row> = (0..3)
        .map(|k| {
            let name = format!("Steel strip, {}: first frequency", strip::MEASURED[k].0);
            Row::relative(name, middle(k), found[k], "Hz", 0.03)
        })
        .collect();
    let ratio = Row::relative(
        "Steel strip: frequency down/up",
        middle(2) / middle(1),
        found[2] / found[1],
        "1",
        0.015,
    );
    out.push(ratio);
    out
}

/// GJ/EI of the helix.
const HELIX_RATIO: f64 = 2.0 / 3.0;

/// Paths must reach this multiple of the κ at which the rod leaves its helix to show its kind of bifurcation.
const GOES_ON: f64 = 1.005;

fn helix_rows(archive: &Archive) -> Result<Vec<Row>, FitError> {
    let cases = helix::read(archive)?;
    let found = helix::examine(&cases, HELIX_RATIO);
    let count = cases.len();
    let mean_error = |kappa: fn(&helix::Found) -> f64| {
        let off = cases.iter().zip(&found).map(|(c, f)| (kappa(f) / c.critical - 1.0).abs());
        off.map(|e| if e.is_finite() { e } else { 1.0 }).sum::<f64>() / count as f64
    };
    let leaves = mean_error(|f| f.leaves.unwrap_or(f64::NAN));
    let perfect = mean_error(|f| f.critical);
    let midpoint = found.iter().map(|f| f.midpoint).fold(0.0, f64::max);
    let wrong = |jumps: fn(&helix::Found) -> Option<bool>| {
        let wrong = cases.iter().zip(&found).filter(|(c, f)| jumps(f) != Some(c.jumps)).count();
        wrong as f64 / count as f64
    };
    // Number of paths that continue after the rod has left its helix, and of those with the wrong kind.
    let goes_on =
        |c: &helix::Case, f: &helix::Found| f.leaves.is_some_and(|k| c.greatest_kappa() > GOES_ON * k);
    let on: Vec<_> = cases.iter().zip(&found).filter(|(c, f)| goes_on(c, f)).collect();
    let wrong_on = on.iter().filter(|(c, f)| f.jumps != Some(c.jumps)).count();
    Ok(vec![
        Row::at_most(
            format!("Helix ({count} cases): midpoint off the authors', greatest"),
            midpoint,
            "L",
            0.01,
        ),
        Row::at_most("Helix: κ at which the rod leaves it, mean difference", leaves, "1", 0.015),
        Row::at_most(
            "Helix: κ at which a perfect helix loses stability, mean difference",
            perfect,
            "1",
            0.015,
        )
        .reported(),
        Row::at_most("Helix: kind of bifurcation wrong, share", wrong(|f| f.jumps), "1", 0.05),
        Row::at_most("Helix: the same of the authors' rod", wrong(|f| f.peer_jumps), "1", 0.05).reported(),
        Row::at_most(
            format!("Helix: the same in the {} cases that go on for 0.5 % after it has left", on.len()),
            wrong_on as f64 / on.len().max(1) as f64,
            "1",
            0.05,
        )
        .reported(),
    ])
}

/// Edges of a clamped loop; half of them for the limit. With 360, some equilibria are not found.
const FINE: usize = 180;

fn loop_rows(archive: &Archive) -> Result<Vec<Row>, FitError> {
    let all = loops::CABLES.par_iter().map(|cable| -> Result<Vec<Row>, FitError> {
        let shapes = loops::shapes(archive, cable.name)?;
        // Mean of EI and of the residual over the repeats.
        let mean = |one: &(dyn Fn(&[DVec3]) -> Option<[f64; 2]> + Sync)| -> [f64; 2] {
            let fits: Vec<[f64; 2]> = shapes.par_iter().map(|s| one(s).unwrap_or([f64::NAN; 2])).collect();
            [0, 1].map(|k| fits.iter().map(|f| f[k]).sum::<f64>() / fits.len() as f64)
        };
        let fitted = |mesh: Mesh| mean(&|s: &[DVec3]| loops::bending_stiffness(mesh, s, cable.line_density));
        let [authors, authors_residual] = fitted(Mesh::Authors);
        let [coarse, _] = fitted(Mesh::Clamped(FINE / 2));
        let [fine, fine_residual] = fitted(Mesh::Clamped(FINE));
        // Errors are of second order in the edge length.
        let limit = fine + (fine - coarse) / 3.0;
        let [elastica, _] = mean(&|s: &[DVec3]| loops::stiffness_of_elastica(s, cable.line_density));
        let name = format!("Hanging loop, {}", cable.name);
        let reference = cable.bending_stiffness;
        let turn = 0.5 * (cable.fold[0] + cable.fold[1]);
        let density = cable.line_density;
        let fold = loops::fold(Mesh::Authors, reference, cable.twist_ratio, density, 1.6 * turn);
        let ratio = loops::twist_ratio(Mesh::Authors, reference, density, turn);
        let [fold, ratio] = [fold, ratio].map(|found| found.unwrap_or(f64::NAN));
        Ok(vec![
            Row::relative(format!("{name}: EI, the authors' mesh"), reference, authors, "N·m²", 0.10),
            Row::at_most(format!("{name}: mean distance, their mesh"), authors_residual, "L", cable.residual),
            Row::relative(
                format!("{name}: EI, clamped, {} edges", FINE / 2),
                reference,
                coarse,
                "N·m²",
                0.10,
            )
            .reported(),
            Row::relative(format!("{name}: EI, clamped, {FINE} edges"), reference, fine, "N·m²", 0.10)
                .reported(),
            Row::relative(
                format!("{name}: EI, clamped, limit of fine edges"),
                reference,
                limit,
                "N·m²",
                0.10,
            )
            .reported(),
            Row::relative(format!("{name}: that limit against an elastica"), elastica, limit, "N·m²", 0.02),
            Row::at_most(format!("{name}: mean distance, {FINE} edges"), fine_residual, "L", cable.residual),
            Row::relative(format!("{name}: twist at the fold"), turn, fold, "°", 0.05),
            Row::relative(format!("{name}: GJ/EI from the fold"), cable.twist_ratio, ratio, "1", 0.05),
        ])
    });
    let all: Result<Vec<Vec<Row>>, FitError> = all.collect();
    Ok(all?.concat())
}
