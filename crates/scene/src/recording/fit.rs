//! Checks that messages match their scene: counts and indices, so that readers need not check them again.

use super::message::{FrameMessage, Geometry, MeasuresMessage, RodInfo, SceneMessage, StateMessage};
use super::{FORMAT, Message};

/// Inconsistencies within `scene`.
pub(super) fn scene_problem(scene: &SceneMessage) -> Option<String> {
    if scene.format == 0 || scene.format > FORMAT {
        return Some(format!(
            "its messages are of version {}, this program knows 1 to {FORMAT}",
            scene.format
        ));
    }
    for rod in &scene.rods {
        if let Some(what) = rod_problem(rod) {
            return Some(format!("the rod '{}' of /scene {what}", rod.name));
        }
    }
    for tree in &scene.trees {
        for (l, link) in tree.links.iter().enumerate() {
            if link.parent.is_some_and(|parent| parent >= l) {
                return Some(format!("the link '{}' of /scene comes before its parent", link.name));
            }
            for shape in &link.shapes {
                let Geometry::Mesh { vertices, triangles } = &shape.geometry else { continue };
                if triangles.as_flattened().iter().any(|&v| v as usize >= vertices.len()) {
                    return Some(format!(
                        "a mesh of '{}' in /scene names a vertex that is not there",
                        link.name
                    ));
                }
            }
        }
    }
    let named = |a: &&super::message::ActuatorInfo| {
        scene.trees.get(a.tree).is_none_or(|tree| a.link >= tree.links.len())
    };
    let lost = scene.actuators.iter().find(named)?;
    Some(format!("the actuator '{}' of /scene drives a link that is not there", lost.name))
}

fn rod_problem(rod: &RodInfo) -> Option<String> {
    let (n, e) = (rod.node_count, rod.edge_count);
    // Two nodes make an edge; the number of edges must not overflow either.
    let expected = if rod.closed { n } else { n.saturating_sub(1) };
    if n < 2 || e != expected {
        return Some(format!("has {n} nodes and {e} edges"));
    }
    let lengths = [rod.half_extents.len(), rod.rest_lengths.len()];
    lengths.iter().find(|&&l| l != e).map(|l| format!("has {e} edges, but {l} sections or rest lengths"))
}

/// Mismatch of `message` with `scene`.
pub(super) fn message_problem(scene: &SceneMessage, message: &Message) -> Option<String> {
    match message {
        Message::State(state) => state_problem(scene, state),
        Message::Frame(frame) => frame_problem(scene, frame),
        Message::Measures(measures) => measures_problem(scene, measures),
        _ => None,
    }
}

fn state_problem(scene: &SceneMessage, state: &StateMessage) -> Option<String> {
    differ("rods", state.rods.len(), scene.rods.len())
        .or_else(|| differ("trees", state.trees.len(), scene.trees.len()))
        .or_else(|| differ("attachments", state.attached.len(), scene.attachments.len()))
        .or_else(|| {
            scene.rods.iter().zip(&state.rods).find_map(|(info, rod)| {
                let inner = if info.closed { info.node_count } else { info.node_count.saturating_sub(2) };
                differ("nodes", rod.q.len(), info.node_count)
                    .or_else(|| differ("velocities", rod.v.len(), info.node_count))
                    .or_else(|| differ("directors", rod.d1.len(), info.edge_count))
                    .or_else(|| differ("tensions", rod.tension.len(), info.edge_count))
                    .or_else(|| differ("curvatures", rod.curvature.len(), inner))
                    .or_else(|| differ("twist rates", rod.twist_rate.len(), inner))
            })
        })
        .or_else(|| {
            let mut trees = scene.trees.iter().zip(&state.trees);
            trees.find_map(|(info, tree)| differ("links", tree.poses.len(), info.links.len()))
        })
}

fn frame_problem(scene: &SceneMessage, frame: &FrameMessage) -> Option<String> {
    let nodes = scene.rods.iter().map(|rod| rod.node_count).fold(0, usize::saturating_add);
    let links = scene.trees.iter().map(|tree| tree.links.len()).sum();
    differ("nodes", frame.nodes.len(), nodes)
        .or_else(|| differ("links", frame.links.len(), links))
        .or_else(|| differ("attachments", frame.attached.len(), scene.attachments.len()))
}

/// Forces are present for all, or (before the first step) for none.
fn measures_problem(scene: &SceneMessage, m: &MeasuresMessage) -> Option<String> {
    let pairs = [
        ("clamps", m.clamps.len(), scene.clamps.len()),
        ("attachments", m.attachments.len(), scene.attachments.len()),
        ("bases", m.bases.len(), scene.trees.len()),
        ("efforts", m.efforts.len(), scene.actuators.len()),
    ];
    let none = pairs.iter().all(|(_, found, _)| *found == 0);
    differ("rod lengths", m.rod_lengths.len(), scene.rods.len()).or_else(|| {
        let wrong = |(what, found, expected): &(&str, usize, usize)| differ(what, *found, *expected);
        if none { None } else { pairs.iter().find_map(wrong) }
    })
}

fn differ(what: &str, found: usize, expected: usize) -> Option<String> {
    (found != expected).then(|| format!("it has {found} {what}, /scene has {expected}"))
}
