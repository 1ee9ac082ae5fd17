"""What acts in an environment: ends of a cable held directly, or an end effector of a robot that grips one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.batch import Batch
from ropewalk.commands import Led
from ropewalk.views import Wrench

__all__ = ["Actions", "Grip", "Holder"]

Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class Grip:
    """The grip of an end effector: an attachment that is closed by an action above 0 and opened by any other.

    It closes only while the node is within reach, and does not slip.

    Args:
        robot: name of the robot.
        link: the link that grips; its origin is where it does.
        attachment: name of the attachment between that link and the cable.
        reach: distance in m within which the node can be gripped.
        node: the node of the cable that is gripped.
    """

    robot: str
    link: str
    attachment: str
    reach: float = 0.015
    node: int = -1


@dataclass(frozen=True)
class Holder:
    """What moves in an environment. Its actions are velocities; those that would carry it out of its box are cut short.

    Without ``grip`` it is a clamp, which holds part of the cable directly: it has no body and never lets go. With ``grip`` it is an
    end effector of a robot.

    Args:
        name: name of the clamp or of the end effector.
        speed: greatest velocity along each axis in m/s, at an action of 1.
        low: least x, y, z of its box in m.
        high: greatest x, y, z of its box in m.
        grip: the grip of an end effector.
    """

    name: str
    speed: float
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    grip: Grip | None = None

    def component_names(self) -> list[str]:
        """Names of its components of the action."""
        names = [f"{self.name}.v{axis}" for axis in "xyz"]
        return names + [f"{self.name}.grip"] if self.grip is not None else names

    def led(self, batch: Batch) -> Led:
        """What of the batch it leads."""
        return batch.clamps[self.name] if self.grip is None else batch.end_effectors[self.name]

    def position(self, batch: Batch) -> FloatArray:
        """Where it is in m, shape (N, 3)."""
        if self.grip is None:
            return self.led(batch).target_pose.position
        return batch.robots[self.grip.robot].link_pose(self.grip.link).position

    def wrench(self, batch: Batch) -> Wrench:
        """Mean force and torque on the cable in the last step, each of shape (N, 3)."""
        return batch.clamps[self.name].wrench if self.grip is None else batch.attachments[self.grip.attachment].wrench


class Actions:
    """The action of an environment: those of its holders, one after the other; components from -1 to 1.

    Args:
        holders: what moves.
        period: time of one step of the environment in s.
        rod: the cable that is gripped.
    """

    def __init__(self, holders: list[Holder], period: float, rod: str) -> None:
        self.holders, self.period, self.rod = holders, period, rod
        self.names = [name for holder in holders for name in holder.component_names()]

    def check(self, actions: object, count: int) -> FloatArray:
        """The actions of ``count`` environments, shape (count, a), within -1 and 1.

        Raises:
            ValueError: the shape is another, or a number is not finite.
        """
        try:
            array = np.array(actions, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"the actions are {actions!r}, expected an array of numbers") from None
        width = len(self.names)
        if array.shape != (count, width):
            raise ValueError(
                f"the actions have the shape {array.shape}, expected ({count}, {width}): one row for each environment, of "
                + ", ".join(self.names)
            )
        if not np.isfinite(array).all():
            environment, component = np.argwhere(~np.isfinite(array))[0]
            raise ValueError(
                f"the action of environment {environment}, component {component} ({self.names[component]}), is "
                f"{array[environment, component]}, expected a number from -1 to 1"
            )
        return np.minimum(np.maximum(array, -1.0), 1.0)

    def apply(self, batch: Batch, actions: FloatArray, mask: Bool) -> None:
        """Commands the worlds of the mask."""
        column = 0
        which = None if mask.all() else mask
        for holder in self.holders:
            led = holder.led(batch)
            velocity = actions[:, column : column + 3] * holder.speed
            position = led.target_pose.position
            low, high = ((corner - position) / self.period for corner in (holder.low, holder.high))
            # Speeds are within -1 and 1 of the greatest; one that begins outside of its box comes back no faster than that.
            velocity = np.maximum(velocity, np.minimum(low, holder.speed))
            led.set_velocity(np.minimum(velocity, np.maximum(high, -holder.speed)), mask=which)
            column += 3
            if holder.grip is not None:
                self._grip(batch, holder.grip, actions[:, column] > 0.0, holder.position(batch), mask)
                column += 1

    def _grip(self, batch: Batch, grip: Grip, closed: Bool, position: FloatArray, mask: Bool) -> None:
        attachment = batch.attachments[grip.attachment]
        attachment.release(mask=mask & ~closed)
        node = batch.rods[self.rod].positions[:, grip.node]
        near = np.linalg.norm(node - position, axis=1) <= grip.reach
        attachment.hold(mask=mask & closed & ~attachment.holds & near)
