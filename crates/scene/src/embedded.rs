//! Scenes that come with the program.

/// A scene file inside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedScene {
    /// Name for `ropewalk run NAME`.
    pub name: &'static str,
    /// What it shows, in one line.
    pub title: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal: $title:literal,)*) => {
        &[$(EmbeddedScene {
            name: $name,
            title: $title,
            text: include_str!(concat!("../scenes/", $name, ".toml")),
        },)*]
    };
}

/// Titles are in the files too; a test keeps them equal.
static SCENES: &[EmbeddedScene] = scenes! {
    "cantilever": "A heavy cantilever settles to the elastica",
    "hanging_rope": "A rope pinned at one end swings down from 45 degrees",
    "helix": "A helical spring hangs under its own weight",
    "twisted_ring": "Of two twisted rings, the one beyond Michell's limit leaves its plane",
    "buckling_column": "A column buckles under an axial load",
    "flexible_shaft": "A flat shaft is turned between two clamps",
    "loop": "An oval loop relaxes to its natural circle",
    "ramped_curvature": "A straight strip curls up as its natural curvature is ramped",
    "suture": "A stiff suture is shaken at one end",
    "double_pendulum": "Three double pendulums: small swings keep their periods, wild ones their energy",
    "suspended_load": "A load swings on a rope with the period and the tension of theory",
    "arm_rope": "An arm of seven joints swings a rope",
    "two_arms": "Two arms carry a cable between them",
    "capstan": "A rope slides round a post",
    "knot": "An overhand knot is pulled tight",
    "rings": "A chain of rings drops into its links and comes to rest",
    "winch": "A winch lifts a load over a sheave and lowers it again",
    "coil": "A motor winds a coil on a drum, turn beside turn",
    "routing": "A hand lays a cable round clips on a board",
    "two_hands": "Two hands move a cable in mirror images",
    "release": "One of two hands lets go of a cable",
    "net": "A net of ten cords catches a ball",
    "drape": "A rope drapes over a hill of triangles",
    "belt_drive": "A belt slips on a braked pulley: tight and slack side",
    "crowned_pulley": "A belt climbs to the middle of a crowned pulley",
    "conveyor": "A box on a conveyor belt is stopped by a bar",
    "resting_cable": "A cable comes to rest on the floor and stays",
    "thrown_rope": "A rope thrown at a thin peg is caught by it",
    "loose_knot": "How hard a loose overhand knot pulls",
    "gripper": "Filaments entangle a branched object, carry it away and let it go",
    "pinch": "Two fingers pinch a lace that is pulled",
    "soft_finger": "A soft finger presses a cable against a table",
    "shoelace": "Two arms tie a knot in a shoelace",
    "bow": "Two arms tie a bow in a shoelace",
};

/// The scenes that come with the program.
pub fn embedded_scenes() -> &'static [EmbeddedScene] {
    SCENES
}
