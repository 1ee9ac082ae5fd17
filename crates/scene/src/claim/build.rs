//! Claims from their description; whether each fits what it speaks of.
//!
//! A claim that names what is not there is an error. One whose theory does not cover the scene (gravity on
//! a column that Euler's formula knows without it, for instance after `--set`) is left out with a warning.

use super::pendulum::{Mode, Suspension, check_two_links, rod_and_link};
use super::{Claim, ClaimKind};
use crate::build::Builder;
use crate::curve::round::unit;
use crate::error::SceneError;
use crate::spec::{BodyImpulseSpec, ClaimSpec, LoadClaimSpec, ModeSpec, RodClaimSpec};
use glam::DVec3;
use ropewalk_body::JointKind;
use ropewalk_sim::{AttachmentKind, BaseMotion, End, Hold, Load, LoadKind, Model, Scheme, State};

/// How far energy may rise above its start and the work done, relative.
const ENERGY_TOLERANCE: f64 = 1e-6;

/// A claim and its tolerance, or what its theory would need.
pub(super) type Fit = Result<(ClaimKind, f64), &'static str>;

impl Claim {
    /// The claims of a scene, and the one that every scene makes under backward Euler and BDF2: energy within work.
    pub(crate) fn from_spec(
        builder: &mut Builder<'_>,
        model: &Model,
        state: &State,
    ) -> Result<Vec<Self>, SceneError> {
        let mut claims = Vec::new();
        for (name, spec) in &builder.spec.claim {
            match (Fitter { builder, model, state, name }).fit(spec)? {
                Ok((kind, tolerance)) => claims.push(Self { name: name.clone(), kind, tolerance }),
                Err(needs) => builder.warnings.push(format!("claim `{name}` is left out: it needs {needs}")),
            }
        }
        if [Scheme::BACKWARD_EULER, Scheme::BDF2].contains(&model.settings.scheme) {
            claims.push(Self {
                name: "energy_within_work".into(),
                kind: ClaimKind::Energy,
                tolerance: ENERGY_TOLERANCE,
            });
        }
        Ok(claims)
    }
}

pub(super) struct Fitter<'a, 'b> {
    pub(super) builder: &'a Builder<'b>,
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) name: &'a str,
}

impl Fitter<'_, '_> {
    fn fit(&self, spec: &ClaimSpec) -> Result<Fit, SceneError> {
        Ok(match spec {
            ClaimSpec::ClampedRod(c) => {
                let clamp = self.clamp("clamped_rod", "clamp", &c.clamp)?;
                let Some(along) = unit(c.along) else {
                    let key = ["claim", self.name, "clamped_rod", "along"];
                    return Err(self.builder.error(&key, "this direction is zero").expected("a direction"));
                };
                self.clamped_rod(clamp).map(|()| (ClaimKind::ClampedRod { clamp, along }, c.tolerance))
            }
            ClaimSpec::EulerColumn(c) => {
                let clamp = self.clamp("euler_column", "clamp", &c.clamp)?;
                let key = ["claim", self.name, "euler_column", "load"];
                let load = self.builder.index("load", self.builder.spec.load.keys(), &key, &c.load)?;
                self.euler_column(clamp, load).map(|()| (ClaimKind::EulerColumn { clamp, load }, c.tolerance))
            }
            ClaimSpec::ShaftTorque(c) => {
                let turned = self.clamp("shaft_torque", "turned", &c.turned)?;
                let fixed = self.clamp("shaft_torque", "fixed", &c.fixed)?;
                self.shaft(turned, fixed).map(|()| (ClaimKind::ShaftTorque { turned, fixed }, c.tolerance))
            }
            ClaimSpec::NaturalCircle(c) => {
                let rod = self.rod("natural_circle", c)?;
                self.free_loop(rod).map(|()| (ClaimKind::NaturalCircle { rod }, c.tolerance))
            }
            ClaimSpec::MichellRing(c) => {
                let rod = self.rod("michell_ring", c)?;
                self.michell_ring(rod).map(|()| (ClaimKind::MichellRing { rod }, c.tolerance))
            }
            ClaimSpec::MeanTension(c) => {
                let rod = self.rod("mean_tension", c)?;
                self.mean_tension(rod).map(|()| (ClaimKind::MeanTension { rod }, c.tolerance))
            }
            ClaimSpec::ClampImpulse(c) => {
                let rod = self.rod("clamp_impulse", c)?;
                let loaded = self.loads(rod).next().is_some();
                if loaded {
                    Err("a rod without loads")
                } else {
                    Ok((ClaimKind::ClampImpulse { rod }, c.tolerance))
                }
            }
            ClaimSpec::CarriedWeight(c) => {
                let rod = self.rod("carried_weight", c)?;
                self.loads_gone(rod).map(|()| (ClaimKind::CarriedWeight { rod }, c.tolerance))
            }
            ClaimSpec::CatenaryTension(c) => {
                let rod = self.rod("catenary_tension", c)?;
                let fit = self.loads_gone(rod).and_then(|()| self.two_holds(rod));
                fit.map(|()| (ClaimKind::CatenaryTension { rod }, c.tolerance))
            }
            ClaimSpec::BodyImpulse(c) => {
                Ok((ClaimKind::TreeImpulse { tree: self.tree_of_impulse(c)? }, c.tolerance))
            }
            ClaimSpec::DoublePendulum(c) => {
                let key = ["claim", self.name, "double_pendulum", "body"];
                let tree = self.builder.body_place(&key, &c.body)?.tree;
                let mode = match c.mode {
                    ModeSpec::Slow => Mode::Slow,
                    ModeSpec::Fast => Mode::Fast,
                };
                let kind = ClaimKind::DoublePendulum { tree, mode };
                self.double_pendulum(tree).map(|()| (kind, c.tolerance))
            }
            ClaimSpec::LoadPeriod(c) => {
                let found = self.suspension("load_period", c)?;
                found.map(|s| (ClaimKind::LoadPeriod(s), c.tolerance))
            }
            ClaimSpec::LoadTension(c) => {
                let found = self.suspension("load_tension", c)?;
                found.map(|s| (ClaimKind::LoadTension(s), c.tolerance))
            }
            ClaimSpec::Overlap(c) => match self.model.contact {
                Some(_) => Ok((ClaimKind::Overlap, c.tolerance)),
                None => Err("contact"),
            },
            ClaimSpec::ChainLinked(c) => {
                let rod = self.rod("chain_linked", c)?;
                self.chain(rod).map(|()| (ClaimKind::ChainLinked { rod }, c.tolerance))
            }
            ClaimSpec::ChainWeight(c) => {
                let rod = self.rod("chain_weight", c)?;
                self.chain(rod).map(|()| (ClaimKind::ChainWeight { rod }, c.tolerance))
            }
            ClaimSpec::Capstan(c) => {
                let clamp = self.clamp("capstan", "clamp", &c.clamp)?;
                let key = ["claim", self.name, "capstan", "load"];
                let load = self.builder.index("load", self.builder.spec.load.keys(), &key, &c.load)?;
                let place = self.builder.body_place(&["claim", self.name, "capstan", "body"], &c.body)?;
                let (tree, link) = (place.tree, place.link);
                Ok((ClaimKind::Capstan { clamp, load, tree, link, angle: c.angle }, c.tolerance))
            }
            ClaimSpec::Carried(c) => {
                let tree = self.free_body("carried", &c.body)?;
                let (height, distance) = (c.height, c.distance);
                tree.map(|tree| (ClaimKind::Carried { tree, height, distance }, c.tolerance))
            }
            ClaimSpec::LetGo(c) => {
                let tree = self.free_body("let_go", &c.body)?;
                tree.map(|tree| (ClaimKind::LetGo { tree }, c.tolerance))
            }
            ClaimSpec::CannotPass(c) => match self.model.contact {
                Some(_) => Ok((ClaimKind::CannotPass, c.tolerance)),
                None => Err("contact"),
            },
            ClaimSpec::JointFollows(c) => {
                let key = ["claim", self.name, "joint_follows", "robot"];
                let tree = self.builder.robot_index(&key, &c.robot)?;
                let driven = |a: &ropewalk_sim::Actuator| {
                    a.tree == tree && matches!(a.kind, ropewalk_sim::ActuatorKind::Position { .. })
                };
                if self.model.actuators.iter().any(driven) {
                    Ok((ClaimKind::JointFollows { tree }, c.tolerance))
                } else {
                    Err("a robot with position actuators")
                }
            }
            ClaimSpec::EndEffectorPath(c) => {
                let key = ["claim", self.name, "end_effector_path", "end_effector"];
                let names = self.builder.spec.end_effector.keys();
                let hand = self.builder.index("end effector", names, &key, &c.end_effector)?;
                Ok((ClaimKind::HandPath { hand }, c.tolerance))
            }
            ClaimSpec::CarriedBody(_)
            | ClaimSpec::TotalWeight(_)
            | ClaimSpec::Drift(_)
            | ClaimSpec::Winding(_)
            | ClaimSpec::CoilLayer(_)
            | ClaimSpec::CoilPitch(_)
            | ClaimSpec::BendForce(_)
            | ClaimSpec::BeltSlip(_)
            | ClaimSpec::HungTension(_)
            | ClaimSpec::WinchTorque(_)
            | ClaimSpec::MirrorShape(_)
            | ClaimSpec::MirrorForce(_)
            | ClaimSpec::LooseKnot(_)
            | ClaimSpec::Tracks(_)
            | ClaimSpec::Approaches(_)
            | ClaimSpec::Stays(_)
            | ClaimSpec::Upright(_)
            | ClaimSpec::StopForce(_)
            | ClaimSpec::Released(_) => return self.fit_work(spec),
            ClaimSpec::PinchForce(_)
            | ClaimSpec::PinchRise(_)
            | ClaimSpec::Creep(_)
            | ClaimSpec::Knotted(_)
            | ClaimSpec::Twined(_)
            | ClaimSpec::PulledTight(_)
            | ClaimSpec::SoftPress(_) => return self.fit_grasp(spec),
            ClaimSpec::Measure(c) => Ok((self.measure(c)?, c.tolerance)),
            ClaimSpec::AtRest(c) => Ok((ClaimKind::AtRest { rod: self.rod("at_rest", c)? }, c.tolerance)),
        })
    }

    fn rod(&self, kind: &str, spec: &RodClaimSpec) -> Result<usize, SceneError> {
        self.builder.rod_index(&["claim", self.name, kind, "rod"], &spec.rod)
    }

    /// The tree of a body that hangs on nothing.
    pub(super) fn free_body(
        &self,
        kind: &str,
        body: &str,
    ) -> Result<Result<usize, &'static str>, SceneError> {
        let place = self.builder.body_place(&["claim", self.name, kind, "body"], body)?;
        let links = self.model.trees[place.tree].tree.links();
        let free = links.len() == 1 && links[0].joint.kind == JointKind::Free;
        Ok(match self.model.contact {
            None => Err("contact"),
            Some(_) if !free => Err("a free body"),
            Some(_) => Ok(place.tree),
        })
    }

    fn chain(&self, rod: usize) -> Result<(), &'static str> {
        if self.model.rods[rod].closed() { Ok(()) } else { Err("a closed rod") }
    }

    pub(super) fn clamp(&self, kind: &str, key: &str, clamp: &str) -> Result<usize, SceneError> {
        let words = ["claim", self.name, kind, key];
        self.builder.index("clamp", self.builder.spec.clamp.keys(), &words, clamp)
    }

    fn loads(&self, rod: usize) -> impl Iterator<Item = &Load> {
        self.model.loads.iter().filter(move |l| l.rod == rod)
    }

    fn unattached(&self, rod: usize) -> bool {
        let held = |end: &End| matches!(end, End::Rod { rod: r, .. } if *r == rod);
        !self.model.attachments.iter().any(|a| a.ends.iter().any(held))
    }

    /// Whether a load is gone at the end of the run.
    fn is_gone(&self, load: &Load) -> bool {
        !matches!(load.kind, LoadKind::Drag { .. })
            && load.scale.value(self.builder.spec.time.duration) == 0.0
    }

    pub(super) fn without_gravity(&self) -> Result<(), &'static str> {
        if self.model.gravity == DVec3::ZERO { Ok(()) } else { Err("gravity = [0.0, 0.0, 0.0]") }
    }

    pub(super) fn naturally_straight(&self, rod: usize) -> Result<(), &'static str> {
        let natural = &self.state.rods[rod].natural;
        let driven = self.model.shape_drives.iter().any(|d| d.rod == rod);
        let zero = |v: &[f64]| v.iter().all(|x| *x == 0.0);
        if !self.model.rods[rod].is_linear() {
            Err("a rod that does not yield, with EA and no table of stretch")
        } else if !driven && zero(&natural.kappa1) && zero(&natural.kappa2) && zero(&natural.tau) {
            Ok(())
        } else {
            Err("a rod that is straight at rest")
        }
    }

    /// Position, tangent and twist of an end of an open rod are held, and nothing else of it.
    fn clamped_at_an_end(&self, clamp: usize) -> Result<(), &'static str> {
        let c = &self.model.clamps[clamp];
        let rod = &self.model.rods[c.rod];
        if !rod.is_linear() {
            return Err("a rod that does not yield, with EA and no table of stretch");
        }
        let at_end = matches!(c.hold, Hold::Edge(e) if e == 0 || e + 1 == rod.edge_count());
        let alone = self.model.clamps.iter().filter(|other| other.rod == c.rod).count() == 1;
        if at_end
            && alone
            && self.unattached(c.rod)
            && !rod.closed()
            && rod.edge_count() > 1
            && c.release_time == f64::INFINITY
        {
            Ok(())
        } else {
            Err("a clamp that holds everything at an end of an open rod, for good, and no other on it")
        }
    }

    fn clamped_rod(&self, clamp: usize) -> Result<(), &'static str> {
        self.clamped_at_an_end(clamp)?;
        // Drag is nothing at rest in a fluid at rest.
        let known = |l: &Load| match l.kind {
            LoadKind::Point { .. } => true,
            LoadKind::Drag { flow, .. } => flow == DVec3::ZERO,
            _ => self.is_gone(l),
        };
        if self.loads(self.model.clamps[clamp].rod).all(known) {
            Ok(())
        } else {
            Err("gravity and point loads alone")
        }
    }

    fn euler_column(&self, clamp: usize, load: usize) -> Result<(), &'static str> {
        self.clamped_at_an_end(clamp)?;
        self.without_gravity()?;
        let (c, l) = (&self.model.clamps[clamp], &self.model.loads[load]);
        self.naturally_straight(c.rod)?;
        let tip = if c.hold == Hold::Edge(0) { self.model.rods[c.rod].node_count() - 1 } else { 0 };
        if l.rod != c.rod || !matches!(l.kind, LoadKind::Point { node, .. } if node == tip) {
            return Err("a point load at the free end of the clamp's rod");
        }
        if self.loads(c.rod).all(|other| other.name == l.name || self.is_gone(other)) {
            Ok(())
        } else {
            Err("all other loads gone by the end of the run")
        }
    }

    fn shaft(&self, turned: usize, fixed: usize) -> Result<(), &'static str> {
        let (a, b) = (&self.model.clamps[turned], &self.model.clamps[fixed]);
        let holds_edge = |c: &ropewalk_sim::Clamp| matches!(c.hold, Hold::Edge(_));
        if turned == fixed || a.rod != b.rod || !holds_edge(a) || !holds_edge(b) {
            return Err("two clamps on one rod that hold everything");
        }
        self.without_gravity()?;
        if !self.unattached(a.rod) {
            return Err("a rod without attachments");
        }
        if self.loads(a.rod).all(|l| self.is_gone(l)) { Ok(()) } else { Err("a rod without loads") }
    }

    fn free_loop(&self, rod: usize) -> Result<(), &'static str> {
        self.without_gravity()?;
        if !self.model.rods[rod].closed() {
            return Err("a closed rod");
        }
        if !self.unattached(rod)
            || self.model.clamps.iter().any(|c| c.rod == rod)
            || !self.loads(rod).all(|l| self.is_gone(l))
        {
            return Err("a rod without clamps, and without loads at the end");
        }
        Ok(())
    }

    fn michell_ring(&self, rod: usize) -> Result<(), &'static str> {
        self.free_loop(rod)?;
        self.naturally_straight(rod)?;
        let r = &self.model.rods[rod];
        if r.bend_stiffness(0) == r.bend_stiffness(1) { Ok(()) } else { Err("a round section") }
    }

    fn mean_tension(&self, rod: usize) -> Result<(), &'static str> {
        let mut clamps = self.model.clamps.iter().filter(|k| k.rod == rod);
        let one_node = clamps.next().is_some_and(|k| {
            let still = k.motion.translation.iter().all(|f| f.is_constant() && f.value(0.0) == 0.0);
            matches!(k.hold, Hold::Node(_)) && still && k.release_time == f64::INFINITY
        });
        if !one_node || clamps.next().is_some() || !self.unattached(rod) {
            return Err("one clamp, of the position of a node that does not move");
        }
        if self.loads(rod).next().is_some() || self.model.rods[rod].stiffness_damping > 0.0 {
            return Err("a rod without loads and stiffness damping");
        }
        Ok(())
    }

    fn loads_gone(&self, rod: usize) -> Result<(), &'static str> {
        if self.loads(rod).all(|l| self.is_gone(l)) { Ok(()) } else { Err("a rod without loads at the end") }
    }

    /// Two clamps or attachments hold the rod at the end of the run.
    fn two_holds(&self, rod: usize) -> Result<(), &'static str> {
        let duration = self.builder.spec.time.duration;
        let on_rod = |end: &End| matches!(end, End::Rod { rod: r, .. } if *r == rod);
        let clamps = self.model.clamps.iter().filter(|c| c.rod == rod);
        let attached = self.model.attachments.iter().flat_map(|a| a.ends.iter().filter(|e| on_rod(e)));
        let lasting = self.model.clamps.iter().all(|c| c.release_time > duration)
            && self.model.attachments.iter().all(|a| a.begin_time < duration && a.release_time > duration);
        if clamps.count() + attached.count() == 2 && lasting {
            Ok(())
        } else {
            Err("a rod with two clamps or attachments that hold to the end")
        }
    }

    fn tree_of_impulse(&self, spec: &BodyImpulseSpec) -> Result<usize, SceneError> {
        let key = |last: &'static str| ["claim", self.name, "body_impulse", last];
        match (&spec.body, &spec.robot) {
            (Some(body), None) => Ok(self.builder.body_place(&key("body"), body)?.tree),
            (None, Some(robot)) => self.builder.robot_index(&key("robot"), robot),
            _ => Err(self
                .builder
                .error(&["claim", self.name, "body_impulse"], "this claim is about one thing")
                .expected("`body` or `robot`")),
        }
    }

    fn double_pendulum(&self, t: usize) -> Result<(), &'static str> {
        let tree = &self.model.trees[t];
        let links = tree.tree.links();
        let plain = links.len() == 2
            && links.iter().all(|l| {
                let j = &l.joint;
                matches!(j.kind, JointKind::Revolute { .. })
                    && [j.damping, j.dry_friction, j.armature, j.spring_stiffness] == [0.0; 4]
            });
        if !plain || !matches!(tree.base, BaseMotion::Fixed(_)) || !tree.heavy {
            return Err("two bodies on revolute joints without damping, friction, springs and motors");
        }
        check_two_links(self.model, t)?;
        let held = |end: &End| matches!(end, End::Link { tree, .. } if *tree == t);
        let touched = self.model.attachments.iter().any(|a| a.ends.iter().any(held))
            || self.model.actuators.iter().any(|a| a.tree == t);
        if touched { Err("bodies without attachments and actuators") } else { Ok(()) }
    }

    /// A free body that hangs by its centre of mass on one end of a rod whose other end a clamp holds.
    fn suspension(
        &self,
        kind: &str,
        spec: &LoadClaimSpec,
    ) -> Result<Result<Suspension, &'static str>, SceneError> {
        let key = ["claim", self.name, kind, "attach"];
        let names = self.builder.spec.attach.keys();
        let attachment = self.builder.index("attachment", names, &key, &spec.attach)?;
        Ok(self.hung_load(attachment))
    }

    fn hung_load(&self, attachment: usize) -> Result<Suspension, &'static str> {
        let held = &self.model.attachments[attachment];
        let Some(([rod, edge], [tree, link], point)) = rod_and_link(held) else {
            return Err("an attachment of a rod to a body");
        };
        let body = &self.model.trees[tree];
        let single = body.tree.links().len() == 1 && body.tree.links()[0].joint.kind == JointKind::Free;
        let com = body.tree.links()[link].inertia.com;
        let centred = point.is_some_and(|p| (p - com).length() < 1e-9);
        if !single || !centred || held.kind != AttachmentKind::Point || self.model.attachments.len() != 1 {
            return Err("a free body held by its centre of mass, and no other attachment");
        }
        let r = &self.model.rods[rod];
        let far = if edge == 0 { r.node_count() - 1 } else { 0 };
        let mut clamps = self.model.clamps.iter().filter(|c| c.rod == rod);
        let fixed = clamps.next().filter(|c| {
            let still = c.motion.translation.iter().all(|f| f.is_constant() && f.value(0.0) == 0.0);
            c.hold == Hold::Node(far) && still && c.release_time == f64::INFINITY
        });
        match (fixed, clamps.next()) {
            (Some(clamp), None) if self.loads(rod).next().is_none() => {
                Ok(Suspension { attachment, rod, tree, pivot: clamp.start.point })
            }
            _ => Err("a clamp that holds the position of the rope's other end, and no load on it"),
        }
    }
}
