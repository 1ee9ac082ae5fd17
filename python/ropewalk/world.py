"""A world: rods, bodies and robots that step."""

import copy
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ropewalk import _core
from ropewalk._arrays import FloatArray
from ropewalk._facts import Facts, Named
from ropewalk._handles import attachment_numbers
from ropewalk.additions import Additions
from ropewalk.builder import Place, SceneLike, Scheme
from ropewalk.commands import Steered
from ropewalk.contacts import contact_array, patch_array, polygon_array
from ropewalk.handles import Actuator, Attachment, Body, Clamp, EndEffector, Robot, Rod
from ropewalk.measures import ClaimResult, Measure
from ropewalk.page import Page
from ropewalk.recording import Recorder
from ropewalk.rendering import Camera, Instance, of_world
from ropewalk.views import Energies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Equilibrium", "World"]


MOST_STEPS = 1e9
"""Steps of :meth:`World.run`, at most, unless large scenes are allowed."""


class Equilibrium(NamedTuple):
    """How the search for an equilibrium has ended."""

    converged: bool
    """Whether the last long step moved nothing."""
    steps: int
    """Steps taken."""
    last_move: float
    """Greatest displacement of a node in the last step, relative to the length of its rod."""


class World(Additions, Steered):
    """Rods, bodies and robots, and what holds, loads and drives them.

    From a scene, with any value overridden::

        world = World("capstan", {"rod.rope.friction": 0.3})    # embedded; also a .toml file, its text, or a dictionary
        world.step(100)
        world.rods["rope"].tension                              # N, shape (e,)

    Or built up::

        world = World(dt=1e-3)
        rubber = Material(youngs_modulus=1e7, poisson_ratio=0.5, density=1000.0)
        beam = world.add_rod("beam", Line([0, 0, 0], [0.3, 0, 0]), material=rubber, section=Circle(5e-3), segments=100)
        world.add_clamp("wall", beam, "start")
        world.step(1000)

    ``add_…`` raises :class:`SceneError` at a mistake, in terms of its arguments; what only shows in the whole scene is raised when
    the world is first read or stepped. Things can be added until the first step.

    Args:
        scene: an embedded scene's name, a file that ends in .toml, the text of such a file, or its document.
        overrides: values by path, such as ``{"rod.rope.segments": 40}``, or texts as after ``--set`` on the command line.
        title: what the scene shows, in one line.
        dt: time step in s; 1e-3 by default.
        duration: length of the run in s, for ``ropewalk run``; 1 by default in a world that is built up.
        gravity: in m/s^2, shape (3,); (0, 0, -9.81) by default.
        scheme: time-stepping scheme; backward Euler by default.
        seed: decides everything random in the scene; 1 by default.
        allow_large: whether the scene may ask for more than 8 GB of memory or 1e9 steps.
    """

    def __init__(
        self,
        scene: SceneLike | None = None,
        overrides: Mapping[str, object] | Sequence[str] | None = None,
        *,
        title: str | None = None,
        dt: float | None = None,
        duration: float | None = None,
        gravity: ArrayLike | None = None,
        scheme: Scheme | None = None,
        seed: int | None = None,
        allow_large: bool = False,
    ) -> None:
        self._allow_large = allow_large
        settings: dict[str, Any] = {
            "title": title,
            "time.dt": dt,
            "time.duration": duration,
            "time.scheme": scheme,
            "gravity": gravity,
            "seed": seed,
        }
        self._core: _core.World | None = None
        self._known: Facts | None = None
        super().__init__(scene, overrides, settings)
        if scene is not None:
            self._load()

    @classmethod
    def from_toml(
        cls,
        text: str,
        overrides: Mapping[str, object] | Sequence[str] | None = None,
        *,
        directory: str | os.PathLike[str] | None = None,
        allow_large: bool = False,
    ) -> "World":
        """A world from the text of a scene file; paths in it count from ``directory``."""
        world = cls.__new__(cls)
        world._core, world._known, world._allow_large = None, None, allow_large
        super(World, world).__init__(None, overrides, {})
        world._document, world._text = None, text
        world._directory = None if directory is None else os.fspath(directory)
        world._load()
        return world

    def _changing(self) -> dict[str, Any]:
        if self._core is not None and self._core.time != 0.0:
            raise RuntimeError("this world has stepped: things are added to it and set before its first step")
        self._core, self._known = None, None
        return super()._changing()

    @property
    def _running(self) -> _core.World:
        """The compiled world."""
        if self._core is None:
            self._core = _core.World(self._load())
        return self._core

    @property
    def _commanded(self) -> _core.World:
        return self._running

    @property
    def _facts(self) -> Facts:
        if self._known is None:
            self._known = Facts(self._load())
        return self._known

    def _read(self, name: str, index: int = 0) -> FloatArray:
        return self._running.read(name, index)

    def __repr__(self) -> str:
        return f"<World {self.title!r} at {self.time} s>"

    def step(self, n: int = 1) -> _core.StepReport:
        """Takes ``n`` steps of ``dt``; releases the GIL.

        Raises:
            StepError: a step failed; the world is as it was before that step.
        """
        core = self._core
        if core is None:
            core = self._running
        try:
            return core.step(n)
        except OverflowError:
            raise ValueError(f"n is {n}, expected a number of steps") from None

    def run(self, duration: float | None = None) -> _core.StepReport:
        """Steps until ``duration`` in s is reached, the scene's by default, as ``ropewalk run`` does."""
        end = self.duration if duration is None else duration
        if not np.isfinite(end):
            raise ValueError(f"duration is {end}, expected a finite number of s")
        # A duration of n dt is n steps, also where the quotient is n + 1e-12.
        count = np.ceil((end - self.time) / self.dt - 1e-6)
        if count > MOST_STEPS and not self._allow_large:
            raise ValueError(
                f"duration is {end}: the run would take {count:.3g} steps, expected at most {MOST_STEPS:.0e}; "
                "give a shorter duration or a larger dt, or make the world with allow_large=True"
            )
        count = int(count)
        return self.step(max(count, 0))

    def reset(self) -> None:
        """Puts the world back to its start."""
        self._running.reset()

    def equilibrate(self) -> Equilibrium:
        """Goes to the shape that the world takes when it is left alone, at the present time, without simulating how it gets there:
        energy falls until nothing moves. Clamps, loads and commands stay as they are; velocities are zero then."""
        return Equilibrium(*self._running.equilibrate())

    def copy(self) -> "World":
        """A world of its own that goes on from here; the model is shared."""
        self._load()
        twin = World.__new__(World)
        twin.__dict__.update(self.__dict__)
        if self._document is not None:
            twin._document = copy.deepcopy(self._document)
        twin._overrides = list(self._overrides)
        twin._core = self._running.copy()
        return twin

    @property
    def state(self) -> _core.State:
        """All that the next step will find: a world that is given it goes on bit-identically.

        It can be pickled; ``bytes(state)`` is a NumPy archive. It can be given to any world of the same scene. Forces and
        contacts belong to the last step, and are there again after the next one.
        """
        return self._running.state()

    @state.setter
    def state(self, state: _core.State) -> None:
        self._running.set_state(state)

    def save_state(self, path: str | os.PathLike[str]) -> None:
        """Writes the state to a file that ``ropewalk run --from`` takes."""
        Path(path).write_bytes(bytes(self.state))

    def load_state(self, path: str | os.PathLike[str]) -> None:
        """Goes on from a state that :meth:`save_state` or the command line has written."""
        self.state = _core.State.from_bytes(Path(path).read_bytes())

    def __getstate__(self) -> dict[str, Any]:
        scene = self._load()
        directory = None if scene.directory is None else os.path.abspath(scene.directory or ".")
        return {"text": self.to_toml(), "directory": directory, "state": self.state}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        twin = World.from_toml(kept["text"], directory=kept["directory"])
        self.__dict__.update(twin.__dict__)
        self.state = kept["state"]

    @property
    def time(self) -> float:
        """Time in s."""
        return self._running.time

    @property
    def dt(self) -> float:
        """Time step in s."""
        return self._load().dt

    @property
    def duration(self) -> float:
        """Length of the scene's run in s."""
        return self._load().duration

    @property
    def title(self) -> str:
        """What the scene shows."""
        return self._load().title

    @property
    def gravity(self) -> FloatArray:
        """Gravity now in m/s^2, shape (3,). A copy: change it by :meth:`set_gravity`, or assign the whole array."""
        return self._read("gravity")

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self.set_gravity(gravity)

    @property
    def warnings(self) -> list[str]:
        """What is allowed in the scene but may not be meant."""
        return self._load().warnings

    @property
    def rods(self) -> Mapping[str, Rod]:
        """Rods by name."""
        return Named("rod", lambda: self._facts.rods, lambda name: Rod(self, name))

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Bodies by name."""
        return Named("body", lambda: self._facts.bodies, lambda name: Body(self, name))

    @property
    def robots(self) -> Mapping[str, Robot]:
        """Robots by name."""
        return Named("robot", lambda: self._facts.robots, lambda name: Robot(self, name))

    @property
    def clamps(self) -> Mapping[str, Clamp]:
        """Clamps by name."""
        return Named("clamp", lambda: self._facts.clamps, lambda name: Clamp(self, name))

    @property
    def attachments(self) -> Mapping[str, Attachment]:
        """Attachments by name."""
        return Named("attachment", lambda: attachment_numbers(self), lambda name: Attachment(self, name))

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """Actuators by name; those of a control are called CONTROL.JOINT."""
        return Named("actuator", lambda: self._facts.actuators, lambda name: Actuator(self, name))

    @property
    def end_effectors(self) -> Mapping[str, EndEffector]:
        """End effectors by name."""
        return Named("end effector", lambda: self._facts.end_effectors, lambda name: EndEffector(self, name))

    @property
    def energies(self) -> Energies:
        """Energies of the whole world in J."""
        return Energies.of(self._read("energies"))

    def attach(
        self,
        name: str,
        kind: Literal["pin", "ball", "clamp"],
        first: "str | Rod | Body | Mapping[str, object]",
        to: "str | Rod | Body | Mapping[str, object]" = "world",
        *,
        at: Place | None = None,
        point: ArrayLike | None = None,
    ) -> Attachment:
        """Makes an attachment that the scene does not have, while the world runs: it holds from the next step on, as its ends are
        then, until it is released. It is part of the state.

        Args:
            name: its name.
            kind: a node of a rod (``"pin"``), a point anywhere (``"ball"``), or point and orientation (``"clamp"``).
            first: a rod, with ``at``; a body; or ``{"robot": robot, "link": name}``. Wrenches are reported for it.
            to: the world; a body; ``{"rod": …, "at": …}``; ``{"robot": …, "link": …}``; with a ``"point"`` if it is pulled there.
            at: where on the rod.
            point: the point of the first body or link in its frame in m, shape (3,).
        """
        self._attach(name, kind, first, to, at, point, None)
        return Attachment(self, name)

    def _rest_lengths(self, rod: int) -> FloatArray:
        return self._read("rest_lengths", rod)

    def measure(
        self,
        quantity: str,
        over: Literal[
            "mean", "greatest", "least", "range", "last", "drift", "jump", "fall", "rise", "integral", "period"
        ],
        *,
        of: str | None = None,
        about: str | None = None,
        between: Sequence[float] | None = None,
        and_between: Sequence[float] | None = None,
        ends: Sequence[float] | None = None,
        component: str | None = None,
        at: int | None = None,
        across: Literal["mean", "greatest", "least", "sum", "last"] | None = None,
        from_: float | None = None,
        until: float | None = None,
    ) -> Measure:
        """Gathers a measure from now on, in constant memory::

            pull = world.measure("clamp_wrenches", "mean", of="drag", component="force", from_=0.3)
            world.run()
            pull.value

        Args:
            quantity: what is read after each step, such as ``"tension"``; ``docs/measures.md`` lists them.
            over: what readings come to over the window.
            of: the name of a rod, body, robot, clamp, attachment, actuator or end effector, or ``"ROBOT/LINK"``.
            about: the body about which a rod is wound, for ``"turns"`` and ``"wound_radii"``.
            between: two rest arclengths in m, shape (2,): the part of a rod that ``"knot_determinant"``, ``"wraps"`` and
                ``"slack"`` read.
            and_between: the other part for ``"wraps"``, shape (2,).
            ends: the direction in which both ends of a knot go on, shape (3,).
            component: of a vector, wrench or list of energies, such as ``"x"``, ``"norm"``, ``"force"``, ``"kinetic"``.
            at: which row, from 0: a node, an edge, a joint.
            across: what rows come to together, where ``at`` is not given.
            from_: the window begins after this time in s.
            until: the window ends with this time in s.
        """
        wanted = (quantity, over, of, component, at, across, from_, until)
        place = (about, between, and_between, ends)
        return Measure(self, self._running.measure(self._load(), *wanted, place))

    def check_claims(self) -> list[ClaimResult]:
        """Runs the scene from its start to its end on its own, and says what its claims come to. The world itself does not
        move.

        Raises:
            StepError: a step failed.
        """
        return [ClaimResult(*result) for result in _core.check_claims(self._load())]

    def contacts(self, *, touching: bool = True) -> NDArray[np.void]:
        """Contacts of the last sub-step, shape (c,), with the fields of :data:`ropewalk.CONTACT_DTYPE`.

        Args:
            touching: only those that push; else also those that might have come to touch.
        """
        return contact_array(self._running, touching)

    def patches(self) -> NDArray[np.void]:
        """Patches of the last sub-step, shape (p,), with the fields of :data:`ropewalk.PATCH_DTYPE`."""
        return patch_array(self._running)

    def polygons(self) -> NDArray[np.void]:
        """Polygons of the patches of the last sub-step, shape (g,), with the fields of :data:`ropewalk.POLYGON_DTYPE`."""
        return polygon_array(self._running)

    def patch_corners(self) -> FloatArray:
        """Corners of the polygons of all patches of the last sub-step in m, shape (h, 3).

        Those of one of :meth:`polygons` are ``corners[first_corner : first_corner + corner_count]``, in order round it.
        """
        return self._running.patch_corners()

    def render(
        self,
        camera: Camera | str | None = None,
        width: int = 640,
        height: int = 480,
        mode: Literal["rgb", "depth", "mask"] = "rgb",
        *,
        samples: int = 1,
        shadows: bool = True,
        contacts: bool = False,
        color_by: Literal["curvature", "tension", "twist"] | None = None,
    ) -> NDArray[Any]:
        """An image of the world as it is now, without a GPU and without a window.

        Args:
            camera: a :class:`ropewalk.Camera`; or words, such as ``"front"`` or ``"iso zoom=2 follow=rope"``, for one that holds
                everything (see ``docs/pictures.md``). ``None``: ``"iso"``.
            width: in px.
            height: in px; at most 16 Mpx in all.
            mode: ``"rgb"``: colors, uint8, shape (height, width, 3). ``"depth"``: depth along the optical axis in m, float32,
                shape (height, width), infinite where nothing is seen. ``"mask"``: numbers of :meth:`instances`, uint32, shape
                (height, width), 0 where nothing is seen.
            samples: samples of a pixel along each side, 1 to 8; of colors.
            shadows: whether things cast shadows.
            contacts: whether contacts are shown, as points with forces.
            color_by: what colors the rods; ``None`` for their own color.
        """
        return of_world(self).render(camera, width, height, mode, samples, shadows, contacts, color_by)

    def point_cloud(self, camera: Camera | str | None = None, width: int = 640, height: int = 480) -> FloatArray:
        """The places in the world that the pixels of an image see, in m, shape (n, 3): row by row, without pixels that see
        nothing. Arguments as for :meth:`render`."""
        return of_world(self).point_cloud(camera, width, height)

    def camera(self, words: str = "iso", width: int = 640, height: int = 480) -> Camera:
        """A camera that holds everything as it is now, such as ``"front"``, ``"top zoom=2"``, ``"iso fov=0.4"``."""
        return of_world(self).camera(words, width, height)

    def instances(self) -> list[Instance]:
        """What the numbers of masks stand for."""
        return of_world(self).instances()

    def side_name(self, contact: np.void, side: Literal[0, 1]) -> str:
        """The name of a side of a contact or patch: of the rod or body, or ``ROBOT/LINK``."""
        if (rod := int(contact["rod"][side])) >= 0:
            return list(self._facts.rods)[rod]
        place = (int(contact["tree"][side]), int(contact["link"][side]))
        for name, body in self._facts.bodies.items():
            if body == place:
                return name
        tree, link = place
        return f"{self._facts.tree_names[tree]}/{self._facts.links[tree][link].name}"

    def record(
        self, path: str | os.PathLike[str], *, rate: float = 60.0, state_rate: float = 1.0, foxglove_rate: float = 10.0
    ) -> Recorder:
        """Writes what the world does from now on to a file, which :class:`~ropewalk.Recording` reads::

            with world.record("run.mcap"):
                world.step(1000)

        Args:
            path: the file; one that is there is replaced.
            rate: frames per simulated second, at most one for each step: positions, directors, tensions, poses of links and
                contacts in single precision, and what is measured.
            state_rate: states per simulated second, at most one for each frame: all of the above to the last bit,
                velocities, curvatures, all that is known of contacts and patches. The first and the last are always there.
            foxglove_rate: frames for the 3D panel of Foxglove per simulated second, at most one for each frame; 0 for none.
        """
        return Recorder(self, path, rate, state_rate, foxglove_rate)

    def show(self, *, height: int = 600) -> Page:
        """The world as it is now, as a page to turn and to click at: a notebook shows it, :meth:`Page.save` writes it.

        For a page that plays, record the world and show the recording. A world that is being recorded cannot be shown.

        Args:
            height: of the page in a notebook, in pixels.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "now.mcap"
            self.record(path).close()
            return Page(_core.recording_page(path), height)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        color: Literal["rod", "tension", "curvature", "twist_rate"] = "rod",
        plane: Literal["xy", "xz", "yz"] | None = None,
        contacts: bool = False,
    ) -> "Axes":
        """A quick picture with matplotlib: rods as lines, bodies and links as points.

        Args:
            ax: axes to draw in, flat or 3D; new ones by default.
            color: one color for each rod, or by a quantity.
            plane: draw this plane instead of a view in 3D.
            contacts: draw the contacts that push.
        """
        from ropewalk.plot import plot_world

        return plot_world(self, ax, color=color, plane=plane, contacts=contacts)
