//! The sparse factor against products with the matrix itself.
#![allow(clippy::unwrap_used)]

use ropewalk_linalg::sparse::{Analysis, Entry, Factor, SEPARATOR, Tile, TileMatrix, TilePattern};
use ropewalk_testing::Random;

/// A rod of n tiles (each coupled to the next two) with `extra` random couplings, diagonally dominant
/// with a scale that varies by `decades` from tile to tile.
fn matrix(n: usize, extra: usize, decades: f64, random: &mut Random) -> TileMatrix {
    let mut pairs: Vec<(usize, usize)> = (1..n).map(|i| (i, i - 1)).collect();
    pairs.extend((2..n).map(|i| (i, i - 2)));
    pairs.extend((0..extra).map(|_| (random.below(n), random.below(n))));
    let mut m = TileMatrix::new(TilePattern::new(n, pairs));
    let scale: Vec<f64> = (0..n).map(|_| 10_f64.powf(decades * random.uniform())).collect();
    let pattern = m.pattern().clone();
    let mut row_sum = vec![0.0; 4 * n];
    for entry in pattern.entries().filter(|e| e.row != e.column) {
        let tile = &mut m.tiles_mut()[entry.slot as usize];
        for c in 0..4 {
            for r in 0..4 {
                let x = (random.uniform() - 0.5)
                    * (scale[entry.row as usize] * scale[entry.column as usize]).sqrt();
                tile.set(r, c, x);
                row_sum[4 * entry.row as usize + r] +=
                    x.abs() * (scale[entry.row as usize] / scale[entry.column as usize]).sqrt();
                row_sum[4 * entry.column as usize + c] +=
                    x.abs() * (scale[entry.column as usize] / scale[entry.row as usize]).sqrt();
            }
        }
    }
    for i in 0..4 * n {
        m.add_entry(i, i, row_sum[i] + 0.1 * scale[i / 4]);
    }
    m
}

fn analyze(m: &TileMatrix, keep: &[bool]) -> (Analysis, Vec<Entry>) {
    analyze_in_groups(m, keep, &[])
}

fn analyze_in_groups(m: &TileMatrix, keep: &[bool], group: &[u32]) -> (Analysis, Vec<Entry>) {
    let n = m.pattern().tile_count();
    let mut lists = vec![Vec::new(); n];
    let entries: Vec<Entry> = m.pattern().entries().collect();
    for e in entries.iter().filter(|e| e.row != e.column) {
        lists[e.row as usize].push(e.column);
        lists[e.column as usize].push(e.row);
    }
    let mut start = vec![0];
    let mut adjacency = Vec::new();
    for list in lists {
        adjacency.extend(list);
        start.push(adjacency.len() as u32);
    }
    let mut analysis = Analysis::default();
    analysis.analyze(&start, &adjacency, keep, group, &entries, None);
    (analysis, entries)
}

fn relative_residual(m: &TileMatrix, x: &[f64], b: &[f64]) -> f64 {
    let mut ax = vec![0.0; b.len()];
    m.multiply(x, &mut ax);
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|e| e * e).sum::<f64>().sqrt();
    norm(&mut ax.iter().zip(b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied())
}

/// Solves for a random right-hand side; the relative residual.
fn solve_error(factor: &mut Factor, analysis: &Analysis, m: &TileMatrix, random: &mut Random) -> f64 {
    let b: Vec<f64> = (0..4 * analysis.tile_count()).map(|_| random.uniform() - 0.5).collect();
    let mut x = b.clone();
    factor.solve(analysis, &mut x);
    relative_residual(m, &x, &b)
}

#[test]
fn solves_to_round_off_for_any_split_into_eliminated_and_kept() {
    let mut random = Random(7);
    for case in 0..60 {
        let n = 1 + random.below(80);
        let m = matrix(n, case % 20, 3.0, &mut random);
        let share = random.uniform();
        let keep: Vec<bool> = (0..n).map(|_| random.uniform() < share).collect();
        let (analysis, entries) = analyze(&m, &keep);
        let mut factor = Factor::default();
        factor.prepare(&analysis, &entries);
        factor.eliminate(&analysis, m.tiles()).unwrap();
        factor.refactor(&analysis, |_| {}).unwrap();
        let error = solve_error(&mut factor, &analysis, &m, &mut random);
        assert!(error < 1e-12, "case {case}: {error:e}");
    }
}

#[test]
fn partial_factorization_equals_the_whole() {
    let mut random = Random(11);
    for case in 0..40 {
        let n = 20 + random.below(60);
        let m = matrix(n, 15, 4.0, &mut random);
        let keep: Vec<bool> = (0..n).map(|_| random.uniform() < 0.4).collect();
        let (analysis, entries) = analyze(&m, &keep);
        let (mut split, mut whole) = (Factor::default(), Factor::default());
        split.prepare(&analysis, &entries);
        whole.prepare(&analysis, &entries);
        split.eliminate(&analysis, m.tiles()).unwrap();
        // Twice: the Schur complement must survive a factorization with something added.
        let first = analysis.first_kept_slot();
        split
            .refactor(&analysis, |kept| {
                if let Some(tile) = kept.first_mut() {
                    tile.add(&Tile::IDENTITY);
                }
            })
            .unwrap();
        split.refactor(&analysis, |_| {}).unwrap();
        whole.factor(&analysis, m.tiles()).unwrap();
        assert!(first <= analysis.factor_tile_count());
        for (a, b) in split.tiles().iter().zip(whole.tiles()) {
            for (a, b) in a.0.iter().flatten().zip(b.0.iter().flatten()) {
                assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "case {case}");
            }
        }
    }
}

#[test]
fn the_schur_complement_multiplies_as_the_eliminated_system_does() {
    let mut random = Random(3);
    let n = 50;
    let m = matrix(n, 12, 2.0, &mut random);
    let keep: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
    let (analysis, entries) = analyze(&m, &keep);
    let mut factor = Factor::default();
    factor.prepare(&analysis, &entries);
    factor.eliminate(&analysis, m.tiles()).unwrap();
    let eliminated = analysis.eliminated_count();
    let mut x: Vec<[f64; 4]> =
        (0..n).map(|_| [random.uniform(), random.uniform(), random.uniform(), 1.0]).collect();
    x[..eliminated].fill([0.0; 4]);
    let mut y = vec![[f64::NAN; 4]; n];
    factor.multiply_schur(&analysis, &x, &mut y);
    // With x_n from A_nn x_n + A_np x_p = 0, the product A x is S x_p on the kept tiles, 0 elsewhere.
    factor.recover(&analysis, &mut x);
    let (mut full, mut product) = (vec![0.0; 4 * n], vec![0.0; 4 * n]);
    for p in 0..n {
        full[4 * analysis.tile_at(p)..][..4].copy_from_slice(&x[p]);
    }
    m.multiply(&full, &mut product);
    for p in 0..n {
        for r in 0..4 {
            let got = product[4 * analysis.tile_at(p) + r];
            let expected = if p < eliminated { 0.0 } else { y[p][r] };
            assert!((got - expected).abs() < 1e-10, "{p} {r}: {got} {expected}");
        }
    }
}

#[test]
fn an_indefinite_matrix_is_refused_with_its_place() {
    let mut random = Random(5);
    let mut m = matrix(12, 4, 0.0, &mut random);
    m.add_entry(4 * 7 + 2, 4 * 7 + 2, -1e4);
    for kept in [false, true] {
        let (analysis, entries) = analyze(&m, &[kept; 12]);
        let mut factor = Factor::default();
        factor.prepare(&analysis, &entries);
        let outcome =
            factor.eliminate(&analysis, m.tiles()).and_then(|()| factor.refactor(&analysis, |_| {}));
        let error = outcome.unwrap_err();
        assert_eq!((error.tile, error.dof), (7, 2));
    }
}

/// Chains of tiles, neighbors joined through single tiles: group, separator, group, …; some tiles eliminated.
fn chain_in_groups(random: &mut Random) -> (TileMatrix, Vec<bool>, Vec<u32>) {
    let group_count = 2 + random.below(4);
    let size = 3 + random.below(9);
    let n = group_count * (size + 1) - 1;
    let separates = |i: usize| i % (size + 1) == size;
    let mut pairs = Vec::new();
    for i in 0..n {
        // Up to and including the next separator.
        let end = (i + 1..n).find(|&j| separates(j)).map_or(n, |j| j + 1);
        pairs.extend((i + 1..end.min(i + 2 + size / 2)).map(|j| (i, j)));
    }
    // Separators far apart are joined, too.
    if group_count > 2 {
        pairs.push((size, n - 1 - size));
    }
    let mut m = TileMatrix::new(TilePattern::new(n, pairs));
    let mut sums = vec![1.0; 4 * n];
    let entries: Vec<Entry> = m.pattern().entries().collect();
    for e in entries.iter().filter(|e| e.row != e.column) {
        for k in 0..16 {
            let (i, j) = (4 * e.row as usize + k / 4, 4 * e.column as usize + k % 4);
            let value = random.uniform() - 0.5;
            m.add_entry(i, j, value);
            sums[i] += value.abs();
            sums[j] += value.abs();
        }
    }
    for (i, sum) in sums.iter().enumerate() {
        m.add_entry(i, i, *sum);
    }
    let keep: Vec<bool> = (0..n).map(|i| separates(i) || random.uniform() < 0.6).collect();
    let group = (0..n).map(|i| if separates(i) { SEPARATOR } else { (i / (size + 1)) as u32 }).collect();
    (m, keep, group)
}

#[test]
fn groups_change_nothing_but_the_order() {
    let mut random = Random(19);
    for case in 0..40 {
        let (m, keep, group) = chain_in_groups(&mut random);
        let n = keep.len();
        let (analysis, entries) = analyze_in_groups(&m, &keep, &group);
        assert!(analysis.groups().len() >= 2 && !analysis.separator().is_empty());
        let (plain, plain_entries) = analyze(&m, &keep);
        let (mut factor, mut other) = (Factor::default(), Factor::default());
        factor.prepare(&analysis, &entries);
        other.prepare(&plain, &plain_entries);
        factor.eliminate(&analysis, m.tiles()).unwrap();
        other.eliminate(&plain, m.tiles()).unwrap();
        let x: Vec<[f64; 4]> =
            (0..n).map(|_| [random.uniform(), random.uniform() - 0.5, 1.0, -random.uniform()]).collect();
        let product = |factor: &mut Factor, analysis: &Analysis| {
            let by_position: Vec<[f64; 4]> = (0..n).map(|p| x[analysis.tile_at(p)]).collect();
            let mut y = vec![[0.0; 4]; n];
            factor.multiply_schur(analysis, &by_position, &mut y);
            (0..n).map(|tile| y[analysis.position_of(tile)]).collect::<Vec<_>>()
        };
        let (ours, theirs) = (product(&mut factor, &analysis), product(&mut other, &plain));
        for (a, b) in ours.iter().flatten().zip(theirs.iter().flatten()) {
            assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "case {case}: {a} {b}");
        }
        factor.refactor(&analysis, |_| {}).unwrap();
        let error = solve_error(&mut factor, &analysis, &m, &mut random);
        assert!(error < 1e-12, "case {case}: {error:e}");
    }
}

#[test]
fn the_tree_of_a_tangle_is_cut_into_groups() {
    let mut random = Random(23);
    // A random tangle need not have a short border at which it could be cut; all but one do.
    let mut whole = 0;
    for case in 0..6 {
        let n = 700 + 50 * case;
        let m = matrix(n, n / 12, 0.0, &mut random);
        let keep: Vec<bool> = (0..n).map(|_| random.uniform() < 0.6).collect();
        let (analysis, entries) = analyze(&m, &keep);
        let sizes: Vec<usize> = analysis.groups().iter().map(|g| g.kept.len()).collect();
        let kept = n - analysis.eliminated_count();
        if sizes.len() == 1 {
            whole += 1;
        } else {
            assert!(2 * analysis.separator().len() < kept, "case {case}: {sizes:?} of {kept}");
            assert!(sizes.iter().all(|&s| 3 * s < 2 * kept), "case {case}: {sizes:?} of {kept}");
        }
        let mut factor = Factor::default();
        factor.prepare(&analysis, &entries);
        factor.eliminate(&analysis, m.tiles()).unwrap();
        factor.refactor(&analysis, |_| {}).unwrap();
        let error = solve_error(&mut factor, &analysis, &m, &mut random);
        assert!(error < 1e-12, "case {case}: {error:e}");
    }
    assert!(whole <= 1, "{whole} of 6 are not cut");
}
