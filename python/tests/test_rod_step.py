"""ropewalk.inspect.rod_step against the reference steps, the momentum balance and a reference trajectory."""

import threading
import time
from typing import Any

import numpy as np
import pytest
from rods import arguments, carried, join, load, random_rod, split, tangents

from ropewalk.inspect import rod_energy, rod_step

STEPS = load("rod_one_step.json")["steps"]
ENERGIES = {case["name"]: case for case in load("rod_energy.json")["cases"]}
STEP_KEYS = ("mass_diag", "dt", "theta", "theta_vq", "alpha", "beta", "gravity", "fixed_dofs")


def close(found: np.ndarray, expected: Any, tolerance: float) -> None:
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("case", STEPS, ids=lambda case: case["case"])
@pytest.mark.parametrize("frames", ["at_q", "stored"])
def test_reference_steps(case: dict[str, Any], frames: str) -> None:
    source = ENERGIES[case["case"]]
    rod = arguments(source)
    if frames == "at_q":
        out = source["out"]
        rod |= {"t_ref": out["t"], "d1_ref": out["d1"], "beta_ref": out["beta"]}
    found = rod_step(case["q0"], case["v0"], **rod, **{key: case[key] for key in STEP_KEYS})
    assert set(found) == {"v", "A", "q", "d1", "beta", "iterations", "status"}
    assert found["status"] == "converged"
    assert 1 <= found["iterations"] < 60
    close(found["v"], case["v_star_std"], 1e-9)
    close(found["A"], case["A_at_v_star_std"], 1e-9)
    np.testing.assert_allclose(found["q"], case["q0"] + case["dt"] * found["v"], rtol=0, atol=1e-15)


def step_arguments(dofs: int, seed: int, **changes: Any) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    defaults = {
        "mass_diag": rng.uniform(0.2, 1.0, size=dofs),
        "dt": 0.05,
        "theta": 1.0,
        "theta_vq": 1.0,
        "alpha": 0.0,
        "beta": 0.0,
        "gravity": [0.3, -0.2, -9.81],
        "fixed_dofs": [],
    }
    return defaults | changes


def springs(
    x: np.ndarray, gamma: np.ndarray, rod: dict[str, Any], change: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Gradient and Hessian at (x, gamma) of springs of the rod's stiffness that are strained by `change` there."""
    closed, rest = rod["closed"], np.asarray(rod["rest_edge_lengths"])
    at = rod_energy(x, gamma, **rod)
    edges = np.roll(x, -1, axis=0) - x if closed else np.diff(x, axis=0)
    new_rest = np.linalg.norm(edges, axis=1) - rest * change["ratio"]

    def cells(lengths: np.ndarray) -> np.ndarray:
        sums = lengths + np.roll(lengths, 1)
        return sums if closed else sums[1:]

    # EA, EI and GJ enter divided by rest lengths, which must not change the stiffness.
    altered = {"EA": rod["EA"] * new_rest / rest, "rest_edge_lengths": new_rest}
    altered |= {key: rod[key] * cells(new_rest) / cells(rest) for key in ("EI1", "EI2", "GJ")}
    altered |= {f"rest_{key}": at[key] - change[key] for key in ("kappa1", "kappa2", "tau")}
    return rod_energy(x, gamma, **(rod | altered))


def strains(x: np.ndarray, gamma: np.ndarray, rod: dict[str, Any]) -> dict[str, np.ndarray]:
    edges = np.roll(x, -1, axis=0) - x if rod["closed"] else np.diff(x, axis=0)
    at = rod_energy(x, gamma, **rod)
    found = {key: at[key] for key in ("kappa1", "kappa2", "tau")}
    return found | {"ratio": np.linalg.norm(edges, axis=1) / rod["rest_edge_lengths"]}


def balance(
    q: np.ndarray, v0: np.ndarray, v: np.ndarray, rod: dict[str, Any], step: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """m(v) and A of the momentum balance, from rod_energy with the frames of the start carried to q_theta."""
    closed, dt, theta, theta_vq = rod["closed"], step["dt"], step["theta"], step["theta_vq"]
    t, d1, beta = carried(split(q, closed)[0], rod)
    rod = rod | {"t_ref": t, "d1_ref": d1, "beta_ref": beta}
    moved = dt * (theta_vq * v + (1 - theta_vq) * v0)
    x, gamma = split(q + theta * moved, closed)
    at = rod_energy(x, gamma, **rod)
    mass = np.diag(step["mass_diag"])
    gravity = join(np.tile(step["gravity"], (len(x), 1)), np.zeros(len(gamma)))
    v_theta = theta * v + (1 - theta) * v0
    drag = step["alpha"] * mass
    m = mass @ (v - v0) + dt * (at["gradient"] + drag @ v_theta - mass @ gravity)
    tangent = mass + theta * dt * drag + theta * theta_vq * dt**2 * at["hessian"]
    if step["beta"] > 0:
        # Rates of strain times beta times stiffness.
        first, last = strains(*split(q, closed), rod), strains(*split(q + moved, closed), rod)
        change = {key: step["beta"] / dt * (last[key] - first[key]) for key in first}
        unstrained = springs(x, gamma, rod, {key: 0 * first[key] for key in first})["hessian"]
        damper = springs(x, gamma, rod, change)
        m += dt * damper["gradient"]
        tangent += step["beta"] * theta_vq * dt * unstrained
        tangent += theta * theta_vq * dt**2 * (damper["hessian"] - unstrained)
    return m, tangent


SCHEMES = {
    "backward_euler": (1.0, 1.0),
    "midpoint": (0.5, 0.5),
    "symplectic_euler": (0.0, 1.0),
    "explicit_position": (1.0, 0.0),
    "between": (0.7, 0.6),
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("n, closed", [(2, False), (3, False), (8, False), (3, True), (4, True), (5, True)])
@pytest.mark.parametrize("alpha", [0.0, 0.8])
def test_the_momentum_balance_holds(n: int, closed: bool, scheme: str, alpha: float) -> None:
    x, gamma, rod = random_rod(n, closed, seed=30 + n)
    q = join(x, gamma)
    v0 = np.random.default_rng(n).normal(size=len(q))
    theta, theta_vq = SCHEMES[scheme]
    step = step_arguments(len(q), n, theta=theta, theta_vq=theta_vq, alpha=alpha)
    found = rod_step(q, v0, **rod, **step)
    assert found["status"] == "converged"
    m, tangent = balance(q, v0, found["v"], rod, step)
    assert np.abs(m).max() <= 1e-11
    close(found["A"], tangent, 1e-12)
    close(found["q"], q + step["dt"] * (theta_vq * found["v"] + (1 - theta_vq) * v0), 1e-15)
    # The frames at the end: carried from q straight to the new shape.
    t, d1, beta = carried(x, rod)
    _, d1, beta = carried(split(found["q"], closed)[0], rod | {"t_ref": t, "d1_ref": d1, "beta_ref": beta})
    np.testing.assert_allclose(found["d1"], d1, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found["beta"], beta, rtol=0, atol=1e-13)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("beta", [1e-3, 0.03])
def test_stiffness_damping_resists_rates_of_strain(closed: bool, beta: float) -> None:
    x, gamma, rod = random_rod(7, closed, seed=40)
    q = join(x, gamma)
    v0 = 0.2 * np.random.default_rng(1).normal(size=len(q))
    for theta, theta_vq in SCHEMES.values():
        step = step_arguments(len(q), 3, dt=0.02, theta=theta, theta_vq=theta_vq, alpha=0.2, beta=beta)
        found = rod_step(q, v0, **rod, **step)
        assert found["status"] == "converged"
        m, tangent = balance(q, v0, found["v"], rod, step)
        assert np.abs(m).max() <= 1e-10
        close(found["A"], tangent, 1e-10)


@pytest.mark.parametrize("n, closed", [(8, False), (3, True), (5, True)])
def test_fixed_degrees_of_freedom_keep_their_velocity(n: int, closed: bool) -> None:
    x, gamma, rod = random_rod(n, closed, seed=50)
    q = join(x, gamma)
    v0 = np.random.default_rng(2).normal(size=len(q))
    fixed = np.array([len(q) - 1, 0, 3, 6, 6])
    free = np.setdiff1d(np.arange(len(q)), fixed)
    step = step_arguments(len(q), 4, fixed_dofs=fixed)
    found = rod_step(q, v0, **rod, **step)
    assert found["status"] == "converged"
    np.testing.assert_array_equal(found["v"][fixed], v0[fixed])
    m, tangent = balance(q, v0, found["v"], rod, step)
    assert np.abs(m[free]).max() <= 1e-11
    assert np.abs(m[fixed]).max() > 1e-3
    close(found["A"], tangent, 1e-12)
    # All of them fixed: it moves as it did.
    found = rod_step(q, v0, **rod, **(step | {"fixed_dofs": range(len(q))}))
    assert found["status"] == "converged"
    np.testing.assert_array_equal(found["v"], v0)


def test_the_branch_of_the_reference_twist_is_kept() -> None:
    x, gamma, rod = random_rod(6, True, seed=60)
    q, v0 = join(x, gamma), np.zeros(24)
    step = step_arguments(24, 5)
    turned = rod | {"beta_ref": rod["beta_ref"] + 2 * np.pi, "rest_tau": rod["rest_tau"] + 2 * np.pi}
    one, other = rod_step(q, v0, **rod, **step), rod_step(q, v0, **turned, **step)
    np.testing.assert_allclose(other["v"], one["v"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(other["beta"], one["beta"] + 2 * np.pi, rtol=0, atol=1e-11)


def trajectory_error(case: dict[str, Any], steps: int) -> float:
    """Greatest distance from the reference at the end, by the midpoint rule."""
    p, n = case["params"], case["n_nodes"]
    q, v, d1, beta = np.array(case["q0"]), np.array(case["v0"]), np.array(case["d1_0"]), np.zeros(n - 2)
    keys = ("EA", "EI1", "EI2", "GJ", "rest_edge_lengths", "rest_kappa1", "rest_kappa2", "rest_tau")
    rod = {"closed": False} | {key: p[key] for key in keys}
    for _ in range(steps):
        t = tangents(split(q, False)[0], False)
        found = rod_step(
            q, v, **rod, t_ref=t, d1_ref=d1, beta_ref=beta,
            mass_diag=case["mass_diag"], dt=case["t"][-1] / steps, theta=0.5, theta_vq=0.5, alpha=0.0, beta=0.0,
            gravity=[0, 0, p["gravity_z"]], fixed_dofs=case["fixed_dofs"],
        )  # fmt: skip
        assert found["status"] == "converged"
        q, v, d1, beta = found["q"], found["v"], found["d1"], found["beta"]
    return float(np.abs(split(q - case["q"][-1], False)[0]).max())


@pytest.mark.parametrize(
    "case", load("rod_trajectories.json")["trajectories"], ids=lambda case: case["name"]
)
def test_trajectories_converge_at_second_order(case: dict[str, Any]) -> None:
    coarse, fine = trajectory_error(case, 3200), trajectory_error(case, 6400)
    assert abs(np.log2(coarse / fine) - 2.0) < 0.1


def test_what_cannot_be_solved_is_a_status_not_an_exception() -> None:
    x, gamma, rod = random_rod(6, False, seed=70)
    q = join(x, gamma)
    # The first node is driven into its neighbor: no shape to take derivatives from.
    v0 = np.zeros(len(q))
    step = step_arguments(len(q), 6, fixed_dofs=[*range(3), *range(4, 7)])
    v0[:3] = (x[1] - x[0]) / step["dt"]
    found = rod_step(q, v0, **rod, **step)
    assert found["status"] in ("stalled", "max_iterations", "not_finite")
    np.testing.assert_array_equal(found["q"], q)
    np.testing.assert_array_equal(found["v"], v0)
    for key in ("A", "d1", "beta"):
        assert np.isfinite(found[key]).all()
    # Velocities beyond all measure.
    found = rod_step(q, np.full(len(q), 1e200), **rod, **step_arguments(len(q), 6))
    assert found["status"] != "converged"
    assert np.isfinite(found["A"]).all()


NAN = float("nan")
BAD = [
    ("q", np.zeros(18), r"q has 18 entries, expected 19 \(4n - 1 for an open rod, n = 5 by rest_edge_lengths\)"),
    ("q", [], "q has 0 entries, expected 19"),
    ("rest_edge_lengths", [], "rest_edge_lengths describes 1 nodes, expected 2 to 2500 for an open rod"),
    ("q", np.zeros((19, 1)), r"q has the shape \(19, 1\), expected \(m,\)"),
    ("q", np.full(19, NAN), r"q\[0\] is NaN"),
    ("q", np.zeros(19), "q: edge 0 has the length 0"),
    ("v", np.zeros(20), "v has 20 entries, expected 19"),
    ("v", np.append(np.zeros(18), NAN), r"v\[18\] is NaN"),
    ("mass_diag", np.zeros(19), r"mass_diag\[0\] is 0, expected a finite mass above zero"),
    ("mass_diag", np.ones(20), "mass_diag has 20 entries"),
    ("dt", 0.0, "dt is 0, expected a finite time above zero"),
    ("dt", [0.1], r"dt has the shape \(1,\), expected one number"),
    ("dt", "soon", "dt has entries of type"),
    ("theta", 1.5, "theta is 1.5, expected a weight from 0 to 1"),
    ("theta_vq", NAN, "theta_vq is NaN"),
    ("alpha", -1.0, "alpha is -1"),
    ("beta", float("inf"), "beta is inf"),
    ("gravity", -9.81, "gravity has the shape"),
    ("gravity", [0, 0, NAN], r"gravity\[2\] is NaN"),
    ("fixed_dofs", [0, 19], r"fixed_dofs\[1\] is 19, expected an index of a degree of freedom, 0 to 18"),
    ("fixed_dofs", [-1], "fixed_dofs has the entry -1"),
    ("fixed_dofs", [0.5], "fixed_dofs has entries of type float64, expected whole numbers"),
    ("fixed_dofs", 3, "fixed_dofs has the shape"),
    ("EA", [1, 2], "EA has 2 entries"),
]  # fmt: skip


@pytest.mark.parametrize("name, value, message", BAD, ids=lambda part: part if isinstance(part, str) else "")
def test_bad_input_names_the_argument(name: str, value: Any, message: str) -> None:
    x, gamma, rod = random_rod(5, False, seed=80)
    everything = rod | step_arguments(19, 8) | {"q": join(x, gamma), "v": np.zeros(19)} | {name: value}
    with pytest.raises(ValueError, match=message):
        rod_step(everything.pop("q"), everything.pop("v"), **everything)


def test_the_lock_is_released() -> None:
    """A long computation does not keep another thread from running."""
    n = 600
    x = np.stack([np.arange(n), np.sin(np.arange(n)), np.zeros(n)], axis=1)
    t = tangents(x, False)
    d1 = np.tile([0.0, 0.0, 1.0], (n - 1, 1))
    rod = dict(closed=False, EA=1.0, EI1=1.0, EI2=1.0, GJ=1.0, rest_edge_lengths=np.ones(n - 1))
    rod |= dict(rest_kappa1=0, rest_kappa2=0, rest_tau=0, t_ref=t, d1_ref=d1, beta_ref=np.zeros(n - 2))
    gaps: list[float] = []
    done = threading.Event()

    def watch() -> None:
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(1e-4)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    for _ in range(5):
        rod_energy(x, np.zeros(n - 1), **rod)
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    # With the lock held the watcher would wake up about five times.
    assert len(gaps) > 20, (seconds, len(gaps))
