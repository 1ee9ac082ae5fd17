//! How fast a rod swings that hangs in gravity, from below.
//!
//! | what hangs | ω² |
//! |---|---|
//! | a length a from its last hold to a free end | (j₀/2)² g/a, j₀ = 2.4048: first mode of a hanging chain |
//! | the same with a free body on it | g/a: at least, since the chain takes part |
//! | a span of length l between holds a distance d apart, out of its plane | 5g/4h of a parabola, h its sag: at most ½ √(l² − d²), or (3 ρA g d⁴/64 EA)^⅓ of a taut one that stretches |
//!
//! Stiffness in bending and tension of other origin make it faster. Where ρA g a³ < [`LIMP`] EI a rod stands by its stiffness, and does not hang. Source: Routh,
//! Advanced Rigid Dynamics, § 597; Irvine, Cable Structures, § 3.

use ropewalk_body::JointKind;
use ropewalk_scene::Scene;
use ropewalk_sim::{End, Hold, Model};

/// ρA g a³/EI above which a length a hangs: there a hanging chain is as fast as a cantilever.
const LIMP: f64 = 8.5;
/// (j₀/2)².
const CHAIN: f64 = 1.4458;

/// Angular frequency of the slowest swing of rod `r` in rad/s; `None` if nothing of it hangs.
pub(crate) fn frequency(scene: &Scene, r: usize) -> Option<f64> {
    let (model, rod, state) = (&scene.model, &scene.model.rods[r], &scene.state.rods[r]);
    let gravity = model.gravity.length();
    let mut holds = holds(model, r);
    if rod.closed() || holds.is_empty() || gravity == 0.0 {
        return None;
    }
    holds.sort_unstable();
    holds.dedup();
    let last = rod.node_count() - 1;
    let length = |from: usize, to: usize| rod.rest_lengths()[from..to].iter().sum::<f64>();
    let loads = loads(model, r);
    let mut slowest: Option<f64> = None;
    let mut add = |from: usize, to: usize, omega_squared: f64| {
        if hangs(model, r, length(from, to)) && omega_squared.is_finite() {
            slowest = Some(slowest.map_or(omega_squared, |least| least.min(omega_squared)));
        }
    };
    for (from, to) in [(0, holds[0]), (holds[holds.len() - 1], last)] {
        let loaded = loads.iter().any(|node| (from..=to).contains(node));
        add(from, to, if loaded { 1.0 } else { CHAIN } * gravity / length(from, to));
    }
    for pair in holds.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let apart = state.position(from).distance(state.position(to));
        let slack = 0.5 * (length(from, to).powi(2) - apart * apart).max(0.0).sqrt();
        let softness = rod.line_densities()[from] * gravity / rod.stretch_stiffness()[from];
        let stretched = (3.0 / 64.0 * softness * apart.powi(4)).cbrt();
        add(from, to, 1.25 * gravity / slack.max(stretched));
    }
    slowest.map(f64::sqrt)
}

fn hangs(model: &Model, r: usize, length: f64) -> bool {
    let rod = &model.rods[r];
    let Some(j) = rod.stencils().next() else { return length > 0.0 };
    let bend = rod.bend_stiffness(0)[j].min(rod.bend_stiffness(1)[j]) * rod.voronoi_lengths()[j];
    let weight = rod.line_densities()[0] * model.gravity.length();
    weight * length.powi(3) > LIMP * bend
}

/// Nodes that are held in place at the start, by clamps or by attachments to what does not move freely.
fn holds(model: &Model, r: usize) -> Vec<usize> {
    let clamps = model.clamps.iter().filter(|c| c.rod == r && c.release_time > 0.0);
    let clamped = clamps.flat_map(|clamp| match clamp.hold {
        Hold::Node(node) => vec![node],
        Hold::Edge(e) | Hold::EdgeFreeSpin(e) => vec![e, model.rods[r].edge_end(e)],
        Hold::Spin(_) => vec![],
    });
    let attached = attached(model, r).filter(|(_, other)| !is_free(model, other)).map(|(node, _)| node);
    clamped.chain(attached).collect()
}

/// Nodes on which bodies hang that move freely.
fn loads(model: &Model, r: usize) -> Vec<usize> {
    attached(model, r).filter(|(_, other)| is_free(model, other)).map(|(node, _)| node).collect()
}

/// Nodes of rod `r` with attachments that hold at the start, and what they are attached to.
fn attached(model: &Model, r: usize) -> impl Iterator<Item = (usize, End)> {
    let holding = model.attachments.iter().filter(|a| a.begin_time <= 0.0 && a.release_time > 0.0);
    holding.flat_map(move |a| {
        let [first, second] = a.ends;
        let node = move |end: End| match end {
            End::Rod { rod, edge, fraction } if rod == r => Some(edge + usize::from(fraction > 0.5)),
            _ => None,
        };
        let pairs = [(first, second), (second, first)];
        pairs.into_iter().filter_map(move |(end, other)| Some((node(end)?, other)))
    })
}

fn is_free(model: &Model, end: &End) -> bool {
    match end {
        End::World { .. } => false,
        End::Rod { .. } => true,
        End::Link { tree, .. } => {
            model.trees[*tree].tree.links().first().is_some_and(|link| link.joint.kind == JointKind::Free)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swing(changes: &[&str], extra: &str) -> Option<f64> {
        let text = format!(
            r#"
title = "hangs"
[time]
duration = 1.0
[material.m]
youngs_modulus = 1e6
poisson_ratio = 0.5
density = 1000.0
[rod.rope]
material = "m"
section = {{ circle = {{ radius = 2e-3 }} }}
curve = {{ line = {{ from = [0.0, 0.0, 0.0], to = [0.8, 0.0, 0.0] }} }}
segments = 40
[clamp.pin]
rod = "rope"
at = "start"
hold = "position"
{extra}"#
        );
        let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
        let scene = ropewalk_scene::load_text("scene.toml", &text, None, &changes).expect("a scene");
        frequency(&scene, 0)
    }

    #[test]
    fn a_rope_swings_as_a_chain_and_a_rod_does_not_hang() {
        let omega = swing(&[], "").expect("it hangs");
        assert!((omega / (1.2024 * (9.81f64 / 0.8).sqrt()) - 1.0).abs() < 1e-3, "{omega}");
        assert_eq!(swing(&["material.m.youngs_modulus=1e10"], ""), None);
        assert_eq!(swing(&["gravity=[0.0, 0.0, 0.0]"], ""), None);
        let loaded = "[body.ball]\nmass = 0.5\nshape = { sphere = { radius = 0.02 } }\nposition = [0.8, 0.0, 0.0]\n\
                      [attach.load]\nkind = \"pin\"\nrod = \"rope\"\nat = \"end\"\n\
                      to = { body = \"ball\", point = [0.0, 0.0, 0.0] }\n";
        let loaded = swing(&[], loaded).expect("it hangs");
        assert!((loaded / (9.81f64 / 0.8).sqrt() - 1.0).abs() < 1e-3, "{loaded}");
    }

    #[test]
    fn a_span_swings_about_its_ends() {
        let far = "[clamp.far]\nrod = \"rope\"\nat = \"end\"\nhold = \"position\"\n";
        // Taut: as fast as the string that its own stretch makes of it, ω = π/l √(T/ρA).
        let taut = swing(&[], far).expect("it hangs");
        let (weight, stretch) = (1000.0 * 9.81, 1e6);
        let strain = 8.0 / 3.0 * (3.0f64 / 64.0 * weight * 0.8 / stretch).powf(2.0 / 3.0);
        let string = core::f64::consts::PI / 0.8 * (strain * stretch / 1000.0).sqrt();
        assert!((taut / string - 1.0).abs() < 0.02, "{taut} {string}");
        // Half a circle: sag is at most half of √(l² − d²).
        let arc = "rod.rope.curve={ arc = { start = [0.0, 0.0, 0.0], tangent = [0.0, 0.0, -1.0], toward = [1.0, 0.0, 0.0], \
                   radius = 0.25464791, angle = 3.14159265 } }";
        let slack = swing(&[arc], far).expect("it hangs");
        let sag = 0.5 * (0.8f64.powi(2) - 0.50929582f64.powi(2)).sqrt();
        assert!((slack / (1.25 * 9.81 / sag).sqrt() - 1.0).abs() < 2e-3, "{slack}");
    }
}
