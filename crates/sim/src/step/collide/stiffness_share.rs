//! Collide: a stiffness that was given for one contact is shared by the rows of one rod on one obstacle that are close
//! together. Hard rows need no shares: rows close together split the impulse, and open ones give none.

use crate::step::collide::{Contact, Side};
use ropewalk_geometry::{RowPlace, shares};

/// Scratch of [`StiffnessShares::apply`].
#[derive(Clone, Debug, Default)]
pub(crate) struct StiffnessShares {
    /// What the contacts are between, where along the first rod, and which contact.
    order: Vec<([u64; 2], f64, usize)>,
    rows: Vec<RowPlace>,
}

impl StiffnessShares {
    /// Multiplies given stiffnesses of contacts of rods at points by their shares; contacts that do not
    /// overlap count as if they did by `least` (m).
    pub(in crate::step) fn apply(&mut self, contacts: &mut [Contact], least: f64) {
        let Self { order, rows } = self;
        order.clear();
        for (c, contact) in contacts.iter().enumerate() {
            if contact.polygon.is_some() || contact.surface.stiffness.is_none() {
                continue;
            }
            if let [Side::Edge { rod, edge, fraction }, other] = contact.sides {
                let other = match other {
                    Side::Edge { rod, .. } => u64::from(rod),
                    Side::Link { tree, shape, .. } => 1 << 63 | u64::from(tree) << 32 | u64::from(shape),
                };
                order.push(([u64::from(rod), other], f64::from(edge) + fraction, c));
            }
        }
        order.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            rows.clear();
            rows.extend(group.iter().map(|&(_, along, c)| {
                let Contact { normal, gap, .. } = contacts[c];
                RowPlace { along, normal, gap }
            }));
            shares(rows, least, |row, share| {
                let stiffness = &mut contacts[group[row].2].surface.stiffness;
                *stiffness = stiffness.map(|k| k * share);
            });
        }
    }
}
