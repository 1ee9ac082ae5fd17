//! Commands of a page to a running simulation.

use serde::{Deserialize, Serialize};

/// A command. Those that change the physics are events of the recording, so that the run can be replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Pause.
    Pause,
    /// Run.
    Resume,
    /// Take some steps, then pause.
    Step {
        /// Steps.
        count: u32,
    },
    /// Reset to the start of the scene.
    Reset,
    /// Simulated seconds per second of wall-clock time; 0 for as fast as possible.
    Speed {
        /// The ratio.
        value: f64,
    },
    /// All coefficients of friction, as multiples of the scene's.
    Friction {
        /// The factor.
        scale: f64,
    },
    /// Gravity.
    Gravity {
        /// m/s².
        gravity: [f64; 3],
    },
    /// Target, or effort, of an actuator.
    Target {
        /// Index of the actuator in the scene.
        actuator: usize,
        /// m, rad, m/s, rad/s, N or N·m; `None` for that of the scene.
        value: Option<f64>,
    },
    /// Grab a rod or link.
    Grab {
        /// What.
        thing: Thing,
        /// Position of the pointer, m.
        point: [f64; 3],
    },
    /// Move the pointer.
    Drag {
        /// m.
        point: [f64; 3],
    },
    /// Release.
    LetGo,
}

/// Something that can be grabbed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thing {
    /// A position on a rod.
    Rod {
        /// Index of the rod.
        rod: usize,
        /// Index of the edge.
        edge: usize,
        /// Place on the edge, 0…1.
        fraction: f64,
    },
    /// A point of a link, where the pointer is.
    Link {
        /// Index of the tree.
        tree: usize,
        /// Index of the link.
        link: usize,
    },
}

/// A command that changed the physics, with the number of steps before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// Steps of the run before it.
    pub step: u64,
    /// The command.
    #[serde(flatten)]
    pub command: Command,
}

impl Command {
    /// Reads a command from JSON, and rejects numbers that are not finite or out of range.
    pub fn parse(text: &str) -> Result<Self, String> {
        let command: Self =
            serde_json::from_str(text).map_err(|error| format!("this is not a command: {error}"))?;
        match command.problem() {
            Some(why) => Err(why),
            None => Ok(command),
        }
    }

    /// Checks its numbers. The desk checks whether it fits the scene.
    pub fn problem(&self) -> Option<String> {
        let out_of_range = |name: &str, x: f64, low: f64, high: f64| {
            let inside = x.is_finite() && (low..=high).contains(&x);
            (!inside).then(|| format!("{name} is {x}: expected {low} to {high}"))
        };
        let point_problem =
            |p: &[f64; 3]| p.iter().find_map(|&x| out_of_range("a coordinate of the point", x, -1e6, 1e6));
        match self {
            Self::Pause | Self::Resume | Self::Reset | Self::LetGo => None,
            Self::Step { count } => out_of_range("the number of steps", f64::from(*count), 1.0, 1e6),
            Self::Speed { value } => out_of_range("the speed", *value, 0.0, 1e3),
            Self::Friction { scale } => out_of_range("the factor of friction", *scale, 0.0, 100.0),
            Self::Gravity { gravity } => gravity.iter().find_map(|&g| out_of_range("gravity", g, -1e3, 1e3)),
            Self::Target { value, .. } => value.and_then(|x| out_of_range("the target", x, -1e9, 1e9)),
            Self::Grab { thing: Thing::Rod { fraction, .. }, point } => {
                out_of_range("the place on the edge", *fraction, 0.0, 1.0).or_else(|| point_problem(point))
            }
            Self::Grab { point, .. } | Self::Drag { point } => point_problem(point),
        }
    }

    /// Whether it changes the simulated system, not only its timing.
    pub fn is_physical(&self) -> bool {
        matches!(
            self,
            Self::Friction { .. }
                | Self::Gravity { .. }
                | Self::Target { .. }
                | Self::Grab { .. }
                | Self::Drag { .. }
                | Self::LetGo
        )
    }

    /// Its name, as in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Step { .. } => "step",
            Self::Reset => "reset",
            Self::Speed { .. } => "speed",
            Self::Friction { .. } => "friction",
            Self::Gravity { .. } => "gravity",
            Self::Target { .. } => "target",
            Self::Grab { .. } => "grab",
            Self::Drag { .. } => "drag",
            Self::LetGo => "let_go",
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn commands_are_read_and_nonsense_is_refused() {
        let grab = r#"{"command":"grab","thing":{"rod":{"rod":0,"edge":3,"fraction":0.5}},"point":[1,2,3]}"#;
        let thing = Thing::Rod { rod: 0, edge: 3, fraction: 0.5 };
        assert_eq!(Command::parse(grab), Ok(Command::Grab { thing, point: [1.0, 2.0, 3.0] }));
        for text in [
            "",
            "{}",
            "[]",
            r#"{"command":"explode"}"#,
            r#"{"command":"speed"}"#,
            r#"{"command":"speed","value":-1}"#,
            r#"{"command":"speed","value":1e999}"#,
            r#"{"command":"step","count":0}"#,
            r#"{"command":"gravity","gravity":[0,0]}"#,
            r#"{"command":"drag","point":[0,null,0]}"#,
            r#"{"command":"drag","point":[0,1e9,0]}"#,
            r#"{"command":"grab","thing":{"rod":{"rod":0,"edge":3,"fraction":2}},"point":[1,2,3]}"#,
            r#"{"command":"target","actuator":-1,"value":0}"#,
        ] {
            assert!(Command::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_timed_command_comes_back_to_the_last_bit() {
        let timed = Timed { step: 12, command: Command::Drag { point: [0.1, 1.0 / 3.0, -2e-17] } };
        let text = serde_json::to_string(&timed).unwrap();
        assert_eq!(serde_json::from_str::<Timed>(&text).unwrap(), timed);
    }
}
