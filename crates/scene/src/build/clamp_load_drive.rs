//! Builds clamps, loads and drives of the natural shape.

use super::Builder;
use crate::document::path;
use crate::error::SceneError;
use crate::random::Random;
use crate::spec::{AtSpec, ClampSpec, HoldSpec, LoadSpec, Numbers, RandomShapeSpec};
use core::f64::consts::TAU;
use glam::DVec3;
use ropewalk_rod::Rod;
use ropewalk_sim::{Clamp, ClampPose, Hold, Load, LoadKind, Model, Motion, ShapeDrive, State, TimeFunction};

impl Builder<'_> {
    pub(super) fn clamps(&mut self, model: &mut Model, state: &State) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.clamp {
            let rod_index = self.rod_index(&["clamp", name, "rod"], &spec.rod)?;
            let rod = &model.rods[rod_index];
            let at = ["clamp", name.as_str(), "at"];
            let hold = match spec.hold {
                HoldSpec::Position => Hold::Node(self.node(&at, rod, spec.at)?),
                HoldSpec::All => Hold::Edge(self.edge(&at, rod, spec.at)?),
                HoldSpec::PositionTangent => Hold::EdgeFreeSpin(self.edge(&at, rod, spec.at)?),
                HoldSpec::Spin => Hold::Spin(self.edge(&at, rod, spec.at)?),
            };
            if let Some(other) =
                model.clamps.iter().find(|c| c.rod == rod_index && overlap(rod, c.hold, hold))
            {
                let message = format!("clamps `{}` and `{name}` hold the same node or edge", other.name);
                return Err(self.error(&at, &message).expected("places that have no node in common"));
            }
            let start = ClampPose::of(hold, rod, &state.rods[rod_index]);
            let motion = self.motion(name, spec, &start)?;
            if motion.translation.iter().chain([&motion.angle]).any(|f| f.value(0.0) != 0.0) {
                self.warnings.push(format!(
                    "the motion of clamp `{name}` is not zero at the start: the rod is moved there in one step"
                ));
            }
            model.clamps.push(Clamp {
                name: name.clone(),
                rod: rod_index,
                hold,
                motion,
                start,
                release_time: spec.release.unwrap_or(f64::INFINITY),
            });
        }
        Ok(())
    }

    fn motion(&self, name: &str, spec: &ClampSpec, start: &ClampPose) -> Result<Motion, SceneError> {
        let Some(motion) = &spec.motion else { return Ok(Motion::default()) };
        let words = ["clamp", name, "motion"];
        let key = |last: &'static str| ["clamp", name, "motion", last];
        if motion.translation.is_some() && spec.hold == HoldSpec::Spin {
            return Err(self
                .error(&key("translation"), "a clamp that holds the spin alone does not move the rod")
                .hint("hold = \"all\" moves it, or leave the translation out"));
        }
        // About the rod itself, if no axis is given.
        let along = start.half_edge.try_normalize().unwrap_or(DVec3::ZERO);
        let found = self.rigid_motion(&words, motion, along)?;
        if spec.hold == HoldSpec::Position && (motion.angle.is_some() || motion.axis.is_some()) {
            return Err(self
                .error(&key("angle"), "a node that is held has no direction to turn")
                .hint("hold = \"all\" turns an edge"));
        }
        Ok(found)
    }

    /// The node at a position on a rod.
    pub(crate) fn node(&self, key: &[&str], rod: &Rod, at: AtSpec) -> Result<usize, SceneError> {
        let last = rod.node_count() - 1;
        match at {
            AtSpec::Start => Ok(0),
            AtSpec::End => Ok(last),
            AtSpec::Node(i) if (i as usize) <= last => Ok(i as usize),
            AtSpec::Node(i) => Err(self
                .error(key, &format!("the rod has no node {i}"))
                .expected(format!("a node from 0 to {last}"))),
            AtSpec::Edge(_) => Err(self
                .error(key, "an edge is given where a node is held")
                .expected("\"start\", \"end\", { node = … } or { arclength = … }")),
            AtSpec::Arclength(s) => {
                self.check_arclength(key, rod, s)?;
                let nodes = (0..=last).scan(0.0, |sum, i| {
                    let here = *sum;
                    *sum += rod.rest_lengths().get(i).copied().unwrap_or(0.0);
                    Some((i, (here - s).abs()))
                });
                Ok(nodes.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |n| n.0))
            }
        }
    }

    pub(super) fn edge(&self, key: &[&str], rod: &Rod, at: AtSpec) -> Result<usize, SceneError> {
        let last = rod.edge_count() - 1;
        match at {
            AtSpec::Start => Ok(0),
            AtSpec::End => Ok(last),
            AtSpec::Edge(i) if (i as usize) <= last => Ok(i as usize),
            AtSpec::Edge(i) => Err(self
                .error(key, &format!("the rod has no edge {i}"))
                .expected(format!("an edge from 0 to {last}"))),
            AtSpec::Node(_) => Err(self
                .error(key, "a node is given where an edge is meant")
                .expected("\"start\", \"end\", { edge = … } or { arclength = … }")
                .hint("hold = \"position\" holds a node")),
            AtSpec::Arclength(s) => {
                self.check_arclength(key, rod, s)?;
                let mut sum = 0.0;
                for (e, length) in rod.rest_lengths().iter().enumerate() {
                    sum += length;
                    if s < sum {
                        return Ok(e);
                    }
                }
                Ok(last)
            }
        }
    }

    fn check_arclength(&self, key: &[&str], rod: &Rod, s: f64) -> Result<(), SceneError> {
        let length = rod.total_rest_length();
        if s <= length * (1.0 + 1e-9) {
            return Ok(());
        }
        Err(self
            .error(key, &format!("{s} m is beyond the end of the rod"))
            .expected(format!("an arclength from 0 to {length}")))
    }

    pub(super) fn loads(&self, model: &mut Model) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.load {
            let rod_index = self.rod_index(&["load", name, "rod"], &spec.rod)?;
            let kind = self.load_kind(name, spec, &model.rods[rod_index])?;
            let scale = match &spec.scale {
                Some(_) if matches!(kind, LoadKind::Drag { .. }) => {
                    return Err(self.error(&["load", name, "scale"], "drag is not scaled in time"));
                }
                Some(scale) => self.function(&path(&["load", name, "scale"]), scale)?,
                None => TimeFunction::Constant(1.0),
            };
            model.loads.push(Load { name: name.clone(), rod: rod_index, kind, scale });
        }
        Ok(())
    }

    fn load_kind(&self, name: &str, spec: &LoadSpec, rod: &Rod) -> Result<LoadKind, SceneError> {
        let at = |kind: &'static str| ["load", name, kind, "at"];
        let mut kinds = Vec::new();
        if let Some(p) = &spec.point {
            kinds.push(LoadKind::Point { node: self.node(&at("point"), rod, p.at)?, force: p.force.into() });
        }
        if let Some(p) = &spec.follower {
            let node = self.node(&at("follower"), rod, p.at)?;
            let edge = node.min(rod.edge_count() - 1);
            kinds.push(LoadKind::FollowerPoint { node, edge, force: p.force.into() });
        }
        if let Some(d) = &spec.distributed {
            let edges = self.edges(name, "distributed", rod, d.from, d.to)?;
            kinds.push(LoadKind::Distributed { edges, force: d.force.into() });
        }
        if let Some(d) = &spec.distributed_follower {
            let edges = self.edges(name, "distributed_follower", rod, d.from, d.to)?;
            kinds.push(LoadKind::FollowerDistributed { edges, force: d.force.into() });
        }
        if let Some(t) = &spec.torque {
            kinds.push(LoadKind::SpinTorque { edge: self.edge(&at("torque"), rod, t.at)?, torque: t.torque });
        }
        if let Some(d) = &spec.drag {
            kinds.push(LoadKind::Drag {
                normal: d.normal,
                tangential: d.tangential,
                quadratic: d.quadratic,
                flow: d.flow.into(),
            });
        }
        let count = kinds.len();
        match (kinds.pop(), count) {
            (Some(kind), 1) => Ok(kind),
            _ => Err(self
                .error(&["load", name], &format!("this load has {count} kinds"))
                .expected("exactly one of point, follower, distributed, distributed_follower, torque, drag")),
        }
    }

    /// First and last edge whose middle lies in a span of fractions of the length.
    fn edges(&self, name: &str, kind: &str, rod: &Rod, from: f64, to: f64) -> Result<[usize; 2], SceneError> {
        let length = rod.total_rest_length();
        let mut sum = 0.0;
        let mut found: Option<[usize; 2]> = None;
        for (e, h) in rod.rest_lengths().iter().enumerate() {
            let middle = (sum + 0.5 * h) / length;
            sum += h;
            if (from..=to).contains(&middle) {
                found = Some(found.map_or([e, e], |f| [f[0], e]));
            }
        }
        found.ok_or_else(|| {
            self.error(&["load", name, kind], "no edge lies in this span")
                .expected("from below to, and at least one edge between")
        })
    }

    pub(super) fn drives(&self, model: &mut Model, state: &State) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.drive {
            let rod_index = self.rod_index(&["drive", name, "rod"], &spec.rod)?;
            let copies = if spec.copies { self.copies_of(rod_index) } else { 0..0 };
            let rod = &model.rods[rod_index];
            let spread = |key: &str, numbers: &Option<Numbers>| -> Result<Vec<f64>, SceneError> {
                let mut out = state.rods[rod_index].natural.kappa1.clone();
                out.fill(0.0);
                let stencils = rod.stencils();
                for (s, j) in stencils.clone().enumerate() {
                    out[j] = match numbers {
                        None => 0.0,
                        Some(Numbers::One(x)) => *x,
                        Some(Numbers::Many(all)) if all.len() == stencils.len() => all[s],
                        Some(Numbers::Many(all)) => {
                            return Err(self
                                .error(&["drive", name, key], &format!("{} numbers here", all.len()))
                                .expected(format!("one number, or {}", stencils.len())));
                        }
                    } * rod.voronoi_lengths()[j];
                }
                Ok(out)
            };
            let drive = ShapeDrive {
                rod: rod_index,
                kappa1: spread("curvature1", &spec.curvature1)?,
                kappa2: spread("curvature2", &spec.curvature2)?,
                tau: spread("twist", &spec.twist)?,
                scale: self.function(&path(&["drive", name, "scale"]), &spec.scale)?,
                base: state.rods[rod_index].natural.clone(),
            };
            for (number, r) in core::iter::once(rod_index).chain(copies).enumerate() {
                let mut drive = ShapeDrive { rod: r, ..drive.clone() };
                if let Some(random) = &spec.random {
                    let stream = Random::stream(self.spec.seed, name, number);
                    add_random_shape(&model.rods[r], random, stream, &mut drive);
                }
                model.shape_drives.push(drive);
            }
        }
        Ok(())
    }
}

/// Adds a random natural shape to a drive.
fn add_random_shape(rod: &Rod, spec: &RandomShapeSpec, mut random: Random, drive: &mut ShapeDrive) {
    let (sin, cos) = (TAU * random.uniform()).sin_cos();
    let curvature = spec.curvature + spec.curvature_deviation * random.normal();
    for j in rod.stencils() {
        let length = rod.voronoi_lengths()[j];
        drive.kappa1[j] += curvature * cos * length;
        drive.kappa2[j] += curvature * sin * length;
        drive.tau[j] += spec.twist_deviation * random.normal() * length;
    }
}

/// Whether two clamps on one rod have a node or a twist angle in common.
fn overlap(rod: &Rod, a: Hold, b: Hold) -> bool {
    let nodes = |hold: Hold| match hold {
        Hold::Node(i) => vec![i],
        Hold::Edge(e) | Hold::EdgeFreeSpin(e) => vec![e, rod.edge_end(e)],
        Hold::Spin(_) => Vec::new(),
    };
    let spin = |hold: Hold| match hold {
        Hold::Edge(e) | Hold::Spin(e) => Some(e),
        Hold::Node(_) | Hold::EdgeFreeSpin(_) => None,
    };
    let (na, nb) = (nodes(a), nodes(b));
    na.iter().any(|i| nb.contains(i)) || spin(a).is_some_and(|e| spin(b) == Some(e))
}
