"""What acts in an environment: ends of a cable held directly, or an end effector of a robot that grips one."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.batch import Batch

__all__ = ["Actions", "Holder"]

Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class Holder:
    """A hand of the environment. Its actions are velocities; those that would carry it out of its box are cut short.

    Args:
        name: name of the clamp or end effector.
        speed: greatest velocity along each axis in m/s, at an action of 1.
        low: least x, y, z of its box in m.
        high: greatest x, y, z of its box in m.
        kind: ``"clamp"``: an end of the cable is held directly. ``"end_effector"``: the hand of a robot.
        grip: name of the attachment that an end effector closes (action above 0) and opens; none if it always holds.
        reach: distance in m within which the end effector can grip the end of the cable.
        node: the node of the cable that is gripped.
    """

    name: str
    speed: float
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    kind: Literal["clamp", "end_effector"] = "clamp"
    grip: str | None = None
    reach: float = 0.015
    node: int = -1

    def component_names(self) -> list[str]:
        """Names of its components of the action."""
        names = [f"{self.name}.v{axis}" for axis in "xyz"]
        return names + [f"{self.name}.grip"] if self.grip is not None else names


class Actions:
    """The action of an environment: those of its holders, one after the other; components from -1 to 1.

    Args:
        holders: the hands.
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
        return np.clip(array, -1.0, 1.0)

    def led(self, batch: Batch, holder: Holder) -> Any:
        """What of the batch a holder leads."""
        return batch.clamps[holder.name] if holder.kind == "clamp" else batch.end_effectors[holder.name]

    def apply(self, batch: Batch, actions: FloatArray, mask: Bool) -> None:
        """Commands the worlds of the mask."""
        column = 0
        which = None if mask.all() else mask
        for holder in self.holders:
            led = self.led(batch, holder)
            velocity = actions[:, column : column + 3] * holder.speed
            position = led.target_pose.position
            low, high = ((np.asarray(corner) - position) / self.period for corner in (holder.low, holder.high))
            # One that begins outside of its box comes back no faster than it moves.
            low, high = np.minimum(low, holder.speed), np.maximum(high, -holder.speed)
            led.set_velocity(np.clip(velocity, np.maximum(low, -holder.speed), np.minimum(high, holder.speed)), mask=which)
            column += 3
            if holder.grip is not None:
                self._grip(batch, holder, actions[:, column], position, mask)
                column += 1

    def _grip(self, batch: Batch, holder: Holder, closed: FloatArray, position: FloatArray, mask: Bool) -> None:
        assert holder.grip is not None
        grip = batch.attachments[holder.grip]
        grip.release(mask=mask & (closed <= 0.0))
        node = batch.rods[self.rod].positions[:, holder.node]
        near = np.linalg.norm(node - position, axis=1) <= holder.reach
        grip.hold(mask=mask & (closed > 0.0) & ~grip.holds & near)
