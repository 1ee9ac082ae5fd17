//! Results of a campaign: counts by family and criterion, and the failing cases.

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
    /// Cases that failed by any criterion.
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
    /// All failures, one for each criterion of a case.
    pub failures: Vec<FailureRecord>,
}

/// Results of a criterion over many cases.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CriterionSummary {
    /// Cases in which it was judged.
    pub judged: usize,
    /// Cases that failed by it.
    pub failed: usize,
    /// The greatest value.
    pub worst: f64,
    /// The bound, for the case with the greatest value.
    pub bound: f64,
}

/// Results of a family.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FamilySummary {
    /// Cases.
    pub cases: usize,
    /// Cases that failed by any criterion.
    pub failed: usize,
    /// Cases with contact.
    pub touched: usize,
    /// Greatest CPU time of a case in s.
    pub most_seconds: f64,
    /// By criterion.
    pub criteria: BTreeMap<&'static str, CriterionSummary>,
}

/// A failure of a case by one criterion.
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
    /// The bound.
    pub bound: f64,
    /// Time in s at which the bound was first exceeded.
    pub time: f64,
    /// The pair, or the event.
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
    /// Summarizes `results`; `scene_file` gives the file of the scene of a failing case, if kept.
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

/// The scene of a failing case as a file: a comment on the failures, then the scene.
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
