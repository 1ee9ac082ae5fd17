//! The page, with or without a run in it.

/// The page as `viewer/` builds it.
pub const PAGE: &str = include_str!("../assets/page.html");

/// Placeholder of the run.
const PLACE: &str = "<!--ropewalk-run-->";

/// The page with the run `payload` (see [`crate::payload`]) in it.
///
/// The run is base64: no name of a scene can end the element that holds it.
pub fn with_run(payload: &[u8]) -> String {
    let (before, after) = PAGE.split_once(PLACE).unwrap_or((PAGE, ""));
    let mut page = String::with_capacity(PAGE.len() + payload.len() * 4 / 3 + 128);
    page.push_str(before);
    page.push_str("<script type=\"application/octet-stream\" id=\"run\">");
    push_base64(&mut page, payload);
    page.push_str("</script>");
    page.push_str(after);
    page
}

/// The page of a live simulation, which requests frames from its server.
pub fn live() -> String {
    PAGE.replacen(PLACE, "<script type=\"application/json\" id=\"live\">{}</script>", 1)
}

/// Appends `bytes` in base64 (RFC 4648, with padding).
pub fn push_base64(out: &mut String, bytes: &[u8]) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = (at(0) << 16) | (at(1) << 8) | at(2);
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k)) as usize & 63];
            out.push(if k <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut out = String::new();
            push_base64(&mut out, bytes.as_bytes());
            assert_eq!(out, text);
        }
    }

    #[test]
    fn the_page_is_small_and_takes_a_run() {
        assert!(PAGE.len() < 1_000_000, "{} bytes", PAGE.len());
        assert_eq!(PAGE.matches(PLACE).count(), 1);
        let page = with_run(b"</script>");
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count() + 1);
        assert!(page.contains("id=\"run\">PC9zY3JpcHQ+</script>"));
    }
}
