//! Sparse Cholesky factorization in 4×4 tiles.
//!
//! A symmetric positive-definite matrix is cut into 4×4 tiles, one tile per node of a rod (position
//! and twist) and ⌈n/4⌉ tiles per group of n other unknowns. The factor H = L Lᵀ is computed tile by
//! tile, in an order found on the graph of tiles.
//!
//! There are two kinds of columns: the *eliminated* ones first, then the *kept* ones,
//!
//! ```text
//!   A = [ A_nn  A_np ]      S = A_pp − A_pn A_nn⁻¹ A_np      (Schur complement)
//!       [ A_pn  A_pp ]
//! ```
//!
//! [`Factor::eliminate`] factorizes the eliminated columns and leaves S on the kept tiles; [`Factor::refactor`] then
//! factorizes S + (whatever the caller adds to kept tiles), as often as wanted. Newton's method on a problem whose
//! nonlinear terms touch the kept tiles only therefore repeats only [`Factor::refactor`].
//!
//! | file | subject |
//! |---|---|
//! | [`tile`] | products, Cholesky and triangular solves of 4×4 tiles |
//! | [`matrix`] | a symmetric matrix of tiles: pattern and values |
//! | [`ordering`] | minimum degree on the graph of tiles, in classes |
//! | [`elimination_tree`] | groups by the elimination tree |
//! | [`symbolic`] | where the factor has tiles, and which products make them |
//! | [`numeric`] | the factor itself, Schur complement and solves |
//! | [`subtree_factor`] | the share of a group in it |
//! | [`separator`] | the share of separator columns in it |
//! | [`column_kernels`] | the loops over its columns |
//! | [`window`] | a stretch of a longer array |
//!
//! Sources: T. A. Davis, *Direct Methods for Sparse Linear Systems*, SIAM 2006 (left-looking
//! factorization); P. R. Amestoy, T. A. Davis, I. S. Duff, *An approximate minimum degree ordering
//! algorithm*, SIAM J. Matrix Anal. Appl. 17 (1996).

pub mod column_kernels;
pub mod elimination_tree;
pub mod matrix;
pub mod numeric;
pub mod ordering;
pub mod separator;
pub mod subtree_factor;
pub mod symbolic;
pub mod tile;
pub mod window;

pub use column_kernels::NotPositiveDefinite;
pub use matrix::{Entry, TileMatrix, TilePattern};
pub use numeric::Factor;
pub use separator::{Both, FinishedGroups, SeparatorColumns, SeparatorFactor};
pub use subtree_factor::SubtreeFactor;
pub use symbolic::{Analysis, Group, SEPARATOR};
pub use tile::Tile;
pub use window::Window;
