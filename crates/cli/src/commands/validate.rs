//! `ropewalk validate`: physics against references.

use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::number::significant;
use crate::table::Table;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use ropewalk_validation::cases::{CASES, Form, ValidationCase, ValidationRow};
use std::path::PathBuf;

/// Run the validation cases and compare with their references
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Cases to run, by name; all if none is given
    #[arg(value_name = "CASE")]
    cases: Vec<String>,

    /// Run the cases in their long form too: every angle, order and step, minutes at rest
    #[arg(long)]
    full: bool,

    /// Keep the figures of the long form in this directory
    #[arg(long, value_name = "DIR", requires = "full")]
    figures: Option<PathBuf>,

    /// Also pull the knots of this directory tight: n1.txt to n4.txt, nodes as x y z in m. Those that are not there are
    /// skipped
    #[arg(long, value_name = "DIR", requires = "full")]
    knots: Option<PathBuf>,

    /// Print an array of objects: case, reference, measured, error, order, tolerance, pass (null where a row is
    /// reported and not judged)
    #[arg(long)]
    json: bool,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let cases = pick(arguments)?;
    let form = Form {
        full: arguments.full,
        alone: cases.len() == 1,
        figures: arguments.figures.clone(),
        knots: arguments.knots.clone(),
        say: console::say,
    };
    // Rows keep the order of the cases.
    let rows: Vec<ValidationRow> = cases.par_iter().flat_map_iter(|case| (case.run)(&form)).collect();
    if arguments.json {
        console::print_json(&rows)?;
    } else {
        console::print(&render(&rows))?;
    }
    Ok(if rows.iter().any(|row| row.pass == Some(false)) { Outcome::ClaimFailed } else { Outcome::Success })
}

/// The cases requested by name, or all.
fn pick(arguments: &Arguments) -> Result<Vec<&'static ValidationCase>, CommandError> {
    if arguments.cases.is_empty() {
        return Ok(CASES.iter().collect());
    }
    arguments
        .cases
        .iter()
        .map(|name| {
            CASES.iter().find(|case| case.name == name).ok_or_else(|| {
                let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
                CommandError::input(
                    format!("there is no validation case '{name}'"),
                    format!("the cases are: {}", names.join(", ")),
                )
            })
        })
        .collect()
}

fn verdict(row: &ValidationRow) -> &'static str {
    match row.pass {
        Some(true) => "pass",
        Some(false) => "FAIL",
        None => "reported",
    }
}

fn render(rows: &[ValidationRow]) -> String {
    let heading = ["case", "reference", "measured", "error", "tolerance", "order", ""];
    let mut table = Table::new("lrrrrrl", &heading);
    for row in rows {
        table.row([
            row.case.clone(),
            significant(row.reference, 7),
            significant(row.measured, 7),
            significant(row.error, 3),
            row.tolerance.map(|tolerance| significant(tolerance, 3)).unwrap_or_default(),
            row.order.map(|order| format!("{order:.2}")).unwrap_or_default(),
            verdict(row).to_owned(),
        ]);
    }
    let judged = rows.iter().filter(|row| row.pass.is_some()).count();
    let failed = rows.iter().filter(|row| row.pass == Some(false)).count();
    let verdict = if failed == 0 { "all pass".to_owned() } else { format!("{failed} fail") };
    let closing = format!("{judged} judged, {verdict}; {} reported", rows.len() - judged);
    format!("{}\n{closing}\n", table.render())
}
