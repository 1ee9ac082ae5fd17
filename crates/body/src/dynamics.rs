//! Equations of motion of a tree in continuous time:
//!
//! M(q) v̇ + C(q, v) = τ + G(q) − d v − k (q − q̄)
//!
//! | symbol | name | meaning |
//! |---|---|---|
//! | M | `mass_matrix` | mass matrix, armature included |
//! | C | `bias` | Coriolis and centrifugal efforts |
//! | G | `gravity_force` | efforts of gravity |
//! | d, k, q̄ | `damping`, `spring_stiffness`, `spring_rest` of joints | their resistance |
//!
//! Dry friction, limits and mimic joints are constraints and not included here. [`Dynamics`] owns its scratch; the
//! free functions of the same names allocate their own.

use crate::composite::mass_matrix_into;
use crate::dense::{DenseCholesky, NotPositive};
use crate::inertia::Inertia;
use crate::kinematics::Kinematics;
use crate::newton_euler::{SpatialForce, bias_into, gravity_into};
use crate::tree::Tree;
use glam::DVec3;

/// Scratch for the dynamics of one tree; nothing is allocated after [`Dynamics::new`].
#[derive(Clone, Debug)]
pub struct Dynamics {
    composite: Vec<Inertia>,
    wrenches: Vec<SpatialForce>,
    mass: Vec<f64>,
    effort: Vec<f64>,
    factor: DenseCholesky,
}

impl Dynamics {
    /// Scratch for `tree`.
    pub fn new(tree: &Tree) -> Self {
        let n = tree.velocity_count();
        Self {
            composite: vec![Inertia::ZERO; tree.links().len()],
            wrenches: vec![SpatialForce::default(); tree.links().len()],
            mass: vec![0.0; n * n],
            effort: vec![0.0; n],
            factor: DenseCholesky::new(n),
        }
    }

    /// M into `out`, n×n by rows.
    pub fn mass_matrix(&mut self, tree: &Tree, kinematics: &Kinematics, out: &mut [f64]) {
        mass_matrix_into(tree, kinematics, &mut self.composite, out);
    }

    /// C into `out`.
    pub fn bias(&mut self, tree: &Tree, kinematics: &Kinematics, out: &mut [f64]) {
        bias_into(tree, kinematics, &mut self.wrenches, out);
    }

    /// G into `out`.
    pub fn gravity_force(&mut self, tree: &Tree, kinematics: &Kinematics, gravity: DVec3, out: &mut [f64]) {
        gravity_into(tree, kinematics, gravity, &mut self.wrenches, out);
    }

    /// v̇ into `out`, under the efforts `tau` (N or N·m) and gravity. `kinematics` belongs to `q` and `v`.
    pub fn acceleration(
        &mut self,
        tree: &Tree,
        kinematics: &Kinematics,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        gravity: DVec3,
        out: &mut [f64],
    ) -> Result<(), NotPositive> {
        bias_into(tree, kinematics, &mut self.wrenches, out);
        gravity_into(tree, kinematics, gravity, &mut self.wrenches, &mut self.effort);
        for k in 0..out.len() {
            out[k] = tau[k] + self.effort[k] - out[k];
        }
        for (i, link) in tree.links().iter().enumerate() {
            for k in tree.v_range(i) {
                out[k] -= link.joint.damping * v[k];
            }
            if link.joint.spring_stiffness > 0.0 {
                let stretch = q[tree.q_range(i).start] - link.joint.spring_rest;
                out[tree.v_range(i).start] -= link.joint.spring_stiffness * stretch;
            }
        }
        mass_matrix_into(tree, kinematics, &mut self.composite, &mut self.mass);
        self.factor.factor(&self.mass)?;
        self.factor.solve(out);
        Ok(())
    }
}

/// M into `out`, n×n by rows; see [`Dynamics::mass_matrix`] for loops.
pub fn mass_matrix(tree: &Tree, kinematics: &Kinematics, out: &mut [f64]) {
    mass_matrix_into(tree, kinematics, &mut vec![Inertia::ZERO; tree.links().len()], out);
}

/// C into `out`; see [`Dynamics::bias`] for loops.
pub fn bias(tree: &Tree, kinematics: &Kinematics, out: &mut [f64]) {
    bias_into(tree, kinematics, &mut vec![SpatialForce::default(); tree.links().len()], out);
}

/// G into `out`; see [`Dynamics::gravity_force`] for loops.
pub fn gravity_force(tree: &Tree, kinematics: &Kinematics, gravity: DVec3, out: &mut [f64]) {
    gravity_into(tree, kinematics, gravity, &mut vec![SpatialForce::default(); tree.links().len()], out);
}
