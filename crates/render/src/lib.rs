//! Pictures and films without a GPU.
//!
//! ```text
//! scene and state, or recording ─ Stage, Frame ─┬ Renderer (Camera, ImageSize, Style) ─ Image, DepthImage, MaskImage
//!                                               └ svg
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`stage`] | the constant stage, and frames with all positions |
//! | [`from_scene`], [`from_recording`] | stages and frames from scenes and recordings |
//! | [`camera`], [`view`], [`camera_spec`] | cameras and sizes; named views; cameras as text |
//! | [`style`], [`color`], [`quantity`] | colors, light, samples; values that color rods |
//! | [`renderer`] | images, depths, masks |
//! | `geometry`, `tube`, [`mesh`] | a frame as surfaces |
//! | `raster` | visibility of surfaces at each sample |
//! | `shade`, `shadow` | light |
//! | [`image`] | images, PNG, point clouds |
//! | [`gif`], `palette` | films as GIF, their colors |
//! | [`svg`] | pictures of lines, plots |
//! | [`number`] | formatted numbers |

pub mod camera;
pub mod camera_spec;
pub mod color;
pub mod error;
pub mod from_recording;
pub mod from_scene;
mod geometry;
pub mod gif;
pub mod image;
pub mod mesh;
mod palette;
pub mod quantity;
mod raster;
pub mod renderer;
mod shade;
mod shadow;
pub mod stage;
pub mod style;
pub mod svg;
mod tube;
pub mod view;

pub use camera::{Camera, ImageSize, Projection};
pub use camera_spec::CameraSpec;
pub use color::Color;
pub use error::RenderError;
pub use image::{DepthImage, Image, MaskImage};
pub use quantity::QuantityKind;
pub use renderer::{Bounds, Renderer};
pub use ropewalk_scene::number;
pub use stage::{Frame, Stage};
pub use style::Style;
pub use view::View;
