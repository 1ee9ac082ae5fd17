"""Overhand knots of order 1 to 4, pulled tight."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk import World
from ropewalk.reproduce.figures import axes, draw, frames
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.report import Player, Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.topology import determinant
from ropewalk.reproduce.watch import watch, watch_recorded

LOOK = 1e-3
"""s between looks: 0.8 mm of pull."""
RUNG_OUT = 0.2
"""The start is loaded, and rings: snaps are looked for after this time, s."""
SNAP_TIME, LEAST_FALL = 6e-3, 0.015
"""A fall of the elastic energy by this share within this time (s) is a snap."""
KEY_TIMES = (0.0, 0.35, 0.7)
"""Times of key frames, s."""
DIAMETER, SPEED = 3e-3, 0.4


def knot(order: int, dt: float, segments: int, start: str | None = None, changes: dict[str, Any] | None = None) -> World:
    """The paper's rope with a knot: our own shape, or that in the file ``start``."""
    settings: dict[str, Any] = {"rod.rope.curve.overhand.order": order, "rod.rope.segments": segments, "time.dt": dt}
    world = World("knot", settings | (changes or {}))
    if start is None:
        return world
    document = world.to_document()
    nodes = np.loadtxt(start)
    along = SPEED * 10.0 * (nodes[-1] - nodes[0]) / np.linalg.norm(nodes[-1] - nodes[0])
    document["rod"]["rope"]["curve"] = {"nodes": nodes.tolist()}
    del document["rod"]["rope"]["segments"]
    for name, sign in (("left", -1.0), ("right", 1.0)):
        ways = [{"ramp": {"times": [0.0, 10.0], "values": [0.0, sign * float(x)]}} for x in along]
        document["clamp"][name]["motion"] = {"translation": ways}
    return World(document)


def pull(
    order: int,
    dt: float,
    segments: int,
    duration: float,
    start: str | None = None,
    linearize: str = "until_converged",
    pictures: bool = False,
) -> dict[str, Any]:
    """Pulls a knot: force, energies and shortening over time, the deepest overlap, and which knot it is at the end."""
    world = knot(order, dt, segments, start, {"solver.linearize": linearize})
    rope, clamps = world.rods["rope"], world.clamps
    overlap = world.measure("deepest_overlap", "greatest", until=0.7)
    shots: list[Any] = []

    def look(world: World) -> dict[str, float]:
        ends = rope.positions[[0, -1]]
        apart = float(np.linalg.norm(ends[1] - ends[0]))
        along = (ends[1] - ends[0]) / apart
        energies = rope.energies
        if pictures and len(shots) < len(KEY_TIMES) and world.time >= KEY_TIMES[len(shots)] * duration / 0.7 - 0.5 * dt:
            shots.append(world.render("front zoom=1.3", 360, 220, samples=2))
        return {
            "apart": apart,
            "pull": float((clamps["right"].wrench.force - clamps["left"].wrench.force) @ along) / 2.0,
            "elastic": float(energies.stretch + energies.bend + energies.twist),
            "kinetic": float(energies.kinetic),
        }

    found = watch_recorded(world, 60.0, duration, look, LOOK) if pictures else watch(world, duration, look, LOOK)
    knots = determinant(rope.positions)
    return found | {"overlap": (overlap.value or 0.0) / DIAMETER, "determinant": knots, "pictures": [shot.tolist() for shot in shots]}


def snap(values: Mapping[str, Any]) -> dict[str, float] | None:
    """The snap: the first time, after the start has rung out, at which the elastic energy falls by :data:`LEAST_FALL` within
    :data:`SNAP_TIME`; swings of the rope are slower. Time (s), distance of the ends (m), energy that this and falls within the next 20 ms set
    free (J), and how long that takes (s)."""
    time, energy = np.array(values["time"]), np.array(values["series"]["elastic"])
    apart = np.array(values["series"]["apart"])
    falls: list[tuple[int, int]] = []
    k = 0
    while k + 1 < len(energy):
        last = k
        while last + 1 < len(energy) and energy[last + 1] < energy[last]:
            last += 1
        quick = time[last] - time[k] <= SNAP_TIME and energy[k] - energy[last] >= LEAST_FALL * energy[k]
        if last > k and quick and time[k] > RUNG_OUT:
            falls.append((k, last))
        k = max(last, k + 1)
    if not falls:
        return None
    begin = falls[0][0]
    belong = [(i, j) for i, j in falls if time[i] < time[begin] + 0.02]
    freed = sum(float(energy[i] - energy[j]) for i, j in belong)
    duration = float(time[belong[-1][1]] - time[begin])
    return {"time": float(time[begin]), "apart": float(apart[begin]), "freed": freed, "duration": duration}


def runs(form: Form) -> list[Run]:
    """All orders at the paper's step; order 4 with other steps, meshes, and the paper's way of stepping."""
    seconds = form.pick(tiny=4e-3, quick=0.7, full=0.84)

    def one(order: int, dt: float, segments: int = 300, **more: Any) -> Run:
        settings = {"order": order, "dt": dt, "segments": segments, "duration": seconds, **more}
        return Run("knots:pull", settings, weight=4e-4 * seconds / dt * segments / 300 + 1.0)

    orders = form.pick(tiny=(1,), quick=(1, 2, 3, 4), full=(1, 2, 3, 4))
    plan = [one(order, 1e-4 if form.name != "tiny" else 1e-3, pictures=order == orders[-1]) for order in orders]
    if form.name == "tiny":
        return plan
    plan += [one(4, dt) for dt in form.pick(tiny=(), quick=(1e-3, 5e-4), full=(1e-3, 5e-4, 2.5e-4, 5e-5, 2.5e-5))]
    plan += [one(4, 1e-4, n) for n in form.pick(tiny=(), quick=(150,), full=(150, 600))]
    plan += [one(4, dt, linearize="once") for dt in form.pick(tiny=(), quick=(1e-4,), full=(1e-4, 1e-3))]
    if form.knots is not None:
        plan += [one(order, 1e-4, start=str(Path(form.knots).resolve() / f"n{order}.txt")) for order in orders]
    return plan


def section(form: Form, results: Sequence[Result]) -> Section:
    """Curves, snaps, key frames."""
    out = Section(
        "knots",
        "Knot tightening",
        "Rope of 1 m, 3 mm thick, 300 segments, E = 18 MPa, G = 6 MPa, ρ = 1000 kg/m³, α = 1/s, no friction, no gravity; each "
        "end is drawn outward at 0.4 m/s (the paper's 0.8 m/s between the ends). Hard contact, our default, where the paper has "
        "1e5 N/m and sinks in by 29 % of the diameter.",
    )
    rows, found = [], []
    for result in results:
        if not result:
            continue
        settings, values = result.run.settings, result.values
        found.append((settings, values))
        fall = snap(values)
        name = f"n = {settings['order']}" + (", published start" if settings.get("start") else "") + (
            ", paper's step" if settings.get("linearize") == "once" else "")
        snapped = ["does not snap", "", "", ""] if fall is None else [
            f"{fall['time']:.4f}", f"{1e3 * fall['apart']:.1f}", f"{1e3 * fall['duration']:.0f}", number(1e3 * fall["freed"])]
        held = values["determinant"] == 2 * settings["order"] + 1
        status = values["status"] if values["status"] != "completed" else "holds" if held else f"determinant {values['determinant']}"
        greatest = max(values["series"]["pull"]) if values["series"] else 0.0
        rows.append([name, f"{settings['dt']:g}", str(settings["segments"]), *snapped, number(greatest), f"{100 * values['overlap']:.1f} %", number(values["ms_per_step"]), status])
    header = ["knot", "dt [s]", "segments", "snap at [s]", "ends apart then [mm]", "within [ms]", "energy set free [mJ]", "greatest pull [N]", "overlap, share of d", "ms per step", "topology"]
    out.add(Table("Pulling knots tight; the paper shows n = 4 at 1e-4 s and gives no numbers", header, rows))
    if found:
        out.add(_curves(found))
        shots = [(s, v) for s, v in found if v["pictures"]]
        if shots:
            pictures = [(f"n = {s['order']}", [np.array(p, np.uint8) for p in v["pictures"]], [f"{t * s['duration'] / 0.7:.2f} s" for t in KEY_TIMES]) for s, v in shots]
            out.add(frames("knot-frames", "Key frames of the paper's Fig. 1 (b): loose, tight, at the end", pictures))
            out.add(*(Player(f"Play it: n = {s['order']}", v["player"]) for s, v in shots))
        _verdicts(out, form, found)
    return out


def _curves(found: Sequence[tuple[Any, Any]]) -> Any:
    caption = "Pull and elastic energy over the distance of the ends, n = 1 to 4 at 1e-4 s; right: the energy of n = 4 with other steps and meshes"
    with draw("knots", caption, 3, width=3.9) as canvas:
        pulls, energies, steps = canvas.axes
        for settings, values in found:
            series = values["series"]
            apart = 1e3 * np.array(series["apart"])
            plain = settings.get("linearize", "until_converged") == "until_converged" and not settings.get("start")
            if plain and settings["segments"] == 300 and settings["dt"] in (1e-4, 1e-3) and settings["dt"] == found[0][0]["dt"]:
                pulls.plot(apart, series["pull"], label=f"n = {settings['order']}")
                energies.plot(apart, 1e3 * np.array(series["elastic"]), label=f"n = {settings['order']}")
            if settings["order"] == 4:
                kind = "" if plain else " published" if settings.get("start") else " once"
                steps.plot(apart, 1e3 * np.array(series["elastic"]), label=f"{settings['dt']:g} s, {settings['segments']}{kind}", linewidth=0.8)
        axes(pulls, "distance of the ends [mm]", "pull [N]", ylim=(-0.2, 6.0))
        axes(energies, "distance of the ends [mm]", "elastic energy [mJ]")
        axes(steps, "distance of the ends [mm]", "elastic energy, n = 4 [mJ]")
    return canvas.figure


def _verdicts(out: Section, form: Form, found: Sequence[tuple[Any, Any]]) -> None:
    fours = [(s, v, snap(v)) for s, v in found if s["order"] == 4 and s.get("linearize", "until_converged") == "until_converged" and not s.get("start")]
    snaps = {(s["dt"], s["segments"]): fall for s, _, fall in fours}
    at = snaps.get((1e-4, 300))
    if fours:
        if at is not None:
            others = "; ".join(f"dt {dt:g} s, {n} segments: " + ("none" if f is None else f"{f['time']:.4f} s") for (dt, n), f in snaps.items() if (dt, n) != (1e-4, 300))
            out.verdicts["knot-snap"] = Verdict("reproduced", f"n = 4 at 1e-4 s snaps at {at['time']:.3f} s, ends {1e3 * at['apart']:.0f} mm apart, within {1e3 * at['duration']:.0f} ms, and sets {1e3 * at['freed']:.3g} mJ free ({others})")
        else:
            out.verdicts["knot-snap"] = Verdict("not reproduced", f"the elastic energy never falls by {100 * LEAST_FALL:g} % within {1e3 * SNAP_TIME:g} ms")
        large = [(s, v) for s, v, _ in fours if s["dt"] >= 5e-4]
        if large:
            held = all(v["status"] == "completed" and v["determinant"] == 9 for _, v in large)
            steps = ", ".join(f"{s['dt']:g} s ({v['ms_per_step']:.2g} ms per step)" for s, v in large)
            text = f"n = 4 {'holds' if held else 'does not hold'} at {steps}: look-ahead contacts and a guard that halves the step"
            for name in ("step-size", "knot-step"):
                out.verdicts[name] = Verdict("improved" if held else "reproduced", text)
            out.verdicts["adaptive-wish"] = Verdict("improved" if held else "agreed", text + "; a step that would tunnel or not converge is halved")
