//! Contact in a scene file.

use schemars::JsonSchema;
use serde::Deserialize;

/// Contact between rods and bodies.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ContactSpec {
    /// Whether contact is simulated.
    pub(crate) enabled: bool,
    /// The law of all contacts.
    pub(crate) law: ContactLawSpec,
    /// Whether pairs that may touch within the step are constrained from its start (look-ahead).
    pub(crate) look_ahead: bool,
    /// Whether steps with tunnelling are split.
    pub(crate) guard: bool,
    /// Whether sticking contacts remember their stick force, so that a grasp does not creep; for the law sap.
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
    /// Pairs of links of one robot (ROBOT/LINK), or of bodies of one chain, with contact, which they do not have by
    /// default. A robot paired with itself: all pairs of its links that are not adjacent.
    pub(crate) include: Vec<[String; 2]>,
    /// Pairs of names with a surface of their own, instead of the combination of both surfaces.
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

/// Copies of a rod, each displaced from the previous one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CopiesSpec {
    /// Number of rods, including the first.
    #[schemars(range(min = 1, max = 100000))]
    pub(crate) count: u32,
    /// Displacement from one to the next in m.
    #[serde(default)]
    pub(crate) step: [f64; 3],
    /// Axis through the origin about which each is rotated relative to the previous one; z by default.
    #[serde(default = "z_axis")]
    pub(crate) axis: [f64; 3],
    /// Angle of this rotation in rad.
    #[serde(default)]
    pub(crate) angle: f64,
}

fn z_axis() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}
