//! Builds a rod: curve, sections, materials, natural shape.

use super::section::NO_MATERIAL;
use super::{Builder, MOST_NODES};
use crate::curve::overhand::overhand;
use crate::curve::points::parse_points;
use crate::curve::round::{Helix, Stadium, Tailed, unit};
use crate::curve::spline::Spline;
use crate::curve::{Curve, Line, nodes_along};
use crate::error::SceneError;
use crate::number::with_prefix;
use crate::regular_file::read_text;
use crate::spec::{CurveSpec, HalfEdgeSpec, NaturalSpec, Numbers, RestName, RestSpec, RodSpec};
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};
use ropewalk_rod::{RestShape, Rod, RodBuilder, RodState, Section};
use ropewalk_sim::{Model, State};

/// Largest file of points in bytes.
const MOST_BYTES: u64 = 1 << 28;

impl Builder<'_> {
    /// The rod called `name` and its state, with at most `room` nodes.
    pub(super) fn rod(&mut self, name: &str, room: usize) -> Result<(Rod, RodState), SceneError> {
        let spec = &self.spec.rod[name];
        let at = ["rod", name];
        let closed =
            spec.closed.unwrap_or(matches!(spec.curve, CurveSpec::Circle(_) | CurveSpec::Stadium(_)));
        let nodes = self.nodes(name, spec, closed)?;
        if nodes.len() > room {
            return Err(self
                .error(&["rod", name, "segments"], "the scene has too many nodes")
                .expected(format!("at most {MOST_NODES} nodes over all rods"))
                .hint("ask for less, or add --allow-large"));
        }
        let length: f64 = path_length(&nodes, closed) * spec.rest_length_factor;
        let edges = if closed { nodes.len() } else { nodes.len().saturating_sub(1) };
        let (mut sections, mut materials) = self.sections(name, spec, &nodes, edges)?;
        self.halve_joined_edges(name, spec, (&mut sections, &mut materials), edges);
        let first_edge = nodes.get(1).map(|x| *x - nodes[0]);
        let director = match spec.director {
            None => None,
            Some(d) => {
                let along = first_edge.and_then(|e| unit(e.to_array()));
                let usable = along.and_then(|t| crate::curve::round::perpendicular(d, t));
                Some(usable.ok_or_else(|| {
                    self.error(&["rod", name, "director"], "this director is zero or along the first edge")
                        .expected("a direction across the rod's first edge")
                })?)
            }
        };
        let rest_lengths = (spec.rest_length_factor != 1.0).then(|| {
            (0..edges)
                .map(|e| (nodes[(e + 1) % nodes.len()] - nodes[e]).length() * spec.rest_length_factor)
                .collect()
        });
        let builder = RodBuilder {
            closed,
            sections,
            materials,
            rest_lengths,
            rest: rest_shape(spec.rest.as_ref()),
            director,
            initial_twist: self.initial_twist(name, spec, closed, length)?,
            mass_damping: spec.mass_damping,
            stiffness_damping: spec.stiffness_damping,
            stretch_factor: spec.stretch_factor,
            bend_factor: spec.bend_factor,
            twist_factor: spec.twist_factor,
            density_factor: spec.density_factor,
            yield_moment: spec.yield_moment,
            stretch_table: self.stretch_table(name, spec)?,
            ..RodBuilder::new(nodes, Section::Circle { radius: 1.0 }, NO_MATERIAL)
        };
        let (rod, mut state) = builder.build().map_err(|e| self.error(&at, &e.to_string()))?;
        if let Some(velocity) = spec.velocity {
            state.v.iter_mut().for_each(|v| v[..3].copy_from_slice(&velocity));
        }
        let mut numbers = rod
            .rest_lengths()
            .iter()
            .chain(rod.stretch_stiffness())
            .chain(rod.masses().iter().flatten())
            .chain(rod.stencils().flat_map(|j| {
                [&rod.bend_stiffness(0)[j], &rod.bend_stiffness(1)[j], &rod.twist_stiffness()[j]]
            }));
        let usable = numbers.all(|x| x.is_normal() && *x > 0.0) && state.is_finite();
        drop(numbers);
        if !usable {
            return Err(self
                .error(&at, "stiffness, mass or length of this rod is too large or too small to compute with")
                .hint("check the section, the material and the units (m, Pa, kg/m³)"));
        }
        self.warn_about_resolution(name, &rod, &state);
        Ok((rod, state))
    }

    /// The table of stretch of the rod called `name`: its own, or that of its preset if the section is the preset's too.
    fn stretch_table(&self, name: &str, spec: &RodSpec) -> Result<Option<Vec<[f64; 2]>>, SceneError> {
        let Some(points) = &spec.stretch_table else {
            let preset = spec.preset.filter(|_| spec.section.is_none()).map(crate::preset::cable);
            return Ok(preset.and_then(|p| p.stretch_table).map(<[_]>::to_vec));
        };
        match ropewalk_rod::StretchTable::new(points) {
            Ok(_) => Ok(Some(points.clone())),
            Err(e) => Err(self
                .error(&["rod", name, "stretch_table"], &e.to_string())
                .expected("[[0, 0], [strain, tension in N], …], both rising")),
        }
    }

    /// Adds the copies of all rods that have any, after the rods themselves.
    pub(super) fn copies(
        &mut self,
        model: &mut Model,
        state: &mut State,
        mut nodes: usize,
        most: usize,
    ) -> Result<(), SceneError> {
        for (r, (name, spec)) in self.spec.rod.iter().enumerate() {
            let Some(copies) = &spec.copies else { continue };
            let Some(axis) = unit(copies.axis) else {
                return Err(self
                    .error(&["rod", name, "copies", "axis"], "this axis has no direction")
                    .expected("a vector that is not zero"));
            };
            for k in 1..copies.count {
                nodes += model.rods[r].node_count();
                if nodes > most {
                    return Err(self
                        .error(&["rod", name, "copies", "count"], "the scene has too many nodes")
                        .expected(format!("at most {MOST_NODES} nodes over all rods"))
                        .hint("ask for less, or add --allow-large"));
                }
                let copy_name = format!("{name}_{k}");
                if self.spec.rod.contains_key(&copy_name) {
                    return Err(self.error(&["rod", &copy_name], "a copy of another rod has this name"));
                }
                let turn = DQuat::from_axis_angle(axis, copies.angle * f64::from(k));
                let shift = DVec3::from(copies.step) * f64::from(k);
                let moved = state.rods[r].moved(turn, shift);
                if !moved.is_finite() {
                    return Err(self
                        .error(
                            &["rod", name, "copies", "step"],
                            "copies of this rod are too far away to compute with",
                        )
                        .hint("check the step and the units (m)"));
                }
                model.rod_names.push(copy_name);
                let rod = model.rods[r].clone();
                model.rods.push(rod);
                model.rod_surfaces.push(model.rod_surfaces[r]);
                for k in 0..model.edge_surfaces.len() {
                    let (rod, edges, surface) = model.edge_surfaces[k];
                    if rod == r {
                        model.edge_surfaces.push((model.rods.len() - 1, edges, surface));
                    }
                }
                state.rods.push(moved);
            }
        }
        Ok(())
    }

    /// Indices in the model of the copies of the `r`-th rod of the file.
    pub(super) fn copies_of(&self, r: usize) -> core::ops::Range<usize> {
        let count = |spec: &RodSpec| spec.copies.as_ref().map_or(0, |c| c.count.saturating_sub(1) as usize);
        let before: usize = self.spec.rod.values().take(r).map(count).sum();
        let first = self.spec.rod.len() + before;
        first..first + self.spec.rod.values().nth(r).map_or(0, count)
    }

    fn nodes(&self, name: &str, spec: &RodSpec, closed: bool) -> Result<Vec<DVec3>, SceneError> {
        let half = match &spec.curve {
            // Given nodes keep their positions.
            CurveSpec::Points(_) | CurveSpec::Nodes(_) if spec.segments.is_none() => spec.clamped_half_edge,
            _ => self.half_edges(name, spec.clamped_half_edge),
        };
        if closed && half != HalfEdgeSpec::None {
            return Err(self
                .error(&["rod", name, "clamped_half_edge"], "a closed rod has no ends")
                .expected("\"none\""));
        }
        let curve = self.curve(name, spec, closed)?;
        let least = match half {
            HalfEdgeSpec::Both => 3,
            HalfEdgeSpec::Start | HalfEdgeSpec::End => 2,
            HalfEdgeSpec::None => 1 + 2 * usize::from(closed),
        };
        let key = ["rod", name, "segments"];
        match (curve, spec.segments) {
            (Given::Curve(curve), Some(segments)) => {
                let segments = segments as usize;
                if segments < least {
                    return Err(self
                        .error(&key, &format!("{segments} segments are too few for this rod"))
                        .expected(format!("at least {least}")));
                }
                let length = curve.length();
                if !(length.is_normal() && length > 0.0) {
                    return Err(self.error(&["rod", name, "curve"], "this curve has no length"));
                }
                Ok(nodes_along(curve.as_ref(), segments, closed, half))
            }
            (Given::Curve(_), None) => Err(self
                .error(&key, "the key `segments` is missing")
                .expected("segments = …: the number of edges along the curve")),
            (Given::Nodes(nodes), None) => {
                if half != HalfEdgeSpec::None {
                    return Err(self
                        .error(
                            &["rod", name, "clamped_half_edge"],
                            "nodes that are given stay where they are",
                        )
                        .hint("give `segments` too, and a smooth curve is put through the nodes"));
                }
                Ok(nodes)
            }
            (Given::Nodes(_), Some(_)) => Err(self.error(&key, "these nodes are too few for a curve")),
        }
    }

    fn curve(&self, name: &str, spec: &RodSpec, closed: bool) -> Result<Given, SceneError> {
        let kind = |kind: &'static str| ["rod", name, "curve", kind];
        let direction = |at: &'static str| {
            move |key: &'static str| {
                self.error(&["rod", name, "curve", at, key], "this direction is zero or of no use")
                    .expected("a direction that is not zero, nor along the other one")
            }
        };
        Ok(match &spec.curve {
            CurveSpec::Line(line) => {
                Given::Curve(Box::new(Line { from: line.from.into(), to: line.to.into() }))
            }
            CurveSpec::Arc(arc) => {
                let curve = Helix::arc(arc).map_err(direction("arc"))?;
                Given::Curve(Box::new(Tailed { curve, tails: arc.tails }))
            }
            CurveSpec::Circle(circle) => {
                if !closed {
                    return Err(self
                        .error(&["rod", name, "closed"], "a rod along a circle is closed")
                        .hint("for an open one, use an arc with angle = 6.283"));
                }
                Given::Curve(Box::new(Helix::circle(circle).map_err(direction("circle"))?))
            }
            CurveSpec::Stadium(stadium) => {
                if !closed {
                    return Err(self
                        .error(&["rod", name, "closed"], "a rod along a stadium is closed")
                        .hint("for an open one, use an arc with tails"));
                }
                Given::Curve(Box::new(Stadium::new(stadium).map_err(direction("stadium"))?))
            }
            CurveSpec::Helix(helix) => {
                Given::Curve(Box::new(Helix::winding(helix).map_err(direction("helix"))?))
            }
            CurveSpec::Spline(spline) => {
                let points: Vec<DVec3> = spline.points.iter().map(|p| DVec3::from(*p)).collect();
                Given::Curve(Box::new(self.spline(&kind("spline"), &points, closed)?))
            }
            CurveSpec::Overhand(knot) => {
                let curve = overhand(knot).map_err(|e| {
                    self.error(&kind("overhand"), &e)
                        .hint("a longer rope, a smaller gap, another end_distance or a lower order")
                })?;
                Given::Curve(Box::new(curve))
            }
            CurveSpec::Points(file) => {
                let points = self.read_points(&kind("points"), file)?;
                self.through(&kind("points"), points, spec.segments, closed)?
            }
            CurveSpec::Nodes(nodes) => {
                let points = nodes.iter().map(|p| DVec3::from(*p)).collect();
                self.through(&kind("nodes"), points, spec.segments, closed)?
            }
        })
    }

    fn through(
        &self,
        key: &[&str],
        points: Vec<DVec3>,
        segments: Option<u32>,
        closed: bool,
    ) -> Result<Given, SceneError> {
        let least = if closed { 3 } else { 2 };
        if points.len() < least {
            return Err(self
                .error(key, &format!("{} points are too few for a rod", points.len()))
                .expected(format!("at least {least}")));
        }
        Ok(match segments {
            None => Given::Nodes(points),
            Some(_) => Given::Curve(Box::new(self.spline(key, &points, closed)?)),
        })
    }

    fn spline(&self, key: &[&str], points: &[DVec3], closed: bool) -> Result<Spline, SceneError> {
        if closed && points.len() < 3 {
            return Err(self.error(key, "a closed curve needs at least three points"));
        }
        Spline::through(points, closed).map_err(|i| {
            let message = format!("point {} is where the one before it is", i % points.len());
            self.error(key, &message).expected("points apart from one another")
        })
    }

    fn read_points(&self, key: &[&str], file: &str) -> Result<Vec<DVec3>, SceneError> {
        let path = self.base_dir.map_or_else(|| file.into(), |dir| dir.join(file));
        let shown = path.display();
        let unreadable = |e: std::io::Error| {
            self.error(key, &format!("cannot read {shown}: {e}")).hint("the path counts from the scene file")
        };
        let text = read_text(&path, MOST_BYTES).map_err(unreadable)?;
        parse_points(&text).map_err(|e| self.error(key, &format!("{shown}: {e}")))
    }

    /// Initial twist in rad/m. A closed rod's frame must close on itself: whole turns only.
    fn initial_twist(
        &self,
        name: &str,
        spec: &RodSpec,
        closed: bool,
        length: f64,
    ) -> Result<f64, SceneError> {
        let (key, turns, slack) = match (spec.twist, spec.turns) {
            (None, None) => return Ok(0.0),
            (Some(_), Some(_)) => {
                return Err(self
                    .error(&["rod", name, "turns"], "both twist and turns are given")
                    .expected("one of them"));
            }
            (Some(rate), None) => ("twist", rate * length / TAU, 1e-3),
            (None, Some(turns)) => ("turns", turns, 1e-9),
        };
        if !closed {
            return Ok(turns * TAU / length);
        }
        let whole = turns.round();
        if (turns - whole).abs() > slack || !whole.is_finite() {
            return Err(self
                .error(&["rod", name, key], &format!("a closed rod cannot hold {turns} turns of twist"))
                .expected(format!("whole turns, such as turns = {}", whole.clamp(-1e5, 1e5))));
        }
        Ok(whole * TAU / length)
    }

    fn warn_about_resolution(&mut self, name: &str, rod: &Rod, state: &RodState) {
        let turn = rod
            .stencils()
            .map(|j| {
                let s = state.strain(rod, j);
                2.0 * (0.5 * s.kappa1.hypot(s.kappa2)).atan()
            })
            .fold(0.0, f64::max);
        if turn > 1.0 {
            self.warnings.push(format!(
                "rod `{name}` turns by up to {:.0}° at a node: more segments would follow its curve better",
                turn.to_degrees()
            ));
        }
        let shortest = rod.rest_lengths().iter().copied().fold(f64::MAX, f64::min);
        // Flat belts may be far wider than their segments are long; only their thickness matters for bending.
        let thickest = rod.half_extents().iter().map(|[a, b]| a.min(*b)).fold(0.0, f64::max);
        if shortest < 0.5 * thickest {
            self.warnings.push(format!(
                "rod `{name}` has segments of {}, shorter than half its radius ({}): the theory of thin rods says nothing \
                 so small",
                with_prefix(shortest, 3, "m"),
                with_prefix(thickest, 3, "m"),
            ));
        }
    }
}

/// Given nodes, or a curve along which to place nodes.
enum Given {
    Nodes(Vec<DVec3>),
    Curve(Box<dyn Curve>),
}

pub(super) fn path_length(nodes: &[DVec3], closed: bool) -> f64 {
    let open: f64 = nodes.windows(2).map(|p| (p[1] - p[0]).length()).sum();
    match nodes {
        [first, .., last] if closed => open + (*first - *last).length(),
        _ => open,
    }
}

fn rest_shape(rest: Option<&RestSpec>) -> RestShape {
    match rest {
        None | Some(RestSpec::Named(RestName::Straight)) => RestShape::Straight,
        Some(RestSpec::Named(RestName::AsGiven)) => RestShape::AsGiven,
        Some(RestSpec::Natural(NaturalSpec { curvature1, curvature2, twist })) => {
            let numbers = |n: &Option<Numbers>| match n {
                None => vec![0.0],
                Some(Numbers::One(x)) => vec![*x],
                Some(Numbers::Many(all)) => all.clone(),
            };
            RestShape::Natural {
                curvature1: numbers(curvature1),
                curvature2: numbers(curvature2),
                twist: numbers(twist),
            }
        }
    }
}
