//! Claims: what theory says of a run, beside what the run came to.
//!
//! A claim computes its reference from the model, so it stays true when values are overridden.
//!
//! | file | claims |
//! |---|---|
//! | `clamped_rod` | free end of a clamped rod under gravity and point loads |
//! | `column` | Euler's column beyond buckling |
//! | `shaft` | torque of a twisted shaft |
//! | `ring` | natural circle, Michell's instability |
//! | `balance` | energy, impulse, virial, rest |
//! | `pendulum` | double pendulum, load on a rope |
//! | `carried` | a body that rods carry and let go; steps too short to pass through |
//! | `contact` | overlap, chains of rings, a rope round a post |
//! | `work` | loads, motors, belts, bodies that are carried, what lets go |
//! | `belt` | where a belt runs, what it carries and what stops that |
//! | `coil` | turns about an axis, in one layer, side by side |
//! | `mirror` | mirror images |
//! | `grasp` | fingers, what creeps in them, knots |
//! | `press` | a soft box on a round rod |
//! | `held` | carried weight, catenary; joints and hands that follow |

mod balance;
mod belt;
mod build;
mod build_grasp;
mod build_measure;
mod build_work;
mod carried;
mod clamped_rod;
mod coil;
mod column;
mod contact;
mod grasp;
mod held;
mod kept;
mod mirror;
mod passing;
mod pendulum;
mod press;
mod ring;
mod sample;
mod sample_numbers;
mod shaft;
mod tally;
mod work;

pub use kept::KeptSamples;
pub use passing::nearest_pass;
pub use press::SoftPress;
pub use sample::{RodSample, Sample, Touch, TreeSample, sample};
pub use tally::Tally;

use glam::DVec3;
use ropewalk_sim::{Measure, Model, State, Wrench};
use serde::Serialize;

/// A run, as claims see it.
#[derive(Clone, Copy, Debug)]
pub struct RunRecord<'a> {
    /// The model.
    pub model: &'a Model,
    /// The state at the start.
    pub start: &'a State,
    /// The state at the end.
    pub end: &'a State,
    /// Force and torque of each clamp in the last step.
    pub wrenches: &'a [Wrench],
    /// Those samples after steps that claims read, the last step last; see [`KeptSamples`].
    pub samples: &'a [Sample],
    /// Measures by the names of their claims; none for a window that the run has not reached.
    pub measured: &'a [(String, Option<f64>)],
    /// Sums over all steps by the names of the claims that have some.
    pub tallies: &'a [(String, Tally)],
}

/// What a claim came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimResult {
    /// Name of the claim.
    pub name: String,
    /// What theory says.
    pub reference: f64,
    /// What the run came to.
    pub measured: f64,
    /// How far apart they are, in the sense in which the tolerance is meant.
    pub error: f64,
    /// Greatest error that passes.
    pub tolerance: f64,
    /// Whether the error is within the tolerance.
    pub pass: bool,
}

/// Something that theory says of a run.
#[derive(Clone, Debug)]
pub struct Claim {
    name: String,
    kind: ClaimKind,
    tolerance: f64,
}

/// What is claimed; indices are those of the model.
#[derive(Clone, Debug)]
enum ClaimKind {
    ClampedRod { clamp: usize, along: DVec3 },
    EulerColumn { clamp: usize, load: usize },
    ShaftTorque { turned: usize, fixed: usize },
    NaturalCircle { rod: usize },
    MichellRing { rod: usize },
    MeanTension { rod: usize },
    ClampImpulse { rod: usize },
    AtRest { rod: usize },
    TreeImpulse { tree: usize },
    DoublePendulum { tree: usize, mode: pendulum::Mode },
    LoadPeriod(pendulum::Suspension),
    LoadTension(pendulum::Suspension),
    CarriedWeight { rod: usize },
    CatenaryTension { rod: usize },
    JointFollows { tree: usize },
    HandPath { hand: usize },
    Overlap,
    ChainLinked { rod: usize },
    ChainWeight { rod: usize },
    Capstan { clamp: usize, load: usize, tree: usize, link: usize, angle: f64 },
    CarriedBody { tree: usize, link: usize },
    TotalWeight,
    Drift { rod: usize, from: f64 },
    OnBody { what: OnBody, rod: usize, body: (usize, usize) },
    BeltSlip { rod: usize, body: (usize, usize), angle: f64 },
    HungTension { hung: work::Hung, span: work::Span },
    WinchTorque { actuator: usize, drum: (usize, usize), hung: work::Hung, span: work::Span },
    MirrorShape { rod: usize, normal: DVec3 },
    MirrorForce { attachments: [usize; 2], normal: DVec3 },
    Released { attachment: usize },
    LooseKnot { clamps: [usize; 2] },
    Carried { tree: usize, height: f64, distance: f64 },
    LetGo { tree: usize },
    CannotPass,
    Tracks { rod: usize, normal: DVec3, from: f64 },
    Approaches { rod: usize, normal: DVec3, distance: f64 },
    Stays { tree: usize, from: f64 },
    Upright { tree: usize, from: f64 },
    StopForce { on_belt: belt::OnBelt, from: f64 },
    PinchForce { finger: grasp::Finger, from: f64 },
    PinchRise { finger: grasp::Finger },
    Creep { pull: grasp::Pull, from: f64 },
    Knotted { part: grasp::Part, ends: Option<DVec3>, determinant: u32 },
    Twined { parts: [grasp::Part; 2], turns: f64 },
    PulledTight { part: grasp::Part },
    SoftPress(SoftPress),
    Energy,
    Measure { measure: Measure, equals: f64 },
}

/// Claims on a rod and a body that it touches.
#[derive(Clone, Copy, Debug)]
enum OnBody {
    Winding,
    CoilLayer,
    CoilPitch,
    BendForce,
}

/// Reference, measurement and error.
#[derive(Clone, Copy, Debug)]
struct Finding {
    reference: f64,
    measured: f64,
    error: f64,
}

impl Finding {
    /// The error relative to the reference, or to `scale` if that is larger.
    fn relative(reference: f64, measured: f64, scale: f64) -> Self {
        let scale = reference.abs().max(scale).max(f64::MIN_POSITIVE);
        Self { reference, measured, error: (measured - reference).abs() / scale }
    }
    /// A measurement that should be zero; its size is the error.
    fn zero(measured: f64) -> Self {
        Self { reference: 0.0, measured, error: measured.abs() }
    }
}

impl Claim {
    /// Name of the claim.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Greatest error that passes.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }
    /// Compares the run with theory. Where the equations of the reference have no solution that the
    /// solver finds, the claim fails, its name says so, and the error is `f64::MAX`.
    pub fn evaluate(&self, run: &RunRecord<'_>) -> ClaimResult {
        let tally = run.tallies.iter().find(|(name, _)| *name == self.name);
        let finding = match tally {
            Some((_, tally)) => self.kind.find_in_tally(run, tally),
            None => self.kind.find(run, &self.name),
        };
        let finite = |f: &Finding| [f.reference, f.measured, f.error].iter().all(|x| x.is_finite());
        match finding.filter(finite) {
            Some(Finding { reference, measured, error }) => ClaimResult {
                name: self.name.clone(),
                reference,
                measured,
                error,
                tolerance: self.tolerance,
                pass: error <= self.tolerance,
            },
            None => ClaimResult {
                name: format!("{} (no reference found)", self.name),
                reference: 0.0,
                measured: 0.0,
                error: f64::MAX,
                tolerance: self.tolerance,
                pass: false,
            },
        }
    }
}

impl ClaimKind {
    /// What the samples that are kept, or the end of the run, tell about `claim`; nothing if its tally does.
    fn find(&self, run: &RunRecord<'_>, claim: &str) -> Option<Finding> {
        match *self {
            Self::ClampedRod { clamp, along } => clamped_rod::evaluate(run, clamp, along),
            Self::EulerColumn { clamp, load } => Some(column::evaluate(run, clamp, load)),
            Self::ShaftTorque { turned, fixed } => Some(shaft::evaluate(run, turned, fixed)),
            Self::NaturalCircle { rod } => Some(ring::natural_circle(run, rod)),
            Self::MichellRing { rod } => Some(ring::michell(run, rod)),
            Self::AtRest { rod } => Some(balance::at_rest(run, rod)),
            Self::LoadTension(suspension) => pendulum::load_tension(run, &suspension),
            Self::CarriedWeight { rod } => Some(held::carried_weight(run, rod)),
            Self::CatenaryTension { rod } => held::catenary_tension(run, rod),
            Self::JointFollows { tree } => Some(held::joint_follows(run, tree)),
            Self::HandPath { hand } => Some(held::hand_path(run, hand)),
            Self::Overlap => Some(contact::overlap(run)),
            Self::ChainLinked { rod } => Some(contact::chain_linked(run, rod)),
            Self::ChainWeight { rod } => Some(contact::chain_weight(run, rod)),
            Self::CarriedBody { tree, link } => work::carried_body(run, (tree, link)),
            Self::TotalWeight => work::total_weight(run),
            Self::Drift { rod, from } => work::drift(run, rod, from),
            Self::OnBody { what, rod, body } => match what {
                OnBody::Winding => None,
                OnBody::CoilLayer => coil::coil_layer(run, rod, body),
                OnBody::CoilPitch => coil::coil_pitch(run, rod, body),
                OnBody::BendForce => work::bend_force(run, rod, body),
            },
            Self::MirrorShape { rod, normal } => mirror::shape(run, rod, normal),
            Self::MirrorForce { attachments, normal } => Some(mirror::force(run, attachments, normal)),
            Self::Released { attachment } => work::released(run, attachment),
            Self::LooseKnot { clamps } => work::loose_knot(run, clamps),
            Self::Carried { tree, height, distance } => Some(carried::carried(run, tree, height, distance)),
            Self::LetGo { tree } => Some(carried::released(run, tree)),
            Self::Tracks { rod, normal, from } => belt::tracks(run, rod, normal, from),
            Self::Approaches { rod, normal, distance } => belt::approaches(run, rod, normal, distance),
            Self::Stays { tree, from } => belt::stays(run, tree, from),
            Self::Upright { tree, from } => belt::upright(run, tree, from),
            Self::CannotPass => passing::cannot_pass(run),
            Self::PinchForce { finger, from } => grasp::pinch_force(run, finger, from),
            Self::Creep { pull, from } => grasp::creep(run, pull, from),
            Self::Knotted { part, ends, determinant } => Some(grasp::knotted(run, part, ends, determinant)),
            Self::Twined { parts, turns } => Some(grasp::twined(run, parts, turns)),
            Self::PulledTight { part } => grasp::pulled_tight(run, part),
            Self::SoftPress(press) => press::soft_press(run, &press),
            Self::Energy => Some(balance::energy_within_work(run)),
            Self::Measure { equals, .. } => {
                let found =
                    run.measured.iter().find(|(name, _)| *name == claim).and_then(|(_, value)| *value);
                found.map(|measured| match equals {
                    0.0 => Finding::zero(measured),
                    _ => Finding::relative(equals, measured, 0.0),
                })
            }
            Self::MeanTension { .. }
            | Self::ClampImpulse { .. }
            | Self::TreeImpulse { .. }
            | Self::DoublePendulum { .. }
            | Self::LoadPeriod(_)
            | Self::Capstan { .. }
            | Self::BeltSlip { .. }
            | Self::HungTension { .. }
            | Self::WinchTorque { .. }
            | Self::StopForce { .. }
            | Self::PinchRise { .. } => None,
        }
    }
}
