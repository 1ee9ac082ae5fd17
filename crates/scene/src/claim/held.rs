//! What holds a rod: its weight, the catenary; how well robots follow what they are told.
//!
//! A flexible cable of weight w per length and length L hangs between two points at a horizontal distance d and a height
//! difference h as a catenary z = a cosh(x/a), where 2a sinh(d/2a) = √(L² − h²), with the horizontal tension w a.
//! Source: any text on statics, such as Irvine, Cable Structures, § 1.2.

use super::kept::Number;
use super::{Finding, RunRecord, Sample};
use glam::DVec3;
use ropewalk_sim::{Actuator, ActuatorKind, End, Model, measure};

/// Forces on rod `rod` from its clamps and attachments in the last step, and where they act.
fn holds(run: &RunRecord<'_>, rod: usize) -> Vec<(DVec3, DVec3)> {
    let Some(last) = run.samples.last() else { return Vec::new() };
    let state = &run.end.rods[rod];
    let r = &run.model.rods[rod];
    let mut out = Vec::new();
    for (clamp, wrench) in run.model.clamps.iter().zip(&last.wrenches).filter(|(c, _)| c.rod == rod) {
        let point = match clamp.hold {
            ropewalk_sim::Hold::Node(i) => state.position(i),
            ropewalk_sim::Hold::Edge(e)
            | ropewalk_sim::Hold::EdgeFreeSpin(e)
            | ropewalk_sim::Hold::Spin(e) => state.position(e) + 0.5 * state.edge(r, e),
        };
        out.push((wrench.force, point));
    }
    for (attachment, wrench) in run.model.attachments.iter().zip(&last.attachments) {
        for (end, sign) in attachment.ends.iter().zip([1.0, -1.0]) {
            if let End::Rod { rod: held, edge, fraction } = *end
                && held == rod
            {
                out.push((sign * wrench.force, state.position(edge) + fraction * state.edge(r, edge)));
            }
        }
    }
    out
}

/// Clamps, attachments and contacts of the rod carry its weight at the end.
pub(super) fn carried_weight(run: &RunRecord<'_>, rod: usize) -> Finding {
    let contacts = run.samples.last().map_or(DVec3::ZERO, |s| s.rods[rod].contact);
    let carried = holds(run, rod).iter().map(|h| h.0).sum::<DVec3>() + contacts;
    let weight = -run.model.gravity * run.model.rods[rod].total_mass();
    let up = weight.normalize_or_zero();
    Finding {
        reference: weight.length(),
        measured: carried.dot(up),
        error: (carried - weight).length() / weight.length().max(f64::MIN_POSITIVE),
    }
}

/// Horizontal tension of a cable between two holds.
pub(super) fn catenary_tension(run: &RunRecord<'_>, rod: usize) -> Option<Finding> {
    let holds = holds(run, rod);
    let [a, b] = holds.as_slice() else { return None };
    let up = -run.model.gravity.try_normalize()?;
    let way = b.1 - a.1;
    let height = way.dot(up);
    let across = way - height * up;
    let distance = across.length();
    // Length between the two points: what hangs out beyond them carries no tension.
    let length = length_between(run, rod, [a.1, b.1]);
    let scale = ropewalk_theory::cable::catenary_parameter(distance, length, height)?;
    let r = &run.model.rods[rod];
    let weight = r.total_mass() * run.model.gravity.length() / measure::length(run.model, run.end, rod);
    // The mean of both ends: they pull outwards.
    let out = across.normalize_or_zero();
    Some(Finding::relative(weight * scale, 0.5 * (b.0 - a.0).dot(out), 0.0))
}

/// Length now of the part of a rod between two points on it.
fn length_between(run: &RunRecord<'_>, rod: usize, points: [DVec3; 2]) -> f64 {
    let (r, state) = (&run.model.rods[rod], &run.end.rods[rod]);
    let place = |p: DVec3| {
        let mut best = (f64::INFINITY, 0.0);
        let mut before = 0.0;
        for e in 0..r.edge_count() {
            let edge = state.edge(r, e);
            let length = edge.length();
            let s = ((p - state.position(e)).dot(edge) / (length * length)).clamp(0.0, 1.0);
            let distance = (state.position(e) + s * edge - p).length();
            if distance < best.0 {
                best = (distance, before + s * length);
            }
            before += length;
        }
        best.1
    };
    (place(points[1]) - place(points[0])).abs()
}

/// The greatest distance of the position actuators of tree `t` from their targets in rad or m, over the run.
pub(super) fn joint_follows(run: &RunRecord<'_>, t: usize) -> Finding {
    let followers = followers(run.model, t);
    Finding::zero(run.samples.iter().map(|s| worst_lag(&followers, s)).fold(0.0, f64::max))
}

/// Position actuators of tree `t`.
fn followers(model: &Model, t: usize) -> Vec<usize> {
    let follows = |a: &Actuator| a.tree == t && matches!(a.kind, ActuatorKind::Position { .. });
    model.actuators.iter().enumerate().filter(|(_, a)| follows(a)).map(|(i, _)| i).collect()
}

fn worst_lag(followers: &[usize], s: &Sample) -> f64 {
    followers.iter().map(|&i| s.lags[i].abs()).fold(0.0, f64::max)
}

/// What [`joint_follows`] reads.
pub(super) fn joint_follows_needs(model: &Model, t: usize) -> Vec<Number> {
    let followers = followers(model, t);
    vec![Number::new(move |_, s| worst_lag(&followers, s))]
}

/// The greatest distance of a hand from its path in m, over the run.
pub(super) fn hand_path(run: &RunRecord<'_>, hand: usize) -> Finding {
    Finding::zero(run.samples.iter().map(|s| s.hand_errors[hand]).fold(0.0, f64::max))
}
