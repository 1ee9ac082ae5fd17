//! Trees of links.

use crate::inertia::Inertia;
use crate::joint::{Joint, JointKind};
use thiserror::Error;

/// A rigid link and the joint by which it hangs on its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name.
    pub name: String,
    /// The parent link, which comes before this one in the tree; `None` for the root.
    pub parent: Option<usize>,
    /// The joint to the parent, or to the world for the root.
    pub joint: Joint,
    /// Mass properties.
    pub inertia: Inertia,
}

/// A tree of links: the constant part of a robot or a single body.
///
/// The first link is the root. Positions and velocities of all joints are stored one after another in the
/// order of the links.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    links: Vec<Link>,
    q_start: Vec<usize>,
    v_start: Vec<usize>,
}

/// Why links do not make a tree.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TreeError {
    /// No link at all.
    #[error("a tree needs at least one link")]
    Empty,
    /// A link is wrong.
    #[error("link \"{link}\": {message}")]
    Link {
        /// Its name.
        link: String,
        /// What is wrong, and the remedy.
        message: String,
    },
    /// A joint is wrong.
    #[error("joint \"{joint}\": {message}")]
    Joint {
        /// Its name.
        joint: String,
        /// What is wrong, and the remedy.
        message: String,
    },
}

/// Positions and velocities of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeState {
    /// Joint positions, see [`crate::joint`].
    pub q: Vec<f64>,
    /// Joint velocities.
    pub v: Vec<f64>,
}

impl Tree {
    /// Checks the links and numbers their coordinates.
    pub fn new(links: Vec<Link>) -> Result<Self, TreeError> {
        if links.is_empty() {
            return Err(TreeError::Empty);
        }
        let (mut q_start, mut v_start) = (vec![0], vec![0]);
        for (i, link) in links.iter().enumerate() {
            let bad =
                |message: &str| Err(TreeError::Link { link: link.name.clone(), message: message.into() });
            match link.parent {
                None if i > 0 => return bad("only the first link may be without a parent"),
                Some(p) if p >= i => return bad("a parent must come before its children"),
                _ => {}
            }
            q_start.push(q_start[i] + link.joint.kind.position_count());
            v_start.push(v_start[i] + link.joint.kind.velocity_count());
        }
        Ok(Self { links, q_start, v_start })
    }

    /// The links, parents before children.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The link called `name`.
    pub fn link_index(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.name == name)
    }

    /// The link whose joint is called `name`.
    pub fn joint_index(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.joint.name == name)
    }

    /// Length of q.
    pub fn position_count(&self) -> usize {
        self.q_start[self.links.len()]
    }

    /// Length of v.
    pub fn velocity_count(&self) -> usize {
        self.v_start[self.links.len()]
    }

    /// Where the positions of the joint of `link` lie in q.
    pub fn q_range(&self, link: usize) -> core::ops::Range<usize> {
        self.q_start[link]..self.q_start[link + 1]
    }

    /// Where the velocities of the joint of `link` lie in v.
    pub fn v_range(&self, link: usize) -> core::ops::Range<usize> {
        self.v_start[link]..self.v_start[link + 1]
    }

    /// All joints at zero, quaternions at identity, at rest.
    pub fn zero_state(&self) -> TreeState {
        let mut q = vec![0.0; self.position_count()];
        for (i, link) in self.links.iter().enumerate() {
            if let JointKind::Ball | JointKind::Free = link.joint.kind {
                q[self.q_range(i).end - 1] = 1.0;
            }
        }
        TreeState { q, v: vec![0.0; self.velocity_count()] }
    }
}
