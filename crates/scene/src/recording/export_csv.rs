//! Exports the measured values of a recording as a table: one row per frame.
//!
//! | column | meaning |
//! |---|---|
//! | `time_s` | time |
//! | `kinetic_J`, …, `total_J`, `work_J` | energies, and work from outside |
//! | `rod.NAME.length_m` | length now |
//! | `clamp.NAME.force_{x,y,z}_N`, `….torque_{x,y,z}_Nm` | what the clamp exerts on its rod; and so for `attach.NAME` and `base.NAME` |
//! | `actuator.NAME.effort_N`, or `_Nm` | effort |
//! | `contacts`, `deepest_overlap` | contacts that push; overlap as a share of the thickness |
//! | `patches`, `patch_area_m2`, `patch_force_N`, `peak_pressure_Pa` | patches, their areas and normal forces summed, greatest pressure |
//!
//! Cells of forces are empty before the first step, those of patches where the recording has no patches of that moment.

use super::message::{MeasuresMessage, PatchInfo, PatchTotals, PatchesMessage, SceneMessage, WrenchInfo};
use super::{Message, Recording};
use crate::FileError;
use crate::output_file::WholeFile;
use core::ops::ControlFlow;
use std::io::Write;
use std::path::Path;

/// Writes the measured values of `recording` to `path`.
pub fn export_csv(recording: &Recording, path: &Path) -> Result<(), FileError> {
    let mut file = WholeFile::create(path).map_err(FileError::io(path))?;
    let scene = &recording.scene;
    let names: Vec<String> = column_names(scene).iter().map(|name| quoted(name)).collect();
    writeln!(file, "{}", names.join(",")).map_err(FileError::io(path))?;
    // The patches of a frame come before its measures.
    let mut last: Option<PatchesMessage> = None;
    recording.read(|message| {
        match message {
            Message::Patches(patches) => last = Some(patches),
            Message::Measures(measures) => {
                let patches = last.take().filter(|p| p.time == measures.time);
                let mut row = cells(scene, &measures);
                row.extend(patch_cells(measures.patches.or(patches.map(|p| totals(&p.patches)))));
                writeln!(file, "{}", row.join(",")).map_err(FileError::io(path))?;
            }
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    })?;
    file.place().map_err(FileError::io(path))
}

/// Force and torque of everything that exerts them.
fn wrench_names(scene: &SceneMessage) -> Vec<String> {
    let clamps = scene.clamps.iter().map(|name| format!("clamp.{name}"));
    let attachments = scene.attachments.iter().map(|name| format!("attach.{name}"));
    let bases = scene.trees.iter().map(|tree| format!("base.{}", tree.name));
    clamps.chain(attachments).chain(bases).collect()
}

fn column_names(scene: &SceneMessage) -> Vec<String> {
    let world = ["time_s", "kinetic_J", "stretch_J", "bend_J", "twist_J", "gravity_J", "joints_J"];
    let mut names: Vec<String> = world.into_iter().chain(["total_J", "work_J"]).map(str::to_owned).collect();
    names.extend(scene.rods.iter().map(|rod| format!("rod.{}.length_m", rod.name)));
    for name in wrench_names(scene) {
        for (quantity, unit) in [("force", "N"), ("torque", "Nm")] {
            names.extend(["x", "y", "z"].map(|axis| format!("{name}.{quantity}_{axis}_{unit}")));
        }
    }
    names.extend(
        scene.actuators.iter().map(|a| format!("actuator.{}.effort_{}", a.name, a.unit.replace('·', ""))),
    );
    let touch =
        ["contacts", "deepest_overlap", "patches", "patch_area_m2", "patch_force_N", "peak_pressure_Pa"];
    names.extend(touch.map(str::to_owned));
    names
}

fn cells(scene: &SceneMessage, m: &MeasuresMessage) -> Vec<String> {
    let e = &m.energies;
    let mut cells: Vec<String> =
        [m.time, e.kinetic, e.stretch, e.bend, e.twist, e.gravity, e.joints, e.total, m.work]
            .iter()
            .chain(&m.rod_lengths)
            .map(f64::to_string)
            .collect();
    let wrenches: Vec<&WrenchInfo> = m.clamps.iter().chain(&m.attachments).chain(&m.bases).collect();
    for i in 0..wrench_names(scene).len() {
        match wrenches.get(i) {
            Some(w) => cells.extend(w.force.iter().chain(&w.torque).map(f64::to_string)),
            None => cells.extend(core::iter::repeat_n(String::new(), 6)),
        }
    }
    for i in 0..scene.actuators.len() {
        cells.push(m.efforts.get(i).map(f64::to_string).unwrap_or_default());
    }
    cells.extend([m.contact_count.to_string(), m.deepest_overlap.to_string()]);
    cells
}

/// Sums over patches, for files of version 1, which do not contain them.
fn totals(patches: &[PatchInfo]) -> PatchTotals {
    // From 0.0: the empty sum is -0.0.
    let sum = |of: fn(&PatchInfo) -> f64| patches.iter().map(of).fold(0.0, |sum, x| sum + x);
    PatchTotals {
        patch_count: patches.len(),
        polygon_count: patches.iter().map(|p| p.polygons.len()).sum(),
        area: sum(|p| p.area),
        normal_force: sum(|p| p.normal_force),
        peak_pressure: patches.iter().map(|p| p.peak_pressure).fold(0.0, f64::max),
    }
}

fn patch_cells(totals: Option<PatchTotals>) -> [String; 4] {
    let Some(totals) = totals else { return Default::default() };
    let [area, force, peak] = [totals.area, totals.normal_force, totals.peak_pressure].map(|x| x.to_string());
    [totals.patch_count.to_string(), area, force, peak]
}

/// A name as a cell of CSV (RFC 4180): quoted if it holds a comma, a quote or a line break.
pub fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
