//! Static shapes: a cable that hangs between two clamps.
//!
//! An archive holds `shapes` (shapes, points, 3) in m, z up, points at equal arclengths from the first clamp to the last one; `shape_length`, the length of cable
//! between the clamps in m; and `shape_directions` (shapes, 2, 3), the directions of the cable at both clamps, along growing arclength. One
//! photograph of a hanging loop is such a shape.
//!
//! The prediction is the equilibrium of a rod with [`EDGES`] edges, clamped in the middles of its first and its last
//! one, that is reached from the measured shape. A hanging shape depends on EI/(ρA g) and on natural curvature; ends
//! have the roll of an untwisted measured shape.

use crate::cable::Cable;
use crate::error::FitError;
use crate::npy::Archive;
use crate::rollout::{GRAVITY, director_at};
use crate::statics::{Grip, Properties, StaticRod};
use glam::{DQuat, DVec3};

/// Edges of the rod. The boundary layer at a clamp, √(EI/T), has to be resolved: see docs/real-cables.md for results
/// of coarser meshes.
pub const EDGES: usize = 240;
/// Points at least.
const LEAST_POINTS: usize = 5;

/// A cable at rest between two clamps.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Name, for messages.
    pub name: String,
    /// Points at equal arclengths from clamp to clamp, m. A missing point is NaN.
    pub points: Vec<DVec3>,
    /// Length of cable from clamp to clamp, m.
    pub length: f64,
    /// Direction of the cable at both clamps, unit vectors.
    pub directions: [DVec3; 2],
}

impl Shape {
    /// The shapes of `archive`; none if it has no array `shapes`.
    pub fn from_archive(archive: &Archive) -> Result<Vec<Self>, FitError> {
        if !archive.arrays.contains_key("shapes") {
            return Ok(Vec::new());
        }
        let (shape, numbers) = archive.numbers("shapes")?;
        let &[count, points, 3] = shape else {
            return Err(archive.wrong(
                format!("'shapes' has the shape {shape:?}"),
                "it should be (shapes, points, 3), in m, z up",
            ));
        };
        if points < LEAST_POINTS {
            return Err(archive.wrong(
                format!("'shapes' has {points} points in a shape"),
                "give at least 5 points at equal arclengths from clamp to clamp",
            ));
        }
        let (_, length) = archive.numbers("shape_length")?;
        let &[length] = length else {
            return Err(archive.wrong("'shape_length' is not a single number", "give the length in m"));
        };
        let (shape, directions) = archive.numbers("shape_directions")?;
        if shape != [count, 2, 3] {
            return Err(archive.wrong(
                format!("'shape_directions' has the shape {shape:?} for {count} shapes"),
                "it should be (shapes, 2, 3): the direction of the cable at both clamps",
            ));
        }
        let one = |k: usize| {
            let vectors = |from: &[f64], n: usize| -> Vec<DVec3> {
                (0..n).map(|i| DVec3::from_slice(&from[3 * (k * n + i)..])).collect()
            };
            let directions = vectors(directions, 2);
            let shape = Self {
                name: format!("shape {k}"),
                points: vectors(numbers, points),
                length,
                directions: [directions[0].normalize_or_zero(), directions[1].normalize_or_zero()],
            };
            shape
                .check()
                .map_err(|(what, hint)| archive.wrong(format!("'shapes', {}: {what}", shape.name), hint))?;
            Ok(shape)
        };
        (0..count).map(one).collect()
    }

    /// Checks that it can be the shape of a cable; the error has a remedy.
    fn check(&self) -> Result<(), (String, &'static str)> {
        if !(self.length.is_finite() && self.length > 0.0) {
            return Err((format!("'shape_length' is {}", self.length), "give a positive length in m"));
        }
        if self.directions.contains(&DVec3::ZERO) || !self.directions.iter().all(|d| d.is_finite()) {
            return Err((
                "a direction is zero or not finite".to_owned(),
                "give directions of the cable at both clamps",
            ));
        }
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return Err(("there are no points".to_owned(), "give at least 5"));
        };
        if !(first.is_finite() && last.is_finite())
            || self.points.iter().any(|p| p.to_array().iter().any(|c| c.is_infinite()))
        {
            return Err((
                "a clamp or a coordinate is not finite".to_owned(),
                "give the first and the last point, the clamps, and NaN for others that were not seen",
            ));
        }
        let seen: Vec<DVec3> = self.points.iter().copied().filter(|p| p.is_finite()).collect();
        let chain: f64 = seen.windows(2).map(|w| w[1].distance(w[0])).sum();
        if chain > 20.0 * self.length {
            return Err((
                format!(
                    "the points span {chain:.1}, the cable is {:.3} m long, which looks like millimeters",
                    self.length
                ),
                "positions are in m; divide by 1000",
            ));
        }
        if chain > 1.05 * self.length {
            return Err((
                format!("the points span {chain:.3} m, the cable is {:.3} m long", self.length),
                "check 'shape_length' and the scale of the picture",
            ));
        }
        if seen.len() < LEAST_POINTS {
            return Err((format!("{} points are seen", seen.len()), "at least 5 are needed"));
        }
        Ok(())
    }

    /// Positions of the points on the cable at rest, m.
    pub fn predict(&self, cable: &Cable) -> Result<Vec<DVec3>, FitError> {
        let failed = || FitError::Shape { shape: self.name.clone() };
        let p = &cable.parameters;
        let edge = self.length / (EDGES - 1) as f64;
        let nodes = self.first_nodes(edge);
        let properties = Properties {
            bend: p.bending(),
            twist: p.torsion(),
            stretch: p.axial_stiffness,
            line_density: p.density_factor * cable.known.line_density,
        };
        let director = director_at(self.directions[0]);
        let mut rod = StaticRod::with_lengths(nodes, vec![edge; EDGES], properties, director, GRAVITY)
            .map_err(|_| failed())?;
        for j in rod.rod.stencils() {
            rod.state.natural.kappa1[j] = p.natural_curvature * edge;
        }
        // The last clamp has the roll of an untwisted cable.
        let [m1, _, t] = rod.state.material_frame(&rod.rod, EDGES - 1);
        let rolled = DQuat::from_rotation_arc(t, self.directions[1]) * m1;
        let last = self.points[self.points.len() - 1];
        let grips = [
            Grip { edge: 0, middle: self.points[0], tangent: self.directions[0], director },
            Grip { edge: EDGES - 1, middle: last, tangent: self.directions[1], director: rolled },
        ];
        if !rod.settle(&grips) {
            return Err(failed());
        }
        let of = |i: usize| rod.position_at(i as f64 / (self.points.len() - 1) as f64);
        Ok((0..self.points.len()).map(of).collect())
    }

    /// Nodes on straight lines through the measured points, half an edge beyond the clamps at both ends.
    fn first_nodes(&self, edge: f64) -> Vec<DVec3> {
        let last = self.points.len() - 1;
        let seen: Vec<usize> = (0..=last).filter(|&i| self.points[i].is_finite()).collect();
        let at = |s: f64| {
            let place = s / self.length * last as f64;
            let k = seen.partition_point(|&i| i as f64 <= place).clamp(1, seen.len() - 1);
            let [a, b] = [seen[k - 1], seen[k]];
            self.points[a].lerp(self.points[b], (place - a as f64) / (b - a) as f64)
        };
        let beyond =
            |end: usize, sign: f64| self.points[end * last] + self.directions[end] * (sign * 0.5 * edge);
        let mut nodes = vec![beyond(0, -1.0), beyond(0, 1.0)];
        nodes.extend((2..EDGES - 1).map(|i| at(edge * (i as f64 - 0.5))));
        nodes.extend([beyond(1, -1.0), beyond(1, 1.0)]);
        nodes
    }
}
