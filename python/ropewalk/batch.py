"""Many worlds, stepped side by side."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ropewalk import _arrays, _core, _toml
from ropewalk._arrays import FloatArray
from ropewalk._facts import Facts, Named, find
from ropewalk._handles import attachment_numbers
from ropewalk.batch_handles import (
    BatchAttachment,
    BatchBody,
    BatchClamp,
    BatchEndEffector,
    BatchRobot,
    BatchRod,
)
from ropewalk.builder import Place, SceneLike
from ropewalk.commands import MotionTables, Steered, Thing
from ropewalk.contacts import batch_contact_array
from ropewalk.parameters import Distribution, Parameters, values_of
from ropewalk.rendering import Camera, Images
from ropewalk.views import Energies, Wrench
from ropewalk.world import World

__all__ = ["Batch", "BatchReport"]


class BatchReport(NamedTuple):
    """What one call of :meth:`Batch.step` has done; N worlds."""

    worlds: list[_core.StepReport]
    """The report of each world."""

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Worlds in which a step failed, shape (N,). They are as they were before that step."""
        return np.array([report.status != "converged" for report in self.worlds])

    @property
    def contacts(self) -> NDArray[np.int64]:
        """Contacts that push, shape (N,)."""
        return np.array([report.contacts for report in self.worlds])

    @property
    def iterations(self) -> NDArray[np.int64]:
        """Linearizations of the momentum balance, shape (N,)."""
        return np.array([report.iterations for report in self.worlds])


MOST_THREADS = 1024
"""Threads of a batch, at most, as for ``ropewalk run --threads``."""


def _check_seed(seed: int) -> None:
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"seed is {seed!r}, expected a whole number, 0 or more")


class Batch(Steered):
    """N worlds of one scene, with values of their own, on a pool of threads.

    ::

        batch = Batch("capstan", 64, parameters={"rod.rope.friction": np.linspace(0.1, 0.5, 64)}, threads=2)
        batch.step(100)
        batch.rods["rope"].tension          # N, shape (64, e)

    Results are those of single worlds to the bit, for any number of threads.

    Args:
        scene: whatever :class:`World` takes, or a world that has been built up. It is taken as it begins, not as it is now.
        n: number of worlds N.
        parameters: values of the scene that differ, by path: N of them, or a distribution that they are drawn from.
        overrides: values of the scene for all worlds.
        seed: of what is drawn.
        threads: number of threads; one for each core by default.
    """

    def __init__(
        self,
        scene: SceneLike | World,
        n: int,
        *,
        parameters: Parameters | None = None,
        overrides: Mapping[str, object] | Sequence[str] | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        if not isinstance(n, (int, np.integer)) or n < 1:
            raise ValueError(f"n is {n!r}, expected a whole number, at least one world")
        _check_seed(seed)
        if threads is not None and threads < 1:
            raise ValueError(f"threads is {threads}, expected at least one")
        if threads is not None and threads > MOST_THREADS:
            raise ValueError(f"threads is {threads}, expected at most {MOST_THREADS}; more than cores are of no use")
        if isinstance(scene, World) and not overrides:
            self._scene = scene._load()
        else:
            source = scene.to_document() if isinstance(scene, World) else scene
            large = isinstance(scene, World) and scene._allow_large
            self._scene = World(source, overrides, allow_large=large)._load()
        # Before anything has n entries. (No greater number is a float.)
        self._scene.check_world_count(min(n, 10**300))
        self._parameters: Parameters = dict(parameters or {})
        self._drawn = any(isinstance(given, Distribution) for given in self._parameters.values())
        self._count, self._seed = n, seed
        self._resets = np.zeros(n, dtype=np.int64)
        self._values = [self._values_of(world) for world in range(n)]
        # As text they are compared, and read by the engine; to write it takes longer than to reset a world.
        self._texts = [_toml.overrides(values) for values in self._values]
        self._core = _core.Batch(self._scene, self._texts, threads or 0)
        self._motions: dict[tuple[Thing, int], MotionTables] = {}
        self._known = Facts(self._scene)
        self._images: Images | None = None

    def _values_of(self, world: int) -> dict[str, object]:
        return values_of(self._parameters, world, self._count, self._seed, int(self._resets[world]))

    @property
    def _facts(self) -> Facts:
        return self._known

    @property
    def _commanded(self) -> _core.Batch:
        return self._core

    @property
    def _world_count(self) -> int:
        return self._count

    def _rest_lengths(self, rod: int) -> FloatArray:
        lengths: FloatArray = self._read("rest_lengths", rod)[0]
        return lengths

    def _read(self, name: str, index: int = 0) -> FloatArray:
        return self._core.read(name, index)

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<Batch of {self._count} worlds on {self.threads} threads>"

    def step(self, n: int = 1, *, check: bool = True, mask: ArrayLike | None = None) -> BatchReport:
        """Takes ``n`` steps with worlds; releases the GIL.

        Args:
            n: steps.
            check: raise :class:`StepError` if a world fails, after all have stepped; else the report says which have.
            mask: which worlds, shape (N,) of True and False; all by default. The others stay as they are.
        """
        which = None if mask is None else self._numbers(mask)
        try:
            return BatchReport(self._core.step(n, check, which))
        except OverflowError:
            raise ValueError(f"n is {n}, expected a number of steps") from None

    def _numbers(self, mask: ArrayLike | None) -> list[int]:
        chosen = np.ones(self._count, dtype=bool) if mask is None else np.asarray(mask)
        if chosen.dtype != np.bool_ or chosen.shape != (self._count,):
            raise ValueError(f"mask has the shape {chosen.shape} of {chosen.dtype}, expected ({self._count},) of bool")
        numbers: list[int] = np.flatnonzero(chosen).tolist()
        return numbers

    def reset(
        self,
        mask: ArrayLike | None = None,
        *,
        seed: int | None = None,
        values: Sequence[Mapping[str, object]] | None = None,
    ) -> None:
        """Puts worlds back to their start; what is drawn is drawn anew.

        A world whose values stay keeps its model, and a reset only copies its first state; one with new values is read again
        from the scene (some milliseconds).

        Args:
            mask: which worlds, shape (N,) of True and False; all by default.
            seed: starts what is drawn over with this seed, for all worlds.
            values: values of the scene by path, one dictionary for each world of the mask, in place of those that
                ``parameters`` would give.
        """
        worlds = self._numbers(mask)
        if values is not None:
            self._reset_to(worlds, values)
            return
        chosen = np.isin(np.arange(self._count), worlds)
        if seed is not None:
            _check_seed(seed)
            self._seed = seed
            self._resets[:] = -1
        self._resets[chosen] += 1
        self._resets[self._resets < 0] = 0
        if not self._drawn:
            self._core.reset(worlds)
            return
        for world in worlds:
            self._values[world] = self._values_of(world)
            self._texts[world] = _toml.overrides(self._values[world])
        self._rebuild([(world, self._texts[world]) for world in worlds])

    def _keep_motion(self, thing: Thing, worlds: list[int] | None, motion: MotionTables) -> None:
        for world in range(self._count) if worlds is None else worlds:
            self._motions[thing, world] = motion

    def _rebuild(self, overrides: list[tuple[int, list[str]]]) -> None:
        """Makes worlds anew; they keep the motions that they were given."""
        self._core.rebuild(self._scene, overrides)
        for world, _ in overrides:
            for (thing, of), motion in self._motions.items():
                if of == world:
                    _core.command_motion(self._core, [world], thing, *motion)

    def _reset_to(self, worlds: list[int], values: Sequence[Mapping[str, object]]) -> None:
        if len(values) != len(worlds):
            raise ValueError(f"there are {len(values)} values, expected {len(worlds)}, one for each world of the mask")
        given = [_toml.overrides(own) for own in values]
        same = [text == self._texts[world] for world, text in zip(worlds, given, strict=True)]
        self._rebuild([(w, own) for w, own, as_is in zip(worlds, given, same, strict=True) if not as_is])
        self._core.reset([world for world, as_is in zip(worlds, same, strict=True) if as_is])
        for world, own, text in zip(worlds, values, given, strict=True):
            self._values[world], self._texts[world] = dict(own), text

    def contacts(self, *, touching: bool = True) -> NDArray[np.void]:
        """Contacts of the last sub-step of all worlds, shape (c,): the number of its ``world``, and the fields of
        :data:`ropewalk.CONTACT_DTYPE`.

        Args:
            touching: only those that push; else also those that might have come to touch.
        """
        return batch_contact_array(self._core, self._count, touching)

    def render(
        self,
        camera: Camera | str | None = None,
        width: int = 640,
        height: int = 480,
        mode: Literal["rgb", "depth", "mask"] = "rgb",
        *,
        mask: ArrayLike | None = None,
        shadows: bool = True,
    ) -> NDArray[Any]:
        """Images of the worlds as they are now, shape (M, height, width, …), one for each of the M worlds of the mask; see
        :meth:`World.render`. Sections and shapes are those of the scene, also where a world has other ones.
        """
        if self._images is None:
            self._images = Images(_core.Renderer.of_scene(self._scene))
        images = []
        for world in self._numbers(mask):
            self._images.take_batch(self, world)
            images.append(self._images.render(camera, width, height, mode, 1, shadows))
        return np.stack(images) if images else np.zeros((0, height, width))

    @property
    def threads(self) -> int:
        """Number of threads."""
        return self._core.threads

    @property
    def parameters(self) -> list[dict[str, object]]:
        """The values of each world by path, those drawn included; N dictionaries."""
        return [dict(values) for values in self._values]

    @property
    def dt(self) -> float:
        """Time step of the scene in s."""
        return self._scene.dt

    @property
    def time(self) -> FloatArray:
        """Time of each world in s, shape (N,)."""
        return self._read("time")

    @property
    def state(self) -> list[_core.State]:
        """The state of each world; see :attr:`World.state`."""
        return [self._core.state(world) for world in range(self._count)]

    @state.setter
    def state(self, states: Sequence[_core.State]) -> None:
        if len(states) != self._count:
            raise ValueError(f"there are {len(states)} states, expected {self._count}")
        for world, state in enumerate(states):
            self._core.set_state(world, state)

    def world(self, index: int) -> World:
        """A copy of one world, which goes on by itself."""
        if not 0 <= index < self._count:
            raise IndexError(f"there is no world {index}, expected 0 to {self._count - 1}")
        text = self._scene.resolved()
        twin = World.from_toml(text, self._texts[index], directory=self._scene.directory)
        twin._core = self._core.world(index)
        return twin

    @property
    def rods(self) -> Mapping[str, BatchRod]:
        """Rods by name; their arrays have shape (N, …)."""
        return Named("rod", lambda: self._facts.rods, lambda name: BatchRod(self, name))

    @property
    def bodies(self) -> Mapping[str, BatchBody]:
        """Bodies by name; their arrays have shape (N, …)."""
        return Named("body", lambda: self._facts.bodies, lambda name: BatchBody(self, name))

    @property
    def robots(self) -> Mapping[str, BatchRobot]:
        """Robots by name; their arrays have shape (N, …)."""
        return Named("robot", lambda: self._facts.robots, lambda name: BatchRobot(self, name))

    @property
    def clamps(self) -> Mapping[str, BatchClamp]:
        """Clamps by name, to be led."""
        return Named("clamp", lambda: self._facts.clamps, lambda name: BatchClamp(self, name))

    @property
    def end_effectors(self) -> Mapping[str, BatchEndEffector]:
        """End effectors by name, to be led."""
        return Named("end effector", lambda: self._facts.end_effectors, lambda name: BatchEndEffector(self, name))

    @property
    def attachments(self) -> Mapping[str, BatchAttachment]:
        """Attachments by name, to be held and released; those made during the run in all worlds included."""
        return Named("attachment", lambda: attachment_numbers(self), lambda name: BatchAttachment(self, name))

    def attach(
        self,
        name: str,
        kind: Literal["pin", "ball", "clamp"],
        first: str | Mapping[str, object],
        to: str | Mapping[str, object] = "world",
        *,
        at: Place | None = None,
        point: ArrayLike | None = None,
    ) -> BatchAttachment:
        """Makes an attachment in every world while they run; see :meth:`World.attach`."""
        self._attach(name, kind, first, to, at, point, None)
        return BatchAttachment(self, name)

    @property
    def gravity(self) -> FloatArray:
        """Gravity now in m/s^2, shape (N, 3). A copy."""
        return self._read("gravity")

    @property
    def energies(self) -> Energies:
        """Energies in J, each of shape (N,)."""
        return Energies.of(self._read("energies"))

    def clamp_wrench(self, clamp: str) -> Wrench:
        """Mean force and torque of a clamp on its rod in the last step, each of shape (N, 3)."""
        return self.clamps[clamp].wrench

    def attachment_wrench(self, attachment: str) -> Wrench:
        """Mean force and torque of an attachment on its first end in the last step, each of shape (N, 3)."""
        return self.attachments[attachment].wrench

    @property
    def actuator_names(self) -> list[str]:
        """Names of the actuators, in the order of ``efforts``."""
        return list(self._facts.actuators)

    @property
    def efforts(self) -> FloatArray:
        """Mean efforts of the actuators in the last step in N m or N, shape (N, m)."""
        return self._read("actuator_efforts")

    @property
    def targets(self) -> FloatArray:
        """Targets of the actuators now, shape (N, m): rad or m, rad/s or m/s for a velocity, N m or N for a force."""
        return self._read("actuator_targets")

    def set_target(self, actuator: str, targets: ArrayLike, velocities: ArrayLike = 0.0) -> None:
        """Sets the target of an actuator in each world from the next step on: one number, or shape (N,).

        Args:
            actuator: its name.
            targets: in rad or m; rad/s or m/s for a velocity; N m or N for a force.
            velocities: rates of the targets of a position actuator in rad/s or m/s.
        """
        index = find("actuator", self._facts.actuators, actuator).number
        self._core.set_targets(index, self._each("targets", targets), self._each("velocities", velocities))

    def _each(self, name: str, value: ArrayLike) -> FloatArray:
        array = _arrays.number_or_list(name, value)
        if array.size not in (1, self._count):
            raise ValueError(f"{name} has {array.size} entries, expected one, or {self._count}")
        return np.ascontiguousarray(np.broadcast_to(array, (self._count,)))
