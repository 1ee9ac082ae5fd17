//! Dry friction in joints.

use super::kind::{Assembly, Constraint, Observation, Observed};
use ropewalk_contact::Law;
use ropewalk_contact::law::{self, ParameterError, Rows};

/// Dry friction in a degree of freedom of a tree, N or N·m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DryFriction {
    tree: usize,
    dof: usize,
    effort: f64,
}

impl Constraint for DryFriction {
    const ROWS: usize = 1;

    fn add(assembly: &mut Assembly<'_>) {
        for (t, of) in assembly.model.trees.iter().enumerate() {
            for (link, joint) in of.tree.links().iter().map(|l| &l.joint).enumerate() {
                if joint.dry_friction > 0.0 {
                    for dof in of.tree.v_range(link) {
                        assembly.rows.add_joint(&assembly.start, t, dof, 1.0);
                        assembly.finish(DryFriction { tree: t, dof, effort: joint.dry_friction });
                    }
                }
            }
        }
    }

    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
        Ok(law::DryFriction::new(self.effort, law::DryFriction::DEFAULT_SIGMA, weight, dt)?.into())
    }

    fn observe(&self, impulse: Rows, _at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
        out.sensed.frictions[self.tree][self.dof] += impulse[0];
        0.0
    }
}
