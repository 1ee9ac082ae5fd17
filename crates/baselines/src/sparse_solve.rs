//! Newton's direction by a sparse Cholesky factor, where the tangent with its contacts is positive definite.

use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_linalg::sparse::{Analysis, Entry, Factor, TileMatrix, TilePattern};

/// The tangent of a pair of edges: its four nodes, and twelve by twelve numbers.
pub type Piece = ([usize; 4], [[f64; 12]; 12]);

/// Solves (A + contacts) x = b, b in `x`, for the tangent A of an open rod and the pieces of its contacts; `held` nodes stay. False if
/// the matrix is not positive definite: `x` is then as it was.
pub fn solve(
    tangent: &BlockPenta,
    pieces: &[Piece],
    held: impl Fn(usize) -> bool,
    x: &mut [[f64; 4]],
) -> bool {
    let count = tangent.block_count();
    let along = (0..count).flat_map(|i| [(i + 1, i), (i + 2, i)]).filter(|(row, _)| *row < count);
    let across = pieces.iter().flat_map(|(nodes, _)| {
        (0..4).flat_map(move |a| (0..a).map(move |b| (nodes[a].max(nodes[b]), nodes[a].min(nodes[b]))))
    });
    let mut matrix = TileMatrix::new(TilePattern::new(count, along.chain(across)));
    for i in 0..count {
        for (offset, block) in [(0, &tangent.diagonal[i]), (1, &tangent.next[i]), (2, &tangent.second[i])] {
            if i + offset >= count {
                continue;
            }
            for column in 0..4 {
                let first = if offset == 0 { column } else { 0 };
                for row in first..4 {
                    matrix.add_entry(4 * (i + offset) + row, 4 * i + column, block[column][row]);
                }
            }
        }
    }
    for (nodes, piece) in pieces {
        let place = |k: usize| 4 * nodes[k / 3] + k % 3;
        for k in 0..12 {
            for l in 0..12 {
                if place(k) >= place(l) && !held(nodes[k / 3]) && !held(nodes[l / 3]) {
                    matrix.add_entry(place(k), place(l), piece[k][l]);
                }
            }
        }
    }
    let (analysis, entries) = analyze(&matrix);
    let mut factor = Factor::default();
    factor.prepare(&analysis, &entries);
    if factor.factor(&analysis, matrix.tiles()).is_err() {
        return false;
    }
    factor.solve(&analysis, x.as_flattened_mut());
    true
}

fn analyze(matrix: &TileMatrix) -> (Analysis, Vec<Entry>) {
    let count = matrix.pattern().tile_count();
    let entries: Vec<Entry> = matrix.pattern().entries().collect();
    let mut neighbors = vec![Vec::new(); count];
    for entry in entries.iter().filter(|e| e.row != e.column) {
        neighbors[entry.row as usize].push(entry.column);
        neighbors[entry.column as usize].push(entry.row);
    }
    let mut start = vec![0];
    let mut adjacency = Vec::new();
    for list in neighbors {
        adjacency.extend(list);
        start.push(adjacency.len() as u32);
    }
    let mut analysis = Analysis::default();
    analysis.analyze(&start, &adjacency, &vec![false; count], &vec![0; count], &entries, None);
    (analysis, entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tangent with numbers in all of its blocks, and a contact between nodes 0, 1 and 5, 6.
    fn problem(stiffness: f64) -> (BlockPenta, Vec<Piece>) {
        let n = 8;
        let mut a = BlockPenta::zero(n, false);
        for i in 0..n {
            for k in 0..4 {
                a.diagonal[i][k][k] = 4.0 + 0.1 * (i + k) as f64;
                a.next[i][k][(k + 1) % 4] = 0.4;
                a.second[i][k][(k + 2) % 4] = -0.3;
            }
            a.diagonal[i][0][2] = 0.2;
        }
        let shares = [0.3, 0.7, -0.6, -0.4];
        let direction = [0.48, 0.6, 0.64];
        let mut piece = [[0.0; 12]; 12];
        for k in 0..12 {
            for l in 0..12 {
                piece[k][l] = stiffness * shares[k / 3] * shares[l / 3] * direction[k % 3] * direction[l % 3];
            }
        }
        (a, vec![([0, 1, 5, 6], piece)])
    }

    #[test]
    fn the_solution_satisfies_the_equations() {
        let (a, pieces) = problem(30.0);
        let b: Vec<[f64; 4]> =
            (0..8).map(|i| core::array::from_fn(|k| (i as f64 - 3.0) * (k as f64 + 0.5))).collect();
        for held in [usize::MAX, 5] {
            let mut x = b.clone();
            assert!(solve(&a, &pieces, |node| node == held, &mut x));
            let mut product = vec![[0.0; 4]; 8];
            a.multiply_add(&x, &mut product);
            let (nodes, piece) = &pieces[0];
            for k in 0..12 {
                for l in 0..12 {
                    if nodes[k / 3] != held && nodes[l / 3] != held {
                        product[nodes[k / 3]][k % 3] += piece[k][l] * x[nodes[l / 3]][l % 3];
                    }
                }
            }
            for (p, b) in product.iter().flatten().zip(b.iter().flatten()) {
                assert!((p - b).abs() < 1e-11, "{p} {b}");
            }
        }
    }

    #[test]
    fn what_is_not_definite_is_refused() {
        let (a, pieces) = problem(-30.0);
        let mut x = vec![[1.0; 4]; 8];
        assert!(!solve(&a, &pieces, |_| false, &mut x));
        assert_eq!(x, vec![[1.0; 4]; 8]);
    }
}
