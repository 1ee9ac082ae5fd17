//! Builds claims from their description, and checks names.

use super::model_value::ModelValues;
use super::{Bound, Claim, ClaimKind, Comparison};
use crate::BodyPlace;
use crate::build::Builder;
use crate::error::SceneError;
use crate::measure_request::MeasureRequest;
use crate::spec::{ArgumentSpec, ClaimSpec, MeasureSpec, ReferenceSpec};
use ropewalk_sim::{Measure, Model, Scheme};

/// Relative tolerance for energy above initial energy plus work.
const ENERGY_TOLERANCE: f64 = 1e-6;

impl Claim {
    /// The claims of a scene, and the one that every scene makes under backward Euler and BDF2: energy within work.
    pub(crate) fn from_spec(builder: &Builder<'_>, model: &Model) -> Result<Vec<Self>, SceneError> {
        let places = builder.bodies.iter();
        let bodies: Vec<BodyPlace> =
            places.map(|(name, at)| BodyPlace { name: name.clone(), tree: at.tree, link: at.link }).collect();
        let mut claims = Vec::new();
        for (name, spec) in &builder.spec.claim {
            claims.push((Fitter { builder, model, bodies: &bodies, name }).fit(spec)?);
        }
        if [Scheme::BACKWARD_EULER, Scheme::BDF2].contains(&model.settings.scheme) {
            claims.push(Self {
                name: "energy_within_work".into(),
                kind: ClaimKind::Energy,
                tolerance: ENERGY_TOLERANCE,
            });
        }
        Ok(claims)
    }
}

struct Fitter<'a, 'b> {
    builder: &'a Builder<'b>,
    model: &'a Model,
    bodies: &'a [BodyPlace],
    name: &'a str,
}

impl Fitter<'_, '_> {
    fn fit(&self, spec: &ClaimSpec) -> Result<Claim, SceneError> {
        let measure = self.measure("measure", &spec.measure)?;
        let relative_to = spec.relative_to.as_ref().map(|m| self.measure("relative_to", m)).transpose()?;
        let bounds = [
            ("equals", Bound::Equals, &spec.equals),
            ("at_least", Bound::AtLeast, &spec.at_least),
            ("at_most", Bound::AtMost, &spec.at_most),
        ];
        let mut given = bounds.iter().filter_map(|(key, bound, spec)| Some((key, *bound, spec.as_ref()?)));
        let (Some((key, bound, reference)), None) = (given.next(), given.next()) else {
            let message = "a claim compares its measure with one thing";
            let key = ["claim", self.name];
            return Err(self.builder.error(&key, message).expected("one of equals, at_least and at_most"));
        };
        let reference = self.reference(key, reference)?;
        let scale = match &spec.scale {
            Some(scale) => self.argument(&["scale"], scale)?,
            None if reference == 0.0 => 1.0,
            None => reference.abs(),
        };
        if !(scale > 0.0 && scale.is_finite()) {
            let key = ["claim", self.name, "scale"];
            return Err(self
                .builder
                .error(&key, "an error cannot be relative to this")
                .expected("a number above 0"));
        }
        let tolerance = match (spec.tolerance, bound) {
            (Some(tolerance), _) => tolerance,
            (None, Bound::AtLeast | Bound::AtMost) => 0.0,
            (None, Bound::Equals) => {
                let message = "a claim that something equals has a tolerance";
                let key = ["claim", self.name];
                return Err(self.builder.error(&key, message).expected("tolerance = …: greatest error"));
            }
        };
        let kind = ClaimKind::Measure(Box::new(Comparison { measure, relative_to, bound, reference, scale }));
        Ok(Claim { name: self.name.to_owned(), kind, tolerance })
    }

    fn measure(&self, key: &str, spec: &MeasureSpec) -> Result<Measure, SceneError> {
        let request = MeasureRequest {
            quantity: spec.quantity.clone(),
            of: spec.of.clone(),
            about: spec.about.clone(),
            between: spec.between,
            and_between: spec.and_between,
            ends: spec.ends,
            component: spec.component.clone(),
            at: spec.at.map(|row| row as usize),
            across: spec.across.clone(),
            over: spec.over.clone(),
            from: spec.from.unwrap_or(f64::NEG_INFINITY),
            until: spec.until.unwrap_or(f64::INFINITY),
        };
        request.resolve(self.model, self.bodies).map_err(|e| {
            let key = ["claim", self.name, key, e.key];
            self.builder.error(&key, &e.message).expected(e.expected).nearest(e.nearest)
        })
    }

    fn reference(&self, key: &str, spec: &ReferenceSpec) -> Result<f64, SceneError> {
        let forms = match spec {
            ReferenceSpec::Number(number) => return Ok(*number),
            ReferenceSpec::Value(text) => return self.value(&[key], text),
            ReferenceSpec::Form(forms) => forms,
        };
        let mut all = forms.iter();
        let (Some((name, arguments)), None) = (all.next(), all.next()) else {
            let message = "this names no closed form, or several";
            let key = ["claim", self.name, key];
            let expected = "a number, a value of the model, or one closed form with its arguments";
            return Err(self.builder.error(&key, message).expected(expected));
        };
        let mut values = Vec::with_capacity(arguments.len());
        for (argument, spec) in arguments {
            values.push((argument.as_str(), self.argument(&[key, name.as_str(), argument.as_str()], spec)?));
        }
        ropewalk_theory::named::evaluate(name, values).map_err(|e| {
            let words = ["claim", self.name, key, name.as_str()];
            let error = self.builder.error(&words, &e.to_string());
            error.hint("docs/measures.md lists closed forms and their arguments")
        })
    }

    fn argument(&self, key: &[&str], spec: &ArgumentSpec) -> Result<f64, SceneError> {
        match spec {
            ArgumentSpec::Number(number) => Ok(*number),
            ArgumentSpec::Value(text) => self.value(key, text),
        }
    }

    fn value(&self, key: &[&str], text: &str) -> Result<f64, SceneError> {
        let values = ModelValues { model: self.model, bodies: self.bodies };
        values.find(text).map_err(|e| {
            let words = [&["claim", self.name][..], key].concat();
            self.builder.error(&words, &e.message).expected(e.expected).nearest(e.nearest)
        })
    }
}
