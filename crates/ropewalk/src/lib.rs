#![doc = include_str!("../README.md")]

mod actuator;
mod attachment;
mod batch;
mod body;
mod builder;
mod clamp;
mod contact;
mod curve;
mod error;
mod joint;
mod load;
mod material;
mod motion;
pub mod prelude;
mod robot;
mod rod;
mod section;
mod shape;
mod table;
mod view;
mod world;

pub use actuator::{Actuator, ActuatorKind, Controller, EndEffector};
pub use attachment::{Attachment, AttachmentEnd};
pub use batch::Batch;
pub use body::Body;
pub use builder::WorldBuilder;
pub use clamp::{Clamp, Hold, Place};
pub use contact::{Contact, ContactKind, ContactLaw, StartOverlap};
pub use curve::Curve;
pub use error::Error;
pub use joint::Joint;
pub use load::Load;
pub use material::Material;
pub use motion::{Interpolation, KeyFrames, Motion, Rotation, TimeFunction};
pub use robot::Robot;
pub use rod::{Rest, Rod};
pub use section::Section;
pub use shape::{PlacedShape, Shape};
pub use view::{ActuatorView, AttachmentView, BodyView, ClampView, EndEffectorView, RobotView, RodView};
pub use world::{MeasureId, World};

pub use ropewalk_linalg::Pose;
pub use ropewalk_scene::{
    ClaimResult, Driver, MeasureError, MeasureRequest as Measure, Recorder, Recording, Scene, SceneError,
    embedded_scenes,
};
pub use ropewalk_sim::{
    ContactReport, ContactSide, Energies, PatchReport, State, StepReport, StepStatus, Wrench,
};

/// Vectors and rotations, as in the crate `glam`.
pub mod math {
    pub use glam::{DQuat, DVec3};
}

/// What lies below this crate, for programs that need more than names: models, states, kernels.
pub mod parts {
    pub use ropewalk_body as body;
    pub use ropewalk_linalg as linalg;
    pub use ropewalk_scene as scene;
    pub use ropewalk_sim as sim;
    pub use ropewalk_theory as theory;
}

/// The programs of the page that introduces the project.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
