//! `ropewalk picture`: pictures of a scene or a recording from several sides.

use super::footage::Source;
use crate::console;
use crate::exit::{CommandError, Outcome};
use crate::number::significant;
use clap::ValueEnum;
use glam::DVec3;
use ropewalk_render::{
    Bounds, Camera, CameraSpec, Frame, ImageSize, QuantityKind, RenderError, Renderer, Stage, Style, View,
    svg,
};
use ropewalk_scene::output_file::WholeFile;
use std::path::{Path, PathBuf};

/// Fraction of width or height of an image that things fill.
const FILL: f64 = 0.9;
/// Distance of the floor below the lowest point, relative to the radius of the scene.
const FLOOR: f64 = 0.03;
/// Unit of depth images in m.
const DEPTH_UNIT: f64 = 1e-3;

/// Draw a scene or a recording, as PNG and SVG
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of an embedded scene (see `ropewalk list`), a scene file, or a recording (run.mcap)
    source: String,

    /// A file that ends in .png or .svg; or a directory for SCENE_TIME_VIEW.png and .svg
    #[arg(long, value_name = "FILE|DIR")]
    out: PathBuf,

    /// Sides to look from, without perspective; with a directory
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["front", "side", "top", "iso"])]
    views: Vec<Viewpoint>,

    /// Times to draw, in s; a scene is run up to them. The end if none is given
    #[arg(long, visible_alias = "at", value_name = "S", value_delimiter = ',')]
    times: Vec<f64>,

    /// Start from a state that a run has kept (last_good_state.npz); without --times draw that one
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Override a value of the scene, such as rod.rope.segments=200; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,

    /// What to write into a directory
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["png", "svg"])]
    formats: Vec<Format>,

    /// What the pixels of a PNG say: colors; depth along the view in mm (16 bits); numbers of rods and links (16 bits)
    #[arg(long, value_enum, default_value = "color")]
    mode: Mode,

    #[command(flatten)]
    look: Look,
}

/// Appearance of pictures and films.
#[derive(Debug, clap::Args)]
pub(super) struct Look {
    /// Camera: a view (front, back, side, top, bottom, iso, auto) and keys such as
    /// "eye=1,-1,0.5 target=0,0,0.1 fov=0.6", ortho, zoom=2, azimuth=0.3 elevation=0.5 (rad), follow=NAME
    #[arg(long, value_name = "WORDS")]
    camera: Option<String>,

    /// Width and height in px, at most 16 Mpx
    #[arg(long, value_name = "WxH")]
    size: Option<String>,

    /// Samples of a pixel along each side, 1 to 8
    #[arg(long, value_name = "N", default_value_t = 3)]
    samples: usize,

    /// Color rods by this; by default PNG shows their own color, and SVG curvature or tension
    #[arg(long, value_name = "QUANTITY", value_parser = ["curvature", "tension", "twist"])]
    color_by: Option<String>,

    /// Show contacts as points with forces
    #[arg(long)]
    contacts: bool,

    /// Leave out shadows
    #[arg(long)]
    no_shadows: bool,

    /// Lay a floor under what has no ground of its own, to catch the shadows
    #[arg(long)]
    floor: bool,
}

impl Look {
    /// The requested camera.
    pub(super) fn camera(&self) -> Result<Option<CameraSpec>, RenderError> {
        self.camera.as_deref().map(CameraSpec::parse).transpose()
    }

    /// The requested size, otherwise `default`.
    pub(super) fn size(&self, default: &str) -> Result<ImageSize, RenderError> {
        ImageSize::parse(self.size.as_deref().unwrap_or(default))
    }

    /// What colors the rods.
    fn color_by(&self) -> Option<QuantityKind> {
        self.color_by.as_deref().and_then(QuantityKind::from_name)
    }

    /// The style.
    pub(super) fn style(&self) -> Result<Style, RenderError> {
        let style = Style {
            samples: self.samples,
            color_by: self.color_by(),
            contacts: self.contacts,
            shadows: !self.no_shadows,
            ..Style::default()
        };
        style.check().map(|()| style)
    }

    /// Fraction of the image that things fill.
    pub(super) fn fill(&self) -> f64 {
        FILL
    }

    /// Height of the floor under `points`, if wanted.
    pub(super) fn floor(&self, points: &[DVec3]) -> Option<f64> {
        let lowest = points.iter().map(|p| p.z).reduce(f64::min).filter(|_| self.floor)?;
        Some(lowest - FLOOR * Bounds::of(points).radius)
    }
}

/// A side from which to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Viewpoint {
    /// Along +y: x across, z up
    Front,
    /// Along −y: −x across, z up
    Back,
    /// Along −x: y across, z up
    Side,
    /// Along −z: x across, y up
    Top,
    /// Along +z: x across, −y up
    Bottom,
    /// From above, in front and to the side
    Iso,
    /// The side that shows most
    Auto,
}

impl Viewpoint {
    fn view(self) -> View {
        match self {
            Self::Front => View::Front,
            Self::Back => View::Back,
            Self::Side => View::Side,
            Self::Top => View::Top,
            Self::Bottom => View::Bottom,
            Self::Iso => View::Iso,
            Self::Auto => View::Auto,
        }
    }
}

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Pixels, with depth and light.
    Png,
    /// Lines, with captions, scale and legend.
    Svg,
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
        }
    }

    /// The format of a file by its extension, if known.
    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_ascii_lowercase();
        [Self::Png, Self::Svg].into_iter().find(|format| ending == format.ending())
    }
}

/// Meaning of the pixels of a PNG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Colors
    Color,
    /// Depth along the view in mm, 16 bits; 0 for nothing
    Depth,
    /// Number of the rod or link, 16 bits; 0 for nothing
    Mask,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let mut painter = Painter {
        size: arguments.look.size("960x640")?,
        style: arguments.look.style()?,
        color_by: arguments.look.color_by(),
        mode: arguments.mode,
        renderer: Renderer::new(),
    };
    let spec = arguments.look.camera()?;
    let source = Source::open(&arguments.source, &arguments.overrides, arguments.from.as_deref())?;
    let times = wanted_times(arguments, &source)?;
    let name = source.name().to_owned();
    let single = Format::of(&arguments.out);
    if single.is_some() && times.len() > 1 {
        return Err(CommandError::input(
            format!("--out {}: one file for {} times", arguments.out.display(), times.len()),
            "give one time, or name a directory",
        ));
    }
    let footage = source.frames(&times)?;
    if single.is_none() {
        std::fs::create_dir_all(&arguments.out).map_err(CommandError::file(&arguments.out))?;
    }
    for frame in &footage.frames {
        let stage = &footage.stage;
        painter.style.floor = arguments.look.floor(&stage.points(frame));
        if let Some(format) = single {
            let spec = spec.clone().unwrap_or_default();
            painter.write(stage, frame, &spec, format, true, &arguments.out)?;
            continue;
        }
        let views: Vec<(CameraSpec, &str)> = match &spec {
            Some(spec) => vec![(spec.clone(), "camera")],
            None => arguments.views.iter().map(|side| side.view()).map(|v| (v.into(), v.name())).collect(),
        };
        for (spec, view) in &views {
            for format in &arguments.formats {
                let file = format!("{name}_{}s_{view}.{}", significant(frame.time, 4), format.ending());
                painter.write(stage, frame, spec, *format, false, &arguments.out.join(file))?;
            }
        }
    }
    Ok(if footage.failed { Outcome::StepFailed } else { Outcome::Success })
}

/// The times to draw, in their order: the requested ones, that of the given state, or the end.
fn wanted_times(arguments: &Arguments, source: &Source) -> Result<Vec<f64>, CommandError> {
    let [start, end] = source.range();
    let mut times = arguments.times.clone();
    if times.is_empty() {
        times.push(if arguments.from.is_some() { start } else { end });
    }
    if let Some(bad) = times.iter().find(|t| !(t.is_finite() && **t >= start - 1e-9)) {
        return Err(CommandError::input(
            format!("--times {bad}: the pictures start at {start} s"),
            "give finite times from there on",
        ));
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// Makes pictures of common size and style.
struct Painter {
    size: ImageSize,
    style: Style,
    color_by: Option<QuantityKind>,
    mode: Mode,
    renderer: Renderer,
}

impl Painter {
    fn write(
        &mut self,
        stage: &Stage,
        frame: &Frame,
        spec: &CameraSpec,
        format: Format,
        perspective: bool,
        path: &Path,
    ) -> Result<(), CommandError> {
        let fill = if format == Format::Svg { svg::FILL } else { FILL };
        let mut camera = spec.resolve(&stage.points(frame), self.size.aspect(), fill, perspective)?;
        if let Some(name) = &spec.follow {
            camera = camera.moved(stage.place_of(name, frame)? - camera.target);
        }
        let bytes = match format {
            Format::Svg => {
                let frames = core::slice::from_ref(frame);
                svg::draw(stage, frames, &camera, self.size, self.color_by)?.into_bytes()
            }
            Format::Png => self.png(stage, frame, &camera, path)?,
        };
        WholeFile::write(path, &bytes).map_err(CommandError::file(path))?;
        console::print(&format!("{}\n", path.display()))
    }

    fn png(
        &mut self,
        stage: &Stage,
        frame: &Frame,
        camera: &Camera,
        path: &Path,
    ) -> Result<Vec<u8>, CommandError> {
        let (renderer, size) = (&mut self.renderer, self.size);
        let png = match self.mode {
            Mode::Color => renderer.image(stage, frame, camera, size, &self.style, None)?.png(),
            Mode::Depth => renderer.depth(stage, frame, camera, size)?.png(DEPTH_UNIT),
            Mode::Mask => renderer.mask(stage, frame, camera, size)?.png(),
        };
        png.map_err(CommandError::file(path))
    }
}
