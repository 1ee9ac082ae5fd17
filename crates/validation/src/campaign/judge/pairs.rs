//! Contact pairs, by the rules of scene files: edges of one rod must be farther apart along it than π/2 diameters and
//! a segment; attached things have no contact near the attachment; pairs can be excluded.

use super::solid::Solid;
use super::strand::Strand;
use core::f64::consts::FRAC_PI_2;
use ropewalk_sim::{Attachment, AttachmentState, End, Model, State};

/// Whether two edges may touch.
pub fn may_touch(model: &Model, state: &State, a: &Strand, b: &Strand) -> bool {
    model.contact.is_some()
        && model.rods_may_touch(a.rod, b.rod)
        && (a.rod != b.rod || are_apart(model, a, b))
        && !are_tied(model, state, a, b)
}

/// Whether two edges of one rod are far enough apart along it.
fn are_apart(model: &Model, a: &Strand, b: &Strand) -> bool {
    let rod = &model.rods[a.rod];
    let lengths = &rod.rest_lengths()[..rod.edge_count()];
    let (first, last) = (a.edge.min(b.edge), a.edge.max(b.edge));
    let mut apart = lengths[first..last].iter().sum::<f64>() + 0.5 * (lengths[last] - lengths[first]);
    if rod.closed() {
        apart = apart.min(lengths.iter().sum::<f64>() - apart);
    }
    let widest = |e: usize| rod.half_extents()[e].into_iter().fold(0.0, f64::max);
    apart > FRAC_PI_2 * (widest(first) + widest(last)) + lengths[first].max(lengths[last])
}

/// Attachments that are active now or in the next step, with the number of covered edges on either side of the
/// attached one.
fn holding<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = (&'a Attachment, usize)> {
    let nothing = AttachmentState::default();
    model.attachments.iter().enumerate().filter_map(move |(i, attachment)| {
        let s = state.attachments.get(i).copied().unwrap_or(nothing);
        let begins = attachment.is_active(s.command, state.time, state.time + model.settings.dt);
        match s.grip {
            Some(grip) => Some((attachment, grip.covered)),
            // The edges excluded near an attachment are determined when it begins.
            None => begins.then_some((attachment, usize::MAX)),
        }
    })
}

/// Whether an attachment connects these edges or their neighbors.
fn are_tied(model: &Model, state: &State, a: &Strand, b: &Strand) -> bool {
    let near = |s: &Strand, rod: usize, edge: usize| s.rod == rod && s.edge.abs_diff(edge) <= 1;
    holding(model, state).any(|(attachment, _)| match attachment.ends {
        [End::Rod { rod: p, edge: e, .. }, End::Rod { rod: q, edge: f, .. }] => {
            (near(a, p, e) && near(b, q, f)) || (near(a, q, f) && near(b, p, e))
        }
        _ => false,
    })
}

/// Whether an edge may touch a shape.
pub fn may_touch_solid(model: &Model, state: &State, strand: &Strand, solid: &Solid) -> bool {
    let held = |(attachment, covered): (&Attachment, usize)| match attachment.ends {
        [End::Rod { rod, edge, .. }, End::Link { tree, .. }]
        | [End::Link { tree, .. }, End::Rod { rod, edge, .. }] => {
            rod == strand.rod && tree == solid.tree && edge.abs_diff(strand.edge) <= covered
        }
        _ => false,
    };
    model.contact.is_some()
        && model.rod_may_touch(strand.rod, solid.tree, solid.link)
        && !holding(model, state).any(held)
}

/// Whether the surface of this edge yields: a pressure field, or a given stiffness.
pub fn is_soft(model: &Model, strand: &Strand) -> bool {
    model.patches.rods.get(strand.rod).is_some_and(Option::is_some)
        || model.edge_surface(strand.rod, strand.edge).stiffness.is_some()
}
