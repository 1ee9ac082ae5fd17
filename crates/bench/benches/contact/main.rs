//! Factorization and whole solves of the synthetic families, one thread.
//!
//! `cargo bench -p ropewalk-bench --bench contact`: also faer's sparse Cholesky and the dense Schur complement on the same
//! matrices, and a table of all.
#![allow(missing_docs, clippy::unwrap_used)]

mod baselines;
mod solver;

use criterion::{Criterion, criterion_group, criterion_main};
use ropewalk_contact::{Options, Solution, Solver};
use ropewalk_linalg::sparse::{Analysis, Factor};
use ropewalk_testing::contact_families::{FAMILIES, Family};
use ropewalk_testing::newton_matrix::NewtonMatrix;
use solver::{measure, table, with_baselines};
use std::hint::black_box;
use std::time::Duration;

fn factorizations(c: &mut Criterion) {
    let mut group = c.benchmark_group("factorize");
    for family in FAMILIES {
        let problem = family.build().unwrap();
        let newton = NewtonMatrix::assemble(&problem, &problem.v_star);
        let mut analysis = Analysis::default();
        newton.analyze(&mut analysis);
        let mut factor = Factor::default();
        factor.prepare(&analysis, &newton.entries);
        let tiles = newton.matrix.tiles();
        group.bench_function(format!("{family}/whole"), |b| {
            b.iter(|| black_box(factor.factor(&analysis, tiles)).unwrap());
        });
        factor.eliminate(&analysis, tiles).unwrap();
        group.bench_function(format!("{family}/participating"), |b| {
            b.iter(|| black_box(factor.refactor(&analysis, |_| {})).unwrap());
        });
        group.bench_function(format!("{family}/analysis"), |b| b.iter(|| newton.analyze(&mut analysis)));
        with_baselines(&newton, &analysis, &factor, |name, work| {
            group.bench_function(format!("{family}/{name}"), |b| b.iter(&mut *work));
        });
    }
    group.finish();
}

fn solves(c: &mut Criterion) {
    let mut group = c.benchmark_group("solve, 5 iterations");
    for family in FAMILIES.into_iter().chain([Family::Rings(10), Family::Rings(1000)]) {
        let problem = family.build().unwrap();
        let options = Options { max_iterations: 5, tolerance: 1e-300, parallel: false, ..Options::default() };
        let mut solver = Solver::new(options);
        let mut solution = Solution::new();
        group.bench_function(family.to_string(), |b| {
            b.iter(|| solver.solve(&problem, None, &mut solution).unwrap());
        });
    }
    group.finish();
    let rows: Vec<_> = FAMILIES.into_iter().filter_map(|f| measure(f, Duration::from_millis(50))).collect();
    println!("{}", table(&rows));
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800)).sample_size(20);
    targets = factorizations, solves
}
criterion_main!(benches);
