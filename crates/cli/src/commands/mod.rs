//! The command line, one file per command.

mod bench;
mod check;
mod export;
mod film;
mod fit;
mod footage;
mod info;
mod list;
mod picture;
mod run;
mod schema;
mod stress;
mod validate;
mod view;

use crate::console;
use crate::exit::Outcome;
use crate::run::interrupt;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit codes:
  0    done, and every claim or case holds
  1    a claim of the scene or a validation case fails
  2    bad input (nothing is written), or an output that cannot be written
  3    a step failed or a state is not finite; the last good state is kept and named
  130  interrupted by Ctrl-C; outputs are complete up to that moment

Data and summaries go to standard output, everything else to standard error.
Units are SI and radians, z is up, tension is positive in pull.";

/// Ropes, cables and soft filaments, simulated.
#[derive(Debug, Parser)]
#[command(name = "ropewalk", version, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Arguments),
    List(list::Arguments),
    Picture(picture::Arguments),
    Film(film::Arguments),
    Check(check::Arguments),
    Schema(schema::Arguments),
    Validate(validate::Arguments),
    Stress(stress::Arguments),
    Bench(bench::Arguments),
    Info(info::Arguments),
    View(view::Arguments),
    Export(export::Arguments),
    Fit(fit::Arguments),
}

/// Parses the command line and carries it out.
pub(crate) fn main() -> ExitCode {
    interrupt::survive_file_limits();
    let result = match Cli::parse().command {
        Command::Run(arguments) => run::execute(&arguments),
        Command::List(arguments) => list::execute(&arguments),
        Command::Picture(arguments) => picture::execute(&arguments),
        Command::Film(arguments) => film::execute(&arguments),
        Command::Check(arguments) => check::execute(&arguments),
        Command::Schema(arguments) => schema::execute(&arguments),
        Command::Validate(arguments) => validate::execute(&arguments),
        Command::Stress(arguments) => stress::execute(&arguments),
        Command::Bench(arguments) => bench::execute(&arguments),
        Command::Info(arguments) => info::execute(&arguments),
        Command::View(arguments) => view::execute(&arguments),
        Command::Export(arguments) => export::execute(&arguments),
        Command::Fit(arguments) => fit::execute(&arguments),
    };
    let outcome = result.unwrap_or_else(|error| {
        console::say(&format!("error: {error}"));
        Outcome::BadInput
    });
    outcome.into()
}
