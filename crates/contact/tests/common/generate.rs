//! Random contact problems: rods, bodies and trees in contact, as a simulator would pose them.

use super::Random;
use ropewalk_contact::law::sap::SapParameters;
use ropewalk_contact::law::spring::Spring;
use ropewalk_contact::law::{Attachment, SapContact};
use ropewalk_contact::{Blocks, DiagonalBlocks, JacobianTile, Problem};

/// What to generate.
pub struct Recipe {
    /// Independent groups of blocks.
    pub groups: usize,
    /// Contacts in each.
    pub contacts: usize,
    /// Decades between the heaviest and the lightest block.
    pub mass_decades: f64,
    /// β of the near-rigid bound.
    pub near_rigid_beta: f64,
    /// Each contact is repeated with this probability.
    pub duplicates: f64,
    /// Also attachments.
    pub attachments: bool,
}

/// A rod of `nodes` nodes in tiles first..: mass, stretching (tiles i, i+1) and bending (i, i+1, i+2).
fn add_rod(problem: &mut Problem, first: usize, nodes: usize, mass: f64, random: &mut Random) {
    let (stretch, bend) = (mass * random.decade(0.0, 5.0), mass * random.decade(-2.0, 2.0));
    for node in 0..nodes {
        for c in 0..4 {
            let dof = 4 * (first + node) + c;
            let inertia = if c == 3 { 1e-2 * mass } else { mass };
            problem.matrix.add_entry(dof, dof, inertia * (1.0 + 0.2 * random.uniform()));
        }
    }
    // k d dᵀ on differences of positions, and on twists.
    for node in 0..nodes.saturating_sub(1) {
        let mut d = [random.signed(), random.signed(), random.signed()];
        let length = d.iter().map(|x| x * x).sum::<f64>().sqrt().max(0.1);
        d = d.map(|x| x / length);
        for a in 0..2 {
            for b in 0..2 {
                let sign = if a == b { 1.0 } else { -1.0 };
                for i in 0..3 {
                    for j in 0..3 {
                        let (row, column) = (4 * (first + node + a) + i, 4 * (first + node + b) + j);
                        if row >= column {
                            problem.matrix.add_entry(row, column, sign * stretch * d[i] * d[j]);
                        }
                    }
                }
                let (row, column) = (4 * (first + node + a) + 3, 4 * (first + node + b) + 3);
                if row >= column {
                    problem.matrix.add_entry(row, column, sign * 1e-2 * bend);
                }
            }
        }
    }
    for node in 0..nodes.saturating_sub(2) {
        let weights = [1.0, -2.0, 1.0];
        for i in 0..3 {
            for a in 0..3 {
                for b in 0..=a {
                    let (row, column) = (4 * (first + node + a) + i, 4 * (first + node + b) + i);
                    problem.matrix.add_entry(row, column, bend * weights[a] * weights[b]);
                }
            }
        }
    }
}

/// A dense positive-definite block of `n` DoFs with entries about `mass`.
fn add_body(problem: &mut Problem, block: usize, mass: f64, random: &mut Random) {
    let dofs: Vec<usize> = problem.blocks.dofs(block).collect();
    let n = dofs.len();
    let g: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| random.signed()).collect()).collect();
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..n).map(|k| g[i][k] * g[j][k]).sum();
            let value = mass * (0.3 * dot + if i == j { 1.0 } else { 0.0 });
            problem.matrix.add_entry(dofs[i], dofs[j], value);
        }
    }
}

/// A random frame (t1, t2, n).
fn frame(random: &mut Random) -> [[f64; 3]; 3] {
    let unit = |v: [f64; 3]| {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / length)
    };
    let n = unit([random.signed(), random.signed(), random.signed() + 1.5]);
    let other = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let t1 = unit(cross(other, n));
    [t1, cross(n, t1), n]
}

/// A problem after `recipe`.
pub fn generate(recipe: &Recipe, random: &mut Random) -> Problem {
    let mut blocks = Blocks::new();
    let mut pairs = Vec::new();
    // Per group: (first tile of the rod, nodes, body block or none).
    let mut groups = Vec::new();
    for _ in 0..recipe.groups {
        let nodes = 2 + random.below(7);
        let first = blocks.block_count();
        let first_tile = blocks.tile_count();
        for node in 0..nodes {
            blocks.add(4);
            pairs
                .extend((1..=2).filter(|back| node >= *back).map(|back| (first + node, first + node - back)));
        }
        let body = (random.uniform() < 0.6).then(|| blocks.add([1, 3, 6, 7][random.below(4)]));
        groups.push((first_tile, nodes, body));
    }
    let mut problem = Problem { matrix: blocks.matrix(pairs), blocks, ..Problem::default() };
    let scale = random.decade(-3.0, 1.0);
    for &(first, nodes, body) in &groups {
        add_rod(&mut problem, first, nodes, scale, random);
        if let Some(block) = body {
            let mass = scale * random.decade(-0.5 * recipe.mass_decades, 0.5 * recipe.mass_decades);
            add_body(&mut problem, block, mass, random);
        }
    }
    problem.v_star = vec![0.0; problem.blocks.vector_len()];
    for block in 0..problem.blocks.block_count() {
        for dof in problem.blocks.dofs(block) {
            problem.v_star[dof] = random.signed();
        }
    }
    let mut diagonal = DiagonalBlocks::default();
    diagonal.update(&problem.blocks, &problem.matrix).unwrap();
    let dt = random.decade(-4.0, -2.0);
    for &(first, nodes, body) in &groups {
        for _ in 0..recipe.contacts {
            add_contact(&mut problem, &diagonal, recipe, (first, nodes, body), dt, random);
        }
        if recipe.attachments && random.uniform() < 0.5 {
            let eye = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
            let jacobian = [JacobianTile { tile: first, rows: eye }];
            let gap = [1e-4 * random.signed(), 0.0, 0.0];
            let weight = diagonal.weight(&jacobian, 3);
            problem
                .constraints
                .push(Attachment::vector(gap, &Spring::default(), weight, dt).unwrap(), &jacobian);
        }
    }
    problem
}

fn add_contact(
    problem: &mut Problem,
    diagonal: &DiagonalBlocks,
    recipe: &Recipe,
    (first, nodes, body): (usize, usize, Option<usize>),
    dt: f64,
    random: &mut Random,
) {
    let frame = frame(random);
    let on_edge = |edge: usize, along: f64, sign: f64| {
        [(edge, 1.0 - along), (edge + 1, along)].map(|(node, share)| JacobianTile {
            tile: first + node,
            rows: frame
                .map(|axis| [sign * share * axis[0], sign * share * axis[1], sign * share * axis[2], 0.0]),
        })
    };
    let mut jacobian = on_edge(random.below(nodes - 1), random.uniform(), 1.0).to_vec();
    match body {
        Some(block) if random.uniform() < 0.5 => {
            for tile in problem.blocks.tiles(block) {
                let used = problem.blocks.dofs(block).end - 4 * tile;
                let mut rows = [[0.0; 4]; 3];
                for row in &mut rows {
                    for entry in row.iter_mut().take(used.min(4)) {
                        *entry = random.signed();
                    }
                }
                jacobian.push(JacobianTile { tile, rows });
            }
        }
        _ if nodes > 3 && random.uniform() < 0.5 => {
            jacobian.extend(on_edge(random.below(nodes - 1), random.uniform(), -1.0));
        }
        _ => {}
    }
    let parameters = SapParameters {
        friction: if random.uniform() < 0.15 { 0.0 } else { 5.0 * random.uniform().powi(2) },
        gap: dt * 0.5 * random.signed(),
        spring: Spring {
            stiffness: Some(random.decade(2.0, 10.0)),
            dissipation_time: if random.uniform() < 0.5 { 0.0 } else { dt * random.uniform() },
            near_rigid_beta: recipe.near_rigid_beta,
        },
        ..SapParameters::default()
    };
    let weight = diagonal.weight(&jacobian, 3);
    let law = SapContact::new(&parameters, weight, dt).unwrap();
    problem.constraints.push(law, &jacobian);
    while random.uniform() < recipe.duplicates {
        problem.constraints.push(law, &jacobian);
    }
}
