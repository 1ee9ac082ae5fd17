//! The normal equations of a fit: loss, gradient and Gauss–Newton matrix over all measurements, with derivatives by
//! finite differences.
//!
//! A window is predicted with 1 + p cables, p the number of parameters; windows are distributed over threads, and
//! their sums are added in order, so that the result does not depend on the number of threads.
//!
//! *Free starts* (multiple shooting). The inner markers of the two frames at the start of a window are measured like
//! all others. With free starts, their true positions m + z are unknowns of the window, and z are residuals as well.
//! They are eliminated window by window: with the blocks of the normal equations
//!
//! (H_pp − H_pz H_zz⁻¹ H_zp) Δp = −(g_p − H_pz H_zz⁻¹ g_z),   Δz = −H_zz⁻¹ (g_z + H_zp Δp).

use crate::cable::Cable;
use crate::dense::{Matrix, inverse, zeros};
use crate::error::FitError;
use crate::parameter::Parameter;
use crate::robust::Loss;
use crate::task::Task;
use rayon::prelude::*;

/// Displacement of a marker by which derivatives with respect to a start are taken, m.
const START_DIFFERENCE: f64 = 1e-5;

/// Loss and, if requested, derivatives of one window or several.
#[derive(Clone, Debug)]
pub struct Sums {
    /// Σ ρ(r), m².
    pub loss: f64,
    /// Σ w r², m².
    pub squares: f64,
    /// Number of residuals, without those of free starts, which add as many unknowns.
    pub count: usize,
    /// Σ w r ∂r, starts eliminated.
    pub gradient: Vec<f64>,
    /// Σ w ∂r ∂rᵀ, starts eliminated.
    pub matrix: Matrix,
    /// −H_zz⁻¹ g_z and, row by row, −H_zz⁻¹ H_zp; empty for measured starts.
    pub start: (Vec<f64>, Matrix),
}

impl Sums {
    /// Zero sums for `n` parameters.
    pub fn nothing(n: usize) -> Self {
        Self {
            loss: 0.0,
            squares: 0.0,
            count: 0,
            gradient: vec![0.0; n],
            matrix: zeros(n),
            start: (Vec::new(), Vec::new()),
        }
    }

    /// Adds another window.
    pub fn add(&mut self, other: &Self) {
        self.loss += other.loss;
        self.squares += other.squares;
        self.count += other.count;
        for (a, b) in self.gradient.iter_mut().zip(&other.gradient) {
            *a += b;
        }
        for (a, b) in self.matrix.iter_mut().flatten().zip(other.matrix.iter().flatten()) {
            *a += b;
        }
    }

    /// Δz for a change Δp of the parameters.
    pub fn start_step(&self, step: &[f64]) -> Vec<f64> {
        let (own, coupled) = &self.start;
        let dot = |row: &Vec<f64>| row.iter().zip(step).map(|(a, b)| a * b).sum::<f64>();
        own.iter().zip(coupled).map(|(z, row)| z + dot(row)).collect()
    }

    /// Eliminates all unknowns but the first `n`.
    fn eliminate(mut self, n: usize) -> Self {
        let all = self.gradient.len();
        if all == n {
            return self;
        }
        let hzz: Matrix = (n..all).map(|i| self.matrix[i][n..].to_vec()).collect();
        // H_zz contains the identity from the starts' own residuals, and so is positive definite.
        let Some(inverse) = inverse(&hzz) else {
            return Self { gradient: vec![0.0; n], matrix: zeros(n), ..self };
        };
        let apply = |x: &dyn Fn(usize) -> f64| -> Vec<f64> {
            inverse
                .iter()
                .map(|row| -row.iter().enumerate().map(|(j, a)| a * x(n + j)).sum::<f64>())
                .collect()
        };
        let own = apply(&|j| self.gradient[j]);
        let columns: Vec<Vec<f64>> = (0..n).map(|p| apply(&|j| self.matrix[j][p])).collect();
        let mut matrix = zeros(n);
        let mut gradient = vec![0.0; n];
        for p in 0..n {
            let hpz = &self.matrix[p][n..];
            let dot = |x: &[f64]| hpz.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
            gradient[p] = self.gradient[p] + dot(&own);
            for (q, column) in columns.iter().enumerate() {
                matrix[p][q] = self.matrix[p][q] + dot(column);
            }
        }
        let coupled = (0..all - n).map(|z| columns.iter().map(|c| c[z]).collect()).collect();
        self.start = (own, coupled);
        Self { gradient, matrix, ..self }
    }
}

/// The cable at search coordinates `x`.
pub fn cable_at(cable: &Cable, parameters: &[Parameter], x: &[f64]) -> Cable {
    let mut out = cable.clone();
    for (p, x) in parameters.iter().zip(x) {
        p.set(&mut out.parameters, p.from_coordinate(*x));
    }
    out
}

/// The problem: the cable, the parameters to fit, the time between frames and the loss.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The cable, with the fixed parameters.
    pub cable: &'a Cable,
    /// The parameters to fit.
    pub parameters: &'a [Parameter],
    /// Time between frames, s.
    pub frame_time: f64,
    /// The loss.
    pub loss: Loss,
}

impl Problem<'_> {
    /// The sums of each window at `x`.
    pub fn evaluate(&self, x: &[f64], tasks: &[Task<'_>], derivatives: bool) -> Vec<Result<Sums, FitError>> {
        let base = cable_at(self.cable, self.parameters, x);
        let mut shifted = Vec::new();
        if derivatives {
            for (k, p) in self.parameters.iter().enumerate() {
                // Coordinates next to the upper bound move down.
                let up = x[k] + p.difference() <= p.coordinate(p.bounds()[1]);
                let by = if up { p.difference() } else { -p.difference() };
                let mut x = x.to_vec();
                x[k] += by;
                shifted.push((cable_at(self.cable, self.parameters, &x), by));
            }
        }
        let one = |task: &Task<'_>| self.window(task, &base, &shifted, derivatives);
        tasks.par_iter().map(one).collect()
    }

    fn window(
        &self,
        task: &Task<'_>,
        base: &Cable,
        shifted: &[(Cable, f64)],
        derivatives: bool,
    ) -> Result<Sums, FitError> {
        let predict = |cable: &Cable, start: &[f64]| task.predicted(cable, self.frame_time, start);
        let at = predict(base, &task.start)?;
        let mut columns = Vec::with_capacity(shifted.len());
        for (cable, by) in shifted {
            columns.push((predict(cable, &task.start)?, 1.0 / by));
        }
        let n = columns.len();
        if derivatives {
            for k in 0..task.start.len() {
                let mut start = task.start.clone();
                start[k] += START_DIFFERENCE;
                columns.push((predict(base, &start)?, 1.0 / START_DIFFERENCE));
            }
        }
        Ok(sum_up(task, &at, &columns, n, self.loss).eliminate(n))
    }
}

/// Sums all residuals; the first `n` columns belong to parameters, the others to the start.
fn sum_up(task: &Task<'_>, at: &[f64], columns: &[(Vec<f64>, f64)], n: usize, loss: Loss) -> Sums {
    let all = columns.len();
    let mut sums = Sums::nothing(all);
    let mut row = vec![0.0; all];
    for (i, measured) in task.measured().into_iter().enumerate().filter(|(_, x)| x.is_finite()) {
        let r = at[i] - measured;
        for (d, (there, scale)) in row.iter_mut().zip(columns) {
            *d = (there[i] - at[i]) * scale;
        }
        sums.count += 1;
        add_residual(&mut sums, r, &row, loss);
    }
    for (k, &z) in task.start.iter().enumerate() {
        row.fill(0.0);
        if n + k < all {
            row[n + k] = 1.0;
        }
        add_residual(&mut sums, z, &row, loss);
    }
    for i in 0..all {
        for j in 0..i {
            sums.matrix[j][i] = sums.matrix[i][j];
        }
    }
    sums
}

fn add_residual(sums: &mut Sums, r: f64, row: &[f64], loss: Loss) {
    let w = loss.weight(r);
    sums.loss += loss.value(r);
    sums.squares += w * r * r;
    for (i, (d, matrix)) in row.iter().zip(&mut sums.matrix).enumerate() {
        sums.gradient[i] += w * r * d;
        let wd = w * d;
        for (m, e) in matrix.iter_mut().zip(&row[..=i]) {
            *m += wd * e;
        }
    }
}
