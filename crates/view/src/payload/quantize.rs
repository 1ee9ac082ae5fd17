//! Frames, rounded and predicted.

use super::integers::{push_signed, push_unsigned};
use core::f64::consts::TAU;
use ropewalk_scene::recording::binary_frame::{FrameMessage, edge_basis, edge_direction};
use ropewalk_scene::recording::message::SceneMessage;
use serde::Serialize;

/// Steps of an angle in a turn.
const TURN: i64 = 65536;

/// Greatest numbers of a run: they decide how finely it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extremes {
    coordinate: f32,
    tension: f32,
    force: f32,
    pressure: f32,
}

impl Extremes {
    /// Takes a frame into account.
    pub fn see(&mut self, frame: &FrameMessage) {
        let most =
            |most: &mut f32, numbers: &[f32]| *most = numbers.iter().fold(*most, |m, x| m.max(x.abs()));
        for node in &frame.nodes {
            most(&mut self.coordinate, &node[..3]);
            most(&mut self.tension, &node[4..]);
        }
        frame.links.iter().for_each(|link| most(&mut self.coordinate, &link[..3]));
        for contact in &frame.contacts {
            most(&mut self.coordinate, &contact.point);
            most(&mut self.force, &contact.force);
        }
        frame.corners.iter().for_each(|corner| most(&mut self.coordinate, corner));
        frame.polygons.iter().for_each(|polygon| most(&mut self.pressure, &[polygon.pressure]));
    }

    /// The steps of a run of `scene`.
    pub(super) fn steps(&self, scene: &SceneMessage) -> Steps {
        let thinnest = scene.rods.iter().flat_map(|rod| rod.half_extents.as_flattened()).copied();
        let thinnest = thinnest.filter(|&x| x > 0.0 && x.is_finite()).reduce(f64::min).unwrap_or(1e-3);
        let coordinate = f64::from(self.coordinate);
        // A quantity that is zero all the time needs a step too.
        let share = |most: f32, count: f64| f64::from(most).max(1e-30) / count;
        Steps {
            length: (thinnest / 256.0).max(coordinate * f64::powi(2.0, -30)),
            angle: TAU / TURN as f64,
            tension: share(self.tension, 32767.0),
            force: share(self.force, 32767.0),
            pressure: share(self.pressure, 65535.0),
        }
    }
}

/// What one unit of each rounded number is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Steps {
    /// m.
    pub length: f64,
    /// rad.
    pub angle: f64,
    /// N.
    pub tension: f64,
    /// N.
    pub force: f64,
    /// Pa.
    pub pressure: f64,
}

/// Rounds numbers to steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounder {
    steps: Steps,
}

impl Rounder {
    pub(super) fn new(steps: Steps) -> Self {
        Self { steps }
    }

    fn round(x: f32, step: f64) -> i64 {
        (f64::from(x) / step).round() as i64
    }

    /// Columns of the nodes. Angles are turned into the basis of the rounded positions, as the page computes them:
    /// rounding may turn an edge about the horizontal, where the basis jumps.
    fn nodes(&self, scene: &SceneMessage, frame: &FrameMessage) -> Vec<[i64; 5]> {
        let Steps { length, angle, tension, .. } = self.steps;
        let mut out: Vec<[i64; 5]> = Vec::with_capacity(frame.nodes.len());
        let mut rounded: Vec<[f32; 5]> = Vec::with_capacity(frame.nodes.len());
        for node in &frame.nodes {
            let [x, y, z, _, t] = *node;
            let q = [x, y, z].map(|c| Self::round(c, length));
            out.push([q[0], q[1], q[2], 0, Self::round(t, tension)]);
            let [x, y, z] = q.map(|c| (c as f64 * length) as f32);
            rounded.push([x, y, z, 0.0, 0.0]);
        }
        let mut first = 0;
        for rod in &scene.rods {
            let count = rod.node_count;
            for e in 0..rod.edge_count {
                let (from, to) = (first + e, first + (e + 1) % count);
                let [b1, b2] = edge_basis(edge_direction(&frame.nodes[from], &frame.nodes[to]));
                let (sin, cos) = f64::from(frame.nodes[from][3]).sin_cos();
                let m1 = b1 * cos + b2 * sin;
                let [c1, c2] = edge_basis(edge_direction(&rounded[from], &rounded[to]));
                let turned = m1.dot(c2).atan2(m1.dot(c1));
                out[from][3] = ((turned / angle).round() as i64).rem_euclid(TURN);
            }
            if !rod.closed && count > 1 {
                out[first + count - 1][3] = out[first + count - 2][3];
            }
            first += count;
        }
        out
    }

    fn links(&self, frame: &FrameMessage) -> Vec<[i64; 7]> {
        let round = |link: &[f32; 7]| {
            core::array::from_fn(|k| {
                if k < 3 {
                    Self::round(link[k], self.steps.length)
                } else {
                    Self::round(link[k], 1.0 / 32767.0)
                }
            })
        };
        frame.links.iter().map(round).collect()
    }
}

/// Columns of numbers, told by their difference from what the frames before predict.
#[derive(Debug)]
struct Predicted<const N: usize> {
    /// Which columns are angles.
    wraps: [bool; N],
    last: Vec<[i64; N]>,
    before: Vec<[i64; N]>,
}

impl<const N: usize> Predicted<N> {
    fn new(wraps: [bool; N]) -> Self {
        Self { wraps, last: Vec::new(), before: Vec::new() }
    }

    fn push(&mut self, now: Vec<[i64; N]>, out: &mut Vec<u8>) {
        for c in 0..N {
            for (i, value) in now.iter().enumerate() {
                let predicted = match (self.last.get(i), self.before.get(i)) {
                    (Some(last), Some(before)) if !self.wraps[c] => 2 * last[c] - before[c],
                    (Some(last), _) => last[c],
                    (None, _) if i > 0 => now[i - 1][c],
                    (None, _) => 0,
                };
                let difference = value[c] - predicted;
                let half = TURN / 2;
                let wrapped = (difference + half).rem_euclid(TURN) - half;
                push_signed(out, if self.wraps[c] { wrapped } else { difference });
            }
        }
        self.before = core::mem::replace(&mut self.last, now);
    }
}

/// Writes frames one after the other.
#[derive(Debug)]
pub(super) struct FrameEncoder {
    scene: SceneMessage,
    rounder: Rounder,
    nodes: Predicted<5>,
    links: Predicted<7>,
}

impl FrameEncoder {
    pub(super) fn new(scene: &SceneMessage, rounder: Rounder) -> Self {
        // Of the scene only rods are needed; meshes can be large.
        let scene = SceneMessage { rods: scene.rods.clone(), ..SceneMessage::default() };
        Self {
            scene,
            rounder,
            nodes: Predicted::new([false, false, false, true, false]),
            links: Predicted::new([false; 7]),
        }
    }

    /// Appends `frame`, which fits the scene.
    pub(super) fn encode(&mut self, frame: &FrameMessage, out: &mut Vec<u8>) {
        self.nodes.push(self.rounder.nodes(&self.scene, frame), out);
        self.links.push(self.rounder.links(frame), out);
        let Steps { length, force, pressure, .. } = self.rounder.steps;
        push_unsigned(out, frame.contacts.len() as u64);
        let mut last = [0; 3];
        for contact in &frame.contacts {
            push_point(contact.point, length, &mut last, out);
            contact.force.iter().for_each(|&f| push_signed(out, Rounder::round(f, force)));
            push_signed(out, Rounder::round(contact.gap, length / 16.0));
            contact.sides.iter().for_each(|&side| push_unsigned(out, side.into()));
        }
        push_unsigned(out, frame.polygons.len() as u64);
        let mut last = [0; 3];
        let mut corners = frame.corners.iter();
        for polygon in &frame.polygons {
            push_unsigned(out, Rounder::round(polygon.pressure, pressure).max(0) as u64);
            push_unsigned(out, polygon.corner_count.into());
            push_unsigned(out, polygon.patch.into());
            let own = corners.by_ref().take(polygon.corner_count.into());
            own.for_each(|&corner| push_point(corner, length, &mut last, out));
        }
        frame.attached.iter().for_each(|&holds| push_unsigned(out, holds.into()));
    }
}

/// Appends a point as its difference from `last`, which it becomes.
fn push_point(point: [f32; 3], step: f64, last: &mut [i64; 3], out: &mut Vec<u8>) {
    for (x, last) in point.into_iter().zip(last) {
        let rounded = Rounder::round(x, step);
        push_signed(out, rounded - *last);
        *last = rounded;
    }
}
