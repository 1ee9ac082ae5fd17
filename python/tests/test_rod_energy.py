"""ropewalk.inspect.rod_energy against the reference rods and against an energy written in numpy."""

from typing import Any

import numpy as np
import pytest
from rods import arguments, carried, energy, join, load, random_rod

from ropewalk.inspect import rod_energy

CASES = load("rod_energy.json")["cases"]


def test_all_reference_rods_are_here() -> None:
    assert len(CASES) == 11


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_reference_rods(case: dict[str, Any]) -> None:
    found = rod_energy(case["x"], case["gamma"], **arguments(case))
    assert set(found) == {"E_s", "E_t", "E_b", "gradient", "hessian", "kappa1", "kappa2", "tau"}
    out = case["out"]
    for key in ("E_s", "E_t", "E_b"):
        assert abs(found[key] - out[key]) <= 1e-12 * out["E"]
    for key in ("kappa1", "kappa2", "tau"):
        np.testing.assert_allclose(found[key], out[key], rtol=0, atol=1e-12)
    for key, expected, tolerance in (
        ("gradient", np.array(out["std"]["grad"]), 1e-11),
        ("hessian", np.array(out["std"]["hess"]), 1e-10),
    ):
        assert found[key].shape == expected.shape
        assert found[key].dtype == np.float64
        assert np.abs(found[key] - expected).max() <= tolerance * np.abs(expected).max()


RODS = [(2, False), (3, False), (4, False), (9, False), (3, True), (4, True), (5, True), (11, True)]
# Central differences of fourth order: weights at -2h, -h, h, 2h.
OFFSETS, WEIGHTS = (-2, -1, 1, 2), (1 / 12, -8 / 12, 8 / 12, -1 / 12)


@pytest.mark.parametrize("n, closed", RODS)
def test_random_rods_agree_with_an_energy_in_numpy(n: int, closed: bool) -> None:
    x, gamma, rod = random_rod(n, closed, seed=n)
    found = rod_energy(x, gamma, **rod)
    q = join(x, gamma)
    parts = energy(q, rod)
    np.testing.assert_allclose([found["E_s"], found["E_t"], found["E_b"]], parts, rtol=1e-12, atol=1e-13)
    # The derivative that forces are made of: frames at x, then differentiated.
    t, d1, beta = carried(x, rod)
    here = rod | {"t_ref": t, "d1_ref": d1, "beta_ref": beta}

    def total(at: np.ndarray) -> float:
        return float(energy(at, here).sum())

    h, unit = 2e-3, np.eye(len(q))
    gradient = [sum(w * total(q + o * h * u) for o, w in zip(OFFSETS, WEIGHTS)) / h for u in unit]
    scale = np.abs(found["gradient"]).max()
    np.testing.assert_allclose(found["gradient"], gradient, rtol=0, atol=1e-7 * scale)
    if len(q) > 20:
        return
    hessian = found["hessian"]
    for i, u in enumerate(unit):
        for j, w in enumerate(unit[: i + 1]):
            entry = sum(
                a * b * total(q + h * (o * u + p * w))
                for o, a in zip(OFFSETS, WEIGHTS)
                for p, b in zip(OFFSETS, WEIGHTS)
            )
            assert abs(hessian[i, j] - entry / h**2) <= 1e-6 * np.abs(hessian).max()
    np.testing.assert_array_equal(hessian, hessian.T)


@pytest.mark.parametrize("n, closed", [(9, False), (5, True)])
def test_forces_and_moments_sum_to_zero(n: int, closed: bool) -> None:
    x, gamma, rod = random_rod(n, closed, seed=17)
    gradient = np.append(rod_energy(x, gamma, **rod)["gradient"], [] if closed else [0.0]).reshape(n, 4)
    force, torque = gradient[:, :3], gradient[: len(gamma), 3]
    t, _, _ = carried(x, rod)
    scale = np.abs(gradient).max()
    assert np.abs(force.sum(axis=0)).max() <= 1e-13 * scale
    moment = np.cross(x, force).sum(axis=0) + (torque[:, None] * t).sum(axis=0)
    assert np.abs(moment).max() <= 1e-13 * scale * n


@pytest.mark.parametrize("closed", [False, True])
def test_a_number_stands_for_an_array_of_it(closed: bool) -> None:
    x, gamma, rod = random_rod(6, closed, seed=2, vary=False)
    edges, stencils = len(gamma), len(rod["beta_ref"])
    spread = rod | {"EA": np.full(edges, rod["EA"])}
    spread |= {key: [rod[key]] * stencils for key in ("EI1", "EI2", "GJ")}
    one, other = rod_energy(x, gamma, **rod), rod_energy(x, gamma, **spread)
    for key, value in one.items():
        np.testing.assert_array_equal(value, other[key])


def test_arrays_of_any_layout_and_type_will_do() -> None:
    x, gamma, rod = random_rod(6, False, seed=3)
    x = x.astype(np.float32).astype(np.float64)
    expected = rod_energy(x, gamma, **rod)["gradient"]
    for same in (np.asfortranarray(x), x.astype(np.float32), x.tolist(), np.repeat(x, 2, axis=0)[::2]):
        np.testing.assert_array_equal(rod_energy(same, gamma, **rod)["gradient"], expected)


def test_arguments_are_not_changed() -> None:
    x, gamma, rod = random_rod(6, True, seed=4)
    before = {key: np.copy(value) for key, value in (rod | {"x": x, "gamma": gamma}).items()}
    rod_energy(x, gamma, **rod)
    for key, value in (rod | {"x": x, "gamma": gamma}).items():
        np.testing.assert_array_equal(value, before[key])


NAN, INF = float("nan"), float("inf")
BAD = [
    ("x", np.zeros((5, 2)), r"x has the shape \(5, 2\), expected \(m, 3\)"),
    ("x", np.zeros((1, 3)), "x describes 1 nodes, expected 2 to 2500 for an open rod"),
    ("x", np.zeros((5, 3)), "x: edge 0 has the length 0"),
    ("x", np.full((5, 3), NAN), r"x\[0\] is NaN, expected a finite number"),
    ("x", [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [2, 0, 0]], "x: edge 3 points against"),
    ("x", "rope", "x has entries of type"),
    ("x", [[0, 0, 0], [1, 0]], "x is not an array of real numbers"),
    ("gamma", np.zeros(5), r"gamma has 5 entries, expected 4 \(one per edge\)"),
    ("gamma", 0.0, r"gamma has the shape \(\), expected \(m,\)"),
    ("gamma", [0, 0, INF, 0], r"gamma\[2\] is inf"),
    ("gamma", [0, 0, 1j, 0], "gamma has entries of type complex128"),
    ("closed", "no", "closed is 'no', expected True or False"),
    ("EA", -1.0, r"EA\[0\] is -1, expected a finite stiffness"),
    ("EA", np.ones(3), r"EA has 3 entries, expected 4 \(one per edge\) or one for all"),
    ("EI1", np.ones((3, 1)), r"EI1 has the shape \(3, 1\), expected a number or \(m,\)"),
    ("EI2", [1, 1, NAN], r"EI2\[2\] is NaN"),
    ("GJ", np.ones(4), r"GJ has 4 entries, expected 3 \(one per stencil\) or one for all"),
    ("rest_edge_lengths", [1, 1, 0, 1], r"rest_edge_lengths\[2\] is 0, expected a finite length above zero"),
    ("rest_edge_lengths", [1, 1, 1], "rest_edge_lengths has 3 entries, expected 4"),
    ("rest_kappa1", [0, NAN, 0], r"rest_kappa1\[1\] is NaN"),
    ("rest_kappa2", [0, 0], "rest_kappa2 has 2 entries, expected 3"),
    ("rest_tau", np.zeros(5), "rest_tau has 5 entries, expected 3"),
    ("t_ref", np.zeros((4, 3)), r"t_ref\[0\] is 0, expected unit vectors"),
    ("t_ref", np.zeros((5, 3)), r"t_ref has 5 entries, expected 4"),
    ("d1_ref", [[1, 0, 0]] * 4, r"d1_ref\[0\] is .*, expected vectors perpendicular to t_ref"),
    ("d1_ref", [[NAN, 0, 0]] * 4, r"d1_ref\[0\] is NaN"),
    ("beta_ref", [0.0], "beta_ref has 1 entries, expected 3"),
    ("beta_ref", [0, 0, -INF], r"beta_ref\[2\] is -inf"),
    ("EA", 1e308, "the result overflows"),
]  # fmt: skip


@pytest.mark.parametrize("name, value, message", BAD, ids=lambda part: part if isinstance(part, str) else "")
def test_bad_input_names_the_argument(name: str, value: Any, message: str) -> None:
    x, gamma, rod = random_rod(5, False, seed=5)
    if name == "d1_ref" and np.isfinite(value).all():
        rod["t_ref"] = value
    everything = rod | {"x": 1e3 * x, "gamma": gamma} | {name: value}
    if name == "x" and "against" in message:
        everything["t_ref"] = [[1, 0, 0]] * 3 + [[0, 1, 0]]
        everything["d1_ref"] = [[0, 0, 1]] * 4
    with pytest.raises(ValueError, match=message):
        rod_energy(everything.pop("x"), everything.pop("gamma"), **everything)


def test_a_closed_rod_needs_three_nodes() -> None:
    _, _, rod = random_rod(3, True, seed=6)
    with pytest.raises(ValueError, match="x describes 2 nodes, expected 3 to 2500 for a closed rod"):
        rod_energy([[0, 0, 0], [1, 0, 0]], [0, 0], **rod)
