//! The `ropewalk` command: run, view, list, check, picture, film, schema, validate, stress, bench, info, export, fit.
//!
//! | module | what it holds |
//! |---|---|
//! | [`commands`] | the command line, one file per command |
//! | [`run`] | a run: the loop, its summary and its files |
//! | [`check`] | what can be said of a scene before it runs |
//! | [`validate`] | physics against references, one file per case |
//! | [`mod@bench`] | times against references, one file per benchmark |
//! | [`worlds`] | worlds with contact that both run |
//! | [`console`], [`number`], [`table`] | words on the terminal |
//! | [`exit`] | exit codes and errors |

mod bench;
mod check;
mod commands;
mod console;
mod exit;
mod number;
mod run;
mod table;
mod validate;
mod worlds;

fn main() -> std::process::ExitCode {
    commands::main()
}
