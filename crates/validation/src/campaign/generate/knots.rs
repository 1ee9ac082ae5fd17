//! Overhand knots of order 1 to 5, of any stiffness, pulled by their ends.

use super::super::random::Random;
use super::rope::Substance;
use super::scene_text::{SceneText, number, quoted};

pub(super) fn make(random: &mut Random) -> Option<SceneText> {
    let mut text = SceneText::random("An overhand knot is pulled tight", random);
    text.weightless();
    let (order, segments) = (random.whole(1, 5), random.whole(50, 99));
    let radius = random.log_between(1e-4, 2e-2);
    let length = radius * (60.0 + 70.0 * order as f64) * random.between(0.8, 1.6);
    text.table("material.rope", &Substance::random(random).rows());
    let curve = format!(
        "{{ overhand = {{ order = {order}, length = {}, gap = {}, left_handed = {} }} }}",
        number(length),
        number(radius * random.between(2.1, 3.0)),
        random.chance(0.5)
    );
    let rest = if random.chance(0.7) { "straight" } else { "as_given" };
    let rows = [
        ("material", quoted("rope")),
        ("section", format!("{{ circle = {{ radius = {} }} }}", number(radius))),
        ("curve", curve),
        ("segments", format!("{segments}")),
        ("rest", quoted(rest)),
        ("mass_damping", number(*random.pick(&[0.0, 1.0, 10.0]))),
    ];
    text.table("rod.rope", &rows);
    let duration = text.duration();
    let way = (length * random.between(0.05, 0.25)).min(20.0 * duration);
    let hold = *random.pick(&["all", "position"]);
    for (at, sign) in [("start", -1.0), ("end", 1.0)] {
        let ramp = format!(
            "{{ ramp = {{ times = [0.0, {}], values = [0.0, {}] }} }}",
            number(duration),
            number(sign * way)
        );
        let rows = [
            ("rod", quoted("rope")),
            ("at", quoted(at)),
            ("hold", quoted(hold)),
            ("motion", format!("{{ translation = [{ramp}, 0.0, 0.0] }}")),
        ];
        text.table(&format!("clamp.{at}"), &rows);
    }
    // There is no such knot if the rope is too short for its gap.
    ropewalk_scene::load_text("knot.toml", &text.clone().finish(), None, &[]).ok()?;
    Some(text)
}
