//! The page that shows a run in a browser.
//!
//! ```text
//! run.mcap ─ Player ─ payload (quantized, gzip) ─┐
//!                                                 ├─ page.html: one file to send, or served by `Server`
//! viewer/ ─ npm run build ─ assets/page.html ────┘
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`page`] | the page, with or without a run in it |
//! | [`command`] | commands of a page to a running simulation |
//! | [`desk`] | application of commands to the simulation |
//! | [`payload`] | the data of a run in a page |
//! | [`player`] | a recording as a page |
//! | [`serve`] | a local server for pages |
//!
//! The page itself is built in `viewer/` (TypeScript) and committed in `assets/`, so that this crate builds without
//! Node.

pub mod command;
pub mod desk;
pub mod page;
pub mod payload;
pub mod player;
pub mod serve;

pub use player::{Player, write_player};
