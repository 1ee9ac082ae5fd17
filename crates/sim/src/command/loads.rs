//! Forces and torques, natural shapes, gravity, attachments.

use super::motion::finite;
use crate::command::{CommandError, LinkLoad};
use crate::model::{Attachment, AttachmentKind, AttachmentState, Command, End};
use crate::world::World;
use glam::DVec3;
use ropewalk_rod::NaturalShape;
use std::sync::Arc;

/// Which places of a rod forces act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Places {
    Nodes,
    Edges,
    Torques,
}

impl World {
    /// Sets gravity in m/s²; that of the scene again if `None`.
    pub fn set_gravity(&mut self, gravity: Option<DVec3>) -> Result<(), CommandError> {
        finite(|| "gravity".to_owned(), "gravity", &gravity.unwrap_or_default().to_array())?;
        self.state_mut().commands.gravity = gravity;
        Ok(())
    }

    /// Sets the forces on all nodes of rod `r` in N, on top of the loads of the scene; none if the list is empty.
    pub fn set_node_forces(&mut self, r: usize, forces: &[DVec3]) -> Result<(), CommandError> {
        self.set_rod_loads(r, Places::Nodes, forces)
    }

    /// Sets the forces on all edges of rod `r` in N, half on either node; none if the list is empty.
    pub fn set_edge_forces(&mut self, r: usize, forces: &[DVec3]) -> Result<(), CommandError> {
        self.set_rod_loads(r, Places::Edges, forces)
    }

    /// Sets the torques on all edges of rod `r` in N·m, world axes; none if the list is empty. What is across an edge acts as a
    /// couple of forces on its nodes.
    pub fn set_edge_torques(&mut self, r: usize, torques: &[DVec3]) -> Result<(), CommandError> {
        self.set_rod_loads(r, Places::Torques, torques)
    }

    /// Sets the force on one node of rod `r` in N.
    pub fn set_node_force(&mut self, r: usize, node: usize, force: DVec3) -> Result<(), CommandError> {
        self.set_rod_load(r, Places::Nodes, node, force)
    }

    /// Sets the force on one edge of rod `r` in N.
    pub fn set_edge_force(&mut self, r: usize, edge: usize, force: DVec3) -> Result<(), CommandError> {
        self.set_rod_load(r, Places::Edges, edge, force)
    }

    /// Sets the torque on one edge of rod `r` in N·m, world axes.
    pub fn set_edge_torque(&mut self, r: usize, edge: usize, torque: DVec3) -> Result<(), CommandError> {
        self.set_rod_load(r, Places::Torques, edge, torque)
    }

    fn rod_name(&self, r: usize) -> String {
        format!("rod '{}'", self.model().rod_names.get(r).map_or("", String::as_str))
    }

    fn rod_places(&self, r: usize, places: Places) -> (&'static str, usize) {
        let rod = &self.model().rods[r];
        match places {
            Places::Nodes => ("forces on nodes", rod.node_count()),
            Places::Edges => ("forces on edges", rod.edge_count()),
            Places::Torques => ("torques on edges", rod.edge_count()),
        }
    }

    fn rod_loads(&mut self, r: usize, places: Places) -> &mut Vec<DVec3> {
        let command = &mut self.state_mut().commands.rods[r];
        match places {
            Places::Nodes => &mut command.forces,
            Places::Edges => &mut command.edge_forces,
            Places::Torques => &mut command.torques,
        }
    }

    fn set_rod_loads(&mut self, r: usize, places: Places, loads: &[DVec3]) -> Result<(), CommandError> {
        let (what, expected) = self.rod_places(r, places);
        let thing = || self.rod_name(r);
        if !loads.is_empty() && loads.len() != expected {
            return Err(CommandError::Count { thing: thing(), what, found: loads.len(), expected });
        }
        loads.iter().try_for_each(|load| finite(thing, what, &load.to_array()))?;
        let place = self.rod_loads(r, places);
        place.clear();
        if loads.iter().any(|load| *load != DVec3::ZERO) {
            place.extend_from_slice(loads);
        }
        Ok(())
    }

    fn set_rod_load(
        &mut self,
        r: usize,
        places: Places,
        index: usize,
        load: DVec3,
    ) -> Result<(), CommandError> {
        let (what, count) = self.rod_places(r, places);
        let thing = || self.rod_name(r);
        if index >= count {
            let what = if places == Places::Nodes { "node" } else { "edge" };
            return Err(CommandError::NoSuch { thing: thing(), what, index, last: count as isize - 1 });
        }
        finite(thing, what, &load.to_array())?;
        let place = self.rod_loads(r, places);
        if place.is_empty() {
            place.resize(count, DVec3::ZERO);
        }
        place[index] = load;
        if place.iter().all(|load| *load == DVec3::ZERO) {
            place.clear();
        }
        Ok(())
    }

    /// Sets force (N) and torque (N·m), world axes, on a link. The force acts at `point` of the link's frame, at its center of
    /// mass if that is not given.
    pub fn set_link_load(
        &mut self,
        (tree, link): (usize, usize),
        force: DVec3,
        torque: DVec3,
        point: Option<DVec3>,
    ) -> Result<(), CommandError> {
        let thing = || self.model().link_name(tree, link);
        finite(thing, "force", &force.to_array())?;
        finite(thing, "torque", &torque.to_array())?;
        finite(thing, "point", &point.unwrap_or_default().to_array())?;
        let point = point.unwrap_or_else(|| self.model().trees[tree].tree.links()[link].inertia.com);
        let loads = &mut self.state_mut().commands.links;
        loads.retain(|load| (load.tree, load.link) != (tree, link));
        if force != DVec3::ZERO || torque != DVec3::ZERO {
            loads.push(LinkLoad { tree, link, force, torque, point });
            // In one order, however they were set, since sums of efforts round.
            loads.sort_unstable_by_key(|load| (load.tree, load.link));
        }
        Ok(())
    }

    /// Sets the natural curvature towards m₁ and m₂ (1/m) and the natural twist (rad/m) of rod `r`: one number for the whole rod,
    /// or one for each inner node (each node of a closed rod).
    pub fn set_natural_shape(
        &mut self,
        r: usize,
        curvature1: &[f64],
        curvature2: &[f64],
        twist: &[f64],
    ) -> Result<(), CommandError> {
        let thing = || self.rod_name(r);
        let rod = &self.model().rods[r];
        let count = rod.stencils().len();
        let mut shape = NaturalShape::straight(rod.node_count());
        let lists = [
            ("natural curvature 1", curvature1, &mut shape.kappa1),
            ("natural curvature 2", curvature2, &mut shape.kappa2),
            ("natural twist", twist, &mut shape.tau),
        ];
        for (what, given, out) in lists {
            if given.len() != 1 && given.len() != count {
                return Err(CommandError::Count {
                    thing: thing(),
                    what,
                    found: given.len(),
                    expected: count,
                });
            }
            finite(thing, what, given)?;
            for (s, j) in rod.stencils().enumerate() {
                out[j] = given[if given.len() == 1 { 0 } else { s }] * rod.voronoi_lengths()[j];
            }
        }
        self.command_natural(r, Some(shape));
        Ok(())
    }

    /// Gives the natural shape of rod `r` back to the scene.
    pub fn clear_natural_shape(&mut self, r: usize) {
        self.command_natural(r, None);
    }

    fn command_natural(&mut self, r: usize, shape: Option<NaturalShape>) {
        let driven = self.model().shape_drives.iter().any(|drive| drive.rod == r);
        let state = self.state_mut();
        let command = &mut state.commands.rods[r].natural;
        *command = match (shape, command.take()) {
            (Some(shape), Some([_, scene])) => Some([shape, scene]),
            (Some(shape), None) => Some([shape, state.rods[r].natural.clone()]),
            // Drives set it in every step; without them the next step brings it back, and counts the work.
            (None, Some(_)) if driven => None,
            (None, Some([_, scene])) => Some([scene.clone(), scene]),
            (None, None) => None,
        };
    }

    /// Makes an attachment that the scene does not have, which holds from the next step on as its ends are then. Returns its
    /// number. One that was made and released before gives its place.
    pub fn attach(
        &mut self,
        name: &str,
        ends: [End; 2],
        kind: AttachmentKind,
    ) -> Result<usize, CommandError> {
        let thing = || format!("attachment '{name}'");
        for end in &ends {
            self.check_end(thing, end)?;
        }
        if let AttachmentKind::Bushing(_) = kind {
            // Saved runs keep no springs of attachments that were made.
            let why = "bushings cannot be made while a world runs".to_owned();
            return Err(CommandError::Unfit { thing: thing(), why, remedy: "put it into the scene" });
        }
        let made = Attachment {
            name: name.to_owned(),
            ends,
            kind,
            begin_time: f64::INFINITY,
            release_time: f64::INFINITY,
        };
        let scene = self.model().attachments.len() - self.state().commands.made.len();
        let taken = |a: usize| self.state().attachments[a].command != Command::Release;
        let all = &self.model().attachments;
        if let Some(a) = (0..all.len()).find(|&a| all[a].name == name && (a < scene || taken(a))) {
            let why = match a < scene {
                true => "the scene has an attachment of that name",
                false => "it was made already",
            };
            let remedy = "release that one, or give another name";
            return Err(CommandError::Unfit { thing: thing(), why: why.to_owned(), remedy });
        }
        let free = (scene..all.len()).find(|&a| all[a].name == name || !taken(a));
        let place = free.unwrap_or(all.len());
        let state = self.state_mut();
        let fresh = AttachmentState { command: Command::Hold, ..AttachmentState::default() };
        match state.commands.made.get_mut(place - scene) {
            Some(old) => {
                *old = made;
                state.attachments[place] = fresh;
            }
            None => {
                state.commands.made.push(made);
                state.attachments.push(fresh);
            }
        }
        self.take_made_attachments();
        Ok(place)
    }

    fn check_end(&self, thing: impl Fn() -> String, end: &End) -> Result<(), CommandError> {
        let missing = |what, index: usize, count: usize| {
            let (thing, last) = (thing(), count as isize - 1);
            if index < count { Ok(()) } else { Err(CommandError::NoSuch { thing, what, index, last }) }
        };
        let model = self.model();
        match *end {
            End::World { point } => finite(&thing, "point", &point.unwrap_or_default().to_array()),
            End::Link { tree, link, point } => {
                missing("body or robot", tree, model.trees.len())?;
                missing("link", link, model.trees[tree].tree.links().len())?;
                finite(&thing, "point", &point.unwrap_or_default().to_array())
            }
            End::Rod { rod, edge, fraction } => {
                missing("rod", rod, model.rods.len())?;
                missing("edge", edge, model.rods[rod].edge_count())?;
                match (0.0..=1.0).contains(&fraction) {
                    true => Ok(()),
                    false => Err(CommandError::Range {
                        thing: thing(),
                        what: "place on the edge",
                        number: fraction,
                        expected: "a number from 0 to 1",
                    }),
                }
            }
        }
    }

    /// Brings the model's attachments in line with those that the state says were made.
    pub(crate) fn take_made_attachments(&mut self) {
        let made = &self.state().commands.made;
        let scene = self.scene_attachment_count();
        if self.model().attachments[scene..] == made[..] {
            return;
        }
        let made = made.clone();
        let model = Arc::make_mut(self.model_mut());
        model.attachments.truncate(scene);
        model.attachments.extend(made);
        let count = model.attachments.len();
        self.workspace_mut().fit_attachments(count);
    }

    /// Holds attachment `a` from the next step on, whatever its times say.
    pub fn hold_attachment(&mut self, a: usize) {
        self.state_mut().attachments[a].command = Command::Hold;
    }

    /// Lets go of attachment `a` from the next step on, whatever its times say.
    pub fn release_attachment(&mut self, a: usize) {
        self.state_mut().attachments[a].command = Command::Release;
    }
}
