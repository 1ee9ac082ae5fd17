//! The contact update: contacts where the motion leads.
//!
//! After a solve each contact is measured at the end of the step, and its violation is how far the gap there is from
//! what it should be: from zero if it pushes, below zero if it does not. Three things make one: the linearization of the
//! gap (a contact that turns, or slides past a node), the regularization R_n λ_n of hard contact, and pairs that close
//! although they had no rows. Where the greatest violation matters, all contacts that push, or nearly close, are updated
//! together (as impulses move from one to the next, the others come to matter):
//!
//! - gap, normal and place are linearized about the motion found. (The gap alone, with the normal as it was, contracts
//!   only if sin²Δθ w_tt/w_nn < 1, which fails for stiff strands that slide.)
//! - hard contact takes the impulse found as its multiplier: v̂_n += R_n λ_n, the method of multipliers. Hard contact
//!   stores no energy; R_n is a parameter of the solver. Where that does not bring the gap to half of what it was, R_n is
//!   made smaller: a light rope under a heavy body moves as easily as the body, and its R_n is that of the rope.
//!
//! Whether a contact has friction, and what it remembers, is decided at the start of the step.

use super::contact::{Start, directions, tangential};
use super::linearization::Sliding;
use super::violation::Violation;
use super::{Linearization, StartKinematics};
use crate::culprit::Fault;
use crate::model::Model;
use crate::step::check::EndOfStep;
use crate::step::collide::{Contact, Feature, Placement, Side, is_flat};
use crate::step::solve::coupled::CoupledSolve;
use glam::DVec3;

/// What a contact is at the end of the step.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Measured {
    violation: f64,
    /// m.
    gap: f64,
    next: Linearization,
}

impl CoupledSolve {
    /// Linearizes contacts that touch about where the velocities at the start of the step lead: sliding contacts need
    /// no update then. One that would be far from closed or open there stays as it is. False if none is linearized anew.
    pub(in crate::step) fn predict_contacts(&mut self, end: &EndOfStep<'_>) -> bool {
        let mut any = false;
        let dt = end.weights.dt;
        let start = StartKinematics::from_parts(end.model, end.state, &self.dof_map, end.rods, end.trees);
        for (contact, now) in self.collision.contacts.iter().zip(&mut self.linearized) {
            let slip = super::contact::slip(contact, end.model, end.state, end.trees);
            if now.updated || contact.polygon.is_some() || !Start::of(contact, slip, dt, end.model).touches {
                continue;
            }
            let half = half_thickness(&contact.sides, end.model);
            let along = dt * (slip - slip.dot(contact.normal) * contact.normal).length();
            if !(along > end.tuning().contact_tolerance * half
                || end.turns(contact) > end.tuning().contact_tolerance)
            {
                continue;
            }
            if let Some(next) = linearized_at_end(end, &start, contact, now).filter(|next| {
                let closed = next.gap + dt * next.normal_velocity(&start);
                closed.abs() < 0.5 * half
            }) {
                *now = next;
                any = true;
            }
        }
        any
    }

    /// Measures the contacts at the end of the motion found: how far they are from what they stand for. What they are
    /// there is kept for [`CoupledSolve::update_contacts`].
    pub(in crate::step) fn measure_contacts(&mut self, end: &EndOfStep<'_>) -> Violation {
        let start = StartKinematics::from_parts(end.model, end.state, &self.dof_map, end.rods, end.trees);
        let mut out = Violation::default();
        // Work that contacts do by pushing apart what parts already, J, and energy that it is compared with.
        let (mut excess, mut scale, mut giver) = (0.0, 0.0, (0.0, 0));
        // The same along the normals of the rows: on a bend those of the end of the step lean towards where the path leads.
        let mut along_rows = 0.0;
        self.measured.clear();
        for (c, (contact, now)) in self.collision.contacts.iter().zip(&self.linearized).enumerate() {
            if contact.polygon.is_some() {
                continue;
            }
            let impulse = self.impulses[c][2];
            let said = now.gap + end.weights.dt * now.normal_velocity(&start);
            if impulse <= 0.0 && said > half_thickness(&contact.sides, end.model) {
                continue;
            }
            let half = half_thickness(&contact.sides, end.model);
            let rows = self.row_velocity(c);
            let sliding = rows[0].hypot(rows[1]);
            // Points behind a pressure field push along with it.
            if impulse > 0.0 && contact.surface.stiffness.is_none() && contact.sunk == 0.0 {
                // Along the normal in the middle of the step: on a bend the path has none of it.
                let axes = directions(now.normal);
                let velocity: DVec3 = (0..3).map(|i| axes[i] * rows[i]).sum();
                let mean = if self.mean_normals { now.normal } else { 0.5 * (contact.normal + now.normal) };
                let parting = velocity.dot(mean);
                let wanted = now.wanted_gap(half, end.weights.dt, end.model);
                let meant = (wanted - now.start_gap.min(0.0)) / end.weights.dt;
                let before = super::contact::slip(contact, end.model, end.state, end.trees);
                let rest = end.tuning().resting_speed * half / end.model.settings.dt;
                let made = [parting, rows[2]].map(|speed| impulse * (speed - meant).max(0.0));
                excess += made[0];
                along_rows += made[1];
                if made[1] > giver.0 {
                    giver = (made[1], c);
                }
                scale += impulse * (before.length().max(sliding) + (-parting).max(0.0) + rest);
            }
            if impulse > 0.0 {
                let turn = end.largest_turn(contact);
                out.note(Fault::Turn, (turn / end.tuning().largest_turn, turn), contact);
            }
            let measured = measure(end, &start, contact, now, (impulse, sliding));
            let relative = measured.violation / (end.tuning().contact_tolerance * half);
            out.note(Fault::Gap, (relative, measured.violation), contact);
            self.measured.push((c, measured));
        }
        if along_rows.max(excess) > 0.0 {
            let [before, after] = end.kinetic_energies();
            let scale = scale + before.max(after - excess);
            let least = end.tuning().leaning_energy;
            if along_rows > least * scale {
                // What the time integration takes in the same step, contacts may give.
                let net = along_rows - end.loss_of_integration();
                excess = excess.max(net);
                out.leans = !self.mean_normals && net > least * scale;
            }
            let matters = |scale: f64| excess / (end.tuning().contact_energy * scale);
            let mut relative = matters(scale);
            if relative > 1.0 {
                // Where rods hardly move, what changes hands is elastic.
                let [change, all] = end.elastic_energies();
                (relative, out.energy_of_all) = (matters(scale + change), matters(scale + all));
            }
            out.note(Fault::Energy, (relative, giver.0), &self.collision.contacts[giver.1]);
        }
        self.mean_normals |= out.leans;
        if self.mean_normals {
            for (c, measured) in &mut self.measured {
                let contact = &self.collision.contacts[*c];
                measured.next.lean_back(contact, &start, end.weights.dt);
            }
        }
        out
    }

    /// Finds what is closed at the end of the motion found although nothing held it open, for
    /// [`CoupledSolve::add_uncovered`]. Returns how much deeper the step has made it, none if there is nothing of the kind.
    pub(in crate::step) fn find_uncovered(&mut self, end: &EndOfStep<'_>) -> Option<Violation> {
        let Self { collision, reaches, linearized, measured, late, .. } = self;
        let known = linearized.len();
        linearized.extend(collision.contacts[known..].iter().map(Linearization::at_start));
        collision.follow_motion(end, reaches);
        let mut found = core::mem::take(late);
        let gap_at_end =
            |c: usize| measured.binary_search_by_key(&c, |(m, _)| *m).ok().map(|at| measured[at].1.gap);
        collision.uncovered(end, (linearized, reaches), gap_at_end, &mut found);
        let start = StartKinematics::from_parts(end.model, end.state, &self.dof_map, end.rods, end.trees);
        let mut out = Violation::default();
        self.late_rows.clear();
        for (known, contact) in &mut found {
            let known = *known;
            let mut row = match known {
                Some(c) => {
                    Linearization { sides: contact.sides, normal: contact.normal, ..self.linearized[c] }
                }
                None => Linearization::at_start(contact),
            };
            row.updated = true;
            row.point = point_at_start(end, &row, contact);
            let at_end = contact.gap;
            row.gap = at_end - end.weights.dt * row.normal_velocity(&start);
            row.violation = -at_end;
            let half = half_thickness(&contact.sides, end.model);
            let measured = match known {
                Some(c) => (self.collision.contacts[c].gap, self.collision.contacts[c].normal),
                None => {
                    let skins = self.collision.gap_at_start(end, contact);
                    (skins.map_or(row.gap, |gap| gap + contact.sunk), row.normal)
                }
            };
            row.set_start_gap(measured, half, end.weights.dt, &start);
            let before = row.start_gap;
            let deeper = before.min(0.0) - at_end;
            let tolerance = end.tuning().contact_tolerance * half;
            out.note(Fault::Uncovered, (deeper / tolerance, deeper), contact);
            if known.is_none() {
                (contact.point, contact.gap) = (row.point, before);
            }
            self.late_rows.push(row);
        }
        let any = !found.is_empty();
        self.late = found;
        any.then_some(out)
    }

    /// Adds contacts for what was found uncovered last, and linearizes those about the motion found that were thought to stay
    /// open. New ones have no memory.
    pub(in crate::step) fn add_uncovered(&mut self) {
        for ((known, contact), row) in self.late.drain(..).zip(self.late_rows.drain(..)) {
            if let Some(c) = known {
                self.linearized[c] = row;
            } else {
                self.collision.contacts.push(contact);
                self.linearized.push(row);
            }
        }
    }

    /// Linearizes the contacts anew that were measured last.
    pub(in crate::step) fn update_contacts(&mut self) {
        for (c, measured) in self.measured.drain(..) {
            self.linearized[c] = measured.next;
        }
    }
}

/// The violation of a contact, and its linearization about the motion found.
fn measure(
    end: &EndOfStep<'_>,
    start: &StartKinematics<'_>,
    contact: &Contact,
    now: &Linearization,
    (impulse, sliding): (f64, f64),
) -> Measured {
    let hard = contact.surface.stiffness.is_none();
    let dt = end.weights.dt;
    // Kinds that are not followed keep their linearization, and what it says of the gap.
    let mut next = linearized_at_end(end, start, contact, now).unwrap_or(*now);
    let gap = next.gap + dt * next.normal_velocity(start);
    let said = now.gap + dt * now.normal_velocity(start);
    let wanted = next.wanted_gap(half_thickness(&contact.sides, end.model), dt, end.model);
    let violation = match (hard, impulse > 0.0) {
        (true, true) => (gap - wanted).abs(),
        (true, false) => (wanted - gap).max(0.0),
        // A spring pushes as deep as it is: only the error of the linearization counts.
        (false, true) => (gap - said).abs(),
        (false, false) => (said.min(0.0) - gap).max(0.0),
    };
    if hard {
        next.multiplier = Some(impulse.max(0.0));
        if violation > end.tuning().contraction * now.violation {
            next.hardening = (end.tuning().hardening * now.hardening).max(end.tuning().least_hardening);
        }
    }
    let expected = || {
        let slip = super::contact::slip(contact, end.model, end.state, end.trees);
        Sliding::new(tangential(contact, slip).length())
    };
    next.sliding = Some(now.sliding.unwrap_or_else(expected).next(sliding));
    next.violation = violation;
    Measured { violation, gap, next }
}

/// A contact linearized about the motion of the iterate; `None` if its kind is not followed, or it is another contact
/// there.
fn linearized_at_end(
    end: &EndOfStep<'_>,
    start: &StartKinematics<'_>,
    contact: &Contact,
    now: &Linearization,
) -> Option<Linearization> {
    let found = end.contact(contact, now)?;
    if found.normal.dot(contact.normal) < end.tuning().same_contact {
        return None;
    }
    let mut next = Linearization {
        sides: found.sides,
        normal: found.normal,
        on_line: found.on_line,
        updated: true,
        ..*now
    };
    next.point = point_at_start(end, &next, contact);
    next.gap = found.gap + contact.sunk - end.weights.dt * next.normal_velocity(start);
    let measured = (contact.gap, contact.normal);
    next.set_start_gap(measured, half_thickness(&contact.sides, end.model), end.weights.dt, start);
    Some(next)
}

/// Where both sides of a contact are pushed: between their skins, along its normal, at the start of the step.
fn point_at_start(end: &EndOfStep<'_>, next: &Linearization, contact: &Contact) -> DVec3 {
    let place = Placement::Start { model: end.model, state: end.state };
    let skin = |side: &Side, feature: Feature, sign: f64| match *side {
        Side::Edge { rod, edge, fraction } => {
            // Of a box: where it was.
            if feature == Feature::Axis && is_flat(end.model, (rod, edge)) {
                return None;
            }
            let line = place.line((rod, edge), feature)?;
            let on_line = if let Feature::Across(_) = feature { next.on_line } else { fraction };
            Some(line.a.lerp(line.b, on_line) - sign * line.radius * next.normal)
        }
        Side::Link { .. } => None,
    };
    let [a, b] = [skin(&next.sides[0], contact.feature, 1.0), skin(&next.sides[1], Feature::Axis, -1.0)];
    match (a, b) {
        (Some(a), Some(b)) => 0.5 * (a + b),
        (Some(a), None) => a - 0.5 * contact.gap * next.normal,
        _ => contact.point,
    }
}

impl EndOfStep<'_> {
    /// By how much the links at a contact turn in the step, about, rad.
    fn turns(&self, contact: &Contact) -> f64 {
        contact.sides.iter().fold(0.0, |most, side| match *side {
            Side::Edge { .. } => most,
            Side::Link { tree, link, .. } => {
                let angular = self.trees[tree as usize].motion.start.angular[link as usize];
                f64::max(most, self.weights.dt * angular.length())
            }
        })
    }
}

/// Half of the least thickness of the rods at a contact, or of the bodies if there is no rod, m.
pub(in crate::step) fn half_thickness(sides: &[Side; 2], model: &Model) -> f64 {
    let of_rod = |side: &Side| match *side {
        Side::Edge { rod, edge, .. } => {
            let [a, b] = model.rods[rod as usize].half_extents()[edge as usize];
            a.min(b)
        }
        Side::Link { .. } => f64::INFINITY,
    };
    let [a, b] = sides.each_ref().map(of_rod);
    let least = a.min(b);
    if least.is_finite() {
        return least;
    }
    let of_body = |side: &Side| match *side {
        Side::Link { tree, shape, .. } => model.trees[tree as usize].shapes[shape as usize].half_thickness(),
        Side::Edge { .. } => f64::INFINITY,
    };
    let [a, b] = sides.each_ref().map(of_body);
    a.min(b)
}
