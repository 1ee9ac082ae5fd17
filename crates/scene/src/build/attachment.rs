//! Attachments between rods, bodies, links and the world.

use super::{Builder, LinkPlace};
use crate::document::path;
use crate::error::SceneError;
use crate::number::with_prefix;
use crate::spec::{AtSpec, AttachKindSpec, AttachSpec, BushingSpec, EndSpec, ThingSpec};
use glam::DVec3;
use ropewalk_geometry::segment::closest_parameters;
use ropewalk_rod::Rod;
use ropewalk_sim::{Attachment, AttachmentKind, Bushing, End, Model, State, measure};

/// One end, as named in the file.
struct Named<'a> {
    rod: Option<&'a String>,
    at: Option<AtSpec>,
    body: Option<&'a String>,
    robot: Option<&'a String>,
    link: Option<&'a String>,
    point: Option<[f64; 3]>,
}

impl Builder<'_> {
    /// Adds all attachments.
    pub(super) fn attachments(&mut self, model: &mut Model, state: &State) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.attach {
            let first = Named {
                rod: spec.rod.as_ref(),
                at: spec.at,
                body: spec.body.as_ref(),
                robot: spec.robot.as_ref(),
                link: spec.link.as_ref(),
                point: spec.point,
            };
            let words = ["attach", name.as_str()];
            let Some(mut one) = self.end(&words, spec.kind, &first, model)? else {
                return Err(self
                    .error(&words, "the first end is missing")
                    .expected("`rod` and `at`, or `body`, or `robot` and `link`"));
            };
            if let End::Link { point, .. } = &mut one {
                point.get_or_insert(DVec3::ZERO);
            }
            let words = ["attach", name.as_str(), "to"];
            let two = match &spec.to {
                EndSpec::Named(_) => End::World { point: None },
                EndSpec::Thing(ThingSpec { body, robot, link, rod, at, point }) => {
                    let second = Named {
                        rod: rod.as_ref(),
                        at: *at,
                        body: body.as_ref(),
                        robot: robot.as_ref(),
                        link: link.as_ref(),
                        point: *point,
                    };
                    let world = End::World { point: point.map(DVec3::from) };
                    self.end(&words, spec.kind, &second, model)?.unwrap_or(world)
                }
            };
            if same_place(&one, &two) {
                return Err(self
                    .error(&words, "both ends are the same")
                    .expected("another rod, body or link"));
            }
            let on_rod = |end: &End| matches!(end, End::Rod { .. });
            if spec.kind == AttachKindSpec::Pin && !on_rod(&one) && !on_rod(&two) {
                return Err(self
                    .error(&["attach", name, "kind"], "a pin holds a node of a rod")
                    .expected("\"ball\" or \"clamp\" between bodies"));
            }
            if spec.bushing.is_some() && spec.kind != AttachKindSpec::Bushing {
                return Err(self
                    .error(&["attach", name, "bushing"], "only a bushing has springs")
                    .expected("kind = \"bushing\", or no `bushing`"));
            }
            if spec.until.is_some_and(|until| until <= spec.from) {
                return Err(self
                    .error(&["attach", name, "until"], "it is gone before it begins")
                    .expected(format!("a time after {} s", spec.from)));
            }
            let attachment = Attachment {
                name: name.clone(),
                ends: [one, two],
                kind: match spec.kind {
                    AttachKindSpec::Pin | AttachKindSpec::Ball => AttachmentKind::Point,
                    AttachKindSpec::Clamp => AttachmentKind::Clamp,
                    AttachKindSpec::Bushing => AttachmentKind::Bushing(self.bushing(name, spec)?),
                },
                begin_time: spec.from,
                release_time: spec.until.unwrap_or(f64::INFINITY),
            };
            self.check_rods_meet(&attachment, model, state)?;
            self.warn_about_distance(&attachment, model, state);
            model.attachments.push(attachment);
        }
        // After all attachments of the file, so that those keep their order.
        for (index, (name, _)) in self.spec.attach.iter().enumerate().filter(|(_, (_, spec))| spec.copies) {
            self.attach_copies(name, index, model)?;
        }
        Ok(())
    }

    /// The springs of a bushing; their ranges are those of its keys.
    fn bushing(&self, name: &str, spec: &AttachSpec) -> Result<Bushing, SceneError> {
        let Some(given) = spec.bushing else {
            return Err(self
                .error(&["attach", name, "bushing"], "it is missing")
                .expected("the springs: bushing = { translation = N/m, bend = N·m/rad, twist = N·m/rad }"));
        };
        let rest = match given.rest {
            Some(rotation) => {
                Some(self.rotation(&path(&["attach", name, "bushing", "rest"]), Some(&rotation))?)
            }
            None => None,
        };
        let BushingSpec { translation, bend, twist, damping_time, .. } = given;
        Ok(Bushing { translation, bend, twist, damping_time, rest })
    }

    /// Attaches the copies of a rod as the rod itself.
    fn attach_copies(&self, name: &str, index: usize, model: &mut Model) -> Result<(), SceneError> {
        let first = model.attachments[index].clone();
        let End::Rod { rod: original, edge, fraction } = first.ends[0] else {
            return Err(self
                .error(&["attach", name, "copies"], "only rods have copies")
                .expected("a rod as the first end, or no `copies`"));
        };
        for (k, rod) in self.copies_of(original).enumerate() {
            let copy_name = format!("{name}_{}", k + 1);
            if self.spec.attach.contains_key(&copy_name) {
                return Err(
                    self.error(&["attach", &copy_name], "what holds a copy of another rod has this name")
                );
            }
            let [_, to] = first.ends;
            let ends = [End::Rod { rod, edge, fraction }, to];
            if same_place(&ends[0], &ends[1]) {
                return Err(self
                    .error(&["attach", name, "to"], "both ends are the same for a copy of the rod")
                    .expected("another rod, body or link"));
            }
            model.attachments.push(Attachment { name: copy_name, ends, ..first.clone() });
        }
        Ok(())
    }

    /// Rods that are clamped together from the start keep their positions, so they must meet there.
    fn check_rods_meet(
        &self,
        attachment: &Attachment,
        model: &Model,
        state: &State,
    ) -> Result<(), SceneError> {
        let (AttachmentKind::Clamp, [End::Rod { rod: a, edge: e, .. }, End::Rod { rod: b, edge: f, .. }]) =
            (attachment.kind, attachment.ends)
        else {
            return Ok(());
        };
        if attachment.begin_time > 0.0 {
            return Ok(());
        }
        let edge = |rod: usize, edge: usize| {
            let from = state.rods[rod].position(edge);
            [from, from + state.rods[rod].edge(&model.rods[rod], edge)]
        };
        let radius = |rod: usize, edge: usize| {
            let [x, y] = model.rods[rod].half_extents()[edge];
            x.max(y)
        };
        let ([p, q], [r, s]) = (edge(a, e), edge(b, f));
        let (u, v) = closest_parameters(p, q, r, s);
        let nearest = (p.lerp(q, u) - r.lerp(s, v)).length();
        let reach = 2.0 * (radius(a, e) + radius(b, f));
        if nearest <= reach {
            return Ok(());
        }
        Err(self
            .error(
                &["attach", &attachment.name, "to"],
                &format!(
                    "rods \"{}\" and \"{}\" are {} apart there: a clamp holds them as they are",
                    model.rod_names[a],
                    model.rod_names[b],
                    with_prefix(nearest, 3, "m")
                ),
            )
            .expected(format!("a distance of at most {}", with_prefix(reach, 3, "m")))
            .hint("move one of them, or pull them together by kind = \"ball\""))
    }

    /// Warns of a rod that is attached from the start to a distant body, farther away than the nearest shape of the
    /// body is long: it is allowed, but probably a mistake.
    fn warn_about_distance(&mut self, attachment: &Attachment, model: &Model, state: &State) {
        let (rod, tree) = match attachment.ends {
            [End::Rod { rod, edge, fraction }, End::Link { tree, point: None, .. }] => {
                ((rod, edge, fraction), tree)
            }
            _ => return,
        };
        if attachment.begin_time > 0.0 {
            return;
        }
        let ((rod, edge, fraction), poses) = (rod, measure::tree_kinematics(model, state, tree).poses);
        let s = &state.rods[rod];
        let point = s.position(edge) + fraction * s.edge(&model.rods[rod], edge);
        let boxes = model.trees[tree]
            .shapes
            .iter()
            .filter_map(|b| b.collider.shape().world_bounds(&(poses[b.link] * b.pose)));
        let nearest = boxes.min_by(|a, b| a.distance(point).total_cmp(&b.distance(point)));
        let Some(nearest) = nearest else { return };
        let (distance, size) = (nearest.distance(point), 2.0 * nearest.half().max_element());
        if distance > size {
            self.warnings.push(format!(
                "attachment `{}` holds its rod at a point {} away from `{}`",
                attachment.name,
                with_prefix(distance, 3, "m"),
                model.trees[tree].name
            ));
        }
    }

    /// The end that the table at `words` names; `None` if there is no such thing.
    fn end(
        &self,
        words: &[&str],
        kind: AttachKindSpec,
        named: &Named<'_>,
        model: &Model,
    ) -> Result<Option<End>, SceneError> {
        let key = |last: &'static str| [words, &[last]].concat();
        let Named { rod, at, body, robot, link, point } = *named;
        let things = [rod.is_some(), body.is_some(), robot.is_some()].iter().filter(|x| **x).count();
        if things > 1 {
            return Err(self
                .error(words, "an end is one thing")
                .expected("`rod` and `at`, or `body`, or `robot` and `link`"));
        }
        if at.is_some() != rod.is_some() {
            return Err(self.error(&key("at"), "`rod` and `at` go together").expected("both of them"));
        }
        if link.is_some() != robot.is_some() {
            return Err(self.error(&key("link"), "`robot` and `link` go together").expected("both of them"));
        }
        let point = point.map(DVec3::from);
        if let (Some(rod), Some(at)) = (rod, at) {
            let rod = self.rod_index(&key("rod"), rod)?;
            if point.is_some() {
                return Err(self
                    .error(&key("point"), "a point of a rod is given by `at`")
                    .hint("leave it out"));
            }
            let (edge, fraction) = self.rod_point(&key("at"), kind, &model.rods[rod], at)?;
            return Ok(Some(End::Rod { rod, edge, fraction }));
        }
        if let Some(body) = body {
            let LinkPlace { tree, link } = self.body_place(&key("body"), body)?;
            return Ok(Some(End::Link { tree, link, point }));
        }
        if let (Some(robot), Some(link)) = (robot, link) {
            let tree = self.robot_index(&key("robot"), robot)?;
            let link = self.link_index(&key("link"), &model.trees[tree].tree, link)?;
            return Ok(Some(End::Link { tree, link, point }));
        }
        Ok(None)
    }

    /// Edge and fraction of a position on a rod. A pin acts on a node, a ball on any point, a clamp on an edge: at an
    /// end on the middle of the end edge.
    pub(super) fn rod_point(
        &self,
        key: &[&str],
        kind: AttachKindSpec,
        rod: &Rod,
        at: AtSpec,
    ) -> Result<(usize, f64), SceneError> {
        let of_node = |node: usize| {
            if node < rod.edge_count() { (node, 0.0) } else { (rod.edge_count() - 1, 1.0) }
        };
        match (kind, at) {
            (AttachKindSpec::Pin, _)
            | (AttachKindSpec::Ball, AtSpec::Start | AtSpec::End | AtSpec::Node(_)) => {
                Ok(of_node(self.node(key, rod, at)?))
            }
            (
                AttachKindSpec::Ball | AttachKindSpec::Clamp | AttachKindSpec::Bushing,
                AtSpec::Arclength(s),
            ) => {
                let edge = self.edge(key, rod, at)?;
                let before: f64 = rod.rest_lengths()[..edge].iter().sum();
                Ok((edge, ((s - before) / rod.rest_lengths()[edge]).clamp(0.0, 1.0)))
            }
            (AttachKindSpec::Ball, AtSpec::Edge(_))
            | (AttachKindSpec::Clamp | AttachKindSpec::Bushing, _) => Ok((self.edge(key, rod, at)?, 0.5)),
        }
    }
}

fn same_place(a: &End, b: &End) -> bool {
    match (a, b) {
        (End::Link { tree: t, link: l, .. }, End::Link { tree, link, .. }) => (t, l) == (tree, link),
        (End::Rod { rod: r, edge: e, .. }, End::Rod { rod, edge, .. }) => (r, e) == (rod, edge),
        _ => false,
    }
}
