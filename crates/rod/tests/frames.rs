//! Reference frames over many turns of a rod that tumbles: each edge's director accumulates its own angle, the
//! reference twist follows through many turns without a jump, and the twist of the rod does not change.

mod common;

use common::{Random, cases};
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};
use ropewalk_linalg::parallel_transport::{signed_angle, unwrap_angle};
use ropewalk_rod::kernel::RodKernel;

#[test]
fn a_tumbling_rod_keeps_its_strains() {
    let mut random = Random(9);
    let mut furthest = 0.0f64;
    for case in &cases(9, 4) {
        let rod = &case.rod;
        let mut state = case.start.clone();
        let strains: Vec<_> = rod.stencils().map(|j| state.strain(rod, j)).collect();
        let beta = state.beta.clone();
        let mut kernel = RodKernel::new(rod);
        let axis = random.direction();
        let turn = DQuat::from_axis_angle(axis, TAU / 50.0);
        for step in 0..1250 {
            let frames: Vec<DVec3> =
                (0..rod.edge_count()).map(|e| turn * state.material_frame(rod, e)[0]).collect();
            kernel.start_from(rod, &state);
            for i in 0..rod.node_count() {
                let x = turn * state.position(i);
                state.q[i][..3].copy_from_slice(&x.to_array());
            }
            let before = state.beta.clone();
            kernel.carry_frames(rod, &mut state);
            for e in 0..rod.edge_count() {
                let (t, d) = (state.tangent(rod, e), state.director(e));
                assert!(t.dot(d).abs() < 1e-14 && (d.length() - 1.0).abs() < 1e-14, "{}", case.name);
                let angle = signed_angle(d.into(), frames[e].into(), t.into());
                state.q[e][3] = unwrap_angle(angle, state.q[e][3]);
            }
            for j in rod.stencils() {
                assert!((state.beta[j] - before[j]).abs() < 0.5, "{} step {step}: jump at {j}", case.name);
            }
        }
        for (s, j) in strains.iter().zip(rod.stencils()) {
            let now = state.strain(rod, j);
            assert!((now.kappa1 - s.kappa1).abs() < 1e-10, "{}", case.name);
            assert!((now.kappa2 - s.kappa2).abs() < 1e-10, "{}", case.name);
            assert!((now.tau - s.tau).abs() < 1e-10, "{}: {} {}", case.name, now.tau, s.tau);
            furthest = furthest.max((state.beta[j] - beta[j]).abs());
        }
    }
    assert!(furthest > 10.0 * TAU, "the reference twist went through many turns: {furthest}");
}
