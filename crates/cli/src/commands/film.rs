//! `ropewalk film`: a scene or a recording as a moving picture.

use super::footage::Source;
use super::picture::Look;
use crate::console;
use crate::exit::{CommandError, Outcome};
use ropewalk_render::gif::{FilmColors, GifWriter};
use ropewalk_render::{Bounds, Camera, Frame, Image, ImageSize, RenderError, Renderer, Stage, Style};
use ropewalk_scene::output_file::WholeFile;
use std::path::{Path, PathBuf};

/// Frames from which the colors of a film are found.
const COLOR_FRAMES: usize = 24;
/// Duration of the last picture of a film, in s.
const PAUSE: f64 = 1.0;

/// Draw a scene or a recording as a film, with one camera and one scale
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of an embedded scene (see `ropewalk list`), a scene file, or a recording (run.mcap)
    source: String,

    #[command(flatten)]
    output: Output,

    /// Frames per second of the film, at most 50
    #[arg(long, value_name = "N", default_value_t = 20.0)]
    fps: f64,

    /// Seconds of the run in a second of the film: 0.1 is slow motion
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    speed: f64,

    /// First and last time in s; the whole run if not given
    #[arg(long, value_name = "FROM,TO", value_delimiter = ',')]
    times: Vec<f64>,

    /// Override a value of the scene, such as rod.rope.segments=200; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,

    #[command(flatten)]
    look: Look,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct Output {
    /// The film, as GIF
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,

    /// Directory for the frames, as 00000.png, 00001.png and so on
    #[arg(long, value_name = "DIR")]
    frames: Option<PathBuf>,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let (size, style) = (arguments.look.size("640x480")?, arguments.look.style()?);
    let spec = arguments.look.camera()?.unwrap_or_default();
    let source = Source::open(&arguments.source, &arguments.overrides, None)?;
    let times = times(arguments, source.range())?;
    let footage = source.frames(&times)?;
    let (stage, frames) = (&footage.stage, &footage.frames);
    let Some(first) = frames.first() else { return Ok(Outcome::StepFailed) };
    let follow = |frame: &Frame| spec.follow.as_deref().map(|name| stage.place_of(name, frame)).transpose();
    let start = follow(first)?;
    // The followed object stays where it is in the first frame, so the other frames do not widen the picture.
    let fitted = if start.is_some() { core::slice::from_ref(first) } else { &frames[..] };
    let points: Vec<_> = fitted.iter().flat_map(|frame| stage.points(frame)).collect();
    let all: Vec<_> = frames.iter().flat_map(|frame| stage.points(frame)).collect();
    let fixed = spec.resolve(&points, size.aspect(), arguments.look.fill(), true)?;
    let mut shots = Vec::with_capacity(frames.len());
    for frame in frames {
        let by = follow(frame)?.zip(start).map(|(now, then)| now - then);
        shots.push((frame, by.map_or(fixed, |by| fixed.moved(by))));
    }
    let range = range(&style, &footage);
    let style = Style { range, floor: arguments.look.floor(&all), ..style };
    let mut film = Film { renderer: Renderer::new(), stage, size, style, bounds: Bounds::of(&all) };
    if let Some(path) = &arguments.output.gif {
        film.write_gif(path, arguments.fps, &shots)?;
        console::print(&format!("{}\n", path.display()))?;
    }
    if let Some(dir) = &arguments.output.frames {
        film.write_frames(dir, &shots)?;
        console::print(&format!("{}\n", dir.display()))?;
    }
    Ok(if footage.failed { Outcome::StepFailed } else { Outcome::Success })
}

/// One scale of colors for all frames.
fn range(style: &Style, footage: &super::footage::Footage) -> Option<[f64; 2]> {
    let kind = style.color_by?;
    let ranges = footage.frames.iter().map(|frame| kind.range(&footage.stage, frame));
    ranges.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
}

/// The times of the frames in s.
fn times(arguments: &Arguments, [begin, end]: [f64; 2]) -> Result<Vec<f64>, CommandError> {
    for (key, value) in [("--fps", arguments.fps), ("--speed", arguments.speed)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(CommandError::input(format!("{key} {value}"), "give a finite number above 0"));
        }
    }
    let (from, to) = match arguments.times[..] {
        [from, to] => (from, to),
        [] => (begin, end),
        _ => {
            return Err(CommandError::input(
                "--times: not two times",
                "give the first and the last, such as 0,2.5",
            ));
        }
    };
    if !(from.is_finite() && to.is_finite() && begin - 1e-9 <= from && from <= to) {
        return Err(CommandError::input(
            format!("--times {from},{to}: the run begins at {begin} s"),
            "give two finite times from there on, the first not after the last",
        ));
    }
    let interval = arguments.speed / arguments.fps;
    // (One more frame than the limit is enough to be refused.)
    let count = ((to - from) / interval + 1e-9).floor().min(1e6) as usize;
    Ok((0..=count).map(|i| from + interval * i as f64).collect())
}

/// Common settings of all frames.
struct Film<'a> {
    renderer: Renderer,
    stage: &'a Stage,
    size: ImageSize,
    style: Style,
    bounds: Bounds,
}

impl Film<'_> {
    fn image(&mut self, (frame, camera): (&Frame, Camera)) -> Result<Image, RenderError> {
        self.renderer.image(self.stage, frame, &camera, self.size, &self.style, Some(self.bounds))
    }

    fn write_gif(&mut self, path: &Path, fps: f64, shots: &[(&Frame, Camera)]) -> Result<(), CommandError> {
        let mut colors = FilmColors::default();
        let every = shots.len().div_ceil(COLOR_FRAMES).max(1);
        for shot in shots.iter().step_by(every).chain(shots.last()) {
            colors.add(&self.image(*shot)?);
        }
        let file = WholeFile::create(path).map_err(CommandError::file(path))?;
        let mut gif = GifWriter::new(file, self.size, fps, &colors)?;
        for shot in shots {
            let image = self.image(*shot)?;
            gif.add(&image).map_err(CommandError::file(path))?;
        }
        let written = gif.finish(PAUSE).and_then(WholeFile::place);
        written.map_err(CommandError::file(path))
    }

    fn write_frames(&mut self, dir: &Path, shots: &[(&Frame, Camera)]) -> Result<(), CommandError> {
        std::fs::create_dir_all(dir).map_err(CommandError::file(dir))?;
        for (i, shot) in shots.iter().enumerate() {
            let path = dir.join(format!("{i:05}.png"));
            let png = self.image(*shot)?.png().map_err(CommandError::file(&path))?;
            WholeFile::write(&path, &png).map_err(CommandError::file(&path))?;
        }
        Ok(())
    }
}
