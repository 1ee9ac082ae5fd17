"""A rope over a peg, held at one end, with a weight on the other.

Claim: the forces at the two ends differ by at most exp(mu pi) (Euler and Eytelwein).

    python examples/rope_over_peg.py

The same in Rust: ``crates/ropewalk/examples/rope_over_peg.rs``.
"""

import numpy as np

from ropewalk import Material, World, curves, sections, shapes
from ropewalk.rotations import Rpy

FRICTION = 0.3
PEG_RADIUS = 0.02
ROPE_RADIUS = 1.5e-3


def build(force: float) -> World:
    world = World(title="A rope over a peg", dt=1e-3)
    peg = shapes.Cylinder(PEG_RADIUS, 0.1)
    world.add_body("peg", peg, rotation=Rpy([np.pi / 2, 0.0, 0.0]), motion="fixed", friction=FRICTION)
    around = PEG_RADIUS + ROPE_RADIUS
    rope = world.add_rod(
        "rope",
        curves.Arc([-around, 0, 0], [0, 0, 1], [1, 0, 0], radius=around, angle=np.pi, tails=[0.1, 0.1]),
        material=Material(youngs_modulus=1e7, poisson_ratio=0.4, density=1100.0),
        section=sections.Circle(ROPE_RADIUS),
        segments=60,
        friction=FRICTION,
        mass_damping=20.0,
    )
    world.add_clamp("held", rope, "start", hold="position")
    world.add_load("weight", rope, point={"at": "end", "force": [0.0, 0.0, -force]})
    return world


def main() -> None:
    world = build(1.0)
    world.run(0.5)
    held = float(np.linalg.norm(world.clamps["held"].wrench.force))
    most = float(np.exp(FRICTION * np.pi))
    print(f"1 N on one end, {held:.3f} N at the other; friction allows a ratio of {most:.3f}")
    assert 1.0 / most < held < most


if __name__ == "__main__":
    main()
