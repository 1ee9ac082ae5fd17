//! Mimic joints: a joint follows another.

use super::kind::{Assembly, Constraint, Observation, Observed};
use ropewalk_contact::Law;
use ropewalk_contact::law::spring::Spring;
use ropewalk_contact::law::{Coupler, ParameterError, Rows};

/// The joint of a link follows another, m or rad.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mimic {
    tree: usize,
    link: usize,
    follower: f64,
    leader: f64,
    ratio: f64,
    offset: f64,
}

impl Constraint for Mimic {
    const ROWS: usize = 1;

    fn add(assembly: &mut Assembly<'_>) {
        for (t, of) in assembly.model.trees.iter().enumerate() {
            let (tree, q) = (&of.tree, &assembly.start.state.trees[t].q);
            for (link, joint) in tree.links().iter().map(|l| &l.joint).enumerate() {
                let Some(mimic) = joint.mimic else { continue };
                let [follower, leader] = [link, mimic.leader].map(|l| q[tree.q_range(l).start]);
                let (ratio, offset) = (mimic.multiplier, mimic.offset);
                assembly.rows.add_joint(&assembly.start, t, tree.v_range(link).start, 1.0);
                assembly.rows.add_joint(&assembly.start, t, tree.v_range(mimic.leader).start, -ratio);
                assembly.finish(Mimic { tree: t, link, follower, leader, ratio, offset });
            }
        }
    }

    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
        let Self { follower, leader, ratio, offset, .. } = *self;
        Ok(Coupler::new(follower, leader, ratio, offset, &Spring::default(), weight, dt)?.into())
    }

    fn observe(&self, impulse: Rows, _at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        out.sensed.mimics[self.tree][self.link] += impulse[0];
        0.0
    }
}
