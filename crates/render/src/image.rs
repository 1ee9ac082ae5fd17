//! Images: colors, depths, masks; PNG and point clouds.

use crate::camera::{Camera, ImageSize, Lens};
use crate::error::RenderError;
use glam::DVec3;
use std::io;

/// A color image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    size: ImageSize,
    /// Red, green and blue of each pixel in sRGB, row by row from the top left.
    pub bytes: Vec<u8>,
}

impl Image {
    pub(crate) fn new(size: ImageSize, bytes: Vec<u8>) -> Self {
        Self { size, bytes }
    }

    /// From red, green and blue of each pixel, row by row.
    pub fn from_bytes(size: ImageSize, bytes: Vec<u8>) -> Result<Self, RenderError> {
        match bytes.len() == 3 * size.pixels() {
            true => Ok(Self { size, bytes }),
            false => Err(RenderError::new(
                format!("an image of {} px has {} bytes", size.pixels(), bytes.len()),
                "give three bytes for each pixel",
            )),
        }
    }

    /// Width and height.
    pub fn size(&self) -> ImageSize {
        self.size
    }

    /// Red, green and blue of a pixel.
    pub fn pixel(&self, column: usize, row: usize) -> [u8; 3] {
        let at = 3 * (row * self.size.width() + column);
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }

    /// The image as PNG.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        encode(self.size, png::ColorType::Rgb, png::BitDepth::Eight, &self.bytes)
    }
}

/// A depth image.
#[derive(Clone, Debug, PartialEq)]
pub struct DepthImage {
    size: ImageSize,
    /// Depth of the center of each pixel along the optical axis in m, row by row from the top left; infinite for the
    /// background.
    pub meters: Vec<f32>,
}

impl DepthImage {
    pub(crate) fn new(size: ImageSize, meters: Vec<f32>) -> Self {
        Self { size, meters }
    }

    /// Width and height.
    pub fn size(&self) -> ImageSize {
        self.size
    }

    /// As PNG with 16 bits a pixel: whole multiples of `unit` (m), 0 for the background and beyond the range.
    pub fn png(&self, unit: f64) -> io::Result<Vec<u8>> {
        let number = |z: &f32| {
            let n = (f64::from(*z) / unit).round();
            if n <= f64::from(u16::MAX) { (n as u16).to_be_bytes() } else { [0; 2] }
        };
        let bytes: Vec<u8> = self.meters.iter().flat_map(number).collect();
        encode(self.size, png::ColorType::Grayscale, png::BitDepth::Sixteen, &bytes)
    }

    /// The point cloud of the pixels in the world, in m, row by row, without the background.
    pub fn points(&self, camera: &Camera) -> Vec<DVec3> {
        let (lens, pose) = (Lens::new(camera, self.size, 1), camera.pose());
        let width = self.size.width();
        let seen = self.meters.iter().enumerate().filter(|(_, z)| z.is_finite());
        seen.map(|(i, z)| {
            let (o, d) = lens.ray((i % width) as f64 + 0.5, (i / width) as f64 + 0.5);
            pose.point(o + d * f64::from(*z))
        })
        .collect()
    }
}

/// An image of instance numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskImage {
    size: ImageSize,
    /// Instance at the center of each pixel, row by row from the top left; 0 for nothing.
    pub instances: Vec<u32>,
}

impl MaskImage {
    pub(crate) fn new(size: ImageSize, instances: Vec<u32>) -> Self {
        Self { size, instances }
    }

    /// Width and height.
    pub fn size(&self) -> ImageSize {
        self.size
    }

    /// As PNG with 16 bits a pixel; instances above 65535 are 65535.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let number = |i: &u32| u16::try_from(*i).unwrap_or(u16::MAX).to_be_bytes();
        let bytes: Vec<u8> = self.instances.iter().flat_map(number).collect();
        encode(self.size, png::ColorType::Grayscale, png::BitDepth::Sixteen, &bytes)
    }
}

fn encode(size: ImageSize, color: png::ColorType, depth: png::BitDepth, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, size.width() as u32, size.height() as u32);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if let png::ColorType::Rgb = color {
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(out)
}
