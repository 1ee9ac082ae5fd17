//! Where rods and bodies are: at the start of the step, or where the motion found leads. The narrow phase is the same
//! for both.

use super::{Feature, edges_can_meet, flat_section, has_next, is_flat, radius, thickness};
use crate::model::{Model, State};
use crate::step::check::EndOfStep;
use glam::{DQuat, DVec3};
use ropewalk_geometry::{Collider, Edge, FlatEdge, RodEdge, Shape};
use ropewalk_linalg::Pose;

/// A configuration of the world.
#[derive(Clone, Copy)]
pub(in crate::step) enum Placement<'a> {
    /// At the start of the step.
    Start { model: &'a Model, state: &'a State },
    /// At its end.
    End(&'a EndOfStep<'a>),
}

impl<'a> Placement<'a> {
    pub(in crate::step) fn model(&self) -> &'a Model {
        match *self {
            Self::Start { model, .. } => model,
            Self::End(end) => end.model,
        }
    }

    /// The state at the start of the step.
    pub(in crate::step) fn state(&self) -> &'a State {
        match *self {
            Self::Start { state, .. } => state,
            Self::End(end) => end.state,
        }
    }

    /// Position of a node, m.
    pub(in crate::step) fn node(&self, rod: u32, node: usize) -> DVec3 {
        let rod = rod as usize;
        match *self {
            Self::Start { state, .. } => state.rods[rod].position(node),
            Self::End(end) => end.state.rods[rod].position(node) + end.displacement(rod, node),
        }
    }

    /// The nodes of an edge, m.
    pub(in crate::step) fn ends(&self, (rod, edge): (u32, u32)) -> [DVec3; 2] {
        let far = self.model().rods[rod as usize].edge_end(edge as usize);
        [self.node(rod, edge as usize), self.node(rod, far)]
    }

    /// From the first node of an edge to the second, m.
    pub(in crate::step) fn span(&self, edge: (u32, u32)) -> DVec3 {
        let [a, b] = self.ends(edge);
        b - a
    }

    /// The material directors of an edge. At the end of the step they have been carried along with the edge, and turned
    /// about it.
    pub(in crate::step) fn directors(&self, (rod, edge): (u32, u32)) -> [DVec3; 2] {
        let (r, e) = (rod as usize, edge as usize);
        match *self {
            Self::Start { model, state } => {
                let [m1, m2, _] = state.rods[r].material_frame(&model.rods[r], e);
                [m1, m2]
            }
            Self::End(end) => {
                let [m1, m2, from] = end.state.rods[r].material_frame(&end.model.rods[r], e);
                let to = self.span((rod, edge)).try_normalize().unwrap_or(from);
                let turn = DQuat::from_axis_angle(to, end.spin(r, e)) * DQuat::from_rotation_arc(from, to);
                [turn * m1, turn * m2]
            }
        }
    }

    /// The pose of a shape of a tree. At the start of the step the caller has it.
    pub(in crate::step) fn shape_pose(&self, (tree, shape): (u32, u32), at_start: &Pose) -> Pose {
        match *self {
            Self::Start { .. } => *at_start,
            Self::End(end) => {
                let body = &end.model.trees[tree as usize].shapes[shape as usize];
                end.trees[tree as usize].motion.end_pose(body.link) * body.pose
            }
        }
    }

    /// The axis of an edge with the radius of its section, and where its rod goes on.
    pub(in crate::step) fn rod_edge(&self, (rod, edge): (u32, u32)) -> RodEdge {
        let model = self.model();
        let shape = &model.rods[rod as usize];
        let (e, n) = (edge as usize, shape.edge_count());
        let [a, b] = self.ends((rod, edge));
        RodEdge {
            edge: Edge { a, b, radius: radius(model, rod, edge) },
            before: (shape.closed() || e > 0).then(|| self.node(rod, (e + n - 1) % n)),
            has_next: has_next(model, (rod, edge)),
        }
    }

    /// The same for contacts with the edge `other`: of one and the same rod it goes on only as far as it can meet that edge.
    pub(in crate::step) fn rod_edge_near(&self, (rod, edge): (u32, u32), other: (u32, u32)) -> RodEdge {
        let mut out = self.rod_edge((rod, edge));
        if rod == other.0 {
            let (model, n) = (self.model(), self.model().rods[rod as usize].edge_count() as u32);
            out.has_next &= edges_can_meet(model, (rod, (edge + 1) % n), other);
            out.before = out.before.filter(|_| edges_can_meet(model, (rod, (edge + n - 1) % n), other));
        }
        out
    }

    /// The line of an edge that touches with `feature`; none of a face.
    pub(in crate::step) fn line(&self, edge: (u32, u32), feature: Feature) -> Option<Edge> {
        Some(match feature {
            Feature::Axis => self.rod_edge(edge).edge,
            Feature::Corner(corner) => flat_section::corner_line(self, edge, corner),
            Feature::Rim(rim) => flat_section::rim_line(self, edge, rim),
            Feature::Across(end) => flat_section::across_line(self, edge, end),
            Feature::Face => return None,
        })
    }

    /// The box of an edge of flat section; `None` for one that has shrunk to nothing.
    pub(in crate::step) fn flat_edge(&self, edge: (u32, u32)) -> Option<FlatEdge> {
        self.extended_flat_edge(edge, 0.0)
    }

    /// The same, longer by `extension` (m) where the rod goes on.
    fn extended_flat_edge(&self, (rod, edge): (u32, u32), extension: f64) -> Option<FlatEdge> {
        let model = self.model();
        let shape = &model.rods[rod as usize];
        let [w, h] = shape.half_extents()[edge as usize];
        let [a, b] = self.ends((rod, edge));
        let along = extension * (b - a).try_normalize()?;
        let from = if shape.closed() || edge > 0 { a - along } else { a };
        let to = if has_next(model, (rod, edge)) { b + along } else { b };
        FlatEdge::new(from, to, self.directors((rod, edge))[0], 2.0 * w, 2.0 * h).ok()
    }

    /// An edge as a solid along z: a capsule, or a box. Where the rod goes on, a box is longer by its thickness, so that what
    /// is near the node is nearest to a side and not to an end face, which is none of the rod's; whether a contact belongs
    /// to this edge or to the next one is for [`RodEdge::is_nearest_along_rod`] to say.
    pub(in crate::step) fn solid(&self, edge: (u32, u32)) -> Option<(Collider, Pose)> {
        if is_flat(self.model(), edge) {
            let flat = self.extended_flat_edge(edge, 2.0 * thickness(self.model(), edge))?;
            return Some((flat.collider().clone(), *flat.pose()));
        }
        let [a, b] = self.ends(edge);
        let shape = Shape::Capsule { radius: radius(self.model(), edge.0, edge.1), length: a.distance(b) };
        let turn = DQuat::from_rotation_arc(DVec3::Z, (b - a).try_normalize()?);
        Some((Collider::new(&shape).ok()?, Pose::new(0.5 * (a + b), turn)))
    }
}
