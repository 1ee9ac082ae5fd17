//! Repairs impossible inertias.
//!
//! The second moment of a body's mass, Σ = ∫ x xᵀ dm = ½ tr(I) 1 − I, has no negative eigenvalue: principal moments
//! are not negative, and the greatest is at most the sum of the others (the triangle inequality). Files violate this
//! by rounding, or because the numbers are invented. Action by the violation as a fraction of tr(I):
//!
//! | violation | action |
//! |---|---|
//! | up to [`ROUND_OFF`] | taken as given |
//! | up to [`UrdfOptions::inertia_tolerance`] | the nearest possible inertia, listed in the report |
//! | more | an error; with [`UrdfOptions::repair_inertia`] the nearest possible inertia, listed in the report |
//!
//! The nearest possible inertia has the negative eigenvalues of Σ set to zero, which changes Σ least of all:
//! I = tr(Σ) 1 − Σ.

use super::UrdfOptions;
use super::document::path_of;
use super::reader::{Element, Reader};
use crate::error::SceneError;
use glam::{DMat3, DVec3};
use ropewalk_body::Inertia;
use ropewalk_linalg::eigen::symmetric_eigen;

/// Largest violation that is accepted unchanged.
const ROUND_OFF: f64 = 1e-6;

/// The inertia `given` about the center of mass, or the nearest possible one.
pub(super) fn possible(
    reader: &mut Reader<'_>,
    node: Element<'_>,
    mass: f64,
    given: DMat3,
    options: &UrdfOptions,
) -> Result<DMat3, SceneError> {
    let defect = |tolerance: f64| Inertia { mass, com: DVec3::ZERO, about_com: given }.defect(tolerance);
    // Slightly less, since rotation to other axes rounds again.
    let Some(words) = defect(0.9 * ROUND_OFF) else {
        return Ok(given);
    };
    let nearest = nearest_possible(given);
    if !nearest.is_finite() || (!options.repair_inertia && defect(options.inertia_tolerance).is_some()) {
        return Err(reader.error(node, words).hint(
            "correct it (it is about the center of mass), or ask for the nearest possible inertia: repair_inertia = true in the scene, repair_inertia=True in Python, --repair-inertia of `ropewalk check`",
        ));
    }
    reader.drop_at(node, format!("{}: {words}; the nearest possible inertia is used", path_of(node)));
    Ok(nearest)
}

/// The nearest possible inertia about the center of mass.
pub(crate) fn nearest_possible(inertia: DMat3) -> DMat3 {
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let second = DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - inertia;
    let eigen = symmetric_eigen(second.to_cols_array_2d().map(|row| row.to_vec()).to_vec());
    let mut kept = DMat3::ZERO;
    for (value, vector) in eigen.values.iter().zip(&eigen.vectors) {
        let v = DVec3::new(vector[0], vector[1], vector[2]);
        let scaled = value.max(0.0) * v;
        kept += DMat3::from_cols(scaled * v.x, scaled * v.y, scaled * v.z);
    }
    let trace = kept.x_axis.x + kept.y_axis.y + kept.z_axis.z;
    DMat3::from_diagonal(DVec3::splat(trace)) - kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_possible_inertia_is_its_own_nearest() {
        let r = DMat3::from_rotation_z(0.3) * DMat3::from_rotation_x(1.1);
        let inertia = r * DMat3::from_diagonal(DVec3::new(2.0, 3.0, 4.5)) * r.transpose();
        let change = nearest_possible(inertia) - inertia;
        assert!(change.to_cols_array().iter().all(|x| x.abs() < 1e-14));
    }

    #[test]
    fn the_nearest_of_an_impossible_one_is_possible_and_flat() {
        // Σ = diag(7, 7, −5)/2 · 1e-3 becomes diag(7, 7, 0)/2 · 1e-3.
        let given = DMat3::from_diagonal(DVec3::new(1e-3, 1e-3, 7e-3));
        let nearest = nearest_possible(given);
        let expected = DMat3::from_diagonal(DVec3::new(3.5e-3, 3.5e-3, 7e-3));
        assert!((nearest - expected).to_cols_array().iter().all(|x| x.abs() < 1e-17));
        let all_ones = DMat3::from_cols(DVec3::ONE, DVec3::ONE, DVec3::ONE);
        let body = Inertia { mass: 1.0, com: DVec3::ZERO, about_com: nearest_possible(all_ones) };
        assert_eq!(body.defect(1e-12), None);
    }
}
