//! Why a command is refused.

use crate::command::TOP_SPEED;

/// Why a command is refused; nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// A number is not finite.
    #[error("{thing}: {what} holds {number}, expected finite numbers")]
    NotFinite {
        /// What is commanded.
        thing: String,
        /// Which numbers.
        what: &'static str,
        /// The first that is not.
        number: f64,
    },
    /// A number is out of its range.
    #[error("{thing}: {what} is {number}, expected {expected}")]
    Range {
        /// What is commanded.
        thing: String,
        /// Which number.
        what: &'static str,
        /// The number.
        number: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// Another number of entries is needed.
    #[error("{thing}: {what} has {found} entries, expected {expected}")]
    Count {
        /// What is commanded.
        thing: String,
        /// Which list.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// There is no such thing.
    #[error("{thing}: there is no {what} {index}, expected 0 to {last}")]
    NoSuch {
        /// Of what.
        thing: String,
        /// What is missing.
        what: &'static str,
        /// Its number.
        index: usize,
        /// The greatest number.
        last: isize,
    },
    /// A pose is asked of what moves by itself.
    #[error("{thing} moves by itself ({how}), so no pose can be prescribed\nhint: {remedy}")]
    MovesByItself {
        /// What is commanded.
        thing: String,
        /// What moves it.
        how: &'static str,
        /// What to do instead.
        remedy: &'static str,
    },
    /// The target is too far away for the time.
    #[error(
        "{thing}: the target is {distance:.4} m away, which is {speed:.0} m/s within {span:.6} s; at most {TOP_SPEED} m/s are \
         allowed\nhint: give it more time, at least over = {needed:.3} s"
    )]
    TooFast {
        /// What is commanded.
        thing: String,
        /// How far it is, m.
        distance: f64,
        /// How fast that would be, m/s.
        speed: f64,
        /// In which time, s.
        span: f64,
        /// How long it takes at the greatest speed, s.
        needed: f64,
    },
    /// What is asked for does not go with the thing.
    #[error("{thing}: {why}\nhint: {remedy}")]
    Unfit {
        /// What is commanded.
        thing: String,
        /// Why not.
        why: String,
        /// What to do instead.
        remedy: &'static str,
    },
}
