//! Collide: where a contact is at the end of the step.
//!
//! A contact is a feature of each side: a node, a place inside an edge, a shape. At the end of the step it is measured
//! anew on the same features, and on the next edge where it has slid past a node:
//!
//! | found at the start | measured at the end |
//! |---|---|
//! | node and shape | that node against the shape |
//! | inside an edge, and shape | the edge against the shape |
//! | node and edge | the node against the edge or the ones next to it, whichever is nearest |
//! | inside two edges | where the two are nearest |
//! | rim of a flat edge, and shape | as a node or an edge, with the rim where the section turns |
//! | box of a flat edge | the point of the manifold that is nearest on the first side |
//! | two bodies | not measured: the linearization stands |

use super::{Contact, Side, is_flat};
use crate::step::check::EndOfStep;
use crate::step::constrain::Linearization;
use glam::{DQuat, DVec3};
use ropewalk_geometry::segment::{closest_parameter, closest_parameters, segment_normal};
use ropewalk_geometry::{
    Collider, Edge, FlatEdge, ManifoldPoint, ManifoldPoints, Shape, edge_collider, manifold,
};
use ropewalk_linalg::Pose;

/// A side of a contact as a solid.
struct Solid {
    collider: Collider,
    pose: Pose,
    /// Half of its least thickness, m.
    size: f64,
    /// Along z, of an edge, m.
    length: f64,
}

/// A contact at the end of the step.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct AtEnd {
    pub(in crate::step) sides: [Side; 2],
    /// Unit normal from the second side to the first.
    pub(in crate::step) normal: DVec3,
    /// m.
    pub(in crate::step) gap: f64,
}

impl EndOfStep<'_> {
    /// Measures `contact`, whose rows are `now`, where its sides are at the end of the step; `None` if it has gone.
    pub(in crate::step) fn contact(&self, contact: &Contact, now: &Linearization) -> Option<AtEnd> {
        match now.sides {
            [
                Side::Edge { rod: ra, edge: ea, fraction: s },
                Side::Edge { rod: rb, edge: eb, fraction: t },
            ] => {
                if is_flat(self.model, (ra, ea)) || is_flat(self.model, (rb, eb)) {
                    return self.boxes(contact, now);
                }
                Some(if is_node(s) {
                    self.node_on_rod((ra, ea, s), (rb, eb))
                } else if is_node(t) {
                    self.node_on_rod((rb, eb, t), (ra, ea)).swapped()
                } else {
                    self.edge_on_edge((ra, ea), (rb, eb))
                })
            }
            [Side::Edge { rod, edge, fraction }, link @ Side::Link { .. }] => {
                let capsule = match contact.rim {
                    Some(rim) => self.rim(rod, edge, rim),
                    None if is_flat(self.model, (rod, edge)) => return self.boxes(contact, now),
                    None => self.capsule(rod, edge),
                };
                self.edge_on_shape((rod, edge, fraction), capsule, link, now.normal)
            }
            // Bodies turn little in a step, and which points of a manifold belong together is not clear.
            _ => None,
        }
    }

    /// The manifold of two solids at the end of the step: its point nearest to where the contact was on the first.
    fn boxes(&self, contact: &Contact, now: &Linearization) -> Option<AtEnd> {
        let from = self.solid(&contact.sides[0], false)?;
        let [first, second] = [self.solid(&now.sides[0], true)?, self.solid(&now.sides[1], true)?];
        let place = from.pose.local_point(contact.point);
        let mut found = ManifoldPoints::default();
        let size = first.size.min(second.size);
        let reach = contact.gap.abs() + 2.0 * size;
        manifold(&first.collider, &first.pose, &second.collider, &second.pose, reach, &mut found).ok()?;
        let away = |p: &ManifoldPoint| {
            first.pose.local_point(p.point).distance(place) / size + (p.normal - now.normal).length()
        };
        let nearest = found.points().iter().min_by(|a, b| away(a).total_cmp(&away(b)))?;
        let side = |solid: &Solid, side: Side| match side {
            Side::Edge { rod, edge, .. } => {
                let along = solid.pose.local_point(nearest.point).z / solid.length;
                Side::Edge { rod, edge, fraction: (0.5 + along).clamp(0.0, 1.0) }
            }
            link => link,
        };
        let sides = [side(&first, now.sides[0]), side(&second, now.sides[1])];
        Some(AtEnd { sides, normal: nearest.normal, gap: nearest.gap })
    }

    /// A side as a solid at the start or at the end of the step. Along z, if it is an edge.
    fn solid(&self, side: &Side, at_end: bool) -> Option<Solid> {
        match *side {
            Side::Link { tree, link, shape } => {
                let (tree, link) = (tree as usize, link as usize);
                let body = &self.model.trees[tree].shapes[shape as usize];
                let motion = &self.trees[tree].motion;
                let pose = if at_end { motion.end_pose(link) } else { motion.start.poses[link] };
                let size = body.half_thickness();
                Some(Solid { collider: body.collider.clone(), pose: pose * body.pose, size, length: 1.0 })
            }
            Side::Edge { rod, edge, .. } => {
                let (r, e) = (rod as usize, edge as usize);
                let moving = self.moving(r, e);
                let [a, b] = if at_end { moving.end } else { moving.start };
                let [w, h] = self.model.rods[r].half_extents()[e];
                let (size, length) = (self.radius(r, e), a.distance(b));
                if !is_flat(self.model, (rod, edge)) {
                    let shape = Shape::Capsule { radius: size, length };
                    let turn = DQuat::from_rotation_arc(DVec3::Z, (b - a).try_normalize()?);
                    let pose = Pose::new(0.5 * (a + b), turn);
                    return Some(Solid { collider: Collider::new(&shape).ok()?, pose, size, length });
                }
                let m1 = if at_end {
                    self.end_directors(r, e)[0]
                } else {
                    self.state.rods[r].material_frame(&self.model.rods[r], e)[0]
                };
                let flat = FlatEdge::new(a, b, m1, 2.0 * w, 2.0 * h).ok()?;
                Some(Solid { collider: flat.collider().clone(), pose: *flat.pose(), size, length })
            }
        }
    }

    /// An edge of round section.
    fn capsule(&self, rod: u32, edge: u32) -> Edge {
        let (r, e) = (rod as usize, edge as usize);
        let [a, b] = self.moving(r, e).end;
        Edge { a, b, radius: self.radius(r, e) }
    }

    /// A rim of an edge of flat section.
    fn rim(&self, rod: u32, edge: u32, rim: f64) -> Edge {
        let (r, e) = (rod as usize, edge as usize);
        let [a, b] = self.moving(r, e).end;
        let [w, h] = self.model.rods[r].half_extents()[e];
        let across = rim * self.end_directors(r, e)[usize::from(h > w)];
        Edge { a: a + across, b: b + across, radius: self.radius(r, e) }
    }

    /// The material directors of an edge at the end of the step: carried along with the edge, and turned about it.
    fn end_directors(&self, rod: usize, edge: usize) -> [DVec3; 2] {
        let [m1, m2, from] = self.state.rods[rod].material_frame(&self.model.rods[rod], edge);
        let [x, y] = self.moving(rod, edge).end;
        let to = (y - x).try_normalize().unwrap_or(from);
        let spin = self.rods[rod].motion.v[edge][3] * self.weights.dt;
        let turn = DQuat::from_axis_angle(to, spin) * DQuat::from_rotation_arc(from, to);
        [turn * m1, turn * m2]
    }

    /// The edges of a rod next to `edge`, and itself.
    fn neighborhood(&self, rod: u32, edge: u32) -> impl Iterator<Item = u32> {
        let shape = &self.model.rods[rod as usize];
        let (n, closed) = (shape.edge_count() as u32, shape.closed());
        let before = if edge > 0 { Some(edge - 1) } else { closed.then_some(n - 1) };
        let after = if edge + 1 < n { Some(edge + 1) } else { closed.then_some(0) };
        [Some(edge), before, after].into_iter().flatten()
    }

    /// A node, given as the end of an edge, against the edge of another rod that is nearest to it.
    fn node_on_rod(&self, (ra, ea, s): (u32, u32, f64), (rb, eb): (u32, u32)) -> AtEnd {
        let node = self.moving(ra as usize, ea as usize).end[usize::from(s > 0.5)];
        let place = |edge: u32| {
            let [a, b] = self.moving(rb as usize, edge as usize).end;
            let t = closest_parameter(a, b, node);
            (edge, [a, b], t, node - a.lerp(b, t))
        };
        let near = self.neighborhood(rb, eb).map(place);
        let nearest = near.min_by(|x, y| x.3.length_squared().total_cmp(&y.3.length_squared()));
        let (edge, other, t, apart) = nearest.unwrap_or_else(|| place(eb));
        let own = self.moving(ra as usize, ea as usize).end;
        let (distance, normal) = segment_normal(own, other, [s, t], apart);
        let span = self.radius(ra as usize, ea as usize) + self.radius(rb as usize, edge as usize);
        let sides =
            [Side::Edge { rod: ra, edge: ea, fraction: s }, Side::Edge { rod: rb, edge, fraction: t }];
        AtEnd { sides, normal, gap: distance - span }
    }

    /// Two edges where they are nearest.
    fn edge_on_edge(&self, (ra, ea): (u32, u32), (rb, eb): (u32, u32)) -> AtEnd {
        let (a, b) = (self.moving(ra as usize, ea as usize).end, self.moving(rb as usize, eb as usize).end);
        let (s, t) = closest_parameters(a[0], a[1], b[0], b[1]);
        let apart = a[0].lerp(a[1], s) - b[0].lerp(b[1], t);
        let (distance, normal) = segment_normal(a, b, [s, t], apart);
        let span = self.radius(ra as usize, ea as usize) + self.radius(rb as usize, eb as usize);
        let sides =
            [Side::Edge { rod: ra, edge: ea, fraction: s }, Side::Edge { rod: rb, edge: eb, fraction: t }];
        AtEnd { sides, normal, gap: distance - span }
    }

    /// A node, or an edge, against a shape. A mesh has a point on each triangle that is near: the same contact has
    /// nearly the same normal.
    fn edge_on_shape(
        &self,
        (rod, edge, s): (u32, u32, f64),
        mut capsule: Edge,
        link: Side,
        normal: DVec3,
    ) -> Option<AtEnd> {
        let Side::Link { tree, link: l, shape } = link else { return None };
        let body = &self.model.trees[tree as usize].shapes[shape as usize];
        let pose = self.trees[tree as usize].motion.end_pose(l as usize) * body.pose;
        if is_node(s) {
            let node = if s > 0.5 { capsule.b } else { capsule.a };
            (capsule.a, capsule.b) = (node, node);
        }
        // Beyond that it has gone.
        let reach = 2.0 * capsule.radius + self.moving(rod as usize, edge as usize).travel();
        let mut nearest: Option<(f64, AtEnd)> = None;
        edge_collider(&capsule, &body.collider, &pose, reach, |_, found| {
            for point in [&found.closest].into_iter().chain(found.points()) {
                let fraction = if is_node(s) { s } else { point.s };
                let away = (fraction - s).abs() + (point.normal - normal).length();
                if nearest.is_none_or(|(least, _)| away < least) {
                    let sides = [Side::Edge { rod, edge, fraction }, link];
                    nearest = Some((away, AtEnd { sides, normal: point.normal, gap: point.gap }));
                }
            }
        });
        nearest.map(|(_, found)| found)
    }
}

impl AtEnd {
    fn swapped(self) -> Self {
        let [a, b] = self.sides;
        Self { sides: [b, a], normal: -self.normal, ..self }
    }
}

/// Whether a place on an edge is one of its nodes.
fn is_node(fraction: f64) -> bool {
    fraction <= 0.0 || fraction >= 1.0
}
