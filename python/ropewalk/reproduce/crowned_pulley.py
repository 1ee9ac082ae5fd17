"""A belt on a crowned pulley, and what it does if stretching, twisting or patches are left out."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk import World
from ropewalk.reproduce.figures import axes, draw, frames
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.report import Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.watch import watch

VARIANTS: dict[str, dict[str, Any]] = {
    "crowned": {},
    "plain rollers": {"body.crowned.shapes.0.shape.turned.profile": [[-0.04, 0.03], [0.04, 0.03]]},
    "without twisting": {"rod.belt.twist_factor": 1e5},
    "without stretching": {"rod.belt.stretch_factor": 100.0, "rod.belt.rest_length_factor": 0.9995},
    "contact at points": {"material.rubber.contact": "point"},
    "paper's step": {"solver.linearize": "once"},
}
"""Left out is what cannot deform: GJ a hundred-thousandfold; EA a hundredfold, with a hundredth of the strain, so that the
tension is the same."""

CONE = {
    "body.crowned.shapes.0.shape.turned.profile": [[-0.04, 0.0328], [0.04, 0.0272]],
    "rod.belt.curve.stadium.centers": [[0.0, 0.0, 0.0], [0.14608, 0.0, 0.0]],
}
CONE_SLOPE = 0.07
TURN = (5.1, 10.2)
"""Between these times (s) the belt, which goes round in 5 s, runs up the cone at a constant rate."""


def belt(variant: str, duration: float, cpu_limit: float, pictures: bool = False) -> dict[str, Any]:
    """Where the belt is over time: y of its middle, the tension, and by how much it leans over on the crown."""
    world = World("crowned_pulley", VARIANTS[variant])
    rod = world.rods["belt"]
    masses = rod.masses
    shots: list[Any] = []

    def look(world: World) -> dict[str, float]:
        nodes = rod.positions
        middles = 0.5 * (nodes + np.roll(nodes, -1, axis=0))
        outward = middles * [1.0, 0.0, 1.0]
        outward /= np.linalg.norm(outward, axis=1)[:, None]
        lean = np.abs(np.einsum("ij,ij->i", rod.frames[:, 0], outward))[middles[:, 0] < 0.0]
        if pictures and len(shots) < 3 and world.time >= 0.5 * len(shots) * duration - world.dt:
            shots.append(world.render("top zoom=1.1", 320, 220, samples=2))
        return {
            "y": float(masses @ nodes[:, 1] / masses.sum()),
            "tension": float(rod.tension.mean()),
            "lean": float(np.arcsin(min(1.0, lean.max()))) if lean.size else 0.0,
        }

    found = watch(world, duration, look, 0.3, cpu_limit)
    return found | {"pictures": [shot.tolist() for shot in shots]}


def cone(segments: int, duration: float) -> dict[str, Any]:
    """How fast a belt runs up a cone of slope 0.07, m/s, in its second turn."""
    world = World("crowned_pulley", CONE | {"rod.belt.segments": segments})
    rod = world.rods["belt"]
    found = watch(world, duration, lambda _: {"y": float(rod.positions[:, 1].mean())}, 0.3)
    ys = np.interp(TURN, found["time"], found["series"]["y"])
    return {"rate": float(abs(ys[1] - ys[0]) / (TURN[1] - TURN[0])), "status": found["status"]}


def closed_form(slope: float = CONE_SLOPE) -> float:
    """How fast a belt that sticks where it lies runs up a cone, m/s; its spans are beams under tension (Shelton 1968)."""
    tension, bending = 6.2e5 * 4e-5 * (1 / 0.95 - 1), 6.2e5 * 2e-3 * 8e-6 / 12
    span, radius, speed, k = 0.14608, 0.03, math.pi * 0.03, math.sqrt(tension / bending)
    rise = span / (k * math.tanh(0.5 * k * span)) - 2.0 / (k * k)
    return speed * math.sin(math.atan(slope)) / radius * rise / (2.0 * (span + math.pi * radius))


def runs(form: Form) -> list[Run]:
    """All variants, and belts on a cone."""
    seconds = form.pick(tiny=9e-3, quick=9.0, full=100.0)
    names = form.pick(tiny=list(VARIANTS)[:1], quick=list(VARIANTS), full=list(VARIANTS))
    limit = form.pick(tiny=5.0, quick=60.0, full=900.0)
    plan = [
        Run("crowned_pulley:belt", {"variant": n, "duration": seconds, "cpu_limit": limit, "pictures": n == "crowned"}, weight=1.2 * seconds)
        for n in names
    ]
    if form.name == "full" or form.name == "overnight":
        plan += [Run("crowned_pulley:cone", {"segments": n, "duration": TURN[1]}, weight=0.3 * n) for n in (50, 100, 200)]
    elif form.name == "quick":
        plan += [Run("crowned_pulley:cone", {"segments": 50, "duration": TURN[1]}, weight=12.0)]
    return plan


def section(form: Form, results: Sequence[Result]) -> Section:
    """Tracks of all variants, and the rate on a cone."""
    out = Section(
        "crowned_pulley",
        "Crowned pulley",
        "Rollers of 30 mm, the left one crowned (30 mm in the middle, 27 mm at the ends), driven at π rad/s; belt of 20 × 2 mm, 50 "
        "segments, E = 0.62 MPa, stretched by 5 %, starting 20 mm beside the middle, μ = 0.6 against 0.2, dt 3 ms. The paper runs 60 s.",
    )
    found = {r.run.settings["variant"]: r for r in results if r and r.run.function.endswith(":belt")}
    rows = []
    for name, r in found.items():
        y = 1e3 * np.array(r["series"]["y"])
        way = abs(y[0]) - abs(y[-1])
        status = r["status"] if r["status"] != "completed" else ""
        rows.append([name, f"{abs(y[0]):.2f}", f"{abs(y[-1]):.2f}", f"{way:.2f}", number(r["series"]["tension"][-1]), f"{math.degrees(max(r['series']['lean'])):.2f}°", f"{r['contacts_mean']:.0f}", number(r["ms_per_step"]), f"{r['reached']:.3g} s {status}"])
    header = ["belt", "from the middle at the start [mm]", "at the end [mm]", "way [mm]", "tension [N]", "leans over by", "contacts", "ms per step", "reached"]
    out.add(Table("The paper: the belt centers; without twisting, without stretching or with points it does not", header, rows))
    cones = [r for r in results if r and r.run.function.endswith(":cone")]
    if cones:
        expected = closed_form()
        lines = [[str(r.run.settings["segments"]), number(1e3 * r["rate"]), number(1e3 * expected), f"{100 * (r['rate'] / expected - 1):+.0f} %"] for r in cones]
        out.add(Table("Tracking rate on a cone of slope 0.07, mm/s", ["segments", "ours", "closed form", "difference"], lines))
    if found:
        caption = "The middle of the belt over time, and by how much it leans over on the crown"
        with draw("crowned-pulley", caption, 2) as canvas:
            for name, r in found.items():
                canvas.axes[0].plot(r["time"], 1e3 * np.array(r["series"]["y"]), label=name)
                canvas.axes[1].plot(r["time"], np.degrees(r["series"]["lean"]), label=name)
            axes(canvas.axes[0], "time [s]", "distance from the middle of the crown [mm]")
            axes(canvas.axes[1], "time [s]", "leans over by [°]", legend=False)
        out.add(canvas.figure)
        if "crowned" in found and found["crowned"]["pictures"]:
            seconds = found["crowned"]["reached"]
            pictures = [np.array(p, np.uint8) for p in found["crowned"]["pictures"]]
            out.add(frames("crowned-pulley-frames", "Key frames of the paper's Fig. 6 (a)", [("belt", pictures, [f"{0.5 * k * seconds:.3g} s" for k in range(len(pictures))])]))
        _verdicts(out, found)
    return out


def _verdicts(out: Section, found: dict[str, Result]) -> None:
    def distance(name: str) -> tuple[float, float, float]:
        y = 1e3 * np.abs(np.array(found[name]["series"]["y"]))
        return float(y[0]), float(y[-1]), float(found[name]["reached"])

    if "crowned" not in found:
        return
    start, end, seconds = distance("crowned")
    whole = end < 3.0
    text = f"from {start:.1f} mm to {end:.1f} mm in {seconds:.3g} s"
    moves = start - end > 0.05 * start * min(1.0, seconds / 3.0) and seconds >= 3.0
    out.verdicts["belt-centers"] = Verdict("reproduced" if whole else "partly reproduced" if moves else "not reproduced", text + ("" if whole else " (the run is shorter than it takes)"))
    for claim, name in (("belt-points", "contact at points"), ("belt-stretch", "without stretching"), ("belt-twist", "without twisting")):
        if name not in found:
            continue
        a, b, reached = distance(name)
        # Over the same time.
        whole_way = start - float(np.interp(reached, found["crowned"]["time"], 1e3 * np.abs(np.array(found["crowned"]["series"]["y"]))))
        share = (a - b) / max(whole_way, 1e-9)
        leans = math.degrees(max(found[name]["series"]["lean"]))
        words = f"{name}: from {a:.1f} to {b:.1f} mm in {reached:.3g} s, {100 * share:.0f} % of the way of the belt as it is in that time; it leans over by {leans:.2f}°"
        if found[name]["status"] != "completed":
            words += f" ({found[name]['status']})"
        # What keeps a fifth of the effect has it still.
        out.verdicts[claim] = Verdict("reproduced" if share < 0.2 else "not reproduced", words)
