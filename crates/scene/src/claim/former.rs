//! Claim kinds of former versions, and the equivalent measures.

/// The replacement of the claim kind `kind`; none if there was no such kind.
pub(crate) fn former_claim(kind: &str) -> Option<&'static str> {
    FORMER.iter().find(|(former, _)| *former == kind).map(|(_, now)| *now)
}

const REST: &str = r#"measure = { quantity = "velocities", of = ROD, component = "norm", across = "greatest", over = "last" }, equals = 0.0"#;
const TIP: &str = r#"measure = { quantity = "positions", of = ROD, component = "z", across = "last", over = "last" }, equals = { cantilever_height = … }"#;
const IMPULSE: &str = r#"measure = { quantity = "momentum_defect", of = NAME, component = "norm", over = "greatest" }, equals = 0.0, scale = "weight(NAME)""#;
const SUPPORT: &str = r#"measure = { quantity = "support_force", of = NAME, component = "z", over = "last" }, equals = "weight(NAME)""#;
const PERIOD: &str = r#"measure = { quantity = "joint_positions", of = BODY, at = 0, over = "period" }, equals = { two_bars_slow_period = … }"#;
const RATIO: &str = r#"measure = { quantity = "tension", of = ROD, across = "greatest", over = "mean" }, relative_to = { quantity = "tension", of = ROD, across = "least", over = "mean" }, equals = { capstan_skin_ratio = … }"#;
const STAYS: &str = r#"measure = { quantity = "center_of_mass", of = NAME, component = "x", over = "range", from = TIME }, at_most = DISTANCE"#;
const CONTACT: &str = r#"measure = { quantity = "link_contact_wrenches", of = BODY, component = "fx", over = "mean", from = TIME }, equals = FORCE"#;
const MIRROR: &str = r#"measure = { quantity = "positions", of = ROD, component = "z", at = NODE, over = "last" }, relative_to = { quantity = "positions", of = ROD, component = "z", at = OTHER, over = "last" }, equals = 1.0"#;
const WOUND: &str = r#"measure = { quantity = "wound_radii", of = ROD, about = BODY, across = "greatest", over = "last" }, equals = { wound_radius = … }"#;
const ATTACHED: &str = r#"measure = { quantity = "attachment_wrenches", of = NAME, component = "force", over = "greatest", from = TIME }, equals = FORCE"#;

const FORMER: &[(&str, &str)] = &[
    ("clamped_rod", TIP),
    (
        "euler_column",
        r#"measure = { quantity = "positions", of = ROD, component = "horizontal", across = "last", over = "last" }, equals = { column_deflection = … }"#,
    ),
    (
        "shaft_torque",
        r#"measure = { quantity = "clamp_wrenches", of = CLAMP, component = "torque", over = "last" }, equals = { shaft_torque = … }"#,
    ),
    (
        "natural_circle",
        r#"measure = { quantity = "curvature", of = ROD, across = "mean", over = "last" }, equals = { circle_curvature = … }"#,
    ),
    (
        "michell_ring",
        r#"measure = { quantity = "twist", of = ROD, across = "sum", over = "drift" }, equals = 0.0"#,
    ),
    (
        "mean_tension",
        r#"measure = { quantity = "tension", of = ROD, across = "mean", over = "mean" }, equals = FORCE"#,
    ),
    ("clamp_impulse", IMPULSE),
    ("body_impulse", IMPULSE),
    ("at_rest", REST),
    ("double_pendulum", PERIOD),
    (
        "load_period",
        r#"measure = { quantity = "link_positions", of = BODY, component = "x", over = "period" }, equals = { loaded_rope_period = … }"#,
    ),
    ("load_tension", ATTACHED),
    ("carried_weight", SUPPORT),
    ("carried_body", SUPPORT),
    ("chain_weight", SUPPORT),
    (
        "total_weight",
        r#"measure = { quantity = "support_force", component = "z", over = "last" }, equals = "weight(world)""#,
    ),
    (
        "catenary_tension",
        r#"measure = { quantity = "attachment_wrenches", of = NAME, component = "fx", over = "last" }, equals = { catenary_tension = … }"#,
    ),
    (
        "joint_follows",
        r#"measure = { quantity = "tracking_errors", of = ROBOT, across = "greatest", over = "greatest" }, at_most = ANGLE"#,
    ),
    (
        "end_effector_path",
        r#"measure = { quantity = "end_effector_error", of = NAME, over = "greatest" }, at_most = DISTANCE"#,
    ),
    (
        "hand_path",
        r#"measure = { quantity = "end_effector_error", of = NAME, over = "greatest" }, at_most = DISTANCE"#,
    ),
    ("overlap", r#"measure = { quantity = "relative_overlap", over = "greatest" }, at_most = SHARE"#),
    (
        "chain_linked",
        r#"measure = { quantity = "linking_numbers", across = "sum", over = "last" }, equals = COUNT"#,
    ),
    ("capstan", RATIO),
    ("belt_slip", RATIO),
    ("drift", STAYS),
    ("stays", STAYS),
    ("tracks", STAYS),
    ("approaches", STAYS),
    ("carried", STAYS),
    ("winding", r#"measure = { quantity = "turns", of = ROD, about = BODY, over = "jump" }, at_most = 0.5"#),
    ("coil_layer", WOUND),
    ("coil_pitch", WOUND),
    ("bend_force", CONTACT),
    ("stop_force", CONTACT),
    ("pinch_force", CONTACT),
    ("soft_press", CONTACT),
    (
        "pinch_rise",
        r#"measure = { quantity = "link_contact_wrenches", of = BODY, component = "fy", over = "fall" }, at_most = FORCE"#,
    ),
    ("hung_tension", ATTACHED),
    ("released", ATTACHED),
    (
        "winch_torque",
        r#"measure = { quantity = "actuator_efforts", of = NAME, component = "magnitude", over = "mean", from = TIME, until = TIME }, equals = { winch_torque = … }"#,
    ),
    ("mirror_shape", MIRROR),
    ("mirror_force", MIRROR),
    (
        "loose_knot",
        r#"measure = { quantity = "clamp_wrenches", of = CLAMP, component = "force", over = "last" }, equals = { loose_knot_pull = … }"#,
    ),
    ("let_go", r#"measure = { quantity = "rod_contacts", of = BODY, over = "last" }, equals = 0.0"#),
    (
        "upright",
        r#"measure = { quantity = "link_quats_xyzw", of = BODY, component = "horizontal", over = "greatest" }, at_most = HALF_ANGLE"#,
    ),
    ("cannot_pass", r#"measure = { quantity = "passing_ratio", over = "greatest" }, at_most = 1.0"#),
    (
        "creep",
        r#"measure = { quantity = "positions", of = ROD, component = "x", across = "last", over = "drift", from = TIME }, equals = 0.0"#,
    ),
    ("knotted", r#"measure = { quantity = "knot_determinant", of = ROD, over = "last" }, equals = 3.0"#),
    (
        "twined",
        r#"measure = { quantity = "wraps", of = ROD, between = […], and_between = […], over = "last" }, equals = TURNS"#,
    ),
    (
        "pulled_tight",
        r#"measure = { quantity = "slack", of = ROD, between = […], over = "last" }, at_most = LENGTH"#,
    ),
];
