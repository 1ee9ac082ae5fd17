"""Newton's rods (block descent, `SolverVBD`) on the work of :mod:`ropewalk.reproduce.peers`."""

import importlib
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ropewalk._arrays import FloatArray
from ropewalk.reproduce.cosserat import CASES
from ropewalk.reproduce.knots import DIAMETER, SPEED, knot
from ropewalk.reproduce.quaternions import axes
from ropewalk.reproduce.rings import SHORT_DROP, linked, start_rings
from ropewalk.reproduce.topology import determinant

CONTACT = 1e5
"""Contact stiffness, N/m: that of the paper's knot."""
ITERATIONS = 20
"""In each step; its default is 10, its own example of a plectoneme takes 20."""


class Chains:
    """Rods of Newton in the making, and then in motion, on the CPU."""

    def __init__(self, gravity: float) -> None:
        os.environ.setdefault("WARP_CACHE_PATH", os.path.join(os.path.expanduser("~"), ".cache", "warp"))
        self.warp: Any = importlib.import_module("warp")
        self.warp.config.quiet = True
        self.newton: Any = importlib.import_module("newton")
        self.builder = self.newton.ModelBuilder(gravity=(0.0, 0.0, -gravity))
        self._joints: list[int] = []

    def add(
        self, nodes: FloatArray, radius: float, young: float, shear: float, density: float, *, friction: float | None, closed: bool = False,
        straight: bool = False,
    ) -> list[int]:
        """A rod of round section; ``friction`` is none where nothing touches it. Gives its bodies, which have the mass of cylinders."""
        wp, builder = self.warp, self.builder
        touch = friction is not None
        config = self.newton.ModelBuilder.ShapeConfig(density=0.0, has_shape_collision=touch, mu=friction or 0.0, ke=CONTACT, kd=0.0, gap=radius)
        rod = self.newton.Rod(nodes, radius=radius, youngs_modulus=young, shear_modulus=shear, closed=closed, rest_straight=straight)
        bodies, joints = builder.add_rod(rod=rod, cfg=config, wrap_in_articulation=closed)
        lengths = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
        for body, length in zip(bodies, lengths, strict=True):
            mass = float(density * np.pi * radius**2 * length)
            across, along = mass * (radius**2 / 4 + length**2 / 12), mass * radius**2 / 2
            builder.body_mass[body], builder.body_inv_mass[body] = mass, 1.0 / mass
            builder.body_inertia[body] = wp.mat33(across, 0.0, 0.0, 0.0, across, 0.0, 0.0, 0.0, along)
            builder.body_inv_inertia[body] = wp.mat33(1 / across, 0.0, 0.0, 0.0, 1 / across, 0.0, 0.0, 0.0, 1 / along)
        # As far along the rod as ours look away from themselves: π/2 diameters and a segment.
        near = int(np.ceil(np.pi * radius / lengths.mean())) + 1
        count = len(bodies)
        for i in range(count if touch else 0):
            for d in range(1, near + 1):
                if closed or i + d < count:
                    pair = (builder.body_shapes[bodies[i]][0], builder.body_shapes[bodies[(i + d) % count]][0])
                    builder.add_shape_collision_filter_pair(min(pair), max(pair))
        if not closed:
            self._joints += map(int, joints)
        return list(map(int, bodies))

    def fix(self, body: int) -> None:
        """Makes a body stay, or go where it is put."""
        wp, builder = self.warp, self.builder
        builder.body_mass[body] = builder.body_inv_mass[body] = 0.0
        builder.body_inertia[body] = builder.body_inv_inertia[body] = wp.mat33(0.0)

    def pin(self, body: int, end: float, at: FloatArray) -> None:
        """Joins the point ``end`` (m from the middle along its axis) of a body to the place ``at`` in the world; it may turn."""
        wp = self.warp
        there = wp.transform(wp.vec3(*map(float, at)), wp.quat_identity())
        here = wp.transform(wp.vec3(0.0, 0.0, end), wp.quat_identity())
        self._joints.append(int(self.builder.add_joint_ball(parent=-1, child=body, parent_xform=there, child_xform=here)))

    def finish(self) -> None:
        """Nothing is added any more."""
        if self._joints:
            self.builder.add_articulation(sorted(self._joints), label="rods")
        self.builder.color()
        self.model = self.builder.finalize(device="cpu")
        touch = bool(any(self.builder.shape_flags[s] & int(self.newton.ShapeFlags.COLLIDE_SHAPES) for s in range(self.builder.shape_count)))
        self.pipeline = self.newton.CollisionPipeline(self.model, contact_matching="latest") if touch else None
        self.contacts = self.pipeline.contacts() if self.pipeline is not None else None
        self.solver = self.newton.solvers.SolverVBD(self.model, iterations=ITERATIONS, rigid_contact_history=touch, rigid_body_contact_buffer_size=256)
        self.state, self._other, self.control = self.model.state(), self.model.state(), self.model.control()
        self._mass = self.model.body_mass.numpy()

    def step(self, dt: float, damping: float = 0.0) -> None:
        """A step of ``dt`` (s), with damping in proportion to mass, 1/s."""
        self.state.clear_forces()
        if damping:
            self.state.body_f.numpy()[:, :3] = -damping * self._mass[:, None] * self.state.body_qd.numpy()[:, :3]
        if self.pipeline is not None:
            self.pipeline.collide(self.state, self.contacts)
        self.solver.step(self.state, self._other, self.control, self.contacts, dt)
        self.state, self._other = self._other, self.state

    def place(self, body: int, at: FloatArray) -> None:
        """Puts a body somewhere."""
        for state in (self.state, self._other):
            state.body_q.numpy()[body, :3] = at

    def nodes(self, bodies: Sequence[int], length: float) -> FloatArray:
        """Starts of all bodies and the end of the last, shape (n + 1, 3), m."""
        poses = self.state.body_q.numpy()[list(bodies)].astype(float)
        along = axes(poses[:, 3:])
        return np.concatenate([poses[:, :3] - 0.5 * length * along, poses[-1:, :3] + 0.5 * length * along[-1:]])

    def run(self, dt: float, duration: float, cpu_limit: float, damping: float = 0.0, before: Callable[[float], None] | None = None) -> dict[str, Any]:
        """Steps until ``duration`` (s); kernels are compiled before the clock starts."""
        steps, status, began = 0, "completed", time.process_time()
        for step in range(max(round(duration / dt), 2)):
            if before is not None:
                before(dt * (step + 1))
            self.step(dt, damping)
            steps += 1
            if step == 0:
                began = time.process_time()
            if step % 50 == 0 and not np.isfinite(self.state.body_q.numpy()).all():
                status = "not finite"
                break
            if time.process_time() - began > cpu_limit:
                status = "stopped by its budget"
                break
        cpu = time.process_time() - began
        return {"cpu_seconds": cpu, "steps": max(steps - 1, 1), "status": status, "reached": steps * dt}


def newton_rod(case: str, dt: float, duration: float, cpu_limit: float) -> dict[str, Any]:
    """A rod of :data:`~ropewalk.reproduce.cosserat.CASES`: where its tip is at the end, m."""
    c = CASES[case]
    chains = Chains(c.gravity)
    # A clamp is a body that stays, with the wall in its middle.
    length = c.length / (c.elements if c.pinned else c.elements - 0.5)
    nodes = (np.arange(c.elements + 1)[:, None] - (0.0 if c.pinned else 0.5)) * length * np.array(c.direction)
    bodies = chains.add(nodes, c.radius, c.young, c.young / 3, c.density, friction=None)
    if c.pinned:
        chains.pin(bodies[0], -0.5 * length, nodes[0])
    else:
        chains.fix(bodies[0])
    chains.finish()
    found = chains.run(dt, duration, cpu_limit, c.damping)
    return found | {"tip": chains.nodes(bodies, length)[-1]}


def newton_knot(order: int, dt: float, duration: float, cpu_limit: float) -> dict[str, Any]:
    """A knot whose ends are drawn apart: which knot it is at the end, and when it first was another. Its first and last bodies are moved, and do
    not turn."""
    nodes = knot(order, 1e-3, 300).rods["rope"].positions
    length = float(np.linalg.norm(np.diff(nodes, axis=0), axis=1).mean())
    axis = (nodes[-1] - nodes[0]) / np.linalg.norm(nodes[-1] - nodes[0])
    chains = Chains(0.0)
    bodies = chains.add(nodes, 0.5 * DIAMETER, 1.8e7, 6e6, 1000.0, friction=0.0, straight=True)
    ends = [(bodies[k], 0.5 * (nodes[k] + nodes[k + 1 if k == 0 else k - 1]), sign) for k, sign in ((0, -1.0), (-1, 1.0))]
    for body, _, _ in ends:
        chains.fix(body)
    chains.finish()
    wrong: list[float] = []

    def before(now: float) -> None:
        for body, middle, sign in ends:
            chains.place(body, middle + sign * SPEED * now * axis)
        if not wrong and round(now / dt) % 20 == 0 and determinant(chains.nodes(bodies, length)) != 2 * order + 1:
            wrong.append(now)

    found = chains.run(dt, duration, cpu_limit, 1.0, before)
    last = determinant(chains.nodes(bodies, length)) if found["status"] != "not finite" else 0
    return found | {"determinant": last, "wrong": wrong[0] if wrong else None}


def newton_rings(count: int, dt: float, duration: float, cpu_limit: float) -> dict[str, Any]:
    """A chain of rings that drops into its links: how many hold at the end."""
    chains = Chains(9.81)
    rings = []
    for k, nodes in enumerate(start_rings(count, SHORT_DROP)):
        closed = np.concatenate([nodes, nodes[:1]])
        bodies = chains.add(closed, 1.25e-3, 1e7, 1e7 / 2.8, 500.0, friction=0.1, closed=True)
        if k == 0:
            middles = 0.5 * (closed[:-1] + closed[1:])
            for body, middle in zip(bodies, middles, strict=True):
                if middle[2] < closed[:, 2].mean():
                    chains.fix(body)
        rings.append(bodies)
    chains.finish()
    found = chains.run(dt, duration, cpu_limit, 10.0)
    places = chains.state.body_q.numpy()
    return found | {"linked": linked([float(places[bodies, 2].mean()) for bodies in rings])}
