//! Fingers that close on a rod, and what stays in them or is tied by them.
//!
//! A finger slides on a prismatic joint along the unit axis a and is pushed by an actuator with the effort Q(t). At rest
//! the contacts balance it: F·a = −Q.

use super::kept::Number;
use super::{Finding, RunRecord, Sample, Tally};
use glam::DVec3;
use ropewalk_body::JointKind;
use ropewalk_rod::knot_determinant::{determinant, determinant_with_ends};
use ropewalk_rod::writhe::gauss_integral;
use ropewalk_sim::{ActuatorKind, Hold, Model, State, measure};

/// A finger: tree and link that an actuator closes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finger {
    actuator: usize,
}

impl Finger {
    /// The finger of an actuator; none if its force or its direction is not given by the model.
    pub(super) fn of(model: &Model, actuator: usize) -> Option<Self> {
        let a = &model.actuators[actuator];
        let joint = &model.trees[a.tree].tree.links()[a.link].joint;
        let slides = matches!(joint.kind, JointKind::Prismatic { .. });
        (slides && matches!(a.kind, ActuatorKind::Force { .. })).then_some(Self { actuator })
    }

    /// Direction in which it slides, which stays, since the joint does not turn; none if it does not slide.
    fn axis(self, model: &Model, state: &State) -> Option<DVec3> {
        let a = &model.actuators[self.actuator];
        let JointKind::Prismatic { axis } = model.trees[a.tree].tree.links()[a.link].joint.kind else {
            return None;
        };
        Some(measure::tree_kinematics(model, state, a.tree).poses[a.link].rotation * axis)
    }

    /// Effort at a time, N.
    fn effort(self, model: &Model, time: f64) -> f64 {
        match &model.actuators[self.actuator].kind {
            ActuatorKind::Force { effort } => effort.value(time),
            _ => 0.0,
        }
    }

    /// Force of contacts along `axis`, N.
    fn pushed(self, model: &Model, axis: DVec3, s: &Sample) -> f64 {
        let a = &model.actuators[self.actuator];
        s.trees[a.tree].contacts[a.link].force.dot(axis)
    }

    /// Begins a tally of forces that should rise. Numbers: 0–2 axis, 3 and 4 greatest force along it and against it, 5 and 6
    /// greatest fall below that.
    pub(super) fn begin_rise(self, model: &Model, start: &State) -> Tally {
        let mut tally = Tally::default();
        tally.set_vector(0, self.axis(model, start).unwrap_or_default());
        tally
    }

    pub(super) fn see_rise(self, model: &Model, tally: &mut Tally, s: &Sample) {
        let pushed = self.pushed(model, tally.vector(0), s);
        for (k, force) in [pushed, -pushed].into_iter().enumerate() {
            tally.set(3 + k, tally.get(3 + k).max(force));
            tally.set(5 + k, tally.get(5 + k).max(tally.get(3 + k) - force));
        }
    }

    /// What [`pinch_force`] reads: the step in which force and effort differ most.
    pub(super) fn force_needs(self, model: &Model, start: &State, from: f64) -> Vec<Number> {
        let Some(axis) = self.axis(model, start) else { return Vec::new() };
        let a = &model.actuators[self.actuator];
        let ActuatorKind::Force { effort } = a.kind.clone() else { return Vec::new() };
        let (tree, link) = (a.tree, a.link);
        let off = move |_: &[Sample], s: &Sample| {
            (s.trees[tree].contacts[link].force.dot(axis) + effort.value(s.time)).abs()
        };
        vec![Number::from_time(from, off)]
    }
}

/// The greatest difference between force and command from a time on, as a share of the command at the end.
pub(super) fn pinch_force(run: &RunRecord<'_>, finger: Finger, from: f64) -> Option<Finding> {
    let axis = finger.axis(run.model, run.start)?;
    let closing = -finger.effort(run.model, run.end.time).signum();
    let command = -closing * finger.effort(run.model, run.samples.last()?.time);
    let closed = run.samples.iter().filter(|s| s.time >= from);
    let forces = closed
        .map(|s| (closing * finger.pushed(run.model, axis, s), -closing * finger.effort(run.model, s.time)));
    let worst = forces.max_by(|x, y| (x.0 - x.1).abs().total_cmp(&(y.0 - y.1).abs()))?;
    Some(Finding { reference: worst.1, measured: worst.0, error: (worst.0 - worst.1).abs() / command })
}

/// The greatest fall of the force below what it has been before, as a share of the command at the end.
pub(super) fn pinch_rise(run: &RunRecord<'_>, finger: Finger, tally: &Tally) -> Option<Finding> {
    // Contacts push against the effort.
    let closing = -finger.effort(run.model, run.end.time).signum();
    let command = -closing * finger.effort(run.model, run.samples.last()?.time);
    let fall = tally.get(if closing > 0.0 { 5 } else { 6 });
    Some(Finding::zero(fall / command))
}

/// Where a rod is pulled: an end (0 or 1), and the direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    pub(super) rod: usize,
    pub(super) end: usize,
    pub(super) along: DVec3,
}

/// Mean speed of the pulled end along the pull from a time to the end, m/s.
pub(super) fn creep(run: &RunRecord<'_>, pull: Pull, from: f64) -> Option<Finding> {
    let (first, last) = (run.samples.iter().find(|s| s.time >= from)?, run.samples.last()?);
    let place = |s: &Sample| s.rods[pull.rod].ends[pull.end].dot(pull.along);
    Some(Finding::zero((place(last) - place(first)) / (last.time - first.time)))
}

/// A part of a rod: all nodes from the first to the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) rod: usize,
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Which knot that part of a rod is at the end. A bow is told by it: its loops undo the second throw, so that the whole
/// lace is no more than the first; between the tips of the loops both throws are there, and count as the sum of two
/// knots, whose determinant is the product of theirs.
pub(super) fn knotted(run: &RunRecord<'_>, part: Part, ends: Option<DVec3>, wanted: u32) -> Finding {
    let nodes = &measure::positions(run.end, part.rod)[part.first..=part.last];
    let found = ends.map_or_else(|| determinant(nodes), |ends| determinant_with_ends(nodes, ends));
    Finding { reference: f64::from(wanted), measured: found, error: (found - f64::from(wanted)).abs() }
}

/// How often two parts of a rod are wound round one another: half of the signed crossings, mean over all sides from which they are
/// seen. It tells a reef knot from a granny knot: the two throws count one another out, or add up.
pub(super) fn twined(run: &RunRecord<'_>, parts: [Part; 2], turns: f64) -> Finding {
    let [a, b] = parts.map(|p| measure::positions(run.end, p.rod)[p.first..=p.last].to_vec());
    let found = gauss_integral(&a, false, &b, false);
    Finding { reference: turns, measured: found, error: (found - turns).abs() }
}

/// How much longer than straight a rod is from both ends of the part to the nearest clamp, in thicknesses; the sum of
/// both.
pub(super) fn pulled_tight(run: &RunRecord<'_>, part: Part) -> Option<Finding> {
    let clamps = clamped_nodes(run.model, part.rod);
    let (first, last) = (*clamps.iter().min()?, *clamps.iter().max()?);
    let points = measure::positions(run.end, part.rod);
    let slack = |from: usize, to: usize| {
        let part = points.get(from..=to)?;
        let length: f64 = part.windows(2).map(|p| (p[1] - p[0]).length()).sum();
        part.first().zip(part.last()).map(|(a, b)| length - (*b - *a).length())
    };
    let total = slack(part.first, first)? + slack(last, part.last)?;
    Some(Finding::zero(total / (2.0 * run.model.rods[part.rod].half_extents()[0][0])))
}

/// The nodes at which a rod is clamped, or those behind which its clamped edges lie.
pub(super) fn clamped_nodes(model: &Model, rod: usize) -> Vec<usize> {
    let nodes = model.clamps.iter().filter(|c| c.rod == rod).map(|c| match c.hold {
        Hold::Node(i) | Hold::Edge(i) | Hold::EdgeFreeSpin(i) | Hold::Spin(i) => i,
    });
    nodes.collect()
}

#[cfg(test)]
mod tests {
    use crate::SceneError;

    const SCENE: &str = r#"title = "t"
[time]
duration = 1.0
[rod.rope]
preset = "shoelace"
curve = { overhand = { order = 1, length = 1.0, gap = 5e-3 } }
segments = 200
[clamp.middle]
rod = "rope"
at = { arclength = 0.5 }
"#;

    /// What a claim finds at the start of the scene.
    fn find(claim: &str) -> Result<f64, SceneError> {
        find_in(SCENE, claim)
    }

    fn find_in(scene: &str, claim: &str) -> Result<f64, SceneError> {
        let scene = crate::load_text("t", &format!("{scene}[claim.a]\n{claim}\n"), None, &[])?;
        let run = super::RunRecord {
            model: &scene.model,
            start: &scene.state,
            end: &scene.state,
            wrenches: &[],
            samples: &[],
            measured: &[],
            tallies: &[],
        };
        Ok(scene.claims[0].evaluate(&run).measured)
    }

    #[test]
    fn only_the_part_between_counts() {
        let knotted = |between: &str| {
            find(&format!("knotted = {{ rod = \"rope\", determinant = 3{between}, tolerance = 0.5 }}"))
                .unwrap()
        };
        assert_eq!(knotted(""), 3.0);
        assert_eq!(knotted(", between = [0.05, 0.95]"), 3.0);
        assert_eq!(knotted(", between = [0.0, 0.4]"), 1.0);
        let slack = |between: &str| {
            find(&format!("pulled_tight = {{ rod = \"rope\"{between}, tolerance = 1.0 }}")).unwrap()
        };
        // Without the loops of the knot there is less of it.
        assert!(slack("") > slack(", between = [0.45, 0.55]"));
    }

    #[test]
    fn halves_of_an_overhand_knot_are_twined_by_three_crossings() {
        let twined = |hand: bool| {
            let scene = SCENE.replace("gap = 5e-3", &format!("gap = 5e-3, left_handed = {hand}"));
            let claim = "twined = { rod = \"rope\", between = [[0.0, 0.49], [0.51, 0.99]], turns = 1.5, tolerance = 0.5 }";
            find_in(&scene, claim).unwrap()
        };
        let (left, right) = (twined(true), twined(false));
        assert!((left + right).abs() < 1e-9, "{left} {right}");
        assert!((left - 1.5).abs() < 0.05, "{left}");
    }

    #[test]
    fn a_part_has_two_ends_on_the_rod() {
        for (between, problem) in [("[0.5, 0.2]", "no rod lies between"), ("[0.5, 1.2]", "beyond the end")] {
            let claim = format!(
                "knotted = {{ rod = \"rope\", determinant = 3, between = {between}, tolerance = 0.5 }}"
            );
            let error = find(&claim).unwrap_err().to_string();
            assert!(error.contains("claim.a.knotted.between") && error.contains(problem), "{error}");
        }
    }
}
