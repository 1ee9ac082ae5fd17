"""Baseline: a chain of rigid capsules with springs, in our engine: cantilever and knot."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk import World
from ropewalk.reproduce.chains import Springs, chain_document, chain_nodes, spring_energy
from ropewalk.reproduce.figures import axes, draw, frames
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.knots import DIAMETER, LOOK, SPEED, knot, snap
from ropewalk.reproduce.report import Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.topology import determinant
from ropewalk.reproduce.watch import watch

PUBLISHED = Springs(bend=2e-3, twist=2e-3, translation=3e3)
"""The paper's joints of the knot. The rod's own would be EI/l = 2.1e-2 N m/rad, GJ/l = 1.4e-2 N m/rad and EA/l = 3.8e4 N/m."""
YOUNG, SHEAR, DENSITY = 1.8e7, 6e6, 1000.0
TUNED_AT = 20
"""Number of capsules of the cantilever for which "tuned" springs are right."""


def cantilever(count: int, springs: str) -> dict[str, Any]:
    """The heavy cantilever of our scene as a chain, at rest: drop of its tip, m. Springs are EI/l of each chain (``"rod"``), or
    those of a chain of 20 in all (``"tuned"``)."""
    length, radius, young = 0.3, 5e-3, 1e7
    nodes = np.linspace([0.0, 0.0, 0.0], [length, 0.0, 0.0], count + 1)
    size = length / (count if springs == "rod" else TUNED_AT)
    joint = Springs.of_rod(young, young / 3, radius, size)
    document = chain_document(nodes, radius, 1000.0, joint, damping_time=0.05)
    document |= {"title": "cantilever of capsules", "time": {"dt": 1e-3, "duration": 4.0}}
    # The wall holds the middle of half a joint: a spring twice as stiff.
    wall = {"translation": 2 * joint.translation, "bend": 2 * joint.bend, "twist": 2 * joint.twist, "damping_time": 0.05}
    document["attach"]["wall"] = {"kind": "bushing", "body": "c0", "point": [0.0, 0.0, -0.5 * length / count], "to": "world", "bushing": wall}
    document["contact"]["exclude"] = [[f"c{i}", f"c{j}"] for i in range(count) for j in range(i + 1, count)]
    world = World(document)
    found = watch(world, 4.0)
    tip = chain_nodes(world, count, length / count)[-1]
    return found | {"drop": -float(tip[2]), "speed": float(np.linalg.norm(world.bodies[f"c{count - 1}"].velocity))}


def pull(order: int, springs: str, dt: float, duration: float, cpu_limit: float, count: int = 300) -> dict[str, Any]:
    """Pulls a knot in a chain of capsules: what :func:`ropewalk.reproduce.knots.pull` says of a rod."""
    nodes = knot(order, 1e-3, count).rods["rope"].positions
    radius, length = 0.5 * DIAMETER, float(np.linalg.norm(np.diff(nodes, axis=0), axis=1).mean())
    joint = PUBLISHED if springs == "published" else Springs.of_rod(YOUNG, SHEAR, radius, length)
    document = chain_document(nodes, radius, DENSITY, joint)
    document |= {"title": "knot of capsules", "gravity": [0.0, 0.0, 0.0], "time": {"dt": dt, "duration": duration}, "actuator": {}}
    axis = (nodes[-1] - nodes[0]) / np.linalg.norm(nodes[-1] - nodes[0])
    for name, body, end, sign in (("left", "c0", 0, -1.0), ("right", f"c{count - 1}", -1, 1.0)):
        slider = {"mass": 9e-5, "inertia": [1e-9, 1e-9, 1e-9, 0.0, 0.0, 0.0], "position": nodes[end].tolist()}
        document["body"][name] = slider | {"joint": {"prismatic": {"axis": (sign * axis).tolist()}}}
        point = [0.0, 0.0, 0.5 * length * sign]
        document["attach"][name] = {"kind": "ball", "body": body, "point": point, "to": {"body": name, "point": [0.0, 0.0, 0.0]}}
        target = {"ramp": {"times": [0.0, 10.0], "values": [0.0, 10.0 * SPEED]}}
        document["actuator"][name] = {"body": name, "kind": "position", "position_gain": 1e6, "target": target}
    world = World(document)
    overlap = world.measure("deepest_overlap", "greatest")

    def look(world: World) -> dict[str, float]:
        ends = [world.bodies[name].position for name in ("left", "right")]
        return {
            "apart": float(np.linalg.norm(ends[1] - ends[0])),
            "pull": 0.5 * float(world.actuators["left"].effort + world.actuators["right"].effort),
            "elastic": spring_energy(world, count, length, joint),
        }

    found = watch(world, duration, look, LOOK, cpu_limit)
    shape = chain_nodes(world, count, length)
    return found | {"determinant": determinant(shape), "shape": shape, "overlap": (overlap.value or 0.0) / DIAMETER, "springs": list(joint)}


def exact_drop() -> dict[str, Any]:
    """What the elastica says of the cantilever's tip, m, and what our rod of 100 segments comes to."""
    claims = {claim.name: claim for claim in World("cantilever").check_claims()}
    return {"elastica": claims["tip_drop"].reference, "rod": claims["tip_drop"].measured}


def runs(form: Form) -> list[Run]:
    """Cantilevers of several lengths of capsules; the knot with the published springs and with the rod's own."""
    counts = form.pick(tiny=[4], quick=[10, 20, 40], full=[5, 10, 20, 40, 80])
    plan = [Run("capsule_chain:exact_drop", weight=2.0)]
    plan += [Run("capsule_chain:cantilever", {"count": n, "springs": kind}, weight=0.3 * n) for n in counts for kind in ("rod", "tuned")]
    limit, seconds = form.peer_seconds, form.pick(tiny=2e-3, quick=0.7, full=0.84)
    count = form.pick(tiny=60, quick=300, full=300)
    steps = form.pick(tiny=[("published", 1e-3)], quick=[("published", 1e-4), ("rod", 1e-4)], full=[("published", 1e-4), ("rod", 1e-4), ("published", 1e-3), ("rod", 1e-3)])
    plan += [
        Run("capsule_chain:pull", {"order": 4 if form.name != "tiny" else 1, "springs": s, "dt": dt, "duration": seconds, "cpu_limit": limit, "count": count}, weight=min(limit, 130.0))
        for s, dt in steps
    ]
    return plan


def section(form: Form, results: Sequence[Result]) -> Section:
    """Errors of cantilevers, curves of knots."""
    out = Section(
        "capsule_chain",
        "Baseline: a chain of capsules with springs",
        "Rigid capsules joined by the attachment `bushing` (springs in bending, twist and translation, undamped in the knot), in our engine, "
        "with our contact. Published springs of the knot: 2e-3 N m/rad and 3e3 N/m. The rod of the same material has EI/l = 2.1e-2 N m/rad, "
        "GJ/l = 1.4e-2 N m/rad and EA/l = 3.8e4 N/m: the published chain is ten times too soft.",
    )
    exact, *rest = results
    bars = [r for r in rest if r and r.run.function.endswith(":cantilever")]
    errors: dict[str, dict[int, float]] = {"rod": {}, "tuned": {}}
    if exact and bars:
        rows = []
        for r in bars:
            kind, count = r.run.settings["springs"], r.run.settings["count"]
            error = r["drop"] / exact["elastica"] - 1.0
            errors[kind][count] = error
            rows.append([str(count), "EI/l of each chain" if kind == "rod" else f"those of {TUNED_AT} capsules in all", f"{1e3 * r['drop']:.3f}", f"{100 * error:+.2f} %", number(r["ms_per_step"])])
        rows.append(["–", "our rod of 100 segments", f"{1e3 * exact['rod']:.3f}", f"{100 * (exact['rod'] / exact['elastica'] - 1):+.3f} %", ""])
        out.add(Table(f"A heavy cantilever at rest; the elastica says {1e3 * exact['elastica']:.3f} mm", ["capsules", "springs", "drop of the tip [mm]", "error", "ms per step"], rows))
        kept = {n: e for n, e in errors["tuned"].items()}
        own = {n: e for n, e in errors["rod"].items()}
        text = f"with springs kept at those tuned for {TUNED_AT} capsules the error of the drop is " + ", ".join(f"{100 * e:+.0f} % at {n}" for n, e in kept.items())
        text += "; with EI/l it is " + ", ".join(f"{100 * e:+.2f} % at {n}" for n, e in own.items()) + ": it converges if stiffness follows the resolution"
        diverges = len(kept) > 1 and max(abs(e) for e in kept.values()) > 0.1
        out.verdicts["chains-do-not-converge"] = Verdict("partly reproduced" if diverges else "not reproduced", text)
    pulls = [r for r in rest if r and r.run.function.endswith(":pull")]
    if pulls:
        _knots(out, pulls)
    return out


def _knots(out: Section, pulls: Sequence[Result]) -> None:
    rows = []
    for r in pulls:
        settings = r.run.settings
        fall = snap(r.values)
        how = "–" if r["reached"] < 0.3 else "does not snap" if fall is None else f"at {fall['time']:.3f} s, {1e3 * fall['freed']:.3g} mJ"
        rows.append([settings["springs"], f"{settings['dt']:g}", how, number(max(r["series"]["pull"])), f"{100 * r['overlap']:.0f} %", f"{r['determinant']} of {2 * settings['order'] + 1}", number(r["ms_per_step"]), f"{r['reached']:.3g} s" + ("" if r["status"] == "completed" else f" ({r['status']})")])
    out.add(Table("Knot of order 4 in 300 capsules", ["springs", "dt [s]", "snap", "greatest pull [N]", "overlap", "determinant", "ms per step", "reached"], rows))
    with draw("capsule-chain", "Energy of the springs and pull over the distance of the ends, knot of capsules", 2) as canvas:
        for r in pulls:
            label = f"{r.run.settings['springs']}, {r.run.settings['dt']:g} s"
            apart = 1e3 * np.array(r["series"]["apart"])
            canvas.axes[0].plot(apart, 1e3 * np.array(r["series"]["elastic"]), label=label)
            canvas.axes[1].plot(apart, r["series"]["pull"], label=label)
        axes(canvas.axes[0], "distance of the ends [mm]", "energy of the springs [mJ]")
        axes(canvas.axes[1], "distance of the ends [mm]", "pull [N]")
    shapes = [(f"{r.run.settings['springs']}, {r.run.settings['dt']:g} s", [np.array(r["shape"])], [f"at {r['reached']:.2f} s"]) for r in pulls]
    out.add(canvas.figure, frames("capsule-chain-shapes", "Where the chains have come to, seen along z", shapes))
    far = [r for r in pulls if r["reached"] > 0.6]
    published = [r for r in far if r.run.settings["springs"] == "published"]
    if published:
        held = all(r["determinant"] == 9 for r in published)
        out.verdicts["chain-no-tunnel"] = Verdict("reproduced" if held else "not reproduced", "determinant at the end: " + ", ".join(str(r["determinant"]) for r in published))
        falls = {r.run.settings["springs"]: snap(r.values) for r in far}
        none = falls["published"] is None
        text = f"with the published springs it {'does not snap' if none else 'snaps at {:.3f} s'.format((falls['published'] or {}).get('time', math.nan))}"
        if "rod" in falls:
            own = falls["rod"]
            text += f"; with the rod's own stiffness, ten times as stiff, it {'does not snap either' if own is None else 'snaps at {:.3f} s'.format(own['time'])}"
        out.verdicts["chain-no-snap"] = Verdict("reproduced" if none else "not reproduced", text)
