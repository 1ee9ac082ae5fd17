//! Patches: rods with pressure fields fall on one another and on rigid or soft bodies.

use super::super::random::Random;
use super::rope::{Rope, Section, Substance};
use super::scene_text::{SceneText, number, quoted, vector};
use core::f64::consts::TAU;
use glam::DVec3;

/// Pressure fields cost memory and time per segment.
const MOST_SEGMENTS: usize = 24;

pub(super) fn make(random: &mut Random) -> Option<SceneText> {
    let dt = random.log_between(1e-4, 5e-3);
    let mut text = SceneText::new("Rods with pressure fields fall on one another", dt, random.whole(30, 60));
    let is_flat = random.chance(0.5);
    let scale = random.log_between(4e-4, 8e-3);
    let mut height = 0.0;
    let mut ropes: Vec<Rope> = Vec::new();
    for i in 0..random.whole(1, 3) {
        let section = match is_flat {
            true => Section::Flat { width: scale * random.between(2.0, 8.0), height: scale },
            false => Section::Round { radius: 0.5 * scale },
        };
        let segments = random.whole(6, MOST_SEGMENTS);
        let length = scale * random.between(2.0, 8.0) * segments as f64;
        let angle = random.between(0.0, TAU);
        let along = DVec3::new(angle.cos(), angle.sin(), 0.0);
        height += 0.5 * scale * (1.0 + random.log_between(0.02, 1.0));
        let middle = DVec3::Z * height;
        let ends = (middle - along * (0.5 * length), middle + along * (0.5 * length));
        height += 0.5 * scale;
        let mut substance = Substance::random(random);
        // A field that is stiffer than the solid, or soft as foam.
        substance.youngs_modulus = random.log_between(1e5, 1e10);
        let mut rope = Rope::line(&format!("rope{i}"), substance, section, ends, segments);
        let modulus = substance.youngs_modulus * random.log_between(0.03, 1.0);
        rope.material_rows = vec![("contact", quoted("patch")), ("pressure_modulus", number(modulus))];
        rope.more.push(("director", vector(DVec3::Z.cross(along))));
        // Slow enough for the field to stop it: kinetic energy below the work of half the greatest pressure over the
        // depth.
        let most = (0.1 * modulus / substance.density).sqrt().clamp(0.05, 5.0);
        rope.velocity = DVec3::Z * -random.log_between(0.01, most);
        ropes.push(rope);
    }
    let friction = ("friction", number(random.between(0.0, 1.0)));
    let reach = ropes.iter().map(Rope::length).fold(0.0, f64::max);
    let size = DVec3::new(reach, reach, 4.0 * scale) * random.between(0.5, 1.2);
    let mut rows = match random.whole(0, 2) {
        0 => vec![("shape", quoted("half_space"))],
        _ => vec![
            ("shape", format!("{{ box = {{ size = {} }} }}", vector(size))),
            ("position", vector(DVec3::Z * (-0.5 * size.z))),
        ],
    };
    if rows.len() > 1 && random.chance(0.5) {
        rows.push(("pressure_modulus", number(random.log_between(1e5, 1e9))));
    }
    rows.extend([("motion", quoted("fixed")), friction]);
    text.table("body.ground", &rows);
    ropes.iter().for_each(|rope| rope.write(&mut text));
    Some(text)
}
