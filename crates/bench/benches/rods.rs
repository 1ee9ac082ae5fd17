//! `cargo bench -p ropewalk-bench --bench rods`: kernels per node and whole steps, for watching one machine over time. The same
//! quantities beside references in one run: `ropewalk bench`.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::DVec3;
use ropewalk_linalg::block_pentadiagonal::{BlockPenta, PentaFactor};
use ropewalk_rod::kernel::{RodKernel, Scales};
use ropewalk_rod::{Material, Rod, RodBuilder, RodState, Section};
use ropewalk_sim::{Model, State, Workspace, step};

const SCALES: Scales = Scales { gradient: 1e-3, hessian: 1e-6 };

/// A rope 1 m long and 5 mm thick at 45°.
fn rope(nodes: usize) -> (Rod, RodState) {
    let slope = DVec3::new(1.0, 0.0, -1.0).normalize();
    let nodes = (0..nodes).map(|i| slope * (i as f64 / (nodes - 1) as f64)).collect();
    let material = Material::from_poisson(1e7, 0.5, 1000.0);
    RodBuilder::new(nodes, Section::Circle { radius: 2.5e-3 }, material).build().unwrap()
}

fn tangent(rod: &Rod, state: &RodState) -> BlockPenta {
    let mut matrix = BlockPenta::zero(rod.node_count(), false);
    let mut kernel = RodKernel::new(rod);
    kernel.start_from(rod, state);
    kernel.evaluate(rod, &state.natural, &state.q, SCALES, Some(&mut matrix));
    for (block, mass) in matrix.diagonal.iter_mut().zip(rod.masses()) {
        for k in 0..4 {
            block[k][k] += mass[k];
        }
    }
    matrix
}

fn factor(c: &mut Criterion) {
    let mut group = c.benchmark_group("factor and solve");
    for nodes in [300, 1000, 10_000] {
        let (rod, state) = rope(nodes);
        let matrix = tangent(&rod, &state);
        let mut factors = PentaFactor::new(nodes, false);
        let mut x = vec![[1e-3; 4]; nodes];
        group.throughput(Throughput::Elements(nodes as u64));
        group.bench_with_input(BenchmarkId::from_parameter(nodes), &matrix, |b, matrix| {
            b.iter(|| {
                factors.factor(matrix).unwrap();
                x.fill([1e-3; 4]);
                factors.solve(&mut x);
            });
        });
    }
    group.finish();
}

fn stencil(c: &mut Criterion) {
    let mut group = c.benchmark_group("gradient, Hessian, assembly");
    let (rod, state) = rope(300);
    let mut kernel = RodKernel::new(&rod);
    kernel.start_from(&rod, &state);
    let mut matrix = BlockPenta::zero(300, false);
    group.throughput(Throughput::Elements(298));
    group.bench_function("lanes", |b| {
        b.iter(|| kernel.evaluate(&rod, &state.natural, &state.q, SCALES, Some(&mut matrix)));
    });
    group.bench_function("scalar", |b| {
        b.iter(|| kernel.evaluate_scalar(&rod, &state.natural, &state.q, SCALES, &mut matrix));
    });
    group.finish();
}

fn steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("step of falling ropes");
    for (count, nodes) in [(1, 300), (100, 80)] {
        let (rod, state) = rope(nodes);
        let model = Model {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            rod_names: (0..count).map(|i| format!("rope {i}")).collect(),
            rods: vec![rod; count],
            ..Model::default()
        };
        let mut world = State { rods: vec![state; count], ..State::default() };
        let mut workspace = Workspace::new(&model);
        group.bench_function(format!("{count} of {nodes} nodes"), |b| {
            b.iter(|| step(&model, &mut world, &mut workspace));
        });
    }
    group.finish();
}

criterion_group!(benches, factor, stencil, steps);
criterion_main!(benches);
