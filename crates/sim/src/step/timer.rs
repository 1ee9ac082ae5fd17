//! Timers of the stages.

use std::time::Instant;

/// Adds the time until it is dropped to the seconds of a stage.
pub(in crate::step) struct Timer<'a> {
    seconds: &'a mut f64,
    started: Instant,
}

impl<'a> Timer<'a> {
    pub(in crate::step) fn start(seconds: &'a mut f64) -> Self {
        Self { seconds, started: Instant::now() }
    }
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        *self.seconds += self.started.elapsed().as_secs_f64();
    }
}

/// Seconds since `clock`, which starts anew.
pub(in crate::step) fn lap(clock: &mut Instant) -> f64 {
    let now = Instant::now();
    let seconds = now.duration_since(*clock).as_secs_f64();
    *clock = now;
    seconds
}
