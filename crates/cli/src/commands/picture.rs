//! `ropewalk picture`: what a scene looks like, from several sides.

use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::number::significant;
use crate::picture;
use crate::picture::view::View;

use crate::run::state_spool::Places;
use clap::ValueEnum;
use ropewalk_scene::Scene;
use ropewalk_sim::{StepStatus, Workspace};
use std::path::{Path, PathBuf};

/// Draw a scene from several sides, as PNG and SVG
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of an embedded scene (see `ropewalk list`), or a scene file
    scene: String,

    /// Directory for the pictures, SCENE_TIME_VIEW.png and .svg
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Sides to look from
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["front", "side", "top", "iso"])]
    views: Vec<View>,

    /// Times to draw, in s; the scene is run up to them. Its end if none is given
    #[arg(long, value_name = "S", value_delimiter = ',')]
    times: Vec<f64>,

    /// Start from a state that a run has kept (last_good_state.npz); without --times draw that one
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Override a value of the scene, such as rod.rope.segments=200; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,

    /// What to write
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["png", "svg"])]
    formats: Vec<Format>,
}

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Pixels, with depth and light.
    Png,
    /// Lines, with captions, scale and legend.
    Svg,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let scene = ropewalk_scene::load_named(&arguments.scene, &arguments.overrides)?;
    let mut state = match &arguments.from {
        Some(path) => ropewalk_scene::saved_run::read_state(path, &scene.model, &scene.state)?,
        None => scene.state.clone(),
    };
    let times = wanted_times(arguments, &scene, state.time)?;
    std::fs::create_dir_all(&arguments.out).map_err(CommandError::file(&arguments.out))?;
    let mut workspace = Workspace::new(&scene.model);
    let dt = scene.model.settings.dt;
    for time in times {
        while state.time < time - 0.5 * dt {
            let report = ropewalk_sim::step(&scene.model, &mut state, &mut workspace);
            if report.status != StepStatus::Converged {
                console::say(&format!(
                    "error: the step after t = {} s failed\nhint: `ropewalk run {}` says why and keeps the state",
                    significant(state.time, 7),
                    arguments.scene,
                ));
                return Ok(Outcome::StepFailed);
            }
        }
        write(arguments, &scene, &Places::of(&scene.model, &state))?;
    }
    Ok(Outcome::Success)
}

/// The times to draw, in their order: those asked for, the state given, or the end of the scene.
fn wanted_times(arguments: &Arguments, scene: &Scene, start: f64) -> Result<Vec<f64>, CommandError> {
    let mut times = arguments.times.clone();
    if times.is_empty() {
        times.push(if arguments.from.is_some() { start } else { scene.duration });
    }
    if let Some(bad) = times.iter().find(|t| !(t.is_finite() && **t >= start)) {
        return Err(CommandError::input(
            format!("--times {bad}: the pictures start at {start} s"),
            "give finite times from there on",
        ));
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

fn write(arguments: &Arguments, scene: &Scene, places: &Places) -> Result<(), CommandError> {
    for view in &arguments.views {
        let name = format!("{}_{}s_{}", scene.name, significant(places.time, 4), view.name());
        let put = |ending: &str, bytes: &[u8]| -> Result<(), CommandError> {
            let path: &Path = &arguments.out.join(format!("{name}.{ending}"));
            std::fs::write(path, bytes).map_err(CommandError::file(path))?;
            console::print(&format!("{}\n", path.display()))
        };
        if arguments.formats.contains(&Format::Png) {
            let png = picture::png(scene, places, *view).map_err(CommandError::file(&arguments.out))?;
            put("png", &png)?;
        }
        if arguments.formats.contains(&Format::Svg) {
            put("svg", picture::svg(scene, places, *view).as_bytes())?;
        }
    }
    Ok(())
}
