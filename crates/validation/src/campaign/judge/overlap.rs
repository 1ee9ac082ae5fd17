//! Overlap: depth of surfaces in one another, relative to the thickness of the thinner rod, or of the rod against a
//! body.

use super::{Criterion, Findings, View, pairs};

/// Greatest overlap as a share of the thickness.
pub const BOUND: f64 = 0.2;

/// Judges all pairs of edges, and of edges and shapes.
pub fn see(view: &View<'_>, out: &mut Findings) {
    let time = view.state.time;
    out.note(Criterion::Overlap, (0.0, BOUND), time, String::new);
    for (i, j, gap) in rod_gaps(view, 0.0) {
        let (a, b) = (&view.strands[i], &view.strands[j]);
        if pairs::is_soft(view.model, a) || pairs::is_soft(view.model, b) {
            continue;
        }
        let value = -gap / a.thickness.min(b.thickness);
        out.note(Criterion::Overlap, (value, BOUND), time, || {
            format!("{} and {}", view.edge_name(i), view.edge_name(j))
        });
    }
    for &(i, k, gap) in &view.pressed {
        let strand = &view.strands[i];
        if pairs::is_soft(view.model, strand) || view.solids[k].is_soft {
            continue;
        }
        let value = -gap.surface / strand.thickness;
        out.note(Criterion::Overlap, (value, BOUND), time, || {
            format!("{} and {}", view.edge_name(i), view.solid_name(k))
        });
    }
}

/// Pairs of edges that may touch and whose gap is at most `reach` (m): first, second, gap.
pub fn rod_gaps<'a>(view: &'a View<'_>, reach: f64) -> impl Iterator<Item = (usize, usize, f64)> + 'a {
    let count = view.strands.len();
    (0..count).flat_map(move |i| {
        (i + 1..count).filter_map(move |j| {
            let (a, b) = (&view.strands[i], &view.strands[j]);
            let gap = a.gap_to(b, reach).filter(|gap| *gap <= reach)?;
            pairs::may_touch(view.model, view.state, a, b).then_some((i, j, gap))
        })
    })
}
