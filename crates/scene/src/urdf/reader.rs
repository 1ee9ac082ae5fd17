//! Elements and attributes of a URDF: required or not, in range, and nothing dropped silently.

use super::document::{Source, path_of};
use crate::error::{SceneError, list_names, nearest_name};
use glam::{DQuat, DVec3};
use ropewalk_linalg::Pose;
use roxmltree::Node;

/// Reads elements and lists ignored ones.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source<'a>,
    /// Lines and ignored elements.
    dropped: Vec<(usize, String)>,
}

/// An element.
pub(super) type Element<'a> = Node<'a, 'a>;

/// Largest number that counts as finite: products of several stay in range.
pub(super) const LARGEST: f64 = 1e18;

/// The allowed range of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// Any number up to [`LARGEST`], as all but the infinite ones.
    Finite,
    /// Above zero.
    Positive,
    /// Zero or above.
    NotNegative,
    /// Zero or above, or infinite.
    NotNegativeOrInfinite,
    /// Any number, or infinite.
    FiniteOrInfinite,
}

impl Bound {
    fn holds(self, x: f64) -> bool {
        let in_range = x.abs() <= LARGEST;
        match self {
            Self::Finite => in_range,
            Self::Positive => in_range && x > 0.0,
            Self::NotNegative => in_range && x >= 0.0,
            Self::NotNegativeOrInfinite => (in_range || x.is_infinite()) && x >= 0.0,
            Self::FiniteOrInfinite => in_range || x.is_infinite(),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Finite => "a finite number, at most 1e18 in size",
            Self::Positive => "a number above 0, at most 1e18",
            Self::NotNegative => "a number from 0 to 1e18",
            Self::NotNegativeOrInfinite => "a number from 0 to 1e18, or inf",
            Self::FiniteOrInfinite => "a number, at most 1e18 in size, or inf",
        }
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Self {
        Self { source, dropped: Vec::new() }
    }

    /// The ignored elements, in the order of the file, each with its line.
    pub(super) fn into_not_carried_over(mut self) -> Vec<String> {
        self.dropped.sort_by_key(|(line, _)| *line);
        self.dropped.into_iter().map(|(line, what)| format!("line {line}: {what}")).collect()
    }

    /// Notes that `what` at `node` is ignored.
    pub(super) fn drop_at(&mut self, node: Element<'_>, what: String) {
        self.dropped.push((self.source.line(node.range().start), what));
    }

    /// Notes every attribute, element and text of `node` but those named.
    pub(super) fn drop_unknown(&mut self, node: Element<'_>, attributes: &[&str], elements: &[&str]) {
        let place = || match path_of(node) {
            path if path.is_empty() => "robot".to_owned(),
            path => path,
        };
        for attribute in node.attributes() {
            if attribute.namespace().is_some() || !attributes.contains(&attribute.name()) {
                let line = self.source.line(attribute.range().start);
                self.dropped.push((line, format!("attribute `{}` of {}", attribute.name(), place())));
            }
        }
        for child in node.children() {
            if child.is_element() {
                let tag = child.tag_name().name();
                if is_foreign(child) || !elements.contains(&tag) {
                    self.drop_at(child, format!("<{tag}> in {}", place()));
                }
            } else if child.is_text() && child.text().is_some_and(|t| !t.trim().is_empty()) {
                self.drop_at(child, format!("text in {}", place()));
            }
        }
    }

    /// An error about an element: its opening tag is underlined.
    pub(super) fn error(&self, node: Element<'_>, message: impl Into<String>) -> SceneError {
        let start = node.range().start;
        let name = node.tag_name().name().len();
        self.source.error(start..(start + 1 + name).min(node.range().end), &path_of(node), message)
    }

    /// An error about the value of an attribute.
    pub(super) fn error_in(&self, node: Element<'_>, name: &str, message: impl Into<String>) -> SceneError {
        match node.attribute_node(name) {
            Some(attribute) => self.source.error(attribute.range_value(), &path_of(node), message),
            None => self.error(node, message),
        }
    }

    /// The only child called `name`, if there is one.
    pub(super) fn child<'n>(&self, node: Element<'n>, name: &str) -> Result<Option<Element<'n>>, SceneError> {
        let mut all = children(node, name);
        let first = all.next();
        match all.next() {
            Some(second) => Err(self
                .error(second, format!("<{name}> stands twice in this element"))
                .hint("take one of them out")),
            None => Ok(first),
        }
    }

    /// The only child called `name`, which is required.
    pub(super) fn required_child<'n>(
        &self,
        node: Element<'n>,
        name: &str,
        example: &str,
    ) -> Result<Element<'n>, SceneError> {
        self.child(node, name)?.ok_or_else(|| {
            self.error(node, format!("<{name}> is missing in this element")).hint(format!("add {example}"))
        })
    }

    /// A required attribute.
    pub(super) fn attribute<'n>(&self, node: Element<'n>, name: &str) -> Result<&'n str, SceneError> {
        node.attribute(name).ok_or_else(|| {
            let given = node.attributes().filter(|a| a.namespace().is_none()).map(|a| a.name());
            self.error(node, format!("the attribute `{name}` is missing"))
                .nearest(nearest_name(name, given))
                .hint(format!("add {name}=\"…\""))
        })
    }

    /// A name: an attribute that is not empty.
    pub(super) fn name<'n>(&self, node: Element<'n>, attribute: &str) -> Result<&'n str, SceneError> {
        let name = self.attribute(node, attribute)?;
        if name.trim().is_empty() {
            return Err(self.error_in(node, attribute, "a name must not be empty"));
        }
        Ok(name)
    }

    /// A required number.
    pub(super) fn number(&self, node: Element<'_>, name: &str, bound: Bound) -> Result<f64, SceneError> {
        let text = self.attribute(node, name)?;
        let [x] = self.numbers(node, name, text, bound)?;
        Ok(x)
    }

    /// An optional number.
    pub(super) fn number_or(
        &self,
        node: Element<'_>,
        name: &str,
        bound: Bound,
        default: f64,
    ) -> Result<f64, SceneError> {
        if node.has_attribute(name) { self.number(node, name, bound) } else { Ok(default) }
    }

    /// Three required numbers.
    pub(super) fn vector(&self, node: Element<'_>, name: &str, bound: Bound) -> Result<DVec3, SceneError> {
        let text = self.attribute(node, name)?;
        self.numbers(node, name, text, bound).map(DVec3::from_array)
    }

    /// Three optional numbers.
    pub(super) fn vector_or(
        &self,
        node: Element<'_>,
        name: &str,
        default: DVec3,
    ) -> Result<DVec3, SceneError> {
        if node.has_attribute(name) { self.vector(node, name, Bound::Finite) } else { Ok(default) }
    }

    fn numbers<const N: usize>(
        &self,
        node: Element<'_>,
        name: &str,
        text: &str,
        bound: Bound,
    ) -> Result<[f64; N], SceneError> {
        let mut out = [0.0; N];
        let mut count = 0;
        for word in text.split_whitespace() {
            let number: f64 = word.parse().map_err(|_| {
                let error = self.error_in(node, name, format!("{word:?} is no number"));
                let error = error.expected(bound.words());
                if word.contains("${") || word.contains("$(") {
                    error.hint("this is xacro: expand it first (`xacro robot.xacro > robot.urdf`)")
                } else {
                    error
                }
            })?;
            if !bound.holds(number) {
                return Err(self.error_in(node, name, format!("`{name}` is {word}")).expected(bound.words()));
            }
            if let Some(slot) = out.get_mut(count) {
                *slot = number;
            }
            count += 1;
        }
        if count != N {
            let needed = if N == 1 { "one number".to_owned() } else { format!("{N} numbers") };
            return Err(self
                .error_in(node, name, format!("`{name}` has {count} numbers"))
                .expected(format!("{needed}, separated by spaces")));
        }
        Ok(out)
    }

    /// The `<origin>` of an element: `xyz` in m, and `rpy` in rad, the angles about the fixed axes x, y, z
    /// one after the other: R = R_z(yaw) R_y(pitch) R_x(roll).
    pub(super) fn origin(&mut self, node: Element<'_>) -> Result<Pose, SceneError> {
        let Some(origin) = self.child(node, "origin")? else {
            return Ok(Pose::IDENTITY);
        };
        self.drop_unknown(origin, &["xyz", "rpy"], &[]);
        let position = self.vector_or(origin, "xyz", DVec3::ZERO)?;
        let rpy = self.vector_or(origin, "rpy", DVec3::ZERO)?;
        let rotation =
            DQuat::from_rotation_z(rpy.z) * DQuat::from_rotation_y(rpy.y) * DQuat::from_rotation_x(rpy.x);
        Ok(Pose::new(position, rotation.normalize()))
    }

    /// A direction, normalized.
    pub(super) fn direction(
        &mut self,
        node: Element<'_>,
        element: &str,
        default: Option<DVec3>,
    ) -> Result<DVec3, SceneError> {
        let axis = match (self.child(node, element)?, default) {
            (Some(axis), _) => axis,
            (None, Some(default)) => return Ok(default),
            (None, None) => self.required_child(node, element, &format!("<{element} xyz=\"0 0 1\"/>"))?,
        };
        self.drop_unknown(axis, &["xyz"], &[]);
        let vector = self.vector(axis, "xyz", Bound::Finite)?;
        // Scaled first, so that neither tiny nor huge vectors underflow or overflow.
        vector
            .try_normalize()
            .or_else(|| (vector / vector.abs().max_element()).try_normalize())
            .filter(|unit| unit.is_finite() && (unit.length() - 1.0).abs() < 1e-9)
            .ok_or_else(|| {
                self.error_in(axis, "xyz", "an axis must not be zero")
                    .hint("say its direction, such as \"0 0 1\"")
            })
    }

    /// One of `words`, by an error that lists them.
    pub(super) fn unknown_word(
        &self,
        node: Element<'_>,
        attribute: &str,
        what: &str,
        words: &[&str],
    ) -> SceneError {
        let given = node.attribute(attribute).unwrap_or_default();
        self.error_in(node, attribute, format!("there is no {what} {given:?}"))
            .expected(format!("one of {}", list_names(words.iter().copied())))
            .nearest(nearest_name(given, words.iter().copied()))
    }
}

/// Children called `name`.
pub(super) fn children<'n>(node: Element<'n>, name: &str) -> impl Iterator<Item = Element<'n>> {
    node.children().filter(move |c| c.is_element() && c.tag_name().name() == name && !is_foreign(*c))
}

/// Whether an element is in a namespace other than that of `<robot>`.
fn is_foreign(node: Element<'_>) -> bool {
    node.tag_name().namespace() != node.document().root_element().tag_name().namespace()
}
