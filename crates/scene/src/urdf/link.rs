//! Links: mass properties and collision shapes.
//!
//! Inertias are taken as given: `<inertia>` is the rotational inertia about the center of mass, in the axes of the
//! `<origin>` of `<inertial>`. Shapes do not override it. Impossible inertias are repaired in [`super::inertia`].

use super::geometry::Geometries;
use super::inertia::possible;
use super::reader::{Bound, Element, Reader, children};
use super::{Collision, UrdfOptions};
use crate::error::SceneError;
use glam::{DMat3, DVec3};
use ropewalk_body::Inertia;
use ropewalk_geometry::Shape;

/// A `<link>`.
pub(super) struct LinkEntry<'n> {
    pub(super) name: &'n str,
    pub(super) node: Element<'n>,
    pub(super) inertia: Inertia,
    pub(super) visual_count: usize,
    /// Collision shapes; their `link` is not known yet.
    pub(super) collisions: Vec<Collision>,
    /// Shapes for pictures, likewise.
    pub(super) visuals: Vec<Collision>,
}

/// Reads a `<link>`.
pub(super) fn read_link<'n>(
    reader: &mut Reader<'_>,
    node: Element<'n>,
    geometries: &mut Geometries<'_>,
    options: &UrdfOptions,
) -> Result<LinkEntry<'n>, SceneError> {
    let name = reader.name(node, "name")?;
    // Visuals are not simulated: they are counted, and not listed one by one.
    reader.drop_unknown(node, &["name", "type"], &["inertial", "visual", "collision"]);
    let inertia = match reader.child(node, "inertial")? {
        Some(inertial) => read_inertial(reader, inertial, options)?,
        None => Inertia::ZERO,
    };
    let mut collisions = Vec::new();
    if options.collision_geometry {
        for collision in children(node, "collision") {
            reader.drop_unknown(collision, &["name"], &["origin", "geometry"]);
            let pose = reader.origin(collision)?;
            let example = "<geometry><sphere radius=\"0.1\"/></geometry>";
            let geometry = reader.required_child(collision, "geometry", example)?;
            let (inner, shape) = geometries.read(reader, geometry)?;
            let name = collision.attribute("name").map(str::to_owned);
            collisions.push(Collision { link: 0, pose: pose * inner, shape, name, friction: None });
        }
    }
    let mut visuals = Vec::new();
    if options.visual_geometry {
        for visual in children(node, "visual") {
            match read_visual(reader, visual, geometries) {
                Ok(shape) => visuals.push(shape),
                // Pictures do not need it.
                Err(e) => reader.drop_at(visual, format!("<visual> of link {name:?}: {}", e.message)),
            }
        }
    }
    let visual_count = children(node, "visual").count();
    Ok(LinkEntry { name, node, inertia, visual_count, collisions, visuals })
}

/// A shape for pictures; meshes are drawn as such, not by their hull.
fn read_visual(
    reader: &mut Reader<'_>,
    node: Element<'_>,
    geometries: &mut Geometries<'_>,
) -> Result<Collision, SceneError> {
    let pose = reader.origin(node)?;
    let geometry = reader.required_child(node, "geometry", "<geometry>")?;
    let (inner, shape) = geometries.read(reader, geometry)?;
    let shape = match shape {
        Shape::Convex(mesh) if !mesh.triangles.is_empty() => Shape::Mesh(mesh),
        other => other,
    };
    Ok(Collision { link: 0, pose: pose * inner, shape, name: None, friction: None })
}

fn read_inertial(
    reader: &mut Reader<'_>,
    node: Element<'_>,
    options: &UrdfOptions,
) -> Result<Inertia, SceneError> {
    reader.drop_unknown(node, &[], &["origin", "mass", "inertia"]);
    let origin = reader.origin(node)?;
    let mass_node = reader.required_child(node, "mass", "<mass value=\"1.0\"/>")?;
    reader.drop_unknown(mass_node, &["value"], &[]);
    let mass = reader.number(mass_node, "value", Bound::NotNegative)?;
    let example = "<inertia ixx=\"…\" ixy=\"0\" ixz=\"0\" iyy=\"…\" iyz=\"0\" izz=\"…\"/>";
    let inertia_node = reader.required_child(node, "inertia", example)?;
    reader.drop_unknown(inertia_node, &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"], &[]);
    let entry = |name| reader.number(inertia_node, name, Bound::Finite);
    let (xx, xy, xz) = (entry("ixx")?, entry("ixy")?, entry("ixz")?);
    let (yy, yz, zz) = (entry("iyy")?, entry("iyz")?, entry("izz")?);
    let given = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
    let about_com = possible(reader, inertia_node, mass, given, options)?;
    let inertia = Inertia { mass, com: DVec3::ZERO, about_com }.placed(&origin);
    // Turned to other axes it is symmetric up to round-off, here exactly.
    let turned = inertia.about_com;
    Ok(Inertia { about_com: 0.5 * (turned + turned.transpose()), ..inertia })
}
