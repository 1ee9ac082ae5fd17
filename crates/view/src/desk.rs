//! Applies commands of a page to a running simulation.
//!
//! The pointer is a body of three sliding joints without shape or weight. Position actuators pull it towards the
//! mouse, with a stiffness and a greatest effort; an attachment connects it to the grabbed thing. All three are
//! ordinary parts of the model, so the pull is solved together with contact and cannot drag a rope through a peg:
//! where the peg resists, the actuators reach their limit and the pointer stays behind the mouse.

use crate::command::{Command, Thing};
use glam::{DMat3, DVec3};
use ropewalk_body::{Inertia, Joint, JointKind, Link, Tree};
use ropewalk_linalg::Pose;
use ropewalk_scene::Scene;
use ropewalk_sim::model::{BaseMotion, Command as Hold};
use ropewalk_sim::{
    Actuator, ActuatorKind, ActuatorState, Attachment, AttachmentKind, End, Model, State, Surface,
    TimeFunction, TreeModel, measure,
};

/// The greatest pull along each axis, as a multiple of the weight (under 9.81 m/s²) of the grabbed thing.
const PULL: f64 = 20.0;
/// Lag of the pointer behind the mouse at the greatest pull, relative to the size of the scene.
const LAG: f64 = 0.25;
/// Mass of the pointer relative to that of the lightest thing, small enough to be negligible.
const MASS: f64 = 0.01;
/// Damping ratio of the pull.
const DAMPING: f64 = 0.7;

/// Indices of the pointer in the model, and the original values of the scene.
#[derive(Clone, Debug)]
pub struct Desk {
    tree: usize,
    attachment: usize,
    /// The first of three.
    actuator: usize,
    /// Size of the scene in m.
    extent: f64,
    surfaces: Surfaces,
}

/// All coefficients of friction of a model.
#[derive(Clone, Debug, Default)]
struct Surfaces {
    rods: Vec<Surface>,
    edges: Vec<f64>,
    pairs: Vec<f64>,
    shapes: Vec<Vec<f64>>,
}

impl Desk {
    /// Adds the pointer to `scene`.
    pub fn install(scene: &mut Scene) -> Result<Self, String> {
        let (model, state) = (&mut scene.model, &mut scene.state);
        let extent = extent_of(model, state);
        let masses = (0..model.rods.len()).map(|r| rod_mass(model, r));
        let masses = masses.chain(model.trees.iter().map(tree_mass)).filter(|&m| m > 0.0);
        let mass = MASS * masses.reduce(f64::min).unwrap_or(1.0);
        let tree = Tree::new(pointer_links(mass, extent)).map_err(|error| error.to_string())?;
        let desk = Self {
            tree: model.trees.len(),
            attachment: model.attachments.len(),
            actuator: model.actuators.len(),
            extent,
            surfaces: Surfaces::of(model),
        };
        model.trees.push(TreeModel {
            name: "pointer".to_owned(),
            tree,
            base: BaseMotion::Fixed(Pose::IDENTITY),
            heavy: false,
            shapes: Vec::new(),
        });
        let end = End::Link { tree: desk.tree, link: 2, point: Some(DVec3::ZERO) };
        model.attachments.push(Attachment {
            name: "pointer".to_owned(),
            ends: [End::World { point: None }, end],
            kind: AttachmentKind::Point,
            begin_time: f64::INFINITY,
            release_time: f64::INFINITY,
        });
        for (link, axis) in ["x", "y", "z"].into_iter().enumerate() {
            model.actuators.push(Actuator {
                name: format!("pointer {axis}"),
                tree: desk.tree,
                link,
                dof: 0,
                // Without a pull it rests.
                kind: ActuatorKind::Velocity { velocity_gain: mass, target: TimeFunction::Constant(0.0) },
                effort_limit: f64::INFINITY,
            });
        }
        state.complete(model);
        Ok(desk)
    }

    /// Applies `command` to a run of the scene.
    pub fn apply(&self, model: &mut Model, state: &mut State, command: &Command) -> Result<(), String> {
        match *command {
            Command::Friction { scale } => self.surfaces.scale(model, scale),
            Command::Gravity { gravity } => model.gravity = gravity.into(),
            Command::Target { actuator, value } => {
                if actuator >= self.actuator {
                    return Err(format!("there is no actuator {actuator}: the scene has {}", self.actuator));
                }
                state.actuators[actuator].target = value;
                state.actuators[actuator].target_velocity = 0.0;
            }
            Command::Grab { thing, point } => self.grab(model, state, thing, point.into())?,
            Command::Drag { point } => self.set_target(state, point.into()),
            Command::LetGo => self.let_go(model, state),
            Command::Pause
            | Command::Resume
            | Command::Step { .. }
            | Command::Reset
            | Command::Speed { .. } => {}
        }
        Ok(())
    }

    fn grab(&self, model: &mut Model, state: &mut State, thing: Thing, mouse: DVec3) -> Result<(), String> {
        let (end, point, mass) = match thing {
            Thing::Rod { rod, edge, fraction } => {
                let shape = model.rods.get(rod).filter(|shape| edge < shape.edge_count());
                let shape = shape.ok_or_else(|| format!("there is no edge {edge} of a rod {rod}"))?;
                let at = state.rods[rod].position(edge) + fraction * state.rods[rod].edge(shape, edge);
                (End::Rod { rod, edge, fraction }, at, rod_mass(model, rod))
            }
            Thing::Link { tree, link } => {
                let found =
                    model.trees.get(tree).filter(|t| tree != self.tree && link < t.tree.links().len());
                let found =
                    found.ok_or_else(|| format!("there is no link {link} of a body or robot {tree}"))?;
                if found.tree.velocity_count() == 0 {
                    return Err(format!("'{}' is fixed", found.name));
                }
                let pose = measure::tree_kinematics(model, state, tree).poses[link];
                (End::Link { tree, link, point: Some(pose.local_point(mouse)) }, mouse, tree_mass(found))
            }
        };
        let pull = PULL * 9.81 * mass;
        let stiffness = pull / (LAG * self.extent);
        for actuator in &mut model.actuators[self.actuator..self.actuator + 3] {
            actuator.kind = ActuatorKind::Position {
                position_gain: stiffness,
                velocity_gain: 2.0 * DAMPING * (stiffness * mass).sqrt(),
                target: TimeFunction::Constant(0.0),
            };
            actuator.effort_limit = pull;
        }
        model.attachments[self.attachment].ends[0] = end;
        let pointer = &mut state.trees[self.tree];
        pointer.q.copy_from_slice(&point.to_array());
        pointer.v.fill(0.0);
        state.attachments[self.attachment].grip = None;
        state.attachments[self.attachment].command = Hold::Hold;
        self.set_target(state, mouse);
        Ok(())
    }

    fn set_target(&self, state: &mut State, mouse: DVec3) {
        for (axis, x) in mouse.to_array().into_iter().enumerate() {
            state.actuators[self.actuator + axis].target = Some(x);
        }
    }

    fn let_go(&self, model: &mut Model, state: &mut State) {
        let links = model.trees[self.tree].tree.links();
        let mass = links[2].inertia.mass;
        for actuator in &mut model.actuators[self.actuator..self.actuator + 3] {
            actuator.kind =
                ActuatorKind::Velocity { velocity_gain: mass, target: TimeFunction::Constant(0.0) };
        }
        state.actuators[self.actuator..self.actuator + 3].fill(ActuatorState::default());
        state.attachments[self.attachment].command = Hold::Release;
    }
}

/// A chain of joints that slide along x, y and z, the mass at its end.
fn pointer_links(mass: f64, extent: f64) -> Vec<Link> {
    let axes = [("x", DVec3::X), ("y", DVec3::Y), ("z", DVec3::Z)];
    let links = axes.into_iter().enumerate().map(|(k, (name, axis))| Link {
        name: format!("pointer {name}"),
        parent: k.checked_sub(1),
        joint: Joint::new(format!("pointer {name}"), JointKind::Prismatic { axis }, Pose::IDENTITY),
        inertia: if k == 2 {
            // It does not rotate; a ball of some size gives a valid inertia.
            let moment = 0.4 * mass * (0.01 * extent).powi(2);
            Inertia { mass, com: DVec3::ZERO, about_com: DMat3::from_diagonal(DVec3::splat(moment)) }
        } else {
            Inertia::ZERO
        },
    });
    links.collect()
}

fn rod_mass(model: &Model, rod: usize) -> f64 {
    model.rods[rod].masses().iter().map(|m| m[0]).sum()
}

fn tree_mass(tree: &TreeModel) -> f64 {
    tree.tree.links().iter().map(|link| link.inertia.mass).sum()
}

/// Diagonal of the bounding box of all nodes and link frames, m; at least 1 cm.
fn extent_of(model: &Model, state: &State) -> f64 {
    let nodes = state.rods.iter().flat_map(|rod| rod.q.iter().map(|q| DVec3::new(q[0], q[1], q[2])));
    let links = (0..model.trees.len()).flat_map(|t| measure::tree_kinematics(model, state, t).poses);
    let points = nodes.chain(links.map(|pose| pose.position));
    let [low, high] = points.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[a, b], p| [a.min(p), b.max(p)]);
    let size = (high - low).length();
    if size.is_finite() { size.max(0.01) } else { 1.0 }
}

impl Surfaces {
    fn of(model: &Model) -> Self {
        Self {
            rods: (0..model.rods.len()).map(|r| model.rod_surface(r)).collect(),
            edges: model.edge_surfaces.iter().map(|(_, _, surface)| surface.friction).collect(),
            pairs: model.pair_surfaces.iter().map(|(_, surface)| surface.friction).collect(),
            shapes: model
                .trees
                .iter()
                .map(|t| t.shapes.iter().map(|s| s.surface.friction).collect())
                .collect(),
        }
    }

    /// Gives `model` all coefficients, times `scale`.
    fn scale(&self, model: &mut Model, scale: f64) {
        model.rod_surfaces.clone_from(&self.rods);
        model.rod_surfaces.iter_mut().for_each(|surface| surface.friction *= scale);
        for ((_, _, surface), friction) in model.edge_surfaces.iter_mut().zip(&self.edges) {
            surface.friction = scale * friction;
        }
        for ((_, surface), friction) in model.pair_surfaces.iter_mut().zip(&self.pairs) {
            surface.friction = scale * friction;
        }
        for (tree, frictions) in model.trees.iter_mut().zip(&self.shapes) {
            for (shape, friction) in tree.shapes.iter_mut().zip(frictions) {
                shape.surface.friction = scale * friction;
            }
        }
    }
}
