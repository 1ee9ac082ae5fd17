//! `ropewalk.inspect.distance`.

use crate::inspect::{Array1, Array2};
use glam::{DMat3, DQuat, DVec3};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropewalk_geometry::{Heightfield, Shape, TriangleMesh, shape_distance};
use ropewalk_linalg::Pose;
use std::sync::Arc;

/// A shape as the Python part has checked it: its kind, its numbers in a fixed order, its vertices and triangles.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ShapeArguments<'py> {
    kind: String,
    numbers: Array1<'py>,
    vertices: Array2<'py>,
    triangles: PyReadonlyArray2<'py, i64>,
}

/// A pose: a position with a quaternion (x, y, z, w) or with a matrix.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PoseArguments {
    p: [f64; 3],
    quat_xyzw: Option<[f64; 4]>,
    #[pyo3(item("R"))]
    matrix: Option<[[f64; 3]; 3]>,
}

impl ShapeArguments<'_> {
    fn shape(&self, name: &str) -> PyResult<Shape> {
        let numbers = self.numbers.to_vec()?;
        let bad = |what: &str| PyValueError::new_err(format!("{name}: {what}"));
        Ok(match (self.kind.as_str(), numbers.as_slice()) {
            ("sphere", &[radius]) => Shape::Sphere { radius },
            ("box", &[x, y, z]) => Shape::Box { size: DVec3::new(x, y, z) },
            ("cylinder", &[radius, length]) => Shape::Cylinder { radius, length },
            ("capsule", &[radius, length]) => Shape::Capsule { radius, length },
            ("half_space", []) => Shape::HalfSpace,
            ("convex", []) => Shape::Convex(Arc::new(self.mesh(name)?)),
            ("mesh", []) => Shape::Mesh(Arc::new(self.mesh(name)?)),
            ("heightfield", &[size_x, size_y, rows, columns, ref heights @ ..]) => {
                let (rows, columns) = (rows as usize, columns as usize);
                let heights = heights.to_vec();
                Shape::Heightfield(Arc::new(Heightfield { size_x, size_y, rows, columns, heights }))
            }
            (kind, _) => {
                return Err(bad(&format!("no shape of type {kind:?} has {} numbers", numbers.len())));
            }
        })
    }

    fn mesh(&self, name: &str) -> PyResult<TriangleMesh> {
        let vertices = self.vertices.as_slice()?.as_chunks::<3>().0.iter().map(|v| DVec3::from_array(*v));
        let corner = |i: i64| {
            u32::try_from(i).map_err(|_| {
                PyValueError::new_err(format!(
                    "{name}['triangles'] has the entry {i}, expected indices from 0"
                ))
            })
        };
        let rows = self.triangles.as_slice()?.as_chunks::<3>().0.iter();
        let triangles =
            rows.map(|t| Ok([corner(t[0])?, corner(t[1])?, corner(t[2])?])).collect::<PyResult<_>>()?;
        Ok(TriangleMesh { vertices: vertices.collect(), triangles })
    }
}

impl PoseArguments {
    pub(crate) fn pose(&self) -> Pose {
        let rotation = match (self.quat_xyzw, self.matrix) {
            (Some(q), _) => DQuat::from_array(q).normalize(),
            // Rows of the matrix are columns of its transpose.
            (None, Some(rows)) => DQuat::from_mat3(&DMat3::from_cols_array_2d(&rows).transpose()).normalize(),
            (None, None) => DQuat::IDENTITY,
        };
        Pose::new(DVec3::from_array(self.p), rotation)
    }
}

/// Signed distance of two shapes; see `ropewalk.inspect.distance`.
#[pyfunction]
pub(crate) fn distance<'py>(
    py: Python<'py>,
    shape_a: ShapeArguments<'py>,
    pose_a: PoseArguments,
    shape_b: ShapeArguments<'py>,
    pose_b: PoseArguments,
) -> PyResult<Bound<'py, PyDict>> {
    let (a, b) = (shape_a.shape("shape_a")?, shape_b.shape("shape_b")?);
    let (pa, pb) = (pose_a.pose(), pose_b.pose());
    for (name, shape) in [("shape_a", &a), ("shape_b", &b)] {
        shape.validate().map_err(|e| PyValueError::new_err(format!("{name}: {e}")))?;
    }
    let found =
        py.detach(|| shape_distance(&a, &pa, &b, &pb)).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let out = PyDict::new(py);
    let vector = |v: DVec3| PyArray1::from_vec(py, v.to_array().to_vec());
    out.set_item("distance", found.distance)?;
    out.set_item("normal_ba", vector(found.normal_ba))?;
    out.set_item("point_a", vector(found.point_a))?;
    out.set_item("point_b", vector(found.point_b))?;
    Ok(out)
}
