//! Estimated cost of a run: see [`ropewalk_scene::estimate`].

use crate::number::{seconds, with_prefix};
use ropewalk_scene::Scene;
use serde::Serialize;

/// Memory and time of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Cost {
    /// Bytes of memory, approximately.
    pub(crate) memory_bytes: f64,
    /// Seconds per step on one thread, approximately; more with many contacts.
    pub(crate) step_s: f64,
    /// Steps of the run.
    pub(crate) steps: f64,
}

impl Cost {
    /// The cost of `scene`.
    pub(crate) fn of(scene: &Scene) -> Self {
        let estimate = &scene.estimate;
        Self {
            memory_bytes: estimate.memory_bytes,
            step_s: estimate.step_seconds,
            steps: (scene.duration / scene.model.settings.dt).ceil(),
        }
    }

    /// As text.
    pub(crate) fn render(&self) -> String {
        format!(
            "\nAbout {} of memory, {} for a step; {} steps, {} (the order of magnitude; more where much touches)\n",
            with_prefix(rounded(self.memory_bytes), 1, "B"),
            with_prefix(rounded(self.step_s), 1, "s"),
            self.steps,
            seconds(rounded(self.steps * self.step_s)),
        )
    }
}

/// One digit, the accuracy of the estimate.
fn rounded(value: f64) -> f64 {
    let unit = 10_f64.powf(value.abs().max(f64::MIN_POSITIVE).log10().floor());
    (value / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn one_digit_is_kept() {
        assert_eq!([4.8e6, 0.0, 149.0].map(rounded), [5e6, 0.0, 100.0]);
    }
}
