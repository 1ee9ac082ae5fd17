"""What is in a world, to be read and commanded while it runs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ropewalk import _arrays
from ropewalk._arrays import FloatArray
from ropewalk._facts import ActuatorPlace, find
from ropewalk._handles import AttachmentHandle, BodyHandle, ClampHandle, EndEffectorHandle, Handle, RobotHandle, RodHandle
from ropewalk.commands import Mask

if TYPE_CHECKING:
    from ropewalk.world import World

__all__ = ["Actuator", "Attachment", "Body", "Clamp", "EndEffector", "Modes", "Reached", "Robot", "Rod"]


class Modes(NamedTuple):
    """Modes of vibration of a rod, m of them, the slowest first."""

    frequencies: FloatArray
    """In Hz, shape (m,); zero where there is no resistance."""
    omega_squared: FloatArray
    """Squares of the angular frequencies in (rad/s)^2, shape (m,); negative for a shape that is not stable."""
    displacements: FloatArray
    """Of the nodes, shape (m, n, 3); modes are orthonormal with the mass."""
    spins: FloatArray
    """Of the edges that leave the nodes, shape (m, n)."""


class Rod(RodHandle):
    """A rod of a world. See :class:`~ropewalk.views.RodView` for its numbers."""

    _owner: "World"

    def set_positions(self, positions: ArrayLike) -> None:
        """Puts the nodes at ``positions`` in m, shape (n, 3). Material frames go along without spin, velocities stay."""
        self._owner._running.set_positions(self.index, _arrays.vectors("positions", positions))

    def modes(self, count: int = 6) -> Modes:
        """The lowest modes of vibration about its present shape, as clamps hold it; attachments and contacts are left out.

        A rod that nothing holds has six motions without resistance, whose frequency is zero up to round-off.
        """
        if count < 1:
            raise ValueError(f"count is {count}, expected at least 1")
        squares, shapes = self._owner._running.modes(self.index, count)
        return Modes(np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi), squares, shapes[:, :, :3], shapes[:, :, 3])

    def set_velocities(self, velocities: ArrayLike) -> None:
        """Gives the nodes ``velocities`` in m/s, shape (n, 3)."""
        given = _arrays.vectors("velocities", velocities)
        if len(given) != self.node_count:
            raise ValueError(f"velocities has the shape {given.shape}, expected ({self.node_count}, 3)")
        self._owner._running.set_velocities(self.index, given)


class Body(BodyHandle):
    """A rigid body of a world. See :class:`~ropewalk.views.BodyView` for its numbers.

    Bodies that are fixed or kinematic in the scene can be led: :meth:`set_target`, :meth:`set_velocity`.
    """

    _owner: "World"

    def set_joint(self, position: ArrayLike | None = None, velocity: ArrayLike | None = None) -> None:
        """Puts its joint at ``position``, shape (nq,), with ``velocity``, shape (nv,), as ``joint_position`` gives them.

        Of a free body: position in m and quat_xyzw, linear (m/s) and angular (rad/s) velocity.
        """
        tree, number = self.index
        link = self._owner._facts.links[tree][number]
        _set_joints(self._owner, tree, [(link.q, position)], [(link.v, velocity)])


class Robot(RobotHandle):
    """A robot of a world. See :class:`~ropewalk.views.RobotView` for its numbers.

    :meth:`set_target` and :meth:`set_velocity` lead its base; joints have actuators.
    """

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


class Clamp(ClampHandle):
    """Holds or drives part of a rod."""

    def set_angle(self, angle: float, *, over: float | None = None, mask: Mask = None) -> None:
        """Turns a clamp that holds twist alone to ``angle`` in rad, as its drive in the scene counts it."""
        turned = np.zeros(3)
        turned[0] = _arrays.number("angle", angle)
        self.set_target(turned, over=over, mask=mask)


class Attachment(AttachmentHandle):
    """Holds two things together."""

    @property
    def holds(self) -> bool:
        """Whether it held in the last step."""
        return bool(self._owner._read("attachment_holds")[self.index])


class Actuator(Handle):
    """Drives one degree of freedom of a joint."""

    _owner: "World"

    @property
    def _place(self) -> ActuatorPlace:
        return find("actuator", self._owner._facts.actuators, self.name)

    @property
    def index(self) -> int:
        """Its number among the actuators."""
        return self._place.number

    @property
    def target(self) -> float:
        """Its target now: rad or m, rad/s or m/s for a velocity, N m or N for a force."""
        return float(self._owner._read("actuator_targets")[self.index])

    def set_target(self, target: float, velocity: float = 0.0) -> None:
        """Sets the target from the next step on, in place of the scene's.

        Args:
            target: in rad or m; rad/s or m/s for a velocity; N m or N for a force.
            velocity: rate of the target of a position actuator in rad/s or m/s.
        """
        target, velocity = _arrays.number("target", target), _arrays.number("velocity", velocity)
        self._owner._running.set_target(self.index, target, velocity)

    def clear_target(self) -> None:
        """Takes its target from the scene again."""
        self._owner._running.set_target(self.index, None, 0.0)

    def clear_command(self) -> None:
        """Takes its target from the scene again."""
        self.clear_target()

    @property
    def effort(self) -> float:
        """Mean effort in the last step in N m or N."""
        return float(self._owner._read("actuator_efforts")[self.index])


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


class EndEffector(EndEffectorHandle):
    """A frame of a robot that follows a path."""

    _owner: "World"

    @property
    def reached(self) -> Reached | None:
        """How near its joints' targets bring it to where it should be, as of the last step; None before the first."""
        reached = self._owner._running.end_effector_reached(self.index)
        return None if reached is None else Reached(*reached)

    def clear_target(self) -> None:
        """Follows its path again."""
        self.clear_command()
