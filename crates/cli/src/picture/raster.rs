//! A painter of triangles with depth, and PNG.
//!
//! Each pixel keeps the nearest surface (z-buffer), lit from above the viewer's left shoulder; four samples per pixel
//! smooth the edges.

use super::camera::Camera;
use glam::DVec3;
use std::io;

/// Samples per pixel along each side.
const SAMPLES: usize = 2;
/// Share of the light that comes from everywhere.
const AMBIENT: f64 = 0.42;

/// A picture under construction.
#[derive(Debug)]
pub(super) struct Raster {
    width: usize,
    height: usize,
    camera: Camera,
    light: DVec3,
    depth: Vec<f64>,
    colour: Vec<[f32; 3]>,
}

impl Raster {
    /// An empty white picture of `width` by `height` px.
    pub(super) fn new(width: usize, height: usize, camera: Camera) -> Self {
        let count = width * height * SAMPLES * SAMPLES;
        let [right, up, towards] = camera.axes();
        Self {
            width,
            height,
            light: (towards + 0.6 * up - 0.4 * right).normalize(),
            camera,
            depth: vec![f64::NEG_INFINITY; count],
            colour: vec![[255.0; 3]; count],
        }
    }

    /// Paints a triangle where it is nearest; `normals` at its corners need not be unit vectors and are seen from
    /// both sides.
    pub(super) fn triangle(&mut self, corners: [DVec3; 3], normals: [DVec3; 3], rgb: [u8; 3]) {
        let scale = SAMPLES as f64;
        let place = corners.map(|p| {
            let (x, y) = self.camera.project(p);
            (scale * x, scale * y, self.camera.depth(p))
        });
        let towards = self.camera.axes()[2];
        let brightness = normals.map(|n| {
            let n = n.normalize_or_zero();
            let facing = if n.dot(towards) < 0.0 { -n } else { n };
            AMBIENT + (1.0 - AMBIENT) * facing.dot(self.light).max(0.0)
        });
        let [a, b, c] = place;
        let area = (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
        if !area.is_finite() || area.abs() < 1e-12 {
            return;
        }
        let (columns, rows) = (self.width * SAMPLES, self.height * SAMPLES);
        let range = |values: [f64; 3], count: usize| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (low.floor().max(0.0) as usize)..(high.ceil().clamp(0.0, count as f64) as usize)
        };
        for row in range([a.1, b.1, c.1], rows) {
            for column in range([a.0, b.0, c.0], columns) {
                let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
                // Barycentric coordinates.
                let v = ((x - a.0) * (c.1 - a.1) - (y - a.1) * (c.0 - a.0)) / area;
                let w = ((b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0)) / area;
                let u = 1.0 - v - w;
                if u < 0.0 || v < 0.0 || w < 0.0 {
                    continue;
                }
                let depth = u * a.2 + v * b.2 + w * c.2;
                let at = row * columns + column;
                if depth > self.depth[at] {
                    self.depth[at] = depth;
                    let light = u * brightness[0] + v * brightness[1] + w * brightness[2];
                    self.colour[at] = rgb.map(|k| (f64::from(k) * light) as f32);
                }
            }
        }
    }

    /// The picture as PNG.
    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels())?;
        writer.finish()?;
        Ok(out)
    }

    /// Red, green and blue of each pixel: the mean of its samples.
    fn pixels(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(3 * self.width * self.height);
        for row in 0..self.height {
            for column in 0..self.width {
                for k in 0..3 {
                    let mut sum = 0.0;
                    for sample in 0..SAMPLES * SAMPLES {
                        let (y, x) = (row * SAMPLES + sample / SAMPLES, column * SAMPLES + sample % SAMPLES);
                        sum += self.colour[y * self.width * SAMPLES + x][k];
                    }
                    out.push((sum / (SAMPLES * SAMPLES) as f32).round().clamp(0.0, 255.0) as u8);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::view::View;

    #[test]
    fn what_is_nearer_hides_what_is_behind_whatever_comes_first() {
        let square = |z: f64| [DVec3::new(-1.0, -1.0, z), DVec3::new(3.0, -1.0, z), DVec3::new(-1.0, 3.0, z)];
        let camera = View::Top.camera(&[DVec3::ZERO, DVec3::ONE], 400.0, 400.0);
        for flip in [false, true] {
            let mut raster = Raster::new(400, 400, camera);
            let mut layers = [(0.0, [200, 0, 0]), (0.5, [0, 200, 0])];
            if flip {
                layers.reverse();
            }
            for (z, rgb) in layers {
                raster.triangle(square(z), [DVec3::Z; 3], rgb);
            }
            let middle = 3 * (200 * 400 + 200);
            let pixel = &raster.pixels()[middle..middle + 3];
            assert!(pixel[0] == 0 && pixel[1] > 100, "{pixel:?}");
            assert_eq!(&raster.encode().unwrap()[1..4], b"PNG");
        }
    }
}
