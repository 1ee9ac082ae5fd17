//! What can be read off a world, as arrays with a name: one table for whoever shows, stores or learns from numbers.
//!
//! | of | name | shape | unit |
//! |---|---|---|---|
//! | rod | `positions`, `velocities` | (n, 3) | m, m/s |
//! | rod | `spin_angles`, `spin_rates` | (e,) | rad, rad/s: γ of each edge and its rate |
//! | rod | `frames` | (e, 3, 3) | m₁, m₂ and t of each edge, a row each |
//! | rod | `rest_lengths`, `tension` | (e,) | m, N |
//! | rod | `half_extents` | (e, 2) | m, along m₁ and m₂ |
//! | rod | `masses` | (n,) | kg |
//! | rod | `moments` | (s, 3) | N·m: about the directors, and torque |
//! | rod | `curvature`, `twist_rate` | (s,) | 1/m, rad/m |
//! | rod | `plastic_curvature` | (s, 2) | 1/m: towards m₁ and m₂, what stays of a bend |
//! | rod | `plastic_work` | () | J since the start |
//! | rod | `contact_force` | (3,) | N: of all contacts, mean over the last step |
//! | rod | `rod_energies` | (6,) | J: as `energies` |
//! | tree | `joint_positions`, `joint_velocities` | (nq,), (nv,) | rad, m, …; see `ropewalk_body::joint` |
//! | tree | `link_positions`, `link_quats_xyzw` | (l, 3), (l, 4) | m |
//! | tree | `link_velocities`, `link_angular_velocities` | (l, 3) | m/s, rad/s, of each link's origin |
//! | tree | `base_wrench` | (6,) | N, N·m |
//! | tree | `link_contact_wrenches` | (l, 6) | N, N·m: of all contacts, about each link's origin |
//! | tree | `joint_wrenches` | (l, 6) | N, N·m: of each link's parent on it, about the link's origin, as a sensor there feels it |
//! | tree | `mimic_efforts` | (l,) | N or N·m: of what makes the joint of a link follow another |
//! | tree | `limit_efforts`, `friction_efforts` | (nv,) | N or N·m |
//! | world | `time` | () | s |
//! | world | `gravity` | (3,) | m/s² |
//! | world | `energies` | (6,) | J: kinetic, stretch, bend, twist, gravity, joints |
//! | world | `clamp_wrenches`, `attachment_wrenches` | (c, 6), (a, 6) | N, N·m: force, then torque |
//! | world | `attachment_holds` | (a,) | 1 while it holds |
//! | world | `actuator_efforts`, `actuator_targets` | (m,) | N or N·m; rad, m, … |
//! | world | `contact_count` | () | contacts that push, in the last sub-step |
//! | world | `deepest_overlap` | () | m; zero if nothing overlaps |
//!
//! An open rod of n nodes has e = n − 1 edges and s = n − 2 stencils (its inner nodes), a closed one n of each.

use crate::measure::{self, Energies};
use crate::model::{Model, State};
use crate::report::Wrench;
use crate::workspace::Workspace;
use crate::world::World;
use glam::DVec3;

/// Numbers in C order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    /// Shape; empty for a single number.
    pub shape: Vec<usize>,
    /// The numbers.
    pub data: Vec<f64>,
}

macro_rules! quantities {
    ($($variant:ident: $name:literal,)*) => {
        /// A quantity; what each is stands in the table of the module.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Quantity {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl Quantity {
            /// All quantities.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

quantities! {
    Positions: "positions",
    Velocities: "velocities",
    SpinAngles: "spin_angles",
    SpinRates: "spin_rates",
    Frames: "frames",
    RestLengths: "rest_lengths",
    Tension: "tension",
    HalfExtents: "half_extents",
    Masses: "masses",
    Moments: "moments",
    Curvature: "curvature",
    TwistRate: "twist_rate",
    PlasticCurvature: "plastic_curvature",
    PlasticWork: "plastic_work",
    ContactForce: "contact_force",
    RodEnergies: "rod_energies",
    JointPositions: "joint_positions",
    JointVelocities: "joint_velocities",
    LinkPositions: "link_positions",
    LinkQuatsXyzw: "link_quats_xyzw",
    LinkVelocities: "link_velocities",
    LinkAngularVelocities: "link_angular_velocities",
    BaseWrench: "base_wrench",
    LinkContactWrenches: "link_contact_wrenches",
    JointWrenches: "joint_wrenches",
    MimicEfforts: "mimic_efforts",
    LimitEfforts: "limit_efforts",
    FrictionEfforts: "friction_efforts",
    Time: "time",
    Gravity: "gravity",
    Energies: "energies",
    ClampWrenches: "clamp_wrenches",
    AttachmentWrenches: "attachment_wrenches",
    AttachmentHolds: "attachment_holds",
    ActuatorEfforts: "actuator_efforts",
    ActuatorTargets: "actuator_targets",
    ContactCount: "contact_count",
    DeepestOverlap: "deepest_overlap",
}

/// What a quantity belongs to, and so what its index counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A rod.
    Rod,
    /// A body or robot.
    Tree,
    /// The world as a whole; the index is not read.
    World,
}

impl Quantity {
    /// The quantity called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|q| q.name() == name)
    }

    /// What it belongs to.
    pub fn owner(self) -> Owner {
        match self as usize {
            k if k <= Self::RodEnergies as usize => Owner::Rod,
            k if k <= Self::FrictionEfforts as usize => Owner::Tree,
            _ => Owner::World,
        }
    }

    /// How many of its owners `world` has.
    pub fn owner_count(self, world: &World) -> usize {
        match self.owner() {
            Owner::Rod => world.model().rods.len(),
            Owner::Tree => world.model().trees.len(),
            Owner::World => 1,
        }
    }

    /// Its numbers now. `index` is below [`Self::owner_count`].
    pub fn read(self, world: &World, index: usize) -> Values {
        self.read_parts(world.model(), world.state(), world.workspace(), index)
    }

    /// The same of a model, a state and the workspace of its last step.
    pub fn read_parts(self, model: &Model, state: &State, workspace: &Workspace, index: usize) -> Values {
        match self.owner() {
            Owner::Rod => self.of_rod(model, state, workspace, index),
            Owner::Tree => self.of_tree(model, state, workspace, index),
            Owner::World => self.of_world(model, state, workspace),
        }
    }

    fn of_rod(self, model: &Model, state: &State, workspace: &Workspace, r: usize) -> Values {
        let (rod, s) = (&model.rods[r], &state.rods[r]);
        let edges = rod.edge_count();
        let xyz = |blocks: &[[f64; 4]]| {
            Values::rows([blocks.len(), 3], blocks.iter().flat_map(|b| [b[0], b[1], b[2]]))
        };
        match self {
            Self::Positions => xyz(&s.q),
            Self::Velocities => xyz(&s.v),
            Self::SpinAngles => Values::list(s.q[..edges].iter().map(|q| q[3])),
            Self::SpinRates => Values::list(s.v[..edges].iter().map(|v| v[3])),
            Self::Frames => {
                let frames = (0..edges).flat_map(|e| s.material_frame(rod, e));
                Values { shape: vec![edges, 3, 3], data: frames.flat_map(|x| x.to_array()).collect() }
            }
            Self::RestLengths => Values::list(rod.rest_lengths().iter().copied()),
            Self::HalfExtents => Values::rows([edges, 2], rod.half_extents().iter().copied().flatten()),
            Self::Masses => Values::list(rod.masses().iter().map(|m| m[0])),
            Self::Moments => {
                let moments = measure::moments(model, state, r);
                Values::rows([moments.len(), 3], moments.into_iter().flatten())
            }
            Self::Curvature => Values::list(measure::curvature(model, state, r)),
            Self::TwistRate => Values::list(measure::twist_rate(model, state, r)),
            Self::PlasticCurvature => {
                let plastic = measure::plastic_curvature(model, state, r);
                Values::rows([plastic.len(), 2], plastic.into_iter().flatten())
            }
            Self::PlasticWork => Values { shape: Vec::new(), data: vec![s.plastic.work] },
            Self::ContactForce => Values::list(workspace.rod_contact_forces()[r].to_array()),
            Self::RodEnergies => Values::energies(&measure::rod_energies(model, state, r)),
            // Tension, and what belongs to no rod, which does not come here.
            _ => Values::list(measure::tension(model, state, r)),
        }
    }

    fn of_tree(self, model: &Model, state: &State, workspace: &Workspace, t: usize) -> Values {
        let links = model.trees[t].tree.links().len();
        let vectors = |rows: &[DVec3]| Values::rows([links, 3], rows.iter().flat_map(|x| x.to_array()));
        let kinematics = || measure::tree_kinematics(model, state, t);
        match self {
            Self::JointPositions => Values::list(state.trees[t].q.iter().copied()),
            Self::JointVelocities => Values::list(state.trees[t].v.iter().copied()),
            Self::LinkPositions => {
                let poses = kinematics().poses;
                Values::rows([links, 3], poses.iter().flat_map(|p| p.position.to_array()))
            }
            Self::LinkQuatsXyzw => {
                let poses = kinematics().poses;
                Values::rows([links, 4], poses.iter().flat_map(|p| p.rotation.to_array()))
            }
            Self::LinkVelocities => vectors(&kinematics().linear),
            Self::LinkAngularVelocities => vectors(&kinematics().angular),
            Self::BaseWrench => Values::list(wrench_numbers(&workspace.base_wrenches()[t])),
            Self::LinkContactWrenches => {
                let wrenches = workspace.link_contact_wrenches(t);
                Values::rows([links, 6], wrenches.iter().flat_map(wrench_numbers))
            }
            Self::JointWrenches => {
                let wrenches = workspace.joint_wrenches(t);
                Values::rows([links, 6], wrenches.iter().flat_map(wrench_numbers))
            }
            Self::MimicEfforts => Values::list(workspace.mimic_efforts(t).iter().copied()),
            Self::LimitEfforts => Values::list(workspace.limit_efforts(t).iter().copied()),
            // Dry friction, and what belongs to no tree, which does not come here.
            _ => Values::list(workspace.friction_efforts(t).iter().copied()),
        }
    }

    fn of_world(self, model: &Model, state: &State, workspace: &Workspace) -> Values {
        let wrenches = |all: &[Wrench]| Values::rows([all.len(), 6], all.iter().flat_map(wrench_numbers));
        match self {
            Self::Energies => Values::energies(&measure::energies(model, state)),
            Self::Gravity => Values::list(state.gravity(model).to_array()),
            Self::ClampWrenches => wrenches(workspace.clamp_wrenches()),
            Self::AttachmentWrenches => wrenches(workspace.attachment_wrenches()),
            Self::AttachmentHolds => {
                Values::list(state.attachments.iter().map(|a| f64::from(u8::from(a.grip.is_some()))))
            }
            Self::ActuatorEfforts => Values::list(workspace.actuator_efforts().iter().copied()),
            Self::ActuatorTargets => {
                let both = model.actuators.iter().zip(&state.actuators);
                Values::list(both.map(|(a, s)| s.target.unwrap_or_else(|| a.kind.target().value(state.time))))
            }
            Self::ContactCount => Values {
                shape: Vec::new(),
                data: vec![workspace.contacts().filter(|c| c.normal_force() > 0.0).count() as f64],
            },
            Self::DeepestOverlap => Values {
                shape: Vec::new(),
                data: vec![workspace.contacts().map(|c| -c.gap).fold(0.0, f64::max)],
            },
            // Time, and what belongs to rods and trees, which does not come here.
            _ => Values { shape: Vec::new(), data: vec![state.time] },
        }
    }
}

impl Values {
    fn list(data: impl IntoIterator<Item = f64>) -> Self {
        let data: Vec<f64> = data.into_iter().collect();
        Self { shape: vec![data.len()], data }
    }

    fn rows(shape: [usize; 2], data: impl IntoIterator<Item = f64>) -> Self {
        Self { shape: shape.to_vec(), data: data.into_iter().collect() }
    }

    fn energies(e: &Energies) -> Self {
        Self::list([e.kinetic, e.stretch, e.bend, e.twist, e.gravity, e.joints])
    }
}

fn wrench_numbers(wrench: &Wrench) -> [f64; 6] {
    let ([fx, fy, fz], [tx, ty, tz]) = (wrench.force.to_array(), wrench.torque.to_array());
    [fx, fy, fz, tx, ty, tz]
}
