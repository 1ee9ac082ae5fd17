//! Builds sections and materials along a rod.

use super::Builder;
use super::rod::path_length;
use crate::document::{Step, path};
use crate::error::{SceneError, list_names, nearest_name};
use crate::preset;
use crate::spec::{MaterialSpec, RodSpec, SectionSpec};
use glam::DVec3;
use ropewalk_rod::{Material, Section, SectionProperties};

/// Placeholder for sections with given stiffness, which do not use a material.
pub(super) const NO_MATERIAL: Material = Material::from_moduli(1.0, 1.0, 1.0);
impl Builder<'_> {
    /// Section and material of each edge of the rod called `name`.
    pub(super) fn sections(
        &self,
        name: &str,
        spec: &RodSpec,
        nodes: &[DVec3],
        edges: usize,
    ) -> Result<(Vec<Section>, Vec<Material>), SceneError> {
        let preset = spec.preset.map(preset::cable);
        let section = match (&spec.section, &preset) {
            (Some(section), _) => Some(to_section(section)),
            (None, Some(preset)) => Some(preset.section),
            (None, None) => None,
        };
        let material = match (&spec.material, &preset) {
            (Some(material), _) => Some(self.material(&["rod", name, "material"], material)?),
            (None, Some(preset)) => Some(preset.material),
            (None, None) => None,
        };
        let mut sections = vec![section; edges];
        let mut materials = vec![material; edges];
        let length = path_length(nodes, edges == nodes.len());
        for (i, piece) in spec.pieces.iter().enumerate() {
            let at = |key: &str| {
                let mut steps = path(&["rod", name, "pieces"]);
                steps.push(Step::Index(i));
                steps.push(Step::Key(key.into()));
                steps
            };
            if piece.to <= piece.from {
                return Err(self
                    .document
                    .error(&at("to"), "this piece ends before it starts")
                    .expected("from below to, both fractions of the length"));
            }
            let own = match &piece.material {
                None => None,
                Some(m) => Some(self.material_at(&at("material"), m)?),
            };
            let mut s = 0.0;
            for e in 0..edges {
                let h = (nodes[(e + 1) % nodes.len()] - nodes[e]).length();
                let middle = (s + 0.5 * h) / length;
                s += h;
                if (piece.from..piece.to).contains(&middle) {
                    sections[e] = piece.section.as_ref().map(to_section).or(sections[e]);
                    materials[e] = own.or(materials[e]);
                }
            }
        }
        let mut out = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        for (section, material) in sections.into_iter().zip(materials) {
            let Some(section) = section else {
                return Err(self
                    .error(&["rod", name, "section"], "the key `section` is missing")
                    .expected("section = { circle = { radius = … } }, or a preset"));
            };
            let material = match (material, section) {
                (Some(m), _) => m,
                (None, Section::Stiffness { .. }) => NO_MATERIAL,
                (None, _) => {
                    let names = list_names(self.spec.material.keys().map(String::as_str));
                    return Err(self
                        .error(&["rod", name, "material"], "the key `material` is missing")
                        .expected(format!("material = the name of a [material.NAME]; there are: {names}")));
                }
            };
            out.0.push(section);
            out.1.push(material);
        }
        Ok(out)
    }

    fn material(&self, words: &[&str], name: &str) -> Result<Material, SceneError> {
        self.index("material", self.spec.material.keys(), words, name)?;
        self.resolve_material(name, &self.spec.material[name])
    }

    fn material_at(&self, steps: &[Step], name: &str) -> Result<Material, SceneError> {
        match self.spec.material.get(name) {
            Some(spec) => self.resolve_material(name, spec),
            None => {
                let names = || self.spec.material.keys().map(String::as_str);
                Err(self
                    .document
                    .error(steps, &format!("there is no material called \"{name}\""))
                    .expected(format!("one of {}", list_names(names())))
                    .nearest(nearest_name(name, names())))
            }
        }
    }

    fn resolve_material(&self, name: &str, spec: &MaterialSpec) -> Result<Material, SceneError> {
        let preset = spec.preset.map(preset::material);
        let missing = |key: &str| {
            self.error(&["material", name, key], &format!("the key `{key}` is missing"))
                .expected(format!("{key} = …, or a preset"))
        };
        if spec.poisson_ratio.is_some() && spec.shear_modulus.is_some() {
            return Err(self
                .error(&["material", name, "shear_modulus"], "both shear_modulus and poisson_ratio are given")
                .expected("one of them"));
        }
        let yields = |elastic: Material| Material {
            yield_stress: spec.yield_stress.or(preset.and_then(|p| p.yield_stress)),
            hardening_modulus: spec.hardening_modulus.or(preset.map(|p| p.hardening_modulus)).unwrap_or(0.0),
            ..elastic
        };
        if spec.hardening_modulus.is_some() && yields(NO_MATERIAL).yield_stress.is_none() {
            return Err(self
                .error(
                    &["material", name, "hardening_modulus"],
                    "hardening without a yield stress means nothing",
                )
                .expected("yield_stress beside it"));
        }
        let youngs_modulus = spec
            .youngs_modulus
            .or(preset.map(|p| p.youngs_modulus))
            .ok_or_else(|| missing("youngs_modulus"))?;
        let density = spec.density.or(preset.map(|p| p.density)).ok_or_else(|| missing("density"))?;
        if let Some(nu) = spec.poisson_ratio {
            let elastic = Material::from_poisson(youngs_modulus, nu, density);
            return Ok(yields(elastic));
        }
        let preset_shear = preset.map(|p| p.shear_modulus * youngs_modulus / p.youngs_modulus);
        let shear_modulus = spec.shear_modulus.or(preset_shear).ok_or_else(|| missing("poisson_ratio"))?;
        Ok(yields(Material::from_moduli(youngs_modulus, shear_modulus, density)))
    }

    pub(super) fn warn_about_unused_materials(&mut self) {
        for name in self.spec.material.keys() {
            let used = self.spec.rod.values().any(|rod| {
                rod.material.as_ref() == Some(name)
                    || rod.pieces.iter().any(|p| p.material.as_ref() == Some(name))
            });
            if !used {
                self.warnings.push(format!("material `{name}` is not used"));
            }
        }
    }
}

fn to_section(spec: &SectionSpec) -> Section {
    match *spec {
        SectionSpec::Circle(c) => Section::Circle { radius: c.radius },
        SectionSpec::Ellipse(e) => {
            Section::Ellipse { semi_axis_1: e.semi_axis_1, semi_axis_2: e.semi_axis_2 }
        }
        SectionSpec::Rectangle(r) => Section::Rectangle { width: r.width, height: r.height },
        SectionSpec::Tube(t) => Section::Tube { outer_radius: t.outer_radius, inner_radius: t.inner_radius },
        SectionSpec::Stiffness(s) => Section::Stiffness {
            properties: SectionProperties {
                stretch: s.stretch,
                bend: s.bend,
                twist: s.twist,
                line_density: s.line_density,
                spin_inertia: s.spin_inertia.unwrap_or(0.5 * s.line_density * s.radius * s.radius),
            },
            radius: s.radius,
        },
    }
}
