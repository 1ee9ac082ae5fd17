//! Timings of the dynamics of a 7-joint arm, one thread.

use glam::{DMat3, DQuat, DVec3};
use ropewalk_body::base::Base;
use ropewalk_body::dense::DenseCholesky;
use ropewalk_body::dynamics::Dynamics;
use ropewalk_body::free_step::free_step;
use ropewalk_body::inertia::Inertia;
use ropewalk_body::joint::{Joint, JointKind};
use ropewalk_body::kinematics::Kinematics;
use ropewalk_body::motion::TreeMotion;
use ropewalk_body::tree::{Link, Tree, TreeError};
use ropewalk_linalg::Pose;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Timings of one tree in nanoseconds; the least of many repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Row {
    /// Degrees of freedom.
    pub(crate) dofs: usize,
    /// Poses, velocities, axes, inertias and bias accelerations.
    pub(crate) kinematics: f64,
    /// Mass matrix.
    pub(crate) mass_matrix: f64,
    /// Bias forces.
    pub(crate) bias: f64,
    /// Cholesky factors of the mass matrix.
    pub(crate) factor: f64,
    /// The four together.
    pub(crate) dynamics: f64,
    /// One free step of 1 ms, to round-off.
    pub(crate) step: f64,
}

/// An arm of seven revolute joints on a fixed base, without symmetry.
pub(crate) fn arm() -> Result<Tree, TreeError> {
    let base = Joint::new("weld", JointKind::Fixed, Pose::IDENTITY);
    let mut links = vec![Link { name: "base".into(), parent: None, joint: base, inertia: Inertia::ZERO }];
    for k in 0..7 {
        let axis = if k % 2 == 0 { DVec3::Z } else { DVec3::Y };
        let size = 1.0 - 0.1 * f64::from(k);
        let pose = Pose::new(
            DVec3::new(0.01 * f64::from(k % 3), 0.0, 0.3 * size),
            DQuat::from_rotation_x(0.05 * f64::from(k)),
        );
        let moments = 0.01 * size * DVec3::new(2.0, 2.1, 0.7);
        let inertia = Inertia {
            mass: 4.0 * size,
            com: DVec3::new(0.02, 0.01, 0.1),
            about_com: DMat3::from_diagonal(moments),
        };
        let joint = Joint::new(format!("j{}", k + 1), JointKind::Revolute { axis }, pose);
        links.push(Link { name: format!("l{}", k + 1), parent: Some(links.len() - 1), joint, inertia });
    }
    Tree::new(links)
}

/// Least time of `work` in ns, in batches of 64, over about `budget`.
fn least_time(budget: Duration, mut work: impl FnMut()) -> f64 {
    const BATCH: u32 = 64;
    let start = Instant::now();
    let mut least = f64::INFINITY;
    let mut runs = 0;
    while runs < 3 || start.elapsed() < budget {
        let begin = Instant::now();
        for _ in 0..BATCH {
            work();
        }
        least = least.min(begin.elapsed().as_secs_f64() * 1e9 / f64::from(BATCH));
        runs += 1;
    }
    least
}

/// Times [`arm`], with about `budget` for each number.
pub(crate) fn measure(budget: Duration) -> Result<Row, TreeError> {
    let tree = arm()?;
    let n = tree.velocity_count();
    let mut state = tree.zero_state();
    for k in 0..n {
        state.q[k] = 0.4 * (k as f64 + 1.0).sin();
        state.v[k] = (2.0 * k as f64).cos();
    }
    let base = Base::default();
    let mut kinematics = Kinematics::new(&tree);
    let mut dynamics = Dynamics::new(&tree);
    let (mut mass, mut bias) = (vec![0.0; n * n], vec![0.0; n]);
    let mut factor = DenseCholesky::new(n);
    let all = least_time(budget, || {
        kinematics.update(&tree, &base, black_box(&state.q), black_box(&state.v));
        dynamics.mass_matrix(&tree, &kinematics, &mut mass);
        dynamics.bias(&tree, &kinematics, &mut bias);
        let _ = black_box(factor.factor(&mass));
        black_box(&bias);
    });
    let mut row = Row { dofs: n, dynamics: all, ..Row::default() };
    row.kinematics = least_time(budget, || {
        kinematics.update(&tree, &base, black_box(&state.q), black_box(&state.v));
        black_box(&kinematics);
    });
    row.mass_matrix = least_time(budget, || {
        dynamics.mass_matrix(&tree, black_box(&kinematics), &mut mass);
        black_box(&mass);
    });
    row.bias = least_time(budget, || {
        dynamics.bias(&tree, black_box(&kinematics), &mut bias);
        black_box(&bias);
    });
    row.factor = least_time(budget, || {
        let _ = black_box(factor.factor(black_box(&mass)));
    });
    let mut motion = TreeMotion::new(&tree);
    let mut moving = state.clone();
    row.step = least_time(budget, || {
        // From the same state each time, so that every repetition does the same.
        moving.q.copy_from_slice(&state.q);
        moving.v.copy_from_slice(&state.v);
        let _ = black_box(free_step(&mut motion, &tree, &mut moving, &base, DVec3::NEG_Z * 9.81, 1e-3, 1.0));
    });
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_measured() {
        let row = measure(Duration::from_millis(1)).unwrap();
        assert_eq!(row.dofs, 7);
        for time in [row.kinematics, row.mass_matrix, row.bias, row.factor, row.dynamics, row.step] {
            assert!(time > 0.0 && time.is_finite());
        }
    }
}
