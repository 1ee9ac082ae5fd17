//! Messages between a running simulation and its viewers.
//!
//! The simulation never waits: it writes the newest frame to a slot for each client and takes pending commands. The
//! slot of a slow client is overwritten, so it loses frames. The first client may send commands; the others only
//! watch.

use crate::command::Command;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most clients at a time.
pub const MOST_CLIENTS: usize = 8;
/// Most pending commands.
const MOST_COMMANDS: usize = 256;
/// Most pending notes of a client.
const MOST_NOTES: usize = 64;

/// Between the simulation and its clients.
#[derive(Debug, Default)]
pub struct Hub {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    clients: Vec<Client>,
    next_id: u64,
    commands: VecDeque<Command>,
    /// The first message to a client.
    hello: Arc<str>,
    /// The newest frame, for a client that connects while the simulation is paused.
    last_frame: Option<Arc<[u8]>>,
    /// The newest status.
    status: Option<Arc<str>>,
}

#[derive(Debug)]
struct Client {
    id: u64,
    commands: bool,
    frame: Option<Arc<[u8]>>,
    notes: VecDeque<Arc<str>>,
}

/// Pending messages of a client.
#[derive(Debug, Default)]
pub struct Pending {
    /// Texts, in order.
    pub notes: Vec<Arc<str>>,
    /// The newest frame.
    pub frame: Option<Arc<[u8]>>,
}

impl Hub {
    /// A hub that first sends `hello`, a JSON object, to each client.
    pub fn new(hello: &str) -> Self {
        let inner = Inner { hello: hello.into(), ..Inner::default() };
        Self { inner: Mutex::new(inner) }
    }

    // The data stay consistent if a thread panics: every change is a single one.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a client and returns its number. `None` if there are too many.
    pub fn join(&self) -> Option<u64> {
        let mut inner = self.lock();
        if inner.clients.len() >= MOST_CLIENTS {
            return None;
        }
        let id = inner.next_id;
        inner.next_id += 1;
        let commands = !inner.clients.iter().any(|client| client.commands);
        let role: Arc<str> = format!("{{\"kind\":\"role\",\"commands\":{commands}}}").into();
        let notes = [Arc::clone(&inner.hello), role].into_iter().chain(inner.status.clone()).collect();
        let frame = inner.last_frame.clone();
        inner.clients.push(Client { id, commands, frame, notes });
        Some(id)
    }

    /// Removes a client. If it was the one that may send commands, the next may.
    pub fn leave(&self, id: u64) {
        let mut inner = self.lock();
        let commanded = inner.clients.iter().any(|client| client.id == id && client.commands);
        inner.clients.retain(|client| client.id != id);
        if commanded {
            // Release whatever it had grabbed.
            inner.commands.push_back(Command::LetGo);
            if let Some(next) = inner.clients.first_mut() {
                next.commands = true;
                next.notes.push_back("{\"kind\":\"role\",\"commands\":true}".into());
            }
        }
    }

    /// Takes the pending messages of a client.
    pub fn take_pending(&self, id: u64) -> Pending {
        let mut inner = self.lock();
        let client = inner.clients.iter_mut().find(|client| client.id == id);
        client.map_or_else(Pending::default, |client| Pending {
            notes: client.notes.drain(..).collect(),
            frame: client.frame.take(),
        })
    }

    /// Adds a command of a client. The error says why it is rejected.
    pub fn ask(&self, id: u64, text: &str) -> Result<(), String> {
        let command = Command::parse(text)?;
        let mut inner = self.lock();
        if !inner.clients.iter().any(|client| client.id == id && client.commands) {
            return Err("another page commands this simulation; this one looks on".to_owned());
        }
        // Of moves of the pointer only the last counts.
        if matches!(command, Command::Drag { .. })
            && matches!(inner.commands.back(), Some(Command::Drag { .. }))
        {
            inner.commands.pop_back();
        }
        if inner.commands.len() >= MOST_COMMANDS {
            return Err("too many commands at once".to_owned());
        }
        inner.commands.push_back(command);
        Ok(())
    }

    /// Takes the pending commands.
    pub fn take_commands(&self) -> Vec<Command> {
        self.lock().commands.drain(..).collect()
    }

    /// Publishes a new frame.
    pub fn publish_frame(&self, frame: Vec<u8>) {
        let frame: Arc<[u8]> = frame.into();
        let mut inner = self.lock();
        for client in &mut inner.clients {
            client.frame = Some(Arc::clone(&frame));
        }
        inner.last_frame = Some(frame);
    }

    /// Sends a JSON object to all clients. The last `status` is also sent to later clients.
    pub fn publish_note(&self, note: &str, status: bool) {
        let note: Arc<str> = note.into();
        let mut inner = self.lock();
        for client in &mut inner.clients {
            if client.notes.len() < MOST_NOTES {
                client.notes.push_back(Arc::clone(&note));
            }
        }
        if status {
            inner.status = Some(note);
        }
    }

    /// Whether there is any client.
    pub fn is_watched(&self) -> bool {
        !self.lock().clients.is_empty()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn slow_clients_lose_frames_and_the_newest_stays() {
        let hub = Hub::new("{}");
        let slow = hub.join().unwrap();
        for k in 0..1000_u16 {
            hub.publish_frame(k.to_le_bytes().into());
        }
        assert_eq!(hub.take_pending(slow).frame.unwrap()[..], 999_u16.to_le_bytes());
        assert!(hub.take_pending(slow).frame.is_none());
        for _ in 0..1000 {
            hub.publish_note("{}", false);
        }
        assert_eq!(hub.take_pending(slow).notes.len(), MOST_NOTES);
    }

    #[test]
    fn one_client_commands_and_the_next_follows_it() {
        let hub = Hub::new("{}");
        let (first, second) = (hub.join().unwrap(), hub.join().unwrap());
        let pause = r#"{"command":"pause"}"#;
        assert_eq!(hub.ask(first, pause), Ok(()));
        assert!(hub.ask(second, pause).unwrap_err().contains("another page"));
        assert_eq!(hub.take_commands(), [Command::Pause]);
        hub.leave(first);
        assert_eq!(hub.ask(second, pause), Ok(()));
        assert_eq!(hub.take_commands(), [Command::LetGo, Command::Pause]);
        assert!(hub.ask(first, pause).is_err());
        for _ in 1..MOST_CLIENTS {
            hub.join().unwrap();
        }
        assert_eq!(hub.join(), None);
    }

    #[test]
    fn commands_are_bounded_and_of_drags_the_last_counts() {
        let hub = Hub::new("{}");
        let id = hub.join().unwrap();
        for k in 0..1000 {
            assert_eq!(hub.ask(id, &format!(r#"{{"command":"drag","point":[{k},0,0]}}"#)), Ok(()));
        }
        assert_eq!(hub.take_commands(), [Command::Drag { point: [999.0, 0.0, 0.0] }]);
        let refused = (0..1000).filter(|_| hub.ask(id, r#"{"command":"reset"}"#).is_err()).count();
        assert_eq!(refused, 1000 - MOST_COMMANDS);
        assert!(hub.ask(id, "{").is_err());
    }
}
