//! The motion of a node: a pose for each frame.

use glam::{DQuat, DVec3};
use ropewalk_linalg::Pose;

/// Positions and rotations of a node, frame by frame.
#[derive(Debug)]
pub(super) struct Track {
    translations: Vec<[f32; 3]>,
    rotations: Vec<[f32; 4]>,
}

impl Track {
    /// The motion through `poses`, of which there is at least one.
    pub(super) fn new(poses: impl Iterator<Item = Pose>) -> Self {
        let mut track = Self { translations: Vec::new(), rotations: Vec::new() };
        let mut before = DQuat::IDENTITY;
        for pose in poses {
            // q and −q are the same rotation; with equal signs viewers interpolate along the shorter arc.
            let rotation = if pose.rotation.dot(before) < 0.0 { -pose.rotation } else { pose.rotation };
            before = rotation;
            track.translations.push(pose.position.as_vec3().to_array());
            track.rotations.push(unit(rotation.to_array()));
        }
        track
    }

    /// Initial pose of the node.
    pub(super) fn first(&self) -> ([f32; 3], [f32; 4]) {
        let rotation = self.rotations.first().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
        (self.translations.first().copied().unwrap_or_default(), rotation)
    }

    /// Whether it moves at all.
    pub(super) fn moves(&self) -> bool {
        let (position, rotation) = self.first();
        self.translations.iter().any(|p| *p != position) || self.rotations.iter().any(|r| *r != rotation)
    }

    /// Positions, m.
    pub(super) fn translations(&self) -> &[[f32; 3]] {
        &self.translations
    }

    /// Rotations x, y, z, w.
    pub(super) fn rotations(&self) -> &[[f32; 4]] {
        &self.rotations
    }
}

/// A quaternion of unit length in single precision.
pub(super) fn unit(quat_xyzw: [f64; 4]) -> [f32; 4] {
    let length = quat_xyzw.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { quat_xyzw.map(|x| (x / length) as f32) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// The pose of a link from position and quat_xyzw.
pub(super) fn pose(numbers: &[f64; 7]) -> Pose {
    Pose::new(DVec3::from_slice(&numbers[..3]), DQuat::from_slice(&numbers[3..]))
}
