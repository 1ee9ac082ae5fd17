"""What a scene file can say, Python can say: every key has its argument."""

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from ropewalk import (
    Copies,
    KeyFrames,
    LinkSurface,
    Material,
    Motion,
    NaturalShape,
    Piece,
    RandomShape,
    SceneError,
    World,
    curves,
    functions,
    joints,
    rotations,
    scene_schema,
    sections,
    shapes,
)
from ropewalk._part import Part

SCHEMA = scene_schema()


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return resolve(SCHEMA["$defs"][schema["$ref"].split("/")[-1]])
    return schema


def keys_of(kind: str) -> set[str]:
    table = resolve(SCHEMA["properties"][kind])
    return set(resolve(table.get("additionalProperties") or table)["properties"])


ADDITIONS: dict[str, Callable[..., Any]] = {
    "rod": World.add_rod,
    "body": World.add_body,
    "robot": World.add_robot,
    "clamp": World.add_clamp,
    "load": World.add_load,
    "drive": World.add_drive,
    "actuator": World.add_actuator,
    "control": World.add_control,
    "junction": World.add_junction,
    "end_effector": World.add_end_effector,
    "contact": World.set_contact,
    "output": World.set_output,
    "solver": World.set_solver,
}


@pytest.mark.parametrize("kind", ADDITIONS)
def test_every_key_of_a_table_is_an_argument(kind: str) -> None:
    arguments = {name.rstrip("_") for name in inspect.signature(ADDITIONS[kind]).parameters} - {"self", "name"}
    assert arguments == keys_of(kind)


def test_every_table_has_its_function() -> None:
    others = {
        "material": World.add_material,
        "attach": World.add_attachment,
        "claim": World.add_claim,
        "tuning": World.set_tuning,
    }
    settings = set(inspect.signature(World).parameters)
    assert {"title", "gravity", "seed"} <= settings and keys_of("time") <= settings
    assert set(SCHEMA["properties"]) == {*ADDITIONS, *others, "title", "gravity", "seed", "time"}


def test_every_key_of_an_attachment_can_be_given() -> None:
    arguments = {name.rstrip("_") for name in inspect.signature(World.add_attachment).parameters}
    # The first end is one argument: a rod, a body, or a link of a robot.
    assert arguments - {"self", "name", "first"} | {"rod", "body", "robot", "link"} == keys_of("attach")


def test_every_key_of_a_material_is_a_field() -> None:
    assert {field.name for field in dataclasses.fields(Material)} == keys_of("material")


@pytest.mark.parametrize(
    "module, definition",
    [(sections, "SectionSpec"), (curves, "CurveSpec"), (shapes, "ShapeSpec"), (joints, "JointSpec")],
)
def test_every_kind_of_part_is_a_class_with_its_keys(module: Any, definition: str) -> None:
    kinds: dict[str, dict[str, Any]] = {}
    for kind in SCHEMA["$defs"][definition]["oneOf"]:
        kinds |= kind.get("properties", {})
    tagged = {c._tag: c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Part) and c._tag}
    # Nodes and points are given by a list and by a file, without keys.
    assert set(tagged) == set(kinds) - {"nodes", "points"}
    for name, part in tagged.items():
        fields = {field.name.rstrip("_") for field in dataclasses.fields(part)}  # type: ignore[arg-type]
        # A convex shape shares its table with a mesh, but has no triangles.
        left_out = {"triangles"} if name == "convex" else set()
        assert fields == set(resolve(kinds[name])["properties"]) - left_out, name


@pytest.mark.parametrize(
    "part, definition",
    [
        (Piece, "PieceSpec"),
        (Copies, "CopiesSpec"),
        (NaturalShape, "NaturalSpec"),
        (RandomShape, "RandomShapeSpec"),
        (KeyFrames, "KeyFramesSpec"),
        (LinkSurface, "LinkSurfaceSpec"),
        (Motion, "MotionSpec"),
        (functions.Ramp, "RampSpec"),
        (functions.Sine, "SineSpec"),
        (functions.Table, "TableSpec"),
        (shapes.Placed, "PlacedShapeSpec"),
    ],
)
def test_every_key_of_a_part_is_a_field(part: type[Part], definition: str) -> None:
    fields = {field.name.rstrip("_") for field in dataclasses.fields(part)}  # type: ignore[arg-type]
    assert fields == set(SCHEMA["$defs"][definition]["properties"])


def test_claims_and_outputs_reach_the_scene() -> None:
    world = World("cantilever")
    world.set_output(metrics_interval=0.02, record_rate=0.0)
    still = {"quantity": "velocities", "of": "beam", "component": "norm", "across": "greatest", "over": "last"}
    world.add_claim("still", still, equals=0.0, tolerance=1e-3)
    document = world.to_document()
    assert document["output"] == {"metrics_interval": 0.02, "record_rate": 0.0}
    assert document["claim"]["still"] == {"measure": still, "equals": 0.0, "tolerance": 1e-3}
    world.add_claim("wrong", still | {"quantity": "velocity"}, equals=0.0, tolerance=1e-3)
    with pytest.raises(SceneError, match="velocities"):
        world.step()


def test_every_rotation_is_a_class() -> None:
    kinds = {next(iter(kind["properties"])) for kind in SCHEMA["$defs"]["RotationSpec"]["oneOf"]}
    assert kinds == {"quat_xyzw", "rpy", "axis_angle"}
    assert set(rotations.__all__) == {"AxisAngle", "QuatXyzw", "Rotation", "Rpy"}
