"""Baseline: a chain of rigid capsules with springs, in our engine: cantilever and knot."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ropewalk import World
from ropewalk.reproduce.chains import Springs, chain_document, chain_nodes, spring_energy
from ropewalk.reproduce.figures import axes, draw, frames
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.knots import DIAMETER, LOOK, SPEED, around_ring, collapse, knot, snap
from ropewalk.reproduce.loop import look_at_ring
from ropewalk.reproduce.report import Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.topology import determinant
from ropewalk.reproduce.watch import watch

PUBLISHED = Springs(bend=2e-3, twist=2e-3, translation=3e3)
"""The paper's joints of the knot. The rod's own would be EI/l = 2.1e-2 N m/rad, GJ/l = 1.4e-2 N m/rad and EA/l = 3.8e4 N/m."""
YOUNG, SHEAR, DENSITY = 1.8e7, 6e6, 1000.0
LENGTH, RADIUS = 0.3, 5e-3
"""Of the cantilever, m."""
TUNED_AT = 20
"""Number of capsules of the cantilever for which "tuned" springs are right."""


def _beam(count: int, springs: str, damping_time: float, dt: float) -> World:
    """The beam of our scene `cantilever` as a chain, level and at rest."""
    nodes = np.linspace([0.0, 0.0, 0.0], [LENGTH, 0.0, 0.0], count + 1)
    joint = beam_springs(count, springs)
    document = chain_document(nodes, RADIUS, 1000.0, joint, damping_time=damping_time)
    document |= {"title": "cantilever of capsules", "time": {"dt": dt, "duration": 4.0}}
    # The wall holds the middle of a joint: a spring twice as stiff.
    wall = {name: 2.0 * k for name, k in joint._asdict().items()} | {"damping_time": damping_time}
    document["attach"]["wall"] = {"kind": "bushing", "body": "c0", "point": [0.0, 0.0, -0.5 * LENGTH / count], "to": "world", "bushing": wall}
    document["contact"]["exclude"] = [[f"c{i}", f"c{j}"] for i in range(count) for j in range(i + 1, count)]
    return World(document)


def beam_springs(count: int, springs: str) -> Springs:
    """Of a beam of ``count`` capsules: EI/l, GJ/l and EA/l of each chain (``"rod"``), or those of a chain of 20 in all (``"tuned"``)."""
    return Springs.of_rod(1e7, 1e7 / 3, RADIUS, LENGTH / (count if springs == "rod" else TUNED_AT))


def cantilever(count: int, springs: str) -> dict[str, Any]:
    """The heavy cantilever as a chain, once it has come to rest: drop of its tip, m."""
    world = _beam(count, springs, 0.05, 1e-3)
    found = watch(world, 4.0)
    tip = chain_nodes(world, count, LENGTH / count)[-1]
    return found | {"drop": -float(tip[2]), "speed": float(np.linalg.norm(world.bodies[f"c{count - 1}"].velocity))}


def swing(count: int, dt: float, duration: float) -> dict[str, Any]:
    """The cantilever let go, without damping: where its tip is, m, every 50 ms."""
    world = _beam(count, "rod", 0.0, dt)

    def look(world: World) -> dict[str, float]:
        tip = chain_nodes(world, count, LENGTH / count)[-1]
        return {"x": float(tip[0]), "y": float(tip[1]), "z": float(tip[2])}

    found = watch(world, duration, look, 0.05)
    return found | {"tips": np.array([found["series"][axis] for axis in ("x", "y", "z")]).T}


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
        return look_at_ring(chain_nodes(world, count, length), DIAMETER) | {
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
    return {"elastica": -claims["tip_height"].reference, "rod": -claims["tip_height"].measured}


def runs(form: Form) -> list[Run]:
    """Cantilevers of several lengths of capsules, and Drake's; the knot with the published springs and with the rod's own."""
    counts = form.pick(tiny=[4], quick=[10, 20, 40], full=[5, 10, 20, 40, 80])
    plan = [Run("capsule_chain:exact_drop", weight=2.0)]
    plan += [Run("capsule_chain:cantilever", {"count": n, "springs": kind}, weight=0.3 * n) for n in counts for kind in ("rod", "tuned")]
    limit, seconds = form.peer_seconds, form.pick(tiny=2e-3, quick=0.7, full=0.84)
    check = {"count": form.pick(tiny=3, quick=20, full=20), "dt": 2e-5, "duration": form.pick(tiny=0.05, quick=0.3, full=0.3)}
    plan += [Run("capsule_chain:swing", check, weight=6.0), Run("drake_chains:swing", check, ("drake",), weight=4.0)]
    count = form.pick(tiny=60, quick=300, full=300)
    both = [(springs, dt) for dt in (1e-4, 1e-3) for springs in ("published", "rod")]
    steps = form.pick(tiny=[("published", 1e-3)], quick=both[2:], full=both)
    plan += [
        Run("capsule_chain:pull", {"order": 4 if form.name != "tiny" else 1, "springs": s, "dt": dt, "duration": seconds, "cpu_limit": limit, "count": count}, weight=min(limit, 130.0))
        for s, dt in steps
    ]
    return plan


def section(form: Form, results: Sequence[Result]) -> Section:
    """Errors of cantilevers, curves of knots."""
    del form
    out = Section(
        "capsule_chain",
        "Baseline: a chain of capsules with springs",
        "Rigid capsules joined by the attachment `bushing` (springs in bending, twist and translation, undamped in the knot), in our engine, "
        "with our contact. Published springs of the knot: 2e-3 N m/rad and 3e3 N/m. The rod of the same material has EI/l = 2.1e-2 N m/rad, "
        "GJ/l = 1.4e-2 N m/rad and EA/l = 3.8e4 N/m: the published chain is ten times too soft.",
    )
    exact, *rest = results
    bars = [r for r in rest if r and r.run.function.endswith(":cantilever")]
    if exact and bars:
        _cantilevers(out, exact, bars)
    ours = [r for r in rest if r and r.run.function == "capsule_chain:swing"]
    drakes = [r for r in rest if r and r.run.function == "drake_chains:swing"]
    if ours and drakes:
        _second_opinion(out, ours[0], drakes[0])
    pulls = [r for r in rest if r and r.run.function.endswith(":pull")]
    if pulls:
        _knots(out, pulls)
    return out


def _cantilevers(out: Section, exact: Result, bars: Sequence[Result]) -> None:
    errors: dict[str, dict[int, float]] = {"rod": {}, "tuned": {}}
    rows = []
    for r in bars:
        kind, count = r.run.settings["springs"], r.run.settings["count"]
        error = r["drop"] / exact["elastica"] - 1.0
        errors[kind][count] = error
        rows.append([str(count), "EI/l of each chain" if kind == "rod" else f"those of {TUNED_AT} capsules in all", f"{1e3 * r['drop']:.3f}", f"{100 * error:+.2f} %", f"{r['speed']:.0e}", number(r["ms_per_step"])])
    rows.append(["–", "our rod of 100 segments", f"{1e3 * exact['rod']:.3f}", f"{100 * (exact['rod'] / exact['elastica'] - 1):+.3f} %", "", ""])
    out.add(Table(f"A heavy cantilever at rest; the elastica says {1e3 * exact['elastica']:.3f} mm", ["capsules", "springs", "drop of the tip [mm]", "error", "speed at the end [m/s]", "ms per step"], rows))
    out.verdicts["chains-do-not-converge"] = judge_convergence(errors)


def judge_convergence(errors: Mapping[str, Mapping[int, float]]) -> Verdict:
    """Whether refinement goes astray: with springs that stay as they were tuned, and with those that follow the rod."""
    kept, own = errors["tuned"], errors["rod"]
    if len(kept) < 2 or len(own) < 2:
        return Verdict("not shown", "one resolution is not enough")
    finest, coarsest = max(own), min(own)
    text = f"with springs kept at those tuned for {TUNED_AT} capsules the error of the drop is " + ", ".join(f"{100 * e:+.0f} % at {n}" for n, e in kept.items())
    converges = abs(own[finest]) < abs(own[coarsest]) and abs(own[finest]) < 0.01
    text += "; with EI/l it is " + ", ".join(f"{100 * e:+.2f} % at {n}" for n, e in own.items()) + (": it converges if the springs follow the resolution" if converges else "")
    astray = max(abs(e) for e in kept.values()) > 0.1
    return Verdict("not reproduced" if not astray else "partly reproduced" if converges else "reproduced", text)


def _second_opinion(out: Section, ours: Result, drake: Result) -> None:
    mine, theirs = np.array(ours["tips"]), np.array(drake["tips"])
    count = min(len(mine), len(theirs))
    apart = np.linalg.norm(mine[:count] - theirs[:count], axis=1)
    rows = [[f"{0.05 * k:.2f}", f"{1e3 * mine[k, 0]:.3f}, {1e3 * mine[k, 2]:.3f}", f"{1e3 * theirs[k, 0]:.3f}, {1e3 * theirs[k, 2]:.3f}", f"{1e3 * apart[k]:.3f}"] for k in range(count)]
    settings = ours.run.settings
    title = f"The cantilever of {settings['count']} capsules let go, undamped, dt {settings['dt']:g} s: ours and Drake's `LinearBushingRollPitchYaw` (explicit springs)"
    out.add(Table(title, ["time [s]", "tip x, z in our engine [mm]", "tip x, z in Drake [mm]", "apart [mm]"], rows))
    out.add(f"They differ by {100 * apart.max() / LENGTH:.2g} % of the length at most; a step takes {number(ours['ms_per_step'])} ms in our engine and {number(drake['ms_per_step'])} ms in Drake, which cannot take much longer ones: its springs are explicit.")


def _knots(out: Section, pulls: Sequence[Result]) -> None:
    rows = []
    for r in pulls:
        settings = r.run.settings
        fall = collapse(r.values)
        how = "–" if r["reached"] < 0.6 else "does not" if fall is None else f"{fall['time']:.3f} s, within {1e3 * fall['duration']:.0f} ms, {1e3 * fall['freed']:.2g} mJ set free"
        rows.append([settings["springs"], f"{settings['dt']:g}", how, number(max(r["series"]["pull"])), f"{100 * r['overlap']:.0f} %", f"{r['determinant']} of {2 * settings['order'] + 1}", number(r["ms_per_step"]), f"{r['reached']:.3g} s" + ("" if r["status"] == "completed" else f" ({r['status']})")])
    out.add(Table("Knot of order 4 in 300 capsules", ["springs", "dt [s]", "ring collapses", "greatest pull [N]", "overlap", "determinant", "ms per step", "reached"], rows))
    with draw("capsule-chain", "Energy of the springs and pull over the distance of the ends, knot of capsules", 2) as canvas:
        for r in pulls:
            label = f"{r.run.settings['springs']}, {r.run.settings['dt']:g} s"
            apart = 1e3 * np.array(r["series"]["apart"])
            canvas.axes[0].plot(apart, 1e3 * np.array(r["series"]["elastic"]), label=label)
            canvas.axes[1].plot(apart, r["series"]["pull"], label=label)
        axes(canvas.axes[0], "distance of the ends [mm]", "energy of the springs [mJ]")
        axes(canvas.axes[1], "distance of the ends [mm]", "pull [N]")
    shapes = [(f"{r.run.settings['springs']}, {r.run.settings['dt']:g} s", [around_ring(r["shape"])], [f"at {r['reached']:.2f} s"]) for r in pulls]
    out.add(canvas.figure, frames("capsule-chain-shapes", "Knots of capsules, where they have come to, seen from the front", shapes))
    judge_knots(out, [(r.run.settings, r.values) for r in pulls])


def judge_knots(out: Section, pulls: Sequence[tuple[Any, Any]]) -> None:
    """Adds what pulls of chains, as settings and values, say of the claims; only those that have come far enough count."""
    far = [(s, v) for s, v in pulls if v["reached"] > 0.6]
    published = [(s, v) for s, v in far if s["springs"] == "published"]
    if not published:
        words = "; ".join(f"{s['springs']} springs at {s['dt']:g} s came to {v['reached']:.2f} s ({v['status']})" for s, v in pulls)
        for name in ("chain-no-tunnel", "chain-no-snap"):
            out.verdicts[name] = Verdict("not shown", "no run with the published springs has come to 0.6 s: " + words)
        return
    held = all(v["determinant"] == 2 * s["order"] + 1 for s, v in published)
    out.verdicts["chain-no-tunnel"] = Verdict("reproduced" if held else "not reproduced", "determinant at the end, published springs: " + ", ".join(f"{v['determinant']} at {s['dt']:g} s" for s, v in published))
    falls = [(s, collapse(v)) for s, v in far]
    text = "; ".join(f"{s['springs']} springs, {s['dt']:g} s: " + ("the ring does not collapse" if f is None else f"the ring collapses at {f['time']:.3f} s within {1e3 * f['duration']:.0f} ms") for s, f in falls)
    none = all(snap(v) is None for s, v in far if s["springs"] == "published")
    out.verdicts["chain-no-snap"] = Verdict("reproduced" if none else "not reproduced", text + " (the criterion of the knots)")
