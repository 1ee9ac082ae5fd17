//! A run: from a scene to its summary and its files.
//!
//! | module | what it holds |
//! |---|---|
//! | [`run_loop`] | the loop over the steps |
//! | [`statistics`] | what the steps reported, added up |
//! | [`summary`], [`summary_text`] | what a run leaves behind, for programs and for people |
//! | [`final_state`] | bodies, joints and attachments at the end |
//! | [`outputs`] | the directory of `--out` |
//! | [`metrics`] | `metrics.csv` |
//! | [`state_spool`] | `states.npz` |
//! | [`picture`] | `picture.svg` |
//! | [`interrupt`] | Ctrl-C |
//! | [`driver`] | who changes a run while it goes |
//! | [`live`] | the pages that look at it |

pub(crate) mod driver;
pub(crate) mod final_state;
pub(crate) mod interrupt;
pub(crate) mod live;
pub(crate) mod metrics;
pub(crate) mod outputs;
mod picture;
pub(crate) mod run_loop;
pub(crate) mod state_spool;
pub(crate) mod statistics;
pub(crate) mod summary;
pub(crate) mod summary_text;
