//! After warm-up nothing is allocated.
#![allow(clippy::unwrap_used)]

use glam::{DQuat, DVec3};
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::{
    Patch, PatchBody, RodField, RodSection, body_body, edge_body, edge_edge_patch,
};
use ropewalk_linalg::Pose;
use ropewalk_testing::allocations::{CountingAllocator, count};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn a_second_pass_allocates_nothing() {
    let ball = PatchBody::soft(&Shape::Sphere { radius: 0.02 }, 1e6, None).unwrap();
    let block = PatchBody::rigid(&Shape::Box { size: DVec3::splat(0.05) }, None).unwrap();
    let rods = [RodSection::circle(0.004, None).unwrap(), RodSection::rectangle(0.01, 0.004, None).unwrap()];
    let mut rods = rods.map(|section| RodField::new(section, 1e6, 10, false).unwrap());
    let mut patch = Patch::new(Default::default(), true);
    let mut nodes = vec![DVec3::ZERO; 11];
    let directors = vec![DVec3::Z; 10];
    let mut pass = |shift: f64| {
        patch.clear();
        for (rod, height) in rods.iter_mut().zip([0.0, 0.005]) {
            for (i, node) in nodes.iter_mut().enumerate() {
                *node = DVec3::new(0.01 * i as f64 - 0.05 + shift, 0.0, height);
            }
            rod.update(&nodes, &directors).unwrap();
            (0..10).for_each(|e| rod.prepare_edge(e));
        }
        let [a, b] = &rods;
        let pose = Pose::new(DVec3::new(0.0, 0.0, 0.022), DQuat::from_rotation_x(shift));
        for e in 0..10 {
            edge_body(a, e, &ball, &pose, &mut patch);
            edge_body(b, e, &PatchBody::RigidHalfSpace, &Pose::at(DVec3::new(0.0, 0.0, 0.004)), &mut patch);
            (0..10).for_each(|f| edge_edge_patch(a, e, b, f, &mut patch));
        }
        body_body(&ball, &pose, &block, &Pose::at(DVec3::new(0.0, 0.0, -0.01)), &mut patch);
        patch.polygons.len()
    };
    // The first pass is the one with the most polygons.
    let most = (0..20).map(|k| pass(1e-5 * f64::from(k))).max().unwrap();
    let before = count();
    let found = (0..20).map(|k| pass(1e-5 * f64::from(k))).max().unwrap();
    assert_eq!(count() - before, 0);
    assert!(found == most && most > 100, "{most}");
}

/// Memory for the greatest number of cells took 148 kB per edge, twice: 1e5 segments took all memory.
#[test]
fn an_edge_of_a_field_takes_at_most_20_kb() {
    let edges = 500;
    let sections = [
        RodSection::circle(0.004, None).unwrap(),
        RodSection::ellipse(0.004, 0.002, None).unwrap(),
        RodSection::rectangle(0.02, 0.002, None).unwrap(),
    ];
    for section in sections {
        let mut rod = RodField::new(section, 1e6, edges, false).unwrap();
        let nodes: Vec<DVec3> = (0..=edges).map(|i| DVec3::new(0.01 * i as f64, 0.0, 0.0)).collect();
        let directors = vec![DVec3::Z; edges];
        rod.update(&nodes, &directors).unwrap();
        let at_rest = rod.memory_bytes() / edges;
        assert!(at_rest < 1500, "{at_rest} bytes an edge that touches nothing");
        // Every edge touches another rod, twice: memory of the first time is reused.
        for _ in 0..2 {
            rod.update(&nodes, &directors).unwrap();
            (0..edges).for_each(|e| rod.prepare_edge(e));
        }
        let touching = rod.memory_bytes() / edges;
        assert!(touching > at_rest && touching < 20_000, "{touching} bytes an edge that touches");
    }
}
