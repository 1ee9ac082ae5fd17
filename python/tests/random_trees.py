"""Random robots with every kind of joint, as URDF for us and as MJCF for MuJoCo, from one description.

Conventions that differ: MuJoCo writes quaternions wxyz and gives the angular velocity of balls and free bodies in the
body's own axes; we use xyzw, and the axes of the joint frame. MuJoCo has no planar or floating joint inside a tree:
slides and a hinge, or slides and a ball, are the same thing, with the same coordinates.
"""

from dataclasses import dataclass, field

import numpy as np

KINDS = ["fixed", "revolute", "continuous", "prismatic", "ball", "universal", "planar", "floating"]


def rotation_rpy(rpy):
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return z @ y @ x


def rotation_quat(xyzw):
    x, y, z, w = xyzw
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quat_rpy_wxyz(rpy):
    (cr, cp, cy), (sr, sp, sy) = np.cos(np.asarray(rpy) / 2), np.sin(np.asarray(rpy) / 2)
    return [
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    ]


def plane_axes(normal):
    """x: the coordinate axis least along the normal, made perpendicular to it; y = normal x x."""
    seed = np.eye(3)[np.argmin(np.abs(normal))]
    x = seed - normal * normal.dot(seed)
    x /= np.linalg.norm(x)
    return x, np.cross(normal, x)


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


@dataclass
class RandomLink:
    """A link with the joint to its parent."""

    parent: int | None
    kind: str
    xyz: np.ndarray
    rpy: np.ndarray
    axes: np.ndarray
    damping: float
    mass: float
    com: np.ndarray
    inertial_rpy: np.ndarray
    moments: np.ndarray
    """Principal moments, in the axes of `inertial_rpy`."""
    children: list[int] = field(default_factory=list)

    @property
    def parts(self):
        """Joints of MuJoCo that this one is made of: kind and axis."""
        first, second = self.axes
        balls = [("ball", None)]
        match self.kind:
            case "fixed":
                return []
            case "revolute" | "continuous":
                return [("hinge", first)]
            case "prismatic":
                return [("slide", first)]
            case "ball":
                return balls
            case "universal":
                return [("hinge", first), ("hinge", second)]
            case "planar":
                return [("slide", axis) for axis in plane_axes(first)] + [("hinge", first)]
            case "floating":
                return [("slide", axis) for axis in np.eye(3)] + balls


def random_tree(rng, kinds, free_base):
    """Links 0, 1, ...; link 0 is the base. `kinds` are the joints of the others."""
    links = []
    for i, kind in enumerate(["floating" if free_base else "fixed", *kinds]):
        axes = rng.normal(size=(2, 3))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        # Moments of a solid box, so that a body can have them.
        mass, sides = rng.uniform(0.2, 3.0), rng.uniform(0.05, 0.5, size=3)
        moments = mass / 12 * (sides.dot(sides) - sides**2)
        placed = i > 0
        link = RandomLink(
            parent=int(rng.integers(max(0, i - 3), i)) if placed else None,
            kind=kind,
            xyz=rng.uniform(-0.4, 0.4, size=3) * placed,
            rpy=rng.uniform(-3, 3, size=3) * placed,
            axes=axes,
            damping=rng.uniform(0, 0.5) if placed and kind != "fixed" else 0.0,
            mass=mass,
            com=rng.uniform(-0.2, 0.2, size=3),
            inertial_rpy=rng.uniform(-3, 3, size=3),
            moments=moments,
        )
        if placed:
            links[link.parent].children.append(i)
        links.append(link)
    return links


def urdf(links, order):
    """The URDF, its links and joints named in the order of `order`."""
    text = '<robot name="random">\n'
    for i in order:
        link = links[i]
        ixx, iyy, izz = link.moments.tolist()
        text += f'<link name="l{i}"><inertial><origin xyz="{numbers(link.com)}" rpy="{numbers(link.inertial_rpy)}"/>'
        text += f'<mass value="{link.mass!r}"/><inertia ixx="{ixx!r}" ixy="0" ixz="0" iyy="{iyy!r}" iyz="0" izz="{izz!r}"/>'
        text += "</inertial></link>\n"
    for i in order:
        link = links[i]
        if link.parent is None:
            continue
        text += f'<joint name="j{i}" type="{link.kind}"><parent link="l{link.parent}"/><child link="l{i}"/>'
        text += f'<origin xyz="{numbers(link.xyz)}" rpy="{numbers(link.rpy)}"/>'
        text += f'<axis xyz="{numbers(link.axes[0])}"/><axis2 xyz="{numbers(link.axes[1])}"/>'
        text += f'<limit lower="-9" upper="9" effort="9" velocity="9"/><dynamics damping="{link.damping!r}" friction="0.3"/>'
        text += "</joint>\n"
    return text + "</robot>"


def mjcf(links):
    """The same robot for MuJoCo, its joints called by link and part: j3_0."""

    def body(i):
        link = links[i]
        turn = rotation_rpy(link.inertial_rpy)
        inertia = turn @ np.diag(link.moments) @ turn.T
        full = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        text = f'<body name="l{i}" pos="{numbers(link.xyz)}" quat="{numbers(quat_rpy_wxyz(link.rpy))}">'
        text += f'<inertial pos="{numbers(link.com)}" mass="{link.mass!r}" fullinertia="{numbers(full)}"/>'
        for part, (kind, axis) in enumerate(link.parts):
            along = "" if axis is None else f' axis="{numbers(axis)}"'
            text += f'<joint name="j{i}_{part}" type="{kind}"{along} damping="{link.damping!r}"/>'
        return text + "".join(body(child) for child in link.children) + "</body>"

    return (
        '<mujoco><compiler angle="radian" autolimits="false"/><option><flag constraint="disable"/></option>'
        f"<worldbody>{body(0)}</worldbody></mujoco>"
    )
