//! Ctrl-C, and requests of the system to end: the run ends after the step under way, and its outputs are completed.

use crate::console;
use crate::exit::CommandError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Longest wait for the present step after the request.
const PATIENCE: Duration = Duration::from_secs(10);

/// Set once the user or the system asks the run to end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    requested: Arc<AtomicBool>,
    /// Whether the run has seen it.
    seen: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens for Ctrl-C, SIGTERM and SIGHUP. A second one ends the process at once.
    pub(crate) fn listen() -> Result<Self, CommandError> {
        Self::listening(None)
    }

    /// The same for a run: if the present step does not end, the process does, after [`PATIENCE`]. Its recording is
    /// written continuously, and is readable up to the last frame.
    pub(crate) fn listen_with_patience() -> Result<Self, CommandError> {
        Self::listening(Some(PATIENCE))
    }

    fn listening(patience: Option<Duration>) -> Result<Self, CommandError> {
        let interrupt = Self::default();
        let Self { requested, seen } = interrupt.clone();
        ctrlc::set_handler(move || {
            if requested.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            let seen = Arc::clone(&seen);
            let Some(patience) = patience else { return };
            // The listening thread must not block.
            std::thread::spawn(move || {
                std::thread::sleep(patience);
                if !seen.load(Ordering::SeqCst) {
                    console::say(&format!(
                        "error: the step under way did not end within {} s; it is given up. A recording is readable up to \
                         its last frame",
                        patience.as_secs()
                    ));
                    std::process::exit(130);
                }
            });
        })
        .map_err(|error| {
            CommandError::input(format!("cannot listen for Ctrl-C: {error}"), "run outside of this shell")
        })?;
        Ok(interrupt)
    }

    /// The flag itself, for code without access to this type.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.requested
    }

    /// Whether the run is to end.
    pub(crate) fn requested(&self) -> bool {
        let requested = self.requested.load(Ordering::Relaxed);
        if requested {
            self.seen.store(true, Ordering::SeqCst);
        }
        requested
    }
}

/// A file that reaches the limit of its size (`ulimit -f`) is an error of that file; by default the system would end
/// the process silently.
pub(crate) fn survive_file_limits() {
    #[cfg(unix)]
    {
        // If it cannot be done, the default stays.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}
