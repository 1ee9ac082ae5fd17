//! The drawing order of items, so that near ones hide far ones.
//!
//! The mean depth of a long item says little about its depth where it crosses another. So all items are drawn into a
//! small image whose samples store all items that cover them; where two are neighbors in depth, the sample votes for
//! the one behind to be drawn first. Where votes form a cycle, as with three sticks each on top of the next, the
//! farthest item is drawn first.

use super::item::{Item, Look};
use crate::camera::{ImageSize, Lens};
use crate::geometry::Round;
use crate::raster::Span;
use crate::raster::round::ProjectedRound;
use crate::raster::triangle;
use std::collections::{BTreeMap, BinaryHeap};

/// Width and height of the image of samples, relative to the picture's.
const SHARE: f64 = 0.5;

/// A sample of an item: place, nearness (in an order of whole numbers), item.
type Fragment = (u32, u32, u32);

/// Indices of `items`, from the one to be drawn first.
pub(super) fn back_to_front(items: &[Item], lens: &Lens, size: ImageSize) -> Vec<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    let mut waiting = vec![0_usize; items.len()];
    for ((a, b), votes) in votes(items, lens, size) {
        // Votes for `a` behind `b`, less those for the reverse.
        let (behind, front) = if votes > 0 { (a, b) } else { (b, a) };
        if votes != 0 {
            before[behind].push(front);
            waiting[front] += 1;
        }
    }
    // Far ones first; ties in the given order.
    let key = |i: usize| (ordered(items[i].depth as f32), usize::MAX - i);
    let mut ready: BinaryHeap<_> = (0..items.len()).filter(|&i| waiting[i] == 0).map(key).collect();
    let mut rest: BinaryHeap<_> = (0..items.len()).map(key).collect();
    let mut drawn = vec![false; items.len()];
    let mut order = Vec::with_capacity(items.len());
    while let Some((_, inverse)) = ready.pop().or_else(|| rest.pop()) {
        let i = usize::MAX - inverse;
        if drawn[i] {
            continue;
        }
        drawn[i] = true;
        order.push(i);
        for &front in &before[i] {
            waiting[front] -= 1;
            if waiting[front] == 0 && !drawn[front] {
                ready.push(key(front));
            }
        }
    }
    order
}

/// For each pair of items that are neighbors somewhere, how many samples see the first behind the second, less those that
/// see the reverse.
fn votes(items: &[Item], lens: &Lens, size: ImageSize) -> BTreeMap<(usize, usize), i64> {
    let small = Lens { focal: lens.focal * SHARE, center: lens.center.map(|c| c * SHARE), ..*lens };
    let samples = [size.width(), size.height()].map(|n| (n as f64 * SHARE).ceil().max(1.0) as usize);
    let mut fragments: Vec<Fragment> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        sample(item, i as u32, &small, samples, &mut fragments);
    }
    fragments.sort_unstable();
    let mut votes = BTreeMap::new();
    for pair in fragments.windows(2) {
        let ((place, _, far), (same, _, near)) = (pair[0], pair[1]);
        if place == same && far != near {
            let (a, b) = (far as usize, near as usize);
            if a < b {
                *votes.entry((a, b)).or_insert(0) += 1;
            } else {
                *votes.entry((b, a)).or_insert(0) -= 1;
            }
        }
    }
    votes
}

/// Adds the samples that see the front of an item.
fn sample(item: &Item, index: u32, lens: &Lens, samples: [usize; 2], out: &mut Vec<Fragment>) {
    let [width, height] = samples;
    let mut put = |row: usize, column: usize, near: f32| {
        out.push(((row * width + column) as u32, ordered(near), index));
    };
    let mut round = |round: &Round| {
        if let Some(r) = ProjectedRound::new(round, round.ends, glam::DVec3::ZERO, lens, samples) {
            r.points(lens, 0..height, width, &mut put);
        }
    };
    let line_of = |radius: f64, ends: [glam::DVec3; 2]| Round {
        ends,
        radius,
        flat: false,
        mark: glam::DVec3::ZERO,
        surface: 0,
    };
    match &item.look {
        Look::Line { width: px, .. } => {
            let radius = 0.5 * px * SHARE / lens.pixels_per_meter(item.depth);
            item.points.windows(2).for_each(|p| round(&line_of(radius, [p[0], p[1]])));
        }
        Look::Bone { .. } => {
            let radius = 2.0 * SHARE / lens.pixels_per_meter(item.depth);
            round(&line_of(radius, [item.points[0], item.points[1]]));
        }
        Look::Outline { front: Some(solid), .. } => round(solid),
        Look::Outline { front: None, .. } => {
            // The hull on the paper, as a fan about its mean: for a box or a large mesh, near its front.
            let flat: Vec<(f64, f64)> = item.points.iter().map(|p| super::strokes::place(lens, *p)).collect();
            let rim = super::bodies::hull(&flat);
            let corner = |i: usize| lens.project(item.points[i]).map(|v| v as f32);
            let nearest = item.points.iter().enumerate().min_by(|a, b| a.1.z.total_cmp(&b.1.z));
            let Some((nearest, _)) = nearest else { return };
            for k in 0..rim.len() {
                let corners = [corner(nearest), corner(rim[k]), corner(rim[(k + 1) % rim.len()])];
                fan(corners, samples, &mut put);
            }
        }
        Look::Facet { .. } => {
            let corners = [0, 1, 2].map(|k| lens.project(item.points[k]).map(|v| v as f32));
            fan(corners, samples, &mut put);
        }
    }
}

fn fan(corners: [[f32; 3]; 3], [width, height]: [usize; 2], put: &mut impl FnMut(usize, usize, f32)) {
    triangle::spans(corners, 0..height, width, |row, start, span| {
        if let Span::Affine { count, nearness, slope, bounds } = span {
            for k in 0..count {
                put(row, start + k, (nearness + slope * k as f32).clamp(bounds[0], bounds[1]));
            }
        }
    });
}

/// An integer with the order of `value`.
fn ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}
