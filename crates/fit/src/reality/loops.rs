//! A cable that hangs as a loop from two horizontal clamps that point outward: bending stiffness from its shape, and the twist of one clamp at which it folds.
//!
//! *Stiffness.* The shape of an inextensible cable depends on EI/(ρA g) alone. It is computed for EI = 1 and a gravity g', and
//! ρA g/g' is the stiffness for which the mean distance between measured points and points of the cable at the same arclength is
//! least (golden section in log g').
//!
//! *Mesh.* The authors' cable is a chain of 30 mm, with one more edge beyond each clamp, which is fixed; so at a
//! clamp it has the bending compliance of 30 mm of cable. The boundary layer √(EI/T) in which the cable turns from
//! horizontal to hanging is as short as that, and their EI is that of this chain: [`Mesh::Authors`]. With clamps at
//! the first and last points and a fine mesh ([`Mesh::Clamped`]) the same shapes give an EI that is lower by 29 to 36
//! %. So does an elastica that is not a discrete rod ([`ropewalk_theory::heavy_elastica`]).
//!
//! *Twist.* One clamp is turned about its axis step by step, each time to equilibrium. The fold is where the cable
//! first touches itself; if its equilibrium loses stability or it moves by more than [`JUMP`] of its length within a
//! step of one degree, it jumps there. (A limp loop rotates about the vertical like a bifilar pendulum, and folds
//! when its legs cannot balance the torque. There is no contact between its strands here: after the jump it hangs
//! almost as before, with two turns less twist. So a jump is detected by the displacement, not by the final shape.)

use crate::error::FitError;
use crate::npy::Archive;
use crate::statics::{Grip, Properties, StaticRod};
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};
use ropewalk_geometry::segment::closest_parameters;
use ropewalk_theory::heavy_elastica::HeavyElastica;

/// Length of the cables, m.
pub const LENGTH: f64 = 1.5;
/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Thickness of the authors' chain, m: strands whose center lines are this close touch.
const THICKNESS: f64 = 0.01;
/// Displacement in one degree of twist that counts as a fold, relative to the length.
const JUMP: f64 = 0.02;

/// A cable of the archive, with its authors' results.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// Color, which names the arrays.
    pub name: &'static str,
    /// ρA, kg/m.
    pub line_density: f64,
    /// EI, N·m².
    pub bending_stiffness: f64,
    /// Residual as a fraction of the length.
    pub residual: f64,
    /// GJ/EI.
    pub twist_ratio: f64,
    /// Twist at which the loop folds, degrees: least and greatest of the repeats.
    pub fold: [f64; 2],
}

/// The three cables.
pub const CABLES: [Reference; 3] = [
    Reference {
        name: "white",
        line_density: 0.0174,
        bending_stiffness: 1.22e-4,
        residual: 0.0078,
        twist_ratio: 0.823,
        fold: [970.0, 980.0],
    },
    Reference {
        name: "black",
        line_density: 0.0272,
        bending_stiffness: 1.20e-3,
        residual: 0.0158,
        twist_ratio: 1.462,
        fold: [470.0, 500.0],
    },
    Reference {
        name: "red",
        line_density: 0.0215,
        bending_stiffness: 9.3e-4,
        residual: 0.0138,
        twist_ratio: 1.638,
        fold: [430.0, 470.0],
    },
];

/// The measured shapes of cable `name`: points from clamp to clamp, m, z up.
pub fn shapes(archive: &Archive, name: &str) -> Result<Vec<Vec<DVec3>>, FitError> {
    let one = |k: usize| {
        let array = format!("{name}{k}");
        let (shape, numbers) = archive.numbers(&array)?;
        if !matches!(shape, [n, 2] if *n >= 3) || numbers.iter().any(|x| !x.is_finite()) {
            return Err(archive.wrong(
                format!("'{array}' has the shape {shape:?}, or points that are not finite"),
                "it should be (points, 2), in m",
            ));
        }
        Ok(numbers.as_chunks::<2>().0.iter().map(|&[x, y]| DVec3::new(x, 0.0, -y)).collect())
    };
    (0..5).map(one).collect()
}

/// Edges and clamps of the cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mesh {
    /// This number of edges from clamp to clamp; clamps are in the middle of edges.
    Clamped(usize),
    /// 50 edges from clamp to clamp, and one beyond each.
    Authors,
}

impl Mesh {
    fn edges(self) -> usize {
        match self {
            Self::Clamped(edges) => edges + 1,
            Self::Authors => 52,
        }
    }

    /// Edges from clamp to clamp.
    fn free(self) -> usize {
        match self {
            Self::Clamped(edges) => edges,
            Self::Authors => 50,
        }
    }

    fn edge_length(self) -> f64 {
        LENGTH / self.free() as f64
    }

    /// From the middle of a held edge to its clamp, m.
    fn overhang(self) -> f64 {
        match self {
            Self::Clamped(_) => 0.0,
            Self::Authors => 0.5 * self.edge_length(),
        }
    }
}

/// A loop that hangs from its clamps.
#[derive(Clone, Debug)]
pub struct Loop {
    mesh: Mesh,
    rod: StaticRod,
    ends: [DVec3; 2],
    turn: f64,
}

impl Loop {
    /// A loop with EI = 1 and this GJ/EI under `gravity`, from a clamp at the origin to one at `end`.
    pub fn hang(mesh: Mesh, end: DVec3, twist_ratio: f64, gravity: f64) -> Option<Self> {
        // A circle through the first clamp, deformed by gravity and the other clamp.
        let edges = mesh.edges();
        let turn = TAU / (edges - 1) as f64;
        let radius = mesh.edge_length() / (2.0 * (0.5 * turn).sin());
        let node = |i: usize| {
            let angle = turn * (i as f64 - 0.5);
            DVec3::new(angle.sin(), 0.0, angle.cos() - (0.5 * turn).cos()) * radius
        };
        let nodes = (0..=edges).map(node).collect();
        let properties = Properties { bend: [1.0; 2], twist: twist_ratio, stretch: 1e6, line_density: 1.0 };
        let rod = StaticRod::new(nodes, properties, DVec3::Z, DVec3::ZERO, None).ok()?;
        let mut hung = Self { mesh, rod, ends: [DVec3::ZERO; 2], turn: 0.0 };
        for k in 0..=4 {
            hung.ends[1] = end * (f64::from(k) / 4.0);
            hung.settle()?;
        }
        // From 1 m/s², at which a rod of this stiffness hardly sags, in increments of a quarter, to follow the
        // branch.
        let steps = (gravity.ln() / 1.25f64.ln()).ceil().max(1.0) as u32;
        for k in 0..=steps {
            hung.rod.set_gravity(DVec3::NEG_Z * gravity.powf(f64::from(k) / f64::from(steps)));
            hung.settle()?;
        }
        Some(hung)
    }

    fn grips(&self) -> [Grip; 2] {
        let turned = DQuat::from_rotation_x(self.turn) * DVec3::Z;
        let beyond = DVec3::X * self.mesh.overhang();
        [
            Grip { edge: 0, middle: self.ends[0] - beyond, tangent: DVec3::X, director: DVec3::Z },
            Grip {
                edge: self.mesh.edges() - 1,
                middle: self.ends[1] + beyond,
                tangent: DVec3::X,
                director: turned,
            },
        ]
    }

    fn settle(&mut self) -> Option<()> {
        let grips = self.grips();
        self.rod.settle(&grips).then_some(())
    }

    /// Mean distance to `points`, which are equally spaced from clamp to clamp, as a fraction of the length.
    fn distance(&self, points: &[DVec3]) -> f64 {
        let last = (points.len() - 1) as f64;
        let overhang = self.mesh.overhang() / (LENGTH + 2.0 * self.mesh.overhang());
        let place = |i: usize| overhang + (1.0 - 2.0 * overhang) * i as f64 / last;
        let apart = points.iter().enumerate().map(|(i, p)| self.rod.position_at(place(i)).distance(*p));
        apart.sum::<f64>() / (points.len() as f64 * LENGTH)
    }

    /// Whether strands that are not neighbors touch.
    fn touches_itself(&self) -> bool {
        let state = &self.rod.state;
        let edges = self.mesh.edges();
        // Strands that are closer along the cable than this are bent, not folded.
        let apart = (3.0 * THICKNESS / self.mesh.edge_length()).ceil() as usize + 1;
        let segment = |e: usize| [state.position(e), state.position(e + 1)];
        (0..edges).any(|i| {
            let [a, b] = segment(i);
            (i + apart..edges).any(|j| {
                let [c, d] = segment(j);
                let (s, t) = closest_parameters(a, b, c, d);
                a.lerp(b, s).distance(c.lerp(d, t)) < THICKNESS
            })
        })
    }

    /// Twist in degrees at which the loop folds, up to `most`; `None` if it does not or no equilibrium is found.
    pub fn fold(&mut self, most: f64) -> Option<f64> {
        let coarse = 10.0;
        let mut degrees = 0.0;
        let mut step = coarse;
        while degrees < most {
            let before = self.clone();
            self.turn = (degrees + step).to_radians();
            let settled = self.settle().is_some();
            let nodes = 0..self.rod.rod.node_count();
            let moves = nodes.map(|i| self.rod.state.position(i).distance(before.rod.state.position(i)));
            let moved = moves.fold(0.0, f64::max);
            let folded = !settled || self.touches_itself() || moved > JUMP * LENGTH || {
                let grips = self.grips();
                !self.rod.is_stable(&grips)
            };
            if !folded {
                degrees += step;
            } else if step > 1.0 {
                *self = before;
                step = 1.0;
            } else {
                return Some(degrees + 0.5 * step);
            }
        }
        None
    }
}

/// Range of the search for EI in N·m².
const RANGE: [f64; 2] = [1e-5, 1e-2];

/// EI in N·m² and the residual as a fraction of the length, from one measured shape.
pub fn bending_stiffness(mesh: Mesh, points: &[DVec3], line_density: f64) -> Option<[f64; 2]> {
    let end = *points.last()?;
    let gravity = |log: f64| line_density * GRAVITY / log.exp();
    let [low, high] = RANGE.map(f64::ln);
    let mut hung = Loop::hang(mesh, end, 1.0, gravity(0.5 * (low + high)))?;
    hung.rod.still = 1e-6;
    least(|log: f64| {
        // In steps, to follow the branch.
        let from = hung.rod.gravity().length();
        let to = gravity(log);
        for k in 1..=4 {
            hung.rod.set_gravity(DVec3::NEG_Z * (from * (to / from).powf(f64::from(k) / 4.0)));
            hung.settle()?;
        }
        Some(hung.distance(points))
    })
}

/// The same by a heavy inextensible elastica, which is not a discrete rod.
pub fn stiffness_of_elastica(points: &[DVec3], line_density: f64) -> Option<[f64; 2]> {
    let last = *points.last()?;
    let weight = |log: f64| line_density * GRAVITY / log.exp();
    let mut cable = HeavyElastica::arc(LENGTH, 0.0, -TAU);
    // First the end condition, then a small weight, which is increased by factors.
    cable.load(0.0, [last.x, last.z]).then_some(())?;
    cable.load(1.0, [last.x, last.z]).then_some(())?;
    least(|log: f64| {
        cable.load(weight(log), [last.x, last.z]).then_some(())?;
        let apart = |(q, p): ([f64; 2], &DVec3)| DVec3::new(q[0], 0.0, q[1]).distance(*p);
        let sum: f64 = cable.points(points.len()).into_iter().zip(points).map(apart).sum();
        Some(sum / (points.len() as f64 * LENGTH))
    })
}

/// EI for which `at` (of its logarithm) is least, and that value: golden section.
fn least(mut at: impl FnMut(f64) -> Option<f64>) -> Option<[f64; 2]> {
    let [mut low, mut high] = RANGE.map(f64::ln);
    let golden = 0.618_033_988_749_895;
    let mut inner = [high - golden * (high - low), low + golden * (high - low)];
    let mut values = [at(inner[0])?, at(inner[1])?];
    while high - low > 2e-3 {
        if values[0] < values[1] {
            high = inner[1];
            inner = [high - golden * (high - low), inner[0]];
            values = [at(inner[0])?, values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + golden * (high - low)];
            values = [values[1], at(inner[1])?];
        }
    }
    Some([(0.5 * (low + high)).exp(), values[0].min(values[1])])
}

/// The twist in degrees at which a loop of this stiffness folds, clamps 0.12 m apart.
pub fn fold(
    mesh: Mesh,
    bending_stiffness: f64,
    twist_ratio: f64,
    line_density: f64,
    most: f64,
) -> Option<f64> {
    let gravity = line_density * GRAVITY / bending_stiffness;
    Loop::hang(mesh, DVec3::X * -0.12, twist_ratio, gravity)?.fold(most)
}

/// GJ/EI for which a loop folds at `degrees`: bisection.
pub fn twist_ratio(mesh: Mesh, bending_stiffness: f64, line_density: f64, degrees: f64) -> Option<f64> {
    // A stiffer core folds sooner.
    let (mut low, mut high) = (0.3, 4.0);
    for _ in 0..9 {
        let middle = f64::sqrt(low * high);
        match fold(mesh, bending_stiffness, middle, line_density, 2.0 * degrees) {
            Some(found) if found < degrees => high = middle,
            _ => low = middle,
        }
    }
    Some(f64::sqrt(low * high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stiffness_is_found_again_from_a_computed_shape() {
        let (stiffness, density) = (1e-3, 0.02);
        let hung = Loop::hang(Mesh::Authors, DVec3::X * -0.12, 1.0, density * GRAVITY / stiffness).unwrap();
        let points: Vec<DVec3> = (1..=51).map(|i| hung.rod.state.position(i)).collect();
        let [found, residual] = bending_stiffness(Mesh::Authors, &points, density).unwrap();
        assert!((found / stiffness - 1.0).abs() < 5e-3 && residual < 1e-4, "{found}, {residual}");
        // The same shape for a cable clamped at the first points: nearly two thirds of that.
        let [fine, _] = bending_stiffness(Mesh::Clamped(90), &points, density).unwrap();
        assert!((0.55..0.85).contains(&(fine / stiffness)), "{fine}");
    }

    #[test]
    fn a_fine_mesh_comes_to_the_stiffness_of_the_elastica() {
        let density = 0.02;
        let mut cable = HeavyElastica::arc(LENGTH, 0.0, -TAU);
        assert!(cable.load(0.0, [-0.12, 0.0]) && cable.load(1.0, [-0.12, 0.0]));
        assert!(cable.load(density * GRAVITY / 3e-4, [-0.12, 0.0]));
        let points: Vec<DVec3> = cable.points(51).iter().map(|q| DVec3::new(q[0], 0.0, q[1])).collect();
        let of = |edges: usize| bending_stiffness(Mesh::Clamped(edges), &points, density).unwrap()[0] / 3e-4;
        let [coarse, fine] = [of(60), of(120)].map(|ratio| ratio - 1.0);
        // Of second order: −10 % with 60 edges, a quarter of that with 120.
        assert!(fine.abs() < 0.03 && fine.abs() < 0.3 * coarse.abs(), "{coarse} {fine}");
        let [own, _] = stiffness_of_elastica(&points, density).unwrap();
        assert!((own / 3e-4 - 1.0).abs() < 3e-3, "{own}");
    }

    #[test]
    fn a_limp_loop_folds_like_a_bifilar_pendulum() {
        let [white, ..] = CABLES;
        let found =
            fold(Mesh::Authors, white.bending_stiffness, white.twist_ratio, white.line_density, 1200.0);
        assert!(found.is_some_and(|turn| (turn / 975.0 - 1.0).abs() < 0.02), "{found:?}");
    }
}
