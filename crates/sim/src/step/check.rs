//! Check: accept the motion, or ask for a shorter step.
//!
//! A step is refused where contacts are farther from what they stand for than an update can mend, where they make energy, and
//! where something tunnels. For the last, centerlines are swept along straight paths from the start to the end of the step,
//! against one another and against the cores of shapes. Skins may overlap slightly; centerlines must stay apart. Only
//! pairs whose motion could bring them that near are swept.

use crate::culprit::{Culprit, Fault};
use crate::model::{Model, State, Tuning};
use crate::report::{ContactSide, stage};
use crate::step::collide::look_ahead::Reaches;
use crate::step::collide::{CollisionDetection, LOT, Side, rod_body};
use crate::step::timer::Timer;
use crate::step::{Outcome, SubStep};
use crate::workspace::{RodWork, TreeWork, Workspace};
use glam::DVec3;
use rayon::prelude::*;
use ropewalk_geometry::{Aabb, MovingSegment, sweep_collider, sweep_segments};
use ropewalk_rod::momentum_balance::StepWeights;

/// Takes a converged motion back if something would pass through something else.
pub(in crate::step) fn judge(
    model: &Model,
    state: &State,
    workspace: &mut Workspace,
    step: SubStep,
    outcome: &mut Outcome,
) {
    if !(outcome.converged && model.contact.is_some_and(|c| c.guard)) {
        return;
    }
    // Contacts that their update has not brought where they should be are better seen in a shorter step.
    let (tuning, violation) = (&model.settings.tuning, &outcome.violation);
    let short = step.weights.dt <= tuning.shortest_for_violation * model.settings.dt;
    // The sub-steps of a step may make as much energy together as one. The shortest are not made shorter for what is little
    // beside all energy that there is.
    let energy = if short { violation.energy_of_all } else { workspace.energy_made + violation.energy };
    outcome.gains_energy = energy > tuning.accepted_violation;
    if outcome.gains_energy || !short && (violation.gap > tuning.accepted_violation || violation.turn > 1.0) {
        (outcome.converged, outcome.blocked, outcome.culprit) = (false, true, violation.culprit);
        return;
    }
    let Workspace { rods, trees, coupling, seconds, .. } = workspace;
    let _timer = Timer::start(&mut seconds[stage::GUARD]);
    let step = EndOfStep { model, state, rods, trees, weights: step.weights };
    outcome.culprit = coupling.collision.passes_through(&step, &coupling.reaches);
    outcome.blocked = outcome.culprit.is_some();
    outcome.converged &= !outcome.blocked;
    if outcome.converged {
        workspace.energy_made += outcome.violation.energy;
    }
}

/// What is known at the end of a step that has converged but has not been accepted.
pub(in crate::step) struct EndOfStep<'a> {
    pub(in crate::step) model: &'a Model,
    pub(in crate::step) state: &'a State,
    pub(in crate::step) rods: &'a [RodWork],
    pub(in crate::step) trees: &'a [TreeWork],
    pub(in crate::step) weights: StepWeights,
}

impl EndOfStep<'_> {
    /// Numbers that are no physics.
    pub(in crate::step) fn tuning(&self) -> &Tuning {
        &self.model.settings.tuning
    }

    /// How far a node moves in the step.
    pub(in crate::step) fn displacement(&self, rod: usize, node: usize) -> DVec3 {
        let StepWeights { dt, theta_vq, .. } = self.weights;
        self.rods[rod].displacement(&self.state.rods[rod], node, (dt, theta_vq))
    }

    /// How far the nodes of an edge move in the step at the most, m.
    pub(in crate::step) fn farthest(&self, (rod, edge): (u32, u32)) -> f64 {
        let (rod, edge) = (rod as usize, edge as usize);
        let nodes = [edge, self.model.rods[rod].edge_end(edge)];
        nodes.map(|node| self.displacement(rod, node).length()).into_iter().fold(0.0, f64::max)
    }

    /// How far a place on one side of a contact moves in the step, m; of an edge without its turning.
    pub(in crate::step) fn carried(&self, side: &Side, point: DVec3) -> DVec3 {
        match *side {
            Side::Edge { rod, edge, fraction } => {
                let (rod, edge) = (rod as usize, edge as usize);
                let far = self.displacement(rod, self.model.rods[rod].edge_end(edge));
                self.displacement(rod, edge).lerp(far, fraction)
            }
            Side::Link { tree, link, .. } => {
                let motion = &self.trees[tree as usize].motion;
                let from = motion.start.poses[link as usize];
                motion.end_pose(link as usize).point(from.local_point(point)) - point
            }
        }
    }

    /// Where the side of a contact that moves, the first if both do, was at the start of the step at a place `point` (m) of its
    /// end; of an edge without its turning.
    pub(in crate::step) fn carried_back(&self, sides: &[Side; 2], point: DVec3) -> DVec3 {
        let moves = |side: &&Side| match **side {
            Side::Edge { .. } => true,
            Side::Link { tree, .. } => self.model.trees[tree as usize].tree.velocity_count() > 0,
        };
        match *sides.iter().find(moves).unwrap_or(&sides[0]) {
            side @ Side::Edge { .. } => point - self.carried(&side, point),
            Side::Link { tree, link, .. } => {
                let motion = &self.trees[tree as usize].motion;
                motion.start.poses[link as usize].point(motion.end_pose(link as usize).local_point(point))
            }
        }
    }

    /// By how much an edge turns about itself, rad.
    pub(in crate::step) fn spin(&self, rod: usize, edge: usize) -> f64 {
        self.rods[rod].motion.v[edge][3] * self.weights.dt
    }

    /// Whether an edge of a rod moves farther than its reach.
    pub(in crate::step) fn goes_farther(&self, rod: usize, reach: &[f64]) -> bool {
        let square = |node: usize| self.displacement(rod, node).length_squared();
        let (shape, mut near) = (&self.model.rods[rod], square(0));
        reach.iter().enumerate().any(|(e, reach)| {
            let far = square(shape.edge_end(e));
            core::mem::replace(&mut near, far).max(far) > reach * reach
        })
    }

    pub(in crate::step) fn moving(&self, rod: usize, edge: usize) -> MovingSegment {
        let s = &self.state.rods[rod];
        let nodes = [edge, self.model.rods[rod].edge_end(edge)];
        let start = nodes.map(|i| s.position(i));
        let moved = nodes.map(|i| self.displacement(rod, i));
        MovingSegment { start, end: [start[0] + moved[0], start[1] + moved[1]] }
    }

    /// Half of the least thickness of an edge.
    pub(in crate::step) fn radius(&self, rod: usize, edge: usize) -> f64 {
        let [a, b] = self.model.rods[rod].half_extents()[edge];
        a.min(b)
    }
}

impl CollisionDetection {
    /// The first centerline that passes through another, or through a shape, in the step.
    pub(in crate::step) fn passes_through(
        &mut self,
        step: &EndOfStep<'_>,
        reaches: &Reaches,
    ) -> Option<Culprit> {
        self.follow_motion(step, reaches);
        let (collider, lots) = (&*self, (&self.pairs, &self.shape_pairs));
        let pass = |lot: &[(u32, u32)]| lot.iter().copied().find(|&p| collider.rods_pass(step, p));
        let enter = |lot: &[(u32, u32)]| lot.iter().copied().find(|&p| collider.shape_passes(step, p));
        let edge = |item: u32| {
            let (rod, edge) = collider.item(item);
            ContactSide::Rod { rod, edge, fraction: 0.5 }
        };
        let sides = match lots.0.par_chunks(LOT).find_map_first(pass) {
            Some((i, j)) => [edge(i), edge(j)],
            None => {
                let (p, item) = lots.1.par_chunks(LOT).find_map_first(enter)?;
                let placed = &collider.placed[p as usize];
                let link = placed.body_shape(step.model).link;
                [
                    edge(item),
                    ContactSide::Link { tree: placed.tree as usize, link, shape: placed.shape as usize },
                ]
            }
        };
        Some(Culprit { fault: Fault::Passes, sides, amount: 0.0 })
    }

    /// Whether two edges pass through one another.
    fn rods_pass(&self, step: &EndOfStep<'_>, (i, j): (u32, u32)) -> bool {
        let ((ra, ea), (rb, eb)) = (self.item(i), self.item(j));
        let (a, b) = (step.moving(ra, ea), step.moving(rb, eb));
        let span = step.radius(ra, ea) + step.radius(rb, eb);
        // Those that move by less than what separates them need no sweep.
        let way = |m: &MovingSegment| (m.end[0] - m.start[0]).length().max((m.end[1] - m.start[1]).length());
        let (way_a, way_b) = (way(&a), way(&b));
        let near = Aabb::of_points(&a.start)
            .grown(way_a + step.tuning().too_near * span)
            .meets(&Aabb::of_points(&b.start).grown(way_b));
        if !near {
            return false;
        }
        [step.tuning().too_near * span, step.tuning().passing_core * span]
            .into_iter()
            .any(|core| starts_apart(&a, &b, core) && sweep_segments(&a, &b, core).is_some())
    }

    /// Whether an edge passes through a shape.
    fn shape_passes(&self, step: &EndOfStep<'_>, (p, item): (u32, u32)) -> bool {
        let placed = &self.placed[p as usize];
        let (r, e) = self.item(item);
        let shape = placed.body_shape(step.model);
        if !rod_body::can_touch(step.model, step.state, (r as u32, e as u32), placed) {
            return false;
        }
        let from = step.trees[placed.tree as usize].motion.start.poses[shape.link];
        let to = step.trees[placed.tree as usize].motion.end_pose(shape.link);
        let moving = step.moving(r, e);
        let core = step.tuning().passing_core * step.radius(r, e);
        let (start, end) = (from * shape.pose, to * shape.pose);
        let still = MovingSegment { start: moving.start, end: moving.start };
        // What starts inside (an attached end, a bad start) is not what this is about.
        sweep_collider(&still, &shape.collider, &start, &start, core).is_none()
            && sweep_collider(&moving, &shape.collider, &start, &end, core).is_some()
    }
}

fn starts_apart(a: &MovingSegment, b: &MovingSegment, core: f64) -> bool {
    let still = |m: &MovingSegment| MovingSegment { start: m.start, end: m.start };
    sweep_segments(&still(a), &still(b), core).is_none()
}
