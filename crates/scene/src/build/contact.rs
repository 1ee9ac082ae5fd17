//! Builds contact settings: surfaces, laws, excluded pairs.

use super::{Builder, LinkPlace};
use crate::error::{SceneError, list_names, nearest_name};
use crate::spec::{ContactLawSpec, OverlapSpec, RodSpec};
use ropewalk_sim::{ContactLaw, ContactSettings, Model, Overlap, Party, State, Surface, push_out};

/// Default friction of a surface: typical of rope on rope, wood or metal.
pub(crate) const DEFAULT_FRICTION: f64 = 0.5;

impl Builder<'_> {
    /// The surface of a rod: its own values, else those of its material.
    pub(super) fn rod_surface(&self, spec: &RodSpec) -> Surface {
        let material = spec.material.as_ref().and_then(|m| self.spec.material.get(m));
        let friction = spec.friction.or(material.and_then(|m| m.friction));
        surface(friction, spec.contact_stiffness, spec.contact_dissipation)
    }

    /// Surfaces of pieces of a rod whose materials have a friction. An edge belongs to the piece that contains its
    /// middle, as for sections.
    pub(super) fn piece_surfaces(&self, spec: &RodSpec, r: usize, model: &mut Model) {
        let lengths = model.rods[r].rest_lengths();
        let total: f64 = lengths.iter().sum();
        let mut at = 0.0;
        let middles: Vec<f64> = lengths
            .iter()
            .map(|l| {
                at += l;
                (at - 0.5 * l) / total
            })
            .collect();
        for piece in &spec.pieces {
            let material = piece.material.as_ref().and_then(|m| self.spec.material.get(m));
            let Some(friction) = material.and_then(|m| m.friction) else { continue };
            let inside = |m: &f64| (piece.from..piece.to).contains(m);
            let (Some(first), Some(last)) =
                (middles.iter().position(inside), middles.iter().rposition(inside))
            else {
                continue;
            };
            let surface = surface(Some(friction), spec.contact_stiffness, spec.contact_dissipation);
            model.edge_surfaces.push((r, [first, last], surface));
        }
    }

    /// Moves apart what overlaps at the start, if the scene asks for it.
    pub(super) fn push_out(&mut self, model: &Model, state: &mut State) -> Result<(), SceneError> {
        if self.spec.contact.overlap != OverlapSpec::PushOut {
            return Ok(());
        }
        let found = push_out(model, state).map_err(|left| {
            let message = format!("{}, and cannot be pushed out", left.words(model));
            self.error(&["contact", "overlap"], &message).expected("things that begin apart, or nearly so")
        })?;
        let words = |overlap: &Overlap| format!("{}; it was pushed out before the run", overlap.words(model));
        self.warnings.extend(found.overlaps.iter().map(words));
        Ok(())
    }

    /// Settings and pairs that do not touch.
    pub(super) fn contact(&self, model: &mut Model) -> Result<(), SceneError> {
        let spec = &self.spec.contact;
        model.contact = spec.enabled.then_some(ContactSettings {
            law: match spec.law {
                ContactLawSpec::Sap => ContactLaw::Sap,
                ContactLawSpec::Lagged => ContactLaw::Lagged,
                ContactLawSpec::Similar => ContactLaw::Similar,
            },
            look_ahead: spec.look_ahead,
            guard: spec.guard,
            anchor: spec.anchor,
            cluster_angle: spec.cluster_angle,
        });
        for pair in &spec.pairs {
            let [a, b] = &pair.between;
            let sides = [self.parties(model, a, "pairs")?, self.parties(model, b, "pairs")?];
            let surface = surface(Some(pair.friction), pair.stiffness, pair.dissipation);
            for &p in &sides[0] {
                for &q in &sides[1] {
                    model.pair_surfaces.push(([p, q], surface));
                }
            }
        }
        for pair in &spec.exclude {
            let [a, b] = pair;
            let pair = [self.parties(model, a, "exclude")?, self.parties(model, b, "exclude")?];
            for &p in &pair[0] {
                for &q in &pair[1] {
                    model.excluded_pairs.push([p, q]);
                }
            }
        }
        self.self_contacts(model)
    }

    /// The rods, bodies, robots and links called `name`; the name of a rod includes its copies.
    pub(super) fn parties(&self, model: &Model, name: &str, key: &str) -> Result<Vec<Party>, SceneError> {
        let copy_of = |rod: &str| rod == name || rod.strip_prefix(name).is_some_and(is_copy);
        let mut found: Vec<Party> =
            (0..model.rods.len()).filter(|&r| copy_of(&model.rod_names[r])).map(Party::Rod).collect();
        if let Some(&LinkPlace { tree, link }) = self.bodies.get(name) {
            found.push(Party::Link { tree, link });
        }
        if let Some(&tree) = self.robots.get(name) {
            found.push(Party::Tree(tree));
        }
        for (robot, &tree) in &self.robots {
            let Some(link) = name.strip_prefix(robot.as_str()).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            let link = self.link_index(&["contact", key], &model.trees[tree].tree, link)?;
            found.push(Party::Link { tree, link });
        }
        if found.is_empty() {
            let names = self.spec.rod.keys().chain(self.spec.body.keys()).chain(self.spec.robot.keys());
            return Err(self
                .error(&["contact", key], &format!("there is no rod, body or robot called \"{name}\""))
                .expected(format!("one of {}", list_names(names.clone().map(String::as_str))))
                .nearest(nearest_name(name, names.map(String::as_str))));
        }
        Ok(found)
    }
}

/// Whether `suffix` is what the name of a copy has after the name of the first.
pub(super) fn is_copy(suffix: &str) -> bool {
    suffix.strip_prefix('_').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// A surface from its given values.
pub(super) fn surface(friction: Option<f64>, stiffness: Option<f64>, dissipation: Option<f64>) -> Surface {
    Surface {
        friction: friction.unwrap_or(DEFAULT_FRICTION),
        stiffness,
        dissipation: dissipation.unwrap_or(0.0),
        ..Surface::default()
    }
}
