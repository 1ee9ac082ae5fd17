//! Motions given as tables: where a clamp or a kinematic body goes over the whole run, one world apart from the next.
//!
//! Other than a command this is part of the model, as if the scene had said so: a reset keeps it, a state does not have it, and commands come on top of it.

use crate::command::motion::finite;
use crate::command::{CommandError, Guided};
use crate::model::{BaseMotion, Hold, Model, Motion};
use crate::time_function::TimeFunction;
use crate::world::World;
use std::sync::Arc;

impl World {
    /// Gives a clamp, or what stands on the base of a tree, another motion from where it is at the start of the run.
    pub fn set_motion(&mut self, thing: Guided, motion: &Motion) -> Result<(), CommandError> {
        self.check_guided(thing)?;
        self.check_motion(thing, motion)?;
        // One copy for the model and the scene where they are the same.
        let shared = Arc::ptr_eq(self.model(), self.scene_model());
        put(Arc::make_mut(self.model_mut()), thing, motion);
        if shared {
            self.share_model();
        } else {
            put(Arc::make_mut(self.scene_mut()), thing, motion);
        }
        Ok(())
    }

    fn check_motion(&self, thing: Guided, motion: &Motion) -> Result<(), CommandError> {
        let name = || self.model().thing_name(thing);
        let unfit = |why: &str, remedy| CommandError::Unfit { thing: name(), why: why.to_owned(), remedy };
        if let Guided::Hand(_) = thing {
            return Err(unfit("an end effector follows poses", "lead it by set_target"));
        }
        finite(name, "axis", &motion.axis.to_array())?;
        if !motion.angle.is_constant() && (motion.axis.length() - 1.0).abs() > 1e-6 {
            return Err(unfit(
                "it turns about an axis that is no unit vector",
                "give a direction of length 1",
            ));
        }
        let turns_alone =
            matches!(thing, Guided::Clamp(c) if matches!(self.model().clamps[c].hold, Hold::Spin(_)));
        if turns_alone && motion.translation.iter().any(|f| !f.is_constant()) {
            return Err(unfit("it holds a twist and no place", "give it an angle alone"));
        }
        for (what, function) in [
            ("translation", &motion.translation[0]),
            ("translation", &motion.translation[1]),
            ("translation", &motion.translation[2]),
            ("angle", &motion.angle),
        ] {
            let TimeFunction::Table { times, values, .. } = function else { continue };
            finite(name, "times", times)?;
            finite(name, what, values)?;
            if times.is_empty() || times.len() != values.len() {
                let (found, expected) = (values.len(), times.len());
                return Err(CommandError::Count { thing: name(), what, found, expected });
            }
            if times.windows(2).any(|w| w[1] <= w[0]) {
                return Err(unfit(
                    "the times of its motion do not increase",
                    "give each time once, in order",
                ));
            }
        }
        Ok(())
    }
}

fn put(model: &mut Model, thing: Guided, motion: &Motion) {
    match thing {
        Guided::Clamp(c) => model.clamps[c].motion = motion.clone(),
        Guided::Link { tree, .. } | Guided::Base(tree) => {
            let base = &mut model.trees[tree].base;
            let start = match base {
                BaseMotion::Driven { start, .. } => *start,
                ref other => other.pose(0.0),
            };
            *base = BaseMotion::Driven { start, motion: motion.clone() };
        }
        // Refused before.
        Guided::Hand(_) => {}
    }
}
