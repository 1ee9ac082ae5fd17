//! `ropewalk run`: runs a scene and prints a summary.

use crate::commands::view::{bind, check_file, write_page};
use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::number::{short, significant};
use crate::run::driver::{Driver, Script, Source};
use crate::run::interrupt::Interrupt;
use crate::run::live::Live;
use crate::run::outputs::{self, Earlier, Outputs};
use crate::run::progress::Progress;
use crate::run::run_loop::{Beginning, RunEnd, Stepper, step_count};
use crate::run::statistics::Tally;
use crate::run::summary::{RunStatus, Summary};
use crate::run::summary_text;
use ropewalk_scene::estimate::{MOST_STEPS, too_many_steps};
use ropewalk_scene::recording::message::StateMessage;
use ropewalk_scene::recording::{Rates, frame};
use ropewalk_scene::{Recording, SavedRun, Scene, saved_run};
use std::path::{Path, PathBuf};

const DEFAULT_SCENE: &str = "two_arms";

/// Run a scene and print a summary
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of an embedded scene (see `ropewalk list`), or a scene file
    /// [default: two_arms]
    scene: Option<String>,

    /// Keep summary.json, metrics.csv, states.npz, picture.svg and the recording run.mcap in this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write the run as one page to this file: it plays in any browser, and needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Replace the outputs in a directory that is not empty, and the page
    #[arg(long, alias = "force")]
    overwrite: bool,

    /// Override a value of the scene, such as rod.rope.segments=200; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,

    /// Run until this time, in s, instead of the scene's
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive_seconds)]
    duration: Option<f64>,

    /// Frames of the recording per simulated second, instead of the scene's; 0 records nothing
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, value_parser = rate)]
    record_rate: Option<f64>,

    /// States of the recording in double precision, with contacts and patches, per simulated second; at most one for
    /// each frame. The first and the last are always written
    #[arg(long, value_name = "RATE", requires = "out", default_value_t = Rates::DEFAULT.states, allow_negative_numbers = true, value_parser = rate)]
    state_rate: f64,

    /// Frames for the 3D panel of Foxglove (JSON) in the recording per simulated second, at most one for each frame; 0 for none
    #[arg(long, value_name = "RATE", requires = "out", default_value_t = Rates::DEFAULT.foxglove, allow_negative_numbers = true, value_parser = rate)]
    foxglove_rate: f64,

    /// Start from a state saved by an earlier run (last_good_state.npz)
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Resume a run from its snapshot (snapshot.npz); the result is bit-identical. The scene is in the file; the
    /// outputs cover the resumed part, the summary the whole run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scene", "overrides", "from"])]
    resume: Option<PathBuf>,

    /// Write a snapshot (snapshot.npz) to the directory of --out each time this much has been simulated, in s
    #[arg(long, value_name = "S", requires = "out", allow_negative_numbers = true, value_parser = positive_seconds)]
    snapshot_every: Option<f64>,

    /// Run live in a browser, at wall-clock speed: pause, step, drag, sliders. Prints the address; Ctrl-C, or the
    /// time of --duration, ends it
    #[arg(long, conflicts_with_all = ["resume", "snapshot_every", "replay", "json"])]
    view: bool,

    /// Local port for --view; 0 takes a free one
    #[arg(long, value_name = "PORT", requires = "view", default_value_t = 0)]
    port: u16,

    /// Replay a run of --view with the commands in its recording; the result is bit-identical
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "duration", "snapshot_every"])]
    replay: Option<PathBuf>,

    /// Allow more than 8 GB of memory, and more than 1e9 steps
    #[arg(long)]
    allow_large: bool,

    /// Threads to use; the result is the same for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print the summary as JSON, and nothing else, on standard output
    #[arg(long)]
    json: bool,

    /// Print neither progress nor summary
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

impl Arguments {
    /// What becomes of outputs that are there already.
    fn earlier(&self) -> Earlier {
        match (&self.resume, self.overwrite) {
            (resume, true) => Earlier::Overwrite { snapshot: resume.is_none() },
            (Some(_), false) => Earlier::Keep,
            (None, false) => Earlier::Refuse,
        }
    }
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let (mut scene, mut beginning) = begin(arguments)?;
    if beginning.steps_done() == 0 {
        for overlap in ropewalk_sim::find_overlaps(&scene.model, beginning.state()) {
            let words = overlap.words(&scene.model);
            if !(arguments.quiet || arguments.json) {
                console::say(&format!("warning: {words}"));
            }
            scene.warnings.push(words);
        }
    }
    check_outputs(arguments, &scene)?;
    // Before an address is printed, after which users may press Ctrl-C.
    let interrupt = Interrupt::listen_with_patience()?;
    let driver = drive(arguments, &mut scene, &mut beginning)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, usize::from))
        .build()
        .map_err(|error| {
            CommandError::input(format!("cannot start the threads: {error}"), "ask for fewer with --threads")
        })?;

    // From here on files are written.
    let (state, steps) = (beginning.state(), beginning.steps_done());
    // A page is made from a recording; if it is not to be kept, it is in a temporary directory.
    let scratch = match (&arguments.html, &arguments.out) {
        (Some(_), None) => Some(tempfile::tempdir().map_err(CommandError::file(&std::env::temp_dir()))?),
        _ => None,
    };
    let dir = arguments.out.as_deref().or(scratch.as_ref().map(tempfile::TempDir::path));
    let rates = Rates {
        frames: scene.output.record_rate,
        states: arguments.state_rate,
        foxglove: arguments.foxglove_rate,
    };
    let outputs = dir
        .map(|dir| Outputs::create(dir, &scene, (state, steps), rates, arguments.earlier()))
        .transpose()?;
    let hidden = arguments.quiet || arguments.json || arguments.view;
    let mut bar = Progress::new(beginning.step_count(&scene), scene.duration, hidden);
    let mut stepper = Stepper::new(&scene, beginning, outputs, arguments.snapshot_every);
    let mut script_end = None;
    if let Some(Driven { driver, steps, end }) = driver {
        stepper = stepper.driven(driver, steps);
        script_end = end;
    }
    let end =
        pool.install(|| stepper.run(&mut bar, &interrupt)).map_err(|error| full_disk(error, arguments))?;
    let compared = script_end.map(|wanted| frame::state(&scene.model, &end.state) == wanted);
    let outcome = conclude(arguments, &scene, end, dir)?;
    match compared {
        Some(true) => console::say("The replay ends in the same state as the recording, to the last bit."),
        Some(false) => {
            console::say("error: the replay ends in another state than the recording");
            return Ok(Outcome::ClaimFailed);
        }
        None => {}
    }
    // Ctrl-C is how a run with a page ends.
    Ok(if arguments.view && outcome == Outcome::Interrupted { Outcome::Success } else { outcome })
}

/// What to do if there is no space for an output.
fn full_disk(error: CommandError, arguments: &Arguments) -> CommandError {
    if !error.is_about_space() {
        return error;
    }
    let snapshot = arguments.out.iter().map(|dir| dir.join(outputs::SNAPSHOT)).find(|path| path.exists());
    let on = match snapshot {
        Some(path) => {
            format!("; go on with: ropewalk run --resume {}", shell_word(&path.display().to_string()))
        }
        None => String::new(),
    };
    let hint = format!("what was written before is readable; make space, or write elsewhere with --out{on}");
    CommandError::input(error.to_string(), hint)
}

/// A run that can be changed by a user.
struct Driven {
    driver: Driver,
    /// Steps of the run; `None` if it has no end.
    steps: Option<u64>,
    /// The state in which it must end.
    end: Option<StateMessage>,
}

/// Prepares a run that a page can change, or that is replayed.
fn drive(
    arguments: &Arguments,
    scene: &mut Scene,
    beginning: &mut Beginning,
) -> Result<Option<Driven>, CommandError> {
    let driven = if let Some(path) = &arguments.replay {
        let Script { commands, end } = Script::read(path, scene)?;
        if end.time <= beginning.state().time {
            return Err(CommandError::input(
                format!("--replay {}: there is no step in it", path.display()),
                "give a recording of a run that took some",
            ));
        }
        let driver = Driver::new(scene, |_| Ok(Source::Replay(commands)))?;
        let steps = step_count(end.time - beginning.state().time, scene.model.settings.dt);
        scene.duration = end.time;
        Driven { driver, steps: Some(steps), end: Some(end) }
    } else if arguments.view {
        let server = bind(arguments.port)?;
        let own = scene.model.actuators.len();
        let driver =
            Driver::new(scene, |scene| Ok(Source::Live(Box::new(Live::start(scene, server, own)?))))?;
        let steps = arguments.duration.is_some().then(|| beginning.step_count(scene));
        Driven { driver, steps, end: None }
    } else {
        return Ok(None);
    };
    // The pointer is part of the state.
    beginning.complete(&scene.model);
    Ok(Some(driven))
}

/// Checks that the requested outputs can be written. Writes nothing.
fn check_outputs(arguments: &Arguments, scene: &Scene) -> Result<(), CommandError> {
    if let Some(dir) = &arguments.out {
        outputs::check_directory(dir, arguments.earlier())?;
    }
    let wants = [("--overwrite", arguments.overwrite), ("--record-rate", arguments.record_rate.is_some())];
    if arguments.out.is_none()
        && arguments.html.is_none()
        && let Some((flag, _)) = wants.iter().find(|(_, given)| *given)
    {
        return Err(CommandError::input(
            format!("{flag}: there is no output"),
            "add --out DIR or --html FILE",
        ));
    }
    let Some(path) = &arguments.html else { return Ok(()) };
    check_file(path, arguments.overwrite)?;
    if scene.output.record_rate > 0.0 {
        return Ok(());
    }
    Err(CommandError::input(
        format!("--html {}: nothing is recorded", path.display()),
        "give a rate with --record-rate, such as 60",
    ))
}

/// The scene, and the start of its run: the initial state, a saved state, or a snapshot.
fn begin(arguments: &Arguments) -> Result<(Scene, Beginning), CommandError> {
    let (mut scene, beginning) = match &arguments.resume {
        Some(path) => resume(path, arguments.allow_large)?,
        None => {
            let name = arguments.scene.as_deref().unwrap_or(DEFAULT_SCENE);
            let scene = ropewalk_scene::load_named_sized(name, &arguments.overrides, arguments.allow_large)?;
            let state = match &arguments.from {
                Some(path) => saved_run::read_state(path, &scene.model, &scene.state)?,
                None => scene.state.clone(),
            };
            (scene, Beginning::Start(Box::new(state)))
        }
    };
    if let Some(duration) = arguments.duration {
        scene.duration = duration;
    }
    if let Some(rate) = arguments.record_rate {
        scene.output.record_rate = rate;
    }
    let state = beginning.state();
    if !state.is_finite() {
        return Err(CommandError::input(
            format!("{}: a number in the state at the start is not finite", scene.source),
            "look for extreme values in the scene's curves, sections and materials",
        ));
    }
    // A step due only to round-off is skipped.
    if scene.duration - state.time <= 1e-6 * scene.model.settings.dt {
        return Err(CommandError::input(
            format!("the run starts at {} s and ends at {} s", state.time, scene.duration),
            "give a later end with --duration",
        ));
    }
    let too_many = too_many_steps(scene.duration - state.time, scene.model.settings.dt);
    if let Some(what) = too_many.filter(|_| !arguments.allow_large) {
        let key = if arguments.duration.is_some() { "--duration" } else { "time.duration" };
        return Err(CommandError::input(
            format!("{key} {}: {what}, at most {} are allowed", short(scene.duration), short(MOST_STEPS)),
            "a shorter duration, a larger time.dt, or --allow-large",
        ));
    }
    Ok((scene, beginning))
}

/// The run in the file `path`.
fn resume(path: &Path, allow_large: bool) -> Result<(Scene, Beginning), CommandError> {
    let (mut scene, run) = SavedRun::read_sized(path, allow_large)?;
    scene.duration = run.duration;
    let tally = Tally::from_numbers(&run.tally).ok_or_else(|| {
        CommandError::input(
            format!("{}: array 'tally' has {} numbers", path.display(), run.tally.len()),
            "give a snapshot that this version of ropewalk has written",
        )
    })?;
    Ok((scene, Beginning::Kept(Box::new(run), tally)))
}

/// Completes the outputs, prints the summary and returns how the run ended. `dir` holds the outputs.
fn conclude(
    arguments: &Arguments,
    scene: &Scene,
    end: RunEnd,
    dir: Option<&Path>,
) -> Result<Outcome, CommandError> {
    let RunEnd { mut summary, state, outputs } = end;
    let failed = !matches!(summary.status, RunStatus::Completed | RunStatus::Interrupted);
    if failed {
        let path = outputs::keep_last_good_state(arguments.out.as_deref(), scene, &state)?;
        summary.last_good_state = Some(path.display().to_string());
    }
    if let Some(outputs) = outputs {
        outputs.finish(scene, &summary).map_err(|error| full_disk(error, arguments))?;
    }
    if arguments.json {
        console::print_json(&summary)?;
    } else if !arguments.quiet {
        console::print(&summary_text::render(&summary))?;
        if let Some(dir) = &arguments.out {
            console::print(&written_text(dir, scene))?;
        }
    }
    if let (Some(path), Some(dir)) = (&arguments.html, dir) {
        write_page(&Recording::open(&dir.join(outputs::RECORDING))?, path)?;
    } else if summary.status == RunStatus::Completed && !arguments.json && !arguments.quiet && !arguments.view
    {
        console::say(&format!("See it in the browser: {}", look_words(arguments, scene)));
    }
    if summary.status == RunStatus::Interrupted && arguments.snapshot_every.is_some() {
        let path = arguments.out.iter().map(|dir| dir.join(outputs::SNAPSHOT).display().to_string());
        let path = path.map(|p| shell_word(&p)).collect::<String>();
        console::say(&format!("hint: go on with: ropewalk run --resume {path}"));
    }
    if let Some(path) = &summary.last_good_state {
        console::say(&failure_text(scene, &summary, state.time, path));
        return Ok(Outcome::StepFailed);
    }
    Ok(match summary.status {
        RunStatus::Interrupted => Outcome::Interrupted,
        _ if summary.claims_hold() => Outcome::Success,
        _ => Outcome::ClaimFailed,
    })
}

/// The command that shows what was run: the recording if there is one, else the scene, live.
fn look_words(arguments: &Arguments, scene: &Scene) -> String {
    // As it was called: with `cargo run` there is no `ropewalk` on the path.
    let mut words = vec![shell_word(&std::env::args().next().unwrap_or_else(|| "ropewalk".to_owned()))];
    match &arguments.out {
        Some(dir) if scene.output.record_rate > 0.0 => {
            words
                .extend(["view".to_owned(), shell_word(&dir.join(outputs::RECORDING).display().to_string())]);
        }
        _ => {
            words.extend(["run".to_owned(), shell_word(&scene.source)]);
            for value in &scene.origin.overrides {
                words.extend(["--set".to_owned(), shell_word(value)]);
            }
            words.push("--view".to_owned());
        }
    }
    words.join(" ")
}

fn written_text(dir: &Path, scene: &Scene) -> String {
    let recording = if scene.output.record_rate > 0.0 { ", run.mcap" } else { "" };
    format!("\nWritten to {}: summary.json, metrics.csv, states.npz, picture.svg{recording}\n", dir.display())
}

/// The failure after `time` (s), and the command that continues from there.
fn failure_text(scene: &Scene, summary: &Summary, time: f64, path: &str) -> String {
    let what = summary.failure.as_deref().unwrap_or_default();
    let mut words = vec!["ropewalk".to_owned(), "run".to_owned(), shell_word(&scene.source)];
    for value in &scene.origin.overrides {
        words.extend(["--set".to_owned(), shell_word(value)]);
    }
    words.extend(["--from".to_owned(), shell_word(path)]);
    words.extend(["--set".to_owned(), format!("time.dt={:e}", 0.1 * summary.dt)]);
    format!(
        "error: the step after t = {} s failed: {what}\n\
         The last good state is kept in {path}\n\
         hint: go on from it with a smaller step: {}",
        significant(time, 7),
        words.join(" "),
    )
}

/// `word` as a shell reads it back.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/=+:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("expected a positive number of seconds".to_owned()),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("expected a number of frames per second, 0 or more".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(shell_word("time.dt=1e-4"), "time.dt=1e-4");
        assert_eq!(shell_word("my scene.toml"), "'my scene.toml'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
