//! The renderer: from a frame to an image, a depth image or a mask.
//!
//! ```text
//! stage, frame ─ Geometry ─ Projected ─ Bins ─ for each band: Band (visibility) ─ Shader (light) ─ image
//!                        └ ShadowMap ────────────────────────────────────────────┘
//! ```
//!
//! One thread, no GPU, bit-identical images. A renderer reuses its memory from image to image.

use crate::camera::{Camera, ImageSize, Lens};
use crate::color::ToBytes;
use crate::error::RenderError;
use crate::geometry::Geometry;
use crate::image::{DepthImage, Image, MaskImage};
use crate::raster::bins::{Bins, Kind};
use crate::raster::project::Projected;
use crate::raster::{Band, NOTHING, Span, visit};
use crate::shade::{KEY, Shader};
use crate::shadow::ShadowMap;
use crate::stage::{Frame, Stage};
use crate::style::Style;
use glam::{DVec3, Vec3};

/// Approximate number of samples in a band, which stay in the cache.
const BAND_SAMPLES: usize = 1 << 15;
/// Texels along a side of the shadow map for one sample a pixel, and for more.
const SHADOW_SIZES: [usize; 2] = [768, 3072];

/// A bounding ball of everything that is bounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its center in m.
    pub center: DVec3,
    /// Its radius in m.
    pub radius: f64,
}

impl Bounds {
    /// About points; a ball of 1 m if there are none.
    pub fn of(points: &[DVec3]) -> Self {
        let Some(&first) = points.first() else { return Self { center: DVec3::ZERO, radius: 1.0 } };
        let (low, high) = points.iter().fold((first, first), |(a, b), p| (a.min(*p), b.max(*p)));
        let center = 0.5 * (low + high);
        let radius = points.iter().map(|p| (*p - center).length()).fold(0.0, f64::max);
        Self { center, radius: if radius > 0.0 { 1.05 * radius } else { 1.0 } }
    }
}

/// Makes images.
#[derive(Clone, Debug)]
pub struct Renderer {
    geometry: Geometry,
    projected: Option<Projected>,
    bins: Bins,
    band: Band,
    shadow: ShadowMap,
    light: Vec<Vec3>,
    to_bytes: ToBytes,
}

impl Default for Renderer {
    fn default() -> Self {
        Self {
            geometry: Geometry::default(),
            projected: None,
            bins: Bins::default(),
            band: Band::default(),
            shadow: ShadowMap::default(),
            light: Vec::new(),
            to_bytes: ToBytes::new(),
        }
    }
}

impl Renderer {
    /// A new renderer.
    pub fn new() -> Self {
        Self::default()
    }

    /// A color image. `bounds` are those of the whole film, so that shadows and ground do not change from frame to
    /// frame; those of `frame` if `None`.
    pub fn image(
        &mut self,
        stage: &Stage,
        frame: &Frame,
        camera: &Camera,
        size: ImageSize,
        style: &Style,
        bounds: Option<Bounds>,
    ) -> Result<Image, RenderError> {
        camera.check()?;
        style.check()?;
        let bounds = bounds.unwrap_or_else(|| Bounds::of(&stage.points(frame)));
        let samples = style.samples;
        let rows = self.prepare(stage, frame, camera, size, style, false);
        let Some(projected) = &self.projected else { return Ok(Image::new(size, Vec::new())) };
        let ball = (bounds.center, bounds.radius);
        if style.shadows {
            let texels = SHADOW_SIZES[usize::from(samples > 1)];
            self.shadow.fill(&self.geometry, &projected.lens, KEY.normalize(), ball, texels);
        } else {
            self.shadow.clear();
        }
        let shader = Shader::new(&self.geometry, projected, &self.shadow, style, ball);
        let [width, height] = projected.size;
        let mut bytes = Vec::with_capacity(3 * size.pixels());
        for (index, first) in (0..height).step_by(rows).enumerate() {
            self.band.clear(first, rows.min(height - first), width);
            for &primitive in self.bins.band(index) {
                self.band.draw(primitive, projected);
            }
            self.light.clear();
            shade_opaque(&self.band, &shader, &mut self.light);
            for &primitive in &self.bins.transparent {
                blend(primitive, &self.band, &shader, &mut self.light);
            }
            resolve(&self.light, width, samples, &self.to_bytes, &mut bytes);
        }
        Ok(Image::new(size, bytes))
    }

    /// Depth of each pixel's center along the optical axis in m.
    pub fn depth(
        &mut self,
        stage: &Stage,
        frame: &Frame,
        camera: &Camera,
        size: ImageSize,
    ) -> Result<DepthImage, RenderError> {
        let mut meters = Vec::with_capacity(size.pixels());
        self.bare(stage, frame, camera, size, |band, projected, _| {
            let depth = |n: &f32| match *n == f32::NEG_INFINITY {
                true => f32::INFINITY,
                false => projected.lens.depth(f64::from(*n)) as f32,
            };
            meters.extend(band.near.iter().map(depth));
        })?;
        Ok(DepthImage::new(size, meters))
    }

    /// The instance at each pixel's center: 0 for the background, otherwise a number, see [`Stage::instances`].
    pub fn mask(
        &mut self,
        stage: &Stage,
        frame: &Frame,
        camera: &Camera,
        size: ImageSize,
    ) -> Result<MaskImage, RenderError> {
        let mut instances = Vec::with_capacity(size.pixels());
        self.bare(stage, frame, camera, size, |band, projected, geometry| {
            let instance = |seen: &u32| match *seen {
                NOTHING => 0,
                primitive => geometry.surfaces[projected.surface(Kind::of(primitive)) as usize].instance,
            };
            instances.extend(band.seen.iter().map(instance));
        })?;
        Ok(MaskImage::new(size, instances))
    }

    /// Passes `see` all bands of the true geometry, with one sample a pixel.
    fn bare(
        &mut self,
        stage: &Stage,
        frame: &Frame,
        camera: &Camera,
        size: ImageSize,
        mut see: impl FnMut(&Band, &Projected, &Geometry),
    ) -> Result<(), RenderError> {
        camera.check()?;
        let rows = self.prepare(stage, frame, camera, size, &Style::bare(), true);
        let Some(projected) = &self.projected else { return Ok(()) };
        let [width, height] = projected.size;
        for (index, first) in (0..height).step_by(rows).enumerate() {
            self.band.clear(first, rows.min(height - first), width);
            for &primitive in self.bins.band(index) {
                self.band.draw(primitive, projected);
            }
            see(&self.band, projected, &self.geometry);
        }
        Ok(())
    }

    /// Puts all primitives into bins; the number of rows of a band.
    fn prepare(
        &mut self,
        stage: &Stage,
        frame: &Frame,
        camera: &Camera,
        size: ImageSize,
        style: &Style,
        solid: bool,
    ) -> usize {
        let samples = style.samples;
        let lens = Lens::new(camera, size, samples);
        let pixel = |p: DVec3| samples as f64 / lens.pixels_per_meter(lens.point(p).z);
        self.geometry.fill(stage, frame, style, &pixel);
        let [width, height] = [size.width() * samples, size.height() * samples];
        let projected = self.projected.get_or_insert_with(|| Projected::new(lens, [width, height]));
        projected.fill(&self.geometry, lens, [width, height], true);
        // Whole pixels, and at least one.
        let rows = (BAND_SAMPLES / width / samples).max(1) * samples;
        self.bins.fill(projected, &self.geometry, rows, solid);
        rows
    }
}

/// Lights every sample of a band.
fn shade_opaque(band: &Band, shader: &Shader, light: &mut Vec<Vec3>) {
    for row in 0..band.rows {
        let background = shader.background(band.first + row);
        let line = row * band.width;
        for column in 0..band.width {
            let at = line + column;
            light.push(match band.seen[at] {
                NOTHING => background,
                primitive => shader.color(primitive, column, band.first + row, band.near[at], background).0,
            });
        }
    }
}

/// Blends a transparent primitive over the surfaces behind it.
fn blend(primitive: u32, band: &Band, shader: &Shader, light: &mut [Vec3]) {
    let rows = band.first..band.first + band.rows;
    visit(primitive, shader.projected, rows, band.width, |row, start, span| {
        let line = (row - band.first) * band.width;
        let background = shader.background(row);
        let mut put = |column: usize, near: f32| {
            if near > band.near[line + column] {
                let (color, alpha) = shader.color(primitive, column, row, near, background);
                light[line + column] = light[line + column].lerp(color, alpha);
            }
        };
        match span {
            Span::Affine { count, nearness, slope, bounds } => {
                for k in 0..count {
                    put(start + k, (nearness + slope * k as f32).clamp(bounds[0], bounds[1]));
                }
            }
            Span::Point(value) => put(start, value),
        }
    });
}

/// Appends the pixels of a band: means of their samples.
fn resolve(light: &[Vec3], width: usize, samples: usize, table: &ToBytes, out: &mut Vec<u8>) {
    if samples == 1 {
        out.extend(light.iter().flat_map(|c| [table.of(c.x), table.of(c.y), table.of(c.z)]));
        return;
    }
    let share = 1.0 / (samples * samples) as f32;
    for rows in light.chunks_exact(width * samples) {
        for column in (0..width).step_by(samples) {
            let mut sum = Vec3::ZERO;
            for row in rows.chunks_exact(width) {
                // Clipped before averaging, so that a highlight does not brighten adjacent edges.
                row[column..column + samples].iter().for_each(|c| sum += c.min(Vec3::ONE));
            }
            sum *= share;
            out.extend([table.of(sum.x), table.of(sum.y), table.of(sum.z)]);
        }
    }
}
