//! `ropewalk schema`: the JSON schema of scene files.

use crate::console;
use crate::exit::{CommandError, Outcome};

/// Print the JSON schema of scene files
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Carries out the command.
pub(crate) fn execute(_: &Arguments) -> Result<Outcome, CommandError> {
    console::print_json(&ropewalk_scene::schema())?;
    Ok(Outcome::Success)
}
