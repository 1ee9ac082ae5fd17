//! Results of the last evaluation, node by node and edge by edge.

use super::{Components, RodKernel};
use crate::plasticity::{Bending, Yielding};
use crate::rod::Rod;
use crate::state::NaturalShape;

impl RodKernel {
    /// Whether bending yields: the tangent depends on more than the shape.
    pub(crate) fn yields(&self) -> bool {
        !self.plastic.is_empty()
    }

    /// κ₁, κ₂ and τ (rad) of node `node` at the last point of evaluation.
    pub fn strain(&self, node: usize) -> [f64; 3] {
        [self.strain[0][node], self.strain[1][node], self.strain[2][node]]
    }
    /// Moments k (s − s̄) of κ₁, κ₂ and τ of node `node` in N·m at the last point of evaluation, with damping of
    /// strain rates, and their stiffness in the tangent.
    pub(crate) fn moments(&self, rod: &Rod, natural: &NaturalShape, node: usize) -> [[f64; 2]; 3] {
        let rest = [natural.kappa1[node], natural.kappa2[node], natural.tau[node]];
        let stiffness = [rod.bend[0][node], rod.bend[1][node], rod.twist[node]];
        let bending = rod.yielding.as_ref().map(|yielding| self.bending(rod, natural, yielding, node));
        core::array::from_fn(|c| {
            let (strain, k) = (self.strain[c][node], stiffness[c]);
            let (elastic, tangent) = match &bending {
                Some(b) if c < 2 => (b.moment[c] / k, b.stiffness[c] / k),
                _ => (strain - rest[c], 1.0),
            };
            let Some(rate) = &self.rate else { return [k * elastic, k * tangent] };
            let change = rate.change(strain, rate.offset.turn[c][node]);
            let fold = rate.fold[node];
            [k * (elastic + fold * rate.weight * change), k * (tangent + fold * rate.tangent)]
        })
    }
    /// ∂M₁/∂κ₂ at node `node` in N·m, zero where bending is elastic.
    pub(crate) fn bend_coupling(&self, rod: &Rod, natural: &NaturalShape, node: usize) -> f64 {
        rod.yielding.as_ref().map_or(0.0, |y| self.bending(rod, natural, y, node).stiffness[2])
    }
    /// Bending of node `node` of a rod that yields, at the strains of the last evaluation.
    pub(super) fn bending(
        &self,
        rod: &Rod,
        natural: &NaturalShape,
        yielding: &Yielding,
        node: usize,
    ) -> Bending {
        let curvature =
            [self.strain[0][node] - natural.kappa1[node], self.strain[1][node] - natural.kappa2[node]];
        let plastic = &self.plastic[node * yielding.count..(node + 1) * yielding.count];
        yielding.bending(node, [rod.bend[0][node], rod.bend[1][node]], curvature, plastic)
    }
    /// Stiffness of edge `edge` along itself in the tangent, N/m: EA/l̄, more with strain rates.
    pub(crate) fn stiffness_along(&self, rod: &Rod, edge: usize) -> f64 {
        let linear = rod.stretch[edge] / rod.rest_length[edge];
        let more = self.rate.as_ref().map_or(0.0, |rate| rate.tangent);
        match &rod.stretch_table {
            None => linear * (1.0 + more),
            Some(_) => self.slope[edge] / rod.rest_length[edge] + linear * more,
        }
    }
    /// Tension of edge `edge` in N at the last point of evaluation; within a step with damping of strain rates.
    pub fn tension(&self, edge: usize) -> f64 {
        self.tension[edge]
    }
    /// 1/length of edge `edge` in 1/m at the last point of evaluation.
    pub fn inverse_length(&self, edge: usize) -> f64 {
        self.inverse_length[edge + 1]
    }
    /// Unit tangent and material directors of edge `edge` at the last point of evaluation: (m₁, m₂, t).
    pub fn material_frame(&self, edge: usize) -> [glam::DVec3; 3] {
        let get = |c: &Components| glam::DVec3::new(c[0][edge + 1], c[1][edge + 1], c[2][edge + 1]);
        [get(&self.m1), get(&self.m2), get(&self.tangent)]
    }
}
