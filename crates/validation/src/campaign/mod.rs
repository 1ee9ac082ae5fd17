//! The campaign: random scenes with default settings, judged in every step.
//!
//! | module | what it holds |
//! |---|---|
//! | [`mod@generate`] | scenes as text, one file per family; (family, seed, index) decides everything |
//! | [`judge`] | what must hold after every step, one file per criterion |
//! | [`runner`] | one scene from start to end; many of them on several threads |
//! | [`report`] | counts by family and criterion, the failing cases, scene files of them |
//! | [`random`] | numbers that depend on their place alone |
//!
//! The generator does not avoid what fails. It only makes scenes whose start is legal: nothing overlaps, and the scene
//! file passes every check.

pub mod generate;
pub mod judge;
pub mod random;
pub mod report;
pub mod runner;

pub use generate::{Case, FAMILIES, Family, GenerateError, generate};
pub use judge::{Criterion, Finding, Findings, Judge};
pub use report::{CampaignReport, CriterionSummary, FailureRecord, FamilySummary};
pub use runner::{Campaign, Outcome, judge_scene, run_campaign};
