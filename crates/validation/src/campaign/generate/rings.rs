//! A chain of two to five linked rings: the first is pinned at a node, the last is pulled by a moving clamp or a
//! force.

use super::super::random::Random;
use super::rope::Substance;
use super::scene_text::{SceneText, number, quoted, vector};
use core::f64::consts::PI;
use glam::DVec3;

pub(super) fn make(random: &mut Random) -> Option<SceneText> {
    let mut text = SceneText::random("Linked rings are pulled apart", random);
    if random.chance(0.5) {
        text.weightless();
    }
    let (count, segments) = (random.whole(2, 5), random.whole(12, 32));
    let radius = random.log_between(1e-4, 2e-2);
    let ring = radius * random.between(5.0, 12.0);
    let gap = radius * random.log_between(0.05, 2.0);
    // Inscribed polygons come nearer to one another than circles.
    let apart = 2.0 * (ring * (PI / segments as f64).cos() - radius) - gap;
    let rest = if random.chance(0.7) { "as_given" } else { "straight" };
    let mut stretch = f64::INFINITY;
    for i in 0..count {
        let substance = Substance::random(random);
        stretch = stretch.min(substance.youngs_modulus * PI * radius * radius);
        text.table(&format!("material.ring{i}"), &substance.rows());
        let normal = if i % 2 == 0 { DVec3::Y } else { DVec3::Z };
        let curve = format!(
            "{{ circle = {{ center = {}, normal = {}, radius = {} }} }}",
            vector(DVec3::X * (apart * i as f64)),
            vector(normal),
            number(ring)
        );
        let rows = [
            ("material", quoted(&format!("ring{i}"))),
            ("section", format!("{{ circle = {{ radius = {} }} }}", number(radius))),
            ("curve", curve),
            ("segments", format!("{segments}")),
            ("rest", quoted(rest)),
            ("mass_damping", number(*random.pick(&[0.0, 1.0, 10.0]))),
        ];
        text.table(&format!("rod.ring{i}"), &rows);
    }
    let held = |ring: usize, node: usize| {
        vec![
            ("rod", quoted(&format!("ring{ring}"))),
            ("at", format!("{{ node = {node} }}")),
            ("hold", quoted("position")),
        ]
    };
    text.table("clamp.first", &held(0, random.whole(0, segments - 1)));
    let (last, node) = (count - 1, random.whole(0, segments - 1));
    let duration = text.duration();
    if random.chance(0.5) {
        // Up to the distance that the rings allow without much strain, at 20 m/s at most.
        let way = (random.log_between(0.05, 1.0) * ring * count as f64).min(20.0 * duration);
        let ramp = format!(
            "{{ ramp = {{ times = [0.0, {}], values = [0.0, {}] }} }}",
            number(duration),
            number(way)
        );
        let mut rows = held(last, node);
        rows.push(("motion", format!("{{ translation = [{ramp}, 0.0, 0.0] }}")));
        text.table("clamp.last", &rows);
    } else {
        let force = DVec3::X * (0.01 * stretch * random.log_between(1e-4, 1.0));
        let point = format!("{{ at = {{ node = {node} }}, force = {} }}", vector(force));
        text.table("load.pull", &[("rod", quoted(&format!("ring{last}"))), ("point", point)]);
    }
    Some(text)
}
