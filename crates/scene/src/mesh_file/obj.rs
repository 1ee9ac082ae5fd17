//! OBJ: vertices (`v`) and faces (`f`); all else, such as normals, textures, materials, groups and lines, is
//! not needed for collision. Faces with more than three corners are cut into fans.

use super::weld::Welder;
use glam::DVec3;
use ropewalk_geometry::TriangleMesh;

/// Most corners of a face.
const MOST_CORNERS: usize = 1 << 16;

/// The triangles of an OBJ file.
pub fn parse_obj(bytes: &[u8]) -> Result<TriangleMesh, String> {
    // Names of groups and materials may be in any encoding.
    let text = String::from_utf8_lossy(bytes);
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut welder = Welder::default();
    let mut lines = text.lines().enumerate();
    while let Some((i, line)) = lines.next() {
        let bad = |what: String| format!("line {}: {what}", i + 1);
        // A line that ends in a backslash continues in the next.
        let mut joined;
        let mut line = line;
        if line.ends_with('\\') {
            joined = line.trim_end_matches('\\').to_owned();
            for (_, next) in lines.by_ref() {
                joined.push(' ');
                joined.push_str(next.trim_end_matches('\\'));
                if !next.ends_with('\\') {
                    break;
                }
            }
            line = &joined;
        }
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut at = [0.0; 3];
                for x in &mut at {
                    let word = words.next().ok_or_else(|| bad("a vertex has three numbers".into()))?;
                    *x = word.parse().map_err(|_| bad(format!("{word:?} is no number")))?;
                }
                vertices.push(DVec3::from_array(at));
            }
            Some("f") => {
                let mut corners = Vec::with_capacity(4);
                for word in words {
                    corners.push(corner(word, &vertices).map_err(bad)?);
                }
                if corners.len() > MOST_CORNERS {
                    return Err(bad(format!("a face has {} corners, which is too many", corners.len())));
                }
                // A face of two corners has no area and is left out.
                for pair in corners.get(1..).unwrap_or_default().windows(2) {
                    welder.add([corners[0], pair[0], pair[1]]).map_err(bad)?;
                }
            }
            _ => {}
        }
    }
    welder.finish()
}

/// The vertex of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`. Indices count from 1, negative ones back from
/// the latest vertex.
fn corner(word: &str, vertices: &[DVec3]) -> Result<DVec3, String> {
    let first = word.split('/').next().unwrap_or_default();
    let index: i64 = first.parse().map_err(|_| format!("{word:?} is no corner of a face"))?;
    let count = vertices.len() as i64;
    let at = if index < 0 { count.saturating_add(index) } else { index.saturating_sub(1) };
    usize::try_from(at)
        .ok()
        .and_then(|at| vertices.get(at))
        .copied()
        .ok_or_else(|| format!("a face names vertex {index}, but there are {count} so far"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const SQUARE: &str = "# a square\nmtllib a.mtl\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\nv 0 1 0\nvt 0 0\n\
                          vn 0 0 1\ng all\nf 1/1/1 2//1 \\\n  -2 -1/1\n";

    #[test]
    fn faces_become_triangles() {
        let mesh = parse_obj(SQUARE.as_bytes()).unwrap();
        assert_eq!(mesh.vertices.len(), 4);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (from, to, message) in [
            ("-2", "-5", "line 10: a face names vertex -5, but there are 4 so far"),
            ("-2", "0", "line 10: a face names vertex 0"),
            ("1/1/1", "x", "line 10: \"x\" is no corner"),
            ("v 0 1 0", "v 0 1", "line 6: a vertex has three numbers"),
            ("v 0 1 0", "v 0 nan 0", "line 10: a corner is at"),
            (" \\\n  -2 -1/1", "", "this mesh has no triangle"),
            ("f ", "l ", "this mesh has no triangle"),
        ] {
            let error = parse_obj(SQUARE.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }

    proptest! {
        #[test]
        fn broken_files_never_panic(
            cut in 0.0..1.0, edits in prop::collection::vec((0.0..1.0, any::<u8>()), 0..6)
        ) {
            let mut bytes = SQUARE.as_bytes().to_vec();
            for (at, value) in edits {
                let at = (at * bytes.len() as f64) as usize;
                bytes[at] = value;
            }
            bytes.truncate((cut * 1.2 * bytes.len() as f64) as usize);
            if let Ok(mesh) = parse_obj(&bytes) {
                prop_assert!(mesh.triangles.iter().flatten().all(|i| (*i as usize) < mesh.vertices.len()));
            }
        }
    }
}
