//! The server answers only clients that know the token, and survives any client.

#![allow(clippy::unwrap_used)]

use ropewalk_view::command::Command;
use ropewalk_view::serve::Server;
use ropewalk_view::serve::hub::Hub;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// A server: its address without the scheme (`127.0.0.1:PORT/TOKEN/`), and what it serves.
fn serve() -> (String, Arc<Hub>) {
    let server = Server::bind(0).unwrap();
    let address = server.address().strip_prefix("http://").unwrap().to_owned();
    let hub = Arc::new(Hub::new("{\"kind\":\"hello\"}"));
    server.start("<p>page".to_owned(), Some(Arc::clone(&hub))).unwrap();
    (address, hub)
}

fn ask(host: &str, text: &[u8]) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    // A server that has seen enough may close while we still write.
    let _ = stream.write_all(text);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn connect(address: &str, origin: &str) -> Result<WebSocket<TcpStream>, String> {
    let (host, _) = address.split_once('/').unwrap();
    let mut request = format!("ws://{address}live").into_client_request().unwrap();
    request.headers_mut().insert("Origin", origin.parse().unwrap());
    let stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    tungstenite::client(request, stream).map(|(socket, _)| socket).map_err(|error| error.to_string())
}

#[test]
fn only_the_token_opens_the_page() {
    let (address, _) = serve();
    let (host, path) = address.split_once('/').unwrap();
    let get = |path: &str, more: &str| {
        ask(host, format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n").as_bytes())
    };
    let page = get(&format!("/{path}"), "");
    assert!(page.starts_with("HTTP/1.1 200") && page.ends_with("<p>page"), "{page}");
    assert!(get("/", "").starts_with("HTTP/1.1 403"));
    assert!(get("/00000000000000000000000000000000/", "").starts_with("HTTP/1.1 403"));
    assert!(get(&format!("/{path}"), "Origin: http://example.org\r\n").starts_with("HTTP/1.1 403"));
    assert!(get(&format!("/{path}nothing"), "").starts_with("HTTP/1.1 404"));
    assert!(get(&format!("/{path}live"), "").starts_with("HTTP/1.1 400"));
    let other_host = format!("GET /{path} HTTP/1.1\r\nHost: example.org\r\n\r\n");
    assert!(ask(host, other_host.as_bytes()).starts_with("HTTP/1.1 403"));
    let post = format!("POST /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    assert!(ask(host, post.as_bytes()).starts_with("HTTP/1.1 405"));
    for nonsense in [&b"\r\n\r\n"[..], b"\xff\xfe\r\n\r\n", &[b'x'; 20_000]] {
        assert!(!ask(host, nonsense).starts_with("HTTP/1.1 200"));
    }
    assert!(get(&format!("/{path}"), "").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let first = Server::bind(0).unwrap();
    let port: u16 = first.address().split([':', '/']).nth(4).unwrap().parse().unwrap();
    assert!(Server::bind(port).is_err());
}

#[test]
fn clients_come_command_misbehave_and_go() {
    let (address, hub) = serve();
    let (host, _) = address.split_once('/').unwrap();
    let own = format!("http://{host}");
    assert!(connect(&address, "http://example.org").is_err());
    assert!(connect(&format!("{host}/00000000000000000000000000000000/"), &own).is_err());

    let mut first = connect(&address, &own).unwrap();
    assert_eq!(first.read().unwrap().to_text().unwrap(), "{\"kind\":\"hello\"}");
    assert!(first.read().unwrap().to_text().unwrap().contains("\"commands\":true"));
    let mut second = connect(&address, &own).unwrap();
    second.read().unwrap();
    assert!(second.read().unwrap().to_text().unwrap().contains("\"commands\":false"));

    hub.publish_frame(vec![1, 2, 3]);
    assert_eq!(first.read().unwrap(), Message::binary(vec![1, 2, 3]));
    assert_eq!(second.read().unwrap(), Message::binary(vec![1, 2, 3]));

    second.send(Message::text("{\"command\":\"pause\"}")).unwrap();
    assert!(second.read().unwrap().to_text().unwrap().contains("another page"));
    first.send(Message::text("{\"command\":\"pause\"}")).unwrap();
    first.send(Message::text("nonsense")).unwrap();
    assert!(first.read().unwrap().to_text().unwrap().contains("not a command"));
    assert_eq!(hub.take_commands(), [Command::Pause]);

    // Too much at once: the server lets this client go, and the next one commands.
    let _ = first.send(Message::text("x".repeat(1 << 20)));
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < Duration::from_secs(5));
        if second.read().unwrap().to_text().unwrap_or("").contains("\"commands\":true") {
            break;
        }
    }
    second.send(Message::text("{\"command\":\"resume\"}")).unwrap();
    while !hub.take_commands().contains(&Command::Resume) {
        assert!(started.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(5));
    }
}
