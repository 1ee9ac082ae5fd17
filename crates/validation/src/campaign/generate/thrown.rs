//! Ropes and strips thrown at targets.

use super::super::judge::solid::Solid;
use super::super::judge::strand::{Strand, segment_distance};
use super::super::random::Random;
use super::rope::{Rope, Section, Substance, path};
use super::scene_text::{SceneText, quoted};
use super::targets::{Aim, Target};
use glam::DVec3;

/// Most nodes of a thrown rod.
const MOST_SEGMENTS: usize = 60;

/// A rope thrown at `target`.
pub(super) fn rope(random: &mut Random, target: Target) -> Option<SceneText> {
    let section = Section::round(random);
    throw(random, section, "A rope is thrown", target)
}

/// A flat strip thrown at `target`.
pub(super) fn strip(random: &mut Random, target: Target) -> Option<SceneText> {
    let section = Section::flat(random);
    throw(random, section, "A flat strip is thrown", target)
}

fn throw(random: &mut Random, section: Section, title: &str, target: Target) -> Option<SceneText> {
    let mut text = SceneText::random(title, random);
    let mut rope = draw(random, "rope", section);
    let aim = target(random, &rope, &mut text);
    let bodies = ropewalk_scene::load_text("target.toml", &text.clone().finish(), None, &[]).ok()?;
    let mut state = bodies.state.clone();
    state.complete(&bodies.model);
    let solids = Solid::of_model(&bodies.model);
    let poses = Solid::poses(&solids, &bodies.model, &state);
    let gap_at = |nodes: &[DVec3], reach: f64| {
        let mut least = reach;
        for pair in nodes.windows(2) {
            let strand = Strand::round(pair[0], pair[1], section.outer_radius());
            for (solid, pose) in solids.iter().zip(&poses) {
                least = strand.gap_to_solid(solid, pose, least).map_or(least, |gap| least.min(gap.surface));
            }
        }
        least
    };
    aim_at(random, &mut rope, &aim, text.duration(), gap_at)?;
    rope.write(&mut text);
    Some(text)
}

/// A rope thrown at a rope that is free or has clamped ends.
pub(super) fn rope_on_rope(random: &mut Random) -> Option<SceneText> {
    let section = Section::round(random);
    at_rope(random, section, "A rope is thrown at a rope")
}

/// The same with a strip.
pub(super) fn strip_on_rope(random: &mut Random) -> Option<SceneText> {
    let section = Section::flat(random);
    at_rope(random, section, "A flat strip is thrown at a rope")
}

fn at_rope(random: &mut Random, section: Section, title: &str) -> Option<SceneText> {
    let mut text = SceneText::random(title, random);
    let mut rope = draw(random, "rope", section);
    // Thickness up to three times that of the first.
    let other = Section::Round {
        radius: (0.5 * section.thickness() * random.log_between(0.33, 3.0)).clamp(1e-4, 2e-2),
    };
    let bar = draw(random, "bar", other);
    let half = 0.5 * bar.length();
    let ends = (DVec3::X * -half, DVec3::X * half);
    let bar = Rope::line("bar", bar.substance, other, ends, bar.nodes.len() - 1);
    let apart = section.outer_radius() + other.outer_radius();
    let gap_at = |nodes: &[DVec3], _: f64| {
        let distances = nodes.windows(2).map(|pair| segment_distance(pair[0], pair[1], ends.0, ends.1));
        distances.fold(f64::INFINITY, f64::min) - apart
    };
    let along = (-DVec3::Z + random.direction() * 0.7).normalize();
    let aim = Aim { point: DVec3::X * (random.between(-0.7, 0.7) * half), along };
    aim_at(random, &mut rope, &aim, text.duration(), gap_at)?;
    rope.write(&mut text);
    bar.write(&mut text);
    if random.chance(0.5) {
        for at in ["start", "end"] {
            let hold = *random.pick(&["all", "position"]);
            let rows = [("rod", quoted("bar")), ("at", quoted(at)), ("hold", quoted(hold))];
            text.table(&format!("clamp.{at}"), &rows);
        }
    }
    Some(text)
}

/// A rod of random material and shape about the origin.
fn draw(random: &mut Random, name: &str, section: Section) -> Rope {
    let substance = Substance::random(random);
    let (segments, segment) = (random.whole(8, MOST_SEGMENTS), section.segment(random));
    let mut rope = Rope::new(name, substance, section, path(random, segments, segment));
    if random.chance(0.7) {
        rope.more.push(("rest", quoted("as_given")));
    }
    rope
}

/// Places `rope` in front of its target and sets its velocity: up to 20 m/s, and fast enough to arrive in the first
/// half of the run. `gap_at` is the gap of a centerline, or anything above its second argument if it is above that.
fn aim_at(
    random: &mut Random,
    rope: &mut Rope,
    aim: &Aim,
    duration: f64,
    gap_at: impl Fn(&[DVec3], f64) -> f64,
) -> Option<()> {
    let thickness = rope.section.thickness();
    let wanted = thickness * random.log_between(0.02, 3.0);
    let least = (wanted + rope.section.outer_radius()) / (0.4 * duration);
    let speed = random.log_between(0.05, 20.0).max(least).min(20.0);
    let gap = wanted.min(0.4 * speed * duration);
    // Approaches by the remaining gap, which cannot cause tunnelling.
    let centered = rope.nodes.clone();
    let mut back = 10.0 * rope.length() + 1.0;
    let end = -back;
    let mut nodes = centered.clone();
    for _ in 0..400 {
        for (node, from) in nodes.iter_mut().zip(&centered) {
            *node = aim.point - aim.along * back + *from;
        }
        let left = gap_at(&nodes, 2.0 * (back.abs() + rope.length())) - gap;
        if left < 0.01 * gap {
            rope.nodes = nodes;
            rope.velocity = aim.along * speed;
            return Some(());
        }
        back -= left;
        if back < end {
            break;
        }
    }
    None
}
