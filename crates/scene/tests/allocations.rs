//! Allocations of steps whose contacts change: a knot that is drawn together, a gripper whose filaments touch and part.
//!
//! A step grows its arrays when there are more contacts than ever before, and repeats the analysis of the constraint
//! pattern when new pairs couple; some short lists of islands and contacts are allocated in every step (at most 9
//! were counted on the knot, 5 on the gripper). The tests assert that neither their number nor the memory in use
//! grows with contacts or steps.
#![allow(clippy::unwrap_used)]

use ropewalk_scene::load_named;
use ropewalk_sim::{StepStatus, Workspace, step};
use ropewalk_testing::allocations::{CountingAllocator, bytes_in_use, count};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Allocations of a step.
const MOST: usize = 16;

/// By step: allocations; and bytes in use after the first half and at the end.
fn run(scene: &str, overrides: &[&str], warm_up: usize, steps: usize) -> (Vec<usize>, [usize; 2]) {
    let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
    let scene = load_named(scene, &overrides).unwrap();
    let mut workspace = Workspace::new(&scene.model);
    let mut state = scene.state.clone();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut counts = Vec::with_capacity(warm_up + steps);
        let mut bytes = [0; 2];
        for i in 0..warm_up + steps {
            let before = count();
            let report = step(&scene.model, &mut state, &mut workspace);
            counts.push(count() - before);
            assert_eq!(report.status, StepStatus::Converged, "step {i}");
            bytes[1] = bytes_in_use();
            if i == warm_up + steps / 2 {
                bytes[0] = bytes[1];
            }
        }
        (counts.split_off(warm_up), bytes)
    })
}

fn judge(name: &str, (counts, bytes): (Vec<usize>, [usize; 2])) {
    let most = *counts.iter().max().unwrap();
    println!("{name}: at most {most} allocations a step; {bytes:?} bytes");
    assert!(most <= MOST, "{name}: {most} allocations in a step");
    let growth = bytes[1] as f64 / bytes[0] as f64;
    assert!(growth < 1.5, "{name}: memory in use has grown by {growth} in the second half");
}

#[test]
fn a_knot_that_is_drawn_together_allocates_in_few_steps() {
    judge("knot", run("knot", &[], 50, 250));
}

#[test]
fn a_gripper_that_closes_allocates_in_few_steps() {
    let overrides = ["rod.outer.segments=40", "rod.inner.segments=40"];
    judge("gripper", run("gripper", &overrides, 50, 150));
}
