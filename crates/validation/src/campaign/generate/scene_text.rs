//! The text of a scene file, table by table.

use super::super::random::Random;
use glam::{DQuat, DVec3};

/// A scene file under construction.
#[derive(Clone, Debug)]
pub(super) struct SceneText {
    title: String,
    gravity: bool,
    dt: f64,
    duration: f64,
    tables: String,
}

/// Digits of a number in a scene file.
const DIGITS: usize = 6;

/// A number as TOML writes it.
pub(super) fn number(x: f64) -> String {
    let rounded: f64 = format!("{x:.*e}", DIGITS - 1).parse().unwrap_or(x);
    format!("{rounded:?}")
}

/// A vector as TOML writes it.
pub(super) fn vector(v: DVec3) -> String {
    format!("[{}, {}, {}]", number(v.x), number(v.y), number(v.z))
}

/// Several of them.
pub(super) fn vectors(all: &[DVec3]) -> String {
    format!("[{}]", all.iter().map(|v| vector(*v)).collect::<Vec<_>>().join(", "))
}

/// A rotation as TOML writes it.
pub(super) fn rotation(q: DQuat) -> String {
    // With all digits: the four numbers are a unit quaternion.
    format!("{{ quat_xyzw = [{:?}, {:?}, {:?}, {:?}] }}", q.x, q.y, q.z, q.w)
}

/// A string as TOML writes it.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

impl SceneText {
    /// An empty scene of `steps` steps of `dt` (s).
    pub(super) fn new(title: &str, dt: f64, steps: usize) -> Self {
        let dt: f64 = number(dt).parse().unwrap_or(dt);
        Self {
            title: title.to_owned(),
            gravity: true,
            dt,
            duration: dt * steps as f64,
            tables: String::new(),
        }
    }

    /// An empty scene with the random step and number of steps common to all families.
    pub(super) fn random(title: &str, random: &mut Random) -> Self {
        let dt = random.log_between(1e-4, 5e-3);
        Self::new(title, dt, random.whole(80, 200))
    }

    /// Length of the run in s.
    pub(super) fn duration(&self) -> f64 {
        self.duration
    }

    /// Without gravity.
    pub(super) fn weightless(&mut self) {
        self.gravity = false;
    }

    /// Adds a table.
    pub(super) fn table(&mut self, name: &str, rows: &[(&str, String)]) {
        self.tables.push_str(&format!("\n[{name}]\n"));
        for (key, value) in rows {
            self.tables.push_str(&format!("{key} = {value}\n"));
        }
    }

    /// The file.
    pub(super) fn finish(self) -> String {
        let gravity = if self.gravity { "" } else { "gravity = [0, 0, 0]\n" };
        format!(
            "title = {}\n{gravity}\n[time]\ndt = {}\nduration = {}\n{}",
            quoted(&self.title),
            number(self.dt),
            number(self.duration),
            self.tables
        )
    }
}
