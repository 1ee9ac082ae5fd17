//! A scene file as a tree with the source position of each value, and with `--set` overrides applied.

use crate::error::SceneError;
use core::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Most parts of the key of an override; documents are walked by recursion. (The parser has such a bound for files.)
const MOST_KEYS: usize = 64;

/// Source position of a value: the source (0 is the file, i the i-th override) and the bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) source: usize,
    pub(crate) bytes: Range<usize>,
}

/// A value with its source position.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) place: Place,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    String(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Datetime,
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_place: Place,
    pub(crate) node: Node,
}

/// One step of a path: a key or an index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

#[derive(Debug)]
struct Source {
    label: String,
    text: String,
}

/// A parsed scene file with overrides.
#[derive(Debug)]
pub(crate) struct Document {
    sources: Vec<Source>,
    pub(crate) root: Node,
}

impl Document {
    /// Parses `text` and applies `overrides` of the form `path.to.key=value`, in order.
    pub(crate) fn parse(label: &str, text: &str, overrides: &[String]) -> Result<Self, SceneError> {
        let mut sources = vec![Source { label: label.into(), text: text.into() }];
        sources.extend(
            overrides.iter().map(|o| Source { label: format!("--set {}", one_line(o)), text: o.clone() }),
        );
        let root = Node { value: Value::Table(Vec::new()), place: Place { source: 0, bytes: 0..0 } };
        let mut document = Self { sources, root };
        let table = DeTable::parse(text).map_err(|e| document.syntax_error(0, &e))?;
        let place = Place { source: 0, bytes: table.span() };
        document.root = Node { value: convert_table(&document, 0, table.get_ref(), 0)?, place };
        for (i, text) in overrides.iter().enumerate() {
            document.apply(i + 1, text)?;
        }
        Ok(document)
    }

    fn apply(&mut self, source: usize, text: &str) -> Result<(), SceneError> {
        let mistake = |document: &Self, message: &str| {
            document
                .error_at(&Place { source, bytes: 0..text.len() }, "", message)
                .expected("path.to.key=value")
                .hint("for example --set time.dt=1e-4 or --set time.scheme=bdf2")
        };
        let Some(equals) = text.find('=') else {
            return Err(mistake(self, "an override needs a key, an equals sign and a value"));
        };
        let keys: Vec<&str> = text[..equals].split('.').map(str::trim).collect();
        if keys.len() > MOST_KEYS {
            return Err(mistake(self, &format!("the key of an override has more than {MOST_KEYS} parts")));
        }
        if keys.iter().any(|k| k.is_empty()) {
            return Err(mistake(self, "the key of an override has an empty part"));
        }
        let start = equals + 1 + (text[equals + 1..].len() - text[equals + 1..].trim_start().len());
        let written = text[start..].trim_end();
        let whole = Place { source, bytes: start..start + written.len() };
        let mut node = match DeValue::parse(written) {
            Ok(value) => convert(self, source, &value, start)?,
            // A bare word is a string, so that a shell needs no second pair of quotes.
            Err(_) if is_bare_word(written) => {
                Node { value: Value::String(written.into()), place: whole.clone() }
            }
            Err(e) => {
                return Err(mistake(self, &format!("the value is not TOML: {}", one_line(e.message()))));
            }
        };
        node.place = whole;
        let place = Place { source, bytes: 0..text[..equals].trim_end().len().max(1) };
        put(&mut self.root, &keys, 0, &place, node).map_err(|(message, expected)| {
            self.error_at(&place, &keys.join("."), &message).expected(expected)
        })
    }

    /// An error at `place` about the key `key`.
    pub(crate) fn error_at(&self, place: &Place, key: &str, message: &str) -> SceneError {
        let source = &self.sources[place.source.min(self.sources.len() - 1)];
        let start = floor_boundary(&source.text, place.bytes.start);
        let end = floor_boundary(&source.text, place.bytes.end).max(start);
        let before = &source.text[..start];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line_end = source.text[start..].find('\n').map_or(source.text.len(), |i| start + i);
        let count = |text: &str| text.trim_end().chars().count();
        SceneError::without_place(&source.label, message).at(
            before.matches('\n').count() + 1,
            source.text[line_start..start].chars().count() + 1,
            count(&source.text[start..end.min(line_end).max(start)]).max(1),
            source.text[line_start..line_end].trim_end(),
            key,
        )
    }

    fn syntax_error(&self, source: usize, e: &toml::de::Error) -> SceneError {
        let bytes = e.span().unwrap_or(0..0);
        self.error_at(&Place { source, bytes }, "", &format!("not valid TOML: {}", one_line(e.message())))
    }

    /// The node at `path`, or at the longest existing part of it; and whether the whole path exists.
    pub(crate) fn find(&self, path: &[Step]) -> (&Node, Place, bool) {
        let mut node = &self.root;
        let mut place = node.place.clone();
        for step in path {
            match (step, &node.value) {
                (Step::Key(key), Value::Table(entries)) => match entries.iter().find(|e| e.key == *key) {
                    Some(entry) => {
                        node = &entry.node;
                        place = match node.value {
                            Value::Table(_) => entry.key_place.clone(),
                            _ => node.place.clone(),
                        };
                    }
                    None => return (node, place, false),
                },
                (Step::Index(i), Value::Array(items)) if *i < items.len() => {
                    node = &items[*i];
                    place = node.place.clone();
                }
                _ => return (node, place, false),
            }
        }
        (node, place, true)
    }

    /// An error about the value at the dotted `path` (as [`path`] reads it), or about the nearest table
    /// around it if the key is absent.
    pub(crate) fn error(&self, steps: &[Step], message: &str) -> SceneError {
        let (_, place, _) = self.find(steps);
        self.error_at(&place, &path_text(steps), message)
    }

    /// The document as plain TOML values, for deserialising.
    pub(crate) fn to_toml(&self) -> toml::Value {
        plain(&self.root)
    }
}

/// A path from words; numbers are indices only where [`Step::Index`] is meant, so they stay keys here.
pub(crate) fn path(words: &[&str]) -> Vec<Step> {
    words.iter().map(|w| Step::Key((*w).into())).collect()
}

/// A path as text: `rod.rope.curve.spline.points[3]`.
pub(crate) fn path_text(steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        match step {
            Step::Key(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(key);
            }
            Step::Index(i) => out.push_str(&format!("[{i}]")),
        }
    }
    out
}

/// Inserts `value` at `keys[depth..]` under `node`, creating tables as needed. The error says what is wrong and what
/// was expected.
fn put(
    node: &mut Node,
    keys: &[&str],
    depth: usize,
    place: &Place,
    value: Node,
) -> Result<(), (String, String)> {
    let Some(key) = keys.get(depth) else {
        *node = value;
        return Ok(());
    };
    let here = || keys[..depth].join(".");
    match &mut node.value {
        Value::Table(entries) => {
            let at = entries.iter().position(|e| e.key == *key).unwrap_or(entries.len());
            if at == entries.len() {
                let table = Node { value: Value::Table(Vec::new()), place: place.clone() };
                entries.push(Entry { key: (*key).into(), key_place: place.clone(), node: table });
            }
            if depth + 1 == keys.len() {
                entries[at].key_place = place.clone();
            }
            put(&mut entries[at].node, keys, depth + 1, place, value)
        }
        // An index into an array, as in rod.a.curve.line.to.2=0.1.
        Value::Array(items) => match key.parse::<usize>().ok().filter(|&i| i < items.len()) {
            Some(i) => put(&mut items[i], keys, depth + 1, place, value),
            None => Err((
                format!("`{}` is an array of {} entries", here(), items.len()),
                format!("an index below {}, or the whole array as value", items.len()),
            )),
        },
        _ => Err((format!("`{}` is a value, not a table", here()), format!("--set {}=…", here()))),
    }
}

fn is_bare_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
}

fn one_line(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join(" ")
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Turns a parsed table into ours. Spans count from `offset` in the source.
fn convert_table(
    document: &Document,
    source: usize,
    table: &DeTable<'_>,
    offset: usize,
) -> Result<Value, SceneError> {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        let span = key.span();
        entries.push(Entry {
            key: key.get_ref().to_string(),
            key_place: Place { source, bytes: span.start + offset..span.end + offset },
            node: convert(document, source, value, offset)?,
        });
    }
    // The order of the file, so that the first mistake in it is the one reported.
    entries.sort_by_key(|e| e.key_place.bytes.start);
    Ok(Value::Table(entries))
}

fn convert(
    document: &Document,
    source: usize,
    value: &Spanned<DeValue<'_>>,
    offset: usize,
) -> Result<Node, SceneError> {
    let span = value.span();
    let place = Place { source, bytes: span.start + offset..span.end + offset };
    let unreadable = |what: &str| document.error_at(&place, "", what);
    let value = match value.get_ref() {
        DeValue::String(s) => Value::String(s.to_string()),
        DeValue::Integer(i) => Value::Integer(
            i64::from_str_radix(i.as_str(), i.radix())
                .map_err(|_| unreadable("this integer is too large"))?,
        ),
        DeValue::Float(f) => {
            Value::Float(f.as_str().parse().map_err(|_| unreadable("this number cannot be read"))?)
        }
        DeValue::Boolean(b) => Value::Boolean(*b),
        DeValue::Datetime(_) => Value::Datetime,
        DeValue::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| convert(document, source, item, offset))
                .collect::<Result<_, SceneError>>()?,
        ),
        DeValue::Table(table) => convert_table(document, source, table, offset)?,
    };
    Ok(Node { value, place })
}

fn plain(node: &Node) -> toml::Value {
    match &node.value {
        Value::String(s) => toml::Value::String(s.clone()),
        Value::Integer(i) => toml::Value::Integer(*i),
        Value::Float(f) => toml::Value::Float(*f),
        Value::Boolean(b) => toml::Value::Boolean(*b),
        Value::Datetime => toml::Value::String(String::new()),
        Value::Array(items) => toml::Value::Array(items.iter().map(plain).collect()),
        Value::Table(entries) => {
            toml::Value::Table(entries.iter().map(|e| (e.key.clone(), plain(&e.node))).collect())
        }
    }
}
