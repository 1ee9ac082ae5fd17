//! Rows: how fast what constraints hold moves, for given velocities of rods and joints.
//!
//! A constraint has up to three rows v_c = J v + v_driven along world directions b₀, b₁, b₂: the velocity of a point,
//! or an angular velocity, of one end less that of the other. J is taken at the start of the step; that of
//! contacts that have been updated, and of attachments in a step of BDF2, where the iterate leads ([`When`]).
//!
//! A point of a rod moves with the whole rigid motion of its edge: with s the place on the edge, t its tangent, l its
//! length and r the arm from that place to the point,
//!
//! ```text
//!   v = (1 − s) v_a + s v_b + ω × r,      ω = t × (v_b − v_a)/l + t γ̇
//! ```
//!
//! so that the transposed rows give forces and torques with the right sum and the right moment. What is held or driven
//! is no unknown: its share of v_c goes into `driven`.

use crate::model::{Model, State, TreeModel};
use crate::step::solve::dof_map::DofMap;
use crate::workspace::{RodWork, TreeWork, Workspace};
use glam::DVec3;
use ropewalk_body::Kinematics;
use ropewalk_contact::JacobianTile;
use ropewalk_contact::law::Rows;
use ropewalk_rod::Rod;

/// The rows of the constraints of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstraintJacobian {
    starts: Vec<usize>,
    tiles: Vec<JacobianTile>,
    /// Velocity of the rows by what is held or driven.
    pub(crate) driven: Vec<Rows>,
    /// The part of `driven` that comes from driven bodies.
    pub(crate) driven_by_bodies: Vec<Rows>,
    /// Rows on held degrees of freedom: constraint, and its Jacobian there.
    pub(crate) held: Vec<(usize, JacobianTile)>,
    /// The constraint under construction.
    open: Vec<JacobianTile>,
    open_driven: Rows,
}

/// When in a step of some length (s) things are where rows are taken: at its end, and half way to it, they are where the iterate
/// leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::step) enum When {
    Start,
    Middle(f64),
    End(f64),
}

/// What rows are made from: everything at the start of the step, or where the iterate leads.
#[derive(Clone, Copy)]
pub(crate) struct StartKinematics<'a> {
    pub(crate) dof_map: &'a DofMap,
    pub(crate) rods: &'a [Rod],
    pub(crate) trees: &'a [TreeModel],
    pub(crate) state: &'a State,
    pub(crate) rod_work: &'a [RodWork],
    pub(crate) tree_work: &'a [TreeWork],
    pub(in crate::step) when: When,
}

impl<'a> StartKinematics<'a> {
    pub(in crate::step) fn new(model: &'a Model, state: &'a State, workspace: &'a Workspace) -> Self {
        let Workspace { rods, trees, coupling, .. } = workspace;
        Self::from_parts(model, state, &coupling.dof_map, rods, trees)
    }

    pub(in crate::step) fn from_parts(
        model: &'a Model,
        state: &'a State,
        dof_map: &'a DofMap,
        rod_work: &'a [RodWork],
        tree_work: &'a [TreeWork],
    ) -> Self {
        Self {
            dof_map,
            rods: &model.rods,
            trees: &model.trees,
            state,
            rod_work,
            tree_work,
            when: When::Start,
        }
    }

    /// The same at the end of a step of `dt` (s).
    pub(in crate::step) fn at_end(self, dt: f64) -> Self {
        self.at(When::End(dt))
    }

    /// The same at another time of the step. Trees have been evaluated with the velocities of the iterate.
    pub(in crate::step) fn at(self, when: When) -> Self {
        Self { when, ..self }
    }

    /// Where the first node of an edge is, and the edge as a vector, m.
    pub(in crate::step) fn edge(&self, rod: usize, edge: usize) -> [DVec3; 2] {
        let (state, far) = (&self.state.rods[rod], self.rods[rod].edge_end(edge));
        let moved = |node: usize, dt: f64| self.rod_work[rod].displacement(state, node, (dt, 1.0));
        let place = |node: usize| match self.when {
            When::Start => state.position(node),
            When::Middle(dt) => state.position(node) + 0.5 * moved(node, dt),
            When::End(dt) => state.position(node) + moved(node, dt),
        };
        let [a, b] = [edge, far].map(place);
        [a, b - a]
    }

    /// Kinematics of a tree, and where its base is, m.
    pub(in crate::step) fn tree(&self, tree: usize) -> (&Kinematics, DVec3) {
        let work = &self.tree_work[tree];
        match self.when {
            When::Start => (&work.motion.start, self.state.trees[tree].base.pose.position),
            When::Middle(_) => work.motion.middle(),
            When::End(_) => (work.motion.end(), work.next_base.pose.position),
        }
    }
}

/// Directions of the rows of vectors in world axes.
pub(crate) const WORLD_AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

impl ConstraintJacobian {
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.tiles.clear();
        self.driven.clear();
        self.driven_by_bodies.clear();
        self.held.clear();
        self.open.clear();
        self.open_driven = [0.0; 3];
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The Jacobian of a constraint on what can move.
    pub(crate) fn jacobian(&self, constraint: usize) -> &[JacobianTile] {
        let end = self.starts.get(constraint + 1).copied().unwrap_or(self.tiles.len());
        &self.tiles[self.starts[constraint]..end]
    }

    /// Velocity of the rows of a constraint with the velocities of the iterate.
    pub(in crate::step) fn velocity(&self, constraint: usize, scene: &StartKinematics<'_>) -> Rows {
        sum_rows(self.driven[constraint], self.jacobian(constraint), scene)
    }

    /// How far the rows of the constraint under construction move with the velocities of the iterate where `scene` is at
    /// the end of the step; zero where it is not: what is taken off a gap that is linearized there.
    pub(in crate::step) fn open_displacement(&self, scene: &StartKinematics<'_>) -> DVec3 {
        let When::End(dt) = scene.when else { return DVec3::ZERO };
        dt * DVec3::from(sum_rows(self.open_driven, &self.open, scene))
    }

    fn add(&mut self, tile: usize, rows: [[f64; 4]; 3]) {
        match self.open.iter_mut().find(|part| part.tile == tile) {
            Some(part) => {
                for (sum, row) in part.rows.iter_mut().zip(rows) {
                    for (s, x) in sum.iter_mut().zip(row) {
                        *s += x;
                    }
                }
            }
            None => self.open.push(JacobianTile { tile, rows }),
        }
    }

    /// Adds `sign` times the velocity, along `directions`, of the point at `arm` from the place `fraction` on an edge.
    pub(crate) fn add_rod_point(
        &mut self,
        scene: &StartKinematics<'_>,
        (rod, edge, fraction): (usize, usize, f64),
        arm: DVec3,
        directions: &[DVec3; 3],
        sign: f64,
    ) {
        let rows = directions.map(|b| {
            let turn = arm.cross(b);
            [sign * (1.0 - fraction) * b, sign * fraction * b, sign * turn]
        });
        self.add_edge(scene, (rod, edge), rows);
    }

    /// The same for a round edge, the last direction being the normal. What is round spins without a change of the gap, so a
    /// push along the normal has no moment about the axis, be the arm another one: that of a polygon of a patch, which is taken
    /// at the start of the step, or of a contact that pushes along the mean of its normals. (With one, the pressure of a rod that
    /// rolls comes to act before its axis, where material comes down, and brakes it.)
    pub(crate) fn add_rolling_point(
        &mut self,
        scene: &StartKinematics<'_>,
        (rod, edge, fraction): (usize, usize, f64),
        arm: DVec3,
        directions: &[DVec3; 3],
        sign: f64,
    ) {
        let [_, along] = scene.edge(rod, edge);
        let arms = [arm, arm, rolling_arm(arm, along, directions[2])];
        let row = |k: usize| {
            let b = directions[k];
            [sign * (1.0 - fraction) * b, sign * fraction * b, sign * arms[k].cross(b)]
        };
        self.add_edge(scene, (rod, edge), [row(0), row(1), row(2)]);
    }

    /// Adds `sign` times the angular velocity of an edge along `directions`.
    pub(crate) fn add_rod_rotation(
        &mut self,
        scene: &StartKinematics<'_>,
        (rod, edge): (usize, usize),
        directions: &[DVec3; 3],
        sign: f64,
    ) {
        self.add_edge(scene, (rod, edge), directions.map(|b| [DVec3::ZERO, DVec3::ZERO, sign * b]));
    }

    /// Adds rows n·v_a + f·v_b + c·ω of an edge, each given as [n, f, c], with ω the angular velocity of the edge.
    fn add_edge(&mut self, scene: &StartKinematics<'_>, (rod, edge): (usize, usize), given: [[DVec3; 3]; 3]) {
        let shape = &scene.rods[rod];
        let [_, along] = scene.edge(rod, edge);
        let length = along.length();
        let tangent = along / length;
        let (mut near, mut far) = ([[0.0; 4]; 3], [[0.0; 4]; 3]);
        for (row, [on_near, on_far, turn]) in given.into_iter().enumerate() {
            // c·ω = (c × t)/l·(v_b − v_a) + c·t γ̇.
            let couple = turn.cross(tangent) / length;
            let (on_near, on_far) = (on_near - couple, on_far + couple);
            for k in 0..3 {
                near[row][k] = on_near[k];
                far[row][k] = on_far[k];
            }
            near[row][3] = turn.dot(tangent);
        }
        let first = scene.dof_map.rod_tile[rod];
        self.add(first + edge, near);
        self.add(first + shape.edge_end(edge), far);
    }

    /// Adds `sign` times the velocity of the point `point` (world) of a link along `directions`.
    pub(crate) fn add_link_point(
        &mut self,
        scene: &StartKinematics<'_>,
        (tree, link): (usize, usize),
        point: DVec3,
        directions: &[DVec3; 3],
        sign: f64,
    ) {
        let work = &scene.tree_work[tree];
        let base = &work.next_base;
        let (kinematics, origin) = scene.tree(tree);
        let at_rest = base.linear + base.angular.cross(point - origin);
        for (row, b) in directions.iter().enumerate() {
            self.open_driven[row] += sign * b.dot(at_rest);
        }
        for dof in scene.trees[tree].tree.chain(link) {
            let (linear, _) = kinematics.jacobian_column(dof, point);
            self.add_dof(scene.dof_map.tree_tile[tree], dof, directions.map(|b| sign * b.dot(linear)));
        }
    }

    /// Adds `sign` times the angular velocity of a link along `directions`.
    pub(crate) fn add_link_rotation(
        &mut self,
        scene: &StartKinematics<'_>,
        (tree, link): (usize, usize),
        directions: &[DVec3; 3],
        sign: f64,
    ) {
        let work = &scene.tree_work[tree];
        for (row, b) in directions.iter().enumerate() {
            self.open_driven[row] += sign * b.dot(work.next_base.angular);
        }
        for dof in scene.trees[tree].tree.chain(link) {
            let (_, angular) = scene.tree(tree).0.jacobian_column(dof, DVec3::ZERO);
            self.add_dof(scene.dof_map.tree_tile[tree], dof, directions.map(|b| sign * b.dot(angular)));
        }
    }

    /// Adds `factor` times the rate of a degree of freedom of a tree to the first row.
    pub(crate) fn add_joint(&mut self, scene: &StartKinematics<'_>, tree: usize, dof: usize, factor: f64) {
        self.add_dof(scene.dof_map.tree_tile[tree], dof, [factor, 0.0, 0.0]);
    }

    fn add_dof(&mut self, first_tile: usize, dof: usize, column: Rows) {
        let mut rows = [[0.0; 4]; 3];
        for (row, x) in rows.iter_mut().zip(column) {
            row[dof % 4] = x;
        }
        self.add(first_tile + dof / 4, rows);
    }

    /// Ends the constraint: takes what is held out of its rows.
    pub(crate) fn finish(&mut self, scene: &StartKinematics<'_>) {
        let constraint = self.starts.len();
        self.starts.push(self.tiles.len());
        self.driven_by_bodies.push(self.open_driven);
        let mut driven = self.open_driven;
        for mut part in self.open.drain(..) {
            if let Some(rod) = scene.dof_map.rod_of(part.tile) {
                let motion = &scene.rod_work[rod].motion;
                let node = part.tile - scene.dof_map.rod_tile[rod];
                if motion.held[node] != [false; 4] {
                    let mut held = JacobianTile { tile: part.tile, rows: [[0.0; 4]; 3] };
                    for k in (0..4).filter(|&k| motion.held[node][k]) {
                        for row in 0..3 {
                            held.rows[row][k] = part.rows[row][k];
                            driven[row] += part.rows[row][k] * motion.v[node][k];
                            part.rows[row][k] = 0.0;
                        }
                    }
                    if held.rows != [[0.0; 4]; 3] {
                        self.held.push((constraint, held));
                    }
                }
            }
            if part.rows != [[0.0; 4]; 3] {
                self.tiles.push(part);
            }
        }
        self.driven.push(driven);
        self.open_driven = [0.0; 3];
    }
}

/// The `arm` (m) of a push along `normal` on a round edge `along` (m): without what is across the edge and the normal.
pub(in crate::step) fn rolling_arm(arm: DVec3, along: DVec3, normal: DVec3) -> DVec3 {
    let across = normal.cross(along).normalize_or_zero();
    arm - across * across.dot(arm)
}

/// v_driven + J v with the velocities of the iterate.
fn sum_rows(driven: Rows, jacobian: &[JacobianTile], scene: &StartKinematics<'_>) -> Rows {
    let mut velocity = driven;
    for part in jacobian {
        let v = match scene.dof_map.owner(part.tile) {
            Ok(rod) => scene.rod_work[rod].motion.v[part.tile - scene.dof_map.rod_tile[rod]],
            Err(tree) => {
                let first = 4 * (part.tile - scene.dof_map.tree_tile[tree]);
                let v = &scene.tree_work[tree].motion.v;
                core::array::from_fn(|k| v.get(first + k).copied().unwrap_or(0.0))
            }
        };
        for (sum, row) in velocity.iter_mut().zip(part.rows) {
            *sum += (0..4).map(|k| row[k] * v[k]).sum::<f64>();
        }
    }
    velocity
}
