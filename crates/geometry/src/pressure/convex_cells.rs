//! The exact interior distance field of a convex polyhedron.
//!
//! With d_i(x) = o_i − n_i·x the depth below face i, the distance to the skin is min_i d_i: linear in each cell {d_i
//! ≥ 0, d_i ≤ d_j for all j}, which is convex and has face i as its base. The pressure is E min_i d_i/D with D the
//! greatest depth. Each cell is cut out of a box by its planes and split into tetrahedra from its deepest corner.
//! Neighboring cells need not share triangles: the field is linear within each and equal on both sides of a border.

use super::field::FieldError;
use super::tet::Tet;
use crate::aabb::Aabb;
use glam::DVec3;

/// Tolerance, relative to the size, for coincident points and points on a plane.
const SAME: f64 = 1e-11;

/// Cells of the field of a convex solid with outward unit normals and offsets (n·x on the face).
pub(crate) fn convex_field(
    normals: &[DVec3],
    offsets: &[f64],
    bounds: &Aabb,
    modulus: f64,
) -> Result<Vec<Tet>, FieldError> {
    let size = bounds.half().max_element();
    let tolerance = SAME * size;
    let start = bounds.grown(0.1 * size);
    let cells: Vec<Polytope> = (0..normals.len())
        .map(|i| {
            let mut cell = Polytope::of_box(&start);
            cell.clip(normals[i], offsets[i], tolerance);
            for j in 0..normals.len() {
                // d_i − d_j = (n_j − n_i)·x − (o_j − o_i) ≤ 0
                let across = normals[j] - normals[i];
                let length = across.length();
                if j != i && length > SAME {
                    cell.clip(across / length, (offsets[j] - offsets[i]) / length, tolerance);
                }
            }
            cell
        })
        .collect();
    let depth = |i: usize, x: DVec3| {
        let d = offsets[i] - normals[i].dot(x);
        if d <= tolerance { 0.0 } else { d }
    };
    let mut deepest: f64 = 0.0;
    for (i, cell) in cells.iter().enumerate() {
        deepest = cell.corners().fold(deepest, |most, x| most.max(depth(i, x)));
    }
    if deepest == 0.0 {
        return Err(FieldError::Empty);
    }
    let mut tets = Vec::new();
    for (i, cell) in cells.iter().enumerate() {
        let pressure = |x: DVec3| modulus * depth(i, x) / deepest;
        cell.for_each_tet(&|x| depth(i, x), tolerance, |t| tets.extend(Tet::new(t, t.map(pressure))));
    }
    Ok(tets)
}

/// A convex solid by its faces.
struct Polytope {
    faces: Vec<Vec<DVec3>>,
}

impl Polytope {
    fn of_box(b: &Aabb) -> Self {
        let corner = |k: usize| {
            let pick = |bit: usize, low: f64, high: f64| if k >> bit & 1 == 1 { high } else { low };
            DVec3::new(pick(0, b.min.x, b.max.x), pick(1, b.min.y, b.max.y), pick(2, b.min.z, b.max.z))
        };
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Self { faces: faces.map(|f| f.map(corner).to_vec()).to_vec() }
    }

    fn corners(&self) -> impl Iterator<Item = DVec3> {
        self.faces.iter().flatten().copied()
    }

    /// Clips to n·x ≤ offset.
    fn clip(&mut self, n: DVec3, offset: f64, tolerance: f64) {
        let height = |x: DVec3| n.dot(x) - offset;
        if self.corners().all(|x| height(x) <= tolerance) {
            return;
        }
        let mut cap: Vec<DVec3> = Vec::new();
        let keep = |cap: &mut Vec<DVec3>, p: DVec3| {
            if cap.iter().all(|q| q.distance(p) > tolerance) {
                cap.push(p);
            }
        };
        for face in &mut self.faces {
            let mut left = Vec::with_capacity(face.len() + 1);
            for k in 0..face.len() {
                let (p, q) = (face[k], face[(k + 1) % face.len()]);
                let (hp, hq) = (height(p), height(q));
                if hp <= tolerance {
                    left.push(p);
                    if hp >= -tolerance {
                        keep(&mut cap, p);
                    }
                }
                // Only where both are clearly off the plane: a corner on it stays.
                if (hp < -tolerance && hq > tolerance) || (hp > tolerance && hq < -tolerance) {
                    let cut = p + hp / (hp - hq) * (q - p);
                    left.push(cut);
                    keep(&mut cap, cut);
                }
            }
            *face = left;
        }
        self.faces.retain(|f| f.len() > 2);
        if cap.len() > 2 && !self.faces.is_empty() {
            let middle = cap.iter().sum::<DVec3>() / cap.len() as f64;
            let x = (cap[0] - middle).normalize_or_zero();
            let y = n.cross(x);
            let angle = |p: &DVec3| (*p - middle).dot(y).atan2((*p - middle).dot(x));
            cap.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
            self.faces.push(cap);
        }
    }

    /// Tetrahedra from the deepest corner to the triangles of all faces that it is not on.
    fn for_each_tet(&self, depth: &impl Fn(DVec3) -> f64, tolerance: f64, mut visit: impl FnMut([DVec3; 4])) {
        let Some(apex) = self.corners().max_by(|p, q| depth(*p).total_cmp(&depth(*q))) else { return };
        for face in &self.faces {
            let normal: DVec3 = face
                .windows(2)
                .map(|w| (w[0] - face[0]).cross(w[1] - face[0]))
                .sum::<DVec3>()
                .normalize_or_zero();
            if normal.dot(apex - face[0]).abs() <= tolerance {
                continue;
            }
            for w in face[1..].windows(2) {
                visit([apex, face[0], w[0], w[1]]);
            }
        }
    }
}
