//! Dense in, dense out: frictional contacts with the `sap` law from plain arrays.
//!
//! For scripts, checks and small problems. All of A is one block, so that w of a contact is exact: w = ‖(J A⁻¹
//! Jᵀ)_ii‖_F/3.

use crate::law::spring::Spring;
use crate::law::{ParameterError, SapContact};
use crate::problem::constraints::JacobianTile;
use crate::problem::effective_mass::DiagonalBlocks;
use crate::problem::{Problem, ProblemError};
use crate::solver::Solver;
use crate::solver::newton::Options;
use crate::solver::solution::{Solution, Status};
use thiserror::Error;

/// Frictional contacts between unknowns with a dense matrix. Rows per contact: (t1, t2, n).
#[derive(Clone, Copy, Debug)]
pub struct ContactSolve<'a> {
    /// A by rows, n×n, symmetric positive definite.
    pub a: &'a [Vec<f64>],
    /// J by rows, 3c×n.
    pub j: &'a [Vec<f64>],
    /// v*, n.
    pub v_star: &'a [f64],
    /// φ0 of each contact, m. Not read where `bias` is given.
    pub phi0: &'a [f64],
    /// μ of each contact.
    pub mu: &'a [f64],
    /// δt, s.
    pub dt: f64,
    /// Stiffness of each contact, N/m (one value: of all). Not read where `regularization` is given.
    pub k: Option<&'a [f64]>,
    /// τ_d of each contact, s (one value: of all; empty: 0).
    pub tau_d: &'a [f64],
    /// σ = R_t/w.
    pub sigma: f64,
    /// β of the near-rigid bound.
    pub near_rigid_beta: f64,
    /// R, 3c, with both tangential values of a contact equal.
    pub regularization: Option<&'a [f64]>,
    /// v̂, 3c.
    pub bias: Option<&'a [f64]>,
}

impl Default for ContactSolve<'_> {
    fn default() -> Self {
        Self {
            a: &[],
            j: &[],
            v_star: &[],
            phi0: &[],
            mu: &[],
            dt: 0.0,
            k: None,
            tau_d: &[],
            sigma: 1e-3,
            near_rigid_beta: 0.0,
            regularization: None,
            bias: None,
        }
    }
}

/// The dense result.
#[derive(Clone, Debug, Default)]
pub struct ContactSolution {
    /// v, n.
    pub v: Vec<f64>,
    /// λ, 3c, N·s.
    pub lambda: Vec<f64>,
    /// ½|v − v*|²_A + ½ λᵀRλ.
    pub objective: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// How it ended.
    pub status: Status,
}

/// Why arrays were refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ContactSolveError {
    /// An array has the wrong length.
    #[error("{name} has length {got}, expected {expected}")]
    Length {
        /// Its name.
        name: &'static str,
        /// Its length.
        got: usize,
        /// The right length.
        expected: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{name} is {value} at {place}: must be finite")]
    NotFinite {
        /// The array.
        name: &'static str,
        /// Where, counted from 0.
        place: String,
        /// What it is.
        value: f64,
    },
    /// A is not symmetric.
    #[error("A is not symmetric: A[{row}][{column}] = {value}, A[{column}][{row}] = {mirror}")]
    Asymmetric {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// Entry.
        value: f64,
        /// Its mirror image.
        mirror: f64,
    },
    /// A parameter of a contact is out of range.
    #[error("contact {contact}: {source}")]
    Parameter {
        /// The contact.
        contact: usize,
        /// What is wrong with it.
        source: ParameterError,
    },
    /// Neither stiffness, R nor a near-rigid bound is given.
    #[error("no compliance: give k, R, or near_rigid_beta > 0")]
    NoCompliance,
    /// The problem was refused.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

fn check_length(name: &'static str, got: usize, expected: usize) -> Result<(), ContactSolveError> {
    if got == expected { Ok(()) } else { Err(ContactSolveError::Length { name, got, expected }) }
}

fn check_vector(name: &'static str, values: &[f64], expected: usize) -> Result<(), ContactSolveError> {
    check_length(name, values.len(), expected)?;
    match values.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(ContactSolveError::NotFinite { name, place: format!("[{at}]"), value: values[at] }),
        None => Ok(()),
    }
}

fn check_matrix(name: &'static str, rows: &[Vec<f64>], columns: usize) -> Result<(), ContactSolveError> {
    for (i, row) in rows.iter().enumerate() {
        check_length(name, row.len(), columns)?;
        if let Some(j) = row.iter().position(|x| !x.is_finite()) {
            return Err(ContactSolveError::NotFinite { name, place: format!("[{i}][{j}]"), value: row[j] });
        }
    }
    Ok(())
}

/// `list[i]`, or its only entry, or `otherwise` if it is empty.
fn entry(list: &[f64], i: usize, otherwise: f64) -> f64 {
    if list.len() == 1 { list[0] } else { list.get(i).copied().unwrap_or(otherwise) }
}

impl ContactSolve<'_> {
    fn validate(&self) -> Result<usize, ContactSolveError> {
        let n = self.v_star.len();
        let contacts = self.mu.len();
        check_length("A", self.a.len(), n)?;
        check_matrix("A", self.a, n)?;
        check_length("J", self.j.len(), 3 * contacts)?;
        check_matrix("J", self.j, n)?;
        check_vector("v_star", self.v_star, n)?;
        check_vector("mu", self.mu, contacts)?;
        let broadcast = |list: &[f64]| if list.len() == 1 { 1 } else { contacts };
        match self.regularization {
            Some(r) => check_vector("R", r, 3 * contacts)?,
            None => {
                if let Some(k) = self.k {
                    check_vector("k", k, broadcast(k))?;
                } else if self.near_rigid_beta == 0.0 && contacts > 0 {
                    return Err(ContactSolveError::NoCompliance);
                }
                if !self.tau_d.is_empty() {
                    check_vector("tau_d", self.tau_d, broadcast(self.tau_d))?;
                }
            }
        }
        match self.bias {
            Some(bias) => check_vector("vhat", bias, 3 * contacts)?,
            None => check_vector("phi0", self.phi0, contacts)?,
        }
        let size = self.a.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        for row in 0..n {
            for column in 0..row {
                let (value, mirror) = (self.a[row][column], self.a[column][row]);
                if (value - mirror).abs() > 1e-9 * size {
                    return Err(ContactSolveError::Asymmetric { row, column, value, mirror });
                }
            }
        }
        Ok(n)
    }

    fn law(&self, contact: usize, weight: impl FnOnce() -> f64) -> Result<SapContact, ParameterError> {
        let spring = Spring {
            stiffness: self.k.map(|k| entry(k, contact, f64::NAN)),
            dissipation_time: entry(self.tau_d, contact, 0.0),
            near_rigid_beta: self.near_rigid_beta,
        };
        let bias = match self.bias {
            Some(bias) => [bias[3 * contact], bias[3 * contact + 1], bias[3 * contact + 2]],
            None => [0.0, 0.0, spring.bias(self.phi0[contact], self.dt)],
        };
        match self.regularization {
            Some(r) => {
                let r = &r[3 * contact..][..3];
                crate::law::require(r[0] == r[1], "R_t", r[1], "the same in both tangential rows")?;
                SapContact::from_regularization(self.mu[contact], r[0], r[2], bias)
            }
            None => {
                let weight = weight();
                let r_n = spring.regularization(weight, self.dt)?;
                crate::law::require(self.sigma > 0.0, "sigma", self.sigma, "positive")?;
                let r_t = if weight == 0.0 { f64::INFINITY } else { self.sigma * weight };
                SapContact::from_regularization(self.mu[contact], r_t, r_n, bias)
            }
        }
    }
}

/// Solves the problem of [`ContactSolve`].
pub fn solve_contacts(input: &ContactSolve<'_>) -> Result<ContactSolution, ContactSolveError> {
    let n = input.validate()?;
    let mut problem = Problem::default();
    if n > 0 {
        problem.blocks.add(n);
    }
    problem.matrix = problem.blocks.matrix([]);
    for row in 0..n {
        for column in 0..=row {
            problem.matrix.add_entry(row, column, 0.5 * (input.a[row][column] + input.a[column][row]));
        }
    }
    problem.v_star = input.v_star.to_vec();
    problem.v_star.resize(problem.blocks.vector_len(), 0.0);
    let mut diagonal = DiagonalBlocks::default();
    if let Err(e) = diagonal.update(&problem.blocks, &problem.matrix) {
        let status = Status::NotPositiveDefinite { tile: e.tile, dof: e.dof };
        let lambda = vec![0.0; 3 * input.mu.len()];
        return Ok(ContactSolution { v: input.v_star.to_vec(), lambda, status, ..Default::default() });
    }
    for contact in 0..input.mu.len() {
        let rows = &input.j[3 * contact..][..3];
        let jacobian: Vec<JacobianTile> = (0..problem.blocks.tile_count())
            .map(|tile| {
                let entry = |row: usize, c: usize| rows[row].get(4 * tile + c).copied().unwrap_or(0.0);
                let rows = [0, 1, 2].map(|row| [0, 1, 2, 3].map(|c| entry(row, c)));
                JacobianTile { tile, rows }
            })
            .filter(|part| part.rows != [[0.0; 4]; 3])
            .collect();
        let law = input
            .law(contact, || diagonal.weight(&jacobian, 3))
            .map_err(|source| ContactSolveError::Parameter { contact, source })?;
        problem.constraints.push(law, &jacobian);
    }
    let mut solution = Solution::new();
    Solver::new(Options { parallel: false, ..Options::default() }).solve(&problem, None, &mut solution)?;
    // Contacts with an empty Jacobian have a cost too, though no velocity changes it.
    let loose: f64 = (0..problem.constraints.len())
        .filter(|&i| problem.constraints.tiles(i).is_empty())
        .map(|i| {
            use crate::law::ConstraintLaw;
            let law = problem.constraints.law(i);
            law.cost(problem.constraints.bias(i).map(|b| -b))
        })
        .sum();
    Ok(ContactSolution {
        v: solution.v[..n].to_vec(),
        lambda: solution.impulses.iter().flatten().copied().collect(),
        objective: solution.objective + loose,
        iterations: solution.iterations,
        status: solution.status,
    })
}
