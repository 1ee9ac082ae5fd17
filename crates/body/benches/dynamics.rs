//! Prints the timings of `ropewalk_body::benchmark`.

use ropewalk_body::TreeError;
use ropewalk_body::benchmark::measure;
use std::time::Duration;

fn main() -> Result<(), TreeError> {
    let row = measure(Duration::from_millis(300))?;
    println!("arm with {} joints, ns (least of many)", row.dofs);
    for (name, time) in [
        ("kinematics", row.kinematics),
        ("mass matrix", row.mass_matrix),
        ("bias", row.bias),
        ("factor", row.factor),
        ("all four", row.dynamics),
        ("free step of 1 ms", row.step),
    ] {
        println!("{name:<20} {time:>8.0}");
    }
    Ok(())
}
