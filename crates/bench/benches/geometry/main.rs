//! `cargo bench -p ropewalk-bench --bench geometry`: distances, contacts, bounding-volume hierarchies and sweeps.
#![allow(missing_docs)]

mod kernels;

fn main() {
    for row in kernels::measure() {
        println!("{:>10.1} ns  {}", row.nanoseconds, row.name);
    }
}
