//! A run: from a scene to its summary and its files.
//!
//! | module | contents |
//! |---|---|
//! | [`run_loop`] | the loop over the steps |
//! | [`statistics`] | sums over the reports of steps |
//! | [`summary`], [`summary_text`] | the summary of a run, as JSON and as text |
//! | [`final_state`] | bodies, joints and attachments at the end |
//! | [`outputs`], [`lock`] | the directory of `--out`, one run at a time |
//! | [`metrics`], [`rows`] | `metrics.csv` |
//! | [`state_spool`] | `states.npz` |
//! | [`picture`] | `picture.svg` |
//! | [`interrupt`], [`progress`] | Ctrl-C; progress of the run |
//! | [`driver`] | changes to a run by a user |
//! | [`live`] | viewer pages of a live run |

pub(crate) mod driver;
pub(crate) mod final_state;
pub(crate) mod interrupt;
pub(crate) mod live;
pub(crate) mod lock;
pub(crate) mod metrics;
pub(crate) mod outputs;
mod picture;
pub(crate) mod progress;
mod rows;
pub(crate) mod run_loop;
pub(crate) mod state_spool;
pub(crate) mod statistics;
pub(crate) mod summary;
pub(crate) mod summary_text;
