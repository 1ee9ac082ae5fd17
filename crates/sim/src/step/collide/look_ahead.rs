//! Reach: how far things may move towards one another within a step.

use crate::model::{Model, State};
use crate::workspace::RodWork;
use rayon::prelude::*;

/// How many edges one thread takes at a time, at least.
pub(in crate::step) const EDGES: usize = 256;

/// How far each edge of each rod may move, m.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reaches {
    /// By rod: its first edge among all.
    start: Vec<usize>,
    /// By edge: its rod.
    rod_of: Vec<u32>,
    reach: Vec<f64>,
}

impl Reaches {
    pub(crate) fn new(model: &Model) -> Self {
        let mut out = Self::default();
        for (r, rod) in model.rods.iter().enumerate() {
            out.start.push(out.reach.len());
            out.reach.resize(out.reach.len() + rod.edge_count(), 0.0);
            out.rod_of.resize(out.reach.len(), r as u32);
        }
        out.start.push(out.reach.len());
        out
    }

    pub(crate) fn edge(&self, rod: usize, edge: usize) -> f64 {
        self.reach[self.start[rod] + edge]
    }

    /// The reaches of all edges of a rod.
    pub(in crate::step) fn rod(&self, rod: usize) -> &[f64] {
        &self.reach[self.start[rod]..self.start[rod + 1]]
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
        if !look_ahead {
            self.reach.fill(0.0);
            return;
        }
        let fall = dt * dt * model.gravity.length();
        let Self { start, rod_of, reach } = self;
        let edges = reach.par_iter_mut().zip(&*rod_of).enumerate().with_min_len(EDGES);
        edges.for_each(|(i, (reach, &r))| {
            let (r, e) = (r as usize, i - start[r as usize]);
            let rod = &model.rods[r];
            let square = |v: &[f64; 4]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            let fastest = [e, rod.edge_end(e)].into_iter().fold(0.0, |most, node| {
                let (v, u) = (&works[r].motion.v[node], &state.rods[r].v[node]);
                square(v).max(square(u)).max(most)
            });
            let [a, b] = rod.half_extents()[e];
            // The rims of a flat section turn with it.
            let spin = works[r].motion.v[e][3].abs().max(state.rods[r].v[e][3].abs());
            let speed = fastest.sqrt() + (a - b).abs() * spin;
            *reach = model.settings.tuning.speed_margin * dt * speed
                + fall
                + model.settings.tuning.least_reach * a.max(b);
        });
    }
}
