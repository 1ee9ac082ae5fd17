//! The generator: scenes as text, in the public format and with default settings for everything numerical, so that a
//! failing case is fully described by a scene file.
//!
//! Young's moduli 10⁵ to 2·10¹¹ Pa, radii 0.1 to 20 mm, speeds up to 20 m/s, steps of 10⁻⁴ to 5·10⁻³ s, at most 100 nodes a
//! rod. A family draws a scene; if something overlaps at the start it draws again.

mod attachments;
mod knots;
mod patches;
mod piles;
mod rings;
mod robots;
mod rope;
mod scene_text;
mod squeeze;
mod targets;
mod thrown;
mod weights;

use super::judge;
use super::random::Random;
use ropewalk_scene::{Scene, SceneError};
use scene_text::SceneText;

/// A kind of random scene.
#[derive(Debug)]
pub struct Family {
    /// Name, on the command line and in reports.
    pub name: &'static str,
    /// Description of its scenes.
    pub description: &'static str,
    make: fn(&mut Random) -> Option<SceneText>,
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { name: "rope_on_rope", description: "a rope is thrown at a rope", make: thrown::rope_on_rope },
    Family {
        name: "rope_on_floor",
        description: "a rope is thrown at a floor",
        make: |r| thrown::rope(r, targets::floor),
    },
    Family {
        name: "rope_on_wall",
        description: "a rope is thrown at a wall",
        make: |r| thrown::rope(r, targets::wall),
    },
    Family {
        name: "rope_on_plate",
        description: "a rope is thrown at a thin plate",
        make: |r| thrown::rope(r, targets::plate),
    },
    Family {
        name: "rope_on_peg",
        description: "a rope is thrown at a peg",
        make: |r| thrown::rope(r, targets::peg),
    },
    Family {
        name: "rope_on_box",
        description: "a rope is thrown at a box",
        make: |r| thrown::rope(r, targets::cuboid),
    },
    Family {
        name: "rope_on_sphere",
        description: "a rope is thrown at a sphere",
        make: |r| thrown::rope(r, targets::sphere),
    },
    Family {
        name: "rope_on_mesh",
        description: "a rope is thrown at a closed mesh",
        make: |r| thrown::rope(r, targets::mesh),
    },
    Family {
        name: "rope_on_heightfield",
        description: "a rope is thrown at rough ground",
        make: |r| thrown::rope(r, targets::heightfield),
    },
    Family {
        name: "strip_on_rope",
        description: "a flat strip is thrown at a rope",
        make: thrown::strip_on_rope,
    },
    Family {
        name: "strip_on_floor",
        description: "a flat strip is thrown at a floor",
        make: |r| thrown::strip(r, targets::floor),
    },
    Family {
        name: "strip_on_wall",
        description: "a flat strip is thrown at a wall",
        make: |r| thrown::strip(r, targets::wall),
    },
    Family {
        name: "strip_on_plate",
        description: "a flat strip is thrown at a thin plate",
        make: |r| thrown::strip(r, targets::plate),
    },
    Family {
        name: "strip_on_peg",
        description: "a flat strip is thrown at a peg",
        make: |r| thrown::strip(r, targets::peg),
    },
    Family {
        name: "strip_on_box",
        description: "a flat strip is thrown at a box",
        make: |r| thrown::strip(r, targets::cuboid),
    },
    Family {
        name: "strip_on_sphere",
        description: "a flat strip is thrown at a sphere",
        make: |r| thrown::strip(r, targets::sphere),
    },
    Family {
        name: "strip_on_mesh",
        description: "a flat strip is thrown at a closed mesh",
        make: |r| thrown::strip(r, targets::mesh),
    },
    Family {
        name: "strip_on_heightfield",
        description: "a flat strip is thrown at rough ground",
        make: |r| thrown::strip(r, targets::heightfield),
    },
    Family { name: "pile", description: "ropes fall into a box", make: piles::make },
    Family { name: "rings", description: "linked rings are pulled apart", make: rings::make },
    Family {
        name: "knot",
        description: "an overhand knot of order 1 to 5 is pulled tight",
        make: knots::make,
    },
    Family { name: "weight", description: "a weight falls on ropes on a floor", make: weights::make },
    Family { name: "squeeze", description: "a press squeezes a rope on a floor", make: squeeze::make },
    Family { name: "patch", description: "pressure fields on pressure fields", make: patches::make },
    Family { name: "robot", description: "a robot drags a rope round posts", make: robots::make },
    Family {
        name: "attachment",
        description: "ropes and bodies tied together swing and land",
        make: attachments::make,
    },
];

/// One scene of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Name of the family.
    pub family: &'static str,
    /// Seed of the campaign.
    pub seed: u64,
    /// Index in the family.
    pub index: u64,
    /// The scene file.
    pub text: String,
}

impl Case {
    /// A name for files and messages: family, seed and index.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.family, self.seed, self.index)
    }
}

/// Why a case could not be generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The scene does not pass the checks of scene files.
    #[error("family {family}, index {index} of seed {seed} makes a scene that cannot be read: {error}")]
    Scene {
        /// Family.
        family: &'static str,
        /// Seed.
        seed: u64,
        /// Index.
        index: u64,
        /// The error.
        error: Box<SceneError>,
    },
    /// No attempt had a legal start.
    #[error(
        "family {family}, index {index} of seed {seed}: things overlap at the start in each of {MOST_ATTEMPTS} attempts"
    )]
    Overlaps {
        /// Family.
        family: &'static str,
        /// Seed.
        seed: u64,
        /// Index.
        index: u64,
    },
    /// The system does not provide threads.
    #[error("cannot start the threads: {0}")]
    Threads(rayon::ThreadPoolBuildError),
}

/// Attempts at a legal start.
const MOST_ATTEMPTS: u64 = 200;

/// Case `index` of `family`: its text, and the scene built from it. It depends only on these three arguments.
pub fn generate(family: &'static Family, seed: u64, index: u64) -> Result<(Case, Scene), GenerateError> {
    for attempt in 0..MOST_ATTEMPTS {
        let mut random = Random::stream(seed, family.name, index, attempt);
        let Some(text) = (family.make)(&mut random) else { continue };
        let case = Case { family: family.name, seed, index, text: text.finish() };
        let scene = ropewalk_scene::load_text(&format!("{}.toml", case.name()), &case.text, None, &[]);
        let scene = scene.map_err(|error| GenerateError::Scene {
            family: family.name,
            seed,
            index,
            error: Box::new(error),
        })?;
        let mut state = scene.state.clone();
        state.complete(&scene.model);
        if judge::clearance(&scene.model, &state, 0.0) >= 0.0 {
            return Ok((case, scene));
        }
    }
    Err(GenerateError::Overlaps { family: family.name, seed, index })
}
