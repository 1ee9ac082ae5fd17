//! Builds junctions: rods that are joined at a point.
//!
//! A junction is a clamp from each of its rods to the first. To transmit moments as a continuous rod does, bending
//! must not be missing between the last node of one rod and the first of the next: the junction lies in the middle of
//! the end edge of each rod, so that the end edges of two collinear rods coincide, and the nodes on both sides bend
//! as in one rod.

use super::Builder;
use crate::error::SceneError;
use crate::number::with_prefix;
use crate::spec::{AtSpec, AttachKindSpec, HalfEdgeSpec, RodSpec};
use ropewalk_rod::{Material, Section};
use ropewalk_sim::{Attachment, AttachmentKind, End, Model, Party, State};

impl Builder<'_> {
    /// Which ends of the rod `name` have the end point of their curve in the middle of an edge: those with
    /// `clamped_half_edge`, and those at junctions.
    pub(super) fn half_edges(&self, name: &str, given: HalfEdgeSpec) -> HalfEdgeSpec {
        let joined = |at: AtSpec| {
            let mut ends = self.spec.junction.values().flat_map(|j| &j.ends);
            ends.any(|end| end.rod == name && end.at == at)
        };
        let start = joined(AtSpec::Start) || matches!(given, HalfEdgeSpec::Start | HalfEdgeSpec::Both);
        let end = joined(AtSpec::End) || matches!(given, HalfEdgeSpec::End | HalfEdgeSpec::Both);
        match (start, end) {
            (true, true) => HalfEdgeSpec::Both,
            (true, false) => HalfEdgeSpec::Start,
            (false, true) => HalfEdgeSpec::End,
            (false, false) => HalfEdgeSpec::None,
        }
    }

    /// Half of a joined edge lies beyond the junction, where the other rods are. Such an edge has half of its
    /// density, so that the mass is that of rods that end at the junction.
    pub(super) fn halve_joined_edges(
        &self,
        name: &str,
        spec: &RodSpec,
        (sections, materials): (&mut Vec<Section>, &mut Vec<Material>),
        edges: usize,
    ) {
        if spec.segments.is_none() {
            return;
        }
        let joined = self.half_edges(name, HalfEdgeSpec::None);
        let start = matches!(joined, HalfEdgeSpec::Start | HalfEdgeSpec::Both).then_some(0);
        let end = matches!(joined, HalfEdgeSpec::End | HalfEdgeSpec::Both).then(|| edges.saturating_sub(1));
        for edge in start.into_iter().chain(end) {
            if let [one] = sections[..] {
                sections.resize(edges, one);
            }
            if let [one] = materials[..] {
                materials.resize(edges, one);
            }
            let (Some(section), Some(material)) = (sections.get_mut(edge), materials.get_mut(edge)) else {
                continue;
            };
            match section {
                Section::Stiffness { properties, .. } => {
                    properties.line_density *= 0.5;
                    properties.spin_inertia *= 0.5;
                }
                _ => material.density *= 0.5,
            }
        }
    }

    /// Adds all junctions, after the attachments of the file.
    pub(super) fn junctions(&self, model: &mut Model, state: &State) -> Result<(), SceneError> {
        for (name, spec) in &self.spec.junction {
            let mut places: Vec<(usize, usize, f64)> = Vec::new();
            for (k, end) in spec.ends.iter().enumerate() {
                let words = ["junction", name.as_str(), "ends"];
                let rod = self.rod_index(&words, &end.rod)?;
                let (edge, fraction) =
                    self.rod_point(&words, AttachKindSpec::Clamp, &model.rods[rod], end.at)?;
                if places.iter().any(|p| (p.0, p.1) == (rod, edge)) {
                    return Err(self
                        .error(&words, &format!("rod \"{}\" is joined to itself at one place", end.rod))
                        .expected("other rods, or another place on it"));
                }
                if let Some(&first) = places.first() {
                    self.check_gap(name, [first, (rod, edge, fraction)], model, state)?;
                    let joint = format!("{name}_{k}");
                    if self.spec.attach.contains_key(&joint) {
                        return Err(self.error(&["attach", &joint], "a part of a junction has this name"));
                    }
                    let ends = [first, (rod, edge, fraction)].map(|(rod, edge, fraction)| End::Rod {
                        rod,
                        edge,
                        fraction,
                    });
                    model.attachments.push(Attachment {
                        name: joint,
                        ends,
                        kind: AttachmentKind::Clamp,
                        begin_time: 0.0,
                        release_time: f64::INFINITY,
                    });
                }
                for other in places.iter().filter(|p| p.0 != rod) {
                    model.excluded_pairs.push([Party::Rod(other.0), Party::Rod(rod)]);
                }
                places.push((rod, edge, fraction));
            }
        }
        Ok(())
    }

    /// Rejects rods that do not meet at the junction.
    fn check_gap(
        &self,
        name: &str,
        places: [(usize, usize, f64); 2],
        model: &Model,
        state: &State,
    ) -> Result<(), SceneError> {
        let points = places.map(|(rod, edge, fraction)| {
            let s = &state.rods[rod];
            s.position(edge) + fraction * s.edge(&model.rods[rod], edge)
        });
        let gap = (points[0] - points[1]).length();
        let reach: f64 = places
            .iter()
            .map(|&(rod, edge, _)| {
                let [a, b] = model.rods[rod].half_extents()[edge];
                // Given nodes keep their positions: there the middle of the last edge is half an edge away.
                a.max(b) + 0.5 * model.rods[rod].rest_lengths()[edge]
            })
            .sum();
        if gap <= reach {
            return Ok(());
        }
        let [a, b] = places.map(|(rod, ..)| model.rod_names[rod].clone());
        Err(self
            .error(
                &["junction", name, "ends"],
                &format!("rods \"{a}\" and \"{b}\" are {} apart there", with_prefix(gap, 3, "m")),
            )
            .expected(format!("a gap of at most {}", with_prefix(reach, 3, "m")))
            .hint("let their curves begin and end at the same point"))
    }
}
