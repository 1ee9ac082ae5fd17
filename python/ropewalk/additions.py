"""What can be added to a world: rods, bodies, robots, and what holds, loads and drives them.

Arguments have the names, units and defaults of the keys of the scene file (``docs/scenes.md``); what is not given keeps its
default there. Things are referred to by name or by the handle that adding them gave.
"""

import difflib
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from ropewalk.builder import Copies, KeyFrames, LinkSurface, Material, NaturalShape, Piece, Place, Preset, RandomShape, SceneBuilder
from ropewalk.curves import Curve
from ropewalk.functions import Function, Motion
from ropewalk.handles import Actuator, Attachment, Body, Clamp, EndEffector, Robot, Rod
from ropewalk.joints import Joint
from ropewalk.rotations import Rotation
from ropewalk.sections import Section
from ropewalk.shapes import Placed, Shape

if TYPE_CHECKING:
    from ropewalk.world import World

__all__ = ["Additions"]

def _name(thing: str | Rod | Body | Robot | Clamp | Attachment | None) -> str | None:
    return thing if thing is None or isinstance(thing, str) else thing.name


def _keys(given: dict[str, Any], *others: str) -> dict[str, Any]:
    """The keys of a table from the arguments of a function; ``from_`` stands for ``from``."""
    left = {"self", "name", *others}
    return {key.rstrip("_"): value for key, value in given.items() if key not in left}


class Additions(SceneBuilder):
    """The ``add_…`` functions of :class:`~ropewalk.World`."""

    def _world(self) -> "World":
        from ropewalk.world import World

        assert isinstance(self, World)
        return self

    def add_rod(
        self,
        name: str,
        curve: Curve,
        *,
        section: Section | None = None,
        material: str | Material | None = None,
        preset: Preset | None = None,
        segments: int | None = None,
        closed: bool | None = None,
        rest: Literal["straight", "as_given"] | NaturalShape | None = None,
        rest_length_factor: float | None = None,
        twist: float | None = None,
        turns: float | None = None,
        director: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        mass_damping: float | None = None,
        stiffness_damping: float | None = None,
        stretch_factor: float | None = None,
        bend_factor: float | None = None,
        twist_factor: float | None = None,
        density_factor: float | None = None,
        yield_moment: float | None = None,
        stretch_table: ArrayLike | None = None,
        clamped_half_edge: Literal["none", "start", "end", "both"] | None = None,
        friction: float | None = None,
        contact_stiffness: float | None = None,
        contact_dissipation: float | None = None,
        contact: Literal["point", "patch"] | None = None,
        pressure_modulus: float | None = None,
        patch_resolution: float | None = None,
        color: Sequence[float] | None = None,
        pieces: Sequence[Piece] | None = None,
        copies: Copies | None = None,
    ) -> Rod:
        """Adds a rod.

        Args:
            name: its name.
            curve: its centerline at the start.
            section: its cross-section; not needed with a preset.
            material: a material, or the name of one.
            preset: a real cable: section, stiffness and mass, where not given here.
            segments: number of edges.
            closed: whether the last node is joined to the first; True for a circle.
            rest: the shape without elastic energy: straight (default), as the curve gives it, or given.
            rest_length_factor: rest length of each edge divided by its length at the start.
            twist: twist put in at the start in rad/m; either this or ``turns``.
            turns: whole turns of twist put in at the start.
            director: direction of m1 at the first edge, shape (3,).
            velocity: of all nodes at the start in m/s, shape (3,).
            mass_damping: mass-proportional damping in 1/s.
            stiffness_damping: stiffness-proportional damping in s.
            stretch_factor: factor on EA.
            bend_factor: factor on EI1 and EI2, as for strands that slide.
            twist_factor: factor on GJ.
            density_factor: factor on the mass per length.
            yield_moment: moment in N m that bending does not exceed, for sections given by their stiffness.
            stretch_table: points of strain and tension in N, from (0, 0) on, rising, in place of EA, shape (k, 2).
            clamped_half_edge: ends whose point lies in the middle of the end edge, where a clamp holds the tangent.
            friction: coefficient of friction of this side; the material's, or 0.5, by default.
            contact_stiffness: stiffness of its surface in N/m; as hard as the step allows by default.
            contact_dissipation: Hunt and Crossley's dissipation in s/m.
            contact: how it touches, in place of the material's: at points, or in patches of a pressure field.
            pressure_modulus: pressure at the axis of that field in Pa, in place of the material's.
            patch_resolution: size of the facets of its section in patches in m.
            color: red, green, blue and opacity in pictures, each from 0 to 1; one of a palette by default.
            pieces: parts with another section or material.
            copies: further rods like this one.
        """
        self._add_rod(name, curve, material, _keys(locals(), "curve", "material"))
        return Rod(self._world(), name)

    def add_body(
        self,
        name: str,
        shape: Shape | None = None,
        *,
        shapes: Sequence[Placed] | None = None,
        density: float | None = None,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        com: ArrayLike | None = None,
        position: ArrayLike | None = None,
        rotation: Rotation | None = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        motion: Literal["free", "fixed"] | KeyFrames | Motion | None = None,
        joint: Joint | None = None,
        parent: str | Body | None = None,
        friction: float | None = None,
        contact_stiffness: float | None = None,
        contact_dissipation: float | None = None,
        pressure_modulus: float | None = None,
        patch_resolution: float | None = None,
        color: Sequence[float] | None = None,
    ) -> Body:
        """Adds a rigid body.

        Args:
            name: its name.
            shape: its shape in its own frame; either this or ``shapes``.
            shapes: its shapes, each with its place.
            density: of its shapes in kg/m^3; either this or ``mass``.
            mass: in kg, spread evenly over its shapes, or with ``inertia``.
            inertia: xx, yy, zz, xy, xz, yz about the center of mass in kg m^2, body axes, shape (6,).
            com: center of mass in m, with ``inertia``, shape (3,).
            position: where its frame is at the start in m, in the world or in its parent, shape (3,).
            rotation: how its frame is turned at the start.
            velocity: of its frame's origin at the start in m/s, shape (3,); free bodies only.
            angular_velocity: at the start in rad/s, shape (3,); free bodies only.
            motion: what moves it: forces (``"free"``), nothing (``"fixed"``), poses at given times, or a motion in time.
            joint: the joint by which it hangs on the world or on its parent.
            parent: the body on which it hangs, or is welded to without a joint.
            friction: coefficient of friction of this side; 0.5 by default.
            contact_stiffness: stiffness of its surface in N/m; as hard as the step allows by default.
            contact_dissipation: Hunt and Crossley's dissipation in s/m.
            pressure_modulus: greatest pressure of its pressure field in Pa; rigid in patches by default.
            patch_resolution: size of the facets of its shapes in patches in m.
            color: red, green, blue and opacity in pictures, each from 0 to 1; one of a palette by default.
        """
        moved = {"driven": motion} if isinstance(motion, Motion) else motion
        keys = _keys(locals(), "moved") | {"parent": _name(parent), "motion": moved}
        self._add("body", name, keys)
        return Body(self._world(), name)

    def add_robot(
        self,
        name: str,
        urdf: str | os.PathLike[str] | None = None,
        *,
        mjcf: str | os.PathLike[str] | None = None,
        key_frame: str | None = None,
        actuators: bool | None = None,
        position: ArrayLike | None = None,
        rotation: Rotation | None = None,
        base: Literal["welded", "free"] | None = None,
        joints: Mapping[str, float] | None = None,
        gravity_compensation: bool | None = None,
        friction: float | None = None,
        links: Mapping[str, LinkSurface] | None = None,
        repair_inertia: bool | None = None,
        color: Sequence[float] | None = None,
        package_paths: Sequence[str | os.PathLike[str]] | None = None,
    ) -> Robot:
        """Adds a robot from a URDF or MJCF file.

        Args:
            name: its name.
            urdf: the file, or an embedded robot: ``"robot:arm7_gripper"``, ``"robot:arm7_flange"``,
                ``"robot:planar_arm"``; either this or ``mjcf``.
            mjcf: a file in the format of MuJoCo.
            key_frame: the key frame of the MJCF in which it starts.
            actuators: whether the actuators of the MJCF drive it, called ``ROBOT.ACTUATOR``; True by default.
            position: where its root is at the start in m, shape (3,).
            rotation: how its root is turned at the start.
            base: welded to the world (default), or free.
            joints: positions at the start by joint in rad or m; else zero, or the limit nearest to it.
            gravity_compensation: gravity does not act on its links, since its controller balances it.
            friction: coefficient of friction of its links; 0.5 by default.
            links: surfaces of single links by name.
            repair_inertia: the nearest possible inertia stands for any that no rigid body has; else such a file is refused.
            color: red, green, blue and opacity in pictures, each from 0 to 1; those of a palette by default.
            package_paths: folders in which ``package://`` names are looked for.
        """
        self._add("robot", name, _keys(locals()))
        return Robot(self._world(), name)

    def add_clamp(
        self,
        name: str,
        rod: str | Rod,
        at: Place,
        *,
        hold: Literal["all", "position", "position_tangent", "spin"] | None = None,
        motion: Motion | None = None,
        release: float | None = None,
    ) -> Clamp:
        """Adds a clamp: part of a rod is held or driven.

        Args:
            name: its name.
            rod: the rod.
            at: where on it.
            hold: position, tangent and twist of an edge (default), or less.
            motion: how it moves, from where it is at the start.
            release: from this time on (s) it is gone.
        """
        self._add("clamp", name, _keys(locals()) | {"rod": _name(rod)})
        return Clamp(self._world(), name)

    def add_load(
        self,
        name: str,
        rod: str | Rod,
        *,
        point: Mapping[str, object] | None = None,
        follower: Mapping[str, object] | None = None,
        distributed: Mapping[str, object] | None = None,
        distributed_follower: Mapping[str, object] | None = None,
        torque: Mapping[str, object] | None = None,
        drag: Mapping[str, object] | None = None,
        scale: Function | None = None,
    ) -> None:
        """Adds a force from outside; exactly one kind.

        Args:
            name: its name.
            rod: the rod.
            point: ``{"at": place, "force": [x, y, z]}``: N of fixed direction on a node.
            follower: the same along m1, m2 and the tangent.
            distributed: ``{"force": [x, y, z], "from": 0.0, "to": 1.0}``: N/m, between fractions of the length.
            distributed_follower: the same along m1, m2 and the tangent.
            torque: ``{"at": place, "torque": …}``: N m about the tangent of an edge.
            drag: ``{"normal": …, "tangential": …, "quadratic": …, "flow": [x, y, z]}``.
            scale: factor on the force in time.
        """
        self._add("load", name, _keys(locals()) | {"rod": _name(rod)})

    def add_drive(
        self,
        name: str,
        rod: str | Rod,
        scale: Function,
        *,
        curvature1: ArrayLike | None = None,
        curvature2: ArrayLike | None = None,
        twist: ArrayLike | None = None,
        random: RandomShape | None = None,
        copies: bool | None = None,
    ) -> None:
        """Adds a drive of the natural shape: rest + scale(t) change.

        Args:
            name: its name.
            rod: the rod.
            scale: factor in time.
            curvature1: towards m1 in 1/m, shape () or (s,).
            curvature2: towards m2 in 1/m, shape () or (s,).
            twist: in rad/m, shape () or (s,).
            random: a random change besides, another for each rod.
            copies: whether it drives all copies of the rod, too.
        """
        self._add("drive", name, _keys(locals()) | {"rod": _name(rod)})

    def _end(self, end: str | Rod | Body | Mapping[str, object]) -> dict[str, object]:
        """An end of an attachment as a table."""
        if isinstance(end, Rod):
            return {"rod": end.name}
        if isinstance(end, Body):
            return {"body": end.name}
        if isinstance(end, str):
            document = self._changing()
            for kind in ("rod", "body"):
                if end in document.get(kind, {}):
                    return {kind: end}
            names = [*document.get("rod", {}), *document.get("body", {})]
            near = difflib.get_close_matches(end, names, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            if end in document.get("robot", {}):
                raise ValueError(f"{end!r} is a robot, expected one of its links: {{'robot': {end!r}, 'link': …}}")
            raise ValueError(f"there is no rod or body called {end!r}, expected one of {', '.join(names) or '(none)'}{hint}")
        if not isinstance(end, Mapping):
            raise ValueError(f"an end is {end!r}, expected a rod, a body, their names, or a table such as {{'robot': …}}")
        names_of = (str, Rod, Body, Robot)
        return {key: _name(value) if isinstance(value, names_of) else value for key, value in end.items()}

    def add_attachment(
        self,
        name: str,
        kind: Literal["pin", "ball", "clamp", "bushing"],
        first: str | Rod | Body | Mapping[str, object],
        to: str | Rod | Body | Mapping[str, object] = "world",
        *,
        at: Place | None = None,
        point: ArrayLike | None = None,
        bushing: Mapping[str, object] | None = None,
        from_: float | None = None,
        until: float | None = None,
        copies: bool | None = None,
    ) -> Attachment:
        """Adds an attachment: two ends are held together as they are when it begins.

        Args:
            name: its name.
            kind: a node of a rod (``"pin"``), a point anywhere (``"ball"``), or point and orientation, rigidly (``"clamp"``) or by
                springs (``"bushing"``).
            first: a rod, with ``at``; a body; or ``{"robot": robot, "link": name}``. Wrenches are reported for it.
            to: the world; a body; or a table of the scene file: ``{"robot": …, "link": …}``, ``{"rod": …, "at": …}``,
                ``{"point": [x, y, z]}`` of the world; with a ``"point"`` in its frame if the first end is pulled there.
            at: where on the rod.
            point: the point of the first body or link in its frame in m, shape (3,).
            bushing: springs of a bushing: ``{"translation": N/m, "bend": N m/rad, "twist": N m/rad}``, bending about the axes x and y of
                the first end and twist about its z; ``"damping_time"`` in s; ``"rest"``, a rotation of the scene file at which no torque acts.
            from_: it holds from this time on, in s.
            until: it is gone from this time on, in s.
            copies: whether all copies of the rod are held, too, by attachments called NAME_1, NAME_2 and so on.
        """
        keys = {"kind": kind, **self._end(first), "to": to if to == "world" else self._end(to)}
        self._add("attach", name, keys | {"at": at, "point": point, "bushing": bushing, "from": from_, "until": until, "copies": copies})
        return Attachment(self._world(), name)

    def add_junction(self, name: str, ends: Sequence[tuple[str | Rod, Place] | Mapping[str, object]]) -> list[Attachment]:
        """Joins rods at a point: force and moment go through, and the angles between them stay as they are at the start.

        Args:
            name: its name.
            ends: rods with the place on them, such as ``[(trunk, "end"), (left, "start"), (right, "start")]``.

        Returns:
            What joins each of the others to the first: attachments called NAME_1, NAME_2 and so on, whose wrenches go through the
            junction.
        """
        tables: list[dict[str, object]] = []
        for end in ends:
            table: dict[str, object] = dict(end) if isinstance(end, Mapping) else {"rod": end[0], "at": end[1]}
            rod = table.get("rod")
            table["rod"] = rod.name if isinstance(rod, Rod) else rod
            tables.append(table)
            if table["rod"] not in self._changing().get("rod", {}):
                raise ValueError(f"add_junction({name!r}): there is no rod called {table['rod']!r}")
        self._add("junction", name, {"ends": tables})
        return [Attachment(self._world(), f"{name}_{k}") for k in range(1, len(tables))]

    def add_actuator(
        self,
        name: str,
        kind: Literal["force", "position", "velocity", "pi"],
        target: Function,
        *,
        robot: str | Robot | None = None,
        joint: str | None = None,
        body: str | Body | None = None,
        dof: int | None = None,
        position_gain: float | None = None,
        velocity_gain: float | None = None,
        integral_gain: float | None = None,
        effort_limit: float | None = None,
    ) -> Actuator:
        """Adds an actuator of one degree of freedom. Efforts are taken at the end of the step: no gain is unstable.

        Args:
            name: its name.
            kind: a given effort, or what it controls.
            target: in rad or m; rad/s or m/s for a velocity; N m or N for a force.
            robot: the robot, with ``joint``; or
            joint: the name of its joint;
            body: a body with a joint, or a free body.
            dof: which degree of freedom of the joint.
            position_gain: N m/rad or N/m.
            velocity_gain: N m s/rad or N s/m.
            integral_gain: N m/(rad s) or N/(m s).
            effort_limit: greatest effort in N m or N; the joint's by default.
        """
        self._add("actuator", name, _keys(locals()) | {"robot": _name(robot), "body": _name(body)})
        return Actuator(self._world(), name)

    def add_control(
        self,
        name: str,
        robot: str | Robot,
        *,
        position_gain: float,
        velocity_gain: float | None = None,
        joints: Sequence[str] | None = None,
        targets: Mapping[str, Function] | None = None,
    ) -> None:
        """Adds position actuators, called ``NAME.JOINT``, on many joints of a robot.

        Args:
            name: its name.
            robot: the robot.
            position_gain: N m/rad or N/m.
            velocity_gain: N m s/rad or N s/m.
            joints: names of the joints; all with one degree of freedom that follow no other by default.
            targets: by joint in rad or m; else the position at the start.
        """
        self._add("control", name, _keys(locals()) | {"robot": _name(robot)})

    def add_end_effector(
        self,
        name: str,
        robot: str | Robot,
        link: str,
        *,
        times: ArrayLike,
        positions: ArrayLike,
        rotations: Sequence[Rotation] | None = None,
        interpolation: Literal["linear", "spline", "monotone"] | None = None,
        offset_position: ArrayLike | None = None,
        offset_rotation: Rotation | None = None,
        joints: Sequence[str] | None = None,
        start: Literal["path", "joints"] | None = None,
    ) -> EndEffector:
        """Adds an end effector: a frame of a robot that follows a path, by inverse kinematics and position actuators.

        Args:
            name: its name.
            robot: the robot.
            link: the link that carries it.
            times: times of the key frames in s, shape (k,).
            positions: of its frame in the world in m, shape (k, 3).
            rotations: of its frame in the world, one for each time.
            interpolation: the way from one to the next; linear by default.
            offset_position: where its frame is in the link in m, shape (3,).
            offset_rotation: how it is turned in the link.
            joints: joints that move it; all with a position actuator between base and link by default.
            start: whether the joints start on the path (default) or as the robot's joints are given.
        """
        self._add("end_effector", name, _keys(locals()) | {"robot": _name(robot)})
        return EndEffector(self._world(), name)


    def add_claim(
        self,
        name: str,
        measure: Mapping[str, object],
        *,
        equals: float | str | Mapping[str, Mapping[str, float | str]] | None = None,
        at_least: float | str | Mapping[str, Mapping[str, float | str]] | None = None,
        at_most: float | str | Mapping[str, Mapping[str, float | str]] | None = None,
        relative_to: Mapping[str, object] | None = None,
        scale: float | str | None = None,
        tolerance: float | None = None,
    ) -> None:
        """Adds a claim: what theory says of the result, which ``ropewalk run`` shows next to the result of the run::

            rest = {"quantity": "velocities", "of": "rope", "component": "norm", "across": "greatest", "over": "last"}
            world.add_claim("at_rest", rest, equals=0.0, tolerance=1e-4)

        Args:
            name: its name.
            measure: what is measured, by the keys of :meth:`ropewalk.World.measure`: ``quantity``, ``of``, ``over``, ….
                Names are looked up when the world is made, since a claim may come before what it is about.
            equals: a number, a value of the model such as ``"weight(rope)"``, or a closed form with its arguments, such as
                ``{"capstan_ratio": {"friction": 0.2, "angle": 3.14}}``; ``docs/measures.md`` lists them.
            at_least: what the measure is at least, in place of ``equals``.
            at_most: what the measure is at most, in place of ``equals``.
            relative_to: another measure, by which the first is divided.
            scale: what the error is relative to; what the measure equals by default.
            tolerance: greatest error.
        """
        self._add("claim", name, _keys(locals()))
