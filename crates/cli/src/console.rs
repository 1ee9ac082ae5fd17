//! Output to the terminal. Data and summaries go to standard output, everything else to standard error.

use crate::exit::CommandError;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Writes `text` to standard output. A reader that stopped reading (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CommandError::Output(error)),
        _ => Ok(()),
    }
}

/// Writes `value` as indented JSON to standard output.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), CommandError> {
    print(&json_text(value)?)
}

/// `value` as indented JSON with a closing newline.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, CommandError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|error| CommandError::Output(error.into()))?;
    text.push('\n');
    Ok(text)
}

/// `value` as JSON on one line.
pub(crate) fn json_line(value: &impl Serialize) -> Result<String, CommandError> {
    serde_json::to_string(value).map_err(|error| CommandError::Output(error.into()))
}

/// Prints a message to standard error; ignored if that is closed.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
