//! Weights on ropes: a ball or a box, up to 10⁴ times as heavy as the ropes, falls on one to three ropes that lie on a floor or
//! hang between clamps.

use super::super::random::Random;
use super::rope::{Rope, Section, Substance};
use super::scene_text::{SceneText, number, quoted, vector};
use glam::DVec3;

pub(super) fn make(random: &mut Random) -> Option<SceneText> {
    let mut text = SceneText::random("A weight falls on ropes", random);
    let (count, segments) = (random.whole(1, 3), random.whole(8, 40));
    let section = Section::round(random);
    let radius = section.outer_radius();
    let length = section.segment(random) * segments as f64;
    let spacing = radius * random.between(2.2, 8.0);
    let lies = random.chance(0.75);
    let height = radius * (1.0 + random.log_between(0.005, 0.5));
    let mut mass = 0.0;
    for i in 0..count {
        let across = spacing * (i as f64 - 0.5 * (count - 1) as f64);
        let ends = (DVec3::new(-0.5 * length, across, height), DVec3::new(0.5 * length, across, height));
        let rope = Rope::line(&format!("rope{i}"), Substance::random(random), section, ends, segments);
        mass += rope.mass();
        rope.write(&mut text);
        if !lies {
            for at in ["start", "end"] {
                let rows = [("rod", quoted(&rope.name)), ("at", quoted(at)), ("hold", quoted("position"))];
                text.table(&format!("clamp.{at}{i}"), &rows);
            }
        }
    }
    if lies {
        let friction = number(random.between(0.0, 1.0));
        let rows = [("shape", quoted("half_space")), ("motion", quoted("fixed")), ("friction", friction)];
        text.table("body.floor", &rows);
    }
    let gap = radius * random.log_between(0.01, 2.0);
    let (shape, half) = if random.chance(0.5) {
        let ball = radius * random.log_between(2.0, 20.0);
        (format!("{{ sphere = {{ radius = {} }} }}", number(ball)), ball)
    } else {
        let sides = spacing * count as f64 * random.between(0.8, 2.0);
        let size = DVec3::new(sides, sides, sides * random.between(0.3, 1.0));
        (format!("{{ box = {{ size = {} }} }}", vector(size)), 0.5 * size.z)
    };
    let rows = [
        ("shape", shape),
        ("mass", number(mass * random.log_between(1.0, 1e4))),
        (
            "position",
            vector(DVec3::new(random.between(-0.2, 0.2) * length, 0.0, height + radius + gap + half)),
        ),
        ("velocity", vector(DVec3::Z * -random.log_between(1e-3, 5.0))),
        ("friction", number(random.between(0.0, 1.0))),
    ];
    text.table("body.weight", &rows);
    Some(text)
}
