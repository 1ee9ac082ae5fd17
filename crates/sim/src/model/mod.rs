//! The model: everything that stays the same during a run. And the state: everything that does not.

pub mod actuator;
pub mod attachment;
pub mod clamp;
pub mod contact;
pub mod history;
pub mod load;
pub mod memory;
pub mod tree;
pub mod tuning;

pub use actuator::{Actuator, ActuatorKind, ActuatorState, Hand, HandState};
pub use attachment::{Attachment, AttachmentKind, AttachmentState, Bushing, Command, End, Grip};
pub use clamp::{Clamp, ClampPose, Hold, Motion};
pub use contact::{ContactLaw, ContactSettings, Party, Patches, StickForce, Surface};
pub use history::History;
pub use load::{Load, LoadKind, ShapeDrive};
pub use memory::{CachedTangent, IslandOrder, SolverMemory};
pub use tree::{BaseMotion, BodyShape, TreeModel};
pub use tuning::{Tuning, TuningError, TuningParameter};

use crate::command::Commands;
use glam::DVec3;
use ropewalk_body::{Base, TreeState};
use ropewalk_rod::{Rod, RodState};

/// A world of rods and bodies with what holds, loads and drives them.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Gravity in m/s².
    pub gravity: DVec3,
    /// Names of the rods.
    pub rod_names: Vec<String>,
    /// The rods, in the order of [`State::rods`].
    pub rods: Vec<Rod>,
    /// Edges and nodes held or driven.
    pub clamps: Vec<Clamp>,
    /// Forces from outside.
    pub loads: Vec<Load>,
    /// Natural curvature and twist that change in time.
    pub shape_drives: Vec<ShapeDrive>,
    /// Bodies and robots, in the order of [`State::trees`].
    pub trees: Vec<TreeModel>,
    /// What holds rods and bodies together.
    pub attachments: Vec<Attachment>,
    /// Actuators of joints.
    pub actuators: Vec<Actuator>,
    /// Hands that move along paths.
    pub hands: Vec<Hand>,
    /// Contact; `None`: everything passes through everything.
    pub contact: Option<ContactSettings>,
    /// Surfaces of the rods; those that are not there have the default one.
    pub rod_surfaces: Vec<Surface>,
    /// Parts of rods with a surface of their own: rod, first and last edge, surface; later ones win.
    pub edge_surfaces: Vec<(usize, [usize; 2], Surface)>,
    /// Surfaces of certain pairs, in place of what their sides give; later ones win.
    pub pair_surfaces: Vec<([Party; 2], Surface)>,
    /// Pairs that pass through one another; a rod paired with itself has no contact with itself.
    pub excluded_pairs: Vec<[Party; 2]>,
    /// Pairs of links of one tree that touch one another all the same: the tree, and the links, the lower first; sorted.
    pub self_contacts: Vec<(usize, [usize; 2])>,
    /// Pressure fields of rods and shapes.
    pub patches: Patches,
    /// How steps are taken.
    pub settings: Settings,
}

impl Model {
    /// Whether there is nothing but rods that do not feel one another.
    pub(crate) fn is_rods_alone(&self) -> bool {
        self.contact.is_none() && self.trees.is_empty() && self.attachments.is_empty()
    }

    /// Whether rods `a` and `b` may touch.
    pub fn rods_may_touch(&self, a: usize, b: usize) -> bool {
        !self.excluded_pairs.iter().any(|[p, q]| (p.is_rod(a) && q.is_rod(b)) || (p.is_rod(b) && q.is_rod(a)))
    }

    /// Whether rod `r` may touch a link.
    pub fn rod_may_touch(&self, r: usize, tree: usize, link: usize) -> bool {
        !self
            .excluded_pairs
            .iter()
            .any(|[p, q]| (p.is_rod(r) && q.has_link(tree, link)) || (q.is_rod(r) && p.has_link(tree, link)))
    }

    /// Whether two links may touch: those of one tree only where [`Model::self_contacts`] has them.
    pub fn links_may_touch(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        if a.0 == b.0 && self.self_contacts.binary_search(&(a.0, [a.1.min(b.1), a.1.max(b.1)])).is_err() {
            return false;
        }
        !self.excluded_pairs.iter().any(|[p, q]| {
            (p.has_link(a.0, a.1) && q.has_link(b.0, b.1)) || (p.has_link(b.0, b.1) && q.has_link(a.0, a.1))
        })
    }

    /// The place of shape `shape` of tree `tree` among the shapes of its link.
    pub fn shape_of_link(&self, tree: usize, shape: usize) -> usize {
        let shapes = &self.trees[tree].shapes;
        shapes[..shape].iter().filter(|s| s.link == shapes[shape].link).count()
    }

    /// The surface of an edge of rod `r`.
    pub fn edge_surface(&self, r: usize, edge: usize) -> Surface {
        let part = self.edge_surfaces.iter().rev();
        let mut part = part.filter(|(rod, [first, last], _)| *rod == r && (*first..=*last).contains(&edge));
        part.next().map_or_else(|| self.rod_surface(r), |(_, _, surface)| *surface)
    }

    /// The surface of a pair of which `a` and `b` say whether a party is one of them; `sides` are their own.
    pub(crate) fn pair_surface(
        &self,
        a: impl Fn(&Party) -> bool,
        b: impl Fn(&Party) -> bool,
        sides: [Surface; 2],
    ) -> Surface {
        let given = self.pair_surfaces.iter().rev().find(|([p, q], _)| (a(p) && b(q)) || (a(q) && b(p)));
        given.map_or_else(|| sides[0].pair(&sides[1]), |(_, surface)| *surface)
    }

    /// The surface of rod `r`.
    pub fn rod_surface(&self, r: usize) -> Surface {
        self.rod_surfaces.get(r).copied().unwrap_or_default()
    }
}

/// The state: all that a run must keep to go on.
#[derive(Debug, Default, PartialEq)]
pub struct State {
    /// Time in s.
    pub time: f64,
    /// Rods, in the order of [`Model::rods`].
    pub rods: Vec<RodState>,
    /// Bodies and robots, in the order of [`Model::trees`].
    pub trees: Vec<TreeState>,
    /// In the order of [`Model::attachments`].
    pub attachments: Vec<AttachmentState>,
    /// In the order of [`Model::actuators`].
    pub actuators: Vec<ActuatorState>,
    /// In the order of [`Model::hands`].
    pub hands: Vec<HandState>,
    /// What contacts hold by friction, in the order of [`StickForce::between`].
    pub stick_forces: Vec<StickForce>,
    /// What was asked for between steps.
    pub commands: Commands,
    /// The step before, if the scheme reaches back to it.
    pub history: History,
    /// What the solver remembers.
    pub memory: SolverMemory,
}

// By hand for the sake of `clone_from`, which keeps what `self` has allocated.
impl Clone for State {
    fn clone(&self) -> Self {
        Self {
            time: self.time,
            rods: self.rods.clone(),
            trees: self.trees.clone(),
            attachments: self.attachments.clone(),
            actuators: self.actuators.clone(),
            hands: self.hands.clone(),
            stick_forces: self.stick_forces.clone(),
            commands: self.commands.clone(),
            history: self.history.clone(),
            memory: self.memory.clone(),
        }
    }
    fn clone_from(&mut self, source: &Self) {
        self.time = source.time;
        self.rods.clone_from(&source.rods);
        self.trees.clone_from(&source.trees);
        self.attachments.clone_from(&source.attachments);
        self.actuators.clone_from(&source.actuators);
        self.hands.clone_from(&source.hands);
        self.stick_forces.clone_from(&source.stick_forces);
        self.commands.clone_from(&source.commands);
        self.history.clone_from(&source.history);
        self.memory.clone_from(&source.memory);
    }
}

impl State {
    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        let trees = self.trees.iter().flat_map(|t| t.q.iter().chain(&t.v));
        self.time.is_finite()
            && self.rods.iter().all(RodState::is_finite)
            && trees.copied().all(f64::is_finite)
    }

    /// Adds what `model` has and the state lacks, as it is at the start of a run: trees with all joints at zero,
    /// attachments, actuators and hands that have done nothing yet.
    pub fn complete(&mut self, model: &Model) {
        for tree in model.trees.iter().skip(self.trees.len()) {
            let mut state = tree.tree.zero_state();
            state.base = Base { pose: tree.base.pose(self.time), ..Base::default() };
            self.trees.push(state);
        }
        self.attachments.resize(model.attachments.len(), AttachmentState::default());
        self.actuators.resize(model.actuators.len(), ActuatorState::default());
        for hand in model.hands.iter().skip(self.hands.len()) {
            self.hands.push(HandState { q: self.trees[hand.tree].q.clone(), target: None });
        }
        self.commands.complete(model);
        self.memory.tangents.resize_with(model.rods.len(), CachedTangent::default);
        self.history.complete(model);
    }
}

/// The θ-method: q^θ = θ q + (1−θ) q₀, v^θ likewise, q = q₀ + δt (θ_vq v + (1−θ_vq) v₀); or BDF2, with θ = θ_vq = 1 and
/// the mean velocity of the step in the place of v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// θ.
    pub theta: f64,
    /// θ_vq.
    pub theta_vq: f64,
    /// Whether backward differences are of second order.
    pub bdf2: bool,
}

impl Scheme {
    /// Backward Euler, the default: first order, dissipative, stable at any step.
    pub const BACKWARD_EULER: Self = Self { theta: 1.0, theta_vq: 1.0, bdf2: false };
    /// BDF2: second order between impacts, loses little of what the step resolves, damps what it does not.
    pub const BDF2: Self = Self { theta: 1.0, theta_vq: 1.0, bdf2: true };
    /// The midpoint rule: second order, keeps momentum and nearly energy where the step resolves the fastest mode. Not
    /// for constraints.
    pub const MIDPOINT: Self = Self { theta: 0.5, theta_vq: 0.5, bdf2: false };
    /// Symplectic Euler: first order, explicit, stable only at small steps.
    pub const SYMPLECTIC_EULER: Self = Self { theta: 0.0, theta_vq: 1.0, bdf2: false };
}

impl Default for Scheme {
    fn default() -> Self {
        Self::BACKWARD_EULER
    }
}

/// How often the momentum balance of what constraints hold together is linearized in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linearize {
    /// Until it holds together with the constraints.
    #[default]
    UntilConverged,
    /// Once, at the motion that would follow without constraints, as in the paper.
    Once,
}

/// How steps are taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Time step δt in s.
    pub dt: f64,
    /// Time-stepping scheme.
    pub scheme: Scheme,
    /// A step has converged when the momentum residual is below this fraction of the impulses at work.
    pub tolerance: f64,
    /// Newton iterations before the step is halved.
    pub max_iterations: usize,
    /// Whether the momentum balance is linearized until it holds, or once.
    pub linearize: Linearize,
    /// A step may be halved this often before it is given up: at most 2^this sub-steps.
    pub max_halvings: u32,
    /// Numbers that change results and are no physics.
    pub tuning: Tuning,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dt: 1e-3,
            scheme: Scheme::default(),
            tolerance: 1e-6,
            max_iterations: 30,
            linearize: Linearize::UntilConverged,
            max_halvings: 20,
            tuning: Tuning::default(),
        }
    }
}
