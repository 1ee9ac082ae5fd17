//! The same matrices through faer, for comparison.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Par, Side};
use ropewalk_linalg::sparse::{Analysis, Factor};
use ropewalk_testing::newton_matrix::NewtonMatrix;

/// Larger dense matrices would take gigabytes and minutes.
const LARGEST_DENSE: usize = 4000;

/// faer's sparse Cholesky with its symbolic part done.
pub(crate) struct Sparse {
    matrix: SparseColMat<usize, f64>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    memory: MemBuffer,
}

impl Sparse {
    pub(crate) fn new(newton: &NewtonMatrix) -> Option<Self> {
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
        let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &triplets).ok()?;
        let symbolic = factorize_symbolic_cholesky(
            matrix.symbolic(),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .ok()?;
        let values = vec![0.0; symbolic.len_val()];
        let memory =
            MemBuffer::new(symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()));
        Some(Self { matrix, symbolic, values, memory })
    }

    /// Numeric factorization; false if it failed.
    pub(crate) fn factorize(&mut self) -> bool {
        let Self { matrix, symbolic, values, memory } = self;
        let stack = MemStack::new(memory);
        symbolic
            .factorize_numeric_llt(
                values,
                matrix.as_ref(),
                Side::Lower,
                Default::default(),
                Par::Seq,
                stack,
                Default::default(),
            )
            .is_ok()
    }
}

/// faer's dense Cholesky of the Schur complement on all participating DoFs.
pub(crate) struct DenseSchur {
    matrix: Mat<f64>,
    factor: Mat<f64>,
    memory: MemBuffer,
}

impl DenseSchur {
    /// Takes the Schur complement that `factor` holds. None if it is too large.
    pub(crate) fn new(analysis: &Analysis, factor: &Factor) -> Option<Self> {
        let first = analysis.eliminated_count();
        let n = 4 * (analysis.tile_count() - first);
        if n > LARGEST_DENSE {
            return None;
        }
        let mut matrix = Mat::<f64>::zeros(n, n);
        for column in first..analysis.tile_count() {
            for row in column..analysis.tile_count() {
                let Some(slot) = analysis.slot(row, column) else { continue };
                let tile = &factor.schur_tiles()[slot - analysis.first_kept_slot()];
                for r in 0..4 {
                    for c in 0..4 {
                        matrix[(4 * (row - first) + r, 4 * (column - first) + c)] = tile.get(r, c);
                    }
                }
            }
        }
        let memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
        Some(Self { factor: matrix.clone(), matrix, memory })
    }

    /// Numeric factorization; false if it failed.
    pub(crate) fn factorize(&mut self) -> bool {
        let Self { matrix, factor, memory } = self;
        factor.copy_from(&*matrix);
        let stack = MemStack::new(memory);
        cholesky_in_place(factor.as_mut(), Default::default(), Par::Seq, stack, Default::default()).is_ok()
    }
}
