//! Sides from which a state is looked at.

use super::camera::{Camera, oblique_axes};
use glam::DVec3;

/// A side from which to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum View {
    /// Along +y: x across, z up.
    Front,
    /// Along −y: −x across, z up.
    Back,
    /// Along −x: y across, z up.
    Side,
    /// Along −z: x across, y up.
    Top,
    /// Along +z: x across, −y up.
    Bottom,
    /// From above, in front and to the side.
    Iso,
    /// The side that shows most.
    Auto,
}

impl View {
    /// The camera of this side, in which `points` fill a picture of `width` by `height` px.
    pub(super) fn camera(self, points: &[DVec3], width: f64, height: f64) -> Camera {
        let axes = match self {
            Self::Front => (DVec3::X, DVec3::Z),
            Self::Back => (DVec3::NEG_X, DVec3::Z),
            Self::Side => (DVec3::Y, DVec3::Z),
            Self::Top => (DVec3::X, DVec3::Y),
            Self::Bottom => (DVec3::X, DVec3::NEG_Y),
            Self::Iso => oblique_axes(DVec3::X),
            Self::Auto => return Camera::fit(points, width, height),
        };
        Camera::looking(points, axes, width, height)
    }

    /// Its name in file names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Front => "front",
            Self::Back => "back",
            Self::Side => "side",
            Self::Top => "top",
            Self::Bottom => "bottom",
            Self::Iso => "iso",
            Self::Auto => "auto",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_right_handed_and_look_from_where_they_say() {
        let points = [DVec3::ZERO, DVec3::ONE];
        for (view, towards) in [
            (View::Front, DVec3::NEG_Y),
            (View::Back, DVec3::Y),
            (View::Side, DVec3::X),
            (View::Top, DVec3::Z),
            (View::Bottom, DVec3::NEG_Z),
        ] {
            let axes = view.camera(&points, 100.0, 100.0).axes();
            assert!((axes[2] - towards).length() < 1e-12, "{view:?} {axes:?}");
        }
    }
}
