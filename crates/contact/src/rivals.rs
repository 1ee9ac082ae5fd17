//! The same matrices through faer, for comparison.

use crate::benchmark::{NewtonMatrix, least_time};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Par, Side};
use ropewalk_linalg::sparse::{Analysis, Factor};
use std::time::Duration;

/// Larger dense matrices would take gigabytes and minutes.
const LARGEST_DENSE: usize = 4000;

/// Numeric sparse factorisation, µs.
pub(crate) fn sparse(newton: &NewtonMatrix, budget: Duration) -> Option<f64> {
    let n = 4 * newton.touched.len();
    let mut triplets = Vec::new();
    for e in &newton.entries {
        let tile = &newton.matrix.tiles()[e.slot as usize];
        for r in 0..4 {
            for c in 0..4 {
                let (row, column) = (4 * e.row as usize + r, 4 * e.column as usize + c);
                if row >= column && tile.get(r, c) != 0.0 {
                    triplets.push(Triplet::new(row, column, tile.get(r, c)));
                }
            }
        }
    }
    let a = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &triplets).ok()?;
    let symbolic = factorize_symbolic_cholesky(
        a.symbolic(),
        Side::Lower,
        SymmetricOrdering::Amd,
        CholeskySymbolicParams::default(),
    )
    .ok()?;
    let mut values = vec![0.0; symbolic.len_val()];
    let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let mut fine = true;
    let time = least_time(budget, || {
        fine &= symbolic
            .factorize_numeric_llt(
                &mut values,
                a.as_ref(),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .is_ok();
    });
    fine.then_some(time)
}

/// Dense factorisation of the Schur complement that `factor` holds, µs.
pub(crate) fn dense_schur(analysis: &Analysis, factor: &Factor, budget: Duration) -> Option<f64> {
    use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
    let first = analysis.eliminated_count();
    let n = 4 * (analysis.tile_count() - first);
    if n > LARGEST_DENSE {
        return None;
    }
    let mut s = Mat::<f64>::zeros(n, n);
    for column in first..analysis.tile_count() {
        for row in column..analysis.tile_count() {
            let Some(slot) = analysis.slot(row, column) else { continue };
            let tile = &factor.schur_tiles()[slot - analysis.first_kept_slot()];
            for r in 0..4 {
                for c in 0..4 {
                    s[(4 * (row - first) + r, 4 * (column - first) + c)] = tile.get(r, c);
                }
            }
        }
    }
    let mut l = s.clone();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    let mut fine = true;
    let time = least_time(budget, || {
        l.copy_from(&s);
        fine &= cholesky_in_place(
            l.as_mut(),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .is_ok();
    });
    fine.then_some(time)
}
