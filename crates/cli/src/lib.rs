//! The `ropewalk` command: run, view, list, check, picture, film, schema, validate, stress, bench, info, export, fit, sweep.
//!
//! | module | contents |
//! |---|---|
//! | [`commands`] | the command line, one file per command |
//! | [`run`] | a run: the loop, its summary and its files |
//! | [`check`] | analysis of a scene before it runs |
//! | [`mod@bench`] | times of scenes and of our own kernels, one file per benchmark |
//! | [`console`], [`number`], [`table`] | output to the terminal |
//! | [`exit`] | exit codes and errors |

mod bench;
mod check;
mod commands;
mod console;
mod exit;
mod number;
mod run;
mod table;

/// Carries out a command line, whose first word is the name of the program, and gives its exit code. What a command
/// prints goes to standard output and standard error.
pub fn run_command(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    commands::run(arguments)
}
