//! Images of worlds and of recordings. `python/ropewalk/rendering.py` gives them their arguments.

use crate::batch::Batch;
use crate::recording::file_error;
use crate::scene::Scene;
use crate::world::World;
use glam::DVec3;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use ropewalk_render::from_recording::pose_of;
use ropewalk_render::gif::{FilmColors, GifWriter};
use ropewalk_render::stage::RodFrame;
use ropewalk_render::{
    Bounds, Camera, CameraSpec, Frame, Image, ImageSize, Projection, QuantityKind, RenderError, Stage, Style,
};
use std::io::Write;
use std::path::PathBuf;

/// Eye, target, up; field of view in rad, or height in m of an orthographic camera.
type CameraNumbers = ([f64; 3], [f64; 3], [f64; 3], Option<f64>, Option<f64>);

/// An array of shape (m, n).
type Matrix<'py> = Bound<'py, PyArray2<f64>>;

/// Frames from which the colors of a film are found.
const COLOR_FRAMES: usize = 24;

fn render_error(error: RenderError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A stage with one frame on it, and the memory of the images that were made.
#[pyclass(module = "ropewalk._core")]
#[derive(Debug)]
pub(crate) struct Renderer {
    stage: Stage,
    frame: Frame,
    renderer: ropewalk_render::Renderer,
}

fn camera_of((eye, target, up, field_of_view, height): CameraNumbers) -> PyResult<Camera> {
    let projection = match (field_of_view, height) {
        (_, Some(height)) => Projection::Orthographic { height },
        (Some(field_of_view), None) => Projection::Perspective { field_of_view },
        (None, None) => return Err(PyValueError::new_err("the camera has no field of view")),
    };
    let [eye, target, up] = [eye, target, up].map(DVec3::from);
    let camera = Camera { eye, target, up, projection };
    camera.check().map_err(render_error)?;
    Ok(camera)
}

#[pymethods]
impl Renderer {
    /// For the worlds of a scene.
    #[staticmethod]
    fn of_scene(scene: &Scene) -> Self {
        let stage = Stage::of_scene(&scene.whole());
        Self { stage, frame: Frame::default(), renderer: ropewalk_render::Renderer::new() }
    }

    /// For the frames of a recording.
    #[staticmethod]
    fn of_recording(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let open = || ropewalk_scene::Recording::open(&path);
        let recording = py.detach(open).map_err(file_error)?;
        let stage = Stage::of_recording(&recording.scene);
        Ok(Self { stage, frame: Frame::default(), renderer: ropewalk_render::Renderer::new() })
    }

    /// Kind, name and link of each number of a mask, from 1 on.
    fn instances(&self) -> Vec<(&'static str, String, String)> {
        self.stage.instances().into_iter().map(|i| (i.kind, i.name, i.link)).collect()
    }

    /// Takes up where everything is in a world.
    fn take_world(&mut self, world: &World) -> PyResult<()> {
        self.take(frame_of(world.inner()))
    }

    /// Takes up where everything is in world number `index` of a batch.
    fn take_batch(&mut self, batch: &Batch, index: usize) -> PyResult<()> {
        self.take(frame_of(&batch.worlds()[index]))
    }

    /// Takes up a frame of a recording: q (n, 4), reference directors (e, 3) of each rod, poses (l, 7) of each tree.
    fn take_arrays(
        &mut self,
        time: f64,
        q: Vec<PyReadonlyArray2<'_, f64>>,
        d1: Vec<PyReadonlyArray2<'_, f64>>,
        poses: Vec<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<()> {
        let mut frame = Frame { time, ..Frame::default() };
        for (q, d1) in q.iter().zip(&d1) {
            let (q, d1) = (q.as_slice()?.as_chunks().0, d1.as_slice()?.as_chunks().0);
            frame.rods.push(RodFrame::of_arrays(q, d1, &[]));
        }
        for poses in &poses {
            frame.trees.push(poses.as_slice()?.as_chunks().0.iter().copied().map(pose_of).collect());
        }
        self.take(frame)
    }

    /// The camera that words ask for: see `ropewalk_render::CameraSpec`.
    fn camera(&self, words: &str, width: u64, height: u64) -> PyResult<CameraNumbers> {
        let size = ImageSize::new(width, height).map_err(render_error)?;
        let spec = CameraSpec::parse(words).map_err(render_error)?;
        let points = self.stage.points(&self.frame);
        let mut camera = spec.resolve(&points, size.aspect(), 0.9, true).map_err(render_error)?;
        if let Some(name) = &spec.follow {
            let place = self.stage.place_of(name, &self.frame).map_err(render_error)?;
            camera = camera.moved(place - camera.target);
        }
        let (field_of_view, height) = match camera.projection {
            Projection::Perspective { field_of_view } => (Some(field_of_view), None),
            Projection::Orthographic { height } => (None, Some(height)),
        };
        Ok((camera.eye.to_array(), camera.target.to_array(), camera.up.to_array(), field_of_view, height))
    }

    /// Center and radius of a ball about everything that has an end.
    fn bounds(&self) -> ([f64; 3], f64) {
        let bounds = Bounds::of(&self.stage.points(&self.frame));
        (bounds.center.to_array(), bounds.radius)
    }

    /// Colors, shape (height, width, 3).
    #[pyo3(signature = (camera, width, height, samples, shadows, contacts, color_by, bounds))]
    fn image<'py>(
        &mut self,
        py: Python<'py>,
        camera: CameraNumbers,
        width: u64,
        height: u64,
        samples: usize,
        shadows: bool,
        contacts: bool,
        color_by: Option<&str>,
        bounds: Option<([f64; 3], f64)>,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let (camera, size) = (camera_of(camera)?, ImageSize::new(width, height).map_err(render_error)?);
        let kind = |name: &str| {
            QuantityKind::from_name(name).ok_or_else(|| {
                let known = QuantityKind::ALL.map(|(_, name, _)| format!("'{name}'")).join(", ");
                PyValueError::new_err(format!("color_by is '{name}', expected {known} or None"))
            })
        };
        let color_by = color_by.map(kind).transpose()?;
        let style = Style { samples, shadows, contacts, color_by, ..Style::default() };
        let bounds = bounds.map(|(center, radius)| Bounds { center: DVec3::from(center), radius });
        let image =
            py.detach(|| self.renderer.image(&self.stage, &self.frame, &camera, size, &style, bounds));
        let bytes = image.map_err(render_error)?.bytes;
        PyArray1::from_vec(py, bytes).reshape([size.height(), size.width(), 3])
    }

    /// Depths in m, shape (height, width).
    fn depth<'py>(
        &mut self,
        py: Python<'py>,
        camera: CameraNumbers,
        width: u64,
        height: u64,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (camera, size) = (camera_of(camera)?, ImageSize::new(width, height).map_err(render_error)?);
        let image = py.detach(|| self.renderer.depth(&self.stage, &self.frame, &camera, size));
        PyArray1::from_vec(py, image.map_err(render_error)?.meters).reshape([size.height(), size.width()])
    }

    /// Instances, shape (height, width).
    fn mask<'py>(
        &mut self,
        py: Python<'py>,
        camera: CameraNumbers,
        width: u64,
        height: u64,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let (camera, size) = (camera_of(camera)?, ImageSize::new(width, height).map_err(render_error)?);
        let image = py.detach(|| self.renderer.mask(&self.stage, &self.frame, &camera, size));
        PyArray1::from_vec(py, image.map_err(render_error)?.instances).reshape([size.height(), size.width()])
    }

    /// Places in m that the pixels see, shape (n, 3), row by row.
    fn points<'py>(
        &mut self,
        py: Python<'py>,
        camera: CameraNumbers,
        width: u64,
        height: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (camera, size) = (camera_of(camera)?, ImageSize::new(width, height).map_err(render_error)?);
        let points = py.detach(|| {
            self.renderer.depth(&self.stage, &self.frame, &camera, size).map(|image| image.points(&camera))
        });
        let points = points.map_err(render_error)?;
        let numbers: Vec<f64> = points.iter().flat_map(|p| p.to_array()).collect();
        PyArray1::from_vec(py, numbers).reshape([points.len(), 3])
    }
}

impl Renderer {
    fn take(&mut self, frame: Frame) -> PyResult<()> {
        self.stage.check_frame(&frame).map_err(PyValueError::new_err)?;
        self.frame = frame;
        Ok(())
    }
}

fn frame_of(world: &ropewalk_sim::World) -> Frame {
    Frame::of_state(world.model(), world.state()).with_contacts(world.workspace())
}

/// The numbers K, shape (3, 3), of a perspective camera, and its frame in the world, shape (4, 4).
#[pyfunction]
pub(crate) fn camera_matrices<'py>(
    py: Python<'py>,
    camera: CameraNumbers,
    width: u64,
    height: u64,
) -> PyResult<(Option<Matrix<'py>>, Matrix<'py>)> {
    let (camera, size) = (camera_of(camera)?, ImageSize::new(width, height).map_err(render_error)?);
    let [x, y, z] = camera.axes();
    let rows = (0..3).flat_map(|k| [x[k], y[k], z[k], camera.eye[k]]).chain([0.0, 0.0, 0.0, 1.0]);
    let pose = PyArray1::from_vec(py, rows.collect()).reshape([4, 4])?;
    let intrinsics = camera.intrinsics(size).map(|k| PyArray1::from_vec(py, k.concat()).reshape([3, 3]));
    Ok((intrinsics.transpose()?, pose))
}

/// Writes images (k, height, width, 3), given one by one, as a GIF.
#[pyfunction]
pub(crate) fn write_gif(
    py: Python<'_>,
    path: PathBuf,
    images: Vec<PyReadonlyArray3<'_, u8>>,
    fps: f64,
) -> PyResult<()> {
    let mut frames = Vec::with_capacity(images.len());
    for image in &images {
        let shape = image.as_array().shape().to_vec();
        let size = ImageSize::new(shape[1] as u64, shape[0] as u64).map_err(render_error)?;
        if shape[2] != 3 {
            return Err(PyValueError::new_err("an image of a film has the shape (h, w, 3)"));
        }
        frames.push(Image::from_bytes(size, image.as_slice()?.to_vec()).map_err(render_error)?);
    }
    let Some(first) = frames.first() else {
        return Err(PyValueError::new_err("a film needs at least one image"));
    };
    let failed = |error: std::io::Error| PyOSError::new_err(format!("{}: {error}", path.display()));
    let mut colors = FilmColors::default();
    let every = frames.len().div_ceil(COLOR_FRAMES).max(1);
    frames.iter().step_by(every).chain(frames.last()).for_each(|frame| colors.add(frame));
    let file = std::io::BufWriter::new(std::fs::File::create(&path).map_err(failed)?);
    let mut film = GifWriter::new(file, first.size(), fps, &colors).map_err(render_error)?;
    let work = || -> std::io::Result<()> {
        frames.iter().try_for_each(|frame| film.add(frame))?;
        film.finish(1.0)?.flush()
    };
    py.detach(work).map_err(failed)
}
