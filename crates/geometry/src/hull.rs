//! Convex hulls of point sets, by quickhull (Barber, Dobkin, Huhdanpaa 1996).
//!
//! From a tetrahedron outwards: each face keeps the points outside it; the farthest of them replaces the faces that
//! it sees by a cone over their rim. A point sees a face if it lies more than a tolerance outside; the faces that it
//! sees are found by walking from one to the next, so the rim is closed in spite of round-off. The result is checked
//! (every point within a few tolerances, every edge in two faces); if the check fails the tolerance grows.
//!
//! Own code rather than a library: degenerate points must be an error here, never a panic.

use crate::hull_support::Climb;
use crate::mesh::TriangleMesh;
use crate::shape::ShapeError;
use glam::DVec3;
use std::collections::BTreeMap;

/// Greatest number of faces created while a hull grows, enough for some ten thousand corners.
const MOST_FACES: usize = 300_000;
/// Greatest number of pairs of points and faces in the final check, which takes some seconds.
const MOST_PAIRS: usize = 2_000_000_000;

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexHull {
    /// Corners in m.
    pub vertices: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from outside; large faces are several of them.
    pub triangles: Vec<[u32; 3]>,
    /// Unit normals of the faces, outward; triangles of one plane share one.
    pub normals: Vec<DVec3>,
    /// By face: n·x on the face, in m.
    pub offsets: Vec<f64>,
    /// Edges between faces of different planes.
    pub edges: Vec<HullEdge>,
    /// Mean of the corners in m.
    pub(crate) middle: DVec3,
    /// Greatest distance of a corner from the origin in m.
    pub(crate) reach: f64,
    climb: Climb,
}

/// An edge of a hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullEdge {
    /// Its ends, as indices of vertices.
    pub ends: [u32; 2],
    /// The faces that meet in it, as indices of normals.
    pub faces: [u32; 2],
    /// Unit vector from its first end to its second.
    pub direction: DVec3,
}

impl ConvexHull {
    /// The surface as a mesh.
    pub fn mesh(&self) -> TriangleMesh {
        TriangleMesh { vertices: self.vertices.clone(), triangles: self.triangles.clone() }
    }

    /// The corner farthest along `d`.
    #[inline]
    pub fn support(&self, d: DVec3) -> DVec3 {
        self.climb.farthest(&self.vertices, d)
    }

    /// The same hull, half as large about the mean of its corners.
    pub(crate) fn halved(&self) -> Self {
        let (mut small, center) = (self.clone(), self.middle);
        small.vertices.iter_mut().for_each(|v| *v = 0.5 * (*v + center));
        for (offset, n) in small.offsets.iter_mut().zip(&self.normals) {
            *offset = 0.5 * (*offset + n.dot(center));
        }
        small.reach = farthest_from_origin(&small.vertices);
        small
    }
}

struct Face {
    corners: [usize; 3],
    /// The neighbor across the edge from corner k to corner k + 1.
    neighbors: [usize; 3],
    normal: DVec3,
    offset: f64,
    outside: Vec<usize>,
    alive: bool,
}

impl Face {
    fn new(points: &[DVec3], corners: [usize; 3]) -> Option<Self> {
        let [a, b, c] = corners.map(|i| points[i]);
        // Relative to the corner opposite the longest edge: least cancellation.
        let edges = [(b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared()];
        let n = if edges[0] >= edges[1] && edges[0] >= edges[2] {
            (a - c).cross(b - c)
        } else if edges[1] >= edges[2] {
            (b - a).cross(c - a)
        } else {
            (c - b).cross(a - b)
        };
        let length = n.length();
        if length == 0.0 || !length.is_finite() {
            return None;
        }
        let normal = n / length;
        let offset = normal.dot((a + b + c) / 3.0);
        Some(Self { corners, neighbors: [0; 3], normal, offset, outside: Vec::new(), alive: true })
    }

    fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

/// The convex hull of points.
pub fn convex_hull(points: &[DVec3]) -> Result<ConvexHull, ShapeError> {
    if let Some(index) = points.iter().position(|v| !v.is_finite()) {
        return Err(ShapeError::Vertex { shape: "convex", index });
    }
    if points.len() < 4 {
        return Err(ShapeError::FewPoints { count: points.len() });
    }
    // Centered and scaled to about 1, so that tolerances are pure numbers.
    let bounds = crate::aabb::Aabb::of_points(points);
    let (center, extent) = (bounds.center(), bounds.half().max_element());
    if extent == 0.0 || !extent.is_finite() {
        return Err(ShapeError::Flat { extent: 2.0 * extent, thickness: 0.0 });
    }
    let scaled: Vec<DVec3> = points.iter().map(|&p| (p - center) / extent).collect();
    let start = first_tetrahedron(&scaled)
        .map_err(|thickness| ShapeError::Flat { extent: 2.0 * extent, thickness: thickness * extent })?;
    for tolerance in [1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7] {
        let faces = expand(&scaled, start, tolerance);
        let alive = |faces: &[Face]| faces.iter().filter(|f| f.alive).count();
        if faces.as_ref().is_some_and(|faces| {
            faces.len() > MOST_FACES || alive(faces).saturating_mul(points.len()) > MOST_PAIRS
        }) {
            return Err(ShapeError::LargeHull { count: points.len() });
        }
        if let Some(mut hull) = faces.and_then(|faces| finish(&scaled, faces, tolerance)) {
            hull.vertices.iter_mut().for_each(|v| *v = center + *v * extent);
            for (offset, n) in hull.offsets.iter_mut().zip(&hull.normals) {
                *offset = *offset * extent + n.dot(center);
            }
            hull.middle = center + hull.middle * extent;
            hull.reach = farthest_from_origin(&hull.vertices);
            return Ok(hull);
        }
    }
    Err(ShapeError::Hull { count: points.len() })
}

/// Four points far apart, or the thickness of the set if it is flat.
fn first_tetrahedron(points: &[DVec3]) -> Result<[usize; 4], f64> {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points.iter().enumerate().fold((0, -1.0), |best, (i, &p)| match measure(p) > best.1 {
            true => (i, measure(p)),
            false => best,
        })
    };
    let a = farthest(&|p| p.length_squared()).0;
    let (b, _) = farthest(&|p| p.distance_squared(points[a]));
    let u = (points[b] - points[a]).normalize_or_zero();
    let (c, off_line) = farthest(&|p| (p - points[a]).cross(u).length());
    let n = u.cross(points[c] - points[a]).normalize_or_zero();
    let (d, thickness) = farthest(&|p| (p - points[a]).dot(n).abs());
    if off_line < 1e-9 || thickness < 1e-9 {
        return Err(thickness.min(off_line));
    }
    match (points[d] - points[a]).dot(n) > 0.0 {
        true => Ok([a, c, b, d]),
        false => Ok([a, b, c, d]),
    }
}

/// Faces of the hull, or the first of more than [`MOST_FACES`]; none if a face has no area.
fn expand(points: &[DVec3], [a, b, c, d]: [usize; 4], tolerance: f64) -> Option<Vec<Face>> {
    // Counter-clockwise from outside: d lies below (a, b, c).
    let mut faces = Vec::new();
    for corners in [[a, b, c], [b, a, d], [c, b, d], [a, c, d]] {
        faces.push(Face::new(points, corners)?);
    }
    for (f, neighbors) in [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]].into_iter().enumerate() {
        faces[f].neighbors = neighbors;
    }
    let all: Vec<usize> = (0..points.len()).collect();
    hand_out(points, &mut faces, 0, &all, tolerance);
    let mut next = 0;
    // Each pass adds a corner; the bound only guards against round-off.
    for _ in 0..4 * points.len() {
        while next < faces.len() && (!faces[next].alive || faces[next].outside.is_empty()) {
            next += 1;
        }
        let Some(face) = faces.get(next).filter(|_| faces.len() <= MOST_FACES) else { return Some(faces) };
        let far = face.outside.iter().fold((usize::MAX, f64::NEG_INFINITY), |best, &i| {
            let h = face.height(points[i]);
            if h > best.1 { (i, h) } else { best }
        });
        // Only new faces get points.
        add_corner(points, &mut faces, next, far.0, tolerance)?;
    }
    None
}

/// Assigns each point to the first face, from `first` on, that it lies outside of.
fn hand_out(points: &[DVec3], faces: &mut [Face], first: usize, list: &[usize], tolerance: f64) {
    for &i in list {
        let seen = faces[first..].iter_mut().find(|f| f.alive && f.height(points[i]) > tolerance);
        if let Some(face) = seen {
            face.outside.push(i);
        }
    }
}

fn add_corner(points: &[DVec3], faces: &mut Vec<Face>, seen: usize, p: usize, tolerance: f64) -> Option<()> {
    let mut visible = vec![seen];
    faces[seen].alive = false;
    let mut rim = Vec::new();
    let mut orphans = Vec::new();
    let mut k = 0;
    while k < visible.len() {
        let f = visible[k];
        k += 1;
        orphans.append(&mut faces[f].outside);
        for side in 0..3 {
            let g = faces[f].neighbors[side];
            if !faces[g].alive {
                continue;
            }
            if faces[g].height(points[p]) > tolerance {
                faces[g].alive = false;
                visible.push(g);
            } else {
                rim.push((faces[f].corners[side], faces[f].corners[(side + 1) % 3], g));
            }
        }
    }
    // A face first met as a neighbor may turn out visible later: its sides are then not part of the rim.
    rim.retain(|&(_, _, g)| faces[g].alive);
    let first = faces.len();
    let mut open: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    for &(u, v, across) in &rim {
        let f = faces.len();
        let mut face = Face::new(points, [u, v, p])?;
        face.neighbors[0] = across;
        faces.push(face);
        let back =
            (0..3).find(|&s| faces[across].corners[s] == v && faces[across].corners[(s + 1) % 3] == u)?;
        faces[across].neighbors[back] = f;
        for (side, (from, to)) in [(1, (v, p)), (2, (p, u))] {
            match open.remove(&(to, from)) {
                Some((g, other)) => {
                    faces[f].neighbors[side] = g;
                    faces[g].neighbors[other] = f;
                }
                None => {
                    if open.insert((from, to), (f, side)).is_some() {
                        return None;
                    }
                }
            }
        }
    }
    if !open.is_empty() {
        return None;
    }
    orphans.retain(|&i| i != p);
    hand_out(points, faces, first, &orphans, tolerance);
    Some(())
}

/// Renumbers corners, merges triangles of one plane, collects edges, and checks the result.
fn finish(points: &[DVec3], faces: Vec<Face>, tolerance: f64) -> Option<ConvexHull> {
    let alive: Vec<usize> = (0..faces.len()).filter(|&f| faces[f].alive).collect();
    let highest = |p: &DVec3| alive.iter().map(|&f| faces[f].height(*p)).fold(f64::NEG_INFINITY, f64::max);
    if points.iter().any(|p| highest(p) > 4.0 * tolerance) {
        return None;
    }
    let mut plane = vec![u32::MAX; faces.len()];
    let (mut normals, mut offsets): (Vec<DVec3>, Vec<f64>) = (Vec::new(), Vec::new());
    // Largest triangles first: they give the best normals.
    let area = |f: usize| {
        let [a, b, c] = faces[f].corners.map(|i| points[i]);
        (b - a).cross(c - a).length()
    };
    let mut by_area = alive.clone();
    by_area.sort_by(|&f, &g| area(g).total_cmp(&area(f)).then(f.cmp(&g)));
    for &seed in &by_area {
        if plane[seed] != u32::MAX {
            continue;
        }
        let id = normals.len() as u32;
        normals.push(faces[seed].normal);
        offsets.push(faces[seed].offset);
        plane[seed] = id;
        let mut stack = vec![seed];
        while let Some(f) = stack.pop() {
            for g in faces[f].neighbors {
                let flat =
                    faces[g].corners.iter().all(|&i| faces[seed].height(points[i]).abs() <= 10.0 * tolerance);
                if plane[g] == u32::MAX && flat && faces[g].normal.dot(faces[seed].normal) > 0.5 {
                    plane[g] = id;
                    stack.push(g);
                }
            }
        }
    }
    let mut number = BTreeMap::new();
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let mut edges = Vec::new();
    for &f in &alive {
        triangles.push(faces[f].corners.map(|i| {
            *number.entry(i).or_insert_with(|| {
                vertices.push(points[i]);
                (vertices.len() - 1) as u32
            })
        }));
    }
    for &f in &alive {
        for side in 0..3 {
            let g = faces[f].neighbors[side];
            let (u, v) = (faces[f].corners[side], faces[f].corners[(side + 1) % 3]);
            let back = (0..3).any(|s| faces[g].corners[s] == v && faces[g].corners[(s + 1) % 3] == u);
            if !faces[g].alive || !back {
                return None;
            }
            if f < g && plane[f] != plane[g] {
                let direction = (points[v] - points[u]).normalize_or_zero();
                edges.push(HullEdge {
                    ends: [number[&u], number[&v]],
                    faces: [plane[f], plane[g]],
                    direction,
                });
            }
        }
    }
    let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
    let (reach, climb) = (farthest_from_origin(&vertices), Climb::new(&vertices, &triangles));
    Some(ConvexHull { vertices, triangles, normals, offsets, edges, middle, reach, climb })
}

fn farthest_from_origin(vertices: &[DVec3]) -> f64 {
    vertices.iter().map(|v| v.length()).fold(0.0, f64::max)
}
