//! Mistakes in claims on ropes at work, and in the curves and meshes that they use, are named with their place; claims whose
//! theory does not cover the scene are left out with a warning.
#![allow(clippy::unwrap_used, clippy::panic)]

use ropewalk_scene::{load_named, load_text};

const SCENE: &str = r#"title = "t"
[time]
duration = 1.0
[rod.rope]
preset = "nylon_rope"
curve = { line = { from = [0.0, 0.0, 0.5], to = [0.3, 0.0, 0.5] } }
segments = 10
[body.post]
shape = { cylinder = { radius = 0.05, length = 0.4 } }
motion = "fixed"
[body.block]
shape = { box = { size = [0.1, 0.1, 0.1] } }
density = 500.0
position = [0.3, 0.0, 0.5]
[body.hill]
shape = { mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 2]] } }
motion = "fixed"
[attach.hook]
kind = "pin"
rod = "rope"
at = "end"
to = { body = "block", point = [0.0, 0.0, 0.0] }
"#;

#[test]
fn mistakes_have_a_place_and_a_remedy() {
    let cases = [
        (
            "[claim.a]\ndrift = { rod = \"rope\", from = 2.0, tolerance = 0.1 }",
            "claim.a.drift.from",
            "ends before",
            "below 1 s",
        ),
        (
            "[claim.a]\nwinding = { rod = \"rope\", body = \"pots\", tolerance = 0.1 }",
            "claim.a.winding.body",
            "no body called",
            "post",
        ),
        (
            "[claim.a]\nhung_tension = { attach = \"hook\", from = 0.5, until = 0.2, tolerance = 0.1 }",
            "claim.a.hung_tension.until",
            "no span of time",
            "after `from`",
        ),
        (
            "[claim.a]\nreleased = { attach = \"hock\", tolerance = 0.1 }",
            "claim.a.released.attach",
            "no attachment",
            "hook",
        ),
        (
            "[claim.a]\nmirror_shape = { rod = \"rope\", normal = [0, 0, 0], tolerance = 0.1 }",
            "claim.a.mirror_shape.normal",
            "direction is zero",
            "a direction",
        ),
        (
            "[rod.belt]\npreset = \"nylon_rope\"\nsegments = 20\ncurve = { stadium = { centers = [[0, 0, 0], [0, 0, 0]], radius = 0.1 } }",
            "rod.belt.curve.stadium.centers",
            "direction is zero",
            "",
        ),
        (
            "[rod.belt]\npreset = \"nylon_rope\"\nsegments = 20\nclosed = false\ncurve = { stadium = { centers = [[0, 0, 0], [1, 0, 0]], radius = 0.1 } }",
            "rod.belt.closed",
            "is closed",
            "arc with tails",
        ),
        (
            "[body.rock]\nmotion = \"fixed\"\nshape = { mesh = { scale = 2.0 } }",
            "body.rock.shape",
            "one source",
            "`vertices` and `triangles`",
        ),
        (
            "[body.rock]\nmotion = \"fixed\"\nshape = { mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 3]] } }",
            "body.rock.shape",
            "names vertex 3",
            "",
        ),
    ];
    let warnings = load_text("t.toml", SCENE, None, &[]).unwrap().warnings;
    assert!(warnings.is_empty(), "{warnings:?}");
    for (addition, key, message, remedy) in cases {
        let error = load_text("t.toml", &format!("{SCENE}{addition}\n"), None, &[]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(key) && text.contains(message) && text.contains(remedy), "{addition}\n{text}");
    }
}

#[test]
fn claims_that_do_not_fit_are_left_out_with_a_warning() {
    for (claim, words) in [
        ("carried_body = { body = \"post\", tolerance = 0.1 }", "a free body"),
        ("coil_layer = { rod = \"rope\", body = \"block\", tolerance = 0.1 }", "a cylinder or a capsule"),
        ("belt_slip = { rod = \"rope\", body = \"post\", angle = 3.0, tolerance = 0.1 }", "a closed rod"),
        ("released = { attach = \"hook\", tolerance = 0.1 }", "`until` before the end"),
    ] {
        let scene = load_text("t.toml", &format!("{SCENE}[claim.a]\n{claim}\n"), None, &[]).unwrap();
        assert!(scene.warnings.iter().any(|w| w.contains(words)), "{claim}: {:?}", scene.warnings);
        assert!(scene.claims.iter().all(|c| c.name() != "a"));
    }
    let without = load_named("net", &["gravity=[0, 0, 0]".to_owned()]).unwrap();
    assert!(without.warnings.iter().any(|w| w.contains("gravity")), "{:?}", without.warnings);
    let knot = load_named("loose_knot", &["material.steel.friction=0.1".to_owned()]).unwrap();
    assert!(knot.warnings.iter().any(|w| w.contains("without friction")), "{:?}", knot.warnings);
}

#[test]
fn rods_start_with_the_velocity_given() {
    let scene = load_named("thrown_rope", &[]).unwrap();
    assert!(scene.state.rods[0].v.iter().all(|v| *v == [5.0, 0.0, 0.0, 0.0]));
}
