//! Factor and solve of a rod's tangent, ns per node, beside faer's sparse Cholesky on the same matrix in the same run.

use super::rods::rope;
use super::stopwatch::best_of;
use super::{BenchReference, BenchRow, BenchTime};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMat, Triplet};
use ropewalk_linalg::block_pentadiagonal::{BlockPenta, PentaFactor};
use ropewalk_rod::kernel::{RodKernel, Scales};

const SIZES: [usize; 4] = [100, 300, 1000, 10_000];

pub(crate) fn run() -> Vec<BenchRow> {
    let rows = SIZES.map(|nodes| {
        let matrix = tangent(nodes)?;
        let (factor, solve) = own(&matrix)?;
        let (their_factor, their_solve) = faer(&matrix)?;
        let per_node = 1e9 / nodes as f64;
        Some(BenchRow {
            name: "factor",
            parameter: Some(nodes.to_string()),
            time: BenchTime::NsPerItem((factor + solve) * per_node),
            threads: 1,
            stages: vec![("factor", factor * per_node), ("solve", solve * per_node)],
            reference: BenchReference {
                what: "faer sparse Cholesky, symbolic analysis kept".to_owned(),
                value: (their_factor + their_solve) * per_node,
            },
        })
    });
    rows.into_iter().flatten().collect()
}

/// The tangent of a step of 1 ms of a rope of `nodes` nodes.
pub(super) fn tangent(nodes: usize) -> Option<BlockPenta> {
    let world = rope(nodes).ok()?;
    let (rod, state) = (&world.model.rods[0], &world.state.rods[0]);
    let mut matrix = BlockPenta::zero(nodes, false);
    let mut kernel = RodKernel::new(rod);
    kernel.start_from(rod, state);
    let scales = Scales { gradient: 1e-3, hessian: 1e-6 };
    kernel.evaluate(rod, &state.natural, &state.q, scales, Some(&mut matrix));
    for (block, mass) in matrix.diagonal.iter_mut().zip(rod.masses()) {
        for k in 0..4 {
            block[k][k] += mass[k];
        }
    }
    Some(matrix)
}

/// Seconds to factor and to solve with our kernels.
fn own(matrix: &BlockPenta) -> Option<(f64, f64)> {
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
fn faer(matrix: &BlockPenta) -> Option<(f64, f64)> {
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
