//! Dynamics of a robot from its URDF or MJCF on plain arrays, for checks.
//!
//! M(q) v̇ + C(q, v) = τ + G(q) − d v. The code is that of a simulation; this module only reads the URDF, checks
//! arguments, and orders coordinates: the base first if it is free, then the joints in the order in which the URDF
//! names them, each with its coordinates as in [`ropewalk_body::joint`]. A [`Tree`] orders them by links.
//!
//! Collision geometry is not read, so mesh files need not exist. Dry friction, limits and mimic joints are
//! constraints and ignored.

use crate::error::SceneError;
use crate::urdf::{BaseKind, RobotDescription, UrdfOptions, read_robot};
use core::fmt;
use glam::DVec3;
use ropewalk_body::{Base, Dynamics, JointKind, Kinematics, Tree, energy};

/// Why the arguments are invalid.
#[derive(Clone, Debug, PartialEq)]
pub enum RobotInspectError {
    /// The URDF cannot be used.
    Urdf(SceneError),
    /// An argument is wrong: its name, what is wrong and what is expected.
    Argument(String),
}

impl fmt::Display for RobotInspectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Urdf(error) => error.fmt(f),
            Self::Argument(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for RobotInspectError {}

impl From<SceneError> for RobotInspectError {
    fn from(error: SceneError) -> Self {
        Self::Urdf(error)
    }
}

/// Result of [`robot_dynamics`]; n is the length of v.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotDynamics {
    /// Mass matrix M, n×n by rows, in kg, kg·m and kg·m².
    pub mass_matrix: Vec<f64>,
    /// Coriolis and centrifugal efforts C, without gravity, in N and N·m.
    pub bias: Vec<f64>,
    /// Efforts of gravity G in N and N·m.
    pub gravity_force: Vec<f64>,
    /// Accelerations v̇ in m/s² and rad/s².
    pub acceleration: Vec<f64>,
    /// Kinetic energy in J.
    pub kinetic_energy: f64,
    /// Potential energy of gravity in J, zero at the world's origin.
    pub potential_energy: f64,
}

/// Result of [`robot_point`]; n is the length of v.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotPoint {
    /// The point in the world, in m.
    pub position: [f64; 3],
    /// Rotation of the link, 3×3 by rows; its columns are the link's axes.
    pub rotation: [f64; 9],
    /// Jacobian of the point's velocity, 3×n by rows.
    pub jacobian: Vec<f64>,
    /// J̇ v in m/s².
    pub bias_acceleration: [f64; 3],
}

/// Mass matrix, bias, gravity, accelerations and energies of the robot in `urdf` under the efforts `tau`.
pub fn robot_dynamics(
    urdf: &str,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    gravity: [f64; 3],
    base: BaseKind,
) -> Result<RobotDynamics, RobotInspectError> {
    let robot = Inspected::new(urdf, base)?;
    let kinematics = robot.kinematics(q, v)?;
    let (tree, n) = (&robot.tree, robot.velocities.len());
    let gravity = finite_vector("gravity", gravity)?;
    let tau = robot.take("tau", tau, &robot.velocities)?;
    let (q, v) = (robot.take("q", q, &robot.positions)?, robot.take("v", v, &robot.velocities)?);

    let mut dynamics = Dynamics::new(tree);
    let (mut mass, mut bias, mut force, mut vdot) =
        (vec![0.0; n * n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    dynamics.mass_matrix(tree, &kinematics, &mut mass);
    dynamics.bias(tree, &kinematics, &mut bias);
    dynamics.gravity_force(tree, &kinematics, gravity, &mut force);
    dynamics.acceleration(tree, &kinematics, &q, &v, &tau, gravity, &mut vdot).map_err(|e| {
        let joint = &tree.links()[tree.dof_link(e.row)].joint.name;
        RobotInspectError::Argument(format!(
            "the mass matrix is singular at q, in the joint {joint:?}: no acceleration exists"
        ))
    })?;
    let give = |values: &[f64]| robot.velocities.iter().map(|k| values[*k]).collect::<Vec<f64>>();
    let found = RobotDynamics {
        mass_matrix: robot.velocities.iter().flat_map(|r| give(&mass[r * n..(r + 1) * n])).collect(),
        bias: give(&bias),
        gravity_force: give(&force),
        acceleration: give(&vdot),
        kinetic_energy: energy::kinetic_energy(tree, &kinematics, &v),
        potential_energy: energy::potential_energy(tree, &kinematics, gravity),
    };
    let lists = [&found.mass_matrix, &found.bias, &found.gravity_force, &found.acceleration];
    check_range(lists.into_iter().flatten().chain([&found.kinetic_energy, &found.potential_energy]))?;
    Ok(found)
}

/// Position and motion of the point `offset` (m, axes of the link) of the link `body`.
pub fn robot_point(
    urdf: &str,
    q: &[f64],
    v: &[f64],
    body: &str,
    offset: [f64; 3],
    base: BaseKind,
) -> Result<RobotPoint, RobotInspectError> {
    let robot = Inspected::new(urdf, base)?;
    let offset = finite_vector("offset", offset)?;
    let kinematics = robot.kinematics(q, v)?;
    let (tree, n) = (&robot.tree, robot.velocities.len());
    let link = tree.link_index(body).ok_or_else(|| {
        let names = crate::error::list_names(tree.links().iter().map(|l| l.name.as_str()));
        RobotInspectError::Argument(format!("body is {body:?}, expected a link of the URDF: {names}"))
    })?;
    let pose = kinematics.poses[link];
    let point = pose.point(offset);
    let (mut jacobian, mut angular) = (vec![0.0; 3 * n], vec![0.0; 3 * n]);
    kinematics.point_jacobian(tree, link, point, &mut jacobian, &mut angular);
    let found = RobotPoint {
        position: point.to_array(),
        // Columns of the transpose are rows.
        rotation: pose.matrix().transpose().to_cols_array(),
        jacobian: (0..3)
            .flat_map(|r| robot.velocities.iter().map(move |k| r * n + k))
            .map(|i| jacobian[i])
            .collect(),
        bias_acceleration: kinematics.point_bias_acceleration(link, point).to_array(),
    };
    check_range(found.position.iter().chain(&found.jacobian).chain(&found.bias_acceleration))?;
    Ok(found)
}

/// A robot, and the indices in its tree of its coordinates in the order of the URDF.
struct Inspected {
    tree: Tree,
    positions: Vec<usize>,
    velocities: Vec<usize>,
}

impl Inspected {
    fn new(urdf: &str, base: BaseKind) -> Result<Self, RobotInspectError> {
        // No inertia is repaired here: results are those of the given numbers.
        let options =
            UrdfOptions { base, collision_geometry: false, inertia_tolerance: 0.0, ..UrdfOptions::default() };
        let RobotDescription { tree, joint_order, .. } = read_robot("urdf_text", urdf, None, &options)?;
        let links = || core::iter::once(0).chain(joint_order.iter().copied());
        let positions = links().flat_map(|l| tree.q_range(l)).collect();
        let velocities = links().flat_map(|l| tree.v_range(l)).collect();
        Ok(Self { tree, positions, velocities })
    }

    /// `values` in the order of the tree.
    fn take(&self, name: &str, values: &[f64], order: &[usize]) -> Result<Vec<f64>, RobotInspectError> {
        if values.len() != order.len() {
            let message = format!("{name} has the shape ({},), expected ({},)", values.len(), order.len());
            return Err(RobotInspectError::Argument(format!("{message} for this robot and base")));
        }
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            let message = format!("{name}[{k}] is {}, expected a finite number", values[k]);
            return Err(RobotInspectError::Argument(message));
        }
        let mut out = vec![0.0; values.len()];
        order.iter().zip(values).for_each(|(at, value)| out[*at] = *value);
        Ok(out)
    }

    fn kinematics(&self, q: &[f64], v: &[f64]) -> Result<Kinematics, RobotInspectError> {
        let (mut q, v) = (self.take("q", q, &self.positions)?, self.take("v", v, &self.velocities)?);
        for (i, link) in self.tree.links().iter().enumerate() {
            if let JointKind::Ball | JointKind::Free = link.joint.kind {
                let end = self.tree.q_range(i).end;
                let length = q[end - 4..end].iter().map(|x| x * x).sum::<f64>().sqrt();
                if (length - 1.0).abs() > 1e-6 {
                    let joint = &link.joint.name;
                    return Err(RobotInspectError::Argument(format!(
                        "q has a quaternion of length {length} for the joint {joint:?}, expected a unit quaternion, xyzw"
                    )));
                }
                q[end - 4..end].iter_mut().for_each(|x| *x /= length);
            }
        }
        let mut kinematics = Kinematics::new(&self.tree);
        kinematics.update(&self.tree, &Base::default(), &q, &v);
        Ok(kinematics)
    }
}

fn finite_vector(name: &str, vector: [f64; 3]) -> Result<DVec3, RobotInspectError> {
    let vector = DVec3::from_array(vector);
    if vector.is_finite() {
        Ok(vector)
    } else {
        Err(RobotInspectError::Argument(format!("{name} is {vector}, expected three finite numbers")))
    }
}

/// Finite arguments may still be too large to compute with.
fn check_range<'a>(mut results: impl Iterator<Item = &'a f64>) -> Result<(), RobotInspectError> {
    if results.all(|x| x.is_finite()) {
        return Ok(());
    }
    let message = "with these arguments the results leave the range of numbers; are they in SI units?";
    Err(RobotInspectError::Argument(message.into()))
}
