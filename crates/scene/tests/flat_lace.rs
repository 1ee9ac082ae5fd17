//! A light flat lace with a pressure field settles on a table without hopping.
#![allow(clippy::unwrap_used)]

use ropewalk_sim::{StepStatus, Workspace, measure, step};

const SCENE: &str = r#"title = "A lace drops on a table"
[time]
dt = 2e-3
duration = 0.5
[material.lace]
youngs_modulus = 5e5
poisson_ratio = 0.4
density = 700.0
friction = 0.5
contact = "patch"
pressure_modulus = 5e5
[body.table]
shape = "half_space"
motion = "fixed"
[rod.lace]
material = "lace"
section = { rectangle = { width = 6e-3, height = 1.2e-3 } }
director = [1.0, 0.0, 0.0]
curve = { line = { from = [0.0, -0.2, 0.0016], to = [0.0, 0.2, 0.0006] } }
segments = 80
stretch_factor = 40.0
"#;

#[test]
fn it_gains_no_energy_and_comes_to_lie() {
    let scene = ropewalk_scene::load_text("lace.toml", SCENE, None, &[]).unwrap();
    let total = |state: &_| {
        let e = measure::energies(&scene.model, state);
        e.kinetic + e.stretch + e.bend + e.twist + e.gravity
    };
    let mut state = scene.state.clone();
    let mut workspace = Workspace::new(&scene.model);
    let start = total(&state);
    let mut greatest = 0.0f64;
    for i in 0..250 {
        assert_eq!(step(&scene.model, &mut state, &mut workspace).status, StepStatus::Converged, "step {i}");
        assert!(total(&state) <= start * (1.0 + 1e-9), "step {i}: {} J of {start} J", total(&state));
        let height = (0..81).map(|n| state.rods[0].position(n).z).fold(0.0, f64::max);
        if i > 150 {
            greatest = greatest.max(height);
        }
    }
    // The middle of a lace that lies is 0.6 mm above the table.
    assert!(greatest < 0.65e-3, "{greatest}");
}
