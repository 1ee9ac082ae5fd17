//! Exports a recording as NumPy arrays.
//!
//! | array | shape | meaning |
//! |---|---|---|
//! | `time` | (k,) | time of each frame in s |
//! | `NAME/q` | (k, n, 4) | position (m) of each node of the rod NAME and twist angle (rad) of the edge that leaves it |
//! | `NAME/d1` | (k, e, 3) | reference directors |
//! | `NAME/tension` | (k, e) | N, positive in pull |
//! | `tree/NAME/poses` | (k, l, 7) | position (m) and quat_xyzw of each link |
//! | `attached` | (k, a) | 1 where an attachment holds |
//! | `states/time` | (s,) | time of each state in s: of some frames, which are exact; all others are in single precision |
//! | `NAME/v` | (s, n, 4) | velocities of `NAME/q` |
//! | `NAME/curvature`, `NAME/twist_rate` | (s, …) | 1/m and rad/m at the nodes between two edges |
//! | `tree/NAME/q`, `tree/NAME/v` | (s, …) | joints of the robot or body NAME |
//! | `measures/time`, `energy/kinetic`, …, `work` | (m,) | s, J |
//! | `forces/time` | (f,) | as `measures/time`, without the moment before the first step |
//! | `clamp/NAME/force`, `clamp/NAME/torque` | (f, 3) | N, N·m; and so for `attach/NAME` and `base/NAME` (of a tree) |
//! | `effort` | (f, u) | of each actuator, N or N·m |
//! | `touch/time`, `touch/gap` | (t,) | s, m; one row for each contact of each frame, in single precision |
//! | `touch/point`, `touch/force` | (t, 3) | m; N on the first side |
//! | `touch/sides` | (t, 2) | index of the rod; or -1 - tree |
//! | `contacts/time`, `contacts/gap`, `contacts/friction`, `contacts/area` | (c,) | one row for each contact of each state |
//! | `contacts/point`, `contacts/normal`, `contacts/force`, `contacts/velocity` | (c, 3) | |
//! | `contacts/sides` | (c, 2, 3) | rod, edge, fraction; or -1 - tree, link, shape |
//! | `patches/time`, `patches/area`, `patches/normal_force` | (p,) | s, m², N; one row for each patch of each state |
//! | `patches/mean_pressure`, `patches/peak_pressure` | (p,) | Pa |
//! | `patches/force`, `patches/center_of_pressure` | (p, 3) | N, m |
//! | `patches/sides` | (p, 2, 3) | rod, 0, 0; or -1 - tree, link, shape |
//! | `polygons/patch` | (g,) | the row of its patch; polygons follow one another as patches do |
//! | `polygons/edge` | (g, 2) | edges of the rods of the two sides; -1 for a link |
//! | `polygons/area`, `polygons/pressure`, `polygons/corner_count` | (g,) | m², Pa |
//! | `polygons/normal`, `polygons/force` | (g, 3) | unit, N |
//! | `polygons/corners` | (h, 3) | m; those of one polygon after those of another |

use super::message::{
    ContactSideInfo, ContactsMessage, FrameMessage, MeasuresMessage, PatchSideInfo, PatchesMessage,
    SceneMessage, StateMessage, WrenchInfo,
};
use super::moment::Moments;
use super::{Message, Recording};
use crate::FileError;
use crate::npz::NpzWriter;
use crate::output_file::WholeFile;
use core::ops::ControlFlow;
use std::io;
use std::path::Path;

/// Writes `recording` to `path`.
pub fn export_npz(recording: &Recording, path: &Path) -> Result<(), FileError> {
    let size = recording.size()?;
    let most = SMALL_BYTES.max(size.saturating_mul(MOST_EXPANSION));
    let mut columns = Columns::default();
    let scene = &recording.scene;
    columns.declare(scene);
    let mut moments = Moments::of(scene);
    recording.read(|message| {
        moments.take(&message).into_iter().for_each(|moment| columns.add_moment(&moment));
        match message {
            Message::State(state) => columns.add_state(&state).map_err(|what| {
                FileError::content(recording.path(), what, "the file is damaged, or another program wrote it")
            })?,
            Message::Frame(frame) => columns.add_touches(scene.rods.len(), &frame),
            Message::Measures(measures) => columns.add_measures(scene, &measures),
            Message::Contacts(contacts) => columns.add_contacts(&contacts),
            Message::Patches(patches) => columns.add_patches(&patches),
            Message::Scene(_) | Message::Event(_) | Message::Timers(_) => {}
        }
        if columns.bytes > most {
            let what = format!("its {size} bytes make more than {most} bytes of arrays");
            return Err(FileError::content(recording.path(), what, "record fewer frames (--record-rate)"));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    moments.finish().into_iter().for_each(|moment| columns.add_moment(&moment));
    columns.write(path).map_err(FileError::io(path))
}

/// Arrays that grow row by row, in the order in which they are declared.
#[derive(Default)]
struct Columns {
    arrays: Vec<Column>,
    /// The next array to be filled.
    at: usize,
    /// Patches so far.
    patches: usize,
    /// Bytes of all arrays so far.
    bytes: u64,
    /// Numbers of joint positions and velocities of each tree, from the first state.
    joints: Option<Vec<[usize; 2]>>,
}

struct Column {
    name: String,
    /// Shape of a row.
    row: Vec<usize>,
    data: Vec<f64>,
}

/// Greatest ratio of the size of arrays to that of the file, unless below [`SMALL_BYTES`]: a recording of the same
/// frame repeated is small, but its arrays are not.
const MOST_EXPANSION: u64 = 64;
const SMALL_BYTES: u64 = 1 << 29;

/// Name of the array of the times of states, which comes before all that only states hold.
const STATE_TIME: &str = "states/time";

/// Energies, in the order of the arrays.
const ENERGIES: [&str; 7] = ["kinetic", "stretch", "bend", "twist", "gravity", "joints", "total"];

impl Columns {
    fn declare(&mut self, scene: &SceneMessage) {
        let mut add = |name: String, row: &[usize]| {
            self.arrays.push(Column { name, row: row.to_vec(), data: Vec::new() });
        };
        add("time".to_owned(), &[]);
        for rod in &scene.rods {
            add(format!("{}/q", rod.name), &[rod.node_count, 4]);
            add(format!("{}/d1", rod.name), &[rod.edge_count, 3]);
            add(format!("{}/tension", rod.name), &[rod.edge_count]);
        }
        for tree in &scene.trees {
            add(format!("tree/{}/poses", tree.name), &[tree.links.len(), 7]);
        }
        add("attached".to_owned(), &[scene.attachments.len()]);
        add(STATE_TIME.to_owned(), &[]);
        for rod in &scene.rods {
            let inner = if rod.closed { rod.node_count } else { rod.node_count.saturating_sub(2) };
            add(format!("{}/v", rod.name), &[rod.node_count, 4]);
            add(format!("{}/curvature", rod.name), &[inner]);
            add(format!("{}/twist_rate", rod.name), &[inner]);
        }
        for tree in &scene.trees {
            // The number of joint coordinates is known from the first state; see `write`.
            add(format!("tree/{}/q", tree.name), &[usize::MAX]);
            add(format!("tree/{}/v", tree.name), &[usize::MAX]);
        }
        add("measures/time".to_owned(), &[]);
        ENERGIES.iter().for_each(|name| add(format!("energy/{name}"), &[]));
        add("work".to_owned(), &[]);
        add("forces/time".to_owned(), &[]);
        let clamps = scene.clamps.iter().map(|name| format!("clamp/{name}"));
        let attachments = scene.attachments.iter().map(|name| format!("attach/{name}"));
        let bases = scene.trees.iter().map(|tree| format!("base/{}", tree.name));
        for name in clamps.chain(attachments).chain(bases) {
            add(format!("{name}/force"), &[3]);
            add(format!("{name}/torque"), &[3]);
        }
        add("effort".to_owned(), &[scene.actuators.len()]);
        for (name, row) in [
            ("touch/time", &[][..]),
            ("touch/gap", &[]),
            ("touch/point", &[3]),
            ("touch/force", &[3]),
            ("touch/sides", &[2]),
            ("contacts/time", &[]),
            ("contacts/gap", &[]),
            ("contacts/friction", &[]),
            ("contacts/area", &[]),
            ("contacts/point", &[3]),
            ("contacts/normal", &[3]),
            ("contacts/force", &[3]),
            ("contacts/velocity", &[3]),
            ("contacts/sides", &[2, 3]),
            ("patches/time", &[]),
            ("patches/area", &[]),
            ("patches/normal_force", &[]),
            ("patches/mean_pressure", &[]),
            ("patches/peak_pressure", &[]),
            ("patches/force", &[3]),
            ("patches/center_of_pressure", &[3]),
            ("patches/sides", &[2, 3]),
            ("polygons/patch", &[]),
            ("polygons/area", &[]),
            ("polygons/pressure", &[]),
            ("polygons/corner_count", &[]),
            ("polygons/edge", &[2]),
            ("polygons/normal", &[3]),
            ("polygons/force", &[3]),
            ("polygons/corners", &[3]),
        ] {
            add(name.to_owned(), row);
        }
    }

    /// Selects the array called `name`.
    fn seek(&mut self, name: &str) {
        self.at = self.arrays.iter().position(|a| a.name == name).unwrap_or(0);
    }

    /// Adds to the next array.
    fn push(&mut self, numbers: &[f64]) {
        if let Some(array) = self.arrays.get_mut(self.at) {
            array.data.extend_from_slice(numbers);
            self.bytes += 8 * numbers.len() as u64;
        }
        self.at += 1;
    }

    /// Adds positions at one time.
    fn add_moment(&mut self, moment: &StateMessage) {
        self.at = 0;
        self.push(&[moment.time]);
        for rod in &moment.rods {
            self.push(rod.q.as_flattened());
            self.push(rod.d1.as_flattened());
            self.push(&rod.tension);
        }
        for tree in &moment.trees {
            self.push(tree.poses.as_flattened());
        }
        let attached: Vec<f64> = moment.attached.iter().map(|&a| f64::from(u8::from(a))).collect();
        self.push(&attached);
    }

    /// Adds the values that only states contain.
    fn add_state(&mut self, state: &StateMessage) -> Result<(), String> {
        let joints: Vec<[usize; 2]> = state.trees.iter().map(|tree| [tree.q.len(), tree.v.len()]).collect();
        if *self.joints.get_or_insert_with(|| joints.clone()) != joints {
            return Err(format!("the state at {} s has other joints than the first", state.time));
        }
        self.seek(STATE_TIME);
        self.push(&[state.time]);
        for rod in &state.rods {
            self.push(rod.v.as_flattened());
            self.push(&rod.curvature);
            self.push(&rod.twist_rate);
        }
        for tree in &state.trees {
            self.push(&tree.q);
            self.push(&tree.v);
        }
        Ok(())
    }

    /// The contacts of a frame; `rod_count` rods come before the trees.
    fn add_touches(&mut self, rod_count: usize, frame: &FrameMessage) {
        for contact in &frame.contacts {
            self.seek("touch/time");
            self.push(&[frame.time]);
            self.push(&[contact.gap.into()]);
            self.push(&contact.point.map(f64::from));
            self.push(&contact.force.map(f64::from));
            self.push(&contact.sides.map(|side| {
                let tree = usize::from(side).checked_sub(rod_count);
                tree.map_or(f64::from(side), |tree| -1.0 - tree as f64)
            }));
        }
    }

    fn add_measures(&mut self, scene: &SceneMessage, m: &MeasuresMessage) {
        self.seek("measures/time");
        self.push(&[m.time]);
        let e = &m.energies;
        for x in [e.kinetic, e.stretch, e.bend, e.twist, e.gravity, e.joints, e.total, m.work] {
            self.push(&[x]);
        }
        // Before the first step there are none.
        let there = m.clamps.len() == scene.clamps.len()
            && m.attachments.len() == scene.attachments.len()
            && m.bases.len() == scene.trees.len()
            && m.efforts.len() == scene.actuators.len();
        if there {
            self.push(&[m.time]);
            for WrenchInfo { force, torque } in m.clamps.iter().chain(&m.attachments).chain(&m.bases) {
                self.push(force);
                self.push(torque);
            }
            self.push(&m.efforts);
        }
    }

    fn add_contacts(&mut self, message: &ContactsMessage) {
        for c in &message.contacts {
            self.seek("contacts/time");
            for number in [message.time, c.gap, c.friction, c.area] {
                self.push(&[number]);
            }
            for vector in [c.point, c.normal, c.force, c.velocity] {
                self.push(&vector);
            }
            let sides = c.sides.map(|side| match side {
                ContactSideInfo::Rod { rod, edge, fraction } => [rod as f64, edge as f64, fraction],
                ContactSideInfo::Link { tree, link, shape } => link_numbers(tree, link, shape),
            });
            self.push(sides.as_flattened());
        }
    }

    fn add_patches(&mut self, message: &PatchesMessage) {
        for p in &message.patches {
            self.seek("patches/time");
            for number in [message.time, p.area, p.normal_force, p.mean_pressure, p.peak_pressure] {
                self.push(&[number]);
            }
            self.push(&p.force);
            self.push(&p.center_of_pressure);
            let sides = p.sides.map(|side| match side {
                PatchSideInfo::Rod { rod } => [rod as f64, 0.0, 0.0],
                PatchSideInfo::Link { tree, link, shape } => link_numbers(tree, link, shape),
            });
            self.push(sides.as_flattened());
            for polygon in &p.polygons {
                self.seek("polygons/patch");
                let corner_count = polygon.corners.len() as f64;
                for number in [self.patches as f64, polygon.area, polygon.pressure, corner_count] {
                    self.push(&[number]);
                }
                self.push(&polygon.edges.map(|edge| edge.map_or(-1.0, |e| e as f64)));
                self.push(&polygon.normal);
                self.push(&polygon.force);
                self.push(polygon.corners.as_flattened());
            }
            self.patches += 1;
        }
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let mut npz = NpzWriter::new(WholeFile::create(path)?);
        let rows_of = |name: &str| self.arrays.iter().find(|a| a.name == name).map_or(0, |a| a.data.len());
        let states = rows_of(STATE_TIME);
        for array in &self.arrays {
            let row: Vec<usize> = array
                .row
                .iter()
                .map(|&n| if n == usize::MAX { array.data.len() / states.max(1) } else { n })
                .collect();
            let width = row.iter().product::<usize>();
            let rows = array.data.len().checked_div(width).unwrap_or(0);
            let shape: Vec<usize> = core::iter::once(rows).chain(row).collect();
            if width > 0 {
                npz.array(&array.name, &shape, &array.data)?;
            }
        }
        npz.finish()?.place()
    }
}

/// A shape of a link among numbers of rods.
fn link_numbers(tree: usize, link: usize, shape: usize) -> [f64; 3] {
    [-1.0 - tree as f64, link as f64, shape as f64]
}
