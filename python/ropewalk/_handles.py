"""What is in a world and in the worlds of a batch alike, to be read and commanded while they run.

Shapes are those of a world; in a batch of N worlds an axis of length N comes before them.
"""

from typing import Protocol

from numpy.typing import ArrayLike

from ropewalk import _core
from ropewalk._facts import find
from ropewalk.commands import Attaching, Commander, Led, LinkPushed, Mask, RodCommanded, Thing, chosen
from ropewalk.views import BodyView, Owner, RobotView, RodView, View, Wrench

__all__ = [
    "AttachmentHandle",
    "BodyHandle",
    "ClampHandle",
    "EndEffectorHandle",
    "Handle",
    "RobotHandle",
    "RodHandle",
    "attachment_numbers",
]


class Steering(Owner, Commander, Protocol):
    """A world or a batch, which is read and commanded."""


class Handle(View):
    """Something with a name in a world or a batch, to be read and commanded."""

    _owner: Steering

    @property
    def _commander(self) -> Commander:
        return self._owner


class RodHandle(Handle, RodView, RodCommanded):
    """A rod."""

    def _counts(self) -> tuple[int, int]:
        return self.node_count, self.edge_count


class BodyHandle(Handle, BodyView, Led, LinkPushed):
    """A rigid body."""

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
        """Pushes it with ``force`` (N) and ``torque`` (N m), shape (3,) each, world axes, until they are set again.

        Args:
            force: force.
            torque: torque.
            at: where the force acts, in the body's own frame, in m, shape (3,); the center of mass by default.
            mask: which worlds of a batch.
        """
        self._push(self.index, force, torque, at, mask)

    def clear_command(self, *, over: float | None = None, mask: Mask = None) -> None:
        """Takes back what pushes it, and gives its motion back to the scene, over ``over`` s or within the next step."""
        self._push(self.index, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), None, mask)
        if self.joint_position.size == 0:
            super().clear_command(over=over, mask=mask)


class RobotHandle(Handle, RobotView, Led, LinkPushed):
    """A robot, whose base can be led."""

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
        """Pushes a link with ``force`` (N) and ``torque`` (N m), shape (3,) each, world axes, until they are set again.

        Args:
            link: name of the link.
            force: force.
            torque: torque.
            at: where the force acts, in the link's own frame, in m, shape (3,); its center of mass by default.
            mask: which worlds of a batch.
        """
        self._push((self.index, self._number(link)), force, torque, at, mask)


class ClampHandle(Handle, Led):
    """Holds or drives part of a rod."""

    @property
    def index(self) -> int:
        """Its number among the clamps."""
        return find("clamp", self._owner._facts.clamps, self.name)

    @property
    def _thing(self) -> Thing:
        return ("clamp", self.index, 0)

    @property
    def wrench(self) -> Wrench:
        """Mean force and torque that it exerted on its rod in the last step, about the held point; shape (3,) each."""
        return Wrench.of(self._owner._read("clamp_wrenches")[..., self.index, :])

    def release(self, *, mask: Mask = None) -> None:
        """Lets go from the next step on."""
        _core.command_clamp(self._owner._commanded, chosen(self._owner, mask), self.index, False)

    def hold(self, *, mask: Mask = None) -> None:
        """Holds from the next step on, where what it holds is then."""
        _core.command_clamp(self._owner._commanded, chosen(self._owner, mask), self.index, True)


class EndEffectorHandle(Handle, Led):
    """A frame of a robot that follows a path."""

    @property
    def index(self) -> int:
        """Its number among the end effectors."""
        return find("end effector", self._owner._facts.end_effectors, self.name)

    @property
    def _thing(self) -> Thing:
        return ("end_effector", self.index, 0)


def attachment_numbers(owner: Commander) -> dict[str, int]:
    """Numbers of the attachments by name; those made during the run come last."""
    return {name: number for number, name in enumerate(_core.attachment_names(owner._commanded))}


class AttachmentHandle(Handle, Attaching):
    """Holds two things together."""

    @property
    def index(self) -> int:
        """Its number among the attachments; those made during the run come last."""
        return find("attachment", attachment_numbers(self._owner), self.name)

    @property
    def wrench(self) -> Wrench:
        """Mean force and torque that it exerted on its first end in the last step, about the held point; shape (3,) each."""
        return Wrench.of(self._owner._read("attachment_wrenches")[..., self.index, :])
