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
use crate::step::constrain::jacobian::rolling_arm;
use glam::DVec3;

/// What the rows of a contact stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linearization {
    /// Where on the two sides.
    pub(crate) sides: [Side; 2],
    /// Where on the line of the first side, 0…1.
    pub(crate) on_line: f64,
    /// Where both sides are pushed, m: a place at the start of the step.
    pub(crate) point: DVec3,
    /// Unit normal from the second side to the first.
    pub(crate) normal: DVec3,
    /// φ̄, m.
    pub(crate) gap: f64,
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
    /// Whether it is that of the motion found, and no longer that of the start.
    pub(crate) updated: bool,
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
    pub(in crate::step) fn at_start(contact: &Contact) -> Self {
        Self {
            sides: contact.sides,
            on_line: contact.on_line,
            point: contact.point,
            normal: contact.normal,
            gap: contact.gap,
            start_gap: contact.gap,
            multiplier: None,
            sliding: None,
            hardening: 1.0,
            violation: f64::INFINITY,
            updated: false,
        }
    }

    /// The gap that hard contact between things `half` (m) as thick as they are is to have at the end of a sub-step of `dt` (s),
    /// m. Zero, unless it overlaps at the start: what is not worth an update stays, since lifting a load out of it again
    /// would be work that nobody does; what is deeper is undone slowly, since all of it at once would leave with the velocity
    /// gap/δt.
    pub(in crate::step) fn wanted_gap(&self, half: f64, dt: f64, model: &Model) -> f64 {
        let tuning = &model.settings.tuning;
        let accepted = tuning.contact_tolerance * half;
        let gap = self.start_gap.min(0.0);
        gap + tuning.recovery * dt / model.settings.dt * (-accepted - gap).max(0.0)
    }

    /// v_c: the velocity of the first side against the second with the velocities of the iterate, m/s, as the rows have it.
    pub(in crate::step) fn velocity(&self, start: &StartKinematics<'_>) -> DVec3 {
        let [a, b] = self.sides.each_ref().map(|side| start.velocity_at(side, self.point));
        a - b
    }

    /// Sets the gap at the start to `measured` (m), unless that was measured on other features: along these it is off φ̄ by no
    /// more than the path bends, over the `size` (m) of what it passes or as the normal `from` which it started has turned.
    pub(in crate::step) fn set_start_gap(
        &mut self,
        (measured, from): (f64, DVec3),
        size: f64,
        dt: f64,
        start: &StartKinematics<'_>,
    ) {
        let far = dt * self.velocity(start).length();
        let bent = far * f64::max(far / size, from.distance(self.normal));
        self.start_gap = measured.max(self.gap - bent).min(self.gap + bent);
    }

    /// Takes the mean of the normals at the start and at the end of the step. A force along it does no work on what slides round
    /// a bend, while one along the normal at the end does λδ²/2R on what moves by δ round a radius R.
    pub(in crate::step) fn lean_back(&mut self, contact: &Contact, start: &StartKinematics<'_>, dt: f64) {
        let at_end = self.gap + dt * self.normal_velocity(start);
        self.normal = (self.normal + contact.normal).normalize_or(self.normal);
        self.gap = at_end - dt * self.normal_velocity(start);
    }

    /// n·v_c: how fast the sides part, m/s.
    pub(in crate::step) fn normal_velocity(&self, start: &StartKinematics<'_>) -> f64 {
        let [a, b] = self.sides.each_ref().map(|side| start.approach(side, self.point, self.normal));
        a - b
    }
}

impl StartKinematics<'_> {
    /// The same along `normal`, as it changes a gap: a round section that spins in place changes none.
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
