//! Energies and momenta of a tree.

use crate::kinematics::Kinematics;
use crate::tree::Tree;
use glam::DVec3;

/// Kinetic energy in J, including that of rotors (armature).
pub fn kinetic_energy(tree: &Tree, kinematics: &Kinematics, v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, link) in tree.links().iter().enumerate() {
        let omega = kinematics.angular[i];
        sum += link.inertia.mass * kinematics.com_velocity(i).length_squared()
            + omega.dot(kinematics.inertia[i] * omega);
        sum += link.joint.armature * v[tree.v_range(i)].iter().map(|v| v * v).sum::<f64>();
    }
    0.5 * sum
}

/// Potential energy of gravity `gravity` (m/s²) in J: −Σ m g·c, zero at the world's origin.
pub fn potential_energy(tree: &Tree, kinematics: &Kinematics, gravity: DVec3) -> f64 {
    let parts = tree.links().iter().zip(&kinematics.com);
    -parts.map(|(link, com)| link.inertia.mass * gravity.dot(*com)).sum::<f64>()
}

/// Energy of the springs of joints in J.
pub fn spring_energy(tree: &Tree, q: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, link) in tree.links().iter().enumerate() {
        let joint = &link.joint;
        if joint.spring_stiffness > 0.0 {
            let stretch = q[tree.q_range(i).start] - joint.spring_rest;
            sum += 0.5 * joint.spring_stiffness * stretch * stretch;
        }
    }
    sum
}

/// Linear momentum of all links in kg·m/s; rotors (armature) carry none.
pub fn linear_momentum(tree: &Tree, kinematics: &Kinematics) -> DVec3 {
    let links = tree.links().iter().enumerate();
    links.map(|(i, link)| link.inertia.mass * kinematics.com_velocity(i)).sum()
}

/// Angular momentum of all links about the world point `about` in kg·m²/s; rotors (armature) carry none.
pub fn angular_momentum(tree: &Tree, kinematics: &Kinematics, about: DVec3) -> DVec3 {
    let links = tree.links().iter().enumerate();
    links
        .map(|(i, link)| {
            let momentum = link.inertia.mass * kinematics.com_velocity(i);
            kinematics.inertia[i] * kinematics.angular[i] + (kinematics.com[i] - about).cross(momentum)
        })
        .sum()
}

/// Mass of all links in kg.
pub fn total_mass(tree: &Tree) -> f64 {
    tree.links().iter().map(|link| link.inertia.mass).sum()
}

/// Center of mass of all links in m; the base where there is no mass.
pub fn center_of_mass(tree: &Tree, kinematics: &Kinematics) -> DVec3 {
    let mass = total_mass(tree);
    if mass == 0.0 {
        return kinematics.base_position;
    }
    let links = tree.links().iter().zip(&kinematics.com);
    links.map(|(link, com)| link.inertia.mass * *com).sum::<DVec3>() / mass
}
