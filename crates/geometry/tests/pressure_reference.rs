//! Patches of tetrahedral meshes against an independent clipper.
#![allow(clippy::unwrap_used)]

mod common;

use common::patches::{self, field, pose, vector};
use glam::DVec3;
use ropewalk_geometry::pressure::{Fade, Patch, PatchBody, body_body};
use std::collections::BTreeMap;

#[test]
fn forces_areas_and_centroids_agree_with_the_reference() {
    let file = patches::file();
    let meshes = file["meshes"].as_object().unwrap();
    let meshes: BTreeMap<&str, PatchBody> = meshes.iter().map(|(n, m)| (n.as_str(), field(m))).collect();
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 7);
    // The reference has a threshold.
    let mut patch = Patch::new(Fade::Sharp, false);
    for case in cases {
        let [a, b] = ["A", "B"].map(|k| &meshes[case[k].as_str().unwrap()]);
        let (pa, pb) = (pose(&case["X_WA"]), pose(&case["X_WB"]));
        patch.clear();
        body_body(a, &pa, b, &pb, &mut patch);
        let expected = &case["brute"];
        let force = vector(&expected["force_on_A"]);
        let error = (patch.force_on_a() - force).length() / force.length();
        let area = patch.area() / expected["area"].as_f64().unwrap() - 1.0;
        let centroid = (patch.centroid().unwrap() - vector(&expected["centroid"])).length();
        let name = &case["name"];
        println!(
            "{name}: force {error:.1e}, area {area:.1e}, centroid {centroid:.1e} m, {} polygons of {} pairs, reference {}",
            patch.polygons.len(),
            patch.candidates,
            expected["faces"]
        );
        assert!(error < 1e-10, "{name}: force {error:e}");
        assert!(area.abs() < 1e-5, "{name}: area {area:e}");
        assert!(centroid < 1e-7, "{name}: centroid {centroid:e}");
        // Newton's third law, and the same patch seen from the other side.
        let forward = patch.clone();
        patch.clear();
        body_body(b, &pb, a, &pa, &mut patch);
        assert!((patch.force_on_a() + forward.force_on_a()).length() < 1e-12 * force.length(), "{name}");
        let about = DVec3::new(0.1, -0.2, 0.3);
        let moments = patch.moment_on_a(about) + forward.moment_on_a(about);
        assert!(moments.length() < 1e-12 * force.length(), "{name}");
        assert!((patch.area() / forward.area() - 1.0).abs() < 1e-6, "{name}");
        for p in &forward.polygons {
            assert!((p.gap() * p.stiffness() + p.force().length()).abs() <= 1e-12 * p.force().length());
        }
    }
}
