//! Gradient, Hessian and assembly, ns per stencil: several edges at a time, next to the same kernel one edge at a time.

use super::rods::rope;
use super::stopwatch::best_of;
use super::{BenchReference, BenchRow, BenchTime};
use ropewalk_linalg::block_pentadiagonal::BlockPenta;
use ropewalk_rod::kernel::{RodKernel, Scales};

const SIZES: [usize; 4] = [100, 300, 1000, 10_000];

pub(crate) fn run() -> Vec<BenchRow> {
    SIZES.into_iter().filter_map(measure).collect()
}

fn measure(nodes: usize) -> Option<BenchRow> {
    let world = rope(nodes)?;
    let (rod, state) = (&world.model.rods[0], &world.state.rods[0]);
    let mut kernel = RodKernel::new(rod);
    kernel.start_from(rod, state);
    let mut matrix = BlockPenta::zero(nodes, false);
    let scales = Scales { gradient: 1e-3, hessian: 1e-6 };
    let (natural, q) = (&state.natural, &state.q);
    let all = best_of(nodes, || {
        std::hint::black_box(kernel.evaluate(rod, natural, q, scales, Some(&mut matrix)));
    });
    let gradient = best_of(nodes, || {
        std::hint::black_box(kernel.evaluate(rod, natural, q, scales, None));
    });
    let scalar = best_of(nodes, || {
        std::hint::black_box(kernel.evaluate_scalar(rod, natural, q, scales, &mut matrix));
    });
    let per_stencil = 1e9 / (nodes - 2) as f64;
    Some(BenchRow {
        name: "stencil",
        parameter: Some(nodes.to_string()),
        time: BenchTime::NsPerItem(all * per_stencil),
        threads: 1,
        stages: vec![("gradient_alone", gradient * per_stencil)],
        reference: Some(BenchReference {
            what: "one edge at a time".to_owned(),
            value: scalar * per_stencil,
        }),
    })
}
