//! Factor and solve of a rod's tangent: the block-pentadiagonal Cholesky of `linalg`, and faer's sparse Cholesky.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMat, Triplet};
use glam::DVec3;
use ropewalk_linalg::block_pentadiagonal::{BlockPenta, PentaFactor};
use ropewalk_rod::kernel::{RodKernel, Scales};
use ropewalk_rod::{Material, RodBuilder, Section};
use std::time::Instant;

/// The tangent of a step of 1 ms of a rope of `nodes` nodes: 1 m long, 5 mm thick, E = 10 MPa, at 45°.
pub(crate) fn tangent(nodes: usize) -> Option<BlockPenta> {
    let slope = DVec3::new(1.0, 0.0, -1.0).normalize();
    let line = (0..nodes).map(|i| slope * (i as f64 / (nodes - 1) as f64)).collect();
    let material = Material::from_poisson(1e7, 0.5, 1000.0);
    let (rod, state) = RodBuilder::new(line, Section::Circle { radius: 2.5e-3 }, material).build().ok()?;
    let mut matrix = BlockPenta::zero(nodes, false);
    let mut kernel = RodKernel::new(&rod);
    kernel.start_from(&rod, &state);
    let scales = Scales { gradient: 1e-3, hessian: 1e-6 };
    kernel.evaluate(&rod, &state.natural, &state.q, scales, Some(&mut matrix));
    for (block, mass) in matrix.diagonal.iter_mut().zip(rod.masses()) {
        for k in 0..4 {
            block[k][k] += mass[k];
        }
    }
    Some(matrix)
}

/// Seconds that `work` takes: the least of many repetitions, of which there are fewer the more `items` each has.
fn best_of(items: usize, mut work: impl FnMut()) -> f64 {
    let repetitions = (4_000_000 / items.max(1)).clamp(20, 4000);
    let mut least = f64::INFINITY;
    for _ in 0..repetitions {
        let started = Instant::now();
        work();
        least = least.min(started.elapsed().as_secs_f64());
    }
    least
}

/// Seconds to factor and to solve with our kernels.
pub(crate) fn ours(matrix: &BlockPenta) -> Option<(f64, f64)> {
    let n = matrix.block_count();
    let mut factor = PentaFactor::new(n, false);
    factor.factor(matrix).ok()?;
    let factoring = best_of(n, || {
        std::hint::black_box(factor.factor(std::hint::black_box(matrix)).is_ok());
    });
    let rhs = vec![[1e-3; 4]; n];
    let mut x = rhs.clone();
    let solving = best_of(n, || {
        x.copy_from_slice(&rhs);
        factor.solve(std::hint::black_box(&mut x));
    });
    Some((factoring, solving))
}

/// Seconds to factor and to solve with faer, one thread, symbolic analysis done once.
pub(crate) fn with_faer(matrix: &BlockPenta) -> Option<(f64, f64)> {
    faer::set_global_parallelism(faer::Par::Seq);
    let n = matrix.block_count();
    let mut entries = Vec::new();
    for i in 0..n {
        for c in 0..4 {
            for r in c..4 {
                entries.push(Triplet::new(4 * i + r, 4 * i + c, matrix.diagonal[i][c][r]));
            }
            for r in 0..4 {
                if i + 1 < n {
                    entries.push(Triplet::new(4 * (i + 1) + r, 4 * i + c, matrix.next[i][c][r]));
                }
                if i + 2 < n && r < 3 {
                    entries.push(Triplet::new(4 * (i + 2) + r, 4 * i + c, matrix.second[i][c][r]));
                }
            }
        }
    }
    let sparse = SparseColMat::<usize, f64>::try_new_from_triplets(4 * n, 4 * n, &entries).ok()?;
    let symbolic = SymbolicLlt::try_new(sparse.symbolic(), faer::Side::Lower).ok()?;
    let numeric = |symbolic: &SymbolicLlt<usize>| {
        Llt::try_new_with_symbolic(symbolic.clone(), sparse.as_ref(), faer::Side::Lower).ok()
    };
    let factors = numeric(&symbolic)?;
    let factoring = best_of(n, || {
        std::hint::black_box(numeric(&symbolic).is_some());
    });
    let rhs = faer::Mat::<f64>::from_fn(4 * n, 1, |_, _| 1e-3);
    let mut x = rhs.clone();
    let solving = best_of(n, || {
        x.copy_from(&rhs);
        factors.solve_in_place(&mut x);
        std::hint::black_box(&mut x);
    });
    Some((factoring, solving))
}
