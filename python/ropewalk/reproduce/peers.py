"""Today's choices: MuJoCo's chains on the cantilever, the hanging rope and the knot, compared with ours in one run."""

import importlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk.reproduce.cosserat import CASES
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.knots import DIAMETER, SPEED, knot
from ropewalk.reproduce.quaternions import frames, multiply
from ropewalk.reproduce.report import Section, Table, number
from ropewalk.reproduce.runs import Result, Run
from ropewalk.reproduce.topology import determinant

SOLVER = 'solver="Newton" tolerance="1e-10"'
"""What is not MuJoCo's default, besides ``solref = 2 dt`` and ``solimp = 0.99 0.999``: with its defaults ropes pull through posts."""


def _links(count: int, length: float, radius: float, density: float, spring: float, first: str, shape: str) -> str:
    """A chain of bodies along z, each with the inertia of a cylinder of its length; ``first`` are the joints of the first."""
    mass = density * np.pi * radius**2 * length
    across, along = mass * (radius**2 / 4 + length**2 / 12), mass * radius**2 / 2
    inertial = f'<inertial pos="0 0 {0.5 * length}" mass="{mass}" diaginertia="{across} {across} {along}"/>{shape}'
    rest = f'<joint type="ball" stiffness="{spring}"/>{inertial}'
    bodies = [f'<body name="b{k}" pos="0 0 {length}">{rest}' for k in range(1, count)]
    return f'{first}{inertial}{"".join(bodies)}<site name="tip" pos="0 0 {length}"/>{"</body>" * (count - 1)}'


def mujoco_rod(case: str, dt: float, duration: float, cpu_limit: float) -> dict[str, Any]:
    """A rod of :data:`~ropewalk.reproduce.cosserat.CASES` as a chain with springs EI/l: where its tip is at the end, m."""
    mujoco: Any = importlib.import_module("mujoco")
    c = CASES[case]
    length = c.length / c.elements
    spring = c.young * np.pi * c.radius**4 / 4 / length
    quat = np.zeros(4)
    mujoco.mju_quatZ2Vec(quat, np.array(c.direction))
    # A wall that holds the end of half a segment: a joint twice as stiff.
    joint = '<joint type="ball"/>' if c.pinned else f'<joint type="ball" stiffness="{2 * spring}"/>'
    links = _links(c.elements, length, c.radius, c.density, spring, joint, "")
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" gravity="0 0 {-c.gravity}" integrator="discrete" {SOLVER}/><worldbody>'
        f'<body name="b0" quat="{" ".join(map(str, quat))}">{links}</body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    before, began, steps, status = data.xipos.copy(), time.process_time(), 0, "completed"
    for _ in range(round(duration / dt)):
        mujoco.mj_step(model, data)
        steps += 1
        if c.damping:
            data.xfrc_applied[:, :3] = -c.damping * model.body_mass[:, None] * (data.xipos - before) / dt
            before[:] = data.xipos
        if not np.isfinite(data.qpos).all():
            status = "not finite"
            break
        if time.process_time() - began > cpu_limit:
            status = "stopped by its budget"
            break
    cpu = time.process_time() - began
    mujoco.mj_forward(model, data)
    return {"tip": data.site_xpos[0].copy(), "cpu_seconds": cpu, "steps": steps, "status": status, "reached": float(data.time)}


def mujoco_knot(order: int, dt: float, duration: float, cpu_limit: float) -> dict[str, Any]:
    """A knot in a chain with springs EI/l whose ends are drawn apart: which knot it is at the end, and when it first was another."""
    mujoco: Any = importlib.import_module("mujoco")
    nodes = knot(order, 1e-3, 300).rods["rope"].positions
    count, radius = 300, 0.5 * DIAMETER
    length = float(np.linalg.norm(np.diff(nodes, axis=0), axis=1).mean())
    spring = 1.8e7 * np.pi * radius**4 / 4 / length
    shape = f'<geom type="capsule" fromto="0 0 0 0 0 {length}" size="{radius}" mass="0" condim="1" solref="{2 * dt} 1" solimp="0.99 0.999"/>'
    axis = (nodes[-1] - nodes[0]) / np.linalg.norm(nodes[-1] - nodes[0])
    links = _links(count, length, radius, 1000.0, spring, '<joint type="ball" name="first"/>', shape)
    near = range(2, int(np.ceil(np.pi * radius / length)) + 2)
    exclude = "".join(f'<exclude body1="b{i}" body2="b{i + d}"/>' for i in range(count) for d in near if i + d < count)
    where = " ".join(map(str, nodes[0])), " ".join(map(str, nodes[-1])), " ".join(map(str, -axis))
    hold = f'solref="{2 * dt} 1" solimp="0.999 0.9999"'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" gravity="0 0 0" integrator="discrete" {SOLVER}/><worldbody><body name="slider" pos="{where[0]}">'
        f'<joint name="slide" type="slide" axis="{where[2]}"/><inertial pos="0 0 0" mass="9e-5" diaginertia="1e-9 1e-9 1e-9"/>'
        f'<body name="b0">{links}</body></body><body name="hand" mocap="true" pos="{where[1]}"><site name="palm"/></body></worldbody>'
        f'<contact>{exclude}</contact><equality><connect site1="tip" site2="palm" {hold}/>'
        f'<joint name="drive" joint1="slide" polycoef="0 0 0 0 0" {hold}/></equality></mujoco>'
    )
    data = mujoco.MjData(model)
    # Straight at rest, knotted at the start.
    quats = frames(nodes)[:, [3, 0, 1, 2]]
    relative = [quats[0]]
    for before, after in zip(quats[:-1], quats[1:], strict=True):
        relative.append(np.roll(multiply(np.roll(before * [1.0, -1.0, -1.0, -1.0], -1), np.roll(after, -1)), 1))
    data.qpos[1:] = np.concatenate(relative)
    right, wrong = 2 * order + 1, None
    began, steps, status = time.process_time(), 0, "completed"
    for step in range(round(duration / dt)):
        way = SPEED * dt * (step + 1)
        data.mocap_pos[0] = nodes[-1] + way * axis
        model.eq_data[1, 0] = way
        mujoco.mj_step(model, data)
        steps += 1
        if step % 100 == 0 and wrong is None:
            if not np.isfinite(data.qpos).all():
                status = "not finite"
                break
            if determinant(data.xpos[3:]) != right:
                wrong = float(data.time)
        if time.process_time() - began > cpu_limit:
            status = "stopped by its budget"
            break
    cpu = time.process_time() - began
    last = determinant(data.xpos[3:]) if status != "not finite" else 0
    return {"determinant": last, "wrong": wrong, "cpu_seconds": cpu, "steps": steps, "status": status, "reached": float(data.time)}


def runs(form: Form) -> list[Run]:
    """MuJoCo compared with ours."""
    limit, plan = form.peer_seconds, []
    for case in ("cantilever", "hanging_rope"):
        seconds = form.pick(tiny=2e-3, quick=CASES[case].duration, full=CASES[case].duration)
        plan.append(Run("cosserat:ours", {"case": case, "dt": 1e-3, "duration": seconds}, weight=1.0))
        plan.append(Run("peers:mujoco_rod", {"case": case, "dt": 1e-3, "duration": seconds, "cpu_limit": limit}, ("mujoco",), 3.0 * seconds))
        if form.name != "tiny":
            plan.append(Run("cosserat:ours", {"case": case, "dt": 5e-5, "duration": seconds, "scheme": "bdf2"}, weight=1e-4 * seconds / 5e-5))
    if form.name != "tiny":
        plan.append(Run("knots:pull", {"order": 4, "dt": 5e-4, "segments": 300, "duration": 0.7 if form.name == "quick" else 0.84}, weight=3.0))
        plan.append(Run("peers:mujoco_knot", {"order": 4, "dt": 2e-4, "duration": 0.84, "cpu_limit": limit}, ("mujoco",), 40.0))
    return plan


def section(form: Form, results: Sequence[Result]) -> Section:
    """One table."""
    out = Section(
        "peers",
        "Today's choices: MuJoCo",
        "Chains of bodies with ball joints and springs EI/l, integrator `discrete`, Newton solver, tolerance 1e-10; the knot with `solref = 2 dt`, "
        "`solimp = 0.99 0.999`. Settings are ours, not those of an expert. Errors are those of the tip, over the length, against ours with BDF2 at 5e-5 s. Newton is not run.",
    )
    rows = []
    for case in ("cantilever", "hanging_rope"):
        mine = [r for r in results if r and r.run.settings.get("case") == case]
        fine = [r for r in mine if r.run.settings["dt"] == 5e-5]
        for r in mine:
            if r in fine:
                continue
            name = "MuJoCo" if r.run.function.startswith("peers") else "ours"
            error = float(np.linalg.norm(np.array(r["tip"], dtype=float) - np.array(fine[0]["tip"]))) / CASES[case].length if fine and r["status"] == "completed" else float("nan")
            rows.append([CASES[case].title, name, f"{r.run.settings['dt']:g}", f"{100 * error:.2f} %" if error == error else r["status"], number(1e3 * r["cpu_seconds"] / max(r["steps"], 1)), f"{r['reached']:.3g} s"])
    for r in results:
        if r and "order" in r.run.settings:
            peer = r.run.function.startswith("peers")
            end = r["determinant"]
            how = f"determinant {end} of 9" + (f", another from {r['wrong']:.3f} s on" if peer and r["wrong"] is not None else "")
            rows.append(["knot of order 4", "MuJoCo" if peer else "ours", f"{r.run.settings['dt']:g}", how, number(1e3 * r["cpu_seconds"] / max(r["steps"], 1)), f"{r['reached']:.3g} s" + ("" if r["status"] == "completed" else f" ({r['status']})")])
    out.add(Table("Errors and times, one thread, one machine", ["work", "simulator", "dt [s]", "error, or topology", "ms per step", "reached"], rows))
    return out
