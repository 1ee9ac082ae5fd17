//! Tuning: numbers that change results and are no physics, each with its unit, nominal value and reason.
//!
//! They are nominal unless a scene sets them (`[tuning]`); `ropewalk check` lists them, and a summary names those that are
//! not nominal. What changes speed alone (how much work is worth a thread, how large boxes are) is a constant where it is
//! used, and the same on every machine.

/// One of the numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TuningParameter {
    /// Its name, as in `[tuning]`.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its value unless set.
    pub nominal: f64,
    /// What values make sense: from, to.
    pub range: [f64; 2],
    /// Its unit, or what it is a fraction of.
    pub unit: &'static str,
    /// What it is for, and why it has this value.
    pub reason: &'static str,
    /// What other values do.
    pub otherwise: &'static str,
}

/// Why a parameter cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TuningError {
    /// There is none of that name.
    #[error("there is no parameter '{0}'")]
    Unknown(String),
    /// Its value makes no sense.
    #[error("'{name}' is {value}, expected a number from {} to {}", range[0], range[1])]
    Range {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What values make sense.
        range: [f64; 2],
    },
}

macro_rules! tuning {
    ($($name:ident = $nominal:expr, [$from:expr, $to:expr], $unit:expr, $reason:expr, $otherwise:expr;)*) => {
        /// Numbers that change results and are no physics; see [`Tuning::parameters`].
        #[derive(Clone, Debug, PartialEq)]
        pub struct Tuning {
            $(#[doc = $reason] pub $name: f64,)*
        }

        impl Default for Tuning {
            fn default() -> Self {
                Self { $($name: $nominal,)* }
            }
        }

        impl Tuning {
            /// All of them, in order of the stages of a step.
            pub fn parameters(&self) -> Vec<TuningParameter> {
                vec![$(TuningParameter {
                    name: stringify!($name),
                    value: self.$name,
                    nominal: $nominal,
                    range: [$from, $to],
                    unit: $unit,
                    reason: $reason,
                    otherwise: $otherwise,
                },)*]
            }

            /// Sets one by its name.
            pub fn set(&mut self, name: &str, value: f64) -> Result<(), TuningError> {
                match name {
                    $(stringify!($name) => {
                        if !($from..=$to).contains(&value) {
                            let range = [$from, $to];
                            return Err(TuningError::Range { name: stringify!($name), value, range });
                        }
                        self.$name = value;
                    })*
                    _ => return Err(TuningError::Unknown(name.to_owned())),
                }
                Ok(())
            }
        }
    };
}

tuning! {
    // collide
    speed_margin = 1.5, [1.0, 100.0], "of the speed now",
        "How much faster something may get within the step: contacts are sought that far ahead.",
        "less finds contacts late, more costs pairs that come to nothing";
    least_reach = 0.1, [0.0, 10.0], "of the radius",
        "How far an edge reaches beyond its skin even at rest.",
        "0 finds a contact only once it is closed";
    // constrain
    lift = 1.5, [1.0, 10.0], "of μ|v_t|δt",
        "With the step of the paper the cone lifts what slides; up to this height it still counts as touching.",
        "1 lets friction come and go";
    anchored_sigma = 0.25 / (core::f64::consts::PI * core::f64::consts::PI), [1e-6, 1.0], "of w",
        "σ of a contact that remembers what it held: a surface gives way along itself about as much as across (Mindlin 1949), and R_n is w/4π².",
        "a thousandth of w takes twice the iterations in a tangle of filaments";
    recovery = 0.1, [0.0, 1.0], "of an overlap, in a step",
        "Share of an overlap at the start that hard contact undoes, down to what may stay: ten steps carry over a hundredth of the energy of one.",
        "with 1 a heavy sphere on a rope triples its energy";
    resting_overlap = 5.0, [1.0, 1e6], "of contact_tolerance",
        "Overlap that stays: half a percent of the thickness. To lift a load out of it would be work that nobody does.",
        "1 lifts a press that has sunk in under a small load while it pushes with a large one; more lets things rest in one another";
    // contact update
    contact_tolerance = 2e-3, [1e-6, 0.5], "of half the thickness",
        "Gap at the end of the step, off what it should be, that is worth an update of contacts. An overlap of less stays as it is; a gap of less counts as touching.",
        "less takes more updates, more lets contacts sink";
    contact_updates = 6.0, [0.0, 100.0], "updates",
        "Of contacts in a step before a shorter one is taken.",
        "fewer halve steps sooner";
    regularization = 0.4, [1e-3, 1.0], "of w/4π²",
        "R_n of hard contact at the first solve of a step: a load that grows sinks by R_n times what it grows by.",
        "1 sinks five times as far under a growing load; 0.05 takes a third more inner iterations in a knot";
    hardening = 0.05, [1e-3, 1.0], "of R_n",
        "R_n falls by this where the violation does not fall: a light rope under a heavy body has an R_n that is too large.",
        "1 never converges there";
    contraction = 0.5, [0.0, 1.0], "of the violation",
        "To which it has to fall in an update, or R_n does.",
        "less hardens what converges";
    least_hardening = 1e-6, [1e-12, 1.0], "of R_n",
        "Below that the condition of the problem suffers more than the gap gains.",
        "less ends in round-off";
    same_contact = 0.5, [-1.0, 1.0], "cosine",
        "A contact whose normal turns by more is another contact.",
        "less follows contacts round corners";
    contact_energy = 1e-3, [1e-9, 1.0], "of kinetic energy and work of contacts",
        "Energy that hard contacts may make in a step before they are updated.",
        "less takes updates for round-off, more lets stiff tangles gain energy";
    leaning_energy = 3e-5, [0.0, 1.0], "of kinetic energy and work of contacts",
        "Energy that hard contacts may make, beyond what the time integration takes, by pushing along the normals of the end of the step; above that they push along the mean of the normals at its start and end.",
        "0 does so in every step that slides round a bend";
    resting_speed = 0.01, [0.0, 1.0], "of half the thickness, in a step",
        "At which contacts at rest may part without counting as energy.",
        "0 updates contacts at rest for round-off";
    diverging_update = 4.0, [1.0, 1e6], "of the least violation so far",
        "At which the contact update is given up for a shorter step.",
        "nearer to 1 gives up what would converge";
    // check
    passing_core = 0.1, [0.0, 1.0], "of the distance of axes that just touch",
        "Nearer than that centerlines count as passing through one another: skins overlap a little, axes do not.",
        "0 lets thin rods through";
    too_near = 0.5, [0.0, 1.0], "of the distance of axes that just touch",
        "To which two that were farther apart may not come in one step: the contact between them was not seen.",
        "less pushes apart violently what has sunk";
    accepted_violation = 5.0, [1.0, 1e9], "of what is worth an update",
        "Violation of contacts, in gap or energy, above which a step is taken in halves.",
        "less halves more steps";
    largest_turn = 1.0, [0.01, 100.0], "rad",
        "By which the surface of a side may turn in a step while a contact pushes it: its rows are linear in the rotation.",
        "more finds motions with spurious spin";
    shortest_for_violation = 0.01, [0.0, 1.0], "of a whole step",
        "Steps shorter than this are not made shorter for a violation.",
        "0 follows some contacts down to the shortest step";
    // solve/newton
    newton_sufficient = 1e-4, [0.0, 0.5], "of the promised decrease",
        "Armijo's condition: the fraction of the decrease that the slope promises which makes a trial acceptable.",
        "above 0.5 full steps near the solution are refused";
    newton_clear_fall = 0.7, [0.0, 1.0], "of the residual",
        "A residual that falls to this fraction is progress, whatever the potential: forces are not exactly its gradient.",
        "nearer to 1 stalls are taken for progress; 0 leaves the potential alone to tell, which fails near the solution";
    newton_halvings = 40.0, [1.0, 100.0], "halvings",
        "Halvings of a direction before it is given up: 2^-40 is below the last digits of velocities.",
        "fewer give up steep starts";
    newton_slack = 1e-12, [0.0, 1e-3], "of potential and impulse²",
        "Change of the potential that is round-off.",
        "0 refuses steps for the last digit; more lets the potential rise";
    newton_round_off = 100.0, [1.0, 1e6], "of the estimate of round-off",
        "A solve without progress has converged within this: the estimate counts one operation, an evaluation has dozens.",
        "less ends stiff rods far from the origin as not converged";
    newton_settled = 1e-2, [0.0, 1.0], "of the tolerance",
        "Rods with less of the residual keep their tangent: what is hardest for one ring of a chain is not done for all.",
        "0 linearizes all in every iteration";
    friction_corrections = 2.0, [0.0, 10.0], "times",
        "How often friction in patches is brought to the normal force that has been found.",
        "0 leaves it with the force of the last step";
    settling_iterations = 10.0, [0.0, 100.0], "iterations",
        "In which a tree comes to balance to round-off with the impulses found: each gains a digit or two.",
        "0 leaves momentum off by the tolerance";
    tree_tolerance = 1e-13, [1e-16, 1e-3], "of the impulses at work",
        "Trees alone are solved to this: it costs microseconds and keeps momentum.",
        "more drifts over many steps";
    stalled_tree_tolerance = 1e-9, [1e-16, 1e-3], "of the impulses at work",
        "What passes for a tree where no more progress is made.",
        "less halves steps for round-off";
    // solve/coupling
    inner_iterations = 10.0, [1.0, 1000.0], "iterations",
        "Of the convex problem before it is linearized anew: more are spent on a tangent that has aged.",
        "fewer linearize more often, as many in all";
    inner_tolerance = 1e-10, [1e-15, 1e-3], "of the impulses at work",
        "How closely the convex problem is solved, at least: Newton's method converges quadratically, so it costs nothing.",
        "what is left is motion that does not end: at 1e-8 a chain of rings at rest turns by 1e-6 rad/s";
    inner_line_search = 0.1, [1e-6, 0.9], "of the slope",
        "How closely lines are searched: the cost is within a hundredth of the least along the line.",
        "with 1e-3 as many iterations, and half as many evaluations more";
    friction_error = 0.05, [0.0, 1.0], "of all friction in patches",
        "By which it may miss μ times the normal force before it is corrected.",
        "less corrects in most steps of sliding patches";
    // solve/tangent_cache
    cached_tangent_near = 1e-4, [0.0, 0.1], "of the shortest edge; rad",
        "How far nodes may be from the shape whose tangent serves: the tangent is then off by about as much.",
        "0 makes every tangent anew; more costs iterations";
    cached_tangent_serves = 16.0, [1.0, 1e6], "steps",
        "For how many a shape has to serve at the present velocities to be kept.",
        "fewer keep shapes that are of no use";
    // solve/active_set
    active_set_passes = 3.0, [1.0, 100.0], "passes",
        "How often rods may join what is solved together before all do.",
        "more solve again for one contact at a time";
    // substeps
    guard_halvings = 10.0, [0.0, 40.0], "halvings",
        "Of a step to keep things from passing through one another: a thousandth of a step shows any contact in time.",
        "fewer give up sooner";
    halvings_before_passing = 4.0, [0.0, 40.0], "halvings",
        "Before a sub-step may pass through folds that are refused otherwise: shorter steps do not avoid them.",
        "more spend time before a fold";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_has_a_range_and_can_be_set_by_name() {
        let mut tuning = Tuning::default();
        for p in tuning.parameters() {
            assert!(p.range[0] <= p.nominal && p.nominal <= p.range[1], "{}", p.name);
            assert!(!p.unit.is_empty() && !p.reason.is_empty() && !p.otherwise.is_empty(), "{}", p.name);
            assert!(tuning.set(p.name, p.range[0]).is_ok() && tuning.set(p.name, f64::NAN).is_err());
        }
        assert!(tuning.parameters().iter().all(|p| p.value == p.range[0]));
        assert_eq!(tuning.set("no_such", 1.0), Err(TuningError::Unknown("no_such".into())));
    }
}
