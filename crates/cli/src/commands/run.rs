//! `ropewalk run`: runs a scene and sums it up.

use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::number::significant;
use crate::run::interrupt::Interrupt;
use crate::run::outputs::{self, Outputs};
use crate::run::stepper::{RunEnd, Stepper, progress_bar, step_count};
use crate::run::summary::{RunStatus, Summary};
use crate::run::{state_file, summary_text};
use ropewalk_scene::Scene;
use ropewalk_sim::State;
use std::path::{Path, PathBuf};

/// Run a scene and print what came of it
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of an embedded scene (see `ropewalk list`), or a scene file
    #[arg(default_value = "cantilever")]
    scene: String,

    /// Keep summary.json, metrics.csv, states.npz and picture.svg in this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace the outputs in a directory that is not empty
    #[arg(long, requires = "out")]
    force: bool,

    /// Override a value of the scene, such as rod.rope.segments=200; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,

    /// Run until this time, in s, instead of the scene's
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive_seconds)]
    duration: Option<f64>,

    /// Go on from a state that an earlier run has kept (last_good_state.npz)
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

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

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let mut scene = ropewalk_scene::load_named(&arguments.scene, &arguments.overrides)?;
    if let Some(duration) = arguments.duration {
        scene.duration = duration;
    }
    let start = start_state(arguments, &scene)?;
    if let Some(dir) = &arguments.out {
        outputs::check_directory(dir, arguments.force)?;
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, usize::from))
        .build()
        .map_err(|error| {
            CommandError::input(format!("cannot start the threads: {error}"), "ask for fewer with --threads")
        })?;
    let interrupt = Interrupt::listen()?;

    // From here on files are written.
    let outputs = arguments.out.as_deref().map(|dir| Outputs::create(dir, &scene)).transpose()?;
    let steps = step_count(scene.duration - start.time, scene.model.settings.dt);
    let bar = progress_bar(steps, arguments.quiet || arguments.json);
    let end = pool.install(|| Stepper::new(&scene, start, outputs).run(&bar, &interrupt))?;
    conclude(arguments, &scene, end)
}

/// The state from which the run starts: the scene's, or one that was kept.
fn start_state(arguments: &Arguments, scene: &Scene) -> Result<State, CommandError> {
    let start = match &arguments.from {
        Some(path) => state_file::read(path, &scene.model, &scene.state)?,
        None => scene.state.clone(),
    };
    if !start.is_finite() {
        return Err(CommandError::input(
            format!("{}: a number in the state at the start is not finite", arguments.scene),
            "look for extreme values in the scene's curves, sections and materials",
        ));
    }
    if start.time >= scene.duration {
        return Err(CommandError::input(
            format!("the run starts at {} s and ends at {} s", start.time, scene.duration),
            "give a later end with --duration",
        ));
    }
    Ok(start)
}

/// Completes the outputs, prints the summary and says how the run ended.
fn conclude(arguments: &Arguments, scene: &Scene, end: RunEnd) -> Result<Outcome, CommandError> {
    let RunEnd { mut summary, state, outputs } = end;
    let failed = !matches!(summary.status, RunStatus::Completed | RunStatus::Interrupted);
    if failed {
        let path = outputs::keep_last_good_state(arguments.out.as_deref(), scene, &state)?;
        summary.last_good_state = Some(path.display().to_string());
    }
    if let Some(outputs) = outputs {
        outputs.finish(scene, &summary)?;
    }
    if arguments.json {
        console::print_json(&summary)?;
    } else if !arguments.quiet {
        console::print(&summary_text::render(&summary))?;
        if let Some(dir) = &arguments.out {
            console::print(&written_text(dir))?;
        }
    }
    if let Some(path) = &summary.last_good_state {
        console::say(&failure_text(arguments, &summary, state.time, path));
        return Ok(Outcome::StepFailed);
    }
    Ok(match summary.status {
        RunStatus::Interrupted => Outcome::Interrupted,
        _ if summary.claims_hold() => Outcome::Success,
        _ => Outcome::ClaimFailed,
    })
}

fn written_text(dir: &Path) -> String {
    format!("\nWritten to {}: summary.json, metrics.csv, states.npz, picture.svg\n", dir.display())
}

/// What failed after `time` (s), and the command that goes on from there.
fn failure_text(arguments: &Arguments, summary: &Summary, time: f64, path: &str) -> String {
    let what = match summary.status {
        RunStatus::NotFinite => "a number is not finite",
        _ => "Newton's method did not converge, even in the smallest sub-step",
    };
    let mut words = vec!["ropewalk".to_owned(), "run".to_owned(), shell_word(&arguments.scene)];
    for value in &arguments.overrides {
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
