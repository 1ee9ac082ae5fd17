//! `ropewalk stress`: random scenes with default settings, judged in every step.

use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::number::significant;
use crate::run::interrupt::Interrupt;
use crate::table::Table;
use indicatif::{ProgressBar, ProgressStyle};
use ropewalk_scene::output_file::WholeFile;
use ropewalk_validation::campaign::report::scene_file_text;
use ropewalk_validation::campaign::{
    Campaign, CampaignReport, Case, Criterion, FAMILIES, Family, Outcome as CaseOutcome, judge_scene,
    run_campaign,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Failures that are listed one by one.
const MOST_LISTED: usize = 60;

/// Run random scenes with default settings and judge every step
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Families to run, by name; all if none is given
    #[arg(value_name = "FAMILY")]
    families: Vec<String>,

    /// Number of cases, spread evenly over the families
    #[arg(long, value_name = "N", default_value_t = 100)]
    cases: usize,

    /// Seed: the same one gives the same scenes
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Index of the first case of each family
    #[arg(long, value_name = "I", default_value_t = 0)]
    first: u64,

    /// Write the failing cases as scene files to this directory
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,

    /// Threads to use; scenes and verdicts are the same for any number
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Judge this scene file, or embedded scene, by the same criteria instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["families", "cases", "seed", "first", "keep", "threads", "list"])]
    replay: Option<String>,

    /// Name the families and what happens in their scenes
    #[arg(long)]
    list: bool,

    /// Print the report as JSON: cases, failed, criteria, families, failures
    #[arg(long)]
    json: bool,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    if arguments.list {
        let mut table = Table::new("ll", &[]);
        FAMILIES.iter().for_each(|family| table.row([family.name, family.description]));
        console::print(&table.render())?;
        return Ok(Outcome::Success);
    }
    if let Some(file) = &arguments.replay {
        return replay(arguments, file);
    }
    let families = pick(arguments)?;
    if let Some(dir) = &arguments.keep {
        std::fs::create_dir_all(dir).map_err(CommandError::file(dir))?;
    }
    let interrupt = Interrupt::listen()?;
    let available = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let campaign = Campaign {
        families,
        cases: arguments.cases,
        seed: arguments.seed,
        first: arguments.first,
        threads: arguments.threads.map_or(available, usize::from),
    };
    let bar = progress_bar(campaign.cases, arguments.json);
    let failed = std::sync::atomic::AtomicUsize::new(0);
    let results = quiet_panics(|| {
        run_campaign(&campaign, interrupt.flag(), |_, outcome| {
            if outcome.findings.failures().next().is_some() {
                let failed = failed.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                bar.set_message(format!("{failed} fail"));
            }
            bar.inc(1);
        })
    });
    bar.finish_and_clear();
    let results = results.map_err(|error| {
        CommandError::input(
            error.to_string(),
            "this is a defect of the generator: report family, seed and index",
        )
    })?;
    if let Some(dir) = &arguments.keep {
        keep(dir, &results)?;
    }
    let file = |case: &Case| arguments.keep.as_deref().map(|dir| scene_path(dir, case).display().to_string());
    let report = CampaignReport::new(campaign.seed, &results, file);
    if arguments.json {
        console::print_json(&report)?;
    } else {
        console::print(&render(&report, &campaign.families))?;
    }
    Ok(match report.failed {
        _ if interrupt.requested() => Outcome::Interrupted,
        0 => Outcome::Success,
        _ => Outcome::ClaimFailed,
    })
}

/// The families requested by name, or all.
fn pick(arguments: &Arguments) -> Result<Vec<&'static Family>, CommandError> {
    if arguments.families.is_empty() {
        return Ok(FAMILIES.iter().collect());
    }
    let find = |name: &String| {
        FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| {
            let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            CommandError::input(
                format!("there is no family of scenes '{name}'"),
                format!("the families are: {}", names.join(", ")),
            )
        })
    };
    arguments.families.iter().map(find).collect()
}

/// Panics of cases are counted, not printed.
fn quiet_panics<T>(work: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let out = work();
    std::panic::set_hook(hook);
    out
}

fn progress_bar(cases: usize, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(cases as u64);
    let template = "{bar:32} {percent:>3} %  {pos}/{len} cases, {msg}  {elapsed} elapsed, {eta} to go";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message("0 fail");
    bar
}

fn scene_path(dir: &Path, case: &Case) -> PathBuf {
    dir.join(format!("{}.toml", case.name()))
}

/// Writes the failing cases as scene files.
fn keep(dir: &Path, results: &[(Case, CaseOutcome)]) -> Result<(), CommandError> {
    for (case, outcome) in results.iter().filter(|(_, outcome)| outcome.findings.failures().next().is_some())
    {
        let path = scene_path(dir, case);
        WholeFile::write(&path, scene_file_text(case, outcome).as_bytes())
            .map_err(CommandError::file(&path))?;
    }
    Ok(())
}

fn render(report: &CampaignReport, families: &[&'static Family]) -> String {
    let judged = |criterion: &Criterion| report.criteria.contains_key(criterion.name());
    let shown: Vec<Criterion> = Criterion::ALL.into_iter().filter(judged).collect();
    let mut heading = vec!["family", "cases", "touch", "failed"];
    heading.extend(shown.iter().map(|criterion| criterion.name()));
    heading.push("most s");
    let mut table = Table::new(&format!("l{}", "r".repeat(heading.len() - 1)), &heading);
    for family in families {
        let Some(summary) = report.families.get(family.name) else { continue };
        let mut row = vec![
            family.name.to_owned(),
            summary.cases.to_string(),
            summary.touched.to_string(),
            count(summary.failed),
        ];
        row.extend(shown.iter().map(|criterion| {
            summary.criteria.get(criterion.name()).map_or_else(String::new, |c| count(c.failed))
        }));
        row.push(significant(summary.most_seconds, 2));
        table.row(row);
    }
    let of_all = |title: &str, cases: String, failed: String, value: &dyn Fn(&str) -> String| {
        let mut row = vec![title.to_owned(), cases, String::new(), failed];
        row.extend(shown.iter().map(|criterion| value(criterion.name())));
        row
    };
    table.row(of_all("all", report.cases.to_string(), count(report.failed), &|name| {
        count(report.criteria[name].failed)
    }));
    table.row(of_all("worst", String::new(), String::new(), &|name| {
        significant(report.criteria[name].worst, 2)
    }));
    table.row(of_all("bound", String::new(), String::new(), &|name| {
        significant(report.criteria[name].bound, 2)
    }));
    let mut text = table.render();
    text.push_str(&render_failures(report));
    text.push_str(&format!(
        "\n{} cases of seed {}, {} fail; {} steps, {} s of CPU time\n",
        report.cases,
        report.seed,
        report.failed,
        report.steps,
        significant(report.seconds, 3)
    ));
    text
}

fn count(n: usize) -> String {
    if n == 0 { "·".to_owned() } else { n.to_string() }
}

fn render_failures(report: &CampaignReport) -> String {
    if report.failures.is_empty() {
        return String::new();
    }
    let mut table =
        Table::new("lrlrrrl", &["family", "index", "criterion", "value", "bound", "at s", "what"]);
    for failure in report.failures.iter().take(MOST_LISTED) {
        table.row([
            failure.family.clone(),
            failure.index.to_string(),
            failure.criterion.name().to_owned(),
            significant(failure.value, 3),
            significant(failure.bound, 2),
            significant(failure.time, 4),
            failure.what.clone(),
        ]);
    }
    let left = report.failures.len().saturating_sub(MOST_LISTED);
    let more = if left > 0 { format!("and {left} more; --json lists all\n") } else { String::new() };
    format!("\n{}{more}", table.render())
}

/// Result of a scene by the criteria of the campaign.
#[derive(Serialize)]
struct Replay<'a> {
    scene: &'a str,
    steps: u64,
    seconds: f64,
    failed: bool,
    findings: Vec<&'a ropewalk_validation::campaign::Finding>,
}

/// Judges one scene.
fn replay(arguments: &Arguments, file: &str) -> Result<Outcome, CommandError> {
    let scene = ropewalk_scene::load_named(file, &[])?;
    let interrupt = Interrupt::listen()?;
    let outcome = quiet_panics(|| judge_scene(&scene, interrupt.flag()));
    let failed = outcome.findings.failures().next().is_some();
    if arguments.json {
        let findings = outcome.findings.iter().collect();
        let (steps, seconds) = (outcome.steps, outcome.seconds);
        console::print_json(&Replay { scene: file, steps, seconds, failed, findings })?;
    } else {
        let mut table = Table::new("lrrrll", &["criterion", "value", "bound", "at s", "", "what"]);
        for finding in outcome.findings.iter() {
            table.row([
                finding.criterion.name().to_owned(),
                significant(finding.value, 3),
                significant(finding.bound, 2),
                significant(finding.time, 4),
                (if finding.fails() { "FAIL" } else { "pass" }).to_owned(),
                finding.what.clone(),
            ]);
        }
        console::print(&format!(
            "{}\n{file}: {} steps, {} s of CPU time\n",
            table.render(),
            outcome.steps,
            significant(outcome.seconds, 3)
        ))?;
    }
    Ok(match (outcome.is_complete, failed) {
        (false, _) => Outcome::Interrupted,
        (true, false) => Outcome::Success,
        (true, true) => Outcome::ClaimFailed,
    })
}
