//! Claims from their description; whether each fits what it speaks of.

use super::{Claim, ClaimKind};
use crate::build::Builder;
use crate::curve::round::unit;
use crate::error::SceneError;
use crate::spec::{ClaimSpec, RodClaimSpec};
use ropewalk_sim::{Hold, LoadKind, Model, Scheme};

/// How far energy may rise above its start and the work done, relative.
const ENERGY_TOLERANCE: f64 = 1e-6;

impl Claim {
    /// The claims of a scene, and the one that every scene makes under backward Euler: energy within work.
    pub(crate) fn from_spec(builder: &Builder<'_>, model: &Model) -> Result<Vec<Self>, SceneError> {
        let mut claims = Vec::new();
        for (name, spec) in &builder.spec.claim {
            let (kind, tolerance) = kind(builder, model, name, spec)?;
            claims.push(Self { name: name.clone(), kind, tolerance });
        }
        if model.settings.scheme == Scheme::BACKWARD_EULER {
            claims.push(Self {
                name: "energy_within_work".into(),
                kind: ClaimKind::Energy,
                tolerance: ENERGY_TOLERANCE,
            });
        }
        Ok(claims)
    }
}

fn kind(
    builder: &Builder<'_>,
    model: &Model,
    name: &str,
    spec: &ClaimSpec,
) -> Result<(ClaimKind, f64), SceneError> {
    let rod_of = |key: &'static str, spec: &RodClaimSpec| {
        builder.rod_index(&["claim", name, key, "rod"], &spec.rod)
    };
    let clamp_of = |key: [&'static str; 2], clamp: &str| {
        builder.index("clamp", builder.spec.clamp.keys(), &["claim", name, key[0], key[1]], clamp)
    };
    let refuse = |key: &str, message: &str| Err(builder.error(&["claim", name, key], message));
    match spec {
        ClaimSpec::ClampedRod(c) => {
            let key = "clamped_rod";
            let clamp = clamp_of([key, "clamp"], &c.clamp)?;
            let Some(along) = unit(c.along) else {
                return Err(builder.error(&["claim", name, key, "along"], "this direction is zero"));
            };
            if !clamps_an_end_alone(model, clamp) {
                return refuse(key, "this claim needs a clamp of everything at an end, and no other on its rod");
            }
            let rod = model.clamps[clamp].rod;
            let other = |l: &&ropewalk_sim::Load| {
                l.rod == rod && !matches!(l.kind, LoadKind::Point { .. } | LoadKind::Drag { .. })
            };
            if let Some(load) = model.loads.iter().find(other) {
                let message = format!("this claim knows gravity and point loads, not load `{}`", load.name);
                return refuse(key, &message);
            }
            Ok((ClaimKind::ClampedRod { clamp, along }, c.tolerance))
        }
        ClaimSpec::EulerColumn(c) => {
            let key = "euler_column";
            let clamp = clamp_of([key, "clamp"], &c.clamp)?;
            let load =
                builder.index("load", builder.spec.load.keys(), &["claim", name, key, "load"], &c.load)?;
            if !clamps_an_end_alone(model, clamp) {
                return refuse(key, "this claim needs a clamp of everything at an end, and no other on its rod");
            }
            let held = &model.clamps[clamp];
            let tip = if held.hold == Hold::Edge(0) { model.rods[held.rod].node_count() - 1 } else { 0 };
            let at_tip = matches!(model.loads[load].kind, LoadKind::Point { node, .. } if node == tip);
            if !at_tip || model.loads[load].rod != held.rod {
                return refuse(key, "this claim needs a point load at the free end of the clamp's rod");
            }
            Ok((ClaimKind::EulerColumn { clamp, load }, c.tolerance))
        }
        ClaimSpec::ShaftTorque(c) => {
            let key = "shaft_torque";
            let turned = clamp_of([key, "turned"], &c.turned)?;
            let fixed = clamp_of([key, "fixed"], &c.fixed)?;
            let holds_edge = |i: usize| matches!(model.clamps[i].hold, Hold::Edge(_));
            let one_rod = model.clamps[turned].rod == model.clamps[fixed].rod;
            if turned == fixed || !one_rod || !holds_edge(turned) || !holds_edge(fixed) {
                return refuse(key, "this claim needs two clamps of everything on one rod");
            }
            Ok((ClaimKind::ShaftTorque { turned, fixed }, c.tolerance))
        }
        ClaimSpec::NaturalCircle(c) => {
            let rod = rod_of("natural_circle", c)?;
            if !model.rods[rod].closed() {
                return refuse("natural_circle", "this claim needs a closed rod");
            }
            Ok((ClaimKind::NaturalCircle { rod }, c.tolerance))
        }
        ClaimSpec::MichellRing(c) => {
            let rod = rod_of("michell_ring", c)?;
            let r = &model.rods[rod];
            let isotropic = r.bend_stiffness(0) == r.bend_stiffness(1);
            if !r.closed() || !isotropic {
                return refuse("michell_ring", "this claim needs a closed rod of round section");
            }
            Ok((ClaimKind::MichellRing { rod }, c.tolerance))
        }
        ClaimSpec::MeanTension(c) => {
            let rod = rod_of("mean_tension", c)?;
            let mut clamps = model.clamps.iter().filter(|k| k.rod == rod);
            let one_node = clamps.next().is_some_and(|k| {
                let still = k.motion.translation.iter().all(|f| f.is_constant());
                matches!(k.hold, Hold::Node(_)) && still && k.release_time == f64::INFINITY
            });
            let loaded = model.loads.iter().any(|l| l.rod == rod);
            let damped = model.rods[rod].stiffness_damping > 0.0;
            if !one_node || clamps.next().is_some() || loaded || damped {
                return refuse(
                    "mean_tension",
                    "this claim needs one clamp on its rod, of the position of a node that does not move, \
                     and neither loads nor stiffness damping",
                );
            }
            Ok((ClaimKind::MeanTension { rod }, c.tolerance))
        }
        ClaimSpec::ClampImpulse(c) => {
            let rod = rod_of("clamp_impulse", c)?;
            if model.loads.iter().any(|l| l.rod == rod) {
                return refuse("clamp_impulse", "this claim needs a rod without loads");
            }
            Ok((ClaimKind::ClampImpulse { rod }, c.tolerance))
        }
        ClaimSpec::AtRest(c) => Ok((ClaimKind::AtRest { rod: rod_of("at_rest", c)? }, c.tolerance)),
    }
}

/// Whether the clamp holds position, tangent and twist of an end of an open rod that nothing else holds.
fn clamps_an_end_alone(model: &Model, clamp: usize) -> bool {
    let c = &model.clamps[clamp];
    let rod = &model.rods[c.rod];
    let at_end = matches!(c.hold, Hold::Edge(e) if e == 0 || e + 1 == rod.edge_count());
    let alone = model.clamps.iter().filter(|other| other.rod == c.rod).count() == 1;
    at_end && alone && !rod.closed() && rod.edge_count() > 1
}
