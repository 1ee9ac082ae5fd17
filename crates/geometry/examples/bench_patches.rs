//! Prints the timings of patches: `cargo run --release -p ropewalk-geometry --example bench_patches`.

fn main() -> Result<(), ropewalk_geometry::pressure::FieldError> {
    for t in ropewalk_geometry::pressure::benchmark::measure(std::time::Duration::from_millis(200))? {
        println!(
            "{:>16}: {} polygons of {} pairs ({:.1} for one), pair {:.0} ns, field {:.0} ns an edge, whole patch {:.0} ns a polygon",
            t.name,
            t.polygons,
            t.candidates,
            t.candidates as f64 / t.polygons.max(1) as f64,
            t.pair_ns,
            t.edge_ns,
            t.polygon_ns
        );
    }
    Ok(())
}
