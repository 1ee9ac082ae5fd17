//! Limits: a joint is kept in its range.

use super::kind::{Assembly, Constraint, Observation, Observed};
use ropewalk_contact::Law;
use ropewalk_contact::law::spring::Spring;
use ropewalk_contact::law::{self, ParameterError, Rows};

/// The range of a degree of freedom of a tree, m or rad.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointLimit {
    pub(in crate::step) tree: usize,
    pub(in crate::step) dof: usize,
    position: f64,
    range: [f64; 2],
}

impl Constraint for JointLimit {
    const ROWS: usize = 1;

    fn add(assembly: &mut Assembly<'_>) {
        for (t, of) in assembly.model.trees.iter().enumerate() {
            for (link, joint) in of.tree.links().iter().map(|l| &l.joint).enumerate() {
                if joint.limits.iter().any(|l| l.is_finite()) {
                    let (q, dof) = (of.tree.q_range(link).start, of.tree.v_range(link).start);
                    let position = assembly.start.state.trees[t].q[q];
                    assembly.rows.add_joint(&assembly.start, t, dof, 1.0);
                    assembly.finish(JointLimit { tree: t, dof, position, range: joint.limits });
                }
            }
        }
    }

    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
        let [lower, upper] = self.range;
        Ok(law::JointLimit::new(self.position, lower, upper, &Spring::default(), weight, dt)?.into())
    }

    fn observe(&self, impulse: Rows, _at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        out.sensed.limits[self.tree][self.dof] += impulse[0];
        0.0
    }
}
