//! The campaign: random scenes with default settings, judged in every step.
//!
//! | module | contents |
//! |---|---|
//! | [`mod@generate`] | scenes as text, one file per family, as a function of (family, seed, index) |
//! | [`judge`] | criteria that must hold after every step, one file per criterion |
//! | [`runner`] | one scene from start to end; many of them on several threads |
//! | [`report`] | counts by family and criterion, the failing cases, scene files of them |
//! | [`random`] | counter-based random numbers |
//!
//! The generator does not avoid failing scenes. It only requires a legal start: no overlap, and a scene file that
//! passes every check.

pub mod generate;
pub mod judge;
pub mod random;
pub mod report;
pub mod runner;

pub use generate::{Case, FAMILIES, Family, GenerateError, generate};
pub use judge::{Criterion, Finding, Findings, Judge};
pub use report::{CampaignReport, CriterionSummary, FailureRecord, FamilySummary};
pub use runner::{Campaign, Outcome, judge_scene, run_campaign};
