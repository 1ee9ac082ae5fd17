//! Films as GIF: one palette for the whole film, and in each frame only the changed pixels.

use crate::image::Image;
use crate::palette::{Histogram, Palette};
use crate::{camera::ImageSize, error::RenderError};
use std::borrow::Cow;
use std::io::{self, Write};

/// Colors of a film; one more index means "as before".
const COLORS: usize = 255;
/// Greatest width and height in px.
const MOST: usize = 65535;

/// The colors of a film, found from some of its frames.
#[derive(Clone, Debug)]
pub struct FilmColors {
    histogram: Histogram,
}

impl Default for FilmColors {
    fn default() -> Self {
        Self { histogram: Histogram::new() }
    }
}

impl FilmColors {
    /// Counts the colors of a frame.
    pub fn add(&mut self, image: &Image) {
        self.histogram.add(image);
    }
}

/// Writes a film, frame by frame; it plays in a loop.
pub struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    palette: Palette,
    size: ImageSize,
    /// The shown image, by color.
    shown: Vec<u8>,
    /// The pending frame, whose duration is not yet known: pixels, and the rectangle of changes.
    pending: Option<gif::Frame<'static>>,
    /// Time of a frame in s, and times so far in hundredths of a second.
    interval: f64,
    frames: u64,
    written: u64,
}

impl<W: Write> GifWriter<W> {
    /// A film of `fps` frames per second, at most 50, the most that players show.
    pub fn new(to: W, size: ImageSize, fps: f64, colors: &FilmColors) -> Result<Self, RenderError> {
        if !(fps.is_finite() && fps > 0.0 && fps <= 50.0) {
            return Err(RenderError::new(
                format!("fps of the film is {fps}"),
                "give frames per second above 0 and at most 50, the most that players of GIF show",
            ));
        }
        if size.width() > MOST || size.height() > MOST {
            return Err(RenderError::new(
                format!("size of the film is {}x{} px", size.width(), size.height()),
                format!("a GIF is at most {MOST} px wide and high"),
            ));
        }
        let palette = Palette::of(&colors.histogram, COLORS);
        let global: Vec<u8> = palette.colors.concat();
        let encoder = gif::Encoder::new(to, size.width() as u16, size.height() as u16, &global);
        let mut encoder =
            encoder.map_err(|e| RenderError::new(format!("the film: {e}"), "is the disk full?"))?;
        let endless = encoder.set_repeat(gif::Repeat::Infinite);
        endless.map_err(|e| RenderError::new(format!("the film: {e}"), "is the disk full?"))?;
        Ok(Self {
            encoder,
            palette,
            size,
            shown: Vec::new(),
            pending: None,
            interval: 100.0 / fps,
            frames: 0,
            written: 0,
        })
    }

    /// Adds a frame, which must have the size of the film.
    pub fn add(&mut self, image: &Image) -> io::Result<()> {
        if image.size() != self.size {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a frame of another size than the film"));
        }
        self.frames += 1;
        let indices: Vec<u8> =
            image.bytes.as_chunks::<3>().0.iter().map(|p| self.palette.index(*p)).collect();
        let (width, height) = (self.size.width(), self.size.height());
        let same = |at: usize| self.shown.get(at) == Some(&indices[at]);
        let differs = |row: usize| (0..width).any(|column| !same(row * width + column));
        let (Some(top), Some(bottom)) =
            ((0..height).find(|r| differs(*r)), (0..height).rev().find(|r| differs(*r)))
        else {
            // Nothing has changed: the previous frame lasts longer.
            return Ok(());
        };
        let column_differs = |column: usize| (top..=bottom).any(|row| !same(row * width + column));
        let left = (0..width).find(|c| column_differs(*c)).unwrap_or(0);
        let right = (0..width).rev().find(|c| column_differs(*c)).unwrap_or(0);
        let mut buffer = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
        for row in top..=bottom {
            for at in row * width + left..=row * width + right {
                buffer.push(if same(at) { COLORS as u8 } else { indices[at] });
            }
        }
        self.flush(self.frames - 1)?;
        self.pending = Some(gif::Frame {
            transparent: Some(COLORS as u8),
            dispose: gif::DisposalMethod::Keep,
            top: top as u16,
            left: left as u16,
            width: (right - left + 1) as u16,
            height: (bottom - top + 1) as u16,
            buffer: Cow::Owned(buffer),
            ..gif::Frame::default()
        });
        self.shown = indices;
        Ok(())
    }

    /// Writes the pending frame, which lasts until frame number `until`.
    fn flush(&mut self, until: u64) -> io::Result<()> {
        let Some(mut frame) = self.pending.take() else { return Ok(()) };
        // Whole hundredths whose sum follows the time.
        let clock = (until as f64 * self.interval).round() as u64;
        frame.delay = u16::try_from(clock.saturating_sub(self.written)).unwrap_or(u16::MAX).max(1);
        self.written += u64::from(frame.delay);
        self.encoder.write_frame(&frame).map_err(io::Error::other)
    }

    /// Completes the film, whose last picture lasts `pause` seconds.
    pub fn finish(mut self, pause: f64) -> io::Result<W> {
        let pause = if pause.is_finite() {
            (pause.clamp(0.0, 60.0) * 100.0 / self.interval).round() as u64
        } else {
            0
        };
        self.flush(self.frames + pause)?;
        self.encoder.into_inner().map_err(io::Error::other)
    }
}
