//! Joint displacements that bring a frame nearer to a target pose, within bounds: the linear part of
//! [`crate::inverse_kinematics`], which has the equations.

use crate::dense::DenseCholesky;
use crate::kinematics::Kinematics;
use crate::tree::Tree;
use core::ops::Range;
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::log_rotation;

/// One independent coordinate: a degree of freedom of a joint, with those that follow it.
#[derive(Clone, Debug)]
pub(crate) struct Coordinate {
    /// Index in q, if the joint has one degree of freedom.
    pub(crate) q: Option<usize>,
    /// Limits of q, those of followers included.
    pub(crate) limits: [f64; 2],
    /// The degrees of freedom that it moves, itself first.
    pub(crate) movers: Range<usize>,
}

/// A degree of freedom that a coordinate moves: q = ratio · q_leader + offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    pub(crate) dof: usize,
    pub(crate) q: Option<usize>,
    pub(crate) ratio: f64,
    pub(crate) offset: f64,
    pub(crate) velocity_limit: f64,
}

/// Columns, bounds and solution for one frame of one tree.
#[derive(Clone, Debug)]
pub(crate) struct DampedLeastSquares {
    pub(crate) coordinates: Vec<Coordinate>,
    pub(crate) movers: Vec<Mover>,
    /// Displacements found, rad or m.
    pub(crate) u: Vec<f64>,
    /// Least and greatest displacement.
    pub(crate) bounds: Vec<[f64; 2]>,
    link: usize,
    offset: Pose,
    kinematics: Kinematics,
    columns: Vec<[f64; 6]>,
    held: Vec<bool>,
    normal: [f64; 36],
    factor: DenseCholesky,
}

impl DampedLeastSquares {
    /// For the frame `offset` of `link`, moved by the joints of the links for which `may_use` holds.
    pub(crate) fn new(tree: &Tree, link: usize, offset: Pose, may_use: impl Fn(usize) -> bool) -> Self {
        let (mut coordinates, mut movers) = (Vec::new(), Vec::new());
        for i in 0..tree.links().len() {
            if tree.links()[i].joint.mimic.is_none() && may_use(i) {
                add_coordinates(tree, link, i, &mut coordinates, &mut movers);
            }
        }
        let n = coordinates.len();
        Self {
            coordinates,
            movers,
            u: vec![0.0; n],
            bounds: vec![[0.0; 2]; n],
            link,
            offset,
            kinematics: Kinematics::new(tree),
            columns: vec![[0.0; 6]; n],
            held: vec![false; n],
            normal: [0.0; 36],
            factor: DenseCholesky::new(6),
        }
    }

    /// World pose of the frame.
    pub(crate) fn frame(&mut self, tree: &Tree, base: &Pose, q: &[f64]) -> Pose {
        self.kinematics.place(tree, base, q);
        self.kinematics.poses[self.link] * self.offset
    }

    /// The pose error from the frame to `wanted`: displacement, and rotation vector times `length`.
    pub(crate) fn pose_error(
        &mut self,
        tree: &Tree,
        base: &Pose,
        q: &[f64],
        wanted: &Pose,
        length: f64,
    ) -> [f64; 6] {
        let frame = self.frame(tree, base, q);
        let x = wanted.position - frame.position;
        let r = length * log_rotation(wanted.rotation * frame.rotation.conjugate());
        [x.x, x.y, x.z, r.x, r.y, r.z]
    }

    /// Columns of J at the last [`Self::pose_error`], angles times `length`.
    pub(crate) fn linearize(&mut self, tree: &Tree, length: f64) {
        let point = self.kinematics.poses[self.link].point(self.offset.position);
        for (c, column) in self.coordinates.iter().zip(&mut self.columns) {
            *column = [0.0; 6];
            for m in &self.movers[c.movers.clone()] {
                if tree.chain(self.link).any(|dof| dof == m.dof) {
                    let (linear, angular) = self.kinematics.jacobian_column(m.dof, point);
                    for k in 0..3 {
                        column[k] += m.ratio * linear[k];
                        column[k + 3] += m.ratio * length * angular[k];
                    }
                }
            }
        }
    }

    /// Bounds that keep coordinates at `q` within their limits. One that is beyond a limit may stay and return.
    pub(crate) fn bound(&mut self, q: &[f64]) {
        for (c, bounds) in self.coordinates.iter().zip(&mut self.bounds) {
            *bounds = match c.q {
                Some(at) => [(c.limits[0] - q[at]).min(0.0), (c.limits[1] - q[at]).max(0.0)],
                None => [f64::NEG_INFINITY, f64::INFINITY],
            };
        }
    }

    /// Displacements for the pose error `error`, into `u`. Returns the number of coordinates at a bound.
    pub(crate) fn solve(&mut self, mut error: [f64; 6], damping: f64) -> usize {
        let mean = self.columns.iter().flatten().map(|x| x * x).sum::<f64>() / 6.0;
        // Where J is zero, any λ gives u = 0.
        let lambda = if mean > 0.0 { damping * damping * mean } else { 1.0 };
        self.held.fill(false);
        // Each pass but the last fixes a coordinate.
        for _ in 0..=self.coordinates.len() {
            self.normal.fill(0.0);
            for (column, _) in self.columns.iter().zip(&self.held).filter(|(_, held)| !**held) {
                for i in 0..6 {
                    for j in 0..=i {
                        self.normal[6 * i + j] += column[i] * column[j];
                    }
                }
            }
            for i in 0..6 {
                self.normal[7 * i] += lambda;
            }
            if self.factor.factor(&self.normal).is_err() {
                // Only reached with non-finite numbers: stay.
                self.u.fill(0.0);
                break;
            }
            let mut y = error;
            self.factor.solve(&mut y);
            let mut passed = false;
            for k in 0..self.columns.len() {
                if self.held[k] {
                    continue;
                }
                let column = &self.columns[k];
                let u: f64 = column.iter().zip(&y).map(|(a, b)| a * b).sum();
                let bounded = u.clamp(self.bounds[k][0], self.bounds[k][1]);
                self.u[k] = bounded;
                if bounded != u {
                    self.held[k] = true;
                    passed = true;
                    for (e, a) in error.iter_mut().zip(column) {
                        *e -= a * bounded;
                    }
                }
            }
            if !passed {
                break;
            }
        }
        self.held.iter().filter(|held| **held).count()
    }

    /// Joint velocities `v` = `factor` · u, followers included; zero for joints not used.
    pub(crate) fn spread(&self, factor: f64, v: &mut [f64]) {
        v.fill(0.0);
        for (c, u) in self.coordinates.iter().zip(&self.u) {
            for m in &self.movers[c.movers.clone()] {
                v[m.dof] = factor * m.ratio * u;
            }
        }
    }
}

/// The coordinates of the joint of link `leader`, unless none of what it moves carries `link`.
fn add_coordinates(
    tree: &Tree,
    link: usize,
    leader: usize,
    coordinates: &mut Vec<Coordinate>,
    movers: &mut Vec<Mover>,
) {
    let joint = &tree.links()[leader].joint;
    let one_dof = joint.kind.velocity_count() == 1;
    for dof in tree.v_range(leader) {
        let first = movers.len();
        let q = one_dof.then(|| tree.q_range(leader).start);
        let velocity_limit = joint.velocity_limit;
        movers.push(Mover { dof, q, ratio: 1.0, offset: 0.0, velocity_limit });
        let mut limits = joint.limits;
        if one_dof {
            for i in 0..tree.links().len() {
                let follower = &tree.links()[i].joint;
                let Some((ratio, offset)) = followed(tree, i, leader) else { continue };
                movers.push(Mover {
                    dof: tree.v_range(i).start,
                    q: Some(tree.q_range(i).start),
                    ratio,
                    offset,
                    velocity_limit: follower.velocity_limit,
                });
                if ratio != 0.0 {
                    let ends = follower.limits.map(|x| (x - offset) / ratio);
                    limits[0] = limits[0].max(ends[0].min(ends[1]));
                    limits[1] = limits[1].min(ends[0].max(ends[1]));
                }
            }
        }
        if movers[first..].iter().any(|m| tree.chain(link).any(|dof| dof == m.dof)) {
            // With contradictory limits the joint stays where they are nearest.
            if limits[0] > limits[1] {
                limits = [0.5 * (limits[0] + limits[1]); 2];
            }
            coordinates.push(Coordinate { q, limits, movers: first..movers.len() });
        } else {
            movers.truncate(first);
        }
    }
}

/// Ratio and offset by which the joint of link `i` follows that of link `leader`, directly or through others.
fn followed(tree: &Tree, i: usize, leader: usize) -> Option<(f64, f64)> {
    let (mut at, mut ratio, mut offset) = (i, 1.0, 0.0);
    while let Some(mimic) = tree.links()[at].joint.mimic {
        offset += ratio * mimic.offset;
        ratio *= mimic.multiplier;
        at = mimic.leader;
        if at == leader {
            return Some((ratio, offset));
        }
    }
    None
}
