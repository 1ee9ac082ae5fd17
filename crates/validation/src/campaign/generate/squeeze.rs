//! A press on a slide squeezes a rope or strip on a floor with up to 0.01·EA.

use super::super::random::Random;
use super::rope::{Rope, Section, Substance};
use super::scene_text::{SceneText, number, quoted, vector};
use glam::DVec3;

pub(super) fn make(random: &mut Random) -> Option<SceneText> {
    let mut text = SceneText::random("A press squeezes a rope on a floor", random);
    let is_flat = random.chance(0.3);
    let section = if is_flat { Section::flat(random) } else { Section::round(random) };
    let (segments, segment) = (random.whole(8, 50), section.segment(random));
    let half_thickness = 0.5 * section.thickness();
    let above = half_thickness * (1.0 + random.log_between(0.005, 0.3));
    // An arc in the plane of the floor, or a straight line.
    let bend = if is_flat || random.chance(0.5) { 0.0 } else { random.between(0.2, 3.0) };
    let mut nodes = vec![DVec3::ZERO];
    for i in 0..segments {
        let (s, c) = (bend * ((i as f64 + 0.5) / segments as f64 - 0.5)).sin_cos();
        nodes.push(nodes[i] + DVec3::new(c, s, 0.0) * segment);
    }
    let middle = nodes.iter().sum::<DVec3>() / nodes.len() as f64;
    let nodes: Vec<DVec3> = nodes.iter().map(|p| *p - middle + DVec3::Z * above).collect();
    let mut rope = Rope::new("rope", Substance::random(random), section, nodes);
    if is_flat {
        rope.more.push(("director", vector(DVec3::Y)));
    } else {
        rope.more.push(("rest", quoted("as_given")));
    }
    rope.write(&mut text);
    let friction = |random: &mut Random| ("friction", number(random.between(0.0, 1.0)));
    let floor = [("shape", quoted("half_space")), ("motion", quoted("fixed")), friction(random)];
    text.table("body.floor", &floor);
    let size = DVec3::new(
        rope.length() * random.between(0.2, 1.5),
        rope.length() * random.between(0.2, 1.5),
        half_thickness * random.log_between(1.0, 10.0),
    );
    let gap = half_thickness * random.log_between(0.01, 0.5);
    let place = DVec3::Z * (above + half_thickness + gap + 0.5 * size.z);
    let mass = rope.mass() * random.log_between(0.3, 1e3);
    let press = [
        ("shape", format!("{{ box = {{ size = {} }} }}", vector(size))),
        ("mass", number(mass)),
        ("position", vector(place)),
        (
            "joint",
            format!(
                "{{ prismatic = {{ axis = [0.0, 0.0, 1.0], damping = {} }} }}",
                number(mass * random.log_between(1.0, 100.0))
            ),
        ),
        friction(random),
    ];
    text.table("body.press", &press);
    let force = 0.01 * rope.stretch_stiffness() * random.log_between(1e-4, 1.0);
    let end = number(random.between(0.2, 0.8) * text.duration());
    let target = format!("{{ ramp = {{ times = [0.0, {end}], values = [0.0, {}] }} }}", number(-force));
    text.table("actuator.press", &[("body", quoted("press")), ("kind", quoted("force")), ("target", target)]);
    Some(text)
}
