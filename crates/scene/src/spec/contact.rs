//! Contact, as it stands in a scene file.

use schemars::JsonSchema;
use serde::Deserialize;

/// Contact between rods and bodies.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ContactSpec {
    /// Whether there is any; if not, everything passes through everything.
    pub(crate) enabled: bool,
    /// The law of all contacts.
    pub(crate) law: ContactLawSpec,
    /// Whether pairs that may come to touch within the step take part before they do.
    pub(crate) look_ahead: bool,
    /// Whether steps in which something would pass through something else are split.
    pub(crate) guard: bool,
    /// Whether contacts that stick remember what they hold, so that a grasp does not creep; of the law sap.
    pub(crate) anchor: bool,
    /// Polygons of a patch whose normals are within this angle of one another, in rad, are replaced by at most four contacts
    /// with the same force, moment and stiffness. None are by default.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) cluster_angle: Option<f64>,
    /// What becomes of things that overlap at the start.
    pub(crate) overlap: OverlapSpec,
    /// Pairs of names of rods, bodies, robots and links (ROBOT/LINK) that pass through one another; a rod paired with itself
    /// has no contact with itself.
    pub(crate) exclude: Vec<[String; 2]>,
    /// Pairs of links of one robot (ROBOT/LINK), or of bodies of one chain, that touch one another, which they do not by
    /// default. A robot paired with itself: all of its links that no joint joins.
    pub(crate) include: Vec<[String; 2]>,
    /// Pairs of names with a surface of their own, in place of what their sides give.
    pub(crate) pairs: Vec<PairSpec>,
}

/// The surface of a pair.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PairSpec {
    /// Names of the two: rods, bodies, robots or links (ROBOT/LINK).
    pub(crate) between: [String; 2],
    /// Coefficient of friction of the pair.
    #[schemars(range(min = 0.0))]
    pub(crate) friction: f64,
    /// Stiffness of the pair in N/m; as hard as the step allows by default.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub(crate) stiffness: Option<f64>,
    /// Hunt and Crossley's dissipation of the pair in s/m, for the laws lagged and similar.
    #[schemars(range(min = 0.0))]
    pub(crate) dissipation: Option<f64>,
}

impl Default for ContactSpec {
    fn default() -> Self {
        Self {
            enabled: true,
            law: ContactLawSpec::Sap,
            look_ahead: true,
            guard: true,
            anchor: true,
            cluster_angle: None,
            overlap: OverlapSpec::Report,
            exclude: Vec::new(),
            include: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

/// What becomes of things that overlap at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OverlapSpec {
    /// An error of `check`, a warning of a run; contact pushes them apart, which gives them a velocity.
    #[default]
    Report,
    /// They are moved apart before the run begins, without a velocity.
    PushOut,
}

/// How something touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContactKindSpec {
    /// At points.
    #[default]
    Point,
    /// In patches of a pressure field.
    Patch,
}

/// Contact laws.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContactLawSpec {
    /// The regularized cone.
    #[default]
    Sap,
    /// Hunt and Crossley's normal force, friction from the normal force at the start of the step.
    Lagged,
    /// Hunt and Crossley's normal force, friction from the present normal force.
    Similar,
}

/// Copies of a rod, each moved on from the one before.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CopiesSpec {
    /// How many rods there are, the first included.
    #[schemars(range(min = 1, max = 100000))]
    pub(crate) count: u32,
    /// Displacement from one to the next in m.
    #[serde(default)]
    pub(crate) step: [f64; 3],
    /// Axis about which each is turned against the one before, through the origin; z by default.
    #[serde(default = "z_axis")]
    pub(crate) axis: [f64; 3],
    /// Angle of that turn in rad.
    #[serde(default)]
    pub(crate) angle: f64,
}

fn z_axis() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}
