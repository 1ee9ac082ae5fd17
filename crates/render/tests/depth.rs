//! Depths and masks against closed forms.
#![allow(clippy::unwrap_used)]

mod common;
use common::{add_body, add_rod, cameras, empty, ray, size};
use glam::{DQuat, DVec3};
use ropewalk_linalg::Pose;
use ropewalk_render::stage::Solid;
use ropewalk_render::{Color, Renderer};

const GRAY: Color = Color::rgb8(128, 128, 128);

/// Depths of one solid, compared pixel by pixel with `depth` of a ray in the solid's frame; at outlines a pixel may differ.
fn check_solid(solid: Solid, depth: impl Fn(DVec3, DVec3) -> Option<f64>) {
    let pose = Pose::new(DVec3::new(0.1, -0.05, 0.2), DQuat::from_euler(glam::EulerRot::XYZ, 0.6, -0.4, 0.9));
    let mut scene = empty();
    add_body(&mut scene, "body", solid, pose, GRAY);
    let size = size(160, 120);
    for camera in cameras(DVec3::new(0.9, -2.2, 1.1), DVec3::new(0.0, 0.0, 0.2)) {
        let image = Renderer::new().depth(&scene.0, &scene.1, &camera, size).unwrap();
        let (mut seen, mut odd) = (0, 0);
        for row in 0..120 {
            for column in 0..160 {
                let (o, d) = ray(&camera, size, column, row);
                let expected = depth(pose.local_point(o), pose.local_vector(d));
                let found = f64::from(image.meters[row * 160 + column]);
                match expected {
                    Some(z) if found.is_finite() => {
                        seen += 1;
                        assert!((found / z - 1.0).abs() < 1e-5, "({column}, {row}): {found} {z}");
                    }
                    None if found == f64::INFINITY => {}
                    _ => odd += 1,
                }
            }
        }
        assert!(seen > 500 && odd < 8, "{seen} {odd}");
    }
}

/// The least z at which |o + z d − c| = r.
fn ball(o: DVec3, d: DVec3, c: DVec3, r: f64) -> Option<f64> {
    let (m, a) = (o - c, d.dot(d));
    let (b, k) = (m.dot(d) / a, (m.dot(m) - r * r) / a);
    (b * b > k).then(|| -b - (b * b - k).sqrt())
}

/// The least z at which the ray meets the side of a cylinder about the z axis, if within `half` of its middle.
fn side(o: DVec3, d: DVec3, r: f64, half: f64) -> Option<f64> {
    let a = d.x * d.x + d.y * d.y;
    let b = (o.x * d.x + o.y * d.y) / a;
    let k = (o.x * o.x + o.y * o.y - r * r) / a;
    let z = (b * b > k).then(|| -b - (b * b - k).sqrt())?;
    ((o + d * z).z.abs() <= half).then_some(z)
}

fn least(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    [a, b].into_iter().flatten().reduce(f64::min)
}

#[test]
fn the_depth_of_a_sphere_is_the_closed_form() {
    check_solid(Solid::Sphere { radius: 0.4 }, |o, d| ball(o, d, DVec3::ZERO, 0.4));
}

#[test]
fn the_depth_of_a_capsule_is_the_closed_form() {
    check_solid(Solid::Capsule { radius: 0.2, length: 0.7 }, |o, d| {
        let caps = least(ball(o, d, DVec3::Z * 0.35, 0.2), ball(o, d, DVec3::Z * -0.35, 0.2));
        least(side(o, d, 0.2, 0.35), caps)
    });
}

#[test]
fn the_depth_of_a_cylinder_is_the_closed_form() {
    check_solid(Solid::Cylinder { radius: 0.3, length: 0.5 }, |o, d| {
        let cap = |h: f64| {
            let z = (h - o.z) / d.z;
            ((o + d * z).truncate().length() <= 0.3).then_some(z)
        };
        least(side(o, d, 0.3, 0.25), least(cap(0.25), cap(-0.25)))
    });
}

#[test]
fn the_depth_of_a_box_is_the_closed_form() {
    check_solid(Solid::Box { size: DVec3::new(0.6, 0.4, 0.8) }, |o, d| {
        let half = DVec3::new(0.3, 0.2, 0.4);
        let (a, b) = ((-half - o) / d, (half - o) / d);
        let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
        (enter <= leave).then_some(enter)
    });
}

#[test]
fn the_depth_of_the_ground_is_the_closed_form() {
    let mut scene = empty();
    add_body(&mut scene, "ground", Solid::HalfSpace, Pose::at(DVec3::Z * -0.3), GRAY);
    let size = size(80, 60);
    for camera in cameras(DVec3::new(0.9, -2.2, 0.6), DVec3::new(0.0, 0.0, 0.2)) {
        let image = Renderer::new().depth(&scene.0, &scene.1, &camera, size).unwrap();
        for row in 0..60 {
            for column in 0..80 {
                let (o, d) = ray(&camera, size, column, row);
                let z = (-0.3 - o.z) / d.z;
                let found = f64::from(image.meters[row * 80 + column]);
                match z > 0.0 && z < 1e5 {
                    true => assert!((found / z - 1.0).abs() < 1e-4, "({column}, {row}): {found} {z}"),
                    false => assert!(found > 1e5, "({column}, {row}): {found} {z}"),
                }
            }
        }
    }
}

/// A point cloud of a sphere lies on the sphere, in the world.
#[test]
fn point_clouds_lie_on_what_is_seen() {
    let center = DVec3::new(0.3, 0.2, 0.4);
    let mut scene = empty();
    add_body(&mut scene, "ball", Solid::Sphere { radius: 0.5 }, Pose::at(center), GRAY);
    for camera in cameras(DVec3::new(2.0, -1.5, 1.0), center) {
        let image = Renderer::new().depth(&scene.0, &scene.1, &camera, size(64, 64)).unwrap();
        let points = image.points(&camera);
        assert!(points.len() > 300);
        for p in points {
            assert!(((p - center).length() - 0.5).abs() < 1e-5, "{p}");
        }
    }
}

/// A straight round rod is as wide as its section, in depth and mask; a flat one is wide or thin by its director.
#[test]
fn rods_have_their_true_sections() {
    let line: Vec<DVec3> = (0..21).map(|i| DVec3::X * 0.1 * f64::from(i - 10)).collect();
    let [_, camera] = cameras(DVec3::new(0.0, -3.0, 0.0), DVec3::ZERO);
    let size = size(200, 200);
    for (half_extents, director, width) in
        [([0.1, 0.1], DVec3::Z, 20), ([0.2, 0.02], DVec3::Z, 40), ([0.2, 0.02], DVec3::Y, 4)]
    {
        let mut scene = empty();
        add_rod(&mut scene, "rod", (line.clone(), false), half_extents, director, GRAY);
        let mask = Renderer::new().mask(&scene.0, &scene.1, &camera, size).unwrap();
        let column = (0..200).filter(|row| mask.instances[row * 200 + 100] == 1).count();
        assert!(column.abs_diff(width) <= 1, "{half_extents:?} {director}: {column}");
        let depth = Renderer::new().depth(&scene.0, &scene.1, &camera, size).unwrap();
        let front = if director == DVec3::Z { half_extents[1] } else { half_extents[0] };
        let found = f64::from(depth.meters[100 * 200 + 100]);
        assert!((found - (3.0 - front)).abs() < 2e-3, "{half_extents:?}: {found}");
    }
}

/// Numbers of masks are those of the instances, and near things hide far ones.
#[test]
fn masks_have_the_numbers_of_instances() {
    let mut scene = empty();
    let line =
        |z: f64| (vec![DVec3::new(-1.0, 0.0, z), DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z)], false);
    add_rod(&mut scene, "low", line(-0.5), [0.1; 2], DVec3::Z, GRAY);
    add_rod(&mut scene, "high", line(0.5), [0.1; 2], DVec3::Z, GRAY);
    add_body(&mut scene, "ball", Solid::Sphere { radius: 0.3 }, Pose::at(DVec3::new(0.0, -0.5, 0.5)), GRAY);
    add_body(&mut scene, "far", Solid::Sphere { radius: 0.3 }, Pose::at(DVec3::new(0.0, 0.5, 0.5)), GRAY);
    let names: Vec<String> =
        scene.0.instances().into_iter().map(|i| format!("{}:{}", i.kind, i.name)).collect();
    assert_eq!(names, ["rod:low", "rod:high", "body:ball", "body:far"]);
    let [_, camera] = cameras(DVec3::new(0.0, -3.0, 0.0), DVec3::ZERO);
    let mask = Renderer::new().mask(&scene.0, &scene.1, &camera, size(200, 200)).unwrap();
    let at = |column: usize, row: usize| mask.instances[row * 200 + column];
    assert_eq!([at(100, 150), at(20, 50), at(100, 50), at(100, 100)], [1, 2, 3, 0]);
    assert!(!mask.instances.contains(&4));
}
