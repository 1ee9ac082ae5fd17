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
use super::linearization::{Sliding, Taken};
use super::violation::Violation;
use super::{Linearization, StartKinematics};
use crate::culprit::Fault;
use crate::model::{ContactLaw, Model};
use crate::step::check::EndOfStep;
use crate::step::collide::{Contact, Side};
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
            if now.taken != Taken::AtStart
                || contact.polygon.is_some()
                || !Start::of(contact, slip, dt, end.model).touches
            {
                continue;
            }
            let half = half_thickness(&contact.sides, end.model);
            let along = dt * (slip - slip.dot(contact.normal) * contact.normal).length();
            if !(along > end.tuning().contact_tolerance * half
                || end.turns(contact) > end.tuning().contact_tolerance)
            {
                continue;
            }
            if let Some((next, gap)) = linearized_at_end(end, &start, contact, now)
                && gap.abs() < 0.5 * half
            {
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
        let rigid = end.model.contact.is_some_and(|contact| contact.law == ContactLaw::Sap);
        for (now, rows) in self.linearized.iter_mut().zip(&self.row_velocities) {
            now.said = now.gap + end.weights.dt * rows[2];
        }
        for (c, (contact, now)) in self.collision.contacts.iter().zip(&self.linearized).enumerate() {
            if contact.polygon.is_some() {
                continue;
            }
            let (impulse, rows) = (self.impulses[c][2], self.row_velocity(c));
            let half = half_thickness(&contact.sides, end.model);
            if impulse <= 0.0 && now.said > half {
                continue;
            }
            let (sliding, hard) = (rows[0].hypot(rows[1]), rigid && contact.surface.stiffness.is_none());
            // Points behind a pressure field push along with it; the other laws are springs.
            if impulse > 0.0 && hard && contact.sunk == 0.0 {
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
            let measured = measure(end, &start, (contact, now), (impulse, sliding));
            let relative = measured.violation / (end.tuning().contact_tolerance * half);
            out.note(Fault::Gap, (relative, measured.violation), contact);
            self.measured.push((c, measured));
        }
        let made = along_rows.max(excess);
        if made > 0.0 {
            let [before, after] = end.kinetic_energies();
            let scale = scale + before.max(after - excess);
            let least = end.tuning().leaning_energy;
            if made > least * scale {
                // What the time integration takes in the same step, contacts may give.
                let loss = end.loss_of_integration();
                out.leans = !self.mean_normals && along_rows - loss > least * scale;
                let net = (made - loss).max(0.0);
                let relative = |scale: f64| net / (end.tuning().contact_energy * scale);
                let mut matters = relative(scale);
                if matters > 1.0 {
                    // Where rods hardly move, what changes hands is elastic.
                    let [change, all] = end.elastic_energies();
                    (matters, out.energy_of_all) = (relative(scale + change), relative(scale + all));
                }
                out.note(Fault::Energy, (matters, giver.0), &self.collision.contacts[giver.1]);
            }
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
        linearized.extend(collision.contacts[known..].iter().map(|c| Linearization::at_start(c, end.model)));
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
                None => Linearization::at_start(contact, end.model),
            };
            (row.taken, row.point) = (Taken::AtEnd, contact.point);
            let at_end = contact.gap;
            row.said = at_end;
            row.rebase(&start, end.weights.dt);
            row.violation = -at_end;
            let half = half_thickness(&contact.sides, end.model);
            let found_at_start = known.map(|c| self.collision.contacts[c].gap);
            row.start_gap = start_gap(end, contact, &row, found_at_start);
            let before = row.start_gap;
            let deeper = before.min(0.0) - at_end;
            let tolerance = end.tuning().contact_tolerance * half;
            out.note(Fault::Uncovered, (deeper / tolerance, deeper), contact);
            if known.is_none() {
                (contact.point, contact.gap) = (end.carried_back(&contact.sides, contact.point), before);
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
    (contact, now): (&Contact, &Linearization),
    (impulse, sliding): (f64, f64),
) -> Measured {
    let hard = contact.surface.stiffness.is_none();
    let dt = end.weights.dt;
    // Kinds that are not followed keep their linearization, and what it says of the gap.
    let (mut next, gap) = linearized_at_end(end, start, contact, now).unwrap_or((*now, now.said));
    let wanted = next.wanted_gap(half_thickness(&contact.sides, end.model), dt, end.model);
    let violation = match (hard, impulse > 0.0) {
        (true, true) => (gap - wanted).abs(),
        (true, false) => (wanted - gap).max(0.0),
        // A spring pushes as deep as it is: only the error of the linearization counts.
        (false, true) => (gap - now.said).abs(),
        (false, false) => (now.said.min(0.0) - gap).max(0.0),
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

/// A contact linearized about the motion of the iterate, and its gap there, m; `None` if its kind is not followed, or it is
/// another contact there.
fn linearized_at_end(
    end: &EndOfStep<'_>,
    start: &StartKinematics<'_>,
    contact: &Contact,
    now: &Linearization,
) -> Option<(Linearization, f64)> {
    let found = end.contact(contact, now)?;
    if found.normal.dot(contact.normal) < end.tuning().same_contact {
        return None;
    }
    let mut next = Linearization {
        sides: found.sides,
        normal: found.normal,
        point: found.point,
        on_line: found.on_line,
        taken: Taken::AtEnd,
        ..*now
    };
    let (gap, dt) = (found.gap + contact.sunk, end.weights.dt);
    next.said = gap;
    next.rebase(start, dt);
    next.start_gap = start_gap(end, contact, &next, Some(contact.gap));
    Some((next, gap))
}

/// The gap that a contact had at the start of the step, m: what overlapped may stay so for now, and what did not must not sink
/// to it. It is that of the place where it was found (`found`), or, if what touches at the end seems to have been deeper, of that.
fn start_gap(end: &EndOfStep<'_>, contact: &Contact, next: &Linearization, found: Option<f64>) -> f64 {
    let accepted = end.tuning().contact_tolerance * half_thickness(&contact.sides, end.model);
    match found {
        Some(found) if next.gap >= (found - accepted).min(-accepted) => found,
        _ => {
            let there = end.gap_at_start(next, contact.feature).map(|gap| gap + contact.sunk);
            there.into_iter().chain(found).fold(f64::INFINITY, f64::min).min(0.0)
        }
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
