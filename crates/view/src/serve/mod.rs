//! A local server for pages.
//!
//! The server listens on the loopback interface only. A path begins with a random token, so that other programs and
//! pages of other sites cannot ask for it; `Host` and `Origin` are checked, so that other host names cannot be used
//! (DNS rebinding). One thread a connection, bounded in number, time and size.
//!
//! | module | contents |
//! |---|---|
//! | [`request`] | the head of a request |
//! | [`hub`] | messages between a running simulation and its viewers |
//! | `socket` | their transport: a web socket |

pub mod hub;
pub mod request;
mod socket;

use hub::Hub;
use request::{Refusal, Request};
use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Most connections at a time.
const MOST_CONNECTIONS: usize = 16;
/// Timeout of a silent client.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server that has its port.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
}

impl Server {
    /// Binds `port`, or any free port if it is 0.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port, token: random_token()? })
    }

    /// The URL of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Serves `page` until the process ends; with a `hub`, also its messages.
    pub fn start(self, page: String, hub: Option<Arc<Hub>>) -> io::Result<()> {
        let site = Arc::new(Site { port: self.port, token: self.token, page, hub });
        let connections = Arc::new(AtomicUsize::new(0));
        thread::Builder::new().name("page".to_owned()).spawn(move || {
            // A connection that fails early does not affect others.
            for stream in self.listener.incoming().flatten() {
                if connections.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
                    let _ = answer(&stream, "503 Service Unavailable", "too many connections\n");
                    continue;
                }
                let (site, guard) = (Arc::clone(&site), Counted::new(&connections));
                let serve = move || {
                    let _guard = guard;
                    // A browser that disconnects is not an error.
                    let _ = site.serve(stream);
                };
                let _ = thread::Builder::new().name("page client".to_owned()).spawn(serve);
            }
        })?;
        Ok(())
    }
}

/// Counts itself while it lives.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The served content.
struct Site {
    port: u16,
    token: String,
    page: String,
    hub: Option<Arc<Hub>>,
}

impl Site {
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let request = match Request::read(&mut BufReader::new(&stream)) {
            Ok(request) => request,
            Err(Refusal::Malformed(what)) => return answer(&stream, "400 Bad Request", &format!("{what}\n")),
            Err(Refusal::Io(error)) => return Err(error),
        };
        if let Err(what) = request.check(self.port, &self.token) {
            return answer(&stream, "403 Forbidden", &format!("{what}\n"));
        }
        match (request.method.as_str(), request.rest(&self.token), &self.hub) {
            ("GET", "/", _) => page(&stream, &self.page),
            ("GET", "/live", Some(hub)) if socket::is_asked_for(&request) => {
                socket::serve(stream, &request, hub)
            }
            ("GET", "/live", Some(_)) => answer(&stream, "400 Bad Request", "expected a web socket\n"),
            ("GET", ..) => answer(&stream, "404 Not Found", "there is only the page\n"),
            _ => answer(&stream, "405 Method Not Allowed", "expected GET\n"),
        }
    }
}

const HEADERS: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n";

fn page(mut stream: &TcpStream, page: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n{HEADERS}\r\n",
        page.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(page.as_bytes())
}

fn answer(mut stream: &TcpStream, status: &str, words: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n{HEADERS}\r\n{words}",
        words.len()
    );
    stream.write_all(head.as_bytes())
}

/// 128 random bits as hexadecimal digits.
fn random_token() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
