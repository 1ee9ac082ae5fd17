//! Bodies in a scene file.

use super::attach::MotionSpec;
use super::place::{KeyFramesSpec, RotationSpec};
use schemars::JsonSchema;
use serde::Deserialize;

/// A solid shape in its own frame; lengths in m.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ShapeSpec {
    /// A ball about the origin.
    Sphere(SphereSpec),
    /// A box about the origin.
    Box(BoxSpec),
    /// A cylinder about the z axis, centered.
    Cylinder(RoundSpec),
    /// A capsule about the z axis, centered.
    Capsule(RoundSpec),
    /// The half-space below z = 0; it has no mass of its own.
    HalfSpace,
    /// The convex hull of the vertices of a mesh.
    Convex(MeshSpec),
    /// The convex hull of circles about the z axis.
    Turned(TurnedSpec),
    /// A surface of triangles.
    Mesh(MeshSpec),
    /// The solid below a surface of given heights; it has no mass of its own.
    Heightfield(HeightfieldSpec),
}

/// A ball.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SphereSpec {
    /// Radius in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) radius: f64,
}

/// A box.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxSpec {
    /// Full lengths along x, y and z in m.
    #[schemars(extend("items" = { "type": "number", "exclusiveMinimum": 0.0 }))]
    pub(crate) size: [f64; 3],
}

/// A cylinder or capsule.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoundSpec {
    /// Radius in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) radius: f64,
    /// Length in m; of a capsule, between the centers of its caps.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) length: f64,
}

/// A mesh from a file, or given here.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshSpec {
    /// STL or OBJ file; the path is relative to the scene file. Either this or vertices.
    pub(crate) file: Option<String>,
    /// Vertices in m.
    pub(crate) vertices: Option<Vec<[f64; 3]>>,
    /// Vertices of each triangle, counted from 0, counter-clockwise seen from outside; not for convex.
    #[schemars(inner(length(equal = 3), inner(range(min = 0, max = 4000000000u32))))]
    pub(crate) triangles: Option<Vec<[u32; 3]>>,
    /// Factor on the coordinates: 1e-3 for a file in mm. 1 by default.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) scale: f64,
}

/// A solid of revolution.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnedSpec {
    /// Circles: height z and radius in m of each.
    #[schemars(length(min = 2))]
    pub(crate) profile: Vec<[f64; 2]>,
    /// Sides of the polygons of equal area that replace the circles; 96 by default.
    #[serde(default = "sides")]
    #[schemars(range(min = 3, max = 1000))]
    pub(crate) sides: u32,
}

fn sides() -> u32 {
    96
}

/// Ground given by heights on a grid.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeightfieldSpec {
    /// Full lengths along x and y in m, about the origin.
    #[schemars(extend("items" = { "type": "number", "exclusiveMinimum": 0.0 }))]
    pub(crate) size: [f64; 2],
    /// Heights in m: one row for each y, from the least, each from the least x.
    #[schemars(length(min = 2))]
    pub(crate) heights: Vec<Vec<f64>>,
}

/// A shape with its pose in the body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlacedShapeSpec {
    /// The shape.
    pub(crate) shape: ShapeSpec,
    /// Where its origin is in the body's frame, in m.
    #[serde(default)]
    pub(crate) position: [f64; 3],
    /// Its rotation in the body's frame.
    pub(crate) rotation: Option<RotationSpec>,
}

/// A rigid body.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BodySpec {
    /// Its shape, if one in the body's own frame is enough; either this or shapes.
    pub(crate) shape: Option<ShapeSpec>,
    /// Its shapes, each with its pose.
    #[serde(default)]
    pub(crate) shapes: Vec<PlacedShapeSpec>,
    /// Density of its shapes in kg/m³; either this or mass.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) density: Option<f64>,
    /// Mass in kg: distributed evenly over its shapes, or with inertia.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) mass: Option<f64>,
    /// Moments and products of inertia xx, yy, zz, xy, xz, yz about the center of mass in kg·m², body axes; with mass.
    pub(crate) inertia: Option<[f64; 6]>,
    /// Center of mass in the body's frame in m; with inertia, and zero by default.
    pub(crate) com: Option<[f64; 3]>,
    /// Initial position of its frame, in the world or in its parent, in m; with a joint, at joint position zero.
    pub(crate) position: Option<[f64; 3]>,
    /// Initial rotation of its frame, in the world or in its parent.
    pub(crate) rotation: Option<RotationSpec>,
    /// Initial velocity of its frame's origin in m/s; free bodies only.
    pub(crate) velocity: Option<[f64; 3]>,
    /// Initial angular velocity in rad/s, world axes; free bodies only.
    pub(crate) angular_velocity: Option<[f64; 3]>,
    /// Its motion: free by default, fixed, key_frames or driven. With a joint: the motion of the joint's frame, fixed
    /// by default.
    pub(crate) motion: Option<BodyMotionSpec>,
    /// The joint to the world or to its parent.
    pub(crate) joint: Option<JointSpec>,
    /// The body to which it is connected by its joint, or welded without one.
    pub(crate) parent: Option<String>,
    /// Coefficient of friction of its surface; 0.5 by default.
    #[schemars(range(min = 0.0))]
    pub(crate) friction: Option<f64>,
    /// Stiffness of its surface in contact in N/m; as hard as the step allows by default.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) contact_stiffness: Option<f64>,
    /// Hunt and Crossley's dissipation in contact in s/m, for the laws lagged and similar.
    #[schemars(range(min = 0.0))]
    pub(crate) contact_dissipation: Option<f64>,
    /// Greatest pressure of its pressure field in Pa; rigid in patches by default.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) pressure_modulus: Option<f64>,
    /// Size in m of the facets of its shapes in patches; of a soft half-space, the depth at which the pressure
    /// reaches the modulus.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) patch_resolution: Option<f64>,
    /// Color in pictures: red, green, blue and opacity, each from 0 to 1 (sRGB); one of a palette by default.
    #[schemars(extend("items" = { "type": "number", "minimum": 0.0, "maximum": 1.0 }))]
    pub(crate) color: Option<[f64; 4]>,
}

/// The motion of a body.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum BodyMotionSpec {
    /// Free: moved by forces.
    Free,
    /// Fixed.
    Fixed,
    /// Poses at given times.
    KeyFrames(KeyFramesSpec),
    /// A rigid motion relative to the initial pose; rotations about its frame's origin.
    Driven(MotionSpec),
}

/// A joint. Its frame is that of the body at zero.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum JointSpec {
    /// Rotates about an axis.
    Revolute(AxisJointSpec),
    /// Slides along an axis.
    Prismatic(AxisJointSpec),
    /// Rotates about the frame's origin.
    Ball(BallJointSpec),
    /// Rotates about two successive axes.
    Universal(UniversalJointSpec),
    /// Slides in a plane and rotates about its normal.
    Planar(PlanarJointSpec),
}

/// A joint with one degree of freedom.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisJointSpec {
    /// Axis in the joint's frame.
    pub(crate) axis: [f64; 3],
    /// Initial position in rad or m.
    #[serde(default)]
    pub(crate) position: f64,
    /// Initial velocity in rad/s or m/s.
    #[serde(default)]
    pub(crate) velocity: f64,
    /// Least and greatest position in rad or m; none by default.
    pub(crate) limits: Option<[f64; 2]>,
    /// Greatest effort of its actuators in N·m or N; none by default.
    #[schemars(range(min = 0.0))]
    pub(crate) effort_limit: Option<f64>,
    /// Viscous damping in N·m·s/rad or N·s/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) damping: f64,
    /// Dry friction in N·m or N.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) dry_friction: f64,
    /// Rotor inertia of its motor, reflected to the joint, in kg·m² or kg.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) armature: f64,
    /// Spring in N·m/rad or N/m.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) spring_stiffness: f64,
    /// Position at which the spring has no force, in rad or m.
    #[serde(default)]
    pub(crate) spring_rest: f64,
}

/// A joint that rotates about a point.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BallJointSpec {
    /// Initial angular velocity in rad/s, axes of the joint's frame.
    #[serde(default)]
    pub(crate) rates: [f64; 3],
    /// Viscous damping in N·m·s/rad.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) damping: f64,
    /// Dry friction in N·m about each axis.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) dry_friction: f64,
}

/// A joint that rotates about two axes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UniversalJointSpec {
    /// The fixed axis, then the one that rotates with it.
    pub(crate) axes: [[f64; 3]; 2],
    /// Initial angles in rad.
    #[serde(default)]
    pub(crate) angles: [f64; 2],
    /// Their initial rates in rad/s.
    #[serde(default)]
    pub(crate) rates: [f64; 2],
    /// Viscous damping in N·m·s/rad.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) damping: f64,
    /// Dry friction in N·m about each axis.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) dry_friction: f64,
}

/// A joint that slides in a plane.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanarJointSpec {
    /// Normal of the plane in the joint's frame.
    pub(crate) normal: [f64; 3],
    /// Initial velocity along the two axes of the plane in m/s and about its normal in rad/s.
    #[serde(default)]
    pub(crate) rates: [f64; 3],
    /// Viscous damping in N·s/m and N·m·s/rad.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) damping: f64,
    /// Dry friction in N along each axis and in N·m about the normal.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub(crate) dry_friction: f64,
}

fn one() -> f64 {
    1.0
}
