//! The library: what is built is what is loaded; mistakes name their remedy; measures are gathered.
#![allow(clippy::unwrap_used)]

use ropewalk::prelude::*;

fn rope() -> Rod {
    Rod::new(Curve::line(DVec3::ZERO, DVec3::X * 0.3)).preset("steel_wire").segments(10)
}

#[test]
fn a_builder_and_its_file_give_the_same_bits() {
    let builder = World::builder()
        .dt(5e-4)
        .material("rubber", Material::new(1e6, 0.4, 1000.0).friction(0.3))
        .rod(
            "rope",
            Rod::new(Curve::helix(DVec3::ZERO, DVec3::Z, DVec3::X, 0.05, 0.02, 1.5))
                .material_named("rubber")
                .section(Section::circle(2e-3))
                .segments(30)
                .rest(Rest::as_given()),
        )
        .body("floor", Body::new(Shape::half_space()).position(DVec3::Z * -0.05).fixed())
        .body("ball", Body::new(Shape::sphere(0.01)).density(500.0).position(DVec3::new(0.2, 0.0, 0.0)))
        .clamp("top", Clamp::new("rope", Place::end()).hold(Hold::Position))
        .load("pull", Load::point("rope", Place::start(), DVec3::X * 0.01).scale(0.5))
        .attach("tie", Attachment::ball(AttachmentEnd::body("ball"), AttachmentEnd::world()));
    let text = builder.to_toml();
    let (mut built, mut loaded) = (builder.build().unwrap(), World::from_toml(&text).unwrap());
    for world in [&mut built, &mut loaded] {
        world.step_by(20).unwrap();
    }
    assert_eq!(built.state(), loaded.state());
    assert!(built.rod("rope").unwrap().velocities().iter().any(|v| v.length() > 1e-6));
}

#[test]
fn mistakes_name_the_thing_and_the_remedy() {
    let words = |result: Result<World, Error>| result.unwrap_err().to_string();
    let twice = words(World::builder().rod("a", rope()).rod("a", rope()).build());
    assert!(twice.contains("`a`") && twice.contains("another name"), "{twice}");
    let nothing =
        words(World::builder().rod("a", rope()).clamp("c", Clamp::new("b", Place::start())).build());
    assert!(nothing.contains("no rod called") && nothing.contains("clamp.c.rod"), "{nothing}");
    let negative = words(World::builder().rod("a", rope().set("segments", 0)).build());
    assert!(negative.contains("rod.a.segments"), "{negative}");
    let world = World::builder().rod("rope", rope()).build().unwrap();
    let unknown = world.rod("ropes").unwrap_err().to_string();
    assert!(unknown.contains("nearest: `rope`"), "{unknown}");
    let mut world = world;
    let measure = world.measure(&Measure::new("tension", "mean")).unwrap_err().to_string();
    assert!(measure.contains("key: across"), "{measure}");
    assert!(world.run(f64::NAN).unwrap_err().to_string().contains("0 s or more"));
}

#[test]
fn measures_gather_what_the_world_does() {
    let mut world = World::builder().rod("rope", rope()).gravity(DVec3::NEG_Z * 9.81).build().unwrap();
    let fall = world.measure(&Measure::new("positions", "drift").component("z").across("mean")).unwrap();
    let speed = world.measure(&Measure::new("velocities", "greatest").component("norm").at(3)).unwrap();
    let late = world.measure(&Measure::new("time", "mean").from(0.5)).unwrap();
    world.step_by(101).unwrap();
    // Free fall by backward Euler: v = g n dt after n steps, and the drift is between the first step and the last.
    let (g, dt) = (9.81, world.dt());
    assert!((world.measured(speed).unwrap() - g * 101.0 * dt).abs() < 1e-9);
    let fallen = g * dt * dt * (2..=101).map(f64::from).sum::<f64>();
    assert!((world.measured(fall).unwrap() + fallen).abs() < 1e-9);
    assert_eq!(world.measured(late), None);
}

#[test]
fn claims_of_a_scene_are_checked() {
    let text = r#"title = "A rod that falls"
[time]
duration = 0.1
[rod.rope]
preset = "steel_wire"
curve = { line = { from = [0.0, 0.0, 0.0], to = [0.3, 0.0, 0.0] } }
segments = 10
[claim.speed]
measure = { quantity = "velocities", component = "norm", across = "greatest", over = "last" }
equals = 0.981
tolerance = 1e-6
[claim.wrong]
measure = { quantity = "time", over = "last" }
equals = { pendulum_period = { length = 1.0, gravity = "gravity" } }
tolerance = 1e-3
"#;
    let claims = World::from_toml(text).unwrap().check_claims().unwrap();
    let pass = |name: &str| claims.iter().find(|c| c.name == name).map(|c| c.pass);
    assert_eq!((pass("speed"), pass("wrong")), (Some(true), Some(false)), "{claims:?}");
}

#[test]
fn an_actuator_and_an_attachment_take_commands() {
    let mut world = World::load("arm_rope", &["rod.rope.segments=8"]).unwrap();
    world.step_by(2).unwrap();
    assert!(world.attachment("grip").unwrap().holds());
    world.attachment("grip").unwrap().release();
    world.actuator("arm.elbow").unwrap().set_target(1.0).unwrap();
    world.step_by(2).unwrap();
    assert!(!world.attachment("grip").unwrap().holds());
    assert!(world.actuator("arm.elbow").unwrap().set_target(f64::NAN).is_err());
}
