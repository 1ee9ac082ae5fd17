//! What a kind of constraint is, and the list of them.
//!
//! A kind is a file with a type: which rows its constraints have, what law, and what is observed from their impulses. A
//! new one is a new file and a line in the list of `mod.rs`.

use super::jacobian::{ConstraintJacobian, StartKinematics};
use super::{AnyConstraint, Linearization};
use crate::model::Model;
use crate::step::SubStep;
use crate::workspace::Sensed;
use ropewalk_contact::Law;
use ropewalk_contact::law::{ParameterError, Rows};

/// A constraint of the step.
pub(crate) trait Constraint: Copy {
    /// How many rows it has: one or three.
    const ROWS: usize;

    /// Adds the rows of all constraints of this kind.
    fn add(assembly: &mut Assembly<'_>);

    /// Its law, with the effective inverse mass `weight` of its rows in a step of `dt` (s). Springs are as stiff as the
    /// near-rigid bound allows: some thousand times as stiff as what they hold.
    fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError>;

    /// Adds what is observed from its impulse (N·s or N·m·s). Returns the work that comes from outside, J.
    fn observe(&self, impulse: Rows, at: &Observation<'_>, out: &mut Observed<'_>) -> f64;
}

/// What a constraint is observed with.
pub(crate) struct Observation<'a> {
    pub(crate) model: &'a Model,
    pub(crate) start: &'a StartKinematics<'a>,
    /// Number of the constraint; those of contacts are the numbers of the contacts.
    pub(crate) number: usize,
    pub(crate) contacts: &'a [Linearization],
    pub(crate) step: SubStep,
}

impl<'a> Observation<'a> {
    /// Where attachments have their rows: at the start of the step, or, with BDF2, at its end.
    pub(crate) fn place_of_attachments(&self) -> StartKinematics<'a> {
        if self.step.bdf2 { self.start.at_end(self.step.weights.dt) } else { *self.start }
    }
}

/// What is observed.
pub(crate) struct Observed<'a> {
    pub(crate) sensed: &'a mut Sensed,
    /// Effort of each actuator, N or N·m.
    pub(crate) efforts: &'a mut [f64],
}

/// The constraints of a step under construction.
pub(crate) struct Assembly<'a> {
    pub(crate) model: &'a Model,
    pub(crate) start: StartKinematics<'a>,
    pub(crate) step: SubStep,
    pub(crate) rows: &'a mut ConstraintJacobian,
    pub(crate) constraints: &'a mut Vec<AnyConstraint>,
    pub(crate) contacts: super::contact::Found<'a>,
}

impl<'a> Assembly<'a> {
    /// Where attachments have their rows.
    pub(crate) fn place_of_attachments(&self) -> StartKinematics<'a> {
        if self.step.bdf2 { self.start.at_end(self.step.weights.dt) } else { self.start }
    }

    /// Ends a constraint whose rows have been added.
    pub(crate) fn finish(&mut self, constraint: impl Into<AnyConstraint>) {
        self.rows.finish(&self.start);
        self.constraints.push(constraint.into());
    }
}

/// Makes a list of kinds, each with its file, to the type of all of them.
macro_rules! kinds {
    ($($(#[$when:meta])? $file:ident::$kind:ident;)*) => {
        /// A constraint of any kind.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum AnyConstraint {
            $($(#[$when])? $kind($file::$kind),)*
        }

        $($(#[$when])?
        impl From<$file::$kind> for AnyConstraint {
            fn from(constraint: $file::$kind) -> Self {
                Self::$kind(constraint)
            }
        })*

        impl AnyConstraint {
            /// Adds the constraints of all kinds.
            pub(crate) fn add_all(assembly: &mut Assembly<'_>) {
                $($(#[$when])? $file::$kind::add(assembly);)*
            }

            /// See [`Constraint::ROWS`].
            pub(crate) fn row_count(&self) -> usize {
                match self {
                    $($(#[$when])? Self::$kind(_) => <$file::$kind as Constraint>::ROWS,)*
                }
            }

            /// See [`Constraint::law`].
            pub(crate) fn law(&self, weight: f64, dt: f64) -> Result<Law, ParameterError> {
                match self {
                    $($(#[$when])? Self::$kind(constraint) => constraint.law(weight, dt),)*
                }
            }

            /// See [`Constraint::observe`].
            pub(crate) fn observe(&self, impulse: Rows, at: &Observation<'_>, out: &mut Observed<'_>) -> f64 {
                match self {
                    $($(#[$when])? Self::$kind(constraint) => constraint.observe(impulse, at, out),)*
                }
            }
        }
    };
}
pub(super) use kinds;
