//! Frames as blocks of `f32`: the data to draw one moment, at most 20 B a node and 32 B a contact.
//!
//! Little-endian, no padding but at the end. The size of every block follows from the header, so a reader compares
//! the length of the message with that of the header before it reads or reserves anything else.
//!
//! ```text
//! header 40 B │ nodes 20 B │ links 28 B │ contacts 32 B │ polygons 8 B │ corners 12 B │ attachments 1 B, to a multiple of 4
//! ```
//!
//! [`LAYOUT`] is the description that goes into the file. A material director is one number, its angle in a basis that
//! is made from the direction of the edge alone ([`edge_basis`]), so that a reader needs no other frame to draw it.

use glam::DVec3;

/// First four bytes of a frame, "RWF1".
pub const MAGIC: u32 = 0x3146_5752;
const HEADER_BYTES: usize = 40;
const NODE_BYTES: usize = 20;
const LINK_BYTES: usize = 28;
const CONTACT_BYTES: usize = 32;
const POLYGON_BYTES: usize = 8;
const CORNER_BYTES: usize = 12;

/// What a frame looks like: the schema of the topic in the file.
pub const LAYOUT: &str = "\
Ropewalk frame, version 1. Little-endian. SI units, radians, z up. Names, radii, shapes: JSON on /scene.
header, 40 bytes:
  u32 magic = 0x31465752 (RWF1), u32 flags = 0, f64 time (s),
  u32 node_count, link_count, contact_count, polygon_count, corner_count, attachment_count
nodes, node_count x 5 f32, rod after rod: x, y, z (m), angle (rad), tension (N, positive in pull)
  angle and tension are those of the edge that leaves the node; at the last node of an open rod: the angle of the last
  edge, tension 0. With t the unit vector from the node to the next (the first after the last, if closed), in float32:
  s = copysign(1, t.z), a = -1/(s + t.z), b = t.x*t.y*a,
  b1 = (1 + s*t.x*t.x*a, s*b, -s*t.x), b2 = (b, s + t.y*t.y*a, -t.y), director m1 = cos(angle) b1 + sin(angle) b2
links, link_count x 7 f32, tree after tree: x, y, z (m), quaternion x, y, z, w
contacts that push, contact_count x 32 bytes:
  f32 point[3] (m), f32 force[3] (N, on the first side), f32 gap (m), u16 first, u16 second
  sides: index of the rod, or number of rods + index of the tree
polygons of patches, polygon_count x 8 bytes: f32 pressure (Pa), u16 corners, u16 index of the patch
corners, corner_count x 3 f32 (m): those of one polygon after those of another
attachments, attachment_count bytes: 1 where it holds; then zeros up to a multiple of 4
";

/// One moment of a run, to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameMessage {
    /// Time in s.
    pub time: f64,
    /// x, y, z (m) of each node, angle (rad) of m1 and tension (N) of the edge that leaves it, rod after rod.
    pub nodes: Vec<[f32; 5]>,
    /// Position (m) and quat_xyzw of each link, tree after tree.
    pub links: Vec<[f32; 7]>,
    /// Contacts that push.
    pub contacts: Vec<FrameContact>,
    /// Polygons of patches.
    pub polygons: Vec<FramePolygon>,
    /// Corners (m) of the polygons, one after the other.
    pub corners: Vec<[f32; 3]>,
    /// Whether each attachment holds.
    pub attached: Vec<bool>,
}

/// A contact in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameContact {
    /// Half way between the surfaces, m.
    pub point: [f32; 3],
    /// Force on the first side in N.
    pub force: [f32; 3],
    /// Distance of the surfaces in m, negative in overlap.
    pub gap: f32,
    /// The two sides: index of the rod, or number of rods + index of the tree.
    pub sides: [u16; 2],
}

/// A polygon of a patch in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FramePolygon {
    /// Normal force per area in Pa.
    pub pressure: f32,
    /// Corners.
    pub corner_count: u16,
    /// Index of its patch among those of the moment.
    pub patch: u16,
}

/// Unit vectors b1, b2 perpendicular to the unit vector `t`. Source: Duff et al., Building an Orthonormal Basis,
/// Revisited, JCGT 6(1), 2017.
pub fn edge_basis(t: DVec3) -> [DVec3; 2] {
    let s = 1.0_f64.copysign(t.z);
    let a = -1.0 / (s + t.z);
    let b = t.x * t.y * a;
    [DVec3::new(1.0 + s * t.x * t.x * a, s * b, -s * t.x), DVec3::new(b, s + t.y * t.y * a, -t.y)]
}

/// Direction of the edge between two nodes of a frame; up where they coincide.
pub fn edge_direction(from: &[f32; 5], to: &[f32; 5]) -> DVec3 {
    let position = |node: &[f32; 5]| DVec3::new(node[0].into(), node[1].into(), node[2].into());
    (position(to) - position(from)).normalize_or(DVec3::Z)
}

/// Numbers in single precision; those that are not finite become 0 and are counted.
#[derive(Debug, Default)]
pub struct Singles {
    /// Numbers that were not finite.
    pub replaced: u64,
}

impl Singles {
    /// `x` in single precision. Never −0, whose sign would turn [`edge_basis`].
    pub fn number(&mut self, x: f64) -> f32 {
        let single = x as f32;
        if single.is_finite() {
            single + 0.0
        } else {
            self.replaced += 1;
            0.0
        }
    }

    /// Each number of `numbers`.
    pub fn array<const N: usize>(&mut self, numbers: [f64; N]) -> [f32; N] {
        numbers.map(|x| self.number(x))
    }
}

impl FrameMessage {
    /// The bytes of a message.
    pub fn encode(&self) -> Vec<u8> {
        let counts = [
            self.nodes.len(),
            self.links.len(),
            self.contacts.len(),
            self.polygons.len(),
            self.corners.len(),
            self.attached.len(),
        ];
        let mut out = Vec::with_capacity(message_bytes(&counts.map(|n| n as u32)) as usize);
        out.extend(MAGIC.to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        out.extend(self.time.to_le_bytes());
        counts.iter().for_each(|&n| out.extend((n as u32).to_le_bytes()));
        let numbers = |out: &mut Vec<u8>, all: &[f32]| all.iter().for_each(|x| out.extend(x.to_le_bytes()));
        numbers(&mut out, self.nodes.as_flattened());
        numbers(&mut out, self.links.as_flattened());
        for contact in &self.contacts {
            numbers(&mut out, &contact.point);
            numbers(&mut out, &contact.force);
            numbers(&mut out, &[contact.gap]);
            contact.sides.iter().for_each(|side| out.extend(side.to_le_bytes()));
        }
        for polygon in &self.polygons {
            numbers(&mut out, &[polygon.pressure]);
            out.extend(polygon.corner_count.to_le_bytes());
            out.extend(polygon.patch.to_le_bytes());
        }
        numbers(&mut out, self.corners.as_flattened());
        out.extend(self.attached.iter().map(|&holds| u8::from(holds)));
        out.resize(out.len().next_multiple_of(4), 0);
        out
    }

    /// The frame in the bytes of a message.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let (header, mut rest) = bytes
            .split_first_chunk::<HEADER_BYTES>()
            .ok_or_else(|| format!("a frame of {} bytes is shorter than its header", bytes.len()))?;
        let word =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        if word(0) != MAGIC {
            return Err(format!("a frame begins with {:#010x}, expected {MAGIC:#010x}", word(0)));
        }
        if word(4) != 0 {
            return Err(format!("a frame has the flags {:#x}, which this version does not know", word(4)));
        }
        let counts: [u32; 6] = core::array::from_fn(|k| word(16 + 4 * k));
        let expected = message_bytes(&counts);
        if bytes.len() as u64 != expected {
            return Err(format!("a frame has {} bytes, its header asks for {expected}", bytes.len()));
        }
        let mut time = [0; 8];
        time.copy_from_slice(&header[8..16]);
        let [nodes, links, contacts, polygons, corners, attachments] = counts.map(|n| n as usize);
        let frame = Self {
            time: f64::from_le_bytes(time),
            nodes: records::<NODE_BYTES>(&mut rest, nodes).map(singles).collect(),
            links: records::<LINK_BYTES>(&mut rest, links).map(singles).collect(),
            contacts: records::<CONTACT_BYTES>(&mut rest, contacts).map(contact).collect(),
            polygons: records::<POLYGON_BYTES>(&mut rest, polygons).map(polygon).collect(),
            corners: records::<CORNER_BYTES>(&mut rest, corners).map(singles).collect(),
            attached: rest.iter().take(attachments).map(|&b| b != 0).collect(),
        };
        let listed: usize = frame.polygons.iter().map(|p| usize::from(p.corner_count)).sum();
        if listed != corners {
            return Err(format!("the polygons of a frame have {listed} corners, its header says {corners}"));
        }
        if !frame.is_finite() {
            return Err("a number of a frame is not finite".to_owned());
        }
        Ok(frame)
    }

    fn is_finite(&self) -> bool {
        let finite = |all: &[f32]| all.iter().all(|x| x.is_finite());
        let contact = |c: &FrameContact| finite(&c.point) && finite(&c.force) && c.gap.is_finite();
        self.time.is_finite()
            && finite(self.nodes.as_flattened())
            && finite(self.links.as_flattened())
            && finite(self.corners.as_flattened())
            && self.contacts.iter().all(contact)
            && self.polygons.iter().all(|p| p.pressure.is_finite())
    }
}

/// Length of a message with these counts.
fn message_bytes(counts: &[u32; 6]) -> u64 {
    let sizes = [NODE_BYTES, LINK_BYTES, CONTACT_BYTES, POLYGON_BYTES, CORNER_BYTES];
    let blocks: u64 = counts.iter().zip(sizes).map(|(&n, size)| u64::from(n) * size as u64).sum();
    HEADER_BYTES as u64 + blocks + u64::from(counts[5]).next_multiple_of(4)
}

/// Takes `count` records of N bytes from the front of `rest`, which is long enough.
fn records<'a, const N: usize>(
    rest: &mut &'a [u8],
    count: usize,
) -> impl Iterator<Item = &'a [u8; N]> + use<'a, N> {
    let (block, after) = rest.split_at(N * count);
    *rest = after;
    block.as_chunks().0.iter()
}

fn singles<const BYTES: usize, const N: usize>(record: &[u8; BYTES]) -> [f32; N] {
    let (numbers, _) = record.as_chunks::<4>();
    core::array::from_fn(|k| f32::from_le_bytes(numbers[k]))
}

fn contact(record: &[u8; CONTACT_BYTES]) -> FrameContact {
    let [px, py, pz, fx, fy, fz, gap]: [f32; 7] = singles(record);
    let side = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
    FrameContact { point: [px, py, pz], force: [fx, fy, fz], gap, sides: [side(28), side(30)] }
}

fn polygon(record: &[u8; POLYGON_BYTES]) -> FramePolygon {
    let [pressure]: [f32; 1] = singles(record);
    let number = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
    FramePolygon { pressure, corner_count: number(4), patch: number(6) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn frame() -> FrameMessage {
        FrameMessage {
            time: 0.125,
            nodes: vec![[0.0, 1.0, 2.0, 0.5, -3.0], [4.0, 5.0, 6.0, 0.5, 0.0]],
            links: vec![[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]],
            contacts: vec![FrameContact { point: [1.0; 3], force: [2.0; 3], gap: -1e-6, sides: [0, 65535] }],
            polygons: vec![FramePolygon { pressure: 1e5, corner_count: 3, patch: 2 }],
            corners: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            attached: vec![true, false, true, true, true],
        }
    }

    #[test]
    fn a_frame_comes_back_and_has_the_documented_size() {
        let bytes = frame().encode();
        assert_eq!(bytes.len(), 40 + 2 * 20 + 28 + 32 + 8 + 3 * 12 + 8);
        assert_eq!(&bytes[..4], b"RWF1");
        assert_eq!(FrameMessage::decode(&bytes).unwrap(), frame());
        assert_eq!(FrameMessage::decode(&FrameMessage::default().encode()).unwrap(), FrameMessage::default());
    }

    #[test]
    fn a_frame_whose_length_is_not_that_of_its_header_is_refused() {
        let bytes = frame().encode();
        for length in 0..bytes.len() {
            assert!(FrameMessage::decode(&bytes[..length]).is_err(), "{length}");
        }
        for at in (16..40).step_by(4) {
            let mut hostile = bytes.clone();
            hostile[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
            assert!(FrameMessage::decode(&hostile).unwrap_err().contains("its header asks for"), "{at}");
        }
    }

    #[test]
    fn the_basis_is_orthonormal_and_right_handed_in_all_directions() {
        for t in [DVec3::Z, DVec3::NEG_Z, DVec3::X, DVec3::new(1.0, -2.0, -1e-9), DVec3::new(-3.0, 0.2, -7.0)]
        {
            let t = t.normalize();
            let [b1, b2] = edge_basis(t);
            assert!((b1.length() - 1.0).abs() < 1e-14 && (b2.length() - 1.0).abs() < 1e-14);
            assert!((b1.cross(b2) - t).length() < 1e-14, "{t}");
        }
    }

    #[test]
    fn what_is_not_finite_is_counted() {
        let mut singles = Singles::default();
        assert_eq!(singles.array([1.0, f64::NAN, 1e300, -0.0]), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(singles.replaced, 2);
        assert!(singles.number(-0.0).is_sign_positive());
    }
}
