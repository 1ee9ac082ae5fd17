//! Targets of thrown ropes: mostly fixed bodies, sometimes free ones.

use super::super::random::Random;
use super::rope::Rope;
use super::scene_text::{SceneText, number, quoted, rotation, vector};
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};

/// The aim of a throw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    /// The point towards which the middle of the rope moves.
    pub(super) point: DVec3,
    /// Unit vector of the velocity.
    pub(super) along: DVec3,
}

/// Adds the target of `rope` to the scene, and returns the aim.
pub(super) type Target = fn(&mut Random, &Rope, &mut SceneText) -> Aim;

/// A direction within about 70 degrees of `towards`.
fn towards(random: &mut Random, axis: DVec3) -> DVec3 {
    if random.chance(0.3) {
        return axis;
    }
    (axis + random.direction() * random.between(0.0, 0.93)).normalize_or(axis)
}

/// Adds the body "target" of this shape.
fn body(random: &mut Random, text: &mut SceneText, shape: String, may_move: bool, more: &[(&str, String)]) {
    let mut rows = vec![("shape", shape), ("friction", number(random.between(0.0, 1.0)))];
    if may_move && random.chance(0.2) {
        rows.push(("density", number(random.log_between(100.0, 8000.0))));
    } else {
        rows.push(("motion", quoted("fixed")));
    }
    rows.extend(more.iter().cloned());
    text.table("body.target", &rows);
}

pub(super) fn floor(random: &mut Random, _: &Rope, text: &mut SceneText) -> Aim {
    body(random, text, quoted("half_space"), false, &[]);
    Aim { point: DVec3::ZERO, along: towards(random, -DVec3::Z) }
}

pub(super) fn wall(random: &mut Random, _: &Rope, text: &mut SceneText) -> Aim {
    let angle = random.between(0.0, TAU);
    let normal = DVec3::new(angle.cos(), angle.sin(), random.between(-0.3, 0.3)).normalize();
    let turn = rotation(DQuat::from_rotation_arc(DVec3::Z, normal));
    body(random, text, quoted("half_space"), false, &[("rotation", turn)]);
    Aim { point: DVec3::ZERO, along: towards(random, -normal) }
}

pub(super) fn plate(random: &mut Random, rope: &Rope, text: &mut SceneText) -> Aim {
    let thickness = rope.section.thickness() * random.log_between(0.05, 2.0);
    let size = DVec3::new(
        rope.length() * random.between(0.8, 2.0),
        rope.length() * random.between(0.8, 2.0),
        thickness,
    );
    let turn = if random.chance(0.5) {
        DQuat::IDENTITY
    } else {
        DQuat::from_axis_angle(random.direction(), random.between(0.0, 0.8))
    };
    let shape = format!("{{ box = {{ size = {} }} }}", vector(size));
    body(random, text, shape, false, &[("rotation", rotation(turn))]);
    Aim { point: DVec3::ZERO, along: towards(random, turn * -DVec3::Z) }
}

pub(super) fn peg(random: &mut Random, rope: &Rope, text: &mut SceneText) -> Aim {
    let radius = rope.section.outer_radius() * random.log_between(0.5, 20.0);
    let kind = *random.pick(&["capsule", "cylinder"]);
    let shape = format!(
        "{{ {kind} = {{ radius = {}, length = {} }} }}",
        number(radius),
        number(6.0 * rope.length() + 100.0 * radius)
    );
    let axis = (DVec3::Y + random.direction() * 0.7).normalize();
    let turn = DQuat::from_rotation_arc(DVec3::Z, axis);
    body(random, text, shape, false, &[("rotation", rotation(turn))]);
    let across = (-DVec3::Z + axis * axis.z).normalize_or(DVec3::X);
    Aim { point: across.cross(axis) * (random.between(-0.8, 0.8) * radius), along: towards(random, across) }
}

pub(super) fn cuboid(random: &mut Random, rope: &Rope, text: &mut SceneText) -> Aim {
    let least = 2.0 * rope.section.outer_radius();
    let mut side = || random.log_between(least, (2.0 * least).max(rope.length()));
    let size = DVec3::new(side(), side(), side());
    let turn = if random.chance(0.3) { DQuat::IDENTITY } else { random.rotation() };
    let shape = format!("{{ box = {{ size = {} }} }}", vector(size));
    body(random, text, shape, true, &[("rotation", rotation(turn))]);
    Aim { point: random.direction() * (0.3 * size.min_element()), along: towards(random, -DVec3::Z) }
}

pub(super) fn sphere(random: &mut Random, rope: &Rope, text: &mut SceneText) -> Aim {
    let least = rope.section.outer_radius();
    let radius = random.log_between(least, (2.0 * least).max(0.5 * rope.length()));
    let shape = format!("{{ sphere = {{ radius = {} }} }}", number(radius));
    body(random, text, shape, true, &[]);
    Aim { point: random.direction() * (0.6 * radius), along: towards(random, -DVec3::Z) }
}

/// A bumpy ball of 80 triangles, or a ring of 96.
pub(super) fn mesh(random: &mut Random, rope: &Rope, text: &mut SceneText) -> Aim {
    let least = 2.0 * rope.section.outer_radius();
    let radius = random.log_between(least, (2.0 * least).max(0.5 * rope.length()));
    let (vertices, triangles) = if random.chance(0.6) { bumpy_ball(random) } else { ring(random) };
    let vertices: Vec<String> = vertices.iter().map(|v| vector(*v * radius)).collect();
    let triangles: Vec<String> =
        triangles.iter().map(|t| format!("[{}, {}, {}]", t[0], t[1], t[2])).collect();
    let shape = format!(
        "{{ mesh = {{ vertices = [{}], triangles = [{}] }} }}",
        vertices.join(", "),
        triangles.join(", ")
    );
    let turn = rotation(random.rotation());
    body(random, text, shape, false, &[("rotation", turn)]);
    Aim { point: random.direction() * (0.5 * radius), along: towards(random, -DVec3::Z) }
}

type Mesh = (Vec<DVec3>, Vec<[usize; 3]>);

/// An icosahedron, each face cut into four, its corners moved in and out.
fn bumpy_ball(random: &mut Random) -> Mesh {
    let g = 0.5 * (1.0 + 5f64.sqrt());
    let mut vertices: Vec<DVec3> = Vec::new();
    for (a, b) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        vertices.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
    }
    let neighbors = |i: usize, j: usize, v: &[DVec3]| (v[i] - v[j]).length() < 2.1;
    let mut faces: Vec<[usize; 3]> = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if neighbors(i, j, &vertices) && neighbors(j, k, &vertices) && neighbors(i, k, &vertices) {
                    let out = (vertices[j] - vertices[i]).cross(vertices[k] - vertices[i]).dot(vertices[i]);
                    faces.push(if out > 0.0 { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    let mut middles: Vec<([usize; 2], usize)> = Vec::new();
    let mut fine = Vec::new();
    for face in &faces {
        let middle = [0, 1, 2].map(|i| {
            let (a, b) = (face[i], face[(i + 1) % 3]);
            let key = [a.min(b), a.max(b)];
            match middles.iter().find(|(k, _)| *k == key) {
                Some((_, index)) => *index,
                None => {
                    vertices.push(vertices[a] + vertices[b]);
                    middles.push((key, vertices.len() - 1));
                    vertices.len() - 1
                }
            }
        });
        fine.extend((0..3).map(|i| [face[i], middle[i], middle[(i + 2) % 3]]));
        fine.push(middle);
    }
    let bump = random.between(0.0, 0.25);
    let vertices = vertices.iter().map(|v| v.normalize() * (1.0 - bump * random.uniform())).collect();
    (vertices, fine)
}

/// A torus of 8 by 6 quadrilaterals.
fn ring(random: &mut Random) -> Mesh {
    let (around, across) = (8, 6);
    let thickness = random.between(0.15, 0.4);
    let mut vertices = Vec::new();
    for i in 0..around {
        let (s, c) = (TAU * i as f64 / around as f64).sin_cos();
        for j in 0..across {
            let (t, d) = (TAU * j as f64 / across as f64).sin_cos();
            let radius = 1.0 - thickness + thickness * d;
            vertices.push(DVec3::new(radius * c, radius * s, thickness * t));
        }
    }
    let at = |i: usize, j: usize| (i % around) * across + j % across;
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

pub(super) fn heightfield(random: &mut Random, rope: &Rope, text: &mut SceneText) -> Aim {
    let (size, places) = (rope.length() * random.between(1.5, 3.0), random.whole(5, 9));
    let height = size / (places - 1) as f64 * random.between(0.05, 0.6);
    let row = |random: &mut Random| {
        let heights: Vec<String> = (0..places).map(|_| number(height * random.uniform())).collect();
        format!("[{}]", heights.join(", "))
    };
    let rows: Vec<String> = (0..places).map(|_| row(random)).collect();
    let shape = format!(
        "{{ heightfield = {{ size = [{0}, {0}], heights = [{1}] }} }}",
        number(size),
        rows.join(", ")
    );
    body(random, text, shape, false, &[]);
    Aim { point: DVec3::ZERO, along: towards(random, -DVec3::Z) }
}
