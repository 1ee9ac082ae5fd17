"""Rods for the tests: those of the reference files, and random ones with an energy written in numpy."""

import json
from pathlib import Path
from typing import Any

import numpy as np

REFERENCE = Path(__file__).parents[2] / "tests" / "reference"
ROD_KEYS = (
    "closed", "EA", "EI1", "EI2", "GJ", "rest_edge_lengths", "rest_kappa1", "rest_kappa2", "rest_tau",
    "t_ref", "d1_ref", "beta_ref",
)  # fmt: skip


def load(name: str) -> Any:
    return json.loads((REFERENCE / name).read_text())


def arguments(case: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a case of rod_energy.json that describe its rod."""
    return {key: case[key] for key in ROD_KEYS}


def tangents(x: np.ndarray, closed: bool) -> np.ndarray:
    e = np.roll(x, -1, axis=0) - x if closed else np.diff(x, axis=0)
    return e / np.linalg.norm(e, axis=1)[:, None]


def split(q: np.ndarray, closed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, 3) and angles (edges,) of degrees of freedom."""
    n = (len(q) + 1) // 4
    padded = np.append(q, [0.0] * (4 * n - len(q))).reshape(n, 4)
    return padded[:, :3], padded[: n if closed else n - 1, 3]


def join(x: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    n = len(x)
    q = np.zeros((n, 4))
    q[:, :3] = x
    q[: len(gamma), 3] = gamma
    return q.ravel()[: 3 * n + len(gamma)]


def transport(d: np.ndarray, t: np.ndarray, u: np.ndarray) -> np.ndarray:
    """The smallest rotation from t to u, as a matrix, applied to d."""
    axis = np.cross(t, u)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return d + cross @ d + cross @ cross @ d / (1 + t @ u)


def carried(x: np.ndarray, rod: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tangents, directors and reference twist at x."""
    t = tangents(x, rod["closed"])
    d1 = np.array([transport(d, a, b) for d, a, b in zip(rod["d1_ref"], rod["t_ref"], t)])
    beta = []
    stencils = range(len(x)) if rod["closed"] else range(1, len(x) - 1)
    for near, k in zip(rod["beta_ref"], stencils):
        u = transport(d1[k - 1], t[k - 1], t[k])
        angle = np.arctan2(np.cross(u, d1[k]) @ t[k], u @ d1[k])
        beta.append(angle + 2 * np.pi * np.round((near - angle) / (2 * np.pi)))
    return t, d1, np.array(beta)


def energy(q: np.ndarray, rod: dict[str, Any]) -> np.ndarray:
    """E_s, E_t, E_b by the formulas of the documentation, edge by edge and node by node."""
    x, gamma = split(q, rod["closed"])
    n, rest = len(x), rod["rest_edge_lengths"]
    edges = len(rest)
    length = [np.linalg.norm(x[(i + 1) % n] - x[i]) for i in range(edges)]
    stretch = 0.5 * sum(np.broadcast_to(rod["EA"], edges) * (np.array(length) / rest - 1) ** 2 * rest)
    t, d1, beta = carried(x, rod)
    d2 = np.cross(t, d1)
    c, s = np.cos(gamma)[:, None], np.sin(gamma)[:, None]
    m1, m2 = c * d1 + s * d2, -s * d1 + c * d2
    stencils = range(n) if rod["closed"] else range(1, n - 1)
    count = len(stencils)
    stiff = [np.broadcast_to(rod[k], count) for k in ("EI1", "EI2", "GJ")]
    natural = [np.broadcast_to(rod[k], count) for k in ("rest_kappa1", "rest_kappa2", "rest_tau")]
    twist = bend = 0.0
    for j, k in enumerate(stencils):
        voronoi = 0.5 * (rest[k - 1] + rest[k])
        kappa = 2 * np.cross(t[k - 1], t[k]) / (1 + t[k - 1] @ t[k])
        strain = (
            kappa @ (m2[k - 1] + m2[k]) / 2,
            -kappa @ (m1[k - 1] + m1[k]) / 2,
            gamma[k] - gamma[k - 1] + beta[j],
        )
        parts = [0.5 * stiff[i][j] / voronoi * (strain[i] - natural[i][j]) ** 2 for i in range(3)]
        bend += parts[0] + parts[1]
        twist += parts[2]
    return np.array([stretch, twist, bend])


def random_rod(
    n: int, closed: bool, seed: int, vary: bool = True
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Positions, angles and arguments; stiffnesses differ from place to place if `vary`."""
    rng = np.random.default_rng(seed)
    edges, stencils = (n, n) if closed else (n - 1, n - 2)
    if closed:
        angle = 2 * np.pi * np.arange(n) / n
        x = np.stack([np.cos(angle), np.sin(angle), np.zeros(n)], axis=1)
    else:
        x = np.stack([np.arange(n), np.zeros(n), np.zeros(n)], axis=1)
    reference = x + 0.1 * rng.normal(size=(n, 3))
    x = reference + 0.1 * rng.normal(size=(n, 3))
    t_ref = tangents(reference, closed)
    d1_ref = np.cross(t_ref, rng.normal(size=(edges, 3)))
    d1_ref /= np.linalg.norm(d1_ref, axis=1)[:, None]
    e = np.roll(x, -1, axis=0) - x if closed else np.diff(x, axis=0)

    def stiffness(base: float, count: int) -> Any:
        return base * rng.uniform(0.5, 1.5, size=count) if vary else base

    rod = {
        "closed": closed,
        "EA": stiffness(5.0, edges),
        "EI1": stiffness(0.3, stencils),
        "EI2": stiffness(0.2, stencils),
        "GJ": stiffness(0.15, stencils),
        "rest_edge_lengths": np.linalg.norm(e, axis=1) * rng.uniform(0.8, 1.1, size=edges),
        "rest_kappa1": 0.3 * rng.normal(size=stencils),
        "rest_kappa2": 0.3 * rng.normal(size=stencils),
        "rest_tau": 0.3 * rng.normal(size=stencils),
        "t_ref": t_ref,
        "d1_ref": d1_ref,
        "beta_ref": 2 * np.pi * rng.integers(-2, 3, size=stencils).astype(float),
    }
    return x, rng.normal(size=edges), rod
