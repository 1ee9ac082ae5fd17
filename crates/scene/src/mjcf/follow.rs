//! Mimic joints: equality constraints of joints, and of fixed tendons.
//!
//! `<equality><joint>` holds y − y₀ = c₀ + c₁ (x − x₀), and so y = c₁ x + (y₀ + c₀ − c₁ x₀); y₀ and x₀ are the
//! references. A fixed tendon of two joints, constrained by `<equality><tendon>` to its reference length plus c₀,
//! gives the same for a x + b y.

use super::body::Bodies;
use super::element::Element;
use super::settings::Classed;
use crate::error::{SceneError, list_names, nearest_name};
use ropewalk_body::Mimic;
use std::collections::HashMap;

/// Sets mimic joints; other equality constraints are listed as ignored.
pub(super) fn read_followers(bodies: &mut Bodies<'_>, model: &Element) -> Result<(), SceneError> {
    let tendons: HashMap<&str, &Element> =
        model.all("tendon").flat_map(|t| t.all("fixed")).filter_map(|t| Some((t.own("name")?, t))).collect();
    for element in model.all("equality").flat_map(|e| &e.children) {
        let of = bodies.settings.classed(element, None)?;
        if !bodies.settings.flag(of, "active", true)? {
            continue;
        }
        let found = match element.tag.as_str() {
            "joint" => of_joints(bodies, of)?,
            "tendon" => of_tendon(bodies, of, &tendons)?,
            // Listed with the other ignored elements.
            _ => continue,
        };
        match found {
            Some((follower, mimic)) => bodies.links[follower].joint.mimic = Some(mimic),
            None => bodies.settings.drop_at(
                element,
                format!("<{}> in equality: no straight line between two joints", element.tag),
            ),
        }
    }
    // A follower of a follower is led by the first.
    for i in 0..bodies.links.len() {
        for _ in 0..bodies.links.len() {
            let Some(mimic) = bodies.links[i].joint.mimic else { break };
            let Some(next) = bodies.links[mimic.leader].joint.mimic else { break };
            bodies.links[i].joint.mimic = Some(Mimic {
                leader: next.leader,
                multiplier: mimic.multiplier * next.multiplier,
                offset: mimic.multiplier * next.offset + mimic.offset,
            });
        }
        if bodies.links[i].joint.mimic.is_some_and(|m| m.leader == i) {
            let name = &bodies.links[i].joint.name;
            return Err(bodies.settings.files.error(model, format!("joint {name:?} follows itself")));
        }
    }
    Ok(())
}

fn joint(bodies: &Bodies<'_>, of: Classed<'_>, key: &str) -> Result<Option<(usize, f64)>, SceneError> {
    let Some(name) = bodies.settings.get(of, key) else { return Ok(None) };
    if let Some(found) = bodies.joints.get(name) {
        let single = bodies.links[found.0].joint.kind.velocity_count() == 1;
        return Ok(Some(*found).filter(|_| single));
    }
    let names = || bodies.joints.keys().map(String::as_str);
    Err(bodies
        .settings
        .files
        .error_in(of.element, key, format!("there is no joint {name:?}"))
        .expected(format!("one of {}", list_names(names())))
        .nearest(nearest_name(name, names())))
}

/// c₀ and c₁, if higher powers are not there.
fn line(bodies: &Bodies<'_>, of: Classed<'_>) -> Result<Option<[f64; 2]>, SceneError> {
    let list = bodies.settings.list(of, "polycoef")?.unwrap_or_else(|| vec![0.0, 1.0]);
    let at = |k: usize| list.get(k).copied().unwrap_or(0.0);
    Ok((2..list.len()).all(|k| at(k) == 0.0).then(|| [at(0), at(1)]))
}

fn of_joints(bodies: &Bodies<'_>, of: Classed<'_>) -> Result<Option<(usize, Mimic)>, SceneError> {
    let (Some((y, y0)), Some((leader, x0)), Some([c0, c1])) =
        (joint(bodies, of, "joint1")?, joint(bodies, of, "joint2")?, line(bodies, of)?)
    else {
        return Ok(None);
    };
    Ok(Some((y, Mimic { leader, multiplier: c1, offset: y0 + c0 - c1 * x0 })))
}

fn of_tendon(
    bodies: &Bodies<'_>,
    of: Classed<'_>,
    tendons: &HashMap<&str, &Element>,
) -> Result<Option<(usize, Mimic)>, SceneError> {
    let tendon = bodies.settings.get(of, "tendon1").and_then(|name| tendons.get(name));
    let (Some(tendon), Some([c0, _]), None) = (tendon, line(bodies, of)?, bodies.settings.get(of, "tendon2"))
    else {
        return Ok(None);
    };
    let parts: Vec<&Element> = tendon.all("joint").collect();
    let [first, second] = parts[..] else { return Ok(None) };
    let part = |element: &Element| -> Result<_, SceneError> {
        let of = bodies.settings.classed(element, None)?;
        Ok((joint(bodies, of, "joint")?, bodies.settings.number(of, "coef", 1.0)?))
    };
    let ((Some((leader, x0)), a), (Some((y, y0)), b)) = (part(first)?, part(second)?) else {
        return Ok(None);
    };
    if b == 0.0 {
        return Ok(None);
    }
    // a x + b y = a x₀ + b y₀ + c₀.
    Ok(Some((y, Mimic { leader, multiplier: -a / b, offset: (a * x0 + b * y0 + c0) / b })))
}
