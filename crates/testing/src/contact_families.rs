//! Synthetic problems with the sizes and patterns of real scenes, for benchmarks and tests.
//!
//! The matrices are those of rods (mass, stretching, bending and twist, step 1e-3 s) without their
//! geometry: each edge has a random direction. Contacts couple the edges that would touch.
//!
//! | family | unknowns | contacts |
//! |---|---|---|
//! | braid | open rod of 301 nodes, folded so that two strands run side by side | 60 or 164, between the strands |
//! | random | the same rod | 60 or 164, between random edges |
//! | rings | closed rings of 20 nodes in a chain | 4 per pair of neighbors |
//! | filaments | 12 open rods of 131 nodes, clamped to an arm of 7 joints | 104, between neighbors |
//! | belt | closed rod of 50 nodes on two rollers | 804, belt on roller |

use crate::random::Random;
use ropewalk_contact::law::sap::SapParameters;
use ropewalk_contact::law::spring::Spring;
use ropewalk_contact::law::{Attachment, ParameterError, SapContact};
use ropewalk_contact::{Blocks, DiagonalBlocks, JacobianTile, Problem};

const TIME_STEP: f64 = 1e-3;

/// A family of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A rod of 301 nodes with this number of contacts between two strands.
    Braid(usize),
    /// A rod of 301 nodes with this number of contacts between random edges.
    Random(usize),
    /// A chain of this number of rings.
    Rings(usize),
    /// 12 filaments on an arm.
    Filaments,
    /// A belt on two rollers.
    Belt,
}

/// The families of the benchmark.
pub const FAMILIES: [Family; 7] = [
    Family::Braid(60),
    Family::Braid(164),
    Family::Random(60),
    Family::Random(164),
    Family::Rings(100),
    Family::Filaments,
    Family::Belt,
];

impl core::fmt::Display for Family {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Braid(contacts) => write!(f, "braid, {contacts} contacts"),
            Self::Random(contacts) => write!(f, "random, {contacts} contacts"),
            Self::Rings(rings) => write!(f, "{rings} rings, {} contacts", 4 * (rings - 1)),
            Self::Filaments => write!(f, "12 filaments, 104 contacts"),
            Self::Belt => write!(f, "belt, 804 contacts"),
        }
    }
}

/// Blocks, pairs that A couples, and rods as (first block, nodes, closed).
#[derive(Default)]
struct Builder {
    blocks: Blocks,
    pairs: Vec<(usize, usize)>,
    rods: Vec<(usize, usize, bool)>,
    trees: Vec<usize>,
}

/// One side of a contact: an edge of a rod (first tile, second tile) or a roller's tile.
enum Side {
    Edge(usize, usize),
    Roller(usize),
}

impl Builder {
    fn add_rod(&mut self, nodes: usize, closed: bool) {
        let first = self.blocks.block_count();
        for _ in 0..nodes {
            self.blocks.add(4);
        }
        for node in 0..nodes {
            for ahead in 1..=2 {
                let other = node + ahead;
                if other < nodes || closed {
                    self.pairs.push((first + node, first + other % nodes));
                }
            }
        }
        self.rods.push((first, nodes, closed));
    }

    /// A with inertia, stretching, bending and twist; v* at random.
    fn build(self, random: &mut Random) -> (Problem, DiagonalBlocks) {
        let mut problem =
            Problem { matrix: self.blocks.matrix(self.pairs), blocks: self.blocks, ..Problem::default() };
        for (first, nodes, closed) in self.rods {
            add_rod_matrix(&mut problem, first, nodes, closed, random);
        }
        for block in self.trees {
            let dofs: Vec<usize> = problem.blocks.dofs(block).collect();
            for (i, &row) in dofs.iter().enumerate() {
                for &column in &dofs[..=i] {
                    problem.matrix.add_entry(row, column, if row == column { 0.5 } else { 0.05 });
                }
            }
        }
        problem.v_star = vec![0.0; problem.blocks.vector_len()];
        for block in 0..problem.blocks.block_count() {
            for dof in problem.blocks.dofs(block) {
                problem.v_star[dof] = 0.2 * random.signed();
            }
        }
        let mut diagonal = DiagonalBlocks::default();
        // Positive definite by construction: inertia plus squares.
        let _ = diagonal.update(&problem.blocks, &problem.matrix);
        (problem, diagonal)
    }
}

fn add_rod_matrix(problem: &mut Problem, first: usize, nodes: usize, closed: bool, random: &mut Random) {
    // A rope of 3 mm in segments of 3.3 mm: mass 2.4e-5 kg, and with δt = 1e-3 s
    // δt² EA/h ≈ 4e-2 kg, δt² EI/h³ ≈ 2e-3 kg.
    let (mass, twist, stretch, bend) = (2.4e-5, 3e-11, 4e-2, 2e-3);
    let m = &mut problem.matrix;
    let dof = |node: usize, c: usize| 4 * (first + node % nodes) + c;
    for node in 0..nodes {
        for c in 0..4 {
            m.add_entry(dof(node, c), dof(node, c), if c == 3 { twist } else { mass });
        }
    }
    for node in 0..if closed { nodes } else { nodes - 1 } {
        let d = random.direction().to_array();
        for (a, b) in [(0, 0), (1, 0), (1, 1)] {
            let sign = if a == b { 1.0 } else { -1.0 };
            for i in 0..3 {
                for j in 0..if a == b { i + 1 } else { 3 } {
                    m.add_entry(dof(node + a, i), dof(node + b, j), sign * stretch * d[i] * d[j]);
                }
            }
            m.add_entry(dof(node + a, 3), dof(node + b, 3), sign * 1e-6 * bend);
        }
    }
    for node in 0..if closed { nodes } else { nodes - 2 } {
        // Curvature: second difference, and a coupling with the twist.
        let weights = [1.0, -2.0, 1.0];
        let t = random.direction().to_array();
        for i in 0..3 {
            let terms: Vec<(usize, f64)> = (0..3)
                .map(|a| (dof(node + a, i), weights[a]))
                .chain((0..2).map(|a| (dof(node + a, 3), 1e-3 * t[i] * (1.0 - 2.0 * a as f64))))
                .collect();
            for (at, &(row, x)) in terms.iter().enumerate() {
                for &(column, y) in &terms[..=at] {
                    m.add_entry(row, column, bend * x * y);
                }
            }
        }
    }
}

/// A contact with friction 0.3 that presses the two sides together.
fn add_contact(
    problem: &mut Problem,
    diagonal: &DiagonalBlocks,
    sides: [Side; 2],
    random: &mut Random,
) -> Result<(), ParameterError> {
    let n = random.direction().to_array();
    let other = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let t1 = cross(other, n);
    let length = t1.iter().map(|x| x * x).sum::<f64>().sqrt();
    let t1 = t1.map(|x| x / length);
    let frame = [t1, cross(n, t1), n];
    let mut jacobian = Vec::with_capacity(4);
    for (side, sign) in sides.into_iter().zip([1.0, -1.0]) {
        match side {
            Side::Edge(a, b) => {
                let along = random.uniform();
                for (tile, share) in [(a, 1.0 - along), (b, along)] {
                    let twist = 1.5e-3 * random.signed();
                    let rows = frame.map(|e| {
                        [sign * share * e[0], sign * share * e[1], sign * share * e[2], sign * twist]
                    });
                    jacobian.push(JacobianTile { tile, rows });
                }
            }
            Side::Roller(tile) => {
                let rows = [[0.03 * sign, 0.0, 0.0, 0.0], [0.01 * sign, 0.0, 0.0, 0.0], [0.0; 4]];
                jacobian.push(JacobianTile { tile, rows });
            }
        }
    }
    let parameters = SapParameters {
        friction: 0.3,
        gap: -1e-5 * random.uniform(),
        spring: Spring { near_rigid_beta: 1.0, ..Spring::default() },
        ..SapParameters::default()
    };
    let weight = diagonal.weight(&jacobian, 3);
    problem.constraints.push(SapContact::new(&parameters, weight, TIME_STEP)?, &jacobian);
    Ok(())
}

impl Family {
    /// The problem, the same each time.
    pub fn build(self) -> Result<Problem, ParameterError> {
        let mut random = Random(42);
        let mut builder = Builder::default();
        match self {
            Self::Braid(_) | Self::Random(_) => builder.add_rod(301, false),
            Self::Rings(rings) => (0..rings).for_each(|_| builder.add_rod(20, true)),
            Self::Filaments => {
                (0..12).for_each(|_| builder.add_rod(131, false));
                let arm = builder.blocks.add(7);
                builder.trees.push(arm);
            }
            Self::Belt => {
                builder.add_rod(50, true);
                for _ in 0..2 {
                    let roller = builder.blocks.add(1);
                    builder.trees.push(roller);
                }
            }
        }
        let (mut problem, diagonal) = builder.build(&mut random);
        let edge = |node: usize| Side::Edge(node, node + 1);
        match self {
            Self::Braid(contacts) => {
                // Two strands of 50 to 80 edges, the second running back along the first.
                let length = if contacts <= 60 { 50 } else { 80 };
                for contact in 0..contacts {
                    let along = contact * (length - 1) / contacts;
                    let across = (along + contact % 2).min(length - 1);
                    add_contact(
                        &mut problem,
                        &diagonal,
                        [edge(60 + along), edge(230 - across)],
                        &mut random,
                    )?;
                }
            }
            Self::Random(contacts) => {
                for _ in 0..contacts {
                    let a = random.below(300);
                    let b = (a + 5 + random.below(290)) % 300;
                    add_contact(&mut problem, &diagonal, [edge(a), edge(b)], &mut random)?;
                }
            }
            Self::Rings(rings) => {
                for ring in 1..rings {
                    // Two edges of the upper ring's bottom with two of the lower ring's top.
                    for (a, b) in [(9, 0), (9, 19), (10, 0), (10, 19)] {
                        let (upper, lower) = (20 * (ring - 1), 20 * ring);
                        let side = |first: usize, e: usize| Side::Edge(first + e, first + (e + 1) % 20);
                        add_contact(&mut problem, &diagonal, [side(upper, a), side(lower, b)], &mut random)?;
                    }
                }
            }
            Self::Filaments => {
                clamp_to_arm(&mut problem, &diagonal, &mut random)?;
                for contact in 0..104 {
                    let filament = contact % 12;
                    let place = 40 + random.below(85);
                    let (a, b) =
                        (131 * filament + place, 131 * ((filament + 1) % 12) + place + random.below(4));
                    add_contact(&mut problem, &diagonal, [edge(a), edge(b)], &mut random)?;
                }
            }
            Self::Belt => {
                // 20 edges on each roller, about 20 polygons an edge.
                for contact in 0..804 {
                    let roller = contact % 2;
                    let node = 25 * roller + (contact / 2) % 20;
                    let belt = Side::Edge(node, (node + 1) % 50);
                    add_contact(&mut problem, &diagonal, [belt, Side::Roller(50 + roller)], &mut random)?;
                }
            }
        }
        Ok(problem)
    }
}

/// The first two nodes of each filament held by the arm: point and orientation.
fn clamp_to_arm(
    problem: &mut Problem,
    diagonal: &DiagonalBlocks,
    random: &mut Random,
) -> Result<(), ParameterError> {
    let arm = 12 * 131;
    for filament in 0..12 {
        for node in 0..2 {
            let tile = 131 * filament + node;
            let eye = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
            let mut jacobian = vec![JacobianTile { tile, rows: eye }];
            for part in 0..2 {
                let mut rows = [[0.0; 4]; 3];
                for row in &mut rows {
                    for x in &mut row[..if part == 0 { 4 } else { 3 }] {
                        *x = -0.3 * random.signed();
                    }
                }
                jacobian.push(JacobianTile { tile: arm + part, rows });
            }
            let weight = diagonal.weight(&jacobian, 3);
            let law = Attachment::vector([0.0; 3], &Spring::default(), weight, TIME_STEP)?;
            problem.constraints.push(law, &jacobian);
        }
    }
    Ok(())
}
