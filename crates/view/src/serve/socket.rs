//! A web socket (RFC 6455) between a browser and a [`Hub`].

use super::hub::Hub;
use super::request::Request;
use std::io::{self, ErrorKind, Write};
use std::net::TcpStream;
use std::time::Duration;
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// Most bytes of a message from a browser.
const MOST_BYTES: usize = 16 << 10;
/// Interval at which the thread of a client alternates between listening and sending.
const LISTEN: Duration = Duration::from_millis(8);
/// Timeout of a client that does not receive.
const PATIENCE: Duration = Duration::from_secs(10);
/// Number of invalid commands after which a client is disconnected.
const MOST_ERRORS: usize = 50;

/// Whether `request` asks for a web socket from a page of this server: one that names its origin, which the caller has
/// checked.
pub(super) fn is_asked_for(request: &Request) -> bool {
    let is = |name: &str, value: &str| {
        request.header(name).is_some_and(|v| v.to_ascii_lowercase().contains(value))
    };
    is("upgrade", "websocket")
        && is("connection", "upgrade")
        && request.header("sec-websocket-version") == Some("13")
        && request.header("sec-websocket-key").is_some()
        && request.header("origin").is_some()
}

/// Answers `request` and serves the client until it disconnects.
pub(super) fn serve(mut stream: TcpStream, request: &Request, hub: &Hub) -> io::Result<()> {
    let key = derive_accept_key(request.header("sec-websocket-key").unwrap_or_default().as_bytes());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {key}\r\n\r\n"
    );
    stream.write_all(answer.as_bytes())?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(LISTEN))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let config =
        WebSocketConfig::default().max_message_size(Some(MOST_BYTES)).max_frame_size(Some(MOST_BYTES));
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
    let Some(id) = hub.join() else {
        let _ = socket
            .send(Message::text("{\"kind\":\"error\",\"text\":\"too many pages look at this simulation\"}"));
        let _ = socket.close(None);
        return Ok(());
    };
    // However the exchange ends, even by an oversized message, the simulation continues.
    let _ = exchange(&mut socket, hub, id);
    hub.leave(id);
    let _ = socket.close(None);
    let _ = socket.flush();
    Ok(())
}

fn exchange(socket: &mut WebSocket<TcpStream>, hub: &Hub, id: u64) -> Result<(), Error> {
    let mut errors = 0;
    loop {
        let pending = hub.take_pending(id);
        for note in pending.notes {
            socket.send(Message::text(&*note))?;
        }
        if let Some(frame) = pending.frame {
            socket.send(Message::binary(frame.to_vec()))?;
        }
        match socket.read() {
            Ok(Message::Text(text)) => {
                if let Err(why) = hub.ask(id, &text) {
                    errors += 1;
                    let note = serde_json::json!({ "kind": "error", "text": why });
                    socket.send(Message::text(note.to_string()))?;
                }
            }
            Ok(Message::Binary(_)) => errors += 1,
            Ok(Message::Close(_)) => return Ok(()),
            Ok(_) => {}
            Err(Error::Io(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
        if errors > MOST_ERRORS {
            return Ok(());
        }
    }
}
