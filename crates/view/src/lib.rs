//! The page that shows a run in a browser.
//!
//! ```text
//! run.mcap ─ Player ─ payload (quantized, gzip) ─┐
//!                                                 ├─ page.html: one file to send, or what `Server` serves
//! viewer/ ─ npm run build ─ assets/page.html ────┘
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`page`] | the page, with or without a run in it |
//! | [`command`] | what a page asks of a running simulation |
//! | [`desk`] | how the simulation does it |
//! | [`payload`] | a run as the page reads it |
//! | [`player`] | a recording as a page |
//! | [`serve`] | a page on this computer, for one browser |
//!
//! The page itself is made in `viewer/` (TypeScript) and kept in `assets/`, so that this crate builds without Node.

pub mod command;
pub mod desk;
pub mod page;
pub mod payload;
pub mod player;
pub mod serve;

pub use player::{Player, write_player};
