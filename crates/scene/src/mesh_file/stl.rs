//! STL, binary and ASCII.
//!
//! Binary: 80 unused bytes, the number n of triangles (u32), then n records of 50 bytes, all little-endian: normal
//! and three corners (f32), and two unused bytes. Normals are ignored: the order of the corners determines them. Many
//! binary files start with the word `solid` as ASCII files do, so the size decides.

use super::weld::Welder;
use glam::DVec3;
use ropewalk_geometry::TriangleMesh;

const HEADER: usize = 84;
const RECORD: usize = 50;

/// The triangles of an STL file.
pub fn parse_stl(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let claimed = bytes.get(80..HEADER).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let room = bytes.len().saturating_sub(HEADER) / RECORD;
    let fits = claimed.is_some_and(|n| bytes.len() == HEADER + RECORD * n as usize);
    let is_text = || bytes.trim_ascii_start().starts_with(b"solid") && has_facet(bytes);
    match claimed {
        _ if !fits && is_text() => parse_ascii(bytes),
        Some(n) if n as usize <= room => parse_binary(&bytes[HEADER..], n as usize),
        Some(n) => Err(format!(
            "this STL file is cut short: its header says {n} triangles, but there are bytes for {room}"
        )),
        None => Err("this file is too short to be STL".into()),
    }
}

fn has_facet(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    head.windows(5).any(|w| w.eq_ignore_ascii_case(b"facet") || w.eq_ignore_ascii_case(b"endso"))
}

fn parse_binary(records: &[u8], count: usize) -> Result<TriangleMesh, String> {
    let mut welder = Welder::default();
    for (i, record) in records.as_chunks::<RECORD>().0.iter().take(count).enumerate() {
        let number = |k: usize| {
            let at = 12 + 4 * k;
            f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
        };
        let corner = |c: usize| DVec3::new(number(3 * c), number(3 * c + 1), number(3 * c + 2));
        welder.add([corner(0), corner(1), corner(2)]).map_err(|e| format!("triangle {i}: {e}"))?;
    }
    welder.finish()
}

fn parse_ascii(bytes: &[u8]) -> Result<TriangleMesh, String> {
    // The name of a solid may be in any encoding.
    let text = String::from_utf8_lossy(bytes);
    let mut welder = Welder::default();
    let mut corners: Vec<DVec3> = Vec::with_capacity(3);
    let mut closed = true;
    for (i, line) in text.lines().enumerate() {
        let bad = |what: String| format!("line {}: {what}", i + 1);
        let mut words = line.split_whitespace();
        match words.next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "vertex" => {
                let mut corner = [0.0; 3];
                for x in &mut corner {
                    let word = words.next().ok_or_else(|| bad("a vertex has three numbers".into()))?;
                    *x = word.parse().map_err(|_| bad(format!("{word:?} is no number")))?;
                }
                if corners.len() == 3 {
                    return Err(bad("a facet has three vertices".into()));
                }
                corners.push(DVec3::from_array(corner));
            }
            "facet" => (closed, corners) = (false, Vec::with_capacity(3)),
            "endfacet" => {
                let triangle =
                    corners[..].try_into().map_err(|_| bad("a facet has three vertices".into()))?;
                welder.add(triangle).map_err(bad)?;
                (closed, corners) = (true, Vec::with_capacity(3));
            }
            _ => {}
        }
    }
    if !closed {
        return Err("this STL file is cut short: its last facet has no end".into());
    }
    welder.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const CORNERS: [[f32; 9]; 2] =
        [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, -0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]];

    fn binary(header: &[u8], count: u32) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, 0);
        bytes.extend(count.to_le_bytes());
        for corners in CORNERS {
            bytes.extend([0; 12]);
            bytes.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn ascii() -> String {
        let mut text = "solid a b\n".to_owned();
        for c in CORNERS {
            text += " facet normal 0 0 0\n  outer loop\n";
            for v in c.chunks(3) {
                text += &format!("   vertex {:e} {} {}\n", v[0], v[1], v[2]);
            }
            text += "  endloop\n endfacet\n";
        }
        text + "endsolid a b\n"
    }

    #[test]
    fn binary_and_ascii_give_the_same_mesh_with_shared_vertices() {
        let mesh = parse_stl(&binary(b"made by a test", 2)).unwrap();
        assert_eq!(mesh.vertices.len(), 4);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(parse_stl(ascii().as_bytes()).unwrap(), mesh);
    }

    #[test]
    fn a_binary_file_that_starts_with_solid_is_binary() {
        assert_eq!(parse_stl(&binary(b"solid facet", 2)).unwrap().triangles.len(), 2);
    }

    #[test]
    fn a_header_that_claims_billions_of_triangles_is_refused() {
        assert!(parse_stl(&binary(b"x", u32::MAX)).unwrap_err().contains("4294967295"));
    }

    #[test]
    fn what_is_no_number_or_not_there_is_refused() {
        assert!(parse_stl(b"").is_err());
        assert!(parse_stl(b"solid\nendsolid").unwrap_err().contains("no triangle"));
        let text = ascii().replace("0e0", "zero");
        assert!(parse_stl(text.as_bytes()).unwrap_err().starts_with("line 4: \"zero\""));
        let text = ascii().replace("1e0", "1e999");
        assert!(parse_stl(text.as_bytes()).unwrap_err().contains("must be finite"));
        assert!(parse_stl(&ascii().as_bytes()[..150]).unwrap_err().contains("cut short"));
    }

    proptest! {
        #[test]
        fn broken_files_never_panic(
            text in any::<bool>(), cut in 0.0..1.0, edits in prop::collection::vec((0.0..1.0, any::<u8>()), 0..6)
        ) {
            let mut bytes = if text { ascii().into_bytes() } else { binary(b"solid", 2) };
            for (at, value) in edits {
                let at = (at * bytes.len() as f64) as usize;
                bytes[at] = value;
            }
            bytes.truncate((cut * 1.2 * bytes.len() as f64) as usize);
            if let Ok(mesh) = parse_stl(&bytes) {
                prop_assert!(mesh.triangles.iter().flatten().all(|i| (*i as usize) < mesh.vertices.len()));
            }
        }
    }
}
