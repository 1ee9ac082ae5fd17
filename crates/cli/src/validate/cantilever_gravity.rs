//! A heavy cantilever, clamped horizontally, at rest under its own weight.
//!
//! The inextensible elastica EI θ″ = w (L − s) cos θ, θ(0) = 0, θ′(L) = 0, has one parameter, Γ = w L³/EI. The
//! rod is clamped in the middle of its first edge, so that its free length is L and the error of second order.
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | Γ | `gamma` | 1 |
//! | L, EI, ρA | 1, 1, 1 | m, N·m², kg/m |
//! | w = Γ EI/L³ | gravity, since ρA = 1 | N/m |
//! | N | `segments` | 1 |
//!
//! The row shows drop/reach of the tip; the error is the distance of the tip from its place in units of L.
//! Source: references from collocation, checked by shooting to 1e-13; the case: Romero et al., Physical
//! validation of simulators in computer graphics, ACM Trans. Graph. 40(4), 2021.

use super::ValidationRow;
use glam::DVec3;
use ropewalk_rod::{Material, RodBuilder, Section, SectionProperties};
use ropewalk_sim::{Clamp, ClampPose, Hold, Model, Motion, State, Workspace, equilibrate};

/// Γ, reach/L, drop/L, and the distance of the tip (in L) that passes at N = 40.
const REFERENCES: [[f64; 4]; 3] = [
    [1.0, 0.991_246_395_347, 0.123_471_401_983, 6e-5],
    [10.0, 0.656_353_761_239, 0.700_199_715_514, 1.2e-3],
    [100.0, 0.159_223_382_628, 0.937_523_935_396, 3.8e-3],
];
const SEGMENTS: u32 = 40;
/// EA over EI/L²: stretch below 1e-6 of the length at Γ = 100.
const STRETCH: f64 = 1e8;

/// The tip at each Γ, and the order from N = 40 to N = 80.
pub(crate) fn run() -> Vec<ValidationRow> {
    let row = |[gamma, reach, drop, tolerance]: [f64; 4]| {
        let place = DVec3::new(reach, 0.0, -drop);
        let tip = tip(gamma, SEGMENTS);
        let error = tip.distance(place);
        let finer = self::tip(gamma, 2 * SEGMENTS).distance(place);
        let name = format!("cantilever_gravity/{gamma}");
        ValidationRow::new(name, drop / reach, -tip.z / tip.x, error, tolerance).with_order(
            (error / finer).log2(),
            2.0,
            0.2,
        )
    };
    REFERENCES.into_iter().map(row).collect()
}

/// Where the tip of a cantilever of `segments` segments comes to rest; NaN if it does not.
fn tip(gamma: f64, segments: u32) -> DVec3 {
    let Some((model, mut state)) = model(gamma, segments) else { return DVec3::NAN };
    let found = equilibrate(&model, &mut state, &mut Workspace::new(&model));
    if found.converged { state.rods[0].position(segments as usize + 1) } else { DVec3::NAN }
}

/// Edges of length 1/N from −½/N to 1, the last one half as long: the tip is at L = 1.
fn model(gamma: f64, segments: u32) -> Option<(Model, State)> {
    let h = 1.0 / f64::from(segments);
    let nodes = (0..=segments).map(|i| DVec3::X * (f64::from(i) - 0.5) * h).chain([DVec3::X]).collect();
    let properties = SectionProperties {
        stretch: STRETCH,
        bend: [1.0; 2],
        twist: 1.0,
        line_density: 1.0,
        spin_inertia: 1e-4,
    };
    let section = Section::Stiffness { properties, radius: 0.01 };
    // Not read: the section gives its stiffness outright.
    let material = Material::from_poisson(1.0, 0.5, 1.0);
    let (rod, rod_state) = RodBuilder::new(nodes, section, material).build().ok()?;
    let hold = Hold::Edge(0);
    let clamp = Clamp {
        name: "wall".to_owned(),
        rod: 0,
        hold,
        motion: Motion { axis: DVec3::Z, ..Motion::default() },
        start: ClampPose::of(hold, &rod, &rod_state),
        release_time: f64::INFINITY,
    };
    let model = Model {
        gravity: DVec3::new(0.0, 0.0, -gamma),
        rod_names: vec!["beam".to_owned()],
        rods: vec![rod],
        clamps: vec![clamp],
        ..Model::default()
    };
    Some((model, State { time: 0.0, rods: vec![rod_state] }))
}
