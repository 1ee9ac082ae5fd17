//! A small writer of SVG.

use core::fmt::Write;

/// An SVG under construction. Lengths in px.
#[derive(Debug)]
pub(crate) struct Canvas {
    text: String,
    /// Width.
    pub(crate) width: f64,
    /// Height.
    pub(crate) height: f64,
}

/// Style of a line.
#[derive(Clone, Debug)]
pub(crate) struct Stroke<'a> {
    /// Color, as SVG writes it.
    pub(crate) color: &'a str,
    /// Width.
    pub(crate) width: f64,
    /// Opacity from 0 to 1.
    pub(crate) opacity: f64,
}

/// Alignment of a text at its position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    /// It begins there.
    Start,
    /// It is centered there.
    Middle,
    /// It ends there.
    End,
}

/// Style of a polygon.
pub(crate) struct Fill<'a> {
    /// Color inside.
    pub(crate) color: &'a str,
    /// Color of its edge.
    pub(crate) edge: &'a str,
    /// Width of its edge in px.
    pub(crate) width: f64,
    /// From 0 to 1.
    pub(crate) opacity: f64,
}

// Formatting into a String cannot fail: results of write! are dropped below.
impl Canvas {
    /// An empty white picture.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"system-ui, sans-serif\">"
        );
        let _ = writeln!(text, "<title>{}</title>", escape(title));
        let _ = writeln!(text, "<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\"/>");
        Self { text, width, height }
    }

    /// A line through `points`, and back to the first if it is closed.
    pub(crate) fn polyline(&mut self, points: &[(f64, f64)], closed: bool, stroke: &Stroke) {
        self.text.push_str("<polyline points=\"");
        let back = points.first().filter(|_| closed);
        for (i, (x, y)) in points.iter().chain(back).enumerate() {
            let separator = if i == 0 { "" } else { " " };
            let _ = write!(self.text, "{separator}{x:.2},{y:.2}");
        }
        let _ = write!(
            self.text,
            "\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2}\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\"",
            stroke.color, stroke.width
        );
        if stroke.opacity < 1.0 {
            let _ = write!(self.text, " opacity=\"{:.2}\"", stroke.opacity);
        }
        self.text.push_str("/>\n");
    }

    /// A filled rectangle with its top left at (x, y).
    pub(crate) fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        let _ = writeln!(
            self.text,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"/>"
        );
    }

    /// A filled polygon with an edge.
    pub(crate) fn polygon(&mut self, points: &[(f64, f64)], fill: &Fill) {
        self.text.push_str("<polygon points=\"");
        for (i, (x, y)) in points.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            let _ = write!(self.text, "{separator}{x:.1},{y:.1}");
        }
        let _ = write!(
            self.text,
            "\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{:.2}\" stroke-linejoin=\"round\"",
            fill.color, fill.edge, fill.width
        );
        if fill.opacity < 1.0 {
            let _ = write!(self.text, " opacity=\"{:.2}\"", fill.opacity);
        }
        self.text.push_str("/>\n");
    }

    /// A disc with a white rim.
    pub(crate) fn disc(&mut self, x: f64, y: f64, radius: f64, fill: &str) {
        let _ = writeln!(
            self.text,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" fill=\"{fill}\" stroke=\"#ffffff\" \
             stroke-width=\"1.5\"/>"
        );
    }

    /// A line of text; `y` is its base line.
    pub(crate) fn label(&mut self, x: f64, y: f64, size: f64, color: &str, anchor: Anchor, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" fill=\"{color}\" \
             text-anchor=\"{anchor}\">{}</text>",
            escape(words)
        );
    }

    /// The whole picture.
    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML does not allow other control characters, not even escaped.
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => out.push(c),
        }
    }
    out
}
