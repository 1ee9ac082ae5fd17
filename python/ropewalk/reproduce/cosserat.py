"""Baseline: explicit Cosserat rods (PyElastica): cantilever, hanging rope, filament with ramped curvature."""

import importlib
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ropewalk import World
from ropewalk.reproduce.figures import axes, draw
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.report import Section, Table, Verdict, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.watch import watch


class Case(NamedTuple):
    """A rod, clamped or pinned at its start, that both simulators can have."""

    title: str
    length: float
    radius: float
    young: float
    density: float
    elements: int
    direction: tuple[float, float, float]
    gravity: float
    damping: float
    """Mass-proportional, 1/s."""
    pinned: bool
    curvature: float
    """Natural curvature that is ramped up over the run, 1/m."""
    duration: float
    """s."""


CASES = {
    "cantilever": Case("cantilever", 0.3, 5e-3, 1e7, 1000.0, 100, (1.0, 0.0, 0.0), 9.81, 10.0, False, 0.0, 3.0),
    "hanging_rope": Case("hanging rope", 1.0, 2.5e-3, 1e7, 1000.0, 299, (0.7071067811865476, 0.0, -0.7071067811865476), 9.81, 0.0, True, 0.0, 0.5),
    "filament": Case("filament, ramped curvature", 0.26, 2.1e-3, 6.2e5, 1155.0, 130, (0.0, 0.0, -1.0), 9.81, 1.1, False, 40.0, 0.1),
}


LARGEST_ERROR = 0.1
"""Of a run that counts as one, over the length."""
GRIPPER_STEP, STUDY_STEP = 1e-3, 1e-5
"""Steps of our gripper, and of the original study with Elastica; s."""
FAR = 10.0
"""How many times as large a step must be to count as far larger."""


class Point(NamedTuple):
    """A run of a simulator."""

    case: str
    label: str
    dt: float
    """s."""
    error: float
    """Of the tip at the end, over the length; NaN if it did not get there."""
    cpu: float
    """CPU-seconds."""
    good: bool
    """Whether it counts as a run."""
    lost: bool
    """Whether it has lost its stability (one that its budget has stopped says nothing)."""


def ours(case: str, dt: float, duration: float, scheme: str = "backward_euler") -> dict[str, Any]:
    """Our rod: where its tip is at the end, m, and CPU-seconds."""
    c = CASES[case]
    end = (c.length * np.array(c.direction)).tolist()
    rod: dict[str, Any] = {
        "material": "m", "section": {"circle": {"radius": c.radius}}, "curve": {"line": {"from": [0.0, 0.0, 0.0], "to": end}},
        "segments": c.elements, "mass_damping": c.damping,
    }
    if not c.pinned:
        rod["clamped_half_edge"] = "start"
    document: dict[str, Any] = {
        "title": c.title, "gravity": [0.0, 0.0, -c.gravity], "time": {"dt": dt, "duration": duration, "scheme": scheme},
        "material": {"m": {"youngs_modulus": c.young, "poisson_ratio": 0.5, "density": c.density}},
        "rod": {"rod": rod}, "clamp": {"wall": {"rod": "rod", "at": "start", "hold": "position" if c.pinned else "all"}},
    }
    if c.curvature:
        rod["director"] = [0.0, 1.0, 0.0]
        document["drive"] = {"curl": {"rod": "rod", "curvature1": c.curvature, "scale": {"ramp": {"times": [0.0, c.duration], "values": [0.0, 1.0]}}}}
    world = World(document)
    found = watch(world, duration)
    return {"tip": world.rods["rod"].positions[-1], "cpu_seconds": found["cpu_seconds"], "steps": found["steps"], "status": found["status"], "reached": found["reached"]}


def elastica(case: str, dt: float, duration: float, cpu_limit: float) -> dict[str, Any]:
    """PyElastica's rod: the same. It is compiled before the clock starts."""
    ea: Any = importlib.import_module("elastica")
    c = CASES[case]

    class Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.Damping):  # type: ignore[misc]
        pass

    class Curl(ea.NoForces):  # type: ignore[misc]
        """Natural curvature that grows with time."""

        def apply_forces(self, system: Any, time: float = 0.0) -> None:
            system.rest_kappa[1, :] = c.curvature * min(time / c.duration, 1.0)

    simulator = Simulator()
    normal = np.array([0.0, 1.0, 0.0])
    rod = ea.CosseratRod.straight_rod(
        c.elements, np.zeros(3), np.array(c.direction), normal, c.length, c.radius, c.density, youngs_modulus=c.young, shear_modulus=c.young / 3,
    )
    simulator.append(rod)
    ends = {"constrained_position_idx": (0,)} if c.pinned else {"constrained_position_idx": (0,), "constrained_director_idx": (0,)}
    if c.pinned:
        simulator.constrain(rod).using(ea.FixedConstraint, **ends)
    else:
        simulator.constrain(rod).using(ea.OneEndFixedBC, **ends)
    if c.gravity:
        simulator.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=np.array([0.0, 0.0, -c.gravity]))
    if c.curvature:
        simulator.add_forcing_to(rod).using(Curl)
    if c.damping:
        simulator.dampen(rod).using(ea.AnalyticalLinearDamper, uniform_damping_constant=c.damping, time_step=dt)
    simulator.finalize()
    stepper, now = ea.PositionVerlet(), np.float64(0.0)
    step: Callable[..., Any] = stepper.step
    now = step(simulator, now, np.float64(dt))
    began, steps, status = time.process_time(), 1, "completed"
    total = max(round(duration / dt), 2)
    while steps < total:
        now = step(simulator, now, np.float64(dt))
        steps += 1
        if steps % 200 == 0:
            if not np.isfinite(rod.position_collection).all():
                status = "not finite"
                break
            if time.process_time() - began > cpu_limit:
                status = "stopped by its budget"
                break
    if not np.isfinite(rod.position_collection).all() or float(np.abs(rod.position_collection).max()) > 10.0 * c.length:
        status = "not finite"
    return {"tip": rod.position_collection[:, -1].copy(), "cpu_seconds": time.process_time() - began, "steps": steps, "status": status, "reached": float(now)}


def runs(form: Form) -> list[Run]:
    """Several steps of both, and a fine one of ours to compare with."""
    limit = form.peer_seconds
    plan = []
    for name, c in CASES.items():
        seconds = form.pick(tiny=2e-3, quick=c.duration, full=c.duration)
        steps = form.pick(tiny=(1e-3,), quick=(2e-3, 1e-3, 5e-4, 1e-4), full=(4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4))
        plan += [Run("cosserat:ours", {"case": name, "dt": dt, "duration": seconds}, weight=5e-5 * seconds / dt + 1) for dt in steps]
        if form.name != "tiny":
            plan.append(Run("cosserat:ours", {"case": name, "dt": 1e-3, "duration": seconds, "scheme": "bdf2"}, weight=1.0))
            plan.append(Run("cosserat:ours", {"case": name, "dt": 5e-5, "duration": seconds, "scheme": "bdf2"}, weight=1e-4 * seconds / 5e-5))
        peers = form.pick(tiny=(1e-5,), quick=(1e-5, 4e-5), full=(5e-6, 1e-5, 2e-5, 4e-5, 8e-5))
        if form.name == "tiny" and name != "filament":
            continue  # It takes 8 s to compile.
        plan += [Run("cosserat:elastica", {"case": name, "dt": dt, "duration": seconds, "cpu_limit": limit}, ("pyelastica",), 1e-4 * seconds / dt + 8) for dt in peers]
    return plan


def section(form: Form, results: Sequence[Result]) -> Section:
    """Accuracy over CPU time."""
    out = Section(
        "cosserat",
        "Baseline: explicit Cosserat rods (PyElastica)",
        "Cantilever of 0.3 m and 100 elements sinking for 3 s; rope of 1 m and 299 elements swinging for 0.5 s; filament of the gripper, 130 "
        "elements, whose natural curvature is ramped to 40 1/m in 0.1 s. The error is the distance of the tip at the end from that of "
        "ours with BDF2 at 5e-5 s, over the length; PyElastica's rods shear, which is far below these errors. Its compilation is not counted.",
    )
    rows, found = [], []
    for name, c in CASES.items():
        mine = [r for r in results if r and r.run.settings["case"] == name]
        fine = [r for r in mine if r.run.settings["dt"] == 5e-5 and r.run.function.endswith(":ours")]
        if not fine:
            continue
        tip = np.array(fine[0]["tip"])
        for r in mine:
            if r is fine[0]:
                continue
            settings = r.run.settings
            peer = r.run.function.endswith(":elastica")
            good = r["status"] == "completed"
            error = float(np.linalg.norm(np.array(r["tip"], dtype=float) - tip)) / c.length if good else float("nan")
            label = "PyElastica" if peer else f"ours, {settings.get('scheme', 'backward_euler').replace('_', ' ')}"
            # What has lost its stability may stay finite.
            good = good and error < LARGEST_ERROR
            lost = not good and r["status"] != "stopped by its budget"
            found.append(Point(name, label, settings["dt"], error, r["cpu_seconds"], good, lost))
            rows.append([c.title, label, f"{settings['dt']:g}", f"{100 * error:.3g} %" if error == error else r["status"] + f" at {r['reached']:.3g} s", number(r["cpu_seconds"]), number(1e3 * r["cpu_seconds"] / max(r["steps"], 1))])
    out.add(Table("Error of the tip and CPU time", ["case", "simulator", "dt [s]", "error", "CPU-s", "ms per step"], rows))
    if found:
        with draw("cosserat", "Error of the tip over CPU time: lower left is better", len(CASES), width=3.7) as canvas:
            for ax, (name, c) in zip(canvas.axes, CASES.items(), strict=True):
                for label in dict.fromkeys(f.label for f in found):
                    points = [(f.cpu, f.error) for f in found if f.case == name and f.label == label and f.good]
                    if points:
                        points.sort()
                        ax.loglog(*zip(*points, strict=True), "o-", label=label, markersize=4)
                ax.set_title(c.title, fontsize=9)
                axes(ax, "CPU-seconds", "error of the tip over length")
        out.add(canvas.figure)
        judge(out, found)
    return out


def judge(out: Section, found: Sequence[Point]) -> None:
    """Adds what the runs say of the claims on steps."""
    _step_verdicts(out, found)
    mine = [f for f in found if f.case == "filament" and f.label.endswith("euler") and f.dt == GRIPPER_STEP]
    if mine:
        held = mine[0].good and GRIPPER_STEP >= FAR * STUDY_STEP
        text = f"a filament of the gripper at {GRIPPER_STEP:g} s, the step of our gripper: error {100 * mine[0].error:.2f} % of its length; the original study took {STUDY_STEP:g} s"
        out.verdicts["gripper-step"] = Verdict("reproduced" if held else "not reproduced", text)


def _step_verdicts(out: Section, found: Sequence[Point]) -> None:
    """Of the cases in which PyElastica holds at one step and has lost its stability at a larger one; others are not judged."""
    parts, small, large = [], [], []
    for name, c in CASES.items():
        peer = [f for f in found if f.case == name and f.label == "PyElastica"]
        mine = [f for f in found if f.case == name and f.label.endswith("euler") and f.good]
        holds, lost = [f for f in peer if f.good], [f.dt for f in peer if f.lost]
        if not (holds and lost and mine):
            continue
        ours = max(f.dt for f in mine)
        cpu, cpu_ours = min(f.cpu for f in holds), min(f.cpu for f in mine)
        small.append(FAR * min(lost) <= ours and cpu > cpu_ours)
        large.append(ours > min(lost))
        parts.append(f"{c.title}: PyElastica holds at {max(f.dt for f in holds):g} s ({cpu:.2g} CPU-s) and not at {min(lost):g} s, ours at {ours:g} s ({cpu_ours:.2g} CPU-s)")
    for name, tests in (("elastica-small-steps", small), ("implicit-large-steps", large)):
        if tests:
            word = "reproduced" if all(tests) else "partly reproduced" if any(tests) else "not reproduced"
            out.verdicts[name] = Verdict(word, f"error below {100 * LARGEST_ERROR:.0f} % of the length; " + "; ".join(parts))
        else:
            out.verdicts[name] = Verdict("not shown", "not judged here: in no case did a step of PyElastica hold and a larger one lose its stability")
