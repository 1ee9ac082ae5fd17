//! The cable as a rod of the engine, driven by its held ends: open loop from a start.
//!
//! Unknowns and forces are those of [`ropewalk_rod::momentum_balance`]; there is no contact. Two effects are added here.
//!
//! *Strain-rate damping.* The moment at a node is B(κ − κ̄ + β κ̇), B = EI/l̄. With the rate taken between the start of the step
//! and q^θ, which lie h = θ δt apart, κ̇ = (κ − κ₀)/h, this is the moment B'(κ − κ̄') of an elastic rod with
//!
//! B' = B (1 + β/h),   κ̄' = (κ̄ + β/h κ₀)/(1 + β/h).
//!
//! So damping adds no cost to a step, and since κ does not change in a rigid motion, rigid motion is not damped. The
//! same holds for twist.
//!
//! *Drag.* Per length c_n |v_n| v_n + c_t |v_t| v_t, speeds and tangents those at the start of the step.
//!
//! A step that does not converge is halved, recursively.

use crate::cable::{Cable, Roll};
use crate::mesh::Mesh;
use crate::start::Start;
use glam::{DQuat, DVec3};
use ropewalk_rod::momentum_balance::{LEAST_SHAPE, LEAST_SHAPE_IN_PASSING, Merit, RodMotion, StepWeights};
use ropewalk_rod::{Material, NaturalShape, Rod, RodBuilder, RodError, RodState, Section, SectionProperties};

/// Gravity in m/s², z up.
pub const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Most halvings of a step.
const MOST_HALVINGS: usize = 6;
/// Halvings after which a step may pass through shapes that are otherwise rejected.
const HALVINGS_BEFORE_PASSING: usize = 3;
/// Newton iterations before a step is halved.
const MOST_ITERATIONS: usize = 25;
/// Radius for the inertia of spinning about the axis, m. The spin of a cable without natural curvature is not coupled to its shape.
const SPIN_RADIUS: f64 = 3e-3;

/// The held markers at a time since the start, in s.
pub trait HeldMotion {
    /// Positions of the first two and the last two markers, m.
    fn at(&self, time: f64) -> [DVec3; 4];
}

/// A cable in motion.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// The rod with stiffness for steps of δt/2^k, by k.
    rods: Vec<Rod>,
    /// β/h, likewise.
    rate: Vec<f64>,
    state: RodState,
    backup: RodState,
    motion: RodMotion,
    /// Natural shape without damping.
    natural: NaturalShape,
    held: [usize; 4],
    spin_held: bool,
    drag: [f64; 2],
    dt: f64,
    theta: f64,
    tolerance: f64,
    time: f64,
    iterations: u64,
    /// Impulses of the grippers since [`Rollout::take_impulses`]; `None` if not requested.
    impulses: Option<[Impulse; 2]>,
}

/// Impulse of a gripper on the cable: ∫ force dt and ∫ moment dt about the outer marker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// N·s.
    pub force: DVec3,
    /// N·m·s.
    pub moment: DVec3,
}

impl Rollout {
    /// The cable at `start`, its frames `frame_time` apart; time 0 is the second frame of the start.
    pub fn new(cable: &Cable, mesh: &Mesh, start: &Start, frame_time: f64) -> Result<Self, RodError> {
        let (p, numerics) = (&cable.parameters, &cable.numerics);
        let dt = frame_time / numerics.steps_per_frame as f64;
        let mut rods = Vec::new();
        let mut rate = Vec::new();
        let mut first = None;
        for level in 0..=MOST_HALVINGS {
            let h = numerics.theta * dt / f64::from(1u32 << level);
            let factor = p.stiffness_damping / h;
            let (rod, state) = build(cable, mesh, start, 1.0 + factor, SPIN_RADIUS)?;
            rods.push(rod);
            rate.push(factor);
            first.get_or_insert(state);
        }
        let Some(mut state) = first else { unreachable!("there is at least one level") };
        start.set_velocities(&mut state, frame_time);
        let motion = RodMotion::new(&rods[0]);
        let natural = state.natural.clone();
        Ok(Self {
            rods,
            rate,
            backup: state.clone(),
            state,
            motion,
            natural,
            held: mesh.held_nodes(),
            spin_held: numerics.roll == Roll::Held,
            drag: [p.drag_across, p.drag_along],
            dt,
            theta: numerics.theta,
            tolerance: numerics.tolerance,
            time: 0.0,
            iterations: 0,
            impulses: None,
        })
    }

    /// Positions, velocities and frames now.
    pub fn state(&self) -> &RodState {
        &self.state
    }
    /// Newton iterations so far.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Impulses of both grippers since the last call; zero at the first call, which starts the summation.
    pub fn take_impulses(&mut self) -> [Impulse; 2] {
        self.impulses.replace([Impulse::default(); 2]).unwrap_or_default()
    }

    /// One step; `false` if it does not converge at any length, and then nothing has changed.
    pub fn step(&mut self, held: &impl HeldMotion) -> bool {
        self.backup.clone_from(&self.state);
        let start = self.time;
        // In units of the shortest sub-step.
        let whole = 1u32 << MOST_HALVINGS;
        let unit = self.dt / f64::from(whole);
        let (mut done, mut level) = (0, 0);
        while done < whole {
            let size = whole >> level;
            if self.substep(level, start + f64::from(done + size) * unit, held) {
                done += size;
                if level > 0 && done % (2 * size) == 0 {
                    level -= 1;
                }
            } else if level < MOST_HALVINGS {
                level += 1;
            } else {
                self.state.clone_from(&self.backup);
                return false;
            }
        }
        self.time = start + self.dt;
        true
    }

    fn substep(&mut self, level: usize, end: f64, held: &impl HeldMotion) -> bool {
        let dt = self.dt / f64::from(1u32 << level);
        let weights = StepWeights { dt, theta: self.theta, theta_vq: self.theta };
        self.set_natural_shape(level);
        let rod = &self.rods[level];
        let motion = &mut self.motion;
        motion.v.copy_from_slice(&self.state.v);
        for (node, x) in self.held.into_iter().zip(held.at(end)) {
            for k in 0..3 {
                let mean = (x[k] - self.state.q[node][k]) / dt;
                motion.held[node][k] = true;
                motion.v[node][k] = (mean - (1.0 - self.theta) * self.state.v[node][k]) / self.theta;
            }
        }
        if self.spin_held {
            for edge in [0, rod.edge_count() - 1] {
                motion.held[edge][3] = true;
                motion.v[edge][3] = 0.0;
            }
        }
        for (force, mass) in motion.force.iter_mut().zip(rod.masses()) {
            *force = (GRAVITY * mass[0]).extend(0.0).to_array();
        }
        set_drag(rod, &self.state, self.drag, &mut motion.drag);
        // A violent motion may pass through a fold; shorter steps do not avoid it.
        motion.least_shape =
            if level < HALVINGS_BEFORE_PASSING { LEAST_SHAPE } else { LEAST_SHAPE_IN_PASSING };
        motion.begin(rod, &self.state, weights);
        if !solve(rod, &self.state, weights, self.tolerance, motion, &mut self.iterations) {
            return false;
        }
        if let Some(impulses) = &mut self.impulses {
            add_impulses(rod, &self.state, motion, [end - dt, dt], held, impulses);
        }
        for ((q, v), now) in self.state.q.iter_mut().zip(&mut self.state.v).zip(&motion.v) {
            for k in 0..4 {
                q[k] += dt * (self.theta * now[k] + (1.0 - self.theta) * v[k]);
            }
            *v = *now;
        }
        motion.kernel.carry_frames(rod, &mut self.state);
        self.state.is_finite()
    }

    /// κ̄' and τ̄' of a step from the present shape.
    fn set_natural_shape(&mut self, level: usize) {
        let r = self.rate[level];
        if r == 0.0 {
            return;
        }
        let (rod, share) = (&self.rods[level], 1.0 / (1.0 + r));
        for j in rod.stencils() {
            let now = self.state.strain(rod, j);
            let mix = |natural: f64, strain: f64| share * (natural + r * strain);
            self.state.natural.kappa1[j] = mix(self.natural.kappa1[j], now.kappa1);
            self.state.natural.kappa2[j] = mix(self.natural.kappa2[j], now.kappa2);
            self.state.natural.tau[j] = mix(self.natural.tau[j], now.tau);
        }
    }
}

/// Adds the impulses of the grippers in a step from `start` of length `dt`. Velocities of held nodes ring with the
/// θ-method, so their inertia is that of the held motion itself: x(t + 2δt) − x(t + δt) − x(t) + x(t − δt) = 2 δt² a
/// in the middle of the step.
fn add_impulses(
    rod: &Rod,
    state: &RodState,
    motion: &RodMotion,
    [start, dt]: [f64; 2],
    held: &impl HeldMotion,
    impulses: &mut [Impulse; 2],
) {
    let [before, from, to, after] = [-1.0, 0.0, 1.0, 2.0].map(|k| held.at(start + k * dt));
    let n = rod.node_count();
    let of = |node: usize, place: usize| {
        let gained = DVec3::from_slice(&motion.v[node][..3]) - state.velocity(node);
        let true_gain = (after[place] - to[place] - from[place] + before[place]) / (2.0 * dt);
        DVec3::from_slice(&motion.residual[node][..3]) + (true_gain - gained) * rod.masses()[node][0]
    };
    let pairs = [((0, 0), (1, 1), 0), ((n - 1, 3), (n - 2, 2), n - 2)];
    for (impulse, (outer, inner, edge)) in impulses.iter_mut().zip(pairs) {
        let [outer_impulse, inner_impulse] = [outer, inner].map(|(node, place)| of(node, place));
        let arm = state.position(inner.0) - state.position(outer.0);
        impulse.force += outer_impulse + inner_impulse;
        impulse.moment += arm.cross(inner_impulse) + state.tangent(rod, edge) * motion.residual[edge][3];
    }
}

/// The rod with this radius, bending and torsional stiffness multiplied by `factor`, at rest in frame 1.
pub(crate) fn build(
    cable: &Cable,
    mesh: &Mesh,
    start: &Start,
    factor: f64,
    radius: f64,
) -> Result<(Rod, RodState), RodError> {
    let p = &cable.parameters;
    let density = p.density_factor * cable.known.line_density;
    let section = |grip: f64| Section::Stiffness {
        properties: SectionProperties {
            stretch: p.axial_stiffness,
            bend: p.bending().map(|bend| bend * grip * factor),
            twist: p.torsion() * factor,
            line_density: density,
            spin_inertia: 0.5 * density * radius * radius,
        },
        radius,
    };
    let material = Material::from_poisson(1.0, 0.5, 1.0);
    let mut builder = RodBuilder::new(start.now.clone(), section(1.0), material);
    let edges = start.edge_lengths.len();
    if p.grip_stiffness != 1.0 {
        let mut sections = vec![section(1.0); edges];
        for held in [0, edges - 1] {
            sections[held] = section(p.grip_stiffness);
        }
        builder.sections = sections;
    }
    builder.rest_lengths = Some(start.edge_lengths.clone());
    builder.mass_damping = p.mass_damping;
    let along = (start.now[1] - start.now[0]).normalize_or(DVec3::NEG_Z);
    builder.director = Some(director_at(along));
    let (mut rod, mut state) = builder.build()?;
    set_curl(cable, mesh, &rod, &mut state.natural);
    let mut masses = rod.masses().to_vec();
    for &node in &mesh.node_of_marker {
        for m in &mut masses[node][..3] {
            *m += cable.known.marker_mass;
        }
    }
    rod.set_masses(&masses);
    Ok((rod, state))
}

/// m₁ at the start of a cable with direction `along`: x, rotated by the smallest rotation that takes −z (a cable that
/// hangs down) to it. So the directors are the same in every run, if the gripper does not roll.
pub(crate) fn director_at(along: DVec3) -> DVec3 {
    DQuat::from_rotation_arc(DVec3::NEG_Z, along) * DVec3::X
}

/// Natural curvature, integrated over each stencil: uniform, and hat functions about markers.
fn set_curl(cable: &Cable, mesh: &Mesh, rod: &Rod, natural: &mut NaturalShape) {
    let p = &cable.parameters;
    let lengths = rod.voronoi_lengths();
    for j in rod.stencils() {
        natural.kappa1[j] = p.natural_curvature * lengths[j];
    }
    for curl in &p.curl {
        let [a, b, c] = [curl.marker - 1, curl.marker, curl.marker + 1].map(|m| mesh.node_of_marker[m]);
        let values = if curl.director == 1 { &mut natural.kappa1 } else { &mut natural.kappa2 };
        for j in (a + 1)..c {
            let share =
                if j <= b { (j - a) as f64 / (b - a) as f64 } else { (c - j) as f64 / (c - b) as f64 };
            values[j] += curl.curvature * share * lengths[j];
        }
    }
}

/// Drag at each node, (xx, yx, zx, yy, zy, zz) in N·s/m: half of each edge's c_n |v_n| (I − t tᵀ) + c_t |v_t| t tᵀ.
fn set_drag(rod: &Rod, state: &RodState, [across, along]: [f64; 2], drag: &mut Vec<[f64; 6]>) {
    drag.clear();
    if across == 0.0 && along == 0.0 {
        return;
    }
    drag.resize(rod.node_count(), [0.0; 6]);
    for e in 0..rod.edge_count() {
        let t = state.tangent(rod, e);
        let v = 0.5 * (state.velocity(e) + state.velocity(e + 1));
        let v_t = v.dot(t);
        let half = 0.5 * rod.rest_lengths()[e];
        let cn = half * across * (v - t * v_t).length();
        let d = half * along * v_t.abs() - cn;
        let c = [
            cn + d * t.x * t.x,
            d * t.x * t.y,
            d * t.x * t.z,
            cn + d * t.y * t.y,
            d * t.y * t.z,
            cn + d * t.z * t.z,
        ];
        for node in [e, e + 1] {
            for k in 0..6 {
                drag[node][k] += c[k];
            }
        }
    }
}

/// Newton's method with a line search on the momentum balance; whether it converged.
pub(crate) fn solve(
    rod: &Rod,
    state: &RodState,
    weights: StepWeights,
    tolerance: f64,
    motion: &mut RodMotion,
    iterations: &mut u64,
) -> bool {
    let mut merit = motion.linearize(rod, state, weights);
    for _ in 0..MOST_ITERATIONS {
        if !(merit.residual.is_finite() && merit.potential.is_finite()) {
            return false;
        }
        *iterations += 1;
        if motion.factor().is_err() {
            motion.make_positive(rod, state, weights);
            if motion.factor().is_err() {
                return false;
            }
        }
        let slope = motion.solve_direction();
        let Some(next) = search(rod, state, weights, &merit, slope, motion) else { return false };
        motion.accept();
        if next.admissible && next.residual <= f64::max(tolerance * next.impulse, next.round_off) {
            return true;
        }
        merit = motion.linearize(rod, state, weights);
    }
    false
}

/// The first of the fractions 1, ½, … of the direction that makes progress; it becomes the trial.
fn search(
    rod: &Rod,
    state: &RodState,
    weights: StepWeights,
    from: &Merit,
    slope: f64,
    motion: &mut RodMotion,
) -> Option<Merit> {
    let slack = 1e-12 * (from.potential.abs() + from.impulse * from.impulse);
    (0..12).map(|k| 0.5f64.powi(k)).find_map(|fraction| {
        let merit = motion.try_fraction(rod, state, weights, fraction);
        let finite = merit.residual.is_finite() && merit.potential.is_finite();
        let falls = merit.potential <= from.potential + 1e-4 * fraction * slope + slack;
        let clears = merit.residual <= 0.7 * from.residual;
        (finite && (merit.admissible || !from.admissible) && (falls || clears)).then_some(merit)
    })
}
