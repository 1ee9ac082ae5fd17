//! Factor and solve of a rod's tangent, ns per node. Compared with faer on the same matrix: `cargo bench -p
//! ropewalk-bench --bench rod_factor`.

use super::rods::rope;
use super::stopwatch::best_of;
use super::{BenchRow, BenchTime};
use ropewalk_linalg::block_pentadiagonal::{BlockPenta, PentaFactor};
use ropewalk_rod::kernel::{RodKernel, Scales};

const SIZES: [usize; 4] = [100, 300, 1000, 10_000];

pub(crate) fn run() -> Vec<BenchRow> {
    let rows = SIZES.map(|nodes| {
        let matrix = tangent(nodes)?;
        let (factor, solve) = own(&matrix)?;
        let per_node = 1e9 / nodes as f64;
        Some(BenchRow {
            name: "factor",
            parameter: Some(nodes.to_string()),
            time: BenchTime::NsPerItem((factor + solve) * per_node),
            threads: 1,
            stages: vec![("factor", factor * per_node), ("solve", solve * per_node)],
            reference: None,
        })
    });
    rows.into_iter().flatten().collect()
}

/// The tangent of a step of 1 ms of a rope of `nodes` nodes.
fn tangent(nodes: usize) -> Option<BlockPenta> {
    let world = rope(nodes)?;
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
