//! A rod in free flight conserves its momentum.
//!
//! - `free_flight/linear_…`: linear momentum after 500 steps, relative.
//! - `free_flight/angular_midpoint`: angular momentum of a rod that moves in a plane, with the midpoint rule.
//! - `free_flight/angular_backward_euler`: the same with backward Euler, whose error falls at first order in δt.
//! - `free_flight/energy_backward_euler`: greatest energy over the start, relative.
//! - `free_flight/energy_midpoint`: greatest departure of the energy, ω_max δt ≤ 1.

use super::ValidationRow;
use super::specimen::{section, specimen};
use crate::worlds::World;
use glam::DVec3;
use ropewalk_rod::RestShape;
use ropewalk_sim::{Scheme, measure};

pub(crate) fn run() -> Vec<ValidationRow> {
    let row = |name: &str, reference: f64, measured: f64, error: f64, tolerance: f64| {
        ValidationRow::new(format!("free_flight/{name}"), reference, measured, error, tolerance)
    };
    let none = Flight { linear: f64::NAN, angular: f64::NAN, energy_rise: f64::NAN, energy_drift: f64::NAN };
    let fly = |scheme: Scheme, dt: f64| fly(scheme, dt).unwrap_or(none);
    let euler = fly(Scheme::BACKWARD_EULER, 1e-3);
    let finer = fly(Scheme::BACKWARD_EULER, 5e-4);
    let midpoint = fly(Scheme::MIDPOINT, 1e-3);
    vec![
        row("linear_backward_euler", 0.0, euler.linear, euler.linear, 1e-12),
        row("linear_midpoint", 0.0, midpoint.linear, midpoint.linear, 1e-12),
        row("angular_midpoint", 0.0, midpoint.angular, midpoint.angular, 1e-12),
        row("angular_backward_euler", 0.0, euler.angular, euler.angular, 0.02).with_order(
            (euler.angular / finer.angular).log2(),
            1.0,
            0.2,
        ),
        row("energy_backward_euler", 0.0, euler.energy_rise, euler.energy_rise, 1e-6),
        row("energy_midpoint", 0.0, midpoint.energy_drift, midpoint.energy_drift, 0.05),
    ]
}

#[derive(Clone, Copy)]
struct Flight {
    linear: f64,
    angular: f64,
    energy_rise: f64,
    energy_drift: f64,
}

/// Half a second of flight in the plane of x and y: thrown, spinning, ringing in bending.
fn fly(scheme: Scheme, dt: f64) -> Option<Flight> {
    let n = 21;
    let nodes: Vec<DVec3> = (0..n).map(|i| DVec3::X * (i as f64 / (n - 1) as f64)).collect();
    // Axial waves at c = √(EA/ρA) = 10 m/s: ω_max = 2c/h = 400 rad/s.
    let mut rod = specimen(nodes, false, section(100.0, [0.01; 2], 0.01), RestShape::Straight, DVec3::Z)?;
    rod.model.settings.scheme = scheme;
    rod.model.settings.dt = dt;
    rod.model.settings.tolerance = 1e-14;
    for i in 0..n {
        let s = i as f64 / (n - 1) as f64 - 0.5;
        rod.state.rods[0].v[i] = [0.3, 1.0 + 2.0 * s + 0.5 * (9.0 * s).cos(), 0.0, 0.0];
    }
    let (linear, angular) = momenta(&rod);
    let energy = measure::energies(&rod.model, &rod.state).total();
    let mut flight = Flight { linear: 0.0, angular: 0.0, energy_rise: 0.0, energy_drift: 0.0 };
    for _ in 0..(0.5 / dt).round() as usize {
        rod.step()?;
        let change = measure::energies(&rod.model, &rod.state).total() / energy - 1.0;
        flight.energy_rise = flight.energy_rise.max(change);
        flight.energy_drift = flight.energy_drift.max(change.abs());
    }
    let (linear_end, angular_end) = momenta(&rod);
    flight.linear = (linear_end - linear).length() / linear.length();
    flight.angular = (angular_end - angular).length() / angular.length();
    Some(flight)
}

fn momenta(rod: &World) -> (DVec3, DVec3) {
    let shape = rod.shape();
    let mut sums = (DVec3::ZERO, DVec3::ZERO);
    for (i, m) in rod.rod().masses().iter().enumerate() {
        let p = shape.velocity(i) * m[0];
        sums.0 += p;
        sums.1 += shape.position(i).cross(p);
    }
    sums
}
