"""An overhand knot is pulled: it grows smaller, and it stays a knot.

Claim: the pull rises, and contacts hold the strands apart.

    python examples/knot.py

The same in Rust: ``crates/ropewalk/examples/knot.rs``.
"""

from ropewalk import Material, Motion, World, curves, sections
from ropewalk.functions import Ramp


def build() -> World:
    world = World(title="An overhand knot, pulled", dt=5e-4, gravity=[0, 0, 0])
    rope = world.add_rod(
        "rope",
        curves.Overhand(order=1, length=1.0, gap=3.2e-3),
        material=Material(youngs_modulus=1.8e7, poisson_ratio=0.5, density=1000.0),
        section=sections.Circle(1.5e-3),
        segments=200,
        mass_damping=1.0,
        friction=0.1,
    )
    for name, at, speed in (("left", "start", -0.4), ("right", "end", 0.4)):
        apart = Motion(translation=[Ramp(times=[0.0, 10.0], values=[0.0, 10.0 * speed]), 0.0, 0.0])
        world.add_clamp(name, rope, "start" if at == "start" else "end", hold="position", motion=apart)
    return world


def main() -> None:
    world = build()
    world.run(0.5)
    pull = float(world.clamps["right"].wrench.force[0])
    print(f"after 0.5 s: pull {pull:.3f} N, {len(world.contacts())} contacts")
    assert pull > 0.0 and len(world.contacts()) > 0


if __name__ == "__main__":
    main()
