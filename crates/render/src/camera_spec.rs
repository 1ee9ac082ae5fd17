//! Cameras as text, for command lines and scripts: `iso`, `front zoom=2`, `eye=1,-1,0.5 target=0,0,0 fov=0.6`.

use crate::camera::{Camera, Projection};
use crate::error::RenderError;
use crate::stage::{Frame, Stage};
use crate::view::View;
use glam::DVec3;
use ropewalk_linalg::Pose;

/// The keys, for messages.
const KEYS: &str = "a view (front, back, side, top, bottom, iso, auto) and keys eye=x,y,z target=x,y,z up=x,y,z (m), \
                    azimuth, elevation, fov (rad), ortho (m), zoom, follow=NAME";
/// Default field of view in rad.
pub const FIELD_OF_VIEW: f64 = 0.55;

/// A requested camera. Missing values follow from the visible points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraSpec {
    /// The side to look from, if there is no eye.
    pub view: Option<View>,
    /// Position of the eye, in m.
    pub eye: Option<DVec3>,
    /// Point in the middle of the image, in m.
    pub target: Option<DVec3>,
    /// What points up.
    pub up: Option<DVec3>,
    /// Vertical angle of view in rad.
    pub field_of_view: Option<f64>,
    /// Whether it is orthographic; with the visible height in m, or that of all points.
    pub orthographic: Option<Option<f64>>,
    /// Magnification relative to a picture of all points; 1 if `None`.
    pub zoom: Option<f64>,
    /// The rod, body or link that it moves along with.
    pub follow: Option<String>,
}

impl From<View> for CameraSpec {
    fn from(view: View) -> Self {
        Self { view: Some(view), ..Self::default() }
    }
}

impl CameraSpec {
    /// From words separated by blanks or semicolons.
    pub fn parse(text: &str) -> Result<Self, RenderError> {
        let mut spec = Self::default();
        let (mut azimuth, mut elevation) = (None, None);
        for word in text.split([' ', ';', '\n', '\t']).filter(|word| !word.is_empty()) {
            let Some((key, value)) = word.split_once('=') else {
                match (View::from_name(word), word) {
                    (Some(view), _) => spec.view = Some(view),
                    (None, "ortho") => spec.orthographic = Some(None),
                    (None, _) => return Err(unknown(word)),
                }
                continue;
            };
            match key {
                "eye" => spec.eye = Some(vector(key, value)?),
                "target" => spec.target = Some(vector(key, value)?),
                "up" => spec.up = Some(vector(key, value)?),
                "fov" => spec.field_of_view = Some(number(key, value)?),
                "ortho" => spec.orthographic = Some(Some(number(key, value)?)),
                "zoom" => spec.zoom = Some(number(key, value)?),
                "azimuth" => azimuth = Some(number(key, value)?),
                "elevation" => elevation = Some(number(key, value)?),
                "follow" => spec.follow = Some(value.to_owned()),
                _ => return Err(unknown(key)),
            }
        }
        if azimuth.is_some() || elevation.is_some() {
            let (azimuth, elevation) = (azimuth.unwrap_or(0.45), elevation.unwrap_or(0.38));
            spec.view = Some(View::From { azimuth, elevation });
        }
        Ok(spec)
    }

    /// The camera for an image `aspect` times as wide as high in which `points` fill the fraction `fill`, unless
    /// specified otherwise. `perspective` is the projection if neither a field of view nor a height is given.
    pub fn resolve(
        &self,
        points: &[DVec3],
        aspect: f64,
        fill: f64,
        perspective: bool,
    ) -> Result<Camera, RenderError> {
        let zoom = self.zoom.unwrap_or(1.0);
        if !(zoom.is_finite() && zoom > 0.0) {
            return Err(RenderError::new(format!("zoom of the camera is {zoom}"), "give a number above 0"));
        }
        if self.field_of_view.is_some() && self.orthographic.is_some() {
            return Err(RenderError::new(
                "the camera has both fov and ortho",
                "give fov for a perspective camera, or ortho for an orthographic one",
            ));
        }
        let perspective = self.field_of_view.is_some() || (perspective && self.orthographic.is_none());
        let angle = perspective.then(|| self.field_of_view.unwrap_or(FIELD_OF_VIEW));
        if let Some(field_of_view) = angle {
            // Before it is used to place the eye.
            let unit = Camera {
                eye: DVec3::X,
                target: DVec3::ZERO,
                up: DVec3::Z,
                projection: Projection::Perspective { field_of_view },
            };
            unit.check()?;
        }
        let mut camera = self.view.unwrap_or(View::Iso).camera(points, aspect, fill * zoom, angle);
        if let Some(eye) = self.eye {
            camera.target = self.target.unwrap_or(camera.target);
            camera.eye = eye;
            camera.up = DVec3::Z;
            if (camera.target - eye).normalize_or_zero().cross(DVec3::Z).length() < 1e-6 {
                camera.up = DVec3::Y;
            }
        } else if let Some(target) = self.target {
            camera = camera.moved(target - camera.target);
        }
        if let Some(up) = self.up {
            camera.up = up;
        }
        if let Some(Some(height)) = self.orthographic {
            camera.projection = Projection::Orthographic { height: height / zoom };
        }
        camera.check()?;
        Ok(camera)
    }
}

impl Stage {
    /// Position of the rod, body, robot or link called `name`: the middle of a rod, the frame of a link. A link of a
    /// robot is `robot/link`.
    pub fn place_of(&self, name: &str, frame: &Frame) -> Result<DVec3, RenderError> {
        if let Some(r) = self.rods.iter().position(|rod| rod.name == name) {
            let nodes = &frame.rods[r].nodes;
            return Ok(nodes.iter().sum::<DVec3>() / nodes.len().max(1) as f64);
        }
        for (tree, poses) in self.trees.iter().zip(&frame.trees) {
            for (link, pose) in tree.links.iter().zip(poses) {
                let whole = format!("{}/{}", tree.name, link.name);
                if whole == name || (link.name == name && !tree.robot) {
                    return Ok(pose.position);
                }
            }
            if tree.name == name {
                return Ok(poses.first().map_or(Pose::IDENTITY.position, |pose| pose.position));
            }
        }
        let mut names: Vec<String> = self.rods.iter().map(|rod| rod.name.clone()).collect();
        names.extend(self.trees.iter().map(|tree| tree.name.clone()));
        names.truncate(12);
        Err(RenderError::new(
            format!("the camera should follow '{name}', which is not in the scene"),
            format!("give follow=NAME with one of {}; a link of a robot is robot/link", names.join(", ")),
        ))
    }
}

fn unknown(word: &str) -> RenderError {
    RenderError::new(format!("the camera has no '{word}'"), format!("it knows {KEYS}"))
}

fn number(key: &str, text: &str) -> Result<f64, RenderError> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(RenderError::new(
            format!("{key} of the camera is '{text}'"),
            format!("give {key} as a finite number, such as {key}=0.6"),
        )),
    }
}

fn vector(key: &str, text: &str) -> Result<DVec3, RenderError> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if DVec3::new(x, y, z).is_finite() => Ok(DVec3::new(x, y, z)),
        _ => Err(RenderError::new(
            format!("{key} of the camera is '{text}'"),
            format!("give {key} as three finite numbers without blanks, such as {key}=1,-1,0.5"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_in_words() {
        let points = [DVec3::ZERO, DVec3::ONE];
        let spec = CameraSpec::parse("eye=1,-2,0.5 target=0,0,0.1; fov=0.6").unwrap();
        let camera = spec.resolve(&points, 1.5, 0.9, false).unwrap();
        assert_eq!((camera.eye, camera.target), (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.0, 0.0, 0.1)));
        assert_eq!(camera.projection, Projection::Perspective { field_of_view: 0.6 });
        let camera =
            CameraSpec::parse("top ortho=0.4 zoom=2").unwrap().resolve(&points, 1.5, 0.9, true).unwrap();
        assert_eq!(camera.projection, Projection::Orthographic { height: 0.2 });
        assert!((camera.axes()[2] - DVec3::NEG_Z).length() < 1e-12);
        let above = CameraSpec::parse("eye=0,0,3 target=0,0,0").unwrap();
        above.resolve(&points, 1.0, 0.9, true).unwrap();
    }

    #[test]
    fn words_that_mean_nothing_are_named() {
        for (text, word) in [
            ("eye=1,2", "eye"),
            ("eye=NaN,0,0", "eye"),
            ("fov=wide", "fov"),
            ("azimuth=inf", "azimuth"),
            ("sideways", "sideways"),
            ("from=1", "from"),
        ] {
            assert!(CameraSpec::parse(text).unwrap_err().what.contains(word), "{text}");
        }
        for (text, word) in [
            ("fov=0", "fov"),
            ("fov=0.5 ortho", "fov"),
            ("ortho=-1", "height"),
            ("zoom=0", "zoom"),
            ("up=0,0,0", "up"),
        ] {
            let spec = CameraSpec::parse(text).unwrap();
            let error = spec.resolve(&[DVec3::ZERO, DVec3::ONE], 1.0, 0.9, true).unwrap_err();
            assert!(error.what.contains(word), "{text}: {error}");
        }
    }
}
