//! Formatted numbers, as in the legends of pictures.

pub(crate) use ropewalk_render::number::{seconds, short, significant, with_prefix};
