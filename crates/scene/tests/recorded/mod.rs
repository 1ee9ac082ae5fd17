//! A recording to test with.

use ropewalk_scene::recording::Rates;
use ropewalk_scene::{Recorder, Scene, sample};
use ropewalk_sim::{State, Workspace, step};
use std::path::Path;

/// Records `steps` steps of `scene`; returns the states at the start and at the ends of all steps.
pub(crate) fn record(scene: &Scene, steps: usize, rates: Rates, path: &Path) -> Vec<State> {
    let (mut state, mut workspace) = (scene.state.clone(), Workspace::new(&scene.model));
    let mut recorder = Recorder::create(path, scene, rates, &state, 0).unwrap();
    recorder.begin(&scene.model, &state, None).unwrap();
    let mut states = vec![state.clone()];
    let mut last = None;
    for _ in 0..steps {
        let report = step(&scene.model, &mut state, &mut workspace);
        let taken = sample(&scene.model, &state, &workspace, 0.0);
        recorder.step(&scene.model, (&state, &workspace), &report, &taken).unwrap();
        states.push(state.clone());
        last = Some(taken);
    }
    recorder.finish(&scene.model, (&state, Some(&workspace)), last.as_ref(), "completed").unwrap();
    states
}
