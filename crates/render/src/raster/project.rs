//! Primitives, from the world to the image.

use super::round::ProjectedRound;
use super::{Span, bins::Kind};
use crate::camera::Lens;
use crate::geometry::{Geometry, Triangle};
use glam::{DVec3, Vec3};

/// The projected primitives of a frame. Reused from frame to frame.
#[derive(Clone, Debug)]
pub(crate) struct Projected {
    pub(crate) lens: Lens,
    /// Samples across and down.
    pub(crate) size: [usize; 2],
    /// Pixel coordinates and nearness, by vertex.
    pub(crate) vertices: Vec<[f32; 3]>,
    /// Normals in the camera's frame, by vertex.
    pub(crate) normals: Vec<Vec3>,
    /// Stripe, by vertex.
    pub(crate) stripes: Vec<f32>,
    /// Triangles that may be visible.
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) rounds: Vec<ProjectedRound>,
    pub(crate) planes: Vec<ProjectedPlane>,
    /// Whether a vertex is in front of the camera.
    front: Vec<bool>,
}

/// A plane in the image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectedPlane {
    /// Nearness is `value + dx x + dy y`.
    value: f64,
    dx: f64,
    dy: f64,
    /// Samples with a nearness above this are behind the camera.
    limit: f32,
    /// Whether the front of the plane is visible, where its nearness is above this.
    least: f64,
    /// Normal in the camera's frame.
    pub(crate) normal: Vec3,
    /// Index in [`Geometry::planes`].
    pub(crate) index: usize,
    pub(crate) surface: u32,
}

impl Projected {
    pub(crate) fn new(lens: Lens, size: [usize; 2]) -> Self {
        Self {
            lens,
            size,
            vertices: Vec::new(),
            normals: Vec::new(),
            stripes: Vec::new(),
            triangles: Vec::new(),
            rounds: Vec::new(),
            planes: Vec::new(),
            front: Vec::new(),
        }
    }

    /// Projects all of `geometry`; for a shadow map (`lit` is false) without normals, which it does not need, and
    /// planes, which cast no shadow.
    pub(crate) fn fill(&mut self, geometry: &Geometry, lens: Lens, size: [usize; 2], lit: bool) {
        (self.lens, self.size) = (lens, size);
        self.vertices.clear();
        self.normals.clear();
        self.stripes.clear();
        self.front.clear();
        self.triangles.clear();
        self.rounds.clear();
        self.planes.clear();
        for p in &geometry.points {
            let c = lens.point(*p);
            self.front.push(c.z > lens.near);
            self.vertices.push(lens.project(c).map(|v| v as f32));
        }
        if lit {
            let rotation = lens.rotation.as_mat3();
            self.normals.extend(geometry.normals.iter().map(|n| rotation * *n));
            self.stripes.extend_from_slice(&geometry.stripes);
        }
        for triangle in &geometry.triangles {
            self.add_triangle(geometry, triangle, lit);
        }
        for round in &geometry.rounds {
            let (ends, mark) = (round.ends.map(|p| lens.point(p)), lens.vector(round.mark));
            self.rounds.extend(ProjectedRound::new(round, ends, mark, &lens, size));
        }
        if lit {
            let planes = geometry.planes.iter().enumerate();
            let seen = planes.filter_map(|(index, plane)| {
                let normal = lens.vector(plane.pose.vector(DVec3::Z));
                ProjectedPlane::new(lens.point(plane.pose.position), normal, &lens, index, plane.surface)
            });
            self.planes.extend(seen);
        }
    }

    fn add_triangle(&mut self, geometry: &Geometry, triangle: &Triangle, lit: bool) {
        let inside = triangle.corners.map(|v| self.front[v as usize]);
        if inside == [true; 3] {
            self.keep(geometry, *triangle, lit);
        } else if inside != [false; 3] {
            self.clip(geometry, triangle, lit);
        }
    }

    /// Keeps a triangle that is in front of the camera, if it faces it and is in the image.
    fn keep(&mut self, geometry: &Geometry, triangle: Triangle, lit: bool) {
        let [a, b, c] = triangle.corners.map(|v| self.vertices[v as usize]);
        // Counter-clockwise from outside is clockwise in the image, where y runs down.
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let away = area >= 0.0 && !geometry.surfaces[triangle.surface as usize].two_sided;
        // In a shadow, thin walls seen from behind count too.
        if (away && lit) || !area.is_finite() {
            return;
        }
        let outside = |k: usize, limit: usize| {
            let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
            high <= 0.0 || low >= limit as f32
        };
        if !outside(0, self.size[0]) && !outside(1, self.size[1]) {
            self.triangles.push(triangle);
        }
    }

    /// Clips the part behind the camera: a triangle becomes one or two.
    fn clip(&mut self, geometry: &Geometry, triangle: &Triangle, lit: bool) {
        let mut polygon = [0_u32; 4];
        let mut count = 0;
        let mut push = |v: u32| {
            polygon[count] = v;
            count += 1;
        };
        for k in 0..3 {
            let (v, w) = (triangle.corners[k], triangle.corners[(k + 1) % 3]);
            if self.front[v as usize] {
                push(v);
            }
            if self.front[v as usize] != self.front[w as usize] {
                push(self.vertices.len() as u32);
                let [p, q] = [v, w].map(|i| self.lens.point(geometry.points[i as usize]));
                // Slightly in front, so that its nearness is finite and positive.
                let edge = self.lens.near * (1.0 + 1e-9) + 1e-300;
                let t = ((edge - p.z) / (q.z - p.z)).clamp(0.0, 1.0);
                let cut = DVec3 { z: edge, ..p.lerp(q, t) };
                self.vertices.push(self.lens.project(cut).map(|c| c as f32));
                if lit {
                    let (n, m) = (geometry.normals[v as usize], geometry.normals[w as usize]);
                    self.normals.push(self.lens.rotation.as_mat3() * n.lerp(m, t as f32));
                    let (a, b) = (geometry.stripes[v as usize], geometry.stripes[w as usize]);
                    self.stripes.push(a + (b - a) * t as f32);
                }
            }
        }
        let surface = triangle.surface;
        if count >= 3 {
            self.keep(geometry, Triangle { corners: [polygon[0], polygon[1], polygon[2]], surface }, lit);
        }
        if count == 4 {
            self.keep(geometry, Triangle { corners: [polygon[0], polygon[2], polygon[3]], surface }, lit);
        }
    }

    /// First and one past the last row that a primitive reaches.
    pub(crate) fn rows(&self, kind: Kind) -> [usize; 2] {
        match kind {
            Kind::Triangle(t) => {
                let y = self.triangles[t].corners.map(|v| self.vertices[v as usize][1]);
                let (low, high) = (y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2]));
                let limit = self.size[1];
                [(low.max(0.0) as usize).min(limit), (high.max(0.0).ceil() as usize).min(limit)]
            }
            Kind::Round(r) => self.rounds[r].rows,
            Kind::Plane(_) => [0, self.size[1]],
        }
    }

    /// The surface of a primitive.
    pub(crate) fn surface(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Triangle(t) => self.triangles[t].surface,
            Kind::Round(r) => self.rounds[r].surface,
            Kind::Plane(p) => self.planes[p].surface,
        }
    }

    /// Nearness of its middle.
    pub(crate) fn middle(&self, kind: Kind) -> f32 {
        match kind {
            Kind::Triangle(t) => {
                self.triangles[t].corners.iter().map(|&v| self.vertices[v as usize][2]).sum::<f32>() / 3.0
            }
            Kind::Round(r) => self.rounds[r].middle(&self.lens),
            Kind::Plane(_) => f32::NEG_INFINITY,
        }
    }
}

impl ProjectedPlane {
    /// The projection of a plane through `point` with `normal` in the camera's frame; `None` if its front is not
    /// visible.
    fn new(point: DVec3, normal: DVec3, lens: &Lens, index: usize, surface: u32) -> Option<Self> {
        let offset = normal.dot(point);
        let (value, dx, dy) = match lens.perspective {
            // n·(z d) = n·p: 1/z = n·d / n·p. The eye, at the origin, is in front if n·p < 0.
            true if offset < 0.0 => {
                let scale = 1.0 / offset;
                (normal.z * scale, normal.x * scale / lens.focal, normal.y * scale / lens.focal)
            }
            // n·(o + z e_z) = n·p: −z = (n·o − n·p)/n_z, seen from the front if n_z < 0.
            false if normal.z < -1e-9 => {
                let scale = 1.0 / normal.z;
                (-offset * scale, normal.x * scale / lens.focal, normal.y * scale / lens.focal)
            }
            _ => return None,
        };
        Some(Self {
            value: value - dx * lens.center[0] - dy * lens.center[1],
            dx,
            dy,
            limit: if lens.perspective { (1.0 / lens.near) as f32 } else { 0.0 },
            // Farther than a million times the distance to the plane is the horizon.
            least: if lens.perspective { -1e-6 / offset } else { f64::NEG_INFINITY },
            normal: normal.as_vec3(),
            index,
            surface,
        })
    }

    /// Calls `span` for the parts of rows in which it is visible.
    pub(crate) fn spans(
        &self,
        rows: core::ops::Range<usize>,
        width: usize,
        mut span: impl FnMut(usize, usize, Span),
    ) {
        for row in rows {
            let left = self.value + self.dy * (row as f64 + 0.5) + self.dx * 0.5;
            // Samples k with lo < k < hi are beyond neither the horizon nor the camera.
            let (mut lo, mut hi) = (-1.0, width as f64);
            for (bound, side) in [(self.least, 1.0), (f64::from(self.limit), -1.0)] {
                // side · (left + dx k) > side · bound.
                let (margin, slope) = (side * (left - bound), side * self.dx);
                let crossing = -margin / slope;
                match slope {
                    s if s > 0.0 => lo = crossing.max(lo),
                    s if s < 0.0 => hi = crossing.min(hi),
                    _ if margin > 0.0 => {}
                    _ => hi = lo,
                }
            }
            // (Casts saturate.)
            let (start, stop) = ((lo.floor() + 1.0) as usize, (hi.ceil().max(0.0) as usize).min(width));
            if start < stop {
                let nearness = (left + self.dx * start as f64) as f32;
                let bounds = [self.least as f32, self.limit];
                let count = stop - start;
                span(row, start, Span::Affine { count, nearness, slope: self.dx as f32, bounds });
            }
        }
    }
}
