"""What is in a world, to be read and commanded while it runs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ropewalk import _arrays
from ropewalk._arrays import FloatArray
from ropewalk._facts import ActuatorPlace, find
from ropewalk.views import BodyView, RobotView, RodView, Wrench

if TYPE_CHECKING:
    from ropewalk.world import World

__all__ = ["Actuator", "Attachment", "Body", "Clamp", "EndEffector", "Reached", "Robot", "Rod"]


class Rod(RodView):
    """A rod of a world. See :class:`~ropewalk.views.RodView` for its numbers."""

    _owner: "World"

    def set_positions(self, positions: ArrayLike) -> None:
        """Puts the nodes at ``positions`` in m, shape (n, 3). Material frames go along without spin, velocities stay."""
        self._owner._running.set_positions(self.index, _arrays.vectors("positions", positions))

    def set_velocities(self, velocities: ArrayLike) -> None:
        """Gives the nodes ``velocities`` in m/s, shape (n, 3)."""
        given = _arrays.vectors("velocities", velocities)
        if len(given) != self.node_count:
            raise ValueError(f"velocities has the shape {given.shape}, expected ({self.node_count}, 3)")
        self._owner._running.set_velocities(self.index, given)


class Body(BodyView):
    """A rigid body of a world. See :class:`~ropewalk.views.BodyView` for its numbers."""

    _owner: "World"

    def set_joint(self, position: ArrayLike | None = None, velocity: ArrayLike | None = None) -> None:
        """Puts its joint at ``position``, shape (nq,), with ``velocity``, shape (nv,), as ``joint_position`` gives them.

        Of a free body: position in m and quat_xyzw, linear (m/s) and angular (rad/s) velocity.
        """
        tree, number = self.index
        link = self._owner._facts.links[tree][number]
        _set_joints(self._owner, tree, [(link.q, position)], [(link.v, velocity)])


class Robot(RobotView):
    """A robot of a world. See :class:`~ropewalk.views.RobotView` for its numbers."""

    _owner: "World"

    def set_joints(
        self,
        positions: Mapping[str, ArrayLike] | None = None,
        velocities: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        """Puts joints at ``positions`` (rad or m) with ``velocities`` (rad/s or m/s), by name. Others stay."""
        q = [(self._joint(name).q, value) for name, value in (positions or {}).items()]
        v = [(self._joint(name).v, value) for name, value in (velocities or {}).items()]
        _set_joints(self._owner, self.index, q, v)

    @property
    def actuators(self) -> dict[str, "Actuator"]:
        """The actuators of its joints, by the name of the joint."""
        tree = self.index
        return {
            self._links[place.link].joint: Actuator(self._owner, name)
            for name, place in self._owner._facts.actuators.items()
            if place.tree == tree
        }

    def set_targets(self, targets: Mapping[str, float]) -> None:
        """Sets the targets (rad, m, or the effort of a force in N m or N) of actuators by the name of their joint."""
        actuators = self.actuators
        for joint, target in targets.items():
            find(f"joint with an actuator of robot {self.name!r}", actuators, joint).set_target(target)


def _set_joints(
    world: "World",
    tree: int,
    positions: Sequence[tuple[slice, ArrayLike | None]],
    velocities: Sequence[tuple[slice, ArrayLike | None]],
) -> None:
    q, v = world._read("joint_positions", tree), world._read("joint_velocities", tree)
    for whole, parts, name in ((q, positions, "position"), (v, velocities, "velocity")):
        for place, value in parts:
            if value is None:
                continue
            part = np.atleast_1d(np.asarray(value, dtype=np.float64))
            expected = whole[place].shape
            if part.shape != expected:
                raise ValueError(f"the {name} of a joint has the shape {part.shape}, expected {expected}")
            whole[place] = part
    world._running.set_joints(tree, q, v)


class _Handle:
    def __init__(self, world: "World", name: str) -> None:
        self._world = world
        self.name = name
        """Name."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class Clamp(_Handle):
    """Holds or drives part of a rod."""

    @property
    def index(self) -> int:
        """Its number among the clamps."""
        return find("clamp", self._world._facts.clamps, self.name)

    @property
    def wrench(self) -> Wrench:
        """Mean force and torque that it exerted on its rod in the last step, about the held point."""
        return Wrench.of(self._world._read("clamp_wrenches")[self.index])


class Attachment(_Handle):
    """Holds two things together."""

    @property
    def index(self) -> int:
        """Its number among the attachments."""
        return find("attachment", self._world._facts.attachments, self.name)

    @property
    def holds(self) -> bool:
        """Whether it held in the last step."""
        return bool(self._world._read("attachment_holds")[self.index])

    @property
    def wrench(self) -> Wrench:
        """Mean force and torque that it exerted on its first end in the last step, about the held point."""
        return Wrench.of(self._world._read("attachment_wrenches")[self.index])

    def hold(self) -> None:
        """Holds from the next step on, as its ends are then, whatever its times say."""
        self._world._running.command(self.index, "hold")

    def release(self) -> None:
        """Lets go from the next step on, whatever its times say."""
        self._world._running.command(self.index, "release")

    def clear_command(self) -> None:
        """Does again as its times say."""
        self._world._running.command(self.index, "scheduled")


class Actuator(_Handle):
    """Drives one degree of freedom of a joint."""

    @property
    def _place(self) -> ActuatorPlace:
        return find("actuator", self._world._facts.actuators, self.name)

    @property
    def index(self) -> int:
        """Its number among the actuators."""
        return self._place.number

    @property
    def target(self) -> float:
        """Its target now: rad or m, rad/s or m/s for a velocity, N m or N for a force."""
        return float(self._world._read("actuator_targets")[self.index])

    def set_target(self, target: float, velocity: float = 0.0) -> None:
        """Sets the target from the next step on, in place of the scene's.

        Args:
            target: in rad or m; rad/s or m/s for a velocity; N m or N for a force.
            velocity: rate of the target of a position actuator in rad/s or m/s.
        """
        target, velocity = _arrays.number("target", target), _arrays.number("velocity", velocity)
        self._world._running.set_target(self.index, target, velocity)

    def clear_target(self) -> None:
        """Takes its target from the scene again."""
        self._world._running.set_target(self.index, None, 0.0)

    @property
    def effort(self) -> float:
        """Mean effort in the last step in N m or N."""
        return float(self._world._read("actuator_efforts")[self.index])


class Reached(NamedTuple):
    """How near the inverse kinematics of an end effector has come."""

    position_error: float
    """Distance that remains in m."""
    rotation_error: float
    """Angle that remains in rad."""
    at_limit: int
    """Number of joint coordinates held by a limit."""
    slowed: bool
    """Whether joints had to slow down to keep their limits of velocity."""


class EndEffector(_Handle):
    """A frame of a robot that follows a path."""

    @property
    def index(self) -> int:
        """Its number among the end effectors."""
        return find("end effector", self._world._facts.end_effectors, self.name)

    @property
    def reached(self) -> Reached | None:
        """How near its joints' targets bring it to where it should be, as of the last step; None before the first."""
        reached = self._world._running.end_effector_reached(self.index)
        return None if reached is None else Reached(*reached)

    def set_target(self, position: ArrayLike, quat_xyzw: ArrayLike) -> None:
        """Sends it to a pose in the world (m, shape (3,); shape (4,)) in place of its path."""
        x, y, z = _arrays.vector("position", position)
        quaternion: FloatArray = _arrays.list_of("quat_xyzw", quat_xyzw)
        if quaternion.shape != (4,):
            raise ValueError(f"quat_xyzw has the shape {quaternion.shape}, expected (4,)")
        a, b, c, d = quaternion.tolist()
        self._world._running.set_end_effector(self.index, ((x, y, z), (a, b, c, d)))

    def clear_target(self) -> None:
        """Follows its path again."""
        self._world._running.set_end_effector(self.index, None)
