//! `cargo bench -p ropewalk-bench --bench rod_factor`: factor and solve of a rod's tangent, ns per node, beside faer.
#![allow(missing_docs)]

mod factor;

use factor::{ours, tangent, with_faer};

fn main() {
    println!(
        "{:>8}  {:>16}  {:>16}  {:>16}  {:>16}",
        "nodes", "factor", "solve", "faer factor", "faer solve"
    );
    for nodes in [100, 300, 1000, 10_000] {
        let times = tangent(nodes).and_then(|matrix| Some((ours(&matrix)?, with_faer(&matrix)?)));
        let Some(((factor, solve), (their_factor, their_solve))) = times else {
            println!("{nodes:>8}  the tangent is not positive definite");
            continue;
        };
        let per_node = |seconds: f64| format!("{:.1} ns", 1e9 * seconds / nodes as f64);
        println!(
            "{nodes:>8}  {:>16}  {:>16}  {:>16}  {:>16}",
            per_node(factor),
            per_node(solve),
            per_node(their_factor),
            per_node(their_solve)
        );
    }
}
