//! Quantities that are computed from several others: balances, what carries what, how well robots follow.
//!
//! | reading | rows | unit |
//! |---|---|---|
//! | `momentum`, `center_of_mass` | a vector | kg·m/s, m |
//! | `support_force`: of clamps, attachments, bases and contacts on a rod, a tree or the world | a vector | N |
//! | `momentum_defect`: Σ F − ΔP/δt, with gravity, loads of fixed direction and mass-proportional damping in Σ F | a vector | N |
//! | `tracking_errors`: distance of each position actuator of a tree from its target | a list | rad, m |
//! | `end_effector_error`: distance of an end effector from its path | a number | m |
//! | `relative_overlap`: deepest overlap of a contact of a rod, as a share of its thickness | a number | 1 |
//! | `rod_contacts`, `body_contacts`: contacts of a tree that push, with rods and with other trees | a number | 1 |
//! | `twist`: of each stencil of a rod | a list | rad |
//! | `passing_ratio`: see [`nearest_pass`](super::nearest_pass) | a number | 1 |

use super::passing::passing_ratio;
use super::reading::StepView;
use super::rod_on_body::RodOnBody;
use super::topology::Parts;
use crate::measure;
use crate::model::{ActuatorKind, End, LoadKind, State};
use crate::quantity::Values;
use crate::report::ContactSide;
use glam::DVec3;
use ropewalk_body::energy;

/// What a reading belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owned {
    /// A rod.
    Rod(usize),
    /// A body or robot.
    Tree(usize),
    /// All.
    World,
}

/// A quantity that is computed from several others; the module has a table, and so have `rod_on_body` and `topology`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Derived {
    /// Linear momentum.
    Momentum(Owned),
    /// Center of mass.
    CenterOfMass(Owned),
    /// Force of what holds and touches.
    SupportForce(Owned),
    /// What the forces are off from the change of momentum.
    MomentumDefect(Owned),
    /// Distances of the position actuators of a tree from their targets.
    TrackingErrors(usize),
    /// Distance of an end effector from its path.
    EndEffectorError(usize),
    /// Deepest overlap of a rod as a share of its thickness.
    RelativeOverlap,
    /// Contacts of a tree with rods.
    RodContacts(usize),
    /// Contacts of a tree with other trees.
    BodyContacts(usize),
    /// Twist of each stencil of a rod.
    Twist(usize),
    /// How near two rods came to changing sides in the step.
    PassingRatio,
    /// Linking numbers of all pairs of closed rods, without sign.
    LinkingNumbers,
    /// Turns of a rod about the axis of a body.
    Turns(RodOnBody),
    /// Distances of the wound part of a rod from the axis of a body.
    WoundRadii(RodOnBody),
    /// Distances along that axis from the wound part to the rod one turn on.
    WoundPitches(RodOnBody),
    /// Force of a rod on a body, along the axes of the body's frame.
    ForceOnBody(RodOnBody),
    /// What the tensions of a rod on both sides of a body come to.
    TensionResultant(RodOnBody),
    /// Determinant of the knot in a part of a rod, whose ends go on in a direction or along the line between them.
    KnotDeterminant(Parts, Option<DVec3>),
    /// How often two parts of a rod are wound about one another.
    Wraps(Parts),
    /// How much longer than straight a part of a rod is.
    Slack(Parts),
}

impl Derived {
    /// Whether it is read off the state before the step, too.
    pub fn asks_before(self) -> bool {
        matches!(self, Self::MomentumDefect(_) | Self::PassingRatio)
    }

    /// Whether it costs more than a step may, and is read off the state alone.
    pub fn is_costly(self) -> bool {
        matches!(self, Self::LinkingNumbers | Self::KnotDeterminant(..) | Self::Wraps(_))
    }

    /// Its numbers after a step; none where there is nothing to read.
    pub fn read(self, step: &StepView<'_>) -> Values {
        let StepView { model, state, .. } = *step;
        match self {
            Self::Momentum(owned) => vector(momentum(step, state, owned)),
            Self::CenterOfMass(owned) => vector(center_of_mass(step, owned)),
            Self::SupportForce(owned) => vector(support_force(step, owned)),
            Self::MomentumDefect(owned) => momentum_defect(step, owned).map_or_else(nothing, vector),
            Self::TrackingErrors(tree) => list(tracking_errors(step, tree)),
            Self::EndEffectorError(h) => number(end_effector_error(step, h)),
            Self::RelativeOverlap => number(relative_overlap(step)),
            Self::RodContacts(tree) => number(contact_count(step, tree, true)),
            Self::BodyContacts(tree) => number(contact_count(step, tree, false)),
            Self::Twist(r) => {
                let rod = &model.rods[r];
                list(rod.stencils().map(|j| state.rods[r].strain(rod, j).tau).collect())
            }
            Self::PassingRatio => number(passing_ratio(step)),
            Self::LinkingNumbers => list(super::topology::linking_numbers(step)),
            Self::Turns(pair) => pair.turns(step).map_or_else(nothing, number),
            Self::WoundRadii(pair) => pair.wound_radii(step).map_or_else(nothing, list),
            Self::WoundPitches(pair) => pair.wound_pitches(step).map_or_else(nothing, list),
            Self::ForceOnBody(pair) => vector(pair.force_on_body(step)),
            Self::TensionResultant(pair) => pair.tension_resultant(step).map_or_else(nothing, vector),
            Self::KnotDeterminant(parts, ends) => number(parts.determinant(step, ends)),
            Self::Wraps(parts) => parts.wraps(step).map_or_else(nothing, number),
            Self::Slack(parts) => number(parts.slack(step)),
        }
    }
}

fn number(x: f64) -> Values {
    Values { shape: Vec::new(), data: vec![x] }
}

fn list(data: Vec<f64>) -> Values {
    Values { shape: vec![data.len()], data }
}

fn vector(v: DVec3) -> Values {
    list(v.to_array().to_vec())
}

fn nothing() -> Values {
    list(Vec::new())
}

fn masses(step: &StepView<'_>, owned: Owned) -> f64 {
    let model = step.model;
    match owned {
        Owned::Rod(r) => model.rods[r].total_mass(),
        Owned::Tree(t) => energy::total_mass(&model.trees[t].tree),
        Owned::World => parts(step).map(|part| masses(step, part)).sum(),
    }
}

/// All rods and trees.
fn parts<'a>(step: &StepView<'a>) -> impl Iterator<Item = Owned> + use<'a> {
    let (rods, trees) = (step.model.rods.len(), step.model.trees.len());
    (0..rods).map(Owned::Rod).chain((0..trees).map(Owned::Tree))
}

fn momentum(step: &StepView<'_>, state: &State, owned: Owned) -> DVec3 {
    let model = step.model;
    match owned {
        Owned::Rod(r) => measure::linear_momentum(model, state, r),
        Owned::Tree(t) => {
            energy::linear_momentum(&model.trees[t].tree, &measure::tree_kinematics(model, state, t))
        }
        Owned::World => parts(step).map(|part| momentum(step, state, part)).sum(),
    }
}

fn center_of_mass(step: &StepView<'_>, owned: Owned) -> DVec3 {
    let (model, state) = (step.model, step.state);
    match owned {
        Owned::Rod(r) => {
            let (rod, s) = (&model.rods[r], &state.rods[r]);
            let moment: DVec3 = (0..rod.node_count()).map(|i| s.position(i) * rod.masses()[i][0]).sum();
            moment / rod.total_mass()
        }
        Owned::Tree(t) => {
            energy::center_of_mass(&model.trees[t].tree, &measure::tree_kinematics(model, state, t))
        }
        Owned::World => {
            let moment: DVec3 = parts(step).map(|p| center_of_mass(step, p) * masses(step, p)).sum();
            moment / masses(step, Owned::World)
        }
    }
}

/// Force of clamps, attachments, bases and contacts. Of the world: what comes from outside of it.
fn support_force(step: &StepView<'_>, owned: Owned) -> DVec3 {
    let StepView { model, workspace, .. } = *step;
    let clamps = model.clamps.iter().zip(workspace.clamp_wrenches());
    let clamps: DVec3 = clamps
        .filter(|(clamp, _)| match owned {
            Owned::Rod(r) => clamp.rod == r,
            Owned::Tree(_) => false,
            Owned::World => true,
        })
        .map(|(_, wrench)| wrench.force)
        .sum();
    let mut force = clamps;
    for (attachment, wrench) in model.attachments.iter().zip(workspace.attachment_wrenches()) {
        for (end, other, sign) in
            [(attachment.ends[0], attachment.ends[1], 1.0), (attachment.ends[1], attachment.ends[0], -1.0)]
        {
            let held = match (owned, end) {
                (Owned::Rod(r), End::Rod { rod, .. }) => rod == r,
                (Owned::Tree(t), End::Link { tree, .. }) => tree == t,
                (Owned::World, _) => matches!(other, End::World { .. }),
                _ => false,
            };
            if held {
                force += sign * wrench.force;
            }
        }
    }
    match owned {
        Owned::Rod(r) => force + workspace.rod_contact_forces()[r],
        Owned::Tree(t) => {
            let touched: DVec3 = workspace.link_contact_wrenches(t).iter().map(|w| w.force).sum();
            force + workspace.base_wrenches()[t].force + touched
        }
        Owned::World => force + workspace.base_wrenches().iter().map(|w| w.force).sum::<DVec3>(),
    }
}

/// Σ F − ΔP/δt in N; `None` where a load turns with the rod or drags, or no time has passed.
fn momentum_defect(step: &StepView<'_>, owned: Owned) -> Option<DVec3> {
    let StepView { model, before, state, .. } = *step;
    let dt = state.time - before.time;
    let gravity = state.gravity(model);
    let mut force = support_force(step, owned);
    for part in parts(step).filter(|part| owned == Owned::World || *part == owned) {
        match part {
            Owned::Rod(r) => {
                force += gravity * model.rods[r].total_mass()
                    - momentum(step, state, part) * model.rods[r].mass_damping;
                for load in model.loads.iter().filter(|load| load.rod == r) {
                    force += load.scale.value(state.time)
                        * match &load.kind {
                            LoadKind::Point { force, .. } => *force,
                            LoadKind::Distributed { edges: [first, last], force } => {
                                *force * model.rods[r].rest_lengths()[*first..=*last].iter().sum::<f64>()
                            }
                            LoadKind::SpinTorque { .. } => DVec3::ZERO,
                            _ => return None,
                        };
                }
            }
            Owned::Tree(t) if model.trees[t].heavy => force += gravity * masses(step, part),
            _ => {}
        }
    }
    let change = momentum(step, state, owned) - momentum(step, before, owned);
    (dt > 0.0).then(|| force - change / dt)
}

fn tracking_errors(step: &StepView<'_>, tree: usize) -> Vec<f64> {
    let StepView { model, state, .. } = *step;
    let both = model.actuators.iter().zip(&state.actuators).filter(|(a, _)| a.tree == tree);
    both.filter_map(|(actuator, s)| {
        let ActuatorKind::Position { target, .. } = &actuator.kind else { return None };
        let wanted = s.target.unwrap_or_else(|| target.value(state.time));
        let at = model.trees[tree].tree.q_range(actuator.link).start + actuator.dof;
        Some((wanted - state.trees[tree].q[at]).abs())
    })
    .collect()
}

fn end_effector_error(step: &StepView<'_>, h: usize) -> f64 {
    let StepView { model, state, .. } = *step;
    let hand = &model.hands[h];
    let wanted = state.hand_pose(model, h, state.time);
    let link = measure::tree_kinematics(model, state, hand.tree).poses[hand.link];
    ((link * hand.offset).position - wanted.position).length()
}

fn relative_overlap(step: &StepView<'_>) -> f64 {
    let share = |contact: crate::ContactReport| {
        let thickness = contact.sides.iter().filter_map(|side| match *side {
            ContactSide::Rod { rod, edge, .. } => {
                let [a, b] = step.model.rods[rod].half_extents()[edge];
                Some(2.0 * a.min(b))
            }
            ContactSide::Link { .. } => None,
        });
        thickness.reduce(f64::min).map_or(0.0, |thickness| -contact.gap / thickness)
    };
    step.workspace.contacts().map(share).fold(0.0, f64::max)
}

fn contact_count(step: &StepView<'_>, tree: usize, with_rods: bool) -> f64 {
    let counts = |contact: &crate::ContactReport| {
        let on_tree =
            contact.sides.iter().any(|s| matches!(s, ContactSide::Link { tree: t, .. } if *t == tree));
        let with_rod = contact.sides.iter().any(|side| matches!(side, ContactSide::Rod { .. }));
        on_tree && with_rod == with_rods && contact.normal_force() > 0.0
    };
    step.workspace.contacts().filter(counts).count() as f64
}
