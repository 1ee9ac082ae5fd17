//! Mistakes in curves and meshes of ropes at work are named with their place.
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
fn rods_start_with_the_velocity_given() {
    let scene = load_named("thrown_rope", &[]).unwrap();
    assert!(scene.state.rods[0].v.iter().all(|v| *v == [5.0, 0.0, 0.0, 0.0]));
}
