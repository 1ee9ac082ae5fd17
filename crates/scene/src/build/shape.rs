//! Builds shapes and mass properties of bodies.

use super::Builder;
use super::contact::surface;
use crate::document::{Step, path};
use crate::error::SceneError;
use crate::mesh_file::read_mesh;
use crate::spec::{BodySpec, MeshSpec, ShapeSpec, TurnedSpec};
use core::f64::consts::TAU;
use glam::{DMat3, DVec3};
use ropewalk_body::Inertia;
use ropewalk_geometry::heightfield::Heightfield;
use ropewalk_geometry::{Collider, Shape, TriangleMesh};
use ropewalk_linalg::Pose;
use ropewalk_sim::BodyShape;
use std::sync::Arc;

impl Builder<'_> {
    /// The shapes of the body called `name`, as those of the link `link`.
    pub(super) fn shapes(&self, name: &str, link: usize) -> Result<Vec<BodyShape>, SceneError> {
        let spec = &self.spec.body[name];
        let key = path(&["body", name, "shape"]);
        let surface = surface(spec.friction, spec.contact_stiffness, spec.contact_dissipation);
        let mut shapes = Vec::new();
        if let Some(shape) = &spec.shape {
            if !spec.shapes.is_empty() {
                return Err(self
                    .error(&["body", name, "shapes"], "both shape and shapes are given")
                    .expected("one of them"));
            }
            shapes.push(BodyShape {
                link,
                pose: Pose::IDENTITY,
                collider: self.collider(&key, shape)?,
                surface,
                name: None,
            });
        }
        for (i, placed) in spec.shapes.iter().enumerate() {
            let mut steps = path(&["body", name, "shapes"]);
            steps.push(Step::Index(i));
            let inner = |key: &str| [steps.as_slice(), &[Step::Key(key.into())]].concat();
            let rotation = self.rotation(&inner("rotation"), placed.rotation.as_ref())?;
            let pose = Pose::new(placed.position.into(), rotation);
            let collider = self.collider(&inner("shape"), &placed.shape)?;
            shapes.push(BodyShape { link, pose, collider, surface, name: None });
        }
        Ok(shapes)
    }

    fn collider(&self, steps: &[Step], spec: &ShapeSpec) -> Result<Collider, SceneError> {
        let shape = self.shape(steps, spec)?;
        Collider::new(&shape).map_err(|e| self.document.error(steps, &e.to_string()))
    }

    fn shape(&self, steps: &[Step], spec: &ShapeSpec) -> Result<Shape, SceneError> {
        let shape = match spec {
            ShapeSpec::Sphere(s) => Shape::Sphere { radius: s.radius },
            ShapeSpec::Box(b) => Shape::Box { size: b.size.into() },
            ShapeSpec::Cylinder(c) => Shape::Cylinder { radius: c.radius, length: c.length },
            ShapeSpec::Capsule(c) => Shape::Capsule { radius: c.radius, length: c.length },
            ShapeSpec::HalfSpace => Shape::HalfSpace,
            ShapeSpec::Convex(m) => Shape::Convex(self.mesh(steps, "convex", m)?),
            ShapeSpec::Turned(t) => Shape::Convex(self.turned(steps, t)?),
            ShapeSpec::Mesh(m) => Shape::Mesh(self.mesh(steps, "mesh", m)?),
            ShapeSpec::Heightfield(h) => {
                let columns = h.heights.first().map_or(0, Vec::len);
                if h.heights.iter().any(|row| row.len() != columns) {
                    return Err(self
                        .document
                        .error(steps, "the rows of this heightfield differ in length")
                        .expected("the same number of heights in each row"));
                }
                Shape::Heightfield(Arc::new(Heightfield {
                    size_x: h.size[0],
                    size_y: h.size[1],
                    rows: h.heights.len(),
                    columns,
                    heights: h.heights.concat(),
                }))
            }
        };
        match shape.validate() {
            Ok(()) => Ok(shape),
            Err(e) => Err(self.document.error(steps, &e.to_string())),
        }
    }

    /// Corners of regular polygons of the circles' areas.
    fn turned(&self, steps: &[Step], spec: &TurnedSpec) -> Result<Arc<TriangleMesh>, SceneError> {
        if spec.profile.iter().any(|[_, radius]| *radius < 0.0) {
            let profile = [steps, &path(&["turned", "profile"])].concat();
            let error = self.document.error(&profile, "a radius is negative");
            return Err(error.expected("pairs of height and radius in m"));
        }
        let step = TAU / f64::from(spec.sides);
        let factor = (step / step.sin()).sqrt();
        let ring = |&[z, radius]: &[f64; 2]| {
            let corners = if radius > 0.0 { spec.sides } else { 1 };
            (0..corners).map(move |k| {
                let (sin, cos) = (step * f64::from(k)).sin_cos();
                DVec3::new(radius * factor * cos, radius * factor * sin, z)
            })
        };
        let vertices = spec.profile.iter().flat_map(ring).collect();
        Ok(Arc::new(TriangleMesh { vertices, triangles: Vec::new() }))
    }

    fn mesh(&self, steps: &[Step], kind: &str, spec: &MeshSpec) -> Result<Arc<TriangleMesh>, SceneError> {
        let file = [steps, &path(&[kind, "file"])].concat();
        let name = match (&spec.file, &spec.vertices) {
            (Some(name), None) => name,
            (None, Some(vertices)) => {
                let point = |v: &[f64; 3]| spec.scale * DVec3::from(*v);
                return Ok(Arc::new(TriangleMesh {
                    vertices: vertices.iter().map(point).collect(),
                    triangles: spec.triangles.clone().unwrap_or_default(),
                }));
            }
            _ => {
                let what = "a mesh comes from one source";
                return Err(self
                    .document
                    .error(steps, what)
                    .expected("`file`, or `vertices` and `triangles`"));
            }
        };
        let place = self.base_dir.map_or_else(|| name.into(), |dir| dir.join(name));
        let mut mesh = read_mesh(&place).map_err(|problem| {
            let error = self.document.error(&file, &format!("{}: {}", place.display(), problem.message));
            error.hint(problem.hint.unwrap_or_else(|| "the path counts from the scene file".into()))
        })?;
        mesh.vertices.iter_mut().for_each(|v| *v *= spec.scale);
        Ok(Arc::new(mesh))
    }

    /// Mass properties of the body called `name`; if it `moves`, it must have mass.
    pub(super) fn inertia(
        &self,
        name: &str,
        shapes: &[BodyShape],
        moves: bool,
    ) -> Result<Inertia, SceneError> {
        let spec = &self.spec.body[name];
        let at = |key: &str, message: &str| self.error(&["body", name, key], message);
        if spec.com.is_some() && spec.inertia.is_none() {
            return Err(at("com", "a center of mass is given without inertia")
                .hint("give `mass` and `inertia` too, or place the shapes of the body"));
        }
        match (spec.density, spec.mass, spec.inertia) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => Err(at("density", "the body is weighed twice")
                .expected("`density`, or `mass`, or `mass` and `inertia`")),
            (None, None, Some(_)) => Err(at("mass", "inertia is given without mass").expected("mass = …")),
            (None, None, None) if moves => {
                let error = at("density", "a body that moves needs a mass");
                Err(error.expected("`density` or `mass`").hint("motion = \"fixed\" needs none"))
            }
            (None, None, None) => Ok(Inertia::ZERO),
            (None, Some(mass), Some(_)) => {
                let inertia = given_inertia(spec, mass);
                match inertia.defect(1e-6) {
                    None => Ok(inertia),
                    Some(defect) => {
                        Err(at("inertia", &defect)
                            .expected("xx, yy, zz, xy, xz, yz about the center of mass"))
                    }
                }
            }
            (Some(density), None, None) => self.of_shapes(name, shapes, density),
            (None, Some(mass), None) => {
                let unit = self.of_shapes(name, shapes, 1.0)?;
                let factor = mass / unit.mass;
                Ok(Inertia { mass, com: unit.com, about_com: unit.about_com * factor })
            }
        }
    }

    fn of_shapes(&self, name: &str, shapes: &[BodyShape], density: f64) -> Result<Inertia, SceneError> {
        if shapes.is_empty() {
            return Err(self
                .error(&["body", name], "a body without shape has no volume to weigh")
                .expected("`shape`, or `mass` and `inertia`"));
        }
        let mut sum = Inertia::ZERO;
        for placed in shapes {
            let found = placed.collider.shape().mass_properties(density);
            let m = found.map_err(|e| self.error(&["body", name], &e.to_string()))?;
            let one = Inertia { mass: m.mass, com: m.com, about_com: m.inertia };
            sum = sum.combined(&one.placed(&placed.pose));
        }
        if !(sum.mass.is_normal() && sum.com.is_finite() && sum.about_com.is_finite()) {
            return Err(self
                .error(&["body", name], "mass or size of this body is too large or too small to compute with")
                .hint("check the units (m, kg/m³)"));
        }
        Ok(sum)
    }
}

fn given_inertia(spec: &BodySpec, mass: f64) -> Inertia {
    let [xx, yy, zz, xy, xz, yz] = spec.inertia.unwrap_or_default();
    Inertia {
        mass,
        com: spec.com.unwrap_or_default().into(),
        about_com: DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz)),
    }
}
