//! Paths of the mesh files of a URDF.
//!
//! | filename | file |
//! |---|---|
//! | `package://NAME/path` | the first of A/NAME/path that exists, with A the URDF's folder, then its parents up to the root, then the `package_paths` in their order; a package path that is itself called NAME counts as that package |
//! | `file:///path`, `/path` | that file |
//! | `path` | relative to the URDF's folder |
//!
//! Environment variables are not read: the same call finds the same files everywhere.

use crate::mesh_file::FileProblem;
use std::path::{Component, Path, PathBuf};

/// Resolves the names of mesh files.
pub(super) struct MeshFinder<'a> {
    folder: Option<PathBuf>,
    package_paths: &'a [PathBuf],
}

impl<'a> MeshFinder<'a> {
    /// Searches from the URDF's folder, if it has one.
    pub(super) fn new(folder: Option<&Path>, package_paths: &'a [PathBuf]) -> Self {
        // An empty parent is the current folder; parents are those of the canonical path.
        let folder = folder.map(|f| if f.as_os_str().is_empty() { Path::new(".") } else { f });
        Self { folder: folder.map(|f| f.canonicalize().unwrap_or_else(|_| f.to_owned())), package_paths }
    }

    /// The file called `name`.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, FileProblem> {
        if let Some(rest) = name.strip_prefix("package://") {
            return self.find_in_package(rest);
        }
        let name = name.strip_prefix("file://").unwrap_or(name);
        if let Some((scheme, _)) = name.split_once("://") {
            return Err(FileProblem::new(format!("mesh files of the kind {scheme}:// are not read"))
                .hint("copy the mesh beside the URDF and name it by a relative path"));
        }
        let path = Path::new(name);
        let path = match &self.folder {
            _ if path.is_absolute() => path.to_owned(),
            Some(folder) => folder.join(path),
            None => {
                return Err(FileProblem::new(format!(
                    "{name:?} counts from the URDF's folder, but this URDF comes from no file"
                ))
                .hint("use primitive shapes, or load the URDF from a file"));
            }
        };
        if path.is_file() {
            Ok(path)
        } else {
            Err(FileProblem::new(format!("there is no mesh file {}", path.display()))
                .hint("relative names count from the URDF's folder"))
        }
    }

    fn find_in_package(&self, rest: &str) -> Result<PathBuf, FileProblem> {
        // Some files write a third slash.
        let rest = rest.trim_start_matches('/');
        let Some((package, path)) = rest.split_once('/').filter(|(package, _)| !package.is_empty()) else {
            return Err(FileProblem::new("a package path has the form package://NAME/path"));
        };
        if !is_plain(package) || leaves(path) {
            return Err(FileProblem::new(format!("{rest:?} leaves the folder of its package"))
                .hint("name a file of the package: package://NAME/path without .. beyond NAME"));
        }
        let above = self.folder.iter().flat_map(|folder| folder.ancestors()).map(|a| a.join(package));
        let given = self.package_paths.iter().flat_map(|p| {
            let is_package = p.file_name().is_some_and(|n| n == package).then(|| p.clone());
            core::iter::once(p.join(package)).chain(is_package)
        });
        above.chain(given).map(|folder| folder.join(path)).find(|file| file.is_file()).ok_or_else(|| {
            FileProblem::new(format!("no folder {package:?} holds {path:?}"))
                .hint("packages are looked for beside and above the URDF's folder, then in the package paths")
        })
    }
}

/// Whether `name` is a single folder name, not a path to another.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

/// Whether `path` leaves its base folder, at its end or in between.
fn leaves(path: &str) -> bool {
    let mut depth = 0_i32;
    for part in Path::new(path).components() {
        depth += match part {
            Component::Normal(_) => 1,
            Component::CurDir => 0,
            Component::ParentDir => -1,
            Component::RootDir | Component::Prefix(_) => return true,
        };
        if depth < 0 {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_package_path_stays_in_its_package() {
        let dir = tempfile::tempdir().unwrap();
        let inside = dir.path().join("robots/arm/meshes");
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::write(inside.join("link.stl"), "").unwrap();
        std::fs::write(dir.path().join("secret.stl"), "").unwrap();
        let folder = dir.path().join("robots/arm");
        let finder = MeshFinder::new(Some(&folder), &[]);
        assert!(finder.find("package://arm/meshes/link.stl").is_ok());
        assert!(finder.find("package://arm/meshes/../meshes/link.stl").is_ok());
        for name in [
            "package://../secret.stl",
            "package://../../secret.stl",
            "package://./../secret.stl",
            "package://arm/../../secret.stl",
            "package://arm/meshes/../../../secret.stl",
            "package://arm//etc/hostname",
        ] {
            let problem = finder.find(name).unwrap_err();
            assert!(problem.message.contains("leaves the folder"), "{name}: {}", problem.message);
        }
    }
}
