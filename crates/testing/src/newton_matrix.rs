//! The Newton matrix of a contact problem, with the graph that its symbolic analysis needs.

use ropewalk_contact::Problem;
use ropewalk_contact::law::ConstraintLaw;
use ropewalk_linalg::sparse::{Analysis, Entry, Tile, TileMatrix, TilePattern};

/// The Newton matrix of a problem at given velocities, with its graph.
pub struct NewtonMatrix {
    /// A + Σ JᵀGJ.
    pub matrix: TileMatrix,
    /// Its tiles.
    pub entries: Vec<Entry>,
    /// By tile: whether a constraint touches it.
    pub touched: Vec<bool>,
    adjacency_start: Vec<u32>,
    adjacency: Vec<u32>,
}

impl NewtonMatrix {
    /// Assembles the matrix at the velocities `v`.
    pub fn assemble(problem: &Problem, v: &[f64]) -> Self {
        let n = problem.blocks.tile_count();
        let constraints = &problem.constraints;
        let mut pairs: Vec<(usize, usize)> =
            problem.matrix.pattern().entries().map(|e| (e.row as usize, e.column as usize)).collect();
        let mut touched = vec![false; n];
        for i in 0..constraints.len() {
            for &a in constraints.tiles(i) {
                touched[a as usize] = true;
                pairs.extend(constraints.tiles(i).iter().map(|&b| (a as usize, b as usize)));
            }
        }
        let mut matrix = TileMatrix::new(TilePattern::new(n, pairs));
        for e in problem.matrix.pattern().entries() {
            if let Some(slot) = matrix.pattern().slot(e.row as usize, e.column as usize) {
                matrix.tiles_mut()[slot].add(&problem.matrix.tiles()[e.slot as usize]);
            }
        }
        for i in 0..constraints.len() {
            let law = constraints.law(i);
            let (velocity, bias) = (constraints.velocity(i, v), constraints.bias(i));
            let g = law.hessian([0, 1, 2].map(|row| velocity[row] - bias[row]));
            for (&a, j_a) in constraints.tiles(i).iter().zip(constraints.jacobian(i)) {
                for (&b, j_b) in constraints.tiles(i).iter().zip(constraints.jacobian(i)) {
                    if a < b {
                        continue;
                    }
                    let mut tile = Tile::ZERO;
                    for r in 0..4 {
                        for c in 0..4 {
                            let mut sum = 0.0;
                            for p in 0..3 {
                                for q in 0..3 {
                                    sum += j_a[p][r] * g[p][q] * j_b[q][c];
                                }
                            }
                            tile.set(r, c, sum);
                        }
                    }
                    if let Some(slot) = matrix.pattern().slot(a as usize, b as usize) {
                        matrix.tiles_mut()[slot].add(&tile);
                    }
                }
            }
        }
        let entries: Vec<Entry> = matrix.pattern().entries().collect();
        let mut lists = vec![Vec::new(); n];
        for e in entries.iter().filter(|e| e.row != e.column) {
            lists[e.row as usize].push(e.column);
            lists[e.column as usize].push(e.row);
        }
        let (mut adjacency_start, mut adjacency) = (vec![0], Vec::new());
        for list in lists {
            adjacency.extend(list);
            adjacency_start.push(adjacency.len() as u32);
        }
        Self { matrix, entries, touched, adjacency_start, adjacency }
    }

    /// Orders and analyzes the matrix, touched tiles last.
    pub fn analyze(&self, analysis: &mut Analysis) {
        analysis.analyze(&self.adjacency_start, &self.adjacency, &self.touched, &[], &self.entries, None);
    }
}
