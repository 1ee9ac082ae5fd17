//! Closed forms by name, as scene files refer to them: `equals = { capstan_ratio = { friction = 0.2, angle = 3.14 } }`.

use crate::kirchhoff::{HangingHelix, cantilever_tip};
use crate::press::SoftPress;
use crate::{cable, elastica, pendulum, stability, torsion, vibration};

/// A closed form with a name.
#[derive(Clone, Copy, Debug)]
pub struct ClosedForm {
    /// Its name.
    pub name: &'static str,
    /// Names of its arguments, with their units.
    pub arguments: &'static [(&'static str, &'static str)],
    /// What it gives, and in which unit.
    pub gives: &'static str,
    value: fn(&[f64]) -> Option<f64>,
}

/// Why a closed form gives no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// There is none of this name.
    #[error("there is no closed form of this name; there are: {known}")]
    Unknown {
        /// All names.
        known: String,
    },
    /// An argument is missing.
    #[error("the argument `{name}` is missing, in {unit}")]
    Missing {
        /// Its name.
        name: &'static str,
        /// Its unit.
        unit: &'static str,
    },
    /// An argument is not one of it.
    #[error("there is no argument `{name}`; there are: {known}")]
    Extra {
        /// Its name.
        name: String,
        /// All names.
        known: String,
    },
    /// There is no solution for these numbers.
    #[error("there is no finite value for these arguments")]
    NoValue,
}

macro_rules! form {
    ($name:literal, $gives:literal, [$(($argument:ident, $unit:literal)),*], $value:expr) => {
        ClosedForm {
            name: $name,
            arguments: &[$((stringify!($argument), $unit)),*],
            gives: $gives,
            value: |arguments| match *arguments {
                [$($argument),*] => $value,
                _ => None,
            },
        }
    };
}

/// All closed forms.
pub const FORMS: &[ClosedForm] = &[
    form!("capstan_ratio", "ratio of the pulls, thin rope", [(friction, "1"), (angle, "rad")], {
        Some(cable::capstan_ratio(friction, angle))
    }),
    form!(
        "capstan_skin_ratio",
        "ratio of the pulls, friction at the skin of the rope",
        [(friction, "1"), (angle, "rad"), (radius, "m"), (post, "m")],
        Some((cable::capstan_exponent(friction, radius, post) * angle).exp())
    ),
    form!(
        "catenary_tension",
        "horizontal tension in N",
        [(span, "m"), (length, "m"), (height, "m"), (weight, "N/m")],
        cable::catenary_parameter(span, length, height).map(|a| weight * a)
    ),
    form!("catenary_sag", "sag in m between level points", [(span, "m"), (length, "m")], {
        cable::catenary_sag(span, length)
    }),
    form!("column_load", "critical load in N of a clamped column", [(bend, "N·m²"), (length, "m")], {
        Some(elastica::clamped_column_load(bend, length))
    }),
    form!(
        "column_deflection",
        "lateral deflection in m of the tip of a clamped column",
        [(load, "N"), (length, "m"), (bend, "N·m²")],
        Some(elastica::column_deflection(load, length, bend))
    ),
    form!(
        "greatest_height",
        "height in m at which a column buckles by its weight",
        [(bend, "N·m²"), (weight, "N/m")],
        { Some(stability::greatest_height(bend, weight)) }
    ),
    form!(
        "michell_twist",
        "twist in rad at which a ring leaves its plane",
        [(bend, "N·m²"), (twist, "N·m²")],
        { Some(stability::michell_twist(bend, twist)) }
    ),
    form!(
        "cantilever_frequency",
        "first frequency in Hz of a cantilever",
        [(bend, "N·m²"), (line_density, "kg/m"), (length, "m")],
        Some(vibration::cantilever_frequency(bend, line_density, length))
    ),
    form!("pendulum_period", "period in s of small swings", [(length, "m"), (gravity, "m/s²")], {
        Some(vibration::pendulum_period(length, gravity))
    }),
    form!("shaft_torque", "torque in N·m", [(twist, "N·m²"), (angle, "rad"), (length, "m")], {
        Some(torsion::shaft_torque(twist, angle, length))
    }),
    form!("weight", "weight in N", [(mass, "kg"), (gravity, "m/s²")], Some(mass * gravity)),
    form!(
        "capstan_skin_pull",
        "pull in N at the end that is dragged, friction at the skin of the rope",
        [(friction, "1"), (angle, "rad"), (radius, "m"), (post, "m"), (pull, "N")],
        Some(pull * (cable::capstan_exponent(friction, radius, post) * angle).exp())
    ),
    form!("loose_knot_pull", "pull in N of a loose overhand knot", [(bend, "N·m²"), (shortening, "m")], {
        Some(cable::loose_knot_pull(bend, shortening))
    }),
    form!(
        "slipping_belt_lever",
        "lever arm in m of the force of a belt that slips over half a turn of a pulley",
        [(friction, "1"), (radius, "m"), (pulley, "m")],
        Some(cable::slipping_belt_lever(friction, radius, pulley))
    ),
    form!(
        "winch_torque",
        "torque in N·m that holds a load on a rope which hangs down by `height`",
        [(load, "N"), (line_weight, "N/m"), (height, "m"), (drum, "m"), (rope, "m")],
        Some((load + line_weight * height) * (drum + rope))
    ),
    form!("wound_radius", "radius in m of the centerline of a rope on a drum", [(drum, "m"), (rope, "m")], {
        Some(drum + rope)
    }),
    form!("circle_curvature", "curvature in 1/m of a closed loop at rest", [(length, "m")], {
        Some(core::f64::consts::TAU / length)
    }),
    form!("arc_reach", "reach in m of an arc of this curvature", [(curvature, "1/m"), (length, "m")], {
        Some((curvature * length).sin() / curvature)
    }),
    form!("arc_height", "height in m of an arc of this curvature", [(curvature, "1/m"), (length, "m")], {
        Some((1.0 - (curvature * length).cos()) / curvature)
    }),
    form!(
        "cantilever_reach",
        "reach in m of the tip of a level cantilever under its weight",
        [(bend, "N·m²"), (stretch, "N"), (weight, "N/m"), (length, "m")],
        cantilever_tip(bend, stretch, weight, length).map(|[reach, _]| reach)
    ),
    form!(
        "cantilever_height",
        "height in m of that tip, negative",
        [(bend, "N·m²"), (stretch, "N"), (weight, "N/m"), (length, "m")],
        cantilever_tip(bend, stretch, weight, length).map(|[_, height]| height)
    ),
    form!(
        "hanging_helix_height",
        "height in m of the free end of a helical spring that hangs under its weight, negative",
        [
            (radius, "m"),
            (pitch, "m"),
            (turns, "1"),
            (stretch, "N"),
            (bend, "N·m²"),
            (twist, "N·m²"),
            (weight, "N/m")
        ],
        HangingHelix { radius, pitch, turns, stretch, bend, twist, weight }.tip_height()
    ),
    form!(
        "two_bars_slow_period",
        "period in s of two equal bars that hang from one another and swing to the same side",
        [(length, "m"), (width, "m"), (gravity, "m/s²")],
        Some(pendulum::two_bars_periods(length, width, gravity)[0])
    ),
    form!(
        "two_bars_fast_period",
        "the same against one another",
        [(length, "m"), (width, "m"), (gravity, "m/s²")],
        Some(pendulum::two_bars_periods(length, width, gravity)[1])
    ),
    form!(
        "loaded_rope_period",
        "period in s of a load that swings on a rope",
        [(gravity, "m/s²"), (length, "m"), (rope, "kg"), (load, "kg"), (angle, "rad")],
        Some(pendulum::loaded_rope_period(gravity, length, rope, load, angle))
    ),
    form!(
        "swing_pull",
        "greatest pull in N of a rope at a load that is let go at an angle",
        [(gravity, "m/s²"), (rope, "kg"), (load, "kg"), (angle, "rad")],
        Some(pendulum::swing_pull(gravity, rope, load, angle))
    ),
    form!(
        "soft_squeeze_force",
        "force in N on a round rod between a soft face and a rigid wall",
        [(squeeze, "m"), (gradient, "Pa/m"), (modulus, "Pa"), (radius, "m"), (length, "m")],
        Some(SoftPress { gradient, modulus, radius }.squeezed(squeeze) * length)
    ),
    form!(
        "soft_press_force",
        "force in N of a soft face on a round rod",
        [(depth, "m"), (gradient, "Pa/m"), (modulus, "Pa"), (radius, "m"), (length, "m")],
        Some(SoftPress { gradient, modulus, radius }.per_length(depth).0 * length)
    ),
];

/// The value of the closed form called `name`.
pub fn evaluate<'a>(
    name: &str,
    arguments: impl IntoIterator<Item = (&'a str, f64)>,
) -> Result<f64, FormError> {
    let Some(form) = FORMS.iter().find(|form| form.name == name) else {
        let known = FORMS.iter().map(|form| form.name).collect::<Vec<_>>().join(", ");
        return Err(FormError::Unknown { known });
    };
    let mut values = vec![None; form.arguments.len()];
    for (name, value) in arguments {
        let Some(at) = form.arguments.iter().position(|(known, _)| *known == name) else {
            let known = form.arguments.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return Err(FormError::Extra { name: name.to_owned(), known });
        };
        values[at] = Some(value);
    }
    let found: Result<Vec<f64>, FormError> = values
        .into_iter()
        .zip(form.arguments)
        .map(|(value, &(name, unit))| value.ok_or(FormError::Missing { name, unit }))
        .collect();
    (form.value)(&found?).filter(|x| x.is_finite()).ok_or(FormError::NoValue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_found_by_name_and_its_arguments_in_any_order() {
        let value = evaluate("capstan_ratio", [("angle", 2.0), ("friction", 0.5)]);
        assert_eq!(value, Ok(1.0_f64.exp()));
    }

    #[test]
    fn mistakes_are_named() {
        let words = |result: Result<f64, FormError>| result.unwrap_err().to_string();
        assert!(words(evaluate("capstan", [])).contains("capstan_ratio"));
        assert!(words(evaluate("capstan_ratio", [("angle", 1.0)])).contains("`friction` is missing"));
        assert!(words(evaluate("capstan_ratio", [("mu", 1.0)])).contains("friction, angle"));
        assert_eq!(evaluate("catenary_sag", [("span", 1.0), ("length", 0.5)]), Err(FormError::NoValue));
    }

    #[test]
    fn names_are_unique_and_every_form_gives_a_number() {
        for (i, form) in FORMS.iter().enumerate() {
            assert!(FORMS[..i].iter().all(|other| other.name != form.name), "{}", form.name);
            // Larger numbers later: lengths are longer than spans.
            let arguments = form
                .arguments
                .iter()
                .enumerate()
                .map(|(k, (name, _))| (*name, [1.0, 1.5, 0.5, 2.0, 1.0, 1.0, 0.1][k]));
            assert!(evaluate(form.name, arguments).is_ok(), "{}", form.name);
        }
    }
}
