"""The paper's numbers: W.-C. Li and G. Chou, "A Convex Formulation of Compliant Contact between Filaments and Rigid Bodies"."""

import math
from typing import NamedTuple

__all__ = ["CAPSTAN", "CAPSTAN_ANGLES", "EXAMPLES", "RING_COUNTS", "RING_TIMES", "Example"]


class Example(NamedTuple):
    """A row of the paper's table, and its bar of the figure of run times."""

    title: str
    contact: str
    dofs: int
    dt: float
    """s."""
    real_time_rate: float
    """Simulated over wall-clock time, one thread of its authors' machine."""
    contacts_mean: int
    contacts_max: int
    split: tuple[float, float, float, float]
    """Rod mechanics, collision detection, Schur complement, solver, in percent."""


EXAMPLES = {
    "knot": Example("Knot tightening", "point", 1205, 1e-4, 0.002, 58, 164, (4.49, 9.73, 1.46, 84.32)),
    "crowned_pulley": Example("Crowned pulley", "patch", 202, 3e-3, 0.037, 804, 917, (2.39, 18.16, 1.54, 77.91)),
    "gripper": Example("Entangling filament gripper", "point", 6283, 1e-3, 0.013, 104, 200, (18.56, 9.53, 12.39, 59.52)),
    "shoelace": Example("Tying shoelace", "patch", 816, 2e-3, 0.088, 164, 591, (8.02, 5.83, 5.51, 80.64)),
    "rings": Example("Chain of 100 rings", "point", 8000, 8e-4, 0.012, 396, 396, (32.62, 3.00, 15.07, 49.31)),
}
"""Table I and the figure of run times, by the names of our scenes."""

CAPSTAN_ANGLES = [math.pi * tenths / 10 for tenths in range(4, 21)]
"""Wrap angles, rad."""

CAPSTAN = {
    10: [
        0.21790192, 0.30989827, 0.38487413, 0.38853504, 0.45930646, 0.53921486, 0.63434655, 0.69448822, 0.70494359,
        0.77586489, 0.85004823, 0.92255764, 0.93273155, 0.96074257, 1.01874796, 1.08712440, 1.13422032,
    ],
    20: [
        0.23936111, 0.29528664, 0.38130768, 0.41202924, 0.50125795, 0.55611133, 0.61274358, 0.69901799, 0.73015248,
        0.81836399, 0.87249501, 0.92793558, 1.01233561, 1.04281110, 1.12841118, 1.18105125, 1.23453308,
    ],
    40: [
        0.24664914, 0.31183020, 0.37719777, 0.44002706, 0.50366000, 0.56912434, 0.63540746, 0.70098627, 0.76312293,
        0.82598818, 0.89016000, 0.95466150, 1.01796187, 1.07730838, 1.13789978, 1.19955310, 1.26133841,
    ],
}
"""log(T2/T1) at these angles, for segments of π/10, π/20 and π/40."""

RING_COUNTS = list(range(5, 101, 5))
"""Numbers of rings."""

RING_TIMES = [
    0.08093606, 0.11486509, 0.15966039, 0.23656354, 0.34326719, 0.34545677, 0.34656884, 0.38957017, 0.42160128, 0.43117895,
    0.47779161, 0.51656274, 0.63257331, 0.68783006, 0.69868085, 0.73666691, 0.77814933, 0.83267363, 0.91616580, 1.0,
]
"""Run times over that of 100 rings."""
