//! Triangle meshes from files: STL (binary and ASCII) and OBJ.
//!
//! A broken file is rejected with a reason. Memory is proportional to the bytes of the file, never to a count in its
//! header.

mod obj;
mod stl;
mod weld;

use crate::regular_file::read_regular;
use ropewalk_geometry::TriangleMesh;
use std::io::ErrorKind;
use std::path::Path;

pub use obj::parse_obj;
pub use stl::parse_stl;

/// Largest mesh file in bytes.
const MOST_BYTES: u64 = 1 << 28;

/// Why a mesh file cannot be found or read.
pub(crate) struct FileProblem {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl FileProblem {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Reads a mesh; the extension determines the format.
pub(crate) fn read_mesh(path: &Path) -> Result<TriangleMesh, FileProblem> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let parse: fn(&[u8]) -> Result<TriangleMesh, String> = match ending.as_str() {
        "stl" => stl::parse_stl,
        "obj" => obj::parse_obj,
        _ => {
            let message = if ending.is_empty() {
                "this mesh file has no ending, so its format is not known".to_owned()
            } else {
                format!("meshes of the format .{ending} are not read")
            };
            return Err(FileProblem::new(message).hint("convert it to .stl or .obj"));
        }
    };
    let bytes = read_regular(path, MOST_BYTES).map_err(|error| {
        let problem = FileProblem::new(format!("cannot read this file: {error}"));
        match error.kind() {
            ErrorKind::FileTooLarge => problem.hint("simplify the mesh; collision needs few triangles"),
            _ => problem,
        }
    })?;
    parse(&bytes).map_err(FileProblem::new)
}
