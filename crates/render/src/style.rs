//! The style of a picture: colors, light, samples.

use crate::color::Color;
use crate::error::RenderError;
use crate::quantity::QuantityKind;

/// Most samples of a pixel along each side.
pub const MOST_SAMPLES: usize = 8;

/// The style of an image. It does not affect depths and masks.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Samples of a pixel along each side, 1 to 8: 1 is fastest, 3 has smooth edges.
    pub samples: usize,
    /// Color of the background at the top and at the bottom.
    pub background: [Color; 2],
    /// Whether things cast shadows.
    pub shadows: bool,
    /// Whether the ground has lines, a round length apart.
    pub grid: bool,
    /// Height in m of a floor that catches shadows but is not part of the scene; none if `None`.
    pub floor: Option<f64>,
    /// Whether clamps are shown.
    pub marks: bool,
    /// Whether contacts are shown as points with forces.
    pub contacts: bool,
    /// The quantity that colors the rods; `None` for their own color.
    pub color_by: Option<QuantityKind>,
    /// Least and greatest value of the scale of colors; of this frame if `None`.
    pub range: Option<[f64; 2]>,
    /// Least width of rods in px, so that thin ones stay visible.
    pub least_rod_width: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            samples: 1,
            background: [Color::rgb8(250, 251, 253), Color::rgb8(226, 231, 238)],
            shadows: true,
            grid: true,
            floor: None,
            marks: true,
            contacts: false,
            color_by: None,
            range: None,
            least_rod_width: 1.5,
        }
    }
}

impl Style {
    /// The style without additions to the geometry, for depths and masks.
    pub(crate) fn bare() -> Self {
        Self { marks: false, shadows: false, least_rod_width: 0.0, ..Self::default() }
    }

    /// Checks the values; the error names the key.
    pub fn check(&self) -> Result<(), RenderError> {
        if !(1..=MOST_SAMPLES).contains(&self.samples) {
            return Err(RenderError::new(
                format!("samples of the image is {}", self.samples),
                format!("give 1 to {MOST_SAMPLES} samples along each side of a pixel"),
            ));
        }
        Ok(())
    }
}
