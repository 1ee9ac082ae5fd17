//! Claims on measures from their description.

use super::ClaimKind;
use super::build::Fitter;
use crate::BodyPlace;
use crate::error::SceneError;
use crate::measure_request::MeasureRequest;
use crate::spec::{EqualsSpec, MeasureClaimSpec};

impl Fitter<'_, '_> {
    /// The measure, and what it equals.
    pub(super) fn measure(&self, spec: &MeasureClaimSpec) -> Result<ClaimKind, SceneError> {
        let request = MeasureRequest {
            quantity: spec.quantity.clone(),
            of: spec.of.clone(),
            component: spec.component.clone(),
            at: spec.at.map(|row| row as usize),
            across: spec.across.clone(),
            over: spec.over.clone(),
            from: spec.from.unwrap_or(f64::NEG_INFINITY),
            until: spec.until.unwrap_or(f64::INFINITY),
        };
        let places = self.builder.bodies.iter();
        let bodies: Vec<BodyPlace> =
            places.map(|(name, at)| BodyPlace { name: name.clone(), tree: at.tree, link: at.link }).collect();
        let measure = request.resolve(self.model, &bodies).map_err(|e| {
            let key = ["claim", self.name, "measure", e.key];
            self.builder.error(&key, &e.message).expected(e.expected).nearest(e.nearest)
        })?;
        Ok(ClaimKind::Measure { measure, equals: self.equals(&spec.equals)? })
    }

    fn equals(&self, spec: &EqualsSpec) -> Result<f64, SceneError> {
        let forms = match spec {
            EqualsSpec::Number(number) => return Ok(*number),
            EqualsSpec::Form(forms) => forms,
        };
        let key = ["claim", self.name, "measure", "equals"];
        let mut all = forms.iter();
        let (Some((name, arguments)), None) = (all.next(), all.next()) else {
            let message = "this names no closed form, or several";
            return Err(self
                .builder
                .error(&key, message)
                .expected("a number, or one closed form with its arguments"));
        };
        let arguments = arguments.iter().map(|(name, value)| (name.as_str(), *value));
        ropewalk_theory::named::evaluate(name, arguments).map_err(|e| {
            let words = [&key[..], &[name.as_str()]].concat();
            self.builder
                .error(&words, &e.to_string())
                .hint("docs/measures.md lists closed forms and their arguments")
        })
    }
}
