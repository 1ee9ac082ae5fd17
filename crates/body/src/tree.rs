//! Trees of links.

use crate::base::Base;
use crate::check;
use crate::inertia::Inertia;
use crate::joint::{Joint, JointKind};
use thiserror::Error;

/// A rigid link and the joint to its parent.
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
    dof_link: Vec<usize>,
    last_dof: Vec<Option<usize>>,
    previous_dof: Vec<Option<usize>>,
}

/// Why links do not form a tree.
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
    /// The base now, with its mean velocity over the last step.
    pub base: Base,
}

impl Tree {
    /// Checks the links, normalizes axes and rotations, and numbers their coordinates.
    pub fn new(mut links: Vec<Link>) -> Result<Self, TreeError> {
        check::links(&mut links)?;
        let (mut q_start, mut v_start) = (vec![0], vec![0]);
        let (mut dof_link, mut previous_dof) = (Vec::new(), Vec::new());
        let mut last_dof: Vec<Option<usize>> = Vec::new();
        for (i, link) in links.iter().enumerate() {
            q_start.push(q_start[i] + link.joint.kind.position_count());
            v_start.push(v_start[i] + link.joint.kind.velocity_count());
            let mut last = link.parent.and_then(|p| last_dof[p]);
            for dof in v_start[i]..v_start[i + 1] {
                dof_link.push(i);
                previous_dof.push(last);
                last = Some(dof);
            }
            last_dof.push(last);
        }
        let tree = Self { links, q_start, v_start, dof_link, last_dof, previous_dof };
        check::mass_matrix_is_regular(&tree)?;
        Ok(tree)
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

    /// Range in q of the joint of `link`.
    pub fn q_range(&self, link: usize) -> core::ops::Range<usize> {
        self.q_start[link]..self.q_start[link + 1]
    }

    /// Range in v of the joint of `link`.
    pub fn v_range(&self, link: usize) -> core::ops::Range<usize> {
        self.v_start[link]..self.v_start[link + 1]
    }

    /// The link whose joint has the degree of freedom `dof`.
    pub fn dof_link(&self, dof: usize) -> usize {
        self.dof_link[dof]
    }

    /// The degrees of freedom that move `link`, from its own back to the root's.
    pub fn chain(&self, link: usize) -> Chain<'_> {
        Chain { previous: &self.previous_dof, next: self.last_dof[link] }
    }

    /// The degrees of freedom that move `dof`'s link, from `dof` itself back to the root's.
    pub fn chain_from(&self, dof: usize) -> Chain<'_> {
        Chain { previous: &self.previous_dof, next: Some(dof) }
    }

    /// All joints at zero, quaternions at identity, at rest.
    pub fn zero_state(&self) -> TreeState {
        let mut q = vec![0.0; self.position_count()];
        for (i, link) in self.links.iter().enumerate() {
            if let JointKind::Ball | JointKind::Free = link.joint.kind {
                q[self.q_range(i).end - 1] = 1.0;
            }
        }
        TreeState { q, v: vec![0.0; self.velocity_count()], base: Base::default() }
    }
}

/// The degrees of freedom that move a link, see [`Tree::chain`].
#[derive(Clone, Debug)]
pub struct Chain<'a> {
    previous: &'a [Option<usize>],
    next: Option<usize>,
}

impl Iterator for Chain<'_> {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        let dof = self.next?;
        self.next = self.previous[dof];
        Some(dof)
    }
}
