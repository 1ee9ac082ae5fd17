//! Contacts, linearized.
//!
//! A contact is found at the start of the step and stays as it is. What its rows stand for is a linearization
//!
//! ```text
//!   φ(v) ≈ φ̄ + δt n·v_c(v)
//! ```
//!
//! of the gap at the end of the step, at first about the start and then, if that is not good enough, about the motion
//! that has been found: gap, normal and place together (see [`super::contact_update`]). Arms are those at the start of
//! the step, so impulses cancel in force and moment.

use crate::model::Model;
use crate::step::collide::{Contact, Side};
use crate::step::constrain::StartKinematics;
use crate::step::constrain::contact::is_round;
use crate::step::constrain::contact_update::half_thickness;
use crate::step::constrain::jacobian::{When, rolling_arm};
use glam::DVec3;

/// What the rows of a contact stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linearization {
    /// Where on the two sides.
    pub(crate) sides: [Side; 2],
    /// Where on the line of the first side, 0…1.
    pub(crate) on_line: f64,
    /// Where both sides are pushed at that instant, m.
    pub(crate) point: DVec3,
    /// Unit normal from the second side to the first.
    pub(crate) normal: DVec3,
    /// φ̄, m.
    pub(crate) gap: f64,
    /// φ̄ + δt n·v_c with the velocities found last, m.
    pub(in crate::step) said: f64,
    /// The gap of these features at the start of the step, m.
    pub(crate) start_gap: f64,
    /// The normal impulse with which hard contact is closed, N·s; none before the first update.
    pub(crate) multiplier: Option<f64>,
    /// How fast the sides are expected to slide on one another; none before the first update.
    pub(crate) sliding: Option<Sliding>,
    /// By which factor the regularization of hard contact is smaller than by default.
    pub(crate) hardening: f64,
    /// How far its gap at the end was from what it should be at the last update, m.
    pub(crate) violation: f64,
    /// Of which instant of the step the rows are.
    pub(crate) taken: Taken,
}

/// The instant of the step of which the rows of a contact are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Of its start, before the first update.
    AtStart,
    /// Of its middle, with the mean of the normals.
    InMiddle,
    /// Of the end of the motion found. There what rolls has the arm that it will have: with that of the start a push along the
    /// normal turns it, by λ v δt.
    AtEnd,
}

/// The sliding speed that the cone law expects (it lifts what slides by μ|v_t|δt, which the bias takes off), and what came
/// of the expectation before: a fixed point that updates seek.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sliding {
    /// m/s.
    pub(crate) expected: f64,
    /// The expectation before, and the speed that came of it, m/s.
    last: Option<[f64; 2]>,
}

impl Sliding {
    pub(in crate::step) fn new(expected: f64) -> Self {
        Self { expected, last: None }
    }

    /// The next expectation, once `found` (m/s) has come of this one: that speed, or, where the last two overshoot one
    /// another, the fixed point of the line through them. (What sticks when it is pressed, and slips when it is not, would
    /// otherwise alternate between the two: a strip that wraps a peg sinks into it.)
    pub(in crate::step) fn next(self, found: f64) -> Self {
        let slope = |[before, came]: [f64; 2]| {
            let change = self.expected - before;
            if change == 0.0 { 0.0 } else { ((found - came) / change).min(0.0) }
        };
        let slope = self.last.map_or(0.0, slope);
        Self { expected: (found - slope * self.expected) / (1.0 - slope), last: Some([self.expected, found]) }
    }
}

impl Linearization {
    /// About the start of the step.
    pub(in crate::step) fn at_start(contact: &Contact, model: &Model) -> Self {
        let tuning = &model.settings.tuning;
        // A load that grows sinks in by R_n times what it grows by, in every step. What is accepted is there once: the deeper
        // it is already, the harder it gets; continuously, or what rests would not come to rest.
        let accepted = tuning.contact_tolerance * half_thickness(&contact.sides, model);
        let hardening = (accepted / -contact.gap).powi(4).clamp(tuning.hardening, 1.0);
        Self {
            sides: contact.sides,
            on_line: contact.on_line,
            point: contact.point,
            normal: contact.normal,
            gap: contact.gap,
            said: contact.gap,
            start_gap: contact.gap,
            multiplier: None,
            sliding: None,
            hardening: if contact.gap < -accepted { hardening } else { 1.0 },
            violation: f64::INFINITY,
            taken: Taken::AtStart,
        }
    }

    /// The gap that hard contact between things `half` (m) as thick as they are is to have at the end of a sub-step of `dt` (s),
    /// m. Zero, unless it overlaps at the start: that is undone slowly, since all of it at once would leave with the velocity
    /// gap/δt, and what may rest so stays.
    pub(in crate::step) fn wanted_gap(&self, half: f64, dt: f64, model: &Model) -> f64 {
        let tuning = &model.settings.tuning;
        let stays = tuning.resting_overlap * tuning.contact_tolerance * half;
        let gap = self.start_gap.min(0.0);
        gap + tuning.recovery * dt / model.settings.dt * (-stays - gap).max(0.0)
    }

    /// What the rows are made from in a step of `dt` (s).
    pub(in crate::step) fn kinematics<'a>(
        &self,
        start: &StartKinematics<'a>,
        dt: f64,
    ) -> StartKinematics<'a> {
        start.at(match self.taken {
            Taken::AtStart => When::Start,
            Taken::InMiddle => When::Middle(dt),
            Taken::AtEnd => When::End(dt),
        })
    }

    /// Takes rows of the middle of the step, with the mean of the normals at its start and end. A force along it does no work on
    /// what slides round a bend, while one along the normal at the end does λδ²/2R on what moves by δ round a radius R.
    pub(in crate::step) fn lean_back(&mut self, contact: &Contact, start: &StartKinematics<'_>, dt: f64) {
        if self.taken == Taken::AtEnd {
            let end = self.kinematics(start, dt);
            let [a, b] = self.sides.each_ref().map(|side| end.place_velocity(side, self.point));
            self.point -= 0.25 * dt * (a + b);
            self.taken = Taken::InMiddle;
        }
        self.normal = (self.normal + contact.normal).normalize_or(self.normal);
        self.rebase(start, dt);
    }

    /// Takes the rows where the velocities found last lead, with the gap that they say there.
    pub(in crate::step) fn rebase(&mut self, start: &StartKinematics<'_>, dt: f64) {
        if self.taken != Taken::AtStart {
            self.gap = self.said - dt * self.normal_velocity(start, dt);
        }
    }

    /// n·v_c: how fast the sides part with the velocities of the iterate, m/s.
    pub(in crate::step) fn normal_velocity(&self, start: &StartKinematics<'_>, dt: f64) -> f64 {
        let at = self.kinematics(start, dt);
        let [a, b] = self.sides.each_ref().map(|side| at.approach(side, self.point, self.normal));
        a - b
    }
}

impl StartKinematics<'_> {
    /// The velocity of a side along `normal` as it changes a gap, m/s: a round section that spins in place changes none, whatever
    /// the normal.
    fn approach(&self, side: &Side, point: DVec3, normal: DVec3) -> f64 {
        let Side::Edge { rod, edge, fraction } = *side else {
            return normal.dot(self.velocity_at(side, point));
        };
        let (r, e) = (rod as usize, edge as usize);
        if !is_round(self.rods, r, e) {
            return normal.dot(self.velocity_at(side, point));
        }
        let [start, along] = self.edge(r, e);
        let place = start + fraction * along;
        normal.dot(self.velocity_at(side, place + rolling_arm(point - place, along, normal)))
    }

    /// Velocity of the place on the axis of an edge, or of the point `point` of a link, m/s.
    fn place_velocity(&self, side: &Side, point: DVec3) -> DVec3 {
        let Side::Edge { rod, edge, fraction } = *side else { return self.velocity_at(side, point) };
        let [start, along] = self.edge(rod as usize, edge as usize);
        self.velocity_at(side, start + fraction * along)
    }

    /// Velocity of the point `point` of an edge, moved at a place on it, or of a link, with the velocities of the iterate
    /// and arms as they are here, m/s.
    pub(in crate::step) fn velocity_at(&self, side: &Side, point: DVec3) -> DVec3 {
        match *side {
            Side::Edge { rod, edge, fraction } => {
                let (r, e) = (rod as usize, edge as usize);
                let v = &self.rod_work[r].motion.v;
                let [a, b] = [e, self.rods[r].edge_end(e)].map(|i| DVec3::new(v[i][0], v[i][1], v[i][2]));
                let [start, along] = self.edge(r, e);
                let (length, place) = (along.length(), start + fraction * along);
                let tangent = along / length;
                let spin = tangent.cross(b - a) / length + tangent * v[e][3];
                a.lerp(b, fraction) + spin.cross(point - place)
            }
            Side::Link { tree, link, .. } => {
                let (t, l) = (tree as usize, link as usize);
                let work = &self.tree_work[t];
                let base = &work.next_base;
                let (kinematics, origin) = self.tree(t);
                let mut velocity = base.linear + base.angular.cross(point - origin);
                for dof in self.trees[t].tree.chain(l) {
                    let (linear, _) = kinematics.jacobian_column(dof, point);
                    velocity += linear * work.motion.v[dof];
                }
                velocity
            }
        }
    }
}
