//! Claims as they stand in a scene file.

use super::grasp_claim::{
    CreepSpec, KnottedSpec, PinchForceSpec, PinchRiseSpec, PulledTightSpec, TwinedSpec,
};
use super::measure_claim::MeasureClaimSpec;
use super::work_claim::{
    ApproachesSpec, BeltSlipSpec, BodyClaimSpec, DriftSpec, HungTensionSpec, LooseKnotSpec, MirrorForceSpec,
    MirrorShapeSpec, ReleasedSpec, RodOnBodySpec, StaysSpec, StopForceSpec, TotalWeightSpec, TracksSpec,
    WinchTorqueSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// What theory says of the result. The theory is computed from the model, so a claim stays true when
/// values are overridden.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ClaimSpec {
    /// Where the free end of a rod clamped at the other end comes to rest, along a direction: an
    /// extensible Kirchhoff rod under gravity and point loads with its natural curvature.
    ClampedRod(ClampedRodSpec),
    /// Lateral deflection of the free end of a clamped, axially loaded column: Euler's elastica.
    EulerColumn(EulerColumnSpec),
    /// Torque with which a turned clamp holds a straight shaft: GJ θ/L, Saint-Venant.
    ShaftTorque(ShaftTorqueSpec),
    /// Radius of a closed loop at rest: its length over 2π.
    NaturalCircle(RodClaimSpec),
    /// Michell's instability: a twisted ring leaves its plane if and only if its total twist is above
    /// 2π √3 EI/GJ.
    MichellRing(RodClaimSpec),
    /// Tension of a rod that swings from one fixed node, mean over the rod and the run: the virial theorem.
    MeanTension(RodClaimSpec),
    /// Impulse of the clamps, attachments and contacts of a rod over the run: change of momentum less the impulse of gravity.
    ClampImpulse(RodClaimSpec),
    /// The greatest speed of a node of a rod and its copies at the end is below the tolerance in m/s.
    AtRest(RodClaimSpec),
    /// What holds a rod at the end carries its weight, neither more nor less, nor to the side.
    CarriedWeight(RodClaimSpec),
    /// Horizontal tension at the end of a flexible cable between two holds: the catenary.
    CatenaryTension(RodClaimSpec),
    /// Impulse on a body or robot of its base and its attachments over the run: change of momentum less the impulse
    /// of gravity.
    BodyImpulse(BodyImpulseSpec),
    /// Period of small swings of two bodies that hang from one another.
    DoublePendulum(DoublePendulumSpec),
    /// Period of a load that swings on a rope.
    LoadPeriod(LoadClaimSpec),
    /// The greatest pull of a rope at a load that swings on it from rest.
    LoadTension(LoadClaimSpec),
    /// The joints of a robot stay this near to the targets of their position actuators.
    JointFollows(JointFollowsSpec),
    /// An end effector stays this near to its path.
    EndEffectorPath(EndEffectorPathSpec),
    /// No contact of a rod overlaps by more than this share of its thickness.
    Overlap(OverlapSpec),
    /// Each ring of a chain (a closed rod and its copies) stays linked with the next.
    ChainLinked(RodClaimSpec),
    /// What holds a chain at the end carries the weight of all its rings.
    ChainWeight(RodClaimSpec),
    /// Logarithm of the ratio of the pulls at the ends of a rope that slides round a post, mean over the second half of
    /// the run.
    Capstan(CapstanSpec),
    /// Contacts and attachments of a free body carry its weight at the end.
    CarriedBody(BodyClaimSpec),
    /// What holds the world at the end (clamps, attachments to the world, bases) carries the weight of all in it.
    TotalWeight(TotalWeightSpec),
    /// The ends and the centre of mass of a rod stay where they are from a time on.
    Drift(DriftSpec),
    /// Turns of a rod about the axis of a body: those that its ends have made. It has not passed through.
    Winding(RodOnBodySpec),
    /// The part of a rod wound on a drum lies in one layer, its centreline at the drum's radius and its own.
    CoilLayer(RodOnBodySpec),
    /// Turns on a drum lie no nearer to one another than a diameter.
    CoilPitch(RodOnBodySpec),
    /// Force of a flexible rod at rest on a body that bends it: from the tensions on either side.
    BendForce(RodOnBodySpec),
    /// Logarithm of the ratio of the tensions of a belt that slips on a pulley, mean over the second half of the run.
    BeltSlip(BeltSlipSpec),
    /// Tension of a rope at a load that hangs still or moves steadily: its weight.
    HungTension(HungTensionSpec),
    /// Torque of the motor of a winch with a load on a rope over pulleys without friction.
    WinchTorque(WinchTorqueSpec),
    /// The two halves of a rod are mirror images at the end.
    MirrorShape(MirrorShapeSpec),
    /// Forces and torques of two attachments are mirror images all the time.
    MirrorForce(MirrorForceSpec),
    /// An attachment exerts no force after it has let go.
    Released(ReleasedSpec),
    /// Pull at the ends of a rope with a loose overhand knot without friction, at rest: 2π²B/e², e the end shortening.
    LooseKnot(LooseKnotSpec),
    /// Rods alone carry a body at some time, above where it stood and away from there.
    Carried(CarriedSpec),
    /// At the end no rod touches the body, and something else carries it.
    LetGo(BodyClaimSpec),
    /// The centre of mass of a rod runs in a plane from a time on.
    Tracks(TracksSpec),
    /// The centre of mass of a rod comes nearer to a plane.
    Approaches(ApproachesSpec),
    /// The centre of mass of a body stays where it is from a time on.
    Stays(StaysSpec),
    /// The z axis of a body points against gravity from a time on.
    Upright(StaysSpec),
    /// Friction of a belt on a body that is stopped, by the force on what stops it.
    StopForce(StopForceSpec),
    /// No edges of rods move so far against one another in one step that they could have passed unseen.
    CannotPass(OverlapSpec),
    /// Contacts push a finger as hard as its actuator commands, from a time on.
    PinchForce(PinchForceSpec),
    /// The force of a finger rises to the command and does not fall on the way.
    PinchRise(PinchRiseSpec),
    /// How fast a rod creeps in a grasp: mean speed of the end that is pulled, from a time to the end of the run.
    Creep(CreepSpec),
    /// The rod is knotted at the end: the determinant of its centreline.
    Knotted(KnottedSpec),
    /// Two parts of a rod are wound round one another so many times at the end.
    Twined(TwinedSpec),
    /// The ends of a rod are pulled tight: how much longer than straight it is from each end to the nearest clamp.
    PulledTight(PulledTightSpec),
    /// Force of a soft box that presses a round rod: pressures of both, in equilibrium.
    SoftPress(RodOnBodySpec),
    /// A measure of the run equals a number or a closed form.
    Measure(MeasureClaimSpec),
}

/// A claim on a body that rods carry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CarriedSpec {
    /// Name of the body.
    pub(crate) body: String,
    /// How far its centre of mass must be above where it was at the start, against gravity, in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) height: f64,
    /// How far it must be carried to the side, in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) distance: f64,
    /// Greatest error: what the distance may fall short of, relative.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on overlap.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OverlapSpec {
    /// Greatest overlap as a share of the thickness.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a rope that slides round a post.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CapstanSpec {
    /// Name of the clamp that drags one end.
    pub(crate) clamp: String,
    /// Name of the point load that pulls the other.
    pub(crate) load: String,
    /// Name of the post: a body whose shape is a cylinder.
    pub(crate) body: String,
    /// Angle of the rope on the post in rad.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) angle: f64,
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on the impulses on a body or robot.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BodyImpulseSpec {
    /// Name of the body; with it counts all that hangs together by joints.
    pub(crate) body: Option<String>,
    /// Name of the robot; either this or body.
    pub(crate) robot: Option<String>,
    /// Greatest error, relative to the impulses at work.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a double pendulum.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DoublePendulumSpec {
    /// Name of the upper body, which carries the lower one.
    pub(crate) body: String,
    /// Which of the two modes.
    pub(crate) mode: ModeSpec,
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A mode of a double pendulum.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModeSpec {
    /// Both swing to the same side.
    Slow,
    /// They swing against one another.
    Fast,
}

/// A claim on a load that hangs on a rope.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadClaimSpec {
    /// Name of the attachment that joins an end of the rope to the load.
    pub(crate) attach: String,
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on the joints of a robot.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JointFollowsSpec {
    /// Name of the robot.
    pub(crate) robot: String,
    /// Greatest distance in rad or m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on an end effector.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndEffectorPathSpec {
    /// Name of the end effector.
    pub(crate) end_effector: String,
    /// Greatest distance in m.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// A claim on a rod.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RodClaimSpec {
    /// Name of the rod.
    pub(crate) rod: String,
    /// Greatest error: relative, or in m/s for at_rest.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// Where the free end of a clamped rod comes to rest.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClampedRodSpec {
    /// Name of the clamp: one that holds everything at the start or end of its rod.
    pub(crate) clamp: String,
    /// Direction along which the free end is measured, from the middle of the clamped edge.
    pub(crate) along: [f64; 3],
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// Lateral deflection of a column.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EulerColumnSpec {
    /// Name of the clamp at the foot.
    pub(crate) clamp: String,
    /// Name of the point load at the free end, along the column.
    pub(crate) load: String,
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}

/// Torque on a shaft.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShaftTorqueSpec {
    /// Name of the clamp that is turned.
    pub(crate) turned: String,
    /// Name of the clamp that is not.
    pub(crate) fixed: String,
    /// Greatest error, relative to the reference.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) tolerance: f64,
}
