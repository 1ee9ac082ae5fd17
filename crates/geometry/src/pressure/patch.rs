//! Caller-owned lists of polygons, and their sums.

use super::clip::Loop;
use super::polygon::{Fade, PatchPolygon};
use crate::aabb::Bounds;
use glam::DVec3;
use ropewalk_linalg::Pose;

/// A list of polygons. Reuse it: then nothing is allocated after warm-up.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// The polygons.
    pub polygons: Vec<PatchPolygon>,
    /// Corners of polygons, if they are recorded.
    pub vertices: Vec<DVec3>,
    /// Number of intersected pairs of cells, or of cells and triangles.
    pub candidates: usize,
    /// Whether corners are recorded: for reports and pictures, not needed for forces.
    pub keep_vertices: bool,
    /// How the weight of polygons that face the wrong direction fades.
    pub fade: Fade,
    /// Cells or facets of a body near an edge, with their boxes.
    pub(crate) near: Vec<(Bounds, u32)>,
    /// Points of an edge in the frame of a body.
    pub(crate) points: Vec<DVec3>,
}

impl Patch {
    /// An empty one.
    pub fn new(fade: Fade, keep_vertices: bool) -> Self {
        Self { fade, keep_vertices, ..Self::default() }
    }

    /// Removes the polygons, not the memory.
    pub fn clear(&mut self) {
        self.polygons.clear();
        self.vertices.clear();
        self.candidates = 0;
    }

    /// Force on A in N.
    pub fn force_on_a(&self) -> DVec3 {
        self.polygons.iter().map(PatchPolygon::force).sum()
    }

    /// Moment of the force on A about a point in N m.
    pub fn moment_on_a(&self, about: DVec3) -> DVec3 {
        self.polygons.iter().map(|p| (p.point - about).cross(p.force())).sum()
    }

    /// Area in m².
    pub fn area(&self) -> f64 {
        self.polygons.iter().map(|p| p.area).sum()
    }

    /// Centroid of the area in m; none without a polygon.
    pub fn centroid(&self) -> Option<DVec3> {
        let area = self.area();
        let moment: DVec3 = self.polygons.iter().map(|p| p.area * p.centroid).sum();
        (area > 0.0).then(|| moment / area)
    }

    /// Mean of the polygons' centers of pressure weighted by force. None without a polygon.
    pub fn center_of_pressure(&self) -> Option<DVec3> {
        let force: f64 = self.polygons.iter().map(|p| p.area * p.pressure).sum();
        let moment: DVec3 = self.polygons.iter().map(|p| p.area * p.pressure * p.point).sum();
        (force > 0.0).then(|| moment / force)
    }

    /// The corners of a polygon, if they are recorded.
    pub fn corners(&self, polygon: &PatchPolygon) -> &[DVec3] {
        let first = polygon.first_vertex as usize;
        self.vertices.get(first..first + polygon.vertex_count as usize).unwrap_or(&[])
    }

    /// Adds a polygon found in the axes of `frame`, as the pair (A, B) or, if `swap`, as (B, A).
    #[inline]
    pub(crate) fn add(
        &mut self,
        found: Option<PatchPolygon>,
        polygon: &Loop,
        elements: [u32; 2],
        frame: &Frame,
        swap: bool,
    ) {
        let Some(mut found) = found else { return };
        [found.element_a, found.element_b] = elements;
        found.centroid = frame.point(found.centroid);
        found.point = frame.point(found.point);
        found.normal = frame.rotation * found.normal;
        if self.keep_vertices {
            found.first_vertex = self.vertices.len() as u32;
            found.vertex_count = polygon.points().len() as u32;
            self.vertices.extend(polygon.points().iter().map(|&p| frame.point(p)));
        }
        self.polygons.push(if swap { found.swapped() } else { found });
    }
}

/// A pose with its rotation as a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) rotation: glam::DMat3,
    pub(crate) position: DVec3,
}

impl Frame {
    pub(crate) const WORLD: Self = Self { rotation: glam::DMat3::IDENTITY, position: DVec3::ZERO };

    pub(crate) fn of(pose: &Pose) -> Self {
        Self { rotation: pose.matrix(), position: pose.position }
    }

    #[inline(always)]
    pub(crate) fn point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.position
    }

    /// The outer frame as seen from this one.
    pub(crate) fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, position: -(rotation * self.position) }
    }

    /// This frame after `inner`.
    pub(crate) fn times(&self, inner: &Self) -> Self {
        Self { rotation: self.rotation * inner.rotation, position: self.point(inner.position) }
    }
}
