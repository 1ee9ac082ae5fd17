"""Two arms tie a shoelace: with patches, with points, with the paper's step."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ropewalk import World
from ropewalk.reproduce.figures import axes, draw, frames
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.report import Player, Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.topology import determinant
from ropewalk.reproduce.watch import watch, watch_recorded

VARIANTS: dict[str, dict[str, Any]] = {
    "patch": {},
    "point": {"rod.lace.contact": "point"},
    "patch, paper's step": {"solver.linearize": "once"},
    "point, paper's step": {"rod.lace.contact": "point", "solver.linearize": "once"},
}
THICKNESS = 4e-3
"""Of the lace, m."""
CARRY = (1.6, 3.6)
"""While the left hand carries the lace, s."""


def key_times(duration: float) -> tuple[float, ...]:
    """Times of key frames in s."""
    return (1.3, 7.0, 11.5, 18.0) if duration > 18.0 else tuple(round(share * duration, 2) for share in (0.36, 0.7, 0.97))


def tie(variant: str, duration: float, cpu_limit: float, pictures: bool = False) -> dict[str, Any]:
    """Ties the lace: force of a finger of the left hand, width of its grip, elastic energy over time, and the knot at the end."""
    world = World("shoelace", VARIANTS[variant])
    lace, left = world.rods["lace"], world.robots["left"]
    shots: list[Any] = []
    moments = key_times(duration)

    def look(world: World) -> dict[str, float]:
        if pictures and len(shots) < len(moments) and world.time >= moments[len(shots)] - 1e-6:
            shots.append(world.render("iso zoom=1.5", 360, 260, samples=2))
        energies = lace.energies
        return {
            "pinch": float(np.linalg.norm(left.contact_wrench("finger_left").force)),
            "grip": float(left.joint_position("grip")),
            "elastic": float(energies.stretch + energies.bend + energies.twist),
            "held": float(_held(world)),
        }

    arguments = (duration, look, world.dt, cpu_limit)
    found = watch_recorded(world, 10.0, *arguments) if pictures else watch(world, *arguments)
    return found | {"determinant": determinant(lace.positions), "pictures": [shot.tolist() for shot in shots]}


def _held(world: World) -> int:
    """How many contacts the lace has with the fingers of the left hand."""
    contacts = world.contacts()
    robot = world.robots["left"]
    numbers = [robot.link_names.index(name) for name in ("finger_left", "finger_right")]
    sides = (contacts["tree"] == robot.index) & np.isin(contacts["link"], numbers)
    return int(np.count_nonzero(sides.any(axis=1) & (contacts["rod"] >= 0).any(axis=1)))


def spectrum(time: Any, values: Any, window: tuple[float, float]) -> tuple[Any, Any]:
    """Amplitude spectrum of a series between two times: frequencies in Hz, amplitudes in its unit; trend taken off, Hann."""
    time, values = np.asarray(time), np.asarray(values)
    inside = (time >= window[0]) & (time <= window[1])
    time, values = time[inside], values[inside]
    if len(time) < 16:
        return np.zeros(0), np.zeros(0)
    step = float(np.median(np.diff(time)))
    smooth = np.polynomial.Polynomial.fit(time, values, 5)(time)
    taper = np.hanning(len(time))
    amplitudes = 2.0 * np.abs(np.fft.rfft((values - smooth) * taper)) / taper.sum()
    return np.fft.rfftfreq(len(time), step), amplitudes


def ripple(values: Mapping[str, Any]) -> dict[str, float]:
    """Mean and standard deviation of the pinch force while the lace is carried, and the energy's ripple above 20 Hz in J."""
    time, pinch = np.array(values["time"]), np.array(values["series"]["pinch"])
    inside = (time >= CARRY[0]) & (time <= CARRY[1])
    out = {"mean": float("nan"), "deviation": float("nan"), "steps": float("nan"), "noise": float("nan")}
    if inside.sum() > 16:
        force = pinch[inside]
        out["mean"], out["deviation"] = float(force.mean()), float(force.std())
        out["steps"] = float(np.abs(np.diff(force)).max())
        frequencies, amplitudes = spectrum(time, values["series"]["elastic"], CARRY)
        out["noise"] = float(np.sqrt(0.5 * np.sum(amplitudes[frequencies > 20.0] ** 2)))
    return out


def runs(form: Form) -> list[Run]:
    """All variants."""
    seconds = form.pick(tiny=4e-3, quick=3.7, full=18.2)
    names = form.pick(tiny=["patch"], quick=list(VARIANTS), full=list(VARIANTS))
    limit = form.pick(tiny=5.0, quick=60.0, full=900.0)
    return [
        Run("shoelace:tie", {"variant": n, "duration": seconds, "cpu_limit": limit, "pictures": n == "patch"}, weight=5.0 * seconds) for n in names
    ]


def section(form: Form, results: Sequence[Result]) -> Section:
    """Pinch forces, energies and their spectra."""
    out = Section(
        "shoelace",
        "Tying a shoelace",
        "Two arms with fingers tie an overhand knot, open loop, dt 2 ms. Dimensions, arms and path are ours, since the paper does not "
        f"give them. The pinch force is that of the contacts on one finger, commanded to 2.5 N; ripple is measured from {CARRY[0]} to {CARRY[1]} s, while the left hand carries the lace.",
    )
    found = {r.run.settings["variant"]: r for r in results if r and "variant" in r.run.settings}
    rows = []
    for name, r in found.items():
        wave = ripple(r.values)
        held = np.array(r["series"]["held"])[(np.array(r["time"]) >= CARRY[0]) & (np.array(r["time"]) <= CARRY[1])]
        slip = "–" if not len(held) else "held" if held.min() > 0 else f"let go in {np.mean(held == 0) * 100:.0f} % of the steps"
        knot = str(r["determinant"]) if r["reached"] > 18.0 else "–"
        rows.append([name, number(wave["mean"]), f"{100 * wave['deviation'] / wave['mean']:.2f} %" if wave["mean"] > 0 else "–", number(wave["steps"]), number(1e6 * wave["noise"]), slip, knot, number(r["ms_per_step"]), f"{r['reached']:.3g} s" + ("" if r["status"] == "completed" else f" ({r['status']})")])
    header = ["contact", "mean pinch force [N]", "standard deviation", "greatest change in a step [N]", "ripple of the elastic energy above 20 Hz [µJ]", "while carried", "determinant at the end", "ms per step", "reached"]
    out.add(Table("The paper: with patches the force rises smoothly, with points it fluctuates violently and the lace slips out", header, rows))
    if found:
        out.add(_figure(found), _cause(found))
        shots = [r for r in found.values() if r["pictures"]]
        if shots:
            pictures = [np.array(p, np.uint8) for p in shots[0]["pictures"]]
            out.add(frames("shoelace-frames", "Key frames of the paper's Fig. 8 (a)", [("patch", pictures, [f"{t:g} s" for t in key_times(shots[0].run.settings["duration"])[: len(pictures)]])]))
            out.add(Player("Play it: patches", shots[0]["player"]))
        _verdicts(out, found)
    return out


def _figure(found: dict[str, Result]) -> Any:
    caption = "The paper's figures (d) and (e): force of a finger, elastic energy of the lace, and the spectrum of that energy while the lace is carried"
    with draw("shoelace", caption, 3, width=3.9) as canvas:
        force, energy, spectra = canvas.axes
        for name, r in found.items():
            stop = np.array(r["time"]) <= 5.0
            time = np.array(r["time"])[stop]
            force.plot(time, np.array(r["series"]["pinch"])[stop], label=name, linewidth=0.7)
            energy.plot(time, 1e3 * np.array(r["series"]["elastic"])[stop], label=name, linewidth=0.7)
            frequencies, amplitudes = spectrum(r["time"], r["series"]["elastic"], CARRY)
            if len(frequencies):
                spectra.loglog(frequencies[1:], 1e3 * amplitudes[1:], label=name, linewidth=0.7)
        axes(force, "time [s]", "force of a finger [N]")
        axes(energy, "time [s]", "elastic energy [mJ]", legend=False)
        axes(spectra, "frequency [Hz]", "amplitude [mJ]", legend=False)
    return canvas.figure


def _cause(found: dict[str, Result]) -> Any:
    caption = "Why the lace stays with points, too: as the fingers close on it, their force settles at once, and from then on they stay where they are; no overlap is left that could vary from step to step"
    with draw("shoelace-cause", caption, 2) as canvas:
        force, width = canvas.axes
        for name, r in found.items():
            time = np.array(r["time"])
            near = (time > 1.1) & (time < 2.0)
            force.plot(time[near], np.array(r["series"]["pinch"])[near], label=name, linewidth=0.8)
            width.plot(time[near], 2e3 * np.array(r["series"]["grip"])[near], label=name, linewidth=0.8)
        axes(force, "time [s]", "force of a finger [N]")
        axes(width, "time [s]", "fingers apart [mm]", legend=False)
    return canvas.figure


def _verdicts(out: Section, found: dict[str, Result]) -> None:
    waves = {name: ripple(r.values) for name, r in found.items()}
    if "patch" not in waves or not waves["patch"]["mean"] > 0.0:
        return
    patch = waves["patch"]
    share = patch["deviation"] / patch["mean"]
    r = found["patch"]
    tied = r["reached"] > 18.0 and r["determinant"] == 3
    text = f"force {patch['mean']:.2f} N with a standard deviation of {100 * share:.2f} %"
    text += f", knot tied: determinant {r['determinant']}" if r["reached"] > 18.0 else f" (run to {r['reached']:.3g} s)"
    out.verdicts["lace-patch"] = Verdict("reproduced" if tied and share < 0.1 else "partly reproduced" if share < 0.1 else "not reproduced", text)
    if "point" in found:
        _patch_verdicts(out, r, found["point"])
    points = {name: wave for name, wave in waves.items() if name.startswith("point") and wave["mean"] > 0.0}
    for name, wave in points.items():
        held = np.array(found[name]["series"]["held"])[(np.array(found[name]["time"]) >= CARRY[0]) & (np.array(found[name]["time"]) <= CARRY[1])]
        slipped = bool(len(held)) and held[-10:].max() == 0
        more = wave["deviation"] / wave["mean"] / share
        words = f"{name}: standard deviation {100 * wave['deviation'] / wave['mean']:.1f} %, {more:.1f} times that of patches; the lace {'slips out' if slipped else 'is held'}"
        word = "reproduced" if slipped else "partly reproduced" if more > 3.0 else "not reproduced"
        if name == "point":
            why = "" if slipped else "; contact is hard and updated to the end of the step, so no penetration of the free motion is left to vary"
            out.verdicts["lace-point"] = out.verdicts["tying-needs-patches"] = Verdict(word, words + why)
        else:
            out.verdicts["lace-cause"] = Verdict("partly reproduced" if more > 3.0 else "not reproduced", words + ", against the same with our step: " + f"{100 * points['point']['deviation'] / points['point']['mean']:.1f} %" if "point" in points else words)


def _patch_verdicts(out: Section, patch: Result, point: Result) -> None:
    """What patches add to points: contacts, work, and fingers that sink in."""
    more, work = patch["contacts_mean"] / max(point["contacts_mean"], 1e-9), patch["ms_per_step"] / point["ms_per_step"]
    text = f"{patch['contacts_mean']:.0f} contacts with patches, {point['contacts_mean']:.0f} with points, in the mean; {patch['ms_per_step']:.2g} and {point['ms_per_step']:.2g} ms per step"
    word = "reproduced" if more > 2.0 and work > 1.0 else "partly reproduced" if more > 2.0 else "not reproduced"
    out.verdicts["patch-more-contacts"] = Verdict(word, text)
    widths = []
    for r in (patch, point):
        inside = (np.array(r["time"]) >= CARRY[0]) & (np.array(r["time"]) <= CARRY[1])
        if not inside.any():
            return
        widths.append(2.0 * float(np.array(r["series"]["grip"])[inside].mean()))
    deeper = (widths[1] - widths[0]) / THICKNESS
    text = f"while the lace is carried the fingers are {1e3 * widths[0]:.2f} mm apart with patches and {1e3 * widths[1]:.2f} mm with points: the lace of 4 mm gives way by {100 * deeper:.0f} % of its thickness, and {more:.1f} times as many contacts share the force"
    out.verdicts["lateral-compliance"] = Verdict("reproduced" if deeper > 0.02 and more > 2.0 else "not reproduced", text)
