//! Geoms: collision shapes, and the mass of bodies without `<inertial>`.

use super::element::Element;
use super::settings::{Classed, Settings, z_to};
use crate::error::{SceneError, list_names, nearest_name};
use crate::mesh_file::read_mesh;
use core::f64::consts::PI;
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::Inertia;
use ropewalk_geometry::{Shape, TriangleMesh};
use ropewalk_linalg::Pose;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Density of geoms that have neither density nor mass, kg/m³.
const WATER: f64 = 1000.0;

/// A geom.
pub(super) struct Geom {
    pub(super) name: Option<String>,
    pub(super) pose: Pose,
    /// `None` for shapes that do not collide here.
    pub(super) shape: Option<Shape>,
    /// Coefficient of sliding friction.
    pub(super) friction: f64,
    /// Mass properties in the frame of the body.
    pub(super) inertia: Inertia,
}

/// Mesh assets, read on demand.
pub(super) struct Meshes<'e> {
    assets: HashMap<String, &'e Element>,
    read: HashMap<String, Arc<TriangleMesh>>,
    folder: Option<PathBuf>,
}

impl<'e> Meshes<'e> {
    pub(super) fn new(model: &'e Element, folder: Option<&Path>) -> Self {
        let assets = model.all("asset").flat_map(|a| a.all("mesh"));
        let named = assets.filter_map(|mesh| {
            let stem = || Path::new(mesh.own("file")?).file_stem()?.to_str();
            Some((mesh.own("name").or_else(stem)?.to_owned(), mesh))
        });
        Self { assets: named.collect(), read: HashMap::new(), folder: folder.map(Path::to_owned) }
    }

    /// The mesh called `name`, in the frame of geoms that use it.
    fn get(
        &mut self,
        settings: &Settings,
        geom: &Element,
        name: &str,
    ) -> Result<Arc<TriangleMesh>, SceneError> {
        if let Some(known) = self.read.get(name) {
            return Ok(Arc::clone(known));
        }
        let Some(asset) = self.assets.get(name) else {
            let names = || self.assets.keys().map(String::as_str);
            return Err(settings
                .files
                .error_in(geom, "mesh", format!("there is no mesh {name:?}"))
                .expected(format!("one of {}", list_names(names())))
                .nearest(nearest_name(name, names())));
        };
        let of = settings.classed(asset, None)?;
        let mut mesh = match (settings.get(of, "file"), settings.list(of, "vertex")?) {
            (Some(file), _) => self.file(settings, asset, file)?,
            (None, Some(numbers)) => {
                let vertices = numbers.as_chunks::<3>().0.iter().map(|v| DVec3::from_array(*v)).collect();
                let faces = settings.list(of, "face")?.unwrap_or_default();
                let triangles =
                    faces.as_chunks::<3>().0.iter().map(|&t| t.map(|i| i.max(0.0) as u32)).collect();
                TriangleMesh { vertices, triangles }
            }
            (None, None) => return Err(settings.files.error(asset, "a mesh needs a `file` or `vertex`")),
        };
        let count = mesh.vertices.len();
        if mesh.triangles.iter().flatten().any(|i| *i as usize >= count) {
            return Err(settings.files.error_in(asset, "face", "a triangle has a vertex that is not there"));
        }
        let scale = settings.vector(of, "scale", DVec3::ONE)?;
        let shift = settings.vector(of, "refpos", DVec3::ZERO)?;
        let [w, x, y, z] = settings.numbers(of, "refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let turn = DQuat::from_xyzw(x, y, z, w).normalize().conjugate();
        mesh.vertices.iter_mut().for_each(|v| *v = turn * (*v * scale - shift));
        if scale.x * scale.y * scale.z < 0.0 {
            mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        if mesh.vertices.iter().any(|v| !v.is_finite() || v.abs().max_element() > 1e9) {
            return Err(settings.files.error(asset, "this mesh is too large to compute with"));
        }
        let mesh = Arc::new(mesh);
        self.read.insert(name.to_owned(), Arc::clone(&mesh));
        Ok(mesh)
    }

    fn file(&self, settings: &Settings, asset: &Element, file: &str) -> Result<TriangleMesh, SceneError> {
        let name = Path::new(file);
        let name = if settings.strip_path { name.file_name().map_or(name, Path::new) } else { name };
        let path = Path::new(&settings.mesh_folder).join(name);
        let path = match &self.folder {
            Some(folder) => folder.join(path),
            None if path.is_absolute() => path,
            None => {
                return Err(settings.files.error_in(
                    asset,
                    "file",
                    format!("{file:?} counts from the model's folder, but this model comes from no file"),
                ));
            }
        };
        read_mesh(&path).map_err(|problem| {
            let error =
                settings.files.error_in(asset, "file", format!("{}: {}", path.display(), problem.message));
            match problem.hint {
                Some(hint) => error.hint(hint),
                None => error,
            }
        })
    }
}

/// Reads a geom. Mesh files are read where the mesh touches (`collides`), or gives its body a mass (`weighs`).
pub(super) fn read_geom(
    settings: &mut Settings,
    meshes: &mut Meshes<'_>,
    of: Classed<'_>,
    frame: &Pose,
    (collides, weighs): (bool, bool),
) -> Result<Geom, SceneError> {
    const TYPES: [&str; 9] =
        ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];
    let mesh_name = settings.get(of, "mesh").map(str::to_owned);
    let kind = settings.word(of, "type", &TYPES, if mesh_name.is_some() { "mesh" } else { "sphere" })?;
    let (pose, size) = place_and_size(settings, of, &kind)?;
    let on = settings.number(of, "contype", 1.0)? != 0.0 || settings.number(of, "conaffinity", 1.0)? != 0.0;
    let touches = on && collides;
    let (shape, solid) = if kind == "mesh" {
        match mesh_name {
            None => return Err(settings.files.error(of.element, "a geom of type mesh needs a `mesh`")),
            Some(_) if !touches && !weighs => (None, NOTHING),
            Some(name) => {
                let mesh = meshes.get(settings, of.element, &name)?;
                let solid = if weighs { mesh_solid(&mesh) } else { NOTHING };
                (Some(Shape::Convex(mesh)), solid)
            }
        }
    } else {
        primitive(settings, of, &kind, &size)?
    };
    if touches && shape.is_none() {
        settings.drop_at(
            of.element,
            format!("contact of {}: there is no shape for a {kind}", of.element.words()),
        );
    }
    if settings.flag(of, "shellinertia", false)? {
        let message = "mass in the shell of a geom is not read";
        return Err(settings.files.error(of.element, message).hint("give the body an <inertial>"));
    }
    let (volume, com, second) = solid;
    let mass = match settings.numbers::<1>(of, "mass")? {
        Some([mass]) => mass,
        None => volume * settings.positive(of, "density", WATER)?,
    };
    let inertia = if volume > 0.0 && mass > 0.0 {
        Inertia { mass, com, about_com: second * (mass / volume) }.placed(&(*frame * pose))
    } else {
        Inertia::ZERO
    };
    let friction = settings.list(of, "friction")?.and_then(|f| f.first().copied()).unwrap_or(1.0);
    Ok(Geom {
        name: of.element.own("name").map(str::to_owned),
        pose: *frame * pose,
        shape: shape.filter(|_| touches),
        friction: friction.max(0.0),
        inertia,
    })
}

/// Pose of a geom in its body, and its sizes: radius, or half lengths.
fn place_and_size(settings: &Settings, of: Classed<'_>, kind: &str) -> Result<(Pose, Vec<f64>), SceneError> {
    let size = settings.list(of, "size")?.unwrap_or_default();
    let Some([a, b, c, d, e, f]) = settings.numbers::<6>(of, "fromto")? else {
        return Ok((settings.pose(of)?, size));
    };
    let [from, to] = [DVec3::new(a, b, c), DVec3::new(d, e, f)];
    let Some(along) = (from - to).try_normalize() else {
        return Err(settings.files.error_in(of.element, "fromto", "the two points are the same"));
    };
    let (half, width) = (0.5 * (from - to).length(), size.first().copied().unwrap_or(0.0));
    let boxed = matches!(kind, "box" | "ellipsoid");
    let size = if boxed { vec![width, width, half] } else { vec![width, half] };
    Ok((Pose::new(0.5 * (from + to), z_to(along)), size))
}

/// The shape of a geom that is no mesh, if there is one here, and its mass properties.
fn primitive(
    settings: &Settings,
    of: Classed<'_>,
    kind: &str,
    size: &[f64],
) -> Result<(Option<Shape>, Solid), SceneError> {
    let side = |k: usize| match size.get(k) {
        Some(x) if *x > 0.0 => Ok(*x),
        _ => Err(settings
            .files
            .error_in(of.element, "size", format!("the size of a {kind} is {size:?}"))
            .expected("positive numbers: radius, or half lengths")),
    };
    Ok(match kind {
        "plane" => (Some(Shape::HalfSpace), NOTHING),
        "sphere" => (Some(Shape::Sphere { radius: side(0)? }), ellipsoid(DVec3::splat(side(0)?))),
        "capsule" => {
            let (radius, half) = (side(0)?, side(1)?);
            (Some(Shape::Capsule { radius, length: 2.0 * half }), capsule(radius, half))
        }
        "cylinder" => {
            let (radius, half) = (side(0)?, side(1)?);
            (Some(Shape::Cylinder { radius, length: 2.0 * half }), cylinder(radius, half))
        }
        "box" => {
            let half = DVec3::new(side(0)?, side(1)?, side(2)?);
            (Some(Shape::Box { size: 2.0 * half }), cuboid(half))
        }
        "ellipsoid" => (None, ellipsoid(DVec3::new(side(0)?, side(1)?, side(2)?))),
        _ => (None, NOTHING),
    })
}

/// Volume, center of mass, and inertia at unit density about it.
type Solid = (f64, DVec3, DMat3);
const NOTHING: Solid = (0.0, DVec3::ZERO, DMat3::ZERO);

fn ellipsoid(r: DVec3) -> Solid {
    let volume = 4.0 / 3.0 * PI * r.x * r.y * r.z;
    let q = r * r / 5.0;
    (volume, DVec3::ZERO, DMat3::from_diagonal(DVec3::new(q.y + q.z, q.x + q.z, q.x + q.y) * volume))
}

fn cuboid(half: DVec3) -> Solid {
    let volume = 8.0 * half.x * half.y * half.z;
    let q = half * half / 3.0;
    (volume, DVec3::ZERO, DMat3::from_diagonal(DVec3::new(q.y + q.z, q.x + q.z, q.x + q.y) * volume))
}

fn cylinder(r: f64, half: f64) -> Solid {
    let volume = 2.0 * PI * r * r * half;
    let across = r * r / 4.0 + half * half / 3.0;
    (volume, DVec3::ZERO, DMat3::from_diagonal(DVec3::new(across, across, r * r / 2.0) * volume))
}

fn capsule(r: f64, half: f64) -> Solid {
    let (middle, _, inner) = cylinder(r, half);
    let caps = 4.0 / 3.0 * PI * r * r * r;
    // Half balls: 3r/8 from their flat faces, 2r²/5 about the diameter.
    let across = caps * (2.0 / 5.0 * r * r + half * half + 2.0 * half * 3.0 / 8.0 * r);
    let along = caps * 2.0 / 5.0 * r * r;
    (middle + caps, DVec3::ZERO, inner + DMat3::from_diagonal(DVec3::new(across, across, along)))
}

/// The solid inside of a mesh as MuJoCo weighs it by default: tetrahedra, each counted as positive, from the middle of the surface
/// for the center of mass, then from there for volume and inertia.
fn mesh_solid(mesh: &TriangleMesh) -> Solid {
    let triangles = || mesh.triangles.iter().map(move |&t| t.map(|i| mesh.vertices[i as usize]));
    let (area, sum) = triangles().fold((0.0, DVec3::ZERO), |(area, sum), [a, b, c]| {
        let part = 0.5 * (b - a).cross(c - a).length();
        (area + part, sum + part * (a + b + c) / 3.0)
    });
    let tetrahedra = |corner: DVec3| {
        triangles().map(move |t| {
            let [a, b, c] = t.map(|x| x - corner);
            ((a.cross(b).dot(c) / 6.0).abs(), [a, b, c])
        })
    };
    let middle = sum / area;
    let (volume, sum) = tetrahedra(middle)
        .fold((0.0, DVec3::ZERO), |(volume, sum), (v, [a, b, c])| (volume + v, sum + v * (a + b + c) / 4.0));
    let com = middle + sum / volume;
    // ∫ x xᵀ over a tetrahedron with a corner at the origin: V/20 (Σ xᵢ xᵢᵀ + s sᵀ), s = Σ xᵢ.
    let outer = |x: DVec3| DMat3::from_cols(x * x.x, x * x.y, x * x.z);
    let (volume, second) = tetrahedra(com).fold((0.0, DMat3::ZERO), |(volume, sum), (v, [a, b, c])| {
        (volume + v, sum + (outer(a) + outer(b) + outer(c) + outer(a + b + c)) * (v / 20.0))
    });
    // A mesh without area or volume gives no number.
    if !(volume > 0.0 && com.is_finite()) {
        return NOTHING;
    }
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    (volume, com, DMat3::from_diagonal(DVec3::splat(trace)) - second)
}
