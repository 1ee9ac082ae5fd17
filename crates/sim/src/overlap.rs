//! What overlaps in a state: things that lie in one another before anything has moved.
//!
//! Contact pushes overlap out, and what lies deep in something else is then thrown about, or cannot get out at all. A scene
//! that begins like that is a mistake in the scene, so it is looked for before a run, by the same collision detection that
//! the step has: what is excluded from contact does not count.

use crate::model::{Model, State};
use crate::report::ContactSide;
use crate::step::{SubStep, collide, kinematics};
use crate::workspace::Workspace;
use glam::DVec3;

/// Overlap below this share of the thickness of the thinner side is round-off of places, or a thing that lies on another.
const TOLERANCE: f64 = 0.02;

/// Things that give way (a stiffness, or pressure fields) may be pressed together at the start, up to this share.
const SOFT_TOLERANCE: f64 = 0.5;

/// Two things in one another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The two sides where the overlap is deepest.
    pub sides: [ContactSide; 2],
    /// Depth there in m.
    pub depth: f64,
    /// Where, m.
    pub point: DVec3,
    /// Thickness of the thinner side in m.
    pub thickness: f64,
}

/// Pairs of rods and links that overlap in `state`, each with its deepest place, the deepest first.
pub fn find_overlaps(model: &Model, state: &State) -> Vec<Overlap> {
    overlaps_above(TOLERANCE, model, state)
}

/// The same of hard things above the share `tolerance` of the thickness.
pub(crate) fn overlaps_above(tolerance: f64, model: &Model, state: &State) -> Vec<Overlap> {
    if model.contact.is_none() {
        return Vec::new();
    }
    let mut still = state.clone();
    still.complete(model);
    still.rods.iter_mut().for_each(|rod| rod.v.fill([0.0; 4]));
    still.trees.iter_mut().for_each(|tree| tree.v.fill(0.0));
    let mut workspace = Workspace::new(model);
    // So short that nothing comes nearer within it.
    let step = SubStep::new(model, 1e-9 * model.settings.dt, still.time);
    kinematics::begin(model, &mut still, &mut workspace, step);
    collide::find(model, &still, &mut workspace, step);
    let mut found: Vec<Overlap> = Vec::new();
    for contact in &workspace.coupling.collision.contacts {
        let sides: [ContactSide; 2] = contact.sides.map(ContactSide::from);
        let thickness =
            sides.each_ref().map(|side| thickness(model, side)).into_iter().fold(f64::INFINITY, f64::min);
        let soft = contact.polygon.is_some() || contact.sunk != 0.0 || contact.surface.stiffness.is_some();
        let tolerance = if soft { SOFT_TOLERANCE } else { tolerance };
        let depth = -contact.gap;
        if depth <= tolerance * thickness {
            continue;
        }
        let overlap = Overlap { sides, depth, point: contact.point, thickness };
        match found.iter_mut().find(|other| other.is_pair_of(&overlap)) {
            Some(other) if other.depth < depth => *other = overlap,
            Some(_) => {}
            None => found.push(overlap),
        }
    }
    found.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    found
}

impl Overlap {
    fn is_pair_of(&self, other: &Self) -> bool {
        let names = |overlap: &Self| {
            let mut names = overlap.sides.map(|side| match side {
                ContactSide::Rod { rod, .. } => (0, rod, 0),
                ContactSide::Link { tree, link, .. } => (1, tree, link),
            });
            names.sort_unstable();
            names
        };
        names(self) == names(other)
    }

    /// Both things by name, and where on each.
    pub fn words(&self, model: &Model) -> String {
        let place = |side: &ContactSide| match *side {
            ContactSide::Rod { rod, edge, .. } => {
                format!("rod '{}' (edge {edge})", model.rod_names.get(rod).map_or("", String::as_str))
            }
            ContactSide::Link { tree, link, .. } => model.link_name(tree, link),
        };
        let [a, b] = self.sides.each_ref().map(place);
        let [x, y, z] = self.point.to_array().map(|x| format!("{:.4}", x + 0.0));
        let depth = 1e3 * self.depth;
        format!("{a} and {b} overlap by {depth:.3} mm at the start, at ({x}, {y}, {z}) m")
    }
}

fn thickness(model: &Model, side: &ContactSide) -> f64 {
    match *side {
        ContactSide::Rod { rod, edge, .. } => {
            let [a, b] = model.rods[rod].half_extents()[edge];
            2.0 * a.min(b)
        }
        ContactSide::Link { tree, shape, .. } => 2.0 * model.trees[tree].shapes[shape].half_thickness(),
    }
}
