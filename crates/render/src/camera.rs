//! Cameras: position, image size and projection.
//!
//! The camera's own axes are those of OpenCV and ROS's optical frames: x to the right, y down, z forward. Pixel (column c,
//! row r) covers [c, c + 1) × [r, r + 1) of the image, its center is at (c + ½, r + ½), and the optical axis goes through
//! the middle of the image.

use crate::error::RenderError;
use glam::{DMat3, DQuat, DVec3};
use ropewalk_linalg::Pose;

/// Most pixels of an image: 16 Mpx.
pub const MOST_PIXELS: u64 = 1 << 24;
/// Nearest visible depth of a perspective camera, relative to the distance from eye to target.
const NEAR: f64 = 1e-4;

/// Width and height of an image in px, at least 1 × 1 and at most 16 Mpx (16 777 216 px).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSize {
    width: usize,
    height: usize,
}

impl ImageSize {
    /// A size, if it can be used.
    pub fn new(width: u64, height: u64) -> Result<Self, RenderError> {
        for (key, value) in [("width", width), ("height", height)] {
            if value == 0 {
                return Err(RenderError::new(
                    format!("{key} of the image is 0 px"),
                    format!("give a {key} of at least 1 px, such as 640x480"),
                ));
            }
        }
        match width.checked_mul(height) {
            Some(pixels) if pixels <= MOST_PIXELS => {
                Ok(Self { width: width as usize, height: height as usize })
            }
            _ => Err(RenderError::new(
                format!("size of the image is {width}x{height} px, which is above {MOST_PIXELS} px"),
                "give a smaller width or height; more samples per pixel sharpen an image too",
            )),
        }
    }

    /// A size from text such as `640x480`.
    pub fn parse(text: &str) -> Result<Self, RenderError> {
        let parsed = text.split_once(['x', 'X', '×']);
        let numbers = parsed.and_then(|(w, h)| Some((w.trim().parse().ok()?, h.trim().parse().ok()?)));
        match numbers {
            Some((width, height)) => Self::new(width, height),
            None => Err(RenderError::new(
                format!("size of the image is '{text}'"),
                "give width and height in px, such as 640x480",
            )),
        }
    }

    /// Width in px.
    pub fn width(self) -> usize {
        self.width
    }

    /// Height in px.
    pub fn height(self) -> usize {
        self.height
    }

    /// Number of pixels.
    pub fn pixels(self) -> usize {
        self.width * self.height
    }

    /// Width over height.
    pub fn aspect(self) -> f64 {
        self.width as f64 / self.height as f64
    }
}

/// Projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Perspective.
    Perspective {
        /// Vertical angle of view in rad.
        field_of_view: f64,
    },
    /// Orthographic: the scale is the same everywhere.
    Orthographic {
        /// Visible height in m.
        height: f64,
    },
}

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the eye, in m.
    pub eye: DVec3,
    /// Point in the middle of the image, in m.
    pub target: DVec3,
    /// Direction that points up in the image; need not be perpendicular to the view.
    pub up: DVec3,
    /// Projection.
    pub projection: Projection,
}

impl Camera {
    /// Checks the values; the error names the key.
    pub fn check(&self) -> Result<(), RenderError> {
        for (key, v) in [("eye", self.eye), ("target", self.target), ("up", self.up)] {
            if !v.is_finite() {
                return Err(RenderError::new(
                    format!("{key} of the camera is [{}, {}, {}]", v.x, v.y, v.z),
                    format!("give {key} as three finite numbers"),
                ));
            }
        }
        let forward = self.target - self.eye;
        if forward.length() <= 1e-12 * self.eye.abs().max_element().max(f64::MIN_POSITIVE) {
            return Err(RenderError::new(
                "eye and target of the camera are the same point",
                "give a target at some distance from the eye",
            ));
        }
        if forward.normalize().cross(self.up.normalize_or_zero()).length() < 1e-9 {
            return Err(RenderError::new(
                "up of the camera is zero or points along its view",
                "give an up that is not parallel to target - eye, such as up=0,1,0 for a view from above",
            ));
        }
        match self.projection {
            Projection::Perspective { field_of_view: v } if !(v > 1e-4 && v < 3.1) => Err(RenderError::new(
                format!("field of view (fov) of the camera is {v} rad"),
                "give the vertical angle of view in rad, above 0.0001 and below 3.1",
            )),
            Projection::Orthographic { height: v } if !(v.is_finite() && v > 0.0) => Err(RenderError::new(
                format!("height of the orthographic camera is {v} m"),
                "give the height of what is seen in m, above 0",
            )),
            _ => Ok(()),
        }
    }

    /// Unit vectors to the right, down and forward: the camera's own x, y and z in the world.
    pub fn axes(&self) -> [DVec3; 3] {
        let forward = (self.target - self.eye).normalize();
        let right = forward.cross(self.up).normalize();
        [right, forward.cross(right), forward]
    }

    /// The camera's frame (x right, y down, z forward) in the world.
    pub fn pose(&self) -> Pose {
        let [x, y, z] = self.axes();
        Pose::new(self.eye, DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize())
    }

    /// px per unit of x/z (perspective), or px per m (orthographic).
    pub fn focal_length(&self, size: ImageSize) -> f64 {
        let height = size.height() as f64;
        match self.projection {
            Projection::Perspective { field_of_view } => 0.5 * height / (0.5 * field_of_view).tan(),
            Projection::Orthographic { height: seen } => height / seen,
        }
    }

    /// The matrix K of a perspective camera: pixel coordinates are K (x, y, z)ᵀ divided by their last entry. `None` for an
    /// orthographic one, which has no such matrix.
    pub fn intrinsics(&self, size: ImageSize) -> Option<[[f64; 3]; 3]> {
        let Projection::Perspective { .. } = self.projection else { return None };
        let f = self.focal_length(size);
        let center = [0.5 * size.width() as f64, 0.5 * size.height() as f64];
        Some([[f, 0.0, center[0]], [0.0, f, center[1]], [0.0, 0.0, 1.0]])
    }

    /// The camera with eye and target displaced.
    pub fn moved(&self, by: DVec3) -> Self {
        Self { eye: self.eye + by, target: self.target + by, ..*self }
    }
}

/// A camera prepared for an image: from the world to the camera's frame to pixels.
///
/// *Nearness* orders surfaces by depth: 1/z (1/m) of a perspective camera, −z (m) of an orthographic one. It is
/// affine in pixel coordinates over a plane, and is therefore interpolated instead of z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    /// From world to camera axes.
    pub(crate) rotation: DMat3,
    /// Position of the eye in the world.
    pub(crate) eye: DVec3,
    pub(crate) perspective: bool,
    /// px per unit of x/z, or per m.
    pub(crate) focal: f64,
    /// Middle of the image in px.
    pub(crate) center: [f64; 2],
    /// Least visible z in m.
    pub(crate) near: f64,
}

impl Lens {
    /// Of `camera` for an image with `samples` by `samples` samples in a pixel, which are its pixels.
    pub(crate) fn new(camera: &Camera, size: ImageSize, samples: usize) -> Self {
        let [x, y, z] = camera.axes();
        let (perspective, near) = match camera.projection {
            Projection::Perspective { .. } => (true, NEAR * (camera.target - camera.eye).length()),
            Projection::Orthographic { .. } => (false, 0.0),
        };
        let scale = samples as f64;
        Self {
            rotation: DMat3::from_cols(x, y, z).transpose(),
            eye: camera.eye,
            perspective,
            focal: scale * camera.focal_length(size),
            center: [0.5 * scale * size.width() as f64, 0.5 * scale * size.height() as f64],
            near,
        }
    }

    /// A point in the camera's frame.
    pub(crate) fn point(&self, p: DVec3) -> DVec3 {
        self.rotation * (p - self.eye)
    }

    /// A direction in the camera's frame.
    pub(crate) fn vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// Pixel coordinates and nearness of a point in the camera's frame.
    pub(crate) fn project(&self, p: DVec3) -> [f64; 3] {
        let (scale, nearness) = match self.perspective {
            true => (self.focal / p.z, 1.0 / p.z),
            false => (self.focal, -p.z),
        };
        [self.center[0] + scale * p.x, self.center[1] + scale * p.y, nearness]
    }

    /// The ray of a pixel coordinate in the camera's frame: a point at z = 0 and a direction with z = 1, so that the
    /// parameter along it is z.
    #[inline]
    pub(crate) fn ray(&self, x: f64, y: f64) -> (DVec3, DVec3) {
        let (u, v) = ((x - self.center[0]) / self.focal, (y - self.center[1]) / self.focal);
        match self.perspective {
            true => (DVec3::ZERO, DVec3::new(u, v, 1.0)),
            false => (DVec3::new(u, v, 0.0), DVec3::Z),
        }
    }

    /// z in m of a nearness.
    #[inline]
    pub(crate) fn depth(&self, nearness: f64) -> f64 {
        if self.perspective { 1.0 / nearness } else { -nearness }
    }

    /// Nearness of a z in m.
    #[inline]
    pub(crate) fn nearness(&self, z: f64) -> f64 {
        if self.perspective { 1.0 / z } else { -z }
    }

    /// px of a length of 1 m at depth z.
    pub(crate) fn pixels_per_meter(&self, z: f64) -> f64 {
        if self.perspective { self.focal / z.max(self.near) } else { self.focal }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera {
            eye: DVec3::new(1.0, -2.0, 1.5),
            target: DVec3::new(0.2, 0.1, 0.3),
            up: DVec3::Z,
            projection: Projection::Perspective { field_of_view: 0.8 },
        }
    }

    #[test]
    fn intrinsics_and_pose_bring_points_where_the_lens_does() {
        let (camera, size) = (camera(), ImageSize::new(320, 200).unwrap());
        let (k, pose) = (camera.intrinsics(size).unwrap(), camera.pose());
        let lens = Lens::new(&camera, size, 1);
        let p = DVec3::new(0.1, 0.2, 0.4);
        let local = pose.local_point(p);
        let [x, y] = [0, 1].map(|i| k[i][0] * local.x + k[i][1] * local.y + k[i][2] * local.z);
        let found = lens.project(lens.point(p));
        assert!((found[0] - x / local.z).abs() < 1e-9 && (found[1] - y / local.z).abs() < 1e-9);
        assert!((lens.depth(found[2]) - local.z).abs() < 1e-12);
        let middle = lens.project(lens.point(camera.target));
        assert!((middle[0] - 160.0).abs() < 1e-9 && (middle[1] - 100.0).abs() < 1e-9);
    }

    #[test]
    fn cameras_and_sizes_that_cannot_be_used_name_their_key() {
        let bad = [
            (Camera { eye: DVec3::new(f64::NAN, 0.0, 0.0), ..camera() }, "eye"),
            (Camera { target: DVec3::INFINITY, ..camera() }, "target"),
            (Camera { target: camera().eye, ..camera() }, "eye and target"),
            (Camera { up: DVec3::ZERO, ..camera() }, "up"),
            (Camera { up: camera().eye - camera().target, ..camera() }, "up"),
            (Camera { projection: Projection::Perspective { field_of_view: f64::NAN }, ..camera() }, "fov"),
            (Camera { projection: Projection::Orthographic { height: 0.0 }, ..camera() }, "height"),
        ];
        for (camera, key) in bad {
            assert!(camera.check().unwrap_err().what.contains(key), "{key}");
        }
        assert!(camera().check().is_ok());
        assert!(ImageSize::new(0, 0).unwrap_err().what.contains("width"));
        assert!(ImageSize::new(10, 0).unwrap_err().what.contains("height"));
        assert!(ImageSize::new(4097, 4096).unwrap_err().what.contains("4097x4096"));
        assert!(ImageSize::new(u64::MAX, u64::MAX).is_err());
        assert!(ImageSize::new(4096, 4096).is_ok());
        assert_eq!(ImageSize::parse("640x480").unwrap().pixels(), 307_200);
        assert!(ImageSize::parse("640").unwrap_err().what.contains("'640'"));
    }
}
