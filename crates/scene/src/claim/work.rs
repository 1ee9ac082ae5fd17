//! Ropes at work: what is carried, what motors and pulleys feel, what lets go.
//!
//! **Rope over a frictionless pulley.** Along a flexible rope at rest or in steady motion the tension rises with height:
//! T₂ − T₁ = w (z₂ − z₁), w its weight per length. So a load m at height z_l pulls at a drum's axis z_d with
//! T = m g + w (z_d − z_l), and the motor that holds or slowly turns the drum of radius R needs M = T (R + r), since the
//! rope's centreline runs at R + r.
//!
//! **Belt that slips on a pulley.** With parallel spans the pulley is pulled by S = T₁ + T₂ along them and turned by
//! D (R + r), D = T₁ − T₂, both of which its contacts tell. Friction at the skin gives log(T₁/T₂) = a φ as for a rope on
//! a post ([`ropewalk_theory::cable::capstan_exponent`]).

use super::kept::Number;
use super::{Finding, RunRecord, Sample, Tally};
use glam::DVec3;
use ropewalk_body::energy;
use ropewalk_geometry::Shape;
use ropewalk_sim::{End, Model, measure};
use ropewalk_theory::cable::capstan_exponent;

/// Where a rope holds a load: attachment, rod, which end of it, tree and link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hung {
    pub(super) rod: usize,
    /// 0 for the start, 1 for the end of the rod.
    pub(super) end: usize,
    pub(super) tree: usize,
}

/// A span of time in s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) from: f64,
    pub(super) until: f64,
}

impl Span {
    /// Adds values of a step within the span to those of the tally. Numbers: 0 steps, 1 on: sums.
    fn see<const N: usize>(self, tally: &mut Tally, s: &Sample, values: [f64; N]) {
        if s.time > self.from && s.time <= self.until {
            tally.add(0, 1.0);
            for (k, value) in values.into_iter().enumerate() {
                tally.add(1 + k, value);
            }
        }
    }
}

/// Mean over the steps of a span; `None` if there is none.
fn mean(tally: &Tally, which: usize) -> Option<f64> {
    let steps = tally.get(0);
    (steps > 0.0).then(|| tally.get(1 + which) / steps)
}

pub(super) fn see_hung(hung: Hung, span: Span, tally: &mut Tally, s: &Sample) {
    span.see(tally, s, [s.rods[hung.rod].end_tensions[hung.end]]);
}

/// Height of the rope's end at the load, and effort of the motor.
pub(super) fn see_winch(
    model: &Model,
    actuator: usize,
    hung: Hung,
    span: Span,
    tally: &mut Tally,
    s: &Sample,
) {
    let up = -model.gravity.normalize_or_zero();
    span.see(tally, s, [s.rods[hung.rod].ends[hung.end].dot(up), s.efforts[actuator]]);
}

/// Radius of the first cylinder or capsule of a link.
pub(super) fn round_radius(run: &RunRecord<'_>, (tree, link): (usize, usize)) -> Option<f64> {
    let shape = run.model.trees[tree].shapes.iter().find(|s| s.link == link)?;
    match *shape.collider.shape() {
        Shape::Cylinder { radius, .. } | Shape::Capsule { radius, .. } => Some(radius),
        _ => None,
    }
}

fn rod_radius(run: &RunRecord<'_>, rod: usize) -> f64 {
    run.model.rods[rod].half_extents()[0][0]
}

/// Mean tension of the rope at its load: m g.
pub(super) fn hung_tension(run: &RunRecord<'_>, hung: Hung, tally: &Tally) -> Option<Finding> {
    let weight = energy::total_mass(&run.model.trees[hung.tree].tree) * run.model.gravity.length();
    let measured = mean(tally, 0)?;
    // The first edge carries half of its own weight too.
    let rod = &run.model.rods[hung.rod];
    let own = 0.5 * rod.rest_lengths()[0] * line_weight(run, hung.rod);
    Some(Finding::relative(weight + own, measured, 0.0))
}

/// Weight per length in N/m.
fn line_weight(run: &RunRecord<'_>, rod: usize) -> f64 {
    let r = &run.model.rods[rod];
    r.total_mass() / r.total_rest_length() * run.model.gravity.length()
}

/// Mean effort of the motor of a winch.
pub(super) fn winch_torque(
    run: &RunRecord<'_>,
    drum: (usize, usize),
    hung: Hung,
    tally: &Tally,
) -> Option<Finding> {
    let up = -run.model.gravity.try_normalize()?;
    let lever = round_radius(run, drum)? + rod_radius(run, hung.rod);
    let weight = energy::total_mass(&run.model.trees[hung.tree].tree) * run.model.gravity.length();
    let axis = measure::tree_kinematics(run.model, run.end, drum.0).poses[drum.1].position.dot(up);
    let w = line_weight(run, hung.rod);
    let pull = weight + w * (axis - mean(tally, 0)?);
    Some(Finding::relative(pull * lever, mean(tally, 1)?.abs(), 0.0))
}

/// Contacts and attachments of a free body carry its weight at the end.
pub(super) fn carried_body(run: &RunRecord<'_>, (tree, link): (usize, usize)) -> Option<Finding> {
    let last = run.samples.last()?;
    let mut carried = last.trees[tree].contacts[link].force;
    for (attachment, wrench) in run.model.attachments.iter().zip(&last.attachments) {
        for (end, sign) in attachment.ends.iter().zip([1.0, -1.0]) {
            if matches!(end, End::Link { tree: t, link: l, .. } if (*t, *l) == (tree, link)) {
                carried += sign * wrench.force;
            }
        }
    }
    let weight = -run.model.gravity * run.model.trees[tree].tree.links()[link].inertia.mass;
    let size = weight.length().max(f64::MIN_POSITIVE);
    Some(Finding {
        reference: weight.length(),
        measured: carried.dot(weight.normalize_or_zero()),
        error: (carried - weight).length() / size,
    })
}

/// What holds the world at the end carries the weight of all that is in it.
pub(super) fn total_weight(run: &RunRecord<'_>) -> Option<Finding> {
    let last = run.samples.last()?;
    let mut carried: DVec3 = last.wrenches.iter().map(|w| w.force).sum();
    carried += last.trees.iter().map(|t| t.base.force).sum::<DVec3>();
    for (attachment, wrench) in run.model.attachments.iter().zip(&last.attachments) {
        if matches!(attachment.ends[1], End::World { .. }) {
            carried += wrench.force;
        }
    }
    let rods: f64 = run.model.rods.iter().map(ropewalk_rod::Rod::total_mass).sum();
    let heavy = run.model.trees.iter().filter(|t| t.heavy);
    let mass = rods + heavy.map(|t| energy::total_mass(&t.tree)).sum::<f64>();
    let weight = -run.model.gravity * mass;
    Some(Finding {
        reference: weight.length(),
        measured: carried.dot(weight.normalize_or_zero()),
        error: (carried - weight).length() / weight.length().max(f64::MIN_POSITIVE),
    })
}

/// The greatest way of the ends and the centre of mass of a rod from where they were at `from` (s), in thicknesses.
pub(super) fn drift(run: &RunRecord<'_>, rod: usize, from: f64) -> Option<Finding> {
    let mass = run.model.rods[rod].total_mass();
    let first = run.samples.iter().find(|s| s.time >= from)?;
    let later = run.samples.iter().filter(|s| s.time >= from);
    let way = later.map(|s| way(s, first, rod, mass)).fold(0.0, f64::max);
    Some(Finding::zero(way / (2.0 * rod_radius(run, rod))))
}

/// Greatest way of the ends and the centre of mass of a rod of `mass` (kg) since `first`, m.
fn way(s: &Sample, first: &Sample, rod: usize, mass: f64) -> f64 {
    let points = |s: &Sample| {
        let r = &s.rods[rod];
        [r.ends[0], r.ends[1], r.mass_moment / mass]
    };
    points(s).into_iter().zip(points(first)).map(|(a, b)| (a - b).length()).fold(0.0, f64::max)
}

/// What [`drift`] reads.
pub(super) fn drift_needs(model: &Model, rod: usize, from: f64) -> Vec<Number> {
    let mass = model.rods[rod].total_mass();
    let farthest = move |kept: &[Sample], s: &Sample| {
        kept.iter().find(|s| s.time >= from).map_or(0.0, |first| way(s, first, rod, mass))
    };
    vec![Number::first(from), Number::from_time(from, farthest)]
}

/// The force of a rod on a body at the end, against the tensions of the rod on either side of it: a flexible rod at rest
/// hands on no other force. F = T_b t_b − T_a t_a + weight between.
pub(super) fn bend_force(run: &RunRecord<'_>, rod: usize, (tree, link): (usize, usize)) -> Option<Finding> {
    let last = run.samples.last()?;
    let touch = last.touches.iter().find(|t| (t.rod, t.tree, t.link) == (rod, tree, link))?;
    let (r, s) = (&run.model.rods[rod], &run.end.rods[rod]);
    // A segment farther on, where the rod has straightened.
    let (a, b) = (touch.edges[0].saturating_sub(2), (touch.edges[1] + 2).min(r.edge_count() - 1));
    let pull = |e: usize| {
        let strain = s.edge(r, e).length() / r.rest_lengths()[e] - 1.0;
        s.tangent(r, e) * r.stretched(e, strain).tension
    };
    let weight: DVec3 = (a + 1..=b).map(|i| run.model.gravity * r.masses()[i][0]).sum();
    let reference = pull(b) - pull(a) + weight;
    let measured = last.trees[tree].contacts[link].force;
    let along = reference.normalize_or_zero();
    Some(Finding {
        reference: reference.length(),
        measured: measured.dot(along),
        error: (measured - reference).length() / reference.length().max(f64::MIN_POSITIVE),
    })
}

/// Logarithm of the ratio of the tensions of a belt that slips on a pulley, mean over the second half of the run.
pub(super) fn belt_slip(
    run: &RunRecord<'_>,
    rod: usize,
    (tree, link): (usize, usize),
    angle: f64,
    tally: &Tally,
) -> Option<Finding> {
    let shape = run.model.trees[tree].shapes.iter().find(|s| s.link == link)?;
    let Shape::Cylinder { radius: pulley, .. } = *shape.collider.shape() else { return None };
    let radius = rod_radius(run, rod);
    let friction = run.model.rod_surface(rod).pair(&shape.surface).friction;
    let pose = measure::tree_kinematics(run.model, run.end, tree).poses[link] * shape.pose;
    let axis = pose.vector(DVec3::Z);
    let felt = tally.second_half()?;
    let (force, torque) = (DVec3::from_slice(&felt[..3]), DVec3::from_slice(&felt[3..]));
    let (sum, difference) = (force.length(), torque.dot(axis).abs() / (pulley + radius));
    let measured = ((sum + difference) / (sum - difference)).ln();
    Some(Finding::relative(capstan_exponent(friction, radius, pulley) * angle, measured, 0.0))
}

pub(super) fn see_belt_slip((tree, link): (usize, usize), tally: &mut Tally, s: &Sample) {
    let felt = s.trees[tree].contacts[link];
    let ([x, y, z], [a, b, c]) = (felt.force.to_array(), felt.torque.to_array());
    tally.add_to_block([x, y, z, a, b, c]);
}

/// What [`released`] reads.
pub(super) fn released_needs(model: &Model, attachment: usize) -> Vec<Number> {
    let after = model.attachments[attachment].release_time + model.settings.dt;
    let force = move |s: &Sample, later: bool| match (s.time > after) == later {
        true => s.attachments[attachment].force.length(),
        false => f64::NEG_INFINITY,
    };
    vec![Number::new(move |_, s| force(s, true)), Number::new(move |_, s| force(s, false))]
}

/// The greatest force of an attachment after it has let go, as a share of the greatest one before.
pub(super) fn released(run: &RunRecord<'_>, attachment: usize) -> Option<Finding> {
    let until = run.model.attachments[attachment].release_time;
    let greatest = |after: bool| {
        let samples = run.samples.iter().filter(|s| (s.time > until + run.model.settings.dt) == after);
        samples.map(|s| s.attachments[attachment].force.length()).reduce(f64::max)
    };
    Some(Finding::zero(greatest(true)? / greatest(false)?.max(f64::MIN_POSITIVE)))
}

/// The pull at the ends of a rope with a loose overhand knot without friction: F = 2π²B/e², e the end shortening. Source:
/// Audoly, Clauvelin, Neukirch, Elastic knots, Phys. Rev. Lett. 99, 164301, 2007; the limit of a thin rope.
pub(super) fn loose_knot(run: &RunRecord<'_>, clamps: [usize; 2]) -> Option<Finding> {
    let rod = run.model.clamps[clamps[0]].rod;
    let r = &run.model.rods[rod];
    let middle = r.node_count() / 2;
    let bend = r.bend_stiffness(0)[middle] * r.voronoi_lengths()[middle];
    let points = measure::positions(run.end, rod);
    let way = *points.last()? - *points.first()?;
    let shortening = measure::length(run.model, run.end, rod) - way.length();
    let reference = 2.0 * (core::f64::consts::PI / shortening).powi(2) * bend;
    let along = way.try_normalize()?;
    let pull = |clamp: usize| run.wrenches.get(clamp).map(|w| w.force.dot(along).abs());
    Some(Finding::relative(reference, 0.5 * (pull(clamps[0])? + pull(clamps[1])?), 0.0))
}
