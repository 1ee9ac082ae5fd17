//! Commands: what code beside the simulation asks of a world between steps.
//!
//! What was set stays until it is set again; [`World::clear_command`](crate::World::clear_command) gives it back to the
//! scene. Commands are part of the [`State`](crate::State): they are in snapshots, and a run that is resumed goes on with
//! them bit by bit.
//!
//! | command | of | takes the place of |
//! |---|---|---|
//! | [`Guide`] | clamps, bases of bodies and robots, end effectors | their motion in the scene |
//! | [`RodCommand::forces`], [`RodCommand::edge_forces`], [`RodCommand::torques`] | nodes and edges of rods | nothing: they come on top of the scene's loads |
//! | [`RodCommand::natural`] | natural curvature and twist of a rod | the scene's, and its drives |
//! | [`LinkLoad`] | bodies and links | nothing |
//! | gravity | the world | the scene's |
//! | [`ActuatorState::target`](crate::ActuatorState::target) | actuators | the scene's targets |
//! | [`AttachmentState::command`](crate::AttachmentState::command) | attachments | their times |
//! | [`Commands::made`] | – | attachments that the scene does not have |

mod error;
mod guide;
mod joints;
mod loads;
mod motion;
mod path;

pub use error::CommandError;
pub use guide::{GUIDE_NUMBERS, Guide, GuideKind, STREAM_SPAN, Twist};
pub use motion::{Guided, PoseTarget, TOP_SPEED};

use crate::model::{Attachment, Model};
use glam::DVec3;
use ropewalk_linalg::Pose;
use ropewalk_rod::NaturalShape;

/// All commands but those of actuators, attachments and end effectors, which are with their states.
#[derive(Debug, Default, PartialEq)]
pub struct Commands {
    /// Gravity in m/s² in place of the model's.
    pub gravity: Option<DVec3>,
    /// In the order of [`Model::clamps`].
    pub clamps: Vec<ClampCommand>,
    /// In the order of [`Model::trees`].
    pub bases: Vec<Option<BaseCommand>>,
    /// In the order of [`Model::rods`].
    pub rods: Vec<RodCommand>,
    /// Loads on links: tree, link, load; no link twice.
    pub links: Vec<LinkLoad>,
    /// Attachments made during the run; they come after those of the scene in [`Model::attachments`].
    pub made: Vec<Attachment>,
}

/// What is asked of a clamp.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClampCommand {
    /// Where it is to be.
    pub guide: Option<Guide>,
    /// Whether it has let go.
    pub released: bool,
}

/// What is asked of the base of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseCommand {
    /// Where the commanded frame is to be.
    pub guide: Guide,
    /// The base in the commanded frame.
    pub offset: Pose,
}

/// What is asked of a rod. Lists are empty, or have an entry for each node or edge.
#[derive(Debug, Default, PartialEq)]
pub struct RodCommand {
    /// Forces on nodes in N.
    pub forces: Vec<DVec3>,
    /// Forces on edges in N, half on either node.
    pub edge_forces: Vec<DVec3>,
    /// Torques on edges in N·m.
    pub torques: Vec<DVec3>,
    /// Natural shape in place of that of the scene, and the scene's without its drives.
    pub natural: Option<[NaturalShape; 2]>,
}

/// A force and a torque on a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkLoad {
    /// Tree.
    pub tree: usize,
    /// Link.
    pub link: usize,
    /// Force in N, world axes.
    pub force: DVec3,
    /// Torque in N·m, world axes.
    pub torque: DVec3,
    /// Where the force acts, in the link's frame, in m.
    pub point: DVec3,
}

impl Commands {
    /// Makes room for all that `model` has.
    pub(crate) fn complete(&mut self, model: &Model) {
        self.clamps.resize(model.clamps.len(), ClampCommand::default());
        self.bases.resize(model.trees.len(), None);
        self.rods.resize_with(model.rods.len(), RodCommand::default);
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.gravity.is_none()
            && self.clamps.iter().all(|c| *c == ClampCommand::default())
            && self.bases.iter().all(Option::is_none)
            && self.rods.iter().all(|r| *r == RodCommand::default())
            && self.links.is_empty()
            && self.made.is_empty()
    }
}

// By hand, here and below, for the sake of `clone_from`: a step keeps a copy of the state without allocating.
impl Clone for Commands {
    fn clone(&self) -> Self {
        Self {
            gravity: self.gravity,
            clamps: self.clamps.clone(),
            bases: self.bases.clone(),
            rods: self.rods.clone(),
            links: self.links.clone(),
            made: self.made.clone(),
        }
    }
    fn clone_from(&mut self, source: &Self) {
        self.gravity = source.gravity;
        self.clamps.clone_from(&source.clamps);
        self.bases.clone_from(&source.bases);
        self.rods.clone_from(&source.rods);
        self.links.clone_from(&source.links);
        // Names allocate; they differ only where attachments were made.
        if self.made != source.made {
            self.made.clone_from(&source.made);
        }
    }
}

impl Clone for RodCommand {
    fn clone(&self) -> Self {
        Self {
            forces: self.forces.clone(),
            edge_forces: self.edge_forces.clone(),
            torques: self.torques.clone(),
            natural: self.natural.clone(),
        }
    }
    fn clone_from(&mut self, source: &Self) {
        self.forces.clone_from(&source.forces);
        self.edge_forces.clone_from(&source.edge_forces);
        self.torques.clone_from(&source.torques);
        match (&mut self.natural, &source.natural) {
            (Some(to), Some(from)) => to.clone_from(from),
            (to, from) => to.clone_from(from),
        }
    }
}
