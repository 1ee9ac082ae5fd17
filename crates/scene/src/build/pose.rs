//! Builds rotations, key frames and rigid motions.

use super::Builder;
use crate::curve::round::unit;
use crate::document::{Step, path};
use crate::error::SceneError;
use crate::spec::{MotionSpec, PathInterpolationSpec, RotationSpec};
use glam::{DQuat, DVec3, EulerRot};
use ropewalk_body::{PathInterpolation, Trajectory};
use ropewalk_linalg::Pose;
use ropewalk_sim::{Motion, TimeFunction};

/// Key frames of a file.
pub(super) struct KeyFrames<'a> {
    pub(super) times: &'a [f64],
    pub(super) positions: &'a [[f64; 3]],
    pub(super) rotations: Option<&'a [RotationSpec]>,
    pub(super) interpolation: PathInterpolationSpec,
}

impl Builder<'_> {
    /// The rotation at `steps` in the file; the identity if there is none.
    pub(super) fn rotation(&self, steps: &[Step], spec: Option<&RotationSpec>) -> Result<DQuat, SceneError> {
        let Some(spec) = spec else { return Ok(DQuat::IDENTITY) };
        let found = match spec {
            RotationSpec::QuatXyzw(q) => {
                // Scaled first, so that neither tiny nor huge quaternions lose their direction.
                let size = q.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                (size > 0.0).then(|| DQuat::from_array(q.map(|x| x / size)).normalize())
            }
            RotationSpec::Rpy([roll, pitch, yaw]) => {
                Some(DQuat::from_euler(EulerRot::ZYX, *yaw, *pitch, *roll).normalize())
            }
            RotationSpec::AxisAngle(a) => unit(a.axis).map(|axis| DQuat::from_axis_angle(axis, a.angle)),
        };
        found.filter(|q| q.is_finite()).ok_or_else(|| {
            self.document
                .error(steps, "this rotation has no direction")
                .expected("a quaternion or an axis that is not zero, and finite angles")
        })
    }

    /// The pose of a thing at `words` with its keys `position` and `rotation`.
    pub(super) fn pose(
        &self,
        words: &[&str],
        position: [f64; 3],
        rotation: Option<&RotationSpec>,
    ) -> Result<Pose, SceneError> {
        let key = path(&[words, &["rotation"]].concat());
        Ok(Pose::new(position.into(), self.rotation(&key, rotation)?))
    }

    /// The path through key frames at `words`; `rotation` holds where none is given.
    pub(super) fn trajectory(
        &self,
        words: &[&str],
        frames: &KeyFrames<'_>,
        rotation: DQuat,
    ) -> Result<Trajectory, SceneError> {
        let key = |last: &str| path(&[words, &[last]].concat());
        let count = frames.times.len();
        let check = |last: &str, found: usize| {
            if found == count {
                return Ok(());
            }
            Err(self
                .document
                .error(&key(last), &format!("{found} {last} for {count} times"))
                .expected(format!("as many {last} as times")))
        };
        check("positions", frames.positions.len())?;
        let rotations = match frames.rotations {
            None => vec![rotation; count],
            Some(all) => {
                check("rotations", all.len())?;
                let turn = |(i, spec)| {
                    let mut steps = key("rotations");
                    steps.push(Step::Index(i));
                    self.rotation(&steps, Some(spec))
                };
                all.iter().enumerate().map(turn).collect::<Result<_, _>>()?
            }
        };
        let poses = frames.positions.iter().zip(rotations).map(|(p, r)| Pose::new((*p).into(), r)).collect();
        let interpolation = match frames.interpolation {
            PathInterpolationSpec::Linear => PathInterpolation::Linear,
            PathInterpolationSpec::Spline => PathInterpolation::Spline,
            PathInterpolationSpec::Monotone => PathInterpolation::Monotone,
        };
        Trajectory::new(frames.times.to_vec(), poses, interpolation)
            .map_err(|e| self.document.error(&key("times"), &e.to_string()))
    }

    /// The rigid motion at `words`, about `default_axis` if it names none.
    pub(super) fn rigid_motion(
        &self,
        words: &[&str],
        spec: &MotionSpec,
        default_axis: DVec3,
    ) -> Result<Motion, SceneError> {
        let at = |last: &str| path(&[words, &[last]].concat());
        let mut translation = <[TimeFunction; 3]>::default();
        for (k, function) in spec.translation.iter().flatten().enumerate() {
            let mut steps = at("translation");
            steps.push(Step::Index(k));
            translation[k] = self.function(&steps, function)?;
        }
        let angle = match &spec.angle {
            Some(angle) => self.function(&at("angle"), angle)?,
            None => TimeFunction::default(),
        };
        let axis = match spec.axis {
            Some(axis) => unit(axis).ok_or_else(|| {
                self.document.error(&at("axis"), "this axis is zero").expected("a direction")
            })?,
            None => default_axis,
        };
        Ok(Motion { translation, axis, angle })
    }
}
