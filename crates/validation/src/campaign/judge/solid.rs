//! Signed distance of a point to a shape, in closed form or over all triangles: independent of the distances by which
//! the step finds contacts. Negative inside.

use glam::DVec3;
use ropewalk_geometry::{Aabb, Heightfield, Shape, hull};
use ropewalk_linalg::Pose;
use ropewalk_sim::{Model, State, measure};
use std::sync::Arc;

/// A shape of a link, prepared for signed distances.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Index of the tree.
    pub tree: usize,
    /// Index of the link.
    pub link: usize,
    /// The shape's frame in the link.
    pub pose_in_link: Pose,
    /// Whether the stiffness of its surface is given, so that overlap is allowed.
    pub is_soft: bool,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Sphere { radius: f64 },
    Box { half: DVec3 },
    Cylinder { radius: f64, half: f64 },
    Capsule { radius: f64, half: f64 },
    HalfSpace,
    Faces { triangles: Vec<[DVec3; 3]>, closed: bool, bounds: Aabb },
    Heightfield { field: Arc<Heightfield>, triangles: Vec<[DVec3; 3]> },
}

/// Distance to the surface in m, negative inside, and the unit vector along which it grows.
#[derive(Clone, Copy, Debug)]
pub struct SignedDistance {
    /// Distance in m.
    pub distance: f64,
    /// Its gradient.
    pub normal: DVec3,
}

impl Solid {
    /// All shapes of a model.
    pub fn of_model(model: &Model) -> Vec<Self> {
        let mut out = Vec::new();
        for (tree, t) in model.trees.iter().enumerate() {
            for shape in &t.shapes {
                let Some(form) = Form::of(shape.collider.shape()) else { continue };
                out.push(Self {
                    tree,
                    link: shape.link,
                    pose_in_link: shape.pose,
                    is_soft: shape.surface.stiffness.is_some(),
                    form,
                });
            }
        }
        out
    }

    /// World poses of `solids`.
    pub fn poses(solids: &[Self], model: &Model, state: &State) -> Vec<Pose> {
        let trees: Vec<_> =
            (0..model.trees.len()).map(|t| measure::tree_kinematics(model, state, t).poses).collect();
        solids.iter().map(|solid| trees[solid.tree][solid.link] * solid.pose_in_link).collect()
    }

    /// Whether this is a half-space.
    pub fn is_half_space(&self) -> bool {
        matches!(self.form, Form::HalfSpace)
    }

    /// Radius and half length of a round peg about its z axis.
    pub fn peg(&self) -> Option<(f64, f64)> {
        match self.form {
            Form::Cylinder { radius, half } => Some((radius, half)),
            Form::Capsule { radius, half } => Some((radius, half + radius)),
            _ => None,
        }
    }

    /// Half sizes of a box.
    pub fn half_sizes(&self) -> Option<DVec3> {
        match self.form {
            Form::Box { half } => Some(half),
            _ => None,
        }
    }

    /// Radius of the greatest inscribed ball, m; none where there is no closed form.
    pub fn inner_radius(&self) -> Option<f64> {
        match self.form {
            Form::Sphere { radius } => Some(radius),
            Form::Box { half } => Some(half.min_element()),
            Form::Cylinder { radius, half } => Some(radius.min(half)),
            Form::Capsule { radius, .. } => Some(radius),
            _ => None,
        }
    }

    /// A cheap lower bound of the distance of `p`, in the shape's frame.
    pub fn least_distance(&self, p: DVec3) -> f64 {
        match &self.form {
            Form::Faces { bounds, .. } => match bounds.distance(p) {
                d if d > 0.0 => d,
                _ => f64::NEG_INFINITY,
            },
            Form::Heightfield { field, .. } => {
                let bounds = field.bounds();
                match p.z > bounds.max.z {
                    true => bounds.distance(p),
                    false => f64::NEG_INFINITY,
                }
            }
            _ => self.at(p).distance,
        }
    }

    /// Signed distance of `p`, in the shape's frame.
    pub fn at(&self, p: DVec3) -> SignedDistance {
        match &self.form {
            Form::Sphere { radius } => {
                let distance = p.length();
                SignedDistance { distance: distance - radius, normal: p.normalize_or(DVec3::Z) }
            }
            Form::Box { half } => box_distance(p, *half),
            Form::Cylinder { radius, half } => cylinder_distance(p, *radius, *half),
            Form::Capsule { radius, half } => {
                let from_axis = p - DVec3::Z * p.z.clamp(-half, *half);
                SignedDistance {
                    distance: from_axis.length() - radius,
                    normal: from_axis.normalize_or(DVec3::X),
                }
            }
            Form::HalfSpace => SignedDistance { distance: p.z, normal: DVec3::Z },
            Form::Faces { triangles, closed, bounds } => {
                let inside = *closed && bounds.distance(p) <= 0.0 && winding_number(triangles, p) > 0.5;
                to_triangles(triangles, p, inside)
            }
            Form::Heightfield { field, triangles } => {
                let inside = field.height(p.x, p.y).is_some_and(|height| p.z < height);
                to_triangles(triangles, p, inside)
            }
        }
    }
}

impl Form {
    /// None for a convex shape without a hull, which cannot come from a scene file.
    fn of(shape: &Shape) -> Option<Self> {
        Some(match shape {
            Shape::Sphere { radius } => Self::Sphere { radius: *radius },
            Shape::Box { size } => Self::Box { half: 0.5 * *size },
            Shape::Cylinder { radius, length } => Self::Cylinder { radius: *radius, half: 0.5 * length },
            Shape::Capsule { radius, length } => Self::Capsule { radius: *radius, half: 0.5 * length },
            Shape::HalfSpace => Self::HalfSpace,
            Shape::Convex(points) => {
                let mesh = hull::convex_hull(&points.vertices).ok()?.mesh();
                let triangles = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
                Self::Faces { triangles, closed: true, bounds: Aabb::of_points(&mesh.vertices) }
            }
            Shape::Mesh(mesh) => {
                let triangles = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
                let closed = mesh.welded().open_edges() == 0;
                Self::Faces { triangles, closed, bounds: Aabb::of_points(&mesh.vertices) }
            }
            Shape::Heightfield(field) => {
                let mesh = field.triangles();
                let triangles = (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect();
                Self::Heightfield { field: Arc::clone(field), triangles }
            }
        })
    }
}

/// To a box about the origin.
pub fn box_distance(p: DVec3, half: DVec3) -> SignedDistance {
    let beyond = p.abs() - half;
    let greatest = beyond.max_element();
    if greatest > 0.0 {
        let from = p - p.clamp(-half, half);
        let distance = from.length();
        return SignedDistance { distance, normal: from / distance };
    }
    let axis = match greatest {
        x if x == beyond.x => DVec3::X * p.x.signum(),
        x if x == beyond.y => DVec3::Y * p.y.signum(),
        _ => DVec3::Z * p.z.signum(),
    };
    SignedDistance { distance: greatest, normal: axis }
}

fn cylinder_distance(p: DVec3, radius: f64, half: f64) -> SignedDistance {
    let across = DVec3::new(p.x, p.y, 0.0);
    let outwards = across.normalize_or(DVec3::X);
    let end = DVec3::Z * p.z.signum();
    let (beside, beyond) = (across.length() - radius, p.z.abs() - half);
    if beside > 0.0 && beyond > 0.0 {
        let distance = beside.hypot(beyond);
        return SignedDistance { distance, normal: (outwards * beside + end * beyond) / distance };
    }
    match beside > beyond {
        true => SignedDistance { distance: beside, normal: outwards },
        false => SignedDistance { distance: beyond, normal: end },
    }
}

fn to_triangles(triangles: &[[DVec3; 3]], p: DVec3, inside: bool) -> SignedDistance {
    let (mut least, mut nearest) = (f64::INFINITY, p);
    for triangle in triangles {
        let q = nearest_on_triangle(triangle, p);
        let distance = (p - q).length_squared();
        if distance < least {
            (least, nearest) = (distance, q);
        }
    }
    let sign = if inside { -1.0 } else { 1.0 };
    let distance = least.sqrt();
    SignedDistance { distance: sign * distance, normal: ((p - nearest) * sign).normalize_or(DVec3::Z) }
}

/// The point of a triangle nearest to `p`: the foot of the perpendicular if it is inside, else on a side.
fn nearest_on_triangle(t: &[DVec3; 3], p: DVec3) -> DVec3 {
    let normal = (t[1] - t[0]).cross(t[2] - t[0]);
    let side = |i: usize| (t[(i + 1) % 3] - t[i]).cross(p - t[i]).dot(normal);
    if normal.length_squared() > 0.0 && (0..3).all(|i| side(i) >= 0.0) {
        return p - normal * ((p - t[0]).dot(normal) / normal.length_squared());
    }
    let on_side = |i: usize| {
        let (a, d) = (t[i], t[(i + 1) % 3] - t[i]);
        let length = d.length_squared();
        a + d * if length > 0.0 { ((p - a).dot(d) / length).clamp(0.0, 1.0) } else { 0.0 }
    };
    let mut best = on_side(0);
    for i in 1..3 {
        let q = on_side(i);
        if (p - q).length_squared() < (p - best).length_squared() {
            best = q;
        }
    }
    best
}

/// Winding number of the surface about `p`: 1 inside a closed one, 0 outside. Solid angles after Van Oosterom and
/// Strackee, The solid angle of a plane triangle, 1983.
fn winding_number(triangles: &[[DVec3; 3]], p: DVec3) -> f64 {
    let angle = |t: &[DVec3; 3]| {
        let [a, b, c] = t.map(|x| x - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let cosine = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(cosine)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * core::f64::consts::PI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_geometry::TriangleMesh;

    fn solid(shape: &Shape) -> Solid {
        let form = Form::of(shape).unwrap();
        Solid { tree: 0, link: 0, pose_in_link: Pose::IDENTITY, is_soft: false, form }
    }

    fn cube() -> TriangleMesh {
        let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from((i >> 1) & 1), f64::from(i >> 2));
        let vertices: Vec<DVec3> = (0..8).map(|i| corner(i) * 2.0 - DVec3::ONE).collect();
        hull::convex_hull(&vertices).unwrap().mesh()
    }

    #[test]
    fn a_cube_of_triangles_is_as_far_as_a_box() {
        let (boxed, faces) =
            (solid(&Shape::Box { size: DVec3::splat(2.0) }), solid(&Shape::Mesh(Arc::new(cube()))));
        let mut random = crate::campaign::random::Random::stream(1, "cube", 0, 0);
        for _ in 0..500 {
            let p =
                DVec3::new(random.between(-2.0, 2.0), random.between(-2.0, 2.0), random.between(-2.0, 2.0));
            let (a, b) = (boxed.at(p), faces.at(p));
            assert!((a.distance - b.distance).abs() < 1e-12, "{p} {a:?} {b:?}");
            assert!(faces.least_distance(p) <= b.distance + 1e-12);
        }
    }

    #[test]
    fn gradients_are_those_of_the_distances() {
        let heights = vec![0.0, 0.1, 0.3, 0.2, 0.0, 0.4, 0.1, 0.2, 0.0];
        let field = Heightfield { size_x: 2.0, size_y: 2.0, rows: 3, columns: 3, heights };
        let shapes = [
            Shape::Sphere { radius: 0.7 },
            Shape::Box { size: DVec3::new(1.0, 0.6, 1.4) },
            Shape::Cylinder { radius: 0.5, length: 1.1 },
            Shape::Capsule { radius: 0.4, length: 0.8 },
            Shape::HalfSpace,
            Shape::Mesh(Arc::new(cube())),
            Shape::Heightfield(Arc::new(field)),
        ];
        let mut random = crate::campaign::random::Random::stream(2, "gradients", 0, 0);
        for solid in shapes.iter().map(solid) {
            for _ in 0..50 {
                let p = DVec3::new(
                    random.between(-1.0, 1.0),
                    random.between(-1.0, 1.0),
                    random.between(-1.0, 1.0),
                );
                let here = solid.at(p);
                let there = solid.at(p + here.normal * 1e-7).distance;
                assert!((there - here.distance - 1e-7).abs() < 1e-10, "{solid:?} {p}");
            }
        }
    }
}
