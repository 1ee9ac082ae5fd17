//! Prints the timings of all synthetic families: `cargo run --release --features faer --example bench_table`.

use ropewalk_contact::benchmark::{measure, table};
use ropewalk_contact::synthetic::{FAMILIES, Family};
use std::time::Duration;

fn main() {
    let budget = Duration::from_millis(150);
    let families = FAMILIES.into_iter().chain([Family::Rings(10), Family::Rings(1000)]);
    let rows: Vec<_> = families.filter_map(|family| measure(family, budget)).collect();
    print!("{}", table(&rows));
}
