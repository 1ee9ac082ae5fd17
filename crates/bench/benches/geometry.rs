//! `cargo bench -p ropewalk-bench --bench geometry`: distances, contacts, trees and sweeps.
#![allow(missing_docs)]

fn main() {
    for row in ropewalk_bench::geometry::measure() {
        println!("{:>10.1} ns  {}", row.nanoseconds, row.name);
    }
}
