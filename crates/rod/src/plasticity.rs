//! Bending beyond the yield stress: wires that stay bent.
//!
//! A section of an elastic, perfectly plastic material is a bundle of fibers. A fiber at the height y from the
//! neutral axis yields at the curvature σ_y/(E y), so that the outermost yield first, and the moment changes from EI
//! κ to a plateau. Here each node has a few parallel *elements* instead of the fibers (Besseling's sublayers).
//! Element i has the fraction w_i of the bending stiffness and a plastic curvature p_i of its own:
//!
//! e_i = κ − κ̄ − p_i, M = Σ_i w_i K e_i + w_∞ K (κ − κ̄), |e_i|_K ≤ R_i,
//!
//! with K = diag(k₁, k₂) and |e|_K² = k₁ e₁² + k₂ e₂². Limits are circles in this norm: the curvatures at which the
//! outermost fiber yields, σ_y/(E h_c), are of equal elastic energy in both directions for ellipses, tubes and
//! rectangles. Unloading is elastic, reversed bending yields early (the Bauschinger effect), and cycles close.
//!
//! Within a step that ends at κ, p_i moves to the nearest admissible point (radial return). This derives from an
//! incremental potential, convex and continuously differentiable,
//!
//! W_i(κ) = min_p ½ w_i |κ − κ̄ − p|_K² + w_i R_i |p − p_i|_K = w_i (½ s², or R_i s − ½ R_i² where s > R_i), s = |e_i|_K,
//!
//! which replaces the bending energy, so that the step still minimizes a potential. Its derivatives are
//!
//! ∂W_i = w_i f K e, ∂²W_i = w_i f (K − K e eᵀ K/s²) where s > R_i, else w_i K, with f = min(1, R_i/s).
//!
//! Plastic work of a step is Σ_i w_i R_i |Δp_i|_K, counted in the state.
//!
//! | symbol | name | unit | per |
//! |---|---|---|---|
//! | w_i | `share` | 1 | node and element |
//! | R_i | `limit` | √J | node and element |
//! | p_i | `PlasticState::curvature` | rad | node and element |
//! | M_y | first yield: EI σ_y/(E h) | N·m | edge |
//!
//! Source: Besseling, A theory of elastic, plastic and creep deformations, J. Appl. Mech. 25, 1958. Tension and torque do not
//! enter the yield limit, and torsion stays elastic.

use crate::error::RodError;
use crate::rod::Rod;
use crate::section::{Material, Section, SectionProperties};
use crate::state::{NaturalShape, RodState};
use core::f64::consts::PI;

/// Curvatures, relative to that of first yield, at which elements yield. Moments are then within 0.35 % of the
/// section's exact curve, and residual curvatures after bending to 1.5 times first yield or more within 1.1 %.
const BREAKS: [f64; 12] = [1.015, 1.06, 1.13, 1.23, 1.36, 1.55, 1.8, 2.15, 2.7, 3.6, 5.5, 12.0];

/// How a section yields in bending.
#[derive(Clone, Debug, PartialEq)]
pub struct YieldCurve {
    /// Moment at which bending towards m₁ stops being elastic, N·m.
    pub first_yield: f64,
    /// Fraction of the bending stiffness that never yields.
    pub hardening: f64,
    /// Elements: share of the stiffness that yields, and curvature relative to that of first yield.
    elements: Vec<[f64; 2]>,
}

impl YieldCurve {
    /// Elastic up to `moment` (N·m, for bending towards m₁), then perfectly plastic.
    pub fn plateau(moment: f64) -> Result<Self, RodError> {
        if !(moment.is_finite() && moment > 0.0) {
            let expected = "a positive number of N·m";
            return Err(RodError::Value { what: "yield moment", value: moment, expected });
        }
        Ok(Self { first_yield: moment, hardening: 0.0, elements: vec![[1.0, 1.0]] })
    }

    /// The curve of `section`, of bending stiffness `properties`, in `material`; `None` if it does not yield.
    pub fn of_section(
        section: &Section,
        material: &Material,
        properties: &SectionProperties,
    ) -> Result<Option<Self>, RodError> {
        let Some(stress) = material.yield_stress else { return Ok(None) };
        let e = material.youngs_modulus;
        if !(stress.is_finite() && stress > 0.0) {
            return Err(RodError::Value {
                what: "yield_stress",
                value: stress,
                expected: "a positive number",
            });
        }
        let hardening = material.hardening_modulus / e;
        if !(0.0..1.0).contains(&hardening) {
            return Err(RodError::Value {
                what: "hardening_modulus",
                value: material.hardening_modulus,
                expected: "from zero to less than youngs_modulus",
            });
        }
        let ratio: fn(f64) -> f64 = match section {
            Section::Rectangle { .. } => rectangle,
            Section::Circle { .. } | Section::Ellipse { .. } => disc,
            Section::Tube { .. } | Section::Stiffness { .. } => |x| x,
        };
        let first_yield = properties.bend[0] * stress / (e * section.half_extents()[0]);
        let elements = match *section {
            Section::Stiffness { .. } => return Ok(None),
            Section::Tube { outer_radius, inner_radius } => {
                let hole = inner_radius / outer_radius;
                elements_of(|x| (disc(x) - hole.powi(3) * disc(hole * x)) / (1.0 - hole.powi(4)))
            }
            _ => elements_of(ratio),
        };
        Ok(Some(Self { first_yield, hardening, elements }))
    }
}

/// Moment of a rectangle over that of first yield, at the curvature `x` relative to that of first yield.
fn rectangle(x: f64) -> f64 {
    if x <= 1.0 { x } else { 1.5 - 0.5 / (x * x) }
}

/// The same for a disc: (2/3π) [(5 − 2η²) √(1 − η²) + 3 asin(η)/η] with η = 1/x.
fn disc(x: f64) -> f64 {
    if x <= 1.0 {
        return x;
    }
    let eta = 1.0 / x;
    2.0 / (3.0 * PI) * ((5.0 - 2.0 * eta * eta) * (1.0 - eta * eta).sqrt() + 3.0 * eta.asin() * x)
}

/// Elements whose moments follow the concave curve `moment` by straight lines from break to break, and reach its
/// plateau at the last break. Chords lie below the curve; lines halfway between chords and the curve have half their
/// error.
fn elements_of(moment: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    const LAST: usize = BREAKS.len() - 1;
    // Points on the elastic line, on the curve, on its plateau.
    let on_curve = |i: usize| match i {
        0 => BREAKS[0],
        LAST => moment(1e8),
        _ => moment(BREAKS[i]),
    };
    let sag = |i: usize| {
        let middle = moment(0.5 * (BREAKS[i] + BREAKS[i + 1]));
        (middle - 0.5 * (on_curve(i) + on_curve(i + 1))).max(0.0)
    };
    let value = |i: usize| match i {
        0 | LAST => on_curve(i),
        _ => on_curve(i) + 0.25 * (sag(i - 1) + sag(i)),
    };
    let slope = |i: usize| match i {
        0 => 1.0,
        i if i > LAST => 0.0,
        i => (value(i) - value(i - 1)) / (BREAKS[i] - BREAKS[i - 1]),
    };
    (0..=LAST).map(|i| [slope(i) - slope(i + 1), BREAKS[i]]).collect()
}

/// Elements at the nodes of a rod that yields; those of node j start at j · `count`.
#[derive(Clone, Debug)]
pub(crate) struct Yielding {
    /// Elements at each node.
    pub(crate) count: usize,
    /// w_i; zero where a node has fewer elements, or its edges do not yield.
    share: Vec<f64>,
    /// R_i in √J.
    limit: Vec<f64>,
}

/// Response of bending at one node to its curvature.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bending {
    /// Incremental potential, J.
    pub(crate) potential: f64,
    /// M₁ and M₂, N·m.
    pub(crate) moment: [f64; 2],
    /// ∂M₁/∂κ₁, ∂M₂/∂κ₂ and ∂M₁/∂κ₂, N·m.
    pub(crate) stiffness: [f64; 3],
}

impl Yielding {
    /// The elements of `rod`, whose edges yield by `curves`; `None` if none does. The moment is continuous at a node,
    /// so the edge that yields first decides.
    pub(crate) fn new(rod: &Rod, curves: &[Option<YieldCurve>]) -> Option<Self> {
        let count = curves.iter().flatten().map(|c| c.elements.len()).max()?;
        let entries = vec![0.0; rod.node_count() * count];
        let mut out = Self { count, share: entries.clone(), limit: entries };
        for j in rod.stencils() {
            let both = [&curves[rod.edge_before(j)], &curves[j]].into_iter().flatten();
            let Some(curve) = both.min_by(|a, b| a.first_yield.total_cmp(&b.first_yield)) else { continue };
            for (i, [share, at]) in curve.elements.iter().enumerate() {
                out.share[j * count + i] = (1.0 - curve.hardening) * share;
                out.limit[j * count + i] = curve.first_yield * at / rod.bend[0][j].sqrt();
            }
        }
        Some(out)
    }

    /// Bending at node `node` of stiffness `k`, for the curvature κ − κ̄ and the plastic curvatures of the node.
    pub(crate) fn bending(
        &self,
        node: usize,
        k: [f64; 2],
        curvature: [f64; 2],
        plastic: &[[f64; 2]],
    ) -> Bending {
        let mut out = Bending::default();
        let mut left = 1.0;
        for (i, p) in plastic.iter().enumerate() {
            let (w, limit) = (self.share[node * self.count + i], self.limit[node * self.count + i]);
            left -= w;
            let m = [k[0] * (curvature[0] - p[0]), k[1] * (curvature[1] - p[1])];
            let square = m[0] * m[0] / k[0] + m[1] * m[1] / k[1];
            let s = square.sqrt();
            if s > limit {
                let f = w * limit / s;
                out.potential += w * limit * (s - 0.5 * limit);
                out.moment = [f.mul_add(m[0], out.moment[0]), f.mul_add(m[1], out.moment[1])];
                out.stiffness[0] += f * (k[0] - m[0] * m[0] / square);
                out.stiffness[1] += f * (k[1] - m[1] * m[1] / square);
                out.stiffness[2] -= f * m[0] * m[1] / square;
            } else {
                out.potential += 0.5 * w * square;
                out.moment = [w.mul_add(m[0], out.moment[0]), w.mul_add(m[1], out.moment[1])];
                out.stiffness[0] += w * k[0];
                out.stiffness[1] += w * k[1];
            }
        }
        for c in 0..2 {
            out.potential += 0.5 * left * k[c] * curvature[c] * curvature[c];
            out.moment[c] += left * k[c] * curvature[c];
            out.stiffness[c] += left * k[c];
        }
        out
    }

    /// Elastic energy at node `node` in J, summed over elements.
    fn energy(&self, node: usize, k: [f64; 2], curvature: [f64; 2], plastic: &[[f64; 2]]) -> f64 {
        let norm = |e: [f64; 2]| k[0] * e[0] * e[0] + k[1] * e[1] * e[1];
        let mut left = 1.0;
        let mut out = 0.0;
        for (i, p) in plastic.iter().enumerate() {
            let w = self.share[node * self.count + i];
            left -= w;
            out += 0.5 * w * norm([curvature[0] - p[0], curvature[1] - p[1]]);
        }
        out + 0.5 * left * norm(curvature)
    }

    /// Updates the plastic curvatures of node `node` for a step that ends at κ − κ̄ = `curvature`; returns the
    /// plastic work in J.
    fn flow(&self, node: usize, k: [f64; 2], curvature: [f64; 2], plastic: &mut [[f64; 2]]) -> f64 {
        let mut work = 0.0;
        for (i, p) in plastic.iter_mut().enumerate() {
            let (w, limit) = (self.share[node * self.count + i], self.limit[node * self.count + i]);
            let e = [curvature[0] - p[0], curvature[1] - p[1]];
            let s = (k[0] * e[0] * e[0] + k[1] * e[1] * e[1]).sqrt();
            if w > 0.0 && s > limit {
                let beyond = 1.0 - limit / s;
                p[0] += beyond * e[0];
                p[1] += beyond * e[1];
                work += w * limit * (s - limit);
            }
        }
        work
    }
}

/// Plastic curvature of a rod, part of its state; empty if the rod does not yield.
#[derive(Debug, Default, PartialEq)]
pub struct PlasticState {
    /// (p₁, p₂) in rad, integrated over the stencil: shape (nodes, elements, 2).
    pub curvature: Vec<[f64; 2]>,
    /// Plastic work since the start of the run, J.
    pub work: f64,
}

// By hand for the sake of `clone_from`, which keeps what `self` has allocated.
impl Clone for PlasticState {
    fn clone(&self) -> Self {
        Self { curvature: self.curvature.clone(), work: self.work }
    }
    fn clone_from(&mut self, source: &Self) {
        self.curvature.clone_from(&source.curvature);
        self.work = source.work;
    }
}

impl PlasticState {
    /// The virgin state.
    pub fn none(rod: &Rod) -> Self {
        let elements = rod.yielding.as_ref().map_or(0, |y| y.count);
        Self { curvature: vec![[0.0; 2]; elements * rod.node_count()], work: 0.0 }
    }

    /// The entries of node `node`.
    pub(crate) fn at(&self, node: usize, count: usize) -> &[[f64; 2]] {
        &self.curvature[node * count..(node + 1) * count]
    }
}

impl RodState {
    /// Updates the plastic curvature for the present shape, at the end of a step.
    pub fn flow(&mut self, rod: &Rod) {
        let Some(yielding) = &rod.yielding else { return };
        for j in rod.stencils() {
            let (k, curvature) = self.bent(rod, j, &self.natural);
            let range = j * yielding.count..(j + 1) * yielding.count;
            let work = yielding.flow(j, k, curvature, &mut self.plastic.curvature[range]);
            self.plastic.work += work;
        }
    }

    /// Bending energy of node `node` in J, if `natural` were its natural shape: the recoverable energy and that
    /// locked in the section.
    pub fn bend_energy(&self, rod: &Rod, node: usize, natural: &NaturalShape) -> f64 {
        let (k, e) = self.bent(rod, node, natural);
        match &rod.yielding {
            None => 0.5 * (k[0] * e[0] * e[0] + k[1] * e[1] * e[1]),
            Some(y) => y.energy(node, k, e, self.plastic.at(node, y.count)),
        }
    }

    /// Bending moments (M₁, M₂) at node `node` in N·m.
    pub fn bend_moments(&self, rod: &Rod, node: usize) -> [f64; 2] {
        let (k, e) = self.bent(rod, node, &self.natural);
        match &rod.yielding {
            None => [k[0] * e[0], k[1] * e[1]],
            Some(y) => y.bending(node, k, e, self.plastic.at(node, y.count)).moment,
        }
    }

    /// The curvature, per length in 1/m, at which node `node` would have no moment, apart from the natural one.
    pub fn plastic_curvature(&self, rod: &Rod, node: usize) -> [f64; 2] {
        let Some(y) = &rod.yielding else { return [0.0; 2] };
        let both = self.plastic.at(node, y.count).iter().zip(&y.share[node * y.count..]);
        let length = rod.voronoi_length[node];
        both.fold([0.0; 2], |sum, (p, w)| [sum[0] + w * p[0] / length, sum[1] + w * p[1] / length])
    }

    /// (k₁, k₂) of node `node` and κ − κ̄ there.
    fn bent(&self, rod: &Rod, node: usize, natural: &NaturalShape) -> ([f64; 2], [f64; 2]) {
        let s = self.strain(rod, node);
        let e = [s.kappa1 - natural.kappa1[node], s.kappa2 - natural.kappa2[node]];
        ([rod.bend[0][node], rod.bend[1][node]], e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M(κ) of the elements, relative to first yield.
    fn moment(elements: &[[f64; 2]], x: f64) -> f64 {
        elements.iter().map(|[share, at]| share * x.min(*at)).sum()
    }

    #[test]
    fn elements_follow_the_curve_of_the_section() {
        type Curve = fn(f64) -> f64;
        let curves: [(Curve, f64); 2] = [(rectangle, 1.5), (disc, 16.0 / (3.0 * PI))];
        for (curve, plateau) in curves {
            let elements = elements_of(curve);
            assert!((elements.iter().map(|e| e[0]).sum::<f64>() - 1.0).abs() < 1e-14);
            assert!(elements.iter().all(|e| e[0] > 0.0), "{elements:?}");
            assert!((moment(&elements, 1e6) / plateau - 1.0).abs() < 1e-7);
            for i in 1..2000 {
                let x = 0.01 * f64::from(i);
                let error = moment(&elements, x) / curve(x) - 1.0;
                assert!(error.abs() < 0.004, "{x}: {error}");
            }
        }
    }

    #[test]
    fn directions_of_a_rectangle_yield_at_the_same_energy() {
        let section = Section::Rectangle { width: 4e-3, height: 1e-3 };
        let turned = Section::Rectangle { width: 1e-3, height: 4e-3 };
        let material = Material { yield_stress: Some(2e8), ..Material::from_poisson(2e11, 0.3, 7800.0) };
        let energy = |section: Section| {
            let p = section.properties(&material).unwrap();
            let curve = YieldCurve::of_section(&section, &material, &p).unwrap().unwrap();
            curve.first_yield.powi(2) / p.bend[0]
        };
        assert!((energy(section) / energy(turned) - 1.0).abs() < 1e-12);
    }
}
