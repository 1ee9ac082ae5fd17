//! Cross-sections.

use crate::table::{IntoValue, tagged, value_type};
use toml::Value;

/// A cross-section; lengths in m. Width and semi-axis 1 lie along the director m₁.
///
/// ```
/// use ropewalk::Section;
///
/// let rope = Section::circle(2e-3);
/// let lace = Section::rectangle(6e-3, 1e-3);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Section(pub(crate) Value);
value_type!(Section);

impl Section {
    /// A disk.
    pub fn circle(radius: f64) -> Self {
        Self(tagged("circle", [("radius", radius.into_value())]))
    }

    /// An ellipse.
    pub fn ellipse(semi_axis_1: f64, semi_axis_2: f64) -> Self {
        let keys = [("semi_axis_1", semi_axis_1.into_value()), ("semi_axis_2", semi_axis_2.into_value())];
        Self(tagged("ellipse", keys))
    }

    /// A rectangle.
    pub fn rectangle(width: f64, height: f64) -> Self {
        Self(tagged("rectangle", [("width", width.into_value()), ("height", height.into_value())]))
    }

    /// A round tube.
    pub fn tube(outer_radius: f64, inner_radius: f64) -> Self {
        let keys = [("outer_radius", outer_radius.into_value()), ("inner_radius", inner_radius.into_value())];
        Self(tagged("tube", keys))
    }

    /// Stiffness given outright: EA in N, EI₁ and EI₂ and GJ in N·m², mass per length in kg/m, radius of the skin in m.
    /// The material is not read.
    pub fn stiffness(stretch: f64, bend: [f64; 2], twist: f64, line_density: f64, radius: f64) -> Self {
        let keys = [
            ("stretch", stretch.into_value()),
            ("bend", bend.into_value()),
            ("twist", twist.into_value()),
            ("line_density", line_density.into_value()),
            ("radius", radius.into_value()),
        ];
        Self(tagged("stiffness", keys))
    }
}
