//! Poses and velocities of clamps, bodies, bases of robots and end effectors.

use crate::command::{BaseCommand, ClampCommand, CommandError, Guide, Twist};
use crate::measure;
use crate::model::{ClampPose, Hold, Model, State};
use crate::world::World;
use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::JointKind;
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::log_rotation;

/// The greatest speed that a target may ask for, m/s: what moves faster than this in a scene of ropes is a mistake, such as
/// a pose in mm.
pub const TOP_SPEED: f64 = 50.0;

/// What can be led along a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guided {
    /// A clamp, by its number. Its frame has the held point for its origin and the material frame (m₁, m₂, t) of the held
    /// edge for its axes; those of a node are the world's. Of a clamp that holds twist alone, the first coordinate is the
    /// angle in rad.
    Clamp(usize),
    /// A link that is welded to the base of its tree: a fixed or kinematic body.
    Link {
        /// Tree.
        tree: usize,
        /// Link.
        link: usize,
    },
    /// The base of a tree: of a robot that stands on it.
    Base(usize),
    /// An end effector.
    Hand(usize),
}

/// Where something is to be; what is not given stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseTarget {
    /// Position in m.
    pub position: Option<DVec3>,
    /// Rotation; made unit.
    pub rotation: Option<DQuat>,
    /// Velocity on arrival in m/s; by default zero, or that of a stream of targets ([`crate::command::Guide`]).
    pub velocity: Option<DVec3>,
    /// Angular velocity on arrival in rad/s.
    pub angular_velocity: Option<DVec3>,
}

impl Model {
    /// The pose that the scene gives a clamp at time `t` (s); see [`Guided::Clamp`].
    pub fn clamp_pose(&self, c: usize, t: f64) -> Pose {
        let clamp = &self.clamps[c];
        if let Hold::Spin(_) = clamp.hold {
            return Pose::at(DVec3::X * (clamp.start.gamma + clamp.motion.angle.value(t)));
        }
        let (shift, turn) = clamp.motion.at(t);
        Pose::new(clamp.start.point + shift, (turn * frame_of(&clamp.start)).normalize())
    }

    pub(super) fn thing_name(&self, thing: Guided) -> String {
        match thing {
            Guided::Clamp(c) => format!("clamp '{}'", self.clamps[c].name),
            Guided::Link { tree, link } => self.link_name(tree, link),
            Guided::Base(tree) => format!("robot '{}'", self.trees[tree].name),
            Guided::Hand(h) => format!("end effector '{}'", self.hands[h].name),
        }
    }

    /// `body 'NAME'`, or `link 'LINK' of 'NAME'`.
    pub(crate) fn link_name(&self, tree: usize, link: usize) -> String {
        let tree = &self.trees[tree];
        match tree.tree.links().len() {
            1 => format!("body '{}'", tree.name),
            _ => format!("link '{}' of '{}'", tree.tree.links()[link].name, tree.name),
        }
    }
}

impl State {
    /// Gravity now in m/s².
    pub fn gravity(&self, model: &Model) -> DVec3 {
        self.commands.gravity.unwrap_or(model.gravity)
    }

    /// Where the base of tree `t` is to be at `time` (s).
    pub fn base_pose(&self, model: &Model, t: usize, time: f64) -> Pose {
        let scene = || model.trees[t].base.pose(time);
        match self.commands.bases.get(t).copied().flatten() {
            Some(BaseCommand { guide, offset }) => guide.pose(time, || scene() * offset.inverse()) * offset,
            None => scene(),
        }
    }

    /// Where end effector `h` is to be at `time` (s).
    pub fn hand_pose(&self, model: &Model, h: usize, time: f64) -> Pose {
        let scene = || model.hands[h].path.pose(time);
        match self.hands.get(h).and_then(|hand| hand.target) {
            Some(guide) => guide.pose(time, scene),
            None => scene(),
        }
    }
}

/// The axes of the edge that a clamp holds.
fn frame_of(start: &ClampPose) -> DQuat {
    let Some(t) = start.half_edge.try_normalize() else { return DQuat::IDENTITY };
    DQuat::from_mat3(&DMat3::from_cols(start.director, t.cross(start.director), t)).normalize()
}

impl World {
    /// Leads `thing` to `target` over `over` s with continuous velocity, from the next step on; within that step if `over` is
    /// not given. It stays there until it is told otherwise.
    pub fn set_target(
        &mut self,
        thing: Guided,
        target: &PoseTarget,
        over: Option<f64>,
    ) -> Result<(), CommandError> {
        let name = || self.model().thing_name(thing);
        self.check_guided(thing)?;
        let vectors = [("position", target.position), ("velocity", target.velocity)];
        for (what, vector) in vectors.into_iter().chain([("angular velocity", target.angular_velocity)]) {
            finite(name, what, &vector.unwrap_or_default().to_array())?;
        }
        let rotation = target.rotation.unwrap_or_default();
        finite(name, "quaternion", &rotation.to_array())?;
        if rotation.length() < 1e-6 {
            let expected = "more than 0: quaternions have the order x, y, z, w";
            return Err(CommandError::Range {
                thing: name(),
                what: "length of the quaternion",
                number: 0.0,
                expected,
            });
        }
        let dt = self.model().settings.dt;
        let span = over.unwrap_or(0.0);
        finite(name, "over", &[span])?;
        if span < 0.0 {
            let expected = "a time of 0 s or more";
            return Err(CommandError::Range { thing: name(), what: "over", number: span, expected });
        }
        let (now, from) = (self.state().time, self.pose_of(thing));
        let to = Pose::new(
            target.position.unwrap_or(from.position),
            target.rotation.map_or(from.rotation, DQuat::normalize),
        );
        self.check_speed(thing, &from, &to, span.max(dt))?;
        let arrival = (target.velocity.is_some() || target.angular_velocity.is_some()).then(|| Twist {
            linear: target.velocity.unwrap_or_default(),
            angular: target.angular_velocity.unwrap_or_default(),
        });
        let guide = if span <= dt && arrival.is_none() {
            Guide::straight(now, dt, from, to)
        } else {
            let before = self.guide(thing);
            Guide::reach((now, span.max(dt)), (from, self.twist_of(thing)), to, arrival, before.as_ref())
        };
        self.put_guide(thing, Some(guide));
        Ok(())
    }

    /// Moves `thing` on with a velocity (m/s) and an angular velocity (rad/s), world axes, until it is told otherwise.
    pub fn set_velocity(&mut self, thing: Guided, linear: DVec3, angular: DVec3) -> Result<(), CommandError> {
        let name = || self.model().thing_name(thing);
        self.check_guided(thing)?;
        finite(name, "velocity", &linear.to_array())?;
        finite(name, "angular velocity", &angular.to_array())?;
        let speed = linear.length().max(angular.length() * self.reach_of(thing));
        if speed > TOP_SPEED {
            let expected = "at most 50 m/s";
            return Err(CommandError::Range { thing: name(), what: "speed", number: speed, expected });
        }
        let guide = Guide::moving(self.state().time, self.pose_of(thing), Twist { linear, angular });
        self.put_guide(thing, Some(guide));
        Ok(())
    }

    /// Gives `thing` back to the scene: over `over` s with continuous velocity, or within the next step.
    pub fn clear_target(&mut self, thing: Guided, over: Option<f64>) -> Result<(), CommandError> {
        self.check_guided(thing)?;
        let released = matches!(thing, Guided::Clamp(c) if self.state().commands.clamps[c].released);
        if self.guide(thing).is_none() && !released {
            return Ok(());
        }
        let name = || self.model().thing_name(thing);
        let span = over.unwrap_or(0.0);
        finite(name, "over", &[span])?;
        let (now, dt) = (self.state().time, self.model().settings.dt);
        let (from, scene) = (self.pose_of(thing), self.scene_pose(thing, now));
        // An end effector goes back as fast as its joints may.
        if !matches!(thing, Guided::Hand(_)) {
            self.check_speed(thing, &from, &scene, span.max(dt))?;
        }
        let guide = (span > dt).then(|| {
            let velocity = difference(|t| self.scene_pose(thing, t), now);
            Guide::back((now, span), (from, self.twist_of(thing)), (scene, velocity))
        });
        self.put_guide(thing, guide);
        Ok(())
    }

    /// Lets go of what a clamp holds, from the next step on.
    pub fn release_clamp(&mut self, clamp: usize) {
        self.state_mut().commands.clamps[clamp] = ClampCommand { guide: None, released: true };
    }

    /// Holds what a clamp holds again, where it is now.
    pub fn hold_clamp(&mut self, clamp: usize) {
        let pose = self.pose_of(Guided::Clamp(clamp));
        self.state_mut().commands.clamps[clamp] =
            ClampCommand { guide: Some(Guide::at(pose)), released: false };
    }

    /// Where `thing` is led now; where it is, if nothing leads it.
    pub fn pose_of(&self, thing: Guided) -> Pose {
        let (model, state) = (self.model(), self.state());
        match thing {
            Guided::Clamp(c) => {
                let command = &state.commands.clamps[c];
                match command.guide {
                    Some(guide) => guide.pose(state.time, || model.clamp_pose(c, state.time)),
                    None if command.released || state.time >= model.clamps[c].release_time => {
                        held_now(model, state, c)
                    }
                    None => model.clamp_pose(c, state.time),
                }
            }
            Guided::Link { tree, link } => state.trees[tree].base.pose * welded(model, tree, link),
            Guided::Base(tree) => state.trees[tree].base.pose,
            Guided::Hand(h) => match state.hands[h].target {
                Some(guide) => guide.pose(state.time, || model.hands[h].path.pose(state.time)),
                None => {
                    // Where its reference is, which may lag behind the path.
                    let hand = &model.hands[h];
                    let mut reference = state.trees[hand.tree].clone();
                    reference.q.clone_from(&state.hands[h].q);
                    let mut kinematics = ropewalk_body::Kinematics::new(&model.trees[hand.tree].tree);
                    let at_rest = vec![0.0; reference.v.len()];
                    kinematics.update(&model.trees[hand.tree].tree, &reference.base, &reference.q, &at_rest);
                    kinematics.poses[hand.link] * hand.offset
                }
            },
        }
    }

    fn scene_pose(&self, thing: Guided, t: f64) -> Pose {
        let model = self.model();
        match thing {
            Guided::Clamp(c) => model.clamp_pose(c, t),
            Guided::Link { tree, link } => model.trees[tree].base.pose(t) * welded(model, tree, link),
            Guided::Base(tree) => model.trees[tree].base.pose(t),
            Guided::Hand(h) => model.hands[h].path.pose(t),
        }
    }

    /// The velocity with which `thing` is led now.
    fn twist_of(&self, thing: Guided) -> Twist {
        let now = self.state().time;
        if let Guided::Clamp(c) = thing
            && self.state().commands.clamps[c].released
        {
            return Twist::default();
        }
        let base = |tree: usize, frame: Pose| {
            difference(|t| self.state().base_pose(self.model(), tree, t) * frame, now)
        };
        match (thing, self.guide(thing)) {
            (Guided::Link { tree, link }, _) => base(tree, welded(self.model(), tree, link)),
            (Guided::Base(tree), _) => base(tree, Pose::IDENTITY),
            (_, Some(guide)) => difference(|t| guide.pose(t, || self.scene_pose(thing, t)), now),
            (_, None) => difference(|t| self.scene_pose(thing, t), now),
        }
    }

    fn guide(&self, thing: Guided) -> Option<Guide> {
        let commands = &self.state().commands;
        match thing {
            Guided::Clamp(c) => commands.clamps[c].guide,
            Guided::Link { tree, .. } | Guided::Base(tree) => commands.bases[tree].map(|b| b.guide),
            Guided::Hand(h) => self.state().hands[h].target,
        }
    }

    fn put_guide(&mut self, thing: Guided, guide: Option<Guide>) {
        let offset = match thing {
            Guided::Link { tree, link } => welded(self.model(), tree, link).inverse(),
            _ => Pose::IDENTITY,
        };
        let state = self.state_mut();
        match thing {
            Guided::Clamp(c) => state.commands.clamps[c] = ClampCommand { guide, released: false },
            Guided::Link { tree, .. } | Guided::Base(tree) => {
                state.commands.bases[tree] = guide.map(|guide| BaseCommand { guide, offset });
            }
            Guided::Hand(h) => state.hands[h].target = guide,
        }
    }

    /// How far from its origin `thing` reaches, m.
    fn reach_of(&self, thing: Guided) -> f64 {
        let model = self.model();
        match thing {
            Guided::Clamp(c) => model.clamps[c].start.half_edge.length(),
            Guided::Link { tree, .. } | Guided::Base(tree) => {
                let sizes = model.trees[tree].shapes.iter().map(|shape| {
                    let bounds = shape.collider.shape().world_bounds(&shape.pose);
                    bounds.map_or(0.0, |b| b.half().length() + b.center().length())
                });
                sizes.fold(0.0, f64::max)
            }
            Guided::Hand(_) => 0.0,
        }
    }

    fn check_speed(&self, thing: Guided, from: &Pose, to: &Pose, span: f64) -> Result<(), CommandError> {
        let turned = log_rotation(to.rotation * from.rotation.conjugate()).length() * self.reach_of(thing);
        // An angle is no distance.
        let spin = matches!(thing, Guided::Clamp(c) if matches!(self.model().clamps[c].hold, Hold::Spin(_)));
        let distance = if spin { 0.0 } else { (to.position - from.position).length().max(turned) };
        let speed = distance / span;
        if speed <= TOP_SPEED {
            return Ok(());
        }
        let thing = self.model().thing_name(thing);
        Err(CommandError::TooFast {
            thing,
            distance,
            speed,
            span,
            needed: (1e3 * distance / TOP_SPEED).ceil() / 1e3,
        })
    }

    pub(super) fn check_guided(&self, thing: Guided) -> Result<(), CommandError> {
        let refuse = |how, remedy| {
            Err(CommandError::MovesByItself { thing: self.model().thing_name(thing), how, remedy })
        };
        let links = |tree: usize| self.model().trees[tree].tree.links();
        match thing {
            Guided::Link { tree, link } => {
                let mut at = Some(link);
                while let Some(i) = at {
                    match links(tree)[i].joint.kind {
                        JointKind::Fixed => at = links(tree)[i].parent,
                        JointKind::Free => {
                            return refuse(
                                "it is free",
                                "push it with set_force, hold it with an attachment, or make it kinematic in the scene",
                            );
                        }
                        _ => return refuse("by its joint", "set the target of an actuator of that joint"),
                    }
                }
                Ok(())
            }
            Guided::Base(tree) if links(tree).first().is_some_and(|l| l.joint.kind == JointKind::Free) => {
                refuse("its base is free", "push it with set_force, or set its joints")
            }
            _ => Ok(()),
        }
    }
}

/// A link in the frame of the base to which it is welded.
fn welded(model: &Model, tree: usize, link: usize) -> Pose {
    let links = model.trees[tree].tree.links();
    let (mut pose, mut at) = (Pose::IDENTITY, Some(link));
    while let Some(i) = at {
        pose = links[i].joint.pose * pose;
        at = links[i].parent;
    }
    pose
}

/// Where what a clamp has let go of is.
fn held_now(model: &Model, state: &State, c: usize) -> Pose {
    let clamp = &model.clamps[c];
    let now = ClampPose::of(clamp.hold, &model.rods[clamp.rod], &state.rods[clamp.rod]);
    match clamp.hold {
        Hold::Spin(_) => Pose::at(DVec3::X * now.gamma),
        _ => Pose::new(now.point, frame_of(&now)),
    }
}

/// The velocity of a motion that ends at `now`, by a difference quotient.
fn difference(pose: impl Fn(f64) -> Pose, now: f64) -> Twist {
    // Short against any step and long against round-off of times.
    const SHORT: f64 = 1e-7;
    let (before, after) = (pose(now - SHORT), pose(now));
    Twist {
        linear: (after.position - before.position) / SHORT,
        angular: log_rotation(after.rotation * before.rotation.conjugate()) / SHORT,
    }
}

/// Refuses numbers that are not finite.
pub(super) fn finite(
    thing: impl Fn() -> String,
    what: &'static str,
    numbers: &[f64],
) -> Result<(), CommandError> {
    match numbers.iter().find(|x| !x.is_finite()) {
        Some(&number) => Err(CommandError::NotFinite { thing: thing(), what, number }),
        None => Ok(()),
    }
}

impl World {
    /// Kinematics of tree `t` now.
    pub fn kinematics(&self, t: usize) -> ropewalk_body::Kinematics {
        measure::tree_kinematics(self.model(), self.state(), t)
    }
}
