//! Reach: how far things may move towards one another within a step.

use crate::model::{Model, State};
use crate::workspace::RodWork;

/// How much faster than now something may get within the step.
pub(super) const SPEED_MARGIN: f64 = 1.5;
/// Share of its radius that an edge reaches beyond its skin even at rest.
const LEAST_REACH: f64 = 0.1;

/// How far each edge of each rod may move, m.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reaches {
    start: Vec<usize>,
    reach: Vec<f64>,
}

impl Reaches {
    pub(crate) fn new(model: &Model) -> Self {
        let mut out = Self::default();
        for rod in &model.rods {
            out.start.push(out.reach.len());
            out.reach.resize(out.reach.len() + rod.edge_count(), 0.0);
        }
        out
    }

    pub(crate) fn edge(&self, rod: usize, edge: usize) -> f64 {
        self.reach[self.start[rod] + edge]
    }

    /// Sets the reach of every edge in a step of `dt` from its present or prescribed velocity and gravity.
    pub(crate) fn update(
        &mut self,
        model: &Model,
        state: &State,
        works: &[RodWork],
        dt: f64,
        look_ahead: bool,
    ) {
        let fall = dt * dt * model.gravity.length();
        for (r, rod) in model.rods.iter().enumerate() {
            let speed = |node: usize| {
                let (v, u) = (&works[r].motion.v[node], &state.rods[r].v[node]);
                let square = |v: &[f64; 4]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
                square(v).max(square(u)).sqrt()
            };
            for e in 0..rod.edge_count() {
                let fastest = speed(e).max(speed(rod.edge_end(e)));
                let [a, b] = rod.half_extents()[e];
                self.reach[self.start[r] + e] = if look_ahead {
                    SPEED_MARGIN * dt * fastest + fall + LEAST_REACH * a.max(b)
                } else {
                    0.0
                };
            }
        }
    }
}
