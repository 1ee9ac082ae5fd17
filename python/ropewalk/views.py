"""What is in a world or a batch, and its numbers.

Every array is a float64 copy of what is there now: it does not change when the world steps. Shapes are those of a
:class:`~ropewalk.World`; in a :class:`~ropewalk.Batch` of N worlds an axis of length N comes before them.

An open rod of n nodes has e = n - 1 edges and s = n - 2 inner nodes; a closed one has n of each.
"""

from typing import NamedTuple, Protocol

from ropewalk._arrays import FloatArray
from ropewalk._facts import Facts, Link, find

__all__ = ["BodyView", "Energies", "Owner", "Pose", "RobotView", "RodView", "View", "Wrench"]


class Owner(Protocol):
    """A world or a batch."""

    @property
    def _facts(self) -> Facts: ...
    def _read(self, name: str, index: int = 0) -> FloatArray: ...


class Energies(NamedTuple):
    """Energies in J; numbers, or shape (N,) in a batch."""

    kinetic: FloatArray
    stretch: FloatArray
    bend: FloatArray
    twist: FloatArray
    gravity: FloatArray
    """-sum m g.x."""
    joints: FloatArray
    """Springs in joints."""

    def __repr__(self) -> str:
        return f"Energies({', '.join(f'{part}={value}' for part, value in self._asdict().items())})"

    @property
    def total(self) -> FloatArray:
        """The sum of all parts."""
        return self.kinetic + self.stretch + self.bend + self.twist + self.gravity + self.joints

    @classmethod
    def of(cls, numbers: FloatArray) -> "Energies":
        """From an array whose last axis has the six."""
        return cls(*(numbers[..., k][()] for k in range(6)))


class Wrench(NamedTuple):
    """A force and a torque."""

    force: FloatArray
    """Force in N, shape (3,)."""
    torque: FloatArray
    """Torque about the held point in N m, shape (3,)."""

    @classmethod
    def of(cls, numbers: FloatArray) -> "Wrench":
        """From an array whose last axis has the six."""
        return cls(numbers[..., :3], numbers[..., 3:])


class Pose(NamedTuple):
    """Where something is."""

    position: FloatArray
    """In m, shape (3,)."""
    quat_xyzw: FloatArray
    """Rotation from its own axes to the world's, shape (4,)."""


class View:
    """Something with a name in a world or a batch."""

    def __init__(self, owner: Owner, name: str) -> None:
        self._owner = owner
        self.name = name
        """Name."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class RodView(View):
    """A rod and its numbers."""

    @property
    def index(self) -> int:
        """Its number among the rods, as contacts give it."""
        return find("rod", self._owner._facts.rods, self.name)

    def _read(self, name: str) -> FloatArray:
        return self._owner._read(name, self.index)

    @property
    def closed(self) -> bool:
        """Whether the last node is joined to the first."""
        return self._owner._facts.closed[self.index]

    @property
    def node_count(self) -> int:
        """Number of nodes n."""
        return int(self._read("masses").shape[-1])

    @property
    def edge_count(self) -> int:
        """Number of edges e."""
        return self.node_count if self.closed else self.node_count - 1

    @property
    def positions(self) -> FloatArray:
        """Positions of the nodes in m, shape (n, 3)."""
        return self._read("positions")

    @property
    def velocities(self) -> FloatArray:
        """Velocities of the nodes in m/s, shape (n, 3)."""
        return self._read("velocities")

    @property
    def spin_angles(self) -> FloatArray:
        """Angle gamma of each edge's material frame from its reference frame in rad, shape (e,)."""
        return self._read("spin_angles")

    @property
    def spin_rates(self) -> FloatArray:
        """Rates of these angles in rad/s, shape (e,)."""
        return self._read("spin_rates")

    @property
    def frames(self) -> FloatArray:
        """Material frames, shape (e, 3, 3): the rows are m1, m2 and the tangent."""
        return self._read("frames")

    @property
    def rest_lengths(self) -> FloatArray:
        """Rest lengths of the edges in m, shape (e,)."""
        return self._read("rest_lengths")

    @property
    def half_extents(self) -> FloatArray:
        """Half of the section along m1 and m2 in m, shape (e, 2); of a round rod its radius, twice."""
        return self._read("half_extents")

    @property
    def masses(self) -> FloatArray:
        """Masses of the nodes in kg, shape (n,)."""
        return self._read("masses")

    @property
    def tension(self) -> FloatArray:
        """Tension of the edges in N, positive in pull, shape (e,)."""
        return self._read("tension")

    @property
    def moments(self) -> FloatArray:
        """Bending moments that go with curvatures 1 and 2, and torque, in N m, shape (s, 3)."""
        return self._read("moments")

    @property
    def curvature(self) -> FloatArray:
        """Curvature in 1/m, shape (s,)."""
        return self._read("curvature")

    @property
    def plastic_curvature(self) -> FloatArray:
        """What would be left of the curvature if the rod were let go, towards m1 and m2, in 1/m, shape (s, 2)."""
        return self._read("plastic_curvature")

    @property
    def plastic_work(self) -> FloatArray:
        """Work spent on plastic bending since the start in J, shape ()."""
        return self._read("plastic_work")

    @property
    def twist_rate(self) -> FloatArray:
        """Twist per length in rad/m, shape (s,)."""
        return self._read("twist_rate")

    @property
    def contact_force(self) -> FloatArray:
        """Sum of the forces of all contacts on it in the last step in N, shape (3,); those with itself add nothing."""
        return self._read("contact_force")

    @property
    def energies(self) -> Energies:
        """Energies in J."""
        return Energies.of(self._read("rod_energies"))


class BodyView(View):
    """A rigid body and its numbers."""

    @property
    def index(self) -> tuple[int, int]:
        """Its tree and link, as contacts give them."""
        return find("body", self._owner._facts.bodies, self.name)

    @property
    def _link(self) -> Link:
        tree, link = self.index
        return self._owner._facts.links[tree][link]

    def _read(self, name: str) -> FloatArray:
        return self._owner._read(name, self.index[0])

    def _row(self, name: str) -> FloatArray:
        return self._read(name)[..., self.index[1], :]

    @property
    def position(self) -> FloatArray:
        """Position of its frame's origin in m, shape (3,)."""
        return self._row("link_positions")

    @property
    def quat_xyzw(self) -> FloatArray:
        """Rotation from its own axes to the world's, shape (4,)."""
        return self._row("link_quats_xyzw")

    @property
    def velocity(self) -> FloatArray:
        """Velocity of its frame's origin in m/s, shape (3,)."""
        return self._row("link_velocities")

    @property
    def angular_velocity(self) -> FloatArray:
        """Angular velocity in rad/s, world axes, shape (3,)."""
        return self._row("link_angular_velocities")

    @property
    def joint_position(self) -> FloatArray:
        """Position of its joint in rad or m, shape (nq,); of a free body, position and quat_xyzw."""
        return self._read("joint_positions")[..., self._link.q]

    @property
    def joint_velocity(self) -> FloatArray:
        """Velocity of its joint in rad/s or m/s, shape (nv,); of a free body, linear and angular."""
        return self._read("joint_velocities")[..., self._link.v]

    @property
    def contact_wrench(self) -> Wrench:
        """What all contacts exerted on it in the last step; about its frame's origin, world axes."""
        return Wrench.of(self._row("link_contact_wrenches"))

    @property
    def base_wrench(self) -> Wrench:
        """What the ground, or what drives it, exerted on its tree in the last step; about the base's origin."""
        return Wrench.of(self._read("base_wrench"))


class RobotView(View):
    """A robot and its numbers."""

    @property
    def index(self) -> int:
        """Its tree, as contacts give it."""
        return find("robot", self._owner._facts.robots, self.name)

    @property
    def _links(self) -> list[Link]:
        return self._owner._facts.links[self.index]

    def _read(self, name: str) -> FloatArray:
        return self._owner._read(name, self.index)

    def _number(self, link: str) -> int:
        """The number of a link."""
        return find(f"link of robot {self.name!r}", {n: i for i, n in enumerate(self.link_names)}, link)

    def _of_joint(self, numbers: FloatArray, place: slice) -> FloatArray:
        """The numbers of one joint; of one degree of freedom a number, without an axis."""
        part = numbers[..., place]
        return part[..., 0][()] if part.shape[-1] == 1 else part

    @property
    def link_names(self) -> list[str]:
        """Names of its links, parents first."""
        return [link.name for link in self._links]

    @property
    def joint_names(self) -> list[str]:
        """Names of its joints that move, in the order of ``joint_positions``."""
        return [link.joint for link in self._links if link.v.stop > link.v.start]

    def _joint(self, name: str) -> Link:
        joints = {link.joint: link for link in self._links if link.v.stop > link.v.start}
        return find(f"joint of robot {self.name!r}", joints, name)

    @property
    def joint_positions(self) -> FloatArray:
        """Positions of all joints in rad or m, shape (nq,). A free base comes first: position and quat_xyzw."""
        return self._read("joint_positions")

    @property
    def joint_velocities(self) -> FloatArray:
        """Velocities of all joints in rad/s or m/s, shape (nv,)."""
        return self._read("joint_velocities")

    def joint_position(self, joint: str) -> FloatArray:
        """Position of one joint in rad or m: a number, or shape (nq,) of that joint if it has several."""
        return self._of_joint(self.joint_positions, self._joint(joint).q)

    def joint_velocity(self, joint: str) -> FloatArray:
        """Velocity of one joint in rad/s or m/s: a number, or shape (nv,) of that joint if it has several."""
        return self._of_joint(self.joint_velocities, self._joint(joint).v)

    @property
    def link_positions(self) -> FloatArray:
        """Positions of the links' origins in m, shape (l, 3)."""
        return self._read("link_positions")

    @property
    def link_quats_xyzw(self) -> FloatArray:
        """Rotations of the links, shape (l, 4)."""
        return self._read("link_quats_xyzw")

    def link_pose(self, link: str) -> Pose:
        """Where a link is."""
        number = self._number(link)
        return Pose(self.link_positions[..., number, :], self.link_quats_xyzw[..., number, :])

    @property
    def base_wrench(self) -> Wrench:
        """What the ground exerted on its base in the last step; about the base's origin. Zero for a free base."""
        return Wrench.of(self._read("base_wrench"))

    def contact_wrench(self, link: str) -> Wrench:
        """What all contacts exerted on a link in the last step; about the link's origin, world axes."""
        return Wrench.of(self._read("link_contact_wrenches")[..., self._number(link), :])

    def joint_wrench(self, link: str) -> Wrench:
        """What a link's parent exerted on it in the last step, through its joint; about the link's origin, world axes.

        This is what a force-torque sensor at a wrist feels, efforts along the joint included.
        """
        return Wrench.of(self._read("joint_wrenches")[..., self._number(link), :])

    def mimic_effort(self, link: str) -> FloatArray:
        """Effort that made the joint of a link follow another in the last step in N m or N; 0 if it follows none."""
        return self._read("mimic_efforts")[..., self._number(link)][()]

    @property
    def limit_efforts(self) -> FloatArray:
        """Effort of the limits of its joints in the last step in N m or N, shape (nv,)."""
        return self._read("limit_efforts")

    @property
    def friction_efforts(self) -> FloatArray:
        """Effort of dry friction in its joints in the last step in N m or N, shape (nv,)."""
        return self._read("friction_efforts")
