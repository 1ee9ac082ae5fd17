//! Functions of time, motions and rotations.

use crate::table::{IntoValue, table, tagged, value_type};
use glam::{DQuat, DVec3};
use toml::{Table, Value};

/// A function of time.
///
/// ```
/// use ropewalk::{Interpolation, TimeFunction};
///
/// let still = TimeFunction::from(0.5);
/// let ramp = TimeFunction::ramp([0.0, 1.0], [0.0, 0.1], Interpolation::Smooth);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TimeFunction(pub(crate) Value);
value_type!(TimeFunction);

impl From<f64> for TimeFunction {
    fn from(value: f64) -> Self {
        Self(Value::Float(value))
    }
}

/// How a ramp or table goes from one key to the next.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// use ropewalk::Interpolation;
///
/// let lift = TimeFunction::ramp([0.0, 0.2], [0.0, 0.1], Interpolation::Smooth);
/// let still = || TimeFunction::from(0.0);
/// let ball = Body::new(Shape::sphere(0.01)).driven(Motion::translation([still(), still(), lift]));
/// let mut world = World::builder().body("ball", ball).build()?;
/// world.run(0.1)?;
/// assert!((world.body("ball")?.position().z - 0.05).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines.
    #[default]
    Linear,
    /// At rest at every key.
    Smooth,
    /// Each value holds until the next key.
    Hold,
}

impl IntoValue for Interpolation {
    fn into_value(self) -> Value {
        match self {
            Self::Linear => "linear",
            Self::Smooth => "smooth",
            Self::Hold => "hold",
        }
        .into_value()
    }
}

impl TimeFunction {
    /// From one value to another, constant before and after.
    pub fn ramp(times: [f64; 2], values: [f64; 2], interpolation: Interpolation) -> Self {
        let keys = [
            ("times", times.into_value()),
            ("values", values.into_value()),
            ("interpolation", interpolation.into_value()),
        ];
        Self(tagged("ramp", keys))
    }

    /// `offset` + `amplitude` · sin(2π · `frequency` · t + `phase`).
    pub fn sine(amplitude: f64, frequency: f64, phase: f64, offset: f64) -> Self {
        let keys = [
            ("amplitude", amplitude.into_value()),
            ("frequency", frequency.into_value()),
            ("phase", phase.into_value()),
            ("offset", offset.into_value()),
        ];
        Self(tagged("sine", keys))
    }

    /// Values at keys.
    pub fn table(times: Vec<f64>, values: Vec<f64>, interpolation: Interpolation) -> Self {
        let keys = [
            ("times", times.into_value()),
            ("values", values.into_value()),
            ("interpolation", interpolation.into_value()),
        ];
        Self(tagged("table", keys))
    }
}

/// A rigid motion in time, from where something is at the start.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let rope = Rod::new(Curve::line(DVec3::ZERO, DVec3::X * 0.5)).preset("nylon_rope").segments(20);
/// let lift = Motion::at_velocity(DVec3::Z * 0.1, 0.5);
/// let mut world =
///     World::builder().rod("rope", rope).clamp("hand", Clamp::new("rope", Place::start()).motion(lift)).build()?;
/// world.run(0.2)?;
/// assert!((world.rod("rope")?.positions()[0].z - 0.02).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion(pub(crate) Table);

impl Motion {
    /// A translation, by a function of time for each axis.
    pub fn translation(functions: [TimeFunction; 3]) -> Self {
        Self(table([("translation", functions.into_value())]))
    }

    /// A translation at constant velocity (m/s) for `seconds`, then rest.
    pub fn at_velocity(velocity: DVec3, seconds: f64) -> Self {
        let along = |v: f64| TimeFunction::ramp([0.0, seconds], [0.0, v * seconds], Interpolation::Linear);
        Self::translation(velocity.to_array().map(along))
    }

    /// A rotation about an axis through the point that is held, in rad.
    pub fn rotation(axis: DVec3, angle: TimeFunction) -> Self {
        Self::default().and_rotation(axis, angle)
    }

    /// The same with a rotation besides.
    #[must_use]
    pub fn and_rotation(mut self, axis: DVec3, angle: TimeFunction) -> Self {
        self.0.insert("axis".to_owned(), axis.into_value());
        self.0.insert("angle".to_owned(), angle.into_value());
        self
    }
}

impl IntoValue for Motion {
    fn into_value(self) -> Value {
        Value::Table(self.0)
    }
}

/// A rotation from the axes of what is placed to those in which it is placed.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let turn = Rotation::axis_angle(DVec3::X, std::f64::consts::FRAC_PI_2);
/// let world = World::builder().body("bar", Body::new(Shape::cylinder(0.01, 0.1)).rotation(turn).fixed()).build()?;
/// assert!((world.body("bar")?.pose().rotation * DVec3::Z).distance(DVec3::NEG_Y) < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation(pub(crate) Value);
value_type!(Rotation);

impl Rotation {
    /// Roll, pitch and yaw in rad, as in URDF.
    pub fn rpy(roll: f64, pitch: f64, yaw: f64) -> Self {
        Self(Value::Table(table([("rpy", [roll, pitch, yaw].into_value())])))
    }

    /// An angle in rad about an axis.
    pub fn axis_angle(axis: DVec3, angle: f64) -> Self {
        Self(tagged("axis_angle", [("axis", axis.into_value()), ("angle", angle.into_value())]))
    }
}

impl From<DQuat> for Rotation {
    fn from(quaternion: DQuat) -> Self {
        Self(Value::Table(table([("quat_xyzw", quaternion.into_value())])))
    }
}

/// Poses at given times; before the first and after the last the pose stays.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// use ropewalk::KeyFrames;
///
/// let path = KeyFrames::new(vec![0.0, 1.0], vec![DVec3::ZERO, DVec3::X * 0.1]);
/// let mut world = World::builder().body("slide", Body::new(Shape::sphere(0.01)).key_frames(path)).build()?;
/// world.run(0.5)?;
/// assert!((world.body("slide")?.position().x - 0.05).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFrames(pub(crate) Table);

impl KeyFrames {
    /// Positions in m at times in s.
    pub fn new(times: Vec<f64>, positions: Vec<DVec3>) -> Self {
        Self(table([("times", times.into_value()), ("positions", positions.into_value())]))
    }

    /// A rotation for each time; that at the start by default.
    #[must_use]
    pub fn rotations(mut self, rotations: Vec<Rotation>) -> Self {
        self.0.insert("rotations".to_owned(), rotations.into_value());
        self
    }

    /// Smoothly from one to the next, from rest to rest, instead of at constant speed.
    #[must_use]
    pub fn smooth(mut self) -> Self {
        self.0.insert("interpolation".to_owned(), "spline".into_value());
        self
    }
}
