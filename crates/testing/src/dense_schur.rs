//! The paper's method: a dense Schur complement on the participating DoFs, then Newton's method with dense
//! factorizations.
//!
//! ```text
//!   S_p = A_pp − A_pn A_nn⁻¹ A_np,     v_n − v*_n = −A_nn⁻¹ A_np (v_p − v*_p)
//! ```
//!
//! Plain loops without sparsity, islands, continuation or cached analysis: a reference for
//! [`ropewalk_contact::Solver`] that shares only the laws with it. Its cost grows with the
//! cube of the participating DoFs.

use ropewalk_contact::law::{ConstraintLaw, Rows};
use ropewalk_contact::{IslandReport, Options, Problem, ProblemError, Solution, Status};

/// A dense matrix by rows.
#[derive(Clone)]
struct Dense {
    size: usize,
    entries: Vec<f64>,
}

impl Dense {
    fn zeros(size: usize) -> Self {
        Self { size, entries: vec![0.0; size * size] }
    }
    fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.size..][..self.size]
    }
    fn at(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.entries[i * self.size + j]
    }
    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        (0..self.size).map(|i| dot(self.row(i), x)).collect()
    }
    /// Lower Cholesky factor in place; on failure the row.
    fn factorize(&mut self) -> Result<(), usize> {
        for i in 0..self.size {
            for j in 0..=i {
                let sum = self.row(i)[j] - dot(&self.row(i)[..j], &self.row(j)[..j]);
                if i != j {
                    *self.at(i, j) = sum / self.row(j)[j];
                } else if sum > 0.0 && sum.is_finite() {
                    *self.at(i, i) = sum.sqrt();
                } else {
                    return Err(i);
                }
            }
        }
        Ok(())
    }
    /// x ← (L Lᵀ)⁻¹ x with L from [`Self::factorize`].
    fn solve(&self, x: &mut [f64]) {
        for i in 0..self.size {
            x[i] = (x[i] - dot(&self.row(i)[..i], &x[..i])) / self.row(i)[i];
        }
        for i in (0..self.size).rev() {
            let below: f64 = (i + 1..self.size).map(|k| self.row(k)[i] * x[k]).sum();
            x[i] = (x[i] - below) / self.row(i)[i];
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The problem on participating DoFs, dense.
struct Reduced {
    /// Participating and other DoFs, as indices in the problem's vectors.
    taking_part: Vec<usize>,
    others: Vec<usize>,
    schur: Dense,
    /// m_p − A_pn A_nn⁻¹ m_n.
    residual: Vec<f64>,
    /// −½ m_nᵀA_nn⁻¹m_n.
    constant: f64,
    /// A_nn⁻¹ A_np by participating DoF, and A_nn⁻¹ m_n.
    response: Vec<Vec<f64>>,
    free: Vec<f64>,
    /// By constraint and row: J on the participating DoFs.
    jacobian: Vec<[Vec<f64>; 3]>,
}

fn reduce(problem: &Problem) -> Result<Reduced, Status> {
    let n = problem.v_star.len();
    let mut a = Dense::zeros(n);
    for e in problem.matrix.pattern().entries() {
        let tile = &problem.matrix.tiles()[e.slot as usize];
        for r in 0..4 {
            for c in 0..4 {
                let (i, j) = (4 * e.row as usize + r, 4 * e.column as usize + c);
                *a.at(i, j) = tile.get(r, c);
                *a.at(j, i) = tile.get(r, c);
            }
        }
    }
    let mut takes_part = vec![false; n];
    for &tile in problem.constraints.all_tiles() {
        takes_part[4 * tile as usize..][..4].fill(true);
    }
    let taking_part: Vec<usize> = (0..n).filter(|&i| takes_part[i]).collect();
    let others: Vec<usize> = (0..n).filter(|&i| !takes_part[i]).collect();
    let mut a_nn = Dense::zeros(others.len());
    for (i, &row) in others.iter().enumerate() {
        for (j, &column) in others.iter().enumerate() {
            *a_nn.at(i, j) = a.row(row)[column];
        }
    }
    a_nn.factorize().map_err(|i| Status::NotPositiveDefinite { tile: others[i] / 4, dof: others[i] % 4 })?;
    let m = |dof: usize| problem.residual.get(dof).copied().unwrap_or(0.0);
    let mut free: Vec<f64> = others.iter().map(|&i| m(i)).collect();
    a_nn.solve(&mut free);
    let constant = -0.5 * others.iter().zip(&free).map(|(&i, x)| m(i) * x).sum::<f64>();
    let coupling: Vec<Vec<f64>> =
        taking_part.iter().map(|&p| others.iter().map(|&o| a.row(o)[p]).collect()).collect();
    let mut response = coupling.clone();
    response.iter_mut().for_each(|column| a_nn.solve(column));
    let mut schur = Dense::zeros(taking_part.len());
    for (i, &row) in taking_part.iter().enumerate() {
        for (j, &column) in taking_part.iter().enumerate() {
            *schur.at(i, j) = a.row(row)[column] - dot(&coupling[i], &response[j]);
        }
    }
    let residual = taking_part.iter().zip(&coupling).map(|(&i, c)| m(i) - dot(c, &free)).collect();
    let constraints = &problem.constraints;
    let jacobian = (0..constraints.len())
        .map(|i| {
            [0, 1, 2].map(|row| {
                let mut full = vec![0.0; n];
                for (&tile, rows) in constraints.tiles(i).iter().zip(constraints.jacobian(i)) {
                    full[4 * tile as usize..][..4].copy_from_slice(&rows[row]);
                }
                taking_part.iter().map(|&p| full[p]).collect()
            })
        })
        .collect();
    Ok(Reduced { taking_part, others, schur, residual, constant, response, free, jacobian })
}

/// Solves `problem` from v*. Meant for small problems; see the module.
pub fn solve_dense_schur(problem: &Problem, options: &Options) -> Result<Solution, ProblemError> {
    problem.validate(None)?;
    let mut solution = Solution { v: problem.v_star.clone(), ..Solution::default() };
    solution.impulses = vec![[0.0; 3]; problem.constraints.len()];
    let mut report = IslandReport { constraint_count: problem.constraints.len(), ..Default::default() };
    match reduce(problem) {
        Ok(reduced) => {
            report.status =
                iterate(problem, &reduced, options, &mut solution, &mut report.line_search_evaluations);
        }
        Err(status) => report.status = status,
    }
    solution.status = report.status;
    solution.iterations = solution.cost_history.len().saturating_sub(1);
    solution.objective = solution.cost_history.last().copied().unwrap_or(0.0);
    solution.islands = vec![report];
    Ok(solution)
}

/// Newton's method on the reduced problem; v and impulses go into `solution`.
fn iterate(
    problem: &Problem,
    reduced: &Reduced,
    options: &Options,
    solution: &mut Solution,
    evaluations: &mut usize,
) -> Status {
    let constraints = &problem.constraints;
    let count = constraints.len();
    let mut u: Vec<Rows> = (0..count)
        .map(|i| {
            let (v, bias) = (constraints.velocity(i, &problem.v_star), constraints.bias(i));
            [0, 1, 2].map(|row| v[row] - bias[row])
        })
        .collect();
    let mut x = vec![0.0; reduced.taking_part.len()];
    let status = loop {
        // p = S x + m, the gradient is p − Jᵀλ.
        let p: Vec<f64> =
            reduced.schur.multiply(&x).iter().zip(&reduced.residual).map(|(s, m)| s + m).collect();
        let impulses: Vec<Rows> = (0..count).map(|i| constraints.law(i).impulse(u[i])).collect();
        let costs: f64 = (0..count).map(|i| constraints.law(i).cost(u[i])).sum();
        let momentum = 0.5 * (dot(&x, &p) + dot(&x, &reduced.residual));
        solution.cost_history.push(momentum + costs + reduced.constant);
        let pushed = reduced.pushed(&impulses);
        let gradient: Vec<f64> = p.iter().zip(&pushed).map(|(p, q)| p - q).collect();
        solution.impulses = impulses;
        let size = reduced.scaled_norm(problem, &p).max(reduced.scaled_norm(problem, &pushed));
        if reduced.scaled_norm(problem, &gradient) <= options.tolerance * size {
            break Status::Converged;
        }
        if solution.cost_history.len() > options.max_iterations {
            break Status::IterationLimit;
        }
        let mut hessian = reduced.hessian(problem, &u);
        if let Err(i) = hessian.factorize() {
            let dof = reduced.taking_part[i];
            break Status::NotPositiveDefinite { tile: dof / 4, dof: dof % 4 };
        }
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        hessian.solve(&mut step);
        let du: Vec<Rows> =
            reduced.jacobian.iter().map(|rows| [0, 1, 2].map(|row| dot(&rows[row], &step))).collect();
        let (linear, quadratic) = (dot(&p, &step), dot(&reduced.schur.multiply(&step), &step));
        let slope = dot(&gradient, &step);
        if slope >= 0.0 {
            break Status::RoundOff;
        }
        let along = |a: f64, i: usize| [0, 1, 2].map(|row| u[i][row] + a * du[i][row]);
        let (alpha, tried) = root_of_slope(options.line_search_tolerance * slope.abs(), |a| {
            let pushes = (0..count).map(|i| dot(&constraints.law(i).impulse(along(a, i)), &du[i]));
            linear + a * quadratic - pushes.sum::<f64>()
        });
        *evaluations += tried;
        x.iter_mut().zip(&step).for_each(|(x, d)| *x += alpha * d);
        for (u, du) in u.iter_mut().zip(&du) {
            u.iter_mut().zip(du).for_each(|(u, d)| *u += alpha * d);
        }
    };
    reduced.expand(&x, &mut solution.v);
    status
}

impl Reduced {
    /// Jᵀλ on the participating DoFs.
    fn pushed(&self, impulses: &[Rows]) -> Vec<f64> {
        let mut pushed = vec![0.0; self.taking_part.len()];
        for (jacobian, lambda) in self.jacobian.iter().zip(impulses) {
            for (row, l) in jacobian.iter().zip(lambda) {
                pushed.iter_mut().zip(row).for_each(|(sum, j)| *sum += j * l);
            }
        }
        pushed
    }

    /// The norm of a momentum, each entry over the root of its diagonal entry in A.
    fn scaled_norm(&self, problem: &Problem, momentum: &[f64]) -> f64 {
        let dofs = self.taking_part.iter().zip(momentum);
        dofs.map(|(&dof, y)| y * y / problem.matrix.diagonal(dof / 4).get(dof % 4, dof % 4))
            .sum::<f64>()
            .sqrt()
    }

    /// S + Jᵀ G J, where G are the Hessians of the laws at `u`.
    fn hessian(&self, problem: &Problem, u: &[Rows]) -> Dense {
        let mut hessian = self.schur.clone();
        for (i, jacobian) in self.jacobian.iter().enumerate() {
            let g = problem.constraints.law(i).hessian(u[i]);
            for (a, row_a) in jacobian.iter().enumerate() {
                for (b, row_b) in jacobian.iter().enumerate() {
                    for (r, j_a) in row_a.iter().enumerate().filter(|(_, j)| **j != 0.0) {
                        for (c, j_b) in row_b.iter().enumerate() {
                            *hessian.at(r, c) += j_a * g[a][b] * j_b;
                        }
                    }
                }
            }
        }
        hessian
    }

    /// Adds the change `x` of the participating DoFs to `v`, and the resulting change of the others.
    fn expand(&self, x: &[f64], v: &mut [f64]) {
        for (&dof, x) in self.taking_part.iter().zip(x) {
            v[dof] += x;
        }
        for (at, &dof) in self.others.iter().enumerate() {
            let follows: f64 = self.response.iter().zip(x).map(|(column, x)| column[at] * x).sum();
            v[dof] -= follows + self.free[at];
        }
    }
}

/// The zero of the slope of a convex function, by doubling and bisection from the full step; and the number of
/// evaluations.
fn root_of_slope(small: f64, slope: impl Fn(f64) -> f64) -> (f64, usize) {
    let (mut low, mut high, mut alpha) = (0.0, f64::INFINITY, 1.0);
    for evaluations in 1..200 {
        let here = slope(alpha);
        if here.abs() <= small {
            return (alpha, evaluations);
        }
        // Overflow lies beyond the root.
        if here < 0.0 {
            low = alpha;
        } else {
            high = alpha;
        }
        let next = if high == f64::INFINITY { 2.0 * low } else { low + 0.5 * (high - low) };
        if next <= low || next >= high {
            return (if low > 0.0 { low } else { high }, evaluations);
        }
        alpha = next;
    }
    (alpha, 200)
}
