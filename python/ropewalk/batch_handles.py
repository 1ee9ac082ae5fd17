"""What is in the worlds of a batch, to be read and commanded while they run: arrays have an axis of N worlds before those of a world."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk._handles import AttachmentHandle, BodyHandle, ClampHandle, EndEffectorHandle, RobotHandle, RodHandle

if TYPE_CHECKING:
    from ropewalk.batch import Batch

__all__ = ["BatchAttachment", "BatchBody", "BatchClamp", "BatchEndEffector", "BatchRobot", "BatchRod"]


class BatchRod(RodHandle):
    """A rod of all worlds. See :class:`~ropewalk.views.RodView` for its numbers."""


class BatchBody(BodyHandle):
    """A body of all worlds. See :class:`~ropewalk.views.BodyView` for its numbers."""


class BatchRobot(RobotHandle):
    """A robot of all worlds, whose base can be led. See :class:`~ropewalk.views.RobotView` for its numbers."""


class BatchClamp(ClampHandle):
    """A clamp of all worlds."""


class BatchEndEffector(EndEffectorHandle):
    """An end effector of all worlds."""

    _owner: "Batch"

    @property
    def position_error(self) -> FloatArray:
        """Distance in m that remains between it and where it should be, shape (N,); 0 before the first step."""
        found = self._owner._core.end_effector_reached(self.index)
        return np.array([0.0 if reached is None else reached[0] for reached in found])


class BatchAttachment(AttachmentHandle):
    """An attachment of all worlds."""

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Whether it held in the last step, shape (N,)."""
        held: NDArray[np.bool_] = self._owner._read("attachment_holds")[:, self.index] > 0.0
        return held
