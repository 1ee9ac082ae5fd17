//! The interior distance field of a closed surface, on a grid.
//!
//! Cubes of the side h over the solid, each six tetrahedra around its diagonal (Freudenthal 1942; neighboring cubes
//! share their triangles). The depth, positive inside, is computed at the corners of the cubes and linear between;
//! tetrahedra are cut off where it vanishes. The remainder is a tetrahedron or a prism; a prism becomes three
//! tetrahedra, and the diagonals of its sides follow from the order of the grid's corners, so that neighbors agree.
//! The pressure is E d/D with D the greatest depth, found by a search from the deepest corner of the grid.
//!
//! Accuracy: flat parts of the skin are exact, parts with a radius of curvature ρ are off by up to h²/ρ, and edges
//! and corners are cut off by up to h/2. Walls thinner than 2 h may have holes.

use super::field::FieldError;
use super::tet::Tet;
use crate::mesh::TriangleMesh;
use crate::point::closest_on_triangle;
use crate::surface::Surface;
use glam::DVec3;

/// Most corners of a grid.
pub(crate) const MOST_CORNERS: usize = 2_000_000;

/// Depths below this share of h are zero: no slivers along the skin.
const ON_SKIN: f64 = 1e-3;

/// Cells of the field of the solid within a closed surface.
pub(crate) fn mesh_field(mesh: &TriangleMesh, modulus: f64, h: f64) -> Result<Vec<Tet>, FieldError> {
    let open = mesh.welded().open_edges();
    if open != 0 {
        let reason = format!("{open} edges do not join two triangles");
        return Err(FieldError::Open { shape: "mesh", reason });
    }
    let surface = Surface::of_mesh(mesh)?;
    let grid = Grid::over(&surface, h)?;
    let deepest = grid.greatest_depth(&surface);
    if deepest <= 0.0 {
        return Err(FieldError::Empty);
    }
    let mut tets = Vec::new();
    grid.for_each_tet(|corners| grid.cut(corners, modulus / deepest, &mut tets));
    Ok(tets)
}

struct Grid {
    start: DVec3,
    h: f64,
    counts: [usize; 3],
    depths: Vec<f64>,
}

impl Grid {
    fn over(surface: &Surface, h: f64) -> Result<Self, FieldError> {
        let bounds = surface.tree.bounds().grown(0.37 * h);
        let cells = ((bounds.max - bounds.min) / h).ceil();
        if (cells + 1.0).element_product() > MOST_CORNERS as f64 {
            return Err(FieldError::TooFine { resolution: h, limit: MOST_CORNERS });
        }
        let counts = cells.to_array().map(|c| c as usize + 1);
        let mut grid = Self { start: bounds.min, h, counts, depths: Vec::new() };
        grid.depths = (0..counts.iter().product())
            .map(|k| {
                let d = depth(surface, grid.position(k as u32));
                if d.abs() < ON_SKIN * h { 0.0 } else { d }
            })
            .collect();
        Ok(grid)
    }

    fn position(&self, k: u32) -> DVec3 {
        let [nx, ny, _] = self.counts;
        let k = k as usize;
        self.start + self.h * DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / nx / ny) as f64)
    }

    /// The greatest depth near the deepest corner, by steps along the axes that are halved where none improves.
    fn greatest_depth(&self, surface: &Surface) -> f64 {
        let deepest = (0..self.depths.len()).max_by(|&i, &j| self.depths[i].total_cmp(&self.depths[j]));
        let Some(corner) = deepest else { return 0.0 };
        let (mut x, mut most, mut step) = (self.position(corner as u32), self.depths[corner], 0.5 * self.h);
        while most > 0.0 && step > 1e-4 * self.h {
            let around = DVec3::AXES.into_iter().flat_map(|a| [x + step * a, x - step * a]);
            let (d, y) =
                around.map(|y| (depth(surface, y), y)).fold((most, x), |b, t| if t.0 > b.0 { t } else { b });
            if d > most * (1.0 + 1e-9) {
                (most, x) = (d, y);
            } else {
                step *= 0.5;
            }
        }
        most
    }

    fn for_each_tet(&self, mut visit: impl FnMut([u32; 4])) {
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let [nx, ny, nz] = self.counts;
        let strides = [1, nx, nx * ny];
        for z in 0..nz - 1 {
            for y in 0..ny - 1 {
                for x in 0..nx - 1 {
                    let first = x + nx * (y + ny * z);
                    for order in ORDERS {
                        let second = first + strides[order[0]];
                        let third = second + strides[order[1]];
                        // Corners in growing order, which the cut relies on.
                        visit([first, second, third, third + strides[order[2]]].map(|k| k as u32));
                    }
                }
            }
        }
    }

    /// Adds the inner part of a tetrahedron with corners in growing order.
    fn cut(&self, corners: [u32; 4], scale: f64, out: &mut Vec<Tet>) {
        let (mut inside, mut outside) = ([0u32; 4], [0u32; 4]);
        let (mut m, mut n) = (0, 0);
        for c in corners {
            if self.depths[c as usize] > 0.0 {
                inside[m] = c;
                m += 1;
            } else {
                outside[n] = c;
                n += 1;
            }
        }
        let point = |c: u32| (self.position(c), scale * self.depths[c as usize]);
        let skin = |i: u32, o: u32| {
            let (di, d_o) = (self.depths[i as usize], self.depths[o as usize]);
            (self.position(i).lerp(self.position(o), di / (di - d_o)), 0.0)
        };
        let mut add = |t: [(DVec3, f64); 4]| out.extend(Tet::new(t.map(|p| p.0), t.map(|p| p.1)));
        let [i, o] = [inside, outside];
        match m {
            1 => add([point(i[0]), skin(i[0], o[0]), skin(i[0], o[1]), skin(i[0], o[2])]),
            2 => prism(
                [point(i[0]), skin(i[0], o[0]), skin(i[0], o[1])],
                [point(i[1]), skin(i[1], o[0]), skin(i[1], o[1])],
                add,
            ),
            3 => prism(
                [point(i[0]), point(i[1]), point(i[2])],
                [skin(i[0], o[0]), skin(i[1], o[0]), skin(i[2], o[0])],
                add,
            ),
            4 => add(i.map(point)),
            _ => {}
        }
    }
}

/// The prism between two triangles as three tetrahedra: diagonals from each corner of `a` to those of `b` that come
/// later.
pub(crate) fn prism<T: Copy>(a: [T; 3], b: [T; 3], mut add: impl FnMut([T; 4])) {
    add([a[0], a[1], a[2], b[2]]);
    add([a[0], a[1], b[1], b[2]]);
    add([a[0], b[0], b[1], b[2]]);
}

/// Distance to the surface, negative outside.
fn depth(surface: &Surface, x: DVec3) -> f64 {
    let mut best = (f64::INFINITY, 0, x);
    surface.tree.nearest(
        |b| b.distance(x),
        |t| {
            let (foot, _) = closest_on_triangle(&surface.mesh.corners(t as usize), x);
            let d = foot.distance(x);
            if d < best.0 {
                best = (d, t as usize, foot);
            }
            best.0
        },
    );
    let (d, triangle, foot) = best;
    if surface.is_inside(triangle, foot, x) { d } else { -d }
}
