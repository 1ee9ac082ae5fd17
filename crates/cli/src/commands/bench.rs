//! `ropewalk bench`: times against references.

use crate::bench::{BENCHMARKS, BenchRow, Benchmark};
use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::number::significant;
use crate::table::Table;
use core::fmt::Write;

/// Measure how long scenes and kernels take
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Benchmark to run; all if none is given
    name: Option<String>,

    /// Print an array of objects: name, ms_per_step, ns_per_item or ms_per_image, threads, stages, reference
    #[arg(long)]
    json: bool,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let mut rows = Vec::new();
    for benchmark in pick(arguments.name.as_deref())? {
        console::say(&format!("measuring {} …", benchmark.name));
        rows.extend((benchmark.run)());
    }
    if arguments.json {
        console::print_json(&rows)?;
    } else {
        console::print(&render(&rows))?;
    }
    Ok(Outcome::Success)
}

fn pick(name: Option<&str>) -> Result<Vec<&'static Benchmark>, CommandError> {
    let Some(name) = name else { return Ok(BENCHMARKS.iter().collect()) };
    match BENCHMARKS.iter().find(|benchmark| benchmark.name == name) {
        Some(benchmark) => Ok(vec![benchmark]),
        None => {
            let names: Vec<&str> = BENCHMARKS.iter().map(|benchmark| benchmark.name).collect();
            Err(CommandError::input(
                format!("there is no benchmark '{name}'"),
                format!("the benchmarks are: {}", names.join(", ")),
            ))
        }
    }
}

fn render(rows: &[BenchRow]) -> String {
    let heading = ["name", "time", "threads", "reference", ""];
    let mut table = Table::new("lrrrl", &heading);
    for row in rows {
        let unit = row.time.unit();
        table.row([
            row.label(),
            format!("{} {unit}", significant(row.time.value(), 4)),
            row.threads.to_string(),
            row.reference.as_ref().map(|r| format!("{} {unit}", significant(r.value, 4))).unwrap_or_default(),
            row.reference.as_ref().map(|r| r.what.clone()).unwrap_or_default(),
        ]);
    }
    let mut text = table.render();
    for row in rows.iter().filter(|row| !row.stages.is_empty()) {
        let stages: Vec<String> =
            row.stages.iter().map(|(name, value)| format!("{name} {}", significant(*value, 3))).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{}, {}: {}", row.label(), row.time.unit(), stages.join(", "));
    }
    text
}
