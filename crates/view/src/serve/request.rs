//! The head of an HTTP request: method, path, and the few headers that matter here.

use std::io::{self, BufRead, Read};

/// Most bytes of a head.
const MOST_BYTES: u64 = 8 << 10;

/// A request without its body: nothing here takes one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Method, such as `GET`.
    pub method: String,
    /// Path with the query.
    pub path: String,
    /// Names in lower case, and values.
    headers: Vec<(String, String)>,
}

/// Why a request is invalid.
#[derive(Debug)]
pub enum Refusal {
    /// The data are not the head of a request.
    Malformed(&'static str),
    /// The connection failed or timed out.
    Io(io::Error),
}

impl Request {
    /// Reads a head.
    pub fn read(stream: &mut impl BufRead) -> Result<Self, Refusal> {
        let mut stream = stream.take(MOST_BYTES);
        let mut line = || {
            let mut bytes = Vec::new();
            stream.read_until(b'\n', &mut bytes).map_err(Refusal::Io)?;
            if bytes.last() != Some(&b'\n') {
                return Err(Refusal::Malformed("the head of the request is cut short, or longer than 8 KB"));
            }
            let text = String::from_utf8(bytes).map_err(|_| Refusal::Malformed("the head is not UTF-8"))?;
            Ok(text.trim_end_matches(['\r', '\n']).to_owned())
        };
        let first = line()?;
        let mut words = first.split(' ');
        let (Some(method), Some(path), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(Refusal::Malformed("expected: METHOD PATH HTTP/1.1"));
        };
        if !version.starts_with("HTTP/1.") {
            return Err(Refusal::Malformed("expected HTTP/1.1"));
        }
        let mut request = Self { method: method.to_owned(), path: path.to_owned(), headers: Vec::new() };
        loop {
            let header = line()?;
            if header.is_empty() {
                return Ok(request);
            }
            let (name, value) = header.split_once(':').ok_or(Refusal::Malformed("a header has no colon"))?;
            request.headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// The value of a header that comes once; `None` also if it comes twice.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str());
        values.next().filter(|_| values.next().is_none())
    }

    /// Whether the request is meant for this server and comes from its own page, or from no page: the right host, the
    /// right origin if there is one, the token at the start of the path.
    pub fn check(&self, port: u16, token: &str) -> Result<(), &'static str> {
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        if !self.header("host").is_some_and(|host| hosts.iter().any(|h| h == host)) {
            return Err("this host is not served here");
        }
        let origin_given = self.headers.iter().any(|(name, _)| name == "origin");
        let own = |origin: &str| hosts.iter().any(|host| origin.strip_prefix("http://") == Some(host));
        if origin_given && !self.header("origin").is_some_and(own) {
            return Err("pages of other origins are not answered");
        }
        let given = self.path.strip_prefix('/').and_then(|path| path.get(..token.len())).unwrap_or("");
        if !same(given, token) {
            return Err("the token in the address is wrong: use the address that the command has printed");
        }
        Ok(())
    }

    /// The path after the token, without the query.
    pub fn rest(&self, token: &str) -> &str {
        let rest = self.path.get(1 + token.len()..).unwrap_or("");
        rest.split('?').next().unwrap_or("")
    }
}

/// Whether two texts agree, in constant time.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (x, y)| sum | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str) -> Result<Request, Refusal> {
        Request::read(&mut text.as_bytes())
    }

    #[test]
    fn only_requests_with_host_and_token_are_let_in() {
        let with = |host: &str, more: &str, path: &str| {
            let request = read(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n")).unwrap();
            request.check(8000, "abcd")
        };
        assert_eq!(with("127.0.0.1:8000", "", "/abcd/"), Ok(()));
        assert_eq!(with("localhost:8000", "Origin: http://localhost:8000\r\n", "/abcd/?x"), Ok(()));
        assert!(with("127.0.0.1:8001", "", "/abcd/").is_err());
        assert!(with("example.org", "", "/abcd/").is_err());
        assert!(with("127.0.0.1:8000", "Host: 127.0.0.1:8000\r\n", "/abcd/").is_err());
        assert!(with("127.0.0.1:8000", "Origin: http://example.org\r\n", "/abcd/").is_err());
        assert!(with("127.0.0.1:8000", "Origin: null\r\n", "/abcd/").is_err());
        for path in ["/", "/abce/", "/abc", "abcd/", "/ABCD/", "/ä"] {
            assert!(with("127.0.0.1:8000", "", path).is_err(), "{path}");
        }
    }

    #[test]
    fn heads_that_are_none_are_refused() {
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(10_000));
        for text in
            ["", "GET", "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost", "GET /\r\n\r\n", "A B C D\r\n\r\n", &long]
        {
            assert!(matches!(read(text), Err(Refusal::Malformed(_))), "{text:.20}");
        }
        let bytes: &[u8] = b"GET /\xff HTTP/1.1\r\n\r\n";
        assert!(Request::read(&mut &*bytes).is_err());
    }
}
