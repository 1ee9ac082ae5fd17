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
mod sweep;
mod validate;
mod view;

use crate::console;
use crate::exit::Outcome;
use crate::run::interrupt;
use clap::{Parser, Subcommand};
use std::ffi::OsString;

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
    Fit(Box<fit::Arguments>),
    Sweep(sweep::Arguments),
}

/// Parses the command line, carries it out and gives its exit code.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    interrupt::survive_file_limits();
    let command = match Cli::try_parse_from(arguments) {
        Ok(parsed) => parsed.command,
        Err(error) => {
            // Help and version go to standard output with code 0, mistakes to standard error with code 2. Where neither can
            // be written, nobody listens.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let result = match command {
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
        Command::Sweep(arguments) => sweep::execute(&arguments),
    };
    let outcome = result.unwrap_or_else(|error| {
        console::say(&format!("error: {error}"));
        Outcome::BadInput
    });
    outcome.code()
}
