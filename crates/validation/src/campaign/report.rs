//! What a campaign came to: counts by family and criterion, and the failing cases.

use super::generate::Case;
use super::judge::Criterion;
use super::runner::Outcome;
use serde::Serialize;
use std::collections::BTreeMap;

/// The whole campaign.
#[derive(Clone, Debug, Serialize)]
pub struct CampaignReport {
    /// Cases that ran to their end or to a failed step.
    pub cases: usize,
    /// Those that failed by any criterion.
    pub failed: usize,
    /// The seed.
    pub seed: u64,
    /// Steps of all cases.
    pub steps: u64,
    /// CPU time of all cases in s.
    pub seconds: f64,
    /// By criterion, over all families.
    pub criteria: BTreeMap<&'static str, CriterionSummary>,
    /// By family.
    pub families: BTreeMap<String, FamilySummary>,
    /// Every criterion that a case failed by.
    pub failures: Vec<FailureRecord>,
}

/// What a criterion came to in many cases.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CriterionSummary {
    /// Cases in which it was judged.
    pub judged: usize,
    /// Cases that failed by it.
    pub failed: usize,
    /// The greatest value.
    pub worst: f64,
    /// What it may be at most, of the case with the greatest value.
    pub bound: f64,
}

/// What a family came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FamilySummary {
    /// Cases.
    pub cases: usize,
    /// Those that failed by any criterion.
    pub failed: usize,
    /// Cases in which something touched something.
    pub touched: usize,
    /// Greatest CPU time of a case in s.
    pub most_seconds: f64,
    /// By criterion.
    pub criteria: BTreeMap<&'static str, CriterionSummary>,
}

/// One criterion that a case failed by.
#[derive(Clone, Debug, Serialize)]
pub struct FailureRecord {
    /// Family.
    pub family: String,
    /// Seed.
    pub seed: u64,
    /// Index in the family.
    pub index: u64,
    /// Criterion.
    pub criterion: Criterion,
    /// The greatest value.
    pub value: f64,
    /// What it may be at most.
    pub bound: f64,
    /// When the bound was first exceeded, in s.
    pub time: f64,
    /// Between whom, or what happened.
    pub what: String,
    /// The scene file, if failing cases are kept.
    pub scene: Option<String>,
}

impl CriterionSummary {
    fn add(&mut self, value: f64, bound: f64, fails: bool) {
        self.judged += 1;
        self.failed += usize::from(fails);
        if self.judged == 1 || value.is_nan() || value > self.worst {
            (self.worst, self.bound) = (value, bound);
        }
    }
}

impl CampaignReport {
    /// Sums up `results`; `scene_file` says where the scene of a failing case is kept, if it is.
    pub fn new(seed: u64, results: &[(Case, Outcome)], scene_file: impl Fn(&Case) -> Option<String>) -> Self {
        let mut out = Self {
            cases: results.len(),
            failed: 0,
            seed,
            steps: 0,
            seconds: 0.0,
            criteria: BTreeMap::new(),
            families: BTreeMap::new(),
            failures: Vec::new(),
        };
        for (case, outcome) in results {
            let family = out.families.entry(case.family.to_owned()).or_default();
            let fails = outcome.findings.failures().next().is_some();
            family.cases += 1;
            family.failed += usize::from(fails);
            family.touched += usize::from(outcome.has_contact);
            family.most_seconds = family.most_seconds.max(outcome.seconds);
            out.failed += usize::from(fails);
            out.steps += outcome.steps;
            out.seconds += outcome.seconds;
            for finding in outcome.findings.iter() {
                let name = finding.criterion.name();
                for summary in [&mut out.criteria, &mut family.criteria] {
                    summary.entry(name).or_default().add(finding.value, finding.bound, finding.fails());
                }
                if finding.fails() {
                    out.failures.push(FailureRecord {
                        family: case.family.to_owned(),
                        seed: case.seed,
                        index: case.index,
                        criterion: finding.criterion,
                        value: finding.value,
                        bound: finding.bound,
                        time: finding.time,
                        what: finding.what.clone(),
                        scene: scene_file(case),
                    });
                }
            }
        }
        out
    }
}

/// The scene of a failing case as a file: what failed as a comment, then the scene.
pub fn scene_file_text(case: &Case, outcome: &Outcome) -> String {
    let mut text = format!(
        "# Family {}, seed {}, index {}. Failed in steps of the default settings:\n",
        case.family, case.seed, case.index
    );
    for finding in outcome.findings.failures() {
        text.push_str(&format!(
            "#   {}: {:.4e} (at most {:e}) from t = {:.6} s on; {}\n",
            finding.criterion.name(),
            finding.value,
            finding.bound,
            finding.time,
            finding.what
        ));
    }
    text + "\n" + &case.text
}
