//! `ropewalk check`: analysis of a scene or a robot before it runs.

use crate::check::CheckReport;
use crate::check::robot_facts::RobotFacts;
use crate::check::rod_facts::{Range, RodFacts};
use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::number::{short, with_prefix};
use crate::table::Table;
use core::fmt::Write;
use ropewalk_scene::UrdfOptions;
use ropewalk_scene::urdf::EMBEDDED_PREFIX;
use std::path::{Path, PathBuf};

/// Check a scene or a robot and print the numbers that follow from it
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of an embedded scene (see `ropewalk list`) or robot (robot:arm7_gripper), a scene file or a URDF file
    scene: String,

    /// Override a value of the scene, such as rod.rope.segments=200; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,

    /// A folder with packages that a URDF names by package://; may be repeated
    #[arg(long, value_name = "DIR")]
    package_path: Vec<PathBuf>,

    /// Let the nearest possible inertia stand for any of a URDF that no rigid body has
    #[arg(long)]
    repair_inertia: bool,

    /// Allow more than 8 GB of memory, and more than 1e9 steps
    #[arg(long)]
    allow_large: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    if is_robot(&arguments.scene) {
        return check_robot(arguments);
    }
    let scene =
        ropewalk_scene::load_named_sized(&arguments.scene, &arguments.overrides, arguments.allow_large)?;
    let report = CheckReport::of(&scene);
    if arguments.json {
        console::print_json(&report)?;
    } else {
        console::print(&render(&report))?;
    }
    Ok(if report.errors.is_empty() { Outcome::Success } else { Outcome::BadInput })
}

fn is_robot(name: &str) -> bool {
    name.starts_with(EMBEDDED_PREFIX)
        || Path::new(name)
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("urdf") || e.eq_ignore_ascii_case("xml"))
}

fn check_robot(arguments: &Arguments) -> Result<Outcome, CommandError> {
    if let Some(first) = arguments.overrides.first() {
        return Err(CommandError::input(
            format!("--set {first}: a robot file has no values to override"),
            "overrides are for scenes",
        ));
    }
    let options = UrdfOptions {
        package_paths: arguments.package_path.clone(),
        repair_inertia: arguments.repair_inertia,
        ..UrdfOptions::default()
    };
    let facts = RobotFacts::of(&ropewalk_scene::load_robot(&arguments.scene, None, &options)?);
    if arguments.json {
        console::print_json(&facts)?;
    } else {
        console::print(&facts.render())?;
    }
    Ok(Outcome::Success)
}

fn render(report: &CheckReport) -> String {
    let mut text = format!("{}: {}\n", report.scene, report.title);
    for rod in &report.rods {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\nRod '{}'", rod.name);
        text.push_str(&rod_table(rod));
    }
    for tree in &report.trees {
        text.push_str(&tree.render());
    }
    let advice = &report.recommended_dt;
    let recommended = advice.value.map_or_else(|| "none".to_owned(), |dt| with_prefix(dt, 3, "s"));
    let _ = writeln!(text, "\nTime step {}, recommended {recommended}", with_prefix(report.dt, 3, "s"));
    let _ = writeln!(text, "  {}", advice.reason);
    text.push_str(&report.cost.render());
    text.push_str("\nParameters of numerics (reasons: --json)\n");
    let mut table = Table::new("lrl", &[]).indented(2);
    for p in &report.tuning {
        let nominal =
            if p.value == p.nominal { String::new() } else { format!(", nominal {}", short(p.nominal)) };
        table.row([p.name.to_owned(), short(p.value), format!("{}{nominal}", p.unit)]);
    }
    text.push_str(&table.render());
    for warning in &report.warnings {
        let _ = writeln!(text, "\nwarning: {warning}");
    }
    for error in &report.errors {
        let _ = writeln!(text, "\nerror: {error}");
    }
    if !report.errors.is_empty() {
        let _ = writeln!(
            text,
            "hint: move them apart, or let them pass through one another by contact.exclude = [[\"A\", \"B\"]]"
        );
    }
    text
}

fn rod_table(rod: &RodFacts) -> String {
    let mut table = Table::new("ll", &[]).indented(2);
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    let length = with_prefix(rod.length, 4, "m");
    let kind = if rod.closed { "closed, " } else { "" };
    row("length", format!("{length} ({kind}{} segments of {})", rod.segments, span(rod.segment, "m")));
    if rod.free_length < rod.length {
        let free = with_prefix(rod.free_length, 4, "m");
        row("free length", format!("{free} (a clamp holds the middle of its edge)"));
    }
    row("mass", format!("{} kg", short(rod.mass)));
    row("line density ρA", plain(rod.line_density, "kg/m"));
    row("stretching EA", plain(rod.stretch_stiffness, "N"));
    for (name, value) in [
        ("bending EI₁", rod.bend_stiffness_1),
        ("bending EI₂", rod.bend_stiffness_2),
        ("torsion GJ", rod.twist_stiffness),
    ] {
        if let Some(value) = value {
            row(name, plain(value, "N·m²"));
        }
    }
    if !rod.first_frequencies.is_empty() {
        let list: Vec<String> = rod.first_frequencies.iter().map(|f| short(*f)).collect();
        row("first frequencies at the start", format!("{} Hz", list.join(", ")));
    }
    if let Some(load) = rod.buckling_load {
        row("buckling load, clamped and free end", format!("{} N", short(load)));
    }
    row("axial wave speed", format!("{} m/s", short(rod.axial_wave_speed)));
    if let Some(speed) = rod.twist_wave_speed {
        row("torsional wave speed", format!("{} m/s", short(speed)));
    }
    if let Some(speed) = rod.bending_wave_speed {
        row("bending wave speed, shortest wave", format!("{} m/s", short(speed)));
    }
    table.render()
}

/// A value that may vary along the rod.
fn plain(range: Range, unit: &str) -> String {
    if range[1] - range[0] <= 1e-9 * range[1].abs() {
        format!("{} {unit}", short(range[1]))
    } else {
        format!("{} to {} {unit}", short(range[0]), short(range[1]))
    }
}

/// The same with a prefix.
fn span(range: Range, unit: &str) -> String {
    if range[1] - range[0] <= 1e-9 * range[1].abs() {
        with_prefix(range[1], 4, unit)
    } else {
        format!("{} to {}", with_prefix(range[0], 4, unit), with_prefix(range[1], 4, unit))
    }
}
