"""Filaments that curl up entangle an object, lift it and let it go; with many seeds."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk import World
from ropewalk.reproduce.figures import axes, draw, frames
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.report import Player, Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.watch import watch, watch_recorded

KEY_TIMES = (5.0, 6.8, 7.8)
"""Over the object, curled up, lifted; s."""
LIFTED, CARRIED = 0.01, 0.05
"""What the object must rise at least and go to the side, m."""


def grasp(seed: int, duration: float, cpu_limit: float, pictures: bool = False) -> dict[str, Any]:
    """One run: height and way of the object over time, the deepest overlap, whether it was carried and let go."""
    world = World("gripper", {"time.duration": max(duration, 1e-3)}, seed=seed)
    thing = world.bodies["object"]
    start = thing.position.copy()
    overlap = world.measure("deepest_overlap", "greatest")
    shots: list[Any] = []

    def look(world: World) -> dict[str, float]:
        if pictures and len(shots) < 3 and world.time >= KEY_TIMES[len(shots)] - 1e-6:
            shots.append(world.render("iso zoom=1.6 follow=object", 320, 300, samples=2))
        moved = thing.position - start
        return {"height": float(moved[2]), "way": float(np.hypot(moved[0], moved[1]))}

    arguments = (duration, look, 0.05, cpu_limit)
    found = watch_recorded(world, 10.0, *arguments) if pictures else watch(world, *arguments)
    heights, ways = np.array(found["series"]["height"]), np.array(found["series"]["way"])
    touching = float(np.linalg.norm(thing.contact_wrench.force[:2])) if found["steps"] else 0.0
    carried = bool(np.any((heights > LIFTED) & (ways > CARRIED)))
    released = bool(found["reached"] > 13.9 and heights[-1] < LIFTED)
    return found | {
        "overlap": (overlap.value or 0.0) / 4.2e-3,
        "lifted": bool(heights.max() > LIFTED),
        "carried": carried,
        "released": released,
        "side_force": touching,
        "pictures": [shot.tolist() for shot in shots],
    }


def runs(form: Form) -> list[Run]:
    """Seeds."""
    seeds = form.pick(tiny=[1], quick=[1], full=list(range(1, 21)))
    seconds = form.pick(tiny=2e-3, quick=8.0, full=14.0)
    limit = form.pick(tiny=5.0, quick=120.0, full=900.0)
    return [
        Run("gripper:grasp", {"seed": s, "duration": seconds, "cpu_limit": limit, "pictures": s == 1}, weight=8.0 * seconds) for s in seeds
    ]


def section(form: Form, results: Sequence[Result]) -> Section:
    """Success, speed, key frames."""
    out = Section(
        "gripper",
        "Entangling filament gripper",
        "Twelve filaments of 0.26 m and 4.2 mm, 130 segments each, E = 0.62 MPa, on an arm of seven joints; the seed decides how they "
        "curl. dt 1e-3 s, hard contact. Lifted: 10 mm above the ground; carried: 50 mm to the side while lifted.",
    )
    found = [r for r in results if r]
    rows = [
        [str(r.run.settings["seed"]), _yes(r["lifted"]), _yes(r["carried"]) if r["reached"] > 9.9 else "–", _yes(r["released"]) if r["reached"] > 13.9 else "–",
         f"{1e3 * max(r['series']['height']):.0f}", f"{100 * r['overlap']:.1f} %", f"{r['contacts_mean']:.0f} / {r['contacts_max']}", number(r["ms_per_step"]), f"{r['reached']:.3g} s" + ("" if r["status"] == "completed" else f" ({r['status']})")]
        for r in found
    ]
    header = ["seed", "lifted", "carried", "released", "greatest height [mm]", "overlap, share of d", "contacts mean / max", "ms per step", "reached"]
    out.add(Table("Grasps; the paper shows one, and gives 104 / 200 contacts and 77 ms per step", header, rows))
    if found:
        with draw("gripper", "Height of the object over time, one line for each seed", width=6.0) as canvas:
            for r in found:
                canvas.axes[0].plot(r["time"], 1e3 * np.array(r["series"]["height"]), linewidth=0.8)
            axes(canvas.axes[0], "time [s]", "height of the object [mm]")
        out.add(canvas.figure)
        shots = [r for r in found if r["pictures"]]
        if shots:
            pictures = [np.array(p, np.uint8) for p in shots[0]["pictures"]]
            out.add(frames("gripper-frames", "Key frames of the paper's Fig. 7", [("seed 1", pictures, [f"{t:g} s" for t in KEY_TIMES[: len(pictures)]])]))
            out.add(Player("Play it: seed 1", shots[0]["player"]))
        long = [r for r in found if r["reached"] > 7.4]
        if long:
            lifted = sum(r["lifted"] for r in long)
            word = "reproduced" if lifted >= 0.8 * len(long) else "partly reproduced" if lifted else "not reproduced"
            text = f"{lifted} of {len(long)} seeds lift the object"
            whole = [r for r in found if r["reached"] > 13.9]
            if whole:
                text += f"; {sum(r['carried'] and r['released'] for r in whole)} of {len(whole)} carry it and let it go"
            out.verdicts["gripper-grasps"] = Verdict(word, text)
            done = all(r["status"] in ("completed", "stopped by its budget") for r in found)
            most = max(r["overlap"] for r in found)
            out.verdicts["gripper-robust"] = Verdict("reproduced" if done and most < 0.2 else "not reproduced", f"deepest overlap {100 * most:.1f} % of a diameter, {'no step failed' if done else 'a step failed'}, up to {max(r['contacts_max'] for r in found)} contacts")
    return out


def _yes(value: bool) -> str:
    return "yes" if value else "no"
