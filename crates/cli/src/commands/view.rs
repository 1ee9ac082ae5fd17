//! `ropewalk view`: a recording in the browser.

use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::run::interrupt::Interrupt;
use ropewalk_scene::Recording;
use ropewalk_view::serve::Server;
use ropewalk_view::{Player, page};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Show a recording in the browser
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The recording (run.mcap)
    file: PathBuf,

    /// Write the page to this file, to keep or to send, instead of serving it
    #[arg(long, value_name = "FILE", conflicts_with = "port")]
    html: Option<PathBuf>,

    /// Replace a file that is there already
    #[arg(long, requires = "html")]
    force: bool,

    /// Serve the page on this port of this computer; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    if let Some(path) = &arguments.html {
        check_file(path, arguments.force)?;
    }
    let recording = Recording::open(&arguments.file)?;
    if let Some(path) = &arguments.html {
        write_page(&recording, path)?;
        return Ok(Outcome::Success);
    }
    let server = bind(arguments.port)?;
    let player = Player::of(&recording)?;
    say_left_out(&player);
    let interrupt = Interrupt::listen()?;
    let address = server.address();
    server.start(page::with_run(&player.payload), None).map_err(|error| {
        CommandError::input(format!("cannot start a thread: {error}"), "write the page to a file with --html")
    })?;
    console::print(&format!("{address}\n"))?;
    console::say("Open this address in a browser on this computer; Ctrl-C ends the server.");
    while !interrupt.requested() {
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(Outcome::Success)
}

/// A server on `port`.
pub(crate) fn bind(port: u16) -> Result<Server, CommandError> {
    Server::bind(port).map_err(|error| {
        CommandError::input(
            format!("--port {port}: this port cannot be taken: {error}"),
            "name another, or leave it out for one that is free",
        )
    })
}

/// Rejects an existing file, unless `force` is given.
pub(crate) fn check_file(path: &Path, force: bool) -> Result<(), CommandError> {
    if path.is_dir() {
        return Err(CommandError::input(
            format!("--html {}: this is a directory", path.display()),
            "name a file",
        ));
    }
    if path.exists() && !force {
        return Err(CommandError::input(
            format!("--html {}: this file is there already", path.display()),
            "name another, or add --force to replace it",
        ));
    }
    Ok(())
}

/// Writes the page of `recording` to `path`, and says so.
pub(crate) fn write_page(recording: &Recording, path: &Path) -> Result<(), CommandError> {
    let player = ropewalk_view::write_player(recording, path)?;
    say_left_out(&player);
    console::say(&format!("Written to {}; see it in the browser: {}", path.display(), file_address(path)));
    Ok(())
}

/// The URL of a file; other characters are percent-encoded.
fn file_address(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut address = String::from("file://");
    for byte in whole.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    address
}

fn say_left_out(player: &Player) {
    if player.frames < player.recorded {
        console::say(&format!(
            "note: the page has {} of {} frames, as many as a browser can hold",
            player.frames, player.recorded
        ));
    }
}
