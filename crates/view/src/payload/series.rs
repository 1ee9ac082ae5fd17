//! Measured quantities as columns, each with a name and a unit. The words before a colon name its group.

use ropewalk_scene::recording::message::{MeasuresMessage, SceneMessage, WrenchInfo};
use serde::Serialize;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeriesInfo {
    /// Name, such as `clamp hand: force`.
    pub name: String,
    /// Unit; empty for a number without.
    pub unit: String,
}

fn info(name: impl Into<String>, unit: &str) -> SeriesInfo {
    SeriesInfo { name: name.into(), unit: unit.to_owned() }
}

/// The columns of a recording of `scene`, in the order of [`values`].
pub fn columns(scene: &SceneMessage) -> Vec<SeriesInfo> {
    let energies = ["kinetic", "stretch", "bend", "twist", "gravity", "joints", "total"];
    let mut all: Vec<SeriesInfo> = energies.iter().map(|kind| info(format!("energy: {kind}"), "J")).collect();
    all.push(info("work since the start", "J"));
    all.push(info("contacts that push", ""));
    all.push(info("deepest overlap, of the thickness", ""));
    all.extend(scene.rods.iter().map(|rod| info(format!("rod {}: length", rod.name), "m")));
    let clamps = scene.clamps.iter().map(|name| format!("clamp {name}"));
    let attachments = scene.attachments.iter().map(|name| format!("attachment {name}"));
    let bases = scene.trees.iter().map(|tree| format!("base of {}", tree.name));
    for group in clamps.chain(attachments).chain(bases) {
        for (quantity, unit) in [("force", "N"), ("torque", "N·m")] {
            all.push(info(format!("{group}: {quantity}"), unit));
            all.extend(["x", "y", "z"].map(|axis| info(format!("{group}: {quantity} {axis}"), unit)));
        }
    }
    all.extend(scene.actuators.iter().map(|a| info(format!("actuator {}: effort", a.name), &a.unit)));
    all
}

/// The values of [`columns`] at one moment; not a number where something was not measured.
pub fn values(scene: &SceneMessage, measures: &MeasuresMessage) -> Vec<f32> {
    let e = &measures.energies;
    let mut all = vec![e.kinetic, e.stretch, e.bend, e.twist, e.gravity, e.joints, e.total, measures.work];
    all.extend([measures.contact_count as f64, measures.deepest_overlap]);
    let or_nan = |list: &[f64], k: usize| list.get(k).copied().unwrap_or(f64::NAN);
    all.extend((0..scene.rods.len()).map(|r| or_nan(&measures.rod_lengths, r)));
    let lists = [
        (&measures.clamps, scene.clamps.len()),
        (&measures.attachments, scene.attachments.len()),
        (&measures.bases, scene.trees.len()),
    ];
    for (list, count) in lists {
        for k in 0..count {
            let nan = WrenchInfo { force: [f64::NAN; 3], torque: [f64::NAN; 3] };
            let wrench = list.get(k).copied().unwrap_or(nan);
            for [x, y, z] in [wrench.force, wrench.torque] {
                all.extend([(x * x + y * y + z * z).sqrt(), x, y, z]);
            }
        }
    }
    all.extend((0..scene.actuators.len()).map(|a| or_nan(&measures.efforts, a)));
    all.into_iter().map(|x| x as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_scene::recording::message::{ActuatorInfo, RodInfo, TreeInfo};

    #[test]
    fn each_column_has_a_value_also_before_the_first_step() {
        let scene = SceneMessage {
            rods: vec![RodInfo::default(); 2],
            trees: vec![TreeInfo::default()],
            clamps: vec!["a".into()],
            attachments: vec!["b".into(), "c".into()],
            actuators: vec![ActuatorInfo::default()],
            ..SceneMessage::default()
        };
        let columns = columns(&scene);
        let at_rest = values(&scene, &MeasuresMessage::default());
        assert_eq!(columns.len(), at_rest.len());
        let at = |name: &str| columns.iter().position(|c| c.name == name).map(|k| at_rest[k]);
        assert_eq!(at("energy: kinetic"), Some(0.0));
        assert!(at("clamp a: force").is_some_and(f32::is_nan));
        let wrench = WrenchInfo { force: [3.0, 0.0, 4.0], torque: [0.0; 3] };
        let measures = MeasuresMessage { attachments: vec![wrench; 2], ..MeasuresMessage::default() };
        let held = values(&scene, &measures);
        let k = columns.iter().position(|c| c.name == "attachment c: force").unwrap_or(usize::MAX);
        assert_eq!(held[k..k + 4], [5.0, 3.0, 0.0, 4.0]);
    }
}
