//! Arrays that describe a rod: checked, then made into a rod, its natural shape and its frames.

use super::MAX_NODES;
use glam::DVec3;
use ropewalk_linalg::V3;
use ropewalk_linalg::parallel_transport::orthonormalize;
use ropewalk_rod::{NaturalShape, PlasticState, Rod, RodState, StiffnessArrays};

/// A frame that is given is made orthonormal; it may be this far from it.
const FRAME_TOLERANCE: f64 = 1e-6;
/// Parallel transport between tangents with 1 + t·t' below this has lost its digits.
const LEAST_CHI: f64 = 1e-9;

/// One rod as arrays; see the [module](super) for units and shapes.
#[derive(Clone, Copy, Debug)]
pub struct RodInput<'a> {
    /// Whether the last node is joined to the first.
    pub closed: bool,
    /// EA in N.
    pub ea: &'a [f64],
    /// EI₁ in N·m²: goes with κ₁.
    pub ei1: &'a [f64],
    /// EI₂ in N·m²: goes with κ₂.
    pub ei2: &'a [f64],
    /// GJ in N·m².
    pub gj: &'a [f64],
    /// Rest lengths of the edges in m.
    pub rest_edge_lengths: &'a [f64],
    /// κ̄₁ in rad.
    pub rest_kappa1: &'a [f64],
    /// κ̄₂ in rad.
    pub rest_kappa2: &'a [f64],
    /// τ̄ in rad.
    pub rest_tau: &'a [f64],
    /// Tangents at which the directors are given.
    pub t_ref: &'a [[f64; 3]],
    /// Reference directors d₁.
    pub d1_ref: &'a [[f64; 3]],
    /// Reference twist in rad.
    pub beta_ref: &'a [f64],
}

/// What is wrong with the arguments.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InspectError {
    /// A rod has too few or too many nodes.
    #[error("{argument} describes {found} nodes, expected {expected}")]
    Nodes {
        /// Which argument.
        argument: &'static str,
        /// Nodes found.
        found: usize,
        /// What was expected.
        expected: String,
    },
    /// An array has the wrong length.
    #[error("{argument} has {found} entries, expected {expected}")]
    Length {
        /// Which argument.
        argument: &'static str,
        /// Entries found.
        found: usize,
        /// What was expected.
        expected: String,
    },
    /// A number is not finite or out of range.
    #[error("{argument}[{index}] is {value}, expected {expected}")]
    Entry {
        /// Which argument.
        argument: &'static str,
        /// Place in it; the row of an array of vectors.
        index: usize,
        /// The number found.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A single number is not finite or out of range.
    #[error("{argument} is {value}, expected {expected}")]
    Value {
        /// Which argument.
        argument: &'static str,
        /// The number found.
        value: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// An index of a degree of freedom is out of range.
    #[error("{argument}[{index}] is {value}, expected an index of a degree of freedom, 0 to {last}")]
    Index {
        /// Which argument.
        argument: &'static str,
        /// Place in it.
        index: usize,
        /// The index found.
        value: usize,
        /// The greatest index.
        last: usize,
    },
    /// The nodes at both ends of an edge coincide, or are too far apart for a number.
    #[error("{argument}: edge {edge} has the length {length}, expected a finite length above zero")]
    EdgeLength {
        /// Which argument.
        argument: &'static str,
        /// The edge.
        edge: usize,
        /// Its length in m.
        length: f64,
    },
    /// Two tangents point in opposite directions, where parallel transport is not defined.
    #[error("{argument}: edge {edge} points against {other}; parallel transport is not defined there")]
    Opposed {
        /// Which argument.
        argument: &'static str,
        /// The edge.
        edge: usize,
        /// What it is opposed to.
        other: &'static str,
    },
    /// The arguments are finite, but a result is too large for a number.
    #[error("the result overflows: lengths, stiffnesses or masses are too far apart in size")]
    Overflow,
}

/// A rod made of [`RodInput`].
pub(super) struct Parts {
    pub(super) rod: Rod,
    pub(super) natural: NaturalShape,
    pub(super) tangents: Vec<[f64; 3]>,
    pub(super) directors: Vec<[f64; 3]>,
    /// β_ref, one entry per node.
    pub(super) beta: Vec<f64>,
}

/// Number of nodes, if a rod can have so many; `argument` is the one that told.
pub(super) fn check_nodes(argument: &'static str, found: usize, closed: bool) -> Result<(), InspectError> {
    let least = if closed { 3 } else { 2 };
    if (least..=MAX_NODES).contains(&found) {
        return Ok(());
    }
    let kind = if closed { "a closed" } else { "an open" };
    Err(InspectError::Nodes { argument, found, expected: format!("{least} to {MAX_NODES} for {kind} rod") })
}

/// Checks the length of an array.
pub(super) fn check_length(
    argument: &'static str,
    found: usize,
    count: usize,
    per: &str,
) -> Result<(), InspectError> {
    if found == count {
        return Ok(());
    }
    Err(InspectError::Length { argument, found, expected: format!("{count} ({per})") })
}

/// Checks that every entry passes `test`; `argument[index]` in the error counts rows of `width` numbers.
pub(super) fn check_entries(
    argument: &'static str,
    values: &[f64],
    width: usize,
    expected: &'static str,
    test: impl Fn(f64) -> bool,
) -> Result<(), InspectError> {
    match values.iter().position(|&x| !(x.is_finite() && test(x))) {
        None => Ok(()),
        Some(at) => Err(InspectError::Entry { argument, index: at / width, value: values[at], expected }),
    }
}

/// One entry for each of `count`, from as many or from one for all.
fn spread(argument: &'static str, values: &[f64], count: usize, per: &str) -> Result<Vec<f64>, InspectError> {
    match values {
        [one] => Ok(vec![*one; count]),
        _ if values.len() == count => Ok(values.to_vec()),
        _ => {
            let expected = format!("{count} ({per}) or one for all");
            Err(InspectError::Length { argument, found: values.len(), expected })
        }
    }
}

impl RodInput<'_> {
    /// Checks everything and builds a rod of `nodes` nodes with the given masses.
    pub(super) fn build(&self, nodes: usize, mass: &[[f64; 4]]) -> Result<Parts, InspectError> {
        let edges = if self.closed { nodes } else { nodes - 1 };
        let stencils = if self.closed { nodes } else { nodes - 2 };
        let any = |_: f64| true;
        check_length("rest_edge_lengths", self.rest_edge_lengths.len(), edges, "one per edge")?;
        let expected = "a finite length above zero";
        check_entries("rest_edge_lengths", self.rest_edge_lengths, 1, expected, |l| l > 0.0)?;
        let stiffness = |argument, values: &[f64], count, per| {
            check_entries(argument, values, 1, "a finite stiffness of at least zero", |k| k >= 0.0)?;
            spread(argument, values, count, per)
        };
        let arrays = StiffnessArrays {
            rest_length: self.rest_edge_lengths.to_vec(),
            stretch: stiffness("EA", self.ea, edges, "one per edge")?,
            bend: [
                stiffness("EI1", self.ei1, stencils, "one per stencil")?,
                stiffness("EI2", self.ei2, stencils, "one per stencil")?,
            ],
            twist: stiffness("GJ", self.gj, stencils, "one per stencil")?,
        };
        let rod = Rod::from_stiffness(self.closed, &arrays, mass);
        let place = rod.stencils();
        let mut natural = NaturalShape::straight(nodes);
        for (argument, values, to) in [
            ("rest_kappa1", self.rest_kappa1, &mut natural.kappa1),
            ("rest_kappa2", self.rest_kappa2, &mut natural.kappa2),
            ("rest_tau", self.rest_tau, &mut natural.tau),
        ] {
            check_entries(argument, values, 1, "a finite number", any)?;
            to[place.clone()].copy_from_slice(&spread(argument, values, stencils, "one per stencil")?);
        }
        check_length("beta_ref", self.beta_ref.len(), stencils, "one per stencil")?;
        check_entries("beta_ref", self.beta_ref, 1, "a finite number", any)?;
        let mut beta = vec![0.0; nodes];
        beta[place].copy_from_slice(self.beta_ref);
        let [tangents, directors] = self.frames(edges)?;
        Ok(Parts { rod, natural, tangents, directors, beta })
    }

    /// The given frames, made orthonormal to the last digit.
    fn frames(&self, edges: usize) -> Result<[Vec<[f64; 3]>; 2], InspectError> {
        for (argument, vectors) in [("t_ref", self.t_ref), ("d1_ref", self.d1_ref)] {
            check_length(argument, vectors.len(), edges, "one vector per edge")?;
            check_entries(argument, vectors.as_flattened(), 3, "a finite number", |_| true)?;
            for (index, vector) in vectors.iter().enumerate() {
                let value = DVec3::from_array(*vector).length();
                if (value - 1.0).abs() > FRAME_TOLERANCE {
                    let expected = "unit vectors (this is its length)";
                    return Err(InspectError::Entry { argument, index, value, expected });
                }
            }
        }
        let mut frames = [Vec::with_capacity(edges), Vec::with_capacity(edges)];
        for (index, (t, d)) in self.t_ref.iter().zip(self.d1_ref).enumerate() {
            let (t, d) = (DVec3::from_array(*t).normalize(), DVec3::from_array(*d));
            let value = t.dot(d);
            if value.abs() > FRAME_TOLERANCE {
                let expected = "vectors perpendicular to t_ref (this is their product)";
                return Err(InspectError::Entry { argument: "d1_ref", index, value, expected });
            }
            frames[0].push(t.to_array());
            frames[1].push(DVec3::from(orthonormalize(V3::from(d), V3::from(t))).to_array());
        }
        Ok(frames)
    }
}

impl Parts {
    /// A state at `q` and `v` with the frames as given, not yet carried to `q`.
    pub(super) fn state(&self, q: Vec<[f64; 4]>, v: Vec<[f64; 4]>) -> RodState {
        let (d1, beta, natural) = (self.directors.clone(), self.beta.clone(), self.natural.clone());
        RodState { q, v, d1, beta, natural, plastic: PlasticState::none(&self.rod) }
    }

    /// Checks that the frames can be carried to the shape of `state`, which came in as `argument`.
    pub(super) fn check_shape(&self, argument: &'static str, state: &RodState) -> Result<(), InspectError> {
        let rod = &self.rod;
        for edge in 0..rod.edge_count() {
            // 1/length is finite too: it enters the tangent.
            let length = state.edge(rod, edge).length();
            if !(length.is_normal() && length.recip().is_finite()) {
                return Err(InspectError::EdgeLength { argument, edge, length });
            }
        }
        for edge in 0..rod.edge_count() {
            let t = state.tangent(rod, edge);
            if 1.0 + t.dot(DVec3::from_array(self.tangents[edge])) < LEAST_CHI {
                return Err(InspectError::Opposed { argument, edge, other: "its t_ref" });
            }
            if rod.stencils().contains(&edge)
                && 1.0 + t.dot(state.tangent(rod, rod.edge_before(edge))) < LEAST_CHI
            {
                return Err(InspectError::Opposed { argument, edge, other: "the edge before it" });
            }
        }
        Ok(())
    }
}
