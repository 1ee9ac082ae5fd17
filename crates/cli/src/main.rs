//! The `ropewalk` command: run, list, check, schema, validate, bench, info, export, fit.
//!
//! | module | what it holds |
//! |---|---|
//! | [`commands`] | the command line, one file per command |
//! | [`run`] | a run: the loop, its summary and its files |
//! | [`picture`] | the picture of a run, as SVG |
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
mod picture;
mod run;
mod table;
mod validate;
mod worlds;

fn main() -> std::process::ExitCode {
    commands::main()
}
