//! A soft finger presses a cable: the scene `soft_finger`, force and area of the patch against depth.
//!
//! References are those of [`ropewalk_theory::press`]: two pressure fields in equilibrium across the cable, times the
//! length of the finger. The finger descends at 1.5 mm/s at most, so that inertia is negligible.

use super::scene_run::SceneRun;
use super::{Form, ValidationRow};
use glam::DVec3;
use ropewalk_geometry::Shape;
use ropewalk_geometry::pressure::PatchBody;
use ropewalk_render::svg::plot::{Mark, Plot, Series};
use ropewalk_sim::{ContactSide, Model, State, measure};
use ropewalk_theory::press::SoftPress;

/// Depths of the rows, mm.
const DEPTHS: [f64; 5] = [0.2, 0.4, 0.6, 0.8, 0.95];
/// Greatest error of the force, relative.
const FORCE: f64 = 0.02;
/// Of the area: the cable is a polygon.
const AREA: f64 = 0.03;

/// One step of the run.
#[derive(Clone, Copy)]
struct Look {
    depth: f64,
    force: f64,
    area: f64,
}

/// The finger, which presses with its lower face on the first rod.
#[derive(Clone, Copy)]
struct Finger {
    tree: usize,
    press: SoftPress,
    /// Full lengths of the box, m; the first along the rod.
    size: DVec3,
}

impl Finger {
    fn of(model: &Model, tree: usize) -> Option<Self> {
        let Shape::Box { size } = *model.trees[tree].shapes.first()?.collider.shape() else { return None };
        let mut fields = model.patches.shapes.iter();
        let field = fields.find(|(at, _)| *at == (tree, 0)).map(|(_, field)| field.as_ref());
        let Some(PatchBody::Soft(field)) = field else { return None };
        // Linear from the face to half of the least thickness.
        let depth = 0.1 * size.min_element();
        let gradient = field.pressure(DVec3::NEG_Z * (0.5 * size.z - depth)) / depth;
        let modulus = model.patches.rods.first()?.as_ref()?.modulus();
        let radius = model.rods[0].half_extents()[0][0];
        Some(Self { tree, press: SoftPress { gradient, modulus, radius }, size })
    }

    /// Depth of the rod in the finger, m: at its middle node, from the lower face.
    fn depth(&self, model: &Model, state: &State) -> f64 {
        let pose = measure::tree_kinematics(model, state, self.tree).poses[0];
        let middle = state.rods[0].position(model.rods[0].node_count() / 2);
        self.press.radius + pose.local_point(middle).z + 0.5 * self.size.z
    }
}

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let mut looks = Vec::new();
    let mut press = None;
    let done = SceneRun::of("soft_finger", &[], |model, state, workspace| {
        let Some(tree) = model.trees.iter().position(|t| t.name == "finger") else { return };
        let Some(found) = Finger::of(model, tree) else { return };
        press = Some(found);
        let patches = workspace.patches();
        let on_finger = patches
            .iter()
            .filter(|p| p.sides.iter().any(|s| matches!(s, ContactSide::Link { tree: t, .. } if *t == tree)));
        looks.push(Look {
            depth: found.depth(model, state),
            force: workspace.link_contact_wrenches(tree)[0].force.z,
            area: on_finger.map(|p| p.area).sum(),
        });
    });
    let press = press.filter(|_| done.is_some());
    if form.full {
        form.keep_figure("soft_finger", || figure(&looks, press.as_ref()));
    }
    let mut rows = Vec::new();
    for depth in DEPTHS {
        // The last sample above the depth.
        let look = looks.iter().rev().find(|l| l.depth <= 1e-3 * depth).copied();
        let look = look.unwrap_or(Look { depth: f64::NAN, force: f64::NAN, area: f64::NAN });
        let (force, width) = press.map_or((f64::NAN, f64::NAN), |p| {
            let (force, width) = p.press.per_length(look.depth);
            (force * p.size.x, width * p.size.x)
        });
        rows.push(ValidationRow::relative(format!("soft_finger/{depth}mm/force"), force, look.force, FORCE));
        rows.push(ValidationRow::relative(format!("soft_finger/{depth}mm/area"), width, look.area, AREA));
    }
    rows
}

/// Force and area over depth.
fn figure(looks: &[Look], press: Option<&Finger>) -> String {
    let mut plot = Plot::new("Soft finger on a cable", "depth, mm", "force, N; area, cm²");
    let some: Vec<&Look> = looks.iter().filter(|l| l.depth > 0.0).step_by(40).collect();
    let marks = |y: fn(&Look) -> f64| some.iter().map(|l| (1e3 * l.depth, y(l))).collect();
    plot.add(Series::marks("force", "#2c7fb8", Mark::Disc, marks(|l| l.force)));
    plot.add(Series::marks("area", "#c0392b", Mark::Disc, marks(|l| 1e4 * l.area)));
    if let Some(press) = press {
        let depths = (0..=100).map(|i| 1e-5 * f64::from(i));
        let of = |d: f64| press.press.per_length(d);
        let force = depths.clone().map(|d| (1e3 * d, of(d).0 * press.size.x)).collect();
        plot.add(Series::line("force, closed form", "#2c7fb8", force));
        let area = depths.map(|d| (1e3 * d, 1e4 * of(d).1 * press.size.x)).collect();
        plot.add(Series::line("area, closed form", "#c0392b", area));
    }
    plot.draw()
}
