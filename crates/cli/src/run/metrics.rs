//! `metrics.csv`: the run as time series, one row per sample.
//!
//! | column | meaning |
//! |---|---|
//! | `time_s` | time |
//! | `kinetic_J`, `stretch_J`, `bend_J`, `twist_J`, `gravity_J`, `joints_J`, `total_J` | energies |
//! | `work_J` | work of clamps, loads, drives, actuators and driven bodies since the start |
//! | `contacts`, `overlap_max_m` | contacts that push, and the deepest overlap; only where there is contact |
//! | `rod.NAME.length_m` | length now |
//! | `rod.NAME.tension_min_N`, `rod.NAME.tension_max_N` | tension, positive in pull |
//! | `rod.NAME.tension_start_N`, `rod.NAME.tension_end_N` | tension of the first and the last edge |
//! | `rod.NAME.curvature_max_per_m` | greatest curvature |
//! | `rod.NAME.twist_rad` | twist, summed along the rod |
//! | `clamp.NAME.force_{x,y,z}_N`, `clamp.NAME.torque_{x,y,z}_Nm` | wrench of the clamp on its rod |
//! | `attach.NAME.force_{x,y,z}_N`, `attach.NAME.torque_{x,y,z}_Nm` | wrench of the attachment on its first end |
//! | `body.NAME.position_{x,y,z}_m`, `body.NAME.quat_{x,y,z,w}` | pose of the body |
//! | `body.NAME.contact_force_{x,y,z}_N`, `body.NAME.contact_torque_{x,y,z}_Nm` | wrench of all contacts on the body, torques about its frame's origin; only where there is contact |
//! | `joint.TREE.JOINT.position_rad`, `….velocity_rad_per_s`, `….effort_Nm` | joint with one degree of freedom of a robot or body; effort of its actuators. In m, m/s and N for one that slides |
//!
//! Forces and efforts are those of the last step: before the first step their cells are empty. So are the
//! cells of curvature for a rod of one edge.

use ropewalk_body::JointKind;
use ropewalk_scene::recording::export_csv::quoted;
use ropewalk_scene::{BodyPlace, Sample};
use ropewalk_sim::{Energies, Model, State, Wrench, measure};
use std::io::{self, Write};

/// Writes the rows during the run.
#[derive(Debug)]
pub(crate) struct MetricsWriter<W: Write> {
    file: W,
    bodies: Vec<BodyPlace>,
}

impl<W: Write> MetricsWriter<W> {
    /// Starts the file with the names of its columns.
    pub(crate) fn new(mut file: W, model: &Model, bodies: &[BodyPlace]) -> io::Result<Self> {
        let columns: Vec<String> = column_names(model, bodies).iter().map(|name| quoted(name)).collect();
        writeln!(file, "{}", columns.join(","))?;
        Ok(Self { file, bodies: bodies.to_vec() })
    }

    /// Adds a row. `sample` is `None` before the first step.
    pub(crate) fn row(
        &mut self,
        model: &Model,
        state: &State,
        energies: &Energies,
        work: f64,
        sample: Option<&Sample>,
    ) -> io::Result<()> {
        let e = energies;
        let mut cells: Vec<String> =
            [state.time, e.kinetic, e.stretch, e.bend, e.twist, e.gravity, e.joints, e.total(), work]
                .map(|x| x.to_string())
                .into();
        if model.contact.is_some() {
            cells.push(sample.map(|s| s.touching.to_string()).unwrap_or_default());
            cells.push(cell(sample.map(|s| s.deepest_overlap_m)));
        }
        for r in 0..model.rods.len() {
            let (rod, s) = (&model.rods[r], &state.rods[r]);
            let tension = measure::tension(model, state, r);
            let twist: f64 = rod.stencils().map(|j| s.strain(rod, j).tau).sum();
            cells.push(measure::length(model, state, r).to_string());
            cells.push(cell(tension.iter().copied().reduce(f64::min)));
            cells.push(cell(tension.iter().copied().reduce(f64::max)));
            cells.push(cell(tension.first().copied()));
            cells.push(cell(tension.last().copied()));
            cells.push(cell(measure::curvature(model, state, r).into_iter().reduce(f64::max)));
            cells.push(twist.to_string());
        }
        let held = (0..model.clamps.len()).map(|c| sample.map(|s| s.wrenches[c]));
        let attached = (0..model.attachments.len()).map(|a| sample.map(|s| s.attachments[a]));
        for wrench in held.chain(attached) {
            cells.extend(wrench_cells(wrench));
        }
        let poses: Vec<_> =
            (0..model.trees.len()).map(|t| measure::tree_kinematics(model, state, t).poses).collect();
        for body in &self.bodies {
            let pose = poses[body.tree][body.link];
            cells
                .extend(pose.position.to_array().iter().chain(&pose.rotation.to_array()).map(f64::to_string));
            if model.contact.is_some() {
                cells.extend(wrench_cells(sample.map(|s| s.trees[body.tree].contacts[body.link])));
            }
        }
        for joint in single_joints(model) {
            let tree = &model.trees[joint.tree].tree;
            let s = &state.trees[joint.tree];
            cells.push(s.q[tree.q_range(joint.link).start].to_string());
            cells.push(s.v[tree.v_range(joint.link).start].to_string());
            cells.push(cell(sample.map(|x| joint.effort(model, &x.efforts))));
        }
        writeln!(self.file, "{}", cells.join(","))
    }

    /// Hands all rows to the system.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn column_names(model: &Model, bodies: &[BodyPlace]) -> Vec<String> {
    let world = [
        "time_s",
        "kinetic_J",
        "stretch_J",
        "bend_J",
        "twist_J",
        "gravity_J",
        "joints_J",
        "total_J",
        "work_J",
    ];
    let mut names: Vec<String> = world.map(str::to_owned).into();
    if model.contact.is_some() {
        names.extend(["contacts", "overlap_max_m"].map(str::to_owned));
    }
    for rod in &model.rod_names {
        for column in [
            "length_m",
            "tension_min_N",
            "tension_max_N",
            "tension_start_N",
            "tension_end_N",
            "curvature_max_per_m",
            "twist_rad",
        ] {
            names.push(format!("rod.{rod}.{column}"));
        }
    }
    let clamps = model.clamps.iter().map(|c| ("clamp", &c.name));
    let attachments = model.attachments.iter().map(|a| ("attach", &a.name));
    for (kind, name) in clamps.chain(attachments) {
        names.extend(wrench_names(&format!("{kind}.{name}.")));
    }
    for body in bodies {
        names.extend(["x", "y", "z"].map(|axis| format!("body.{}.position_{axis}_m", body.name)));
        names.extend(["x", "y", "z", "w"].map(|axis| format!("body.{}.quat_{axis}", body.name)));
        if model.contact.is_some() {
            names.extend(wrench_names(&format!("body.{}.contact_", body.name)));
        }
    }
    for joint in single_joints(model) {
        let start = format!("joint.{}.{}", model.trees[joint.tree].name, joint.name(model));
        let [q, v, effort] =
            if joint.slides(model) { ["m", "m_per_s", "N"] } else { ["rad", "rad_per_s", "Nm"] };
        names.push(format!("{start}.position_{q}"));
        names.push(format!("{start}.velocity_{v}"));
        names.push(format!("{start}.effort_{effort}"));
    }
    names
}

/// Names of the six numbers of a wrench.
fn wrench_names(start: &str) -> Vec<String> {
    let quantities = [("force", "N"), ("torque", "Nm")];
    let name = |(quantity, unit): (&str, &str), axis: &str| format!("{start}{quantity}_{axis}_{unit}");
    quantities.into_iter().flat_map(|q| ["x", "y", "z"].map(|axis| name(q, axis))).collect()
}

fn wrench_cells(wrench: Option<Wrench>) -> Vec<String> {
    let numbers = |w: Wrench| [w.force.to_array(), w.torque.to_array()].concat();
    match wrench {
        Some(w) => numbers(w).iter().map(f64::to_string).collect(),
        None => vec![String::new(); 6],
    }
}

/// A joint with one degree of freedom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SingleJoint {
    /// Index of the tree.
    pub(crate) tree: usize,
    /// Link whose joint it is.
    pub(crate) link: usize,
}

impl SingleJoint {
    /// Its name.
    pub(crate) fn name(self, model: &Model) -> &str {
        &model.trees[self.tree].tree.links()[self.link].joint.name
    }
    /// Whether it slides; else it turns.
    pub(crate) fn slides(self, model: &Model) -> bool {
        matches!(model.trees[self.tree].tree.links()[self.link].joint.kind, JointKind::Prismatic { .. })
    }
    /// Effort of all its actuators.
    pub(crate) fn effort(self, model: &Model, efforts: &[f64]) -> f64 {
        let on_it =
            model.actuators.iter().zip(efforts).filter(|(a, _)| (a.tree, a.link) == (self.tree, self.link));
        on_it.map(|(_, effort)| effort).sum()
    }
}

/// All joints with one degree of freedom.
pub(crate) fn single_joints(model: &Model) -> impl Iterator<Item = SingleJoint> {
    model.trees.iter().enumerate().flat_map(|(tree, t)| {
        let links = t.tree.links().iter().enumerate();
        let single = links.filter(|(_, l)| l.joint.kind.velocity_count() == 1);
        single.map(move |(link, _)| SingleJoint { tree, link })
    })
}

fn cell(value: Option<f64>) -> String {
    value.map(|x| x.to_string()).unwrap_or_default()
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
        let mut metrics = MetricsWriter::new(&mut out, &model, &[]).unwrap();
        metrics.row(&model, &state, &energies, 0.0, None).unwrap();
        let wrench = Wrench { force: DVec3::new(1.0, 2.0, 3.0), torque: DVec3::ZERO };
        let sample = Sample { wrenches: vec![wrench], ..Sample::default() };
        metrics.row(&model, &state, &energies, 0.0, Some(&sample)).unwrap();
        metrics.flush().unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].contains("\"clamp.a,b.force_x_N\""));
        let cells: Vec<Vec<&str>> = lines[1..].iter().map(|line| line.split(',').collect()).collect();
        assert_eq!([cells[0].len(), cells[1].len()], [9 + 7 + 6; 2]);
        assert_eq!(cells[0][16], "");
        assert_eq!(cells[1][16..19], ["1", "2", "3"]);
        let tension: f64 = cells[1][10].parse().unwrap();
        let expected = 1e6 * core::f64::consts::PI * 1e-6 * 0.25;
        assert!((tension - expected).abs() < 1e-12 * expected, "{tension} {expected}");
    }
}
