//! Active set: rods whose look-ahead contacts all stay open are solved by themselves.
//!
//! Look-ahead contacts make neighbors of all that is near one another, and most of them come to nothing: a falling
//! chain, a bundle that flies. A rod whose contacts are all open is therefore solved alone first. Contacts whose gap
//! then stays open,
//!
//! ```text
//!   φ + δt n·(v_a − v_b) > 0,
//! ```
//!
//! are inactive and left out: the optimum of the convex problem is the same without them. The rest is
//! solved together, and inactive contacts between what was solved together and what was not are checked again
//! with the velocities found: a rod on which one of them closes joins the others, and these are solved once more.

use crate::model::{End, Model};
use crate::step::collide::{Contact, Side};
use crate::step::constrain::contact::touches;
use crate::step::constrain::jacobian::StartKinematics;
use crate::workspace::{RodWork, TreeWork};
use glam::DVec3;

/// Which rods move on their own, and the contacts that this leaves out.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveSet {
    /// By rod: whether it has contacts, all of them open, and has been solved on its own.
    pub(in crate::step) alone: Vec<bool>,
    aside: Vec<Contact>,
    passes: usize,
}

impl ActiveSet {
    /// Takes the rods of which all contacts are open, and which nothing else holds to others.
    pub(in crate::step) fn choose(
        &mut self,
        contacts: &[Contact],
        scene: &StartKinematics<'_>,
        model: &Model,
        dt: f64,
    ) {
        self.passes = 0;
        self.aside.clear();
        self.alone.clear();
        self.alone.resize(scene.rods.len(), true);
        for contact in contacts {
            if !self.has_alone(contact) {
                continue;
            }
            let open =
                contact.polygon.is_none() && !touches(contact, model, scene.state, scene.tree_work, dt);
            let resting = contact.sides.iter().all(|side| match *side {
                Side::Edge { .. } => true,
                Side::Link { tree, .. } => is_at_rest(model, &scene.tree_work[tree as usize], tree as usize),
            });
            if !(open && resting) {
                self.join(contact);
            }
        }
        let held = model.attachments.iter().zip(&scene.state.attachments).filter(|(_, s)| s.grip.is_some());
        for end in held.flat_map(|(attachment, _)| &attachment.ends) {
            if let End::Rod { rod, .. } = *end {
                self.alone[rod] = false;
            }
        }
    }

    /// The rods at a contact no longer move on their own.
    fn join(&mut self, contact: &Contact) {
        for side in &contact.sides {
            if let Side::Edge { rod, .. } = *side {
                self.alone[rod as usize] = false;
            }
        }
    }

    fn has_alone(&self, contact: &Contact) -> bool {
        contact.sides.iter().any(|side| matches!(*side, Side::Edge { rod, .. } if self.alone[rod as usize]))
    }

    /// With rods solved on their own, leaves the contacts in `contacts` that may push. A rod that does not come to an end
    /// on its own may with others.
    pub(in crate::step) fn deactivate(
        &mut self,
        contacts: &mut Vec<Contact>,
        rods: &[RodWork],
        model: &Model,
        dt: f64,
    ) {
        for (alone, work) in self.alone.iter_mut().zip(rods) {
            *alone &= work.outcome.converged;
        }
        if !self.alone.contains(&true) {
            return;
        }
        for contact in contacts.iter() {
            if self.has_alone(contact) && closes(contact, rods, model, dt) {
                self.join(contact);
            }
        }
        let mut aside = core::mem::take(&mut self.aside);
        contacts.retain(|contact| {
            let keep = !self.has_alone(contact);
            if !keep {
                aside.push(*contact);
            }
            keep
        });
        self.aside = aside;
    }

    /// With the rest solved together, gives back to `contacts` what has closed, and what goes with it. False if nothing
    /// has.
    pub(in crate::step) fn reactivate(
        &mut self,
        contacts: &mut Vec<Contact>,
        rods: &[RodWork],
        model: &Model,
        dt: f64,
    ) -> bool {
        let mut any = false;
        for k in 0..self.aside.len() {
            let contact = self.aside[k];
            if closes(&contact, rods, model, dt) {
                any = true;
                self.join(&contact);
            }
        }
        if !any {
            return false;
        }
        self.passes += 1;
        if self.passes >= model.settings.tuning.active_set_passes as usize {
            self.alone.fill(false);
        }
        let mut aside = core::mem::take(&mut self.aside);
        aside.retain(|contact| {
            let stays = self.has_alone(contact);
            if !stays {
                contacts.push(*contact);
            }
            stays
        });
        self.aside = aside;
        true
    }

    /// Nothing moves on its own.
    pub(in crate::step) fn clear(&mut self, model: &Model) {
        self.aside.clear();
        self.alone.clear();
        self.alone.resize(model.rods.len(), false);
    }
}

/// Whether a tree neither moves nor can.
fn is_at_rest(model: &Model, work: &TreeWork, tree: usize) -> bool {
    let base = &work.next_base;
    model.trees[tree].tree.velocity_count() == 0 && base.linear == DVec3::ZERO && base.angular == DVec3::ZERO
}

/// Whether the gap of an open contact closes with the present velocities. What is not a rod does not move.
fn closes(contact: &Contact, rods: &[RodWork], model: &Model, dt: f64) -> bool {
    let mut velocity = DVec3::ZERO;
    for (side, sign) in contact.sides.iter().zip([1.0, -1.0]) {
        if let Side::Edge { rod, edge, fraction } = *side {
            let (v, e) = (&rods[rod as usize].motion.v, edge as usize);
            let node = |i: usize| DVec3::new(v[i][0], v[i][1], v[i][2]);
            let (from, to) = (node(e), node(model.rods[rod as usize].edge_end(e)));
            velocity += sign * (from + fraction * (to - from));
        }
    }
    contact.gap + dt * contact.normal.dot(velocity) <= 0.0
}
