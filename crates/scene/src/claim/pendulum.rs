//! Pendulums: two links, and a load on a rope.
//!
//! **Two links** that hang from one another, small swings, angles θ₁ and θ₂ from the vertical:
//!
//! ```text
//!   M θ̈ + K θ = 0,   M = [[I₁ + m₁c₁² + m₂l², m₂ l c₂], [m₂ l c₂, I₂ + m₂c₂²]],
//!                     K = diag((m₁c₁ + m₂l) g, m₂ c₂ g)
//! ```
//!
//! with c the distance from joint to centre of mass, l from the first joint to the second, I about the axis through the
//! centre of mass. Source: Landau and Lifshitz, Mechanics, § 5 and § 23.
//!
//! **A load M on a rope** of mass m and length L, hung from a fixed point: at the height y above the load the tension is
//! T(y) = g (M + m y/L), and a small swing u(y) cos ωt obeys
//!
//! ```text
//!   (T u′)′ + (m/L) ω² u = 0,   T u′ = −M ω² u at y = 0,   u = 0 at y = L.
//! ```
//!
//! (For M = 0: Bernoulli's hanging chain, ω = 1.2024 √(g/L).) Swings by an angle of amplitude α last longer by
//! 1/agm(1, cos α/2). Released at rest at α, the straight rope passes the lowest point with
//! v²/L = 2g (1 − cos α) (M + m/2)/(M + m/3), and pulls at the load with M (g + v²/L).

use super::kept::Number;
use super::{Finding, RunRecord, Sample, Tally};
use core::f64::consts::TAU;
use glam::{DMat2, DVec2, DVec3};
use ropewalk_body::Kinematics;
use ropewalk_sim::{Attachment, End, Model, State};

/// The slower of the two modes of a double pendulum, or the faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Slow,
    Fast,
}

/// Lengths, masses and inertias of two links that hang from one another.
struct TwoLinks {
    mass: DMat2,
    stiffness: DVec2,
}

/// Reads them off tree `t`; what is missing if the links do not hang straight down at zero.
fn two_links(model: &Model, t: usize) -> Result<TwoLinks, &'static str> {
    const NEEDS: &str = "two links that hang straight down at zero, on parallel horizontal axes";
    let tree = &model.trees[t].tree;
    let zero = tree.zero_state();
    let mut kinematics = Kinematics::new(tree);
    let base = ropewalk_body::Base::at(model.trees[t].base.pose(0.0));
    kinematics.update(tree, &base, &zero.q, &zero.v);
    let g = model.gravity.length();
    let Some(down) = model.gravity.try_normalize() else { return Err("gravity") };
    let axes = [0, 1].map(|dof| kinematics.axis_angular(dof));
    if axes[0].dot(down).abs() > 1e-9 || axes[0].cross(axes[1]).length() > 1e-9 {
        return Err(NEEDS);
    }
    let origins = [0, 1].map(|i| kinematics.poses[i].position);
    let arms = [kinematics.com[0] - origins[0], kinematics.com[1] - origins[1], origins[1] - origins[0]];
    if arms.iter().any(|a| a.cross(down).length() > 1e-9 * a.length() || a.dot(down) <= 0.0) {
        return Err(NEEDS);
    }
    let [c1, c2, l] = arms.map(|a| a.dot(down));
    let about = |i: usize| {
        let local = kinematics.poses[i].local_vector(axes[0]);
        local.dot(tree.links()[i].inertia.about_com * local)
    };
    let [m1, m2] = [0, 1].map(|i| tree.links()[i].inertia.mass);
    let coupling = m2 * l * c2;
    // The second joint turns with or against the first; θ₂ is their sum in the sense of the first.
    Ok(TwoLinks {
        mass: DMat2::from_cols(
            DVec2::new(about(0) + m1 * c1 * c1 + m2 * l * l, coupling),
            DVec2::new(coupling, about(1) + m2 * c2 * c2),
        ),
        stiffness: DVec2::new((m1 * c1 + m2 * l) * g, m2 * c2 * g),
    })
}

/// Whether tree `t` is a double pendulum.
pub(super) fn check_two_links(model: &Model, t: usize) -> Result<(), &'static str> {
    two_links(model, t).map(|_| ())
}

/// ω² of one mode of tree `t`, and the weights of q₁ and q₂ in its coordinate.
fn mode_of(model: &Model, t: usize, mode: Mode) -> Option<(f64, DVec2)> {
    let TwoLinks { mass, stiffness } = two_links(model, t).ok()?;
    // det(K − ω² M) = 0: a ω⁴ − b ω² + c = 0.
    let a = mass.determinant();
    let b = stiffness.x * mass.y_axis.y + stiffness.y * mass.x_axis.x;
    let c = stiffness.x * stiffness.y;
    let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
    let square = match mode {
        Mode::Slow => 2.0 * c / (b + root),
        Mode::Fast => (b + root) / (2.0 * a),
    };
    // The first row: (K₁ − ω² M₁₁) φ₁ = ω² M₁₂ φ₂.
    let shape = DVec2::new(square * mass.x_axis.y, stiffness.x - square * mass.x_axis.x);
    let weights = mass * shape;
    let tree = &model.trees[t].tree;
    let axis = |i: usize| match tree.links()[i].joint.kind {
        ropewalk_body::JointKind::Revolute { axis } => axis,
        _ => DVec3::ZERO,
    };
    let turned = tree.links()[1].joint.pose.vector(axis(1));
    let sense = axis(0).dot(turned).signum();
    // The coordinate is that of θ₁ = q₁ and θ₂ = q₁ + sense q₂.
    Some((square, DVec2::new(weights.x + weights.y, sense * weights.y)))
}

/// Numbers of a tally: 0–5 the oscillation, 6 and 7 weights.
pub(super) fn begin_double(model: &Model, t: usize, mode: Mode) -> Tally {
    let mut tally = Tally::default();
    if let Some((_, weights)) = mode_of(model, t, mode) {
        tally.set(6, weights.x);
        tally.set(7, weights.y);
    }
    tally
}

pub(super) fn see_double(t: usize, tally: &mut Tally, s: &Sample) {
    if let [a, b, ..] = s.trees[t].q[..] {
        let coordinate = tally.get(6) * a + tally.get(7) * b;
        see_oscillation(tally, s.time, coordinate);
    }
}

/// Period of one mode of tree `t`.
pub(super) fn double_pendulum(run: &RunRecord<'_>, t: usize, mode: Mode, tally: &Tally) -> Option<Finding> {
    let (square, _) = mode_of(run.model, t, mode)?;
    Some(Finding::relative(TAU / square.sqrt(), period(tally)?, 0.0))
}

/// Takes in a value of an oscillation about zero. Numbers of the tally: 0 and 1 time and value before, 2 whether there are
/// any, 3 zeros, 4 and 5 times of the first and the last.
fn see_oscillation(tally: &mut Tally, time: f64, value: f64) {
    let (t0, x0) = (tally.get(0), tally.get(1));
    let crosses = x0 * value < 0.0 || (x0 == 0.0 && value != 0.0);
    if tally.get(2) > 0.0 && crosses {
        let zero = t0 + (time - t0) * x0 / (x0 - value);
        if tally.get(3) == 0.0 {
            tally.set(4, zero);
        }
        tally.set(5, zero);
        tally.add(3, 1.0);
    }
    tally.set(0, time);
    tally.set(1, value);
    tally.set(2, 1.0);
}

/// Mean period of an oscillation about zero; `None` before two whole swings.
fn period(tally: &Tally) -> Option<f64> {
    let zeros = tally.get(3);
    (zeros >= 5.0).then(|| 2.0 * (tally.get(5) - tally.get(4)) / (zeros - 1.0))
}

/// A rope that holds a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Suspension {
    /// Attachment that joins rope and load.
    pub(super) attachment: usize,
    pub(super) rod: usize,
    /// Tree of the load.
    pub(super) tree: usize,
    /// The fixed point.
    pub(super) pivot: DVec3,
}

/// Link and rod of an attachment that joins these two.
pub(super) fn rod_and_link(attachment: &Attachment) -> Option<([usize; 2], [usize; 2], Option<DVec3>)> {
    let of = |a: End, b: End| match (a, b) {
        (End::Rod { rod, edge, .. }, End::Link { tree, link, point }) => {
            Some(([rod, edge], [tree, link], point))
        }
        _ => None,
    };
    let [a, b] = attachment.ends;
    of(a, b).or_else(|| of(b, a))
}

/// Horizontal direction in which the load is aside at the start.
fn aside(model: &Model, start: &State, s: &Suspension) -> Option<DVec3> {
    let up = -model.gravity.try_normalize()?;
    let first = super::sample::tree_sample(model, start, s.tree).com - s.pivot;
    (first - up * first.dot(up)).try_normalize()
}

/// Angle of the load from the vertical through the pivot in the plane of its first swing.
fn angle(model: &Model, s: &Suspension, across: DVec3, com: DVec3) -> f64 {
    let up = -model.gravity.normalize_or_zero();
    let r = com - s.pivot;
    r.dot(across).atan2(-r.dot(up))
}

/// Places in a tally of a load, after those of the oscillation: direction of the swing, sums of squares of angles and of lengths,
/// steps.
const ACROSS: usize = 6;
const SQUARES: usize = 9;
const LENGTHS: usize = 10;
const STEPS: usize = 11;

pub(super) fn begin_load(model: &Model, start: &State, s: &Suspension) -> Tally {
    let mut tally = Tally::default();
    if let Some(across) = aside(model, start, s) {
        tally.set_vector(ACROSS, across);
        let com = super::sample::tree_sample(model, start, s.tree).com;
        let first = angle(model, s, across, com);
        see_oscillation(&mut tally, start.time, first);
        tally.set(SQUARES, first * first);
    }
    tally
}

pub(super) fn see_load(model: &Model, s: &Suspension, tally: &mut Tally, x: &Sample) {
    let angle = angle(model, s, tally.vector(ACROSS), x.trees[s.tree].com);
    see_oscillation(tally, x.time, angle);
    tally.add(SQUARES, angle * angle);
    tally.add(LENGTHS, x.rods[s.rod].length);
    tally.add(STEPS, 1.0);
}

/// Period of a load on a rope.
pub(super) fn load_period(run: &RunRecord<'_>, s: &Suspension, tally: &Tally) -> Option<Finding> {
    aside(run.model, run.start, s)?;
    let steps = tally.get(STEPS);
    let length = tally.get(LENGTHS) / steps.max(1.0);
    let load = ropewalk_body::energy::total_mass(&run.model.trees[s.tree].tree);
    let small = hanging_period(run.model.gravity.length(), length, run.model.rods[s.rod].total_mass(), load);
    // The amplitude of a harmonic motion with this mean square.
    let amplitude = (2.0 * tally.get(SQUARES) / (steps + 1.0)).sqrt();
    Some(Finding::relative(small / agm(1.0, (0.5 * amplitude).cos()), period(tally)?, 0.0))
}

/// The greatest pull of the rope at its load.
pub(super) fn load_tension(run: &RunRecord<'_>, s: &Suspension) -> Option<Finding> {
    let across = aside(run.model, run.start, s)?;
    let com = super::sample::tree_sample(run.model, run.start, s.tree).com;
    let alpha = angle(run.model, s, across, com);
    let g = run.model.gravity.length();
    let load = ropewalk_body::energy::total_mass(&run.model.trees[s.tree].tree);
    let rope = run.model.rods[s.rod].total_mass();
    let centripetal = 2.0 * g * (1.0 - alpha.cos()) * (load + 0.5 * rope) / (load + rope / 3.0);
    let pulls = run.samples.iter().map(|x| x.attachments[s.attachment].force.length());
    Some(Finding::relative(load * (g + centripetal), pulls.fold(0.0, f64::max), 0.0))
}

/// What [`load_tension`] reads.
pub(super) fn load_tension_needs(attachment: usize) -> Vec<Number> {
    vec![Number::new(move |_, s| s.attachments[attachment].force.length())]
}

/// Period of small swings of a load (kg) on a rope of `length` (m) and mass `rope` (kg).
fn hanging_period(g: f64, length: f64, rope: f64, load: f64) -> f64 {
    // u(L) for u(0) = 1, by Runge–Kutta; its first zero in ω lies between those of a bare load and of a bare rope.
    let top = |omega: f64| {
        let rate = |y: f64, u: f64, s: f64| {
            (s / (g * (load + rope * y / length)), -rope / length * omega * omega * u)
        };
        let steps = 2000;
        let h = length / f64::from(steps);
        let (mut u, mut s) = (1.0, -load * omega * omega);
        for i in 0..steps {
            let y = f64::from(i) * h;
            let a = rate(y, u, s);
            let b = rate(y + 0.5 * h, u + 0.5 * h * a.0, s + 0.5 * h * a.1);
            let c = rate(y + 0.5 * h, u + 0.5 * h * b.0, s + 0.5 * h * b.1);
            let d = rate(y + h, u + h * c.0, s + h * c.1);
            u += h / 6.0 * (a.0 + 2.0 * (b.0 + c.0) + d.0);
            s += h / 6.0 * (a.1 + 2.0 * (b.1 + c.1) + d.1);
        }
        u
    };
    let simple = (g / length).sqrt();
    let (mut low, mut high) = (0.9 * simple, 1.3 * simple);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if top(middle) > 0.0 { low = middle } else { high = middle }
    }
    TAU / low
}

/// The arithmetic–geometric mean.
fn agm(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).max(0.0).sqrt());
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_load_and_a_nearly_bare_rope_have_their_known_periods() {
        let simple = TAU * (2.0_f64 / 9.81).sqrt();
        assert!((hanging_period(9.81, 2.0, 1e-9, 3.0) / simple - 1.0).abs() < 1e-8);
        // Bernoulli's chain, J₀(2ω√(L/g)) = 0 at 2.404826; a load of a millionth of it changes little.
        let chain = hanging_period(9.81, 2.0, 1.0, 1e-3);
        assert!((chain / (simple / (0.5 * 2.404_826)) - 1.0).abs() < 3e-3, "{chain}");
        // To first order in m/M: ω² = g/L (M + m/2)/(M + m/3).
        let heavy = hanging_period(9.81, 2.0, 0.002, 1.0);
        assert!((heavy / simple - ((1.0 + 0.002 / 3.0) / 1.001_f64).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn a_period_is_read_off_zero_crossings() {
        let of = |steps: i32| {
            let mut tally = Tally::default();
            for i in 0..steps {
                let t = 0.01 * f64::from(i);
                see_oscillation(&mut tally, t, (3.0 * t + 0.2).cos() * (-0.1 * t).exp());
            }
            period(&tally)
        };
        assert!((of(1000).unwrap() - TAU / 3.0).abs() < 1e-4);
        assert_eq!(of(300), None);
        // The period of a pendulum at an amplitude of 90°.
        assert!((1.0 / agm(1.0, (0.25 * core::f64::consts::PI).cos()) - 1.180_340_6).abs() < 1e-7);
    }
}
