"""A rope round a post: the paper's protocol and steady sliding, 17 wrap angles, three meshes."""

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk import World, curves, joints, sections, shapes
from ropewalk._arrays import FloatArray
from ropewalk.functions import Ramp
from ropewalk.reproduce.figures import COLORS, axes, draw
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.paper import CAPSTAN, CAPSTAN_ANGLES
from ropewalk.reproduce.report import Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run

POST, ROPE, FRICTION = 0.03, 1e-3, 0.2
PULL, SPEED = 0.05, 0.01
"""Force on the slack end in N, speed of the other in m/s, in steady sliding."""
MESHES = (10, 20, 40)
"""π/Δφ."""


def rope_nodes(mesh: int, angle: float) -> tuple[FloatArray, FloatArray]:
    """The rope as a polygon about the post, so that it touches and does not overlap, shape (n, 3), m; and the directions of its ends."""
    step, center = math.pi / mesh, POST + ROPE
    wrapped, tail = round(angle / step), int(0.3 * math.pi / step + 1e-9)
    turns = step * (np.arange(wrapped + 1) - 0.5)
    corners = center / math.cos(0.5 * step) * np.stack([np.cos(turns), np.sin(turns), 0.0 * turns], axis=1)
    ends = np.array([[0.0, -1.0, 0.0], [-math.sin(angle), math.cos(angle), 0.0]])
    way = center * step * np.arange(1, tail + 1)[:, None]
    return np.concatenate([(corners[0] + way * ends[0])[::-1], corners, corners[-1] + way * ends[1]]), ends


def _rope(mesh: int, angle: float, contact: str) -> tuple[World, Any]:
    """The rope about the post; its nodes, and the directions of its ends."""
    world = World(dt=1e-3, gravity=[0.0, 0.0, 0.0], title="capstan")
    nodes, ends = rope_nodes(mesh, angle)
    # EA and the line density are a hundredfold, as published.
    section = sections.Stiffness(stretch=31.4, bend=[7.85e-8, 7.85e-8], twist=5.24e-8, line_density=3.14e-3, radius=ROPE)
    rope = world.add_rod("rope", curves.Nodes(nodes), section=section, friction=FRICTION)
    if contact == "patch":
        world.set("rod.rope.contact", "patch")
        world.set("rod.rope.pressure_modulus", 1e5)
    world.add_body("post", shapes.Cylinder(radius=POST, length=0.03), motion="fixed", friction=FRICTION)
    world.set("contact.exclude", [["rope", "rope"]])
    return world, (rope, nodes, ends)


def slide(mesh: int, contact: str, tenths: list[int]) -> dict[str, Any]:
    """Steady sliding: log(T2/T1) over the second and third segment of way, and their difference, for each wrap angle (in
    tenths of π)."""
    ratios, drifts, taken, cpu = [], [], 0, 0.0
    for tenth in tenths:
        world, (rope, _, ends) = _rope(mesh, math.pi * tenth / 10, contact)
        world.add_load("pull", rope, point={"at": "start", "force": (PULL * ends[0]).tolist()})
        far = [Ramp([0.0, 100.0], [0.0, 100.0 * SPEED * x]) if abs(x) > 1e-12 else 0.0 for x in ends[1]]
        world.set("clamp.drag", {"rod": "rope", "at": "end", "hold": "position", "motion": {"translation": _plain(far)}})
        steps = round((POST + ROPE) * math.pi / mesh / SPEED / world.dt)
        means = []
        for _ in range(3):
            pulls = []
            for _ in range(steps):
                began = time.process_time()
                world.step()
                cpu, taken = cpu + time.process_time() - began, taken + 1
                pulls.append(float(world.clamps["drag"].wrench.force @ ends[1]))
            means.append(float(np.mean(pulls)))
        logs = [math.log(mean / PULL) for mean in means[1:]]
        ratios.append(0.5 * sum(logs))
        drifts.append(logs[1] - logs[0])
    return {"log_ratio": ratios, "drift": drifts, "cpu_seconds": cpu, "steps": taken, "dt": 1e-3, "reached": 1e-3 * taken}


def _plain(parts: list[Any]) -> list[Any]:
    return [part if isinstance(part, float) else part.document() for part in parts]


def published(mesh: int, contact: str, tenths: list[int], duration: float) -> dict[str, Any]:
    """The paper's protocol: one end on a slider held by a PI controller, the other pulled with 0.01 N/s · t; the ratio over
    the last 50 steps, and over time for the first angle."""
    ratios: list[float] = []
    history: dict[str, list[float]] = {"time": [], "log_ratio": []}
    for tenth in tenths:
        world, (rope, nodes, ends) = _rope(mesh, math.pi * tenth / 10, contact)
        for name, place, node, axis in (("hold", "start", nodes[0], ends[0]), ("pull", "end", nodes[-1], ends[1])):
            joint = joints.Prismatic(axis=axis.tolist())
            body = world.add_body(name, mass=1.13e-5, inertia=[1e-9, 1e-9, 1e-9, 0.0, 0.0, 0.0], position=node.tolist(), joint=joint)
            world.add_attachment(name, "pin", rope, body, at="start" if place == "start" else "end")
        world.add_actuator("hold", "pi", 0.0, body="hold", position_gain=10.0, integral_gain=5.0, effort_limit=10.0)
        world.add_actuator("pull", "force", Ramp([0.0, 100.0], [0.0, 1.0]), body="pull", effort_limit=10.0)
        logs = []
        for _ in range(round(duration / world.dt)):
            world.step()
            pair = abs(float(world.actuators["pull"].effort)), abs(float(world.actuators["hold"].effort))
            logs.append(math.log(pair[0] / pair[1]) if min(pair) > 0.0 else math.nan)
        ratios.append(float(np.mean(logs[-50:])))
        if tenth == tenths[0]:
            history = {"time": (world.dt * np.arange(1, len(logs) + 1))[::20].tolist(), "log_ratio": logs[::20]}
    return {"log_ratio": ratios, "history": history}


def runs(form: Form) -> list[Run]:
    """Both protocols, three meshes; steady sliding with points and patches."""
    tenths = form.pick(tiny=[4], quick=[4, 8, 12, 16, 20], full=list(range(4, 21)))
    meshes = form.pick(tiny=(10,), quick=MESHES, full=MESHES)
    duration = form.pick(tiny=0.06, quick=2.0, full=2.0)
    kinds = form.pick(tiny=("patch",), quick=("patch", "point"), full=("patch", "point"))
    plan = [Run("capstan:slide", {"mesh": m, "contact": c, "tenths": tenths}, weight=2.0 * len(tenths)) for c in kinds for m in meshes]
    plan += [
        Run("capstan:published", {"mesh": m, "contact": "patch", "tenths": tenths, "duration": duration}, weight=2.0 * len(tenths))
        for m in meshes
    ]
    if form.name != "tiny":
        plan.append(Run("capstan:published", {"mesh": 20, "contact": "patch", "tenths": [10], "duration": 4.0}, weight=2.0))
    return plan


def skin_slope() -> float:
    """log(T2/T1) per radian where friction acts on the skin of the rope: a(1 + μaρ) = μ(1 − ρ), ρ = r/(R + r)."""
    rho = ROPE / (POST + ROPE)
    return (math.sqrt(1.0 + 4.0 * FRICTION * rho * FRICTION * (1.0 - rho)) - 1.0) / (2.0 * FRICTION * rho)


def _line(angles: Any, logs: Any, slope: float) -> list[str]:
    """Slope of the fitted line, rms error against μφ and a slope, and the value at the last angle."""
    angles, logs = np.asarray(angles), np.asarray(logs, dtype=float)
    fitted = np.polyfit(angles, logs, 1)[0] if len(angles) > 1 else logs[0] / angles[0]

    def off(slope: float) -> float:
        return float(np.sqrt(np.mean((logs / (slope * angles) - 1.0) ** 2)))

    return [number(float(fitted), 4), f"{100 * off(FRICTION):.2f} %", f"{100 * off(slope):.2f} %", f"{logs[-1]:.4f}"]


def section(form: Form, results: Sequence[Result]) -> Section:
    """Ratios next to the paper's."""
    out = Section(
        "capstan",
        "Capstan effect",
        "Post of 30 mm, rope of 1 mm radius, μ = 0.2 of both, no gravity, no self-contact, dt 1 ms; EA and line density a "
        f"hundredfold, as published. Steady sliding: {PULL} N at one end, the other dragged at {1e3 * SPEED:.0f} mm/s. The paper's "
        "protocol: a PI controller holds one end (10 N/m, 5 N/(m·s)), the other is pulled with 0.01 N/s · t, read at 2 s.",
    )
    slope = skin_slope()
    rows = [["theory, thin rope", "", "0.2", "0 %", "", f"{0.4 * math.pi:.4f}"], ["theory, friction at the skin", "", number(slope, 4), "", "0 %", f"{2 * math.pi * slope:.4f}"]]
    rows += [["paper", f"π/{m}", *_line(CAPSTAN_ANGLES, CAPSTAN[m], slope)] for m in MESHES]
    found: dict[tuple[str, str, int], Any] = {}
    history = None
    for result in results:
        settings = result.run.settings
        kind = result.run.function.partition(":")[2]
        if not result:
            continue
        if kind == "published" and len(settings["tenths"]) == 1 and form.name != "tiny":
            history = result["history"]
            continue
        angles = [math.pi * t / 10 for t in settings["tenths"]]
        found[kind, settings["contact"], settings["mesh"]] = (angles, result["log_ratio"], result.values.get("drift"))
        name = "steady sliding" if kind == "slide" else "paper's protocol"
        rows.append([f"ours, {name}, {settings['contact']}", f"π/{settings['mesh']}", *_line(angles, result["log_ratio"], slope)])
    header = ["", "Δφ", "slope of log(T2/T1)", "rms error, thin rope", "rms error, skin", "at the largest φ"]
    out.add(Table("log(T2/T1) over the wrap angle φ", header, rows))
    if found:
        out.add(_figure(found, history, slope))
        _verdicts(out, found, history, slope)
    return out


def _figure(found: dict[Any, Any], history: Any, slope: float) -> Any:
    caption = "Left: log(T2/T1) over the wrap angle. Right: the ratio of the paper's protocol over time (φ = π, Δφ = π/20); the paper reads it at 2 s"
    with draw("capstan", caption, 2) as canvas:
        left, right = canvas.axes
        angles = np.array(CAPSTAN_ANGLES) / math.pi
        left.plot(angles, FRICTION * math.pi * angles, color="black", label="theory, μφ")
        left.plot(angles, slope * math.pi * angles, ":", color="black", label="friction at the skin")
        for k, mesh in enumerate(MESHES):
            left.plot(angles, CAPSTAN[mesh], "+", color=COLORS[k], label=f"paper, π/{mesh}")
            if ("slide", "patch", mesh) in found:
                x, y, _ = found["slide", "patch", mesh]
                left.plot(np.array(x) / math.pi, y, "o", mfc="none", color=COLORS[k], label=f"ours, sliding, π/{mesh}")
        axes(left, "wrap angle φ [π]", "log(T2/T1)")
        if history is not None:
            right.plot(history["time"], history["log_ratio"])
            right.axhline(FRICTION * math.pi, color="black")
            right.axvline(2.0, color="gray", linestyle=":")
        axes(right, "time [s]", "log(T2/T1), paper's protocol", ylim=(0.0, 1.0))
    return canvas.figure


def _verdicts(out: Section, found: dict[Any, Any], history: Any, slope: float) -> None:
    def error(key: tuple[str, str, int], slope: float) -> float:
        x, y, _ = found[key]
        return float(np.sqrt(np.mean((np.array(y) / (slope * np.array(x)) - 1.0) ** 2)))

    finest = max(m for kind, contact, m in found if (kind, contact) == ("slide", "patch"))
    errors = {m: error(("slide", "patch", m), slope) for m in MESHES if ("slide", "patch", m) in found}
    best = errors[finest]
    word = "improved" if best < 0.01 else "reproduced" if best < 0.03 else "not reproduced"
    evidence = f"steady sliding, Δφ = π/{finest}, patches: rms error {100 * best:.2f} % against friction at the skin (the paper: 1.0 % against a thin rope)"
    out.verdicts["capstan-exponential"] = out.verdicts["friction-accurate"] = Verdict(word, evidence)
    if len(errors) > 1:
        text = ", ".join(f"{100 * e:.2f} % at π/{m}" for m, e in errors.items())
        values = list(errors.values())
        falls = values[-1] < values[0] or max(values) < 0.01
        out.verdicts["capstan-converges"] = Verdict("reproduced" if falls else "not reproduced", f"rms error {text}")
    if history is not None:
        times, logs = np.array(history["time"]), np.array(history["log_ratio"], dtype=float)
        at = {t: float(np.interp(t, times, logs)) for t in (0.25, 2.0, 3.9)}
        steady = abs(at[3.9] - at[2.0]) < 0.01 * at[2.0]
        words = "has a plateau in our engine" if steady else "has no plateau: it drifts"
        out.verdicts["capstan-steady"] = Verdict(
            "reproduced" if steady else "not reproduced", f"the paper's protocol {words}; at φ = π the log ratio is "
            + ", ".join(f"{v:.3f} at {t:g} s" for t, v in at.items()) + f" (friction at the skin: {math.pi * slope:.3f}); steady sliding is measured besides",
        )
