//! Equilibria of a rod with clamped end edges: hanging loops, rods bent by a robot.
//!
//! A step of backward Euler from rest minimizes E(q) + ½ |q − q₀|²_M/δt². With velocities set to zero before each
//! step and δt so long that inertia is negligible, this is Newton's method on E with a line search; where it fails,
//! δt is shortened and grows again.

use crate::rollout::solve;
use glam::DVec3;
use ropewalk_linalg::parallel_transport::{signed_angle, transport, unwrap_angle};
use ropewalk_linalg::vec3::V3;
use ropewalk_rod::modes::{Mode, is_stable, lowest_modes};
use ropewalk_rod::momentum_balance::{RodMotion, StepWeights};
use ropewalk_rod::{Material, Rod, RodBuilder, RodError, RodState, Section, SectionProperties};

/// Most steps.
const MOST_STEPS: usize = 300;
/// A search that needs shorter steps than this fraction of the longest has failed.
const SHORTEST: f64 = 1e-10;

/// A clamped edge.
#[derive(Clone, Copy, Debug)]
pub struct Grip {
    /// The edge.
    pub edge: usize,
    /// Its middle, m.
    pub middle: DVec3,
    /// Its direction, a unit vector.
    pub tangent: DVec3,
    /// Its director m₁, a unit vector perpendicular to it.
    pub director: DVec3,
}

/// Stiffness and mass per length of a uniform rod.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// EI toward m₁ and m₂, N·m².
    pub bend: [f64; 2],
    /// GJ, N·m².
    pub twist: f64,
    /// EA, N.
    pub stretch: f64,
    /// ρA, kg/m.
    pub line_density: f64,
}

/// A rod at rest.
#[derive(Clone, Debug)]
pub struct StaticRod {
    /// The rod.
    pub rod: Rod,
    /// Its shape.
    pub state: RodState,
    motion: RodMotion,
    /// A long step that moves no node by more than this fraction of the rod's length ends a search; 1e-8 unless set otherwise.
    pub still: f64,
    held: Vec<[bool; 4]>,
    gravity: DVec3,
    longest: f64,
}

impl StaticRod {
    /// A straight-at-rest rod through `nodes`; m₁ starts along `director`. Its edges are stretched to `stretch` times their rest lengths, 1 if that
    /// is left out.
    pub fn new(
        nodes: Vec<DVec3>,
        properties: Properties,
        director: DVec3,
        gravity: DVec3,
        stretch: Option<f64>,
    ) -> Result<Self, RodError> {
        let factor = 1.0 / stretch.unwrap_or(1.0);
        let rest_lengths: Vec<f64> = nodes.windows(2).map(|w| factor * w[1].distance(w[0])).collect();
        Self::with_lengths(nodes, rest_lengths, properties, director, gravity)
    }

    /// A straight-at-rest rod through `nodes` with these rest lengths, m; m₁ starts along `director`.
    pub fn with_lengths(
        nodes: Vec<DVec3>,
        rest_lengths: Vec<f64>,
        properties: Properties,
        director: DVec3,
        gravity: DVec3,
    ) -> Result<Self, RodError> {
        let section = Section::Stiffness {
            properties: SectionProperties {
                stretch: properties.stretch,
                bend: properties.bend,
                twist: properties.twist,
                line_density: properties.line_density,
                spin_inertia: 1e-6 * properties.line_density,
            },
            radius: 1e-3,
        };
        let mut builder = RodBuilder::new(nodes, section, Material::from_poisson(1.0, 0.5, 1.0));
        builder.director = Some(director);
        builder.rest_lengths = Some(rest_lengths);
        let (rod, state) = builder.build()?;
        let length = rod.total_rest_length();
        let slowest =
            length * length * (properties.line_density / properties.bend[0].min(properties.bend[1])).sqrt();
        Ok(Self {
            motion: RodMotion::new(&rod),
            held: vec![[false; 4]; rod.node_count()],
            rod,
            state,
            still: 1e-8,
            gravity,
            longest: 1e3 * slowest,
        })
    }

    /// Moves to the equilibrium with `grips`, from the present shape; `false` if none is found, and then nothing has
    /// changed.
    pub fn settle(&mut self, grips: &[Grip]) -> bool {
        let before = self.state.clone();
        let mut dt = self.longest;
        let mut placed = false;
        for _ in 0..MOST_STEPS {
            let start = self.state.clone();
            if !self.step(grips, dt) {
                self.state = start;
                dt *= 0.125;
                if dt < SHORTEST * self.longest {
                    break;
                }
                continue;
            }
            let length = self.rod.total_rest_length();
            let pairs = self.state.q.iter().zip(&start.q);
            let moved = pairs.map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max));
            if placed && dt >= self.longest && moved.fold(0.0, f64::max) < self.still * length {
                return true;
            }
            placed = true;
            dt = (4.0 * dt).min(self.longest);
        }
        self.state = before;
        false
    }

    fn step(&mut self, grips: &[Grip], dt: f64) -> bool {
        let weights = StepWeights { dt, theta: 1.0, theta_vq: 1.0 };
        self.state.v.fill([0.0; 4]);
        self.hold(grips);
        let (rod, state, motion) = (&self.rod, &self.state, &mut self.motion);
        motion.v.fill([0.0; 4]);
        for grip in grips {
            let half = grip.tangent * (0.5 * rod.rest_lengths()[grip.edge]);
            for (node, place) in [(grip.edge, grip.middle - half), (grip.edge + 1, grip.middle + half)] {
                for k in 0..3 {
                    motion.v[node][k] = (place[k] - state.q[node][k]) / dt;
                }
            }
            motion.v[grip.edge][3] = (spin_target(rod, state, grip) - state.q[grip.edge][3]) / dt;
        }
        motion.held.copy_from_slice(&self.held);
        for (force, mass) in motion.force.iter_mut().zip(rod.masses()) {
            *force = (self.gravity * mass[0]).extend(0.0).to_array();
        }
        motion.begin(rod, state, weights);
        let mut iterations = 0;
        if !solve(rod, state, weights, 1e-10, motion, &mut iterations) {
            return false;
        }
        for (q, v) in self.state.q.iter_mut().zip(&motion.v) {
            for k in 0..4 {
                q[k] += dt * v[k];
            }
        }
        motion.kernel.carry_frames(rod, &mut self.state);
        self.state.v.fill([0.0; 4]);
        self.state.is_finite()
    }

    /// Gravity, m/s².
    pub fn gravity(&self) -> DVec3 {
        self.gravity
    }

    /// Changes gravity, m/s².
    pub fn set_gravity(&mut self, gravity: DVec3) {
        self.gravity = gravity;
    }

    /// The grip that fixes `edge` at its present pose.
    pub fn grip(&self, edge: usize) -> Grip {
        let [director, _, tangent] = self.state.material_frame(&self.rod, edge);
        let middle = 0.5 * (self.state.position(edge) + self.state.position(edge + 1));
        Grip { edge, middle, tangent, director }
    }

    fn hold(&mut self, grips: &[Grip]) {
        self.held.fill([false; 4]);
        for grip in grips {
            self.held[grip.edge] = [true; 4];
            self.held[grip.edge + 1][..3].fill(true);
        }
    }

    /// Whether the energy has a strict minimum at this equilibrium, `grips` held.
    pub fn is_stable(&mut self, grips: &[Grip]) -> bool {
        self.hold(grips);
        is_stable(&self.rod, &self.state, &self.held, 0.0)
    }

    /// The mode with the lowest ω² about this equilibrium, `grips` held.
    pub fn lowest_mode(&mut self, grips: &[Grip]) -> Option<Mode> {
        self.hold(grips);
        lowest_modes(&self.rod, &self.state, &self.held, 1).ok()?.into_iter().next()
    }

    /// Moves the rod along `mode` so that the node that moves most moves by `distance`, m.
    pub fn push(&mut self, mode: &Mode, distance: f64) -> bool {
        let size = |x: &[f64; 4]| DVec3::new(x[0], x[1], x[2]).length();
        let greatest = mode.shape.iter().map(size).fold(0.0, f64::max);
        let scale = distance / greatest;
        if !scale.is_finite() {
            return false;
        }
        let move_node =
            |(i, x): (usize, &[f64; 4])| self.state.position(i) + DVec3::new(x[0], x[1], x[2]) * scale;
        let nodes: Vec<DVec3> = mode.shape.iter().enumerate().map(move_node).collect();
        if self.state.carry_to(&self.rod, &nodes).is_err() {
            return false;
        }
        for (q, x) in self.state.q.iter_mut().zip(&mode.shape) {
            q[3] += scale * x[3];
        }
        true
    }

    /// Position at the fraction `s` (0 to 1) of the edges from the middle of the first to the middle of the last, m.
    pub fn position_at(&self, s: f64) -> DVec3 {
        let edges = self.rod.edge_count();
        let place = (0.5 + s * (edges - 1) as f64).clamp(0.0, edges as f64);
        let i = (place as usize).min(edges - 1);
        self.state.position(i).lerp(self.state.position(i + 1), place - i as f64)
    }
}

/// The γ at which the edge of `grip`, parallel-transported to its direction, has the requested director, on the
/// nearest branch.
fn spin_target(rod: &Rod, state: &RodState, grip: &Grip) -> f64 {
    let from = state.tangent(rod, grip.edge);
    let carried = transport(V3::from(state.director(grip.edge)), from.into(), grip.tangent.into());
    let angle = signed_angle(carried, grip.director.into(), grip.tangent.into());
    unwrap_angle(angle, state.q[grip.edge][3])
}
