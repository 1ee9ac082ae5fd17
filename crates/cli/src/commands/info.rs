//! `ropewalk info`: contents of a recording.

use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::number::{seconds, short, with_prefix};
use crate::table::Table;
use core::fmt::Write;
use ropewalk_scene::Recording;
use ropewalk_scene::recording::Info;
use std::path::PathBuf;

/// Say what is in a recording
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The recording (run.mcap)
    file: PathBuf,

    /// Print an object
    #[arg(long)]
    json: bool,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let info = Info::of(&Recording::open(&arguments.file)?)?;
    if arguments.json {
        console::print_json(&info)?;
    } else {
        console::print(&render(&info))?;
    }
    Ok(Outcome::Success)
}

fn render(info: &Info) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}", info.scene, info.title);
    let state = if info.complete { "complete" } else { "cut short: all before the cut is readable" };
    let _ = writeln!(text, "{} ({} bytes), {state}; ropewalk {}\n", info.file, info.bytes, info.ropewalk);
    let mut table = Table::new("lr", &[]);
    table.row(["Time", &format!("{} to {}", seconds(info.start), seconds(info.end))]);
    table.row(["Frames", &format!("{}, every {}", info.frames, seconds(info.frame_interval))]);
    table.row(["Steps", &format!("{} of {}", info.steps, seconds(info.dt))]);
    table.row(["Time of the clock in steps", &seconds(info.step_seconds)]);
    table.row(["Contacts in a frame, greatest", &info.most_contacts.to_string()]);
    if info.most_patches > 0 {
        table.row(["Patches in a frame, greatest", &info.most_patches.to_string()]);
        table.row(["Polygons in a frame, greatest", &info.most_polygons.to_string()]);
        table.row(["Greatest pressure", &with_prefix(info.peak_pressure, 3, "Pa")]);
    }
    text.push_str(&table.render());
    if !info.rods.is_empty() {
        text.push_str("\nRods\n");
        let mut table = Table::new("lrrrl", &["rod", "nodes", "length (m)", "thickness (m)", ""]).indented(2);
        for rod in &info.rods {
            table.row([
                rod.name.clone(),
                rod.nodes.to_string(),
                short(rod.rest_length),
                short(rod.thickness),
                if rod.closed { "closed" } else { "open" }.to_owned(),
            ]);
        }
        text.push_str(&table.render());
    }
    if !info.trees.is_empty() {
        text.push_str("\nBodies and robots\n");
        let mut table = Table::new("llrr", &["name", "", "links", "shapes"]).indented(2);
        for tree in &info.trees {
            let kind = if tree.robot { "robot" } else { "body" };
            table.row([&tree.name, kind, &tree.links.to_string(), &tree.shapes.to_string()]);
        }
        text.push_str(&table.render());
    }
    text.push_str("\nMessages\n");
    let mut table = Table::new("lr", &[]).indented(2);
    for (topic, count) in &info.messages {
        table.row([*topic, &count.to_string()]);
    }
    text.push_str(&table.render());
    text.push_str("\nEvents\n");
    let mut table = Table::new("rlll", &[]).indented(2);
    for event in &info.events {
        let kind = format!("{:?}", event.kind).to_lowercase();
        table.row([seconds(event.time), kind, event.name.clone(), event.detail.clone()]);
    }
    text.push_str(&table.render());
    text
}
