//! Ctrl-C: the run ends after the step under way, and its outputs are completed.

use crate::exit::CommandError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the person, or the system, asks the run to end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens for Ctrl-C and for the system's request to terminate. A second one ends the process at
    /// once.
    pub(crate) fn listen() -> Result<Self, CommandError> {
        let interrupt = Self::default();
        let flag = Arc::clone(&interrupt.0);
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        })
        .map_err(|error| {
            CommandError::input(format!("cannot listen for Ctrl-C: {error}"), "run outside of this shell")
        })?;
        Ok(interrupt)
    }

    /// The flag itself, for what cannot see this type.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Whether the run is to end.
    pub(crate) fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
