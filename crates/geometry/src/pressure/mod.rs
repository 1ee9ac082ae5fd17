//! Pressure fields and their contact patches.
//!
//! A soft solid carries a pressure field p: zero on its skin, the modulus E at its deepest, linear in each tetrahedron
//! of a mesh. Where two solids overlap, the contact surface is the set of points with p_A = p_B. In a pair of
//! tetrahedra that is a plane; clipped by both it is a convex polygon, and the polygons of all pairs are the patch. A
//! rigid solid is infinitely stiff: the patch is its surface, clipped by the other's field.
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | p | `pressure` | Pa |
//! | E | `modulus` | Pa |
//! | n | `normal`, from B to A | – |
//! | A | `area` | m² |
//! | g_A = ∇p_A·n, g_B = −∇p_B·n | `gradient_a`, `gradient_b` | Pa/m |
//! | g, 1/g = 1/g_A + 1/g_B | `gradient` | Pa/m |
//! | φ = −p/g | [`PatchPolygon::gap`] | m |
//! | k = A g | [`PatchPolygon::stiffness`] | N/m |
//!
//! n = (∇p_A − ∇p_B)/|∇p_A − ∇p_B|, so g_A + g_B = |∇p_A − ∇p_B|. The force on A is A p n at the centroid: p is
//! linear on the polygon, so A p is the exact integral of the pressure. −k φ = A p, so a polygon is a point contact.
//!
//! Which polygons count, and why the sum of forces has no jumps, is in [`polygon`].
//!
//! Source: Elandt, Drumwright, Sherman, Ruina, A pressure field model for fast, robust approximation of net contact
//! force and moment between nominally rigid objects (IROS 2019); Masterjohn, Guoy, Shepherd, Castro, Velocity level
//! approximation of pressure field contact patches (2022).
//!
//! | module | subject |
//! |---|---|
//! | [`tet`] | a tetrahedron with a linear field |
//! | [`clip`] | slices of tetrahedra, clipped by convex cells |
//! | [`convex`] | convex cells of up to six faces, of which rods are made |
//! | [`polygon`] | a polygon as a contact, and its weight |
//! | [`mod@cluster`] | a few contacts that replace many polygons |
//! | [`patch`] | caller-owned lists of polygons, sums |
//! | [`field`] | meshes of tetrahedra with a bounding-volume hierarchy |
//! | [`rigid`] | surfaces of rigid solids |
//! | [`body`] | soft and rigid bodies, made of shapes |
//! | `surface_mesh`, `convex_cells`, `grid_cells` | how shapes become triangles and cells |
//! | [`mod@body_body`] | patches of two bodies |
//! | [`rod_section`], [`rod`], `rod_cells` | fields that follow rods |
//! | [`rod_pair`] | patches of edges with bodies and edges |

pub mod body;
pub mod body_body;
pub mod clip;
pub mod cluster;
pub mod convex;
mod convex_cells;
pub mod field;
mod grid_cells;
pub mod patch;
pub mod polygon;
pub mod rigid;
pub mod rod;
mod rod_cells;
pub mod rod_pair;
pub mod rod_section;
mod surface_mesh;
pub mod tet;

pub use body::PatchBody;
pub use body_body::body_body;
pub use cluster::cluster;
pub use field::{FieldError, PressureField};
pub use patch::Patch;
pub use polygon::{Fade, PatchPolygon};
pub use rigid::RigidSurface;
pub use rod::RodField;
pub use rod_pair::{edge_body, edge_edge_patch};
pub use rod_section::RodSection;
