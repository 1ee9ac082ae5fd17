//! Checks a document against the JSON schema of scenes, with the place of every mistake.
//!
//! The schema is generated from the types of [`crate::spec`], so this file names no key: what is known, required and
//! in range is written once, at the field.

use crate::claim::former_claim;
use crate::document::{Document, Entry, Node, Step, Value, path_text};
use crate::error::{SceneError, list_names, nearest_name};
use serde_json::Value as Json;

/// Checks `document` against `schema`; the first mistake in the order of the file.
pub(crate) fn check(document: &Document, schema: &Json) -> Result<(), SceneError> {
    let checker = Checker { document, schema };
    checker.node(&document.root, schema, &mut Vec::new())
}

struct Checker<'a> {
    document: &'a Document,
    schema: &'a Json,
}

impl<'a> Checker<'a> {
    fn node(&self, node: &Node, schema: &'a Json, path: &mut Vec<Step>) -> Result<(), SceneError> {
        let mut choices = Vec::new();
        self.choices(schema, &mut choices);
        match &node.value {
            Value::Table(entries) => self.table(node, entries, &choices, path),
            Value::Array(items) => self.array(node, items, &choices, path),
            Value::String(text) => self.string(node, text, &choices, path),
            Value::Integer(i) => self.number(node, *i as f64, true, &choices, path),
            Value::Float(f) => self.number(node, *f, false, &choices, path),
            Value::Boolean(_) if choices.iter().any(|c| has_type(c, "boolean")) => Ok(()),
            Value::Boolean(_) => Err(self.mismatch(node, "true or false", &choices, path)),
            Value::Datetime => Err(self.mismatch(node, "a date", &choices, path)),
        }
    }

    /// Resolves references and unions to schemas of one type each.
    fn choices(&self, schema: &'a Json, out: &mut Vec<&'a Json>) {
        if let Some(name) = schema.get("$ref").and_then(Json::as_str) {
            if let Some(found) = name.strip_prefix('#').and_then(|pointer| self.schema.pointer(pointer)) {
                self.choices(found, out);
            }
            return;
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(all) = schema.get(key).and_then(Json::as_array) {
                all.iter().for_each(|s| self.choices(s, out));
                return;
            }
        }
        out.push(schema);
    }

    fn table(
        &self,
        node: &Node,
        entries: &[Entry],
        choices: &[&'a Json],
        path: &mut Vec<Step>,
    ) -> Result<(), SceneError> {
        let tables: Vec<&Json> = choices.iter().filter(|c| has_type(c, "object")).copied().collect();
        match tables.as_slice() {
            [] => Err(self.mismatch(node, "a table", choices, path)),
            [one] => self.fields(entries, one, path),
            many => {
                // A union of tables: each is identified by its one required key.
                let tags: Vec<&str> = many.iter().filter_map(|t| tag(t)).collect();
                let expected = || format!("exactly one of {}", list_names(tags.iter().copied()));
                for entry in entries {
                    if !tags.contains(&entry.key.as_str()) {
                        return Err(self.unknown_key(entry, &tags, path).expected(expected()));
                    }
                }
                let [entry] = entries else {
                    let Some(late) = entries.iter().find(|e| e.key_place.source > 0) else {
                        let message = match entries.len() {
                            0 => "this table is empty".to_owned(),
                            n => format!("this table has {n} kinds at once"),
                        };
                        return Err(self.at(node, path, &message).expected(expected()));
                    };
                    let key = path_text(path);
                    return Err(self
                        .document
                        .error_at(&late.key_place, &key, &format!("`{key}` has another kind already"))
                        .expected(expected())
                        .hint(format!("replace the whole: --set '{key}={{ {} = … }}'", late.key)));
                };
                match many.iter().find(|t| tag(t) == Some(&entry.key)) {
                    Some(choice) => self.fields(entries, choice, path),
                    None => Err(self.unknown_key(entry, &tags, path).expected(expected())),
                }
            }
        }
    }

    fn fields(&self, entries: &[Entry], schema: &'a Json, path: &mut Vec<Step>) -> Result<(), SceneError> {
        let properties = schema.get("properties").and_then(Json::as_object);
        let others = schema.get("additionalProperties").filter(|s| s.is_object());
        for entry in entries {
            let field = properties.and_then(|p| p.get(&entry.key)).or(others);
            let Some(field) = field else {
                let known: Vec<&str> = properties.iter().flat_map(|p| p.keys()).map(String::as_str).collect();
                return Err(self
                    .unknown_key(entry, &known, path)
                    .expected(format!("one of {}", list_names(known.iter().copied()))));
            };
            path.push(Step::Key(entry.key.clone()));
            self.node(&entry.node, field, path)?;
            path.pop();
        }
        for required in schema.get("required").and_then(Json::as_array).into_iter().flatten() {
            let Some(name) = required.as_str() else { continue };
            if !entries.iter().any(|e| e.key == name) {
                let (_, place, _) = self.document.find(path);
                path.push(Step::Key(name.into()));
                let error =
                    self.document.error_at(&place, &path_text(path), &format!("the key `{name}` is missing"));
                path.pop();
                let about = properties
                    .and_then(|p| p.get(name))
                    .and_then(|s| s.get("description"))
                    .and_then(Json::as_str);
                return Err(match about {
                    Some(text) => error.expected(format!("{name} = …: {}", text.replace('\n', " "))),
                    None => error.expected(format!("{name} = …")),
                });
            }
        }
        Ok(())
    }

    fn array(
        &self,
        node: &Node,
        items: &[Node],
        choices: &[&'a Json],
        path: &mut Vec<Step>,
    ) -> Result<(), SceneError> {
        let Some(schema) = choices.iter().find(|c| has_type(c, "array")) else {
            return Err(self.mismatch(node, "an array", choices, path));
        };
        let bound = |key: &str| schema.get(key).and_then(Json::as_u64).map(|n| n as usize);
        let (least, most) = (bound("minItems"), bound("maxItems"));
        if least.is_some_and(|n| items.len() < n) || most.is_some_and(|n| items.len() > n) {
            let message = format!("this array has {} entries", items.len());
            let expected = match (least, most) {
                (Some(a), Some(b)) if a == b => format!("{a} entries"),
                (Some(a), None) => format!("at least {a} entries"),
                (None, Some(b)) => format!("at most {b} entries"),
                _ => format!("from {} to {} entries", least.unwrap_or(0), most.unwrap_or(0)),
            };
            return Err(self.at(node, path, &message).expected(expected));
        }
        if let Some(item_schema) = schema.get("items") {
            for (i, item) in items.iter().enumerate() {
                path.push(Step::Index(i));
                self.node(item, item_schema, path)?;
                path.pop();
            }
        }
        Ok(())
    }

    fn string(&self, node: &Node, text: &str, choices: &[&'a Json], path: &[Step]) -> Result<(), SceneError> {
        let strings: Vec<&Json> = choices.iter().filter(|c| has_type(c, "string")).copied().collect();
        if strings.is_empty() {
            return Err(self.mismatch(node, "a string", choices, path));
        }
        let mut names = Vec::new();
        for schema in strings {
            match words(schema) {
                Some(mut some) => names.append(&mut some),
                None => return Ok(()),
            }
        }
        if names.contains(&text) {
            return Ok(());
        }
        Err(self
            .at(node, path, &format!("unknown name \"{}\"", shorten(text)))
            .expected(describe(choices))
            .nearest(nearest_name(text, names)))
    }

    fn number(
        &self,
        node: &Node,
        value: f64,
        whole: bool,
        choices: &[&'a Json],
        path: &[Step],
    ) -> Result<(), SceneError> {
        let real = choices.iter().find(|c| has_type(c, "number"));
        let Some(schema) = real.or_else(|| choices.iter().find(|c| has_type(c, "integer"))) else {
            return Err(self.mismatch(node, "a number", choices, path));
        };
        if real.is_none() && !whole {
            return Err(self
                .at(node, path, &format!("{value} is not a whole number"))
                .expected(range(schema)));
        }
        let bound = |key: &str| schema.get(key).and_then(Json::as_f64);
        let inside = value.is_finite()
            && (whole || value.abs() <= LARGEST)
            && bound("minimum").is_none_or(|b| value >= b)
            && bound("maximum").is_none_or(|b| value <= b)
            && bound("exclusiveMinimum").is_none_or(|b| value > b)
            && bound("exclusiveMaximum").is_none_or(|b| value < b);
        if inside {
            return Ok(());
        }
        let shown = if value.abs() < 1e6 { value.to_string() } else { format!("{value:e}") };
        Err(self.at(node, path, &format!("{shown} is out of range")).expected(range(schema)))
    }

    fn at(&self, node: &Node, path: &[Step], message: &str) -> SceneError {
        let place = match node.value {
            Value::Table(_) => self.document.find(path).1,
            _ => node.place.clone(),
        };
        self.document.error_at(&place, &path_text(path), message)
    }

    fn mismatch(&self, node: &Node, found: &str, choices: &[&Json], path: &[Step]) -> SceneError {
        self.at(node, path, &format!("found {found} here")).expected(describe(choices))
    }

    fn unknown_key(&self, entry: &Entry, known: &[&str], path: &mut Vec<Step>) -> SceneError {
        path.push(Step::Key(entry.key.clone()));
        let text = path_text(path);
        path.pop();
        let error = self.document.error_at(
            &entry.key_place,
            &text,
            &format!("unknown key `{}`", shorten(&entry.key)),
        );
        // `claim.NAME.KIND` of former versions.
        let in_claim = matches!(path.as_slice(), [Step::Key(table), Step::Key(_)] if table == "claim");
        if let Some(now) = in_claim.then(|| former_claim(&entry.key)).flatten() {
            return error.hint(format!("a claim is a measure and what it equals now: {now}, tolerance = …"));
        }
        match RENAMED.iter().find(|(old, new)| *old == entry.key && known.contains(new)) {
            Some((old, new)) => {
                error.nearest(Some((*new).to_owned())).hint(format!("`{old}` is called `{new}` now"))
            }
            None => error.nearest(nearest_name(&entry.key, known.iter().copied())),
        }
    }
}

/// Largest size of a number that is not whole; products of larger ones leave the range of `f64`.
const LARGEST: f64 = 1e18;

/// Renamed keys.
const RENAMED: &[(&str, &str)] =
    &[("linearise", "linearize"), ("hand", "end_effector"), ("centre", "center"), ("colour", "color")];

fn shorten(text: &str) -> String {
    if text.chars().count() > 60 { text.chars().take(60).chain("…".chars()).collect() } else { text.into() }
}

fn has_type(schema: &Json, name: &str) -> bool {
    match schema.get("type") {
        Some(Json::String(s)) => s == name,
        Some(Json::Array(all)) => all.iter().any(|t| t == name),
        _ => name == "string" && (schema.get("const").is_some() || schema.get("enum").is_some()),
    }
}

/// The one required key of a table in a union.
fn tag(schema: &Json) -> Option<&str> {
    schema.get("required")?.as_array()?.first()?.as_str()
}

/// The allowed values of a string; `None` for any.
fn words(schema: &Json) -> Option<Vec<&str>> {
    if let Some(word) = schema.get("const").and_then(Json::as_str) {
        return Some(vec![word]);
    }
    schema.get("enum").and_then(Json::as_array).map(|all| all.iter().filter_map(Json::as_str).collect())
}

/// What a union of schemas accepts, in words.
fn describe(choices: &[&Json]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let names: Vec<String> =
        choices.iter().filter_map(|c| words(c)).flatten().map(|w| format!("\"{w}\"")).collect();
    parts.extend(names);
    for schema in choices {
        if words(schema).is_some() {
            continue;
        }
        if has_type(schema, "number") || has_type(schema, "integer") {
            parts.push(range(schema));
        } else if has_type(schema, "boolean") {
            parts.push("true or false".into());
        } else if has_type(schema, "string") {
            parts.push("a string".into());
        } else if has_type(schema, "array") {
            parts.push(match schema.get("maxItems").and_then(Json::as_u64) {
                Some(n) if schema.get("minItems").and_then(Json::as_u64) == Some(n) => {
                    format!("an array of {n}")
                }
                _ => "an array".into(),
            });
        } else if has_type(schema, "object") {
            parts.push(match tag(schema) {
                Some(t) if choices.len() > 1 => format!("{{ {t} = … }}"),
                _ => "a table".into(),
            });
        }
    }
    parts.dedup();
    parts.join(" or ")
}

/// The range of a number, in words.
fn range(schema: &Json) -> String {
    let whole = has_type(schema, "integer") && !has_type(schema, "number");
    let kind = if whole { "a whole number" } else { "a finite number" };
    let bound = |key: &str| schema.get(key).and_then(Json::as_f64);
    let low = bound("minimum")
        .map(|b| format!("at least {b}"))
        .or_else(|| bound("exclusiveMinimum").map(|b| format!("above {b}")));
    let high = bound("maximum")
        .map(|b| format!("at most {b}"))
        .or_else(|| bound("exclusiveMaximum").map(|b| format!("below {b}")));
    match (low, high) {
        (Some(low), Some(high)) => format!("{kind}, {low} and {high}"),
        (Some(low), None) if whole => format!("{kind}, {low}"),
        (Some(low), None) => format!("{kind}, {low} and at most {LARGEST:e}"),
        (None, Some(high)) => format!("{kind}, {high}"),
        (None, None) if whole => kind.into(),
        (None, None) => format!("{kind}, at most {LARGEST:e} in size"),
    }
}
