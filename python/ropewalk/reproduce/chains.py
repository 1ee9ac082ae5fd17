"""Chains of rigid capsules joined by bushings: ropes as rigid-body simulators have them."""

from typing import Any, NamedTuple

import numpy as np

from ropewalk import World
from ropewalk._arrays import FloatArray
from ropewalk.reproduce.quaternions import axes, frames, multiply

__all__ = ["Springs", "chain_document", "chain_nodes", "spring_energy"]


class Springs(NamedTuple):
    """Stiffness of the joints."""

    bend: float
    """N m/rad."""
    twist: float
    """N m/rad."""
    translation: float
    """N/m."""

    @classmethod
    def of_rod(cls, young: float, shear: float, radius: float, length: float) -> "Springs":
        """Of a round rod in capsules of ``length`` (m): EI/l, GJ/l and EA/l."""
        area, second = np.pi * radius**2, np.pi * radius**4 / 4
        return cls(young * second / length, shear * 2 * second / length, young * area / length)


def chain_document(
    nodes: FloatArray, radius: float, density: float, springs: Springs, *, damping_time: float = 0.0, friction: float = 0.0
) -> dict[str, Any]:
    """The bodies ``c0``, ``c1``, … and their joints as parts of a scene; straight and untwisted at rest. Bodies have the mass and the
    inertia of a cylinder of their length: caps overlap."""
    quats = frames(nodes)
    lengths = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
    bodies, joints = {}, {}
    for k, length in enumerate(lengths.tolist()):
        mass = density * np.pi * radius**2 * length
        across = mass * (radius**2 / 4 + length**2 / 12)
        bodies[f"c{k}"] = {
            "shape": {"capsule": {"radius": radius, "length": length}},
            "mass": mass,
            "inertia": [across, across, mass * radius**2 / 2, 0.0, 0.0, 0.0],
            "position": (0.5 * (nodes[k] + nodes[k + 1])).tolist(),
            "rotation": {"quat_xyzw": quats[k].tolist()},
            "friction": friction,
        }
        if k > 0:
            spring = {**springs._asdict(), "damping_time": damping_time, "rest": {"quat_xyzw": [0.0, 0.0, 0.0, 1.0]}}
            joints[f"j{k}"] = {
                "kind": "bushing",
                "body": f"c{k - 1}",
                "point": [0.0, 0.0, 0.5 * lengths[k - 1].item()],
                "to": {"body": f"c{k}", "point": [0.0, 0.0, -0.5 * length]},
                "bushing": spring,
            }
    # As far along the chain as our rods look away from themselves: π/2 diameters and a segment.
    near = int(np.ceil(np.pi * radius / lengths.mean())) + 1
    exclude = [[f"c{i}", f"c{j}"] for i in range(len(lengths)) for j in range(i + 1, min(i + near + 1, len(lengths)))]
    return {"body": bodies, "attach": joints, "contact": {"exclude": exclude}}


def chain_nodes(world: World, count: int, length: float) -> FloatArray:
    """Where the ends of the capsules are: the start of each, and the end of the last; shape (count + 1, 3), m."""
    poses = [(world.bodies[f"c{k}"].position, world.bodies[f"c{k}"].quat_xyzw) for k in range(count)]
    along = axes(np.array([q for _, q in poses]))
    middles = np.array([p for p, _ in poses])
    return np.concatenate([middles - 0.5 * length * along, middles[-1:] + 0.5 * length * along[-1:]])


def spring_energy(world: World, count: int, length: float, springs: Springs) -> float:
    """Energy of the joints in J."""
    quats = np.array([world.bodies[f"c{k}"].quat_xyzw for k in range(count)])
    places = np.array([world.bodies[f"c{k}"].position for k in range(count)])
    along = axes(quats)
    gaps = (places[:-1] + 0.5 * length * along[:-1]) - (places[1:] - 0.5 * length * along[1:])
    turn = multiply(quats[1:] * [-1.0, -1.0, -1.0, 1.0], quats[:-1])
    turn *= np.where(turn[:, 3:] < 0.0, -1.0, 1.0)
    size = np.linalg.norm(turn[:, :3], axis=1)
    angles = turn[:, :3] * np.where(size > 1e-12, 2.0 * np.arctan2(size, turn[:, 3]) / np.maximum(size, 1e-300), 2.0)[:, None]
    bend, twist = (angles[:, :2] ** 2).sum(), (angles[:, 2] ** 2).sum()
    return float(0.5 * (springs.bend * bend + springs.twist * twist + springs.translation * (gaps**2).sum()))
