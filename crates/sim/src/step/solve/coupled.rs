//! The data of the solve of a step: contacts, constraints, islands, and their impulses.

use super::islands::Islands;
use crate::model::Model;
use crate::step::collide::look_ahead::Reaches;
use crate::step::collide::{CollisionDetection, Contact};
use crate::step::constrain::AnyConstraint;
use crate::step::constrain::Linearization;
use crate::step::constrain::contact_update::Measured;
use crate::step::constrain::friction_memory::MemoryMatches;
use crate::step::constrain::jacobian::ConstraintJacobian;
use crate::step::solve::active_set::ActiveSet;
use crate::step::solve::dof_map::DofMap;
use ropewalk_contact::law::{ConstraintLaw, Rows};

/// Contacts, constraints and islands of a step.
#[derive(Clone, Debug)]
pub(crate) struct CoupledSolve {
    pub(crate) dof_map: DofMap,
    pub(crate) collision: CollisionDetection,
    pub(crate) reaches: Reaches,
    pub(in crate::step) active_set: ActiveSet,
    pub(crate) rows: ConstraintJacobian,
    pub(crate) constraints: Vec<AnyConstraint>,
    /// What the rows of each contact stand for.
    pub(crate) linearized: Vec<Linearization>,
    /// Scratch of the contact update: contact, and what it is at the end of the step.
    pub(in crate::step) measured: Vec<(usize, Measured)>,
    /// Whether contacts have made energy in this sub-step, so that they push along the mean of their normals.
    pub(in crate::step) mean_normals: bool,
    /// The same: what is closed there without being held, and the contact that would have to.
    pub(in crate::step) late: Vec<(Option<usize>, Contact)>,
    /// What the rows of these would stand for.
    pub(in crate::step) late_rows: Vec<Linearization>,
    pub(crate) memory_matches: MemoryMatches,
    pub(in crate::step) islands: Islands,
    /// Length of the last sub-step, s.
    pub(in crate::step) dt: f64,
    /// Effort of each actuator, N or N·m.
    pub(crate) efforts: Vec<f64>,
    /// Impulses at the solution, by constraint.
    pub(crate) impulses: Vec<Rows>,
    /// Velocities of the rows there, with that of what drives them.
    pub(in crate::step) row_velocities: Vec<Rows>,
}

impl CoupledSolve {
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            dof_map: DofMap::new(model),
            rows: ConstraintJacobian::default(),
            collision: CollisionDetection::new(model),
            reaches: Reaches::new(model),
            active_set: ActiveSet::default(),
            constraints: Vec::new(),
            linearized: Vec::new(),
            measured: Vec::new(),
            mean_normals: false,
            late: Vec::new(),
            late_rows: Vec::new(),
            memory_matches: MemoryMatches::default(),
            islands: Islands::new(model),
            dt: 1.0,
            efforts: vec![0.0; model.actuators.len()],
            impulses: Vec::new(),
            row_velocities: Vec::new(),
        }
    }

    /// Reads off what the islands have come to.
    pub(in crate::step) fn read_islands(&mut self, dt: f64) {
        self.dt = dt;
        for vector in [&mut self.impulses, &mut self.row_velocities] {
            vector.clear();
            vector.resize(self.rows.len(), [0.0; 3]);
        }
        self.islands.read(&mut self.impulses, &mut self.row_velocities);
        // What acts on nothing that can move pushes as hard as its law has it.
        for c in (0..self.rows.len()).filter(|&c| self.rows.jacobian(c).is_empty()) {
            let driven = self.rows.driven[c];
            self.row_velocities[c] = driven;
            if let Ok(law) = self.constraints[c].law(0.0, dt) {
                let bias = law.bias();
                self.impulses[c] = law.impulse(core::array::from_fn(|row| driven[row] - bias[row]));
            }
        }
    }
}
