//! One time step for everything in a world, and what surrounds it.
//!
//! [`step()`] takes a constant [`Model`], a small [`State`] and scratch ([`Workspace`]), and returns a
//! [`StepReport`]. The stages are files in `step/`, in the order in which they happen.

pub mod batch;
pub mod command;
mod culprit;
pub mod equilibrium;
pub mod inspect;
pub mod measure;
pub mod measures;
pub mod model;
pub mod overlap;
pub mod push_out;
pub mod quantity;
pub mod report;
pub mod snapshot;
pub mod step;
mod still;
pub mod time_function;
pub mod workspace;
pub mod world;

pub use batch::Batch;
pub use command::{CommandError, Commands, Guide, Guided, PoseTarget};
pub use culprit::{Culprit, Fault};
pub use equilibrium::{Equilibrium, equilibrate};
pub use measure::Energies;
pub use measures::{Gauge, Gauges, Measure, Over, Reading, StepView};
pub use model::{
    Actuator, ActuatorKind, ActuatorState, Attachment, AttachmentKind, AttachmentState, BaseMotion,
    BodyShape, Bushing, CachedTangent, Clamp, ClampPose, Command, ContactLaw, ContactSettings, End, Grip,
    Hand, HandState, History, Hold, IslandOrder, Linearize, Load, LoadKind, Model, Motion, Party, Patches,
    Scheme, Settings, ShapeDrive, SolverMemory, State, StickForce, Surface, TreeModel, Tuning, TuningError,
    TuningParameter,
};
pub use overlap::{Overlap, find_overlaps};
pub use push_out::{PushOut, push_out};
pub use quantity::{Quantity, Values};
pub use report::{ContactReport, ContactSide, PatchReport, StepReport, StepStatus, Wrench};
pub use snapshot::{NamedArray, SnapshotError};
pub use step::step;
pub use time_function::{Interpolation, TimeFunction};
pub use workspace::Workspace;
pub use world::{PlaceError, Progress, World};
