//! The XML of a URDF with source positions.
//!
//! `urdf-rs` does not keep source positions and fills in defaults silently, so the file is parsed here, with
//! `roxmltree`.
//!
//! Files may be hostile: documents with a DTD (entities that expand without bound) are rejected, the number of nodes
//! is bounded, and nothing here recurses into the depth of the document.

use crate::error::SceneError;
use core::ops::Range;
use roxmltree::{Document, Node, ParsingOptions};

/// Largest file in bytes.
pub(crate) const MOST_BYTES: usize = 1 << 26;
/// Most nodes of the document: elements, texts, comments.
const MOST_NODES: u32 = 1 << 21;

/// The text of a URDF, and where its lines start.
pub(crate) struct Source<'a> {
    label: &'a str,
    text: &'a str,
    line_starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(label: &'a str, text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self { label, text, line_starts: core::iter::once(0).chain(breaks).collect() }
    }

    /// The document of this text.
    pub(crate) fn parse(&self) -> Result<Document<'a>, SceneError> {
        if self.text.len() > MOST_BYTES {
            let message = format!("this file is too large ({} bytes)", self.text.len());
            return Err(SceneError::without_place(self.label, message)
                .expected(format!("at most {MOST_BYTES} bytes of URDF")));
        }
        let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
        Document::parse_with_options(self.text, options).map_err(|e| self.bad_xml(&e))
    }

    fn bad_xml(&self, error: &roxmltree::Error) -> SceneError {
        use roxmltree::Error::{DtdDetected, NodesLimitReached, UnknownNamespace};
        // The position that the message ends in is shown by the place.
        let words = error.to_string();
        let words = words.rsplit_once(" at ").map_or(words.as_str(), |(before, _)| before);
        let position = error.pos();
        // Errors that concern the whole document say 1:1.
        let line = (position.row as usize).clamp(1, self.line_starts.len());
        let (column, source_line) = (position.col as usize, self.line_text(line));
        let bad = SceneError::without_place(self.label, format!("this is no well-formed XML: {words}")).at(
            line,
            column.max(1),
            1,
            source_line,
            "",
        );
        match error {
            DtdDetected => {
                SceneError::without_place(self.label, "a document type (<!DOCTYPE …>) is not read in a URDF")
                    .hint("take it out and write its entities out")
            }
            NodesLimitReached => SceneError::without_place(
                self.label,
                format!("this file has more than {MOST_NODES} XML nodes, which no robot needs"),
            ),
            UnknownNamespace(prefix, _) => {
                bad.hint(format!("declare it: <robot xmlns:{prefix}=\"…\">, or take those elements out"))
            }
            _ => bad,
        }
    }

    /// The line of a byte of the text, from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    fn line_text(&self, line: usize) -> &'a str {
        let start = self.line_starts.get(line - 1).copied().unwrap_or(self.text.len());
        self.text[start..].lines().next().unwrap_or("")
    }

    /// An error at a range of bytes, in the element called `key`.
    pub(crate) fn error(&self, range: Range<usize>, key: &str, message: impl Into<String>) -> SceneError {
        let line = self.line(range.start);
        let source_line = self.line_text(line);
        let start = self.line_starts[line - 1];
        let column = self.text[start..range.start].chars().count() + 1;
        let end = range.end.min(start + source_line.len()).max(range.start);
        let width = self.text[range.start..end].chars().count().clamp(1, 80);
        SceneError::without_place(self.label, message).at(line, column, width, source_line, key)
    }

    /// An error without a place.
    pub(crate) fn error_of_file(&self, message: impl Into<String>) -> SceneError {
        SceneError::without_place(self.label, message)
    }
}

/// An element as messages name it, from the outermost: `link "upper" > inertial > mass`.
pub(crate) fn path_of(node: Node<'_, '_>) -> String {
    let mut words: Vec<String> = node
        .ancestors()
        .filter(|n| n.is_element() && n.parent_element().is_some())
        // Elements deeper than in any URDF are cut.
        .take(8)
        .map(|n| match n.attribute("name") {
            Some(name) => format!("{} {name:?}", n.tag_name().name()),
            None => n.tag_name().name().to_owned(),
        })
        .collect();
    words.reverse();
    words.join(" > ")
}
