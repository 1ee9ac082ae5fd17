//! Attachments: ropes tied to bodies and to one another, thrown at a floor or swinging over it.

use super::super::random::Random;
use super::rope::{Rope, Section, Substance};
use super::scene_text::{SceneText, number, quoted, vector};
use glam::DVec3;

pub(super) fn make(random: &mut Random) -> Option<SceneText> {
    let mut text = SceneText::random("Ropes tied to bodies and to one another", random);
    let section = Section::round(random);
    let radius = section.outer_radius();
    let (segments, segment) = (2 * random.whole(4, 25), radius * random.log_between(2.5, 10.0));
    let length = segment * segments as f64;
    let height = radius * random.log_between(1.5, 20.0);
    let start = DVec3::new(-0.5 * length, 0.0, height + radius);
    let rope = |random: &mut Random, name: &str, from: DVec3, to: DVec3, velocity: DVec3| {
        let mut rope = Rope::line(name, Substance::random(random), section, (from, to), segments);
        rope.velocity = velocity;
        rope
    };
    let down = DVec3::Z * -random.log_between(0.02, 10.0);
    let floor = [
        ("shape", quoted("half_space")),
        ("motion", quoted("fixed")),
        ("friction", number(random.between(0.0, 1.0))),
    ];
    text.table("body.floor", &floor);
    let end = start + DVec3::X * length;
    let first = rope(random, "rope", start, end, down);
    first.write(&mut text);
    match random.whole(0, 2) {
        // A body at the end; the start is free or clamped.
        0 => {
            let size = radius * random.log_between(1.0, 8.0);
            let kind = *random.pick(&["pin", "ball", "clamp"]);
            let place = end
                + DVec3::X * (size + radius * random.between(1.05, 2.0))
                + DVec3::Z * (size - radius).max(0.0);
            let rows = [
                ("shape", format!("{{ sphere = {{ radius = {} }} }}", number(size))),
                ("mass", number(first.mass() * random.log_between(0.1, 1e3))),
                ("position", vector(place)),
                ("velocity", vector(down)),
            ];
            text.table("body.weight", &rows);
            tie(&mut text, "end", kind, "end", "{ body = \"weight\" }");
            if random.chance(0.5) {
                // Clamped ropes start at rest, to agree with the clamp.
                text.table(
                    "clamp.start",
                    &[("rod", quoted("rope")), ("at", quoted("start")), ("hold", quoted("position"))],
                );
            }
        }
        // A second rope continues at the end of the first.
        1 => {
            let turn = random.between(-1.2, 1.2);
            let along = DVec3::new(turn.cos(), turn.sin(), 0.0);
            rope(random, "second", end, end + along * length, down).write(&mut text);
            tie(&mut text, "joint", "ball", "end", "{ rod = \"second\", at = \"start\" }");
        }
        // Two ropes cross and are tied in their middles.
        _ => {
            let middle = 0.5 * (start + end);
            let half = DVec3::Y * (0.5 * length);
            rope(random, "second", middle - half, middle + half, down).write(&mut text);
            let node = format!("{{ node = {} }}", segments / 2);
            let rows = [
                ("kind", quoted("pin")),
                ("rod", quoted("rope")),
                ("at", node.clone()),
                ("to", format!("{{ rod = \"second\", at = {node} }}")),
            ];
            text.table("attach.middle", &rows);
        }
    }
    Some(text)
}

fn tie(text: &mut SceneText, name: &str, kind: &str, at: &str, to: &str) {
    let rows = [("kind", quoted(kind)), ("rod", quoted("rope")), ("at", quoted(at)), ("to", to.to_owned())];
    text.table(&format!("attach.{name}"), &rows);
}
