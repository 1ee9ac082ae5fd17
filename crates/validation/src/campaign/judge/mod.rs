//! The judge: criteria that must hold after every step, evaluated from the public interface of a world alone.
//!
//! | criterion | file | value | bound |
//! |---|---|---|---|
//! | linking | [`linking`] | change of a linking number, or jump of Gauss's integral of two rods or of a writhe in a step | 0.5, 0.75, 1.5 turns |
//! | winding | [`winding`] | change of a rod's turns about a fixed peg, without those of its ends | 0.5 turns |
//! | knot_type | [`knot_type`] | change of the knot determinant of a rod with both ends clamped | 0.5 |
//! | passage | [`passage`] | centerlines that pass through one another, or through the core of a body, within a step | 0 |
//! | inside | [`inside`] | depth of a centerline, or of a free body's origin, below a surface, in thicknesses (m for bodies) | 0 |
//! | overlap | [`overlap`] | depth over the thickness of the thinner rod, or of the rod where the other side is a body | 0.2 |
//! | energy | [`energy`] | energy above initial energy + work, over the greatest energy exchanged | 0.01 |
//! | residual | [`residual`] | residual of a converged step, over the tolerance | 1 |
//! | status | [`status`] | a step that failed | 0 |
//! | finite | [`status`] | a number that is not finite | 0 |
//! | panic | [`super::runner`] | the program stopped | 0 |
//! | time | [`super::runner`] | CPU time of the case in s | 60 |
//!
//! Distances are computed independently of the step ([`solid`], [`strand`]), with the model's rules for contact pairs
//! ([`pairs`]). Surfaces with a given stiffness or a pressure field may overlap; centerlines must stay outside
//! nevertheless.

pub mod energy;
pub mod inside;
pub mod knot_type;
pub mod linking;
pub mod overlap;
pub mod pairs;
pub mod passage;
pub mod residual;
pub mod solid;
pub mod status;
pub mod strand;
pub mod winding;

use glam::DVec3;
use ropewalk_linalg::Pose;
use ropewalk_sim::{Model, State, StepReport, measure};
use serde::Serialize;
use solid::Solid;
use strand::{Gap, Strand};

/// The criteria.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// Linking numbers of rods.
    Linking,
    /// Winding about fixed pegs.
    Winding,
    /// Knot of a rod with both ends clamped.
    KnotType,
    /// Tunnelling within a step.
    Passage,
    /// A centerline inside a body or below a floor.
    Inside,
    /// Overlap as a share of a thickness.
    Overlap,
    /// Energy above initial energy and work.
    Energy,
    /// Residual of a converged step.
    Residual,
    /// A step that failed.
    Status,
    /// A number that is not finite.
    Finite,
    /// The program stopped.
    Panic,
    /// CPU time.
    Time,
}

impl Criterion {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 12] = [
        Self::Linking,
        Self::Winding,
        Self::KnotType,
        Self::Passage,
        Self::Inside,
        Self::Overlap,
        Self::Energy,
        Self::Residual,
        Self::Status,
        Self::Finite,
        Self::Panic,
        Self::Time,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linking => "linking",
            Self::Winding => "winding",
            Self::KnotType => "knot_type",
            Self::Passage => "passage",
            Self::Inside => "inside",
            Self::Overlap => "overlap",
            Self::Energy => "energy",
            Self::Residual => "residual",
            Self::Status => "status",
            Self::Finite => "finite",
            Self::Panic => "panic",
            Self::Time => "time",
        }
    }
}

/// Result of a criterion in a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The criterion.
    pub criterion: Criterion,
    /// The greatest value.
    pub value: f64,
    /// The bound.
    pub bound: f64,
    /// Time in s at which the bound was first exceeded; if never, of the greatest value.
    pub time: f64,
    /// The pair with the greatest value, or the event.
    pub what: String,
}

impl Finding {
    /// Whether the bound was exceeded. NaN counts as exceeding it.
    pub fn fails(&self) -> bool {
        exceeds(self.value, self.bound)
    }
}

fn exceeds(value: f64, bound: f64) -> bool {
    value.is_nan() || value > bound
}

/// The greatest value of each criterion so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Records `value` at `time` (s); `what` names the pair.
    pub fn note(
        &mut self,
        criterion: Criterion,
        (value, bound): (f64, f64),
        time: f64,
        what: impl FnOnce() -> String,
    ) {
        match self.0.iter_mut().find(|finding| finding.criterion == criterion) {
            None => self.0.push(Finding { criterion, value, bound, time, what: what() }),
            Some(old) if old.value.is_nan() => {}
            Some(old)
                if value.is_nan()
                    || value / bound > old.value / old.bound
                    || beyond_zero(value, bound, old) =>
            {
                let time = if old.fails() { old.time } else { time };
                *old = Finding { criterion, value, bound, time, what: what() };
            }
            Some(_) => {}
        }
    }

    /// Of one criterion; none if it was never evaluated in this case.
    pub fn get(&self, criterion: Criterion) -> Option<&Finding> {
        self.0.iter().find(|finding| finding.criterion == criterion)
    }

    /// All, in the order of [`Criterion::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        Criterion::ALL.into_iter().filter_map(|criterion| self.get(criterion))
    }

    /// Those whose bound was exceeded.
    pub fn failures(&self) -> impl Iterator<Item = &Finding> {
        self.iter().filter(|finding| finding.fails())
    }
}

/// With a bound of zero, absolute values are compared.
fn beyond_zero(value: f64, bound: f64, old: &Finding) -> bool {
    bound == 0.0 && value > old.value
}

/// A world after a step, for all criteria.
#[derive(Debug)]
pub struct View<'a> {
    /// The model.
    pub model: &'a Model,
    /// The state.
    pub state: &'a State,
    /// Shapes of links.
    pub solids: &'a [Solid],
    /// Their poses.
    pub poses: Vec<Pose>,
    /// Edges of rods.
    pub strands: Vec<Strand>,
    /// Node positions by rod, m.
    pub nodes: Vec<Vec<DVec3>>,
    /// Edges that overlap shapes which they may touch: edge, shape, gap.
    pub pressed: Vec<(usize, usize, Gap)>,
}

impl<'a> View<'a> {
    /// Evaluates `state`.
    pub fn new(model: &'a Model, state: &'a State, solids: &'a [Solid]) -> Self {
        let poses = Solid::poses(solids, model, state);
        let strands = strand::strands(model, state);
        let nodes = (0..model.rods.len()).map(|r| measure::positions(state, r)).collect();
        let mut view = Self { model, state, solids, poses, strands, nodes, pressed: Vec::new() };
        view.pressed = view.gaps_to_solids(0.0);
        view
    }

    /// Edges within `reach` (m) of shapes which they may touch.
    pub fn gaps_to_solids(&self, reach: f64) -> Vec<(usize, usize, Gap)> {
        let mut out = Vec::new();
        for (k, (solid, pose)) in self.solids.iter().zip(&self.poses).enumerate() {
            for (i, strand) in self.strands.iter().enumerate() {
                if let Some(gap) = strand.gap_to_solid(solid, pose, reach)
                    && pairs::may_touch_solid(self.model, self.state, strand, solid)
                {
                    out.push((i, k, gap));
                }
            }
        }
        out
    }

    /// An edge in words.
    pub fn edge_name(&self, i: usize) -> String {
        let strand = &self.strands[i];
        format!("{} edge {}", self.rod_name(strand.rod), strand.edge)
    }

    /// A rod in words.
    pub fn rod_name(&self, r: usize) -> String {
        self.model.rod_names.get(r).map_or_else(|| format!("rod {r}"), |name| format!("rod {name}"))
    }

    /// A shape in words.
    pub fn solid_name(&self, k: usize) -> String {
        format!("body {}", self.model.trees[self.solids[k].tree].name)
    }
}

/// Judges a run, step by step.
#[derive(Debug)]
pub struct Judge<'a> {
    model: &'a Model,
    solids: Vec<Solid>,
    findings: Findings,
    energy: energy::Energy,
    linking: linking::Linking,
    winding: winding::Winding,
    knot_type: knot_type::KnotType,
    inside: inside::Inside,
    passage: passage::Passage,
}

impl<'a> Judge<'a> {
    /// For a run of `model` from `start`.
    pub fn new(model: &'a Model, start: &State) -> Self {
        let solids = Solid::of_model(model);
        let view = View::new(model, start, &solids);
        let mut findings = Findings::default();
        overlap::see(&view, &mut findings);
        Self {
            energy: energy::Energy::new(model, start),
            linking: linking::Linking::new(&view),
            winding: winding::Winding::new(&view),
            knot_type: knot_type::KnotType::new(&view),
            inside: inside::Inside::new(&view),
            passage: passage::Passage::new(&view),
            findings,
            model,
            solids,
        }
    }

    /// Judges the step that ended at `state`; of a failed one, which leaves the state unchanged, only its status.
    pub fn see(&mut self, state: &State, report: &StepReport) {
        status::see(state, report, &mut self.findings);
        residual::see(self.model, state, report, &mut self.findings);
        if status::is_failed(report) || !state.is_finite() {
            return;
        }
        let view = View::new(self.model, state, &self.solids);
        self.energy.see(&view, report.work, &mut self.findings);
        overlap::see(&view, &mut self.findings);
        self.inside.see(&view, &mut self.findings);
        self.linking.see(&view, report.substeps, &mut self.findings);
        self.winding.see(&view, report.substeps, &mut self.findings);
        self.knot_type.see(&view, report.substeps, &mut self.findings);
        self.passage.see(&view, report.substeps, &mut self.findings);
    }

    /// Records a finding of the runner.
    pub fn note(&mut self, criterion: Criterion, value_and_bound: (f64, f64), time: f64, what: String) {
        self.findings.note(criterion, value_and_bound, time, || what);
    }

    /// The findings so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }
}

/// The least gap in m of anything that may touch in `state`, at most `reach` (m).
pub fn clearance(model: &Model, state: &State, reach: f64) -> f64 {
    let solids = Solid::of_model(model);
    let view = View::new(model, state, &solids);
    let least = view.gaps_to_solids(reach).iter().map(|(_, _, gap)| gap.surface).fold(reach, f64::min);
    overlap::rod_gaps(&view, reach).map(|(_, _, gap)| gap).fold(least, f64::min)
}
