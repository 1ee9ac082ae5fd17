//! Torque over twist: a straight piece of cable, clamped at one end and twisted about its axis at the other.
//!
//! An archive holds `twist` (points) in rad, `torque` (points) in N·m and `twist_length`, the length between the clamps in m. Kirchhoff's rod has
//!
//! M = GJ φ/L,
//!
//! as long as it stays straight. A difference of one percent of the greatest torque counts in a fit like one millimeter of a marker.

use crate::cable::Cable;
use crate::error::FitError;
use crate::npy::Archive;

/// A difference of this fraction of the greatest torque counts like [`crate::task::LIKE`] of a marker.
pub const FRACTION: f64 = 0.01;

/// A torque–twist curve.
#[derive(Clone, Debug, PartialEq)]
pub struct TorqueTwist {
    /// φ in rad.
    pub twist: Vec<f64>,
    /// M in N·m; NaN where missing.
    pub torque: Vec<f64>,
    /// L in m.
    pub length: f64,
}

impl TorqueTwist {
    /// The curve of `archive`; `None` if it has no array `torque`.
    pub fn from_archive(archive: &Archive) -> Result<Option<Self>, FitError> {
        if !archive.arrays.contains_key("torque") {
            return Ok(None);
        }
        let (_, torque) = archive.numbers("torque")?;
        let (_, twist) = archive.numbers("twist")?;
        let (_, length) = archive.numbers("twist_length")?;
        let &[length] = length else {
            return Err(archive.wrong("'twist_length' is not a single number", "give the length in m"));
        };
        if !(length.is_finite() && length > 0.0) {
            return Err(archive.wrong(format!("'twist_length' is {length}"), "give a positive length in m"));
        }
        if twist.len() != torque.len() || twist.is_empty() {
            return Err(archive.wrong(
                format!("'twist' has {} entries, 'torque' {}", twist.len(), torque.len()),
                "give one torque for each twist",
            ));
        }
        if twist.iter().any(|x| !x.is_finite()) || torque.iter().any(|x| x.is_infinite()) {
            return Err(archive.wrong(
                "'twist' or 'torque' is not finite",
                "give angles in rad and torques in N·m, NaN where a torque was not measured",
            ));
        }
        let out = Self { twist: twist.to_vec(), torque: torque.to_vec(), length };
        if out.greatest() == 0.0 {
            return Err(archive.wrong("'torque' is zero throughout", "give torques in N·m"));
        }
        Ok(Some(out))
    }

    /// Torque of `cable` at each twist, N·m.
    pub fn predict(&self, cable: &Cable) -> Vec<f64> {
        let stiffness = cable.parameters.torsion() / self.length;
        self.twist.iter().map(|phi| stiffness * phi).collect()
    }

    /// Greatest torque measured, N·m.
    pub fn greatest(&self) -> f64 {
        self.torque.iter().filter(|x| x.is_finite()).fold(0.0, |a, b| f64::max(a, b.abs()))
    }
}
