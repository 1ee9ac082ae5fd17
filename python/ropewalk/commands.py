"""Commands from one's own loop, between steps, in a world and in the worlds of a batch alike.

What was set stays until it is set again; ``clear_command`` gives it back to the scene. Commands are part of the state: they
are in :attr:`ropewalk.World.state`, and a run that is resumed goes on with them bit by bit.

In a :class:`~ropewalk.Batch` of N worlds arguments may have an axis of length N before those given here, and ``mask``, shape (N,)
of True and False, says which worlds are meant.
"""

from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ropewalk import _core
from ropewalk._arrays import FloatArray, floats, list_of
from ropewalk._ends import Ends
from ropewalk._facts import Facts
from ropewalk.views import Pose

__all__ = ["Attaching", "Led", "LinkPushed", "MotionTables", "PoseLike", "RodCommanded", "Steered"]

Mask = ArrayLike | None
PoseLike = Pose | ArrayLike
"""A position (m), shape (3,); position and quat_xyzw, shape (7,); or a :class:`~ropewalk.Pose`."""
Thing = tuple[str, int, int]


class MotionTables(NamedTuple):
    """Motions of one thing in all worlds, as tables."""

    times: FloatArray
    """Times of the keys in s, shape (k,)."""
    translations: FloatArray
    """Translation at the keys in m, shape (N, k, 3)."""
    angles: FloatArray
    """Angle at the keys in rad, shape (N, k)."""
    axes: FloatArray
    """Axes of rotation, shape (N, 3)."""
    interpolation: str
    """The path between keys."""


class Commander(Protocol):
    """A world or a batch."""

    @property
    def _facts(self) -> Facts: ...
    @property
    def _commanded(self) -> "_core.World | _core.Batch": ...
    @property
    def _world_count(self) -> int | None:
        """Number of worlds of a batch; None for a world."""

    def _keep_motion(self, thing: Thing, worlds: list[int] | None, motion: MotionTables) -> None:
        """Keeps a motion for worlds that are made anew."""


def chosen(owner: Commander, mask: Mask) -> list[int] | None:
    """The numbers of the worlds that a mask means."""
    if mask is None:
        return None
    count = owner._world_count
    given = np.asarray(mask)
    if count is None:
        raise ValueError("a world has no mask: it is for the worlds of a batch")
    if given.dtype != np.bool_ or given.shape != (count,):
        raise ValueError(f"mask has the shape {given.shape} of {given.dtype}, expected ({count},) of bool")
    return [int(i) for i in np.flatnonzero(given)]


def rows(owner: Commander, name: str, value: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """``value`` of shape ``shape``, or with a row for each world before it, as rows for all worlds."""
    count = owner._world_count
    array = floats(name, value)
    if np.ndim(value) == 0:
        array = array.reshape(())
    whole = (1 if count is None else count, *shape)
    if count is not None and array.shape == whole:
        return np.ascontiguousarray(array)
    if array.shape == shape:
        return np.ascontiguousarray(np.broadcast_to(array, whole))
    expected = str(shape) if count is None else f"{shape} or {whole}"
    raise ValueError(f"{name} has the shape {array.shape}, expected {expected}")


def split_pose(
    owner: Commander, pose: PoseLike, quat_xyzw: ArrayLike | None
) -> tuple[FloatArray, FloatArray | None]:
    """Positions and rotations of all worlds."""
    if isinstance(pose, Pose) or (isinstance(pose, tuple) and len(pose) == 2 and np.ndim(pose[0]) > 0):
        if quat_xyzw is not None:
            raise ValueError("the pose has a rotation already: give either that or quat_xyzw")
        return rows(owner, "position", pose[0], (3,)), rows(owner, "quat_xyzw", pose[1], (4,))
    array = floats("pose", pose)
    if array.shape[-1:] == (7,) and quat_xyzw is None:
        return rows(owner, "position", array[..., :3], (3,)), rows(owner, "quat_xyzw", array[..., 3:], (4,))
    rotation = None if quat_xyzw is None else rows(owner, "quat_xyzw", quat_xyzw, (4,))
    return rows(owner, "position", pose, (3,)), rotation


class _Commanded:
    """Something that belongs to a world or a batch."""

    @property
    def _commander(self) -> Commander:
        raise NotImplementedError

    def _vector(self, name: str, value: ArrayLike | None) -> FloatArray | None:
        return None if value is None else rows(self._commander, name, value, (3,))


class Led(_Commanded):
    """What can be led along a path: clamps, kinematic bodies, bases of robots, end effectors."""

    @property
    def _thing(self) -> Thing:
        raise NotImplementedError

    @property
    def target_pose(self) -> Pose:
        """Where it is led now; where it is, if nothing leads it. Positions have shape (3,), quat_xyzw (4,).

        The axes of a clamp are the material frame (m1, m2, t) of the edge that it holds.
        """
        numbers = _core.command_pose(self._commander._commanded, self._thing)
        if self._commander._world_count is None:
            numbers = numbers[0]
        return Pose(numbers[..., :3], numbers[..., 3:])

    def set_target(
        self,
        pose: PoseLike,
        quat_xyzw: ArrayLike | None = None,
        *,
        over: float | None = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        mask: Mask = None,
    ) -> None:
        """Leads it to a pose in the world from the next step on, in place of the scene's motion; it stays there.

        With ``over``, it goes there from where it is with continuous velocity: from rest to rest for a single target. Targets
        that follow one another without a pause, each within 0.1 s, are samples of one motion, which goes on through them: so
        motion capture at 100 Hz drives it by ``set_target(pose, over=0.01)`` for each sample. Where such a stream ends, it
        comes to rest at the last target.

        Args:
            pose: a position in m, shape (3,); position and quat_xyzw, shape (7,); or a :class:`Pose`.
            quat_xyzw: rotation, shape (4,); as it is by default.
            over: time in s in which the target is reached; within the next step by default.
            velocity: velocity on arrival in m/s, shape (3,), in place of what the above says.
            angular_velocity: angular velocity on arrival in rad/s, shape (3,).
            mask: which worlds of a batch.

        Raises:
            ValueError: a number is not finite, the target is so far away that it would be reached with more than 50 m/s, or the
                thing moves by itself.
        """
        owner = self._commander
        position, rotation = split_pose(owner, pose, quat_xyzw)
        linear, angular = self._vector("velocity", velocity), self._vector("angular_velocity", angular_velocity)
        _core.command_target(
            owner._commanded, chosen(owner, mask), self._thing, position, rotation, over, linear, angular
        )

    def set_velocity(
        self, linear: ArrayLike = (0.0, 0.0, 0.0), angular: ArrayLike = (0.0, 0.0, 0.0), *, mask: Mask = None
    ) -> None:
        """Moves it on with a velocity (m/s) and an angular velocity (rad/s), shape (3,) each, until it is told otherwise."""
        owner = self._commander
        _core.command_velocity(
            owner._commanded,
            chosen(owner, mask),
            self._thing,
            rows(owner, "linear", linear, (3,)),
            rows(owner, "angular", angular, (3,)),
        )

    def set_motion(
        self,
        times: ArrayLike,
        translation: ArrayLike | None = None,
        angle: ArrayLike | None = None,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        *,
        interpolation: Literal["linear", "smooth", "hold"] = "linear",
        mask: Mask = None,
    ) -> None:
        """Gives it another motion for the whole run: tables of numbers, in place of the motion that the scene has.

        In a batch of N worlds ``translation``, ``angle`` and ``axis`` may have an axis of length N before the others: then each
        world has a motion of its own. Like the scene's, the motion is from where the thing is at the start of the run; before the
        first key and after the last one its values hold. A reset keeps it. It is no part of :attr:`ropewalk.World.state`: a run
        that is resumed elsewhere has to be given it again.

        Args:
            times: times of the keys in s, increasing, shape (k,).
            translation: translation at the keys along x, y and z in m, shape (k, 3); none by default.
            angle: angle at the keys in rad, shape (k,); it may be many turns; none by default.
            axis: axis of the rotation, through the point that is held, shape (3,); made unit.
            interpolation: ``smooth`` is 3u^2 - 2u^3 between keys: at rest at every key.
            mask: which worlds of a batch.

        Raises:
            ValueError: a number is not finite, the times do not increase, or the thing moves by itself.
        """
        owner = self._commander
        keys = list_of("times", times)
        count = len(keys)
        if count == 0:
            raise ValueError("times has no entries, expected at least one")
        directions = rows(owner, "axis", axis, (3,))
        lengths = np.linalg.norm(directions, axis=-1, keepdims=True)
        if not np.all(np.isfinite(lengths) & (lengths > 0.0)):
            raise ValueError("axis has no direction, expected a vector that is not zero")
        motion = MotionTables(
            keys,
            rows(owner, "translation", np.zeros((count, 3)) if translation is None else translation, (count, 3)),
            rows(owner, "angle", np.zeros(count) if angle is None else angle, (count,)),
            directions / lengths,
            interpolation,
        )
        worlds = chosen(owner, mask)
        _core.command_motion(owner._commanded, worlds, self._thing, *motion)
        owner._keep_motion(self._thing, worlds, motion)

    def clear_command(self, *, over: float | None = None, mask: Mask = None) -> None:
        """Gives its motion back to the scene, over ``over`` s with continuous velocity, or within the next step."""
        owner = self._commander
        _core.command_clear(owner._commanded, chosen(owner, mask), self._thing, over)


class LinkPushed(_Commanded):
    """A link that forces can act on."""

    def _push(
        self,
        place: tuple[int, int],
        force: ArrayLike,
        torque: ArrayLike,
        at: ArrayLike | None,
        mask: Mask,
    ) -> None:
        owner = self._commander
        _core.command_link_load(
            owner._commanded,
            chosen(owner, mask),
            place,
            rows(owner, "force", force, (3,)),
            rows(owner, "torque", torque, (3,)),
            self._vector("at", at),
        )


class RodCommanded(_Commanded):
    """A rod that forces can act on, and whose natural shape can be set."""

    @property
    def index(self) -> int:
        """Its number among the rods."""
        raise NotImplementedError

    def _load(self, kind: str, name: str, place: int | None, value: ArrayLike, count: int, mask: Mask) -> None:
        owner = self._commander
        if place is not None and place < 0:
            place += count
            if place < 0:
                raise ValueError(f"there is no place {place - count} on a rod with {count} of them")
        given = rows(owner, name, value, (3,) if place is not None else (count, 3))
        given = given.reshape(given.shape[0], -1, 3)
        _core.command_rod_load(owner._commanded, chosen(owner, mask), self.index, kind, place, given)

    def _counts(self) -> tuple[int, int]:
        raise NotImplementedError

    def set_force(self, force: ArrayLike, *, node: int, mask: Mask = None) -> None:
        """Pushes a node with ``force`` in N, shape (3,), world axes, on top of the scene's loads, until it is set again."""
        self._load("node", "force", node, force, self._counts()[0], mask)

    def set_forces(self, forces: ArrayLike, *, mask: Mask = None) -> None:
        """Sets the forces on all nodes in N, shape (n, 3)."""
        self._load("node", "forces", None, forces, self._counts()[0], mask)

    def set_edge_force(self, force: ArrayLike, *, edge: int, mask: Mask = None) -> None:
        """Pushes the middle of an edge with ``force`` in N, shape (3,), world axes."""
        self._load("edge", "force", edge, force, self._counts()[1], mask)

    def set_edge_forces(self, forces: ArrayLike, *, mask: Mask = None) -> None:
        """Sets the forces on the middles of all edges in N, shape (e, 3)."""
        self._load("edge", "forces", None, forces, self._counts()[1], mask)

    def set_torque(self, torque: ArrayLike, *, edge: int, mask: Mask = None) -> None:
        """Turns an edge with ``torque`` in N m, shape (3,), world axes: what is along it twists, the rest bends."""
        self._load("torque", "torque", edge, torque, self._counts()[1], mask)

    def set_torques(self, torques: ArrayLike, *, mask: Mask = None) -> None:
        """Sets the torques on all edges in N m, shape (e, 3)."""
        self._load("torque", "torques", None, torques, self._counts()[1], mask)

    def set_natural_shape(
        self,
        curvature1: ArrayLike = 0.0,
        curvature2: ArrayLike = 0.0,
        twist: ArrayLike = 0.0,
        *,
        mask: Mask = None,
    ) -> None:
        """Sets natural curvature (1/m, towards m1 and m2) and twist (rad/m), in place of the scene's and its drives.

        Each is a number, or one for each inner node (each node of a closed rod), shape (s,).
        """
        owner = self._commander
        nodes, edges = self._counts()
        inner = nodes if nodes == edges else nodes - 2

        def column(name: str, value: ArrayLike) -> FloatArray:
            try:
                return rows(owner, name, value, ()).reshape(-1, 1)
            except ValueError:
                return rows(owner, name, value, (inner,))

        shape = (column("curvature1", curvature1), column("curvature2", curvature2), column("twist", twist))
        _core.command_natural(owner._commanded, chosen(owner, mask), self.index, shape)

    def clear_command(self, *, mask: Mask = None) -> None:
        """Takes back all forces and torques on it, and gives its natural shape back to the scene."""
        owner = self._commander
        which = chosen(owner, mask)
        nodes, edges = self._counts()
        count = owner._world_count or 1
        for kind, places in (("node", nodes), ("edge", edges), ("torque", edges)):
            nothing = np.zeros((count, places, 3))
            _core.command_rod_load(owner._commanded, which, self.index, kind, None, nothing)
        _core.command_natural(owner._commanded, which, self.index, None)


class Attaching(_Commanded):
    """An attachment that can be held and released."""

    @property
    def index(self) -> int:
        """Its number among the attachments."""
        raise NotImplementedError

    def _ask(self, command: str, mask: Mask) -> None:
        owner = self._commander
        _core.command_attachment(owner._commanded, chosen(owner, mask), self.index, command)

    def hold(self, *, mask: Mask = None) -> None:
        """Holds from the next step on, as its ends are then, whatever its times say."""
        self._ask("hold", mask)

    def release(self, *, mask: Mask = None) -> None:
        """Lets go from the next step on, whatever its times say."""
        self._ask("release", mask)

    def clear_command(self, *, mask: Mask = None) -> None:
        """Does again as its times say; one that was made during the run lets go."""
        made = self.index >= len(self._commander._facts.attachments)
        self._ask("release" if made else "scheduled", mask)


class Steered:
    """Joints and actuators of all robots and bodies as arrays, in one order with names; everything given back at once."""

    @property
    def _commanded(self) -> "_core.World | _core.Batch":
        raise NotImplementedError

    @property
    def _facts(self) -> Facts:
        raise NotImplementedError

    @property
    def _world_count(self) -> int | None:
        return None

    def _keep_motion(self, thing: Thing, worlds: list[int] | None, motion: MotionTables) -> None:
        # A world keeps its model.
        pass

    def _table(self, what: str) -> FloatArray:
        numbers = _core.command_read(self._commanded, what)
        return numbers if self._world_count is not None else numbers[0]

    def _write(self, what: str, value: ArrayLike, mask: Mask) -> None:
        width = self._table(what).shape[-1]
        given = rows(self, what, value, (width,))
        _core.command_write(self._commanded, chosen(self, mask), what, given)

    @property
    def ctrl(self) -> FloatArray:
        """Targets of all actuators now, shape (m,), in the order of ``ctrl_names``: rad or m; rad/s or m/s of a velocity; N m
        or N of a force. A copy: change it by :meth:`set_ctrl`, or assign the whole array."""
        return self._table("ctrl")

    @ctrl.setter
    def ctrl(self, targets: ArrayLike) -> None:
        self.set_ctrl(targets)

    def set_ctrl(self, targets: ArrayLike, *, mask: Mask = None) -> None:
        """Sets the targets of all actuators, shape (m,), from the next step on. Those that an end effector leads are left to
        it."""
        self._write("ctrl", targets, mask)

    @property
    def ctrl_names(self) -> list[str]:
        """Names of the actuators, in the order of ``ctrl``: as the scene has them; those of a control are CONTROL.JOINT."""
        return list(self._facts.actuators)

    @property
    def qpos(self) -> FloatArray:
        """Positions of all joints of bodies and robots, shape (nq,), in the order of ``qpos_names``. A copy.

        An angle in rad, a displacement in m; of a free joint x, y, z and then the quaternion **x, y, z, w** (MuJoCo has w first).
        """
        return self._table("qpos")

    @property
    def qvel(self) -> FloatArray:
        """Velocities of all joints, shape (nv,), in the order of ``qvel_names``. A copy."""
        return self._table("qvel")

    @property
    def qpos_names(self) -> list[str]:
        """Names of the entries of ``qpos``: ROBOT/JOINT or BODY, with .x, .y, .z, .qx, .qy, .qz, .qw for those of a free joint."""
        return _core.command_names(self._commanded, "qpos")

    @property
    def qvel_names(self) -> list[str]:
        """Names of the entries of ``qvel``: .vx, .vy, .vz, .wx, .wy, .wz for those of a free joint."""
        return _core.command_names(self._commanded, "qvel")

    def set_qpos(self, qpos: ArrayLike, *, mask: Mask = None) -> None:
        """Puts all joints at ``qpos``, shape (nq,); quaternions are made unit. End effectors start again from there."""
        self._write("qpos", qpos, mask)

    def set_qvel(self, qvel: ArrayLike, *, mask: Mask = None) -> None:
        """Sets the velocities of all joints, shape (nv,)."""
        self._write("qvel", qvel, mask)

    def set_gravity(self, gravity: ArrayLike, *, mask: Mask = None) -> None:
        """Sets gravity in m/s^2, shape (3,), from the next step on."""
        _core.command_gravity(self._commanded, chosen(self, mask), rows(self, "gravity", gravity, (3,)))

    def _attach(
        self,
        name: str,
        kind: Literal["pin", "ball", "clamp"],
        first: object,
        to: object,
        at: object,
        point: ArrayLike | None,
        mask: Mask,
    ) -> None:
        lengths = [self._rest_lengths(r) for r in range(len(self._facts.rods))]
        ends = Ends(self._facts, lengths, kind)
        given = (ends.of(first, at, point, is_first=True), ends.of(to, None, None, is_first=False))
        held = "clamp" if kind == "clamp" else "point"
        _core.command_attach(self._commanded, chosen(self, mask), name, held, given)

    def _rest_lengths(self, rod: int) -> FloatArray:
        raise NotImplementedError

    def clear_command(self, *, over: float | None = None, mask: Mask = None) -> None:
        """Gives everything that was commanded back to the scene: targets, forces, natural shapes, gravity, attachments.

        Args:
            over: time in s in which clamps, bodies and end effectors go back to their motion, with continuous velocity; within the
                next step by default, which is refused if it would be faster than 50 m/s.
            mask: which worlds of a batch.
        """
        _core.command_clear(self._commanded, chosen(self, mask), None, over)

