//! Mass, center of mass and inertia of solids of uniform density.
//!
//! Spheres, boxes, cylinders and capsules in closed form. A closed surface of triangles by the divergence theorem:
//! the solid is the signed sum of the tetrahedra (o, a, b, c) over its triangles, each with the volume
//! V = (a×b)·c/6, the first moment V (a+b+c)/4 and the second moment ∫x xᵀ = V/20 (Σ v vᵀ + s sᵀ), s = a+b+c,
//! all relative to o, a point amidst the vertices so that little cancels.

use crate::hull::convex_hull;
use crate::mesh::TriangleMesh;
use crate::shape::{Shape, ShapeError};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// Mass properties of a rigid solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass in kg.
    pub mass: f64,
    /// Center of mass in the shape's frame, in m.
    pub com: DVec3,
    /// Rotational inertia about the center of mass, in the shape's axes, in kg·m².
    pub inertia: DMat3,
}

impl Shape {
    /// Mass properties at a density in kg/m³. An error for half-spaces and heightfields, which are unbounded, and for
    /// meshes that are open or inside out.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, ShapeError> {
        self.validate()?;
        if !(density.is_finite() && density > 0.0) {
            let reason = format!("the density is {density} kg/m³, expected a finite number above 0");
            return Err(ShapeError::NoMass { shape: self.kind(), reason });
        }
        let refused = |reason: String| Err(ShapeError::NoMass { shape: self.kind(), reason });
        let about_z = |mass: f64, across: f64, along: f64| MassProperties {
            mass,
            com: DVec3::ZERO,
            inertia: DMat3::from_diagonal(DVec3::new(across, across, along)),
        };
        match self {
            Self::Sphere { radius: r } => {
                let mass = density * 4.0 / 3.0 * PI * r.powi(3);
                Ok(about_z(mass, 0.4 * mass * r * r, 0.4 * mass * r * r))
            }
            Self::Box { size } => {
                let mass = density * size.x * size.y * size.z;
                let q = *size * *size * (mass / 12.0);
                let inertia = DMat3::from_diagonal(DVec3::new(q.y + q.z, q.z + q.x, q.x + q.y));
                Ok(MassProperties { mass, com: DVec3::ZERO, inertia })
            }
            Self::Cylinder { radius: r, length: l } => {
                let mass = density * PI * r * r * l;
                Ok(about_z(mass, mass * (r * r / 4.0 + l * l / 12.0), 0.5 * mass * r * r))
            }
            Self::Capsule { radius: r, length: l } => {
                let (tube, ball) = (density * PI * r * r * l, density * 4.0 / 3.0 * PI * r.powi(3));
                // A half ball has its center of mass 3r/8 from its flat side: 2/5 r² + l²/4 + 3/8 l r for both.
                let across =
                    tube * (r * r / 4.0 + l * l / 12.0) + ball * (0.4 * r * r + l * l / 4.0 + 0.375 * l * r);
                Ok(about_z(tube + ball, across, 0.5 * tube * r * r + 0.4 * ball * r * r))
            }
            Self::HalfSpace => refused("it has no end; use a box".into()),
            Self::Heightfield(_) => refused("what lies below it has no end; use a closed mesh".into()),
            Self::Convex(points) => {
                let hull = convex_hull(&points.vertices)?;
                Ok(of_surface(&hull.mesh(), density))
            }
            Self::Mesh(mesh) => {
                let mesh = mesh.welded();
                let open = mesh.open_edges();
                if open > 0 {
                    return refused(format!(
                        "its surface is open ({open} edges do not join two triangles of the same orientation); close it, or give the mass outright"
                    ));
                }
                let found = of_surface(&mesh, density);
                if found.mass <= 0.0 {
                    return refused(
                        "its volume is not positive: list the triangles counter-clockwise seen from outside"
                            .into(),
                    );
                }
                Ok(found)
            }
        }
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn of_surface(mesh: &TriangleMesh, density: f64) -> MassProperties {
    let origin = mesh.vertices.iter().sum::<DVec3>() / mesh.vertices.len() as f64;
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for t in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(t).map(|v| v - origin);
        let v = a.cross(b).dot(c) / 6.0;
        let s = a + b + c;
        volume += v;
        first += v / 4.0 * s;
        second += v / 20.0 * (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s));
    }
    let com = first / volume;
    let second = second - volume * outer(com, com);
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = density * (DMat3::from_diagonal(DVec3::splat(trace)) - second);
    MassProperties { mass: density * volume, com: origin + com, inertia }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn close(a: &MassProperties, b: &MassProperties, tolerance: f64) {
        assert!((a.mass - b.mass).abs() <= tolerance * b.mass, "{a:?} {b:?}");
        assert!((a.com - b.com).length() <= tolerance, "{a:?} {b:?}");
        let scale = b.inertia.x_axis.length() + b.inertia.y_axis.length() + b.inertia.z_axis.length();
        assert!(a.inertia.abs_diff_eq(b.inertia, tolerance * scale), "{a:?} {b:?}");
    }

    /// Points on circles of a surface of revolution about z.
    fn lathe(profile: &[(f64, f64)], around: usize) -> Shape {
        let mut vertices = Vec::new();
        for &(r, z) in profile {
            for k in 0..around {
                let angle = 2.0 * PI * k as f64 / around as f64;
                vertices.push(DVec3::new(r * angle.cos(), r * angle.sin(), z));
            }
        }
        Shape::Convex(Arc::new(TriangleMesh { vertices, triangles: vec![] }))
    }

    #[test]
    fn hulls_agree_with_closed_forms() {
        let size = DVec3::new(0.1, 0.3, 0.7);
        let shift = DVec3::new(3.0, -2.0, 5.0);
        let corner = |k: usize| {
            shift
                + 0.5 * size * DVec3::from_array([0, 1, 2].map(|i| if k >> i & 1 == 1 { 1.0 } else { -1.0 }))
        };
        let vertices = (0..8).map(corner).collect();
        let hull = Shape::Convex(Arc::new(TriangleMesh { vertices, triangles: vec![] }));
        let mut exact = Shape::Box { size }.mass_properties(700.0).unwrap();
        exact.com = shift;
        close(&hull.mass_properties(700.0).unwrap(), &exact, 1e-12);

        let (r, l) = (0.2, 0.5);
        let caps: Vec<_> = (0..=40)
            .flat_map(|k| {
                let a = 0.5 * PI * k as f64 / 40.0;
                [(r * a.cos(), l / 2.0 + r * a.sin()), (r * a.cos(), -l / 2.0 - r * a.sin())]
            })
            .collect();
        let capsule = Shape::Capsule { radius: r, length: l }.mass_properties(1.0).unwrap();
        close(&lathe(&caps, 80).mass_properties(1.0).unwrap(), &capsule, 4e-3);
        let cylinder = Shape::Cylinder { radius: r, length: l }.mass_properties(1.0).unwrap();
        let prism = lathe(&[(r, l / 2.0), (r, -l / 2.0)], 200);
        close(&prism.mass_properties(1.0).unwrap(), &cylinder, 1e-3);
    }

    #[test]
    fn open_and_inverted_meshes_are_refused() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let closed = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let mesh = |triangles: Vec<[u32; 3]>| {
            Shape::Mesh(Arc::new(TriangleMesh { vertices: vertices.clone(), triangles }))
        };
        let found = mesh(closed.clone()).mass_properties(6.0).unwrap();
        assert!((found.mass - 1.0).abs() < 1e-15 && (found.com - DVec3::splat(0.25)).length() < 1e-15);
        let open = mesh(closed[..3].to_vec()).mass_properties(1.0).unwrap_err().to_string();
        assert!(open.contains("open (3 edges"), "{open}");
        let inverted = mesh(closed.iter().map(|t| [t[0], t[2], t[1]]).collect());
        assert!(inverted.mass_properties(1.0).unwrap_err().to_string().contains("counter-clockwise"));
        assert!(Shape::HalfSpace.mass_properties(1.0).unwrap_err().to_string().contains("no end"));
    }
}
