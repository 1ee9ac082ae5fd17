"""What is in the worlds of a batch, to be read and commanded while they run."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ropewalk import _core
from ropewalk._arrays import FloatArray
from ropewalk._facts import find
from ropewalk.commands import Attaching, Commander, Led, LinkPushed, Mask, RodCommanded, Thing, chosen
from ropewalk.views import BodyView, RobotView, RodView, Wrench

if TYPE_CHECKING:
    from ropewalk.batch import Batch

__all__ = ["BatchAttachment", "BatchBody", "BatchClamp", "BatchEndEffector", "BatchRobot", "BatchRod"]


class BatchRod(RodView, RodCommanded):
    """A rod of all worlds. See :class:`~ropewalk.views.RodView` for its numbers."""

    _owner: "Batch"

    @property
    def _commander(self) -> Commander:
        return self._owner

    def _counts(self) -> tuple[int, int]:
        return self.node_count, self.edge_count


class BatchBody(BodyView, Led, LinkPushed):
    """A body of all worlds. See :class:`~ropewalk.views.BodyView` for its numbers."""

    _owner: "Batch"

    @property
    def _commander(self) -> Commander:
        return self._owner

    @property
    def _thing(self) -> Thing:
        return ("link", *self.index)

    def set_force(
        self,
        force: ArrayLike,
        torque: ArrayLike = (0.0, 0.0, 0.0),
        *,
        at: ArrayLike | None = None,
        mask: Mask = None,
    ) -> None:
        """Pushes it; see :meth:`Body.set_force`."""
        self._push(self.index, force, torque, at, mask)


class BatchRobot(RobotView, Led, LinkPushed):
    """A robot of all worlds, whose base can be led. See :class:`~ropewalk.views.RobotView` for its numbers."""

    _owner: "Batch"

    @property
    def _commander(self) -> Commander:
        return self._owner

    @property
    def _thing(self) -> Thing:
        return ("base", self.index, 0)

    def set_force(
        self,
        link: str,
        force: ArrayLike,
        torque: ArrayLike = (0.0, 0.0, 0.0),
        *,
        at: ArrayLike | None = None,
        mask: Mask = None,
    ) -> None:
        """Pushes a link; see :meth:`Robot.set_force`."""
        self._push((self.index, self._number(link)), force, torque, at, mask)


class _BatchHandle:
    def __init__(self, batch: "Batch", name: str) -> None:
        self._batch = batch
        self.name = name
        """Name."""

    @property
    def _commander(self) -> Commander:
        return self._batch

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class BatchClamp(_BatchHandle, Led):
    """A clamp of all worlds."""

    @property
    def index(self) -> int:
        """Its number among the clamps."""
        return find("clamp", self._batch._facts.clamps, self.name)

    @property
    def _thing(self) -> Thing:
        return ("clamp", self.index, 0)

    @property
    def wrench(self) -> Wrench:
        """Mean force and torque on the rod in the last step, each of shape (N, 3)."""
        return self._batch.clamp_wrench(self.name)

    def release(self, *, mask: Mask = None) -> None:
        """Lets go from the next step on."""
        _core.command_clamp(self._batch._commanded, chosen(self._batch, mask), self.index, False)

    def hold(self, *, mask: Mask = None) -> None:
        """Holds from the next step on, where what it holds is then."""
        _core.command_clamp(self._batch._commanded, chosen(self._batch, mask), self.index, True)


class BatchEndEffector(_BatchHandle, Led):
    """An end effector of all worlds."""

    @property
    def _thing(self) -> Thing:
        return ("end_effector", self.index, 0)

    @property
    def index(self) -> int:
        """Its number among the end effectors."""
        return find("end effector", self._batch._facts.end_effectors, self.name)

    @property
    def position_error(self) -> FloatArray:
        """Distance in m that remains between it and where it should be, shape (N,); 0 before the first step."""
        found = self._batch._core.end_effector_reached(self.index)
        return np.array([0.0 if reached is None else reached[0] for reached in found])


class BatchAttachment(_BatchHandle, Attaching):
    """An attachment of all worlds."""

    @property
    def index(self) -> int:
        """Its number among the attachments."""
        names = _core.attachment_names(self._batch._commanded)
        return find("attachment", {name: i for i, name in enumerate(names)}, self.name)

    @property
    def wrench(self) -> Wrench:
        """Mean force and torque on its first end in the last step, each of shape (N, 3)."""
        return Wrench.of(self._batch._read("attachment_wrenches")[:, self.index])

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Whether it held in the last step, shape (N,)."""
        held: NDArray[np.bool_] = self._batch._read("attachment_holds")[:, self.index] > 0.0
        return held
