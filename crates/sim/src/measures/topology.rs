//! How rods lie about one another and about themselves.
//!
//! | reading | rows | unit |
//! |---|---|---|
//! | `linking_numbers`: of all pairs of closed rods, without sign | a list | 1 |
//! | `knot_determinant`: 1 for no knot, 3 for an overhand knot, products for knots in a row | a number | 1 |
//! | `wraps`: half of the signed crossings of two parts of a rod, mean over all sides from which they are seen | a number | 1 |
//! | `slack`: length of a part of a rod less the distance of its ends | a number | m |

use super::reading::StepView;
use crate::measure;
use glam::DVec3;
use ropewalk_rod::knot_determinant::{determinant, determinant_with_ends};
use ropewalk_rod::writhe::gauss_integral;

/// Linking numbers of all pairs of closed rods, without sign.
pub(super) fn linking_numbers(step: &StepView<'_>) -> Vec<f64> {
    let rods = &step.model.rods;
    let closed: Vec<usize> = (0..rods.len()).filter(|&r| rods[r].closed()).collect();
    let pairs = closed.iter().enumerate().flat_map(|(k, &a)| closed[k + 1..].iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| measure::linking_number(step.model, step.state, a, b).abs()).collect()
}

/// One or two parts of a rod, each by its first and last node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Index of the rod.
    pub rod: usize,
    /// The part.
    pub part: [usize; 2],
    /// The other part, where two are compared.
    pub other: Option<[usize; 2]>,
}

impl Parts {
    fn nodes(self, step: &StepView<'_>, [first, last]: [usize; 2]) -> Vec<DVec3> {
        let rod = &step.state.rods[self.rod];
        (first..=last.min(rod.q.len() - 1)).map(|i| rod.position(i)).collect()
    }

    /// Which knot the part is. Of a bow the loops undo the second throw, so that the whole lace is no more than the first;
    /// between the tips of the loops both are there, and count as the sum of two knots, whose determinant is the product.
    pub(super) fn determinant(self, step: &StepView<'_>, ends: Option<DVec3>) -> f64 {
        let nodes = self.nodes(step, self.part);
        ends.map_or_else(|| determinant(&nodes), |ends| determinant_with_ends(&nodes, ends))
    }

    /// Tells a reef knot from a granny knot: the two throws count one another out, or add up.
    pub(super) fn wraps(self, step: &StepView<'_>) -> Option<f64> {
        let (a, b) = (self.nodes(step, self.part), self.nodes(step, self.other?));
        Some(gauss_integral(&a, false, &b, false))
    }

    pub(super) fn slack(self, step: &StepView<'_>) -> f64 {
        let nodes = self.nodes(step, self.part);
        let length: f64 = nodes.windows(2).map(|p| (p[1] - p[0]).length()).sum();
        nodes.first().zip(nodes.last()).map_or(0.0, |(a, b)| length - (*b - *a).length())
    }
}
