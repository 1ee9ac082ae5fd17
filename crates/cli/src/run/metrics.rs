//! `metrics.csv`: the run as time series, one row per sample.
//!
//! | column | meaning |
//! |---|---|
//! | `time_s` | time |
//! | `kinetic_J`, `stretch_J`, `bend_J`, `twist_J`, `gravity_J`, `total_J` | energies |
//! | `work_J` | work of clamps, loads and drives since the start |
//! | `rod.NAME.length_m` | length now |
//! | `rod.NAME.tension_min_N`, `rod.NAME.tension_max_N` | tension, positive in pull |
//! | `rod.NAME.curvature_max_per_m` | greatest curvature |
//! | `rod.NAME.twist_rad` | twist, summed along the rod |
//! | `clamp.NAME.force_{x,y,z}_N`, `clamp.NAME.torque_{x,y,z}_Nm` | what the clamp exerts on its rod |
//!
//! Clamp forces are those of the last step: before the first step their cells are empty. So are the
//! cells of curvature for a rod of one edge.

use ropewalk_sim::{Energies, Model, State, Wrench, measure};
use std::io::{self, Write};

/// Writes the rows as the run goes on.
#[derive(Debug)]
pub(crate) struct MetricsWriter<W: Write> {
    file: W,
}

impl<W: Write> MetricsWriter<W> {
    /// Starts the file with the names of its columns.
    pub(crate) fn new(mut file: W, model: &Model) -> io::Result<Self> {
        let columns: Vec<String> = column_names(model).iter().map(|name| quoted(name)).collect();
        writeln!(file, "{}", columns.join(","))?;
        Ok(Self { file })
    }

    /// Adds a row. `wrenches` is `None` before the first step.
    pub(crate) fn row(
        &mut self,
        model: &Model,
        state: &State,
        energies: &Energies,
        work: f64,
        wrenches: Option<&[Wrench]>,
    ) -> io::Result<()> {
        let e = energies;
        let mut cells: Vec<String> =
            [state.time, e.kinetic, e.stretch, e.bend, e.twist, e.gravity, e.total(), work]
                .map(|x| x.to_string())
                .into();
        for r in 0..model.rods.len() {
            let (rod, s) = (&model.rods[r], &state.rods[r]);
            let tension = measure::tension(model, state, r);
            let twist: f64 = rod.stencils().map(|j| s.strain(rod, j).tau).sum();
            cells.push(measure::length(model, state, r).to_string());
            cells.push(cell(tension.iter().copied().reduce(f64::min)));
            cells.push(cell(tension.iter().copied().reduce(f64::max)));
            cells.push(cell(measure::curvature(model, state, r).into_iter().reduce(f64::max)));
            cells.push(twist.to_string());
        }
        for clamp in 0..model.clamps.len() {
            let wrench = wrenches.map(|all| all[clamp]);
            for pick in [|w: Wrench| w.force, |w: Wrench| w.torque] {
                for axis in 0..3 {
                    cells.push(cell(wrench.map(|w| pick(w)[axis])));
                }
            }
        }
        writeln!(self.file, "{}", cells.join(","))
    }

    /// Hands all rows to the system.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn column_names(model: &Model) -> Vec<String> {
    let world = ["time_s", "kinetic_J", "stretch_J", "bend_J", "twist_J", "gravity_J", "total_J", "work_J"];
    let mut names: Vec<String> = world.map(str::to_owned).into();
    for rod in &model.rod_names {
        for column in ["length_m", "tension_min_N", "tension_max_N", "curvature_max_per_m", "twist_rad"] {
            names.push(format!("rod.{rod}.{column}"));
        }
    }
    for clamp in &model.clamps {
        for (quantity, unit) in [("force", "N"), ("torque", "Nm")] {
            for axis in ["x", "y", "z"] {
                names.push(format!("clamp.{}.{quantity}_{axis}_{unit}", clamp.name));
            }
        }
    }
    names
}

fn cell(value: Option<f64>) -> String {
    value.map(|x| x.to_string()).unwrap_or_default()
}

/// A name as a cell of CSV (RFC 4180): quoted if it holds a comma, a quote or a line break.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use ropewalk_rod::{Material, RodBuilder, Section};
    use ropewalk_sim::{Clamp, ClampPose, Hold, Motion};

    #[test]
    fn rows_have_a_cell_for_each_column() {
        let nodes = (0..5).map(|i| DVec3::new(0.1 * f64::from(i), 0.0, 0.0)).collect();
        let material = Material::from_poisson(1e6, 0.5, 1000.0);
        let mut builder = RodBuilder::new(nodes, Section::Circle { radius: 1e-3 }, material);
        builder.rest_lengths = Some(vec![0.08]);
        let (rod, rod_state) = builder.build().unwrap();
        let hold = Hold::Edge(0);
        let clamp = Clamp {
            name: "a,b".to_owned(),
            rod: 0,
            hold,
            motion: Motion::default(),
            start: ClampPose::of(hold, &rod, &rod_state),
            release_time: f64::INFINITY,
        };
        let model = Model {
            rod_names: vec!["rope".to_owned()],
            rods: vec![rod],
            clamps: vec![clamp],
            ..Model::default()
        };
        let state = State { time: 0.5, rods: vec![rod_state], ..State::default() };
        let energies = measure::energies(&model, &state);
        let mut out = Vec::new();
        let mut metrics = MetricsWriter::new(&mut out, &model).unwrap();
        metrics.row(&model, &state, &energies, 0.0, None).unwrap();
        let wrench = Wrench { force: DVec3::new(1.0, 2.0, 3.0), torque: DVec3::ZERO };
        metrics.row(&model, &state, &energies, 0.0, Some(&[wrench])).unwrap();
        metrics.flush().unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].contains("\"clamp.a,b.force_x_N\""));
        let cells: Vec<Vec<&str>> = lines[1..].iter().map(|line| line.split(',').collect()).collect();
        assert_eq!([cells[0].len(), cells[1].len()], [8 + 5 + 6; 2]);
        assert_eq!(cells[0][13], "");
        assert_eq!(cells[1][13..16], ["1", "2", "3"]);
        let tension: f64 = cells[1][9].parse().unwrap();
        let expected = 1e6 * core::f64::consts::PI * 1e-6 * 0.25;
        assert!((tension - expected).abs() < 1e-12 * expected, "{tension} {expected}");
    }
}
