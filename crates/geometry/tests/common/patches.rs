//! The reference patches.

use glam::{DMat3, DQuat, DVec3};
use ropewalk_geometry::pressure::{PatchBody, PressureField};
use ropewalk_linalg::Pose;
use serde_json::Value;

pub(crate) fn file() -> Value {
    serde_json::from_str(include_str!("../../../../tests/reference/pressure_patches.json")).unwrap()
}

pub(crate) fn case<'a>(file: &'a Value, name: &str) -> &'a Value {
    file["cases"].as_array().unwrap().iter().find(|c| c["name"] == name).unwrap()
}

pub(crate) fn vector(v: &Value) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|k| v[k].as_f64().unwrap()))
}

pub(crate) fn pose(v: &Value) -> Pose {
    // Rows of the matrix are columns of its transpose.
    let rows = DMat3::from_cols(vector(&v["R"][0]), vector(&v["R"][1]), vector(&v["R"][2]));
    Pose::new(vector(&v["p"]), DQuat::from_mat3(&rows.transpose()).normalize())
}

pub(crate) fn field(v: &Value) -> PatchBody {
    let vertices: Vec<DVec3> = v["vertices"].as_array().unwrap().iter().map(vector).collect();
    let pressures: Vec<f64> = v["pressure"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect();
    let corner = |t: &Value| [0, 1, 2, 3].map(|k| t[k].as_u64().unwrap() as u32);
    let tets: Vec<[u32; 4]> = v["tets"].as_array().unwrap().iter().map(corner).collect();
    PatchBody::Soft(PressureField::new(&vertices, &tets, &pressures).unwrap())
}
