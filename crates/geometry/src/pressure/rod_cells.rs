//! The cells of an edge of a rod, between the sections at its two nodes.
//!
//! They are made of the gathered points of the edge: the section at its first node, that at its second, and medial
//! points of the end faces. So they can be computed in any frame and on demand.

use super::convex::ConvexCell;
use super::grid_cells::prism;
use super::rod_section::{RodSection, SectionFace};
use super::tet::Tet;
use crate::aabb::Aabb;
use glam::DVec3;

/// Sine of the angle up to which lines along an edge count as parallel.
const PARALLEL: f64 = 1e-9;

/// Indices of the gathered points of the tetrahedra of an edge.
#[derive(Clone, Debug)]
pub(crate) struct CellTemplate {
    /// Between the sections, where the faces of sectors and strips are not plane.
    between: Vec<[u16; 4]>,
    /// At the end faces of an open rod.
    caps: [Vec<[u16; 4]>; 2],
}

impl CellTemplate {
    pub(crate) fn of(section: &RodSection) -> Self {
        let (n, m) = (section.points.len() as u16, section.medial_count as u16);
        let triangles = || section.faces.iter().flat_map(SectionFace::triangles);
        let mut between = Vec::new();
        triangles().for_each(|t| prism(t, t.map(|k| k + n), |tet| between.push(tet)));
        let mut caps = [Vec::new(), Vec::new()];
        for (side, cap) in [0u16, 1].into_iter().zip(&mut caps) {
            for t in triangles() {
                let inner = t.map(|k| side * n + k);
                let outer = t.map(|k| if k < m { 2 * n + side * m + k } else { side * n + k });
                prism(inner, outer, |tet| {
                    // Where a corner lies on the skin the prism has no height, and some of the three vanish.
                    let again = (0..4).any(|i| (0..i).any(|j| tet[i] == tet[j]));
                    if !again {
                        cap.push(tet);
                    }
                });
            }
        }
        Self { between, caps }
    }

    /// Visits the cells whose boxes `wanted` accepts, with their index among all. `ends`: whether the rod ends at the first
    /// and at the second node.
    #[inline(always)]
    pub(crate) fn visit(
        &self,
        (section, modulus): (&RodSection, f64),
        (points, ends): (&[DVec3], [bool; 2]),
        wanted: impl Fn(&Aabb) -> bool,
        mut visit: impl FnMut(u32, &ConvexCell, &Aabb),
    ) {
        let size = section.points.len();
        let parallel = is_parallel(points, size);
        let (faces, between) =
            if parallel { (&section.faces[..], &[][..]) } else { (&[][..], &self.between[..]) };
        let cap = |side: usize| if ends[side] { &self.caps[side][..] } else { &[] };
        let tets = between.iter().chain(cap(0)).chain(cap(1)).map(|tet| Part::Tet(*tet));
        for (k, part) in (0..).zip(faces.iter().map(Part::Face).chain(tets)) {
            let bounds = part.bounds(points, size);
            if !wanted(&bounds) {
                continue;
            }
            if let Some(cell) = part.cell(points, (size, section.medial_count), modulus) {
                visit(k, &cell, &bounds);
            }
        }
    }
}

/// The geometry of one cell.
enum Part<'a> {
    /// A sector or strip between two sections.
    Face(&'a SectionFace),
    /// Four of the points.
    Tet([u16; 4]),
}

impl Part<'_> {
    #[inline(always)]
    fn bounds(&self, points: &[DVec3], size: usize) -> Aabb {
        match self {
            Self::Tet(tet) => {
                let [a, b, c, d] = tet.map(|k| points[k as usize]);
                Aabb { min: a.min(b).min(c.min(d)), max: a.max(b).max(c.max(d)) }
            }
            Self::Face(face) => {
                let mut all = Aabb::EMPTY;
                for &k in &face.corners[..face.count] {
                    all.add(points[k as usize]);
                    all.add(points[size + k as usize]);
                }
                all
            }
        }
    }

    #[inline(always)]
    fn cell(&self, points: &[DVec3], (size, medial): (usize, usize), modulus: f64) -> Option<ConvexCell> {
        match self {
            Self::Tet(tet) => {
                let inside = |k: usize| k < 2 * size && k % size < medial;
                let pressures = tet.map(|k| if inside(k as usize) { modulus } else { 0.0 });
                Tet::new(tet.map(|k| points[k as usize]), pressures).map(|tet| ConvexCell::of_tet(&tet))
            }
            Self::Face(face) => {
                let at = |from: usize, k: usize| points[from + face.corners[k] as usize];
                let along = points[size] - points[0];
                Some(if face.count == 3 {
                    let section = |from| [at(from, 0), at(from, 1), at(from, 2)];
                    ConvexCell::along(section(0), section(size), along, modulus)
                } else {
                    let section = |from| [at(from, 0), at(from, 1), at(from, 2), at(from, 3)];
                    ConvexCell::along(section(0), section(size), along, modulus)
                })
            }
        }
    }
}

/// Whether all lines from section to section are parallel: then faces are plane and fields linear.
#[inline(always)]
fn is_parallel(points: &[DVec3], size: usize) -> bool {
    let along = points[size] - points[0];
    (0..size).all(|k| {
        let line = points[size + k] - points[k];
        let ahead = line.dot(along);
        ahead > 0.0 && line.cross(along).length_squared() <= PARALLEL * PARALLEL * ahead * ahead
    })
}
