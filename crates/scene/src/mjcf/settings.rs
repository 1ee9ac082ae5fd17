//! `<compiler>` and default classes, which complete the attributes of every element.

use super::element::{Element, Files};
use crate::error::{SceneError, list_names, nearest_name};
use core::f64::consts::PI;
use glam::{DMat3, DQuat, DVec3};
use ropewalk_linalg::Pose;
use std::collections::BTreeMap;

/// Largest number that counts as finite: products of several stay in range.
const LARGEST: f64 = 1e18;

/// Attributes that a class gives to elements of a tag.
type Attributes = BTreeMap<String, String>;

/// Compiler settings and default classes of a model.
pub(super) struct Settings {
    pub(super) files: Files,
    /// Attributes by class and tag, including those inherited from enclosing classes.
    classes: BTreeMap<String, BTreeMap<String, Attributes>>,
    degrees: bool,
    euler: String,
    pub(super) autolimits: bool,
    pub(super) inertia_from_geom: FromGeom,
    pub(super) mesh_folder: String,
    pub(super) strip_path: bool,
    pub(super) bound_mass: f64,
    pub(super) bound_inertia: f64,
    pub(super) balance_inertia: bool,
    pub(super) total_mass: f64,
    pub(super) inertia_groups: [f64; 2],
    /// Ignored elements.
    pub(super) dropped: Vec<String>,
}

/// When masses come from shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromGeom {
    /// Where no `<inertial>` is given.
    Auto,
    Always,
    Never,
}

/// The name of the outermost class.
const MAIN: &str = "main";

/// An element with its class.
#[derive(Clone, Copy)]
pub(super) struct Classed<'e> {
    pub(super) element: &'e Element,
    class: &'e str,
}

impl Settings {
    /// From the `<compiler>` and `<default>` elements of a model.
    pub(super) fn new(files: Files, model: &Element) -> Result<Self, SceneError> {
        let mut out = Self {
            files,
            classes: BTreeMap::from([(MAIN.to_owned(), BTreeMap::new())]),
            degrees: true,
            euler: "xyz".to_owned(),
            autolimits: true,
            inertia_from_geom: FromGeom::Auto,
            mesh_folder: String::new(),
            strip_path: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance_inertia: false,
            total_mass: -1.0,
            inertia_groups: [0.0, 5.0],
            dropped: Vec::new(),
        };
        for compiler in model.all("compiler") {
            out.compiler(compiler)?;
        }
        for element in model.all("default") {
            out.class(element, None)?;
        }
        Ok(out)
    }

    /// Reads a `<compiler>`; of several, each changes what it names.
    fn compiler(&mut self, element: &Element) -> Result<(), SceneError> {
        let bare = Classed { element, class: MAIN };
        let angle = if self.degrees { "degree" } else { "radian" };
        self.degrees = self.word(bare, "angle", &["degree", "radian"], angle)? == "degree";
        if self.word(bare, "coordinate", &["local", "global"], "local")? == "global" {
            return Err(self.files.error_in(element, "coordinate", "global coordinates are not read"));
        }
        if let Some(order) = element.own("eulerseq") {
            if order.len() != 3 || !order.chars().all(|c| "xyzXYZ".contains(c)) {
                let error =
                    self.files.error_in(element, "eulerseq", format!("{order:?} is no order of axes"));
                return Err(error.expected("three of x, y, z, X, Y, Z"));
            }
            order.clone_into(&mut self.euler);
        }
        self.autolimits = self.flag(bare, "autolimits", self.autolimits)?;
        self.strip_path = self.flag(bare, "strippath", self.strip_path)?;
        self.balance_inertia = self.flag(bare, "balanceinertia", self.balance_inertia)?;
        if element.own("inertiafromgeom").is_some() {
            let word = self.word(bare, "inertiafromgeom", &["true", "false", "auto"], "auto")?;
            self.inertia_from_geom = match word.as_str() {
                "true" => FromGeom::Always,
                "false" => FromGeom::Never,
                _ => FromGeom::Auto,
            };
        }
        if let Some(folder) = element.own("meshdir").or(element.own("assetdir")) {
            folder.clone_into(&mut self.mesh_folder);
        }
        self.bound_mass = self.number(bare, "boundmass", self.bound_mass)?;
        self.bound_inertia = self.number(bare, "boundinertia", self.bound_inertia)?;
        self.total_mass = self.number(bare, "settotalmass", self.total_mass)?;
        self.inertia_groups = self.numbers(bare, "inertiagrouprange")?.unwrap_or(self.inertia_groups);
        Ok(())
    }

    /// Reads a class and the classes inside it, which inherit its attributes.
    fn class(&mut self, element: &Element, outer: Option<&str>) -> Result<(), SceneError> {
        let name = match (element.own("class"), outer) {
            (Some(name), _) => name,
            (None, None) => MAIN,
            (None, Some(_)) => {
                return Err(self.files.error(element, "an inner class has no name").hint("add class=\"…\""));
            }
        };
        let mut tags = self.classes.get(outer.unwrap_or(MAIN)).cloned().unwrap_or_default();
        for child in element.children.iter().filter(|c| c.tag != "default") {
            let own = tags.entry(child.tag.clone()).or_default();
            for attribute in child.attribute_names() {
                let value = child.own(attribute).unwrap_or_default();
                own.insert(attribute.to_owned(), value.to_owned());
            }
        }
        self.classes.insert(name.to_owned(), tags);
        for child in element.all("default") {
            self.class(child, Some(name))?;
        }
        Ok(())
    }

    /// `element` with its class, or that of the bodies around it.
    pub(super) fn classed<'e>(
        &self,
        element: &'e Element,
        around: Option<&'e str>,
    ) -> Result<Classed<'e>, SceneError> {
        let class = element.own("class").or(around).unwrap_or(MAIN);
        if !self.classes.contains_key(class) {
            let names = || self.classes.keys().map(String::as_str);
            return Err(self
                .files
                .error_in(element, "class", format!("there is no default class {class:?}"))
                .expected(format!("one of {}", list_names(names())))
                .nearest(nearest_name(class, names())));
        }
        Ok(Classed { element, class })
    }

    /// The value of an attribute: its own, or its class's.
    pub(super) fn get<'s>(&'s self, of: Classed<'s>, name: &str) -> Option<&'s str> {
        let class = || self.classes.get(of.class)?.get(&of.element.tag)?.get(name).map(String::as_str);
        of.element.own(name).or_else(class)
    }

    /// One of `words`.
    pub(super) fn word(
        &self,
        of: Classed<'_>,
        name: &str,
        words: &[&str],
        default: &str,
    ) -> Result<String, SceneError> {
        let found = self.get(of, name).unwrap_or(default);
        if words.contains(&found) {
            return Ok(found.to_owned());
        }
        Err(self
            .files
            .error_in(of.element, name, format!("`{name}` is {found:?}"))
            .expected(format!("one of {}", list_names(words.iter().copied())))
            .nearest(nearest_name(found, words.iter().copied())))
    }

    pub(super) fn flag(&self, of: Classed<'_>, name: &str, default: bool) -> Result<bool, SceneError> {
        let default = if default { "true" } else { "false" };
        Ok(self.word(of, name, &["true", "false"], default)? == "true")
    }

    /// All numbers of an attribute, of which there may be any number.
    pub(super) fn list(&self, of: Classed<'_>, name: &str) -> Result<Option<Vec<f64>>, SceneError> {
        let Some(text) = self.get(of, name) else { return Ok(None) };
        let numbers = text.split_whitespace().map(|word| match word.parse::<f64>() {
            Ok(x) if x.abs() <= LARGEST || (x.is_infinite() && name.ends_with("range")) => Ok(x),
            _ => Err(self
                .files
                .error_in(of.element, name, format!("`{name}` has {word:?}"))
                .expected("finite numbers, at most 1e18 in size, separated by spaces")),
        });
        numbers.collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// Exactly N numbers, if the attribute is there.
    pub(super) fn numbers<const N: usize>(
        &self,
        of: Classed<'_>,
        name: &str,
    ) -> Result<Option<[f64; N]>, SceneError> {
        let Some(list) = self.list(of, name)? else { return Ok(None) };
        let count = list.len();
        <[f64; N]>::try_from(list).map(Some).map_err(|_| {
            self.files
                .error_in(of.element, name, format!("`{name}` has {count} numbers"))
                .expected(format!("{N}, separated by spaces"))
        })
    }

    pub(super) fn number(&self, of: Classed<'_>, name: &str, default: f64) -> Result<f64, SceneError> {
        Ok(self.numbers::<1>(of, name)?.map_or(default, |[x]| x))
    }

    /// A number that must not be negative.
    pub(super) fn positive(&self, of: Classed<'_>, name: &str, default: f64) -> Result<f64, SceneError> {
        let x = self.number(of, name, default)?;
        if x >= 0.0 {
            return Ok(x);
        }
        Err(self
            .files
            .error_in(of.element, name, format!("`{name}` is {x}"))
            .expected("zero or a positive number"))
    }

    pub(super) fn vector(&self, of: Classed<'_>, name: &str, default: DVec3) -> Result<DVec3, SceneError> {
        Ok(self.numbers::<3>(of, name)?.map_or(default, DVec3::from_array))
    }

    /// An angle as the model writes it, in rad.
    pub(super) fn angle(&self, x: f64) -> f64 {
        if self.degrees { x * PI / 180.0 } else { x }
    }

    /// Position and orientation: `pos`, and one of `quat`, `axisangle`, `xyaxes`, `zaxis`, `euler`.
    pub(super) fn pose(&self, of: Classed<'_>) -> Result<Pose, SceneError> {
        Ok(Pose::new(self.vector(of, "pos", DVec3::ZERO)?, self.orientation(of)?.unwrap_or(DQuat::IDENTITY)))
    }

    /// The orientation, if the element has one. One of the element itself hides those of its class.
    pub(super) fn orientation(&self, of: Classed<'_>) -> Result<Option<DQuat>, SceneError> {
        const WAYS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
        let own: Vec<_> = WAYS.iter().copied().filter(|w| of.element.own(w).is_some()).collect();
        if let [_, second, ..] = own[..] {
            return Err(self.files.error_in(of.element, second, "an orientation is given twice"));
        }
        let found = own.first().copied().or(WAYS.iter().copied().find(|w| self.get(of, w).is_some()));
        let Some(way) = found else { return Ok(None) };
        let zero = || self.files.error_in(of.element, way, format!("`{way}` has no direction"));
        let unit = |x: f64, y: f64, z: f64| DVec3::new(x, y, z).try_normalize().ok_or_else(zero);
        Ok(Some(match way {
            "quat" => {
                let [w, x, y, z] = self.numbers(of, way)?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
                let quat = DQuat::from_xyzw(x, y, z, w);
                if quat.length() < 1e-12 {
                    return Err(zero());
                }
                quat.normalize()
            }
            "axisangle" => {
                let [x, y, z, angle] = self.numbers(of, way)?.unwrap_or_default();
                DQuat::from_axis_angle(unit(x, y, z)?, self.angle(angle))
            }
            "xyaxes" => {
                let [a, b, c, d, e, f] = self.numbers(of, way)?.unwrap_or_default();
                let x = unit(a, b, c)?;
                let y = DVec3::new(d, e, f);
                let y = (y - x * x.dot(y)).try_normalize().ok_or_else(zero)?;
                DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize()
            }
            "zaxis" => {
                let [x, y, z] = self.numbers(of, way)?.unwrap_or_default();
                z_to(unit(x, y, z)?)
            }
            _ => {
                let angles = self.numbers::<3>(of, way)?.unwrap_or_default();
                let turns = self.euler.chars().zip(angles);
                turns.fold(DQuat::IDENTITY, |sum, (axis, angle)| {
                    let unit = match axis.to_ascii_lowercase() {
                        'x' => DVec3::X,
                        'y' => DVec3::Y,
                        _ => DVec3::Z,
                    };
                    let turn = DQuat::from_axis_angle(unit, self.angle(angle));
                    // Lower case: about rotating axes; upper case: about fixed ones.
                    if axis.is_ascii_lowercase() { sum * turn } else { turn * sum }
                })
            }
        }))
    }

    /// Notes that something is ignored.
    pub(super) fn drop_at(&mut self, element: &Element, what: impl core::fmt::Display) {
        self.dropped.push(format!("{}: {what}", self.files.place(element)));
    }
}

/// The shortest rotation from the z axis to `direction`; about x if they are opposed.
pub(super) fn z_to(direction: DVec3) -> DQuat {
    if direction.z < -1.0 + 1e-12 {
        DQuat::from_rotation_x(PI)
    } else {
        DQuat::from_rotation_arc(DVec3::Z, direction)
    }
}
