//! What a step reports.

use crate::culprit::Culprit;
use crate::model::Model;
use glam::DVec3;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepStatus {
    /// The residual is below the tolerance.
    Converged,
    /// Newton's method did not converge, even in the smallest sub-step; the state is as before the step.
    NotConverged,
    /// Something would pass through something else, even in the smallest sub-step; the state is as before the step.
    PassesThrough,
    /// Contacts would make energy, even in the smallest sub-step; the state is as before the step.
    GainsEnergy,
    /// A number is not finite; the state is as before the step.
    NotFinite,
}

impl StepStatus {
    /// In words, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Converged => "it has converged",
            Self::NotConverged => "Newton's method did not converge, even in the smallest sub-step",
            Self::PassesThrough => {
                "something would pass through something else, even in the smallest sub-step"
            }
            Self::GainsEnergy => "contacts would make energy, even in the smallest sub-step",
            Self::NotFinite => "a number is not finite",
        }
    }

    /// A short name: `converged`, `not_converged`, `passes_through`, `gains_energy` or `not_finite`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::NotConverged => "not_converged",
            Self::PassesThrough => "passes_through",
            Self::GainsEnergy => "gains_energy",
            Self::NotFinite => "not_finite",
        }
    }
}

/// The stages of a step, in order.
pub const STAGES: [&str; 8] =
    ["kinematics", "collide", "constrain", "linearize", "solve", "guard", "advance", "observe"];

/// Places of the stages in [`STAGES`].
pub(crate) mod stage {
    pub(crate) const KINEMATICS: usize = 0;
    pub(crate) const COLLIDE: usize = 1;
    pub(crate) const CONSTRAIN: usize = 2;
    pub(crate) const LINEARISE: usize = 3;
    pub(crate) const SOLVE: usize = 4;
    pub(crate) const GUARD: usize = 5;
    pub(crate) const ADVANCE: usize = 6;
    pub(crate) const OBSERVE: usize = 7;
}

/// What one step did. Sums are over sub-steps, maxima over rods and sub-steps.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// How it ended.
    pub status: StepStatus,
    /// Sub-steps taken; 1 unless the step was halved.
    pub substeps: u32,
    /// Greatest number of linearizations of any rod, or of all that constraints hold together, summed over sub-steps.
    pub iterations: u32,
    /// Newton iterations within the convex problems, summed over linearizations and sub-steps.
    pub inner_iterations: u32,
    /// How often the guard against passing through has asked for a shorter step.
    pub blocked: u32,
    /// Contacts of the last sub-step that push.
    pub contacts: u32,
    /// Constraints of the last sub-step.
    pub constraints: u32,
    /// Greatest momentum residual relative to the impulses at work, or, where those drown in the round-off of the elastic
    /// forces, to the least impulse of which it could be told from that.
    pub residual: f64,
    /// How often a tangent had to be altered to be positive definite.
    pub altered_tangents: u32,
    /// Sub-steps in which a rod had to pass through a fold of more than 176° or an edge of less than a thousandth of
    /// its rest length: the motion is finite there, but coarse. Zero in all but violent motions.
    pub degenerate_substeps: u32,
    /// Seconds spent in each of [`STAGES`], on one thread or summed over rods.
    pub stage_seconds: [f64; STAGES.len()],
    /// Who kept a step that failed from being accepted, where the check knows.
    pub culprit: Option<Culprit>,
    /// Why a step failed, in words, with the names of those who did it; empty until [`StepReport::explain`].
    pub failure: String,
    /// Work done in this step by clamps, loads, drives of the natural shape, actuators and driven bodies, in J.
    pub work: f64,
}

impl StepReport {
    /// Of no step at all.
    pub fn nothing() -> Self {
        Self {
            status: StepStatus::Converged,
            substeps: 0,
            iterations: 0,
            inner_iterations: 0,
            blocked: 0,
            contacts: 0,
            constraints: 0,
            residual: 0.0,
            altered_tangents: 0,
            degenerate_substeps: 0,
            stage_seconds: [0.0; STAGES.len()],
            culprit: None,
            failure: String::new(),
            work: 0.0,
        }
    }

    /// Says in words why a step failed, if it did. Not part of the step, which makes no text.
    pub fn explain(&mut self, model: &Model) {
        if self.status == StepStatus::Converged {
            return;
        }
        self.status.words().clone_into(&mut self.failure);
        if let Some(culprit) = self.culprit {
            self.failure.push_str(": ");
            self.failure.push_str(&culprit.words(model));
        }
    }

    /// Adds the step after: sums, the greatest residual; status, contacts and constraints of the later.
    pub fn append(&mut self, later: &Self) {
        self.status = later.status;
        self.culprit = later.culprit;
        self.failure.clone_from(&later.failure);
        self.substeps += later.substeps;
        self.iterations += later.iterations;
        self.inner_iterations += later.inner_iterations;
        self.blocked += later.blocked;
        self.contacts = later.contacts;
        self.constraints = later.constraints;
        self.residual = self.residual.max(later.residual);
        self.altered_tangents += later.altered_tangents;
        self.degenerate_substeps += later.degenerate_substeps;
        for (mine, theirs) in self.stage_seconds.iter_mut().zip(&later.stage_seconds) {
            *mine += theirs;
        }
        self.work += later.work;
    }
}

/// Force and torque that a clamp exerts on its rod, an attachment on its first end, or the ground on a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force in N.
    pub force: DVec3,
    /// Torque about the held point (the base's origin for a tree) in N·m.
    pub torque: DVec3,
}

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactSide {
    /// A place on an edge of a rod.
    Rod {
        /// Index of the rod.
        rod: usize,
        /// Edge.
        edge: usize,
        /// Place on the edge, 0…1.
        fraction: f64,
    },
    /// A shape of a link.
    Link {
        /// Index of the tree.
        tree: usize,
        /// Index of the link.
        link: usize,
        /// Index among the shapes of the tree.
        shape: usize,
    },
}

/// A contact of the last sub-step, touching or not. World axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReport {
    /// The two sides.
    pub sides: [ContactSide; 2],
    /// Half way between the surfaces at the start of the sub-step, m.
    pub point: DVec3,
    /// Unit normal from the second side to the first.
    pub normal: DVec3,
    /// Distance of the surfaces at the start of the sub-step in m, negative in overlap; of a polygon of a patch, minus the
    /// depth below both skins.
    pub gap: f64,
    /// Coefficient of friction of the pair.
    pub friction: f64,
    /// Force on the first side in N, normal and tangential together.
    pub force: DVec3,
    /// Velocity of the first side relative to the second at the end of the sub-step, m/s.
    pub velocity: DVec3,
    /// Area in m² of a polygon of a patch; 0 for a point.
    pub area: f64,
    /// Where the corners of the polygon are in [`Workspace::patch_corners`](crate::Workspace::patch_corners): the
    /// first, and how many.
    pub corners: [u32; 2],
}

/// All polygons between a rod or shape and another, together. World axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchReport {
    /// The two sides, with the edges of the first polygon.
    pub sides: [ContactSide; 2],
    /// Number of polygons.
    pub polygons: usize,
    /// Area in m².
    pub area: f64,
    /// Force on the first side in N.
    pub force: DVec3,
    /// Mean of the polygons' centroids weighted by normal force, m.
    pub center_of_pressure: DVec3,
    /// Normal force of all polygons, summed, in N.
    pub normal_force: f64,
    /// Greatest pressure of a polygon in Pa.
    pub peak_pressure: f64,
}

impl PatchReport {
    /// Normal force per area in Pa.
    pub fn mean_pressure(&self) -> f64 {
        if self.area > 0.0 { self.normal_force / self.area } else { 0.0 }
    }

    /// Whether `contact` is one of its polygons.
    pub fn contains(&self, contact: &ContactReport) -> bool {
        let name = |side: &ContactSide| match *side {
            ContactSide::Rod { rod, .. } => (0, rod, 0),
            ContactSide::Link { tree, shape, .. } => (1, tree, shape),
        };
        contact.area > 0.0 && self.sides.each_ref().map(name) == contact.sides.each_ref().map(name)
    }

    /// Sums up the polygons among `contacts`, by pairs of rods and shapes, in order of appearance.
    pub fn of(contacts: impl Iterator<Item = ContactReport>) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        for c in contacts.filter(|c| c.area > 0.0) {
            let pressed = c.normal_force();
            match out.iter_mut().find(|patch| patch.contains(&c)) {
                Some(patch) => {
                    let sum = patch.normal_force + pressed;
                    if sum > 0.0 {
                        patch.center_of_pressure += (c.point - patch.center_of_pressure) * (pressed / sum);
                    }
                    patch.normal_force = sum;
                    patch.force += c.force;
                    patch.area += c.area;
                    patch.peak_pressure = patch.peak_pressure.max(c.pressure());
                    patch.polygons += 1;
                }
                None => out.push(Self {
                    sides: c.sides,
                    polygons: 1,
                    area: c.area,
                    force: c.force,
                    center_of_pressure: c.point,
                    normal_force: pressed,
                    peak_pressure: c.pressure(),
                }),
            }
        }
        out
    }
}

impl ContactReport {
    /// Force along the normal in N.
    pub fn normal_force(&self) -> f64 {
        self.force.dot(self.normal)
    }

    /// Normal force per area of a polygon of a patch in Pa; 0 for a point.
    pub fn pressure(&self) -> f64 {
        if self.area > 0.0 { self.normal_force() / self.area } else { 0.0 }
    }

    /// Friction on the first side in N.
    pub fn friction_force(&self) -> DVec3 {
        self.force - self.normal * self.normal_force()
    }

    /// Velocity of the first side along the surface of the second, m/s.
    pub fn slip(&self) -> DVec3 {
        self.velocity - self.normal * self.velocity.dot(self.normal)
    }
}
