//! Checks names, which become parts of the names of arrays and columns and so must be unique.

use super::Builder;
use crate::error::SceneError;
use std::collections::BTreeMap;

/// Most bytes of a name.
const MOST_BYTES: usize = 200;

impl Builder<'_> {
    /// Rejects names that cannot be part of a path (`rope/q`), and a body and a robot of the same name, which share
    /// one list.
    pub(super) fn names(&self) -> Result<(), SceneError> {
        let spec = self.spec;
        self.check_names("rod", &spec.rod)?;
        self.check_names("body", &spec.body)?;
        self.check_names("robot", &spec.robot)?;
        self.check_names("clamp", &spec.clamp)?;
        self.check_names("attach", &spec.attach)?;
        self.check_names("junction", &spec.junction)?;
        self.check_names("actuator", &spec.actuator)?;
        self.check_names("end_effector", &spec.end_effector)?;
        match spec.robot.keys().find(|name| spec.body.contains_key(*name)) {
            Some(name) => Err(self
                .error(&["robot", name], &format!("a body is called \"{name}\" too"))
                .hint("give one of them another name")),
            None => Ok(()),
        }
    }

    fn check_names<T>(&self, kind: &str, things: &BTreeMap<String, T>) -> Result<(), SceneError> {
        for name in things.keys() {
            let bad = |what: &str| {
                let error = self.error(&[kind, name], &format!("the name of a {kind} {what}"));
                Err(error.expected("a name without slashes and control characters"))
            };
            if name.is_empty() {
                return bad("is empty");
            }
            if name.len() > MOST_BYTES {
                return bad(&format!("has {} bytes, at most {MOST_BYTES} are allowed", name.len()));
            }
            if name.contains(['/', '\\']) || name.chars().any(char::is_control) {
                return bad("has a slash or a control character");
            }
            if name == "." || name == ".." {
                return bad("is that of a folder");
            }
        }
        Ok(())
    }
}
