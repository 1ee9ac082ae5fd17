//! Builds rods from cables of MJCF files.

use super::Builder;
use super::contact::surface;
use crate::error::SceneError;
use crate::mjcf::{CableHold, MjcfCable};
use crate::urdf::RobotDescription;
use ropewalk_rod::{Material, RestShape, RodBuilder, Section};
use ropewalk_sim::{Attachment, AttachmentKind, End, Model, State, measure};

impl Builder<'_> {
    /// Adds the cables of the robot called `name`, whose tree is the last, as rods `NAME.CABLE`, with attachments of
    /// the same name.
    pub(super) fn cables(
        &self,
        name: &str,
        robot: &RobotDescription,
        model: &mut Model,
        state: &mut State,
    ) -> Result<(), SceneError> {
        let tree = model.trees.len() - 1;
        for cable in &robot.drives.cables {
            let MjcfCable { link, radius, moduli: [youngs, shear], density, .. } = *cable;
            let pose = measure::tree_kinematics(model, state, tree).poses[link];
            let nodes = cable.nodes.iter().map(|p| pose.point(*p)).collect();
            let material = Material::from_moduli(youngs, shear, density);
            let builder = RodBuilder {
                rest: if cable.straight { RestShape::Straight } else { RestShape::AsGiven },
                ..RodBuilder::new(nodes, Section::Circle { radius }, material)
            };
            let (rod, rod_state) = builder
                .build()
                .map_err(|e| self.error(&["robot", name, "mjcf"], &format!("cable `{}`: {e}", cable.name)))?;
            let cable_name = format!("{name}.{}", cable.name);
            let (index, last) = (model.rods.len(), rod.edge_count() - 1);
            let clamped = (cable.hold == CableHold::Clamp).then_some((AttachmentKind::Clamp, 0, 0.5));
            let turning = (cable.hold == CableHold::Ball).then_some(0);
            let pinned = cable.pins.iter().copied().chain(turning).map(|node| {
                let edge = node.min(last);
                (AttachmentKind::Point, edge, if node > edge { 1.0 } else { 0.0 })
            });
            for (k, (kind, edge, fraction)) in clamped.into_iter().chain(pinned).enumerate() {
                model.attachments.push(Attachment {
                    name: if k == 0 { cable_name.clone() } else { format!("{cable_name}_{k}") },
                    ends: [End::Rod { rod: index, edge, fraction }, End::Link { tree, link, point: None }],
                    kind,
                    begin_time: 0.0,
                    release_time: f64::INFINITY,
                });
            }
            model.rod_names.push(cable_name);
            model.rods.push(rod);
            model.rod_surfaces.push(surface(Some(cable.friction), None, None));
            state.rods.push(rod_state);
        }
        Ok(())
    }
}
