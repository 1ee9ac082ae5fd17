//! `ropewalk fit`: cables from measurements.

use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::table::Table;
use ropewalk_fit::levenberg::Search;
use ropewalk_fit::robust::Loss;
use ropewalk_fit::{Cable, Evaluation, Fit, FitError, FitOptions, Parameter, Surroundings, Tracks};
use ropewalk_scene::output_file::WholeFile;
use std::path::{Path, PathBuf};

/// Fit cables to measured motions, and score them
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<FitCommand>,

    #[command(flatten)]
    fit: FitArguments,
}

#[derive(Debug, clap::Subcommand)]
enum FitCommand {
    Evaluate(EvaluateArguments),
    Reality(RealityArguments),
}

#[derive(Debug, clap::Args)]
struct FitArguments {
    /// The scene in which the cable was measured, if it touched something: name of an embedded scene, or a file. Its rod is where the fit starts
    scene: Option<String>,

    /// Which rod of the scene the cable is; the only one by default
    #[arg(long, value_name = "NAME", requires = "scene")]
    rod: Option<String>,

    /// What was measured, a NumPy archive: marker tracks `markers` (runs, frames, n, 3) in m with `rate_hz`, if wanted `names` and `wrenches`; static `shapes`;
    /// `torque` over `twist` (docs/real-cables.md)
    #[arg(long, value_name = "FILE.npz", required = true)]
    data: Option<PathBuf>,

    /// The cable file to write
    #[arg(long, value_name = "FILE.toml", required = true)]
    out: Option<PathBuf>,

    /// The cable to start from; without it, one is made from the tracks and what was weighed
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["line_density", "marker_mass"])]
    cable: Option<PathBuf>,

    /// Mass per length in kg/m, without markers
    #[arg(long, value_name = "KG/M", required_unless_present_any = ["cable", "scene"], conflicts_with = "scene")]
    line_density: Option<f64>,

    /// Mass of a marker in kg
    #[arg(long, value_name = "KG", default_value_t = 0.0)]
    marker_mass: f64,

    /// What to fit, separated by commas
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "bending_stiffness,stiffness_damping,mass_damping,drag_across,length_factor,spacing_share"
    )]
    parameters: Vec<String>,

    /// Natural curvature to add at so many markers and directions, chosen by the fit
    #[arg(long, value_name = "N", default_value_t = 0)]
    curls: usize,

    /// Change the cable to start from, such as `numerics.theta=0.55`
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// What the cable is called
    #[arg(long)]
    title: Option<String>,

    /// Use every so many runs only
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,

    /// Leave these runs out, by name
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    leave_out: Vec<String>,

    /// Frames in a window, stage by stage; 0 for whole runs
    #[arg(long, value_delimiter = ',', default_value = "50,0")]
    windows: Vec<usize>,

    /// Make the starts of windows unknowns (multiple shooting)
    #[arg(long)]
    free_starts: bool,

    /// Starting points of the search
    #[arg(long, default_value_t = 1)]
    starts: usize,

    /// Folds of the cross-validation; 0 for none
    #[arg(long, default_value_t = 0)]
    folds: usize,

    /// Residuals well above this count by their size, below it by their square, in m
    #[arg(long, value_name = "M", default_value_t = 5e-3)]
    loss_scale: f64,

    /// Linearizations of a stage at most
    #[arg(long, default_value_t = 20)]
    iterations: usize,

    /// Write a page with predictions over measurements, residuals and intervals
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Predict measured runs open loop from their first two frames, and print the mean error
#[derive(Debug, clap::Args)]
struct EvaluateArguments {
    /// Marker tracks: a NumPy archive with `markers` (runs, frames, n, 3) in m, `rate_hz` and, optionally, `names`
    #[arg(long, value_name = "FILE.npz")]
    data: PathBuf,

    /// The cable file
    #[arg(long, value_name = "FILE.toml")]
    cable: PathBuf,

    /// The scene in which the cable touches something
    #[arg(long, value_name = "SCENE")]
    scene: Option<String>,

    /// Which rod of the scene the cable is; the only one by default
    #[arg(long, value_name = "NAME", requires = "scene")]
    rod: Option<String>,

    /// Write a page with films of the worst runs, measured and predicted
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Print the scores as JSON
    #[arg(long)]
    json: bool,
}

/// Compare the simulator with published measurements: cables, helices, hanging loops, a steel strip
#[derive(Debug, clap::Args)]
struct RealityArguments {
    /// The folder with the files of the measurements (see docs/real-cables.md); what is not there is left out
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,

    /// The folder with the cables `dlo1.toml` …
    #[arg(long, value_name = "FOLDER", default_value = "examples/cables")]
    cables: PathBuf,

    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let done = match &arguments.command {
        Some(FitCommand::Evaluate(arguments)) => evaluate(arguments),
        Some(FitCommand::Reality(arguments)) => reality(arguments),
        None => fit(&arguments.fit),
    };
    match done {
        Err(CommandError::Fit(error)) if error.is_numerical() => {
            console::say(&format!("error: {error}"));
            Ok(Outcome::StepFailed)
        }
        done => done,
    }
}

fn evaluate(arguments: &EvaluateArguments) -> Result<Outcome, CommandError> {
    let cable = Cable::read(&arguments.cable)?;
    let mut tracks = Tracks::read(&arguments.data)?;
    tracks.surroundings = surroundings(arguments.scene.as_deref(), arguments.rod.as_deref())?;
    let found = ropewalk_fit::evaluate(&cable, &tracks)?;
    if let Some(path) = &arguments.report {
        let page = ropewalk_fit::report::evaluation_page(&cable, &tracks, &found)?;
        std::fs::write(path, page).map_err(CommandError::file(path))?;
    }
    if arguments.json {
        console::print_json(&found)?;
    } else {
        console::print(&render_scores(&found, &cable))?;
    }
    Ok(Outcome::Success)
}

fn render_scores(found: &Evaluation, cable: &Cable) -> String {
    let mut table = Table::new("lr", &["run", "mean error [cm]"]);
    for run in &found.runs {
        table.row([run.name.clone(), format!("{:.3}", 100.0 * run.score)]);
    }
    let mut out = format!(
        "{}\n{}mean {:.4} cm over {} runs, {:.4} CPU-seconds per second\n",
        cable.title,
        table.render(),
        100.0 * found.score,
        found.runs.len(),
        found.cpu_s_per_sim_s
    );
    for flaw in &found.flawed {
        out += &format!("run {}: {}\n", flaw.run, flaw.what);
    }
    if let (false, Some(score)) = (found.flawed.is_empty(), found.score_without_flawed) {
        out += &format!("mean {:.4} cm without these\n", 100.0 * score);
    }
    out
}

fn reality(arguments: &RealityArguments) -> Result<Outcome, CommandError> {
    if !arguments.data.is_dir() {
        return Err(CommandError::input(
            format!("--data {}: there is no such folder", arguments.data.display()),
            "give the folder with the files of the measurements",
        ));
    }
    let rows =
        ropewalk_fit::reality::rows(&arguments.data, &arguments.cables, &mut |line| console::say(line))?;
    if arguments.json {
        console::print_json(&rows)?;
    } else {
        let mut table =
            Table::new("lrrrrrl", &["quantity", "reference", "found", "unit", "error", "bound", ""]);
        for row in &rows {
            table.row([
                row.quantity.clone(),
                row.reference.map_or_else(String::new, number),
                number(row.found),
                row.unit.to_owned(),
                number(row.error),
                row.bound.map_or_else(String::new, number),
                match (row.bound, row.holds()) {
                    (None, _) => "reported",
                    (_, true) => "holds",
                    (_, false) => "FAILS",
                }
                .to_owned(),
            ]);
        }
        console::print(&table.render())?;
    }
    Ok(if rows.iter().all(ropewalk_fit::reality::Row::holds) {
        Outcome::Success
    } else {
        Outcome::ClaimFailed
    })
}

/// Four digits in the shorter notation.
fn number(x: f64) -> String {
    if x == 0.0 || x.abs() >= 0.01 { format!("{x:.4}") } else { format!("{x:.3e}") }
}

fn fit(arguments: &FitArguments) -> Result<Outcome, CommandError> {
    let (Some(data), Some(out)) = (&arguments.data, &arguments.out) else {
        return Err(CommandError::input("--data and --out are needed", "see `ropewalk fit --help`"));
    };
    let mut tracks = Tracks::read(data)?;
    tracks.surroundings = surroundings(arguments.scene.as_deref(), arguments.rod.as_deref())?;
    let options = options(arguments, &tracks)?;
    let cable = start(arguments, data, &tracks)?;
    let found = ropewalk_fit::fit(&cable, &tracks, &options, &mut |line| console::say(line))?;
    let scores = ropewalk_fit::evaluation::scores_where_seen(&found.cable, &tracks)?;
    let comment = format!(
        "Fitted to {} of {} ({}):\n{}",
        match options.runs.len() {
            _ if tracks.runs.is_empty() => "what was measured at rest".to_owned(),
            0 => "all runs".to_owned(),
            n => format!("{n} runs"),
        },
        file_name(data),
        summary_line(&found, &scores, &tracks, &options),
        command_line()
    );
    WholeFile::write(out, found.cable.to_text(&comment)?.as_bytes()).map_err(CommandError::file(out))?;
    if let Some(path) = &arguments.report {
        let page = ropewalk_fit::report::page(&found, &tracks, &options, &scores)?;
        WholeFile::write(path, page.as_bytes()).map_err(CommandError::file(path))?;
    }
    if arguments.json {
        console::print_json(&ropewalk_fit::report::summary(&found, &scores))?;
    } else {
        console::print(&render_fit(&found, &summary_line(&found, &scores, &tracks, &options)))?;
    }
    Ok(if found.converged { Outcome::Success } else { Outcome::ClaimFailed })
}

fn options(arguments: &FitArguments, tracks: &Tracks) -> Result<FitOptions, CommandError> {
    let parameters = arguments
        .parameters
        .iter()
        .map(|name| Parameter::from_name(name))
        .collect::<Result<_, FitError>>()?;
    for name in &arguments.leave_out {
        if !tracks.runs.iter().any(|run| run.name == *name) {
            return Err(CommandError::input(
                format!("--leave-out: there is no run '{name}'"),
                "`ropewalk fit evaluate` lists the runs of a file",
            ));
        }
    }
    if arguments.every == 0 {
        return Err(CommandError::input("--every 0", "give 1 for all runs, 2 for every other, …"));
    }
    let used = |(r, run): (usize, &ropewalk_fit::tracks::Run)| {
        (r % arguments.every == 0 && !arguments.leave_out.contains(&run.name)).then_some(r)
    };
    let runs: Vec<usize> = tracks.runs.iter().enumerate().filter_map(used).collect();
    if runs.is_empty() && !tracks.runs.is_empty() {
        return Err(CommandError::input("no run is left to fit", "leave fewer runs out"));
    }
    Ok(FitOptions {
        parameters,
        curls: arguments.curls,
        stages: arguments.windows.clone(),
        free_starts: arguments.free_starts,
        runs: if runs.len() == tracks.runs.len() { Vec::new() } else { runs },
        starts: arguments.starts,
        folds: arguments.folds,
        loss: Loss { scale: arguments.loss_scale },
        search: Search { iterations: arguments.iterations, ..Search::default() },
        ..FitOptions::default()
    })
}

/// What the cable touches in `scene`, in which it is the rod called `rod`.
fn surroundings(scene: Option<&str>, rod: Option<&str>) -> Result<Option<Surroundings>, CommandError> {
    let Some(scene) = scene else { return Ok(None) };
    let scene = ropewalk_scene::load_named(scene, &[])?;
    Ok(Some(Surroundings::new(scene.model, scene.state, rod)?))
}

/// The cable to start from.
fn start(arguments: &FitArguments, data: &Path, tracks: &Tracks) -> Result<Cable, CommandError> {
    let title = data.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let mut cable = match (&arguments.cable, &tracks.surroundings, arguments.line_density) {
        (Some(path), _, _) => Cable::read(path)?,
        (None, Some(surroundings), _) => surroundings.cable(&title, tracks, arguments.marker_mass)?,
        (None, None, Some(density)) => {
            ropewalk_fit::guess::guess(&title, tracks, density, arguments.marker_mass)?
        }
        (None, None, None) => {
            return Err(CommandError::input(
                "neither a scene, --cable nor --line-density is given",
                "give a scene or a cable to start from, or its mass per length in kg/m",
            ));
        }
    };
    for set in &arguments.set {
        let (key, value) = set.split_once('=').ok_or_else(|| {
            CommandError::input(format!("--set {set}"), "give KEY=VALUE, such as numerics.theta=0.55")
        })?;
        cable = cable.with(key.trim(), value.trim()).map_err(|what| {
            CommandError::input(format!("--set {set}: {what}"), "see docs/real-cables.md for the keys")
        })?;
    }
    if let Some(title) = &arguments.title {
        cable.title.clone_from(title);
    }
    Ok(cable)
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The command line, with files without their folders, from `fit` on.
fn command_line() -> String {
    let word = |word: String| if word.contains('/') { file_name(Path::new(&word)) } else { word };
    let words = std::env::args().skip_while(|word| word != "fit").map(word);
    core::iter::once("ropewalk".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// How the search ended, and the mean errors on training runs, on held-out runs, and by cross-validation.
fn summary_line(found: &Fit, scores: &Evaluation, tracks: &Tracks, options: &FitOptions) -> String {
    let mut sums = [(0.0, 0), (0.0, 0)];
    for score in &scores.runs {
        let place = tracks.runs.iter().position(|run| run.name == score.name);
        let used = options.runs.is_empty() || place.is_some_and(|r| options.runs.contains(&r));
        let (sum, count) = &mut sums[usize::from(!used)];
        *sum += 100.0 * score.score;
        *count += 1;
    }
    let mut out =
        format!("{} iterations{}", found.iterations, if found.converged { "" } else { ", not converged" });
    for ((sum, count), which) in sums.into_iter().zip(["used", "not used"]) {
        if count > 0 {
            out += &format!(", {:.3} cm on {count} runs {which}", sum / f64::from(count));
        }
    }
    if let Some(h) = &found.held_out {
        out += &format!(", cross-validation in {} folds {:.3} cm", h.folds, 100.0 * h.score);
    }
    out
}

fn render_fit(found: &Fit, summary: &str) -> String {
    let mut table = Table::new("lrrrl", &["parameter", "value", "95 % from", "to", "unit"]);
    let mut remarks = String::new();
    for e in &found.estimates {
        let [low, high] =
            e.interval.map_or(["held".to_owned(), String::new()], |i| i.map(|x| format!("{x:.4e}")));
        table.row([e.name.clone(), format!("{:.4e}", e.value), low, high, e.unit.to_owned()]);
        if let Some(remark) = &e.remark {
            remarks += &format!("{}: {remark}\n", e.name);
        }
    }
    let failed = match found.failed_windows {
        0 => String::new(),
        k => format!("{k} windows could not be predicted and were left out\n"),
    };
    format!(
        "{}\n{}{remarks}{failed}residual {:.3} mm, {summary}\n",
        found.cable.title,
        table.render(),
        1e3 * found.residual,
    )
}
