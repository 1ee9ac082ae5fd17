//! Meshes of tetrahedra with pressures at their vertices, in the frame of a body, with a bounding-volume hierarchy of
//! the cells.

use super::tet::Tet;
use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::shape::ShapeError;
use glam::DVec3;

/// A soft solid.
#[derive(Clone, Debug)]
pub struct PressureField {
    tets: Vec<Tet>,
    tree: Bvh,
    /// Outward unit normals and offsets of the faces of a convex solid; empty for others.
    faces: Vec<(DVec3, f64)>,
}

/// Why a field cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FieldError {
    /// A shape that cannot be used.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A number that is not finite and above 0.
    #[error("the {quantity} of a pressure field is {value}, expected a finite number above 0 (in {unit})")]
    Number {
        /// What it is.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// A vertex or pressure that is not finite, or a pressure below zero.
    #[error(
        "vertex {index} of a pressure field has the pressure {pressure} Pa at {position}: expected finite numbers, and no pressure below 0"
    )]
    Vertex {
        /// Its index from 0.
        index: usize,
        /// Its position in m.
        position: DVec3,
        /// Its pressure.
        pressure: f64,
    },
    /// Not one pressure for each vertex.
    #[error("a pressure field has {vertices} vertices but {pressures} pressures")]
    Count {
        /// How many vertices.
        vertices: usize,
        /// How many pressures.
        pressures: usize,
    },
    /// A tetrahedron that names a vertex that does not exist.
    #[error(
        "tetrahedron {tet} of a pressure field names vertex {vertex}, but there are {count} vertices, counted from 0"
    )]
    Index {
        /// The tetrahedron, from 0.
        tet: usize,
        /// The vertex that it names.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// Arrays that do not match the rod.
    #[error(
        "a rod of {edges} edges has {count} nodes and {edges} directors, but {nodes} nodes and {directors} directors are given"
    )]
    Rod {
        /// Nodes that are given.
        nodes: usize,
        /// Directors that are given.
        directors: usize,
        /// Edges of the rod.
        edges: usize,
        /// Nodes of the rod.
        count: usize,
    },
    /// No cell has a volume and a pressure.
    #[error("a pressure field needs at least one tetrahedron with a volume and a pressure above 0")]
    Empty,
    /// A shape without an inside.
    #[error("a {shape} has no inside for a pressure field ({reason}): make it rigid, or close it")]
    Open {
        /// Kind of the shape.
        shape: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Too fine.
    #[error(
        "a pressure field with elements of {resolution} m would have more than {limit} cells: choose a greater resolution"
    )]
    TooFine {
        /// The requested length.
        resolution: f64,
        /// The greatest number of cells.
        limit: usize,
    },
}

impl PressureField {
    /// A field from a mesh: vertices in m, tetrahedra as indices, pressures in Pa by vertex. Tetrahedra without volume
    /// or without pressure are left out.
    pub fn new(vertices: &[DVec3], tets: &[[u32; 4]], pressures: &[f64]) -> Result<Self, FieldError> {
        if vertices.len() != pressures.len() {
            return Err(FieldError::Count { vertices: vertices.len(), pressures: pressures.len() });
        }
        for (index, (&position, &pressure)) in vertices.iter().zip(pressures).enumerate() {
            if !(position.is_finite() && pressure.is_finite() && pressure >= 0.0) {
                return Err(FieldError::Vertex { index, position, pressure });
            }
        }
        let mut all = Vec::with_capacity(tets.len());
        for (tet, corners) in tets.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
                return Err(FieldError::Index { tet, vertex, count: vertices.len() });
            }
            all.extend(Tet::new(
                corners.map(|v| vertices[v as usize]),
                corners.map(|v| pressures[v as usize]),
            ));
        }
        Self::of_tets(all)
    }

    /// A field of valid cells.
    pub(crate) fn of_tets(tets: Vec<Tet>) -> Result<Self, FieldError> {
        if tets.is_empty() {
            return Err(FieldError::Empty);
        }
        let boxes: Vec<Aabb> = tets.iter().map(|t| t.cell.bounds()).collect();
        Ok(Self { tree: Bvh::spatial(&boxes), tets, faces: Vec::new() })
    }

    /// The same field, known to be that of a convex solid with these outward unit normals and offsets (n·x on the face).
    pub(crate) fn with_faces(self, normals: &[DVec3], offsets: &[f64]) -> Self {
        Self { faces: normals.iter().copied().zip(offsets.iter().copied()).collect(), ..self }
    }

    /// Distance in m from a point inside to the skin along a unit vector; 0 if unknown.
    pub fn exit_distance(&self, x: DVec3, along: DVec3) -> f64 {
        let exits = self.faces.iter().map(|&(n, offset)| (offset - n.dot(x), n.dot(along)));
        exits.filter(|w| w.1 > 0.0).map(|(depth, speed)| depth / speed).reduce(f64::min).unwrap_or(0.0)
    }

    /// Its cells.
    pub fn tets(&self) -> &[Tet] {
        &self.tets
    }

    /// The bounding-volume hierarchy of its cells.
    pub fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Its bounding box.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// The pressure at a point of the body's frame, 0 outside.
    pub fn pressure(&self, x: DVec3) -> f64 {
        let mut best: f64 = 0.0;
        self.tree.query(&Aabb { min: x, max: x }, |k| {
            let tet = &self.tets[k as usize];
            // On a face round-off may put the point outside of both neighbors.
            if tet.coordinates(x).iter().all(|&l| l >= -1e-12) {
                best = best.max(tet.cell.pressure(x));
            }
        });
        best
    }
}
