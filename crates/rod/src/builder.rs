//! Builds a rod and its initial state from a curve, a section and a material.

use crate::error::RodError;
use crate::plasticity::YieldCurve;
use crate::rod::Rod;
use crate::section::{Material, Section, SectionProperties};
use crate::state::RodState;
use crate::stretch_table::StretchTable;
use glam::DVec3;

/// The natural shape of a rod, in which it has no elastic energy.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum RestShape {
    /// Straight and untwisted.
    #[default]
    Straight,
    /// The initial shape.
    AsGiven,
    /// Natural curvature (1/m) and twist (rad/m) at each stencil: inner nodes of an open rod, all nodes of a closed
    /// one. A single entry applies to all.
    Natural {
        /// κ̄₁ per length in 1/m.
        curvature1: Vec<f64>,
        /// κ̄₂ per length in 1/m.
        curvature2: Vec<f64>,
        /// τ̄ per length in rad/m.
        twist: Vec<f64>,
    },
}

/// Describes a rod; [`RodBuilder::build`] checks it and builds the model and the initial state.
#[derive(Clone, Debug)]
pub struct RodBuilder {
    /// Node positions in m, shape (n, 3). A closed rod does not repeat its first node.
    pub nodes: Vec<DVec3>,
    /// Whether the last node is joined to the first.
    pub closed: bool,
    /// Section of each edge; a single entry applies to all.
    pub sections: Vec<Section>,
    /// Material of each edge; a single entry applies to all.
    pub materials: Vec<Material>,
    /// Rest length of each edge in m; `None` takes the length given by the nodes.
    pub rest_lengths: Option<Vec<f64>>,
    /// Natural curvature and twist.
    pub rest: RestShape,
    /// Direction of m₁ at the first edge; made perpendicular to it.
    pub director: Option<DVec3>,
    /// Initial twist put into the rod, in rad/m, on top of the untwisted frame.
    pub initial_twist: f64,
    /// Mass-proportional Rayleigh damping α in 1/s.
    pub mass_damping: f64,
    /// Stiffness-proportional Rayleigh damping β in s.
    pub stiffness_damping: f64,
    /// Factor on EA, for stiffened ropes.
    pub stretch_factor: f64,
    /// Factor on EI₁ and EI₂, for cables whose strands slide.
    pub bend_factor: f64,
    /// Factor on GJ.
    pub twist_factor: f64,
    /// Factor on the line density.
    pub density_factor: f64,
    /// Plateau of the bending moment in N·m, instead of that of the material.
    pub yield_moment: Option<f64>,
    /// Points (strain, tension in N) that replace EA.
    pub stretch_table: Option<Vec<[f64; 2]>>,
}

impl RodBuilder {
    /// An open, straight-at-rest rod of one section and material through `nodes`.
    pub fn new(nodes: Vec<DVec3>, section: Section, material: Material) -> Self {
        Self {
            nodes,
            closed: false,
            sections: vec![section],
            materials: vec![material],
            rest_lengths: None,
            rest: RestShape::Straight,
            director: None,
            initial_twist: 0.0,
            mass_damping: 0.0,
            stiffness_damping: 0.0,
            stretch_factor: 1.0,
            bend_factor: 1.0,
            twist_factor: 1.0,
            density_factor: 1.0,
            yield_moment: None,
            stretch_table: None,
        }
    }

    /// The model and the initial state, or an error.
    pub fn build(&self) -> Result<(Rod, RodState), RodError> {
        let n = self.nodes.len();
        let least = if self.closed { 3 } else { 2 };
        if n < least {
            return Err(RodError::TooFewNodes { found: n, expected: least });
        }
        let edges = if self.closed { n } else { n - 1 };
        let lengths = self.edge_lengths(edges)?;
        self.check_folds(edges)?;
        let rest_lengths = match &self.rest_lengths {
            Some(r) => spread(r, edges, "rest lengths")?,
            None => lengths,
        };
        for &value in &rest_lengths {
            positive("rest length", value)?;
        }
        for (what, value) in
            [("mass damping", self.mass_damping), ("stiffness damping", self.stiffness_damping)]
        {
            if !(value.is_finite() && value >= 0.0) {
                return Err(RodError::Value { what, value, expected: "zero or a positive number" });
            }
        }
        if !self.initial_twist.is_finite() {
            return Err(RodError::Value {
                what: "initial twist",
                value: self.initial_twist,
                expected: "a finite number of rad/m",
            });
        }
        self.check_director()?;
        positive("stretch factor", self.stretch_factor)?;
        positive("bend factor", self.bend_factor)?;
        positive("twist factor", self.twist_factor)?;
        positive("density factor", self.density_factor)?;
        let sections = spread(&self.sections, edges, "sections")?;
        let materials = spread(&self.materials, edges, "materials")?;
        let table = match &self.stretch_table {
            Some(points) => Some(StretchTable::new(points)?.scaled(self.stretch_factor)),
            None => None,
        };
        let mut properties = Vec::with_capacity(edges);
        let mut curves = Vec::with_capacity(edges);
        for (section, material) in sections.iter().zip(&materials) {
            let p = section.properties(material)?;
            let p = SectionProperties {
                stretch: table.as_ref().map_or(p.stretch * self.stretch_factor, StretchTable::first_slope),
                bend: p.bend.map(|k| k * self.bend_factor),
                twist: p.twist * self.twist_factor,
                line_density: p.line_density * self.density_factor,
                ..p
            };
            curves.push(match self.yield_moment {
                Some(moment) => Some(YieldCurve::plateau(moment)?),
                None => YieldCurve::of_section(section, material, &p)?,
            });
            properties.push(p);
        }
        let half_extents: Vec<_> = sections.iter().map(Section::half_extents).collect();
        let mut rod = Rod::from_edges(self.closed, &rest_lengths, &properties, &half_extents);
        rod.mass_damping = self.mass_damping;
        rod.stiffness_damping = self.stiffness_damping;
        rod.stretch_table = table;
        rod.set_yield(&curves);
        let mut state = RodState::at_rest(&rod, &self.nodes, self.director);
        self.set_twist(&rod, &mut state);
        self.set_rest(&rod, &mut state)?;
        Ok((rod, state))
    }

    fn edge_lengths(&self, edges: usize) -> Result<Vec<f64>, RodError> {
        let n = self.nodes.len();
        (0..edges)
            .map(|e| {
                let next = (e + 1) % n;
                let length = (self.nodes[next] - self.nodes[e]).length();
                if !length.is_finite() {
                    return Err(RodError::Value {
                        what: "node position",
                        value: length,
                        expected: "finite coordinates",
                    });
                }
                if length <= 0.0 {
                    return Err(RodError::ZeroEdge { node: e, next });
                }
                Ok(length)
            })
            .collect()
    }

    fn check_folds(&self, edges: usize) -> Result<(), RodError> {
        let n = self.nodes.len();
        let tangent = |e: usize| (self.nodes[(e + 1) % n] - self.nodes[e]).normalize();
        let first = if self.closed { 0 } else { 1 };
        for j in first..edges {
            if 1.0 + tangent((j + edges - 1) % edges).dot(tangent(j)) < 1e-3 {
                return Err(RodError::Fold { node: j });
            }
        }
        Ok(())
    }

    /// A director must have a component perpendicular to the first edge, from which the frame can start.
    fn check_director(&self) -> Result<(), RodError> {
        let Some(director) = self.director else { return Ok(()) };
        let t = (self.nodes[1] - self.nodes[0]).normalize();
        let across = (director - t * director.dot(t)).length() / director.length();
        if across.is_finite() && across > 1e-6 {
            Ok(())
        } else {
            Err(RodError::Value {
                what: "part of the director across the first edge, relative to its length",
                value: across,
                expected: "more than 1e-6: give a direction that is not along the rod",
            })
        }
    }

    fn set_twist(&self, rod: &Rod, state: &mut RodState) {
        let mut gamma = 0.0;
        for e in 1..rod.edge_count() {
            gamma += self.initial_twist * rod.voronoi_lengths()[e];
            state.q[e][3] = gamma;
        }
        if rod.closed() && self.initial_twist != 0.0 {
            // The frames of the last edge and the first agree modulo 2π, so β takes up whole turns only; the rest of
            // the requested twist goes to the first node.
            let turns = gamma + self.initial_twist * rod.voronoi_lengths()[0];
            state.beta[0] += (turns / core::f64::consts::TAU).round() * core::f64::consts::TAU;
        }
    }

    fn set_rest(&self, rod: &Rod, state: &mut RodState) -> Result<(), RodError> {
        match &self.rest {
            RestShape::Straight => {}
            RestShape::AsGiven => state.take_natural_shape(rod),
            RestShape::Natural { curvature1, curvature2, twist } => {
                let stencils = rod.stencils();
                let count = stencils.len();
                let curvature1 = spread(curvature1, count, "natural curvature 1")?;
                let curvature2 = spread(curvature2, count, "natural curvature 2")?;
                let twist = spread(twist, count, "natural twist")?;
                for (s, j) in stencils.enumerate() {
                    let length = rod.voronoi_lengths()[j];
                    state.natural.kappa1[j] = curvature1[s] * length;
                    state.natural.kappa2[j] = curvature2[s] * length;
                    state.natural.tau[j] = twist[s] * length;
                }
                let all = curvature1.iter().chain(&curvature2).chain(&twist);
                if let Some(&value) = all.clone().find(|x| !x.is_finite()) {
                    return Err(RodError::Value {
                        what: "natural curvature or twist",
                        value,
                        expected: "a finite number",
                    });
                }
            }
        }
        Ok(())
    }
}

fn positive(what: &'static str, value: f64) -> Result<(), RodError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(RodError::Value { what, value, expected: "a positive number" })
    }
}

/// An array with `count` entries: the given one, or its only entry repeated.
fn spread<T: Clone>(values: &[T], count: usize, what: &'static str) -> Result<Vec<T>, RodError> {
    match values {
        [one] => Ok(vec![one.clone(); count]),
        all if all.len() == count => Ok(all.to_vec()),
        all => Err(RodError::Length { what, found: all.len(), expected: count }),
    }
}
