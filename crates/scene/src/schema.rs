//! The JSON schema of scene files, generated from the types.

use crate::spec::SceneSpec;
use serde_json::Value as Json;
use std::sync::OnceLock;

/// The JSON schema of scene files (draft 2020-12), for editors and for [`crate::load_text`] itself.
pub fn schema() -> Json {
    cached().clone()
}

pub(crate) fn cached() -> &'static Json {
    static SCHEMA: OnceLock<Json> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = schemars::schema_for!(SceneSpec).to_value();
        drop_null(&mut schema);
        schema
    })
}

/// TOML has no null: an optional key is one that may be left out.
fn drop_null(schema: &mut Json) {
    match schema {
        Json::Object(map) => {
            if let Some(Json::Array(types)) = map.get_mut("type") {
                types.retain(|t| t != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    map.insert("type".into(), one);
                }
            }
            for key in ["anyOf", "oneOf"] {
                if let Some(Json::Array(choices)) = map.get_mut(key) {
                    choices.retain(|c| c.get("type").is_none_or(|t| t != "null"));
                }
            }
            if map.get("default").is_some_and(Json::is_null) {
                map.remove("default");
            }
            map.values_mut().for_each(drop_null);
        }
        Json::Array(items) => items.iter_mut().for_each(drop_null),
        _ => {}
    }
}
