//! `ropewalk list`: the embedded scenes.

use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::table::Table;
use ropewalk_scene::embedded_scenes;
use serde_json::json;

/// List the embedded scenes
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print an array of objects with name and title
    #[arg(long)]
    json: bool,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    if arguments.json {
        let scenes = embedded_scenes().iter().map(|s| json!({ "name": s.name, "title": s.title }));
        console::print_json(&scenes.collect::<Vec<_>>())?;
    } else {
        let mut table = Table::new("ll", &[]);
        for scene in embedded_scenes() {
            table.row([scene.name, scene.title]);
        }
        console::print(&table.render())?;
    }
    Ok(Outcome::Success)
}
