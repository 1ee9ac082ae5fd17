//! Prints the timings of this crate: `cargo run --release -p ropewalk-geometry --example bench_table`.

fn main() {
    for row in ropewalk_geometry::benchmark::measure() {
        println!("{:>10.1} ns  {}", row.nanoseconds, row.name);
    }
}
