"""Baseline: rods kept apart by a contact energy (Choi et al. 2021, Tong et al. 2023), on the knot."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk import _core
from ropewalk.reproduce.figures import axes, draw, frames
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.knots import DIAMETER, LOOK, SPEED, around_ring, collapse, knot
from ropewalk.reproduce.loop import look_at_ring
from ropewalk.reproduce.report import Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.topology import determinant

SOFT = "soft, 100 N/m, δ = 0.5 mm"
STEP = 1e-4
"""The paper's step, s."""
VARIANTS: dict[str, dict[str, Any]] = {
    "k of force, δ = 0.5 mm": {"delta": 5e-4, "stiffness": 1e5, "constant": False},
    "1e5 N/m, δ = 0.5 mm": {"delta": 5e-4, "stiffness": 150.0, "constant": True},
    SOFT: {"delta": 5e-4, "stiffness": 0.15, "constant": True},
    "k of force, δ = 10 µm": {"delta": 1e-5, "stiffness": 1e5, "constant": False},
    "1e5 N/m, δ = 10 µm": {"delta": 1e-5, "stiffness": 150.0, "constant": True},
}
"""The published settings: δ of 10 µm or 0.5 mm, k of 1e5 times the greatest force (2023), or the constant energy 1e5 N/m times the square of the
overlap, which later releases have and which is the paper's own contact stiffness. The soft one is not published: it shows the cause that the paper
names, a contact energy that is too small."""


def pull(order: int, variant: str, dt: float, duration: float, cpu_limit: float, start: str | None = None) -> dict[str, Any]:
    """Pulls a knot: energies, pull and topology over time."""
    nodes = np.loadtxt(start) if start else knot(order, 1e-3, 300).rods["rope"].positions
    rope = _core.ContactEnergyRope(
        np.ascontiguousarray(nodes), radius=0.5 * DIAMETER, youngs_modulus=1.8e7, shear_modulus=6e6, density=1000.0, mass_damping=1.0,
        speed=SPEED, dt=dt, friction=0.0, **VARIANTS[variant],
    )
    series: dict[str, list[float]] = {key: [] for key in ("time", "apart", "pull", "elastic", "contact", "least", "determinant", "iterations", "roundness", "ring")}
    every, status, began, steps, iterations = max(round(2 * LOOK / dt), 1), "completed", time.process_time(), 0, 0
    shapes = [rope.positions]
    for step in range(round(duration / dt)):
        if not rope.step():
            report = rope.report
            status = report[0] if report else "failed"
            break
        steps += 1
        report = rope.report
        assert report is not None
        iterations += report[1]
        if step % every == 0:
            points = rope.positions
            knots = determinant(points)
            row = (rope.time, float(np.linalg.norm(points[-1] - points[0])), rope.pull, report[4], report[3], report[6], knots, report[1], *look_at_ring(points, DIAMETER).values())
            for key, value in zip(series, row, strict=True):
                series[key].append(float(value))
        if time.process_time() - began > cpu_limit:
            status = "stopped by its budget"
            break
    shapes.append(rope.positions)
    cpu = time.process_time() - began
    return {
        "time": series["time"], "series": series, "status": status, "reached": rope.time, "cpu_seconds": cpu, "ms_per_step": 1e3 * cpu / max(steps, 1),
        "iterations": iterations / max(steps, 1), "determinant": determinant(rope.positions), "shapes": shapes,
    }


def runs(form: Form) -> list[Run]:
    """The published variants at the paper's step."""
    seconds = form.pick(tiny=1e-3, quick=0.7, full=0.84)
    names = form.pick(tiny=list(VARIANTS)[:1], quick=list(VARIANTS)[:3], full=list(VARIANTS))
    order, limit = form.pick(tiny=1, quick=4, full=4), form.peer_seconds
    plan = [Run("contact_energy:pull", {"order": order, "variant": n, "dt": STEP, "duration": seconds, "cpu_limit": limit}, weight=min(limit, 60.0)) for n in names]
    if form.name in ("full", "overnight"):
        plan.append(Run("contact_energy:pull", {"order": order, "variant": names[0], "dt": 1e-3, "duration": seconds, "cpu_limit": limit}, weight=60.0))
    return plan


def tunneled(settings: Any, values: Any) -> float | None:
    """When the knot was first another one, s."""
    series, right = values["series"], 2 * settings["order"] + 1
    wrong = [t for t, d in zip(series["time"], series["determinant"], strict=True) if d != right]
    return wrong[0] if wrong else values["reached"] if values["determinant"] != right else None


def section(form: Form, results: Sequence[Result]) -> Section:
    """Does it tunnel, when, why."""
    del form
    out = Section(
        "contact_energy",
        "Baseline: contact energy (IMC)",
        "A stepper of its own in `crates/baselines`: the published smooth penalty of the distance of edges, implicit steps by Newton's method, "
        "without a sweep, without sub-steps, friction that lags (none here). Material, speed and step are those of the knot: order 4, 0.4 m/s at each end, 1e-4 s.",
    )
    found = [r for r in results if r]
    rows = []
    for r in found:
        when = tunneled(r.run.settings, r.values)
        elastic, contact = np.array(r["series"]["elastic"]), np.array(r["series"]["contact"])
        share = float(np.max(contact / np.maximum(elastic, 1e-12))) if len(elastic) else float("nan")
        least = min(r["series"]["least"], default=float("nan"))
        fall = collapse(r.values)
        snapped = "–" if r["reached"] < 0.6 else "does not" if fall is None else f"{fall['time']:.3f} s, within {1e3 * fall['duration']:.0f} ms"
        rows.append([r.run.settings["variant"], f"{r.run.settings['dt']:g}", "holds" if when is None else f"tunnels at {when:.3f} s ({2 * r.run.settings['order'] + 1} → {r['determinant']})", f"{100 * (1 - least / DIAMETER):.1f} %" if least < 1.0 else "–", number(share), snapped, f"{r['iterations']:.1f}", number(r["ms_per_step"]), f"{r['reached']:.3g} s" + ("" if r["status"] == "completed" else f" ({r['status']})")])
    out.add(Table("Knot of order 4", ["penalty", "dt [s]", "topology", "overlap, share of d", "greatest contact over elastic energy", "ring collapses", "iterations per step", "ms per step", "reached"], rows))
    if not found:
        return out
    with draw("contact-energy", "Contact and elastic energy (left), least distance of edges (right) over time", 2) as canvas:
        for r in found:
            series = r["series"]
            line = canvas.axes[0].semilogy(series["time"], np.maximum(series["contact"], 1e-15), label=r.run.settings["variant"])
            canvas.axes[0].semilogy(series["time"], series["elastic"], ":", color=line[0].get_color())
            least = np.minimum(np.array(series["least"]), 5e-3)
            canvas.axes[1].plot(series["time"], 1e3 * least, color=line[0].get_color())
        axes(canvas.axes[0], "time [s]", "energy [J]: contact, elastic (dotted)", ylim=(1e-12, 10.0))
        axes(canvas.axes[1], "time [s]", "least distance of edges [mm]")
        canvas.axes[1].axhline(1e3 * DIAMETER, color="gray", linestyle=":")
    shapes = [(r.run.settings["variant"], [around_ring(s) for s in r["shapes"]], ["start", f"{r['reached']:.2f} s"]) for r in found]
    out.add(canvas.figure, frames("contact-energy-shapes", "Knots at the start and where they have come to, seen from the front", shapes))
    judge(out, [(r.run.settings, r.values) for r in found])
    return out


def judge(out: Section, found: Sequence[tuple[Any, Any]]) -> None:
    """Adds what runs, as settings and values, say of the claims: only published settings at the paper's step count."""
    published = [(s, v) for s, v in found if s["variant"] != SOFT and s["dt"] == STEP]
    if not published:
        return
    parts, tunnels, holds = [], 0, 0
    for s, v in published:
        when = tunneled(s, v)
        tunnels += when is not None
        holds += when is None and v["status"] == "completed"
        how = f"tunnels at {when:.3f} s" if when is not None else f"holds until {v['reached']:.3f} s" + ("" if v["status"] == "completed" else f", then {v['status'].replace('_', ' ')}")
        parts.append(f"{s['variant']}: {how}")
    word = "not shown" if not tunnels + holds else "not reproduced" if not tunnels else "reproduced" if tunnels == len(published) else "partly reproduced"
    out.verdicts["imc-tunnels"] = Verdict(word, "; ".join(parts))
    early, late, words = [], [], []
    for s, v in published:
        elastic, contact = np.array(v["series"]["elastic"]), np.array(v["series"]["contact"])
        if len(elastic) < 10:
            continue
        share = contact / np.maximum(elastic, 1e-12)
        third = len(share) // 3
        early.append(float(np.median(share[:third])))
        late.append(float(np.median(share[-third:])))
        words.append(f"{s['variant']}: {early[-1]:.1e} in the first third, {late[-1]:.1e} in the last")
    if early:
        first, falls = min(early) > 1.0, all(b < a for a, b in zip(early, late, strict=True))
        word = "reproduced" if first and falls and max(late) < 1.0 else "partly reproduced" if first or falls else "not reproduced"
        out.verdicts["imc-energy"] = Verdict(word, "contact over elastic energy, median: " + "; ".join(words))
