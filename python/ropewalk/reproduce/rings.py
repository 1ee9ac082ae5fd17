"""Chains of rings: run time over their number, and a long time at rest."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk import World
from ropewalk._arrays import FloatArray
from ropewalk.reproduce.figures import axes, draw
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.paper import RING_COUNTS, RING_TIMES
from ropewalk.reproduce.report import Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.watch import watch

PUBLISHED_DROP, SHORT_DROP = -0.0125, -0.017
"""Distance from ring to ring at the start, m: the paper's, from which each drops by 5 mm, and that of our scene, 0.5 mm."""
SETTLED = [-0.017496, -0.035038, -0.052566, -0.070082, -0.087585, -0.105075, -0.122552, -0.140016, -0.157468]
"""Mean height of rings 1 to 9 of ten at rest in the published code, m; flat-ended segments, so to about 1 %."""


def start_rings(count: int, drop: float) -> list[FloatArray]:
    """Nodes of the rings at the start, each of shape (20, 3), m."""
    world = World("rings", {"rod.ring.copies.count": count, "rod.ring.copies.step": [0.0, 0.0, drop]})
    return [rod.positions.copy() for rod in world.rods.values()]


def linked(heights: Sequence[float]) -> int:
    """How many links hold: two rings that hang in one another are 17.5 mm apart."""
    apart = np.diff(np.asarray(heights))
    return int(np.sum((apart < -0.016) & (apart > -0.0195)))


def chain(count: int, duration: float, drop: float = SHORT_DROP, law: str = "sap") -> dict[str, Any]:
    """Lets a chain drop into its links and rest: run time, greatest speed and heights over time, how many links are closed."""
    world = World("rings", {"rod.ring.copies.count": count, "rod.ring.copies.step": [0.0, 0.0, drop], "contact.law": law})
    rods = list(world.rods.values())

    def look(world: World) -> dict[str, float]:
        speeds = [float(np.linalg.norm(rod.velocities, axis=1).max()) for rod in rods]
        heights = np.array([float(rod.positions[:, 2].mean()) for rod in rods])
        return {"speed": max(speeds), "lowest": float(heights[-1])}

    found = watch(world, duration, look, max(duration / 600.0, 8e-3))
    heights = [float(rod.positions[:, 2].mean()) for rod in rods]
    return found | {"heights": heights, "linked": linked(heights)}


def runs(form: Form) -> list[Run]:
    """Numbers of rings; a long rest."""
    counts = form.pick(tiny=[3, 5], quick=[5, 10, 20, 40, 60, 80, 100], full=RING_COUNTS)
    seconds = form.pick(tiny=4e-3, quick=0.8, full=2.0)
    plan = [Run("rings:chain", {"count": n, "duration": seconds}, weight=0.04 * n * seconds) for n in counts]
    plan += [Run("rings:chain", {"count": 10, "duration": form.pick(tiny=4e-3, quick=1.6, full=4.0), "drop": PUBLISHED_DROP}, weight=1.0)]
    rest = form.pick(tiny=(3, 8e-3), quick=(10, 60.0), full=(100, 602.0))
    plan.append(Run("rings:chain", {"count": rest[0], "duration": rest[1]}, weight=0.02 * rest[0] * rest[1]))
    plan.append(Run("rings:chain", {"count": rest[0], "duration": rest[1], "law": "lagged"}, weight=0.02 * rest[0] * rest[1]))
    return plan


def section(form: Form, results: Sequence[Result]) -> Section:
    """Run time over number, exponent, rest."""
    out = Section(
        "rings",
        "Chain of rings",
        "Rings of 10 mm radius, 2.5 mm thick, 20 segments, E = 10 MPa, ρ = 500 kg/m³, α = 10/s, μ = 0.1, dt 8e-4 s; hard contact. "
        "Rings start 0.5 mm above their links, besides once 5 mm above them, as published.",
    )
    *some, drop, rest, other = results
    timed = [r for r in some if r]
    counts = np.array([r.run.settings["count"] for r in timed])
    times = np.array([r["cpu_seconds"] for r in timed])
    rows = []
    paper = dict(zip(RING_COUNTS, RING_TIMES, strict=True))
    for n, t, r in zip(counts, times, timed, strict=True):
        rows.append([str(n), number(paper.get(int(n))), number(t / times[-1]), number(t), number(r["ms_per_step"]), f"{r['linked']} of {n - 1}", number(r["series"]["speed"][-1])])
    out.add(Table("Run time over the number of rings", ["rings", "paper, normalized", "ours, normalized", "ours [CPU-s]", "ms per step", "links", "speed at the end [m/s]"], rows))
    if len(counts) > 1:
        ours = float(np.polyfit(np.log(counts), np.log(times), 1)[0])
        theirs = float(np.polyfit(np.log(RING_COUNTS), np.log(RING_TIMES), 1)[0])
        large = counts >= 20
        tail = float(np.polyfit(np.log(counts[large]), np.log(times[large]), 1)[0]) if large.sum() > 1 else ours
        text = f"run time grows as N to the power {ours:.2f} over all N and {tail:.2f} from 20 rings on (the paper's points: {theirs:.2f})"
        out.add(text[0].upper() + text[1:] + ". Short chains come to rest within the run, and steps at rest are cheaper.")
        word = "reproduced" if ours < 1.2 else "partly reproduced" if tail < 1.2 else "not reproduced"
        out.verdicts["rings-linear"] = Verdict(word, text)
        held = all(r["linked"] == r.run.settings["count"] - 1 for r in timed)
        out.verdicts["rings-step"] = Verdict("reproduced" if held else "not reproduced", f"all links {'closed' if held else 'not closed'} at 8e-4 s for up to {counts[-1]} rings")
    if drop and len(drop["heights"]) == 10:
        heights = [[str(k + 1), f"{1e3 * z:.3f}", f"{1e3 * h:.3f}"] for k, (z, h) in enumerate(zip(SETTLED, drop["heights"][1:], strict=True))]
        out.add(Table(f"Ten rings dropped by 5 mm, after {drop['reached']:.3g} s: mean height in mm (speed {number(drop['series']['speed'][-1])} m/s)", ["ring", "published code, at rest", "ours"], heights))
    if rest:
        _rest(out, rest, other)
    with draw("rings", "Left: run time over the number of rings. Right: greatest speed of a node in the long run", 2) as canvas:
        left, right = canvas.axes
        left.plot(RING_COUNTS, RING_TIMES, "^-", color="black", mfc="none", label="paper")
        if len(counts):
            left.plot(counts, times / times[-1], "o-", label="ours")
        axes(left, "number of rings", "run time over that of the longest chain", ylim=(0, 1.05))
        for result, law in ((rest, "law sap, our default"), (other, "law lagged")):
            if result:
                right.semilogy(result["time"], np.maximum(result["series"]["speed"], 1e-16), label=law)
        axes(right, "time [s]", "greatest speed [m/s]")
    out.add(canvas.figure)
    return out


def _rest(out: Section, rest: Result, other: Result) -> None:
    count, times = rest.run.settings["count"], np.array(rest["time"])
    after = times > min(2.0, 0.5 * times[-1])
    speeds, lowest = np.array(rest["series"]["speed"]), np.array(rest["series"]["lowest"])
    drift = float(np.ptp(lowest[after]))
    text = (
        f"{count} rings for {rest['reached']:.3g} s of simulated time ({rest['cpu_seconds']:.3g} CPU-s): greatest speed after 2 s "
        f"{speeds[after].max():.1e} m/s, the lowest ring moves by {1e6 * drift:.2g} µm, {rest['linked']} of {count - 1} links closed"
    )
    whole = count == 100 and rest["reached"] >= 600.0
    holds = drift < 1e-5 and rest["status"] == "completed"
    still = speeds[after].max() < 1e-4
    if holds and not still:
        text += ": it hangs where it should and keeps its links, but rings swing about the vertical with a motion that grows and stays"
        if other:
            late = np.array(other["time"]) > min(2.0, 0.5 * other["time"][-1])
            text += f"; with the law `lagged` the greatest speed is {np.array(other['series']['speed'])[late].max():.1e} m/s"
    word = "not reproduced" if not holds else "reproduced" if whole and still else "partly reproduced"
    out.add("Long rest: " + text + ".")
    out.verdicts["rings-rest"] = Verdict(word, text)
