"""Baseline: the shoelace as a chain of rigid capsules with springs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk import World
from ropewalk.reproduce.chains import Springs, chain_document, spring_energy
from ropewalk.reproduce.figures import axes, draw
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.report import Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.shoelace import CARRY, ripple, spectrum
from ropewalk.reproduce.watch import watch


def tie_chain(dt: float, duration: float, cpu_limit: float) -> dict[str, Any]:
    """The same with a chain of capsules with the rod's own stiffness, soft as the lace: the force of a finger and the energy of the
    springs over time."""
    plain = World("shoelace")
    nodes, document = plain.rods["lace"].positions, plain.to_document()
    radius, count = 2e-3, len(nodes) - 1
    length = float(np.linalg.norm(np.diff(nodes, axis=0), axis=1).mean())
    area, second = np.pi * radius**2, np.pi * radius**4 / 4
    springs = Springs(1e5 * second / length, 1e5 / 2.8 * 2 * second / length, 200.0 * 1e5 * area / length)
    chain = chain_document(nodes, radius, 700.0, springs, friction=0.5)
    for body in chain["body"].values():
        body["pressure_modulus"] = 2e5
    for name in ("rod", "material", "clamp", "load", "claim"):
        document.pop(name, None)
    document["body"] |= chain["body"]
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(nodes, axis=0), axis=1))])
    for name, place in (("eyelet_left", 0.4519), ("eyelet_right", 0.5461)):
        body = f"c{int(np.searchsorted(lengths, place)) - 1}"
        chain["attach"][name] = {"kind": "clamp", "body": body, "to": "world"}
    document["attach"] = document.get("attach", {}) | chain["attach"]
    names = ("shoe", "shoe_sole", "shoe_eyelets", "shoe_lacing")
    kept = [pair for pair in document["contact"]["exclude"] if "lace" not in pair]
    document["contact"]["exclude"] = kept + chain["contact"]["exclude"] + [[name, f"c{k}"] for name in names for k in range(count)]
    document["time"] |= {"dt": dt, "duration": duration}
    world = World(document)
    left = world.robots["left"]

    def look(world: World) -> dict[str, float]:
        force = left.contact_wrench("finger_left").force
        return {"pinch": float(np.linalg.norm(force)), "elastic": spring_energy(world, count, length, springs)}

    return watch(world, duration, look, 2e-3, cpu_limit)


def runs(form: Form) -> list[Run]:
    """The rod, and chains with its step and with the one that the paper's chain needs, up to where the lace has been carried."""
    seconds, limit = form.pick(tiny=4e-3, quick=3.7, full=3.7), form.peer_seconds
    steps = form.pick(tiny=(2e-3,), quick=(2e-3,), full=(2e-3, 1e-4))
    plan = [Run("shoelace:tie", {"variant": "patch", "duration": seconds, "cpu_limit": 60.0}, weight=5.0 * seconds)]
    return plan + [Run("lace_chain:tie_chain", {"dt": dt, "duration": seconds, "cpu_limit": limit}, weight=min(limit, 120.0)) for dt in steps]


def section(form: Form, results: Sequence[Result]) -> Section:
    """Pinch force, and how noisy the energy is."""
    del form
    out = Section(
        "lace_chain",
        "Baseline: the shoelace as a chain of capsules",
        "200 capsules with the rod's own EI/l, GJ/l and EA/l, undamped, touching in patches; the arms do what they do in the shoelace. Up to where "
        f"the lace has been carried; ripple from {CARRY[0]} to {CARRY[1]} s.",
    )
    found = {_label(r): r for r in results if r}
    rows = []
    for name, r in found.items():
        wave = ripple(r.values)
        rows.append([name, number(wave["mean"]), number(1e6 * wave["noise"]), number(r["ms_per_step"]), f"{r['reached']:.3g} s" + ("" if r["status"] == "completed" else f" ({r['status']})")])
    out.add(Table("The paper: a chain needs 1e-4 s, and its energy fluctuates at high frequencies", ["lace", "mean pinch force [N]", "ripple of the elastic energy above 20 Hz [µJ]", "ms per step", "reached"], rows))
    if not found:
        return out
    with draw("lace-chain", "Force of a finger, elastic energy, and its spectrum while the lace is carried", 3, width=3.9) as canvas:
        force, energy, spectra = canvas.axes
        for name, r in found.items():
            force.plot(r["time"], r["series"]["pinch"], label=name, linewidth=0.7)
            energy.semilogy(r["time"], 1e3 * np.array(r["series"]["elastic"]), label=name, linewidth=0.7)
            frequencies, amplitudes = spectrum(r["time"], r["series"]["elastic"], CARRY)
            if len(frequencies):
                spectra.loglog(frequencies[1:], 1e3 * amplitudes[1:], label=name, linewidth=0.7)
        axes(force, "time [s]", "force of a finger [N]")
        axes(energy, "time [s]", "elastic energy [mJ]", legend=False)
        axes(spectra, "frequency [Hz]", "amplitude [mJ]", legend=False)
    out.add(canvas.figure)
    _verdicts(out, found)
    return out


def _label(r: Result) -> str:
    return "rod" if r.run.function.endswith(":tie") else f"capsules, {r.run.settings['dt']:g} s"


def _verdicts(out: Section, found: dict[str, Result]) -> None:
    far = {name: ripple(r.values)["noise"] for name, r in found.items() if r["reached"] >= CARRY[1]}
    if "rod" in far and len(far) > 1:
        ours = far.pop("rod")
        text = f"ripple above 20 Hz: {1e6 * ours:.2g} µJ of the rod; " + ", ".join(f"{1e6 * w:.2g} µJ of {n}" for n, w in far.items())
        out.verdicts["lace-chain-noise"] = Verdict("reproduced" if min(far.values()) > 2.0 * ours else "not reproduced", text)
    large = [r for name, r in found.items() if name != "rod" and r.run.settings["dt"] >= 1e-3]
    if large:
        r = large[0]
        how = "runs" if r["status"] == "completed" else f"ends at {r['reached']:.3g} s ({r['status']})"
        text = f"at {r.run.settings['dt']:g} s, the step of the rod, the chain {how} in our engine, {r['ms_per_step']:.2g} ms per step: springs are taken at the end of the step"
        failed = r["status"] not in ("completed", "stopped by its budget")
        out.verdicts["lace-chain-step"] = Verdict("reproduced" if failed else "not reproduced", text)
