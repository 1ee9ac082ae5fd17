//! Commands as named arrays. Each is there only while something of its kind is commanded.
//!
//! | array | shape | meaning |
//! |---|---|---|
//! | `command/gravity` | (3,) | gravity in m/s² |
//! | `command/clamps` | (c, 32) | whether a clamp is led, whether it has let go, its guide |
//! | `command/bases` | (t, 38) | whether a base is led, its guide, the base in the frame that is led (position, quat_xyzw) |
//! | `command/NAME/forces`, `…/edge_forces`, `…/torques` | (n, 3), (e, 3), (e, 3) | N and N·m on the rod NAME |
//! | `command/NAME/natural` | (6, n) | natural κ̄₁, κ̄₂, τ̄ in rad that were asked for, and those of the scene |
//! | `command/links` | (k, 11) | tree, link, force, torque, point |
//! | `command/made` | (k, 15) | attachments made: 1 for a clamp, then for both ends: 0 world, 1 link, 2 rod; tree or rod; link or edge; whether a point is given; the point, or the place on the edge |
//! | `command/made_names` | (k, w) | their names, as bytes of UTF-8, filled up with zeros |
//!
//! A guide is [`Guide::numbers`].

use super::arrays::{Arrays, NamedArray, SnapshotError, Source, pose_from, pose_numbers};
use crate::command::{BaseCommand, ClampCommand, Commands, GUIDE_NUMBERS, Guide, LinkLoad, RodCommand};
use crate::model::{Attachment, AttachmentKind, End, Model};
use glam::DVec3;
use ropewalk_rod::NaturalShape;

const CLAMP: usize = 2 + GUIDE_NUMBERS;
const BASE: usize = 1 + GUIDE_NUMBERS + 7;

/// Adds what is commanded.
pub(super) fn add(out: &mut Arrays, model: &Model, commands: &Commands) {
    if let Some(gravity) = commands.gravity {
        out.add("command/gravity", &[3], gravity.to_array());
    }
    let flag = |is: bool| f64::from(u8::from(is));
    if commands.clamps.iter().any(|c| *c != ClampCommand::default()) {
        let numbers = commands.clamps.iter().flat_map(|c| {
            let head = [flag(c.guide.is_some()), flag(c.released)];
            head.into_iter().chain(c.guide.unwrap_or_default().numbers())
        });
        out.add("command/clamps", &[commands.clamps.len(), CLAMP], numbers);
    }
    if commands.bases.iter().any(Option::is_some) {
        let numbers = commands.bases.iter().flat_map(|base| {
            let (guide, offset) = base.map_or_else(Default::default, |b| (b.guide, b.offset));
            [flag(base.is_some())].into_iter().chain(guide.numbers()).chain(pose_numbers(&offset))
        });
        out.add("command/bases", &[commands.bases.len(), BASE], numbers);
    }
    for (name, rod) in model.rod_names.iter().zip(&commands.rods) {
        let lists = [("forces", &rod.forces), ("edge_forces", &rod.edge_forces), ("torques", &rod.torques)];
        for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            let numbers = list.iter().flat_map(|x| x.to_array());
            out.add(&format!("command/{name}/{key}"), &[list.len(), 3], numbers);
        }
        if let Some(shapes) = &rod.natural {
            let lists = || shapes.iter().flat_map(|s| [&s.kappa1, &s.kappa2, &s.tau]);
            let count = model.rods.iter().zip(&model.rod_names).find(|(_, n)| *n == name);
            let n = count.map_or(0, |(rod, _)| rod.node_count());
            let numbers = lists().flat_map(|list| list[..n].iter().copied());
            out.add(&format!("command/{name}/natural"), &[6, n], numbers);
        }
    }
    if !commands.links.is_empty() {
        let numbers = commands.links.iter().flat_map(|load| {
            let vectors = [load.force, load.torque, load.point].into_iter().flat_map(|v| v.to_array());
            [load.tree as f64, load.link as f64].into_iter().chain(vectors)
        });
        out.add("command/links", &[commands.links.len(), 11], numbers);
    }
    add_made(out, &commands.made);
}

fn add_made(out: &mut Arrays, made: &[Attachment]) {
    if made.is_empty() {
        return;
    }
    let numbers = made.iter().flat_map(|a| {
        let kind = f64::from(u8::from(a.kind == AttachmentKind::Clamp));
        [kind].into_iter().chain(a.ends.iter().flat_map(end_numbers))
    });
    out.add("command/made", &[made.len(), 15], numbers);
    let width = made.iter().map(|a| a.name.len()).max().unwrap_or(0);
    let bytes = made.iter().flat_map(|a| {
        let bytes = a.name.bytes().map(f64::from);
        bytes.chain(core::iter::repeat(0.0)).take(width)
    });
    out.add("command/made_names", &[made.len(), width], bytes);
}

fn end_numbers(end: &End) -> [f64; 7] {
    let point = |head: [f64; 3], point: Option<DVec3>| {
        let [x, y, z] = point.unwrap_or_default().to_array();
        [head[0], head[1], head[2], f64::from(u8::from(point.is_some())), x, y, z]
    };
    match *end {
        End::World { point: at } => point([0.0; 3], at),
        End::Link { tree, link, point: at } => point([1.0, tree as f64, link as f64], at),
        End::Rod { rod, edge, fraction } => [2.0, rod as f64, edge as f64, 0.0, fraction, 0.0, 0.0],
    }
}

impl<'a, F: Fn(&str) -> Option<&'a NamedArray>> Source<F> {
    fn optional(&self, name: &str, shape: &[usize]) -> Result<Option<&'a [f64]>, SnapshotError> {
        if (self.find)(name).is_none() { Ok(None) } else { self.array(name, shape).map(Some) }
    }

    /// Rows of `width` numbers, as many as there are.
    fn rows(&self, name: &str, width: usize) -> Result<&'a [f64], SnapshotError> {
        match (self.find)(name) {
            Some(array) => self.array(name, &[array.data.len() / width.max(1), width]),
            None => Ok(&[]),
        }
    }

    /// The commands; attachments made are `made`.
    pub(super) fn read_commands(
        &self,
        model: &Model,
        made: Vec<Attachment>,
    ) -> Result<Commands, SnapshotError> {
        let mut out = Commands { made, ..Commands::default() };
        out.complete(model);
        out.gravity = self.optional("command/gravity", &[3])?.map(DVec3::from_slice);
        if let Some(numbers) = self.optional("command/clamps", &[out.clamps.len(), CLAMP])? {
            for (clamp, x) in out.clamps.iter_mut().zip(numbers.chunks_exact(CLAMP)) {
                clamp.guide = (x[0] != 0.0).then(|| Guide::from_numbers(&x[2..]));
                clamp.released = x[1] != 0.0;
            }
        }
        if let Some(numbers) = self.optional("command/bases", &[out.bases.len(), BASE])? {
            for (base, x) in out.bases.iter_mut().zip(numbers.chunks_exact(BASE)) {
                let offset = || pose_from(&x[1 + GUIDE_NUMBERS..]);
                *base = (x[0] != 0.0)
                    .then(|| BaseCommand { guide: Guide::from_numbers(&x[1..]), offset: offset() });
            }
        }
        for (r, name) in model.rod_names.iter().enumerate() {
            self.read_rod_command(name, model, r, &mut out.rods[r])?;
        }
        for x in self.rows("command/links", 11)?.chunks_exact(11) {
            let load = LinkLoad {
                tree: x[0] as usize,
                link: x[1] as usize,
                force: DVec3::from_slice(&x[2..]),
                torque: DVec3::from_slice(&x[5..]),
                point: DVec3::from_slice(&x[8..]),
            };
            let tree = model.trees.get(load.tree);
            if tree.is_none_or(|tree| load.link >= tree.tree.links().len()) {
                return Err(range("command/links", x[0], "numbers of trees and links of this scene"));
            }
            out.links.push(load);
        }
        Ok(out)
    }

    fn read_rod_command(
        &self,
        name: &str,
        model: &Model,
        r: usize,
        out: &mut RodCommand,
    ) -> Result<(), SnapshotError> {
        let rod = &model.rods[r];
        let (n, e) = (rod.node_count(), rod.edge_count());
        let lists = [
            ("forces", n, &mut out.forces),
            ("edge_forces", e, &mut out.edge_forces),
            ("torques", e, &mut out.torques),
        ];
        for (key, count, list) in lists {
            if let Some(numbers) = self.optional(&format!("command/{name}/{key}"), &[count, 3])? {
                *list = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
            }
        }
        if let Some(numbers) = self.optional(&format!("command/{name}/natural"), &[6, n])? {
            let shape = |from: usize| {
                let mut shape = NaturalShape::straight(n);
                for (k, list) in
                    [&mut shape.kappa1, &mut shape.kappa2, &mut shape.tau].into_iter().enumerate()
                {
                    list[..n].copy_from_slice(&numbers[(from + k) * n..(from + k + 1) * n]);
                }
                shape
            };
            out.natural = Some([shape(0), shape(3)]);
        }
        Ok(())
    }

    /// Attachments that were made.
    pub(super) fn read_made(&self, model: &Model) -> Result<Vec<Attachment>, SnapshotError> {
        let numbers = self.rows("command/made", 15)?;
        let count = numbers.len() / 15;
        if count == 0 {
            return Ok(Vec::new());
        }
        let names = self.any_shape("command/made_names")?;
        let width = names.data.len() / count;
        let names = self.array("command/made_names", &[count, width])?;
        let made = numbers.chunks_exact(15).enumerate().map(|(k, x)| {
            let bytes = names[k * width..(k + 1) * width].iter().map(|&b| b as u8);
            let name: Vec<u8> = bytes.take_while(|&b| b != 0).collect();
            Ok(Attachment {
                name: String::from_utf8_lossy(&name).into_owned(),
                ends: [end_from(model, &x[1..])?, end_from(model, &x[8..])?],
                kind: if x[0] != 0.0 { AttachmentKind::Clamp } else { AttachmentKind::Point },
                begin_time: f64::INFINITY,
                release_time: f64::INFINITY,
            })
        });
        made.collect()
    }
}

fn range(name: &str, number: f64, expected: &'static str) -> SnapshotError {
    SnapshotError::Range { name: name.to_owned(), number, expected }
}

fn end_from(model: &Model, x: &[f64]) -> Result<End, SnapshotError> {
    let bad = |number| Err(range("command/made", number, "numbers of rods, edges and links of this scene"));
    let point = (x[3] != 0.0).then(|| DVec3::from_slice(&x[4..]));
    let (thing, part) = (x[1] as usize, x[2] as usize);
    match x[0] {
        0.0 => Ok(End::World { point }),
        1.0 if model.trees.get(thing).is_some_and(|t| part < t.tree.links().len()) => {
            Ok(End::Link { tree: thing, link: part, point })
        }
        2.0 if model.rods.get(thing).is_some_and(|r| part < r.edge_count())
            && (0.0..=1.0).contains(&x[4]) =>
        {
            Ok(End::Rod { rod: thing, edge: part, fraction: x[4] })
        }
        _ => bad(x[1]),
    }
}
