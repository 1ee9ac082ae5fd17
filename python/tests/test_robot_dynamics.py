"""Robots through `ropewalk.inspect`: reference states, the order of joints, free bases, bad arguments."""

import json
from pathlib import Path

import numpy as np
import pytest
from ropewalk.inspect import robot_dynamics, robot_point

ROOT = Path(__file__).parents[2]
MODELS = json.loads((ROOT / "tests/reference/articulated.json").read_text())["models"]
STATES = [(name, k) for name, model in MODELS.items() for k in range(len(model["states"]))]
ARM = (ROOT / "crates/scene/robots/arm7_gripper.urdf").read_text()


def assert_near(found, expected):
    """To 1e-11 of the largest entry, or of 1."""
    expected = np.asarray(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize(("name", "k"), STATES)
def test_reference_states(name, k):
    model = MODELS[name]
    state = model["states"][k]
    found = robot_dynamics(model["urdf"], state["q"], state["v"], state["tau"], model["gravity"])
    assert_near(found["M"], state["M"])
    assert_near(found["bias"], state["bias_Cv"])
    assert_near(found["gravity_force"], state["tau_g"])
    assert_near(found["vdot"], state["vdot"])
    assert_near(found["kinetic_energy"], state["kinetic_energy"])
    assert_near(found["potential_energy"], state["potential_energy"])
    point = robot_point(model["urdf"], state["q"], state["v"], state["tip_body"], state["tip_offset"])
    assert_near(point["position"], state["tip_pos_W"])
    assert_near(point["rotation"], state["tip_rotation"])
    assert_near(point["jacobian"], state["tip_jacobian"])
    assert_near(point["bias_acc"], state["tip_bias_acc"])


def test_joints_follow_in_the_order_of_the_urdf():
    model = MODELS["double_pendulum"]
    state = model["states"][0]
    text = model["urdf"]
    first, second = text.index('<joint name="j1"'), text.index('<joint name="j2"')
    swapped = text[:first] + text[second:].replace("</robot>", "") + text[first:second] + "</robot>"
    turned = {key: state[key][::-1] for key in ("q", "v", "tau")}
    found = robot_dynamics(swapped, turned["q"], turned["v"], turned["tau"], model["gravity"])
    assert_near(found["M"], np.array(state["M"])[::-1, ::-1])
    assert_near(found["vdot"], state["vdot"][::-1])
    point = robot_point(swapped, turned["q"], turned["v"], "l2", state["tip_offset"])
    assert_near(point["jacobian"], np.array(state["tip_jacobian"])[:, ::-1])


def test_a_free_arm_falls_and_keeps_its_shape():
    # Base position, quat_xyzw of half a turn about x, nine joints.
    q = np.concatenate([[1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 0.0], np.linspace(-0.5, 0.6, 9)])
    found = robot_dynamics(ARM, q, np.zeros(15), np.zeros(15), [0, 0, -9.81], base="free")
    np.testing.assert_allclose(found["vdot"], [0, 0, -9.81, *np.zeros(12)], atol=1e-9)
    mass = found["M"][0, 0]
    np.testing.assert_allclose(found["M"][:3, :3], mass * np.eye(3), atol=1e-12)
    assert mass == pytest.approx(18.55, rel=1e-2)
    point = robot_point(ARM, q, np.zeros(15), "base", [0.1, 0.2, 0.3], base="free")
    np.testing.assert_allclose(point["position"], [1.1, 1.8, 2.7], atol=1e-14)
    np.testing.assert_allclose(point["rotation"], np.diag([1.0, -1.0, -1.0]), atol=1e-14)


def test_damping_enters_the_acceleration():
    q, v = np.zeros(9), np.full(9, 0.1)
    at_rest = robot_dynamics(ARM, q, v, np.zeros(9), [0, 0, 0])
    damping = np.array([1.0, 1.0, 0.5, 0.5, 0.2, 0.1, 0.1, 5.0, 5.0])
    np.testing.assert_allclose(at_rest["M"] @ at_rest["vdot"] + at_rest["bias"], -damping * v, atol=1e-12)


def test_meshes_need_not_be_there():
    text = ARM.replace('<cylinder radius="0.09" length="0.14"/>', '<mesh filename="package://nowhere/base.dae"/>')
    assert text != ARM
    arguments = (np.zeros(9), np.zeros(9), np.zeros(9), [0, 0, -9.81])
    np.testing.assert_array_equal(robot_dynamics(text, *arguments)["M"], robot_dynamics(ARM, *arguments)["M"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(8)}, r"q has the shape \(8,\), expected \(9,\)"),
        ({"v": np.zeros((9, 1))}, r"v has the shape \(9, 1\)"),
        ({"tau": np.full(9, np.nan)}, r"tau\[0\] is NaN"),
        ({"gravity": [0, 0]}, "gravity has the shape"),
        ({"gravity": [0, 0, np.inf]}, "gravity is"),
        ({"base": "floating"}, "base is 'floating', expected 'fixed' or 'free'"),
        ({"base": "free"}, r"q has the shape \(9,\), expected \(16,\)"),
        ({"base": "free", "q": np.zeros(16), "v": np.zeros(15)}, "unit quaternion, xyzw"),
        ({"v": np.full(9, 1e200)}, "leave the range of numbers"),
        ({"urdf_text": 3}, "urdf_text is of type int"),
        ({"urdf_text": "<robot"}, "no well-formed XML"),
        ({"urdf_text": ARM.replace("revolute", "revolt")}, "(?s)no joint of type \"revolt\".*nearest: `revolute`"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"urdf_text": ARM, "q": np.zeros(9), "v": np.zeros(9), "tau": np.zeros(9), "gravity": [0, 0, -9.81]}
    with pytest.raises(ValueError, match=message):
        robot_dynamics(**{**arguments, **change})


def test_an_unknown_body_is_named():
    with pytest.raises(ValueError, match='body is "hnad", expected a link of the URDF: base, shoulder'):
        robot_point(ARM, np.zeros(9), np.zeros(9), "hnad", [0, 0, 0])
