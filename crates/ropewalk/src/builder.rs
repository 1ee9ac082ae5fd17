//! Worlds built up thing by thing.

use crate::table::{IntoValue, table};
use crate::{
    Actuator, Attachment, Body, Clamp, Contact, Controller, EndEffector, Error, Load, Material, Robot, Rod,
    World,
};
use glam::DVec3;
use std::path::PathBuf;
use toml::{Table, Value};

/// A world under construction. It fills in the document of a scene file, which is checked and built when
/// [`build`](Self::build) is called: a builder and a file with the same keys give the same world, to the last bit.
///
/// ```
/// use ropewalk::prelude::*;
///
/// # fn main() -> Result<(), Error> {
/// let builder = World::builder()
///     .dt(1e-3)
///     .rod("beam", Rod::new(Curve::line(DVec3::ZERO, DVec3::X * 0.3)).preset("steel_wire").segments(20))
///     .clamp("wall", Clamp::new("beam", Place::start()));
/// let file = builder.to_toml();
/// let (mut built, mut loaded) = (builder.build()?, World::from_toml(&file)?);
/// built.step_by(10)?;
/// loaded.step_by(10)?;
/// assert_eq!(built.rod("beam")?.positions(), loaded.rod("beam")?.positions());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct WorldBuilder {
    document: Table,
    directory: Option<PathBuf>,
    duplicate: Option<(&'static str, String)>,
}

impl WorldBuilder {
    pub(crate) fn new() -> Self {
        let document = table([
            ("title", "A world built in Rust".into_value()),
            ("time", Value::Table(table([("duration", 1.0.into_value())]))),
        ]);
        Self { document, directory: None, duplicate: None }
    }

    /// What the world shows, in one line.
    #[must_use]
    pub fn title(mut self, title: &str) -> Self {
        self.document.insert("title".to_owned(), title.into_value());
        self
    }

    /// Time step in s; 1e-3 by default.
    #[must_use]
    pub fn dt(self, seconds: f64) -> Self {
        self.put("time", "dt", seconds)
    }

    /// Length of the run in s, for [`World::run_scene`] and the command line; 1 by default.
    #[must_use]
    pub fn duration(self, seconds: f64) -> Self {
        self.put("time", "duration", seconds)
    }

    /// Gravity in m/s²; (0, 0, −9.81) by default.
    #[must_use]
    pub fn gravity(mut self, gravity: DVec3) -> Self {
        self.document.insert("gravity".to_owned(), gravity.into_value());
        self
    }

    /// Where paths of files count from.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Settings of contact.
    #[must_use]
    pub fn contact(mut self, contact: Contact) -> Self {
        self.document.insert("contact".to_owned(), contact.into_value());
        self
    }

    /// Sets a key of a table of settings, such as `("solver", "tolerance", 1e-8)`; see `docs/scenes.md`.
    #[must_use]
    pub fn put(mut self, table: &str, key: &str, value: impl Into<Value>) -> Self {
        if let Value::Table(keys) = self.document.entry(table).or_insert_with(|| Value::Table(Table::new())) {
            keys.insert(key.to_owned(), value.into());
        }
        self
    }

    /// Adds a material, by whose name rods refer to it.
    #[must_use]
    pub fn material(self, name: &str, material: Material) -> Self {
        self.add("material", name, material.0)
    }

    /// Adds a rod.
    #[must_use]
    pub fn rod(mut self, name: &str, mut rod: Rod) -> Self {
        if let Some(Value::Table(material)) = rod.0.get("material").cloned() {
            // One that is there already is used again; else it takes the name of the rod.
            let there = self.document.get("material").and_then(Value::as_table);
            let same = there.and_then(|all| all.iter().find(|(_, m)| m.as_table() == Some(&material)));
            let used = same.map_or_else(|| name.to_owned(), |(key, _)| key.clone());
            if same.is_none() {
                self = self.add("material", name, material);
            }
            rod.0.insert("material".to_owned(), used.into_value());
        }
        self.add("rod", name, rod.0)
    }

    /// Adds a rigid body.
    #[must_use]
    pub fn body(self, name: &str, body: Body) -> Self {
        self.add("body", name, body.0)
    }

    /// Adds a robot.
    #[must_use]
    pub fn robot(self, name: &str, robot: Robot) -> Self {
        self.add("robot", name, robot.0)
    }

    /// Adds a clamp.
    #[must_use]
    pub fn clamp(self, name: &str, clamp: Clamp) -> Self {
        self.add("clamp", name, clamp.0)
    }

    /// Adds a load.
    #[must_use]
    pub fn load(self, name: &str, load: Load) -> Self {
        self.add("load", name, load.0)
    }

    /// Adds an attachment.
    #[must_use]
    pub fn attach(self, name: &str, attachment: Attachment) -> Self {
        self.add("attach", name, attachment.0)
    }

    /// Adds an actuator.
    #[must_use]
    pub fn actuator(self, name: &str, actuator: Actuator) -> Self {
        self.add("actuator", name, actuator.0)
    }

    /// Adds a controller of a whole robot.
    #[must_use]
    pub fn controller(self, name: &str, controller: Controller) -> Self {
        self.add("control", name, controller.0)
    }

    /// Adds an end effector that follows a path.
    #[must_use]
    pub fn end_effector(self, name: &str, end_effector: EndEffector) -> Self {
        self.add("end_effector", name, end_effector.0)
    }

    fn add(mut self, kind: &'static str, name: &str, keys: Table) -> Self {
        if let Value::Table(all) = self.document.entry(kind).or_insert_with(|| Value::Table(Table::new()))
            && all.insert(name.to_owned(), Value::Table(keys)).is_some()
        {
            self.duplicate.get_or_insert((kind, name.to_owned()));
        }
        self
    }

    /// The scene as the text of a file that [`World::from_toml`] and `ropewalk run` take.
    pub fn to_toml(&self) -> String {
        // Tables of strings, numbers and lists can always be written.
        toml::to_string(&self.document).unwrap_or_default()
    }

    /// Checks what was added and makes the world.
    pub fn build(self) -> Result<World, Error> {
        if let Some((kind, name)) = self.duplicate.clone() {
            return Err(Error::Duplicate { kind, name });
        }
        let text = self.to_toml();
        let scene = ropewalk_scene::load_text("<builder>", &text, self.directory.as_deref(), &[])?;
        Ok(World::of(scene))
    }
}
