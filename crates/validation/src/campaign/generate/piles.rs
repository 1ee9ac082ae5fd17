//! Piles: ropes fall on one another into a box of four walls.

use super::super::random::Random;
use super::rope::{Rope, Section, Substance};
use super::scene_text::{SceneText, number, quoted, vector};
use core::f64::consts::TAU;
use glam::DVec3;

/// Nodes of all ropes.
const MOST_NODES: usize = 120;

pub(super) fn make(random: &mut Random) -> Option<SceneText> {
    let mut text = SceneText::random("Ropes fall into a box", random);
    let count = random.whole(2, 6);
    let radius = random.log_between(1e-4, 2e-2);
    let segments = random.whole(8, (MOST_NODES / count).min(40));
    let segment = radius * random.log_between(1.5, 8.0);
    let length = segment * segments as f64;
    // Wide enough for a rope across it, or for half of it, leaning.
    let half = 0.5 * (length + 4.0 * radius) * random.between(1.0, 1.5);
    let mut height = 0.0;
    let mut ropes = Vec::new();
    for i in 0..count {
        let own = radius * random.log_between(0.4, 1.0);
        let section = Section::Round { radius: own.max(1e-4) };
        let angle = random.between(0.0, TAU);
        let along = DVec3::new(angle.cos(), angle.sin(), 0.0) * (0.5 * length);
        let tilt = DVec3::Z * (random.between(-0.3, 0.3) * length * f64::from(u8::from(random.chance(0.3))));
        let lowest = section.outer_radius() + tilt.z.abs();
        height += lowest + 2.0 * radius * random.log_between(0.02, 2.0);
        let middle = DVec3::Z * height;
        height += lowest;
        let ends = (middle - along - tilt, middle + along + tilt);
        let mut rope = Rope::line(&format!("rope{i}"), Substance::random(random), section, ends, segments);
        rope.velocity = DVec3::Z * -random.log_between(0.05, 10.0);
        ropes.push(rope);
    }
    let friction = |random: &mut Random| ("friction", number(random.between(0.0, 1.0)));
    let floor = [("shape", quoted("half_space")), ("motion", quoted("fixed")), friction(random)];
    text.table("body.floor", &floor);
    let thick = (4.0 * radius).max(0.1 * half);
    for (i, side) in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y].into_iter().enumerate() {
        let size =
            DVec3::new(2.0 * half, 2.0 * half, 2.0 * height) * (DVec3::ONE - side.abs()) + side.abs() * thick;
        let place = side * (half + 0.5 * thick) + DVec3::Z * height;
        let rows = [
            ("shape", format!("{{ box = {{ size = {} }} }}", vector(size))),
            ("position", vector(place)),
            ("motion", quoted("fixed")),
            friction(random),
        ];
        text.table(&format!("body.wall{i}"), &rows);
    }
    ropes.iter().for_each(|rope| rope.write(&mut text));
    Some(text)
}
