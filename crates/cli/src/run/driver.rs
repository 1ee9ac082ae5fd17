//! Changes to a run by a user: from a viewer page, or from the recording of such a run.

use crate::exit::CommandError;
use crate::run::live::Live;
use core::ops::ControlFlow;
use ropewalk_scene::recording::message::{EventKind, StateMessage};
use ropewalk_scene::recording::{COMMANDS, Message};
use ropewalk_scene::{FileError, Recording, Scene};
use ropewalk_sim::{Model, State};
use ropewalk_view::command::Timed;
use ropewalk_view::desk::Desk;
use std::collections::VecDeque;
use std::path::Path;

/// The source of changes to a run.
pub(crate) struct Driver {
    desk: Desk,
    /// The model before any change.
    pristine: Model,
    source: Source,
}

/// The source of changes.
pub(crate) enum Source {
    /// Pages.
    Live(Box<Live>),
    /// The commands of a recorded run.
    Replay(VecDeque<Timed>),
}

/// The next action.
pub(crate) enum Turn {
    /// A step, after these commands.
    Step(Vec<Timed>),
    /// Wait.
    Rest,
    /// Restart.
    Reset,
}

impl Driver {
    /// Prepares `scene` for changes from `source`.
    pub(crate) fn new(
        scene: &mut Scene,
        source: impl FnOnce(&Scene) -> Result<Source, CommandError>,
    ) -> Result<Self, CommandError> {
        // Claims are about the unchanged scene.
        scene.claims.clear();
        let desk = Desk::install(scene).map_err(|what| {
            CommandError::input(
                format!("{}: the pointer cannot be added: {what}", scene.source),
                "run it without --view",
            )
        })?;
        Ok(Self { desk, pristine: scene.model.clone(), source: source(scene)? })
    }

    /// Before step number `step` (from 0): carries out the commands.
    pub(crate) fn turn(&mut self, step: u64, model: &mut Model, state: &mut State) -> Turn {
        let commands = match &mut self.source {
            Source::Live(live) => match live.turn(state.time) {
                Turn::Step(commands) => commands,
                other => return other,
            },
            Source::Replay(script) => {
                let due = script.iter().take_while(|timed| timed.step <= step).count();
                script.drain(..due).collect()
            }
        };
        let mut done = Vec::with_capacity(commands.len());
        for Timed { command, .. } in commands {
            match self.desk.apply(model, state, &command) {
                Ok(()) => done.push(Timed { step, command }),
                Err(why) => {
                    if let Source::Live(live) = &mut self.source {
                        live.refuse(&why);
                    }
                }
            }
        }
        Turn::Step(done)
    }

    /// The initial model.
    pub(crate) fn pristine(&self) -> &Model {
        &self.pristine
    }

    /// The pages, if there are any.
    pub(crate) fn live(&mut self) -> Option<&mut Live> {
        match &mut self.source {
            Source::Live(live) => Some(live),
            Source::Replay(_) => None,
        }
    }
}

/// A recorded run, to be replayed.
pub(crate) struct Script {
    /// Its commands.
    pub(crate) commands: VecDeque<Timed>,
    /// Its last state.
    pub(crate) end: StateMessage,
}

impl Script {
    /// Reads the script of a recording of `scene`.
    pub(crate) fn read(path: &Path, scene: &Scene) -> Result<Self, CommandError> {
        let recording = Recording::open(path)?;
        let same =
            recording.scene.text == scene.origin.text && recording.scene.overrides == scene.origin.overrides;
        if !same {
            return Err(CommandError::input(
                format!(
                    "--replay {}: this is a recording of '{}', with another text or other overrides",
                    path.display(),
                    recording.scene.name
                ),
                "name the scene that was run, with the same --set",
            ));
        }
        // Such a run has a pointer among its bodies.
        if recording.scene.trees.len() != scene.model.trees.len() + 1 {
            return Err(CommandError::input(
                format!("--replay {}: this is not a recording of a run with --view", path.display()),
                "run the scene itself: the same input gives the same bits",
            ));
        }
        let (mut commands, mut end) = (VecDeque::new(), None);
        recording.read(|message| {
            match message {
                Message::State(state) => end = Some(state),
                Message::Event(event) if event.kind == EventKind::Command && event.name != COMMANDS => {
                    let timed: Timed = serde_json::from_str(&event.detail).map_err(|error| {
                        FileError::content(
                            path,
                            format!("a command cannot be read: {error}"),
                            "the file is damaged",
                        )
                    })?;
                    if let Some(why) = timed.command.problem() {
                        return Err(FileError::content(
                            path,
                            format!("a command is wrong: {why}"),
                            "the file is damaged",
                        ));
                    }
                    commands.push_back(timed);
                }
                _ => {}
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let missing =
            || FileError::content(path, "there is no state in it", "give a recording that is complete");
        Ok(Self { commands, end: end.ok_or_else(missing)? })
    }
}
