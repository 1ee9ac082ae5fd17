//! Mass properties of bodies: as given, or from their geoms.

use super::body::Bodies;
use super::element::Element;
use super::geom::read_geom;
use super::settings::FromGeom;
use crate::error::SceneError;
use crate::urdf::inertia::nearest_possible;
use glam::{DMat3, DVec3};
use ropewalk_body::Inertia;
use ropewalk_linalg::Pose;
use ropewalk_linalg::eigen::symmetric_eigen;

/// Checks of given inertias that the model disables.
const ROUND_OFF: f64 = 0.9e-6;

/// Mass properties of a body in its frame.
pub(super) fn body_inertia<'e>(
    bodies: &mut Bodies<'e>,
    element: &'e Element,
    class: Option<&'e str>,
) -> Result<Inertia, SceneError> {
    let way = bodies.settings.inertia_from_geom;
    let given = element.all("inertial").next();
    let inertia = match (given, way) {
        (Some(inertial), FromGeom::Auto | FromGeom::Never) => read_inertial(bodies, inertial)?,
        (None, FromGeom::Never) => Inertia::ZERO,
        _ => from_geoms(bodies, element, &Pose::IDENTITY, class)?,
    };
    let bounded = bound(bodies, inertia);
    let Some(words) = bounded.defect(ROUND_OFF) else { return Ok(bounded) };
    if bodies.options.repair_inertia || bounded.defect(bodies.options.inertia_tolerance).is_none() {
        bodies
            .settings
            .drop_at(element, format!("{}: {words}; the nearest possible inertia is used", element.words()));
        return Ok(Inertia { about_com: nearest_possible(bounded.about_com), ..bounded });
    }
    let error = bodies.settings.files.error(given.unwrap_or(element), words);
    Err(error.hint("correct it, or ask for the nearest possible inertia by repair_inertia"))
}

fn read_inertial<'e>(bodies: &Bodies<'e>, element: &'e Element) -> Result<Inertia, SceneError> {
    let s = &bodies.settings;
    let of = s.classed(element, None)?;
    let pose = s.pose(of)?;
    let Some([mass]) = s.numbers::<1>(of, "mass")? else {
        return Err(s.files.error(element, "the attribute `mass` is missing"));
    };
    let about_com = match (s.numbers::<6>(of, "fullinertia")?, s.numbers::<3>(of, "diaginertia")?) {
        (Some(_), Some(_)) => return Err(s.files.error_in(element, "fullinertia", "inertia is given twice")),
        (Some([xx, yy, zz, xy, xz, yz]), None) => {
            if s.orientation(of)?.is_some() {
                return Err(s.files.error_in(
                    element,
                    "fullinertia",
                    "with fullinertia there is no orientation",
                ));
            }
            DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
        }
        (None, Some(diagonal)) => DMat3::from_diagonal(DVec3::from_array(diagonal)),
        (None, None) => DMat3::ZERO,
    };
    if mass < 0.0 {
        return Err(s
            .files
            .error_in(element, "mass", format!("the mass is {mass}"))
            .expected("zero or a positive number"));
    }
    let placed = Inertia { mass, com: DVec3::ZERO, about_com }.placed(&pose);
    let turned = placed.about_com;
    Ok(Inertia { about_com: 0.5 * (turned + turned.transpose()), ..placed })
}

fn from_geoms<'e>(
    bodies: &mut Bodies<'e>,
    element: &'e Element,
    frame: &Pose,
    class: Option<&'e str>,
) -> Result<Inertia, SceneError> {
    let mut sum = Inertia::ZERO;
    for child in &element.children {
        let part = match child.tag.as_str() {
            "geom" => {
                let of = bodies.settings.classed(child, class)?;
                let group = bodies.settings.number(of, "group", 0.0)?;
                let [least, most] = bodies.settings.inertia_groups;
                if !(least..=most).contains(&group) || bodies.settings.number(of, "mass", 1.0)? == 0.0 {
                    continue;
                }
                read_geom(&mut bodies.settings, &mut bodies.meshes, of, frame, (false, true))?.inertia
            }
            "frame" => {
                let inner = *frame * bodies.settings.pose(bodies.settings.classed(child, None)?)?;
                from_geoms(bodies, child, &inner, child.own("childclass").or(class))?
            }
            _ => continue,
        };
        if part.mass > 0.0 {
            sum = if sum.mass > 0.0 { sum.combined(&part) } else { part };
        }
    }
    let turned = sum.about_com;
    Ok(Inertia { about_com: 0.5 * (turned + turned.transpose()), ..sum })
}

/// `boundmass`, `boundinertia` and `balanceinertia`.
fn bound(bodies: &Bodies<'_>, inertia: Inertia) -> Inertia {
    let s = &bodies.settings;
    let mut out = Inertia { mass: inertia.mass.max(s.bound_mass), ..inertia };
    if s.bound_inertia > 0.0 || s.balance_inertia {
        let rows = out.about_com.to_cols_array_2d().map(|row| row.to_vec()).to_vec();
        let eigen = symmetric_eigen(rows);
        let mut values: Vec<f64> = eigen.values.iter().map(|v| v.max(s.bound_inertia)).collect();
        let greatest = values.iter().copied().fold(0.0, f64::max);
        let sum: f64 = values.iter().sum();
        if s.balance_inertia && sum < 2.0 * greatest {
            values.fill(sum / 3.0);
        }
        out.about_com = DMat3::ZERO;
        for (value, vector) in values.iter().zip(&eigen.vectors) {
            let v = DVec3::new(vector[0], vector[1], vector[2]);
            out.about_com += DMat3::from_cols(v * v.x, v * v.y, v * v.z) * *value;
        }
    }
    out
}
