//! Who kept a step from being accepted: the pair, where on both, and by how much.

use crate::model::Model;
use crate::report::ContactSide;

/// What a pair did that no step may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A centerline passes through another, or through a body.
    Passes,
    /// The gap at the end of the step is not what the contact asks for: the amount is by how much, m.
    Gap,
    /// Nothing holds apart what overlaps at the end of the step: the amount is the depth, m.
    Uncovered,
    /// It gives energy: the amount is how much, J.
    Energy,
    /// One side turns too far within the step for its lever arms to hold: the amount is the angle, rad.
    Turn,
}

/// A pair that kept a step from being accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Culprit {
    /// What it did.
    pub fault: Fault,
    /// The two sides.
    pub sides: [ContactSide; 2],
    /// How much: see [`Fault`].
    pub amount: f64,
}

impl Culprit {
    /// In words, with names and places: "rod 'rope' at 0.12 m overlaps body 'post' by 0.31 mm with nothing to hold them apart".
    pub fn words(&self, model: &Model) -> String {
        let [a, b] = self.sides.map(|side| place(model, side));
        let millimeters = 1e3 * self.amount;
        match self.fault {
            Fault::Passes => format!("{a} would pass through {b}"),
            Fault::Gap => format!("the gap between {a} and {b} is off by {millimeters:.3} mm"),
            Fault::Uncovered => {
                format!("{a} overlaps {b} by {millimeters:.3} mm with nothing to hold them apart")
            }
            Fault::Energy => format!("the contact of {a} with {b} would give {:.2e} J", self.amount),
            Fault::Turn => {
                format!("{a} turns against {b} by {:.1} rad within the smallest sub-step", self.amount)
            }
        }
    }
}

/// A side in words.
fn place(model: &Model, side: ContactSide) -> String {
    match side {
        ContactSide::Rod { rod, edge, fraction } => {
            let lengths = model.rods[rod].rest_lengths();
            let at = lengths[..edge].iter().sum::<f64>() + fraction * lengths[edge];
            let name = model.rod_names.get(rod).map_or_else(|| rod.to_string(), Clone::clone);
            format!("rod '{name}' at {at:.4} m (segment {edge})")
        }
        ContactSide::Link { tree, link, shape } => {
            let tree = &model.trees[tree];
            match &tree.shapes[shape].name {
                Some(name) => format!("'{name}' of '{}'", tree.name),
                None if tree.tree.links().len() > 1 => format!("link {link} of '{}'", tree.name),
                None => format!("body '{}'", tree.name),
            }
        }
    }
}
