//! Attachments: what holds rods and bodies together during a run.

use glam::{DQuat, DVec3};

/// One end of an attachment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// The world.
    World {
        /// The point in m; `None`: where the other end is when the attachment begins.
        point: Option<DVec3>,
    },
    /// A link of a tree.
    Link {
        /// Index of the tree.
        tree: usize,
        /// Index of the link.
        link: usize,
        /// The point in the link's frame in m; `None`: where the other end is when the attachment begins.
        point: Option<DVec3>,
    },
    /// A point of a rod, on one of its edges; the node itself at fraction 0 or 1.
    Rod {
        /// Index of the rod.
        rod: usize,
        /// Edge.
        edge: usize,
        /// Place on the edge, from 0 (its first node) to 1.
        fraction: f64,
    },
}

/// What an attachment holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttachmentKind {
    /// The two points; rotation stays free. (A pin at a node, a ball anywhere.)
    Point,
    /// The points and the relative orientation: for a rod the tangent and the twist of the edge.
    Clamp,
    /// The points and the relative orientation, by springs.
    Bushing(Bushing),
}

/// Springs between two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bushing {
    /// Between the points, along each axis, N/m.
    pub translation: f64,
    /// About the axes x and y of the first end (of a rod m₁ and m₂), N·m/rad.
    pub bend: f64,
    /// About its axis z (of a rod its tangent), N·m/rad.
    pub twist: f64,
    /// Damping over stiffness, s.
    pub damping_time: f64,
    /// Rotation from the frame of the second end to that of the first at which no torque acts; `None`: as they are when it begins.
    pub rest: Option<DQuat>,
}

/// Holds two ends together as they are when it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// Name, for reports.
    pub name: String,
    /// The two ends; wrenches are reported for the first.
    pub ends: [End; 2],
    /// What is held.
    pub kind: AttachmentKind,
    /// It holds from this time on, in s.
    pub begin_time: f64,
    /// It is gone from this time on, in s; `f64::INFINITY` for never.
    pub release_time: f64,
}

/// How the ends of an attachment were when it began; part of the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// The held point in each end's own frame in m (a link's axes; the world's; not used for a rod).
    pub points: [DVec3; 2],
    /// Rotation from the frame of the second end to that of the first.
    pub rotation: DQuat,
    /// For a rod held by a body: how many edges on either side of the held one have no contact with that body or robot,
    /// since they touched it when the attachment began; at least one.
    pub covered: usize,
}

/// What code running beside the simulation wants of an attachment, whatever its times say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Command {
    /// As its times say.
    #[default]
    Scheduled,
    /// Hold from now on.
    Hold,
    /// Let go from now on.
    Release,
}

/// State of one attachment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AttachmentState {
    /// Its grip while it holds.
    pub grip: Option<Grip>,
    /// What was asked for from outside.
    pub command: Command,
}

impl Attachment {
    /// Whether it holds in a step from `start` to `end` (s): one that starts when it has begun and is not yet released,
    /// up to round-off of the times.
    pub fn is_active(&self, command: Command, start: f64, end: f64) -> bool {
        match command {
            Command::Scheduled => {
                let start = start + 1e-6 * (end - start);
                self.begin_time <= start && start < self.release_time
            }
            Command::Hold => true,
            Command::Release => false,
        }
    }
}
