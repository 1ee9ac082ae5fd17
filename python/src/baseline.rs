//! Methods of others, for `ropewalk.reproduce`.

use crate::inspect::Array2;
use glam::DVec3;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ropewalk_baselines::contact_energy;
use ropewalk_baselines::settings::{Outcome, Report, Settings, Stiffness};
use ropewalk_rod::{Material, RodBuilder, Section};

/// A round rope that a contact energy keeps apart; its ends move apart along the line between them.
#[pyclass(module = "ropewalk._core")]
pub(crate) struct ContactEnergyRope {
    rope: contact_energy::ContactEnergyRope,
    time: f64,
    dt: f64,
    last: Option<Report>,
}

#[pymethods]
impl ContactEnergyRope {
    #[new]
    #[pyo3(signature = (nodes, *, radius, youngs_modulus, shear_modulus, density, mass_damping, speed, dt, delta, stiffness, constant, friction))]
    fn new(
        nodes: Array2<'_>,
        radius: f64,
        youngs_modulus: f64,
        shear_modulus: f64,
        density: f64,
        mass_damping: f64,
        speed: f64,
        dt: f64,
        delta: f64,
        stiffness: f64,
        constant: bool,
        friction: f64,
    ) -> PyResult<Self> {
        let nodes: Vec<DVec3> =
            nodes.as_array().rows().into_iter().map(|r| DVec3::new(r[0], r[1], r[2])).collect();
        let material = Material::from_moduli(youngs_modulus, shear_modulus, density);
        let mut builder = RodBuilder::new(nodes, Section::Circle { radius }, material);
        builder.mass_damping = mass_damping;
        let (rod, state) = builder.build().map_err(|e| PyValueError::new_err(e.to_string()))?;
        for (name, value) in [("dt", dt), ("delta", delta), ("stiffness", stiffness)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(PyValueError::new_err(format!("{name} is {value}, expected a positive number")));
            }
        }
        let stiffness = if constant { Stiffness::Constant(stiffness) } else { Stiffness::OfForce(stiffness) };
        let settings = Settings { delta, stiffness, friction, ..Settings::published(dt) };
        let last = rod.node_count() - 1;
        let along = (state.position(last) - state.position(0)).normalize_or(DVec3::X);
        let driven = vec![(0, -speed * along), (last, speed * along)];
        let rope = contact_energy::ContactEnergyRope::new(rod, state, settings, driven);
        Ok(Self { rope, time: 0.0, dt, last: None })
    }

    /// Takes a step; False if it fails.
    fn step(&mut self, py: Python<'_>) -> bool {
        let report = py.detach(|| self.rope.step());
        let done = report.outcome == Outcome::Converged;
        if done {
            self.time += self.dt;
        }
        self.last = Some(report);
        done
    }

    #[getter]
    fn time(&self) -> f64 {
        self.time
    }

    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let count = self.rope.state.q.len();
        let numbers: Vec<f64> = self.rope.state.q.iter().flat_map(|q| [q[0], q[1], q[2]]).collect();
        PyArray1::from_vec(py, numbers).reshape([count, 3])
    }

    /// Mean of the forces with which the ends are drawn apart, N.
    #[getter]
    fn pull(&self) -> f64 {
        let last = self.rope.state.q.len() - 1;
        let along = (self.rope.state.position(last) - self.rope.state.position(0)).normalize_or(DVec3::X);
        let [left, right] = [self.rope.pulls()[0], self.rope.pulls()[1]];
        0.5 * (right - left).dot(along)
    }

    /// Of the last step: outcome, iterations, contacts, contact energy (J), elastic energy (J), stiffness (N), least distance (m).
    #[getter]
    fn report(&self) -> Option<(&'static str, u32, usize, f64, f64, f64, f64)> {
        self.last.map(|r| {
            let outcome = match r.outcome {
                Outcome::Converged => "converged",
                Outcome::NotConverged => "not_converged",
                Outcome::NotFinite => "not_finite",
            };
            (
                outcome,
                r.iterations,
                r.contacts,
                r.contact_energy,
                r.elastic_energy,
                r.stiffness,
                r.least_distance,
            )
        })
    }
}
