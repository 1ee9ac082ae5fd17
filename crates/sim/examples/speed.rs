//! Scratch.
use glam::DVec3;
use ropewalk_linalg::penta::*;
use ropewalk_rod::kernel::*;
use ropewalk_rod::*;
use ropewalk_sim::*;
use std::time::Instant;
fn build(nodes: Vec<DVec3>, r: f64, pin: bool) -> (Model, State) {
    let b = RodBuilder::new(nodes, Section::Circle { radius: r }, Material::from_poisson(1e7, 0.5, 1000.0));
    let (rod, st) = b.build().unwrap();
    let hold = if pin { Hold::Node(0) } else { Hold::Edge(0) };
    let clamps = vec![Clamp {
        name: "a".into(),
        rod: 0,
        hold,
        motion: Motion::default(),
        start: ClampPose::of(hold, &rod, &st),
        release_time: f64::INFINITY,
    }];
    (
        Model {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            rod_names: vec!["r".into()],
            rods: vec![rod],
            clamps,
            settings: Settings::default(),
            ..Model::default()
        },
        State { time: 0.0, rods: vec![st] },
    )
}
fn main() {
    for (name, n, l, r, pin, steps) in
        [("cantilever", 101, 0.3, 0.005, false, 4000), ("hanging", 300, 1.0, 0.0025, true, 2000)]
    {
        let dir = if pin { DVec3::new(1.0, 0.0, 1.0).normalize() * -1.0 } else { DVec3::X };
        let (model, mut state) =
            build((0..n).map(|i| dir * (l * i as f64 / (n - 1) as f64)).collect(), r, pin);
        let mut ws = Workspace::new(&model);
        let c = Instant::now();
        let (mut it, mut st, mut alt, mut sub) = (0, [0.0; 5], 0, 0);
        for _ in 0..steps {
            let rep = step(&model, &mut state, &mut ws);
            assert_eq!(rep.status, StepStatus::Converged);
            it += rep.iterations;
            alt += rep.altered_tangents;
            sub += rep.substeps;
            for k in 0..5 {
                st[k] += rep.stage_seconds[k] * 1e6 / steps as f64;
            }
        }
        let t = c.elapsed().as_secs_f64();
        println!(
            "{name}: {:.1} us/step, {:.2} it/step, alt {alt} sub {sub} stages {st:.1?}; tip {:?}",
            t * 1e6 / steps as f64,
            it as f64 / steps as f64,
            state.rods[0].position(n - 1)
        );
        let rod = &model.rods[0];
        let mut k = RodKernel::new(rod);
        k.start_from(rod, &state.rods[0]);
        let mut a = BlockPenta::zero(n, false);
        let sc = Scales { gradient: 1e-3, hessian: 1e-6 };
        let rep = 20000;
        let c = Instant::now();
        for _ in 0..rep {
            k.evaluate(rod, &state.rods[0].natural, &state.rods[0].q, sc, None);
        }
        println!("  gradient {:.1} ns/node", c.elapsed().as_secs_f64() * 1e9 / rep as f64 / n as f64);
        let c = Instant::now();
        for _ in 0..rep {
            a.set_zero();
            k.evaluate(rod, &state.rods[0].natural, &state.rods[0].q, sc, Some(&mut a));
        }
        println!("  hessian {:.1} ns/node", c.elapsed().as_secs_f64() * 1e9 / rep as f64 / n as f64);
        let c = Instant::now();
        for _ in 0..rep {
            k.evaluate_scalar(rod, &state.rods[0].natural, &state.rods[0].q, sc, &mut a);
        }
        println!("  scalar hessian {:.1} ns/node", c.elapsed().as_secs_f64() * 1e9 / rep as f64 / n as f64);
        for (b, m) in a.diagonal.iter_mut().zip(rod.masses()) {
            for q in 0..4 {
                b[q][q] += m[q];
            }
        }
        let mut f = PentaFactor::new(n, false);
        let c = Instant::now();
        for _ in 0..rep {
            f.factor(&a).unwrap();
        }
        println!("  factor {:.1} ns/node", c.elapsed().as_secs_f64() * 1e9 / rep as f64 / n as f64);
        let mut x = vec![[1e-3; 4]; n];
        let c = Instant::now();
        for _ in 0..rep {
            f.solve(&mut x);
            for y in x.iter_mut().flatten() {
                *y = 1e-3;
            }
        }
        println!("  solve {:.1} ns/node", c.elapsed().as_secs_f64() * 1e9 / rep as f64 / n as f64);
    }
}
