//! Builds functions of time.

use super::Builder;
use crate::document::Step;
use crate::error::SceneError;
use crate::spec::{FunctionShapeSpec, FunctionSpec, InterpolationSpec};
use ropewalk_sim::{Interpolation, TimeFunction};

impl Builder<'_> {
    /// The function at `steps` in the file.
    pub(super) fn function(&self, steps: &[Step], spec: &FunctionSpec) -> Result<TimeFunction, SceneError> {
        let shape = match spec {
            FunctionSpec::Constant(value) => return Ok(TimeFunction::Constant(*value)),
            FunctionSpec::Shape(shape) => shape,
        };
        let at = |words: [&str; 2]| {
            let mut all = steps.to_vec();
            all.extend(words.map(|w| Step::Key(w.into())));
            all
        };
        Ok(match shape {
            FunctionShapeSpec::Ramp(ramp) => {
                if ramp.times[1] <= ramp.times[0] {
                    return Err(self
                        .document
                        .error(&at(["ramp", "times"]), "this ramp ends before it starts")
                        .expected("two times in s, the second later"));
                }
                TimeFunction::Ramp {
                    times: ramp.times,
                    values: ramp.values,
                    interpolation: interpolation(ramp.interpolation),
                }
            }
            FunctionShapeSpec::Sine(sine) => TimeFunction::Sine {
                amplitude: sine.amplitude,
                frequency: sine.frequency,
                phase: sine.phase,
                offset: sine.offset,
            },
            FunctionShapeSpec::Table(table) => {
                if table.times.len() != table.values.len() {
                    return Err(self
                        .document
                        .error(
                            &at(["table", "values"]),
                            &format!("{} values for {} times", table.values.len(), table.times.len()),
                        )
                        .expected("as many values as times"));
                }
                if table.times.windows(2).any(|t| t[1] <= t[0]) {
                    return Err(self
                        .document
                        .error(&at(["table", "times"]), "these times do not increase")
                        .expected("times in s, each later than the one before"));
                }
                TimeFunction::Table {
                    times: table.times.clone(),
                    values: table.values.clone(),
                    interpolation: interpolation(table.interpolation),
                }
            }
        })
    }
}

fn interpolation(spec: InterpolationSpec) -> Interpolation {
    match spec {
        InterpolationSpec::Linear => Interpolation::Linear,
        InterpolationSpec::Smooth => Interpolation::Smooth,
        InterpolationSpec::Hold => Interpolation::Hold,
    }
}
