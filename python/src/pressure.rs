//! `ropewalk.inspect.pressure_patch`.

use crate::distance::PoseArguments;
use crate::inspect::{Array1, Array2};
use glam::DVec3;
use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use ropewalk_geometry::pressure::{Fade, Patch, PatchBody, PressureField, body_body};

/// A mesh as the Python part has checked it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct MeshArguments<'py> {
    vertices: Array2<'py>,
    tets: PyReadonlyArray2<'py, i64>,
    pressure: Array1<'py>,
}

impl MeshArguments<'_> {
    fn field(&self, name: &str) -> PyResult<PatchBody> {
        let vertices: Vec<DVec3> =
            self.vertices.as_slice()?.as_chunks::<3>().0.iter().map(|v| DVec3::from_array(*v)).collect();
        let corner = |i: i64| {
            u32::try_from(i).map_err(|_| {
                PyValueError::new_err(format!("{name}['tets'] has the entry {i}, expected indices from 0"))
            })
        };
        let rows = self.tets.as_slice()?.as_chunks::<4>().0.iter();
        let tets: Vec<[u32; 4]> = rows
            .map(|t| Ok([corner(t[0])?, corner(t[1])?, corner(t[2])?, corner(t[3])?]))
            .collect::<PyResult<_>>()?;
        let field = PressureField::new(&vertices, &tets, self.pressure.as_slice()?);
        field.map(PatchBody::Soft).map_err(|e| PyValueError::new_err(format!("{name}: {e}")))
    }
}

/// The patch of two pressure fields; see `ropewalk.inspect.pressure_patch`.
#[pyfunction]
pub(crate) fn pressure_patch<'py>(
    py: Python<'py>,
    mesh_a: MeshArguments<'py>,
    pose_a: PoseArguments,
    mesh_b: MeshArguments<'py>,
    pose_b: PoseArguments,
    fade: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (a, b) = (mesh_a.field("mesh_a")?, mesh_b.field("mesh_b")?);
    let (pa, pb) = (pose_a.pose(), pose_b.pose());
    for (name, pose) in [("pose_a", &pa), ("pose_b", &pb)] {
        if !pose.is_finite() {
            return Err(PyValueError::new_err(format!("{name} is not finite")));
        }
    }
    let fade = if fade { Fade::Smooth } else { Fade::Sharp };
    let mut patch = Patch::new(fade, true);
    py.detach(|| body_body(&a, &pa, &b, &pb, &mut patch));
    let vector = |v: DVec3| PyArray1::from_vec(py, v.to_array().to_vec());
    let polygons = PyList::empty(py);
    for polygon in &patch.polygons {
        let corners: Vec<Vec<f64>> = patch.corners(polygon).iter().map(|c| c.to_array().to_vec()).collect();
        let entry = PyDict::new(py);
        entry.set_item("area", polygon.area)?;
        entry.set_item("centroid", vector(polygon.centroid))?;
        entry.set_item("point", vector(polygon.point))?;
        entry.set_item("normal_ba", vector(polygon.normal))?;
        entry.set_item("pressure", polygon.pressure)?;
        entry.set_item("gap", polygon.gap())?;
        entry.set_item("stiffness", polygon.stiffness())?;
        entry.set_item("vertices", PyArray2::from_vec2(py, &corners)?)?;
        polygons.append(entry)?;
    }
    let out = PyDict::new(py);
    out.set_item("force_on_a", vector(patch.force_on_a()))?;
    out.set_item("area", patch.area())?;
    out.set_item("centroid", vector(patch.centroid().unwrap_or(DVec3::ZERO)))?;
    out.set_item("polygons", polygons)?;
    Ok(out)
}
