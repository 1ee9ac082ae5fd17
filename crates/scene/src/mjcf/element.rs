//! The XML of an MJCF and of the files that it includes, as one tree of elements with source positions.

use crate::error::SceneError;
use crate::regular_file::read_text;
use crate::urdf::document::{MOST_BYTES, Source};
use core::ops::Range;
use std::path::Path;

/// Deepest nesting of elements, included files and all; what is read here is read by recursion.
const DEEPEST: usize = 200;
/// Most files that one model includes.
const MOST_FILES: usize = 100;

/// An element.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) tag: String,
    /// Names, values and positions of the values.
    attributes: Vec<(String, String, Range<usize>)>,
    pub(super) children: Vec<Element>,
    /// Its file, and the position of its name.
    file: usize,
    range: Range<usize>,
    pub(super) line: usize,
}

impl Element {
    /// The value of an attribute of this element itself.
    pub(super) fn own(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, ..)| n == name).map(|(_, value, _)| value.as_str())
    }

    /// Names of its attributes.
    pub(super) fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|(name, ..)| name.as_str())
    }

    /// Children called `tag`.
    pub(super) fn all<'e>(&'e self, tag: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |c| c.tag == tag)
    }

    /// As messages name it: `joint "elbow"`.
    pub(super) fn words(&self) -> String {
        match self.own("name") {
            Some(name) => format!("{} {name:?}", self.tag),
            None => self.tag.clone(),
        }
    }
}

/// The texts of a model's files.
#[derive(Debug, Default)]
pub(super) struct Files(Vec<(String, String)>);

impl Files {
    /// The root element of `text`, with included files in place of `<include>`.
    pub(super) fn parse(
        &mut self,
        label: &str,
        text: &str,
        folder: Option<&Path>,
    ) -> Result<Element, SceneError> {
        self.parse_below(label, text, folder, 0)
    }

    /// The same of a file whose root stands `depth` elements deep.
    fn parse_below(
        &mut self,
        label: &str,
        text: &str,
        folder: Option<&Path>,
        depth: usize,
    ) -> Result<Element, SceneError> {
        let file = self.0.len();
        self.0.push((label.to_owned(), text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()));
        let (label, text) = self.0[file].clone();
        let source = Source::new(&label, &text);
        let document = source.parse()?;
        self.convert(document.root_element(), &source, file, folder, depth)
    }

    fn convert(
        &mut self,
        node: roxmltree::Node<'_, '_>,
        source: &Source<'_>,
        file: usize,
        folder: Option<&Path>,
        depth: usize,
    ) -> Result<Element, SceneError> {
        let start = node.range().start;
        let tag = node.tag_name().name().to_owned();
        let range = start..(start + 1 + tag.len()).min(node.range().end);
        if depth > DEEPEST {
            return Err(source
                .error(range, &tag, "elements are nested too deeply")
                .expected(format!("at most {DEEPEST}")));
        }
        let attributes = node.attributes();
        let mut out = Element {
            tag,
            attributes: attributes
                .map(|a| (a.name().to_owned(), a.value().to_owned(), a.range_value()))
                .collect(),
            children: Vec::new(),
            file,
            line: source.line(range.start),
            range,
        };
        for child in node.children().filter(|n| n.is_element()) {
            let child = self.convert(child, source, file, folder, depth + 1)?;
            if child.tag == "include" {
                out.children.extend(self.include(&child, folder, depth)?.children);
            } else {
                out.children.push(child);
            }
        }
        Ok(out)
    }

    /// The root of an included file, whose children stand below an element at `depth`.
    fn include(
        &mut self,
        element: &Element,
        folder: Option<&Path>,
        depth: usize,
    ) -> Result<Element, SceneError> {
        let Some(name) = element.own("file") else {
            return Err(self.error(element, "the attribute `file` is missing").hint("add file=\"…\""));
        };
        if self.0.len() >= MOST_FILES {
            return Err(self.error(element, "too many files are included, or one includes itself"));
        }
        let path = folder.unwrap_or(Path::new(".")).join(name);
        let read: usize = self.0.iter().map(|(_, text)| text.len()).sum();
        let text = read_text(&path, MOST_BYTES.saturating_sub(read) as u64).map_err(|e| {
            self.error(element, format!("cannot read {}: {e}", path.display()))
                .hint("names of included files count from the folder of the model")
        })?;
        self.parse_below(name, &text, folder, depth)
    }

    /// An error about an element.
    pub(super) fn error(&self, element: &Element, message: impl Into<String>) -> SceneError {
        self.error_at(element, element.range.clone(), message)
    }

    /// An error about the value of an attribute, if the element has it.
    pub(super) fn error_in(&self, element: &Element, name: &str, message: impl Into<String>) -> SceneError {
        let own = element.attributes.iter().find(|(n, ..)| n == name);
        let range = own.map_or(element.range.clone(), |(_, _, range)| range.clone());
        self.error_at(element, range, message)
    }

    fn error_at(&self, element: &Element, range: Range<usize>, message: impl Into<String>) -> SceneError {
        let (label, text) = &self.0[element.file];
        Source::new(label, text).error(range, &element.words(), message)
    }

    /// `line N`, with the file if it is not the model itself.
    pub(super) fn place(&self, element: &Element) -> String {
        match element.file {
            0 => format!("line {}", element.line),
            file => format!("{} line {}", self.0[file].0, element.line),
        }
    }
}
