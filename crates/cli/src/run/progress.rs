//! Progress of a run: simulated time, its ratio to wall-clock time, remaining time. On standard error, if that is a
//! terminal.

use crate::number::significant;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// Least interval between updates of the line.
const INTERVAL: Duration = Duration::from_millis(100);

/// A progress line.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// When the run ends, in s; not finite if it has no end.
    duration: f64,
    /// The clock and the simulated time at the first step.
    start: Option<(Instant, f64)>,
    shown: Instant,
}

impl Progress {
    /// For a run of `steps` steps that ends at `duration` (s).
    pub(crate) fn new(steps: u64, duration: f64, hidden: bool) -> Self {
        let bar = if hidden { ProgressBar::hidden() } else { ProgressBar::new(steps) };
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {percent:>3} %  {msg}, {eta} left") {
            bar.set_style(style);
        }
        Self { bar, duration, start: None, shown: Instant::now() }
    }

    /// After step number `steps`, at `time` (s).
    pub(crate) fn show(&mut self, steps: u64, time: f64) {
        let now = Instant::now();
        let (started, from) = *self.start.get_or_insert((now, time));
        if self.bar.is_hidden() || now.duration_since(self.shown) < INTERVAL {
            return;
        }
        self.shown = now;
        let elapsed = now.duration_since(started).as_secs_f64();
        // Before the position, which draws the line: the first one has words too.
        self.bar.set_message(words(time, self.duration, time - from, elapsed));
        self.bar.set_position(steps);
    }

    /// Erases the line.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// At `time` of `duration` (s), after `simulated` s in `elapsed` s of the clock.
fn words(time: f64, duration: f64, simulated: f64, elapsed: f64) -> String {
    let mut text = format!("{} of {} s", significant(time, 4), significant(duration, 4));
    if elapsed > 0.0 && simulated > 0.0 {
        text += &format!(", {} times real time", significant(simulated / elapsed, 2));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn the_line_says_the_time_and_the_rate() {
        assert_eq!(words(1.25, 10.0, 1.0, 4.0), "1.25 of 10 s, 0.25 times real time");
        assert_eq!(words(0.0, 2.0, 0.0, 0.0), "0 of 2 s");
    }
}
