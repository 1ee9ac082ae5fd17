pub mod error;
mod check; mod document; mod schema; mod spec; mod curve;
pub use error::SceneError; pub use schema::schema;
