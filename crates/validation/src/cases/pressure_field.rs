//! A soft sphere and the side of a soft cylinder on a rigid plane, at elements of R/16.
//!
//! With p = E(1 − r/R) and h = R − d at the depth d: the force on a sphere is π E[(R² − h²) − 2(R³ − h³)/(3R)]; on a
//! cylinder, per length, E(2a − (aR + h² asinh(a/h))/R) with a² = R² − h². The effect of the cylinder's ends is
//! removed by the difference of two lengths; `pressure_field/rod_…` is the same for the field of a round rod. Rows
//! show the worst of several turns; the order is that of the worst from R/4 to R/16. Source: the integral of p over
//! the disc or strip in which the plane cuts the solid.

use super::ValidationRow;
use glam::{DQuat, DVec3};
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::{FieldError, Patch, PatchBody, RodField, RodSection, body_body, edge_body};
use ropewalk_linalg::Pose;
use std::f64::consts::{FRAC_PI_2, PI};

const MODULUS: f64 = 1e6;
const RADIUS: f64 = 0.01;
/// Depths over the radius.
const DEPTHS: [f64; 3] = [0.1, 0.2, 0.3];
const TOLERANCE: f64 = 2e-3;

pub(crate) fn run() -> Vec<ValidationRow> {
    let mut rows = Vec::new();
    for depth in DEPTHS {
        rows.push(row("sphere", depth, sphere_force(depth), sphere));
        rows.push(row("cylinder", depth, cylinder_force(depth), cylinder));
        rows.push(row("rod", depth, cylinder_force(depth), rod));
    }
    rows
}

/// Turns of the solid about its axis in rad, none of them a symmetry.
const TURNS: [f64; 5] = [0.1, 0.37, 0.71, 1.13, 1.93];

fn row(
    kind: &str,
    depth: f64,
    reference: f64,
    measure: impl Fn(f64, f64, f64) -> Result<f64, FieldError>,
) -> ValidationRow {
    let error = |force: f64| (force / reference - 1.0).abs();
    // A missing value counts as the worst.
    let worst = |elements: f64| {
        let forces = TURNS.map(|turn| measure(depth, RADIUS / elements, turn).unwrap_or(f64::NAN));
        forces.into_iter().max_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(f64::NAN)
    };
    let fine = worst(16.0);
    let order = (error(worst(4.0)) / error(fine)).log2() / 2.0;
    let mut row =
        ValidationRow::relative(format!("pressure_field/{kind}_{depth}"), reference, fine, TOLERANCE);
    // The skin alone has the order 2; with corners outside and sides inside of it errors cancel in part, so that the
    // order may be higher.
    row.order = Some(order);
    row.pass = row.pass.map(|pass| pass && order > 1.5);
    row
}

fn sphere_force(depth: f64) -> f64 {
    let (r, h) = (RADIUS, RADIUS * (1.0 - depth));
    PI * MODULUS * ((r * r - h * h) - 2.0 * (r.powi(3) - h.powi(3)) / (3.0 * r))
}

fn cylinder_force(depth: f64) -> f64 {
    let (r, h) = (RADIUS, RADIUS * (1.0 - depth));
    let a = (r * r - h * h).sqrt();
    MODULUS * (2.0 * a - (a * r + h * h * (a / h).asinh()) / r)
}

fn on_plane(body: &PatchBody, depth: f64, rotation: DQuat) -> f64 {
    let mut patch = Patch::default();
    let pose = Pose::new(DVec3::new(0.0, 0.0, RADIUS * (1.0 - depth)), rotation);
    body_body(body, &pose, &PatchBody::RigidHalfSpace, &Pose::IDENTITY, &mut patch);
    patch.force_on_a().z
}

fn sphere(depth: f64, h: f64, turn: f64) -> Result<f64, FieldError> {
    let ball = PatchBody::soft(&Shape::Sphere { radius: RADIUS }, MODULUS, Some(h))?;
    Ok(on_plane(&ball, depth, DQuat::from_rotation_x(turn)))
}

fn cylinder(depth: f64, h: f64, turn: f64) -> Result<f64, FieldError> {
    let force = |length: f64| -> Result<f64, FieldError> {
        let shape = Shape::Cylinder { radius: RADIUS, length };
        let rotation = DQuat::from_rotation_x(FRAC_PI_2) * DQuat::from_rotation_z(turn);
        Ok(on_plane(&PatchBody::soft(&shape, MODULUS, Some(h))?, depth, rotation))
    };
    Ok((force(7.0 * RADIUS)? - force(3.0 * RADIUS)?) / (4.0 * RADIUS))
}

fn rod(depth: f64, h: f64, turn: f64) -> Result<f64, FieldError> {
    let force = |edges: usize| -> Result<f64, FieldError> {
        let mut rod = RodField::new(RodSection::circle(RADIUS, Some(h))?, MODULUS, edges, false)?;
        let height = RADIUS * (1.0 - depth);
        let nodes: Vec<DVec3> =
            (0..=edges).map(|i| DVec3::new(2.0 * RADIUS * i as f64, 0.0, height)).collect();
        rod.update(&nodes, &vec![DQuat::from_rotation_x(turn) * DVec3::Y; edges])?;
        let mut patch = Patch::default();
        for edge in 0..edges {
            rod.prepare_edge(edge);
            edge_body(&rod, edge, &PatchBody::RigidHalfSpace, &Pose::IDENTITY, &mut patch);
        }
        Ok(patch.force_on_a().z)
    };
    Ok((force(5)? - force(3)?) / (4.0 * RADIUS))
}
