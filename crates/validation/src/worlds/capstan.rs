//! A rope round a post, dragged.
//!
//! Post: fixed cylinder of radius R = 30 mm, axis z. Rope: of radius r, EA = 31.4 N, 3.14e-3 kg/m, EI = 7.85e-8 N·m²
//! and GJ = 5.24e-8 N·m² at r = 1 mm (both as r⁴), segments of (R + r)Δφ, int(0.3π/Δφ) straight ones at each end, as
//! published for this experiment. No gravity, no contact of the rope with itself. The rope starts as a polygon whose
//! edges are tangent to the circle of radius R + r, so that it touches and does not overlap.

use super::{World, steady};
use core::f64::consts::PI;
use glam::{DMat3, DVec3};
use ropewalk_body::{Inertia, JointKind};
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::{PatchBody, RodField, RodSection};
use ropewalk_linalg::Pose;
use ropewalk_rod::{Material, RestShape, RodBuilder, Section, SectionProperties};
use ropewalk_sim::{
    Actuator, ActuatorKind, Attachment, AttachmentKind, End, Hold, Load, LoadKind, Party, TimeFunction,
};
use std::sync::Arc;

/// Radius of the post, m.
pub const POST_RADIUS: f64 = 0.03;
/// Coefficient of friction of rope and post.
pub const FRICTION: f64 = 0.2;
/// Force on the slack end, N: √(EA·EI)/R, at which the strain T/EA and the stiff rope's share EI/(T R²) are equally small
/// (0.2 %).
pub const SLACK_FORCE: f64 = 0.05;
/// Speed of the dragged end, m/s: slow enough for inertia ρA v² to be below 1e-5 of the force, fast enough for a
/// segment to pass in a fraction of a second.
pub const DRAG_SPEED: f64 = 0.01;
/// Pressure at the axis of the rope's field, Pa.
pub const PRESSURE_MODULUS: f64 = 1e5;
/// Time step, s.
pub const DT: f64 = 1e-3;

/// A rope of radius `rope_radius` wrapped by `angle`, in segments of `segment_angle`.
#[derive(Clone, Copy, Debug)]
pub struct Capstan {
    /// Wrap angle φ, rad.
    pub angle: f64,
    /// Δφ, rad.
    pub segment_angle: f64,
    /// Radius of the rope, m.
    pub rope_radius: f64,
    /// Contact in patches of the published pressure field, [`PRESSURE_MODULUS`].
    pub patch: bool,
}

impl Capstan {
    /// Length of a segment, m.
    pub fn segment(&self) -> f64 {
        (POST_RADIUS + self.rope_radius) * self.segment_angle
    }

    /// Directions in which the slack and the dragged end leave the post.
    pub fn directions(&self) -> [DVec3; 2] {
        [DVec3::NEG_Y, DVec3::new(-self.angle.sin(), self.angle.cos(), 0.0)]
    }

    fn nodes(&self) -> Vec<DVec3> {
        let center = POST_RADIUS + self.rope_radius;
        // Corners of a polygon about the circle, and tails along its first and last tangents.
        let corner = center / (0.5 * self.segment_angle).cos();
        let wrapped = (self.angle / self.segment_angle).round() as i32;
        let tail = (0.3 * PI / self.segment_angle + 1e-9) as i32;
        let [slack, dragged] = self.directions();
        let at = |k: i32| {
            let a = self.segment_angle * (f64::from(k) - 0.5);
            DVec3::new(a.cos(), a.sin(), 0.0) * corner
        };
        let way = |k: i32| self.segment() * f64::from(k);
        let before = (1..=tail).rev().map(|k| at(0) + slack * way(k));
        let after = (1..=tail).map(|k| at(wrapped) + dragged * way(k));
        before.chain((0..=wrapped).map(at)).chain(after).collect()
    }

    fn rope_and_post(&self) -> Option<World> {
        let mut world = World::new(DT);
        let (r, line_density) = (self.rope_radius, 3.14e-3);
        let quartic = (r / 1e-3).powi(4);
        let properties = SectionProperties {
            stretch: 31.4,
            bend: [7.85e-8 * quartic; 2],
            twist: 5.24e-8 * quartic,
            line_density,
            spin_inertia: 0.5 * line_density * r * r,
        };
        // The material is not read where the section gives its stiffness outright.
        let material = Material::from_poisson(1e5, 0.4999, 10.0);
        let mut builder =
            RodBuilder::new(self.nodes(), Section::Stiffness { properties, radius: r }, material);
        builder.rest = RestShape::Straight;
        world.add_rod(builder, FRICTION)?;
        world.model.excluded_pairs.push([Party::Rod(0); 2]);
        let post = Shape::Cylinder { radius: POST_RADIUS, length: 0.03 };
        world.add_fixed(&post, Pose::IDENTITY, FRICTION)?;
        if self.patch {
            let edges = world.model.rods[0].edge_count();
            let section = RodSection::circle(r, None).ok()?;
            let field = RodField::new(section, PRESSURE_MODULUS, edges, false).ok()?;
            world.model.patches.rods.push(Some(field));
            let surface = PatchBody::rigid(&post, None).ok()?;
            world.model.patches.shapes.push(((0, 0), Arc::new(surface)));
        }
        Some(world)
    }

    /// A constant force on one end, the other dragged at [`DRAG_SPEED`]: steady sliding.
    pub fn sliding(&self) -> Option<World> {
        let mut world = self.rope_and_post()?;
        let [slack, dragged] = self.directions();
        world.model.loads.push(Load {
            name: "slack end".to_owned(),
            rod: 0,
            kind: LoadKind::Point { node: 0, force: slack * SLACK_FORCE },
            scale: TimeFunction::Constant(1.0),
        });
        let last = world.model.rods[0].node_count() - 1;
        world.drive(0, Hold::Node(last), dragged * DRAG_SPEED);
        Some(world)
    }

    /// The published protocol: each end on a slider of 1.13e-5 kg, one held at 0 by a controller (k_p = 10 N/m,
    /// k_i = 5 N/(m·s), at most 10 N), the other pulled with 0.01 N/s · t. Actuator 0 holds, actuator 1 pulls.
    pub fn published(&self) -> Option<World> {
        let mut world = self.rope_and_post()?;
        let edges = world.model.rods[0].edge_count();
        let last = world.model.rods[0].node_count() - 1;
        let hold = ActuatorKind::ProportionalIntegral {
            position_gain: 10.0,
            integral_gain: 5.0,
            target: TimeFunction::default(),
        };
        let pull = ActuatorKind::Force { effort: steady(0.01) };
        let ends = [(0, 0, 0.0, hold), (last, edges - 1, 1.0, pull)];
        for ((node, edge, fraction, kind), axis) in ends.into_iter().zip(self.directions()) {
            let pose = Pose::at(world.state.rods[0].position(node));
            // It does not turn: its moments of inertia are not read.
            let inertia = Inertia { mass: 1.13e-5, com: DVec3::ZERO, about_com: DMat3::IDENTITY };
            let tree = world.add_body(JointKind::Prismatic { axis }, pose, inertia, Vec::new())?;
            world.model.attachments.push(Attachment {
                name: format!("end {tree}"),
                ends: [
                    End::Rod { rod: 0, edge, fraction },
                    End::Link { tree, link: 0, point: Some(DVec3::ZERO) },
                ],
                kind: AttachmentKind::Point,
                begin_time: 0.0,
                release_time: f64::INFINITY,
            });
            world.model.actuators.push(Actuator {
                name: format!("slider {tree}"),
                tree,
                link: 0,
                dof: 0,
                kind,
                effort_limit: 10.0,
            });
        }
        Some(world)
    }
}
