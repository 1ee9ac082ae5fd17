//! The source of a scene, from which it can be rebuilt.

use crate::document::Document;
use crate::error::SceneError;
use crate::{Scene, build, check, schema, spec};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Values of a scene file, at most: each takes about 300 bytes while it is read.
const MOST_VALUES: usize = 3_000_000;

/// The text of a scene with its overrides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Name of the scene.
    pub name: String,
    /// The file, or the embedded name, for messages.
    pub label: String,
    /// Folder of relative paths in the text; none for an embedded scene.
    pub directory: Option<PathBuf>,
    /// Overrides, such as `rod.beam.segments=40`.
    pub overrides: Vec<String>,
    /// The text.
    pub text: String,
    /// Whether any amount of memory and steps is allowed. The caller decides, so it is not serialized.
    #[serde(skip)]
    pub allow_large: bool,
}

impl Origin {
    /// A scene of `text`; `label` replaces the file name in messages, paths are relative to `directory`.
    pub fn new(label: &str, name: &str, text: &str, directory: Option<&Path>, overrides: &[String]) -> Self {
        Self {
            name: name.into(),
            label: label.into(),
            directory: directory.map(Path::to_owned),
            overrides: overrides.to_vec(),
            text: text.into(),
            allow_large: false,
        }
    }

    /// The same, with or without bounds on memory and steps.
    pub fn allowing_large(self, allow_large: bool) -> Self {
        Self { allow_large, ..self }
    }

    /// The same with a directory that does not depend on where the command is run.
    pub(crate) fn anywhere(&self) -> std::io::Result<Self> {
        let absolute = |d: &PathBuf| std::path::absolute(Path::new(".").join(d));
        Ok(Self { directory: self.directory.as_ref().map(absolute).transpose()?, ..self.clone() })
    }

    /// The text with its overrides applied. Comments are lost, and tables are sorted by name.
    pub fn resolved(&self) -> Result<String, SceneError> {
        let document = Document::parse(&self.label, &self.text, &self.overrides)?;
        toml::to_string(&document.to_toml())
            .map_err(|e| SceneError::without_place(&self.label, e.to_string()))
    }

    /// Checks the text against the schema of scenes, without building it.
    pub fn check(&self) -> Result<(), SceneError> {
        let document = Document::parse(&self.label, &self.text, &self.overrides)?;
        check::check(&document, schema::cached())
    }

    /// Builds the scene.
    pub fn load(&self) -> Result<Scene, SceneError> {
        self.check_size()?;
        let document = Document::parse(&self.label, &self.text, &self.overrides)?;
        check::check(&document, schema::cached())?;
        // The check covers all requirements of the types; anything that it misses is still an error, without a place.
        let spec: spec::SceneSpec = document
            .to_toml()
            .try_into()
            .map_err(|e: toml::de::Error| SceneError::without_place(&self.label, e.message().to_owned()))?;
        build::build(self, &document, &spec)
    }

    /// Rejects, before parsing, a text whose values would take too much memory.
    fn check_size(&self) -> Result<(), SceneError> {
        // A value takes at least a separator, of which the text has fewer than bytes.
        if self.allow_large || self.text.len() <= MOST_VALUES {
            return Ok(());
        }
        let values = self.text.bytes().filter(|b| b",=[{".contains(b)).count();
        if values <= MOST_VALUES {
            return Ok(());
        }
        Err(SceneError::without_place(&self.label, format!("this file holds about {values} values"))
            .expected(format!("at most {MOST_VALUES}"))
            .hint("keep points and meshes in files of their own, or add --allow-large"))
    }
}
