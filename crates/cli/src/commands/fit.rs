//! `ropewalk fit`: cables from measurements.

use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::table::Table;
use ropewalk_fit::{Cable, Evaluation, FitError, Tracks};
use std::path::PathBuf;

/// Score cables against measured motions
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: FitCommand,
}

#[derive(Debug, clap::Subcommand)]
enum FitCommand {
    Evaluate(EvaluateArguments),
}

/// Predict measured runs open loop from their first two frames, and print the mean error
#[derive(Debug, clap::Args)]
struct EvaluateArguments {
    /// Marker tracks: a NumPy archive with `markers` (runs, frames, n, 3) in m, `rate_hz` and, optionally, `names`
    #[arg(long, value_name = "FILE.npz")]
    data: PathBuf,

    /// The cable file
    #[arg(long, value_name = "FILE.toml")]
    cable: PathBuf,

    /// Print the scores as JSON
    #[arg(long)]
    json: bool,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let done = match &arguments.command {
        FitCommand::Evaluate(arguments) => evaluate(arguments)?,
    };
    match done {
        Ok(outcome) => Ok(outcome),
        Err(error) if error.is_numerical() => {
            console::say(&format!("error: {error}"));
            Ok(Outcome::StepFailed)
        }
        Err(error) => Err(error.into()),
    }
}

fn evaluate(arguments: &EvaluateArguments) -> Result<Result<Outcome, FitError>, CommandError> {
    let scored = Cable::read(&arguments.cable)
        .and_then(|cable| Ok((cable, Tracks::read(&arguments.data)?)))
        .and_then(|(cable, tracks)| Ok((ropewalk_fit::evaluate(&cable, &tracks)?, cable)));
    let (found, cable) = match scored {
        Ok(scored) => scored,
        Err(error) => return Ok(Err(error)),
    };
    if arguments.json {
        console::print_json(&found)?;
    } else {
        console::print(&render(&found, &cable))?;
    }
    Ok(Ok(Outcome::Success))
}

fn render(found: &Evaluation, cable: &Cable) -> String {
    let mut table = Table::new("lr", &["run", "mean error [cm]"]);
    for run in &found.runs {
        table.row([run.name.clone(), format!("{:.3}", 100.0 * run.score)]);
    }
    format!(
        "{}\n{}mean {:.4} cm over {} runs, {:.4} CPU-seconds per second\n",
        cable.title,
        table.render(),
        100.0 * found.score,
        found.runs.len(),
        found.cpu_s_per_sim_s
    )
}
