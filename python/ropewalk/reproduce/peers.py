"""Today's choices: MuJoCo's and Newton's chains next to our rods, in one run on one machine."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ropewalk.reproduce.capstan import skin_slope
from ropewalk.reproduce.cosserat import CASES
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.mujoco_chains import SOLVER
from ropewalk.reproduce.newton_chains import CONTACT, ITERATIONS
from ropewalk.reproduce.report import Section, Table, number
from ropewalk.reproduce.runs import Result, Run, version

NAMES = {"mujoco": "MuJoCo", "newton": "Newton", "ropewalk": "Ropewalk"}
TENTHS = [4, 12, 20]
"""Wrap angles of the capstan, in tenths of π."""


def runs(form: Form) -> list[Run]:
    """Everybody at the same work; ours with the default step of the scene."""
    limit, tiny = form.peer_seconds, form.name == "tiny"
    plan = []
    for case in ("cantilever", "hanging_rope"):
        seconds = form.pick(tiny=2e-3, quick=CASES[case].duration, full=CASES[case].duration)
        settings = {"case": case, "dt": 1e-3, "duration": seconds}
        plan.append(Run("cosserat:ours", settings, weight=1.0))
        plan.append(Run("mujoco_chains:mujoco_rod", settings | {"cpu_limit": limit}, ("mujoco",), 3.0 * seconds))
        if not tiny:
            plan.append(Run("newton_chains:newton_rod", settings | {"cpu_limit": limit}, ("newton",), min(limit, 20.0 * seconds)))
            plan.append(Run("cosserat:ours", settings | {"dt": 5e-5, "scheme": "bdf2"}, weight=1e-4 * seconds / 5e-5))
    rings = form.pick(tiny=3, quick=100, full=100)
    seconds = form.pick(tiny=4e-3, quick=0.8, full=0.8)
    plan.append(Run("rings:chain", {"count": rings, "duration": seconds}, weight=4.0))
    plan.append(Run("mujoco_chains:mujoco_rings", {"count": rings, "dt": 8e-4, "duration": seconds, "cpu_limit": limit}, ("mujoco",), min(limit, 20.0)))
    if tiny:
        return plan
    plan.append(Run("newton_chains:newton_rings", {"count": rings, "dt": 8e-4, "duration": seconds, "cpu_limit": limit}, ("newton",), limit))
    pull = {"order": 4, "duration": 0.84, "cpu_limit": limit}
    plan.append(Run("knots:pull", {"order": 4, "dt": 1e-3, "segments": 300, "duration": form.pick(tiny=0.7, quick=0.7, full=0.84)}, weight=3.0))
    plan.append(Run("mujoco_chains:mujoco_knot", pull | {"dt": 2e-4}, ("mujoco",), min(limit, 40.0)))
    plan.append(Run("newton_chains:newton_knot", pull | {"dt": 1e-3}, ("newton",), min(limit, 60.0)))
    plan.append(Run("capstan:slide", {"mesh": 20, "contact": "point", "tenths": TENTHS}, weight=4.0))
    plan.append(Run("mujoco_chains:mujoco_capstan", {"mesh": 20, "tenths": TENTHS, "dt": 2e-4, "cpu_limit": limit}, ("mujoco",), min(limit, 30.0)))
    return plan


def section(form: Form, results: Sequence[Result]) -> Section:
    """A row for each work, with what each simulator makes of it."""
    del form
    versions = ", ".join(f"{NAMES[p]} {v}" for p in ("mujoco", "newton") if (v := version(p)))
    out = Section(
        "peers",
        "Today's choices: MuJoCo and Newton",
        f"{versions or 'Neither is installed'}. One thread, one machine, CPU times; compilation is not counted. Settings are ours, not those of an expert. MuJoCo: chains of bodies with ball joints and springs EI/l from one root (which makes their mass matrix dense), integrator "
        f"`discrete`, {SOLVER.replace(chr(34), '')}, `solref = 2 dt`, `solimp = 0.99 0.999` (with its defaults ropes pull through posts). Newton: `Rod` with E and G in `SolverVBD`, {ITERATIONS} iterations, contact "
        f"stiffness {CONTACT:g} N/m. Errors of tips are over the length, against ours with BDF2 at 5e-5 s; those of the capstan against friction at the skin of the rope.",
    )
    cells = _cells(results)
    works = list(dict.fromkeys(work for work, _ in cells))
    rows = [[work, *(cells.get((work, who), "–") for who in NAMES.values())] for work in works]
    out.add(Table("The same work in one run; ms are CPU time for each step", ["", *NAMES.values()], rows))
    ratios = _ratios(results)
    if ratios:
        out.add("CPU time for a simulated second, over ours: " + "; ".join(ratios) + ".")
    return out


def _who(result: Result) -> str:
    module = result.run.function.partition(":")[0]
    return NAMES["mujoco"] if module == "mujoco_chains" else NAMES["newton"] if module == "newton_chains" else NAMES["ropewalk"]


def _work(result: Result) -> str:
    settings = result.run.settings
    if "case" in settings:
        return CASES[settings["case"]].title
    if "tenths" in settings:
        return "rope round a post"
    return "knot of order 4" if "order" in settings else f"chain of {settings['count']} rings"


def _is_reference(result: Result) -> bool:
    return bool(result.run.settings.get("scheme") == "bdf2")


def _pace(values: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    dt = settings.get("dt", values.get("dt"))
    time = f"{number(1e3 * values['cpu_seconds'] / max(values['steps'], 1))} ms" + (f" at {1e3 * dt:g} ms" if dt else "")
    return time + ("" if values.get("status", "completed") == "completed" else f", {values['status']} at {values['reached']:.2g} s")


def _cells(results: Sequence[Result]) -> dict[tuple[str, str], str]:
    """What each simulator makes of each work, in words."""
    exact = {r.run.settings["case"]: np.array(r["tip"]) for r in results if r and _is_reference(r)}
    out = {}
    for r in results:
        if not r or _is_reference(r):
            continue
        settings, values = r.run.settings, r.values
        pace = _pace(values, settings)
        if "case" in settings:
            done = values["status"] == "completed" and settings["case"] in exact
            error = float(np.linalg.norm(np.array(values["tip"], dtype=float) - exact[settings["case"]])) / CASES[settings["case"]].length if done else math.nan
            text = f"{100 * error:.2f} %, {pace}" if done else pace
        elif "tenths" in settings:
            errors = [None if x is None else 100 * (x / (skin_slope() * math.pi * t / 10) - 1) for x, t in zip(values["log_ratio"], settings["tenths"], strict=True)]
            text = ", ".join("–" if e is None else f"{e:+.1f}" for e in errors) + f" % at {', '.join(f'{t / 10:g}π' for t in settings['tenths'])}; {pace}"
        elif "order" in settings:
            right, wrong = 2 * settings["order"] + 1, values.get("wrong")
            text = ("holds" if values["determinant"] == right and wrong is None else f"**tunnels** ({right} → {values['determinant']})") + f", {pace}"
        else:
            text = f"{values['linked']} of {settings['count'] - 1} links, {pace}"
        out[_work(r), _who(r)] = text
    return out


def _ratios(results: Sequence[Result]) -> list[str]:
    """CPU-seconds for a simulated second, over ours."""
    paces: dict[str, dict[str, float]] = {}
    for r in results:
        if r and not _is_reference(r) and r.values.get("reached"):
            paces.setdefault(_work(r), {})[_who(r)] = r["cpu_seconds"] / r["reached"]
    ours = NAMES["ropewalk"]
    return [f"{work}: " + ", ".join(f"{who} {pace / mine[ours]:.1f}" for who, pace in mine.items() if who != ours) for work, mine in paces.items() if ours in mine and len(mine) > 1]
