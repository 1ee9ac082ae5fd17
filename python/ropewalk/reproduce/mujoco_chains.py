"""MuJoCo's chains of bodies with springs on the work of :mod:`ropewalk.reproduce.peers`."""

import importlib
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ropewalk.reproduce.capstan import POST, PULL, ROPE, SPEED as DRAG, rope_nodes
from ropewalk.reproduce.cosserat import CASES
from ropewalk.reproduce.knots import DIAMETER, SPEED, knot
from ropewalk.reproduce.quaternions import frames, multiply
from ropewalk.reproduce.rings import SHORT_DROP, linked, start_rings
from ropewalk.reproduce.topology import determinant

SOLVER = 'solver="Newton" tolerance="1e-10"'
"""What is not MuJoCo's default, besides ``solref = 2 dt`` and ``solimp = 0.99 0.999``: with its defaults ropes pull through posts."""


def _touch(dt: float) -> str:
    """Contacts as stiff as the step allows."""
    return f'solref="{2 * dt} 1" solimp="0.99 0.999"'


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
    shape = f'<geom type="capsule" fromto="0 0 0 0 0 {length}" size="{radius}" mass="0" condim="1" {_touch(dt)}/>'
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
    data.qpos[1:] = np.concatenate(_relative(nodes))
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


def _relative(nodes: Any) -> list[Any]:
    """Rotations w, x, y, z of the edges, the first in the world, the others against the one before."""
    quats = frames(nodes)[:, [3, 0, 1, 2]]
    out = [quats[0]]
    for before, after in zip(quats[:-1], quats[1:], strict=True):
        out.append(np.roll(multiply(np.roll(before * [1.0, -1.0, -1.0, -1.0], -1), np.roll(after, -1)), 1))
    return out


def _run(mujoco: Any, model: Any, data: Any, duration: float, cpu_limit: float, before: Callable[[int], None] | None = None) -> dict[str, Any]:
    """Steps until ``duration`` (s) or the budget."""
    began, steps, status = time.process_time(), 0, "completed"
    for step in range(round(duration / model.opt.timestep)):
        if before is not None:
            before(step)
        mujoco.mj_step(model, data)
        steps += 1
        if step % 100 == 0 and not np.isfinite(data.qpos).all():
            status = "not finite"
            break
        if time.process_time() - began > cpu_limit:
            status = "stopped by its budget"
            break
    return {"cpu_seconds": time.process_time() - began, "steps": steps, "status": status, "reached": float(data.time)}


def mujoco_capstan(mesh: int, tenths: list[int], dt: float, cpu_limit: float) -> dict[str, Any]:
    """Steady sliding round a post, as :func:`ropewalk.reproduce.capstan.slide`: log(T2/T1) over the third segment of way. The dragged end is on a
    slider, the other is pulled with a constant force."""
    mujoco: Any = importlib.import_module("mujoco")
    ratios, steps, cpu, status = [], 0, 0.0, "completed"
    for tenth in tenths:
        nodes, ends = rope_nodes(mesh, math.pi * tenth / 10)
        nodes = nodes[::-1]
        count, length = len(nodes) - 1, float(np.linalg.norm(np.diff(nodes, axis=0), axis=1).mean())
        geom = f'<geom type="capsule" fromto="0 0 0 0 0 {length}" size="{ROPE}" mass="0" friction="0.2 0 0" contype="1" conaffinity="2" {_touch(dt)}/>'
        # Line density 3.14e-3 kg/m and EI = 7.85e-8 N m², as published.
        links = _links(count, length, ROPE, 3.14e-3 / (math.pi * ROPE**2), 7.85e-8 / length, '<joint type="ball"/>', geom)
        numbers = " ".join(map(str, nodes[0])), " ".join(map(str, ends[1]))
        model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{dt}" gravity="0 0 0" integrator="discrete" cone="elliptic" impratio="10" {SOLVER}/><worldbody>'
            f'<geom type="cylinder" size="{POST} 0.015" friction="0.2 0 0" contype="2" conaffinity="1" {_touch(dt)}/><body pos="{numbers[0]}">'
            f'<joint name="slide" type="slide" axis="{numbers[1]}"/><inertial pos="0 0 0" mass="1e-5" diaginertia="1e-9 1e-9 1e-9"/>'
            f'<body name="b0">{links}</body></body></worldbody><equality><joint name="drive" joint1="slide" polycoef="0 0 0 0 0" '
            f'solref="{2 * dt} 1" solimp="0.999 0.9999"/></equality></mujoco>'
        )
        data = mujoco.MjData(model)
        data.qpos[1:] = np.concatenate(_relative(nodes))
        way = (POST + ROPE) * math.pi / mesh / DRAG
        pulls: list[float] = []

        def before(step: int, *, model: Any = model, data: Any = data, force: Any = PULL * ends[0], length: float = length, pulls: list[float] = pulls) -> None:
            model.eq_data[0, 0] = DRAG * model.opt.timestep * (step + 1)
            along = data.xmat[-1].reshape(3, 3)[:, 2] if step else np.zeros(3)
            data.xfrc_applied[-1, :3] = force
            data.xfrc_applied[-1, 3:] = np.cross(0.5 * length * along, force)
            if step:
                pulls.append(abs(float(data.efc_force[0])))

        found = _run(mujoco, model, data, 3.0 * way, cpu_limit / len(tenths), before)
        steps, cpu = steps + found["steps"], cpu + found["cpu_seconds"]
        status = found["status"] if found["status"] != "completed" else status
        last = pulls[-round(way / dt) :]
        ratios.append(math.log(float(np.mean(last)) / PULL) if found["status"] == "completed" and np.mean(last) > 0.0 else math.nan)
    return {"log_ratio": ratios, "cpu_seconds": cpu, "steps": steps, "status": status, "reached": steps * dt}


def mujoco_rings(count: int, dt: float, duration: float, cpu_limit: float) -> dict[str, Any]:
    """A chain of rings that drops into its links: how many hold at the end. Rings are closed by a weld; the first is fixed as a whole."""
    mujoco: Any = importlib.import_module("mujoco")
    radius, bodies, welds, exclude = 1.25e-3, [], [], []
    for k, nodes in enumerate(start_rings(count, SHORT_DROP)):
        closed = np.concatenate([nodes, nodes[:1]])
        size = len(nodes)
        length = float(np.linalg.norm(np.diff(closed, axis=0), axis=1).mean())
        spring = 1e7 * math.pi * radius**4 / 4 / length
        mass = 500.0 * math.pi * radius**2 * length
        across, along = mass * (radius**2 / 4 + length**2 / 12), mass * radius**2 / 2
        inside = f'<inertial pos="0 0 {0.5 * length}" mass="{mass}" diaginertia="{across} {across} {along}"/>'
        inside += f'<geom type="capsule" fromto="0 0 0 0 0 {length}" size="{radius}" mass="0" friction="0.1 0 0" {_touch(dt)}/>'
        text = ""
        for i, quat in enumerate(_relative(closed)):
            where = f'pos="{" ".join(map(str, nodes[0]))}"' if i == 0 else f'pos="0 0 {length}"'
            joint = "" if k == 0 else "<freejoint/>" if i == 0 else f'<joint type="ball" stiffness="{spring}"/>'
            text += f'<body name="r{k}_{i}" {where} quat="{" ".join(map(str, quat))}">{joint}{inside}'
        bodies.append(text + "</body>" * size)
        if k:
            welds.append(f'<connect body1="r{k}_{size - 1}" body2="r{k}_0" anchor="0 0 {length}" solref="{2 * dt} 1" solimp="0.99 0.999"/>')
        exclude += [f'<exclude body1="r{k}_{i}" body2="r{k}_{(i + d) % size}"/>' for i in range(size) for d in (1, 2)]
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" gravity="0 0 -9.81" integrator="discrete" {SOLVER}/><size memory="512M"/><worldbody>{"".join(bodies)}</worldbody>'
        f'<contact>{"".join(exclude)}</contact><equality>{"".join(welds)}</equality></mujoco>'
    )
    data = mujoco.MjData(model)

    def before(step: int) -> None:
        del step
        data.xfrc_applied[:, :3] = -10.0 * model.body_mass[:, None] * data.cvel[:, 3:]

    found = _run(mujoco, model, data, duration, cpu_limit, before)
    places = data.xipos[1:, 2].reshape(count, -1).mean(axis=1)
    return found | {"linked": linked(places.tolist())}
