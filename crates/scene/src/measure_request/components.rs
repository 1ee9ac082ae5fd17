//! Components of quantities by name.

use ropewalk_sim::Quantity;
use ropewalk_sim::measures::Component;

pub(super) const VECTOR: &[(&str, Component)] = &[
    ("x", Component::Entry(0)),
    ("y", Component::Entry(1)),
    ("z", Component::Entry(2)),
    ("norm", Component::Norm(0, 3)),
    ("horizontal", Component::Norm(0, 2)),
];
/// Components of single numbers, besides the number itself.
pub(super) const NUMBER: &[(&str, Component)] = &[("magnitude", Component::Magnitude)];
const WRENCH: &[(&str, Component)] = &[
    ("force", Component::Norm(0, 3)),
    ("torque", Component::Norm(3, 3)),
    ("fx", Component::Entry(0)),
    ("fy", Component::Entry(1)),
    ("fz", Component::Entry(2)),
    ("tx", Component::Entry(3)),
    ("ty", Component::Entry(4)),
    ("tz", Component::Entry(5)),
    ("horizontal", Component::Norm(0, 2)),
];
const ENERGIES: &[(&str, Component)] = &[
    ("total", Component::Sum),
    ("kinetic", Component::Entry(0)),
    ("stretch", Component::Entry(1)),
    ("bend", Component::Entry(2)),
    ("twist", Component::Entry(3)),
    ("gravity", Component::Entry(4)),
    ("joints", Component::Entry(5)),
];
const MOMENTS: &[(&str, Component)] = &[
    ("m1", Component::Entry(0)),
    ("m2", Component::Entry(1)),
    ("torque", Component::Entry(2)),
    ("bending", Component::Norm(0, 2)),
];
const EXTENTS: &[(&str, Component)] = &[("m1", Component::Entry(0)), ("m2", Component::Entry(1))];
const QUATERNION: &[(&str, Component)] = &[
    ("x", Component::Entry(0)),
    ("y", Component::Entry(1)),
    ("z", Component::Entry(2)),
    ("w", Component::Entry(3)),
    // sin of half the angle between the z axes.
    ("horizontal", Component::Norm(0, 2)),
];

/// Components of the rows of a quantity. `None` for quantities that cannot be measured.
pub(super) fn components(quantity: Quantity) -> Option<&'static [(&'static str, Component)]> {
    Some(match quantity {
        Quantity::Positions
        | Quantity::Velocities
        | Quantity::ContactForce
        | Quantity::Gravity
        | Quantity::LinkPositions
        | Quantity::LinkVelocities
        | Quantity::LinkAngularVelocities => VECTOR,
        Quantity::BaseWrench
        | Quantity::LinkContactWrenches
        | Quantity::JointWrenches
        | Quantity::ClampWrenches
        | Quantity::AttachmentWrenches => WRENCH,
        Quantity::RodEnergies | Quantity::Energies => ENERGIES,
        Quantity::Moments => MOMENTS,
        Quantity::HalfExtents | Quantity::PlasticCurvature => EXTENTS,
        Quantity::LinkQuatsXyzw => QUATERNION,
        Quantity::Frames => return None,
        _ => NUMBER,
    })
}

/// Whether the quantity is one number, vector or wrench, without rows.
pub(super) fn is_single(quantity: Quantity) -> bool {
    matches!(
        quantity,
        Quantity::ContactForce
            | Quantity::PlasticWork
            | Quantity::RodEnergies
            | Quantity::BaseWrench
            | Quantity::Time
            | Quantity::Gravity
            | Quantity::Energies
            | Quantity::ContactCount
            | Quantity::DeepestOverlap
    )
}
