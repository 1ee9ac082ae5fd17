//! Scratch memory of a step, allocated once.

use crate::model::{Model, State};
use crate::report::{ContactReport, PatchReport, STAGES, Wrench};
use crate::step::Outcome;
use crate::step::kinematics::end_effectors::HandWork;
use crate::step::kinematics::impacts::Restart;
use crate::step::solve::coupled::CoupledSolve;
use crate::step::solve::part::Iterate;
use crate::step::solve::tangent_cache::TangentCache;
use glam::DVec3;
use ropewalk_body::motion::TreeMotion;
use ropewalk_body::{Base, Reached, Tree};
use ropewalk_rod::momentum_balance::RodMotion;
use ropewalk_rod::{NaturalShape, Rod, RodState};

/// Scratch for [`crate::step()`]; made once per model.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) rods: Vec<RodWork>,
    pub(crate) trees: Vec<TreeWork>,
    pub(crate) hands: Vec<HandWork>,
    pub(crate) coupling: CoupledSolve,
    /// Attachments that take hold in this sub-step.
    pub(crate) grips_made: Vec<usize>,
    /// Impulses in the sub-steps so far, then mean forces of the step.
    pub(crate) sensed: Sensed,
    /// Energy that contacts have made in the sub-steps so far, over what is worth an update.
    pub(crate) energy_made: f64,
    /// Time spent in the stages of the last sub-step, as far as it is not counted by rod or tree, s.
    pub(crate) seconds: [f64; STAGES.len()],
    pub(crate) backup: State,
}

/// What is read off a step: impulses while it goes on, forces (impulses over δt) once it is done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sensed {
    pub(crate) clamps: Vec<Wrench>,
    pub(crate) attachments: Vec<Wrench>,
    pub(crate) bases: Vec<Wrench>,
    /// Of all contacts on each rod.
    pub(crate) rod_contacts: Vec<DVec3>,
    /// Of all contacts on each link, by tree; torques about the link's origin.
    pub(crate) link_contacts: Vec<Vec<Wrench>>,
    /// Through the joint of each link, by tree; torques about the link's origin.
    pub(crate) joints: Vec<Vec<Wrench>>,
    /// Scratch of the sub-step: attachments and commands on each link and all beyond it; contacts before it.
    pub(crate) outside: Vec<Vec<Wrench>>,
    pub(crate) contacts_before: Vec<Vec<Wrench>>,
    pub(crate) actuators: Vec<f64>,
    /// Of limits, by tree and degree of freedom.
    pub(crate) limits: Vec<Vec<f64>>,
    /// Of dry friction.
    pub(crate) frictions: Vec<Vec<f64>>,
    /// Of what makes joints follow others, by tree and link.
    pub(crate) mimics: Vec<Vec<f64>>,
}

/// Scratch of one rod.
#[derive(Clone, Debug)]
pub(crate) struct RodWork {
    pub(crate) motion: RodMotion,
    /// Loads other than gravity that do not depend on the motion, N and N·m.
    pub(crate) load: Vec<[f64; 4]>,
    /// The natural shape before drives changed it for this sub-step.
    pub(crate) natural_before: NaturalShape,
    pub(crate) outcome: Outcome,
    /// Where Newton's method stands.
    pub(crate) iterate: Iterate,
    /// The tangent of a shape of some steps ago, which may serve.
    pub(crate) tangent_cache: TangentCache,
    /// BDF2: what the sub-step does to its history.
    pub(crate) restart: Restart,
}

/// Scratch of one tree.
#[derive(Clone, Debug)]
pub(crate) struct TreeWork {
    pub(crate) motion: TreeMotion,
    /// The base at the end of the sub-step.
    pub(crate) next_base: Base,
    /// Gravity on it, m/s².
    pub(crate) gravity: DVec3,
    pub(crate) outcome: Outcome,
    /// Where Newton's method stands.
    pub(crate) iterate: Iterate,
    /// BDF2: what the sub-step does to its history.
    pub(crate) restart: Restart,
}

impl Workspace {
    /// Scratch for `model`.
    pub fn new(model: &Model) -> Self {
        let per_dof = || model.trees.iter().map(|t| vec![0.0; t.tree.velocity_count()]).collect();
        let per_link = || -> Vec<Vec<Wrench>> {
            model.trees.iter().map(|t| vec![Wrench::default(); t.tree.links().len()]).collect()
        };
        Self {
            rods: model.rods.iter().map(RodWork::new).collect(),
            trees: model.trees.iter().map(|t| TreeWork::new(&t.tree)).collect(),
            hands: model
                .hands
                .iter()
                .map(|hand| HandWork {
                    solver: hand.solver.clone(),
                    velocities: vec![0.0; model.trees[hand.tree].tree.velocity_count()],
                    q: vec![0.0; model.trees[hand.tree].tree.position_count()],
                    q_before: vec![0.0; model.trees[hand.tree].tree.position_count()],
                    reached: None,
                })
                .collect(),
            coupling: CoupledSolve::new(model),
            grips_made: Vec::with_capacity(model.attachments.len()),
            energy_made: 0.0,
            sensed: Sensed {
                clamps: vec![Wrench::default(); model.clamps.len()],
                attachments: vec![Wrench::default(); model.attachments.len()],
                bases: vec![Wrench::default(); model.trees.len()],
                rod_contacts: vec![DVec3::ZERO; model.rods.len()],
                link_contacts: per_link(),
                joints: per_link(),
                outside: per_link(),
                contacts_before: per_link(),
                actuators: vec![0.0; model.actuators.len()],
                limits: per_dof(),
                frictions: per_dof(),
                mimics: model.trees.iter().map(|t| vec![0.0; t.tree.links().len()]).collect(),
            },
            seconds: [0.0; STAGES.len()],
            backup: State::default(),
        }
    }

    /// Makes room for another number of attachments.
    pub(crate) fn fit_attachments(&mut self, count: usize) {
        self.sensed.attachments.resize(count, Wrench::default());
    }

    /// Force and torque that each clamp exerted on its rod in the last step (mean over its sub-steps), in the
    /// order of [`Model::clamps`].
    pub fn clamp_wrenches(&self) -> &[Wrench] {
        &self.sensed.clamps
    }

    /// Force and torque about the held point that each attachment exerted on its first end in the last step (mean over
    /// its sub-steps; on the second end they are opposite), in the order of [`Model::attachments`].
    pub fn attachment_wrenches(&self) -> &[Wrench] {
        &self.sensed.attachments
    }

    /// Force and torque about the base's origin that the ground, or what drives the base, exerted on each tree in the
    /// last step, in the order of [`Model::trees`]. Zero for a root joint that is free.
    pub fn base_wrenches(&self) -> &[Wrench] {
        &self.sensed.bases
    }

    /// Sum of the forces of all contacts on each rod in the last step (mean over its sub-steps), N; contacts of a rod with
    /// itself add nothing.
    pub fn rod_contact_forces(&self) -> &[DVec3] {
        &self.sensed.rod_contacts
    }

    /// Force and torque about the link's origin of all contacts on each link of tree `t` in the last step (mean over its
    /// sub-steps).
    pub fn link_contact_wrenches(&self, t: usize) -> &[Wrench] {
        &self.sensed.link_contacts[t]
    }

    /// Force and torque about the link's origin that went through the joint of each link of tree `t` in the last step, from its
    /// parent to the link (mean over its sub-steps): what a sensor there feels, efforts along the joint included.
    pub fn joint_wrenches(&self, t: usize) -> &[Wrench] {
        &self.sensed.joints[t]
    }

    /// The contacts of the last sub-step that took part in its solve, touching or not; what came near a rod that moved on
    /// its own is not among them.
    pub fn contacts(&self) -> impl Iterator<Item = ContactReport> + '_ {
        self.coupling.contact_reports()
    }

    /// Corners of the polygons of all patches of the last sub-step, m, world axes; see [`ContactReport::corners`].
    pub fn patch_corners(&self) -> &[glam::DVec3] {
        self.coupling.collision.fields.corners()
    }

    /// Corners of the polygon that `contact` of the last sub-step is, m, world axes; none of a point.
    pub fn corners_of(&self, contact: &ContactReport) -> &[glam::DVec3] {
        let [first, count] = contact.corners.map(|c| c as usize);
        self.patch_corners().get(first..first + count).unwrap_or(&[])
    }

    /// How many pairs of cells were cut with one another for each polygon of the last sub-step; none without a polygon.
    pub fn pairs_by_polygon(&self) -> Option<f64> {
        self.coupling.collision.fields.pairs_by_polygon()
    }

    /// The patches of the last sub-step: polygons summed up by pairs of rods and shapes.
    pub fn patches(&self) -> Vec<PatchReport> {
        PatchReport::of(self.contacts())
    }

    /// Effort of each actuator in the last step, N or N·m, in the order of [`Model::actuators`].
    pub fn actuator_efforts(&self) -> &[f64] {
        &self.sensed.actuators
    }

    /// How near the joint positions that hand `h` asks for bring it to where it should be; `None` before the first step.
    pub fn hand_reached(&self, h: usize) -> Option<Reached> {
        self.hands[h].reached
    }

    /// Effort of the limits on each degree of freedom of tree `t` in the last step, N or N·m.
    pub fn limit_efforts(&self, t: usize) -> &[f64] {
        &self.sensed.limits[t]
    }

    /// Effort of dry friction on each degree of freedom of tree `t` in the last step, N or N·m.
    pub fn friction_efforts(&self, t: usize) -> &[f64] {
        &self.sensed.frictions[t]
    }

    /// Effort that made the joint of each link of tree `t` follow another in the last step, N or N·m.
    pub fn mimic_efforts(&self, t: usize) -> &[f64] {
        &self.sensed.mimics[t]
    }
}

impl Sensed {
    /// Begins a sub-step.
    pub(crate) fn begin(&mut self) {
        for wrenches in &mut self.outside {
            wrenches.fill(Wrench::default());
        }
        for (before, now) in self.contacts_before.iter_mut().zip(&self.link_contacts) {
            before.copy_from_slice(now);
        }
    }

    pub(crate) fn clear(&mut self) {
        for wrenches in [&mut self.clamps, &mut self.attachments, &mut self.bases] {
            wrenches.fill(Wrench::default());
        }
        for wrenches in self.link_contacts.iter_mut().chain(&mut self.joints) {
            wrenches.fill(Wrench::default());
        }
        self.rod_contacts.fill(DVec3::ZERO);
        self.actuators.fill(0.0);
        for efforts in self.limits.iter_mut().chain(&mut self.frictions).chain(&mut self.mimics) {
            efforts.fill(0.0);
        }
    }

    /// Impulses over a step of `dt` become mean forces.
    pub(crate) fn divide(&mut self, dt: f64) {
        let held = self.clamps.iter_mut().chain(&mut self.attachments).chain(&mut self.bases);
        let links = self.link_contacts.iter_mut().chain(&mut self.joints).flatten();
        for wrench in held.chain(links) {
            wrench.force /= dt;
            wrench.torque /= dt;
        }
        for force in &mut self.rod_contacts {
            *force /= dt;
        }
        let efforts = self.limits.iter_mut().chain(&mut self.frictions).chain(&mut self.mimics).flatten();
        for effort in efforts.chain(&mut self.actuators) {
            *effort /= dt;
        }
    }
}

impl RodWork {
    pub(crate) fn new(rod: &Rod) -> Self {
        Self {
            motion: RodMotion::new(rod),
            load: vec![[0.0; 4]; rod.node_count()],
            natural_before: NaturalShape::straight(rod.node_count()),
            outcome: Outcome::default(),
            iterate: Iterate::default(),
            tangent_cache: TangentCache::new(rod),
            restart: Restart::default(),
        }
    }

    /// How far a node moves in a step of `dt` with the velocities found, m.
    pub(crate) fn displacement(&self, state: &RodState, node: usize, (dt, theta_vq): (f64, f64)) -> DVec3 {
        let (now, before) = (&self.motion.v[node], &state.v[node]);
        let along = |k: usize| dt * (theta_vq * now[k] + (1.0 - theta_vq) * before[k]);
        DVec3::new(along(0), along(1), along(2))
    }
}

impl TreeWork {
    fn new(tree: &Tree) -> Self {
        Self {
            motion: TreeMotion::new(tree),
            next_base: Base::default(),
            gravity: DVec3::ZERO,
            outcome: Outcome::default(),
            restart: Restart::default(),
            iterate: Iterate::default(),
        }
    }
}
