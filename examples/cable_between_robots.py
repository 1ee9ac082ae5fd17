"""A cable hangs between two grippers; one of them lets go.

Claim: at rest the grippers carry the cable's weight, and half of it each; let go, the cable hangs from the other one.

    python examples/cable_between_robots.py [--plot]
"""

import sys

import numpy as np

from ropewalk import World, curves, sections
from ropewalk.rotations import Rpy


def build() -> World:
    world = World(title="A cable between two grippers", dt=2e-3, duration=6.0)
    bent = {"shoulder_pitch": 0.4, "elbow": 1.2, "wrist_pitch": 0.4}
    for name, x, yaw in (("left", -0.7, 0.0), ("right", 0.7, np.pi)):
        arm = world.add_robot(
            name,
            "robot:arm7_gripper",
            position=[x, 0.0, 0.0],
            rotation=Rpy([0.0, 0.0, yaw]),
            joints=bent,
            gravity_compensation=True,
        )
        world.add_control(name, arm, position_gain=1e4, velocity_gain=300.0)
    ends = [world.robots[name].link_pose("hand").position for name in ("left", "right")]
    sag = 0.5 * (ends[0] + ends[1]) - [0.0, 0.0, 0.15]
    cable = world.add_rod(
        "cable",
        curves.Spline([ends[0], sag, ends[1]]),
        section=sections.Stiffness(stretch=2e3, bend=[1e-5, 1e-5], twist=1e-5, line_density=0.03, radius=2e-3),
        segments=60,
        mass_damping=4.0,
    )
    world.add_attachment("grip_left", "ball", cable, {"robot": "left", "link": "hand"}, at="start")
    world.add_attachment("grip_right", "ball", cable, {"robot": "right", "link": "hand"}, at="end")
    # The ends lie inside the hands: let go, they would be caught there.
    world.set_contact(exclude=[["cable", "left"], ["cable", "right"]])
    return world


def main() -> None:
    world = build()
    world.step(1500)
    cable, grips = world.rods["cable"], [world.attachments[f"grip_{name}"] for name in ("left", "right")]
    weight = 9.81 * float(np.sum(cable.masses))
    carried = [float(grip.wrench.force[2]) for grip in grips]
    print(f"the cable weighs {weight:.4f} N; the grippers carry {carried[0]:.4f} N and {carried[1]:.4f} N")
    assert np.allclose(carried, 0.5 * weight, rtol=0.02)

    before = cable.positions[-1]
    grips[1].release()
    world.step(1500)
    end = cable.positions[-1]
    print(f"after the release: {float(grips[0].wrench.force[2]):.4f} N, its end at z = {end[2]:.3f} m")
    assert not grips[1].holds
    # It hangs straight down from the other gripper, which carries all of it.
    length = float(np.sum(cable.rest_lengths))
    assert end[2] < before[2] - 0.9 * length and abs(end[0] - cable.positions[0, 0]) < 0.05 * length
    assert np.isclose(float(grips[0].wrench.force[2]), weight, rtol=0.02)
    if "--plot" in sys.argv:
        import matplotlib.pyplot as pyplot

        world.plot(color="tension")
        pyplot.show()


if __name__ == "__main__":
    main()
