//! The page on scene files names every key and word of the format, and its example loads.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

const PAGE: &str =
    concat!(include_str!("../../../docs/scenes.md"), include_str!("../../../docs/measures.md"));

fn words(schema: &Value, out: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                out.extend(properties.keys().cloned());
            }
            if let Some(Value::String(word)) = map.get("const") {
                out.push(word.clone());
            }
            map.values().for_each(|v| words(v, out));
        }
        Value::Array(items) => items.iter().for_each(|v| words(v, out)),
        _ => {}
    }
}

#[test]
fn every_key_is_on_the_page() {
    let mut all = Vec::new();
    words(&ropewalk_scene::schema(), &mut all);
    assert!(all.len() > 100, "{}", all.len());
    for word in all {
        let named = PAGE.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|part| part == word);
        assert!(named, "`{word}` is neither in docs/scenes.md nor in docs/measures.md");
    }
}

#[test]
fn the_example_loads() {
    let start = PAGE.find("```toml\n").unwrap() + 8;
    let example = &PAGE[start..start + PAGE[start..].find("```").unwrap()];
    let scene = ropewalk_scene::load_text("example.toml", example, None, &[]).unwrap();
    assert_eq!(scene.warnings, Vec::<String>::new());
}

#[test]
fn presets_are_on_the_page_with_their_numbers() {
    for preset in ropewalk_scene::preset::presets() {
        let row = PAGE.lines().find(|l| l.starts_with(&format!("| `{}` |", preset.name))).unwrap();
        for word in ["fitted", "cited", "typical", "assumed"] {
            assert_eq!(row.contains(word), preset.source.contains(word), "{}: {word}", preset.name);
        }
    }
}

#[test]
fn the_table_of_tuning_lists_every_parameter_with_its_unit() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenes.md")).unwrap();
    let (_, table) = text.split_once("## `[tuning]`").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
    let parameters = ropewalk_sim::Tuning::default().parameters();
    assert_eq!(rows.len(), parameters.len());
    for (row, p) in rows.iter().zip(&parameters) {
        assert!(row.starts_with(&format!("| `{}` |", p.name)) && row.contains(p.unit), "{row}: {p:?}");
        let nominal = row.split('|').nth(2).unwrap().trim();
        let number =
            if nominal == "1/4π²" { 0.25 / std::f64::consts::PI.powi(2) } else { nominal.parse().unwrap() };
        assert!((number / p.nominal - 1.0).abs() < 1e-12, "{row}: {p:?}");
    }
}
