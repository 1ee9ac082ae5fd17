//! A centerline inside a body, or below a floor above which it started; and a free body whose origin is below a floor.

use super::{Criterion, Findings, View};

/// State of the criterion.
#[derive(Debug)]
pub struct Inside {
    /// Pairs of a rod and a shape with the rod inside from the start, as the scene intends.
    begun_inside: Vec<(usize, usize)>,
    /// Links of other trees that start above a half-space: tree, link, half-space.
    above: Vec<(usize, usize, usize)>,
}

impl Inside {
    /// At the start of a run.
    pub fn new(view: &View<'_>) -> Self {
        let begun = view.pressed.iter().filter(|(_, _, gap)| gap.axis < 0.0);
        let begun_inside = begun.map(|&(i, k, _)| (view.strands[i].rod, k)).collect();
        let mut above = Vec::new();
        for (floor, _) in view.solids.iter().enumerate().filter(|(_, s)| s.is_half_space()) {
            for solid in view.solids.iter().filter(|s| s.tree != view.solids[floor].tree) {
                let moves = view.model.trees[solid.tree].tree.velocity_count() > 0;
                let link = (solid.tree, solid.link, floor);
                if moves && !above.contains(&link) && height(view, link) > 0.0 {
                    above.push(link);
                }
            }
        }
        Self { begun_inside, above }
    }

    /// Judges a step.
    pub fn see(&self, view: &View<'_>, out: &mut Findings) {
        let time = view.state.time;
        out.note(Criterion::Inside, (0.0, 0.0), time, String::new);
        for &(i, k, gap) in &view.pressed {
            let strand = &view.strands[i];
            if gap.axis < 0.0 && !self.begun_inside.contains(&(strand.rod, k)) {
                out.note(Criterion::Inside, (-gap.axis / strand.thickness, 0.0), time, || {
                    format!("{} in {}", view.edge_name(i), view.solid_name(k))
                });
            }
        }
        for &link in &self.above {
            let below = -height(view, link);
            if below > 0.0 {
                out.note(Criterion::Inside, (below, 0.0), time, || {
                    format!("body {} below {}", view.model.trees[link.0].name, view.solid_name(link.2))
                });
            }
        }
    }
}

/// Height of a link's first shape above a half-space, m.
fn height(view: &View<'_>, (tree, link, floor): (usize, usize, usize)) -> f64 {
    let shape = view.solids.iter().position(|s| (s.tree, s.link) == (tree, link)).unwrap_or(floor);
    view.poses[floor].local_point(view.poses[shape].position).z
}
