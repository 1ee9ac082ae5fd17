//! The summary of a run as text.

use crate::number::{seconds, short, significant, with_prefix};
use crate::run::final_state::Ends;
use crate::run::summary::{RunStatus, Summary};
use crate::table::Table;
use core::fmt::Write;

/// The summary as text, with a closing newline.
pub(crate) fn render(summary: &Summary) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}", summary.scene, summary.title);
    let _ = writeln!(text, "{}\n", headline(summary));
    text.push_str(&solver(summary));
    text.push_str("\nTime per stage\n");
    text.push_str(&stages(summary));
    text.push_str("\nEnergy (J)\n");
    text.push_str(&energies(summary));
    text.push_str(&ends(&summary.ends));
    if !summary.results.is_empty() {
        text.push_str("\nClaims\n");
        text.push_str(&claims(summary));
    }
    for warning in &summary.warnings {
        let _ = writeln!(text, "\nwarning: {warning}");
    }
    text
}

fn headline(s: &Summary) -> String {
    let status = match s.status {
        RunStatus::Completed => "completed",
        RunStatus::Interrupted => "interrupted",
        RunStatus::NotConverged => "stopped: a step did not converge",
        RunStatus::PassesThrough => "stopped: something would pass through something else",
        RunStatus::GainsEnergy => "stopped: contacts would make energy",
        RunStatus::NotFinite => "stopped: a number is not finite",
    };
    format!(
        "{status}: {} steps of {}, {} simulated in {} ({} times real time, {} thread{})",
        s.steps,
        seconds(s.dt),
        seconds(s.duration),
        seconds(s.wall_s),
        significant(s.real_time_rate, 3),
        s.threads,
        if s.threads == 1 { "" } else { "s" },
    )
}

fn solver(s: &Summary) -> String {
    let mut table = Table::new("lr", &[]);
    table.row(["Newton iterations per step, mean", &format!("{:.2}", s.newton.mean)]);
    table.row(["Newton iterations per step, greatest", &s.newton.max.to_string()]);
    for (name, value) in &s.tuning {
        table.row([format!("Not nominal: tuning.{name}"), short(*value)]);
    }
    if let Some(contacts) = s.contacts {
        table.row(["Contacts, mean", &format!("{:.1}", contacts.mean)]);
        table.row(["Contacts, greatest", &contacts.max.to_string()]);
        table.row(["Deepest overlap", &with_prefix(contacts.deepest_overlap_m, 3, "m")]);
    }
    table.row(["Halved steps", &s.halved_steps.to_string()]);
    table.row(["Altered tangents", &s.altered_tangents.to_string()]);
    table.render()
}

fn stages(s: &Summary) -> String {
    let total: f64 = s.stages.iter().map(|(_, time)| time).sum();
    let mut table = Table::new("lrr", &[]).indented(2);
    for (name, time) in &s.stages {
        let share = if total > 0.0 { 100.0 * time / total } else { 0.0 };
        table.row([(*name).to_owned(), seconds(*time), format!("{share:.1} %")]);
    }
    table.render()
}

fn energies(s: &Summary) -> String {
    let (a, b) = (&s.energies.start, &s.energies.end);
    let mut table = Table::new("lrr", &["", "start", "end"]).indented(2);
    for (name, from, to) in [
        ("kinetic", a.kinetic, b.kinetic),
        ("stretch", a.stretch, b.stretch),
        ("bend", a.bend, b.bend),
        ("twist", a.twist, b.twist),
        ("gravity", a.gravity, b.gravity),
        ("joints", a.joints, b.joints),
        ("total", a.total(), b.total()),
        ("plastic work, not in the total", a.plastic, b.plastic),
    ] {
        // Springs in joints are rare, as is plastic work.
        if !matches!(name, "joints" | "plastic work, not in the total") || from != 0.0 || to != 0.0 {
            table.row([name.to_owned(), short(from), short(to)]);
        }
    }
    table.row(["work of clamps, loads, drives", "", &short(s.energies.work)]);
    table.render()
}

fn ends(ends: &Ends) -> String {
    let vector = |v: &[f64; 3]| v.map(short).join(" ");
    let mut text = String::new();
    if !ends.bodies.is_empty() {
        text.push_str("\nBodies at the end\n");
        let heading = ["body", "position (m)", "quat_xyzw", "force of contacts (N)"];
        let mut table = Table::new("llll", &heading).indented(2);
        for b in &ends.bodies {
            table.row([
                b.name.clone(),
                vector(&b.position),
                b.quat_xyzw.map(short).join(" "),
                b.contact_force.as_ref().map(vector).unwrap_or_default(),
            ]);
        }
        text.push_str(&table.render());
    }
    if !ends.joints.is_empty() {
        text.push_str("\nJoints at the end\n");
        let heading = ["joint", "position", "velocity", "effort"];
        let mut table = Table::new("lrrr", &heading).indented(2);
        for j in &ends.joints {
            let [q, v, effort] = if j.slides { ["m", "m/s", "N"] } else { ["rad", "rad/s", "N·m"] };
            table.row([
                if j.tree == j.joint { j.tree.clone() } else { format!("{} {}", j.tree, j.joint) },
                format!("{} {q}", short(j.position)),
                format!("{} {v}", short(j.velocity)),
                format!("{} {effort}", short(j.effort)),
            ]);
        }
        text.push_str(&table.render());
    }
    if !ends.attachments.is_empty() {
        text.push_str("\nAttachments in the last step\n");
        let heading = ["attachment", "force (N)", "torque (N·m)"];
        let mut table = Table::new("lll", &heading).indented(2);
        for a in &ends.attachments {
            table.row([a.name.clone(), vector(&a.force), vector(&a.torque)]);
        }
        text.push_str(&table.render());
    }
    text
}

fn claims(s: &Summary) -> String {
    let heading = ["claim", "measured", "reference", "error", "tolerance", ""];
    let mut table = Table::new("lrrrrl", &heading).indented(2);
    for result in &s.results {
        table.row([
            result.name.clone(),
            significant(result.measured, 7),
            significant(result.reference, 7),
            significant(result.error, 3),
            significant(result.tolerance, 3),
            if result.pass { "pass" } else { "FAIL" }.to_owned(),
        ]);
    }
    table.render()
}
