"""The paper's method itself: derivatives, patches, schemes, sparsity, the convex problem."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ropewalk import Material, World, curves, sections, shapes
from ropewalk._arrays import FloatArray
from ropewalk.inspect import contact_solve, pressure_patch, rod_energy, rod_step
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.report import Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run

SCHEMES = {"backward Euler": (1.0, 1.0, 1), "symplectic Euler": (0.0, 1.0, 1), "midpoint rule": (0.5, 0.5, 2)}
"""θ, θ_vq and the order of each scheme of the paper."""
SLANTED = 0.7
"""Cosine of pressure gradient and normal from which on a polygon is not slanted."""
ROUND_OFF = 1e-6
"""Differences of second derivatives agree to this; exact relations to much less."""


def _rod(nodes: int, seed: int) -> tuple[FloatArray, FloatArray, dict[str, Any]]:
    """A bent and twisted rod of flat section: positions, angles, and the rest as :func:`ropewalk.inspect.rod_energy` takes it, with
    reference frames where it is."""
    rng = np.random.default_rng(seed)
    x = np.stack([np.arange(nodes), 0.0 * np.arange(nodes), 0.0 * np.arange(nodes)], axis=1) + 0.15 * rng.normal(size=(nodes, 3))
    tangents = np.diff(x, axis=0)
    lengths = np.linalg.norm(tangents, axis=1)
    tangents = tangents / lengths[:, None]
    d1 = np.cross(tangents, [0.0, 0.3, 1.0] + 0.2 * rng.normal(size=tangents.shape))
    d1 /= np.linalg.norm(d1, axis=1)[:, None]
    rod: dict[str, Any] = {
        "closed": False, "EA": 5.0, "EI1": 0.3, "EI2": 0.1, "GJ": 0.15, "rest_edge_lengths": lengths * rng.uniform(0.9, 1.1, size=nodes - 1),
        "rest_kappa1": 0.2, "rest_kappa2": 0.0, "rest_tau": 0.0, "t_ref": tangents, "d1_ref": d1, "beta_ref": np.zeros(nodes - 2),
    }
    return x, 0.3 * rng.normal(size=nodes - 1), rod


def _joined(x: FloatArray, gamma: FloatArray) -> FloatArray:
    return np.concatenate([x, np.append(gamma, 0.0)[:, None]], axis=1).ravel()[:-1]


def derivatives(nodes: int = 6) -> dict[str, Any]:
    """Gradient and Hessian against differences of the energy, relative to their greatest entry; and the force of bending on γ over the
    greatest one on γ."""
    x, gamma, rod = _rod(nodes, 1)
    q, size = _joined(x, gamma), 4 * nodes - 1

    def energy(q: FloatArray, **changes: Any) -> float:
        table = np.append(q, 0.0).reshape(nodes, 4)
        found = rod_energy(table[:, :3], table[:-1, 3], **(rod | changes))
        return found["E_s"] + found["E_t"] + found["E_b"]

    at = rod_energy(x, gamma, **rod)
    h, unit = 2e-3, np.eye(size)
    steps = [(-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12)]
    gradient = np.array([sum(w * energy(q + s * h * u) for s, w in steps) / h for u in unit])
    hessian = np.array([[sum(a * b * energy(q + s * h * u + r * h * v) for s, a in steps for r, b in steps) / h**2 for v in unit] for u in unit])
    bend = rod_energy(x, gamma, **(rod | {"GJ": 1e-12}))["gradient"][3::4]
    return {
        "gradient": float(np.abs(at["gradient"] - gradient).max() / np.abs(gradient).max()),
        "hessian": float(np.abs(at["hessian"] - hessian).max() / np.abs(hessian).max()),
        "bend_on_gamma": float(np.abs(bend).max() / np.abs(at["gradient"][3::4]).max()),
    }


def patches(cases: int = 300) -> dict[str, Any]:
    """Pairs of tetrahedra with linear pressures: greatest relative difference of −kφ and A p over all polygons, of k and A g with the
    gradients of both fields where neither is slanted, and of their sum and the force."""
    rng, worst, polygons, plain = np.random.default_rng(3), [0.0, 0.0, 0.0], 0, 0
    for _ in range(cases):
        fields = []
        for _ in range(2):
            corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]) + 0.2 * rng.normal(size=(4, 3))
            fields.append({"vertices": corners, "tets": [[0, 1, 2, 3]], "pressure": [0.0, 0.0, 0.0, float(rng.uniform(0.5, 2.0))]})
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn *= np.sign(np.linalg.det(turn))
        home, there = {"p": [0.0, 0.0, 0.0], "R": np.eye(3)}, {"p": [0.3, 0.3, 0.3], "R": turn}
        found = pressure_patch(fields[0], home, fields[1], there)
        slopes = [_slope(fields[0], np.eye(3)), _slope(fields[1], turn)]
        force = np.zeros(3)
        for polygon in found["polygons"]:
            polygons += 1
            push = polygon["area"] * polygon["pressure"]
            force += push * polygon["normal_ba"]
            across = [float(slopes[0] @ polygon["normal_ba"]), float(-slopes[1] @ polygon["normal_ba"])]
            worst[0] = max(worst[0], abs(polygon["stiffness"] * polygon["gap"] + push) / push)
            # Where a pressure falls nearly along the patch, the engine bounds its slope from below.
            if all(slope > SLANTED * np.linalg.norm(g) for slope, g in zip(across, slopes, strict=True)):
                plain += 1
                expected = polygon["area"] / (1.0 / across[0] + 1.0 / across[1])
                worst[1] = max(worst[1], abs(polygon["stiffness"] / expected - 1.0))
        if found["polygons"]:
            worst[2] = max(worst[2], float(np.linalg.norm(force - found["force_on_a"]) / np.linalg.norm(force)))
    return {"polygons": polygons, "plain": plain, "distance": worst[0], "stiffness": worst[1], "sum": worst[2]}


def _slope(field: Mapping[str, Any], turn: FloatArray) -> FloatArray:
    """Gradient of the pressure in a tetrahedron, turned."""
    corners, pressure = np.asarray(field["vertices"]), np.asarray(field["pressure"])
    return np.asarray(turn @ np.linalg.solve(corners[1:] - corners[0], pressure[1:] - pressure[0]))


def schemes(duration: float = 0.5) -> dict[str, Any]:
    """Orders of the schemes on a soft rod that swings: errors of the positions at the end for steps h and h/2, against h/64 of the midpoint
    rule."""
    nodes = 5
    x = np.stack([0.1 * np.arange(nodes), np.zeros(nodes), np.zeros(nodes)], axis=1)
    frames: dict[str, Any] = {"t_ref": np.tile([1.0, 0.0, 0.0], (nodes - 1, 1)), "d1_ref": np.tile([0.0, 1.0, 0.0], (nodes - 1, 1)), "beta_ref": np.zeros(nodes - 2)}
    masses = np.append(np.tile([0.02, 0.02, 0.02, 1e-4], nodes)[:-1], [])
    rod: dict[str, Any] = {
        "closed": False, "EA": 20.0, "EI1": 1e-3, "EI2": 1e-3, "GJ": 1e-3, "rest_edge_lengths": np.full(nodes - 1, 0.1),
        "rest_kappa1": 0.0, "rest_kappa2": 0.0, "rest_tau": 0.0, "mass_diag": masses, "gravity": [0.0, 0.0, -9.81], "fixed_dofs": [0, 1, 2, 3],
    }

    def end(theta: float, theta_vq: float, dt: float) -> FloatArray:
        q, v, carried = _joined(x, np.zeros(nodes - 1)), np.zeros(4 * nodes - 1), dict(frames)
        for _ in range(round(duration / dt)):
            found = rod_step(q, v, dt=dt, theta=theta, theta_vq=theta_vq, **rod, **carried)
            q, v = found["q"], found["v"]
            points = np.append(q, 0.0).reshape(nodes, 4)[:, :3]
            along = np.diff(points, axis=0)
            carried = {"t_ref": along / np.linalg.norm(along, axis=1)[:, None], "d1_ref": found["d1"], "beta_ref": found["beta"]}
        return q

    h = 2e-3
    exact = end(0.5, 0.5, h / 32)
    out: dict[str, Any] = {}
    for name, (theta, theta_vq, _) in SCHEMES.items():
        errors = [float(np.linalg.norm(end(theta, theta_vq, dt) - exact)) for dt in (h, h / 2)]
        out[name] = math.log2(errors[0] / errors[1])
    return out


def sparsity(nodes: int = 12, states: int = 8) -> dict[str, Any]:
    """Entries of the tangent that couple nodes more than two apart, over the greatest entry; and in how many states other entries than in
    the first are not zero."""
    outside, patterns = 0.0, []
    for seed in range(states):
        x, gamma, rod = _rod(nodes, 10 + seed)
        tangent = rod_energy(x, gamma, **rod)["hessian"]
        node = np.arange(len(tangent)) // 4
        far = np.abs(node[:, None] - node[None, :]) > 2
        outside = max(outside, float(np.abs(tangent[far]).max() / np.abs(tangent).max()))
        patterns.append(np.abs(tangent) > 1e-14 * np.abs(tangent).max())
    union = np.logical_or.reduce(patterns)
    return {"outside": outside, "changed": sum(bool((p != union).any()) for p in patterns), "states": states, "share": float(union.mean())}


def optimum(problems: int = 40) -> dict[str, Any]:
    """Random contact problems: greatest violation of the optimality conditions, relative; and whether any of 50 points around a solution, or
    between it and the free motion, has a lower cost."""
    rng, worst, better = np.random.default_rng(5), 0.0, 0
    for _ in range(problems):
        size, count = 12, 4
        root = rng.normal(size=(size, size))
        matrix, jacobian = root @ root.T + np.eye(size), rng.normal(size=(3 * count, size))
        free, mu = rng.normal(size=size), rng.uniform(0.1, 1.0, size=count)
        bias, soft = 0.1 * rng.normal(size=3 * count), np.tile([1e-3, 1e-3, 1e-2], count)
        found = contact_solve(matrix, jacobian, free, 0.0, mu, 1e-3, R=soft, vhat=bias)
        v, pushes = found["v"], found["lam"]
        residual = matrix @ (v - free) - jacobian.T @ pushes
        worst = max(worst, float(np.linalg.norm(residual) / np.linalg.norm(matrix @ free)))
        sides = np.linalg.norm(pushes.reshape(-1, 3)[:, :2], axis=1) - mu * pushes.reshape(-1, 3)[:, 2]
        worst = max(worst, float(sides.max() / max(np.abs(pushes).max(), 1e-12)))

        def cost(at: FloatArray, *, problem: tuple[Any, ...] = (matrix, jacobian, free, mu, bias, soft)) -> float:
            matrix, jacobian, free, mu, bias, soft = problem
            y = (bias - jacobian @ at) / soft
            push = _projected(y.reshape(-1, 3), mu, soft.reshape(-1, 3))
            return float(0.5 * (at - free) @ matrix @ (at - free) + 0.5 * (soft.reshape(-1, 3) * push**2).sum())

        least = cost(v)
        others = [v + 10.0 ** rng.uniform(-6, 0) * rng.normal(size=size) for _ in range(40)] + [v + s * (free - v) for s in np.linspace(0.1, 1.0, 10)]
        better += sum(cost(other) < least - 1e-9 * abs(least) for other in others)
    return {"violation": worst, "better": better, "problems": problems}


def _projected(y: FloatArray, mu: FloatArray, soft: FloatArray) -> FloatArray:
    """On the friction cones, in the norm of the regularization: the cone, its polar, or the side between them."""
    out = np.zeros_like(y)
    for k, (p, m, r) in enumerate(zip(y, mu, soft, strict=True)):
        side = float(np.linalg.norm(p[:2]))
        ratio = r[0] / r[2]
        if side <= m * p[2]:
            out[k] = p
        elif p[2] > -m * ratio * side:
            normal = (p[2] + m * ratio * side) / (1.0 + m * m * ratio)
            out[k] = [m * normal * p[0] / side, m * normal * p[1] / side, normal]
    return out


def tails(counts: Sequence[int] = (60, 120, 240, 480)) -> dict[str, Any]:
    """A rope over a peg, with longer and longer ends that touch nothing: contacts, and ms of the solver for each step."""
    rows = []
    for count in counts:
        world = World(dt=1e-3)
        rubber = Material(youngs_modulus=1e7, poisson_ratio=0.5, density=1000.0)
        half = 0.5 * 5e-3 * count
        line = curves.Line([-half, 0.0, 0.0251], [half, 0.0, 0.0251])
        world.add_rod("rope", line, material=rubber, section=sections.Circle(5e-3), segments=count)
        world.set("rod.rope.mass_damping", 20.0)
        world.set("gravity", [0.0, 0.0, -1.0])
        world.set("contact.exclude", [["rope", "rope"]])
        world.add_body("peg", shapes.Sphere(radius=0.02), motion="fixed", friction=0.5)
        world.step(20)
        reports = [world.step() for _ in range(100)]
        # The median: timers are those of the wall clock.
        solver = float(np.median([report.timers.get("solve", 0.0) for report in reports]))
        rows.append({"nodes": count + 1, "contacts": float(np.mean([report.contacts for report in reports])), "solver_ms": 1e3 * solver})
    return {"rows": rows}


def position_based(steps: Sequence[float] = (4e-3, 2e-3, 1e-3)) -> dict[str, Any]:
    """A hanging rope of 20 particles by position-based dynamics (Müller et al. 2007; ten sweeps over its distances a step, at full
    stiffness): its stretch once it is at rest, for several steps."""
    count, sweeps, length = 20, 10, 0.05
    out = []
    for dt in steps:
        z, v = [-length * k for k in range(count + 1)], [0.0] * (count + 1)
        for _ in range(round(4.0 / dt)):
            v = [0.0] + [(x - 9.81 * dt) * (1.0 - 2.0 * dt) for x in v[1:]]
            new = [a + dt * b for a, b in zip(z, v, strict=True)]
            for _ in range(sweeps):
                for k in range(count):
                    change = new[k] - new[k + 1] - length
                    if k == 0:
                        new[1] += change
                    else:
                        new[k] -= 0.5 * change
                        new[k + 1] += 0.5 * change
            v, z = [(a - b) / dt for a, b in zip(new, z, strict=True)], new
        out.append({"dt": dt, "stretch": -z[-1] / (count * length) - 1.0, "speed": max(map(abs, v))})
    return {"rows": out}


def runs(form: Form) -> list[Run]:
    """One of each."""
    del form
    return [Run(f"method:{name}", weight=1.0) for name in ("derivatives", "patches", "schemes", "sparsity", "optimum", "tails", "position_based")]


def section(form: Form, results: Sequence[Result]) -> Section:
    """What each of them says."""
    del form
    out = Section("method", "The method", "Parts of the method as functions of plain arrays (`ropewalk.inspect`), on random inputs of fixed seeds.")
    found = {r.run.function.partition(":")[2]: r for r in results if r}
    rows: list[list[str]] = []
    judges = {"derivatives": _derivatives, "patches": _patches, "schemes": _schemes, "sparsity": _sparsity, "optimum": _optimum, "tails": _tails, "position_based": _position_based}
    for name, judge in judges.items():
        if name in found:
            claim, verdict = judge(found[name].values)
            out.verdicts[claim] = verdict
            rows.append([name, verdict.evidence, verdict.word])
    out.add(Table("What was measured", ["part", "result", "verdict"], rows))
    return out


def _word(holds: bool) -> str:
    return "reproduced" if holds else "not reproduced"


def _derivatives(values: Mapping[str, Any]) -> tuple[str, Verdict]:
    holds = values["gradient"] < ROUND_OFF and values["hessian"] < ROUND_OFF and values["bend_on_gamma"] > 1e-2
    text = f"gradient and Hessian agree with differences of the energy to {values['gradient']:.0e} and {values['hessian']:.0e}; bending gives {100 * values['bend_on_gamma']:.0f} % of the greatest moment on γ"
    return "hessian-corrected", Verdict(_word(holds), text)


def _patches(values: Mapping[str, Any]) -> tuple[str, Verdict]:
    worst = max(values["distance"], values["stiffness"], values["sum"])
    text = f"{values['polygons']} polygons: −kφ is A p to {values['distance']:.0e}, k is A g of the fields to {values['stiffness']:.0e} ({values['plain']} that are not slanted), they sum to the force to {values['sum']:.0e}"
    return "patch-as-points", Verdict(_word(values["plain"] > 0 and worst < ROUND_OFF), text)


def _schemes(values: Mapping[str, Any]) -> tuple[str, Verdict]:
    holds = all(abs(values[name] - order) < 0.3 for name, (_, _, order) in SCHEMES.items())
    text = "measured order of " + ", ".join(f"{name} {values[name]:.2f} (theory {order})" for name, (_, _, order) in SCHEMES.items())
    return "theta-method", Verdict(_word(holds), text + ", one function with two numbers θ, θ_vq")


def _sparsity(values: Mapping[str, Any]) -> tuple[str, Verdict]:
    holds = values["outside"] == 0.0 and values["changed"] == 0
    text = f"{values['states']} random states: entries beyond the second neighbor are at most {number(values['outside'])} of the greatest, {values['changed']} states have another pattern; a rod is block-pentadiagonal"
    return "fixed-sparsity", Verdict(_word(holds), text)


def _optimum(values: Mapping[str, Any]) -> tuple[str, Verdict]:
    holds = values["violation"] < ROUND_OFF and values["better"] == 0
    text = f"{values['problems']} random problems: optimality conditions hold to {values['violation']:.0e}; of {50 * values['problems']} other points {values['better']} have a lower cost"
    return "kkt", Verdict(_word(holds), text)


def _tails(values: Mapping[str, Any]) -> tuple[str, Verdict]:
    rows = values["rows"]
    power = float(np.polyfit(np.log([r["nodes"] for r in rows]), np.log([r["solver_ms"] for r in rows]), 1)[0])
    text = "rope over a peg with longer and longer ends: " + ", ".join(f"{r['nodes']} nodes, {r['contacts']:.0f} contacts, {r['solver_ms']:.3f} ms in the solver" for r in rows)
    # What takes no part is eliminated, which is linear; a dense problem of all of it would be cubic.
    return "schur", Verdict(_word(power < 1.3), f"{text}: grows as nodes to the power {power:.2f}")


def _position_based(values: Mapping[str, Any]) -> tuple[str, Verdict]:
    rows = values["rows"]
    spread = max(r["stretch"] for r in rows) / max(min(r["stretch"] for r in rows), 1e-12)
    text = "a hanging rope by position-based dynamics (own few lines, ten sweeps) stretches by " + ", ".join(f"{100 * r['stretch']:.2g} % at {r['dt']:g} s" for r in rows)
    return "pbd-step-dependent", Verdict(_word(spread > 2.0), text)
