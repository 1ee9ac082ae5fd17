//! Robots: an arm of three joints drags a rope round one to three posts. The rope hangs from the arm's end effector;
//! its other end is free, clamped, or carries a weight.

use super::super::random::Random;
use super::rope::{Rope, Section, Substance};
use super::scene_text::{SceneText, number, quoted, rotation, vector};
use glam::{DQuat, DVec3};

/// The frame `hand` of the arm stretched out along x, m.
const TIP: DVec3 = DVec3::new(0.9, 0.08, 0.75);
/// Radius of the last link, whose round end is about that frame, m.
const LINK_RADIUS: f64 = 0.015;

pub(super) fn make(random: &mut Random) -> Option<SceneText> {
    let dt = random.log_between(5e-4, 5e-3);
    let mut text = SceneText::new("An arm drags a rope round posts", dt, random.whole(80, 140));
    let duration = text.duration();
    text.table(
        "robot.arm",
        &[("urdf", quoted("robot:planar_arm")), ("gravity_compensation", "true".to_owned())],
    );
    text.table(
        "control.arm",
        &[("robot", quoted("arm")), ("position_gain", number(1e4)), ("velocity_gain", number(300.0))],
    );
    let mut targets = Vec::new();
    for (joint, most) in [("shoulder", 0.8), ("elbow", 1.2), ("wrist", 1.5)] {
        let angle = random.between(-most, most);
        targets.push((
            joint,
            format!(
                "{{ ramp = {{ times = [0.0, {}], values = [0.0, {}], interpolation = \"smooth\" }} }}",
                number(duration),
                number(angle)
            ),
        ));
    }
    text.table("control.arm.targets", &targets);
    let section = Section::Round { radius: random.log_between(3e-4, 8e-3) };
    let segments = random.whole(20, 70);
    let length = random.between(0.25, 0.6);
    // Attached just beyond the link, so that the rope starts outside it.
    let start = TIP + DVec3::X * (LINK_RADIUS + section.outer_radius() * random.between(1.1, 4.0));
    let ends = (start, start - DVec3::Z * length);
    let rope = Rope::line("rope", Substance::random(random), section, ends, segments);
    rope.write(&mut text);
    let kind = *random.pick(&["pin", "clamp"]);
    text.table(
        "attach.grip",
        &[
            ("kind", quoted(kind)),
            ("rod", quoted("rope")),
            ("at", quoted("start")),
            ("to", "{ robot = \"arm\", link = \"hand\" }".to_owned()),
        ],
    );
    posts(&mut text, random, &rope, start, length);
    far_end(&mut text, random, &rope, ends.1, duration);
    Some(text)
}

/// One to three posts beside the rope, which hangs from `start`.
fn posts(text: &mut SceneText, random: &mut Random, rope: &Rope, start: DVec3, length: f64) {
    for i in 0..random.whole(1, 3) {
        let radius = random.log_between(2e-3, 4e-2);
        let side = if random.chance(0.5) { 1.0 } else { -1.0 };
        let beside = side * (radius + rope.section.outer_radius() + random.log_between(1e-4, 5e-2));
        let place = start + DVec3::new(beside, 0.0, -length * random.between(0.3, 0.95));
        let axis = (DVec3::Y + random.direction() * random.between(0.0, 0.3)).normalize();
        let rows = [
            ("shape", format!("{{ cylinder = {{ radius = {}, length = 3.0 }} }}", number(radius))),
            ("position", vector(place)),
            ("rotation", rotation(DQuat::from_rotation_arc(DVec3::Z, axis))),
            ("motion", quoted("fixed")),
            ("friction", number(random.between(0.0, 1.0))),
        ];
        text.table(&format!("body.post{i}"), &rows);
    }
}

/// The rope's other end is free, clamped for a while, or carries a weight.
fn far_end(text: &mut SceneText, random: &mut Random, rope: &Rope, end: DVec3, duration: f64) {
    match random.whole(0, 2) {
        0 => {}
        1 => {
            let rows = [
                ("kind", quoted("pin")),
                ("rod", quoted("rope")),
                ("at", quoted("end")),
                ("to", quoted("world")),
                // Released before the arm overstretches the rope.
                ("until", number(0.4 * duration)),
            ];
            text.table("attach.end", &rows);
        }
        _ => {
            let ball = rope.section.outer_radius() * random.between(1.5, 5.0);
            let rows = [
                ("shape", format!("{{ sphere = {{ radius = {} }} }}", number(ball))),
                ("mass", number(rope.mass() * random.log_between(0.3, 300.0))),
                ("position", vector(end - DVec3::Z * (ball + rope.section.outer_radius()))),
            ];
            text.table("body.weight", &rows);
            let rows = [
                ("kind", quoted("ball")),
                ("rod", quoted("rope")),
                ("at", quoted("end")),
                ("to", "{ body = \"weight\" }".to_owned()),
            ];
            text.table("attach.end", &rows);
        }
    }
}
