"""Scenes: read from files and texts, built up by ``add_…``, saved.

Whatever the way, a scene is one document with the keys of the scene file, and one reader checks it: a scene that is built
here and the same scene in a file give bit-identical runs, and a mistake gives the message that the command line gives.
"""

import difflib
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from numpy.typing import ArrayLike

from ropewalk import _core, _toml
from ropewalk._part import Part
from ropewalk._toml import Document
from ropewalk.curves import Curve
from ropewalk.functions import Function, Interpolation, Motion
from ropewalk.joints import Joint
from ropewalk.rotations import Rotation
from ropewalk.sections import Section
from ropewalk.shapes import Placed, Shape

__all__ = [
    "Copies",
    "KeyFrames",
    "LinkSurface",
    "Material",
    "NaturalShape",
    "Piece",
    "Place",
    "RandomShape",
    "SceneBuilder",
    "SceneLike",
    "Scheme",
]

Scheme = Literal["backward_euler", "bdf2", "midpoint", "symplectic_euler"]
"""First order, dissipative, stable at any step; second order, nearly keeps energy; explicit."""

Place = Literal["start", "end"] | Mapping[str, float]
"""A place on a rod: ``"start"``, ``"end"``, ``{"edge": i}``, ``{"node": i}`` or ``{"arclength": s}`` (m)."""

Preset = Literal[
    "nylon_rope",
    "shoelace",
    "usb_cable",
    "steel_wire",
    "suture",
    "climbing_rope",
    "copper_wire",
    "deform_dlo1",
    "deform_dlo2",
    "deform_dlo3",
    "deform_dlo4",
    "deform_dlo5",
]


@dataclass(frozen=True)
class Material(Part):
    """An isotropic material, elastic up to its yield stress if it has one."""

    youngs_modulus: float | None = None
    """Young's modulus in Pa."""
    poisson_ratio: float | None = None
    """Poisson's ratio; either this or the shear modulus."""
    shear_modulus: float | None = None
    """Shear modulus in Pa."""
    density: float | None = None
    """Density in kg/m^3."""
    yield_stress: float | None = None
    """Yield stress in Pa: bending beyond it stays; always elastic by default."""
    hardening_modulus: float | None = None
    """Slope of stress over strain beyond the yield stress in Pa; 0 by default."""
    friction: float | None = None
    """Coefficient of friction of this side; a pair has twice the product over the sum."""
    contact: Literal["point", "patch"] | None = None
    """How rods of it touch: at points (default), or in patches of a pressure field."""
    pressure_modulus: float | None = None
    """Pressure at the axis of that field in Pa."""
    preset: Literal["steel", "polypropylene", "annealed_copper", "mild_steel"] | None = None
    """Values that hold where none is given."""


@dataclass(frozen=True)
class Piece(Part):
    """A part of a rod with its own section or material."""

    from_: float
    """Where it starts, as a fraction of the rod's length."""
    to: float
    """Where it ends."""
    section: Section | None = None
    """Section there."""
    material: str | None = None
    """Name of the material there."""


@dataclass(frozen=True)
class Copies(Part):
    """Further rods like one, called NAME_1, NAME_2 and so on, each moved on from the one before."""

    count: int
    """How many there are, the first included."""
    step: ArrayLike | None = None
    """Displacement from one to the next in m, shape (3,)."""
    axis: ArrayLike | None = None
    """Axis through the origin about which each is turned against the one before, shape (3,); z by default."""
    angle: float | None = None
    """Angle of that turn in rad."""


@dataclass(frozen=True)
class NaturalShape(Part):
    """Natural curvature and twist: a number, or one for each inner node (each node of a closed rod)."""

    curvature1: ArrayLike | None = None
    """Towards m1 in 1/m, shape () or (s,)."""
    curvature2: ArrayLike | None = None
    """Towards m2 in 1/m, shape () or (s,)."""
    twist: ArrayLike | None = None
    """In rad/m, shape () or (s,)."""


@dataclass(frozen=True)
class RandomShape(Part):
    """A random natural shape: each rod bends evenly in a direction of its own; its twist differs from node to node."""

    curvature: float | None = None
    """Mean of the curvature in 1/m."""
    curvature_deviation: float | None = None
    """Deviation of the curvature in 1/m."""
    twist_deviation: float | None = None
    """Deviation of the twist in rad/m; its mean is zero."""


@dataclass(frozen=True)
class LinkSurface(Part):
    """The surface of a link of a robot; what is not given is that of the robot."""

    friction: float | None = None
    """Coefficient of friction."""
    contact_stiffness: float | None = None
    """Stiffness in N/m; as hard as the step allows by default."""
    contact_dissipation: float | None = None
    """Hunt and Crossley's dissipation in s/m, for the laws ``lagged`` and ``similar``."""
    pressure_modulus: float | None = None
    """Pressure in Pa at its middle, which makes it soft: it then touches in patches."""
    patch_resolution: float | None = None
    """Size in m of the facets of round surfaces in patches."""


@dataclass(frozen=True)
class KeyFrames(Part):
    """Poses at given times; before the first and after the last the pose stays."""

    _tag = "key_frames"
    times: ArrayLike
    """Times in s, increasing, shape (k,)."""
    positions: ArrayLike
    """Positions in m, shape (k, 3)."""
    rotations: Sequence[Rotation] | None = None
    """A rotation for each time; that at the start by default."""
    interpolation: Literal["linear", "spline", "monotone"] | None = None
    """The way from one to the next; linear by default, ``spline`` from rest to rest, ``monotone`` also without overshooting a
    key frame."""


SceneLike = str | os.PathLike[str] | Mapping[str, Any]
"""The name of an embedded scene, a file that ends in .toml, the text of such a file, or its document."""

_LABEL = "<world>"


def _is_copy(name: str, things: Mapping[str, Any]) -> bool:
    """Whether a name is that of a copy, such as ``rope_2`` of ``rope``."""
    first, _, number = name.rpartition("_")
    return number.isdigit() and "copies" in things.get(first, {})


_MADE_AT_ONCE = ("rod", "body", "robot", "clamp", "load", "drive", "attach", "actuator", "control", "end_effector")
"""What is made when it is added, to see whether it can be; what it refers to comes before it."""

_SETTINGS = {"title": "title", "time.dt": "dt", "time.duration": "duration", "time.scheme": "scheme", "gravity": "gravity", "seed": "seed"}
"""Arguments of World by their keys."""

Mistake = tuple[str, str, str | None, str | None, str | None]


def _call_of(kind: str, name: str) -> str:
    """The call that has added a thing."""
    return f"add_{'attachment' if kind == 'attach' else kind}({name!r})"


def _words(mistake: Mistake, kind: str, name: str, entry: Mapping[str, Any]) -> str:
    """What is wrong, in terms of the arguments of ``add_…``."""
    key, message, expected, nearest, hint = mistake
    for prefix, argument in ((f"{kind}.{name}", ""), (f"material.{entry.get('material')}", "material")):
        if key == prefix or key.startswith(prefix + "."):
            key = ".".join(part for part in (argument, key[len(prefix) + 1 :]) if part)
            break
    place = f"{_call_of(kind, name)}: {key}: " if key else f"{_call_of(kind, name)}: "
    more = (("expected", expected), ("nearest", nearest), ("hint", hint))
    return place + message + "".join(f"\n  {what}: {text}" for what, text in more if text)


class SceneBuilder:
    """A scene under construction; :class:`~ropewalk.World` adds that it runs."""

    _allow_large: bool = False

    def __init__(
        self, scene: SceneLike | None, overrides: Mapping[str, object] | Sequence[str] | None, settings: Document
    ) -> None:
        self._document: Document | None = None
        # Whether there is nothing in it but what calls have added.
        self._built = scene is None
        self._text: str | None = None
        self._label = _LABEL
        self._directory: str | None = None
        self._overrides = _toml.overrides(overrides)
        self._scene: _core.Scene | None = None
        given = {path: value for path, value in settings.items() if value is not None}
        if scene is None:
            self._document = {"title": "A world built in Python", "time": {"duration": 1.0}}
        elif isinstance(scene, Mapping):
            self._document = _toml.plain(scene)
        else:
            name = os.fspath(scene)
            if "\n" in name or "=" in name:
                self._text = name
            else:
                self._label = name
        self._overrides += _toml.overrides(given)

    def _load(self) -> _core.Scene:
        """The scene, checked and built."""
        if self._scene is None:
            text = self._text if self._document is None else _toml.dumps(self._document)
            if text is None:
                self._scene = _core.Scene.load(self._label, self._overrides, self._allow_large)
                return self._scene
            try:
                self._scene = _core.Scene.parse(
                    self._label, text, self._directory, self._overrides, self._allow_large
                )
            except _core.SceneError as error:
                built = self._built and self._document is not None
                words = self._in_terms_of_calls(text, str(error)) if built else None
                if words is None:
                    raise
                raise _core.SceneError(words) from None
        return self._scene

    def _in_terms_of_calls(self, text: str, error: str) -> str | None:
        """What is wrong with a scene that was built up, in terms of the calls that have built it; None where it comes from
        elsewhere, such as a value that was set by its path."""
        key = next((line.split(": ", 1)[1] for line in error.splitlines() if line.startswith("  key: ")), "")
        if key in _SETTINGS and f"--set {key}=" in error:
            lines = error.splitlines()
            more = [line for line in lines if line.startswith(("  expected: ", "  nearest: ", "  hint: "))]
            return "\n".join([f"World({_SETTINGS[key]}=…): {lines[0]}", *more])
        mistake = _core.scene_mistake(text, self._directory, True)
        if mistake is None or mistake[0] != key:
            return None
        kind, _, rest = key.partition(".")
        table = (self._document or {}).get(kind)
        if kind == "contact":
            kind, message = "set_contact", f"{rest}: {mistake[1]}"
        elif isinstance(table, dict):
            # Names may have dots in them.
            name = next((n for n in table if rest == n or rest.startswith(f"{n}.")), None)
            return None if name is None else _words(mistake, kind, name, table[name])
        elif key == "rod":
            return f"this world: {mistake[1]}\n  expected: add_rod, add_body or add_robot before the first step"
        else:
            kind, message = "this world", f"{key}: {mistake[1]}"
        more = [f"  {what}: {words}" for what, words in zip(("expected", "nearest", "hint"), mistake[2:], strict=True) if words]
        return "\n".join([f"{kind}: {message}", *more])

    def _changing(self) -> Document:
        """The document, which is about to change."""
        if self._document is None:
            scene = self._load()
            self._document = tomllib.loads(scene.resolved())
            self._directory = None if scene.directory is None else os.fspath(scene.directory)
            self._text, self._label = None, _LABEL
            self._overrides = []
        self._scene = None
        return self._document

    def to_document(self) -> Document:
        """The scene as a dictionary with the keys of the scene file, overrides put in."""
        document: Document = tomllib.loads(self._load().resolved())
        return document

    def to_toml(self) -> str:
        """The scene as the text of a scene file, overrides put in. A run of it is bit-identical."""
        return _toml.dumps(self.to_document())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the scene to a file that ``ropewalk run`` takes. Paths in it stay as they are."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")

    def set(self, path: str, value: object) -> None:
        """Sets any value of the scene by its path, such as ``set("rod.rope.friction", 0.3)``, as ``--set`` does on the
        command line; entries of arrays are reached by their index."""
        self._changing()
        self._overrides += _toml.overrides({path: value})

    def _set_keys(self, table: str, arguments: Mapping[str, object]) -> None:
        """Puts the arguments of a function that are given into a table of settings."""
        keys = {key: value for key, value in arguments.items() if key != "self"}
        self._changing().setdefault(table, {}).update(_toml.plain(keys))

    def _add(self, kind: str, name: str, keys: Mapping[str, object]) -> None:
        table = self._changing().setdefault(kind, {})
        if name in table:
            raise ValueError(f"there is already a {kind} called {name!r}")
        entry = _toml.plain(keys)
        self._refuse_mistakes(kind, name, entry)
        table[name] = entry

    def _refuse_mistakes(self, kind: str, name: str, entry: Document) -> None:
        """Raises at what is wrong with a thing that is added, in terms of the arguments that it was given by.

        It is made once, with all that it refers to, to see whether it can be; of what may refer to things that come later, keys
        and values are checked.
        """
        assert self._document is not None
        given = self._document
        call = _call_of(kind, name)
        for other in ("rod", "body", "robot"):
            named = entry.get(other)
            there = given.get(other, {})
            if other != kind and isinstance(named, str) and named not in there and not _is_copy(named, there):
                near = difflib.get_close_matches(named, list(there), n=1)
                hint = f"\n  nearest: `{near[0]}`" if near else ""
                names = ", ".join(there) or "(none yet: add it before)"
                raise _core.SceneError(
                    f"{call}: {other}: there is no {other} called {named!r}\n  expected: one of {names}{hint}"
                )
        small: Document = {"title": "one thing", "time": {"duration": 1.0}, kind: {name: entry}}
        whole = kind in _MADE_AT_ONCE and self._add_surroundings(kind, entry, small)
        mistake = _core.scene_mistake(_toml.dumps(small), self._directory, whole)
        if mistake is not None and (kind != "end_effector" or mistake[0] == f"end_effector.{name}.link" or not whole):
            raise _core.SceneError(_words(mistake, kind, name, entry))

    def _add_surroundings(self, kind: str, entry: Document, small: Document) -> bool:
        """Adds what a thing refers to to a document. False if something of it is not there yet, or was set by its path."""
        assert self._document is not None
        given, ends = self._document, [entry]
        if isinstance(entry.get("to"), dict):
            ends.append(entry["to"])
        wanted = [(other, end[other]) for end in ends for other in ("rod", "body", "robot") if isinstance(end.get(other), str)]
        if kind == "body" and "parent" in entry:
            wanted.append(("body", entry["parent"]))
        if kind == "rod" or any(other == "rod" for other, _ in wanted):
            small["material"] = given.get("material", {})
        for other, named in wanted:
            there = given.get(other, {})
            if named not in there and _is_copy(named, there):
                named = named.rpartition("_")[0]
            if named not in there:
                return False
            if f"{other}.{named}." in "\n".join(self._overrides):
                return False
            small.setdefault(other, {})[named] = there[named]
            if "parent" in there[named]:
                wanted.append((other, there[named]["parent"]))
        return True

    def _material(self, rod: str, material: str | Material | None) -> str | None:
        """The name of a material; one that is given outright takes the name of the rod, unless it is there already."""
        if not isinstance(material, Material):
            return material
        table = self._changing().setdefault("material", {})
        document = _toml.plain(material)
        for name, there in table.items():
            if there == document:
                return str(name)
        self._add("material", rod, document)
        return rod

    def add_material(self, name: str, material: Material) -> str:
        """Adds a material under a name, by which rods refer to it."""
        self._add("material", name, material.document())
        return name

    def _add_rod(self, name: str, curve: Curve, material: str | Material | None, keys: Document) -> None:
        self._add("rod", name, {"material": self._material(name, material), "curve": curve} | keys)

    def set_contact(
        self,
        *,
        enabled: bool | None = None,
        law: Literal["sap", "lagged", "similar"] | None = None,
        look_ahead: bool | None = None,
        guard: bool | None = None,
        anchor: bool | None = None,
        cluster_angle: float | None = None,
        overlap: Literal["report", "push_out"] | None = None,
        exclude: Sequence[Sequence[object]] | None = None,
        include: Sequence[Sequence[object]] | None = None,
        pairs: Sequence[Mapping[str, object]] | None = None,
    ) -> None:
        """Settings of contact; what is not given stays.

        Args:
            enabled: False lets everything pass through everything.
            law: the regularized cone (default), or Hunt and Crossley's force with lagged or present friction.
            look_ahead: pairs that may come to touch within the step take part before they do.
            guard: steps in which something would pass through something else are split.
            anchor: contacts that stick remember what they hold, so that a grasp does not creep; of the law ``sap``.
            cluster_angle: polygons of a patch whose normals are within this angle of one another (rad) are replaced by at
                most four contacts with the same force, moment and stiffness.
            overlap: what becomes of things that overlap at the start: ``"report"`` warns (default), and contact pushes them
                apart with a velocity; ``"push_out"`` moves them apart before the first step, without one.
            exclude: pairs that pass through one another, by name, handle or ``"ROBOT/LINK"``; a rod with itself has no contact
                with itself.
            include: pairs of links of one robot (``"ROBOT/LINK"``), or of bodies of one chain, that touch one another, which
                they do not by default; a robot with itself: all of its links that no joint joins.
            pairs: surfaces of certain pairs: ``{"between": [a, b], "friction": …, "stiffness": …, "dissipation": …}``.
        """
        given = dict(locals())
        for key in ("exclude", "include"):
            if given[key] is not None:
                given[key] = [[getattr(thing, "name", thing) for thing in pair] for pair in given[key]]
        self._set_keys("contact", given)

    def set_output(
        self,
        *,
        metrics_interval: float | None = None,
        states_interval: float | None = None,
        record_rate: float | None = None,
    ) -> None:
        """What ``ropewalk run --out`` writes of the scene; what is not given stays.

        Args:
            metrics_interval: time between rows of the metrics in s; 0 writes every step.
            states_interval: time between stored states in s; 0 stores every step.
            record_rate: frames of the recording per simulated second; 0 records nothing.
        """
        self._set_keys("output", locals())

    def set_solver(
        self,
        *,
        tolerance: float | None = None,
        max_iterations: int | None = None,
        linearize: Literal["until_converged", "once"] | None = None,
        max_halvings: int | None = None,
    ) -> None:
        """Settings of the solver; what is not given stays.

        Args:
            tolerance: a step has converged when the momentum residual is below this fraction of the impulses at work.
            max_iterations: Newton iterations before a step is halved.
            linearize: how often what constraints hold together is linearized in a step.
            max_halvings: how often a step may be halved before it is given up.
        """
        self._set_keys("solver", locals())

    def set_tuning(self, **parameters: float) -> None:
        """Parameters of numerics that are no physics, by name; ``ropewalk check`` lists them with unit, nominal value and
        reason. What is not given stays.
        """
        self._set_keys("tuning", {"self": self, **parameters})
