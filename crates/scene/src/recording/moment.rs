//! States and frames as one series of moments, for exports.
//!
//! A file of version 1 has a state for each frame. One of version 2 has frames in single precision; some are followed
//! by the state of the same moment, which then replaces the frame, since it is exact.

use super::Message;
use super::binary_frame::{FrameMessage, edge_basis, edge_direction};
use super::message::{RodFrame, SceneMessage, StateMessage, TreeFrame};

/// Joins the states and frames of a recording.
#[derive(Debug)]
pub struct Moments<'a> {
    scene: &'a SceneMessage,
    /// The last moment, whose state may still come.
    last: Option<StateMessage>,
}

impl<'a> Moments<'a> {
    /// Those of a recording of `scene`.
    pub fn of(scene: &'a SceneMessage) -> Self {
        Self { scene, last: None }
    }

    /// Takes the next message of the recording. Returns the previous moment if the message begins a new one.
    /// Velocities, curvatures, twists and joints are empty where a moment is not a state of the file.
    pub fn take(&mut self, message: &Message) -> Option<StateMessage> {
        let next = match message {
            Message::State(state) => state.clone(),
            Message::Frame(frame) => state_of(self.scene, frame),
            _ => return None,
        };
        let before = self.last.replace(next);
        before.filter(|before| self.last.as_ref().is_some_and(|last| last.time != before.time))
    }

    /// The last moment.
    pub fn finish(self) -> Option<StateMessage> {
        self.last
    }
}

/// A frame as a state: with the reference directors of [`edge_basis`], so that the twist angles are the angles of the frame.
/// The reader has compared its counts with those of `scene`.
fn state_of(scene: &SceneMessage, frame: &FrameMessage) -> StateMessage {
    let mut nodes = frame.nodes.as_slice();
    let rods = scene.rods.iter().map(|rod| {
        let (of_rod, rest) = nodes.split_at(rod.node_count.min(nodes.len()));
        nodes = rest;
        let after = |e: usize| &of_rod[(e + 1) % of_rod.len()];
        let edges = of_rod.iter().take(rod.edge_count);
        RodFrame {
            q: of_rod.iter().map(|n| [n[0], n[1], n[2], n[3]].map(f64::from)).collect(),
            d1: edges
                .clone()
                .enumerate()
                .map(|(e, node)| edge_basis(edge_direction(node, after(e)))[0].to_array())
                .collect(),
            tension: edges.map(|node| node[4].into()).collect(),
            ..RodFrame::default()
        }
    });
    let rods = rods.collect();
    let mut links = frame.links.as_slice();
    let trees = scene.trees.iter().map(|tree| {
        let (of_tree, rest) = links.split_at(tree.links.len().min(links.len()));
        links = rest;
        TreeFrame { poses: of_tree.iter().map(|pose| pose.map(f64::from)).collect(), ..TreeFrame::default() }
    });
    StateMessage { time: frame.time, rods, trees: trees.collect(), attached: frame.attached.clone() }
}
