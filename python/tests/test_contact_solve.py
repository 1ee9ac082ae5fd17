"""ropewalk.inspect.contact_solve against the reference problems."""

from typing import Any

import numpy as np
import pytest
from rods import load

from ropewalk.inspect import contact_solve

PROBLEMS = load("contact_problems.json")["problems"]
STEPS = load("rod_one_step.json")["steps"]


def close(found: np.ndarray, expected: Any, tolerance: float) -> None:
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


def first(p: dict[str, Any]) -> tuple[Any, ...]:
    return p["A"], p["J"], p["v_star"], p["phi0"], p["mu"], p["dt"]


@pytest.mark.parametrize("p", PROBLEMS, ids=lambda p: p["name"])
def test_regularized_problems(p: dict[str, Any]) -> None:
    sap = p["sap"]
    found = contact_solve(*first(p), k=sap["k"], tau_d=sap["tau_d"], sigma=sap["sigma"])
    assert set(found) == {"v", "lam", "objective", "iterations", "status"}
    assert found["status"] == "converged"
    close(found["v"], sap["v"], 1e-8)
    close(found["lam"], sap["lam"], 1e-8)
    assert abs(found["objective"] - sap["objective"]) <= 1e-8 * (1 + abs(sap["objective"]))


@pytest.mark.parametrize("p", PROBLEMS, ids=lambda p: p["name"])
def test_given_regularization(p: dict[str, Any]) -> None:
    sap = p["sap"]
    nan = [float("nan")] * p["nc"]
    found = contact_solve(
        p["A"], p["J"], p["v_star"], nan, p["mu"], p["dt"],
        k=nan, tau_d=nan, sigma=float("nan"), R=sap["R"], vhat=sap["vhat"],
    )  # fmt: skip
    assert found["status"] == "converged"
    close(found["v"], sap["v"], 1e-8)


@pytest.mark.parametrize("p", [p for p in PROBLEMS if not p["rigid"]["infeasible"]], ids=lambda p: p["name"])
def test_rigid_limit(p: dict[str, Any]) -> None:
    rigid = p["rigid"]
    r = np.repeat(np.reshape(p["sap"]["R"], (-1, 3))[:, :1] * 1e-7, 3, axis=1).ravel()
    found = contact_solve(*first(p), R=r, vhat=rigid["vhat"])
    assert found["status"] == "converged"
    close(found["v"], rigid["v"], 1e-6)
    close(np.transpose(p["J"]) @ found["lam"], rigid["Jt_lam"], 1e-6)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["case"])
def test_rods_on_a_plane(step: dict[str, Any]) -> None:
    contact = step["coupled_plane_contact"]
    a = np.array(step["A_at_v_star_std"])
    j = np.zeros((3 * len(contact["contact_nodes"]), len(a)))
    for i, node in enumerate(contact["contact_nodes"]):
        j[3 * i : 3 * i + 3, 4 * node : 4 * node + 3] = np.eye(3)
    found = contact_solve(
        a, j, step["v_star_std"], contact["phi0"], contact["mu"], step["dt"],
        R=contact["sap"]["R"], vhat=contact["vhat"],
    )  # fmt: skip
    assert found["status"] == "converged"
    close(found["v"], contact["sap"]["v"], 1e-7)
    close(found["lam"], contact["sap"]["lam"], 1e-6)


def test_bad_input_is_named() -> None:
    p = PROBLEMS[0]
    with pytest.raises(ValueError, match="lagged"):
        contact_solve(*first(p), law="lagged", k=1e5)
    with pytest.raises(ValueError, match="no compliance"):
        contact_solve(*first(p))
    with pytest.raises(ValueError, match="v_star"):
        contact_solve(p["A"], p["J"], [float("nan")] * p["nv"], p["phi0"], p["mu"], p["dt"], k=1e5)
    with pytest.raises(ValueError, match="J"):
        contact_solve(p["A"], np.zeros((2, p["nv"])), p["v_star"], p["phi0"], p["mu"], p["dt"], k=1e5)
    bad = -np.eye(p["nv"])
    found = contact_solve(bad, p["J"], p["v_star"], p["phi0"], p["mu"], p["dt"], k=1e5)
    assert found["status"] == "not_positive_definite"
    assert np.isfinite(found["v"]).all()
