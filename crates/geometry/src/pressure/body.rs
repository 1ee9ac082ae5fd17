//! Soft and rigid bodies for patch contact, made of shapes.
//!
//! | shape | field, with the modulus E where it is deepest and 0 on the skin | resolution h, default |
//! |---|---|---|
//! | sphere | E(1 − r/R): needles from the center to triangles of the skin | side of the triangles, R/4 |
//! | capsule | E(1 − r/R) about its axis and the centers of its caps | side of the triangles, R/4 |
//! | cylinder | distance to the skin of a prism, exactly | side of the prism, R/4 |
//! | box, convex | distance to the skin, exactly | greatest edge of a cell; default: cells as they are |
//! | closed mesh | distance to the skin on a grid | side of a cube, an eighth of the least extent |
//! | half-space | E z/h for the depth z, without end: a linear field needs no mesh | depth of E; must be given |
//!
//! Resolution refines the shape of the skin (sphere, capsule, cylinder, mesh) or cuts large cells (box, convex),
//! which leaves the total force unchanged but spreads it over more polygons. Rigid bodies are the facets of the same
//! skins; round ones are finer by default, R/12, since only the few touching facets have a cost. The friction of a
//! rope that slides half round a post is off by 0.6 % with facets of R/4, by 0.13 % with R/12.
//!
//! A needle is one cell from the skin to the center: the field is linear along it, so more cells would only make more
//! polygons.

use super::convex_cells::convex_field;
use super::field::{FieldError, PressureField};
use super::grid_cells::mesh_field;
use super::rigid::RigidSurface;
use super::surface_mesh;
use super::tet::Tet;
use crate::aabb::Aabb;
use crate::hull::{ConvexHull, convex_hull};
use crate::mesh::TriangleMesh;
use crate::shape::Shape;
use glam::DVec3;

/// Most cells of a field, and triangles of a surface.
pub const MOST_CELLS: usize = 1_000_000;

/// The geometry of a body for pressure contact, in the frame of the body.
#[derive(Clone, Debug)]
pub enum PatchBody {
    /// A mesh with pressures.
    Soft(PressureField),
    /// All points with z ≤ 0, with the pressure −z · gradient, without bound.
    SoftHalfSpace {
        /// Growth of the pressure with depth in Pa/m.
        gradient: f64,
    },
    /// A surface.
    Rigid(RigidSurface),
    /// All points with z ≤ 0.
    RigidHalfSpace,
}

impl PatchBody {
    /// A soft body with the modulus E in Pa; `resolution` in m as in the table above.
    pub fn soft(shape: &Shape, modulus: f64, resolution: Option<f64>) -> Result<Self, FieldError> {
        shape.validate()?;
        let modulus = positive("modulus", modulus, "Pa")?;
        let h = checked_resolution(shape, resolution, default_resolution(shape))?;
        let hull = match shape {
            Shape::Cylinder { radius, length } => {
                Some(convex_hull(&surface_mesh::prism(*radius, *length, h))?)
            }
            Shape::Box { size } => Some(convex_hull(&box_corners(*size))?),
            Shape::Convex(points) => Some(convex_hull(&points.vertices)?),
            _ => None,
        };
        if let Some(hull) = hull {
            // Cells of a cylinder are as fine as its skin.
            let most = resolution.filter(|_| !matches!(shape, Shape::Cylinder { .. }));
            let field = PressureField::of_tets(refined(hull_field(&hull, modulus)?, most)?)?;
            return Ok(Self::Soft(field.with_faces(&hull.normals, &hull.offsets)));
        }
        let tets = match shape {
            Shape::Sphere { radius } => {
                let mesh = surface_mesh::sphere(*radius, h);
                (0..mesh.triangles.len())
                    .filter_map(|t| needle(DVec3::ZERO, mesh.corners(t), modulus))
                    .collect()
            }
            Shape::Capsule { radius, length } => capsule_field(*radius, *length, modulus, h),
            Shape::Mesh(mesh) => mesh_field(mesh, modulus, h)?,
            Shape::HalfSpace => {
                let Some(depth) = resolution else {
                    return Err(FieldError::Open {
                        shape: "half_space",
                        reason: "no depth is given at which the pressure reaches the modulus".to_owned(),
                    });
                };
                return Ok(Self::SoftHalfSpace { gradient: modulus / depth });
            }
            // Hulls are above.
            Shape::Heightfield(_) | Shape::Cylinder { .. } | Shape::Box { .. } | Shape::Convex(_) => {
                let reason = "all below the surface is solid, without a deepest place".to_owned();
                return Err(FieldError::Open { shape: "heightfield", reason });
            }
        };
        PressureField::of_tets(tets).map(Self::Soft)
    }

    /// A rigid body; `resolution` in m is that of round skins.
    pub fn rigid(shape: &Shape, resolution: Option<f64>) -> Result<Self, FieldError> {
        shape.validate()?;
        let h = checked_resolution(shape, resolution, rigid_resolution(shape))?;
        let mesh = match shape {
            Shape::Sphere { radius } => surface_mesh::sphere(*radius, h),
            Shape::Capsule { radius, length } => surface_mesh::capsule(*radius, *length, h).mesh,
            Shape::Cylinder { radius, length } => {
                convex_hull(&surface_mesh::prism(*radius, *length, h))?.mesh()
            }
            Shape::Box { size } => convex_hull(&box_corners(*size))?.mesh(),
            Shape::Convex(points) => convex_hull(&points.vertices)?.mesh(),
            Shape::Mesh(mesh) => mesh.as_ref().clone(),
            Shape::Heightfield(field) => field.triangles(),
            Shape::HalfSpace => return Ok(Self::RigidHalfSpace),
        };
        Ok(Self::Rigid(RigidSurface::new(&mesh)?))
    }

    /// Whether it has no pressure field.
    pub fn is_rigid(&self) -> bool {
        matches!(self, Self::Rigid(_) | Self::RigidHalfSpace)
    }
}

/// The resolution of a rigid shape for which none is given, in m.
pub fn rigid_resolution(shape: &Shape) -> f64 {
    default_resolution(shape) / 3.0
}

/// The resolution of a soft shape for which none is given, in m. Infinite where cells stay as they are.
pub fn default_resolution(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } | Shape::Cylinder { radius, .. } | Shape::Capsule { radius, .. } => {
            0.25 * radius
        }
        Shape::Mesh(mesh) => 0.25 * Aabb::of_points(&mesh.vertices).half().min_element(),
        _ => f64::INFINITY,
    }
}

pub(crate) fn positive(quantity: &'static str, value: f64, unit: &'static str) -> Result<f64, FieldError> {
    match value.is_finite() && value > 0.0 {
        true => Ok(value),
        false => Err(FieldError::Number { quantity, value, unit }),
    }
}

fn checked_resolution(shape: &Shape, given: Option<f64>, default: f64) -> Result<f64, FieldError> {
    let Some(h) = given else { return Ok(default) };
    let h = positive("resolution", h, "m")?;
    let cells = match shape {
        Shape::Sphere { radius } => 20.0 * f64::from(surface_mesh::sphere_frequency(*radius, h)).powi(2),
        Shape::Capsule { radius, .. } => (7.0 * radius / h).powi(2) + 100.0,
        // Each cell is cut by all the others.
        Shape::Cylinder { radius, .. } => 1e-2 * (7.0 * radius / h).powi(2),
        _ => 0.0,
    };
    match cells <= MOST_CELLS as f64 {
        true => Ok(h),
        false => Err(FieldError::TooFine { resolution: h, limit: MOST_CELLS }),
    }
}

/// A needle from a point at the modulus to a triangle of the skin.
fn needle(apex: DVec3, [a, b, c]: [DVec3; 3], modulus: f64) -> Option<Tet> {
    Tet::new([apex, a, b, c], [modulus, 0.0, 0.0, 0.0])
}

fn capsule_field(radius: f64, length: f64, modulus: f64, h: f64) -> Vec<Tet> {
    let skin = surface_mesh::capsule(radius, length, h);
    let [low, high] = [-0.5, 0.5].map(|s| DVec3::new(0.0, 0.0, s * length));
    let mut tets: Vec<Tet> = skin
        .part
        .iter()
        .enumerate()
        .filter_map(|(t, &part)| needle(if part > 0 { high } else { low }, skin.mesh.corners(t), modulus))
        .collect();
    // The cylinder's needles all start at the lower center; the region that they do not fill lies below the upper
    // ring.
    let ring = |j: usize| skin.mesh.vertices[skin.upper_ring as usize + j % skin.sides];
    tets.extend(
        (0..skin.sides)
            .filter_map(|j| Tet::new([low, high, ring(j), ring(j + 1)], [modulus, modulus, 0.0, 0.0])),
    );
    tets
}

fn box_corners(size: DVec3) -> [DVec3; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|k| {
        let sign = |bit: i32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
        size * DVec3::new(sign(0), sign(1), sign(2))
    })
}

fn hull_field(hull: &ConvexHull, modulus: f64) -> Result<Vec<Tet>, FieldError> {
    convex_field(&hull.normals, &hull.offsets, &Aabb::of_points(&hull.vertices), modulus)
}

/// Cuts cells in half across their longest edge until no edge is longer than `most`.
fn refined(mut tets: Vec<Tet>, most: Option<f64>) -> Result<Vec<Tet>, FieldError> {
    const EDGES: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let Some(most) = most else { return Ok(tets) };
    // A tetrahedron has at most the volume of a regular one, edge³/√72.
    let too_fine = || FieldError::TooFine { resolution: most, limit: MOST_CELLS };
    if volume(&tets) * 72f64.sqrt() / most.powi(3) > MOST_CELLS as f64 {
        return Err(too_fine());
    }
    let mut fine = Vec::new();
    while let Some(tet) = tets.pop() {
        let c = tet.cell;
        let length = |(i, j): (usize, usize)| c.corners[i].distance_squared(c.corners[j]);
        let (i, j) = EDGES.into_iter().max_by(|e, f| length(*e).total_cmp(&length(*f))).unwrap_or((0, 1));
        if length((i, j)) <= most * most {
            fine.push(tet);
        } else {
            for end in [i, j] {
                let mut half = c;
                half.corners[end] = c.corners[i].midpoint(c.corners[j]);
                half.pressures[end] = 0.5 * (c.pressures[i] + c.pressures[j]);
                tets.extend(Tet::new(half.corners, half.pressures));
            }
        }
        if fine.len() + tets.len() > MOST_CELLS {
            return Err(too_fine());
        }
    }
    Ok(fine)
}

/// The volume of all cells in m³.
fn volume(tets: &[Tet]) -> f64 {
    let one = |t: &Tet| {
        let [a, b, c, d] = t.cell.corners;
        (b - a).dot((c - a).cross(d - a)).abs() / 6.0
    };
    tets.iter().map(one).sum()
}

/// A mesh of the same solid for tests and pictures.
pub fn skin(shape: &Shape, resolution: Option<f64>) -> Result<Option<TriangleMesh>, FieldError> {
    let PatchBody::Rigid(surface) = PatchBody::rigid(shape, resolution)? else { return Ok(None) };
    let vertices: Vec<DVec3> = surface.facets().iter().flat_map(|f| f.triangles().flatten()).collect();
    let triangles = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Ok(Some(TriangleMesh { vertices, triangles }.welded()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn cells(shape: &Shape, resolution: Option<f64>) -> Vec<Tet> {
        match PatchBody::soft(shape, 2e5, resolution).unwrap() {
            PatchBody::Soft(field) => field.tets().to_vec(),
            _ => panic!("a mesh was expected"),
        }
    }

    #[test]
    fn cells_fill_their_solids_and_reach_the_modulus() {
        let size = DVec3::new(0.1, 0.2, 0.5);
        let block = Shape::Box { size };
        let mesh = Shape::Mesh(Arc::new(skin(&block, None).unwrap().unwrap()));
        let pi = std::f64::consts::PI;
        for (shape, h, volume_there, share) in [
            (Shape::Sphere { radius: 0.3 }, None, 4.0 / 3.0 * pi * 0.027, 1e-12),
            (block.clone(), None, 0.01, 1e-12),
            (block.clone(), Some(0.05), 0.01, 1e-12),
            (Shape::Cylinder { radius: 0.2, length: 1.0 }, None, pi * 0.04, 1e-12),
            (Shape::Cylinder { radius: 0.2, length: 0.1 }, None, pi * 0.004, 1e-12),
            (Shape::Capsule { radius: 0.2, length: 1.0 }, Some(0.02), pi * (0.04 + 4.0 / 3.0 * 0.008), 2e-3),
            (mesh, Some(0.011), 0.01, 0.03),
        ] {
            let tets = cells(&shape, h);
            let found = volume(&tets);
            assert!((found / volume_there - 1.0).abs() <= share, "{shape:?}: {found} {volume_there}");
            let top = tets.iter().flat_map(|t| t.cell.pressures).fold(0.0, f64::max);
            let reached =
                if matches!(shape, Shape::Mesh(_)) { 0.9..1.0 + 1e-9 } else { 1.0 - 1e-9..1.0 + 1e-9 };
            assert!(reached.contains(&(top / 2e5)), "{shape:?}: {top}");
            assert!(tets.iter().flat_map(|t| t.cell.pressures).all(|p| p >= 0.0));
        }
    }

    #[test]
    fn pressure_is_the_distance_to_the_skin() {
        let size = DVec3::new(0.1, 0.2, 0.5);
        let block = Shape::Box { size };
        let mesh = Shape::Mesh(Arc::new(skin(&block, None).unwrap().unwrap()));
        for (shape, h, error) in [(block, None, 1e-9), (mesh, Some(0.01), 0.25)] {
            let PatchBody::Soft(field) = PatchBody::soft(&shape, 1.0, h).unwrap() else { panic!() };
            for k in 0..500 {
                let s = |m: f64| (m * f64::from(k)).fract() - 0.5;
                let x = size * DVec3::new(s(0.618), s(0.7549), s(0.5698));
                let exact = (0.5 * size - x.abs()).min_element() / 0.05;
                assert!((field.pressure(x) - exact).abs() <= error, "{x}: {} {exact}", field.pressure(x));
            }
        }
    }

    #[test]
    fn what_cannot_be_soft_says_why() {
        let message = |shape: &Shape, e: f64, h| PatchBody::soft(shape, e, h).unwrap_err().to_string();
        assert!(message(&Shape::HalfSpace, 1e5, None).contains("no depth"));
        assert!(message(&Shape::Sphere { radius: 1.0 }, 0.0, None).contains("modulus"));
        assert!(message(&Shape::Sphere { radius: 1.0 }, 1.0, Some(-1.0)).contains("resolution"));
        assert!(message(&Shape::Sphere { radius: 1.0 }, 1.0, Some(1e-6)).contains("greater resolution"));
        assert!(message(&Shape::Box { size: DVec3::ONE }, 1.0, Some(1e-6)).contains("greater resolution"));
        let open =
            TriangleMesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
        assert!(message(&Shape::Mesh(Arc::new(open)), 1.0, None).contains("3 edges"));
    }
}
