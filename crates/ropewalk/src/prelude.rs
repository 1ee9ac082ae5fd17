//! What most programs need: `use ropewalk::prelude::*;`.

pub use crate::math::{DQuat, DVec3};
pub use crate::{
    Actuator, Attachment, AttachmentEnd, Batch, Body, Clamp, Contact, Controller, Curve, EndEffector, Error,
    Hold, Joint, Load, Material, Measure, Motion, Place, Recording, Rest, Robot, Rod, Rotation, Section,
    Shape, TimeFunction, World,
};
